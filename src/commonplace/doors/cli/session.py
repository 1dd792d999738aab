"""Sessions: what a conversation remembers while it lasts."""

from typing import Annotated

import typer

from .call import Call
from .declare import command
from .declare import group as make_group
from .draw import work

group = make_group("See what conversations remember while they last, and end them.")

Id = Annotated[str, typer.Argument(metavar="SESSION", help="Its id; see `session list`.")]


@command(group, "list")
def list_sessions(call: Call) -> None:
    """List the conversations that are being remembered."""
    with call.book() as book:
        call.show(book.sessions(), work.sessions)


@command(group)
def show(
    call: Call,
    id: Id,
    query: Annotated[str, typer.Option("--search", help="Only what fits these words.")] = "",
) -> None:
    """Show what a conversation holds."""
    with call.book() as book:
        session = book.session(id)
        call.show(session.search(query) if query else session.entries(), work.entries)


@command(group)
def end(call: Call, id: Id) -> None:
    """Save what the user taught and nobody saved, file a summary, and let go of the rest."""
    with call.book() as book:
        call.show(book.session(id).end(), work.filled)
