"""A file, folder, zip file or upload to import, behind one interface.

A zip file is never unpacked onto the disk, so a path inside it cannot overwrite anything.
"""

from __future__ import annotations

import io
import os
import zipfile
from abc import ABC, abstractmethod
from contextlib import contextmanager

from ...model.errors import BadInput, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import IO

MAX_UNPACKED_BYTES = 4 * 1024**3
"""Largest unpacked size of a zip file."""
MAX_TEXT_BYTES = 16 * 1024**2
"""Largest file that is read as a whole."""
WAL = "-wal"
"""The ending of a database's write-ahead log."""


class ArchiveFile(ABC):
    """Named files that can be opened repeatedly."""

    def __init__(self, name: str, names: list[str]) -> None:
        self.name = name
        """The name in messages."""
        self.names = names
        """The names of its files, sorted."""
        self.links = 0
        """Links that are not followed, because they may lead out of the folder."""

    @abstractmethod
    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """Open one of its files."""

    def text(self, name: str) -> str:
        """The whole text of a small file."""
        with self.open(name) as file:
            data = file.read(MAX_TEXT_BYTES + 1)
        if len(data) > MAX_TEXT_BYTES:
            raise BadInput(f"{name} in {self.name} is too large for a note.", hint="Leave it out.")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise damaged_error(self, name, "it is not UTF-8 text") from error

    def ending(self, *endings: str) -> list[str]:
        """The names with one of these endings."""
        return [name for name in self.names if name.lower().endswith(endings)]

    def has(self, path: str) -> bool:
        """Whether a path leads to a file or folder of it, or to where nobody can look."""
        if path == "." or path.startswith(".."):
            return True
        return any(name == path or name.startswith(f"{path}/") for name in self.names)

    def size(self, name: str) -> int:
        """The bytes of one of its files."""
        with self.open(name) as file:
            return file.seek(0, io.SEEK_END)

    def close(self) -> None:  # noqa: B027 - most have nothing to close
        """Close the file."""


class SingleFile(ArchiveFile):
    """A single file, with the write-ahead log of a database that is in use."""

    def __init__(self, path: str) -> None:
        name = os.path.basename(path)
        logged = [f"{name}{WAL}"] if os.path.isfile(f"{path}{WAL}") else []
        super().__init__(name, [name, *logged])
        self._folder = os.path.dirname(path)

    def has(self, path: str) -> bool:
        """Whether a path leads from the file's folder to a file or folder."""
        return os.path.lexists(os.path.join(self._folder, path))

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """Open the file, or the log beside it."""
        with _readable(name), open(os.path.join(self._folder, name), "rb") as file:
            yield file


class FolderArchive(ArchiveFile):
    """A folder and its subfolders, without hidden files and links."""

    def __init__(self, path: str) -> None:
        self._path = path
        found: list[str] = []
        links = 0
        for folder, folders, files in os.walk(path):
            linked = [one for one in (*folders, *files) if _is_link(folder, one)]
            links += len(linked)
            folders[:] = sorted(one for one in folders if not one.startswith("."))
            inside = os.path.relpath(folder, path)
            prefix = "" if inside == "." else inside.replace(os.sep, "/") + "/"
            whole = (one for one in files if one not in linked)
            found += [f"{prefix}{one}" for one in sorted(whole) if not one.startswith(".")]
        super().__init__(os.path.basename(os.path.normpath(path)), found)
        self.links = links

    def has(self, path: str) -> bool:
        """Whether a path leads from the folder to a file or folder, hidden ones included."""
        return os.path.lexists(os.path.join(self._path, path))

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """Open a file of the folder."""
        with _readable(name), open(os.path.join(self._path, *name.split("/")), "rb") as file:
            yield file


class ZipArchive(ArchiveFile):
    """A zip file."""

    def __init__(
        self, name: str, file: str | IO[bytes], *, most_bytes: int = MAX_UNPACKED_BYTES
    ) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
            raise BadInput(
                f"{name} is not a zip file, or a damaged one.", hint="Download or export it again."
            ) from error
        inside = [one for one in self._zip.infolist() if not one.is_dir()]
        if sum(one.file_size for one in inside) > most_bytes:
            raise BadInput(f"{name} is too large unpacked.", hint="Split it.")
        super().__init__(name, sorted(one.filename for one in inside if not _hidden(one.filename)))

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """Open a file of the zip file."""
        try:
            with self._zip.open(name) as file:
                yield file
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
            raise damaged_error(self, name, "it cannot be unpacked") from error

    def size(self, name: str) -> int:
        """The bytes of one of its files when unpacked."""
        return self._zip.getinfo(name).file_size

    def close(self) -> None:
        """Close the zip file."""
        self._zip.close()


class UploadedFile(ArchiveFile):
    """An uploaded file in memory."""

    def __init__(self, name: str, data: bytes) -> None:
        super().__init__(name, [name])
        self._data = data

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """Open the file."""
        yield io.BytesIO(self._data)


def archive_at(path: str) -> ArchiveFile:
    """The file, folder or zip file at a path."""
    if not path.strip():
        # An empty path would mean the folder that the caller happens to stand in.
        raise BadInput("This names no file.", hint="Name a file or a folder to read.")
    path = os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(path):
        return FolderArchive(path)
    if not os.path.isfile(path):
        raise NotFound(f"There is no file or folder {path}.", hint="Check the path.")
    return ZipArchive(os.path.basename(path), path) if is_zip(path) else SingleFile(path)


def archive_of(name: str, data: bytes, *, most_bytes: int) -> ArchiveFile:
    """An uploaded file or zip file."""
    if is_zip(name):
        return ZipArchive(name, io.BytesIO(data), most_bytes=most_bytes)
    return UploadedFile(name, data)


def is_zip(name: str) -> bool:
    """Whether the name is that of a zip file."""
    return name.lower().endswith(".zip")


def damaged_error(archive: ArchiveFile, name: str, how: str) -> BadInput:
    """The error for a damaged file."""
    where = name if name == archive.name else f"{name} in {archive.name}"
    return BadInput(
        f"{where[:200]} cannot be imported: {how}.",
        hint="Nothing was changed. Download or export the file again.",
    )


def _is_link(folder: str, name: str) -> bool:
    return not name.startswith(".") and os.path.islink(os.path.join(folder, name))


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in name.split("/"))


@contextmanager
def _readable(name: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise BadInput(
            f"{name} cannot be read: {error.strerror}.", hint="Check its permissions."
        ) from error
