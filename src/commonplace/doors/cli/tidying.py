"""Commands that tidy, and that answer what tidying asks."""

from typing import Annotated

import typer

from . import legible
from .call import Call, console
from .declare import Limit, Ref, command
from .declare import group as make_group
from .draw import done, tidied
from .editor import edited
from .remember import content
from .since import SinceOption, moment

CARE, PAST = "Look after the book", "Look back and undo"
group = make_group()
inbox = make_group("Answer what waits for your word: proposals, and memories put aside.")


@command(group, panel=CARE)
def maintain(
    call: Call,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Only show what was done, since --since.")
    ] = False,
    since: SinceOption = "1d",
    trust_clock: Annotated[
        bool, typer.Option("--trust-clock", help="Age memories even if newer changes are known.")
    ] = False,
) -> None:
    """Tidy the book: age, merge, compact, reflect. Made for a nightly job; safe at any time."""
    with call.book() as book:
        if report:
            happened = book.changes(moment(since), owners=("agent", "curated"), automatic=True)
            call.show(happened, tidied.changes)
            return
        with console(stderr=True).status("Looking through the book…") as told:
            run = book.maintain(
                dry_run=dry_run,
                trust_clock=trust_clock,
                progress=lambda step, at, of: told.update(f"{step}: {at} of {of}…"),
            )
    call.show(run, tidied.maintained)


@command(group, panel=PAST)
def changes(
    call: Call,
    since: SinceOption = "7d",
    everything: Annotated[
        bool, typer.Option("--all", help="Also what agents did with their own notes.")
    ] = False,
    limit: Limit = 200,
) -> None:
    """Show what changed in what you curate, each change with the command that undoes it."""
    owners = ("curated", "agent") if everything else ("curated",)
    with call.book() as book:
        call.show(book.changes(moment(since), owners=owners, limit=limit), tidied.changes)


@command(group, panel="Remember")
def crystallize(
    call: Call,
    work: Annotated[
        str, typer.Argument(help="The id of a task, or of a conversation that is over.")
    ],
) -> None:
    """Sum up what a piece of work taught, in one memory that names what it was made from."""
    with call.book() as book:
        call.show(book.crystallize(work), done.saved)


@command(inbox, "list")
def inbox_list(call: Call, limit: Limit = 50) -> None:
    """List what waits, newest first."""
    with call.book() as book:
        call.show(book.inbox(limit=limit), tidied.inbox)


@command(inbox, "show")
def inbox_show(call: Call, ref: Ref) -> None:
    """Show one proposal with the memories it is about."""
    with call.book(ref) as book:
        call.show(book.inbox_show(ref), tidied.waiting)


@command(inbox)
def accept(
    call: Call,
    ref: Ref,
    keep: Annotated[
        str | None,
        typer.Option(help="Of a contradiction: the memory that holds.", show_default=False),
    ] = None,
) -> None:
    """Do what is proposed; `revert` takes it back."""
    with call.book(ref) as book:
        call.show(book.accept(ref, keep=keep), tidied.decided)


@command(inbox)
def reject(call: Call, ref: Ref) -> None:
    """Leave things as they are; the same is not proposed again."""
    with call.book(ref) as book:
        call.show(book.reject(ref), tidied.decided)


@command(inbox, "edit")
def inbox_edit(
    call: Call,
    ref: Ref,
    text: Annotated[
        str | None,
        typer.Option("--content", help="The new text; - reads standard input.", show_default=False),
    ] = None,
) -> None:
    """Change what is proposed before you accept it, in your editor unless --content is given."""
    with call.book(ref) as book:
        found = book.inbox_show(ref).memory
        if text is not None:
            new = book.edit(found.id, content=content(text), expect=found)
        else:
            with edited(found.content, name=legible.name(found), environ=call.environ) as changed:
                new = book.edit(found.id, content=changed, expect=found)
        call.show(new, lambda out, memory: done.changed(out, memory, found))
