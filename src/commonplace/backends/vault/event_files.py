"""Append-only event files in a vault, one per device, so that plain file sync carries them.

Only its own device appends to a file. The local tables hold every event that was read, so that
queries need no file and `verify` notices a file that was cut or removed.

An append is one write, synced before the tables commit. A process killed in between leaves events
that the next refresh reads; one killed inside the write leaves a torn last line, which the next
append or `verify` cuts off.
"""

from __future__ import annotations

import os
import stat

from ...model.errors import Conflict, LedgerUnavailable
from ...model.memory import Problem
from ...model.quick_decorators import suppress
from ...model.value import Value
from ...notes.conflict_copies import possible_originals
from ..common.ledger.event_table import readable
from ..common.sqlite import DatabaseReplaced, sqlite_error
from .files import sync_folder
from .identity import device_name, is_device_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...model.memory import Event
    from ...model.scope import Tenant
    from ...rules import audit
    from ..common.ledger.database import SqliteLedgerDatabase
    from ..common.ledger.event_table import EventTable
    from ..common.sqlite import SqliteConnection

SUFFIX = ".jsonl"
FOLDER = os.path.join("_meta", "events")
OWN_HINT = (
    "Run `commonplace sync`: this device writes the events again that it has in its tables, and"
    " sets the changed file aside. If that does not help, compare it with a backup of the book."
)
_REFUSE_LINKS = getattr(os, "O_NOFOLLOW", 0)

SCHEMA = """
CREATE TABLE IF NOT EXISTS event_files(
  name TEXT PRIMARY KEY,
  size INTEGER NOT NULL, modified INTEGER NOT NULL, -- as last seen
  consumed INTEGER NOT NULL, -- bytes up to the end of the last whole line
  number INTEGER NOT NULL, hash TEXT NOT NULL -- the furthest head the file ever had
) WITHOUT ROWID;
"""


class EventFileState(Value):
    """An event file as it was last read."""

    size: int
    modified: int
    consumed: int
    head: audit.Head


class EventFiles:
    """The event files of one vault, seen from one device."""

    def __init__(
        self, root: str, *, state: str, database: SqliteLedgerDatabase, events: EventTable
    ) -> None:
        self.folder = os.path.join(root, FOLDER)
        self._state = state
        self._database = database
        self._events = events
        self._name = ""
        database.add_tables(SCHEMA)

    def append(self, events: Sequence[Event]) -> None:
        """Add events to this device's file: one write, on the disk when this returns."""
        if events:
            try:
                self._append(events)
            except DatabaseReplaced:
                # The file may hold them already: only its table was lost.
                self._append(events, again=True)

    def _append(self, events: Sequence[Event], *, again: bool = False) -> None:
        # Imported here and below, because few recalls need it.
        from ...rules import audit

        name = self._own_name()
        with self._database.writing() as db:
            try:
                self._read_new(db, name)
                if again and self._events.with_ids(db, [event.id for event in events]):
                    return
                known = self._known(db, name)
                if not os.path.isdir(os.path.dirname(self.folder)):
                    raise LedgerUnavailable(
                        "The vault is not there.", hint="Mount it, or check its path."
                    )
                linked = audit.link_events(events, known.head)
                lines = [audit.to_line(one) for one in linked]
                text = "".join(f"{line}\n" for line in lines).encode()
                size, modified = self._write(name, text, after=known.consumed)
            except OSError as error:
                raise sqlite_error(error, LedgerUnavailable, "The audit log") from error
            self._events.add(db, name, linked, lines)
            self._remember(db, name, EventFileState(size, modified, size, linked[-1].head))

    def refresh(self) -> None:
        """Read events that other devices or processes added to the files."""
        try:
            if changed := self._changed():
                with self._database.writing(lasting=False) as db:
                    for name in changed:
                        self._read_if_possible(db, name)
        except PermissionError:
            return  # What is known is enough to read; a save and `verify` say it.
        except OSError as error:
            raise sqlite_error(error, LedgerUnavailable, "The audit log") from error

    def restore_lost_events(self) -> int:
        """Put back events of this device that its file lost or has otherwise; says how many.

        The local tables hold them. A file with other lines is set aside, and `doctor` names it.
        """
        name = self._own_name()
        with self._database.writing() as db:
            try:
                self._read_if_possible(db, name)
                mine = self._events.lines(db, name)
                there = self._read(name).splitlines() if self._seen(name) else []
                if there == [line.encode() for line in mine]:
                    return 0
                whole = self._sound_chain(db, name, mine)
                foreign = not set(there) <= set(whole)
                if not whole or (len(there) >= len(whole) and not foreign):
                    return 0
                if foreign:
                    from ..common.repair import set_aside

                    set_aside(self._path(name))
                text = b"".join(b"%s\n" % line for line in whole)
                size, modified = self._write(name, text, after=0)
            except OSError as error:
                raise sqlite_error(error, LedgerUnavailable, "The audit log") from error
            self._remember(db, name, self._known(db, name).but(
                size=size, modified=modified, consumed=size
            ))  # fmt: skip
        return len(set(whole) - set(there))

    def remove_copies(self) -> None:
        """Remove conflict copies of event files that hold no event which the original lacks."""
        try:
            for name in self._names():
                stems = (one.removesuffix(SUFFIX) for one in possible_originals(name + SUFFIX))
                original = next((one for one in stems if is_device_name(one)), "")
                if not original or not self._seen(name) or not self._seen(original):
                    continue
                *lines, _ = self._read(name).split(b"\n")
                if set(lines) <= set(self._read(original).split(b"\n")):
                    os.unlink(self._path(name))
                    with self._database.writing(lasting=False) as db:
                        db.execute("DELETE FROM event_files WHERE name=?", (name,))
        except OSError as error:
            raise sqlite_error(error, LedgerUnavailable, "The audit log") from error

    def _sound_chain(self, db: SqliteConnection, name: str, lines: Sequence[str]) -> list[bytes]:
        """The lines of the tables, if they are this device's whole chain and none was changed."""
        from ...rules import audit

        erased = audit.erasures(line for _, line in self._events.every_line())
        sound = audit.sound_lines(lines, name=name, erased=erased)
        if not sound or audit.from_line(sound[-1]).head != self._known(db, name).head:
            return []
        return [line.encode() for line in sound]

    def put_back(self, name: str, lines: Sequence[str]) -> None:
        """Write the whole file of a device; raises Conflict unless it continues the present one."""
        text = "".join(f"{line}\n" for line in lines).encode()
        with self._database.writing():
            try:
                there = self._read(name) if self._seen(name) else b""
                if there.startswith(text):
                    return
                if not text.startswith(there):
                    raise Conflict(f"{_where(name)} holds other events.", hint="Name a new folder.")
                self._replace(name, text)
            except OSError as error:
                raise sqlite_error(error, LedgerUnavailable, "The audit log") from error

    def empty(self, tenant: Tenant, erasure: Event) -> int:
        """Take the words out of a tenant's events, in the tables and in every device's file.

        Another device does the same with its own file once it hears of the erasure; until then a
        sync tool may bring that file back as it was.
        """
        with self._database.writing() as db:
            changed = self._events.empty(db, tenant, erasure)
            emptied = self._events.emptied_lines(db)
            try:
                for name in self._names():
                    self._empty_file(db, name, emptied)
            except OSError as error:
                raise sqlite_error(error, LedgerUnavailable, "The audit log") from error
        return changed

    def _empty_file(self, db: SqliteConnection, name: str, emptied: Mapping[str, str]) -> None:
        """Replace the lines of emptied events in a file by those of the tables."""
        if self._seen(name) is None:
            return
        before = self._read(name).decode("utf-8", "replace").split("\n")
        # A line that does not read as an event stays as it is.
        after = [
            next((emptied.get(one.event.id, line) for one in readable([line])), line)
            for line in before
        ]
        if after != before:
            self._replace(name, "\n".join(after).encode())
            size, modified = self._seen(name) or (0, 0)
            self._remember(
                db, name, self._known(db, name).but(size=size, modified=modified, consumed=size)
            )

    def _replace(self, name: str, text: bytes) -> None:
        """Replace a file as a whole, or leave it as it was."""
        os.makedirs(self.folder, exist_ok=True)
        draft = os.path.join(self.folder, f".{name}.{os.getpid()}.tmp")
        with open(draft, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, self._path(name))
        sync_folder(self.folder)

    def verify(self) -> tuple[int, list[Problem]]:
        """The number of events, and the problems of their chains."""
        from ...rules import audit

        count = 0
        problems: list[Problem] = []
        # In a write transaction, so that no other process appends meanwhile.
        with self._database.writing(lasting=False) as db:
            try:
                names = self._names()
                erased = audit.erasures(line for _, line in self._events.every_line())
                for name in names:
                    checked = self._checked(db, name, erased)
                    count += len(checked.linked)
                    problems += checked.problems
            except OSError as error:
                raise sqlite_error(error, LedgerUnavailable, "The audit log") from error
            for name, number in db.execute("SELECT name, number FROM event_files").fetchall():
                if name not in names and number:
                    what = f"The file with {number} events of a device was removed."
                    problems.append(Problem(_where(name), what, audit.HINT, "error"))
        return count, problems

    def _own_name(self) -> str:
        self._name = self._name or device_name(self._state)
        return self._name

    def _names(self) -> list[str]:
        try:
            found = os.listdir(self.folder)
        except FileNotFoundError:
            return []
        return sorted(
            name.removesuffix(SUFFIX)
            for name in found
            if name.endswith(SUFFIX) and not name.startswith(".")
        )

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name + SUFFIX)

    def _changed(self) -> list[str]:
        names = self._names()
        if not names:
            return []
        with self._database.reading() as db:
            known = {
                name: (size, modified)
                for name, size, modified in db.execute(
                    "SELECT name, size, modified FROM event_files"
                ).fetchall()
            }
        return [name for name in names if self._seen(name) not in (None, known.get(name))]

    def _seen(self, name: str) -> tuple[int, int] | None:
        """Size and time of a file, or None when it is not a plain file."""
        try:
            found = os.lstat(self._path(name))
        except FileNotFoundError:
            return None
        return (found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None

    def _known(self, db: SqliteConnection, name: str) -> EventFileState:
        from ...rules import audit

        row = db.execute(
            "SELECT size, modified, consumed, number, hash FROM event_files WHERE name=?", (name,)
        ).fetchone()
        if row is None:
            return EventFileState(0, 0, 0, audit.empty_chain(name))
        size, modified, consumed, number, hash = row
        return EventFileState(size, modified, consumed, audit.Head(number, hash))

    def _remember(self, db: SqliteConnection, name: str, known: EventFileState) -> None:
        db.execute(
            "INSERT OR REPLACE INTO event_files VALUES(?, ?, ?, ?, ?, ?)",
            (
                name,
                known.size,
                known.modified,
                known.consumed,
                known.head.number,
                known.head.hash,
            ),
        )

    def _read_new(self, db: SqliteConnection, name: str) -> None:
        """Read the new events of one file, inside a transaction."""
        from ...rules import audit

        known, seen = self._known(db, name), self._seen(name)
        if seen is None:
            # The file is gone: its events stay in the tables, and it is read from its start again.
            self._remember(db, name, known.but(size=0, modified=0, consumed=0))
            return
        if seen == (known.size, known.modified):
            return
        start = known.consumed if seen[0] > known.size else 0
        data = self._read(name, start)
        fresh = _events(data)
        if start and not (fresh and fresh[0].previous == known.head.hash):
            # Not a continuation: the file was replaced as a whole.
            start, data = 0, self._read(name, 0)
            fresh = _events(data)
        head = audit.furthest_head(known.head, fresh)
        consumed = start + data.rfind(b"\n") + 1
        if is_device_name(name):
            self._events.add(db, name, fresh)
        else:
            # A copy that a sync tool made in a conflict: its events are in the original, but a
            # purge must hold even if they are not.
            self._events.bury(db, [one.event for one in fresh])
        self._remember(db, name, EventFileState(*seen, consumed, head))

    def _read_if_possible(self, db: SqliteConnection, name: str) -> None:
        try:
            self._read_new(db, name)
        except OSError:
            # One unreadable file must not close the book; `verify` reports it.
            return

    def _read(self, name: str, start: int = 0) -> bytes:
        with open(os.open(self._path(name), os.O_RDONLY | _REFUSE_LINKS), "rb") as file:
            file.seek(start)
            return file.read()

    def _write(self, name: str, lines: bytes, *, after: int) -> tuple[int, int]:
        """Append behind the last whole line; on any failure the file is as it was."""
        if os.path.isdir(self._path(name)):
            from ..common.repair import set_aside

            set_aside(self._path(name))
        new = not os.path.exists(self._path(name))
        if new:
            # Not the folders above it: an unmounted vault must not be begun anew where it was.
            with suppress(FileExistsError):
                os.mkdir(self.folder)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | _REFUSE_LINKS
        with open(os.open(self._path(name), flags, 0o644), "ab", buffering=0) as file:
            if os.fstat(file.fileno()).st_size > after:
                file.truncate(after)
            try:
                if file.write(lines) != len(lines):
                    raise OSError(28, "No space left on device")
                os.fsync(file.fileno())
            except BaseException:
                file.truncate(after)
                raise
            found = os.fstat(file.fileno())
        if new:
            sync_folder(self.folder)
            sync_folder(os.path.dirname(self.folder))
        return found.st_size, found.st_mtime_ns

    def _cut_torn_line(self, name: str) -> None:
        """Remove the torn line of an append that was killed; no caller was told it succeeded."""
        whole = self._read(name).rfind(b"\n") + 1
        if whole != os.path.getsize(self._path(name)):
            self._database.connection.require_file()
            os.truncate(self._path(name), whole)

    def _checked(
        self, db: SqliteConnection, name: str, erased: Mapping[str, str]
    ) -> audit.ChainChecked:
        from ...rules import audit

        where, known = _where(name), self._known(db, name)
        if not is_device_name(name):
            what = "This is not the event file of a device, but perhaps a copy of one."
            hint = "If a sync tool made it in a conflict, compare it with the original."
            return audit.ChainChecked((), (Problem(where, what, hint),))
        if self._seen(name) is None:
            what = "This is a link or a folder and is not read."
            return audit.ChainChecked((), (Problem(where, what, "Put the file itself there."),))
        try:
            if name == self._own_name():
                self._cut_torn_line(name)
            *whole, rest = self._read(name).decode("utf-8", "replace").split("\n")
        except OSError as error:
            what = f"The events cannot be read: {error.strerror}."
            return audit.ChainChecked((), (Problem(where, what, "Check the file's permissions."),))
        lines = [f"{line}\n" for line in whole] + ([rest] if rest else [])
        seen = known.head if known.head.number else None
        checked = audit.verify_chain(lines, name=name, where=where, seen=seen, erased=erased)
        if name != self._own_name() or not checked.problems:
            return checked
        problems = [one.but(hint=OWN_HINT) for one in checked.problems if one.severity == "error"]
        notices = [one for one in checked.problems if one.severity != "error"]
        return checked.but(problems=(*problems, *notices))


def _where(name: str) -> str:
    return f"_meta/events/{name}{SUFFIX}"


def _events(data: bytes) -> list[audit.Linked]:
    """The events of all whole lines."""
    whole = data[: data.rfind(b"\n") + 1].decode("utf-8", "replace")
    return list(readable(whole.split("\n")))
