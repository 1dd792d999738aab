"""SQLite connections: opened privately, committed all or nothing, errors in our own classes.

Several threads may use a connection, one at a time: code that shares one guards it with a lock.
"""

from __future__ import annotations

import _collections_abc
import _thread
import errno
import os
import sys
import time

from ...model.errors import Busy, CommonplaceError, Damaged, Unavailable
from ...model.quick_decorators import contextmanager
from ...model.quick_json import write_json
from .sql_dialect import SqlDialect

# apsw wants one class of `collections.abc`, whose import costs a cold start as much as eight
# modules of ours. It gets the module that defines the class, unless another thread might see it.
_SPARED = ("collections", "collections.abc")
_alone = not _thread._count()  # pyright: ignore[reportPrivateUsage]
if _alone and "collections" not in sys.modules:
    sys.modules.update(dict.fromkeys(_SPARED, _collections_abc))
    try:
        import apsw
    finally:
        for _name in _SPARED:
            del sys.modules[_name]
else:
    import apsw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from typing import Any, Protocol

    class Cursor(Protocol):
        """The rows of one statement."""

        @property
        def get(self) -> Any:
            """The first row, or its value when there is one column; None without rows."""
            ...

        def fetchone(self) -> tuple[Any, ...] | None:
            """The next row."""
            ...

        def fetchall(self) -> list[tuple[Any, ...]]:
            """The remaining rows."""
            ...

        def __iter__(self) -> Iterator[tuple[Any, ...]]: ...

    class SqliteConnection(Protocol):
        """The part of an apsw connection that backends use, typed the same on every Python."""

        @property
        def in_transaction(self) -> bool:
            """Whether a transaction is open."""
            ...

        def execute(self, statements: str, bindings: Any = None, /) -> Cursor:
            """Run statements."""
            ...

        def executemany(self, statements: str, rows: Iterable[Any], /) -> Cursor:
            """Run statements once for each row of bindings."""
            ...

        def changes(self) -> int:
            """How many rows the last statement changed."""
            ...

        def last_insert_rowid(self) -> int:
            """The row that was inserted last."""
            ...

        def set_busy_handler(self, again: Callable[[int], bool] | None, /) -> None:
            """Set the function that decides whether to retry, given the number of tries."""
            ...

        def close(self) -> None:
            """Let go of the file."""
            ...


APPLICATION_ID = 0x434F4D42
"""Marks a database file as ours; a file of another program is never written to."""
BUSY_TIMEOUT_S = 10.0
MOST_STEPS = 16
"""A file whose version is higher by more was not made by a newer Commonplace, but damaged."""

SQLITE = SqlDialect(
    in_list="IN (SELECT value FROM json_each(?))",
    bind_list=lambda values: write_json(list(values)),
    scope_column="scope",
)

_MEANINGS: tuple[
    tuple[tuple[type[Exception], ...], type[CommonplaceError] | None, str, str], ...
] = (
    (
        (apsw.BusyError, apsw.LockedError),
        Busy,
        "{} is in use by another process.",
        "Try again in a moment.",
    ),
    (
        (apsw.CorruptError, apsw.NotADBError),
        Damaged,
        "{} does not read as a database.",
        "Restore it from a backup; without one, `commonplace export` copies what can be read.",
    ),
    ((apsw.FullError,), None, "{} cannot grow: the disk is full.", "Free some space."),
    (
        (apsw.ReadOnlyError, apsw.PermissionsError, PermissionError),
        None,
        "{} may not be written.",
        "Check its permissions, and that its disk is not read-only.",
    ),
    (
        (apsw.CantOpenError, FileNotFoundError, NotADirectoryError),
        None,
        "{} cannot be opened.",
        "Check that its folder exists and may be written.",
    ),
    ((apsw.ConnectionClosedError,), None, "{} is closed.", "Open the book again."),
    (
        (apsw.IOError,),
        None,
        "{} cannot be read or written.",
        "Check that its disk is connected, has free space and is not read-only.",
    ),
)
"""Errors of the driver, the error each becomes (None: the backend's own) and its text."""


def connect(
    path: str, *, durable: bool, failure: type[Unavailable] = Unavailable
) -> SqliteConnection:
    """Open or create a database file that only its user can read.

    With `durable` a commit has reached the disk; without, a power cut may undo the last ones but
    never tears the file. Raises Damaged for a file that is not one of ours.
    """
    try:
        return connected(path, durable=durable)
    except (apsw.Error, OSError) as error:
        raise sqlite_error(error, failure, database_name(path)) from error


class DatabaseReplaced(Damaged):
    """A database could not be used and another took its place: the caller tries once more."""


MISREAD = (ValueError, TypeError, LookupError, OverflowError)
"""Errors of values that are not as they were written, such as a text that is no UTF-8."""


def connected(path: str, *, durable: bool) -> SqliteConnection:
    """Open or create a database file; raises the errors of SQLite and the file system."""
    _make_private(path)
    db: SqliteConnection = apsw.Connection(path)
    try:
        _prepare(db, path, durable=durable)
    except BaseException:
        db.close()
        raise
    return db


def identity(path: str) -> tuple[int, int] | None:
    """Device and number of the file at a path; None when there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def in_memory() -> SqliteConnection:
    """A new, empty database without a file."""
    return apsw.Connection(":memory:")


def be_patient(db: SqliteConnection, wait_s: float) -> None:
    """Let statements wait that long for another process to finish its write.

    SQLite's own timeout soon sleeps for a tenth of a second at a time; writes here take about a
    millisecond, so that a shorter sleep finds the file free.
    """
    began = 0.0

    def again(tries: int) -> bool:
        nonlocal began
        now = time.monotonic()
        if tries == 0:
            began = now
        if now - began > wait_s:
            return False
        time.sleep(min(0.0002 * (tries + 1), 0.005))
        return True

    db.set_busy_handler(again)


@contextmanager
def transaction(db: SqliteConnection) -> Generator[None]:
    """All or nothing: commits at the end, rolls back on any exit; nests."""
    nested = db.in_transaction
    # IMMEDIATE, because a transaction that starts as a reader may find itself unable to write.
    db.execute("SAVEPOINT nested" if nested else "BEGIN IMMEDIATE")
    try:
        yield
        db.execute("RELEASE nested" if nested else "COMMIT")
    except BaseException:
        # A full disk or an I/O error has already rolled everything back.
        if db.in_transaction:
            db.execute("ROLLBACK TO nested; RELEASE nested" if nested else "ROLLBACK")
        raise


@contextmanager
def sqlite_errors(failure: type[Unavailable], what: str = "The database") -> Generator[None]:
    """Turn SQLite's errors into our own."""
    try:
        yield
    except apsw.Error as error:
        raise sqlite_error(error, failure, what) from error


def sqlite_error(
    error: Exception, failure: type[Unavailable], what: str = "The database"
) -> CommonplaceError:
    """The error of ours that says what an error of SQLite or the file system means."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        error = apsw.FullError()
    for kinds, ours, sentence, hint in _MEANINGS:
        if isinstance(error, kinds):
            return (ours or failure)(sentence.format(what), hint=hint)
    return failure(f"{what} cannot be used: {error}.", hint="Check the disk.")


def migrate(db: SqliteConnection, steps: Sequence[str]) -> None:
    """Bring the schema to the newest step; each step runs once per file."""
    if _version(db) == len(steps):
        return
    with transaction(db):
        done = _version(db)
        if done > len(steps) + MOST_STEPS:
            raise Damaged("The database has a version that none of ours has.")
        if done > len(steps):
            raise Unavailable(
                "The database was made by a newer Commonplace.", hint="Upgrade Commonplace."
            )
        for step in steps[done:]:
            db.execute(step)
        db.execute(f"PRAGMA user_version={len(steps)}")


def empty_log(db: SqliteConnection, *, wait_s: float = 1.0) -> bool:
    """Move the write-ahead log into the database and cut it to nothing, so it keeps no old text.

    False when readers of other connections kept it in use; a later call succeeds.
    """
    deadline = time.monotonic() + wait_s
    while True:
        try:
            busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").get[0]
        except (apsw.BusyError, apsw.LockedError):
            busy = True
        if not busy or time.monotonic() > deadline:
            return not busy
        time.sleep(0.005)


def sweep(db: SqliteConnection) -> bool:
    """Rewrite the file, so that neither its free space nor its log keeps any deleted text.

    `secure_delete` alone does not do it: it leaves the copies that SQLite made when it moved
    rows between pages. False when the log was in use, as in `empty_log`.
    """
    db.execute("VACUUM")
    return empty_log(db)


def _version(db: SqliteConnection) -> int:
    return db.execute("PRAGMA user_version").get


def _make_private(path: str) -> None:
    """SQLite gives its log files the mode of the database, so that mode is set first."""
    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def _prepare(db: SqliteConnection, path: str, *, durable: bool) -> None:
    be_patient(db, BUSY_TIMEOUT_S)
    # Two processes that turn the same new file to WAL at once get Busy without any waiting.
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            _claim(db, path)
            db.execute("PRAGMA journal_mode=WAL")
            break
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.002)
    db.execute(
        f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'};"
        "PRAGMA secure_delete=ON; PRAGMA foreign_keys=ON"
    )


def _claim(db: SqliteConnection, path: str) -> None:
    if db.execute("PRAGMA application_id").get == APPLICATION_ID:
        return
    with transaction(db):
        if db.execute("PRAGMA application_id").get == APPLICATION_ID:
            return
        if db.execute("SELECT count(*) FROM sqlite_schema").get:
            raise Damaged(
                f"{database_name(path)} belongs to another program.", hint="Name a file of its own."
            )
        db.execute(f"PRAGMA application_id={APPLICATION_ID}")


def database_name(path: str) -> str:
    """The name of a database file in a message."""
    return f"The database {os.path.basename(path)}"
