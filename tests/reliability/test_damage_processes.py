"""Damaged files of a book, used by commands that are processes of their own.

Every damage meets every command, each time on another eighth of the files; `test_damage` goes
through all of them in one process.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import ROOT
from tests.reliability.damages import DAMAGES, NEW, QUESTIONS, TEXTS, DamagedBook

PROMPT = {
    "session_id": "other", "hook_event_name": "UserPromptSubmit", "prompt": QUESTIONS[0],
    "cwd": "/tmp",
}  # fmt: skip
PARTS = 8
COMMANDS = {
    "recall": ["recall", QUESTIONS[0]],
    "list": ["list", "--json"],
    "save": ["save", NEW],
    "doctor": ["doctor", "--json"],
    "hook": ["hook", "claude"],
}


@pytest.fixture(scope="module", params=["vault", "sqlite"])
def damaged(request: pytest.FixtureRequest) -> Iterator[DamagedBook]:
    place = Path(tempfile.mkdtemp(prefix="damage-"))
    yield DamagedBook(place, request.param)
    shutil.rmtree(place)


def run(damaged: DamagedBook, *arguments: str) -> subprocess.CompletedProcess[str]:
    # A hook that has to build the index anew is given the time for it.
    environ = {**damaged.environ, "COMMONPLACE_HOOK_SECONDS": "20"}
    return subprocess.run(
        [sys.executable, "-m", "commonplace", *arguments],
        cwd=ROOT, env=environ, input=json.dumps(PROMPT), capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("first", COMMANDS)
def test_a_command_on_a_damaged_book_ends_well(
    damaged: DamagedBook, first: str, damage: str
) -> None:
    part = (list(DAMAGES).index(damage) + list(COMMANDS).index(first)) % PARTS
    for name in damaged.files()[part::PARTS]:
        damaged.damage(name, damage)
        done = run(damaged, *COMMANDS[first])
        where = f"{name}: {done.stdout} {done.stderr}"
        assert "Traceback" not in done.stdout + done.stderr, where
        if damaged.is_truth(name):
            continue
        assert done.returncode == 0 or first == "doctor", where
        with damaged.open() as book:
            assert TEXTS[0] in [hit.memory.content for hit in book.recall(QUESTIONS[0])], where
            if first == "save":
                assert NEW in [one.content for one in book.list(limit=100)], where


@pytest.mark.parametrize("name", ["index.db", "ledger.db", "vault.db"])
def test_processes_that_notice_the_same_damage_do_not_fight(name: str) -> None:
    place = Path(tempfile.mkdtemp(prefix="damage-"))
    damaged = DamagedBook(place, "vault")
    (path,) = [one for one in damaged.files() if one.endswith(f"/{name}")]
    damaged.damage(path, "first page zeroed")
    texts = [f"The door of room {number} is painted in colour {number * 7}." for number in range(6)]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "commonplace", "save", text],
            cwd=ROOT, env=damaged.environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
        )
        for text in texts
    ]  # fmt: skip
    said = [one.communicate(timeout=120)[0] for one in running]
    assert [one.returncode for one in running] == [0] * len(texts), said
    with damaged.open() as book:
        assert {one.content for one in book.list(limit=100)} >= {*texts, *TEXTS}
    kept = list((damaged.home / path).parent.glob("*.damaged-*"))
    assert len(kept) == (name == "ledger.db")
    shutil.rmtree(place)
