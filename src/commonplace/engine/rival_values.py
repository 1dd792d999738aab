"""Hits of a recall that disagree: the newest first, each naming the other.

Two hits disagree if a question in the inbox asks which of them holds, or if they give one thing two
values.
"""

from __future__ import annotations

from ..model.identity import short_id
from ..model.memory import LIVE, Hit, Why
from ..ports.search_index import Where
from ..rules.authority import is_persons

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model.memory import Memory
    from .engine import Engine

    Disputes = Mapping[str, tuple[str, ...]]
    """The ids of the memories that each disputed one disagrees with."""

RIVAL = "other value"
"""The part of a hit's reasons that names the other value."""
MOST_VALUES = 10
"""Hits among which values of one slot are looked for."""
MOST_QUESTIONS = 200
"""Questions in the inbox that are read, the newest first."""


def open_disputes(engine: Engine) -> dict[str, tuple[str, ...]]:
    """The live memories that questions in the inbox are about, each with those it contradicts.

    The index is up to date.
    """
    where = Where(statuses=("staged",), tags=("contradiction",))
    waiting = engine.index.select(where, visible=engine.visible, limit=MOST_QUESTIONS)
    pairs = [(one.derived_from[0], other) for one in waiting for other in one.derived_from[1:]]
    if not pairs:
        return {}
    ids = tuple(dict.fromkeys(id for pair in pairs for id in pair))
    sides = Where(ids=ids, statuses=LIVE)
    found = engine.index.select(sides, visible=engine.visible, limit=len(ids))
    live = {memory.id for memory in found}
    disputes: dict[str, tuple[str, ...]] = {}
    for one, other in pairs:
        if one in live and other in live:
            disputes[one] = tuple(dict.fromkeys((*disputes.get(one, ()), other)))
            disputes[other] = tuple(dict.fromkeys((*disputes.get(other, ()), one)))
    return disputes


def newest_value_first(hits: Sequence[Hit], disputes: Disputes) -> list[Hit]:
    """The hits, those that disagree newest first, each naming the other.

    Of a dispute that waits for a person, that person's own word comes first.
    """
    marked = [hit.but(disputed_with=disputes.get(hit.memory.id, ())) for hit in hits]
    best = [at for at, hit in enumerate(marked[:MOST_VALUES]) if hit.memory.episode is None]
    for here, at in enumerate(best):
        alike = [at, *(other for other in best[here + 1 :] if _rivals(marked[at], marked[other]))]
        if len(alike) == 1 or _names_other(marked[at]):
            continue
        places = [(marked[place].score, marked[place].fit) for place in alike]
        newest = sorted((marked[place] for place in alike), key=_said, reverse=True)
        for place, hit, (score, fit) in zip(alike, newest, places, strict=True):
            other = newest[1] if hit is newest[0] else newest[0]
            why = Why(RIVAL, 0.0, _other_value(hit, other.memory, later=hit is newest[0]))
            marked[place] = hit.but(score=score, fit=fit, why=(*hit.why, why))
    return [hit if _names_other(hit) else _with_other_side(hit) for hit in marked]


def is_disputed(hit: Hit) -> bool:
    """Whether another memory says otherwise."""
    return bool(hit.disputed_with) or _names_other(hit)


def _names_other(hit: Hit) -> bool:
    return any(why.part == RIVAL for why in hit.why)


def _with_other_side(hit: Hit) -> Hit:
    """A disputed hit, naming what it disagrees with that the recall has not found."""
    if not hit.disputed_with:
        return hit
    words = f"disputed by {', '.join(map(short_id, hit.disputed_with))}"
    return hit.but(why=(*hit.why, Why(RIVAL, 0.0, words)))


def _other_value(hit: Hit, other: Memory, *, later: bool) -> str:
    if other.id in hit.disputed_with:
        return f"disputed by {short_id(other.id)}, which says: {_short(other.content)}"
    says = "was said later" if later else "may be outdated"
    return f"{says}; another note says: {_short(other.content)}"


def _rivals(one: Hit, other: Hit) -> bool:
    first, second = one.memory, other.memory
    if second.id in one.disputed_with:
        return True
    live = first.status in LIVE and second.status in LIVE
    if not live or first.scope != second.scope:
        return False
    # Imported here: most prompts have one hit, and a cold start should not pay for it.
    from ..rules.relations.slots import same_slot

    return same_slot(first.content, second.content)


def _said(hit: Hit) -> tuple[bool, float, str]:
    # Ids grow with time: of two notes of one moment the later one has the greater.
    persons = bool(hit.disputed_with) and is_persons(hit.memory)
    return persons, hit.memory.created.timestamp(), hit.memory.id


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79].rstrip()}…"
