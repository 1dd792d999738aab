"""Processes killed at random lose nothing they were promised."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commonplace.assemble import open_book
from commonplace.settings import Settings

WORKERS, SAVES, SECONDS = 4, 60, 60
SAVER = Path(__file__).parent / "saver.py"


@pytest.mark.parametrize("store", ["vault", "sqlite"])
def test_every_acknowledged_save_survives_sigkill_exactly_once(store: str, tmp_path: Path) -> None:
    url, state = f"{store}:{tmp_path / 'book'}", str(tmp_path / "state")
    errors = run_and_kill(url, state, tmp_path, workers=WORKERS, saves=SAVES, seconds=SECONDS)
    assert errors == ""
    check(url, state, tmp_path, workers=WORKERS, saves=SAVES)


def run_and_kill(
    url: str, state: str, folder: Path, *, workers: int, saves: int, seconds: float
) -> str:
    """Run savers, kill one at random again and again, restart it until all are done."""
    chance = random.Random(7)
    deadline = time.monotonic() + seconds
    running = {name: start(url, state, folder, name, saves) for name in map(str, range(workers))}
    errors = ""
    while running:
        time.sleep(chance.uniform(0.02, 0.3))
        name = chance.choice(sorted(running))
        process = running[name]
        if process.poll() is None and time.monotonic() < deadline and chance.random() < 0.5:
            process.kill()
            process.wait()
            process.stderr and process.stderr.close()
            running[name] = start(url, state, folder, name, saves)
        elif process.poll() is not None or time.monotonic() >= deadline:
            errors += process.communicate()[1].decode()
            del running[name]
    return errors


def start(url: str, state: str, folder: Path, name: str, saves: int) -> subprocess.Popen[bytes]:
    """One saver, as its own process."""
    log = str(folder / f"acknowledged-{name}")
    command = [sys.executable, str(SAVER), url, state, log, name, str(saves)]
    return subprocess.Popen(command, stderr=subprocess.PIPE)


def check(url: str, state: str, folder: Path, *, workers: int, saves: int) -> None:
    """Every acknowledged save is there, exactly once, under the id that was promised."""
    with open_book(url, settings=Settings(state=state, embedder="none")) as book:
        for name in map(str, range(workers)):
            mine = book.as_context({"user": name})
            pages = [
                mine.list(limit=1000, offset=n, include_archive=True)
                for n in range(0, saves + 1000, 1000)
            ]
            contents = [memory.content for page in pages for memory in page]
            assert len(contents) == len(set(contents)) == saves
            promised = [
                line.split() for line in (folder / f"acknowledged-{name}").read_text().splitlines()
            ]
            assert [int(number) for number, _ in promised] == list(range(saves))
            for number, id in promised:
                assert book.get(id).content == f"worker {name} remembers item {number}"
        assert book.audit_verify().sound
        assert [p for p in book.doctor() if p.severity == "error"] == []
    torn = [path for path in folder.rglob("*.md") if not path.read_bytes().startswith(b"---\n")]
    assert torn == [path for path in torn if path.name == "_index.md"]
