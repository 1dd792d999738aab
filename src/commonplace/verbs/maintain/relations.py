"""Maintenance steps that compare memories: merge duplicates, resolve contradictions."""

from __future__ import annotations

from datetime import timedelta

from ...engine.change_set import ChangeSet
from ...engine.neighbours import claimed_attributes, cosine_scale, worth_judging
from ...model.memory import LIVE, TRUSTS
from ...rules.audit import CONTRADICTED
from ...rules.relations import differences, duplicates, merge, replacement
from ...rules.relations.replacement import STAGE, SUPERSEDE, conflict_outcome
from .plan import display_name, may_maintain, merge_pair
from .scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model.memory import Memory
    from ...ports.reasoner import Judged
    from ...rules.relations.duplicates import Compared
    from .plan import MaintenancePlan

    Claim = tuple[str, str, str]
    """A scope, and an attribute of a thing there."""


A_DAY = timedelta(days=1)
MOST_TOGETHER = 20
"""Values of one attribute of one thing; more than this are a list, not a contradiction."""
LONGEST = 4_000
"""Characters; longer texts are documents, and are not merged."""
LEAST_SHARED = 0.7
"""Share of their words; pairs that share less are compared only by vector."""
MOST_ROUNDS = 10


def compare_memories(plan: MaintenancePlan) -> None:
    """Compare new memories with what is near them: merge duplicates, resolve contradictions."""
    _finish_merges(plan)
    scan = Scan(plan, _comparable(plan))
    _merge_duplicates(plan, scan)
    _resolve_contradictions(plan, scan)


def _merge_duplicates(plan: MaintenancePlan, scan: Scan) -> None:
    """Merge memories that say the same, in rounds until no pair is left."""
    cosines = {
        _pair(id, one.memory.id): one.cosine
        for id, near in scan.near.items()
        for one in near
        if one.cosine is not None
    }
    compared: set[str] = set()
    for _ in range(MOST_ROUNDS):
        before = len(plan.planned)
        for pair in dict.fromkeys([*_by_words(plan, compared), *cosines]):
            _settle_duplicates(plan, *pair, cosines.get(pair))
        cosines = {}  # Merged memories have no vectors yet.
        plan.tick()
        if len(plan.planned) == before:
            return


def _finish_merges(plan: MaintenancePlan) -> None:
    """Retire the parts that an interrupted merge left live."""
    for new in plan.live(curated=False):
        if new.supersedes is None or new.supersedes not in new.derived_from:
            continue
        parts = [part for id in new.derived_from if (part := plan.get(id)) is not None]
        left = [part for part in parts if part.status in LIVE and part.scope == new.scope]
        for part in plan.not_reverted(left):
            changes = ChangeSet()
            changes.change(
                "superseded", replacement.retired_version(part, new), before=part, related=(new.id,)
            )
            words = f"{display_name(part)} is part of {display_name(new)}"
            plan.add("duplicates", "retired", words, changes)


def _comparable(plan: MaintenancePlan) -> list[Memory]:
    return [
        memory
        for memory in plan.live()
        if merge.comparison_group(memory)
        and memory.sensitivity != "sensitive"
        and len(memory.content) <= LONGEST
    ]


def _by_words(plan: MaintenancePlan, compared: set[str]) -> Iterator[tuple[str, str]]:
    """Pairs with mostly the same words, unless both were `compared` before.

    Texts that differ in a number, a time or a negation are never the same, and never paired.
    """
    groups: dict[tuple[object, ...], dict[str, frozenset[str]]] = {}
    fresh: dict[tuple[object, ...], None] = {}
    for memory in _comparable(plan):
        said = differences.text_features(memory.content)
        kind = (str(memory.scope), merge.comparison_group(memory))
        group = (*kind, said.numbers, said.times, said.negations)
        groups.setdefault(group, {})[memory.id] = frozenset(said.terms)
        if memory.id not in compared:
            fresh[group] = None
            compared.add(memory.id)
    plan.tick()
    for group in fresh:
        yield from duplicates.similar_pairs(groups[group], least=LEAST_SHARED)
        plan.tick()


def _pair(one: str, other: str) -> tuple[str, str]:
    return min(one, other), max(one, other)


def _settle_duplicates(plan: MaintenancePlan, one: str, other: str, cosine: float | None) -> None:
    pair = [plan.get(id) for id in (one, other)]
    live = [memory for memory in pair if memory is not None and memory.status in LIVE]
    if len(live) < 2 or not merge.comparable(*live):
        return
    if plan.on_other_branches(*live):
        return
    older, newer = sorted(live, key=lambda memory: (memory.updated, memory.id))
    found = _compared(plan, newer, older, cosine)
    if found.verdict == "apart" or len(plan.not_reverted(live)) < 2:
        return
    if plan.taken_apart(newer, older):
        return
    if found.verdict == "same":
        _keep_one(plan, newer, older)
    elif "external" not in {newer.trust, older.trust} or newer.trust == older.trust:
        _merge(plan, newer, older)


def _compared(
    plan: MaintenancePlan, newer: Memory, older: Memory, cosine: float | None
) -> Compared:
    gates = plan.engine.settings.gates
    return duplicates.compare_texts(
        newer.content,
        older.content,
        cosine=cosine,
        by=cosine_scale(plan.engine),
        same=gates.same,
        merge=gates.merge,
    )


def _keep_one(plan: MaintenancePlan, newer: Memory, older: Memory) -> None:
    """Keep the more trusted, then the older, of two memories that say the same."""
    kept, gone = sorted((older, newer), key=_worth)
    words = f"{display_name(gone)} says the same as {display_name(kept)}"
    if not may_maintain(gone):
        if not plan.proposed_for_both("supersede", kept, gone):
            plan.add_proposal("duplicates", "supersede", (kept, gone), f"One note for two? {words}")
        return
    fresh = replacement.refreshed_memory(kept, gone).but(updated=max(kept.updated, gone.updated))
    folded = gone.but(
        status="superseded", superseded_by=kept.id, updated=plan.now, always_load=False
    )
    changes = ChangeSet()
    if fresh != kept and may_maintain(kept):
        changes.change("deduplicated", fresh, before=kept, related=(gone.id,))
    changes.change("retired", folded, before=gone, related=(kept.id,))
    plan.add("duplicates", "retired", words, changes, gone.id, kept.id)


def _merge(plan: MaintenancePlan, newer: Memory, older: Memory) -> None:
    """Merge two memories that belong together; every statement of either is kept once."""
    made = plan.engine.reasoner.merge(newer.content, older.content)
    if not merge.is_sound(made, newer.content, older.content):
        return
    if plan.engine.reasoner.judge(newer.content, older.content).relation == "contradicts":
        return
    text = made.text
    words = f"{display_name(newer)} and {display_name(older)} belong together"
    if not may_maintain(newer) or not merge.may_merge(newer, older):
        if not plan.proposed_for_both("merge", newer, older):
            plan.add_proposal("duplicates", "merge", (newer, older), f"Merge? {words}", text=text)
        return
    changes = ChangeSet()
    merge_pair(plan, changes, newer, older, text)
    plan.add("duplicates", "merged", words, changes)


def _worth(memory: Memory) -> tuple[object, ...]:
    return (
        -TRUSTS.index(memory.trust),
        memory.owner == "agent",
        not memory.always_load,
        memory.created,
        memory.id,
    )


def _resolve_contradictions(plan: MaintenancePlan, scan: Scan) -> None:
    """Judge each new memory and those near it or with claims about the same attribute."""
    claims = _claims(plan) if scan.new else {}
    judged: set[tuple[str, str]] = set()
    for new in scan.new:
        near = [one.memory.id for one in worth_judging(new, scan.near[new.id])]
        parted = False
        rivals = [id for claim in _claimed(new) for id in claims.get(claim, ()) if id != new.id]
        for other in dict.fromkeys((*near, *rivals)):
            if (pair := _pair(new.id, other)) not in judged:
                judged.add(pair)
                parted |= not _judge_pair(plan, *pair)
        plan.tick()
        if not parted:
            scan.finish(new)


def _judge_pair(plan: MaintenancePlan, one: str, other: str) -> bool:
    """Retire the weaker side if confidence and trust agree on it; otherwise ask a person.

    False if the two are to be judged once their branches are merged.
    """
    pair = [plan.get(one), plan.get(other)]
    live = [memory for memory in pair if memory is not None and memory.status in LIVE]
    if len(live) < 2 or not merge.comparable(*live):
        return True
    if plan.on_other_branches(*live):
        return False
    older, newer = sorted(live, key=lambda memory: (memory.updated, memory.id))
    if plan.proposed_for_both("contradiction", newer, older):
        return True
    judged = plan.engine.reasoner.judge(newer.content, older.content)
    if judged.relation not in ("contradicts", "same") or plan.taken_apart(newer, older):
        return True
    if judged.relation == "contradicts":
        _settle_contradiction(plan, newer, older, judged)
    elif len(plan.not_reverted(live)) == 2:
        _keep_one(plan, newer, older)
    return True


def _claims(plan: MaintenancePlan) -> dict[Claim, list[str]]:
    """The memories that claim something about each attribute of each thing, by scope."""
    about: dict[Claim, list[str]] = {}
    for memory in _comparable(plan):
        for claim in _claimed(memory):
            about.setdefault(claim, []).append(memory.id)
    return {claim: ids if len(ids) <= MOST_TOGETHER else [] for claim, ids in about.items()}


def _claimed(memory: Memory) -> list[Claim]:
    scope = str(memory.scope)
    return [(scope, *claim) for claim in sorted(claimed_attributes(memory.content))]


def _settle_contradiction(
    plan: MaintenancePlan, newer: Memory, older: Memory, judged: Judged
) -> None:
    winner = _winner(plan, newer, older, judged.sure)
    loser = older if winner is newer else newer
    if winner and may_maintain(loser) and _retire_loser(plan, winner, loser, judged):
        return
    marked = [one for one in (newer, older) if may_maintain(one) and one.status == "active"]
    plan.ask_which_holds("contradictions", newer, older, to_review=marked)


def _retire_loser(plan: MaintenancePlan, winner: Memory, loser: Memory, judged: Judged) -> bool:
    """Retire the loser; its other statements are merged with the winner."""
    words = f"{display_name(loser)} was replaced by {display_name(winner)}: {judged.words}"
    changes = ChangeSet()
    judge = plan.engine.reasoner.judge
    if not merge.contradicted_parts(winner.content, loser.content, judge).left:
        if not plan.not_reverted([loser]):
            return False
        gone = replacement.retired_version(loser, winner).but(updated=plan.now)
        changes.record(CONTRADICTED, gone, related=(winner.id,))
        changes.change("retired", gone, before=loser, related=(winner.id,))
        plan.add("contradictions", "retired", words, changes, loser.id, winner.id)
        return True
    if (
        not may_maintain(winner)
        or not merge.may_merge(winner, loser)
        or len(plan.not_reverted([winner, loser])) < 2
    ):
        return False
    both = merge.join_parts(winner.content, loser.content, plan.engine.reasoner.merge, judge)
    if both is None:
        return False
    merged = merge_pair(plan, changes, winner, loser, both.text)
    about = (winner.id, merged.id)
    changes.record(CONTRADICTED, changes.puts[loser.id].memory, related=about)
    plan.add("contradictions", "merged", f"in part, {words}", changes, loser.id, *about)
    return True


def _winner(plan: MaintenancePlan, newer: Memory, older: Memory, sure: float) -> Memory | None:
    """The memory that a save in that order would have let hold; None if that is not clear.

    The newer of two equals holds, unless they are so close in time that the order says nothing.
    """
    gates = plan.engine.settings.gates
    gap = replacement.confidence_gap(newer, older)
    outcome = conflict_outcome(newer, older, sure=sure, settings=gates)
    if outcome == SUPERSEDE:
        apart = gap >= gates.confidence_gap or newer.created - older.created >= A_DAY
        return newer if apart else None
    surer = gap < -gates.confidence_gap and replacement.supersedes(older, newer)
    return older if outcome == STAGE and surer else None
