"""Ask the book what an agent should know: through a running server, or by opening it here."""

from __future__ import annotations

from ...registry import begin_ahead
from ...value import Value
from .chosen import switched_off
from .rendering import MOST_CHARACTERS, MOST_TOKENS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...book import Commonplace
    from ...rules.digest.building import Budget
    from ...scope import Context
    from ...settings import Settings

_LEFT_OPEN: list[Commonplace] = []
"""The system closes files faster than we do, and every write is already whole."""


class Asked(Value):
    """A question to the book, and who asks."""

    settings: Settings
    who: Context
    prompt: str | None = None
    """None at the start of a session."""
    already: tuple[str, ...] = ()
    """Memories that the session holds."""
    server_s: float = 0.12
    """How long a server may take, so that there is time left to open the book here."""


class Handed(Value):
    """A context for an agent, and the memories in it."""

    text: str = ""
    ids: tuple[str, ...] = ()


NOTHING = Handed()


def ask(asked: Asked) -> Callable[[], Handed]:
    """Ask what a prompt calls for, or what a session begins with; the result is the answer.

    A server that was asked thinks until the result is called.
    """
    if switched_off(asked.settings, asked.who):
        return lambda: NOTHING
    from .server import Unanswered, ask_server

    try:
        wait = ask_server(asked)
    except Unanswered:
        return lambda: _ask_here(asked)

    def answer() -> Handed:
        try:
            return Handed(*wait())
        except Unanswered:
            return _ask_here(asked)

    return answer


def _ask_here(asked: Asked) -> Handed:
    begin_ahead(asked.settings.url or "")
    from ...assemble import open_book

    book = open_book(context=asked.who, settings=asked.settings, source="hook", create=False)
    _LEFT_OPEN.append(book)
    budget = _budget(asked.settings, asked.who)
    if asked.prompt is None:
        made = book.session_start(budget=budget)
    else:
        made = book.prompt(asked.prompt, already=asked.already, budget=budget)
    return Handed(made.text, made.ids)


def _budget(chosen: Settings, who: Context) -> Budget:
    """What the hosts take, unless the person has set less."""
    from ...rules.digest.building import Budget, Limit
    from ...rules.digest.settings import resolve

    own = resolve(chosen.digest, who.agent).budget.total
    return Budget(
        total=Limit(
            characters=min(own.characters or MOST_CHARACTERS, MOST_CHARACTERS),
            tokens=min(own.tokens or MOST_TOKENS, MOST_TOKENS),
        )
    )
