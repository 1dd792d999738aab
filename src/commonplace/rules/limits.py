"""How much a tenant may store and write, and how fast a caller may act."""

from __future__ import annotations

from ..ports.server_state import Taken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.scope import Tenant
    from ..ports.record_store import Totals
    from .parameters import TenantLimits


MINUTE_S = 60


def too_much(limits: TenantLimits, tenant: Tenant, *, held: Totals, new: Totals) -> str:
    """Why new memories exceed the room of a tenant, as a sentence; empty when they fit."""
    most = limits.memories
    if new.memories and most and held.memories + new.memories > most:
        return f"{_whose(tenant)} is full: {held.memories:,} of {most:,} memories are kept."
    most = limits.bytes
    if new.bytes and most and held.bytes + new.bytes > most:
        return (
            f"{_whose(tenant)} is full: {held.bytes:,} of {most:,} bytes are taken,"
            f" and this needs {new.bytes:,}."
        )
    return ""


def too_fast(limits: TenantLimits, tenant: Tenant, *, lately: int, new: int) -> str:
    """Why a write exceeds the rate of a tenant, as a sentence; empty when it does not."""
    most = limits.writes_a_minute
    if not most or lately + new <= most:
        return ""
    return f"{_whose(tenant)} had {lately:,} writes in the last minute; {most:,} are allowed."


def _whose(tenant: Tenant) -> str:
    return f"The space of {tenant.scope}"


def take_from_bucket(
    left: float, idle_s: float, wanted: int, *, per_second: float, most: float
) -> Taken:
    """Take tokens from a bucket that refills over time, as many whole ones as are there."""
    level = min(most, left + max(0.0, idle_s) * per_second)
    amount = min(wanted, int(level))
    return Taken(amount, level - amount)
