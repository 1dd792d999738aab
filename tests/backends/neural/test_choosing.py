"""Which embedder a setting means, the chain, and the hashed words."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.backends.neural.bundled import BundledEmbedder
from commonplace.backends.neural.fallback import EmbedderChain, HashingEmbedder
from commonplace.backends.neural.http import HttpEmbedder
from commonplace.books.services import open_embedder
from commonplace.language.similarity import signed_bytes
from commonplace.model.errors import BadInput, EmbedderUnavailable

from .closeness import cosine

REFUSED = "http:http://127.0.0.1:9/v1#nobody-listens"


class Scripted:
    """An embedder whose state a test decides."""

    dimensions, unrelated = 2, 0.0

    def __init__(self, model: str, *, usable: bool) -> None:
        self.model, self.usable, self.closed = model, usable, False

    def ready(self) -> bool:
        return self.usable

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        if not self.usable:
            raise EmbedderUnavailable(f"{self.model} is down.")
        return [bytes(2) for _ in texts]

    def is_damaged(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True


def test_each_name_opens_its_embedder(tmp_path: Path) -> None:
    opened = {
        spec: open_embedder(spec, environ={})
        for spec in ("auto", "bundled", "hash", "none", "", "none,hash", REFUSED)
    }
    assert isinstance(opened["auto"], BundledEmbedder)
    assert isinstance(opened["bundled"], BundledEmbedder)
    assert isinstance(opened["hash"], HashingEmbedder)
    assert opened["none"] is opened[""] is None
    assert isinstance(opened["none,hash"], HashingEmbedder)
    assert isinstance(opened[REFUSED], HttpEmbedder)


@pytest.mark.parametrize("spec", ["gpt", "hash:7", "http:", "bundled,whatever", "http:ftp://x#m"])
def test_an_unknown_embedder_is_named(spec: str) -> None:
    with pytest.raises(BadInput):
        open_embedder(spec, environ={})


def test_an_endpoint_that_is_down_falls_to_the_next(tmp_path: Path) -> None:
    chain = open_embedder(f"{REFUSED}, hash", environ={})
    assert isinstance(chain, EmbedderChain)
    assert chain.ready()
    assert chain.model == "hash-1"
    assert chain.skipped_models == ["nobody-listens"]
    assert chain.embed(["harbour"]) == HashingEmbedder().embed(["harbour"])


def test_a_chain_never_changes_its_model_halfway() -> None:
    first, second = Scripted("first", usable=True), Scripted("second", usable=True)
    chain = EmbedderChain([first, second])
    chain.embed(["a"])
    first.usable = False
    with pytest.raises(EmbedderUnavailable):
        chain.embed(["b"])
    assert chain.model == "first"


def test_a_chain_with_nothing_usable_says_so_and_recovers() -> None:
    first, second = Scripted("first", usable=False), Scripted("second", usable=False)
    chain = EmbedderChain([first, second])
    assert not chain.ready()
    with pytest.raises(EmbedderUnavailable, match="first, second"):
        chain.embed(["a"])
    first.usable = True
    assert len(chain.embed(["a"])) == 1
    chain.close()
    assert first.closed
    assert second.closed


def test_hashed_words_are_near_when_they_share_words() -> None:
    tides, again, bread = HashingEmbedder().embed(
        [
            "the tide tables hang in the harbour office",
            "where do the tide tables hang?",
            "sourdough wants a long rest overnight",
        ]
    )
    assert cosine(tides, again) > 0.5
    assert abs(cosine(tides, bread)) < 0.2


def test_hashed_words_are_the_same_in_another_process() -> None:
    text = "the ferry leaves at nine, Grüße aus 東京"
    script = (
        "import sys; from commonplace.backends.neural.fallback import HashingEmbedder as H;"
        "sys.stdout.buffer.write(H().embed([sys.argv[1]])[0])"
    )
    done = subprocess.run([sys.executable, "-c", script, text], check=True, capture_output=True)
    assert [done.stdout] == HashingEmbedder().embed([text])


@given(st.text(max_size=200))
def test_any_text_can_be_hashed(text: str) -> None:
    [vector] = HashingEmbedder().embed([text])
    assert len(vector) == HashingEmbedder.dimensions


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=40))
def test_rounding_keeps_signs_and_the_largest(values: list[float]) -> None:
    rounded = memoryview(signed_bytes(values)).cast("b")
    assert len(rounded) == len(values)
    assert max(map(abs, rounded)) == (127 if any(values) else 0)
    assert all(value * small >= 0 for value, small in zip(values, rounded, strict=True))
