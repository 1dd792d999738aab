"""What somebody hands over to be imported: a file, a folder, or a packed folder, seen alike.

Nothing is ever unpacked onto the disk, so a name inside can lead nowhere.
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

MOST_BYTES = 4 * 1024**3
"""The most that a packed folder may hold unpacked."""
MOST_NOTE_BYTES = 16 * 1024**2
"""The most that is read of a file as a whole."""


class ArchiveFile(ABC):
    """Named files that can be opened, again and again."""

    def __init__(self, name: str, names: list[str]) -> None:
        self.name = name
        """What a person calls it."""
        self.names = names
        """Its files, in order."""

    @abstractmethod
    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """One of its files, from the beginning."""

    def text(self, name: str) -> str:
        """A small file as a whole."""
        with self.open(name) as file:
            data = file.read(MOST_NOTE_BYTES + 1)
        if len(data) > MOST_NOTE_BYTES:
            raise BadInput(f"{name} in {self.name} is too large for a note.", hint="Leave it out.")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise damaged(self, name, "it is not UTF-8 text") from error

    def ending(self, *endings: str) -> list[str]:
        """The names that end so."""
        return [name for name in self.names if name.lower().endswith(endings)]

    def close(self) -> None:  # noqa: B027 - most have nothing to let go of
        """Let go of it."""


class OneFile(ArchiveFile):
    """A single file."""

    def __init__(self, path: str) -> None:
        super().__init__(os.path.basename(path), [os.path.basename(path)])
        self._path = path

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """The file."""
        with _readable(self.name), open(self._path, "rb") as file:
            yield file


class Folder(ArchiveFile):
    """A folder with whatever is below it, but for hidden files and links."""

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
        """A file of the folder."""
        with _readable(name), open(os.path.join(self._path, *name.split("/")), "rb") as file:
            yield file


class Packed(ArchiveFile):
    """A packed folder."""

    def __init__(self, name: str, file: str | IO[bytes], *, most_bytes: int = MOST_BYTES) -> None:
        try:
            self._packed = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
            raise BadInput(
                f"{name} is no packed folder, or a damaged one.", hint="Fetch or export it again."
            ) from error
        inside = [one for one in self._packed.infolist() if not one.is_dir()]
        if sum(one.file_size for one in inside) > most_bytes:
            raise BadInput(f"{name} is too large unpacked.", hint="Split it.")
        super().__init__(name, sorted(one.filename for one in inside if not _hidden(one.filename)))

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """A file of the packed folder."""
        try:
            with self._packed.open(name) as file:
                yield file
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
            raise damaged(self, name, "it cannot be unpacked") from error

    def close(self) -> None:
        """Let go of the file."""
        self._packed.close()


class InMemory(ArchiveFile):
    """A file that was sent, and never was on a disk here."""

    def __init__(self, name: str, data: bytes) -> None:
        super().__init__(name, [name])
        self._data = data

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes]]:
        """The file."""
        yield io.BytesIO(self._data)


def archive_at(path: str) -> ArchiveFile:
    """What lies at a path."""
    path = os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(path):
        return Folder(path)
    if not os.path.isfile(path):
        raise NotFound(f"There is no file or folder {path}.", hint="Check the path.")
    return Packed(os.path.basename(path), path) if is_packed(path) else OneFile(path)


def archive_of(name: str, data: bytes, *, most_bytes: int) -> ArchiveFile:
    """A file that was sent, by what it is called."""
    if is_packed(name):
        return Packed(name, io.BytesIO(data), most_bytes=most_bytes)
    return InMemory(name, data)


def is_packed(name: str) -> bool:
    """Whether a file is a packed folder, by its name."""
    return name.lower().endswith(".zip")


def damaged(parcel: ArchiveFile, name: str, how: str) -> BadInput:
    """What to say about a file that does not read as what it should be."""
    where = name if name == parcel.name else f"{name} in {parcel.name}"
    return BadInput(
        f"{where[:200]} cannot be imported: {how}.",
        hint="Nothing was changed. Fetch or export the file again.",
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
