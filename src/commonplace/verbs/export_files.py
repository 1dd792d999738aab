"""An export as a file or folder: there whole, or not at all."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

from ..errors import BadInput, Conflict
from ..results import Exported
from .exporting import as_document, as_lines, as_notes, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from ..model import Memory

FORMATS = {"jsonl": ".jsonl", "json": ".json", "zip": ".zip", "markdown": ""}
"""How a file's name ends in each; a folder of notes has no ending."""


class Counted:
    """Memories on their way out, counted as they go by."""

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._memories = memories
        self.count = 0

    def __iter__(self) -> Iterator[Memory]:
        for memory in self._memories:
            self.count += 1
            yield memory


def export_to(
    memories: Iterable[Memory], path: str, *, format: str | None = None, replace: bool = False
) -> Exported:
    """Write memories, by default in the format that the path's ending names."""
    path = os.path.abspath(os.path.expanduser(path))
    format = format or _format_of(path)
    if format not in FORMATS:
        raise BadInput(f"{format!r} is no format of exports.", hint=f"Use {', '.join(FORMATS)}.")
    _require_free(path, replace=replace)
    counted = Counted(memories)
    with _at_once(path) as draft:
        _write(counted, draft, format)
    return Exported(path, format, counted.count)


def _write(memories: Iterable[Memory], path: str, format: str) -> None:
    if format == "markdown":
        os.mkdir(path, 0o700)
        for name, text in as_notes(memories):
            note = os.path.join(path, *name.split("/"))
            os.makedirs(os.path.dirname(note), exist_ok=True)
            with open(note, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        return
    with open(path, "xb", opener=_private) as file:
        if format == "zip":
            pack(memories, file)
        else:
            file.writelines((as_lines if format == "jsonl" else as_document)(memories))
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _at_once(path: str) -> Generator[str]:
    """A place beside the wanted one, which takes the wanted one's name when all is written."""
    draft = f"{path}.{os.getpid()}.part"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        yield draft
        if os.path.isdir(path):
            os.rmdir(path)
        os.replace(draft, path)
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written: {error.strerror}.", hint="Choose another place."
        ) from error
    finally:
        if os.path.isdir(draft):
            shutil.rmtree(draft, ignore_errors=True)
        elif os.path.lexists(draft):
            os.unlink(draft)


def _private(path: str, flags: int) -> int:
    # Memories are somebody's own; whoever exports them decides who else reads the file.
    return os.open(path, flags, 0o600)


def _format_of(path: str) -> str:
    ending = os.path.splitext(path)[1].lower()
    return next((name for name, one in FORMATS.items() if one and one == ending), "markdown")


def _require_free(path: str, *, replace: bool) -> None:
    if os.path.isdir(path):
        # Never replaced: a folder may hold somebody's notes.
        if os.path.islink(path) or os.listdir(path):
            raise Conflict(f"The folder {path} is not empty.", hint="Name a new or an empty one.")
    elif os.path.lexists(path) and not replace:
        raise Conflict(f"{path} is there already.", hint="Choose another name, or use --replace.")
