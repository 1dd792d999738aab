"""The step that finds memories which cannot both be true, and lets the surer one hold."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from itertools import combinations

from ...model import LIVE
from ...ports.records import Put
from ...rules import claims
from ...rules.comparing import conflicts, joining, parts, versions
from . import desk
from .merging import join
from .report import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model import Memory
    from ...ports.reasoning import Judged
    from .desk import Desk

A_DAY = timedelta(days=1)
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
    winner = _winner(given, newer, older, judged.sure)
    loser = older if winner is newer else newer
    if winner and loser.owner == "agent" and _gave_way(given, winner, loser, judged):
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


def _gave_way(given: Desk, winner: Memory, loser: Memory, judged: Judged) -> bool:
    """Retire the loser; what else it says stays, in one memory with the winner."""
    words = f"{desk.name(loser)} gave way to {desk.name(winner)}: {judged.words}"
    if not parts.parted(winner.content, loser.content).left:
        if given.not_put_back([loser]):
            gone = versions.retired(loser, winner).but(updated=given.now)
            write = Write(Put(gone, expect=loser), "retired", (winner.id,))
            given.change("contradictions", "retired", words, [write], loser.id, winner.id)
            return True
        return False
    if not joining.may_merge(winner, loser) or len(given.not_put_back([winner, loser])) < 2:
        return False
    both = parts.joined(winner.content, loser.content, given.engine.reasoner.merge)
    if both is None:
        return False
    writes = join(given, winner, loser, both.text)
    about = (loser.id, winner.id, writes[0].put.memory.id)
    given.change("contradictions", "merged", f"in part, {words}", writes, *about)
    return True


def _winner(given: Desk, newer: Memory, older: Memory, sure: float) -> Memory | None:
    """The one that holds as it would have held when it was saved; None when that is not clear.

    Of two equals the newer holds, unless they are so close in time that the order says nothing.
    """
    gates = given.engine.settings.gates
    gap = newer.confidence - older.confidence
    outcome = conflicts.outcome(newer, older, sure=sure, settings=gates)
    if outcome == conflicts.SUPERSEDE:
        apart = gap >= gates.confidence_gap or newer.created - older.created >= A_DAY
        return newer if apart else None
    surer = gap <= -gates.confidence_gap and versions.supersedes(older, newer)
    return older if outcome == conflicts.STAGE and surer else None
