"""A save killed between its audit events and its records is not shown as done."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commonplace import Commonplace, Refused
from commonplace.books.open import open_book
from commonplace.settings import Settings
from tests import as_person

DIES_BEFORE_IT_WRITES = """
import os, signal, sys
from commonplace.books.open import get_engine, open_book
from commonplace.settings import Settings
book = open_book(
    sys.argv[1], settings=Settings(state=sys.argv[2], embedder="none"), source=sys.argv[4]
)
engine = get_engine(book)
type(engine.store).write = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
book.save(sys.argv[3])
"""
KEPT, REPLACED = "The bakery opens at seven", "The deploy branch is main"
LOST = ("The lift is being mended", "The deploy branch is release")
LONG_AGO = datetime.now(UTC) - timedelta(days=30)


@pytest.fixture(params=["vault", "sqlite"])
def killed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Commonplace]:
    url, state = f"{request.param}:{tmp_path / 'book'}", str(tmp_path / "state")
    with opened(url, state) as book:
        book.save(KEPT)
        book.save(REPLACED)
    for text in LOST:
        command = [sys.executable, "-c", DIES_BEFORE_IT_WRITES, url, state, text, "person"]
        assert subprocess.run(command, check=False).returncode == -9
    with opened(url, state) as book:
        yield book


def opened(url: str, state: str) -> Commonplace:
    chosen = Settings(state=state, embedder="none")
    return open_book(url, settings=chosen, source="person", background=False)


def test_what_was_never_written_is_neither_listed_nor_undone(killed: Commonplace) -> None:
    events = killed._engine.ledger.events(visible=killed._engine.visible)  # pyright: ignore[reportPrivateUsage]
    created = [one for one in events if one.action == "created"]
    assert len(created) >= 3, "the killed saves left their events"
    changes = killed.changes(LONG_AGO, owners=("curated", "agent"))
    assert {one.memory.content for one in changes if one.memory} == {KEPT, REPLACED}
    assert all(one.memory is not None for one in changes)
    assert all(one.event.action == "created" for one in changes), "nothing was replaced"
    ghosts = {one.id for one in events} - {one.event.id for one in changes}
    for id in ghosts:
        with pytest.raises(Refused, match="abandoned before it was written"):
            killed.revert(id)


def test_the_audit_log_marks_it_and_the_book_is_sound(killed: Commonplace) -> None:
    log = killed.audit()
    over = {of for one in log if one.action == "abandoned" for of in one.related}
    done = [one for one in log if one.id not in over and one.action != "abandoned"]
    assert len(over) >= 2
    assert len(done) == 2
    assert killed.audit() == log, "it is marked once"
    assert killed.audit_verify().sound
    assert [one for one in killed.doctor() if one.severity == "error"] == []
    saved = killed.save(LOST[0])
    assert saved.action == "created"
    assert saved.id in {one.memory for one in killed.audit()}


def test_a_sync_counts_it_as_repaired(killed: Commonplace) -> None:
    assert killed.sync().repaired >= 2
    assert killed.sync().repaired == 0


def test_a_note_removed_by_hand_keeps_its_events(tmp_path: Path) -> None:
    with opened(f"vault:{tmp_path / 'book'}", str(tmp_path / "state")) as book:
        saved = book.save(KEPT)
        next((tmp_path / "book").rglob("the-bakery*.md")).unlink()
        assert [one.action for one in book.audit()] == ["created"]
        assert [one.event.memory for one in book.changes(LONG_AGO)] == [saved.id]


def test_events_of_another_device_wait_for_its_notes(tmp_path: Path) -> None:
    url = f"vault:{tmp_path / 'book'}"
    with opened(url, str(tmp_path / "laptop")) as laptop:
        laptop.save(KEPT)
    note = next((tmp_path / "book").rglob("the-bakery*.md"))
    text = note.read_text()
    note.unlink()
    with opened(url, str(tmp_path / "desktop")) as desktop:
        assert [one.action for one in as_person(desktop).audit()] == ["created"]
        note.write_text(text)
        assert [one.action for one in desktop.audit()] == ["created"]
