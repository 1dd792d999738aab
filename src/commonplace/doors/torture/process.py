"""Writers as processes: started, listened to, and killed at a random moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from .writer import Plan

    Line = dict[str, Any]

STUCK_S = 180.0
"""A writer that takes longer than this for a round waits for something that never comes."""


class Kill(Value):
    """When a writer is killed from outside: after so many answers, and a share of one more."""

    answers: int
    share: float


class WriterOutput(Value):
    """The output of a writer that has ended."""

    name: str
    lines: tuple[Line, ...]
    killed: int
    """How many of its lives ended by a kill."""
    broken: str
    """A sentence if it ended otherwise than it may; its own errors are none."""


def run_writers(plans: Sequence[tuple[Plan, Kill | None]]) -> list[WriterOutput]:
    """Run writers at the same time until all have ended."""
    with ThreadPoolExecutor(len(plans)) as threads:
        return [one.result() for one in [threads.submit(run_writer, *plan) for plan in plans]]


def run_writer(
    plan: Plan, kill: Kill | None, pause: Callable[[list[Line]], bool] | None = None
) -> WriterOutput:
    """Run a writer until it has ended.

    One that waits after each of its lives, or is frozen, goes on if `pause` says so. That is given
    the lines so far, and may take them out.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(  # noqa: S603 (our own program)
            [sys.executable, "-m", f"{__package__}.writer", json.dumps(plan.__dict__)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment(),
            start_new_session=True,
        )  # fmt: skip
        watch = threading.Timer(STUCK_S, partial(_kill, process))
        watch.start()
        lines: list[Line] = []
        deaths = 0
        try:
            for line in _listen(process, kill):
                lines.append(line)
                deaths += "died" in line
                if pause is not None and ("died" in line or "frozen" in line):
                    _answer(process) if pause(lines) else _kill(process)
        finally:
            code = process.wait()
            stuck = not watch.is_alive()
            watch.cancel()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
    broken = f"A writer was stuck for {STUCK_S:.0f} s." if stuck else ""
    if not broken:
        broken = next((line["broken"] for line in lines if "broken" in line), "")
    if not broken and (said or code > 0):
        broken = f"A writer ended with code {code}: {said[-2000:]}"
    return WriterOutput(plan.name, tuple(lines), (code < 0) + deaths, broken)


def _listen(process: subprocess.Popen[bytes], kill: Kill | None) -> Iterator[Line]:
    """Every line of a process; it is killed while it makes the change after some answers."""
    answers, began = 0, 0.0
    for line in process.stdout or ():
        told = json.loads(line)
        yield told
        if "done" in told:
            answers += 1
            took, began = time.monotonic() - began, time.monotonic()
            if kill is not None and answers == kill.answers:
                # A share of what the last change took, so that a slow machine is killed inside it.
                time.sleep(kill.share * min(took, 5.0))
                _kill(process)


def _answer(process: subprocess.Popen[bytes]) -> None:
    """Let a writer that waits begin its next life."""
    if process.stdin is not None:
        with suppress(BrokenPipeError):
            process.stdin.write(b"\n")
            process.stdin.flush()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a writer with the life that it has begun."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def environment() -> dict[str, str]:
    """The environment of a writer: nothing of the person's own book."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COMMONPLACE")}
