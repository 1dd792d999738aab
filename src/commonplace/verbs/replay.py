"""Replay digests as they were handed over, byte for byte."""

from __future__ import annotations

from ..model.errors import NotFound
from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.memory import HandedDigest, Memory
    from ..rules.handed_over.digest import OmittedMemory

LAST = "last"
MOST_LOGGED = 10_000
MOST_VERSIONS = 1_000
FORGOTTEN = "forgotten since"
GONE = "no longer in the book, or not visible"


class Replayed(Value):
    """A digest as it was handed over."""

    id: str
    at: datetime
    scope: str
    by: str
    """The door that it went through."""
    question: str
    """Empty at the start of a session, and once the question was purged from the log."""
    text: str
    memories: tuple[str, ...]
    """The ids of the memories, in the order of their lines."""
    withheld: tuple[OmittedMemory, ...] = ()
    """Memories that were purged, forgotten or removed since; a note stands in place of each."""
    late: bool = False
    """Whether it came too late, so that no agent has it yet."""


def replay(engine: Engine, id: str = LAST) -> Replayed:
    """The last digest, or the one with an id, as it was handed over."""
    wanted = None if id == LAST else id
    found = engine.ledger.digests(visible=engine.own_log, id=wanted, limit=1)
    if not found:
        raise NotFound(
            "No digest is logged yet." if wanted is None else f"No digest has the id {id[:80]!r}.",
            hint="A person can list the logged ones: `commonplace audit digests`.",
        )
    return _replayed(engine, found[0], logged_question(engine, found[0].id))


def digests(engine: Engine, *, limit: int = 20) -> list[Replayed]:
    """The last digests that were handed over, newest first."""
    found = engine.ledger.digests(visible=engine.own_log, limit=limit)
    asked = _questions(engine) if found else {}
    return [_replayed(engine, one, asked.get(one.id, "")) for one in found]


def _replayed(engine: Engine, logged: HandedDigest, question: str) -> Replayed:
    from ..rules.handed_over.digest import OmittedMemory
    from ..rules.handed_over.handed_digest import with_withheld

    reasons = _reasons_to_withhold(engine, logged)
    return Replayed(
        logged.id,
        logged.at,
        logged.scope,
        logged.by,
        question,
        with_withheld(logged, reasons).text,
        logged.memories,
        tuple(OmittedMemory(id, why) for id, why in reasons.items()),
        logged.late,
    )


def _reasons_to_withhold(engine: Engine, logged: HandedDigest) -> dict[str, str]:
    """Why the text of each memory may not come back, for those where this is so."""
    from ..rules.handed_over.handed_digest import PURGED

    held = engine.store.read(logged.memories, visible=engine.visible)
    purged = engine.ledger.purged_keys(logged.memories)
    reasons: dict[str, str] = {}
    for id in logged.memories:
        memory = held.get(id)
        if memory is None:
            reasons[id] = PURGED if id in purged else GONE
        elif _newest(engine, memory).status == "deleted":
            reasons[id] = FORGOTTEN
    return reasons


def _newest(engine: Engine, memory: Memory) -> Memory:
    """The last version: whoever forgets a memory forgets the texts that it had before."""
    for _ in range(MOST_VERSIONS):
        following = memory.superseded_by
        found = engine.store.read([following], visible=engine.visible) if following else {}
        if following is None or following not in found:
            break
        memory = found[following]
    return memory


def logged_question(engine: Engine, id: str) -> str:
    """The question that a logged digest answered."""
    return _questions(engine).get(id, "")


def _questions(engine: Engine) -> dict[str, str]:
    logged = engine.ledger.retrievals(visible=engine.own_log, limit=MOST_LOGGED)
    return {one.id: one.query for one in logged}
