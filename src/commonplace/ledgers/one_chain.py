"""The one chain of events of a book in a database, and how far this device has seen it."""

from __future__ import annotations

from ..model import Problem
from ..results import Verified
from ..rules import chain
from .history import agrees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .database import LedgerDatabase

NAME = "book"
"""What that chain is called."""
COLUMNS = "line, number, id, at, memory, scope, task_parent"
"""What is checked of an event."""
HEADS = """
CREATE TABLE IF NOT EXISTS heads(name TEXT PRIMARY KEY, number INTEGER NOT NULL, hash TEXT NOT NULL)
WITHOUT ROWID
"""


class OneChain:
    """The part of a ledger that knows its chain by heart.

    What it has seen is kept on the device, outside the book: whoever can rewrite the whole chain
    there cannot rewrite that.
    """

    _local: LedgerDatabase

    def mend(self) -> int:
        """A chain inside the book cannot be overwritten by a stale copy of a part of it."""
        return 0

    def _seen(self) -> chain.Head:
        """The furthest head of the chain that this device has seen."""
        with self._local.reading() as db:
            row = db.execute("SELECT number, hash FROM heads WHERE name=?", (NAME,)).fetchone()
        return chain.Head(*row) if row else chain.start(NAME)

    def _remember(self, head: chain.Head) -> None:
        with self._local.writing() as db:
            db.execute(
                "INSERT INTO heads VALUES(?, ?, ?) ON CONFLICT(name) DO UPDATE"
                " SET number=excluded.number, hash=excluded.hash WHERE excluded.number > number",
                (NAME, head.number, head.hash),
            )

    def _verified(self, rows: Sequence[tuple[Any, ...]], seen: chain.Head, where: str) -> Verified:
        """What is wrong with the events in these rows of `COLUMNS`, which are in order."""
        lines = [f"{row[0]}\n" for row in rows]
        checked = chain.verify(lines, name=NAME, where=where, seen=seen if seen.number else None)
        columns = {row[1]: row[2:] for row in rows}
        what = "Event {} is filed under something else."
        astray = [
            Problem(where, what.format(one.number), chain.HINT, "error")
            for one in checked.linked
            if not agrees(one, columns.get(one.number, ()))
        ]
        return Verified(len(rows), (*checked.problems, *astray))
