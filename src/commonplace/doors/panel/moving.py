"""Memories as files to take away, and files as memories to take in."""

from __future__ import annotations

import io
from contextlib import closing
from typing import TYPE_CHECKING

from ...assemble import read_import
from ...errors import BadInput
from ...verbs.exporting import as_document, pack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...assemble import Import
    from ...book import Commonplace
    from ...model import Memory
    from ...results import Imported

MOST_BYTES = 64 * 1024 * 1024
"""The largest file that is taken in, packed or unpacked."""


def every(book: Commonplace, ids: Sequence[str] = (), *, old: bool = False) -> Iterator[Memory]:
    """The memories that are meant: those with these ids, or all; with `old`, retired ones too."""
    return book.export(ids=ids or None, everything=old or bool(ids))


def as_json(memories: Iterator[Memory]) -> Iterator[bytes]:
    """One JSON document, a piece at a time."""
    return as_document(memories)


def as_markdown(memories: Iterator[Memory]) -> bytes:
    """A packed folder of notes, each with its frontmatter, a folder for each scope."""
    packed = io.BytesIO()
    pack(memories, packed)
    return packed.getvalue()


def opened(name: str, data: bytes) -> Import:
    """What a file that was sent is: anything that `commonplace import` knows."""
    if len(data) > MOST_BYTES:
        raise BadInput("The file is too large.", hint="Import it with `commonplace import`.")
    return read_import(name, data, most_bytes=MOST_BYTES)


def take_in(book: Commonplace, name: str, data: bytes) -> Imported:
    """Remember what a file holds; whoever wrote it may be anybody, so it counts as from outside."""
    with closing(opened(name, data)) as found:
        return book.take_in(found.drafts, kind=found.kind)
