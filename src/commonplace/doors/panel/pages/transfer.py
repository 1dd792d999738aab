"""Export and import: the whole book, or a selection, as Markdown or JSON."""

from __future__ import annotations

import asyncio
import io
from contextlib import closing

from fastapi import Request  # noqa: TC002 - routes are read at run time
from nicegui import app, ui
from starlette.responses import Response, StreamingResponse

from ....books.imports import read_import
from ....model.errors import BadInput
from ....verbs.export import as_document, pack
from .. import components
from ..access import MOST_BYTES
from ..components import block, heading, link, section, words
from ..frame import Frame, frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nicegui.events import UploadEventArguments

    from ....book import Commonplace
    from ....books.imports import Import
    from ....model.memory import Memory
    from ....model.results import Imported


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


# Export and import: the whole book, or a selection, as Markdown or JSON.


ACCEPTED = ".json,.jsonl,.zip,.md,.txt,.af"


@ui.page("/export")
async def export(ids: str = "") -> None:
    """Take memories away, and take some in."""
    with frame("Export", "/export") as around:
        heading("Export and import", "Your memories are yours: take them away at any time.")
        chosen = [id for id in ids.split(",") if id]
        what = f"{components.several(len(chosen), 'memory')}" if chosen else "Everything in use"
        query = f"?ids={','.join(chosen)}" if chosen else ""
        with section(f"Export: {what}"), block("cp-row"):
            link("As JSON", f"/export/memories.json{query}", "cp-download")
            link("As Markdown", f"/export/memories.zip{query}", "cp-download")
            if not chosen:
                link("As JSON, with the archive", "/export/memories.json?old=1", "cp-download")
        with section("Import"):
            words(
                "What Export made, any Markdown note, or a file from ChatGPT, Claude, mem0, Letta"
                " or an MCP memory. What the book knows already is not added twice.",
                "cp-quiet",
            )
            _uploading(around)


def _uploading(around: Frame) -> None:
    result = block("cp-imported")

    async def arrived(event: UploadEventArguments) -> None:
        name, data = event.file.name, await event.file.read()
        found = await around.visit.attempt(lambda book: take_in(book, name, data))
        if found is None:
            return
        result.clear()
        with result:
            words(f"{components.several(found.read, 'memory')} read: {_told(found)}.")
            for reason, count in found.reasons:
                words(f"{count} × {reason}", "cp-quiet")

    upload = ui.upload(label="Choose a file", on_upload=arrived, auto_upload=True)
    upload.props(f'flat bordered accept="{ACCEPTED}"').props(f"max-file-size={MOST_BYTES}")


def _told(found: Imported) -> str:
    counts = (
        (found.saved, "saved"), (found.updated, "updated"), (found.known, "already there"),
        (found.refused, "refused"), (found.left_out, "left out"),
    )  # fmt: skip
    return ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing in it"


@app.get("/export/memories.json")
def memories_as_json(request: Request, ids: str = "", old: bool = False) -> Response:
    """Every memory that is meant, as one JSON document."""
    book = request.state.visit.book
    pieces = as_json(every(book, _listed(ids), old=old))
    return StreamingResponse(pieces, headers=_named("memories.json"), media_type="application/json")


@app.get("/export/memories.zip")
async def memories_as_markdown(request: Request, ids: str = "", old: bool = False) -> Response:
    """Every memory that is meant, as a packed folder of notes."""
    book = request.state.visit.book
    packed = await asyncio.to_thread(lambda: as_markdown(every(book, _listed(ids), old=old)))
    return Response(packed, headers=_named("memories.zip"), media_type="application/zip")


def _listed(ids: str) -> list[str]:
    return [id for id in ids.split(",") if id]


def _named(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
