"""What one tenant has in a one-file book: how much it is, and taking the last of it out."""

from __future__ import annotations

from ..ports.records import Totals
from ..sqlite import of_tenant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..scope import Tenant
    from ..sqlite import Database

_BY_TENANT = (
    "CREATE INDEX IF NOT EXISTS records_of_tenant ON records(scope, octet_length(json))"
    " WHERE json IS NOT NULL"
)
"""Made by the first who asks: a book without limits need not keep it up to date."""


def totals(db: Database, tenant: Tenant) -> Totals:
    """How many records a tenant has, and how long they are."""
    condition, values = of_tenant(tenant)
    db.execute(_BY_TENANT)
    row = db.execute(
        "SELECT count(*), coalesce(sum(octet_length(json)), 0) FROM records"  # noqa: S608
        f" WHERE json IS NOT NULL AND {condition}",
        values,
    ).fetchone()
    return Totals(*row) if row else Totals()


def unname(db: Database, tenant: Tenant) -> None:
    """Let what is left of erased records say whose they were, and not what for."""
    condition, values = of_tenant(tenant)
    db.execute(
        f"UPDATE records SET scope=:own, task_parent=NULL WHERE json IS NULL AND {condition}",  # noqa: S608
        values,
    )
