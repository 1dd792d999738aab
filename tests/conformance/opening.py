"""Opens backends by their registered name, in this process or for a script in another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from commonplace import registry
from commonplace.books.parts import BookParts
from commonplace.settings import Settings
from tests import ROOT

PROJECT = ROOT


class Opener:
    """Opens the same book again and again, and closes all of it at the end."""

    def __init__(self, scheme: str, place: Path) -> None:
        self.scheme = scheme
        self.place = place
        self._opened: list[BookParts] = []

    def open(self, *, state: str = "state", keep: int = 10_000) -> BookParts:
        """Open the book; another `state` is what another device would have."""
        settings = Settings(state=str(self.place / state), retrieval_log=keep)
        parts: BookParts = registry.find(self.scheme)(self.address(), settings, True)
        self._opened.append(parts)
        return parts

    def address(self) -> str:
        """Where the book is, as a URL says it after its scheme."""
        if self.scheme != "postgresql":
            return str(self.place / "book")
        from tests.backends.postgres import server

        return server.made(self.place / "book").partition(":")[2]

    def run(self, script: str, *arguments: object) -> subprocess.Popen[str]:
        """Start a process that gets the book as `parts` and the arguments as `arguments`."""
        return subprocess.Popen(
            [
                sys.executable,
                "-c",
                _PRELUDE + script,
                self.scheme,
                self.place,
                *map(str, arguments),
            ],
            cwd=PROJECT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def everything_on_disk(self) -> bytes:
        """The bytes of every file of the book and of its state, or of its tables on a server."""
        files = [path.read_bytes() for path in sorted(self.place.rglob("*")) if path.is_file()]
        if self.scheme == "postgresql":
            from tests.backends.postgres import server

            files.append(server.rows(self.place / "book"))
        return b"\0".join(files)

    def close(self) -> None:
        """Close whatever is still open."""
        for parts in self._opened:
            parts.store.close()
            parts.index.close()
            parts.ledger.close()
        if self.scheme == "postgresql":
            from tests.backends.postgres import server

            server.give_back(self.place / "book")


def finish(*processes: subprocess.Popen[str]) -> list[str]:
    """What the processes printed, once all of them have ended well."""
    outcomes = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), outcomes
    return [out.strip() for out, _ in outcomes]


_PRELUDE = """
import sys
from pathlib import Path
from tests.conformance.opening import Opener
from tests.conformance.samples import event, memory
from commonplace.ports.record_store import Put
arguments = sys.argv[3:]
parts = Opener(sys.argv[1], Path(sys.argv[2])).open()
"""
