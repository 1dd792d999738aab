"""The step that finds memories which cannot both be true, and lets the surer one hold."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from itertools import combinations

from ...model.errors import EmbedderUnavailable
from ...model.memory import LIVE, TRUSTS
from ...model.scope import EVERYTHING
from ...ports.record_store import Put
from ...ports.search_index import Where
from ...rules.relations import claims, contradiction, differences, duplicates, merge, versions
from . import plan
from .plan import Write, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.memory import Memory
    from ...ports.reasoner import Judged
    from ...rules.relations.duplicates import Compared
    from .plan import MaintenancePlan


A_DAY = timedelta(days=1)
MOST_TOGETHER = 20
"""Of one thing's attribute; more values than this are a list, not a contradiction."""


def resolve(given: MaintenancePlan) -> None:
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
            _settle_contradiction(given, newer, older, judged)


def _suspects(given: MaintenancePlan) -> Iterator[tuple[str, str]]:
    """Pairs of one scope that claim something about the same thing's same attribute."""
    about: dict[tuple[str, str, str], list[str]] = {}
    for memory in given.live():
        if merge.family(memory) and memory.sensitivity != "sensitive":
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
    return tuple(dict.fromkeys((one.entity, one.attribute) for one in claims.read_claims(text)))


def _settle_contradiction(
    given: MaintenancePlan, newer: Memory, older: Memory, judged: Judged
) -> None:
    winner = _winner(given, newer, older, judged.sure)
    loser = older if winner is newer else newer
    if winner and loser.owner == "agent" and _gave_way(given, winner, loser, judged):
        return
    question = f"Which one holds? {judged.words}"
    listed = f"- [[{plan.name(newer)}]]\n- [[{plan.name(older)}]]"
    marked = [
        plan.altered(memory, "reviewed", status="review")
        for memory in (newer, older)
        if memory.owner == "agent" and memory.status == "active"
    ]
    given.propose(
        "contradictions", "contradiction", (newer, older), question, text=listed, also=marked
    )


def _gave_way(given: MaintenancePlan, winner: Memory, loser: Memory, judged: Judged) -> bool:
    """Retire the loser; what else it says stays, in one memory with the winner."""
    words = f"{plan.name(loser)} gave way to {plan.name(winner)}: {judged.words}"
    if not merge.contradicted_parts(winner.content, loser.content).left:
        if given.not_put_back([loser]):
            gone = versions.retired(loser, winner).but(updated=given.now)
            write = Write(Put(gone, expect=loser), "retired", (winner.id,))
            given.change("contradictions", "retired", words, [write], loser.id, winner.id)
            return True
        return False
    if not merge.may_merge(winner, loser) or len(given.not_put_back([winner, loser])) < 2:
        return False
    both = merge.join_parts(winner.content, loser.content, given.engine.reasoner.merge)
    if both is None:
        return False
    writes = join(given, winner, loser, both.text)
    about = (loser.id, winner.id, writes[0].put.memory.id)
    given.change("contradictions", "merged", f"in part, {words}", writes, *about)
    return True


def _winner(given: MaintenancePlan, newer: Memory, older: Memory, sure: float) -> Memory | None:
    """The one that holds as it would have held when it was saved; None when that is not clear.

    Of two equals the newer holds, unless they are so close in time that the order says nothing.
    """
    gates = given.engine.settings.gates
    gap = newer.confidence - older.confidence
    outcome = contradiction.outcome(newer, older, sure=sure, settings=gates)
    if outcome == contradiction.SUPERSEDE:
        apart = gap >= gates.confidence_gap or newer.created - older.created >= A_DAY
        return newer if apart else None
    surer = gap <= -gates.confidence_gap and versions.supersedes(older, newer)
    return older if outcome == contradiction.STAGE and surer else None


# The step that finds what is said twice: by imports, by hand, or in other words.


LONGEST = 4_000
"""Longer texts are documents; two of them are not merged without a person."""
LEAST_SHARED = 0.7
"""Of their words; less alike are compared only if they mean the same."""
RECENT = timedelta(days=14)
MOST_ASKED, NEAREST = 500, 5
"""How many recent memories are looked up by meaning, and how many of their neighbours."""
MOST_ROUNDS = 10


def merge_duplicates(given: MaintenancePlan) -> None:
    """Let one memory speak for several that say the same; again, until nothing is left."""
    _finish_merges(given)
    cosines = dict(_by_meaning(given))
    compared: set[str] = set()
    for _ in range(MOST_ROUNDS):
        before = len(given.planned)
        for pair in dict.fromkeys([*_by_words(given, compared), *cosines]):
            _settle_duplicates(given, *pair, cosines.get(pair))
        cosines = {}  # What has been merged has no vector yet.
        given.tick()
        if len(given.planned) == before:
            return


def _finish_merges(given: MaintenancePlan) -> None:
    """A merge that was interrupted left some of what it is made of in place: retire that."""
    for new in given.live(curated=False):
        if new.supersedes is None or new.supersedes not in new.derived_from:
            continue
        parts = [part for id in new.derived_from if (part := given.get(id)) is not None]
        left = [part for part in parts if part.status in LIVE and part.scope == new.scope]
        for part in given.not_put_back(left):
            write = Write(Put(versions.retired(part, new), expect=part), "superseded", (new.id,))
            words = f"{plan.name(part)} is part of {plan.name(new)}"
            given.change("duplicates", "retired", words, [write])


def _comparable(given: MaintenancePlan) -> list[Memory]:
    return [
        memory
        for memory in given.live()
        if merge.family(memory)
        and memory.sensitivity != "sensitive"
        and len(memory.content) <= LONGEST
    ]


def _by_words(given: MaintenancePlan, compared: set[str]) -> Iterator[tuple[str, str]]:
    """Pairs with mostly the same words, of which one at least was not `compared` before.

    Texts that differ in a number, a time or a no are never the same: they are not even paired.
    """
    groups: dict[tuple[object, ...], dict[str, frozenset[str]]] = {}
    fresh: dict[tuple[object, ...], None] = {}
    for memory in _comparable(given):
        said = differences.read(memory.content)
        kind = (str(memory.scope), merge.family(memory))
        group = (*kind, said.numbers, said.times, said.negations)
        groups.setdefault(group, {})[memory.id] = frozenset(said.terms)
        if memory.id not in compared:
            fresh[group] = None
            compared.add(memory.id)
    given.tick()
    for group in fresh:
        yield from duplicates.candidates(groups[group], least=LEAST_SHARED)
        given.tick()


def _by_meaning(given: MaintenancePlan) -> Iterator[tuple[tuple[str, str], float]]:
    """Pairs of something recent and what is near it in meaning."""
    embedder = given.engine.embedder
    if embedder is None or not embedder.ready():
        return
    recent = [one for one in _comparable(given) if given.now - one.updated <= RECENT]
    newest = sorted(recent, key=lambda one: (one.updated, one.id), reverse=True)[:MOST_ASKED]
    for memory in newest:
        where = Where(scopes=(str(memory.scope),), statuses=LIVE, in_conversation=False)
        try:
            vector = embedder.embed([memory.content])[0]
        except EmbedderUnavailable:
            return  # Words alone have been compared; the next run has another chance.
        found = given.engine.index.gather(
            {}, vector, visible=EVERYTHING, where=where, pool=NEAREST, model=embedder.model
        )
        given.tick()
        for one in found.candidates:
            if one.id != memory.id and one.meaning is not None:
                yield (min(memory.id, one.id), max(memory.id, one.id)), one.meaning


def _settle_duplicates(given: MaintenancePlan, one: str, other: str, cosine: float | None) -> None:
    pair = [given.get(id) for id in (one, other)]
    live = [memory for memory in pair if memory is not None and memory.status in LIVE]
    if len(live) < 2 or not merge.comparable(*live):
        return
    older, newer = sorted(live, key=lambda memory: (memory.updated, memory.id))
    found = _compared(given, newer, older, cosine)
    if found.verdict == "apart" or len(given.not_put_back(live)) < 2:
        return
    if found.verdict == "same":
        _fold(given, newer, older)
    elif "external" not in {newer.trust, older.trust} or newer.trust == older.trust:
        _merge(given, newer, older)


def _compared(
    given: MaintenancePlan, newer: Memory, older: Memory, cosine: float | None
) -> Compared:
    gates = given.engine.settings.gates
    model = given.engine.embedder.model if given.engine.embedder else None
    scale = duplicates.scale(model, merge=gates.merge_cosine, same=gates.same_cosine)
    return duplicates.compared(
        newer.content,
        older.content,
        cosine=cosine,
        by=scale,
        same=gates.same,
        merge=gates.merge,
    )


def _fold(given: MaintenancePlan, newer: Memory, older: Memory) -> None:
    """Both say the same: the more trusted, then the older, speaks for both."""
    kept, gone = sorted((older, newer), key=_worth)
    words = f"{plan.name(gone)} says the same as {plan.name(kept)}"
    if gone.owner != "agent":
        if not given.asked_together("supersede", kept, gone):
            given.propose("duplicates", "supersede", (kept, gone), f"One note for two? {words}")
        return
    fresh = versions.refreshed(kept, gone).but(updated=max(kept.updated, gone.updated))
    folded = gone.but(
        status="superseded", superseded_by=kept.id, updated=given.now, always_load=False
    )
    writes = [Write(Put(folded, expect=gone), "retired", (kept.id,))]
    if fresh != kept and kept.owner == "agent":
        writes.insert(0, Write(Put(fresh, expect=kept), "deduplicated", (gone.id,)))
    given.change("duplicates", "retired", words, writes, gone.id, kept.id)


def _merge(given: MaintenancePlan, newer: Memory, older: Memory) -> None:
    """Both belong together: every statement of either is kept once."""
    made = given.engine.reasoner.merge(newer.content, older.content)
    if not merge.loses_nothing(made, newer.content, older.content):
        return
    text = made.text
    words = f"{plan.name(newer)} and {plan.name(older)} belong together"
    if newer.owner != "agent" or not merge.may_merge(newer, older):
        if not given.asked_together("merge", newer, older):
            given.propose("duplicates", "merge", (newer, older), f"Merge? {words}", text=text)
        return
    given.change("duplicates", "merged", words, join(given, newer, older, text))


def _worth(memory: Memory) -> tuple[object, ...]:
    return (
        -TRUSTS.index(memory.trust),
        memory.owner == "agent",
        not memory.always_load,
        memory.created,
        memory.id,
    )
