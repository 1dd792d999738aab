"""Look through a book as a person does: by conditions, by words, as of a day."""

from __future__ import annotations

from ..model import LIVE, Hit
from .catch_up import with_index
from .find import list_memories
from .recall import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Literal

    from ..model import Memory
    from ..ports.searching import Where
    from .engine import Engine

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
