"""How much one tenant may keep and write: off unless set."""

from __future__ import annotations

from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..ports.records import Totals
    from ..scope import Tenant

MINUTE_S = 60


class TenantLimits(Value):
    """The same for each user of each org, and for what an org shares; 0 sets no limit."""

    memories: int = 0
    """How many memories may be kept, old versions and the archive included."""
    bytes: int = 0
    """How much room they may take, as they are stored."""
    writes_a_minute: int = 0
    """How many memories may be made or changed within a minute."""

    @property
    def any(self) -> bool:
        """Whether anything is limited."""
        return self.of_room or self.writes_a_minute > 0

    @property
    def of_room(self) -> bool:
        """Whether what is kept is limited."""
        return self.memories > 0 or self.bytes > 0


def too_much(limits: TenantLimits, tenant: Tenant, *, held: Totals, new: Totals) -> str:
    """Why something new does not fit any more, as a sentence; empty when it does."""
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
    """Why a write comes too soon, as a sentence; empty when it does not."""
    most = limits.writes_a_minute
    if not most or lately + new <= most:
        return ""
    return f"{_whose(tenant)} had {lately:,} writes in the last minute; {most:,} are allowed."


def _whose(tenant: Tenant) -> str:
    return f"The space of {tenant.scope}"
