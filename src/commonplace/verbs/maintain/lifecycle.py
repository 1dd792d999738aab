"""Maintenance steps by age and use: expire, archive, mark stale, always-load, compact versions.

A person confirms what is archived, with two exceptions: expired memories of an agent, which recall
no longer returns anyway, and versions that were replaced long ago.
"""

from __future__ import annotations

from ...engine.change_set import ChangeSet
from ...engine.stale_marks import check_memories
from ...language import tokens
from ...model.memory import SUMMARIES
from ...rules import authority, lifecycle
from ...rules.handed_over import digest_settings
from .plan import altered, display_name, may_maintain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...model.memory import Memory
    from .plan import MaintenancePlan


MOST_TOGETHER = 50
"""Memories in one proposal; a longer list would not be read."""
NEWEST_KEPT = 2
"""Old versions that stay beside the first when a long chain is compacted."""
RELOCATE_S = 5.0
"""Seconds to look for code that is no longer in its place, for all memories of a project."""
NEVER_LOADED = (*SUMMARIES, "idea", "work")
"""Kinds that are looked up when they are needed, however often that is."""


def expire(plan: MaintenancePlan) -> None:
    """Archive expired memories of an agent; propose to archive expired memories of a person."""
    over = [m for m in plan.live() if lifecycle.is_expired(m, plan.settings, plan.now)]
    for memory in plan.not_reverted([memory for memory in over if may_maintain(memory)]):
        words = (
            f"{display_name(memory)} expired on {_day(lifecycle.expires_at(memory, plan.settings))}"
        )
        plan.alter("expire", "archived", memory, words, status="archived", updated=plan.now)
    _propose_in_groups("expire", plan, [m for m in over if not may_maintain(m)], "expired")


def retire_versions(plan: MaintenancePlan) -> None:
    """Archive versions that were replaced long ago; `history` still shows them."""
    old = [
        memory
        for memory in plan.with_status("superseded")
        if lifecycle.is_old_version(memory, plan.settings, plan.now)
    ]
    for memory in plan.not_reverted(old):
        words = f"{display_name(memory)} was replaced on {_day(memory.updated)}"
        plan.alter("versions", "archived", memory, words, status="archived")


def mark_stale(plan: MaintenancePlan) -> None:
    """Halve the rank of memories that are old, unused, contradicted or were only a guess."""
    contradicted = _contradicted(plan)
    candidates = [m for m in plan.live(curated=False) if m.status == "active"]
    stale = {
        memory.id: words
        for memory in candidates
        if not plan.archive_rejected(memory) and (words := _why_stale(plan, memory, contradicted))
    }
    for memory in plan.not_reverted([m for m in candidates if m.id in stale]):
        words = f"{display_name(memory)} {stale[memory.id]}"
        plan.alter("stale", "staled", memory, words, status="stale")


def revive(plan: MaintenancePlan) -> None:
    """Give a stale memory its rank back once it is used or repeated."""
    contradicted = _contradicted(plan)
    for memory in plan.live(curated=False):
        if memory.status != "stale" or _why_stale(plan, memory, contradicted):
            continue
        if _staleness(plan, memory, contradicted) < plan.settings.fresh_below:
            words = f"{display_name(memory)} is used again"
            plan.alter("stale", "revived", memory, words, status="active")


def propose_archive(plan: MaintenancePlan) -> None:
    """Propose to archive memories that nobody reads, and to confirm old facts."""
    contradicted = _contradicted(plan)
    unread: list[Memory] = []
    unconfirmed: list[Memory] = []
    for memory in plan.live():
        if plan.archive_rejected(memory):
            continue
        if lifecycle.is_overdue(memory, plan.use(memory), plan.settings, plan.now):
            (unconfirmed if lifecycle.is_permanent(memory) else unread).append(memory)
        elif _staleness(plan, memory, contradicted) > plan.settings.evict_above:
            unread.append(memory)
    _propose_in_groups("archive", plan, unread, "past review and unread")
    _propose_in_groups("confirm", plan, unconfirmed, "not confirmed for long", action="confirm")


def propose_changed_claims(plan: MaintenancePlan) -> None:
    """Ask whether memories still hold whose files have changed, in projects of this device."""
    told: dict[str, str] = {}
    changed: dict[str, Memory] = {}
    anchored = [memory for memory in plan.live() if memory.anchors]
    for memory, one in check_memories(plan.engine, anchored, limit_s=RELOCATE_S):
        if one.stale:
            changed[memory.id] = memory
            told.setdefault(memory.id, f"`{one.anchor.place}` {_STATES[one.state]}")
    what = "whose code has changed since"
    _propose_in_groups("claims", plan, [*changed.values()], what, action="confirm", told=told)


_STATES = {"changed": "has changed", "gone": "is gone"}


def _propose_in_groups(
    step: str,
    plan: MaintenancePlan,
    memories: Sequence[Memory],
    what: str,
    *,
    action: str = "archive",
    told: Mapping[str, str] | None = None,
) -> None:
    """Make one proposal for all memories of a scope, owner and kind, so that the inbox stays short.

    While it is open, memories that come due wait for the next one. `told` says more of each.
    """
    open_now = {_group(plan, one) for one in plan.open_proposals(action)}
    groups: dict[tuple[str, ...], list[Memory]] = {}
    for memory in memories:
        group = (str(memory.scope), memory.owner, memory.kind)
        if group not in open_now and not plan.proposed(action, memory):
            groups.setdefault(group, []).append(memory)
    for (_, _, kind), group in groups.items():
        together = group[:MOST_TOGETHER]
        count = f"1 {kind}" if len(together) == 1 else f"{len(together)} of kind {kind}"
        question = "Archive" if action == "archive" else "Still true:"
        lines = [f"- [[{display_name(one)}]]{_after(one, told)}" for one in together]
        text = "\n".join(lines)
        plan.add_proposal(step, action, together, f"{question} {count}, {what}?", text=text)


def _after(memory: Memory, told: Mapping[str, str] | None) -> str:
    words = (told or {}).get(memory.id)
    return f": {words}" if words else ""


def _group(plan: MaintenancePlan, proposal: Memory) -> tuple[str, ...]:
    kinds = [one.kind for id in proposal.derived_from if (one := plan.get(id)) is not None]
    return (str(proposal.scope), proposal.owner, kinds[0] if kinds else "")


def _why_stale(plan: MaintenancePlan, memory: Memory, contradicted: frozenset[str]) -> str:
    settings, now = plan.settings, plan.now
    if lifecycle.is_unconfirmed_guess(memory, settings, now):
        return f"was only {memory.confidence:.0%} sure and never confirmed"
    if _staleness(plan, memory, contradicted) > settings.stale_above:
        return "is old, unused and contradicted"
    if not lifecycle.is_permanent(memory) and lifecycle.is_overdue(
        memory, plan.use(memory), settings, now
    ):
        return f"was not used for {lifecycle.days_since(memory.updated, now):.0f} days"
    return ""


def _staleness(plan: MaintenancePlan, memory: Memory, contradicted: frozenset[str]) -> float:
    use = plan.use(memory)
    flag = memory.id in contradicted
    return lifecycle.staleness(memory, use, plan.settings, plan.now, contradicted=flag)


def _contradicted(plan: MaintenancePlan) -> frozenset[str]:
    """Ids of the memories in open contradiction proposals."""
    waiting = plan.open_proposals("contradiction")
    return frozenset(target for one in waiting for target in one.derived_from)


def _day(moment: object) -> str:
    return f"{moment:%Y-%m-%d}" if moment is not None else ""


def update_always_load(plan: MaintenancePlan) -> None:
    """Mark an agent's most used memories as always loaded, and unmark those no longer used.

    Text from outside is never marked, and a person's own marks stay.
    """
    _unload_unused(plan)
    by_scope: dict[str, list[Memory]] = {}
    for memory in plan.live():
        by_scope.setdefault(str(memory.scope), []).append(memory)
    for memories in by_scope.values():
        _load_most_used(plan, memories)


def _unload_unused(plan: MaintenancePlan) -> None:
    cold = [
        memory
        for memory in plan.live(curated=False)
        if memory.always_load
        and may_maintain(memory)
        and lifecycle.heat(plan.use(memory), plan.now) < plan.settings.cold
        and lifecycle.unread_days(memory, plan.use(memory), plan.now) >= plan.settings.unread_days
    ]
    for memory in plan.not_reverted(cold):
        words = f"{display_name(memory)} was not used lately"
        plan.alter("heat", "unloaded", memory, words, always_load=False)


def _load_most_used(plan: MaintenancePlan, memories: list[Memory]) -> None:
    agent = memories[0].scope.value("agent")
    budget = digest_settings.resolve_digest_settings(plan.engine.settings.digest, agent).budget
    loaded = sum(tokens.estimate(memory.content) for memory in memories if memory.always_load)
    hot = [memory for memory in memories if _may_be_loaded(plan, memory)]
    wanted = [
        (lifecycle.heat(plan.use(memory), plan.now), tokens.estimate(memory.content), memory)
        for memory in plan.not_reverted(hot)
    ]
    for memory in lifecycle.within_budget(wanted, loaded, budget.sections["always"].tokens):
        words = f"{display_name(memory)} was used {plan.use(memory).count} times"
        plan.alter("heat", "loaded", memory, words, always_load=True)


def _may_be_loaded(plan: MaintenancePlan, memory: Memory) -> bool:
    return (
        not memory.always_load
        and may_maintain(memory)
        and memory.trust != "external"
        and memory.sensitivity != "sensitive"
        and memory.status == "active"
        and memory.kind not in NEVER_LOADED
        and lifecycle.heat(plan.use(memory), plan.now) >= plan.settings.hot
        and not authority.is_order(memory)
    )


def compact_versions(plan: MaintenancePlan) -> None:
    """Archive the middle of long version chains; the first and the newest old versions stay.

    Every version still names the next, and `history` shows them all.
    """
    for chain in _old_versions(plan):
        long = len(chain) > plan.settings.chain_versions
        middle = plan.not_reverted(chain[1:-NEWEST_KEPT]) if long else []
        if not middle:
            continue
        # In one commit: half of it would look like a chain that is short enough.
        changes = ChangeSet()
        for one in middle:
            changes.change("archived", altered(one, status="archived"), before=one)
        words = f"{len(middle)} of {len(chain)} old versions of {display_name(chain[-1])}"
        plan.add("dream", "archived", words, changes)


def _old_versions(plan: MaintenancePlan) -> list[list[Memory]]:
    """The old versions of each memory, oldest first."""
    old = {memory.id: memory for memory in plan.with_status("superseded")}
    by_newest: dict[str, list[Memory]] = {}
    for memory in old.values():
        here, passed = memory, {memory.id}
        while (following := here.superseded_by) in old and following not in passed:
            passed.add(following)
            here = old[following]
        by_newest.setdefault(here.superseded_by or here.id, []).append(memory)
    return [sorted(chain, key=lambda one: (one.created, one.id)) for chain in by_newest.values()]
