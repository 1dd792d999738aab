"""How far the work of a project is: its roadmap, designs, progress log and feedback."""

from __future__ import annotations

from ..engine.catch_up import find_purged, with_index
from ..model.memory import LIVE, WORK_STATE
from ..model.scope import subsets
from ..ports.search_index import Where
from ..rules import authority
from ..rules.handed_over.digest import Offer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..engine.engine import Engine
    from ..model.memory import Memory

PER_KIND = 3
"""Notes of each kind that are handed over, the last changed first."""
BEGINNING, ENDING = 600, 400
"""Characters of a longer note that are shown; a progress log grows at its end."""
BRIEF = 160
"""Characters of each note where a session starts; the task itself is handed more."""


def work_state(engine: Engine, *, per_kind: int = PER_KIND) -> list[Memory]:
    """The newest notes on the work of the caller's project, kind by kind.

    Text from outside, sensitive text and orders are left out, because the notes come unasked.
    """
    scopes = _scopes(engine)
    found = [note for kind in WORK_STATE for note in _newest(engine, kind, scopes, per_kind)]
    purged = find_purged(engine, found)
    return [note for note in found if note.id not in purged and not authority.is_order(note)]


def work_state_offers(engine: Engine, section: str = "relevant") -> list[Offer]:
    """The same notes for a digest; a long one by its beginning, a long log by its end."""
    return [Offer(note, section, _shown(note)) for note in work_state(engine)]


def brief_work_state(engine: Engine) -> list[Offer]:
    """The newest note of each kind for the start of a session, by its beginning or its end."""
    return [Offer(note, "work", _brief(note)) for note in work_state(engine, per_kind=1)]


def _scopes(engine: Engine) -> tuple[str, ...]:
    """The scopes of the caller's project, whoever works on it; without a project, its own."""
    mine = engine.context.scope.without("task")
    project = mine.value("project")
    if project is None:
        return (str(mine),)
    return tuple(str(one) for one in subsets(mine.pairs) if one.value("project") == project)


def _newest(engine: Engine, kind: str, scopes: Sequence[str], most: int) -> list[Memory]:
    where = Where(
        kinds=(kind,),
        statuses=LIVE,
        scopes=tuple(scopes),
        trusts=("user", "agent", "system"),
        sensitivities=("public", "private"),
        valid_at=engine.now(),
    )
    return with_index(
        engine,
        lambda: engine.index.select(where, visible=engine.visible, order="updated", limit=most),
    )


def _shown(note: Memory) -> str | None:
    text = note.content
    if len(text) <= BEGINNING + ENDING:
        return None
    if note.kind == "progress":
        return f"…{text[-(BEGINNING + ENDING) :]}"
    return f"{text[:BEGINNING].rstrip()} … {text[-ENDING:].lstrip()}"


def _brief(note: Memory) -> str | None:
    text = note.content
    if len(text) <= BRIEF:
        return None
    return f"…{text[-BRIEF:]}" if note.kind == "progress" else f"{text[:BRIEF].rstrip()}…"
