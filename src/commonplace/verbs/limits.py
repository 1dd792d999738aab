"""Holding tenants to their limits, inside the lease: what is counted is what everybody wrote."""

from __future__ import annotations

from datetime import timedelta

from ..errors import Refused
from ..ports.records import Totals
from ..rules import limits as rules
from ..rules.codec import to_json
from ..scope import Tenant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Memory
    from ..ports.records import Put
    from .engine import Engine


def refuse_too_much(engine: Engine, puts: Sequence[Put]) -> None:
    """Raise Refused when a write that somebody asked for would pass a limit of whoever it is for.

    The book's own upkeep is not asked: what it merges or archives is already there.
    """
    limits = engine.settings.limits
    new: dict[Tenant, list[Put]] = {}
    for put in puts:
        new.setdefault(Tenant.of(put.memory.scope), []).append(put)
    for tenant, theirs in new.items():
        if limits.writes_a_minute:
            since = engine.now() - timedelta(seconds=rules.MINUTE_S)
            lately = engine.ledger.count_writes(tenant, since=since)
            if sentence := rules.too_fast(limits, tenant, lately=lately, new=len(theirs)):
                raise _refusal(sentence, "Wait a minute, or write many texts as one.")
        created = [put.memory for put in theirs if put.expect is None]
        if created and limits.of_room:
            held = engine.store.totals(tenant, sized=limits.bytes > 0)
            if sentence := rules.too_much(limits, tenant, held=held, new=_size(created)):
                raise Refused(
                    sentence, hint="Purge what is no longer needed, or ask for more."
                ).because("limit")


def _refusal(sentence: str, hint: str) -> Refused:
    return Refused(sentence, hint=hint).because("limit")


def _size(memories: Sequence[Memory]) -> Totals:
    stored = (len(to_json(one).encode("utf-8", "replace")) for one in memories)
    return Totals(len(memories), sum(stored))
