"""Steps that retire what has had its time: expired, old versions, unread, unsure, stale.

Archiving on its own initiative is for a person to confirm. Only two things go straight to the
archive: an agent's memory whose own end has come, which recall no longer returns anyway, and
versions that something newer replaced long ago.
"""

from __future__ import annotations

from ...language import tokens
from ...rules import digest_settings, lifecycle
from ...rules import lifecycle as ageing
from ...rules.lifecycle import staleness
from . import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model.memory import Memory
    from .plan import MaintenancePlan


MOST_TOGETHER = 50
"""How many memories one proposal may be about and still be read."""


def expire(given: MaintenancePlan) -> None:
    """Archive what reached its end; ask about what a person curates."""
    over = [m for m in given.live() if ageing.expired(m, given.settings, given.now)]
    mine = given.not_put_back([memory for memory in over if memory.owner == "agent"])
    for memory in mine:
        words = f"{plan.name(memory)} expired on {_day(ageing.expires_at(memory, given.settings))}"
        given.alter("expire", "archived", memory, words, status="archived", updated=given.now)
    _ask("expire", given, [m for m in over if m.owner != "agent"], "expired")


def retire_versions(given: MaintenancePlan) -> None:
    """Move versions that were replaced long ago out of the way; `history` still shows them."""
    old = [
        memory
        for memory in given.of_status("superseded")
        if ageing.long_superseded(memory, given.settings, given.now)
    ]
    for memory in given.not_put_back(old):
        words = f"{plan.name(memory)} was replaced on {_day(memory.updated)}"
        given.alter("versions", "archived", memory, words, status="archived")


def mark_stale(given: MaintenancePlan) -> None:
    """Halve the rank of what is old, unused, contradicted or was never more than a guess."""
    contradicted = _contradicted(given)
    candidates = [m for m in given.live(curated=False) if m.status == "active"]
    stale = {
        memory.id: words
        for memory in candidates
        if not given.settled(memory) and (words := _why_stale(given, memory, contradicted))
    }
    for memory in given.not_put_back([m for m in candidates if m.id in stale]):
        words = f"{plan.name(memory)} {stale[memory.id]}"
        given.alter("stale", "staled", memory, words, status="stale")


def revive(given: MaintenancePlan) -> None:
    """Give a stale memory its rank back once it is used, or said, again."""
    contradicted = _contradicted(given)
    for memory in given.live(curated=False):
        if memory.status != "stale" or _why_stale(given, memory, contradicted):
            continue
        if _staleness(given, memory, contradicted) < given.settings.fresh_below:
            words = f"{plan.name(memory)} is used again"
            given.alter("stale", "revived", memory, words, status="active")


def propose_archive(given: MaintenancePlan) -> None:
    """Ask whether what nobody reads any more may go, and whether old facts still hold."""
    contradicted = _contradicted(given)
    unread: list[Memory] = []
    unconfirmed: list[Memory] = []
    for memory in given.live():
        if given.settled(memory):
            continue
        if ageing.overdue(memory, given.use(memory), given.settings, given.now):
            (unconfirmed if ageing.permanent(memory) else unread).append(memory)
        elif _staleness(given, memory, contradicted) > given.settings.evict_above:
            unread.append(memory)
    _ask("archive", given, unread, "past review and unread")
    _ask("confirm", given, unconfirmed, "not confirmed for long", action="confirm")


def _ask(
    step: str,
    given: MaintenancePlan,
    memories: Sequence[Memory],
    what: str,
    *,
    action: str = "archive",
) -> None:
    """One question at a time about what belongs together, so that an inbox stays readable.

    What comes due while it waits is in the next one.
    """
    open_now = {_group(given, one) for one in given.open_proposals(action)}
    groups: dict[tuple[str, ...], list[Memory]] = {}
    for memory in memories:
        group = (str(memory.scope), memory.owner, memory.kind)
        if group not in open_now and not given.asked(action, memory):
            groups.setdefault(group, []).append(memory)
    for (_, _, kind), group in groups.items():
        together = group[:MOST_TOGETHER]
        count = f"1 {kind}" if len(together) == 1 else f"{len(together)} of kind {kind}"
        question = "Archive" if action == "archive" else "Still true:"
        listed = "\n".join(f"- [[{plan.name(memory)}]]" for memory in together)
        given.propose(step, action, together, f"{question} {count}, {what}?", text=listed)


def _group(given: MaintenancePlan, proposal: Memory) -> tuple[str, ...]:
    kinds = [one.kind for id in proposal.derived_from if (one := given.get(id)) is not None]
    return (str(proposal.scope), proposal.owner, kinds[0] if kinds else "")


def _why_stale(given: MaintenancePlan, memory: Memory, contradicted: frozenset[str]) -> str:
    settings, now = given.settings, given.now
    if ageing.unsure(memory, settings, now):
        return f"was only {memory.confidence:.0%} sure and never confirmed"
    if _staleness(given, memory, contradicted) > settings.stale_above:
        return "is old, unused and contradicted"
    if not ageing.permanent(memory) and ageing.overdue(memory, given.use(memory), settings, now):
        return f"was not used for {lifecycle.days(memory.updated, now):.0f} days"
    return ""


def _staleness(given: MaintenancePlan, memory: Memory, contradicted: frozenset[str]) -> float:
    use = given.use(memory)
    flag = memory.id in contradicted
    return staleness(memory, use, given.settings, given.now, contradicted=flag)


def _contradicted(given: MaintenancePlan) -> frozenset[str]:
    """What a contradiction that still waits for a person is about."""
    waiting = given.open_proposals("contradiction")
    return frozenset(target for one in waiting for target in one.derived_from)


def _day(moment: object) -> str:
    return f"{moment:%Y-%m-%d}" if moment is not None else ""


# The step that lets use decide what is always loaded, within the room there is for it.


NEVER_LOADED = ("task-summary", "session-summary", "idea", "work")
"""Kinds that are looked up when they are needed, however often that is."""


def by_heat(given: MaintenancePlan) -> None:
    """Load the hottest of an agent's memories from the start, and let cold ones go again.

    Text from outside never gets there, and what a person put there stays.
    """
    _cool(given)
    by_scope: dict[str, list[Memory]] = {}
    for memory in given.live():
        by_scope.setdefault(str(memory.scope), []).append(memory)
    for memories in by_scope.values():
        _warm(given, memories)


def _cool(given: MaintenancePlan) -> None:
    cold = [
        memory
        for memory in given.live(curated=False)
        if memory.always_load
        and lifecycle.heat(given.use(memory), given.now) < given.settings.cold
        and ageing.unread_days(memory, given.use(memory), given.now) >= given.settings.unread_days
    ]
    for memory in given.not_put_back(cold):
        words = f"{plan.name(memory)} was not used lately"
        given.alter("heat", "unloaded", memory, words, always_load=False)


def _warm(given: MaintenancePlan, memories: list[Memory]) -> None:
    agent = memories[0].scope.value("agent")
    budget = digest_settings.resolve(given.engine.settings.digest, agent).budget
    loaded = sum(tokens.estimate(memory.content) for memory in memories if memory.always_load)
    hot = [memory for memory in memories if _hot(given, memory)]
    wanted = [
        (lifecycle.heat(given.use(memory), given.now), tokens.estimate(memory.content), memory)
        for memory in given.not_put_back(hot)
    ]
    for memory in lifecycle.within_budget(wanted, loaded, budget.sections["always"].tokens):
        words = f"{plan.name(memory)} was used {given.use(memory).count} times"
        given.alter("heat", "loaded", memory, words, always_load=True)


def _hot(given: MaintenancePlan, memory: Memory) -> bool:
    return (
        not memory.always_load
        and memory.owner == "agent"
        and memory.trust != "external"
        and memory.sensitivity != "sensitive"
        and memory.status == "active"
        and memory.kind not in NEVER_LOADED
        and lifecycle.heat(given.use(memory), given.now) >= given.settings.hot
    )


# The step that dreams: long chains of versions keep their ends at hand, the middle is history.


NEWEST_KEPT = 2


def compact(given: MaintenancePlan) -> None:
    """Of many old versions, the first and the newest stay; those between move out of the way.

    Nothing is lost: every version still names the next, and `history` shows them all.
    """
    for chain in _chains(given):
        long = len(chain) > given.settings.chain_versions
        middle = given.not_put_back(chain[1:-NEWEST_KEPT]) if long else []
        if not middle:
            continue
        # All or none at once: half of it would look like a chain that is short enough.
        writes = [plan.altered(one, "archived", status="archived") for one in middle]
        words = f"{len(writes)} of {len(chain)} old versions of {plan.name(chain[-1])}"
        given.change("dream", "archived", words, writes)


def _chains(given: MaintenancePlan) -> list[list[Memory]]:
    """Old versions by the memory that holds now, oldest first."""
    old = {memory.id: memory for memory in given.of_status("superseded")}
    by_newest: dict[str, list[Memory]] = {}
    for memory in old.values():
        here, passed = memory, {memory.id}
        while (following := here.superseded_by) in old and following not in passed:
            passed.add(following)
            here = old[following]
        by_newest.setdefault(here.superseded_by or here.id, []).append(memory)
    return [sorted(chain, key=lambda one: (one.created, one.id)) for chain in by_newest.values()]
