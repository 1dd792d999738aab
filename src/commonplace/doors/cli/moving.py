"""Commands that take memories away, take others in, and move the whole book."""

import sys
from contextlib import closing
from typing import Annotated, Literal

import typer

from ... import settings
from ...assemble import open_import, open_in_place_of
from ...errors import BadInput
from ...imports.opening import KINDS
from ...verbs.exporting import as_lines
from .bars import bars
from .call import Call
from .declare import (
    IncludeArchive,
    IncludeInbox,
    OnlyKinds,
    OnlyOwners,
    OnlyScope,
    OnlyStatuses,
    OnlyTags,
    OnlyTopic,
    command,
    one_of,
)
from .declare import group as make_group
from .draw import moved as draw

PANEL = "Take away, take in"
group = make_group()

Format = Literal["jsonl", "json", "zip", "markdown"]


@command(group, panel=PANEL)
def export(
    call: Call,
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH", help="A .jsonl, .json or .zip file, or a new folder; - for the screen."
        ),
    ],
    *,
    kind: OnlyKinds = None,
    scope: OnlyScope = None,
    status: OnlyStatuses = None,
    owner: OnlyOwners = None,
    topic: OnlyTopic = None,
    tag: OnlyTags = None,
    archive: IncludeArchive = False,
    inbox: IncludeInbox = False,
    everything: Annotated[
        bool, typer.Option("--everything", help="Also what was retired, forgotten or waits.")
    ] = False,
    format: Annotated[
        Format | None,
        typer.Option("--format", help="If the name does not tell.", show_default=False),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace a file.")] = False,
) -> None:
    """Write memories to a file, or to a folder of Markdown notes; the same filters as `list`."""
    chosen = {
        "kinds": kind, "scope": scope, "statuses": status, "owners": owner, "topic": topic,
        "tags": tag, "include_archive": archive, "include_inbox": inbox, "everything": everything,
    }  # fmt: skip
    with call.book() as book:
        if path == "-":
            sys.stdout.buffer.writelines(as_lines(book.export(**chosen)))  # pyright: ignore[reportArgumentType]
            return
        done = book.export_to(path, format=format, replace=replace, **chosen)
    call.show(done, draw.exported)


@command(group, "import", panel=PANEL)
def import_(
    call: Call,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file, a folder, or a .zip.")],
    *,
    kind: Annotated[
        str | None,
        typer.Option("--as", help="What it is, if it cannot be told.", **one_of(KINDS)),
    ] = None,
    scope: Annotated[
        str | None,
        typer.Option(help="Put everything here, whatever the file says.", show_default=False),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be saved.")
    ] = False,
) -> None:
    """Remember what another memory or assistant holds. Doing it twice changes nothing."""
    with closing(open_import(path, kind)) as found, call.book() as book, bars() as progress:
        done = book.take_in(
            found.drafts, kind=found.kind, scope=scope, dry_run=dry_run,
            progress=lambda at, of: progress("Importing", at, of),
        )  # fmt: skip
    call.show(done, draw.imported)


@command(group, panel=PANEL)
def move(
    call: Call,
    to: Annotated[str, typer.Option("--to", help="Where to: vault:…, sqlite:… or postgresql://…")],
    source: Annotated[
        str | None,
        typer.Option("--from", help="Where from; the book in use if left out.", show_default=False),
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Leave behind what cannot be read.")
    ] = False,
) -> None:
    """Move the whole book to another store, and compare both; the old one stays as it is."""
    if source is not None and call.shared.get("url"):
        raise BadInput("--from and --url say the same.", hint="Leave one of them out.")
    named = call if source is None else call.but(shared={**call.shared, "url": source})
    chosen = settings.load(call.environ)
    with (
        named.book() as book,
        open_in_place_of(book, to, settings=chosen) as target,
        bars() as progress,
    ):
        done = book.move(target, anyway=anyway, progress=progress)
    call.show(done, draw.moved)
