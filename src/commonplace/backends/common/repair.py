"""Replace database files of the state folder that are damaged or cannot be written.

Several processes may notice the same damage: each takes a lock on the folder, and the first one
replaces the file. The others find another file there and open it.
"""

from __future__ import annotations

import errno
import os
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import apsw

from ...model.errors import CommonplaceError, Damaged
from ...model.memory import Problem
from . import sqlite
from .sqlite import MISREAD, DatabaseReplaced, sqlite_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterator, Mapping
    from typing import Any, Protocol

    from ...model.errors import Unavailable
    from .sqlite import SqliteConnection

    class ReplaceableFile(Protocol):
        """The part of a database file that a repair uses."""

        path: str
        name: str
        if_damaged: str
        failure: type[Unavailable]
        unwritable: CommonplaceError | None
        retry_at_s: float
        file: tuple[int, int] | None
        db: SqliteConnection | None
        prepare: Callable[[SqliteConnection], object]

        def opened(self) -> SqliteConnection:
            """A new connection to the file, with its tables."""
            ...

        def use(self, db: SqliteConnection, *, unwritable: CommonplaceError | None = None) -> None:
            """Go on with another connection."""
            ...

        def close(self) -> None:
            """Let go of the file."""
            ...


RETRY_S = 5.0
"""How long a copy in memory is used before the file is tried again."""
MOST_KEPT = 3
"""Damaged copies kept of one file."""
MARK = ".damaged-"
LOGS = ("-wal", "-shm")
_WITHOUT_LOG = "immutable=1"
_DAMAGE = (
    apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.ConstraintError, apsw.MismatchError,
    apsw.FormatError, apsw.RangeError, apsw.TooBigError, IsADirectoryError, Damaged, *MISREAD,
)  # fmt: skip
_READ_CODES = {
    apsw.SQLITE_IOERR_READ, apsw.SQLITE_IOERR_SHORT_READ, apsw.SQLITE_IOERR_CORRUPTFS,
    apsw.SQLITE_IOERR_DATA,
}  # fmt: skip
_UNWRITABLE = (
    apsw.FullError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.CantOpenError, apsw.IOError,
    PermissionError,
)  # fmt: skip
_UNWRITABLE_NUMBERS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


def replace(file: ReplaceableFile, error: Exception) -> CommonplaceError:
    """Replace a file that failed by a new one or by a copy in memory; returns the error to raise.

    An error that a new file does not mend is translated and changes nothing.
    """
    if clear_way(file.path):
        with suppress(apsw.Error, OSError, Damaged, *MISREAD):
            # Connections of one process share a log, so that the old one must go first.
            file.close()
            file.use(file.opened())
            return DatabaseReplaced(f"{file.name} was blocked.", hint="Try again.")
    truth = file.if_damaged == "raise"
    # A wrong type is more likely a caller's mistake, for which only a derived file may go.
    misused = isinstance(error, TypeError) and file.if_damaged != "remove"
    if file.unwritable is None and not truth and not misused and _is_damage(file.path, error):
        try:
            _make_anew(file)
            _mended[file.path] = file.if_damaged
            return DatabaseReplaced(
                f"{file.name} was damaged and has been replaced.", hint="Try again."
            )
        except (apsw.Error, OSError, Damaged) as failure:
            error = failure
    ours = _translated(file, error)
    # The truth in an open file can be read as it is, and a write to a copy would be lost.
    replaceable = file.unwritable is None and not (truth and file.db)
    if replaceable and _is_unwritable(error) and _copy_to_memory(file, ours):
        return DatabaseReplaced(f"{file.name} cannot be written.", hint=ours.hint)
    if file.db is None:
        raise ours from error
    return ours


def reopen(file: ReplaceableFile) -> None:
    """Open the file that is at the path now, and raise DatabaseReplaced.

    A copy in memory stays as long as the file cannot be written.
    """
    in_memory = file.unwritable is not None
    try:
        db = file.opened()
        if in_memory:
            _require_writable(db)
        file.use(db)
    except (apsw.Error, OSError, Damaged, *MISREAD) as error:
        if in_memory:
            file.retry_at_s = time.monotonic() + RETRY_S
            return
        raise replace(file, error) from error
    raise DatabaseReplaced(f"{file.name} was replaced by another process.", hint="Try again.")


def _require_writable(db: SqliteConnection) -> None:
    try:
        with sqlite.transaction(db):
            version: int = db.execute("PRAGMA user_version").get
            db.execute(f"PRAGMA user_version={version}")
    except BaseException:
        db.close()
        raise


def _is_damage(path: str, error: Exception) -> bool:
    if isinstance(error, apsw.IOError):
        code: int = getattr(error, "extendedresult", 0)
        return code in _READ_CODES
    if isinstance(error, apsw.CantOpenError):
        blocked = any(os.path.isdir(path + ending) for ending in ("", *LOGS))
        return blocked or (os.path.exists(path) and not os.access(path, os.R_OK))
    return isinstance(error, _DAMAGE)


def _is_unwritable(error: Exception) -> bool:
    if isinstance(error, OSError) and error.errno in _UNWRITABLE_NUMBERS:
        return True
    return isinstance(error, _UNWRITABLE)


def _translated(file: ReplaceableFile, error: Exception) -> CommonplaceError:
    if isinstance(error, CommonplaceError):
        return error
    if isinstance(error, MISREAD):
        return Damaged(
            f"{file.name} does not read back as it was written.", hint="Restore it from a backup."
        )
    return sqlite_error(error, file.failure, file.name)


def _make_anew(file: ReplaceableFile) -> None:
    """Set the damaged file aside and make a new one, unless another process did."""
    with _folder_lock(os.path.dirname(file.path)):
        if file.db is None or file.file != sqlite.identity(file.path):
            # Another process may have replaced the file already.
            with suppress(apsw.Error, OSError, Damaged, *MISREAD):
                file.use(file.opened())
                return
        set_aside(file.path, keep=file.if_damaged == "rename")
        file.use(file.opened())


def _copy_to_memory(file: ReplaceableFile, why: CommonplaceError) -> bool:
    """Go on with a copy of the file in memory, or an empty database; False if it is the truth."""
    if (copy := _copy_of_open(file)) is not None:
        file.use(copy, unwritable=why)
        file.retry_at_s = time.monotonic() + RETRY_S
        return True
    for address in _addresses(file.path):
        copy = sqlite.in_memory()
        try:
            _fill(copy, address)
            if _WITHOUT_LOG in address and _has_log(file.path):
                _require_sound(copy)
            file.prepare(copy)
            break
        except (apsw.Error, Damaged, *MISREAD):
            copy.close()
    else:
        if file.if_damaged == "raise":
            return False
        copy = sqlite.in_memory()
        file.prepare(copy)
    file.use(copy, unwritable=why)
    file.retry_at_s = time.monotonic() + RETRY_S
    return True


def _copy_of_open(file: ReplaceableFile) -> SqliteConnection | None:
    """Copy what the open connection reads into memory; None if it is closed or of another file.

    Opened anew the file may be without its log, which another connection cannot share or has not
    moved into it yet: then the copy would be of the file as it was long ago, or empty.
    """
    if file.db is None or file.file != sqlite.identity(file.path):
        return None
    copy: Any = sqlite.in_memory()
    try:
        if file.db.in_transaction:
            file.db.execute("ROLLBACK")
        with copy.backup("main", file.db, "main") as backup:
            backup.step()
        _require_sound(copy)
        file.prepare(copy)
    except (apsw.Error, Damaged, *MISREAD):
        copy.close()
        return None
    return copy


def _has_log(path: str) -> bool:
    return os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal") > 0


def _require_sound(copy: SqliteConnection) -> None:
    """Raise Damaged for a copy with damage, such as half of what a log was to move into it."""
    if copy.execute("PRAGMA integrity_check").get != "ok":
        raise Damaged("The file does not read as a whole.")


def _opened(address: str, flags: int) -> SqliteConnection:
    return apsw.Connection(address, flags=flags)


def _addresses(path: str) -> Iterator[str]:
    """Ways to read a file without writing: with its log, and, on a read-only disk, without."""
    from urllib.parse import quote

    if os.path.exists(path):
        address = f"file:{quote(os.path.abspath(path))}"
        yield f"{address}?mode=rw"
        yield f"{address}?{_WITHOUT_LOG}&mode=ro"


def _fill(copy: Any, address: str) -> None:
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
    source = _opened(address, flags)
    try:
        # With the whole file locked, SQLite reads the log without the file that shares it.
        source.execute("PRAGMA locking_mode=EXCLUSIVE")
        if source.execute("PRAGMA application_id").get != sqlite.APPLICATION_ID:
            raise Damaged("The file is not a database of Commonplace.")
        with copy.backup("main", source, "main") as backup:
            backup.step()
    finally:
        source.close()


@contextmanager
def _folder_lock(folder: str) -> Generator[None]:
    """Let one process at a time replace files of a folder, where the platform can."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def set_aside(path: str, *, keep: bool = True) -> None:
    """Rename a damaged file, or remove it, so that a new one can take its place."""
    if keep or os.path.isdir(path):
        _rename(path)
        for old in kept_copies(path)[:-MOST_KEPT]:
            _remove(old)
    _remove(path)
    clear_way(path)
    for ending in LOGS:
        _remove(path + ending)


def clear_way(path: str) -> bool:
    """Rename folders that stand where SQLite keeps its logs; whether there were any."""
    blocked = [path + ending for ending in LOGS if os.path.isdir(path + ending)]
    for log in blocked:
        _rename(log)
    return bool(blocked)


def _rename(path: str) -> None:
    at = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S.%f")
    with suppress(FileNotFoundError):
        os.rename(path, f"{path}{MARK}{at}Z")


def kept_copies(path: str) -> list[str]:
    """The damaged copies of a file, oldest first."""
    folder, name = os.path.split(path)
    try:
        found = os.listdir(folder or ".")
    except OSError:
        return []
    return sorted(os.path.join(folder, one) for one in found if one.startswith(name + MARK))


def drop_kept_copies(path: str) -> None:
    """Remove the damaged copies of a file, which may hold text that is being erased."""
    for copy in kept_copies(path):
        _remove(copy)


_mended: dict[str, str] = {}
"""Files that this process replaced, and whether they were renamed or removed."""


def examine(folder: str, *, derived: Collection[str], lost: Mapping[str, str]) -> list[Problem]:
    """Check every database below a folder, replace damaged ones, and say what was damaged.

    `derived` names the files that can be made again, `lost` what is lost with the others.
    """
    for at, folders, names in os.walk(folder):
        for name in sorted((*names, *folders)):
            path = os.path.join(at, name)
            if name.endswith(".db"):
                clear_way(path)
            if name.endswith(".db") and not _is_sound(path):
                keep = name not in derived and os.path.basename(at) not in derived
                with _folder_lock(at):
                    set_aside(path, keep=keep)
                _mended[path] = "rename" if keep else "remove"
    made_again = [
        Problem(
            path,
            "This file was damaged and has been removed; it is made again. Nothing is lost.",
            "Nothing is to be done. If it happens again, check the disk.",
        )
        for path, how in sorted(_mended.items())
        if how == "remove" and path.startswith(os.path.join(folder, ""))
    ]
    for problem in made_again:
        del _mended[problem.where]
    return [*made_again, *kept_copies_below(folder, lost)]


def _is_sound(path: str) -> bool:
    """Whether SQLite finds no damage in a file; one that cannot be opened now counts as sound."""
    try:
        db = _opened(path, apsw.SQLITE_OPEN_READWRITE)
        try:
            sqlite.be_patient(db, sqlite.BUSY_TIMEOUT_S)
            return db.execute("PRAGMA integrity_check(1)").get == "ok"
        finally:
            db.close()
    except (apsw.Error, *MISREAD) as error:
        return not _is_damage(path, error)


def kept_copies_below(folder: str, lost: Mapping[str, str]) -> Iterator[Problem]:
    """A problem for each damaged copy; `lost` says what was lost with a file, by its name."""
    for at, folders, names in os.walk(folder):
        for name in sorted((*names, *folders)):
            original, mark, when = name.partition(MARK)
            if mark:
                what = lost.get(original)
                yield Problem(
                    os.path.join(at, name),
                    f"{original} was damaged and set aside on {when[:10]}."
                    + (f" Lost with it: {what}." if what else " Nothing is lost."),
                    "Restore from a backup what you need of it, then delete this file."
                    if what
                    else "Delete this file.",
                )


def _remove(path: str) -> None:
    """Remove a file; a folder stays, because nothing of ours makes one there."""
    if not os.path.isdir(path):
        with suppress(FileNotFoundError):
            os.unlink(path)
