"""The step that finds memories which cannot both be true, and lets the surer one hold."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

from ...model import LIVE
from ...ports import Put
from ...rules import claims, joining, versions
from . import desk
from .report import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model import Memory
    from ...ports import Judged
    from .desk import Desk

MOST_TOGETHER = 20
"""Of one thing's attribute; more values than this are a list, not a contradiction."""


def resolve(given: Desk) -> None:
    """Retire the weaker side where confidence and trust agree; ask a person otherwise."""
    for one, other in _suspects(given):
        pair = [given.get(one), given.get(other)]
        live = [memory for memory in pair if memory is not None and memory.status in LIVE]
        if len(live) < 2:
            continue
        older, newer = sorted(live, key=lambda memory: (memory.updated, memory.id))
        if given.asked_together("contradiction", newer, older):
            continue
        judged = given.engine.reasoner.judge(newer.content, older.content)
        if judged.relation == "contradicts" and judged.sure >= given.engine.settings.gates.sure:
            _settle(given, newer, older, judged)


def _suspects(given: Desk) -> Iterator[tuple[str, str]]:
    """Pairs of one scope that claim something about the same thing's same attribute."""
    about: dict[tuple[str, str, str], list[str]] = {}
    for memory in given.live():
        if joining.family(memory) and memory.sensitivity != "sensitive":
            for thing, attribute in _claimed(memory.content):
                about.setdefault((str(memory.scope), thing, attribute), []).append(memory.id)
    pairs = (
        pair
        for ids in about.values()
        if len(ids) <= MOST_TOGETHER
        for pair in combinations(dict.fromkeys(ids), 2)
    )
    yield from dict.fromkeys(pairs)


@lru_cache(maxsize=4096)
def _claimed(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys((one.entity, one.attribute) for one in claims.claims(text)))


def _settle(given: Desk, newer: Memory, older: Memory, judged: Judged) -> None:
    winner, loser = (newer, older) if newer.confidence >= older.confidence else (older, newer)
    gap = winner.confidence - loser.confidence
    clear = gap >= given.engine.settings.gates.confidence_gap and versions.supersedes(winner, loser)
    if clear and loser.owner == "agent" and len(given.not_put_back([loser])) == 1:
        gone = versions.retired(loser, winner).but(updated=given.now)
        words = f"{desk.name(loser)} gave way to {desk.name(winner)}: {judged.words}"
        write = Write(Put(gone, expect=loser), "retired", (winner.id,))
        given.change("contradictions", "retired", words, [write], loser.id, winner.id)
        return
    question = f"Which one holds? {judged.words}"
    listed = f"- [[{desk.name(newer)}]]\n- [[{desk.name(older)}]]"
    marked = [
        desk.altered(memory, "reviewed", status="review")
        for memory in (newer, older)
        if memory.owner == "agent" and memory.status == "active"
    ]
    given.propose(
        "contradictions", "contradiction", (newer, older), question, text=listed, also=marked
    )
