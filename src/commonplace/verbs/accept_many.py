"""Accept several entries of the inbox at once, each as if it were accepted alone."""

from __future__ import annotations

from ..model.errors import BadInput, CommonplaceError
from ..model.value import Value
from ..rules import authority
from .inbox import CHOICE, Decided, accept, inbox_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..engine.engine import Engine
    from ..model.scope import Scope
    from .inbox import InboxEntry

WHY_CHOICE = "You have to say which memory holds: accept it alone, with --keep."


class NotDecided(Value):
    """An entry that still waits, and the reason."""

    id: str
    text: str
    """The first line of the proposal or memory."""
    why: str


class DecidedMany(Value):
    """Result of accepting several entries."""

    decided: tuple[Decided, ...] = ()
    left: tuple[NotDecided, ...] = ()

    @property
    def undo(self) -> tuple[str, ...]:
        """The ids to revert, the last decision first."""
        return tuple(one.memory.id for one in reversed(self.decided))


def needs_choice(entry: InboxEntry) -> bool:
    """Whether a person has to choose one of the entry's memories."""
    return entry.action == CHOICE


def entries_within(entries: Sequence[InboxEntry], place: Scope) -> list[InboxEntry]:
    """The entries of the narrowest thing that a scope names: its task, agent, project or user.

    Who acts within a project also reads what is around it, such as the book's own scope; a yes for
    all of a project decides nothing there. A scope that names nothing takes all entries.
    """
    return [one for one in entries if {*place.pairs[-1:]} <= {*one.memory.scope.pairs}]


def accept_many(engine: Engine, refs: Sequence[str]) -> DecidedMany:
    """Accept each entry; contradictions and what cannot be done any more stay in the inbox.

    Every name is looked up first, so that a wrong one changes nothing.
    """
    authority.require_person(engine.source, "decide about proposals")
    if not refs:
        raise BadInput("No proposal is named.", hint="See `commonplace inbox list`.")
    entries = {entry.memory.id: entry for entry in (inbox_entry(engine, ref) for ref in refs)}
    decided: list[Decided] = []
    left: list[NotDecided] = []
    for id, entry in entries.items():
        text = entry.memory.content.partition("\n")[0]
        if needs_choice(entry):
            left.append(NotDecided(id, text, WHY_CHOICE))
            continue
        try:
            decided.append(accept(engine, id))
        except CommonplaceError as error:
            # One decision may settle another: what it was about is gone then.
            left.append(NotDecided(id, text, str(error)))
    return DecidedMany(tuple(decided), tuple(left))
