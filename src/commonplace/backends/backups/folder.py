"""Backups of one book in a folder."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress

import apsw

from ...model.codec import from_fields, iso, moment, to_fields
from ...model.errors import Damaged, Refused, StoreUnavailable
from ...model.memory import Problem, Use
from ...ports.backups import Snapshot
from ...rules import audit
from .objects import (
    EVENTS,
    PARTS,
    RECORDS,
    USES,
    Objects,
    by_name,
    digest,
    line,
    lines_of,
    pages,
    storage_error,
    write,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Generator,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from typing import Any

    from ...model.memory import Event, Memory
    from ...ports.record_store import Document
    from ..common.sqlite import SqliteConnection


_TABLES = """
CREATE TABLE records(id TEXT PRIMARY KEY, place TEXT NOT NULL, line TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX records_of_place ON records(place);
CREATE TABLE events(row INTEGER PRIMARY KEY, chain TEXT NOT NULL, number INTEGER, line TEXT);
CREATE INDEX events_of_chain ON events(chain, number);
"""


class SnapshotBuilder:
    """Everything of one moment, in the order in which it is written."""

    def __init__(self, write: Callable[[Snapshot, SnapshotBuilder], Snapshot]) -> None:
        self._write = write
        # Without a name SQLite keeps it in memory, and what does not fit in a file without a name.
        db: Any = apsw.Connection("")
        self._db: SqliteConnection = db
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
        return audit.from_line(text).number
    except ValueError:
        return None


# Backups of one book in a folder.


FORMAT = 1
CARD = "backup.json"


class FolderBackups:
    """Moments of one book. A moment's list is written last, so it never names what is not there."""

    def __init__(self, folder: str) -> None:
        self.where = os.path.abspath(os.path.expanduser(folder))
        self._objects = Objects(os.path.join(self.where, "objects"))
        self._moments = os.path.join(self.where, "moments")
        self._gone = os.path.join(self.where, "gone")

    @contextmanager
    def stage(self) -> Generator[SnapshotBuilder]:
        """Begin a moment; what is gathered and not finished leaves nothing behind."""
        gathered = SnapshotBuilder(self._write)
        try:
            with storage_error(self.where):
                yield gathered
        finally:
            gathered.close()

    def moments(self) -> list[Snapshot]:
        """What is kept, newest first; a list that was damaged is left to `problems`."""
        return [_snapshot(one) for one in self._lists().values() if one]

    def problems(self) -> list[Problem]:
        """Lists of moments that do not read as they were written."""
        what, hint = "This list of a backup is damaged.", "Take it from a copy, or remove it."
        damaged = [name for name, one in self._lists().items() if not one]
        return [Problem(f"moments/{name}", what, hint, "error") for name in damaged]

    def records(self, snapshot: Snapshot) -> Iterator[Memory]:
        """The records of a moment, by their ids."""
        for fields in self._entries(snapshot, RECORDS):
            yield from_fields(fields)

    def lines(self, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
        """The events of a moment, as the ledger gave them."""
        for name, text in self._entries(snapshot, EVENTS):
            yield str(name), str(text)

    def uses(self, snapshot: Snapshot) -> dict[str, Use]:
        """The counters of a moment."""
        kept = self._entries(snapshot, USES)
        return {id: Use(count, moment(last)) for id, count, last in kept}

    def keep(self, wanted: Collection[Snapshot]) -> int:
        """Remove all other moments, and what only they needed; says how many bytes that were."""
        names = {_name(one) for one in wanted}
        with storage_error(self.where):
            for name, listed in self._lists().items():
                if listed and name not in names:
                    os.unlink(os.path.join(self._moments, name))
            lists = self._lists().values()
            if not all(lists):
                return 0  # Nobody can tell what a damaged list still needs.
            needed = {page for one in lists for part in PARTS for page, _ in one["parts"][part]}
            return self._objects.drop_all_but(needed)

    def bury(self, erasure: Event, purges: Sequence[Event]) -> None:
        """Note what was erased, for whoever restores an older moment."""
        linked = audit.link([erasure, *purges], audit.start(erasure.id))
        text = "".join(f"{audit.to_line(one)}\n" for one in linked)
        with storage_error(self.where):
            os.makedirs(self._gone, mode=0o700, exist_ok=True)
            write(os.path.join(self._gone, f"{erasure.id}.jsonl"), text.encode())

    def buried(self) -> list[Event]:
        """Everything that was noted as erased."""
        found: list[Event] = []
        with storage_error(self.where), suppress(FileNotFoundError):
            for name in sorted(os.listdir(self._gone)):
                if name.endswith(".jsonl"):
                    found += self._noted(os.path.join(self._gone, name))
        return found

    def _noted(self, path: str) -> list[Event]:
        try:
            with open(path, encoding="utf-8") as file:
                return [audit.from_line(one).event for one in file]
        except ValueError as error:
            # Passing over it would bring somebody back who was erased.
            raise Damaged(
                f"{path} does not read as it was written.", hint="Take it from a copy."
            ) from error

    def _write(self, snapshot: Snapshot, gathered: SnapshotBuilder) -> Snapshot:
        self._claim(snapshot.book)
        kept: dict[str, list[tuple[str, int]]] = {}
        written = 0
        for part, entries in (
            (RECORDS, gathered.records()),
            (EVENTS, gathered.events()),
            (USES, gathered.uses()),
        ):
            kept[part] = []
            for page, count in pages(part, entries):
                name, size = self._objects.put(page)
                kept[part].append((name, count))
                written += size
        counts = {part: sum(count for _, count in listed) for part, listed in kept.items()}
        done = snapshot.but(**counts, written=written)
        os.makedirs(self._moments, mode=0o700, exist_ok=True)
        write(os.path.join(self._moments, _name(done)), _sealed(done, kept))
        return done

    def _claim(self, book: str) -> None:
        """Make the folder this book's, or see that it is."""
        path = os.path.join(self.where, CARD)
        try:
            with open(path, encoding="utf-8") as file:
                card = json.load(file)
        except FileNotFoundError:
            os.makedirs(self.where, mode=0o700, exist_ok=True)
            write(path, line({"format": FORMAT, "book": book}).encode())
            return
        except ValueError as error:
            raise Damaged(
                f"{path} does not say whose backups these are.", hint="Name another folder."
            ) from error
        if not isinstance(card, dict) or card.get("book") != book:  # pyright: ignore[reportUnknownMemberType]
            raise Refused(
                f"{self.where} holds the backups of another book.", hint="Name another folder."
            )

    def _names(self) -> list[str]:
        """The lists of moments, newest first: their names sort by time."""
        with storage_error(self.where):
            try:
                found = os.listdir(self._moments)
            except FileNotFoundError:
                return []
        return sorted((name for name in found if name.endswith(".json")), reverse=True)

    def _lists(self) -> dict[str, dict[str, Any]]:
        """Every moment's list, newest first; an empty one stands for one that is damaged."""
        found: dict[str, dict[str, Any]] = {}
        for name in self._names():
            try:
                found[name] = self._list(name)
            except Damaged:
                found[name] = {}
        return found

    def _list(self, name: str) -> dict[str, Any]:
        """Which pages a moment is made of; Damaged when its list is not as it was written."""
        listed: dict[str, Any] = {}
        with storage_error(self.where):
            try:
                with open(os.path.join(self._moments, name), encoding="utf-8") as file:
                    listed = json.load(file)
                whole = listed.pop("hash") == digest(line(listed).encode())
            except (ValueError, KeyError, AttributeError, TypeError):
                whole = False
        if not whole:
            raise Damaged(
                f"The list of {name} does not read as it was written.",
                hint=f"Choose another moment; remove moments/{name} from {self.where}.",
            )
        if listed["format"] > FORMAT:
            raise StoreUnavailable(
                "The backup was made by a newer Commonplace.", hint="Upgrade Commonplace."
            )
        return listed

    def _entries(self, snapshot: Snapshot, part: str) -> Iterator[Any]:
        listed = self._list(_name(snapshot))
        for name, count in listed["parts"][part]:
            with storage_error(self.where):
                entries = lines_of(self._objects.get(name))
            if len(entries) != count:
                raise Damaged(
                    f"The page {name} of the backup does not hold what was written.",
                    hint="Choose another moment.",
                )
            yield from entries


def _name(snapshot: Snapshot) -> str:
    # A colon is no part of a file's name everywhere.
    return f"{iso(snapshot.at).replace(':', '')}.json"


def _sealed(snapshot: Snapshot, parts: dict[str, list[tuple[str, int]]]) -> bytes:
    told = {**snapshot.__dict__, "at": iso(snapshot.at), "parts": parts, "format": FORMAT}
    return line({**told, "hash": digest(line(told).encode())}).encode()


def _snapshot(listed: dict[str, Any]) -> Snapshot:
    fields: dict[str, Any] = {name: listed[name] for name in Snapshot.__fields__}
    fields["at"] = moment(listed["at"])
    return Snapshot(**fields)
