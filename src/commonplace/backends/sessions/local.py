"""Sessions in a SQLite file of this device."""

from __future__ import annotations

from _thread import RLock
from contextlib import contextmanager
from datetime import UTC, datetime

from ...model.errors import Busy
from ...rules.session_limits import (
    HeldEntry,
    SessionLimits,
    best_entries,
    checked_entry,
    entries_within_limits,
    session_scope,
)
from ..common.sqlite import empty_log, migrate, sweep, transaction
from ..common.sqlite_file import SqliteFile, retrying

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from ...model.scope import Tenant
    from ...ports.session_store import SessionEntry
    from ..common.sqlite import SqliteConnection

SCHEMA = """
CREATE TABLE sessions(name TEXT PRIMARY KEY, used REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE entries(
  session TEXT NOT NULL, id TEXT NOT NULL, held TEXT NOT NULL, PRIMARY KEY(session, id)
) WITHOUT ROWID;
CREATE TABLE states(
  session TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, written REAL NOT NULL,
  PRIMARY KEY(session, name)
) WITHOUT ROWID;
CREATE TRIGGER gone AFTER DELETE ON sessions BEGIN
  DELETE FROM entries WHERE session=old.name;
  DELETE FROM states WHERE session=old.name;
END;
"""


class LocalSessions:
    """One file for all sessions of a book, shared by threads and processes."""

    capabilities = frozenset({"durable"})

    def __init__(self, path: str, limits: SessionLimits | None = None) -> None:
        self.limits = limits or SessionLimits()
        self._lock = RLock()
        self._db = SqliteFile(
            path, prepare=lambda db: migrate(db, [SCHEMA]), if_damaged="rename", durable=True
        )

    @property
    def status(self) -> str:
        """The location of the sessions, for a person."""
        return "local"

    @retrying
    def append(self, session: str, entries: Sequence[SessionEntry], *, now: datetime) -> None:
        """Add or replace entries durably, and evict entries past the limits."""
        new = [checked_entry(entry) for entry in entries]
        at = now.timestamp()
        with self._writing() as db:
            self._mark_used(db, session, at)
            held = {one.entry.id: one for one in _read_entries(db, session)}
            number = max((one.number for one in held.values()), default=0)
            for entry in new:
                number += 1
                before = held.get(entry.id)
                held[entry.id] = HeldEntry(entry, before.number if before else number, at, at)
            staying = {
                one.entry.id for one in entries_within_limits(held.values(), self.limits, at)
            }
            _put(db, session, (held[entry.id] for entry in new if entry.id in staying))
            _remove(db, session, (id for id in held if id not in staying))

    @retrying
    def entries(
        self, session: str, *, now: datetime, limit: int | None = None
    ) -> list[SessionEntry]:
        """The entries of a session, oldest first; with a limit, the newest ones."""
        found = [one.entry for one in self._live(session, now.timestamp())]
        return found if limit is None else found[max(0, len(found) - limit) :]

    @retrying
    def search(
        self, session: str, query: str, *, now: datetime, limit: int = 10
    ) -> list[SessionEntry]:
        """The entries that match a query best, best first."""
        at = now.timestamp()
        best = best_entries(self._live(session, at), query, limit=limit)
        if best:
            with self._writing(lasting=False) as db:
                self._mark_used(db, session, at)
                _put(db, session, (one.but(used=at) for one in best))
        return [one.entry for one in best]

    @retrying
    def put_state(self, session: str, name: str, value: str, *, now: datetime) -> None:
        """Store a named text with the session, such as a task's plan."""
        at = now.timestamp()
        with self._writing() as db:
            self._mark_used(db, session, at)
            row = (session, name, value, at)
            db.execute("INSERT OR REPLACE INTO states VALUES(?, ?, ?, ?)", row)

    def state(self, session: str, name: str, *, now: datetime) -> str | None:
        """A named text of the session."""
        return self.states(session, now=now).get(name, (None, 0.0))[0]

    @retrying
    def states(self, session: str, *, now: datetime) -> dict[str, tuple[str, float]]:
        """Every named text of a session, with the time of its last write."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT states.name, value, written FROM states"
                " JOIN sessions ON session=sessions.name WHERE session=? AND used>?",
                (session, self._oldest(now.timestamp())),
            ).fetchall()
        return {name: (value, written) for name, value, written in rows}

    @retrying
    def sessions(self, prefix: str = "", *, now: datetime) -> list[str]:
        """The names of live sessions, the most recently used first."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT name FROM sessions WHERE used>? AND substr(name, 1, ?)=?"
                " ORDER BY used DESC, name",
                (self._oldest(now.timestamp()), len(prefix), prefix),
            ).fetchall()
        return [name for (name,) in rows]

    @retrying
    def timed_entries(self, session: str, *, now: datetime) -> list[HeldEntry]:
        """The entries with their times, for copying them to another store."""
        return self._live(session, now.timestamp())

    @retrying
    def last_used(self) -> datetime | None:
        """When any session was last used; None without sessions."""
        with self._reading() as db:
            used: float | None = db.execute("SELECT max(used) FROM sessions").get
        return None if used is None else datetime.fromtimestamp(used, UTC)

    @retrying
    def end(self, session: str) -> None:
        """Delete a session."""
        with self._writing() as db:
            db.execute("DELETE FROM sessions WHERE name=?", (session,))

    @retrying
    def sweep(self, *, now: datetime) -> int:
        """Delete expired sessions and entries; returns the number of sessions."""
        at = now.timestamp()
        with self._writing() as db:
            db.execute("DELETE FROM sessions WHERE used<=?", (self._oldest(at),))
            gone = db.changes()
            for (session,) in db.execute("SELECT name FROM sessions").fetchall():
                held = _read_entries(db, session)
                staying = {one.entry.id for one in entries_within_limits(held, self.limits, at)}
                _remove(db, session, (one.entry.id for one in held if one.entry.id not in staying))
        with self._reading() as db:
            empty_log(db)
        return gone

    @retrying
    def wipe(self, tenant: Tenant) -> int:
        """Delete every session of a tenant permanently; returns their number."""
        with self._writing() as db:
            names = [name for (name,) in db.execute("SELECT name FROM sessions").fetchall()]
            gone = [name for name in names if tenant.has(session_scope(name))]
            db.executemany("DELETE FROM sessions WHERE name=?", [(name,) for name in gone])
        from ..common.repair import drop_kept_copies

        drop_kept_copies(self._db.path)
        with self._reading() as db:
            swept = sweep(db)
        if not swept:
            raise Busy(
                "The sessions are deleted, but a long read keeps them in the file's log.",
                hint="Erase the user again when nothing else uses the book.",
            )
        return len(gone)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def _mark_used(self, db: SqliteConnection, session: str, at: float) -> None:
        """Delete expired sessions and note the use of this one."""
        db.execute("DELETE FROM sessions WHERE used<=?", (self._oldest(at),))
        db.execute(
            "INSERT INTO sessions VALUES(?1, ?2)"
            " ON CONFLICT(name) DO UPDATE SET used=max(used, excluded.used)",
            (session, at),
        )

    def _live(self, session: str, at: float) -> list[HeldEntry]:
        with self._reading() as db:
            alive = db.execute(
                "SELECT 1 FROM sessions WHERE name=? AND used>?", (session, self._oldest(at))
            ).get
            held = _read_entries(db, session) if alive else []
        return entries_within_limits(held, self.limits, at)

    def _oldest(self, at: float) -> float:
        return at - self.limits.ttl_s

    @contextmanager
    def _reading(self) -> Generator[SqliteConnection]:
        with self._lock, self._db.guard():
            yield self._db

    @contextmanager
    def _writing(self, *, lasting: bool = True) -> Generator[SqliteConnection]:
        with self._reading() as db:
            if lasting:
                self._db.require_file()
            with transaction(db):
                yield db


def _read_entries(db: SqliteConnection, session: str) -> list[HeldEntry]:
    rows = db.execute("SELECT held FROM entries WHERE session=?", (session,)).fetchall()
    return [HeldEntry.from_json(text) for (text,) in rows]


def _remove(db: SqliteConnection, session: str, ids: Iterable[str]) -> None:
    db.executemany("DELETE FROM entries WHERE session=? AND id=?", [(session, id) for id in ids])


def _put(db: SqliteConnection, session: str, held: Iterable[HeldEntry]) -> None:
    db.executemany(
        "INSERT OR REPLACE INTO entries VALUES(?, ?, ?)",
        [(session, one.entry.id, one.to_json()) for one in held],
    )
