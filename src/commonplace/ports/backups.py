"""The port for backups: snapshots of a book."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from typing import Protocol

    from ..model.memory import Event, Memory, Problem, Use
    from .record_store import Document
else:
    Protocol = object


class Snapshot(Value):
    """One backup of a book."""

    at: datetime
    book: str
    """The book's id."""
    url: str
    """The URL of the book, without password."""
    records: int = 0
    events: int = 0
    uses: int = 0
    written: int = 0
    """Bytes written in addition to earlier snapshots."""


class SnapshotStage(Protocol):
    """A snapshot while it is gathered."""

    def replace(self, document: Document) -> None:
        """Add a document of the store, replacing its earlier content."""
        ...

    def add_events(self, lines: Iterable[tuple[str, str]]) -> None:
        """Add events that follow those already added, as chain name and line."""
        ...

    def heads(self) -> Mapping[str, int]:
        """The number of the last event of each chain."""
        ...

    def finish(self, snapshot: Snapshot, uses: Mapping[str, Use]) -> Snapshot:
        """Write the snapshot atomically."""
        ...


class Backups(Protocol):
    """The snapshots of one book; unchanged data is stored once."""

    where: str

    def new_snapshot(self) -> AbstractContextManager[SnapshotStage]:
        """Gather a new snapshot; one that is not finished leaves nothing behind."""
        ...

    def snapshots(self) -> list[Snapshot]:
        """The snapshots, newest first."""
        ...

    def problems(self) -> list[Problem]:
        """Damage that is found without reading all data."""
        ...

    def records(self, snapshot: Snapshot) -> Iterator[Memory]:
        """The records of a snapshot, sorted by id. Raises Damaged if data has changed."""
        ...

    def lines(self, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
        """The events of a snapshot as chain name and line."""
        ...

    def uses(self, snapshot: Snapshot) -> Mapping[str, Use]:
        """The use counters of a snapshot."""
        ...

    def keep_only(self, wanted: Collection[Snapshot]) -> int:
        """Remove all other snapshots; returns the number of bytes freed."""
        ...

    def record_erasure(self, erasure: Event, purges: Sequence[Event]) -> None:
        """Record an erasure without texts, so that restoring an older snapshot leaves it out."""
        ...

    def recorded_erasures(self) -> list[Event]:
        """The events of all recorded erasures."""
        ...
