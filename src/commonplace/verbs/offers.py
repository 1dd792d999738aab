"""Offers of memories for a digest: what a session's start and a prompt share."""

from __future__ import annotations

from ..engine.branch_view import merged_here
from ..engine.catch_up import find_purged
from ..language import tokens
from ..model.memory import SUMMARIES, TRUSTS
from ..model.value import Value
from ..notes.layout import WORK
from ..ports.search_index import Where
from ..rules.handed_over.digest import Offer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..engine.engine import Engine
    from ..model.conditions import Order
    from ..model.memory import Memory
    from ..rules.handed_over.digest import Budget
    from ..rules.handed_over.digest_settings import DigestSettings

CONFIRMED = ("user",)
"""The trust of what a person wrote or confirmed."""
UNCONFIRMED = ("agent", "system")
"""Trusts that are loaded without a question as well, after what is confirmed, and marked.

External text is only found by a question.
"""
LONG = 1_000
"""A longer memory is shown in part, so that it does not crowd out the others."""
RECORDS = (*SUMMARIES, WORK, "proposal")
"""Kinds that record work, and say nothing to whoever does not ask for it."""
MOST_SIDES = 10


class DigestRequest(Value):
    """The request for one digest, with everything that decides its content."""

    query: str
    settings: DigestSettings
    budget: Budget
    sections: tuple[str, ...]
    already: frozenset[str]
    agent: str | None
    topic: str | None
    near: tuple[str, ...]
    """The scopes that the context names, most specific first; only these load without a question,
    even for the owner."""
    where: Where
    trusts: tuple[str, ...] = CONFIRMED + UNCONFIRMED
    """The trusts of memories that are loaded without a question."""
    ignored: frozenset[str] = frozenset()
    """Ids that are no answers, such as that of the task's own note."""


def with_other_sides(engine: Engine, request: DigestRequest, offers: list[Offer]) -> list[Offer]:
    """Add the contradicting memories next to disputed ones, a person's first.

    In sections before `relevant` they are limited to near scopes and verified trust, too, and a
    person's line stays as it is; at a prompt both sides are marked.
    """
    if not any(map(_is_disputed, offers)):
        return offers
    # A memory may stand in several sections: one that is full, and a later one.
    chosen: dict[tuple[str, str], Offer] = {}
    for offer in offers:
        sides = [offer]
        if _is_disputed(offer) and (offer.memory.id, offer.section) not in chosen:
            where = request.where if offer.section == "relevant" else where_near(request)
            others = other_sides(engine, offer.memory, where)
            sides += [offer_of(other, offer.section) for other in others]
            sides.sort(key=lambda side: person_first(side.memory), reverse=True)
        for side in sides:
            known = chosen.setdefault((side.memory.id, side.section), side)
            if len(sides) > 1 and side.section == "relevant":
                against = sides if side is offer else [offer]
                chosen[side.memory.id, side.section] = _disputed(known, against)
    return list(chosen.values())


def _is_disputed(offer: Offer) -> bool:
    return bool(offer.disputed_with) or offer.memory.status == "review"


def _disputed(offer: Offer, against: Sequence[Offer]) -> Offer:
    ids = (one.memory.id for one in against if one.memory.id != offer.memory.id)
    return offer.but(disputed_with=tuple(dict.fromkeys((*offer.disputed_with, *ids))))


def other_sides(engine: Engine, memory: Memory, where: Where) -> list[Memory]:
    """The memories that contradict one, by the proposals in the inbox."""
    waiting = Where(statuses=("staged",), tags=("contradiction",), derived_from=memory.id)
    proposals = select_memories(engine, waiting, MOST_SIDES)
    ids = {id for proposal in proposals for id in proposal.derived_from} - {memory.id}
    if not ids:
        return []
    found = select_memories(engine, where.but(ids=tuple(sorted(ids))), MOST_SIDES)
    found = merged_here(engine, found)
    purged = find_purged(engine, found)
    return [other for other in found if other.id not in purged]


def person_first(memory: Memory) -> tuple[bool, int]:
    """Sorts a person's memory above others."""
    return memory.owner != "agent", TRUSTS.index(memory.trust)


def offer_of(memory: Memory, section: str, excerpt: str = "") -> Offer:
    """A memory; a long one by its excerpt, summary or beginning."""
    if len(memory.content) <= LONG:
        return Offer(memory, section)
    shown = excerpt or memory.summary or memory.content
    part = tokens.shortened(shown, price_limit=LONG * tokens.UNIT, characters=LONG)
    return Offer(memory, section, part)


def where_near(request: DigestRequest, **conditions: object) -> Where:
    """Conditions on what is loaded without a question."""
    return request.where.but(scopes=request.near, trusts=request.trusts, **conditions)


def select_memories(
    engine: Engine, where: Where, limit: int, *, order: Order = "updated"
) -> list[Memory]:
    """The caller's memories that meet the conditions."""
    return engine.index.select(where, visible=engine.visible, order=order, limit=limit)
