"""Find the right memories for a question, within what the caller may see."""

from __future__ import annotations

import json
from datetime import UTC, datetime, time
from time import perf_counter

from ..engine.catch_up import with_index
from ..engine.search import search
from ..model.errors import BadInput, Busy, LedgerUnavailable, NotFound
from ..model.memory import LIVE, Hit, Recalled, Retrieval
from ..model.value import Value
from ..ports.search_index import Where
from ..rules.screening.screen import credentials_removed, loggable
from .find import get, list_memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date
    from typing import Any, Literal

    from ..engine.engine import Engine
    from ..model.memory import Memory


MOST_TURNS = 20


def recall(
    engine: Engine, query: str, *, where: Where, limit: int, as_of: date | None = None
) -> Recalled:
    """The memories that answer a question best, best first, each with why it is here.

    With `as_of` the answer is what the book would have said at that moment, or on that day.
    """
    began = perf_counter()
    recalled = search(engine, query, where=where, limit=limit, as_of=_moment(as_of))
    took_s = perf_counter() - began
    log(engine, query, recalled, [hit.memory.id for hit in recalled], took_s=took_s)
    if engine.background is not None:
        from ..engine.embed import embed_in_background

        embed_in_background(engine)
    return recalled


def expanded(engine: Engine, recalled: Recalled, turns: int) -> Recalled:
    """The same hits, each with so many turns of its conversation before and after."""
    if not 0 <= turns <= MOST_TURNS:
        raise BadInput(f"Expand by 0 to {MOST_TURNS} turns.", hint="Each way, around every hit.")
    recalled[:] = [hit.but(around=_around(engine, hit.memory, turns)) for hit in recalled]
    return recalled


def _around(engine: Engine, memory: Memory, turns: int) -> tuple[Memory, ...]:
    if memory.episode is None or memory.position is None:
        return ()
    where = Where(
        episode=memory.episode,
        scopes=(str(memory.scope),),
        statuses=LIVE,
        position_from=memory.position - turns,
        position_until=memory.position + turns,
    )
    found = engine.index.select(where, visible=engine.visible, order="oldest")
    others = (one for one in found if one.id != memory.id)
    return tuple(sorted(others, key=lambda one: one.position or 0))


def log(
    engine: Engine,
    query: str,
    recalled: Recalled,
    used: Sequence[str],
    *,
    took_s: float,
    handed: bool = False,
) -> None:
    """Remember what was asked and answered, and count the memories that were used.

    `handed` says that they were put into an agent's prompt, which had not asked for them by itself.
    """
    if engine.rehearsing:
        return
    recalled.id = engine.id()
    retrieval = Retrieval(
        id=recalled.id,
        at=engine.now(),
        query=loggable(query, engine.settings.screening)[:2_000],
        scope=str(engine.context.scope),
        results=tuple((hit.memory.id, round(hit.score, 6)) for hit in recalled),
        details=json.dumps(
            {
                "sure": recalled.sure,
                "by": engine.source,
                "ms": round(took_s * 1_000, 2),
                **({"handed": _among(recalled, used)} if handed else {}),
                "why": [{why.part: round(why.share, 4) for why in hit.why} for hit in recalled],
            }
        ),
    )
    try:
        if engine.settings.retrieval_log:
            engine.ledger.log(retrieval)
        engine.ledger.count_use(used, at=retrieval.at)
    except (LedgerUnavailable, Busy):
        # A full or read-only disk is no reason to keep an answer back.
        return


def _among(recalled: Recalled, used: Sequence[str]) -> list[str]:
    found = {hit.memory.id for hit in recalled}
    return [id for id in used if id in found]


def _moment(as_of: date | None) -> datetime | None:
    """A day is known at its end."""
    if as_of is None or isinstance(as_of, datetime):
        return as_of
    return datetime.combine(as_of, time.max, tzinfo=UTC)


# Look through a book as a person does: by conditions, by words, as of a day.


SINCE_RETIRED = ("superseded", "archived", "deleted")


def browse(
    engine: Engine,
    query: str,
    where: Where,
    *,
    order: Literal["newest", "oldest", "updated", "name"],
    limit: int,
    offset: int,
    as_of: datetime | None,
) -> list[Hit]:
    """A page of memories; with a question, ranked as recall ranks them, each with its why."""
    if query.strip():
        found = search(engine, query, where=where, limit=min(200, limit + offset), as_of=as_of)
        return found[offset:]
    if as_of is None:
        memories = list_memories(engine, where, order=order, limit=limit, offset=offset)
    else:
        memories = _known(engine, where, as_of, order=order, limit=limit, offset=offset)
    return [Hit(memory, 0.0) for memory in memories]


def _known(
    engine: Engine,
    where: Where,
    as_of: datetime,
    *,
    order: Literal["newest", "oldest", "updated", "name"],
    limit: int,
    offset: int,
) -> list[Memory]:
    """What the book held at a moment: what was there already, and was not retired before it."""
    then = where.but(
        created_until=as_of,
        valid_at=as_of,
        statuses=(*(where.statuses or LIVE), *SINCE_RETIRED),
    )
    held: list[Memory] = []
    passed = 0
    while len(held) < offset + limit:
        batch = with_index(
            engine,
            lambda passed=passed: engine.index.select(
                then, visible=engine.visible, order=order, limit=500, offset=passed
            ),
        )
        held += [one for one in batch if one.status in LIVE or one.updated > as_of]
        passed += len(batch)
        if len(batch) < 500:
            break
    return held[offset : offset + limit]


# Explain a recall after the fact: what was asked, and what put each memory where it was.


LAST = "last"
LOOKED_THROUGH = 10_000
"""How many logged recalls are looked through for the one that is meant."""


class PlacedHit(Value):
    """One memory that came back: its place, its score, and each part's share of that."""

    place: int
    id: str
    score: float
    parts: Mapping[str, float]
    memory: Memory | None = None
    """None when it is gone, or not visible any more."""


class ExplainedRecall(Value):
    """One logged recall with its reasons."""

    retrieval: Retrieval
    sure: str
    hits: tuple[PlacedHit, ...]
    details: Mapping[str, Any]
    """Whatever else was logged: arms, settings, timings."""


def explain(engine: Engine, ref: str = LAST) -> ExplainedRecall:
    """Explain the last recall, the one with an id, or the last that returned a memory."""
    limit = 1 if ref == LAST else LOOKED_THROUGH
    log = engine.ledger.retrievals(visible=engine.own_log, limit=limit)
    if not log:
        raise NotFound("No recall is logged yet.", hint="Ask something with `commonplace recall`.")
    chosen = next((one for one in log if ref in (LAST, one.id)), None)
    if chosen is not None:
        return _explained(engine, chosen)
    memory = get(engine, ref)
    for one in log:
        if any(id == memory.id for id, _ in one.results):
            return _explained(engine, one, only=memory.id)
    raise NotFound(
        f"No logged recall returned {credentials_removed(ref)[:80]!r}.",
        hint="Ask for it with `commonplace recall`, then try again.",
    )


def _explained(engine: Engine, retrieval: Retrieval, only: str | None = None) -> ExplainedRecall:
    details: dict[str, Any] = json.loads(retrieval.details)
    shares: list[dict[str, float]] = details.pop("why", [])
    sure = details.pop("sure", "")
    memories = engine.store.read([id for id, _ in retrieval.results], visible=engine.visible)
    hits = (
        PlacedHit(
            place,
            id,
            score,
            shares[place - 1] if place <= len(shares) else {},
            memories.get(id),
        )
        for place, (id, score) in enumerate(retrieval.results, 1)
        if only in (None, id)
    )
    return ExplainedRecall(retrieval, sure, tuple(hits), details)
