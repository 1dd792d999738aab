"""What every adapter shares: commands as JSON lines on stdin, answers as JSON lines on stdout.

An adapter is a program, run by the Python of its system's own environment. It uses the standard
library, this file and that system. Commands:

open    folder                        open or make the store in a folder
fill    items                         save many at once, as the system does it best
save    item                          save one; the answer means that it is saved
search  text, scope, limit, asked     the ids found, best first
kept    scope                         the ids of all memories that a search can still give
settle                                wait until everything saved can be found
close                                 close the store and end

An item has `id`, `text`, `scope`, `time`, and for a turn `speaker`, `said` (text without the
speaker), `episode` and `position`. `text` names the speaker, because most systems have no field
for one.
"""

from __future__ import annotations

import array
import base64
import json
import os
import socket
import sys
import threading
import time
from typing import Any

DIMENSIONS = 384
Item = dict[str, Any]


class Adapter:
    """One system, as the driver sees it."""

    def open(self, folder: str) -> None:
        """Open or make the store in a folder."""
        raise NotImplementedError

    def fill(self, items: list[Item]) -> None:
        """Save many."""
        for item in items:
            self.save(item)

    def save(self, item: Item) -> None:
        """Save one, and return when the system says that it is saved."""
        raise NotImplementedError

    def search(self, text: str, scope: str, limit: int, asked: str | None) -> list[str]:
        """The ids found, best first."""
        raise NotImplementedError

    def kept(self, scope: str) -> list[str]:
        """The ids of everything that a search can still give."""
        raise NotImplementedError

    def settle(self) -> None:
        """Wait until everything saved can be found."""

    def close(self) -> None:
        """Close the store."""


def serve(adapter: Adapter) -> None:
    """Answer commands until the last one."""
    # Systems print; what they print must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        command = json.loads(line)
        name = command.pop("do")
        began = time.perf_counter()
        try:
            given = getattr(adapter, name)(**command)
            answer: dict[str, Any] = {"given": given, "wall_s": time.perf_counter() - began}
        except Exception as error:  # The driver says which system failed, and goes on with others.
            answer = {"failed": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if name == "close":
            break
    answers.close()
    # Threads that a system leaves behind are no part of what is measured.
    os._exit(0)


class _Vectors:
    """The driver's vectors, over a socket of their own, because systems embed in threads, too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket = socket.socket(fileno=int(os.environ["PEERS_VECTORS"]))
        self._file = self._socket.makefile("rw", encoding="utf-8")

    def ask(self, texts: list[str]) -> list[list[float]]:
        with self._lock:
            self._file.write(json.dumps(texts) + "\n")
            self._file.flush()
            answer = json.loads(self._file.readline())
        return [array.array("f", base64.b64decode(one)).tolist() for one in answer]


_vectors: list[_Vectors] = []


def embed(texts: list[str]) -> list[list[float]]:
    """Vectors of Commonplace's model, handed in where a system would download one."""
    if not _vectors:
        _vectors.append(_Vectors())
    return _vectors[0].ask([str(text) for text in texts])


def load_extensions() -> None:
    """Take the SQLite module that loads extensions where Python's own cannot."""
    import sqlite3

    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        import pysqlite3

        sys.modules["sqlite3"] = pysqlite3
        sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2
