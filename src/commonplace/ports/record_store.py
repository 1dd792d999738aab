"""Where memories are kept: the store of truth, and what it says has changed."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Protocol

    from ..model.memory import Memory, Problem
    from ..model.scope import Tenant, Visible
else:
    Protocol = object


class Put(Value):
    """One record to write, and what must still be true for the write to happen."""

    memory: Memory
    expect: Memory | None = None
    """The record as the caller read it (compare-and-swap), or None for a new one."""


class Stored(Value):
    """A record as written, and its place in the store's order of changes."""

    memory: Memory
    locator: str
    revision: int


class Document(Value):
    """All memories that live at one place of a store: one note, or every line of a `facts.md`."""

    locator: str
    memories: tuple[Memory, ...] = ()
    """Empty when the place no longer holds any: what the index had from there goes."""
    names: tuple[str, ...] = ()
    """Further names links may use for this place, such as `folder/Note`."""


class Changes(Value):
    """A batch of changed places, and the revision reached once it is applied."""

    revision: int
    documents: tuple[Document, ...] = ()


class Totals(Value):
    """How much of the book somebody fills."""

    memories: int = 0
    bytes: int = 0
    """As they are stored, so about what they take on the disk."""


class Lease(Protocol):
    """The right to write, held for a while. A holder that was too slow finds it gone."""

    def check(self) -> None:
        """Raise Busy when the lease was taken over; extend it otherwise."""
        ...


class RecordStore(Protocol):
    """Holds the truth."""

    url: str
    store_id: str
    capabilities: frozenset[str]

    def lease(self, name: str = "write", *, wait_s: float = 10.0) -> AbstractContextManager[Lease]:
        """Take the named lease, waiting for another holder; stale holders are taken over."""
        ...

    def write(self, puts: Sequence[Put], *, lease: Lease) -> list[Stored]:
        """Write each record durably, in order; each one is whole or absent, whatever happens.

        Raises Conflict, before anything is written, when a record is not as expected.
        """
        ...

    def erase(self, ids: Collection[str], *, lease: Lease) -> list[str]:
        """Remove records for good, wherever copies of them are, and say which were there."""
        ...

    def read(self, ids: Collection[str], *, visible: Visible) -> dict[str, Memory]:
        """The current records with these ids, as far as they are visible."""
        ...

    def changes(self, since: int, *, visible: Visible, look: bool = True) -> Iterator[Changes]:
        """What changed after a revision, in batches; `look` first looks for edits made outside."""
        ...

    def revision(self) -> int:
        """The newest revision known without looking."""
        ...

    def looking(self) -> bool:
        """Whether a look for edits goes on beside this process, which need not wait for it yet."""
        ...

    def adopt(self, store_id: str) -> None:
        """Take over another book's id, with which its records will come; Conflict unless empty.

        Whoever calls this opens the book again: much is filed under its id.
        """
        ...

    def totals(self, tenant: Tenant, *, sized: bool = True) -> Totals:
        """How much a tenant keeps here, whatever its status; bytes only if `sized`."""
        ...

    def wipe(self, tenant: Tenant, *, lease: Lease) -> None:
        """Remove whatever else is left of a tenant whose records were erased: files, names."""
        ...

    def problems(self) -> list[Problem]:
        """What in the store a person should look at."""
        ...

    def size(self) -> int:
        """How many bytes the records take where they are kept."""
        ...

    def refresh_map(self) -> bool:
        """Rewrite the generated map of contents, where there is one; True when it changed."""
        ...

    def write_personal(self, name: str, content: str) -> str:
        """Write a new note into the person's own space and return where; NotAllowed without one."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
