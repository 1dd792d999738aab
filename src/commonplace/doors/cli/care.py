"""Commands that look after the book."""

from typing import Annotated

import typer

from . import failures
from .bars import bars
from .call import Call
from .declare import command
from .declare import group as make_group
from .draw import done, lists, pages

PANEL = "Look after the book"
group = make_group()


@command(group, panel=PANEL)
def sync(
    call: Call,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Index everything anew.")] = False,
) -> None:
    """Bring the search index in line with the notes, and mend what a crash left half done."""
    with call.book() as book, bars() as progress:
        synced = book.sync(
            rebuild=rebuild,
            progress=lambda count: progress("Reading", count, count),
            embedding=lambda done, of: progress("Embedding", done, of),
        )
    call.show(synced, done.synced)


@command(group, panel=PANEL)
def status(call: Call) -> None:
    """Say where the book is, what it holds and where its index lies."""
    with call.book() as book:
        call.show(book.status(), pages.status)


@command(group, panel=PANEL)
def doctor(call: Call) -> None:
    """List everything a person should look at, worst first; exit 1 if anything is broken."""
    from ..install import connections

    with call.book() as book:
        problems = [*book.doctor(), *connections.problems(call.environ)]
    call.show(problems, lists.problems)
    if any(problem.severity == "error" for problem in problems):
        raise typer.Exit(failures.FOUND_PROBLEMS)
