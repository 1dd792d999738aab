"""Export and import of memories as Markdown or JSON."""

from __future__ import annotations

import asyncio
import io
from contextlib import closing

from fastapi import Request  # noqa: TC002 - routes are read at run time
from nicegui import app, ui
from starlette.responses import Response, StreamingResponse

from ....books.imports import read_import
from ....model.errors import BadInput
from ....verbs.export import as_json_document, pack
from .. import components
from ..access import MAX_UPLOAD_BYTES
from ..components import block, heading, link, section, text_label
from ..frame import Frame, frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nicegui.events import UploadEventArguments

    from ....book import Commonplace
    from ....books.imports import Import
    from ....model.memory import Memory
    from ....model.results import Imported


def memories_to_export(
    book: Commonplace, ids: Sequence[str] = (), *, old: bool = False
) -> Iterator[Memory]:
    """The memories with these ids, or all live ones; with `old`, retired ones too."""
    return book.export(ids=ids or None, everything=old or bool(ids))


def as_markdown(memories: Iterator[Memory]) -> bytes:
    """A zip file of notes with frontmatter, one folder per scope."""
    packed = io.BytesIO()
    pack(memories, packed)
    return packed.getvalue()


def open_upload(name: str, data: bytes) -> Import:
    """Open an uploaded file in any format of `commonplace import`."""
    if len(data) > MAX_UPLOAD_BYTES:
        raise BadInput("The file is too large.", hint="Import it with `commonplace import`.")
    return read_import(name, data, most_bytes=MAX_UPLOAD_BYTES)


def import_upload(book: Commonplace, name: str, data: bytes) -> Imported:
    """Import an uploaded file; its memories have the trust `external`."""
    with closing(open_upload(name, data)) as found:
        return book.take_in(found.drafts, kind=found.kind)


ACCEPTED = ".json,.jsonl,.zip,.md,.txt,.af"


@ui.page("/export")
async def export(ids: str = "") -> None:
    """The export and import page."""
    with frame("Export", "/export") as around:
        heading("Export and import", "Download your memories, or import some from a file.")
        chosen = [id for id in ids.split(",") if id]
        what = f"{components.plural(len(chosen), 'memory')}" if chosen else "all live memories"
        query = f"?ids={','.join(chosen)}" if chosen else ""
        with section(f"Export: {what}"), block("cp-row"):
            link("As JSON", f"/export/memories.json{query}", "cp-download")
            link("As Markdown", f"/export/memories.zip{query}", "cp-download")
            if not chosen:
                link("As JSON, with the archive", "/export/memories.json?old=1", "cp-download")
        with section("Import"):
            text_label(
                "A file from Export, a Markdown note, or an export of ChatGPT, Claude, mem0, Letta"
                " or an MCP memory. Known memories are not added twice.",
                "cp-quiet",
            )
            _upload_field(around)


def _upload_field(around: Frame) -> None:
    result = block("cp-imported")

    async def arrived(event: UploadEventArguments) -> None:
        name, data = event.file.name, await event.file.read()
        found = await around.session.attempt(lambda book: import_upload(book, name, data))
        if found is None:
            # Else the field would show a tick beside the file.
            upload.reset()
            return
        result.clear()
        with result:
            text_label(f"{components.plural(found.read, 'memory')} read: {_counts_text(found)}.")
            for reason, count in found.reasons:
                text_label(f"{count} × {reason}", "cp-quiet")

    upload = ui.upload(label="Choose a file", on_upload=arrived, auto_upload=True)
    upload.props(f'flat bordered accept="{ACCEPTED}"').props(f"max-file-size={MAX_UPLOAD_BYTES}")


def _counts_text(found: Imported) -> str:
    counts = (
        (found.saved, "saved"), (found.replaced, "of them in place of an older one"),
        (found.turns, "of them turns of conversations, which a search finds"),
        (found.updated, "updated"), (found.known, "already known"),
        (found.refused, "refused"), (found.left_out, "left out"),
    )  # fmt: skip
    return ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing"


@app.get("/export/memories.json")
def memories_as_json(request: Request, ids: str = "", old: bool = False) -> Response:
    """Download memories as one JSON document."""
    book = request.state.panel_session.book
    pieces = as_json_document(memories_to_export(book, _split_ids(ids), old=old))
    return StreamingResponse(
        pieces, headers=_download_headers("memories.json"), media_type="application/json"
    )


@app.get("/export/memories.zip")
async def memories_as_markdown(request: Request, ids: str = "", old: bool = False) -> Response:
    """Download memories as a zip file of notes."""
    book = request.state.panel_session.book
    packed = await asyncio.to_thread(
        lambda: as_markdown(memories_to_export(book, _split_ids(ids), old=old))
    )
    return Response(packed, headers=_download_headers("memories.zip"), media_type="application/zip")


def _split_ids(ids: str) -> list[str]:
    return [id for id in ids.split(",") if id]


def _download_headers(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
