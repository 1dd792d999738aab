"""`commonplace serve` as a process of its own, over a book that the test holds open too."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.doors.server.sockets import port_socket
from commonplace.settings import Settings


def chromium() -> str:
    """Where Chromium is; `make chromium` puts it there."""
    # Without a window of its own a page takes half the time.
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    found = next((where for where in map(shutil.which, names) if where), None)
    assert found, "the panel's tests need Chromium: make chromium"
    return found


class Panel:
    """A served book."""

    def __init__(self, room: Path, *, folder: Path | None = None) -> None:
        self._room = room
        self._folder = folder or room
        """Where the server is started: in no repository, unless a test says so."""
        self.vault = room / "book"
        settings = Settings(state=str(room / "state"), embedder="none")
        self.book: Commonplace = open_book(
            f"vault:{room / 'book'}", settings=settings, background=False, source="mcp"
        )
        with port_socket("127.0.0.1", 0) as taken:
            self.port: int = taken.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        environ = {
            **os.environ,
            "COMMONPLACE_URL": f"vault:{self._room / 'book'}",
            "COMMONPLACE_STATE": str(self._room / "state"),
            "COMMONPLACE_CONFIG": str(self._room / "config.yaml"),
            "COMMONPLACE_EMBEDDER": "none",
        }
        environ.pop("PYTEST_CURRENT_TEST", None)
        serve = [sys.executable, "-m", "commonplace", "serve", "--port", str(self.port), "--json"]
        with (self._room / "server.log").open("a") as log:
            self._process = subprocess.Popen(
                serve, env=environ, cwd=self._folder, stdout=log, stderr=log, text=True
            )
        while self._process.poll() is None:
            try:
                assert httpx.get(f"{self.url}/health").status_code == 200
                return
            except httpx.TransportError:
                time.sleep(0.1)
        raise AssertionError((self._room / "server.log").read_text())

    def stop(self) -> None:
        """End the server as its person would."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
            self._process = None

    @property
    def key(self) -> str:
        """What the owner of the book can read in its state folder."""
        return json.loads((self._room / "state" / "server.json").read_text())["token"]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self.book.close()
