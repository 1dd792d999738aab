"""Steps that retire what has had its time: expired, old versions, unread, unsure, stale.

Archiving on its own initiative is for a person to confirm. Only two things go straight to the
archive: an agent's memory whose own end has come, which recall no longer returns anyway, and
versions that something newer replaced long ago.
"""

from __future__ import annotations

from ...rules.ageing import heat
from ...rules.ageing import retiring as ageing
from ...rules.ageing.staleness import staleness
from . import desk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model import Memory
    from .desk import Desk

MOST_TOGETHER = 50
"""How many memories one proposal may be about and still be read."""


def expire(given: Desk) -> None:
    """Archive what reached its end; ask about what a person curates."""
    over = [m for m in given.live() if ageing.expired(m, given.settings, given.now)]
    mine = given.not_put_back([memory for memory in over if memory.owner == "agent"])
    for memory in mine:
        words = f"{desk.name(memory)} expired on {_day(ageing.expires_at(memory, given.settings))}"
        given.alter("expire", "archived", memory, words, status="archived", updated=given.now)
    _ask("expire", given, [m for m in over if m.owner != "agent"], "expired")


def retire_versions(given: Desk) -> None:
    """Move versions that were replaced long ago out of the way; `history` still shows them."""
    old = [
        memory
        for memory in given.of_status("superseded")
        if ageing.long_superseded(memory, given.settings, given.now)
    ]
    for memory in given.not_put_back(old):
        words = f"{desk.name(memory)} was replaced on {_day(memory.updated)}"
        given.alter("versions", "archived", memory, words, status="archived")


def mark_stale(given: Desk) -> None:
    """Halve the rank of what is old, unused, contradicted or was never more than a guess."""
    contradicted = _contradicted(given)
    candidates = [m for m in given.live(curated=False) if m.status == "active"]
    stale = {
        memory.id: words
        for memory in candidates
        if not given.settled(memory) and (words := _why_stale(given, memory, contradicted))
    }
    for memory in given.not_put_back([m for m in candidates if m.id in stale]):
        words = f"{desk.name(memory)} {stale[memory.id]}"
        given.alter("stale", "staled", memory, words, status="stale")


def revive(given: Desk) -> None:
    """Give a stale memory its rank back once it is used, or said, again."""
    contradicted = _contradicted(given)
    for memory in given.live(curated=False):
        if memory.status != "stale" or _why_stale(given, memory, contradicted):
            continue
        if _staleness(given, memory, contradicted) < given.settings.fresh_below:
            words = f"{desk.name(memory)} is used again"
            given.alter("stale", "revived", memory, words, status="active")


def propose_archive(given: Desk) -> None:
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
    step: str, given: Desk, memories: Sequence[Memory], what: str, *, action: str = "archive"
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
        listed = "\n".join(f"- [[{desk.name(memory)}]]" for memory in together)
        given.propose(step, action, together, f"{question} {count}, {what}?", text=listed)


def _group(given: Desk, proposal: Memory) -> tuple[str, ...]:
    kinds = [one.kind for id in proposal.derived_from if (one := given.get(id)) is not None]
    return (str(proposal.scope), proposal.owner, kinds[0] if kinds else "")


def _why_stale(given: Desk, memory: Memory, contradicted: frozenset[str]) -> str:
    settings, now = given.settings, given.now
    if ageing.unsure(memory, settings, now):
        return f"was only {memory.confidence:.0%} sure and never confirmed"
    if _staleness(given, memory, contradicted) > settings.stale_above:
        return "is old, unused and contradicted"
    if not ageing.permanent(memory) and ageing.overdue(memory, given.use(memory), settings, now):
        return f"was not used for {heat.days(memory.updated, now):.0f} days"
    return ""


def _staleness(given: Desk, memory: Memory, contradicted: frozenset[str]) -> float:
    use = given.use(memory)
    flag = memory.id in contradicted
    return staleness(memory, use, given.settings, given.now, contradicted=flag)


def _contradicted(given: Desk) -> frozenset[str]:
    """What a contradiction that still waits for a person is about."""
    waiting = given.open_proposals("contradiction")
    return frozenset(target for one in waiting for target in one.derived_from)


def _day(moment: object) -> str:
    return f"{moment:%Y-%m-%d}" if moment is not None else ""
