"""What one tenant has in the ledger on a server: counting its writes, taking its words out."""

# ruff: noqa: S608 - every piece of SQL here is our own; values are always bound.

from __future__ import annotations

from ..postgres.database import of_tenant, only
from ..rules import actions, chain
from ..rules.codec import iso
from .history import emptied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ..model import Event
    from ..postgres.database import Connection
    from ..scope import Tenant

_EMPTY = "SELECT empty_event(%s, %s, %s)"


def count_writes(db: Connection, tenant: Tenant, since: datetime) -> int:
    """How many changes of a tenant's memories there are since then."""
    condition, values = of_tenant(tenant)
    refused, contradicted = chain.marks(actions.TOLD_ONLY)
    query = (
        "SELECT count(*) FROM events WHERE at >= %(since)s AND strpos(line, %(refused)s) = 0"
        f" AND strpos(line, %(contradicted)s) = 0 AND {condition}"
    )
    told = {"since": iso(since), "refused": refused, "contradicted": contradicted}
    return only(db, query, values | told)


def empty(db: Connection, tenant: Tenant, erasure: Event) -> int:
    """Take the words out of a tenant's events and of those of memories erased with it."""
    condition, values = of_tenant(tenant)
    rows = db.execute(
        f"SELECT line FROM events WHERE {condition} OR memory IN (SELECT memory FROM events"
        " WHERE number IN (SELECT event FROM event_memories WHERE memory = %(erasure)s))",
        values | {"erasure": erasure.id},
    ).fetchall()
    changed = list(emptied((line for (line,) in rows), tenant, erasure))
    for one in changed:
        db.execute(_EMPTY, (one.number, one.event.scope, chain.to_line(one)))
    return len(changed)


def forget_questions(db: Connection, tenant: Tenant) -> None:
    """Remove every question that a tenant asked."""
    condition, values = of_tenant(tenant)
    db.execute(f"DELETE FROM retrievals WHERE {condition}", values)
