"""Reports from the archive."""

from datetime import date
from typing import Annotated

import typer

from ...errors import BadInput
from .call import Call
from .declare import command
from .declare import group as make_group
from .draw import work

group = make_group()


@command(group, panel="Look back and undo")
def report(
    call: Call,
    week: Annotated[bool, typer.Option("--week", help="The seven days up to then.")] = False,
    day: Annotated[
        str | None, typer.Option(help="Such as 2026-11-15; today if left out.", show_default=False)
    ] = None,
) -> None:
    """What a day or a week was about: tasks, conversations, what was learned, what is open."""
    with call.book() as book:
        call.show(book.report("week" if week else "day", day=_date(day)), work.report)


def _date(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise BadInput(f"{text!r} is not a day.", hint="Write it as 2026-11-15.") from error
