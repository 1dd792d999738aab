"""The record store of a book on PostgreSQL, for many users and many machines.

Revisions are taken from one row, which stays locked until the transaction ends: they follow the
order of commits, so that a reader who has seen one has seen all before it.

A write is one transaction with the check of the lease: a killed process or server leaves all of
it or nothing. The index asks for all changes after its own revision and so misses none.
"""

from __future__ import annotations

from ....model import codec
from ....model.errors import Conflict, StoreUnavailable
from ....model.memory import Problem
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

    from ....model.memory import Memory
    from ....model.scope import Tenant, Visible
    from ....ports.record_store import Lease, Put
    from ..records import Row
    from .database import PostgresAddress, PostgresConnection

_PUT = """
INSERT INTO records VALUES (%s, %s, %s, %s, %s) ON CONFLICT (id) DO UPDATE
SET revision = excluded.revision, scope = excluded.scope, task_parent = excluded.task_parent,
  json = excluded.json
"""


class PostgresStore(RecordTable):
    """Holds the truth in one schema of a PostgreSQL database."""

    capabilities = frozenset({"database", "shared"})

    def __init__(self, address: PostgresAddress, *, store_id: str) -> None:
        self.url = address.url
        self.store_id = store_id
        self._database = PostgresDatabase(address, StoreUnavailable)
        self._leases = PostgresLeases(self._database)

    def lease(self, name: str = "write", *, wait_s: float = 10.0) -> AbstractContextManager[Lease]:
        """Take the named lease, waiting for another holder unless that one crashed."""
        return self._leases.hold(name, wait_s)

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
            # First, because it waits for other writers: records cannot change after the check.
            first = _revisions(db, len(puts))
            _check(db, puts)
            memories = [put.memory for put in puts]
            return _put(db, list(zip(memories, texts, strict=True)), first)

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
            # Records that an earlier, unconfirmed try removed still count.
            gone.extend(row[0] for row in rows if row[0] not in gone)
            if rows:
                first = _revisions(db, len(rows))
                for place, (id, scope, parent) in enumerate(rows):
                    db.execute(_PUT, (id, first + place, scope, parent, None))

        self._database.run(work)
        return gone

    def revision(self) -> int:
        """The newest revision."""
        return self._database.run(lambda db: only(db, "SELECT revision FROM book"))

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


def _revisions(db: PostgresConnection, count: int) -> int:
    """The first of `count` new revisions; other writers wait for our commit."""
    return only(db, "UPDATE book SET revision = revision + %s RETURNING revision", (count,)) - (
        count - 1
    )


def _put(db: PostgresConnection, written: list[tuple[Memory, str]], first: int) -> list[Stored]:
    stored = [
        Stored(codec.from_json(text), locator(memory.id), first + place)
        for place, (memory, text) in enumerate(written)
    ]
    rows = [
        (memory.id, one.revision, str(memory.scope), task_parent(memory.scope), text)
        for (memory, text), one in zip(written, stored, strict=True)
    ]
    many(db, _PUT, rows)
    return stored


def _check(db: PostgresConnection, puts: Sequence[Put]) -> None:
    """Raise Conflict unless every record is as its writer read it."""
    current = _current(db, puts)
    for put in puts:
        require_expected(put, current.get(put.memory.id))
        current[put.memory.id] = codec.to_fields(put.memory)


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
