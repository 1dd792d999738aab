"""Torture finds faults: each named mutant of the write path is caught by the fault it fears."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.reliability.generated_mutants import EQUIVALENT, caught_by, mutants

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
}


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


def tortured(folder: Path, mutant: str, fault: str) -> tuple[int, dict[str, int]]:
    command = [
        sys.executable, "-m", "commonplace", "torture", str(folder), "--only", fault,
        "--rounds", str(ROUNDS), "--seed", "1", "--json",
    ]  # fmt: skip
    environ = {**os.environ, "MUTANT": mutant, "PYTHONPATH": str(MUTATED)}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)
