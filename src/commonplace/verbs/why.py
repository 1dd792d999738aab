"""Explain a recall after the fact: what was asked, and what put each memory where it was."""

from __future__ import annotations

import json

from ..errors import NotFound
from ..rules.screening import credentials_removed
from ..value import Value
from .find import get

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..model import Memory, Retrieval
    from .engine import Engine

LAST = "last"
LOOKED_THROUGH = 10_000
"""How many logged recalls are looked through for the one that is meant."""


class Placed(Value):
    """One memory that came back: its place, its score, and each part's share of that."""

    place: int
    id: str
    score: float
    parts: Mapping[str, float]
    memory: Memory | None = None
    """None when it is gone, or not visible any more."""


class Explained(Value):
    """One logged recall with its reasons."""

    retrieval: Retrieval
    sure: str
    hits: tuple[Placed, ...]
    details: Mapping[str, Any]
    """Whatever else was logged: arms, settings, timings."""


def why(engine: Engine, ref: str = LAST) -> Explained:
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


def _explained(engine: Engine, retrieval: Retrieval, only: str | None = None) -> Explained:
    details: dict[str, Any] = json.loads(retrieval.details)
    shares: list[dict[str, float]] = details.pop("why", [])
    sure = details.pop("sure", "")
    memories = engine.store.read([id for id, _ in retrieval.results], visible=engine.visible)
    hits = (
        Placed(
            place,
            id,
            score,
            shares[place - 1] if place <= len(shares) else {},
            memories.get(id),
        )
        for place, (id, score) in enumerate(retrieval.results, 1)
        if only in (None, id)
    )
    return Explained(retrieval, sure, tuple(hits), details)
