"""The files below a vault's root: read, replaced and removed whole, never outside the root."""

from __future__ import annotations

import errno
import os
import stat
import zlib

from ...model.errors import BadLocator, StoreUnavailable
from ...model.quick_decorators import contextmanager, suppress
from ...model.value import Value
from ...notes.places import MAX_NOTE_BYTES, checked_locator
from .listing import folder_time, stat_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Opening a pipe that is named like a note must not block."""
PARALLEL_FROM = 8
THREADS = 8


class Unread(Exception):
    """The file exists but cannot be read as a note; the message says why."""


class Content(Value):
    """The bytes of a file, its time and the hash of its stat fields."""

    data: bytes
    modified_s: float
    stat_hash: int

    @property
    def crc(self) -> int:
        """A checksum, to tell an edit from a mere touch."""
        return zlib.crc32(self.data)


class Files:
    """A vault's folder. Every path is a locator: relative, with `/`, and checked."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._inside: set[str] = set()

    def path(self, locator: str) -> str:
        """The real path of a locator; refuses one that a link would lead outside."""
        folder = checked_locator(locator).rpartition("/")[0]
        if folder not in self._inside:
            whole = os.path.join(self.root, folder)
            if os.path.realpath(whole) != os.path.normpath(whole):
                raise BadLocator(
                    f"{folder!r} is reached through a link.",
                    hint="Replace the link by a folder inside the vault.",
                )
            self._inside.add(folder)
        return os.path.join(self.root, locator)

    def forget_links(self) -> None:
        """Forget which folders were checked for links."""
        self._inside.clear()

    def read(self, locator: str) -> Content | None:
        """The bytes of a file; None when there is none. Raises Unread."""
        try:
            file = os.open(self.path(locator), os.O_RDONLY | _NO_FOLLOW | _NO_WAIT | _BINARY)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EMLINK):
                raise Unread("it is a link, and links are not followed") from error
            if error.errno in (errno.EACCES, errno.EPERM, errno.EISDIR):
                raise Unread("it may not be opened") from error
            raise disk_error(error, self.root) from error
        try:
            return _content(file)
        except OSError as error:
            raise disk_error(error, self.root) from error
        finally:
            os.close(file)

    def read_or_none(self, locator: str) -> Content | None:
        """The bytes of a file; None also when it cannot be read."""
        try:
            return self.read(locator)
        except Unread:
            return None

    def stat_hash(self, locator: str) -> int | None:
        """The hash of a file's stat fields; None when there is no file that may be seen."""
        try:
            return stat_hash(os.lstat(self.path(locator)))
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return None

    def folder_time(self, folder: str) -> int | None:
        """The time of a folder of the vault; None if it is gone, or is a link."""
        path = os.path.join(self.root, folder) if folder else self.root
        try:
            # The vault itself may be reached through a link.
            found = os.lstat(path) if folder else os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return folder_time(found) if stat.S_ISDIR(found.st_mode) else None

    def stat(self, locator: str, text: str) -> Content:
        """The content of a file just written with that text."""
        found = os.lstat(self.path(locator))
        return Content(text.encode(), found.st_mtime_ns / 1e9, stat_hash(found))

    def prepare(self, texts: Mapping[str, bytes], mark: str, ready: dict[str, str]) -> None:
        """Write each text durably to a temporary file beside its place; adds those to `ready`."""
        for locator in texts:
            path = self.path(locator)
            folder, name = os.path.split(path)
            if not os.path.isdir(folder):
                self._make_folder(folder)
            ready[locator] = os.path.join(folder, f".{name}.{mark}.tmp")
        run_parallel([lambda p=ready[at], d=data: write_whole(p, d) for at, data in texts.items()])

    def _make_folder(self, folder: str) -> None:
        made = folder
        while not os.path.isdir(os.path.dirname(made)):
            made = os.path.dirname(made)
        os.makedirs(folder, exist_ok=True)
        # A new folder is an entry of the one above it, which must be synced to survive a crash.
        while len(made) <= len(folder):
            sync_folder(os.path.dirname(made))
            if made == folder:
                break
            made = os.path.join(made, os.path.relpath(folder, made).split(os.sep)[0])


def _content(file: int) -> Content:
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode):
        raise Unread("it is not a file")
    if found.st_size > MAX_NOTE_BYTES:
        raise Unread(f"it is larger than {MAX_NOTE_BYTES // 1_000_000} MB")
    parts: list[bytes] = []
    while part := os.read(file, 1 << 20):
        parts.append(part)
    return Content(b"".join(parts), found.st_mtime_ns / 1e9, stat_hash(found))


def write_whole(path: str, data: bytes) -> None:
    """A new file with these bytes on the disk, or no file."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
    try:
        file = os.open(path, flags, 0o666)
    except FileExistsError:
        # A killed writer with our process number left it.
        os.unlink(path)
        file = os.open(path, flags, 0o666)
    try:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(file, left) :]
            os.fsync(file)
        finally:
            os.close(file)
    except BaseException:
        os.unlink(path)
        raise


def write_atomically(path: str, data: bytes, *, replace: bool = True) -> None:
    """Put a file in place, whole and durable; without `replace` only where there is none."""
    temporary = os.path.join(
        os.path.dirname(path), f".{os.path.basename(path)}.{os.getpid()}-{os.urandom(3).hex()}.tmp"
    )
    write_whole(temporary, data)
    try:
        if replace:
            os.replace(temporary, path)
        else:
            _put_new(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    sync_folder(os.path.dirname(path))


def _put_new(temporary: str, path: str) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # A disk without links: another file may appear between the check and the rename.
        if os.path.lexists(path):
            raise FileExistsError(path) from None
        os.replace(temporary, path)
        return
    os.unlink(temporary)


def sync_folder(folder: str) -> None:
    """Sync a folder's renames and removals to the disk, where the platform can."""
    if os.name == "nt":
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(file)


def run_parallel(jobs: Sequence[Callable[[], None]]) -> None:
    """Run jobs that wait for the disk, several at a time: it syncs many files as fast as one."""
    if len(jobs) < PARALLEL_FROM:
        for job in jobs:
            job()
        return
    import threading

    waiting, failures = iter(jobs), list[BaseException]()

    def work() -> None:
        try:
            # `next` on a list's iterator is atomic.
            for job in waiting:
                if failures:
                    return
                job()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@contextmanager
def disk_errors(root: str) -> Generator[None]:
    """Turn an OSError into StoreUnavailable."""
    try:
        yield
    except OSError as error:
        raise disk_error(error, root) from error


def disk_error(error: OSError, root: str) -> StoreUnavailable:
    """The error of ours that says what an OSError means for the vault."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreUnavailable(
            f"The disk of the vault at {root} is full.", hint="Free some space and try again."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StoreUnavailable(
            f"The vault at {root} may not be read or written.",
            hint="Check the folder's permissions, and that its disk is not read-only.",
        )
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return StoreUnavailable(
            f"Part of the vault at {root} is not there.", hint="Check that its disk is connected."
        )
    return StoreUnavailable(
        f"The vault at {root} cannot be used: {error.strerror}.", hint="Check the disk."
    )
