"""A task killed at any moment goes on with everything it had acknowledged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import commonplace
from commonplace import Settings
from tests.valkey import started, url_of

PLAN = [f"Move table {number}" for number in range(1, 13)]
WORKER = f"""
import sys, commonplace
from commonplace import Settings
settings = Settings(state=sys.argv[2], embedder="none", sessions=sys.argv[3])
book = commonplace.open(sys.argv[1], settings=settings, context={{"project": "shop"}})
task = book.task("Migrate", plan={PLAN!r}, constraints=["Keep the keys"], id="move")
for number in range(1, 1000):
    task.before_model_call("Go on")
    weight = 0.8 if number % 3 == 0 else 0.5
    task.observe(f"Table {{number}} has {{number}}00 rows", importance=weight)
    print("observed", number, flush=True)
    task.turn_end("done", advance=number < 12)
    print("ended", number, flush=True)
"""


@pytest.fixture(params=["local", "redis"])
def sessions(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "local":
        yield "local"
        return
    server = started(tmp_path / "valkey")
    yield url_of(server)
    server.terminate()


@pytest.mark.parametrize("lines", [1, 4, 9])
def test_killed_task_goes_on_with_all_it_acknowledged(
    tmp_path: Path, sessions: str, lines: int
) -> None:
    url, state = f"vault:{tmp_path / 'book'}", str(tmp_path / "state")
    told: list[str] = []
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, url, state, sessions], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            told.append(line.strip())
            if len(told) == lines:
                os.kill(process.pid, signal.SIGKILL)
    observed = max(int(line.split()[1]) for line in told if line.startswith("observed"))
    ended = max([0, *(int(line.split()[1]) for line in told if line.startswith("ended"))])
    settings = Settings(state=state, embedder="none", sessions=sessions)
    with commonplace.open(url, settings=settings, context={"project": "shop"}) as book:
        task = book.task(resume="move")
        assert task.working.goal == "Migrate"
        assert task.working.plan == tuple(PLAN)
        assert task.working.constraints == ("Keep the keys",)
        assert task.working.step >= min(ended, 11)
        for number in range(1, observed + 1):
            wanted = f"Table {number} has {number}00 rows"
            assert any(entry.content == wanted for entry in task.search(wanted, limit=20)), number
        seen = [one.text for one in task.working.observations]
        assert f"Table {observed} has {observed}00 rows" in seen
        assert "Keep the keys" in task.before_model_call("Go on")
        done = task.complete("Moved.")
        important = {saved.memory.content for saved in done.promoted}
        assert {f"Table {n} has {n}00 rows" for n in range(3, observed + 1, 3)} <= important


def test_server_gone_in_mid_task_costs_nothing(tmp_path: Path) -> None:
    server = started(tmp_path / "valkey")
    settings = Settings(state=str(tmp_path / "state"), embedder="none", sessions=url_of(server))
    with commonplace.open(f"vault:{tmp_path / 'book'}", settings=settings) as book:
        task = book.task("Go on", plan=["One", "Two"], constraints=["Keep the keys"])
        task.observe("Seen with the server")
        server.terminate()
        task.observe("Seen without the server", importance=0.9)
        task.turn_end("done", advance=True)
        assert "Keep the keys" in task.before_model_call("And now?")
        assert "out of reach" in book.status().sessions
        server.start()
        time.sleep(1.1)  # The server is left alone for a second after it failed to answer.
        assert "out of reach" not in book.status().sessions
    with commonplace.open(f"vault:{tmp_path / 'book'}", settings=settings) as book:
        again = book.task(resume=task.id)
        assert again.working == task.working
        seen = {entry.content for entry in again.search("seen server")}
        assert seen == {"Seen with the server", "Seen without the server"}
        assert again.complete().promoted[0].memory.content == "Seen without the server"
    server.terminate()
