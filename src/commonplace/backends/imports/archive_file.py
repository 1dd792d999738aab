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


class ArchiveFile(ABC):
    """Named files that can be opened repeatedly."""

    def __init__(self, name: str, names: list[str]) -> None:
        self.name = name
        """The name in messages."""
        self.names = names
        """The names of its files, sorted."""

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

    def close(self) -> None:  # noqa: B027 - most have nothing to close
        """Close the file."""


class SingleFile(ArchiveFile):
    """A single file."""

    def __init__(self, path: str) -> None:
        super().__init__(os.path.basename(path), [os.path.basename(path)])
        self._path = path

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """Open the file."""
        with _readable(self.name), open(self._path, "rb") as file:
            yield file


class FolderArchive(ArchiveFile):
    """A folder and its subfolders, without hidden files and links."""

    def __init__(self, path: str) -> None:
        self._path = path
        found: list[str] = []
        for folder, folders, files in os.walk(path):
            folders[:] = sorted(one for one in folders if not one.startswith("."))
            inside = os.path.relpath(folder, path)
            prefix = "" if inside == "." else inside.replace(os.sep, "/") + "/"
            whole = (one for one in files if not os.path.islink(os.path.join(folder, one)))
            found += [f"{prefix}{one}" for one in sorted(whole) if not one.startswith(".")]
        super().__init__(os.path.basename(os.path.normpath(path)), found)

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
