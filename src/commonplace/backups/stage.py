"""What will be one moment, gathered in a temporary database that nobody else can see."""

from __future__ import annotations

import apsw

from ..rules import chain
from ..rules.codec import iso, to_fields
from .pages import by_name, line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from ..model import Use
    from ..ports.backups import Snapshot
    from ..ports.records import Document
    from ..sqlite import Database

_TABLES = """
CREATE TABLE records(id TEXT PRIMARY KEY, place TEXT NOT NULL, line TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX records_of_place ON records(place);
CREATE TABLE events(row INTEGER PRIMARY KEY, chain TEXT NOT NULL, number INTEGER, line TEXT);
CREATE INDEX events_of_chain ON events(chain, number);
"""


class Gathered:
    """Everything of one moment, in the order in which it is written."""

    def __init__(self, write: Callable[[Snapshot, Gathered], Snapshot]) -> None:
        self._write = write
        # Without a name SQLite keeps it in memory, and what does not fit in a file without a name.
        db: Any = apsw.Connection("")
        self._db: Database = db
        # One transaction that never ends: nobody is to have any of it but us.
        self._db.execute(f"{_TABLES}; BEGIN")
        self._uses: Mapping[str, Use] = {}

    def replace(self, document: Document) -> None:
        """Take what a place of the store holds now, instead of what was taken from it before."""
        self._db.execute("DELETE FROM records WHERE place=?", (document.locator,))
        self._db.executemany(
            "INSERT OR REPLACE INTO records VALUES(?, ?, ?)",
            [(one.id, document.locator, line(to_fields(one))) for one in document.memories],
        )

    def add_lines(self, lines: Iterable[tuple[str, str]]) -> None:
        """Take events that follow on those taken before."""
        self._db.executemany(
            "INSERT INTO events VALUES(NULL, ?, ?, ?)",
            ((name, _number(text), text) for name, text in lines),
        )

    def heads(self) -> dict[str, int]:
        """How far each chain of events was taken."""
        rows = self._db.execute("SELECT chain, max(number) FROM events GROUP BY chain").fetchall()
        return {name: number for name, number in rows if number}

    def finish(self, snapshot: Snapshot, uses: Mapping[str, Use]) -> Snapshot:
        """Write what is new, then the moment itself."""
        self._uses = uses
        return self._write(snapshot, self)

    def records(self) -> Iterator[tuple[int, str]]:
        """The records by their ids, each with the number that its page is cut by."""
        for id, text in self._db.execute("SELECT id, line FROM records ORDER BY id"):
            yield by_name(id), text

    def events(self) -> Iterator[tuple[int, str]]:
        """The events of each chain, each with the number that its page is cut by."""
        rows = self._db.execute("SELECT chain, number, line FROM events ORDER BY chain, row")
        for name, number, text in rows:
            yield number or 1, line([name, text])

    def uses(self) -> Iterator[tuple[int, str]]:
        """The counters by their memories, each with the number that its page is cut by."""
        for id, use in sorted(self._uses.items()):
            if use.last:
                yield by_name(id), line([id, use.count, iso(use.last)])

    def close(self) -> None:
        """Let go of everything gathered."""
        self._db.close()


def _number(text: str) -> int | None:
    """An event's place in its chain; a line that somebody spoilt has none, and is kept as it is."""
    try:
        return chain.from_line(text).number
    except ValueError:
        return None
