"""Commands that take memories away, take others in, and move the whole book."""

import sys
from contextlib import closing
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from ... import settings
from ...books.imports import import_formats, open_import
from ...books.open import open_in_place_of
from ...model.errors import BadInput
from ...model.results import Exported, Imported, Moved
from ...verbs.export import as_lines
from . import text_format
from .call import Call, bars
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

_WAYS = {
    "title": "a heading is the title",
    "always_load": "what lies there is always loaded",
    "created": "facts of one file share its time",
    "updated": "facts of one file share its time",
}
"""How a vault says some things by itself."""


def render_exported(console: Console, done: Exported) -> None:
    """How many memories went where."""
    if not done.memories:
        _say(console, "Nothing in the book meets these conditions; the export is empty.", "yellow")
    _say(console, f"{_count(done.memories)} written to {done.path}", "green")
    _say(console, f"Take them in elsewhere: commonplace import {done.path}", "dim")


def render_imported(console: Console, done: Imported) -> None:
    """What was not kept and why, then what became of all of it in one line."""
    for reason, count in done.reasons:
        _say(console, f"{count:,} × {reason}", "yellow")
    would = "would be " if done.dry_run else ""
    told = [f"{done.saved:,} {would}saved"]
    told += [f"{done.updated:,} {would}updated"] if done.updated else []
    told += [f"{done.known:,} already there", f"{done.refused:,} refused"]
    told += [f"{done.left_out:,} left out"] if done.left_out else []
    _say(console, f"{done.kind}: {', '.join(told)}.", "green" if done.read else "yellow")


def render_moved(console: Console, done: Moved) -> None:
    """Where the book is now, and that it is the same."""
    events = f"{done.events:,} audit event{'' if done.events == 1 else 's'}"
    told = f"{_count(done.memories)} and {events} are at {done.target}, and compared equal."
    _say(console, told, "green")
    if done.copied < done.memories:
        _say(console, f"{done.copied:,} were copied now; the others were there already.", "dim")
    ways = {_WAYS.get(name, f"{name} in its own way"): count for name, count in done.adapted}
    for way, count in ways.items():
        _say(console, f"{count:,} × said by the new place itself: {way}", "dim")
    _say(console, f"Hash of all memories: {done.digest}", "dim")
    _say(console, f"Use it from now on: COMMONPLACE_URL={done.target}", "dim")
    _say(console, f"For recall by meaning, too: commonplace sync --url {done.target}", "dim")
    _say(console, f"{done.source} is as it was; remove it when you no longer need it.", "dim")


def _count(number: int) -> str:
    return f"{number:,} {'memory' if number == 1 else 'memories'}"


def _say(console: Console, words: str, style: str = "") -> None:
    console.print(Text(text_format.clean(words), style=style), soft_wrap=True)


# Commands that take memories away, take others in, and move the whole book.


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
    call.show(done, render_exported)


@command(group, "import", panel=PANEL)
def import_(
    call: Call,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file, a folder, or a .zip.")],
    *,
    kind: Annotated[
        str | None,
        typer.Option("--as", help="What it is, if it cannot be told.", **one_of(import_formats())),
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
    call.show(done, render_imported)


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
    call.show(done, render_moved)
