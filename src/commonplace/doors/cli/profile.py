"""The profile: what is always handed over about the person, in a thousand characters."""

from typing import Annotated

import typer

from ...agent.profile import Profile
from ...rules.notes.profile import LIMIT
from .call import Call
from .declare import ScopeOption, command
from .declare import group as make_group
from .draw import work
from .editor import edited
from .remember import content

group = make_group("What every agent is told about you, in a thousand characters.")


@command(group)
def show(call: Call, scope: ScopeOption = None) -> None:
    """Show the profile and how full it is."""
    with call.book() as book:
        call.show(_told(book.profile(scope=scope)), work.profile)


@command(group, "set")
def set_profile(
    call: Call,
    text: Annotated[str, typer.Argument(help="The text; - reads standard input.")],
    section: Annotated[str | None, typer.Option(help="Only this section of it.")] = None,
    add: Annotated[bool, typer.Option("--add", help="Add it as one more line.")] = False,
    scope: ScopeOption = None,
) -> None:
    """Set the profile, or one section of it; refused past the limit."""
    with call.book() as book:
        new = book.profile_set(content(text), section=section, add=add, scope=scope)
        call.show(_told(new), work.profile)


@command(group)
def edit(call: Call, scope: ScopeOption = None) -> None:
    """Change the profile in your editor."""
    with call.book() as book:
        before = book.profile(scope=scope).text
        instead = "use `commonplace profile set`"
        with edited(before, name="profile", environ=call.environ, instead=instead) as text:
            call.show(_told(book.profile_set(text, scope=scope)), work.profile)


def _told(shown: Profile) -> dict[str, object]:
    sections = {part.name: part.characters for part in shown.sections}
    return {
        "scope": shown.scope, "text": shown.text, "characters": shown.characters,
        "limit": LIMIT, "percent": shown.percent, "sections": sections,
    }  # fmt: skip
