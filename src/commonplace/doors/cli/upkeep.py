"""Commands that look after the book."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ...model.memory import Memory
from ...verbs.inbox import Decided, Waiting
from ...verbs.maintain.plan import Maintained
from ...verbs.undo import CuratedChange, Undone
from . import failures, outcomes, pages, tables, text_format
from .call import Call, bars, console
from .change import edited
from .declare import Limit, Ref, SinceOption, command, moment
from .declare import group as make_group
from .save import content

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
    call.show(synced, outcomes.synced)


@command(group, panel=PANEL)
def status(call: Call) -> None:
    """Say where the book is, what it holds and where its index lies."""
    with call.book() as book:
        call.show(book.status(), pages.status)


@command(group, panel=PANEL)
def doctor(call: Call) -> None:
    """List everything a person should look at, worst first; exit 1 if anything is broken."""
    from ..install import records

    with call.book() as book:
        problems = [*book.doctor(), *records.problems(call.environ)]
    call.show(problems, tables.problems)
    if any(problem.severity == "error" for problem in problems):
        raise typer.Exit(failures.FOUND_PROBLEMS)


# What tidying did, what it asks, and the way back from each change.


_SHOWN = 12
"""How many changes of one step are listed; the rest is counted."""


def render_maintained(console: Console, run: Maintained) -> None:
    """The changes by step, what waits, and how to undo them."""
    if not run.ran:
        console.print("Another run is tidying this book right now; it is left to that one.")
        return
    for problem in run.problems:
        _say(console, f"{problem.what} {problem.hint}", "yellow")
    for step, changes in groupby(run.changes, key=lambda change: change.step):
        several = list(changes)
        console.print(Text(step, style="bold"))
        for change in several[:_SHOWN]:
            _say(console, f"  {change.action}: {change.words}")
        if len(several) > _SHOWN:
            _say(console, f"  … and {len(several) - _SHOWN} more", "dim")
    _sum_up(console, run)


def _sum_up(console: Console, run: Maintained) -> None:
    count = _count(len(run.changes), "change")
    if not run.changes:
        console.print(Text("Everything is tidy.", style="green"))
    elif run.dry_run:
        _say(console, f"{count} would be made. Run `commonplace maintain` to make them.")
    else:
        _say(console, f"{count} made.", "green")
        _say(console, "Undo them: commonplace revert --automatic --since 1h", "dim")
    if run.passed_over:
        _say(console, f"{len(run.passed_over)} passed over: somebody changed them meanwhile.")
    if run.waiting:
        _say(console, f"{run.waiting} in the inbox: commonplace inbox list", "dim")


def render_changes(console: Console, found: Sequence[CuratedChange]) -> None:
    """Changes by day, each with the command that undoes it."""
    if not found:
        console.print("Nothing changed in that time. Look further back with --since 30d.")
        return
    for day, several in groupby(found, key=lambda one: text_format.date(one.event.at)):
        console.print(Text(day, style="bold"))
        for one in several:
            itself = " by itself" if one.event.automatic else f" through {one.event.by}"
            named = text_format.name(one.memory) if one.memory else f"{one.event.memory} (gone)"
            _say(console, f"  {one.event.action}{itself}: {named}")
            if one.memory:
                _say(
                    console,
                    f"    {text_format.fit(text_format.line(one.memory.content), 90)}",
                    "dim",
                )
            if one.revert:
                _say(console, f"    {one.revert}", "cyan")


def render_inbox(console: Console, found: Sequence[Waiting]) -> None:
    """What waits, with the first words of what it is about."""
    if not found:
        console.print("The inbox is empty. `commonplace maintain` puts here what it wants to ask.")
        return
    for one in found:
        _heading(console, one)
    _say(
        console, "\nLook: commonplace inbox show NAME   Answer: inbox accept or reject NAME", "dim"
    )


def render_waiting(console: Console, one: Waiting) -> None:
    """One proposal, whole, and the memories it is about."""
    _heading(console, one)
    console.print(Text(text_format.clean(one.memory.content)))
    for memory in one.about:
        _memory(console, memory)
    name = text_format.name(one.memory)
    kept = [f" --keep {text_format.name(side)}" for side in one.about]
    answers = kept if one.action == "contradiction" else [""]
    lines = [*(f"inbox accept {name}{kept}" for kept in answers), f"inbox reject {name}"]
    _say(console, "\n" + "\n".join(f"commonplace {line}" for line in lines), "cyan")


def render_decided(console: Console, done: Decided) -> None:
    """What a person's word did."""
    word = "Done" if done.accepted else "Left as it is"
    _say(console, f"{word}: {text_format.name(done.memory)}", "green")
    for memory in done.changed:
        _memory(console, memory)
    _say(console, f"Undo: commonplace revert {done.memory.id}", "dim")


def render_undone(console: Console, done: Undone) -> None:
    """How much was undone, and what could not be."""
    memories = {memory.id for one in done.reverted for memory in one.memories}
    if not done.reverted and not done.left_alone:
        console.print("Nothing happened by itself in that time.")
        return
    undone, of = _count(len(done.reverted), "change"), len(memories)
    _say(console, f"{undone} undone; memories that changed: {of}.", "green")
    for one in done.left_alone:
        _say(console, f"left alone: {one.action} of {one.memory}. {one.why}", "yellow")


def _heading(console: Console, one: Waiting) -> None:
    console.print(
        Text.assemble(
            (one.action, "bold"),
            f"  {text_format.line(one.memory.content.partition(chr(10))[0])}",
            (
                f"\n  {text_format.name(one.memory)}  {text_format.line(str(one.memory.scope))}",
                "dim",
            ),
        ),
        soft_wrap=True,
    )


def _memory(console: Console, memory: Memory) -> None:
    text = text_format.fit(text_format.line(memory.content), 90)
    console.print(
        Text.assemble(f"  {text}", (f"\n    {text_format.name(memory)} · {memory.status}", "dim")),
        soft_wrap=True,
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _say(console: Console, words: str, style: str = "") -> None:
    console.print(Text(text_format.clean(words), style=style), soft_wrap=True)


# Commands that tidy, and that answer what tidying asks.


CARE, PAST = "Look after the book", "Look back and undo"
tidy_group = make_group()
inbox_group = make_group("Answer what waits for your word: proposals, and memories put aside.")


@command(tidy_group, panel=CARE)
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
            call.show(happened, render_changes)
            return
        with console(stderr=True).status("Looking through the book…") as told:
            run = book.maintain(
                dry_run=dry_run,
                trust_clock=trust_clock,
                progress=lambda step, at, of: told.update(f"{step}: {at} of {of}…"),
            )
    call.show(run, render_maintained)


@command(tidy_group, panel=PAST)
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
        call.show(book.changes(moment(since), owners=owners, limit=limit), render_changes)


@command(tidy_group, panel="Remember")
def crystallize(
    call: Call,
    work: Annotated[
        str, typer.Argument(help="The id of a task, or of a conversation that is over.")
    ],
) -> None:
    """Sum up what a piece of work taught, in one memory that names what it was made from."""
    with call.book() as book:
        call.show(book.crystallize(work), outcomes.saved)


@command(inbox_group, "list")
def inbox_list(call: Call, limit: Limit = 50) -> None:
    """List what waits, newest first."""
    with call.book() as book:
        call.show(book.inbox(limit=limit), render_inbox)


@command(inbox_group, "show")
def inbox_show(call: Call, ref: Ref) -> None:
    """Show one proposal with the memories it is about."""
    with call.book(ref) as book:
        call.show(book.inbox_show(ref), render_waiting)


@command(inbox_group)
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
        call.show(book.accept(ref, keep=keep), render_decided)


@command(inbox_group)
def reject(call: Call, ref: Ref) -> None:
    """Leave things as they are; the same is not proposed again."""
    with call.book(ref) as book:
        call.show(book.reject(ref), render_decided)


@command(inbox_group, "edit")
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
            with edited(
                found.content, name=text_format.name(found), environ=call.environ
            ) as changed:
                new = book.edit(found.id, content=changed, expect=found)
        call.show(new, lambda out, memory: outcomes.changed(out, memory, found))
