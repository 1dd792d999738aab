"""Commands that audit a memory store; those about our own log are in `history`."""

import os
from shlex import quote
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ... import registry, settings
from ...books.audits import audit_store
from ...books.imports import import_formats
from ...model.errors import BadInput, Conflict
from ...model.results import AuditExample, FaultShare, StoreAudit
from . import text_format
from .call import Call, bars
from .call import console as make_console
from .declare import DefaultCommandGroup, command, one_of
from .declare import group as make_group
from .render import aside, say, table
from .transfer import render_imported

group = make_group(
    "Audit a memory store (`audit PATH`), or read the log of all changes and recalls.",
    cls=DefaultCommandGroup,
)
MOST_EXAMPLES = 10


@command(group)
def store(
    call: Call,
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A file, folder or .zip of mem0, the MCP memory server, basic-memory, claude-mem,"
            " Claude, ChatGPT or Commonplace, or a folder of notes.",
        ),
    ],
    *,
    kind: Annotated[
        str | None,
        typer.Option("--as", help="File format, if detection fails.", **one_of(import_formats())),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(
            "--html", metavar="FILE", help="Also write a page to look at.", show_default=False
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing page.")] = False,
    examples: Annotated[
        int, typer.Option("--examples", min=0, help="Examples of each fault.")
    ] = MOST_EXAMPLES,
    import_: Annotated[
        bool, typer.Option("--import", help="Import the memories and statements without faults.")
    ] = False,
    scope: Annotated[
        str | None,
        typer.Option(help="With --import: put all memories into this scope.", show_default=False),
    ] = None,
) -> None:
    """Find junk, duplicates, contradictions, secrets, orders to agents, stale dates, dead links.

    `audit PATH` is short for this. The store is only read. Secrets and personal data are masked.
    """
    if html is not None:
        _require_page(html, path, replace=replace)
    if scope is not None and not import_:
        raise BadInput("--scope says where to import to.", hint="Add --import.")
    chosen = settings.load(call.environ)
    own = _is_own(path, call.shared.get("url") or chosen.url)
    if own and import_:
        raise BadInput(
            "That is your own book: there is nothing to import.",
            hint="See what can be mended: commonplace maintain --dry-run",
        )
    with bars() as progress:
        found = audit_store(path, kind, settings=chosen, progress=progress)
        done = found.report(path, examples=examples).but(own=own)
        if import_:
            with call.book() as book:
                done = done.but(imported=book.take_in(
                    found.good_drafts, kind=found.kind, scope=scope,
                    progress=lambda at, total: progress("Importing", at, total),
                ))  # fmt: skip
    if html is not None:
        _write_page(html, done)
    call.show(done, render_audit)
    if html is not None and not call.json:
        say(make_console(), f"Page: {html}", "green")


def _is_own(path: str, url: str | None) -> bool:
    """Whether a path is the book that would be imported into, or lies in it."""
    scheme, address = registry.split(url or "")
    if not url or scheme not in registry.LOCAL:
        return False
    book = os.path.realpath(os.path.expanduser(registry.local_path(address)))
    store = os.path.realpath(os.path.expanduser(path))
    return store == book or store.startswith(book.rstrip(os.sep) + os.sep)


def _require_page(html: str, path: str, *, replace: bool) -> None:
    """Refuse a page that would overwrite something, or would lie in the store."""
    page, store = os.path.realpath(html), os.path.realpath(os.path.expanduser(path))
    if page == store or page.startswith(store.rstrip(os.sep) + os.sep):
        raise BadInput(
            "The page would lie in the audited store, which is only read.",
            hint="Give --html a path outside of it.",
        )
    if os.path.isdir(page) or not os.path.isdir(os.path.dirname(page)):
        raise BadInput(f"{html} is not a file in a folder.", hint="Give a path such as audit.html.")
    if os.path.exists(page) and not replace:
        raise Conflict(f"There is a file {html} already.", hint="Add --replace, or another name.")


def _write_page(html: str, done: StoreAudit) -> None:
    from .audit_page import audit_page

    try:
        with open(html, "w", encoding="utf-8") as file:
            file.write(audit_page(done))
    except OSError as error:
        raise BadInput(
            f"{html} cannot be written: {error.strerror}.", hint="Choose another place."
        ) from error


def render_audit(console: Console, done: StoreAudit) -> None:
    """Shares as a table, then examples of each fault."""
    memories = text_format.counted(done.memories, "memory", "memories")
    statements = text_format.counted(done.statements, "statement", "statements")
    say(console, f"{done.store}: {done.format}, {memories}, {statements}", "bold")
    rows = [(one.kind, f"{one.count:,}", f"{one.share:.0%}", _first(one)) for one in done.faults]
    share = done.good / max(done.statements, 1)
    rows.append(("without any of these", f"{done.good:,}", f"{share:.0%}", ""))
    table(console, ("Fault", "Statements", "Share", "For example"), rows, prose=("For example",))
    for fault in done.faults:
        _render_fault(console, fault)
    for reason, count in done.left_out:
        aside(console, f"{count:,} × not read: {reason}")
    for note in done.notes:
        aside(console, note)
    if done.imported is not None:
        render_imported(console, done.imported)
    elif done.own:
        aside(console, "See what can be mended: commonplace maintain --dry-run")
    elif done.good:
        aside(console, f"Import what is good: commonplace audit {quote(done.store)} --import")


def _first(fault: FaultShare) -> str:
    return text_format.fit(text_format.line(fault.examples[0].text), 60) if fault.examples else ""


def _render_fault(console: Console, fault: FaultShare) -> None:
    if not fault.examples:
        return
    console.print(Text(f"\n{fault.kind.capitalize()}", style="bold yellow"))
    for example in fault.examples:
        console.print(Text(f"  {_shown(example)}"))
        other = (
            f" → {text_format.fit(text_format.line(example.other), 100)}" if example.other else ""
        )
        aside(console, f"    {text_format.line(example.why)}{other}")


def _shown(example: AuditExample) -> str:
    return text_format.fit(text_format.line(example.text), 110)
