"""Sessions: what a conversation remembers while it lasts."""

from typing import Annotated

import typer

from ...book import Commonplace
from ...errors import Conflict, NotFound
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
        _require_known(book, id)
        session = book.session(id)
        call.show(session.search(query) if query else session.entries(), work.entries)


@command(group)
def end(call: Call, id: Id) -> None:
    """Save what the user taught and nobody saved, file a summary, and let go of the rest."""
    with call.book() as book:
        _require_known(book, id)
        call.show(book.session(id).end(), work.filled)


def _require_known(book: Commonplace, id: str) -> None:
    """Raise NotFound unless the conversation goes on, or has left its summary in the book."""
    if book.session(id).entries(limit=1):
        return
    try:
        known = id in book.get(id).aliases
    except (NotFound, Conflict):
        known = False
    if not known:
        raise NotFound(
            f"No conversation is called {id[:80]!r}.", hint="See `commonplace session list`."
        )
