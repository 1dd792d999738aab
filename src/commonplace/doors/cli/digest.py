"""Commands that print the context an agent gets."""

from typing import Annotated

import typer
from rich.console import Console

from ...model.errors import BadInput
from ...rules.handed_over.digest import Budget, Digest, Limit
from .call import Call
from .call import console as make_console
from .declare import AGENT_CONTEXT, OnlyTopic, command
from .declare import group as make_group
from .render import aside, say

_MOST_REASONS = 3


group = make_group()


def _limit_option(what: str) -> object:
    return typer.Option(f"--{what}", min=0, help=f"Maximum number of {what}.", show_default=False)


Tokens = Annotated[int | None, _limit_option("tokens")]
Characters = Annotated[int | None, _limit_option("characters")]
Items = Annotated[int | None, _limit_option("items")]
Phase = Annotated[
    str | None, typer.Option(help="The kind of work: plan, work, review, …", show_default=False)
]


@command(group, panel=AGENT_CONTEXT)
def digest(
    call: Call,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[QUESTION...]", help="A question in your own words."),
    ] = None,
    *,
    tokens: Tokens = None,
    characters: Characters = None,
    items: Items = None,
    of: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND=N", help="At most N memories of a kind; may be repeated."),
    ] = None,
    phase: Phase = None,
    topic: OnlyTopic = None,
) -> None:
    """Print the context for a question, within a budget."""
    budget = Budget(total=Limit(items, characters, tokens), kinds=_kinds(of or []))
    with call.in_project().book() as book:
        made = book.digest(" ".join(words or []), budget=budget, phase=phase, topic=topic)
    call.show(made, render_digest)


def _kinds(given: list[str]) -> dict[str, Limit]:
    limits: dict[str, Limit] = {}
    for one in given:
        kind, equals, number = one.partition("=")
        if not (kind and equals and number.isdecimal()):
            raise BadInput(f"{one!r} is not a limit.", hint="Write a kind and a number: fix=3.")
        limits[kind] = Limit(items=int(number))
    return limits


def render_digest(console: Console, made: Digest) -> None:
    """The context on standard output, its size on standard error, out of a script's way."""
    stderr = make_console(stderr=True)
    if not made.text:
        aside(stderr, _why_empty(made))
        return
    say(console, made.text)
    shares: dict[str, int] = {}
    for item in made.items:
        shares[item.section] = shares.get(item.section, 0) + item.tokens
    parts = " · ".join(f"{section} {tokens:,}" for section, tokens in shares.items())
    size = f"~{made.tokens:,} tokens (upper bound; {parts}), {made.characters:,} characters"
    aside(stderr, size)
    if made.left_out:
        reasons = "; ".join(dict.fromkeys(one.why for one in made.left_out[:_MOST_REASONS]))
        aside(stderr, f"{len(made.left_out):,} left out: {reasons}")


def _why_empty(made: Digest) -> str:
    if made.left_out:
        return "Nothing fits into the budget. Allow more --tokens."
    return (
        "No memory is always loaded, and none is certain enough to be included."
        ' Try: commonplace save "Ask before deleting" --always-load'
    )


@command(group, panel=AGENT_CONTEXT)
def start(call: Call, *, topic: OnlyTopic = None) -> None:
    """Print the context that an agent gets at the start of a session."""
    with call.in_project().book() as book:
        call.show(book.session_start(topic=topic), render_digest)
