"""Commands that export and import memories, and move a whole book."""

import sys
from contextlib import closing
from shlex import quote
from typing import Annotated, Literal, Unpack

import typer
from rich.console import Console

from ... import settings
from ...books.imports import import_formats, open_import
from ...books.open import open_move_target
from ...model.errors import BadInput
from ...model.results import Exported, Imported, Moved
from ...verbs.export import as_json_lines
from . import text_format
from .call import Call, bars
from .declare import (
    TRANSFER,
    ListFilterOptions,
    command,
    one_of,
)
from .declare import group as make_group
from .render import aside, say

_ADAPTED = {
    "title": "a heading is the title",
    "always_load": "its folder says that it is always loaded",
    "created": "facts of one file share its time",
    "updated": "facts of one file share its time",
}
"""Fields that a vault stores in its own way."""
group = make_group()

Format = Literal["jsonl", "json", "zip", "markdown", "portable-ai-memory", "portable-memory"]


@command(group, panel=TRANSFER)
def export(
    call: Call,
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A .jsonl, .json, .zip or .pam.json file, a new .mem folder, or a new folder of"
            " notes; - for standard output.",
        ),
    ],
    *,
    everything: Annotated[
        bool, typer.Option("--everything", help="Also archived, forgotten and proposed memories.")
    ] = False,
    format: Annotated[
        Format | None,
        typer.Option("--format", help="File format; default: from the name.", show_default=False),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing file.")] = False,
    **filters: Unpack[ListFilterOptions],
) -> None:
    """Write memories to a file or a folder of Markdown notes."""
    with call.book() as book:
        if path == "-":
            memories = book.export(everything=everything, **filters)
            sys.stdout.buffer.writelines(as_json_lines(memories))
            return
        done = book.export_to(
            path, format=format, replace=replace, everything=everything, **filters
        )
    call.show(done, render_exported)


def render_exported(console: Console, done: Exported) -> None:
    """The number of memories, and their file."""
    if not done.memories:
        say(console, "No memory matches; the export is empty.", "yellow")
    more = f" and {done.others:,} of archive and turns" if done.others else ""
    say(console, f"{_memories(done.memories - done.others)}{more} written to {done.path}", "green")
    aside(console, f"Import them elsewhere: commonplace import {quote(done.path)}")


@command(group, "import", panel=TRANSFER)
def import_(
    call: Call,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file, a folder, or a .zip.")],
    *,
    kind: Annotated[
        str | None,
        typer.Option("--as", help="File format, if detection fails.", **one_of(import_formats())),
    ] = None,
    scope: Annotated[
        str | None,
        typer.Option(help="Put all memories into this scope.", show_default=False),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be saved.")
    ] = False,
) -> None:
    """Import memories of another program or assistant. Importing twice changes nothing."""
    with closing(open_import(path, kind)) as found, call.book() as book, bars() as progress:
        done = book.take_in(
            found.drafts, kind=found.kind, scope=scope, dry_run=dry_run,
            progress=lambda at, total: progress("Importing", at, total),
        )  # fmt: skip
        if kind and not done.read:
            raise BadInput(
                f"{text_format.line(path)} holds nothing in the format {kind}.",
                hint="Leave out `--as` to detect the format.",
            )
    call.show(done, render_imported)


def render_imported(console: Console, done: Imported) -> None:
    """Reasons for skipped memories, then the counts."""
    for reason, count in done.reasons:
        say(console, f"{count:,} × {reason}", "yellow")
    would = "would be " if done.dry_run else ""
    counts = [f"{done.saved:,} {would}saved"]
    counts += [f"{done.updated:,} {would}updated"] if done.updated else []
    counts += [f"{done.known:,} already there", f"{done.refused:,} refused"]
    counts += [f"{done.left_out:,} left out"] if done.left_out else []
    say(console, f"{done.kind}: {', '.join(counts)}.", "green" if done.read else "yellow")
    if done.replaced:
        replaced = "would replace" if done.dry_run else "replaced"
        see = "" if done.dry_run else " See `commonplace changes --all`."
        aside(console, f"{done.replaced:,} of the saved {replaced} an older memory.{see}")
    if done.turns:
        find = "`recall` finds them, `list` shows them with --kind turn."
        aside(console, f"Turns of conversations among the saved: {done.turns:,}. {find}")


@command(group, panel=TRANSFER)
def move(
    call: Call,
    to: Annotated[
        str, typer.Option("--to", help="URL of the new book: vault:…, sqlite:… or postgresql://…")
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--from", help="URL of the book; default: the book in use.", show_default=False
        ),
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Skip notes that cannot be read.")
    ] = False,
) -> None:
    """Copy the whole book to another store and compare both; the old one stays as it is."""
    if source is not None and call.shared.get("url"):
        raise BadInput("--from and --url name the same thing.", hint="Leave one of them out.")
    named = call if source is None else call.but(shared={**call.shared, "url": source})
    chosen = settings.load(call.environ)
    with (
        named.book() as book,
        open_move_target(book, to, settings=chosen) as target,
        bars() as progress,
    ):
        done = book.move(target, anyway=anyway, progress=progress)
    call.show(done, render_moved)


def render_moved(console: Console, done: Moved) -> None:
    """The new URL, and what is left to do."""
    events = text_format.counted(done.events, "audit event", "audit events")
    more = done.records - done.memories
    others = f", {more:,} of archive, inbox, old versions and turns," if more else ""
    say(
        console,
        f"{_memories(done.memories)}{others} and {events} copied and compared: {done.target}",
        "green",
    )
    if done.copied < done.records:
        aside(
            console,
            f"{text_format.counted(done.copied, 'record was', 'records were')} copied now;"
            " the others were there already.",
        )
    ways = {_ADAPTED.get(name, name): count for name, count in done.adapted}
    for way, count in ways.items():
        aside(console, f"{count:,} × stored differently there: {way}")
    aside(console, f"Hash of all memories: {done.digest}")
    aside(console, f"Use it from now on: commonplace init {quote(done.target)} --default")
    aside(console, f"Enable recall by meaning: commonplace sync --url {quote(done.target)}")
    aside(
        console, f"The old book stays as it is; remove it when you no longer need it: {done.source}"
    )


def _memories(count: int) -> str:
    return text_format.counted(count, "memory", "memories")
