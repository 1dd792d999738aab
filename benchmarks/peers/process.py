"""The driver's side of an adapter: a process that is asked, measured, and killed."""

from __future__ import annotations

import array
import base64
import contextlib
import json
import math
import os
import re
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commonplace.backends.neural.bundled import BundledEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from .environments import Environment

LIMIT_S = 1_200
"""A command that takes longer is given up."""
TOGETHER = 64
"""Texts embedded at a time."""


class Failed(Exception):
    """An adapter that answered with a failure, or ended."""


class Vectors:
    """Vectors of Commonplace's model by text, each computed once."""

    def __init__(self) -> None:
        self._embedder = BundledEmbedder()
        self._known: dict[str, str] = {}
        self._lock = threading.Lock()

    def of(self, texts: Sequence[str]) -> list[str]:
        """Each text's vector: 384 floats in base64."""
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._known]
            for start in range(0, len(new), TOGETHER):
                batch = new[start : start + TOGETHER]
                for text, vector in zip(batch, self._embedder.embed(batch), strict=True):
                    self._known[text] = base64.b64encode(_floats(vector)).decode()
            return [self._known[text] for text in texts]


def _floats(vector: bytes) -> array.array[float]:
    """A vector of signed bytes as floats of length one."""
    values = array.array("b", vector)
    length = math.sqrt(sum(value * value for value in values)) or 1.0
    return array.array("f", [value / length for value in values])


class AdapterProcess:
    """A running adapter. Leave it as a context to end it; `cpu_s` is known then."""

    def __init__(self, environment: Environment, folder: Path, vectors: Vectors) -> None:
        ours, theirs = socket.socketpair()
        folder.mkdir(parents=True, exist_ok=True)
        self._log = (folder.parent / f"{folder.name}.log").open("ab")
        self.began = time.perf_counter()
        with theirs:
            self._process = subprocess.Popen(
                environment.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=environment.variables(str(theirs.fileno())),
                pass_fds=(theirs.fileno(),),
                cwd=folder,
                process_group=0,  # So that a kill reaches what the adapter started.
            )
        self.cpu_s: float | None = None
        """Processor time of the adapter and its children, once it has ended."""
        threading.Thread(target=_serve_vectors, args=(ours, vectors), daemon=True).start()
        self.ask("open", folder=str(folder))

    def ask(self, do: str, **given: Any) -> Any:
        """Send a command and return what the adapter gives."""
        return self.timed(do, **given)[0]

    def timed(self, do: str, **given: Any) -> tuple[Any, float]:
        """Send a command; what the adapter gives, and its seconds for it."""
        self.send(do, **given)
        assert self._process.stdout
        limit = threading.Timer(LIMIT_S, os.killpg, (self._process.pid, signal.SIGKILL))
        limit.start()
        line = self._process.stdout.readline()
        limit.cancel()
        answer: dict[str, Any] = json.loads(line) if line else {"failed": "The adapter ended."}
        if "failed" in answer:
            raise Failed(f"{do}: {answer['failed']}")
        return answer["given"], answer["wall_s"]

    def send(self, do: str, **given: Any) -> None:
        """Send a command without waiting for the answer."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"do": do, **given}).encode() + b"\n")
        self._process.stdin.flush()

    def peak_mb(self) -> float | None:
        """The most memory that the largest of its processes ever had; None outside Linux."""
        # Not ru_maxrss: a child begins with the peak of the process that started it.
        peaks: list[float] = []
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                group = os.getpgid(int(status.parent.name))
                if group == self._process.pid:
                    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
                    peaks += [int(found[1]) * 1024 / 1e6] if found else []
            except OSError:
                continue  # It ended meanwhile.
        return max(peaks, default=None)

    def kill(self) -> None:
        """End the adapter and what it started, at once."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._wait()

    def _wait(self) -> None:
        if self.cpu_s is None:
            _, status, used = os.wait4(self._process.pid, 0)
            self._process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu_s = used.ru_utime + used.ru_stime
            for pipe in (self._process.stdin, self._process.stdout, self._log):
                assert pipe
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def __enter__(self) -> AdapterProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.cpu_s is None and error is None:
            self.ask("close")
            self._wait()
        elif self.cpu_s is None:
            self.kill()


def _serve_vectors(connection: socket.socket, vectors: Vectors) -> None:
    with connection, connection.makefile("rw", encoding="utf-8") as file:
        for line in file:
            file.write(json.dumps(vectors.of(json.loads(line))) + "\n")
            file.flush()
