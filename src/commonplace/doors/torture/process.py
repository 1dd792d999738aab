"""Writers as processes: started, listened to, and killed at a random moment.

They are forked from one process that has imported everything: starting Python takes longer than
all changes of a writer.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Self

    from .writer import Plan

    Line = dict[str, Any]
    Pause = Callable[[list[Line]], bool]

STUCK_S = 180.0
"""A writer that takes longer than this for a round waits for something that never comes."""
NOT_STARTED = 1
"""The exit code of a writer that could not be forked, because the server had ended."""


class Kill(Value):
    """When a writer is killed from outside: after so many answers, and a share of one more."""

    answers: int
    share: float


class WriterOutput(Value):
    """The output of a writer that has ended."""

    name: str
    lines: tuple[Line, ...]
    killed: int
    """Number of the writer's lives that ended by a kill."""
    broken: str
    """A sentence if it ended otherwise than it may; its own errors are none."""


class WriterProcess:
    """A writer that was forked for a plan. Its status pipe says its number, then its exit code."""

    def __init__(self, server: socket.socket, plan: Plan, errors: int) -> None:
        to_read, self._answers = os.pipe()
        lines, to_write = os.pipe()
        status, to_tell = os.pipe()
        self.stdout = open(lines, "rb")  # noqa: SIM115 (closed by `wait`)
        self._status = open(status, encoding="ascii")  # noqa: SIM115
        theirs = [to_read, to_write, errors, to_tell]
        with suppress(BrokenPipeError):
            socket.send_fds(server, [json.dumps(plan.__dict__).encode()], theirs)
        for file in (to_read, to_write, to_tell):
            os.close(file)
        self._pid = int(self._status.readline() or 0)

    def answer(self) -> None:
        """Let a writer that waits begin its next life."""
        with suppress(BrokenPipeError):
            os.write(self._answers, b"\n")

    def kill(self) -> None:
        """Kill the writer with the life that it has begun."""
        if self._pid:
            with suppress(ProcessLookupError):
                os.killpg(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        """Its exit code, once it has ended."""
        code = int(self._status.readline() or NOT_STARTED)
        self.stdout.close()
        self._status.close()
        os.close(self._answers)
        return code


class WriterServer:
    """The process that every writer of a torture is forked from."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `__exit__`)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 (our own program)
                [sys.executable, "-m", f"{__package__}.writer", str(theirs.fileno())],
                stdin=subprocess.DEVNULL, stderr=self._errors, pass_fds=[theirs.fileno()],
                env=environment(), start_new_session=True,
            )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.wait()
        self._errors.close()

    def run_all(self, plans: Sequence[tuple[Plan, Kill | None]]) -> list[WriterOutput]:
        """Run writers at the same time until all have ended."""
        with ThreadPoolExecutor(len(plans)) as threads:
            return [one.result() for one in [threads.submit(self.run, *plan) for plan in plans]]

    def run(self, plan: Plan, kill: Kill | None, pause: Pause | None = None) -> WriterOutput:
        """Run a writer until it has ended.

        One that waits after each of its lives, or is frozen, goes on if `pause` says so. That is
        given the lines so far, and may take them out.
        """
        with tempfile.TemporaryFile() as errors:
            process = WriterProcess(self._socket, plan, errors.fileno())
            watch = _watching(process)
            lines: list[Line] = []
            deaths = 0
            try:
                for line in _listen(process, kill):
                    lines.append(line)
                    deaths += "died" in line
                    if pause is not None and ("died" in line or "frozen" in line):
                        # A look at the book takes its own time, and the next life has all of its.
                        watch.cancel()
                        try:
                            goes_on = pause(lines)
                        finally:
                            watch = _watching(process)
                        process.answer() if goes_on else process.kill()
            finally:
                code = process.wait()
                stuck = not watch.is_alive()
                watch.cancel()
            said = _text(errors.fileno()) or (_text(self._errors.fileno()) if code > 0 else "")
        broken = f"A writer was stuck for {STUCK_S:.0f} s." if stuck else ""
        if not broken:
            broken = next((line["broken"] for line in lines if "broken" in line), "")
        if not broken and (said or code > 0):
            broken = f"A writer ended with code {code}: {said[-2000:]}"
        return WriterOutput(plan.name, tuple(lines), (code < 0) + deaths, broken)


def _watching(process: WriterProcess) -> threading.Timer:
    """Kill a writer that does nothing for too long."""
    watch = threading.Timer(STUCK_S, process.kill)
    watch.start()
    return watch


def _text(file: int) -> str:
    """Everything that was written to a file."""
    return os.pread(file, os.fstat(file).st_size, 0).decode(errors="replace").strip()


def _listen(process: WriterProcess, kill: Kill | None) -> Iterator[Line]:
    """Every line of a process; it is killed while it makes the change after some answers."""
    answers, began = 0, 0.0
    for line in process.stdout:
        told = json.loads(line)
        yield told
        if "done" in told:
            answers += 1
            took, began = time.monotonic() - began, time.monotonic()
            if kill is not None and answers == kill.answers:
                # A share of what the last change took, so that a slow machine is killed inside it.
                time.sleep(kill.share * min(took, 5.0))
                process.kill()


def environment() -> dict[str, str]:
    """The environment of a writer: nothing of the person's own book."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COMMONPLACE")}
