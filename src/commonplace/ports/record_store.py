"""The port of a record store: it holds the memories and reports what changed."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Protocol

    from ..model.memory import Memory, Problem
    from ..model.scope import Scope, Tenant, Visible
else:
    Protocol = object


class Put(Value):
    """One record to write, and the record it replaces."""

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
    """Empty when the place no longer holds any: the index drops what it had from there."""
    names: tuple[str, ...] = ()
    """Further names links may use for this place, such as `folder/Note`."""


class Changes(Value):
    """A batch of changed places, and the revision reached once it is applied."""

    revision: int
    documents: tuple[Document, ...] = ()
    after: int = 0
    """The revision that the batch continues: an index that lacks more must not skip that."""


class Totals(Value):
    """Memories and bytes that a tenant has in the book."""

    memories: int = 0
    bytes: int = 0
    """Size of the records as stored, about their size on the disk."""


class Lease(Protocol):
    """The right to write, for a limited time."""

    def check(self) -> None:
        """Raise Busy when another holder has the lease; extend it otherwise."""
        ...

    def covers(self, scopes: Iterable[Scope]) -> bool:
        """Whether records of these scopes may be written with it."""
        ...


class PartialLook(Protocol):
    """A look for edits that left some for later, so that an answer need not wait for it."""

    def missed_edits(self, ids: Collection[str]) -> bool:
        """Whether a record with one of these ids was edited, and the look did not find that."""
        ...

    def leave_rest(self) -> bool:
        """Leave the rest of the look to be done after the answer.

        False if it is not due, or somebody does it already. Until it is done, `look_in_part`
        returns None.
        """
        ...

    def rest_is_left(self) -> bool:
        """Whether the rest is still to be done."""
        ...


class SyncConflict(Value):
    """A record, or a file of facts, that a sync tool has left in several files."""

    place: str
    """Where the record belongs."""
    files: tuple[tuple[str, int], ...]
    """The place and checksum of each file that holds a side."""
    sides: tuple[Memory, ...] = ()
    """The record as each file has it, in the order of precedence."""
    rivals: tuple[tuple[Memory, Memory], ...] = ()
    """For a file of facts: each value that stays, and the other one of its key."""
    at_home: tuple[bool, ...] = ()
    """If a person may have moved or copied the record: whether each file is where its own fields
    say; empty for what a tool alone has left."""
    touches: tuple[tuple[str, ...], ...] = ()
    """Also then: what somebody has given each file that is no part of the record, such as other
    line ends."""


class SyncConflicts(Value):
    """The conflicts that can be settled now, and the number of those that still arrive."""

    found: tuple[SyncConflict, ...] = ()
    arriving: int = 0


class RecordStore(Protocol):
    """Holds the memories; index and everything else can be made again from it."""

    url: str
    store_id: str
    capabilities: frozenset[str]

    def lease(
        self,
        name: str = "write",
        *,
        wait_s: float = 10.0,
        scopes: Collection[Scope] | None = None,
    ) -> AbstractContextManager[Lease]:
        """Take the named lease, waiting for another holder unless that one crashed.

        With `scopes` only records of their tenants may be written, and a store that can tell
        tenants apart lets others write theirs meanwhile.
        """
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

    def known(self, ids: Collection[str]) -> set[str]:
        """Which of these ids the store has, or had before somebody removed a note by hand."""
        ...

    def changes(
        self, since: int, *, visible: Visible, look: bool = True, quick: bool = False
    ) -> Iterator[Changes]:
        """The changes after a revision, in batches; `look` first detects edits by people.

        A `quick` look finds new, moved and removed notes, and edits in place now and then.
        """
        ...

    def look_in_part(self) -> PartialLook | None:
        """Look for new, moved and removed records alone, where looking for all edits takes long.

        None if that is no advantage, or all edits are to be looked for now.
        """
        ...

    def sync_conflicts(self, *, quiet_s: float) -> SyncConflicts:
        """Records that a sync tool left in several files, none of which changed for `quiet_s`."""
        ...

    def settle_conflict(self, conflict: SyncConflict, kept: Memory | None, lease: Lease) -> None:
        """Put the kept record in its place and remove the other files of a conflict.

        The caller has saved what the other files say. For a file of facts `kept` is None, and
        lines that only one file has are kept. Raises Conflict if a file was changed meanwhile.
        """
        ...

    def report_again(self, ids: Collection[str]) -> None:
        """Let `changes` report these records once more, though they have not changed."""
        ...

    def revision(self) -> int:
        """The newest revision, without detecting edits."""
        ...

    def is_scanning(self) -> bool:
        """Whether a child process detects edits, so that the caller need not wait for it yet."""
        ...

    def adopt(self, store_id: str) -> None:
        """Set the id of another book, whose records will follow; Conflict unless this one is empty.

        The caller opens the book again, because index and ledger are filed under its id.
        """
        ...

    def totals(self, tenant: Tenant, *, sized: bool = True) -> Totals:
        """How much a tenant has here, of any status; bytes only if `sized`."""
        ...

    def wipe(self, tenant: Tenant, *, lease: Lease) -> None:
        """Remove the files and names that are left of a tenant whose records were erased."""
        ...

    def problems(self) -> list[Problem]:
        """Damage and conflicts that a person should mend."""
        ...

    def size(self) -> int:
        """How many bytes the records take."""
        ...

    def refresh_map(self) -> bool:
        """Rewrite the generated map of contents, where there is one; True when it changed."""
        ...

    def write_personal(self, name: str, content: str) -> str:
        """Write a new note into the person's own folder; NotAllowed without one."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
