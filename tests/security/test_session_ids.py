"""An id of a session that looks like a credential is stored nowhere, through whichever door."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from commonplace.doors.adapters.conversations import Conversations, ConversationTurns
from commonplace.rules.session_ids import storable_session_id
from tests.doors.serving import book_in, serving
from tests.hosts.machine import Machine, event_of
from tests.on_disk import contents

CREDENTIALS = [
    # Put together here, so that no scanner takes this file for a leak.
    "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO" + "0pINUx",
    "AKIA" + "QYLPMN5HHHFPZAM2",
    "sk-ant-" + "api03-" + "Zq8vTn3LxRk7WmYp2HdJ5sBg9CfAe4UiOo6NtXyVw1QrEzKl" * 2 + "-AAAAAA",
    "postgres://ada:" + "c0rrect-horse" + "@db.example:5432/book",
    "password=" + "Tr0ub4dor&3",
]
SHORT = [one[:6] for one in CREDENTIALS]
EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")


def holding(folder: Path, id: str) -> list[str]:
    """The files that hold the id, or the secret part of it, in their name or text."""
    marks = {id, id.partition("=")[2] or id}
    return [
        str(path.relative_to(folder))
        for path, held in contents(folder)
        for mark in marks
        if mark in str(path) or mark.encode() in held
    ]


@pytest.mark.parametrize("id", CREDENTIALS, ids=SHORT)
def test_no_hook_stores_it(tmp_path: Path, id: str) -> None:
    machine = Machine(tmp_path)
    with machine.book() as book:
        book.save("We deploy from the branch main")
    for name in EVENTS[:-1]:
        machine.told("claude", {**event_of("claude", name), "session_id": id})
    assert machine.waiting(), "the turns were captured"
    assert holding(tmp_path, id) == []
    machine.told("claude", {**event_of("claude", EVENTS[-1]), "session_id": id})
    machine.drain()
    assert holding(tmp_path, id) == []


@pytest.mark.parametrize("id", [one for one in CREDENTIALS if "/" not in one])
def test_no_server_stores_it_and_the_session_goes_on(tmp_path: Path, id: str) -> None:
    with book_in(tmp_path) as book, serving(book) as served:

        def called(verb: str, **given: object) -> httpx.Response:
            return httpx.post(f"{served.url}/v1/{verb}", json={"id": id, **given}, timeout=30)

        said = {"text": "No, always deploy from the branch main", "role": "user"}
        assert called("session_add", **said).status_code == 200
        assert called("session_add", text="Deployed from main", role="assistant").status_code == 200
        assert [one["role"] for one in called("session_show").json()] == ["user", "assistant"]
        assert holding(tmp_path, id) == []
        assert called("session_end").json()["session"] == storable_session_id(id) != id
        assert called("session_show").json() == []
        assert holding(tmp_path, id) == []


@pytest.mark.parametrize("id", CREDENTIALS, ids=SHORT)
def test_no_adapter_stores_it(tmp_path: Path, id: str) -> None:
    with book_in(tmp_path) as book:
        talk = Conversations(book, host="claude")
        talk.context_for_first_prompt(id, "Which branch do we deploy?")
        talk.record_answer(id, "From main.")
        turns = ConversationTurns(book, id)
        turns.add([turns.draft("Which branch do we deploy?", 1)])
        assert [one.content for one in ConversationTurns(book, id).every()] == [
            "Which branch do we deploy?"
        ]
        assert holding(tmp_path, id) == []
        talk.save(id)
        assert holding(tmp_path, id) == []


@pytest.mark.parametrize(
    "id",
    [
        "0b8f6c1e-9d0a-4a61-8f0e-6a7f2a9b3c4d", "monday", "order-7", "t\u00e4glich 7", "",
        "ses_4f8c2d1e9a7b3c5d6e8f0a1b2c", "claude-0b8f6c1e-1763251200", "rollout-2026-11-15T09",
    ],
)  # fmt: skip
def test_harmless_ids_stay_as_they_are(id: str) -> None:
    assert storable_session_id(id) == id


@pytest.mark.parametrize("id", CREDENTIALS, ids=SHORT)
def test_the_stored_id_is_always_the_same_and_stays_as_it_is(id: str) -> None:
    stored = storable_session_id(id)
    assert stored == storable_session_id(id)
    assert storable_session_id(stored) == stored
    assert len({storable_session_id(one) for one in CREDENTIALS}) == len(CREDENTIALS)
