"""Commands that look back, and undo."""

from collections.abc import Iterable
from typing import Annotated

import typer

from ...book import Commonplace
from ...model.errors import BadInput, NotFound
from . import failures, outcomes, pages, tables, text_format, upkeep
from .call import Call
from .declare import Limit, Ref, SinceAnyTime, SinceOption, command, moment
from .declare import group as make_group

PANEL = "Look back and undo"
group = make_group()
audit_group = make_group("See every change that was made, and check that none is missing.")


@command(group, panel=PANEL)
def history(call: Call, ref: Ref) -> None:
    """Show how a memory came to be what it is: its versions and every change."""
    with call.book(ref) as book:
        call.show(book.history(ref), pages.history)


@command(group, panel=PANEL)
def revert(
    call: Call,
    ref: Annotated[
        str, typer.Argument(metavar="[CHANGE]", help="A change's id from `history`, or a memory.")
    ] = "",
    automatic: Annotated[
        bool, typer.Option("--automatic", help="Undo all that happened by itself, since --since.")
    ] = False,
    since: SinceOption = "1d",
) -> None:
    """Undo one change, or the last change to a memory, and what came of it."""
    if automatic == bool(ref):
        raise BadInput("Say what to undo.", hint="Name a change or a memory, or use --automatic.")
    with call.book(ref) as book:
        if ref:
            call.show(book.revert(ref), outcomes.reverted)
        else:
            call.show(book.undo_automatic(moment(since)), upkeep.render_undone)


@command(audit_group, "list")
def audit_list(
    call: Call,
    since: SinceAnyTime = None,
    limit: Limit = 50,
) -> None:
    """List changes, newest first."""
    with call.book() as book:
        found = book.audit(since=moment(since) if since is not None else None, limit=limit)
    empty = "" if since is None else "Nothing changed in that time. Look further back."
    call.show(found, lambda out, several: tables.events(out, several, empty))


@command(audit_group)
def verify(call: Call) -> None:
    """Check that no change was altered, removed or reordered; exit 1 if one was."""
    with call.book() as book:
        verified = book.audit_verify()
    call.show(verified, tables.verified)
    if not verified.sound:
        raise typer.Exit(failures.FOUND_PROBLEMS)


@command(audit_group)
def recalls(call: Call, limit: Limit = 20) -> None:
    """List what was asked lately, and which memories came back."""
    with call.book() as book:
        call.show(book.retrievals(limit=limit), tables.retrievals)


# Links between memories.


links_group = make_group("Follow and check links between memories.")


@command(links_group, "show")
def show_links(call: Call, ref: Ref) -> None:
    """Show the links out of a memory and into it."""
    with call.book(ref) as book:
        found = book.links(ref)
        names = _names(book, (link.source for link in found.incoming))
        names |= _names(book, (link.resolved for link in found.outgoing))
        call.show(found, lambda console, links: tables.links(console, links, names))


@command(links_group, "check")
def check_links(call: Call) -> None:
    """List links that lead nowhere."""
    with call.book() as book:
        found = book.broken_links()
        names = _names(book, (link.source for link in found))
        call.show(found, lambda console, links: tables.broken_links(console, links, names))


def _names(book: Commonplace, ids: Iterable[str | None]) -> dict[str, str]:
    names: dict[str, str] = {}
    for id in set(ids):
        try:
            names[id or ""] = text_format.name(book.get(id or ""))
        except NotFound:
            continue  # Gone a moment ago; its id is shown instead.
    return names
