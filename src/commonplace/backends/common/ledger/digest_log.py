"""The log of digests that were handed over, in a table of any ledger."""

# ruff: noqa: S608 - every piece of SQL here is our own; values are always bound.

from __future__ import annotations

from ....model.codec import iso, moment
from ....model.identity import normalized
from ....model.memory import HandedDigest
from ....model.quick_json import parse_json, write_json
from ..sql_dialect import storable, task_parent, unicode_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ....model.scope import Tenant, Visible
    from .database import LedgerConnection, LedgerDatabase

DIGESTS = """
CREATE TABLE IF NOT EXISTS digests(
  number INTEGER PRIMARY KEY, id TEXT NOT NULL, at TEXT NOT NULL, scope TEXT NOT NULL,
  task_parent TEXT, memories TEXT NOT NULL, door TEXT NOT NULL, said TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS digests_by_id ON digests(id);
"""
"""For SQLite; PostgreSQL has its own schema."""
_COLUMNS = "id, at, scope, memories, door, said"
_LATE = " late"
"""Stands behind the door of a digest that no agent has yet."""


class DigestLog:
    """Digests as they were handed over; the oldest go when there are more than `keep`."""

    def __init__(self, usage: LedgerDatabase, *, keep: int, trim_every: int) -> None:
        self._usage = usage
        self._keep = keep
        self._trim_every = min(trim_every, keep)

    def add(self, digest: HandedDigest) -> None:
        """Add a digest and drop the oldest; never holds an answer up."""
        if self._keep <= 0:
            return
        row = (
            digest.id, iso(digest.at), digest.scope, task_parent(digest.scope),
            write_json(digest.memories), digest.by + _LATE * digest.late, unicode_text(digest.text),
        )  # fmt: skip
        query = (
            "INSERT INTO digests(id, at, scope, task_parent, memories, door, said)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number"
        )

        def write(db: LedgerConnection) -> None:
            [(number,)] = db.execute(query, row).fetchall()
            if number % self._trim_every == 0:
                db.execute("DELETE FROM digests WHERE number <= ?", (number - self._keep,))

        self._usage.write_cheaply(write)

    def mark(self, ids: Collection[str], *, late: bool) -> None:
        """Mark digests as late, or as handed over after all."""
        in_list, bound = self._usage.dialect.in_list, self._usage.dialect.bind_list(storable(ids))
        query = f"UPDATE digests SET door = replace(door, ?, '') || ? WHERE id {in_list}"
        self._usage.write_cheaply(lambda db: db.execute(query, (_LATE, _LATE * late, bound)))

    def find(self, *, visible: Visible, id: str | None, limit: int) -> list[HandedDigest]:
        """Digests newest first, or the one with an id."""
        condition, values = self._usage.dialect.visible_rows(visible)
        if id is not None:
            if not storable([id]):
                return []
            condition, values = f"{condition} AND id = ?", (*values, id)
        rest = (
            f"WHERE {condition} AND number > (SELECT coalesce(max(number), 0) FROM digests) - ?"
            " ORDER BY number DESC LIMIT ?"
        )
        bound = (*values, self._keep, max(limit, 0))
        found = self._usage.read(lambda db: _rows(db, rest, bound), visible=visible)
        return [one for _, one in found]

    def scrub(
        self,
        db: LedgerConnection,
        gone: Collection[str],
        texts: Collection[str],
        *,
        within: Tenant | None,
    ) -> None:
        """Replace the lines of these memories, and within a tenant those that quote a text."""
        # Imported here, because a session's start logs a digest and purges nothing.
        from ....rules.handed_over.handed_digest import PURGED, with_withheld
        from ....rules.handed_over.quotation import quote

        quoted = [text for text in (normalized(quote(text)) for text in texts) if text]
        for number, one in _rows(db):
            telling = {id for id in one.memories if id in gone}
            if within is None or within.has(one.scope):
                telling |= _telling(one, quoted)
            scrubbed = with_withheld(one, dict.fromkeys(telling, PURGED))
            if scrubbed.text != one.text:
                db.execute("UPDATE digests SET said = ? WHERE number = ?", (scrubbed.text, number))


def _telling(digest: HandedDigest, texts: list[str]) -> set[str]:
    """The memories whose lines quote one of these texts."""
    whole = normalized(digest.text)
    texts = [text for text in texts if text in whole]
    if not texts:
        return set()
    from ....rules.handed_over.handed_digest import memory_lines
    from .quotes import quotes_text

    lines = {id: normalized(line) for id, line in memory_lines(digest).items()}
    return {
        id
        for id, line in lines.items()
        if any(text in line and quotes_text(line, text) for text in texts)
    }


def _rows(
    db: LedgerConnection, rest: str = "", values: tuple[object, ...] = ()
) -> list[tuple[int, HandedDigest]]:
    query = f"SELECT number, {_COLUMNS} FROM digests {rest}"
    return [
        (
            number,
            HandedDigest(
                id,
                moment(at),
                scope,
                said,
                tuple(parse_json(memories)),
                door.removesuffix(_LATE),
                door.endswith(_LATE),
            ),
        )
        for number, id, at, scope, memories, door, said in db.execute(query, values).fetchall()
    ]
