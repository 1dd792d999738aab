"""Torture finds faults: each named mutant of the write path is caught by the fault it fears."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.reliability.generated_mutants import (
    EQUIVALENT,
    UNREACHED,
    caught_by,
    equivalent,
    mutants,
)

from commonplace import Commonplace
from commonplace.backends.common.lease import SqliteLeases
from commonplace.books.open import open_book
from commonplace.doors.torture.writer import act
from commonplace.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

MUTATED = Path(__file__).parent / "mutated"
CAUGHT_BY = {
    "no_sync_of_notes": "power cut",
    "no_sync_of_folders": "power cut",
    "no_sync_of_events": "power cut",
    "disk_full_is_swallowed": "disk full",
    "torn_event_line_stays": "power cut",
    "notes_are_overwritten_in_place": "writers killed",
    "temporary_files_are_notes": "writers killed",
    "old_note_goes_first": "writers killed",
    "acknowledged_before_written": "writers killed",
    "last_record_is_dropped": "writers killed",
    "retired_notes_are_deleted": "writers killed",
    "record_before_its_event": "writers killed",
    "index_before_the_record": "writers killed",
    "lease_is_released_early": "writers at once",
    "index_is_never_rebuilt": "index damaged",
    "files_are_never_looked_at": "devices synced",
    "conflict_copies_are_ignored": "devices synced",
    "conflict_copies_are_removed": "devices synced",
}
ROUNDS = 40
"""More than any mutant needs; a torture stops with the first loss."""


@pytest.mark.parametrize("mutant", CAUGHT_BY)
def test_a_mutant_of_the_write_path_is_caught(mutant: str, tmp_path: Path) -> None:
    code, told = tortured(tmp_path / "books", mutant, CAUGHT_BY[mutant])
    assert code == 1, told
    assert told["lost"] > 0


def test_every_mutant_is_tried() -> None:
    listed = subprocess.run(
        [sys.executable, "-c", "import mutants; print(*mutants.MUTANTS)"],
        env={"PYTHONPATH": str(MUTATED.parent)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert sorted(listed.stdout.split()) == sorted(CAUGHT_BY)


GENERATED = {
    "files.sync_folder: without `os.fsync(file)`": "power cut",
    "commit.commit: without `engine.ledger.append(events)`": "writers killed",
    "event_files._write: without `raise OSError(28, 'No space left on device')`": "disk full",
    "lease.guard: `yield` before `lease.check()`": "writer frozen",
    "writer._remove: `if erasing` always true": "power cut",
    "writer._remember: `if is_attachment(path)` always false": "edited by hand",
    "writer.write: `self._require_vault()` before `self._remove(gone, erasing=erasing)`":
        "unplugged",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_mutant_of_the_write_path_is_caught(name: str) -> None:
    (mutant,) = [one for one in mutants() if one.name == name]
    assert caught_by(mutant, rounds=5, seed=1, only=[GENERATED[name]])


def test_a_generated_mutant_is_a_program_and_its_name_is_its_own() -> None:
    found = mutants()
    for one in found:
        compile(one.source, one.name, "exec")
    assert len({one.source for one in found}) == len({one.name for one in found}) == len(found)
    assert set(EQUIVALENT) <= {one.name for one in found}


def test_a_part_that_no_verb_reaches_is_one_of_some_mutants() -> None:
    names = [one.name for one in mutants()]
    unreached = [one for one in names if equivalent(one) and one not in EQUIVALENT]
    assert {one.partition(": ")[0] for one in unreached} == set(UNREACHED)
    assert "lease.hold: without `yield lease`" not in unreached
    assert not [one for one in unreached if one.endswith("always true")]


def test_no_verb_takes_a_lease_that_its_thread_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the part of `hold` for such a lease cannot be missed by whoever uses a book."""
    held: list[str] = []
    taken: list[str] = []
    hold = SqliteLeases.hold

    @contextmanager
    def watched(self: SqliteLeases, name: str = "write", wait_s: float = 10.0) -> Iterator[object]:
        assert name not in held, f"taken twice: {name}"
        held.append(name)
        taken.append(name)
        try:
            with hold(self, name, wait_s) as lease:
                yield lease
        finally:
            held.remove(name)

    monkeypatch.setattr(SqliteLeases, "hold", watched)
    chosen = Settings(state=str(tmp_path / "state"), embedder="none")
    url = f"vault:{tmp_path / 'book'}"
    with open_book(url, settings=chosen, source="person", background=False) as book:
        make_every_change(book)
    with open_book(url, settings=chosen, source="mcp", background=False) as book:
        book.save("An agent says that the kettle is blue")
        book.sync(quiet_s=0)
    assert {"write", "maintain"} <= set(taken)


def make_every_change(book: Commonplace) -> None:
    ids = [act(book, {"act": "save", "tag": f"{number}-plain"}) for number in range(6)]
    act(book, {"act": "save", "tag": "large-large"})
    act(book, {"act": "same", "tag": "0-plain"})
    newer = act(book, {"act": "correct", "of": ids[0], "tag": "6-plain"})
    act(book, {"act": "correct", "of": newer, "tag": "7-plain"})
    act(book, {"act": "forget", "of": ids[1]})
    book.restore(ids[1])
    act(book, {"act": "purge", "of": ids[2]})
    for value in ("short", "plain"):
        act(book, {"act": "fact", "key": "editor", "tag": f"8-{value}"})
    of_project = act(book, {"act": "save", "tag": "9-plain", "scope": "/project/kettle"})
    book.promote(of_project, "/")
    book.edit(ids[4], tags=["tea"])
    book.revert(ids[4])
    book.maintain()
    book.sync(rebuild=True)


def tortured(folder: Path, mutant: str, fault: str) -> tuple[int, dict[str, int]]:
    command = [
        sys.executable, "-m", "commonplace", "torture", str(folder), "--only", fault,
        "--rounds", str(ROUNDS), "--seed", "1", "--json",
    ]  # fmt: skip
    environ = {**os.environ, "MUTANT": mutant, "PYTHONPATH": str(MUTATED)}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)
