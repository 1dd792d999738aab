"""An embeddings endpoint in every mood, over a real connection."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from commonplace.backends.neural.http import HttpEmbedder
from commonplace.model.errors import BadInput, EmbedderUnavailable

from .endpoint import Endpoint, running

SECRET = "sk-the-lighthouse-key"
TEXT = "the spare key is under the third flowerpot"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with running() as endpoint:
        yield endpoint


@pytest.fixture
def embedder(endpoint: Endpoint) -> HttpEmbedder:
    return HttpEmbedder(
        endpoint.url, "tiny", key=SECRET, timeout_s=0.4, query_timeout_s=0.4, pause_s=0.01
    )


def direction(vector: bytes) -> list[int]:
    return memoryview(vector).cast("b").tolist()


def test_texts_come_back_in_order_as_signed_bytes(embedder: HttpEmbedder) -> None:
    vectors = embedder.embed(["a", "four"])
    assert [direction(vector) for vector in vectors] == [[127, -64, 0], [127, -16, 0]]
    assert embedder.dimensions == 3


def test_many_texts_go_in_batches(endpoint: Endpoint, embedder: HttpEmbedder) -> None:
    assert len(embedder.embed([f"memory {number}" for number in range(150)])) == 150
    assert [len(request["input"]) for request in endpoint.requests] == [64, 64, 22]


def test_the_key_and_the_model_are_sent(endpoint: Endpoint, embedder: HttpEmbedder) -> None:
    embedder.embed([TEXT])
    assert endpoint.keys == [f"Bearer {SECRET}"]
    assert endpoint.requests[0]["model"] == "tiny"


def test_the_setting_says_which_variable_holds_the_key(endpoint: Endpoint) -> None:
    environ = {"MY_KEY": f" {SECRET}\n", "COMMONPLACE_EMBEDDER_KEY": "the usual one"}
    address = f"{endpoint.url}/embeddings#tiny"
    HttpEmbedder.at(f"{address};key=MY_KEY", environ=environ).embed([TEXT])
    HttpEmbedder.at(address, environ=environ).embed([TEXT])
    HttpEmbedder.at(address, environ={}).embed([TEXT])
    assert endpoint.keys == [f"Bearer {SECRET}", "Bearer the usual one", None]


def test_dimensions_are_asked_for_and_name_the_vectors(endpoint: Endpoint) -> None:
    embedder = HttpEmbedder.at(f"{endpoint.url}#tiny;dimensions=3;unrelated=0.7", environ={})
    assert (embedder.model, embedder.dimensions, embedder.unrelated) == ("tiny/3", 3, 0.7)
    embedder.embed([TEXT])
    assert endpoint.requests[0]["dimensions"] == 3


def test_blank_texts_are_not_sent(endpoint: Endpoint, embedder: HttpEmbedder) -> None:
    vectors = embedder.embed(["", "four", " \n"])
    assert [any(vector) for vector in vectors] == [False, True, False]
    assert [request["input"] for request in endpoint.requests] == [["four"]]


def test_a_megabyte_is_cut_before_it_is_sent(endpoint: Endpoint, embedder: HttpEmbedder) -> None:
    embedder.embed(["tide " * 200_000])
    assert len(endpoint.requests[0]["input"][0]) == 6_000


@pytest.mark.parametrize("mood", ["busy", "broken", "slow", "dying", "dripping"])
def test_a_passing_failure_is_tried_again(
    endpoint: Endpoint, embedder: HttpEmbedder, mood: str
) -> None:
    endpoint.moods = [mood]
    assert len(embedder.embed([TEXT])) == 1
    # On a busy machine an attempt may also pass its time limit.
    assert 2 <= len(endpoint.requests) <= 4


def test_a_failure_that_stays_ends_in_words(endpoint: Endpoint, embedder: HttpEmbedder) -> None:
    endpoint.moods = ["busy"] * 10
    with pytest.raises(EmbedderUnavailable, match="answered 429"):
        embedder.embed([TEXT])
    assert len(endpoint.requests) == 4


def test_a_question_does_not_wait_for_a_second_attempt(
    endpoint: Endpoint, embedder: HttpEmbedder
) -> None:
    endpoint.moods = ["slow"]
    start = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="did not answer"):
        embedder.embed([TEXT], query=True)
    assert time.monotonic() - start < 5
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("mood", ["malformed", "strange", "short", "endless", "unauthorized"])
def test_a_useless_answer_is_not_asked_for_twice(
    endpoint: Endpoint, embedder: HttpEmbedder, mood: str
) -> None:
    endpoint.moods = [mood]
    with pytest.raises(EmbedderUnavailable):
        embedder.embed([TEXT])
    assert len(endpoint.requests) == 1


def test_vectors_of_another_length_are_refused(endpoint: Endpoint, embedder: HttpEmbedder) -> None:
    embedder.embed([TEXT])
    endpoint.moods = ["wider"]
    with pytest.raises(EmbedderUnavailable, match="7 dimensions instead of 3"):
        embedder.embed([TEXT])


@pytest.mark.parametrize("mood", ["busy", "unauthorized", "malformed", "dying"])
def test_no_message_repeats_a_text_or_the_key(
    endpoint: Endpoint, embedder: HttpEmbedder, mood: str
) -> None:
    endpoint.moods = [mood] * 10
    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed([TEXT])
    told: list[BaseException | None] = [caught.value]
    while told[-1] is not None:
        told.append(told[-1].__cause__ or told[-1].__context__)
    for error in told:
        assert "flowerpot" not in f"{error!r} {error}"
        assert "lighthouse" not in f"{error!r} {error}"


def test_nobody_listening_is_not_ready(endpoint: Endpoint) -> None:
    assert HttpEmbedder(endpoint.url, "tiny").ready()
    nobody = HttpEmbedder("http://127.0.0.1:9/v1", "tiny", pause_s=0.01)
    assert not nobody.ready()
    with pytest.raises(EmbedderUnavailable, match="did not answer"):
        nobody.embed([TEXT])


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/v1", "127.0.0.1#tiny", "file:///etc#tiny", "http://x#m;colour=red",
        "http://x#m;dimensions=many", "http://x#m;key",
    ],
)  # fmt: skip
def test_an_address_that_cannot_be_meant_is_refused(address: str) -> None:
    with pytest.raises(BadInput):
        HttpEmbedder.at(address, environ={})


def test_a_key_of_two_lines_is_refused_before_it_is_sent() -> None:
    with pytest.raises(BadInput):
        HttpEmbedder("http://127.0.0.1/v1", "tiny", key="one\r\nX-Other: two")
