"""Servers as machines of their own: real processes, each with its own state folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx


class Machine:
    """One `commonplace serve` over a book that others serve, too."""

    def __init__(self, url: str, home: Path, *options: str, **environ: str) -> None:
        self.home = home
        self.environ = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "COMMONPLACE_URL": url,
            "COMMONPLACE_STATE": str(home / "state"),
            "COMMONPLACE_CONFIG": str(home / "config.yaml"),
            "COMMONPLACE_EMBEDDER": "none",
            **environ,
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "commonplace", "serve", "--port=0", "--json", *options],
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def begun(self) -> Machine:
        """The same, once it listens: others may have begun meanwhile."""
        assert self.process.stdout is not None
        said = line = ""
        while line != "}\n":
            line = self.process.stdout.readline()
            assert line, self.process.communicate()[1]
            said += line
        assert "error" not in said, said
        self.said = json.loads(said)
        self.url = self.said["url"]
        known = json.loads((self.home / "state" / "server.json").read_text())
        self.key = known["token"]
        return self

    @contextmanager
    def http(self, token: str | None = None) -> Iterator[httpx.Client]:
        """A client that shows a token; the owner's own by default."""
        headers = {"authorization": f"Bearer {token or self.key}"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=60) as client:
            yield client

    def post(self, verb: str, token: str | None = None, /, **given: Any) -> httpx.Response:
        """Ask for one thing, on a connection of its own."""
        with self.http(token) as client:
            return client.post(f"/v1/{verb}", json=given)

    def readiness(self) -> int:
        """What a proxy would be told."""
        return httpx.get(f"{self.url}/health/ready", timeout=30).status_code

    def stop(self) -> str:
        """Tell it to stop, wait for its end, and hear what it complained of."""
        self.process.send_signal(signal.SIGTERM)
        complaints = self.process.communicate(timeout=60)[1]
        assert self.process.returncode == 0, complaints
        return complaints

    def end(self) -> None:
        """Be rid of it, however it is."""
        self.process.kill()
        self.process.communicate()


@contextmanager
def machines(
    url: str, folder: Path, count: int = 2, *options: str, **environ: str
) -> Iterator[list[Machine]]:
    """Several servers over one book."""
    started: list[Machine] = []
    try:
        for number in range(count):
            home = folder / f"machine-{number}"
            home.mkdir()
            started.append(Machine(url, home, "--no-panel", *options, **environ))
        yield [one.begun() for one in started]
    finally:
        for one in started:
            one.end()
