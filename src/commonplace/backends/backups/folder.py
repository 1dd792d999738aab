"""Backups of one book in a folder: snapshots that share unchanged pages."""

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
    PageFiles,
    content_name,
    json_line,
    page_number,
    pages,
    parse_page,
    storage_errors,
    write_file,
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
    """Gathers the records, events and counters of one snapshot."""

    def __init__(self, write: Callable[[Snapshot, SnapshotBuilder], Snapshot]) -> None:
        self._write = write
        # Without a name SQLite uses memory, and a temporary file for the rest.
        db: Any = apsw.Connection("")
        self._db: SqliteConnection = db
        # One transaction that is never committed, since nobody else reads the database.
        self._db.execute(f"{_TABLES}; BEGIN")
        self._uses: Mapping[str, Use] = {}

    def replace(self, document: Document) -> None:
        """Add a document of the store, replacing its earlier content."""
        self._db.execute("DELETE FROM records WHERE place=?", (document.locator,))
        self._db.executemany(
            "INSERT OR REPLACE INTO records VALUES(?, ?, ?)",
            [(one.id, document.locator, json_line(to_fields(one))) for one in document.memories],
        )

    def add_events(self, lines: Iterable[tuple[str, str]]) -> None:
        """Add events that follow those already added."""
        self._db.executemany(
            "INSERT INTO events VALUES(NULL, ?, ?, ?)",
            ((name, _number(text), text) for name, text in lines),
        )

    def heads(self) -> dict[str, int]:
        """The number of the last event of each chain."""
        rows = self._db.execute("SELECT chain, max(number) FROM events GROUP BY chain").fetchall()
        return {name: number for name, number in rows if number}

    def finish(self, snapshot: Snapshot, uses: Mapping[str, Use]) -> Snapshot:
        """Write new pages, then the snapshot's manifest."""
        self._uses = uses
        return self._write(snapshot, self)

    def records(self) -> Iterator[tuple[int, str]]:
        """The records sorted by id, each with its cut number."""
        for id, text in self._db.execute("SELECT id, line FROM records ORDER BY id"):
            yield page_number(id), text

    def events(self) -> Iterator[tuple[int, str]]:
        """The events of each chain, each with its cut number."""
        rows = self._db.execute("SELECT chain, number, line FROM events ORDER BY chain, row")
        for name, number, text in rows:
            yield number or 1, json_line([name, text])

    def uses(self) -> Iterator[tuple[int, str]]:
        """The use counters sorted by memory, each with its cut number."""
        for id, use in sorted(self._uses.items()):
            if use.last:
                yield page_number(id), json_line([id, use.count, iso(use.last)])

    def close(self) -> None:
        """Discard everything gathered."""
        self._db.close()


def _number(text: str) -> int | None:
    """An event's number in its chain; None for a damaged line, which is backed up as it is."""
    try:
        return audit.from_line(text).number
    except ValueError:
        return None


FORMAT = 1
OWNER_FILE = "backup.json"


class FolderBackups:
    """Snapshots of one book. A snapshot's manifest is written last, after all of its pages."""

    def __init__(self, folder: str) -> None:
        self.where = os.path.abspath(os.path.expanduser(folder))
        self._objects = PageFiles(os.path.join(self.where, "objects"))
        self._moments = os.path.join(self.where, "moments")
        self._gone = os.path.join(self.where, "gone")

    @contextmanager
    def new_snapshot(self) -> Generator[SnapshotBuilder]:
        """Gather a new snapshot; one that is not finished leaves nothing behind."""
        builder = SnapshotBuilder(self._write)
        try:
            with storage_errors(self.where):
                yield builder
        finally:
            builder.close()

    def snapshots(self) -> list[Snapshot]:
        """The snapshots, newest first, without those with a damaged manifest."""
        return [_snapshot(one) for one in self._manifests().values() if one]

    def problems(self) -> list[Problem]:
        """Snapshots with a damaged manifest."""
        what, hint = "The manifest of a backup is damaged.", "Restore it from a copy, or remove it."
        damaged = [name for name, one in self._manifests().items() if not one]
        return [Problem(f"moments/{name}", what, hint, "error") for name in damaged]

    def records(self, snapshot: Snapshot) -> Iterator[Memory]:
        """The records of a snapshot, sorted by id."""
        for fields in self._entries(snapshot, RECORDS):
            yield from_fields(fields)

    def lines(self, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
        """The events of a snapshot as chain name and line."""
        for name, text in self._entries(snapshot, EVENTS):
            yield str(name), str(text)

    def uses(self, snapshot: Snapshot) -> dict[str, Use]:
        """The use counters of a snapshot."""
        entries = self._entries(snapshot, USES)
        return {id: Use(count, moment(last)) for id, count, last in entries}

    def keep_only(self, wanted: Collection[Snapshot]) -> int:
        """Remove all other snapshots and their pages; returns the number of bytes freed."""
        names = {_manifest_name(one) for one in wanted}
        with storage_errors(self.where):
            for name, manifest in self._manifests().items():
                if manifest and name not in names:
                    os.unlink(os.path.join(self._moments, name))
            lists = self._manifests().values()
            if not all(lists):
                return 0  # Nobody knows which pages a damaged manifest needs.
            needed = {page for one in lists for part in PARTS for page, _ in one["parts"][part]}
            return self._objects.drop_all_but(needed)

    def record_erasure(self, erasure: Event, purges: Sequence[Event]) -> None:
        """Record an erasure, so that restoring an older snapshot leaves the user out."""
        linked = audit.link_events([erasure, *purges], audit.empty_chain(erasure.id))
        text = "".join(f"{audit.to_line(one)}\n" for one in linked)
        with storage_errors(self.where):
            os.makedirs(self._gone, mode=0o700, exist_ok=True)
            write_file(os.path.join(self._gone, f"{erasure.id}.jsonl"), text.encode())

    def recorded_erasures(self) -> list[Event]:
        """The events of all recorded erasures."""
        found: list[Event] = []
        with storage_errors(self.where), suppress(FileNotFoundError):
            for name in sorted(os.listdir(self._gone)):
                if name.endswith(".jsonl"):
                    found += self._read_erasure(os.path.join(self._gone, name))
        return found

    def _read_erasure(self, path: str) -> list[Event]:
        try:
            with open(path, encoding="utf-8") as file:
                return [audit.from_line(one).event for one in file]
        except ValueError as error:
            # Skipping the file would restore an erased user.
            raise Damaged(f"{path} is damaged.", hint="Restore it from a copy.") from error

    def _write(self, snapshot: Snapshot, builder: SnapshotBuilder) -> Snapshot:
        self._claim(snapshot.book)
        stored: dict[str, list[tuple[str, int]]] = {}
        written = 0
        for part, entries in (
            (RECORDS, builder.records()),
            (EVENTS, builder.events()),
            (USES, builder.uses()),
        ):
            stored[part] = []
            for page, count in pages(part, entries):
                name, size = self._objects.put(page)
                stored[part].append((name, count))
                written += size
        counts = {part: sum(count for _, count in manifest) for part, manifest in stored.items()}
        done = snapshot.but(**counts, written=written)
        os.makedirs(self._moments, mode=0o700, exist_ok=True)
        write_file(os.path.join(self._moments, _manifest_name(done)), _manifest(done, stored))
        return done

    def _claim(self, book: str) -> None:
        """Mark the folder as this book's; refuse one that belongs to another book."""
        path = os.path.join(self.where, OWNER_FILE)
        try:
            with open(path, encoding="utf-8") as file:
                owner = json.load(file)
        except FileNotFoundError:
            os.makedirs(self.where, mode=0o700, exist_ok=True)
            write_file(path, json_line({"format": FORMAT, "book": book}).encode())
            return
        except ValueError as error:
            raise Damaged(
                f"{path} does not name the book of these backups.", hint="Name another folder."
            ) from error
        if not isinstance(owner, dict) or owner.get("book") != book:  # pyright: ignore[reportUnknownMemberType]
            raise Refused(
                f"{self.where} holds the backups of another book.", hint="Name another folder."
            )

    def _names(self) -> list[str]:
        """The names of the manifests, newest first; they sort by time."""
        with storage_errors(self.where):
            try:
                found = os.listdir(self._moments)
            except FileNotFoundError:
                return []
        return sorted((name for name in found if name.endswith(".json")), reverse=True)

    def _manifests(self) -> dict[str, dict[str, Any]]:
        """Every manifest, newest first; empty for a damaged one."""
        found: dict[str, dict[str, Any]] = {}
        for name in self._names():
            try:
                found[name] = self._read_manifest(name)
            except Damaged:
                found[name] = {}
        return found

    def _read_manifest(self, name: str) -> dict[str, Any]:
        """A snapshot's manifest; raises Damaged if it has changed."""
        manifest: dict[str, Any] = {}
        with storage_errors(self.where):
            try:
                with open(os.path.join(self._moments, name), encoding="utf-8") as file:
                    manifest = json.load(file)
                whole = manifest.pop("hash") == content_name(json_line(manifest).encode())
            except (ValueError, KeyError, AttributeError, TypeError):
                whole = False
        if not whole:
            raise Damaged(
                f"The manifest {name} of the backup is damaged.",
                hint=f"Choose another backup, and remove moments/{name} from {self.where}.",
            )
        if manifest["format"] > FORMAT:
            raise StoreUnavailable(
                "The backup was made by a newer Commonplace.", hint="Upgrade Commonplace."
            )
        return manifest

    def _entries(self, snapshot: Snapshot, part: str) -> Iterator[Any]:
        manifest = self._read_manifest(_manifest_name(snapshot))
        for name, count in manifest["parts"][part]:
            with storage_errors(self.where):
                entries = parse_page(self._objects.get(name))
            if len(entries) != count:
                raise Damaged(
                    f"The page {name} of the backup has changed.",
                    hint="Choose another backup.",
                )
            yield from entries


def _manifest_name(snapshot: Snapshot) -> str:
    # Not every system allows a colon in a file name.
    return f"{iso(snapshot.at).replace(':', '')}.json"


def _manifest(snapshot: Snapshot, parts: dict[str, list[tuple[str, int]]]) -> bytes:
    fields = {**snapshot.__dict__, "at": iso(snapshot.at), "parts": parts, "format": FORMAT}
    return json_line({**fields, "hash": content_name(json_line(fields).encode())}).encode()


def _snapshot(manifest: dict[str, Any]) -> Snapshot:
    fields: dict[str, Any] = {name: manifest[name] for name in Snapshot.__fields__}
    fields["at"] = moment(manifest["at"])
    return Snapshot(**fields)
