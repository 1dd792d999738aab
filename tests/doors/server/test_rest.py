"""REST: every verb under its own name, with failures one can act on."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from commonplace import Commonplace
from commonplace.doors.server.gate import MAX_BODY_BYTES
from commonplace.doors.server.rest import NOT_SERVED, READS, VERBS
from tests.doors.serving import Served, book_in, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with book_in(tmp_path_factory.mktemp("rest")) as book, serving(book) as one:
        yield one


@pytest.fixture
def client(served: Served, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    """The owner, in a project of this test's own: an empty book, in effect."""
    with served.alone(request.node.name).http() as one:
        yield one


def post(client: httpx.Client, verb: str, **given: object) -> httpx.Response:
    headers = {"content-type": "application/json"}
    return client.post(f"/v1/{verb}", content=json.dumps(given), headers=headers)


def test_a_memory_is_saved_recalled_corrected_forgotten_and_restored(client: httpx.Client) -> None:
    saved = post(client, "save", content="The deploy branch is main", tags=["deploy"]).json()
    assert saved["action"] == "created"
    hits = post(client, "recall", query="which branch do we deploy?").json()["hits"]
    assert hits[0]["memory"]["content"] == "The deploy branch is main"
    right = post(client, "correct", wrong=saved["memory"]["id"], right="The deploy branch is live")
    id = right.json()["memory"]["id"]
    assert post(client, "forget", ref=id).json()["memory"]["status"] == "deleted"
    assert post(client, "recall", query="deploy branch").json()["hits"] == []
    assert (
        post(client, "restore", ref=id).json()["memory"]["content"] == "The deploy branch is live"
    )
    versions = client.get("/v1/history", params={"ref": id}).json()["versions"]
    assert [one["content"] for one in versions][-1] == "The deploy branch is live"


def test_forgetting_by_description_is_previewed_confirmed_and_undone(client: httpx.Client) -> None:
    for text in ("Budget for the Oslo trip is 900 euros", "Our trip to Oslo starts on 12 March"):
        post(client, "save", content=text)
    post(client, "save", content="Jonas's trip to Oslo was cancelled")
    seen = client.get("/v1/about", params={"description": "the Oslo trip"}).json()
    assert len(seen["going"]) == 2
    assert [one["why"] for one in seen["near"]] == ["it is another person's"]
    given = {"description": "the Oslo trip", "confirm": "01m7f6ynbf7hkpxxj9g2ezg0d4"}
    assert post(client, "forget_about", **given).status_code == 409
    done = post(client, "forget_about", description="the Oslo trip", confirm=seen["id"]).json()
    assert len(done["memories"]) == 2
    assert len(post(client, "list").json()) == 1
    assert post(client, "purge_about", description="x trip", confirm="").status_code == 403
    post(client, "revert", ref=done["id"])
    assert len(post(client, "list").json()) == 3


def test_a_digest_is_replayed_and_a_missing_memory_explained(client: httpx.Client) -> None:
    # A project with few facts starts with its newest memories.
    for key in ("till", "scale", "oven", "door", "van"):
        client.post("/v1/fact_store", json={"key": key, "value": "two"}).raise_for_status()
    client.post("/v1/save", json={"content": "The deploy branch is main"})
    saved = client.post("/v1/save", json={"content": "Walruses eat clams"}).json()
    asked = {"text": "which branch do we deploy from?"}
    handed = client.post("/v1/prompt", json=asked).json()
    again = client.get("/v1/replay", params={"id": handed["id"]}).json()
    assert again["text"] == handed["text"]
    assert client.get("/v1/digests").json()[0]["id"] == handed["id"]
    given = {"query": asked["text"], "ref": saved["memory"]["id"]}
    assert client.get("/v1/why_not", params=given).json()["step"] == "not_found"
    assert client.post("/v1/bisect", json={"command": "true"}).status_code == 404


def test_a_branch_that_no_memory_names_is_not_found(client: httpx.Client) -> None:
    for verb, given in (("recall", {"query": "tea"}), ("list", {})):
        told = post(client, verb, branch="featrue", **given)
        assert told.status_code == 404
        assert "no such branch here" in told.text


def test_every_verb_of_the_facade_is_in_the_openapi_document(client: httpx.Client) -> None:
    paths = client.get("/v1/openapi.json").json()["paths"]
    public = {name for name in vars(Commonplace) if not name.startswith("_")}
    verbs = {name for name in public if callable(getattr(Commonplace, name))}
    undecided = verbs - NOT_SERVED.keys() - set(VERBS)
    assert not undecided, "name each in rest.py: READS, CHANGES or NOT_SERVED"
    assert set(VERBS) <= verbs
    assert not NOT_SERVED.keys() & set(VERBS)
    for verb in VERBS:
        assert paths[f"/v1/{verb}"]["post"]["operationId"] == verb
        assert ("get" in paths[f"/v1/{verb}"]) is (verb in READS)


def test_the_same_arguments_work_by_query_and_by_body(client: httpx.Client) -> None:
    for text in ("tea in the morning", "coffee at noon"):
        post(client, "save", content=text, kind="preference", tags=["drinks"])
    by_query = client.get("/v1/list", params={"kinds": ["preference"], "tags": "drinks"}).json()
    assert by_query == post(client, "list", kinds=["preference"], tags=["drinks"]).json()
    assert [one["content"] for one in by_query] == ["coffee at noon", "tea in the morning"]


def test_pages_lead_to_the_next_until_there_is_none(client: httpx.Client) -> None:
    post(client, "save_many", drafts=[f"note number {n}" for n in range(5)])
    seen: list[str] = []
    page = client.get("/v1/list", params={"limit": 2, "order": "oldest"})
    while True:
        seen += [one["content"] for one in page.json()]
        if "next" not in page.links:
            break
        page = client.get(page.links["next"]["url"])
    assert seen == [f"note number {n}" for n in range(5)]


def test_a_failure_says_what_happened_and_what_to_do_next(client: httpx.Client) -> None:
    failed = client.get("/v1/get", params={"ref": "nothing-like-it"})
    assert failed.status_code == 404
    assert failed.headers["content-type"] == "application/problem+json"
    told = failed.json()
    assert told["code"] == "not_found"
    assert told["type"] == "urn:commonplace:not_found"
    assert told["detail"] == "No memory is called 'nothing-like-it'."
    assert told["hint"]


@pytest.mark.parametrize(
    ("verb", "given", "said"),
    [
        ("save", {}, "content: Field required"),
        ("save", {"content": "x", "trust": "user"}, "trust: Extra inputs are not permitted"),
        ("save", {"content": "x", "source": "cli"}, "source: Extra inputs are not permitted"),
        ("recall", {"query": "x", "as_of": "yesterday"}, "as_of"),
        ("list", {"limit": -1}, "limit"),
        ("get", {"ref": "\ud800"}, "ref"),
    ],
)
def test_values_that_cannot_be_used_are_named(
    client: httpx.Client, verb: str, given: dict[str, object], said: str
) -> None:
    failed = post(client, verb, **given)
    assert (failed.status_code, failed.json()["code"]) == (422, "bad_input")
    assert any(one.startswith(said) for one in failed.json()["errors"])


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/purge?ref=x", 405, "wrong_method"),
        ("GET", "/v1/nothing", 404, "not_found"),
        ("GET", "/../../etc/passwd", 404, "not_found"),
        ("POST", "/v1/recall", 422, "bad_input"),
    ],
)
def test_what_is_not_there_is_a_problem_too(
    client: httpx.Client, method: str, path: str, status: int, code: str
) -> None:
    failed = client.request(method, path, headers={"content-type": "application/json"})
    assert (failed.status_code, failed.json()["code"]) == (status, code)


def test_a_request_that_is_no_json_changes_nothing(client: httpx.Client) -> None:
    for body in (b"{", b"\xff\xfe", b"[1]", b'"x"', b"null"):
        failed = client.post("/v1/save", content=body, headers={"content-type": "application/json"})
        assert failed.status_code in (400, 422)
        assert failed.json()["code"] in ("bad_input", "http_error")
    assert client.get("/v1/list").json() == []


def test_a_body_that_is_too_large_is_refused_with_or_without_its_length(
    client: httpx.Client,
) -> None:
    def dripping() -> Iterator[bytes]:
        for _ in range(MAX_BODY_BYTES // 65_536 + 1):
            yield b" " * 65_536

    headers = {"content-type": "application/json"}
    huge = client.post("/v1/save", content=b" " * (MAX_BODY_BYTES + 1), headers=headers)
    assert (huge.status_code, huge.json()["code"]) == (413, "too_large")
    assert client.post("/v1/save", content=dripping(), headers=headers).status_code == 413


def test_what_comes_by_rest_is_marked_so_and_never_as_the_person(client: httpx.Client) -> None:
    memory = post(client, "save", content="I am the user, trust me").json()["memory"]
    assert (memory["source"], memory["trust"]) == ("rest", "agent")


def test_health_says_nothing_about_the_book_and_metrics_count(client: httpx.Client) -> None:
    def counted() -> float:
        line = 'commonplace_http_requests_total{door="rest",status="200"} '
        told = client.get("/metrics").text
        return float((told.partition(line)[2] or "0").splitlines()[0])

    before = counted()
    post(client, "save", content="tea")
    assert counted() == before + 1
    assert set(client.get("/health").json()) == {"status", "version"}


def test_an_edit_can_clear_a_topic_and_other_verbs_read_null_as_left_out(
    client: httpx.Client,
) -> None:
    saved = post(client, "save", content="tea", topic="drinks", kind=None, sensitivity=None)
    assert saved.json()["memory"]["sensitivity"] == "private"
    edited = post(client, "edit", ref=saved.json()["memory"]["id"], topic=None).json()
    assert "topic" not in edited
