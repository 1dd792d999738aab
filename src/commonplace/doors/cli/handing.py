"""Commands that print what an agent would be handed."""

from typing import Annotated

import typer

from ...errors import BadInput
from ...rules.digest.building import Budget, Limit
from .call import Call
from .declare import OnlyTopic, command
from .declare import group as make_group
from .draw import handed

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
    call.show(made, handed.digest)


@command(group, panel=PANEL)
def start(call: Call, *, topic: OnlyTopic = None) -> None:
    """Print what an agent is handed once, before anything is asked."""
    with call.book() as book:
        call.show(book.session_start(topic=topic), handed.digest)


def _kinds(given: list[str]) -> dict[str, Limit]:
    limits: dict[str, Limit] = {}
    for one in given:
        kind, equals, number = one.partition("=")
        if not (kind and equals and number.isdecimal()):
            raise BadInput(f"{one!r} limits nothing.", hint="Write a kind and a number: fix=3.")
        limits[kind] = Limit(items=int(number))
    return limits
