"""Find the right memories for a question, within what the caller may see."""

from __future__ import annotations

import json

from ..errors import BadInput, Busy, LedgerUnavailable
from ..model import Hit, Recalled, Retrieval, Why
from ..rules import ranking
from . import facts
from .catch_up import find_buried, with_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..ports import Where
    from .engine import Engine

MOST = 200
CANDIDATES = 5
"""How many matches are weighed for each hit asked for: weights may lift a weaker match."""


def recall(engine: Engine, query: str, *, where: Where, limit: int) -> Recalled:
    """The memories that answer a question best, best first, each with why it is here."""
    if not 0 < limit <= MOST:
        raise BadInput(f"A recall returns 1 to {MOST} memories.", hint="Set limit accordingly.")
    where = where.but(valid_at=where.valid_at or engine.now())
    hits = with_index(engine, lambda: _hits(engine, query, where, limit))
    return _logged(engine, query, _living(engine, hits))


def _hits(engine: Engine, query: str, where: Where, limit: int) -> list[Hit]:
    matches = engine.index.search(
        query, visible=engine.visible, where=where, limit=max(50, limit * CANDIDATES)
    )
    hits = ranking.rank(matches, settings=engine.settings.ranking, now=engine.now(), limit=limit)
    key = query.strip()
    exact = facts.lookup(engine, key, where=where) if 0 < len(key) <= 300 else None
    if exact is None:
        return hits
    best = max((hit.score for hit in hits), default=1.0)
    first = Hit(exact, best, (Why("key", best, f"is the fact {key}"),))
    return [first, *(hit for hit in hits if hit.memory.id != exact.id)][:limit]


def _living(engine: Engine, hits: list[Hit]) -> list[Hit]:
    # A purge made on another device may have arrived without its files being gone yet.
    buried = find_buried(engine, [hit.memory for hit in hits])
    return [hit for hit in hits if hit.memory.id not in buried]


def _logged(engine: Engine, query: str, hits: list[Hit]) -> Recalled:
    recalled = Recalled(hits)
    recalled.id = engine.id()
    retrieval = Retrieval(
        id=recalled.id,
        at=engine.now(),
        query=query[:2_000],
        scope=str(engine.context.scope),
        results=tuple((hit.memory.id, round(hit.score, 6)) for hit in hits),
        details=json.dumps({"why": [_shares(hit) for hit in hits]}),
    )
    try:
        if engine.settings.retrieval_log:
            engine.ledger.log(retrieval)
        engine.ledger.count_use([hit.memory.id for hit in hits], at=retrieval.at)
    except (LedgerUnavailable, Busy):
        # A full or read-only disk is no reason to keep an answer back; `doctor` reports it.
        pass
    return recalled


def _shares(hit: Hit) -> dict[str, float]:
    return {why.part: round(why.share, 4) for why in hit.why}
