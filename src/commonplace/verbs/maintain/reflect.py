"""The steps that reflect: what finished tasks, sessions and recalls teach, proposed to a person."""

from __future__ import annotations

from ...model import identity
from ...model.memory import LIVE
from ...model.scope import EVERYTHING, Scope
from ...rules import lifecycle as ageing
from ...rules import patterns, proposals
from . import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...model.memory import Memory
    from .plan import MaintenancePlan

EPISODIC = ("task-summary", "session-summary")
EVIDENCE = (*EPISODIC, "fix", "workflow")
"""Kinds that record what happened, and so may show a pattern."""
MOST_RECALLS = 1_000
MOST_PAIRS = 20
NARROW = ("project", "agent", "task")


def find_patterns(given: MaintenancePlan) -> None:
    """What repeats in the records of one scope: episodic becomes semantic, fixes procedural."""
    by_scope: dict[str, list[Memory]] = {}
    for memory in given.live():
        evidence = memory.kind in EVIDENCE or "correction" in memory.tags
        if evidence and _shareable(memory):
            by_scope.setdefault(str(memory.scope), []).append(memory)
    for memories in by_scope.values():
        given.tick()
        if len(memories) < given.settings.repeated:
            continue
        episodic = [memory for memory in memories if memory.kind in EPISODIC]
        for sentence, records in patterns.repeated(episodic, least=given.settings.repeated):
            reason = f"Remember for good? {len(records)} records say so"
            _propose(given, records, reason, sentence, "insight")
        known = {memory.id: memory for memory in memories}
        for pattern in given.engine.reasoner.patterns(memories):
            of = [known[id] for id in pattern.of if id in known]
            if len(of) >= 2:
                kind = "procedural" if all(one.kind == "fix" for one in of) else pattern.kind
                _propose(given, of, f"A pattern? {pattern.reason}", pattern.content, kind)


def connect(given: MaintenancePlan) -> None:
    """Memories that different questions need together should know of each other."""
    logged = given.engine.ledger.retrievals(visible=EVERYTHING, limit=MOST_RECALLS)
    pairs = patterns.needed_together(logged, least=given.settings.repeated + 2)[:MOST_PAIRS]
    for one, other, count in pairs:
        found = [memory for id in (one, other) if (memory := given.get(id)) is not None]
        if len(found) < 2 or found[0].scope != found[1].scope or _linked(given, one, other):
            continue
        if all(memory.status in LIVE and _shareable(memory) for memory in found):
            text = f"[[{plan.name(found[0])}]] and [[{plan.name(found[1])}]] belong together."
            reason = f"Connect? {count} different questions needed both"
            _propose(given, found, reason, text, "insight")


def often_corrected(given: MaintenancePlan) -> None:
    """What had to be put right again and again is worth a warning."""
    for memory in given.live():
        if memory.version <= given.settings.repeated or not _shareable(memory):
            continue
        chain = _earlier(given, memory)
        events = given.engine.ledger.events(
            visible=EVERYTHING, memories=[one.id for one in chain], limit=MOST_RECALLS
        )
        count = len({one.memory for one in events if one.action == "corrected"})
        if count >= given.settings.repeated:
            text = f"[[{plan.name(memory)}]] was corrected {count} times: check it before use."
            reason = f"Warn? It was wrong {count} times"
            if not given.asked_ever("pattern", memory, text):
                given.propose("reflect", "pattern", [memory], reason, text=text, kind="insight")


def _earlier(given: MaintenancePlan, memory: Memory) -> list[Memory]:
    chain, passed = [memory], {memory.id}
    while (before := given.get(chain[-1].supersedes or "")) and before.id not in passed:
        passed.add(before.id)
        chain.append(before)
    return chain


def widen(given: MaintenancePlan) -> None:
    """What several projects of one user know is proposed for all of them."""
    alike: dict[tuple[Scope, str], dict[Scope, Memory]] = {}
    for memory in given.live():
        if memory.scope.value("project") and memory.key is None and _shareable(memory):
            said = (_broader(memory.scope), identity.content_hash(memory.content))
            alike.setdefault(said, {}).setdefault(memory.scope, memory)
    for (scope, text), group in alike.items():
        projects = {one.value("project") for one in group}
        if len(projects) < given.settings.wide_projects or _known_in(given, scope, text):
            continue
        memories = sorted(group.values(), key=lambda one: one.id)
        if not any(given.asked("promote", memory) for memory in memories):
            reason = f"Promote? {len(projects)} projects know this. It would be copied to"
            given.propose("widen", "promote", memories, reason, text=str(scope))


def _known_in(given: MaintenancePlan, scope: Scope, text: str) -> bool:
    return any(
        memory.scope == scope and identity.content_hash(memory.content) == text
        for memory in given.live()
    )


def _propose(
    given: MaintenancePlan, memories: Iterable[Memory], reason: str, text: str, kind: str
) -> None:
    """Ask once: a pattern of which most was asked about before is the same one, grown."""
    of = list(memories)
    seen = sum(given.asked_ever("pattern", memory, text) for memory in of)
    if seen * 2 < len(of):
        given.propose("reflect", "pattern", of, reason, text=text, kind=kind)


def _shareable(memory: Memory) -> bool:
    return (
        memory.trust != "external"
        and memory.sensitivity != "sensitive"
        and memory.kind != proposals.KIND
        and not ageing.automatic_off(memory)
    )


def _linked(given: MaintenancePlan, one: str, other: str) -> bool:
    links = given.engine.index.links([one], visible=EVERYTHING)
    return any({link.source, link.resolved} == {one, other} for link in links)


def _broader(scope: Scope) -> Scope:
    for dimension in NARROW:
        scope = scope.without(dimension)
    return scope
