"""The record store of a book on PostgreSQL, for many users and many machines.

Revisions are taken from one row, which stays locked until the transaction ends: they follow the
order of commits, so that a reader who has seen one has seen all before it. They are taken last, so
that writers of different tenants wait for each other's commits and for nothing else.

A write is one transaction with the check of the lease: a killed process or server leaves all of
it or nothing. The index asks for all changes after its own revision and so misses none.
"""

from __future__ import annotations

from ....model import codec
from ....model.errors import Conflict, StoreUnavailable
from ....model.memory import Problem
from ....model.scope import Scope
from ....ports.record_store import Stored, Totals
from ...common.sql_dialect import storable, task_parent
from ..records import BATCH, RecordTable, loaded, locator, parsed, require_expected, written
from .database import POSTGRES, PostgresDatabase, QuestionMarks, many, only
from .lease import PostgresLeases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from ....model.scope import Tenant, Visible
    from ....ports.record_store import Lease, Put
    from ..records import Row
    from .database import PostgresAddress, PostgresConnection

_PUT = """
INSERT INTO records VALUES (%s, %s, %s, %s, %s) ON CONFLICT (id) DO UPDATE
SET revision = excluded.revision, scope = excluded.scope, task_parent = excluded.task_parent,
  json = excluded.json
WHERE records.json IS NULL OR %s
"""


class PostgresStore(RecordTable):
    """Holds the truth in one schema of a PostgreSQL database."""

    capabilities = frozenset({"database", "shared"})

    def __init__(self, address: PostgresAddress, *, store_id: str) -> None:
        self.url = address.url
        self.store_id = store_id
        self._database = PostgresDatabase(address, StoreUnavailable)
        self._leases = PostgresLeases(self._database)
        self._newest = f"SELECT revision FROM {address.schema}.book"  # noqa: S608 (all ours)

    def lease(
        self,
        name: str = "write",
        *,
        wait_s: float = 10.0,
        scopes: Collection[Scope] | None = None,
    ) -> AbstractContextManager[Lease]:
        """Take the named lease, of the tenants of these scopes or of the whole book."""
        return self._leases.hold(name, wait_s, scopes)

    def write(self, puts: Sequence[Put], *, lease: Lease) -> list[Stored]:
        """Write all records durably in one transaction, or none."""
        texts = [written(codec.to_fields(put.memory), zero=False) for put in puts]
        tries = 0

        def work(db: PostgresConnection) -> list[Stored]:
            nonlocal tries
            tries += 1
            if tries > 1 and (done := _already(db, puts, texts)):
                return done
            self._leases.renew(db, lease)
            self._leases.require(lease, _scopes(puts))
            known = _check(db, puts)
            return _put(db, puts, texts, known)

        return self._database.run(work)

    def erase(self, ids: Collection[str], *, lease: Lease) -> list[str]:
        """Remove records for good; the server reuses their room at its next vacuum."""
        gone: list[str] = []

        def work(db: PostgresConnection) -> None:
            self._leases.renew(db, lease)
            rows = db.execute(
                "SELECT id, scope, task_parent FROM records"
                " WHERE json IS NOT NULL AND id = ANY(%s) ORDER BY revision FOR UPDATE",
                (storable(ids),),
            ).fetchall()
            self._leases.require(lease, (Scope.parse(scope) for _, scope, _ in rows))
            # Records that an earlier, unconfirmed try removed still count.
            gone.extend(row[0] for row in rows if row[0] not in gone)
            if rows:
                first = _revisions(db, len(rows))
                many(
                    db,
                    "UPDATE records SET json = NULL, revision = %s WHERE id = %s",
                    [(first + place, id) for place, (id, _, _) in enumerate(rows)],
                )

        self._database.run(work)
        return gone

    def revision(self) -> int:
        """The newest revision."""
        return self._database.value(self._newest)

    def adopt(self, store_id: str) -> None:
        """Set the id of another book; Conflict unless this one is empty."""

        def work(db: PostgresConnection) -> None:
            if only(db, "SELECT EXISTS (SELECT 1 FROM records)"):
                raise Conflict(f"The book at {self.url} is not empty.", hint="Name a new one.")
            db.execute("UPDATE book SET id = %s", (store_id,))

        self._database.run(work)
        self.store_id = store_id

    def totals(self, tenant: Tenant, *, sized: bool = True) -> Totals:
        """How much a tenant has here, of any status; bytes only if `sized`."""
        condition, values = POSTGRES.tenant_rows(tenant)
        size = "coalesce(sum(octet_length(json)), 0)::bigint" if sized else "0"
        query = (
            f"SELECT count(*), {size} FROM records"  # noqa: S608 (all ours)
            f" WHERE json IS NOT NULL AND {condition}"
        )
        rows = self._database.run(lambda db: QuestionMarks(db).execute(query, values).fetchall())
        return Totals(*rows[0])

    def wipe(self, tenant: Tenant, *, lease: Lease) -> None:
        """Remove the names of a tenant's scopes from the rows of erased records."""
        condition, values = POSTGRES.tenant_rows(tenant)
        query = (
            "UPDATE records SET scope = ?, task_parent = NULL"  # noqa: S608 (all ours)
            f" WHERE json IS NULL AND {condition}"
        )

        def work(db: PostgresConnection) -> None:
            self._leases.renew(db, lease)
            self._leases.require(lease, [tenant.scope])
            QuestionMarks(db).execute(query, (str(tenant.scope), *values))

        self._database.run(work)

    def problems(self) -> list[Problem]:
        """A role that row-level security does not bind, and records that do not read back."""
        return [*self._bypasses_row_security(), *self._unreadable()]

    def size(self) -> int:
        """How many bytes the book's tables and their indexes take on the server."""
        query = (
            "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
        )
        return self._database.run(lambda db: only(db, query))

    def close(self) -> None:
        """Let go of the connections."""
        self._database.close()

    def _found(self, ids: Collection[str], visible: Visible) -> list[Row]:
        return self._rows(
            "SELECT id, json FROM records WHERE id = ANY(?) AND json IS NOT NULL",
            storable(ids),
            visible,
        )

    def _newer(self, since: int, visible: Visible) -> list[Row]:
        return self._rows(
            "SELECT revision, id, json FROM records WHERE revision > ?",
            since,
            visible,
            f"ORDER BY revision LIMIT {BATCH}",
        )

    def _rows(self, select: str, value: object, visible: Visible, rest: str = "") -> list[Row]:
        condition, scopes = POSTGRES.visible_rows(visible)
        query = f"{select} AND {condition} {rest}"
        return self._database.run(
            lambda db: QuestionMarks(db).execute(query, (value, *scopes)).fetchall(),
            visible=visible,
        )

    def _bypasses_row_security(self) -> Iterator[Problem]:
        bypasses = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
        if self._database.run(lambda db: only(db, bypasses)):
            yield Problem(
                self.url,
                "Row-level security does not bind the role in the book's URL.",
                "Run `commonplace postgres init` and use the role that it makes.",
            )


def _scopes(puts: Sequence[Put]) -> Iterator[Scope]:
    """The scopes that a write touches: those that its records are to have, and have now."""
    for put in puts:
        yield put.memory.scope
        if put.expect is not None:
            yield put.expect.scope


def _revisions(db: PostgresConnection, count: int) -> int:
    """The first of `count` new revisions; other writers wait for our commit."""
    return only(db, "UPDATE book SET revision = revision + %s RETURNING revision", (count,)) - (
        count - 1
    )


def _put(
    db: PostgresConnection, puts: Sequence[Put], texts: Sequence[str], known: set[str]
) -> list[Stored]:
    """Write the records; everything else is done by now, because the revisions make others wait."""
    rows: list[tuple[object, ...]] = []
    for put, text in zip(puts, texts, strict=True):
        memory = put.memory
        rows.append((str(memory.scope), task_parent(memory.scope), text, memory.id in known))
        known.add(memory.id)
    memories = [codec.from_json(text) for text in texts]
    first = _revisions(db, len(puts))
    places = [(memory.id, first + place) for place, memory in enumerate(memories)]
    many(db, _PUT, [(*place, *row) for place, row in zip(places, rows, strict=True)])
    written = "SELECT count(*) FROM records WHERE revision >= %s"
    if only(db, written, (first,)) != len({memory.id for memory in memories}):
        raise Conflict("A memory with the same id exists already.", hint="Read it and decide anew.")
    return [
        Stored(memory, locator(memory.id), revision)
        for memory, (_, revision) in zip(memories, places, strict=True)
    ]


def _check(db: PostgresConnection, puts: Sequence[Put]) -> set[str]:
    """The records that there are; raises Conflict unless each is as its writer read it."""
    current = _current(db, puts)
    known = set(current)
    for put in puts:
        require_expected(put, current.get(put.memory.id))
        current[put.memory.id] = codec.to_fields(put.memory)
    return known


def _already(db: PostgresConnection, puts: Sequence[Put], texts: list[str]) -> list[Stored]:
    """The records as a commit whose answer got lost has stored them, if it has."""
    wanted = {put.memory.id: text for put, text in zip(puts, texts, strict=True)}
    rows = db.execute(
        "SELECT id, json, revision FROM records WHERE id = ANY(%s)", (list(wanted),)
    ).fetchall()
    if {id: text for id, text, _ in rows} != wanted:
        return []
    return [Stored(parsed(id, text), locator(id), revision) for id, text, revision in rows]


def _current(db: PostgresConnection, puts: Sequence[Put]) -> dict[str, dict[str, Any]]:
    rows = db.execute(
        "SELECT id, json FROM records WHERE id = ANY(%s) AND json IS NOT NULL FOR UPDATE",
        (storable(put.memory.id for put in puts),),
    ).fetchall()
    return {id: loaded(id, text) for id, text in rows}
