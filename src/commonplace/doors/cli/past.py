"""Commands that look back, and undo."""

from typing import Annotated

import typer

from ...errors import BadInput
from . import failures
from .call import Call
from .declare import Limit, Ref, command
from .declare import group as make_group
from .draw import done, lists, pages, tidied
from .since import SinceAnyTime, SinceOption, moment

PANEL = "Look back and undo"
group = make_group()
audit = make_group("See every change that was made, and check that none is missing.")


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
            call.show(book.revert(ref), done.reverted)
        else:
            call.show(book.undo_automatic(moment(since)), tidied.undone)


@command(audit, "list")
def audit_list(
    call: Call,
    since: SinceAnyTime = None,
    limit: Limit = 50,
) -> None:
    """List changes, newest first."""
    with call.book() as book:
        found = book.audit(since=moment(since) if since is not None else None, limit=limit)
    empty = "" if since is None else "Nothing changed in that time. Look further back."
    call.show(found, lambda out, several: lists.events(out, several, empty))


@command(audit)
def verify(call: Call) -> None:
    """Check that no change was altered, removed or reordered; exit 1 if one was."""
    with call.book() as book:
        verified = book.audit_verify()
    call.show(verified, lists.verified)
    if not verified.sound:
        raise typer.Exit(failures.FOUND_PROBLEMS)


@command(audit)
def recalls(call: Call, limit: Limit = 20) -> None:
    """List what was asked lately, and which memories came back."""
    with call.book() as book:
        call.show(book.retrievals(limit=limit), lists.retrievals)
