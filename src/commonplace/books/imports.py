"""Recognize files of other memory systems, so that `import` can read them."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..model.memory import Draft
    from ..model.results import LeftOut


class Import(Value):
    """A recognized file of memories, which can be read more than once."""

    kind: str
    drafts: Callable[[], Iterator[Draft | LeftOut]]
    close: Callable[[], None]


def import_formats() -> tuple[str, ...]:
    """The names of the formats that `--as` takes."""
    from ..backends.imports.formats import KINDS

    return KINDS


def open_import(path: str, kind: str | None = None) -> Import:
    """Recognize a file or folder of another memory; BadInput when its format is unknown."""
    from ..backends.imports.archive_file import archive_at
    from ..backends.imports.formats import recognize_format

    found = recognize_format(archive_at(path), kind)
    return Import(found.kind, found.drafts, found.close)


def read_import(name: str, data: bytes, *, most_bytes: int) -> Import:
    """Recognize an uploaded file by its name and content."""
    from ..backends.imports.archive_file import archive_of
    from ..backends.imports.formats import recognize_format

    found = recognize_format(archive_of(name, data, most_bytes=most_bytes))
    return Import(found.kind, found.drafts, found.close)
