"""How the book stands now: what it holds, how stale that is, what waits, and how large it is."""

from __future__ import annotations

import os

from ...errors import CommonplaceError
from ...model import LIVE, Use
from ...ports.searching import Where
from ...rules.ageing.staleness import staleness
from ...rules.learning import proposals
from ...scope import Scope
from ...value import Value
from ..catch_up import with_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...model import Memory
    from ..engine import Engine

SAMPLE, STRETCHES = 2_000, 20
"""Of a larger book so many memories are looked at, from so many places of its history."""
MOST_WAITING = 1_000
IN_USE = Where(statuses=LIVE)


class Standing(Value):
    """Figures of this moment, as far as the caller may see."""

    by_status: tuple[tuple[str, int], ...]
    stale: tuple[float, ...]
    """How stale live memories are, from 0 to 1, sorted; of a large book a sample of every age."""
    scopes_of_one_user: int
    """How many scopes the user has who has most."""
    scopes_a_user: float
    waiting: int
    contradictions: int
    """How many contradictions wait for a decision."""
    record_bytes: int = 0
    local_bytes: int = 0
    """What the records take where they are kept, and what this machine keeps beside them: index,
    counters, logs. Told to the owner only."""
    index_behind: int = 0
    """How many changes the index had not taken up yet."""
    vectors_waiting: int = 0
    backed_up_s: float | None = None
    """When the last backup was made, since 1970: 0 if never, None where none is wanted."""

    def stale_at(self, share: float) -> float:
        """How stale a memory is that this share of the others is fresher than."""
        if not self.stale:
            return 0.0
        return self.stale[min(len(self.stale) - 1, int(share * len(self.stale)))]


def standing(engine: Engine) -> Standing:
    """How the book stands now."""
    # Before anything is read: reading is what lets the index catch up.
    behind = max(0, engine.store.revision() - engine.index.revision())
    memories = with_index(engine, lambda: sampled(engine))
    disputed = contradictions(engine)
    scopes = _scopes_by_user(engine)
    by_status = engine.index.count(Where(), visible=engine.visible, by="status")
    mine = engine.context.role == "owner"
    return Standing(
        by_status=tuple(sorted(by_status.items())),
        stale=how_stale(
            engine, memories, engine.ledger.uses([one.id for one in memories]), disputed
        ),
        scopes_of_one_user=max(scopes.values(), default=0),
        scopes_a_user=sum(scopes.values()) / len(scopes) if scopes else 0.0,
        waiting=by_status.get("staged", 0),
        contradictions=len(disputed),
        record_bytes=engine.store.size() if mine else 0,
        local_bytes=_bytes_in(engine.state) if mine else 0,
        index_behind=behind,
        vectors_waiting=_vectors_waiting(engine),
        backed_up_s=_backed_up_s(engine) if mine else None,
    )


def sampled(engine: Engine) -> list[Memory]:
    """Live memories of every age: all of a small book, evenly spread stretches of a large one."""
    counted = engine.index.count(IN_USE, visible=engine.visible, by="status")
    total = sum(counted.values())
    if total <= SAMPLE:
        return engine.index.select(IN_USE, visible=engine.visible, limit=SAMPLE)
    return [
        memory
        for stretch in range(STRETCHES)
        for memory in engine.index.select(
            IN_USE,
            visible=engine.visible,
            limit=SAMPLE // STRETCHES,
            offset=stretch * total // STRETCHES,
        )
    ]


def how_stale(
    engine: Engine,
    memories: Iterable[Memory],
    uses: Mapping[str, Use],
    disputed: Iterable[Memory],
) -> tuple[float, ...]:
    """The staleness of each memory, sorted."""
    contradicted = {id for one in disputed for id in one.derived_from}
    now = engine.now()
    return tuple(
        sorted(
            staleness(
                one,
                uses.get(one.id, Use()),
                engine.settings.ageing,
                now,
                contradicted=one.id in contradicted,
            )
            for one in memories
        )
    )


def contradictions(engine: Engine) -> list[Memory]:
    """The contradictions that wait for a decision, as they lie in the inbox."""
    where = Where(statuses=("staged",), kinds=(proposals.KIND,), tags=("contradiction",))
    return engine.index.select(where, visible=engine.visible, limit=MOST_WAITING)


def _scopes_by_user(engine: Engine) -> dict[tuple[str | None, str], int]:
    counted: dict[tuple[str | None, str], int] = {}
    for path in engine.index.count(IN_USE, visible=engine.visible, by="scope"):
        scope = Scope.parse(path)
        if (user := scope.value("user")) is not None:
            key = (scope.value("org"), user)
            counted[key] = counted.get(key, 0) + 1
    return counted


def _vectors_waiting(engine: Engine) -> int:
    if engine.embedder is None or "vector" not in engine.index.capabilities:
        return 0
    return engine.index.waiting(engine.embedder.model)


def _backed_up_s(engine: Engine) -> float | None:
    if not engine.settings.backup.place:
        return None
    from ..backup import opened

    try:
        moments = opened(engine).moments()
    except CommonplaceError:
        return 0.0  # A place that cannot be reached keeps nothing safe.
    return moments[0].at.timestamp() if moments else 0.0


def _bytes_in(folder: str) -> int:
    total = 0
    for at, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(at, name)).st_size
            except FileNotFoundError:
                continue  # Gone since it was listed: locks and drafts come and go.
    return total
