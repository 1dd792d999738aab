"""Commands that print what an agent would be handed."""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ...model.errors import BadInput
from ...rules.digest import Budget, Digest, Limit
from . import text_format
from .call import Call
from .call import console as on
from .declare import OnlyTopic, command
from .declare import group as make_group

MOST_REASONS = 3


def render_digest(console: Console, made: Digest) -> None:
    """The text as the agent gets it; the bill goes to standard error, out of a script's way."""
    bill = on(stderr=True)
    if not made.text:
        _say(bill, _why_empty(made))
        return
    console.print(Text(text_format.clean(made.text)), soft_wrap=True)
    shares: dict[str, int] = {}
    for item in made.items:
        shares[item.section] = shares.get(item.section, 0) + item.tokens
    parts = " · ".join(f"{section} {tokens:,}" for section, tokens in shares.items())
    _say(
        bill, f"{made.tokens:,} tokens by a high estimate ({parts}), {made.characters:,} characters"
    )
    if made.left_out:
        reasons = "; ".join(dict.fromkeys(one.why for one in made.left_out[:MOST_REASONS]))
        _say(bill, f"{len(made.left_out):,} left out: {reasons}")


def _why_empty(made: Digest) -> str:
    if made.left_out:
        return "The budget has no room for anything. Allow more --tokens."
    return (
        "Nothing is always loaded, and nothing is sure enough to be handed over unasked."
        ' Try: commonplace save "Ask before deleting" --always-load'
    )


def _say(console: Console, words: str) -> None:
    console.print(Text(words, style="dim"), soft_wrap=True)


# Commands that print what an agent would be handed.


PANEL = "Hand over"
group = make_group()


def _limit_option(what: str) -> object:
    return typer.Option(f"--{what}", min=0, help=f"At most so many {what}.", show_default=False)


Tokens = Annotated[int | None, _limit_option("tokens")]
Characters = Annotated[int | None, _limit_option("characters")]
Items = Annotated[int | None, _limit_option("items")]
Phase = Annotated[
    str | None, typer.Option(help="The kind of work: plan, work, review, …", show_default=False)
]


@command(group, panel=PANEL)
def digest(
    call: Call,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[QUESTION...]", help="In your own words.")
    ] = None,
    *,
    tokens: Tokens = None,
    characters: Characters = None,
    items: Items = None,
    of: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND=N", help="At most N of a kind; may be repeated."),
    ] = None,
    phase: Phase = None,
    topic: OnlyTopic = None,
) -> None:
    """Print what an agent should know for a question, within its budget."""
    budget = Budget(total=Limit(items, characters, tokens), kinds=_kinds(of or []))
    with call.book() as book:
        made = book.digest(" ".join(words or []), budget=budget, phase=phase, topic=topic)
    call.show(made, render_digest)


@command(group, panel=PANEL)
def start(call: Call, *, topic: OnlyTopic = None) -> None:
    """Print what an agent is handed once, before anything is asked."""
    with call.book() as book:
        call.show(book.session_start(topic=topic), render_digest)


def _kinds(given: list[str]) -> dict[str, Limit]:
    limits: dict[str, Limit] = {}
    for one in given:
        kind, equals, number = one.partition("=")
        if not (kind and equals and number.isdecimal()):
            raise BadInput(f"{one!r} limits nothing.", hint="Write a kind and a number: fix=3.")
        limits[kind] = Limit(items=int(number))
    return limits
