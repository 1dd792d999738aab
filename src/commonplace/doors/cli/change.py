"""Commands that change memories. All can be undone except `purge`."""

import sys
from typing import Annotated, Any

import typer
from rich.console import Console

from ...book import Commonplace
from ...model.errors import BadInput, Refused
from ...model.memory import Memory
from ...model.results import Corrected, Forgotten, Promoted, Purged, Restored
from ...rules.authority import require_person
from . import text_format
from .about import AboutOption, AlsoOption, forget_about, purge_about, require_one_aim
from .call import Call
from .declare import (
    CHANGE,
    ConfidenceOption,
    FromBranch,
    ImportanceOption,
    OnlyScope,
    OptionalRef,
    Ref,
    SensitivityOption,
    TopicOption,
    command,
)
from .declare import group as make_group
from .render import aside, memory_line, render_changed, say, say_elsewhere
from .text_input import edited, read_content

group = make_group()


@command(group, panel=CHANGE)
def correct(
    call: Call,
    wrong: Annotated[str, typer.Argument(help="The wrong memory: its name or its text.")],
    right: Annotated[str, typer.Argument(help="The right text; - reads standard input.")],
    branch: FromBranch = None,
) -> None:
    """Replace a wrong memory with the right text, and its copies in broader or narrower scopes."""
    with call.book(wrong) as book:
        call.show(book.correct(wrong, read_content(right), branch=branch), render_corrected)


def render_corrected(console: Console, done: Corrected) -> None:
    """The wrong text, the right one, and memories that may repeat the wrong one."""
    if done.memory.id == done.replaced.id:
        memory_line(console, "The memory already says that; nothing changed", done.memory)
        return
    say(console, f"- {text_format.line(done.replaced.content)}", "red")
    say(console, f"+ {text_format.line(done.memory.content)}", "green")
    memory_line(console, "Corrected", done.memory)
    if done.also:
        copies = text_format.counted(len(done.also), "copy", "copies")
        scopes = ", ".join(dict.fromkeys(str(one.scope) for one in done.elsewhere))
        place = text_format.line(f", in {scopes}") if scopes else ""
        aside(console, f"{copies} corrected as well{place}.")
    if done.review:
        aside(console, f"Derived from the wrong text; please check: {', '.join(done.review)}")
    say_elsewhere(console, done.memory, done.replaced)
    aside(console, f"Undo: commonplace revert {text_format.name(done.memory)}")


@command(group, panel=CHANGE)
def edit(
    call: Call,
    ref: Ref,
    *,
    text: Annotated[
        str | None,
        typer.Option("--content", help="New text; - reads standard input.", show_default=False),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(help="New tags, replacing the old ones; may be repeated.", show_default=False),
    ] = None,
    topic: TopicOption = None,
    sensitivity: SensitivityOption = None,
    confidence: ConfidenceOption = None,
    importance: ImportanceOption = None,
    always_load: Annotated[
        bool | None,
        typer.Option(help="Include it in every agent's context.", show_default=False),
    ] = None,
    branch: FromBranch = None,
) -> None:
    """Change a memory: with options, or in your editor if none is given."""
    given: dict[str, Any] = {
        "content": read_content(text) if text is not None else None, "tags": tag, "topic": topic,
        "sensitivity": sensitivity, "confidence": confidence, "importance": importance,
        "always_load": always_load,
    }  # fmt: skip
    changes = {name: one for name, one in given.items() if one is not None}
    with call.book(ref) as book:
        before = book.get(ref, branch=branch)
        new = book.edit(before.id, **changes) if changes else _edit_in_editor(book, before, call)
        call.show(new, lambda out, memory: render_changed(out, memory, before))


def _edit_in_editor(book: Commonplace, memory: Memory, call: Call) -> Memory:
    with edited(memory.content, name=text_format.name(memory), environ=call.environ) as text:
        # `expect` refuses the edit if an agent changed the memory meanwhile.
        return book.edit(memory.id, content=text, expect=memory)


@command(group, panel=CHANGE)
def forget(
    call: Call,
    ref: OptionalRef = "",
    *,
    about: AboutOption = None,
    also: AlsoOption = None,
    scope: OnlyScope = None,
    branch: FromBranch = None,
    yes: Annotated[bool, typer.Option("--yes", help="With --about: do not ask.")] = False,
) -> None:
    """Stop recalling a memory; `restore` brings it back. --about forgets by description."""
    require_one_aim(ref, about, also=also, scope=scope)
    if about is not None:
        forget_about(call, about, also=also or [], scope=scope, yes=yes)
        return
    with call.book(ref) as book:
        call.show(book.forget(ref, branch=branch), render_forgotten)


def render_forgotten(console: Console, done: Forgotten) -> None:
    """The forgotten memory, and the command that restores it."""
    memory_line(console, "Forgotten", done.memory)
    if done.also_on:
        branch = text_format.line(done.also_on)
        aside(console, f"It is forgotten on every branch, also on {branch}, where it was learned.")
    aside(console, f"Restore it: commonplace restore {text_format.name(done.memory)}")


@command(group, panel=CHANGE)
def restore(call: Call, ref: Ref) -> None:
    """Recall a forgotten or archived memory again."""
    with call.book(ref) as book:
        call.show(book.restore(ref), render_restored)


def render_restored(console: Console, done: Restored) -> None:
    """The restored memory."""
    memory_line(console, "Restored", done.memory)


@command(group, panel=CHANGE)
def purge(
    call: Call,
    ref: OptionalRef = "",
    *,
    about: AboutOption = None,
    also: AlsoOption = None,
    scope: OnlyScope = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete a memory and all its versions for good. This cannot be undone."""
    require_one_aim(ref, about, also=also, scope=scope)
    if about is not None:
        purge_about(call, about, also=also or [], scope=scope, yes=yes)
        return
    with call.book(ref) as book:
        memory = book.get(ref)
        require_person(book.source, "purge a memory")
        if not yes:
            _confirm_purge(text_format.name(memory), call)
        call.show(book.purge(memory.id), render_purged)


def _confirm_purge(name: str, call: Call) -> None:
    if call.json or not sys.stdin.isatty():
        raise BadInput(
            "Nothing was purged: a purge has to be confirmed.", hint="Add --yes to go ahead."
        )
    typer.echo(f"This deletes {name} and all its versions for good.", err=True)
    if typer.prompt("Type its name to go ahead", err=True).strip() != name:
        raise Refused("That is not its name; nothing was purged.", hint="Copy it from `get`.")


def render_purged(console: Console, done: Purged) -> None:
    """The number of purged versions, and memories that repeat their text."""
    versions = text_format.counted(len(done.ids) - len(done.proposals), "version", "versions")
    asked = text_format.counted(len(done.proposals), "proposal", "proposals")
    say(console, f"Purged {versions}{f' and {asked} about it' if done.proposals else ''} for good.")
    for one in done.elsewhere:
        place = text_format.line(str(one.scope))
        aside(console, f"The same text stays in {place}: {text_format.name(one)}")
    if done.derived:
        aside(console, f"Derived from it, and may repeat it: {', '.join(done.derived)}")


@command(group, panel=CHANGE)
def promote(
    call: Call,
    ref: Ref,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="SCOPE",
            help="Broader scope, such as / or /org/acme; without it, every branch of its own.",
            show_default=False,
        ),
    ] = None,
    branch: FromBranch = None,
) -> None:
    """Copy a memory to a broader scope, or let it hold on every branch of its repository."""
    with call.book(ref) as book:
        call.show(book.promote(ref, to, branch=branch), render_promoted)


def render_promoted(console: Console, done: Promoted) -> None:
    """The copy in the broader scope."""
    same = done.memory.id == done.origin
    memory_line(console, "Holds on every branch" if same else "Copied", done.memory)
    if same:
        aside(console, f"Undo: commonplace revert {text_format.name(done.memory)}")


@command(group, panel=CHANGE)
def rename(
    call: Call, ref: Ref, name: Annotated[str, typer.Argument(help="The new name.")]
) -> None:
    """Rename a memory and update the links to it."""
    with call.book(ref) as book:
        call.show(book.rename(ref, name), render_changed)
