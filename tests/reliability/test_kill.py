"""Processes killed at random lose no acknowledged save."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commonplace.books.open import open_book
from commonplace.settings import Settings

WORKERS, SAVES, SECONDS = 4, 60, 60
SAVER = Path(__file__).parent / "saver.py"


@pytest.mark.parametrize("store", ["vault", "sqlite"])
def test_every_acknowledged_save_survives_sigkill_exactly_once(store: str, tmp_path: Path) -> None:
    url, state = f"{store}:{tmp_path / 'book'}", str(tmp_path / "state")
    kills, errors = run_and_kill(
        url, state, tmp_path, workers=WORKERS, saves=SAVES, seconds=SECONDS
    )
    assert errors == ""
    assert kills > 0
    assert check(url, state, tmp_path, workers=WORKERS, saves=SAVES) == WORKERS * SAVES


def run_and_kill(
    url: str,
    state: str,
    folder: Path,
    *,
    workers: int,
    saves: int,
    seconds: float,
    steady: bool = False,
) -> tuple[int, str]:
    """Run savers and kill one at random, again and again; says how often, and what they wrote.

    A killed saver goes on where it was. `steady` gives those that are done more to save, so that
    the killing lasts for the whole time.
    """
    chance = random.Random(7)
    deadline = time.monotonic() + seconds
    wanted = dict.fromkeys(map(str, range(workers)), saves)
    running = {name: start(url, state, folder, name, saves) for name in wanted}
    kills, errors = 0, ""
    while running:
        time.sleep(chance.uniform(0.02, 0.3))
        name = chance.choice(sorted(running))
        process, over = running[name], time.monotonic() >= deadline
        if process.poll() is None:
            if over or chance.random() < 0.5:
                continue
            process.kill()
            kills += 1
        errors += process.communicate()[1].decode()
        if process.returncode == 0 and steady and not over:
            wanted[name] += saves
        if process.returncode != 0 or (steady and not over):
            running[name] = start(url, state, folder, name, wanted[name])
        else:
            del running[name]
    return kills, errors


def start(url: str, state: str, folder: Path, name: str, saves: int) -> subprocess.Popen[bytes]:
    """One saver, as its own process."""
    log = str(folder / f"acknowledged-{name}")
    command = [sys.executable, str(SAVER), url, state, log, name, str(saves)]
    return subprocess.Popen(command, stderr=subprocess.PIPE)


def check(url: str, state: str, folder: Path, *, workers: int, saves: int | None) -> int:
    """Every acknowledged save is there, exactly once, under the id that was promised."""
    total = 0
    with open_book(url, settings=Settings(state=state, embedder="none")) as book:
        for name in map(str, range(workers)):
            lines = (folder / f"acknowledged-{name}").read_text().splitlines()
            promised = [line.split() for line in lines]
            assert [int(number) for number, _ in promised] == list(range(saves or len(lines)))
            mine, contents = book.as_context({"user": name}), list[str]()
            while page := mine.list(limit=1000, offset=len(contents), include_archive=True):
                contents += [memory.content for memory in page]
            assert len(contents) == len(set(contents)) == len(promised)
            for number, id in promised:
                assert book.get(id).content == f"worker {name} remembers item {number}"
            total += len(promised)
        assert book.audit_verify().sound
        assert [problem for problem in book.doctor() if problem.severity == "error"] == []
    torn = [path for path in folder.rglob("*.md") if not path.read_bytes().startswith(b"---\n")]
    assert torn == [path for path in torn if path.name == "_index.md"]
    return total


DIES_BEFORE_IT_RECORDS = """
import os, signal, sys
from commonplace.books.open import open_book
from commonplace.settings import Settings
from commonplace.backends.vault.manifest import Manifest
Manifest.record = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
open_book(sys.argv[1], settings=Settings(state=sys.argv[2], embedder="none")).save(sys.argv[3])
"""


def test_a_note_whose_writer_died_before_recording_it_is_not_written_again(tmp_path: Path) -> None:
    url, state, text = f"vault:{tmp_path / 'book'}", str(tmp_path / "state"), "Lunch is at noon"
    with open_book(url, settings=Settings(state=state, embedder="none")) as book:
        book.save("The book was used before")
    command = [sys.executable, "-c", DIES_BEFORE_IT_RECORDS, url, state, text]
    assert subprocess.run(command, check=False).returncode == -9
    assert len(list((tmp_path / "book").rglob("lunch*.md"))) == 1
    with open_book(url, settings=Settings(state=state, embedder="none")) as book:
        assert book.save(text).action == "deduplicated"
        assert [hit.memory.content for hit in book.recall("lunch")] == [text]
    assert len(list((tmp_path / "book").rglob("lunch*.md"))) == 1
