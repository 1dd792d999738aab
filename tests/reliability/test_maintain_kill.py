"""Maintenance killed at any step is finished by the next run, with the same result."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.model.memory import STATUSES
from tests.reliability.tidier import BEGIN, TONIGHT, open_at

TIDIER = Path(__file__).parent / "tidier.py"
SUMMARIES = ("Moved the invoices", "Wrote the tour", "Fixed Ada's login")


def fill(book: Commonplace) -> None:
    """Memories that every maintenance step changes."""
    for value in ("red", "green", "blue", "teal", "grey", "pink", "gold"):
        book.fact_store("colour", value, scope="/project/paint")
    book.save("The launch event is on Tuesday", expires=BEGIN + timedelta(days=3))
    book.save("Ben listens to jazz while coding", kind="preference")
    for project in ("a", "b", "c"):
        book.save("Always pin the versions of build tools", scope=f"/project/{project}")
    for done in SUMMARIES:
        text = f"{done} all afternoon. The staging database is reset on Sundays at night."
        book.save(text, kind="session-summary")
    guess = book.save("The nightly job may read the replica", confidence=0.4)
    book.edit(guess.id, confidence=0.2)
    book.save("Deploys go through the blue pipeline")


def by_hand(folder: Path) -> None:
    """Notes written past the gates of `save`: copies, near copies, a contradiction."""
    for name, text in {
        "tea-1": "Ada drinks green tea every morning before standup",
        "tea-2": "Ada drinks green tea every morning before standup",
        "door-1": "The office door code changes monthly",
        "door-2": "The office door code changes monthly on the keypad",
        "door-3": "The office door code changes monthly on the small keypad",
        "port-1": "The staging server listens on port 8080",
        "port-2": "The staging server listens on port 9090",
    }.items():
        note = folder / f"{name}.md"
        note.write_text(f"{text}\n", encoding="utf-8")
        os.utime(note, (BEGIN.timestamp(), BEGIN.timestamp()))


def state_of(url: str, state: str) -> list[tuple[object, ...]]:
    """All memories of the book, without the times of their changes."""
    with open_at(url, state, TONIGHT + timedelta(days=1)) as book:
        assert book.audit_verify().sound
        everything = book.list(statuses=STATUSES, limit=1_000)
    return sorted(
        (
            memory.id, memory.content, memory.status, memory.always_load, memory.kind,
            str(memory.scope), memory.supersedes or "", memory.superseded_by or "",
            memory.derived_from, memory.tags, memory.confidence,
        )
        for memory in everything
    )  # fmt: skip


def tidy(url: str, state: str, boundary: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TIDIER), url, state, str(boundary)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("store", ["vault", "sqlite"])
def test_a_run_killed_at_any_boundary_and_run_again_ends_like_a_clean_one(
    store: str, tmp_path: Path
) -> None:
    here, kept = tmp_path / "here", tmp_path / "kept"
    place = here / ("book" if store == "vault" else "book.db")
    url, state = f"{store}:{place}", str(here / "state")
    with open_at(url, state, BEGIN) as book:
        fill(book)
    if store == "vault":
        by_hand(place / "system" / "memory" / "insight")
    with open_at(url, state, TONIGHT - timedelta(hours=1)) as book:
        for _ in range(8):
            book.recall("which pipeline do deploys go through", limit=1)
    shutil.copytree(here, kept)

    clean = tidy(url, state, boundary=-1)
    assert clean.returncode == 0, clean.stderr
    boundaries = int(clean.stdout)
    assert boundaries >= (10 if store == "vault" else 8)
    expected = state_of(url, state)
    for boundary in range(boundaries):
        shutil.rmtree(here)
        shutil.copytree(kept, here)
        assert tidy(url, state, boundary).returncode == -signal.SIGKILL
        with open_at(url, state, TONIGHT) as book:
            assert book.maintain().ran
        assert state_of(url, state) == expected, f"killed at boundary {boundary}"
