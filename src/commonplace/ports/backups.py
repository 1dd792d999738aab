"""Where copies of the book are kept, moment by moment."""

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
    """One moment of a book, as a backup has it."""

    at: datetime
    book: str
    """The book's id."""
    url: str
    """Where the book was, without any password."""
    records: int = 0
    events: int = 0
    uses: int = 0
    written: int = 0
    """How many bytes it added to what earlier moments had written already."""


class Stage(Protocol):
    """What will be one moment of a backup, while it is gathered."""

    def replace(self, document: Document) -> None:
        """Take what a place of the store holds now, instead of what was taken from it before."""
        ...

    def add_lines(self, lines: Iterable[tuple[str, str]]) -> None:
        """Take events that follow on those taken before."""
        ...

    def heads(self) -> Mapping[str, int]:
        """How far each chain of events was taken."""
        ...

    def finish(self, snapshot: Snapshot, uses: Mapping[str, Use]) -> Snapshot:
        """Write what is new, then the moment itself: it is there whole, or not at all."""
        ...


class Backups(Protocol):
    """A place that keeps moments of one book; what did not change is kept once."""

    where: str

    def stage(self) -> AbstractContextManager[Stage]:
        """Begin a moment; what is gathered and not finished leaves nothing behind."""
        ...

    def moments(self) -> list[Snapshot]:
        """What is kept, newest first."""
        ...

    def problems(self) -> list[Problem]:
        """What of it was damaged since it was written, as far as a glance tells."""
        ...

    def records(self, snapshot: Snapshot) -> Iterator[Memory]:
        """The records of a moment, by their ids. Raises Damaged for what is not as written."""
        ...

    def lines(self, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
        """The events of a moment, as the ledger gave them."""
        ...

    def uses(self, snapshot: Snapshot) -> Mapping[str, Use]:
        """The counters of a moment."""
        ...

    def keep(self, wanted: Collection[Snapshot]) -> int:
        """Remove all other moments, and what only they needed; says how many bytes that were."""
        ...

    def bury(self, erasure: Event, purges: Sequence[Event]) -> None:
        """Note what was erased, for whoever restores an older moment; no text is kept."""
        ...

    def buried(self) -> list[Event]:
        """Everything that `bury` was told."""
        ...
