"""Counts, and how far the logs have been read for them; shared by the processes of one server.

Several processes that answer at one port are one server to Prometheus, which asks any of them.
They keep their counts in one file, in the folder that they share for as long as they run.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from ...model import Event, Retrieval
from ...rules.codec import iso, moment

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from datetime import datetime, timedelta

Noted = TypeVar("Noted", Event, Retrieval)
SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Where the processes of one server keep their counts together, if there are several."""
FILE = "happenings.json"


@contextmanager
def counting_together() -> Generator[None]:
    """Let all processes that are started in the block count as one server."""
    with TemporaryDirectory(prefix="commonplace-counts-") as folder:
        os.environ[SHARED] = folder
        try:
            yield
        finally:
            del os.environ[SHARED]


class Position:
    """How far a log has been read."""

    def __init__(self, began: datetime) -> None:
        self._began = self.since = began
        self._known: dict[str, datetime] = {}

    def new(self, found: Iterable[Noted], *, overlap: timedelta) -> list[Noted]:
        """What was not there the last time; from now on it was."""
        fresh = [one for one in found if one.id not in self._known]
        self._known |= {one.id: one.at for one in fresh}
        newest = max(self._known.values(), default=self._began)
        self.since = max(self._began, newest - overlap)
        self._known = {id: at for id, at in self._known.items() if at >= self.since}
        return fresh

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        known = {id: iso(at) for id, at in self._known.items()}
        return {"began": iso(self._began), "since": iso(self.since), "known": known}

    def take(self, plain: dict[str, Any]) -> None:
        """Go on from where another process has read to."""
        self._began, self.since = moment(plain["began"]), moment(plain["since"])
        self._known = {id: moment(at) for id, at in plain["known"].items()}


class Counted:
    """Counts by the name of the counter and the values of its labels."""

    def __init__(self, began: datetime, zeroes: Sequence[Sequence[str]]) -> None:
        self.events, self.questions = Position(began), Position(began)
        self._counts: dict[tuple[str, ...], float] = {tuple(one): 0.0 for one in zeroes}

    def add(self, *names: str, by: float = 1.0) -> None:
        """Count one more, or several."""
        self._counts[names] = self._counts.get(names, 0.0) + by

    def get(self, *names: str) -> float:
        """One count."""
        return self._counts.get(names, 0.0)

    def items(self) -> Iterator[tuple[tuple[str, ...], float]]:
        """Every count."""
        yield from self._counts.items()

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "events": self.events.plain(),
            "questions": self.questions.plain(),
            "counts": [[*names, count] for names, count in self._counts.items()],
        }

    def take(self, plain: dict[str, Any]) -> None:
        """Go on from what another process has counted."""
        self.events.take(plain["events"])
        self.questions.take(plain["questions"])
        self._counts = {tuple(names): count for *names, count in plain["counts"]}


class Kept:
    """The counts of one server: in memory, or in the folder that its processes share."""

    def __init__(
        self, folder: str | None, *, began: datetime, zeroes: Sequence[Sequence[str]]
    ) -> None:
        self._path = os.path.join(folder, FILE) if folder else None
        self._counted = Counted(began, zeroes)

    @contextmanager
    def open(self) -> Generator[Counted]:
        """The counts as they are now; what is added to them stays."""
        if self._path is None:
            yield self._counted
            return
        import fcntl

        with open(self._path, "a+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            if text := file.read():
                self._counted.take(json.loads(text))
            yield self._counted
            file.truncate(0)
            json.dump(self._counted.plain(), file)
