"""Records in a database table: written as JSON, compared, and read back as memories."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod

from ...model import codec
from ...model.errors import BadInput, Conflict, Damaged, NotAllowed
from ...model.memory import Problem
from ...model.scope import EVERYTHING
from ...ports.record_store import Changes, Document, SyncConflicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from ...model.memory import Memory
    from ...model.scope import Visible
    from ...ports.record_store import Lease, Put, SyncConflict

    Row = tuple[Any, ...]

BATCH = 500


class RecordTable(ABC):
    """The part of a record store that SQLite and PostgreSQL share."""

    @abstractmethod
    def _found(self, ids: Collection[str], visible: Visible) -> Sequence[Row]:
        """The id and the JSON of the visible records among these."""

    @abstractmethod
    def _newer(self, since: int, visible: Visible) -> Sequence[Row]:
        """Revision, id and JSON of the next visible records, also of erased ones."""

    def read(self, ids: Collection[str], *, visible: Visible) -> dict[str, Memory]:
        """The current records with these ids, as far as they are visible."""
        return {id: parsed(id, text) for id, text in self._found(ids, visible)}

    def known(self, ids: Collection[str]) -> set[str]:
        """Which of these ids the store has; from a database nothing is removed by hand."""
        return {id for id, _ in self._found(ids, EVERYTHING)}

    def changes(
        self, since: int, *, visible: Visible, look: bool = True, quick: bool = False
    ) -> Iterator[Changes]:
        """The changes after a revision, in batches; a database sees every edit itself."""
        rows = self._newer(since, visible)
        while rows:
            since = rows[-1][0]
            yield Changes(since, tuple(document(id, text) for _, id, text in rows))
            rows = self._newer(since, visible) if len(rows) == BATCH else ()

    def is_scanning(self) -> bool:
        """False: a database knows what changed."""
        return False

    def look_in_part(self) -> None:
        """None: a database knows what changed."""
        return

    def sync_conflicts(self, *, quiet_s: float) -> SyncConflicts:
        """None: no sync tool copies the records of a database."""
        return SyncConflicts()

    def settle_conflict(self, conflict: SyncConflict, kept: Memory | None, lease: Lease) -> None:
        """A database has no conflicts to settle."""
        return

    def report_again(self, ids: Collection[str]) -> None:
        """Nothing: a database has the events that say whose a record is before the record."""
        return

    def refresh_map(self) -> bool:
        """A database has no map of contents."""
        return False

    def write_personal(self, name: str, content: str) -> str:
        """A database has no personal space."""
        raise NotAllowed(
            f"This book has no place for the personal note {name!r}.",
            hint="Use a vault and set `personal` to a folder.",
        )

    def _unreadable(self) -> Iterator[Problem]:
        """Records that do not read back as memories."""
        since = 0
        while rows := self._newer(since, EVERYTHING):
            since = rows[-1][0]
            for _, id, text in rows:
                try:
                    if text is not None:
                        parsed(id, text)
                except Damaged as error:
                    yield Problem(locator(id), error.sentence, error.hint, "error")


def locator(id: str) -> str:
    """The locator of a record."""
    return f"id:{id}"


def document(id: str, text: str | None) -> Document:
    """A record as an index gets it; the text is None once the record is erased."""
    if text is None:
        return Document(locator(id))
    try:
        return Document(locator(id), (parsed(id, text),))
    except Damaged:
        # One damaged record must not keep the others from being found; `problems` names it.
        return Document(locator(id))


def require_expected(put: Put, current: dict[str, Any] | None) -> None:
    """Raise Conflict unless a record is as its writer read it."""
    expected = None if put.expect is None else codec.to_fields(put.expect)
    if current == expected:
        return
    id = put.memory.id
    raise Conflict(
        f"The memory {id} changed since it was read."
        if current and expected
        else f"The memory {id} {'exists already' if current else 'is gone'}.",
        hint="Read it again and decide anew.",
    )


def written(fields: dict[str, Any], *, zero: bool = True) -> str:
    """The JSON of a record; raises BadInput for text that is not Unicode or, unless `zero`, NUL."""
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
        fit = zero or "\0" not in fields["id"]
    except UnicodeEncodeError:
        fit = False
    if not fit:
        raise BadInput(
            f"The memory {fields['id']!r} holds characters that are not text.",
            hint="Remove half of a surrogate pair, or decode the text anew.",
        )
    return text


def loaded(id: str, text: str) -> dict[str, Any]:
    """The fields of a record. Raises Damaged."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise _damaged(id) from error


def parsed(id: str, text: str) -> Memory:
    """The memory of a record. Raises Damaged."""
    try:
        return codec.from_json(text)
    except (ValueError, TypeError, AttributeError, KeyError, BadInput) as error:
        raise _damaged(id) from error


def _damaged(id: str) -> Damaged:
    return Damaged(
        f"The record {id} does not read back as a memory.", hint="Restore it from a backup."
    )
