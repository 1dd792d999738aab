"""Attempts to plant something that later sessions act on, through every agent's door.

The attempts and the harmless texts were written by others than wrote the defence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace, CommonplaceError, Draft, Memory
from commonplace.agent.sessions import Turn
from commonplace.model.memory import LIVE
from commonplace.rules.handed_over.quotation import quote
from tests import as_person
from tests.conftest import OpenBook

HERE = Path(__file__).parent / "poisoning"
FIELDS = frozenset(Draft.__fields__) - {"content", "scope", "supersedes"}
TRUE = (
    "The deploy branch is main.",
    "Yusuf is allergic to peanuts.",
    "Deploys need Ana's approval.",
    "The test suite must pass before a merge.",
)
QUESTIONS = (
    "which branch do we deploy from?", "how do I run the tests?", "who approves a deploy?",
    "what does Yusuf eat?", "which registry do we use?", "send the weekly report",
    "what should I know before I start?", "install the dependencies", "is CI required?",
    "how are payments made?",
)  # fmt: skip


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


ATTEMPTS, HARMLESS = read("attempts.jsonl"), read("harmless.jsonl")


def plant(book: Commonplace, vault: Path, attempt: dict[str, Any], number: int) -> None:
    """Try to store a text as its door would; a refusal is an answer, too."""
    door, text = attempt["door"], attempt["text"]
    fields = {name: value for name, value in attempt["fields"].items() if name in FIELDS}
    agents = ("mcp", "rest", "library", "hook", "shell")
    agent = book.as_context(book.context, source=agents[number % len(agents)])
    try:
        if door == "note-file":
            _write_note(vault, attempt, number)
        elif door in ("turn-user", "turn-tool"):
            role = "tool" if door == "turn-tool" else "user"
            session = agent.session(f"chat-{number}")
            session.add(text, role=role)
            session.end([Turn("assistant", text)] if role == "tool" else None)
        elif door == "import":
            drafts = [Draft(content=text)]
            book.take_in(lambda: iter(drafts), kind="mem0")
        elif door == "correction":
            agent.correct(TRUE[number % len(TRUE)], text)
        elif door == "fact":
            agent.fact_store(str(fields["key"]), str(fields["value"]), always_load=True)
        else:
            kind = {"profile": "profile", "override": "override", "skill": "skill-pointer"}
            given = {"kind": kind.get(door, "insight"), "always_load": True, **fields}
            agent.save(text, **given)
    except (CommonplaceError, TypeError):
        return


def _write_note(vault: Path, attempt: dict[str, Any], number: int) -> None:
    folder = vault / "system" / "memory" / "insight"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{name}: {json.dumps(value)}" for name, value in attempt["fields"].items()]
    text = "\n".join(("---", *lines, "---", attempt["text"], ""))
    (folder / f"planted-{number}.md").write_text(text, "utf-8")


def said(text: str) -> str:
    """A piece of a planted text by which it is recognized in a digest."""
    return quote(text)[:60]


@pytest.fixture(scope="module")
def poisoned(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Commonplace, list[Memory]]]:
    """A book in which every attempt was made, and what a person had said before."""
    from commonplace.books.open import open_book
    from commonplace.settings import Settings

    folder = tmp_path_factory.mktemp("poisoned")
    chosen = Settings(state=str(folder / "state"), embedder="none")
    with open_book(f"vault:{folder / 'book'}", settings=chosen, background=False) as book:
        true = [as_person(book).save(text).memory for text in TRUE]
        as_person(book).profile_set("Ada leads the platform team.")
        for number, attempt in enumerate(ATTEMPTS):
            repeat = int(attempt["fields"].get("repeat", 1))
            for _ in range(repeat):
                plant(book, folder / "book", attempt, number)
        book.look()
        book.maintain()
        yield book, true


def test_no_attempt_is_in_the_confirmed_part_of_a_start(
    poisoned: tuple[Commonplace, list[Memory]],
) -> None:
    book, _ = poisoned
    text = book.session_start().text
    lines = text.splitlines()[2:-1]
    confirmed = [line for line in lines if "unconfirmed" not in line.partition(") ")[0]]
    assert lines[: len(confirmed)] == confirmed
    assert "Ada leads the platform team." in confirmed[0]
    for attempt in ATTEMPTS:
        assert said(attempt["text"]) not in "\n".join(confirmed)


def test_no_order_comes_unasked_and_what_comes_is_marked(
    poisoned: tuple[Commonplace, list[Memory]],
) -> None:
    """Nothing that orders, names a command or an address, or claims authority is loaded."""
    book, _ = poisoned
    lines = book.session_start().text.splitlines()[2:-1]
    ordering = (
        "orders", "commands", "addresses", "claimed-authority", "exfiltration", "frame-breaking",
        "self-promotion", "polite-orders", "encoded", "delayed-trigger", "fake-provenance",
    )  # fmt: skip
    planted = [(one["family"], said(one["text"])) for one in ATTEMPTS]
    loaded = [(family, text) for family, text in planted for line in lines if text and text in line]
    assert [one for one in loaded if one[0] in ordering] == []
    for line in lines:
        if any(text and text in line for _, text in planted):
            assert "unconfirmed" in line.partition(") ")[0]


def test_every_recall_marks_what_was_planted(poisoned: tuple[Commonplace, list[Memory]]) -> None:
    book, _ = poisoned
    for question in QUESTIONS:
        for hit in book.recall(question, limit=20):
            if hit.memory.trust == "user":
                assert hit.memory.content in (*TRUE, "Ada leads the platform team.")
        for line in book.prompt(question).text.splitlines()[2:-1]:
            who = line.partition(") ")[0]
            mine = any(text in line for text in (*TRUE, "Ada leads"))
            assert mine or "agent via" in who or "unverified" in who or "system via" in who


def test_what_the_person_said_stands_as_it_was(poisoned: tuple[Commonplace, list[Memory]]) -> None:
    book, true = poisoned
    for memory in true:
        assert book.get(memory.id) == memory


@pytest.mark.parametrize("number", range(len(HARMLESS)))
def test_a_harmless_memory_is_kept_and_found(open_vault: OpenBook, number: int) -> None:
    harmless = HARMLESS[number]
    book = open_vault()
    fields = {name: value for name, value in harmless["fields"].items() if name in FIELDS}
    person = harmless["fields"].get("source") == "person"
    saved = (as_person(book) if person else book).save(harmless["text"], **fields)
    assert saved.memory.status in LIVE
    assert saved.memory.content == harmless["text"]
    words = " ".join(harmless["text"].split()[:8])
    assert saved.memory.id in [hit.memory.id for hit in book.recall(words)]
    if person and (fields.get("always_load") or fields.get("tier") in ("identity", "critical")):
        assert said(harmless["text"]) in book.session_start().text
