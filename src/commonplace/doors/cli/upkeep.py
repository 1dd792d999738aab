"""Commands that look after the book: sync, status, doctor, maintain, changes."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console

from ...model.memory import LIVE
from ...model.results import Status, Synced
from ...verbs.history import CuratedChange
from ...verbs.maintain.plan import Maintained
from .. import plain_words
from . import failures, text_format
from .call import Call, bars, console
from .declare import HISTORY, MAINTENANCE, Limit, SinceOption, command, parse_since
from .declare import group as make_group
from .render import FIRST_SAVE, aside, pairs, render_problems, say

_MOST_CHANGES = 12
"""Changes listed for each step of a maintenance run; the rest is counted."""
group = make_group()


@command(group, panel=MAINTENANCE)
def sync(
    call: Call,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build the whole index anew.")] = False,
) -> None:
    """Update the index from the notes; repair what a crash or a file sync tool left behind."""
    with call.book() as book, bars() as progress:
        synced = book.sync(
            rebuild=rebuild,
            progress=lambda count: progress("Reading", count, count),
            embedding=lambda done, total: progress("Embedding", done, total),
        )
    call.show(synced, render_synced)


def render_synced(console: Console, done: Synced) -> None:
    """The counts of a sync."""
    parts = [
        f"{count:,} {words}"
        for count, words in (
            (done.indexed, "indexed"),
            (done.repaired, "repaired"),
            (done.erased, "erased again after a purge"),
            (done.embedded, "embedded"),
            (done.settled, f"conflict{'s' if done.settled > 1 else ''} of devices settled"),
        )
        if count
    ]
    say(console, f"In sync: {', '.join(parts) or 'nothing had changed'}.")
    if done.asked:
        waiting = text_format.counted(done.asked, "question waits", "questions wait")
        aside(console, f"{waiting} for your decision: commonplace inbox list")
    if done.arriving:
        found = text_format.counted(done.arriving, "conflict", "conflicts")
        aside(console, f"{found} may still be arriving: run `commonplace sync` again later.")
    if done.problems:
        found = text_format.counted(len(done.problems), "problem", "problems")
        aside(console, f"{found} found: run `commonplace doctor`.")


@command(group, panel=MAINTENANCE)
def status(call: Call) -> None:
    """Show the book's address, contents, index and capabilities."""
    with call.book() as book:
        call.show(book.status(), render_status)


def render_status(console: Console, book: Status) -> None:
    """Addresses, counts and capabilities, one a line."""
    counts = {"by kind": book.by_kind, "by scope": book.by_scope}
    labelled = [
        ("book", book.url),
        ("id", book.store_id),
        ("memories", f"{book.memories:,} in use"),
        *((label, text_format.counts(found)) for label, found in counts.items() if found),
        *((("also kept", also),) if (also := _also_kept(book)) else ()),
        *((("inbox", f"{book.waiting:,} waiting"),) if book.waiting else ()),
        ("search index", book.index),
        ("embedder", book.embedder),
        ("sessions", "on this machine" if book.sessions == "local" else book.sessions),
        ("reasoner", "rules, no language model" if book.reasoner == "rules" else book.reasoner),
        *((("thresholds", _thresholds(book)),) if book.thresholds else ()),
        *((("server tokens", book.tokens),) if book.tokens else ()),
        ("local state", book.state),
    ]
    pairs(console, [*labelled, *_supported(console, labelled, book.capabilities)])
    if book.waiting:
        aside(console, "Decide: commonplace inbox list")
    if not book.records:
        aside(console, f"Nothing here yet. Try: {FIRST_SAVE}")


def _supported(
    console: Console, others: Sequence[tuple[str, str]], names: Sequence[str]
) -> list[tuple[str, str]]:
    """The capabilities behind one label, on as many lines as the width asks for."""
    room = console.width - max(len(label) for label, _ in others) - 2
    words = list(map(plain_words.capability, names))
    lines = text_format.pack(words, room, between=", ")
    return [("" if at else "supports", one) for at, one in enumerate(lines)]


def _also_kept(book: Status) -> str:
    """The records beside the memories in use, so that both add up to all."""
    counts = dict(book.by_status)
    parts = [
        f"{count:,} {plain_words.status(status)}"
        for status, count in book.by_status
        if status not in LIVE
    ]
    live = sum(counts.get(status, 0) for status in LIVE)
    if others := live - book.memories:
        parts.append(f"{others:,} that `list` leaves out (turns, archive, other branches)")
    return ", ".join(parts)


def _thresholds(book: Status) -> str:
    return ", ".join(f"{text_format.line(scope)} {value:.2f}" for scope, value in book.thresholds)


@command(group, panel=MAINTENANCE)
def doctor(call: Call) -> None:
    """List problems of the book and of connected agents, worst first; exit 1 on an error."""
    from ..install import records

    with call.book() as book:
        problems = [*book.doctor(), *records.problems(call.environ)]
    call.show(problems, render_problems)
    if any(problem.severity == "error" for problem in problems):
        raise typer.Exit(failures.FOUND_PROBLEMS)


@command(group, panel=MAINTENANCE)
def maintain(
    call: Call,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be done.")
    ] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Only show automatic changes since --since.")
    ] = False,
    since: SinceOption = "1d",
    trust_clock: Annotated[
        bool,
        typer.Option(
            "--trust-clock", help="Age memories even if the clock seems to be behind the book."
        ),
    ] = False,
) -> None:
    """Expire, merge and summarise memories. Meant for a nightly job; safe at any time."""
    with call.book() as book:
        if report:
            found = book.changes(parse_since(since), owners=("agent", "curated"), automatic=True)
            call.show(found, render_changes)
            return
        with console(stderr=True).status("Reading the book…") as spinner:
            run = book.maintain(
                dry_run=dry_run,
                trust_clock=trust_clock,
                progress=lambda step, at, total: spinner.update(f"{step}: {at} of {total}…"),
            )
    call.show(run, render_maintained)


def render_maintained(console: Console, run: Maintained) -> None:
    """The changes by step, and how to undo them."""
    if not run.ran:
        say(console, "Another maintenance run is at work on this book; nothing was done.")
        return
    for problem in run.problems:
        say(console, f"{problem.what} {problem.hint}", "yellow")
    for step, changes in groupby(run.changes, key=lambda change: change.step):
        several = list(changes)
        say(console, step, "bold")
        for change in several[:_MOST_CHANGES]:
            say(console, f"  {change.action}: {change.words}")
        if len(several) > _MOST_CHANGES:
            aside(console, f"  … and {len(several) - _MOST_CHANGES} more")
    count = text_format.counted(len(run.changes), "change", "changes")
    if not run.changes:
        say(console, "Nothing to do.", "green")
    elif run.dry_run:
        say(console, f"{count} would be made. Run `commonplace maintain` to make them.")
    else:
        say(console, f"{count} made.", "green")
        aside(console, "Undo them: commonplace revert --automatic --since 1h")
    if run.passed_over:
        say(console, f"{len(run.passed_over)} skipped: somebody changed them meanwhile.")
    if run.waiting:
        aside(console, f"{run.waiting} in the inbox: commonplace inbox list")


@command(group, panel=HISTORY)
def changes(
    call: Call,
    since: SinceOption = "7d",
    everything: Annotated[
        bool, typer.Option("--all", help="Also changes to memories that agents own.")
    ] = False,
    limit: Limit = 200,
) -> None:
    """Show changes to the memories you curate, each with the command that undoes it."""
    owners = ("curated", "agent") if everything else ("curated",)
    with call.book() as book:
        call.show(book.changes(parse_since(since), owners=owners, limit=limit), render_changes)


def render_changes(console: Console, found: Sequence[CuratedChange]) -> None:
    """Changes by day, each with the command that undoes it."""
    if not found:
        say(console, "Nothing changed in that time. Look further back with --since 30d.")
        return
    for day, several in groupby(found, key=lambda one: text_format.date(one.event.at)):
        say(console, day, "bold")
        for one in several:
            by = "automatically" if one.event.automatic else plain_words.by_door(one.event.by)
            gone = f"{one.event.memory} (gone)" if one.event.memory else "a memory that is gone"
            name = text_format.name(one.memory) if one.memory else gone
            say(console, f"  {plain_words.action(one.event.action)} {by}: {name}")
            if one.memory:
                text = text_format.fit(text_format.line(one.memory.content), 90)
                aside(console, f"    {text}")
            if one.revert:
                say(console, f"    {one.revert}", "cyan")
