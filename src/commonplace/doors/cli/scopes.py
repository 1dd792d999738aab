"""Commands about scopes: suggest projects for the memories of the whole book."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console

from ...model.results import ScopesMoved, ScopeSuggestion
from . import text_format
from .call import Call
from .declare import command
from .declare import group as make_group
from .render import aside, say, shorten, table

group = make_group("The scopes of memories.")


@command(group, "suggest")
def suggest_scopes(
    call: Call,
    apply: Annotated[bool, typer.Option("--apply", help="Move the memories.")] = False,
) -> None:
    """List memories of the whole book that belong to a project, and why. --apply moves them."""
    with call.book() as book:
        found = book.suggest_scopes()
        if apply:
            call.show(book.apply_scopes(found), render_moved)
        else:
            call.show(found, render_suggestions)


def render_suggestions(console: Console, found: Sequence[ScopeSuggestion]) -> None:
    """One row for each memory: its text, the evidence, and the project."""
    if not found:
        say(console, "No memory of the whole book names a project of its own.")
        return
    rows = (
        (
            text_format.name(one.memory),
            shorten(one.memory.content),
            text_format.line("; ".join(one.why)),
            text_format.line(one.scope),
        )
        for one in found
    )
    table(console, ("Memory", "Text", "Why", "Suggested scope"), rows, prose=("Text", "Why"))
    aside(console, "Nothing was changed. Move them: commonplace scope suggest --apply")


def render_moved(console: Console, done: ScopesMoved) -> None:
    """Print each memory that was moved with its new scope, and each that stayed with the reason."""
    for memory in done.moved:
        say(console, f"{text_format.name(memory)} → {text_format.line(str(memory.scope))}")
    for one in done.left:
        say(console, f"{text_format.name(one.memory)} stays: {text_format.line(one.why)}", "yellow")
    count = text_format.counted(len(done.moved), "memory was", "memories were")
    aside(console, f"{count} moved. Undo one: commonplace revert MEMORY")
