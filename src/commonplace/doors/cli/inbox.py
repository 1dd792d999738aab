"""Commands of the inbox: proposals of agents and of maintenance that wait for a decision."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ...model.errors import BadInput
from ...model.identity import short_id
from ...model.memory import Memory
from ...rules.authority import require_person
from ...rules.proposals import FORGET_ABOUT, PROPOSAL_KIND, in_short
from ...verbs.accept_many import DecidedMany, entries_within, needs_choice
from ...verbs.inbox import BOTH, CHOICE, Decided, InboxEntry
from .. import plain_words
from . import text_format
from .call import Call, console
from .declare import Limit, ListGroup, Ref, command
from .declare import group as make_group
from .render import aside, render_changed, say
from .text_input import edited, read_content

_DIFF_COLOURS = {"- ": "red", "+ ": "green"}
group = make_group(
    "Proposals and contradictions that wait for your decision; alone, it lists them.",
    cls=ListGroup,
)


@command(group, "list")
def list_inbox(call: Call, limit: Limit = 50) -> None:
    """List proposals, newest first; with --project, those of that project alone."""
    with call.book() as book:
        seen = book.inbox()
        project = book.context.project
    found = [one for one in seen if project is None or one.memory.scope.value("project") == project]
    call.show(found[:limit], render_inbox)
    if len(found) < len(seen) and not call.json:
        count = text_format.counted(len(seen) - len(found), "entry", "entries")
        aside(console(), f"Not shown: {count} outside the project {project}.")


def render_inbox(console: Console, found: Sequence[InboxEntry]) -> None:
    """The first line of each proposal."""
    if not found:
        say(
            console,
            "The inbox is empty. Agents and `commonplace maintain` put their proposals here.",
        )
        return
    for one in found:
        _heading(console, one)
    aside(
        console,
        "\nShow one: commonplace inbox show NAME   Decide: inbox accept or reject NAME"
        "   All: inbox accept --all",
    )


@command(group, "show")
def show_proposal(call: Call, ref: Ref) -> None:
    """Show a proposal and the memories it concerns."""
    with call.book(ref, in_inbox=True) as book:
        call.show(book.inbox_show(ref), render_waiting)


def render_waiting(console: Console, one: InboxEntry) -> None:
    """A proposal, the memories it concerns, and the commands that decide it."""
    _heading(console, one)
    for line in one.memory.content.splitlines():
        say(console, line, _DIFF_COLOURS.get(line[:2], ""))
    if one.action == "remember" and one.about:
        part = " what it contradicts in" if one.disputes else ""
        say(console, f"Accepting replaces{part}:")
    for memory in one.about:
        _memory(console, memory)
    name = text_format.name(one.memory)
    lines = [f"inbox accept {name}", f"inbox reject {name}"][one.settled :]
    if needs_choice(one):
        lines = [f"inbox accept {name} --keep {text_format.name(side)}" for side in one.about]
    if one.disputes:
        lines.append(f"inbox accept {name} --keep {BOTH}")
    say(console, "\n" + "\n".join(f"commonplace {line}" for line in lines), "cyan")


def _heading(console: Console, one: InboxEntry) -> None:
    first_line = one.memory.content.partition("\n")[0]
    console.print(Text.assemble((one.action, "bold"), f"  {text_format.line(first_line)}"))
    if change := in_short(one.memory):
        say(console, f"  {text_format.fit(text_format.line(change), 90)}")
    if one.why:
        say(console, f"  {one.why}")
    scope = text_format.line(str(one.memory.scope))
    aside(console, f"  {text_format.name(one.memory)}  {scope}")


def _memory(console: Console, memory: Memory) -> None:
    say(console, f"  {text_format.fit(text_format.line(memory.content), 90)}")
    aside(console, f"    {text_format.name(memory)} · {plain_words.status(memory.status)}")


@command(group)
def accept(
    call: Call,
    refs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MEMORY]...", help="Names or ids.", show_default=False),
    ] = None,
    *,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="MEMORY|both",
            help="For a contradiction: the memory that is right, or both.",
            show_default=False,
        ),
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help="All proposals but contradictions, after a preview; with --project, that one's.",
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --all: do not ask.")] = False,
) -> None:
    """Carry out proposals; `revert` undoes them."""
    refs = refs or []
    if every == bool(refs):
        raise BadInput("Name proposals, or use --all.", hint="See `commonplace inbox list`.")
    if keep is not None and len(refs) != 1:
        raise BadInput("--keep is for one contradiction.", hint="Name that one alone.")
    if yes and not every:
        raise BadInput("--yes is for --all.", hint="Leave it out.")
    with call.book(refs[0] if refs else "", in_inbox=True) as book:
        if len(refs) == 1:
            call.show(book.accept(refs[0], keep=keep), render_decided)
            return
        require_person(book.source, "decide about proposals")
        if not every:
            call.show(book.accept_many(refs), render_decided_many)
            return
        seen = book.inbox()
        waiting = entries_within(seen, book.context.scope)
        count = sum(not (needs_choice(one) or one.settled) for one in waiting)
        agreed = yes or not count or _confirmed(call, waiting, count)
        refs = [one.memory.id for one in waiting]
        done = book.accept_many(refs) if refs and agreed else DecidedMany()
        call.show(done, render_decided_many)
        if len(waiting) < len(seen) and not call.json:
            _say_elsewhere(len(seen) - len(waiting), str(book.context.scope))


def _say_elsewhere(count: int, place: str) -> None:
    """How many entries were seen from a place and left alone, since they belong around it."""
    wait = f"{text_format.counted(count, 'proposal', 'proposals')} outside {place}"
    aside(console(), f"Not decided: {wait}. Accept them by name; see `commonplace inbox list`.")


def _confirmed(call: Call, waiting: Sequence[InboxEntry], count: int) -> bool:
    """Show what would be accepted; whether the person wants it."""
    out = console(stderr=call.json)
    for one in waiting:
        _heading(out, one)
        if needs_choice(one):
            aside(out, "  stays: you have to choose")
    proposals = text_format.counted(count, "proposal", "proposals")
    return typer.confirm(f"Accept {proposals}? One revert undoes all of them.", err=True)


def render_decided_many(out: Console, done: DecidedMany) -> None:
    """How many were accepted, what still waits, and the one command that undoes it."""
    if done.decided:
        accepted = text_format.counted(len(done.decided), "proposal", "proposals")
        say(out, f"Accepted: {accepted}.", "green")
    else:
        say(out, "Nothing was accepted.")
    for one in done.left:
        say(out, f"Still waits: {text_format.fit(text_format.line(one.text), 90)}", "yellow")
        aside(out, f"  {short_id(one.id)}  {one.why}")
    if done.decided:
        aside(out, f"Undo: commonplace revert {' '.join(map(short_id, done.undo))}")


@command(group)
def reject(call: Call, ref: Ref) -> None:
    """Reject what waits; the answer says what may be proposed again, and when."""
    with call.book(ref, in_inbox=True) as book:
        call.show(book.reject(ref), render_decided)


def render_decided(console: Console, done: Decided) -> None:
    """The decision, what it means, the memories it changed, and how to undo it."""
    verb = "Accepted" if done.accepted else "Rejected"
    if done.action == CHOICE and not done.accepted:
        verb = "Kept both"
    text = text_format.line(done.memory.content.partition("\n")[0])
    say(console, f"{verb}: {text_format.fit(text, 90)}", "green")
    if not done.accepted:
        say(console, _rejection(done))
    for memory in done.changed:
        _memory(console, memory)
    aside(console, f"Undo: commonplace revert {text_format.name(done.memory)}")


_AGENTS_WISHES = {
    "edit": "to change that memory", "correct": "to change that memory",
    "forget": "to forget that memory", FORGET_ABOUT: "to forget any of those memories",
    "restore": "to restore that memory", "rename": "to rename that memory",
    "revert": "to undo a change of that memory",
}  # fmt: skip
"""An agent's request in words, by the act that it proposed."""


def _rejection(done: Decided) -> str:
    """The sentence that tells a person what their rejection did, and what agents may still do."""
    if done.memory.kind != PROPOSAL_KIND:
        used = "It is no longer in use" if done.action == "confirm" else "It stays out of use"
        return f"{used}. Agents cannot save this text again; you can."
    if done.action == CHOICE:
        return "Both memories stay in use, and you are not asked about them again."
    if wish := _AGENTS_WISHES.get(done.action):
        return (
            f"Nothing was changed. For a week agents cannot ask again {wish}, unless it changes"
            " before. They can still save memories of their own."
        )
    return "Nothing was changed. It is not proposed again unless the memories change."


@command(group, "edit")
def edit_proposal(
    call: Call,
    ref: Ref,
    text: Annotated[
        str | None,
        typer.Option("--content", help="New text; - reads standard input.", show_default=False),
    ] = None,
) -> None:
    """Change a proposal before you accept it: with --content, or in your editor."""
    with call.book(ref, in_inbox=True) as book:
        found = book.inbox_show(ref).memory
        if text is not None:
            new = book.edit(found.id, content=read_content(text), expect=found)
        else:
            with edited(
                found.content, name=text_format.name(found), environ=call.environ
            ) as changed:
                new = book.edit(found.id, content=changed, expect=found)
        call.show(new, lambda out, memory: render_changed(out, memory, found))
