"""Maintenance steps that propose patterns found in tasks, sessions, recalls and corrections."""

from __future__ import annotations

from ...model import identity
from ...model.memory import LIVE, SUMMARIES
from ...model.scope import EVERYTHING, Scope
from ...rules import lifecycle, patterns, proposals
from .plan import display_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...model.memory import Memory
    from .plan import MaintenancePlan

EVIDENCE = (*SUMMARIES, "fix", "workflow")
"""Kinds that record events, in which patterns are looked for."""
MOST_RECALLS = 1_000
MOST_PAIRS = 20
NARROW = ("project", "agent", "task")


def find_patterns(plan: MaintenancePlan) -> None:
    """Propose to remember what repeats in the records of one scope."""
    by_scope: dict[str, list[Memory]] = {}
    for memory in plan.live():
        evidence = memory.kind in EVIDENCE or "correction" in memory.tags
        if evidence and _shareable(memory):
            by_scope.setdefault(str(memory.scope), []).append(memory)
    for memories in by_scope.values():
        plan.tick()
        if len(memories) < plan.settings.repeated:
            continue
        episodic = [memory for memory in memories if memory.kind in SUMMARIES]
        for sentence, records in patterns.repeated_statements(
            episodic, least=plan.settings.repeated
        ):
            reason = f"Remember for good? {len(records)} records say so"
            _propose(plan, records, reason, sentence, "insight")
        known = {memory.id: memory for memory in memories}
        for pattern in plan.engine.reasoner.patterns(memories):
            records = [known[id] for id in pattern.of if id in known]
            if len(records) >= 2:
                kind = "procedural" if all(one.kind == "fix" for one in records) else pattern.kind
                _propose(plan, records, f"A pattern? {pattern.reason}", pattern.content, kind)


def propose_links(plan: MaintenancePlan) -> None:
    """Propose to link memories that different questions returned together."""
    logged = plan.engine.ledger.retrievals(visible=EVERYTHING, limit=MOST_RECALLS)
    pairs = patterns.needed_together(logged, least=plan.settings.repeated + 2)[:MOST_PAIRS]
    for one, other, count in pairs:
        found = [memory for id in (one, other) if (memory := plan.get(id)) is not None]
        if len(found) < 2 or found[0].scope != found[1].scope or _linked(plan, one, other):
            continue
        if all(memory.status in LIVE and _shareable(memory) for memory in found):
            text = f"[[{display_name(found[0])}]] and [[{display_name(found[1])}]] belong together."
            reason = f"Connect? {count} different questions needed both"
            _propose(plan, found, reason, text, "insight")


def warn_of_corrections(plan: MaintenancePlan) -> None:
    """Propose a warning for memories that were corrected again and again."""
    for memory in plan.live():
        if memory.version <= plan.settings.repeated or not _shareable(memory):
            continue
        chain = _version_chain(plan, memory)
        events = plan.engine.ledger.events(
            visible=EVERYTHING, memories=[one.id for one in chain], limit=MOST_RECALLS
        )
        count = len({one.memory for one in events if one.action == "corrected"})
        if count >= plan.settings.repeated:
            text = f"[[{display_name(memory)}]] was corrected {count} times: check it before use."
            reason = f"Warn? It was wrong {count} times"
            if not plan.proposed_with_text("pattern", memory, text):
                plan.add_proposal("reflect", "pattern", [memory], reason, text=text, kind="insight")


def _version_chain(plan: MaintenancePlan, memory: Memory) -> list[Memory]:
    chain, passed = [memory], {memory.id}
    while (before := plan.get(chain[-1].supersedes or "")) and before.id not in passed:
        passed.add(before.id)
        chain.append(before)
    return chain


def propose_promotions(plan: MaintenancePlan) -> None:
    """Propose to promote what several projects of one user know."""
    alike: dict[tuple[Scope, str], dict[Scope, Memory]] = {}
    for memory in plan.live():
        if memory.scope.value("project") and memory.key is None and _shareable(memory):
            said = (_broader(memory.scope), identity.content_hash(memory.content))
            alike.setdefault(said, {}).setdefault(memory.scope, memory)
    for (scope, text), group in alike.items():
        projects = {one.value("project") for one in group}
        if len(projects) < plan.settings.wide_projects or _known_in(plan, scope, text):
            continue
        memories = sorted(group.values(), key=lambda one: one.id)
        if not any(plan.proposed("promote", memory) for memory in memories):
            reason = f"Promote? {len(projects)} projects know this. It would be copied to"
            plan.add_proposal("widen", "promote", memories, reason, text=str(scope))


def _known_in(plan: MaintenancePlan, scope: Scope, text: str) -> bool:
    return any(
        memory.scope == scope and identity.content_hash(memory.content) == text
        for memory in plan.live()
    )


def _propose(
    plan: MaintenancePlan, memories: Iterable[Memory], reason: str, text: str, kind: str
) -> None:
    """Propose a pattern, unless it was proposed before for most of its memories."""
    targets = list(memories)
    seen = sum(plan.proposed_with_text("pattern", memory, text) for memory in targets)
    if seen * 2 < len(targets):
        plan.add_proposal("reflect", "pattern", targets, reason, text=text, kind=kind)


def _shareable(memory: Memory) -> bool:
    return (
        memory.trust != "external"
        and memory.sensitivity != "sensitive"
        and memory.kind != proposals.PROPOSAL_KIND
        and not lifecycle.is_protected(memory)
    )


def _linked(plan: MaintenancePlan, one: str, other: str) -> bool:
    links = plan.engine.index.links([one], visible=EVERYTHING)
    return any({link.source, link.resolved} == {one, other} for link in links)


def _broader(scope: Scope) -> Scope:
    for dimension in NARROW:
        scope = scope.without(dimension)
    return scope
