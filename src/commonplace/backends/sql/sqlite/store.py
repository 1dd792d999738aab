"""The record store of a book in one SQLite file.

A record's row number is its revision: every write moves the record to the end of the table, so
the order of changes is the order of rows, and the newest revision is the last row.

A write is one transaction with the check of the lease: a killed process leaves all of it or
nothing. The index asks for all changes after its own revision and so misses none.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from ....model import codec
from ....model.errors import Busy, Conflict, Damaged, StoreUnavailable
from ....model.memory import Problem
from ....ports.record_store import Changes, Stored, Totals
from ...common.lease import SqliteLeases
from ...common.sql_dialect import task_parent
from ...common.sqlite import SQLITE, database_name, migrate, sweep, transaction
from ..records import BATCH, RecordTable, loaded, locator, require_expected, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any

    from ....model.scope import Scope, Tenant, Visible
    from ....ports.record_store import Lease, Put
    from ...common.sqlite import SqliteConnection
    from ..records import Row


_STEPS = (
    """
    CREATE TABLE book(
      id TEXT NOT NULL,
      unswept INTEGER NOT NULL -- whether erased text may still be in the file's free space
    );
    CREATE TABLE records(
      revision INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      scope TEXT NOT NULL,
      task_parent TEXT, -- the scope without its task, for those who may read its tasks
      json TEXT -- NULL once erased: the row stays so that an index learns of it
    );
    """,
)
_APPEND = """
INSERT OR REPLACE INTO records
VALUES((SELECT coalesce(max(revision), 0) + 1 FROM records), ?, ?, ?, ?) RETURNING revision
"""


class SqliteStore(RecordTable):
    """Holds the truth in one SQLite file."""

    capabilities = frozenset({"database"})

    def __init__(self, path: str, *, create: bool = True) -> None:
        self.path = os.path.abspath(path)
        self.url = f"sqlite:{self.path}"
        self._what = database_name(self.path)
        # The lease lives in the same file, so that checking it and committing are one step.
        self._leases = SqliteLeases(self.path)
        self._db = self._leases.connection
        try:
            with self._leases.reading():
                self._require_book(create=create)
                migrate(self._db, _STEPS)
                self.store_id = self._own_id()
            self._file = os.stat(self.path).st_ino
        except BaseException:
            self._leases.close()
            raise

    def lease(
        self,
        name: str = "write",
        *,
        wait_s: float = 10.0,
        scopes: Collection[Scope] | None = None,
    ) -> AbstractContextManager[Lease]:
        """Take the named lease, always of the whole book."""
        self._require_file()
        return self._leases.hold(name, wait_s)

    def write(self, puts: Sequence[Put], *, lease: Lease) -> list[Stored]:
        """Write all records durably in one transaction, or none."""
        with self._leases.guard(lease, durable=True):
            self._require_file()
            texts = self._checked(puts)
            stored: list[Stored] = []
            for put, text in zip(puts, texts, strict=True):
                memory = put.memory
                row = (memory.id, str(memory.scope), task_parent(memory.scope), text)
                revision: int = self._db.execute(_APPEND, row).get
                stored.append(Stored(codec.from_json(text), locator(memory.id), revision))
        return stored

    def erase(self, ids: Collection[str], *, lease: Lease) -> list[str]:
        """Remove records for good: their text is overwritten in the file and in its log."""
        with self._leases.guard(lease, durable=True):
            self._require_file()
            rows = self._db.execute(
                "SELECT id, scope, task_parent FROM records"
                " WHERE json IS NOT NULL AND id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(ids)),),
            ).fetchall()
            for row in rows:
                self._db.execute(_APPEND, (*row, None))
            if rows:
                self._db.execute("UPDATE book SET unswept=1")
        self._sweep()
        return [row[0] for row in rows]

    def changes(
        self, since: int, *, visible: Visible, look: bool = True, quick: bool = False
    ) -> Iterator[Changes]:
        """The changes after a revision, in batches; `look` checks that the file is there."""
        if look:
            self._require_file()
        yield from super().changes(since, visible=visible)

    def revision(self) -> int:
        """The newest revision."""
        with self._leases.reading():
            return self._db.execute("SELECT coalesce(max(revision), 0) FROM records").get

    def adopt(self, store_id: str) -> None:
        """Set the id of another book; Conflict unless this one is empty."""
        with self._leases.reading(), transaction(self._db):
            if self._db.execute("SELECT count(*) FROM records").get:
                raise Conflict(f"{self._what} is not empty.", hint="Name a new file.")
            self._db.execute("UPDATE book SET id=?", (store_id,))
        self.store_id = store_id

    def totals(self, tenant: Tenant, *, sized: bool = True) -> Totals:
        """How much a tenant has here, of any status; the bytes cost nothing more."""
        with self._leases.reading():
            return totals(self._db, tenant)

    def wipe(self, tenant: Tenant, *, lease: Lease) -> None:
        """Remove the names of a tenant's scopes from the rows of erased records."""
        with self._leases.guard(lease, durable=True):
            remove_scope_names(self._db, tenant)
            self._db.execute("UPDATE book SET unswept=1")
        self._sweep()

    def problems(self) -> list[Problem]:
        """Damage to the file, erased text not yet overwritten, records that do not read back."""
        found = self._leases.connection.problems()
        for check in (self._damage, self._unswept, self._unreadable):
            try:
                found += check()
            except Damaged as error:
                found.append(Problem(self.path, error.sentence, error.hint, "error"))
        return list(dict.fromkeys(found))

    def size(self) -> int:
        """How many bytes the file and its write-ahead log take."""
        names = (self.path, f"{self.path}-wal")
        return sum(os.path.getsize(name) for name in names if os.path.exists(name))

    def close(self) -> None:
        """Let go of the file."""
        self._leases.close()

    def _require_book(self, *, create: bool) -> None:
        """Raise Damaged for a file without a book, unless a new book may begin there."""
        if create or self._db.execute("SELECT 1 FROM sqlite_schema WHERE name='book'").get:
            return
        raise Damaged(
            f"{self._what} held a book, and is empty now.",
            hint="Restore it from a backup, or move the file away to begin a new book.",
        )

    def _own_id(self) -> str:
        if (known := self._db.execute("SELECT id FROM book").get) is not None:
            return known
        with transaction(self._db):
            if (known := self._db.execute("SELECT id FROM book").get) is None:
                known = os.urandom(8).hex()
                self._db.execute("INSERT INTO book VALUES(?, 0)", (known,))
        return known

    def _sweep(self) -> None:
        """Overwrite the text of erased records, also after a sweep that did not finish."""
        with self._leases.reading():
            if self._db.execute("SELECT unswept FROM book").get:
                if not sweep(self._db):
                    raise Busy(
                        "The memories are erased, but a long read of the file kept their text in"
                        " its log.",
                        hint="Run `commonplace doctor` when nothing else uses the book.",
                    )
                self._db.execute("UPDATE book SET unswept=0")

    def _require_file(self) -> None:
        """Raise for a file that was moved while open: its writes would be lost."""
        try:
            if os.stat(self.path).st_ino == self._file:
                return
        except FileNotFoundError:
            pass
        raise StoreUnavailable(
            f"{self._what} was moved or removed while it was open.",
            hint="Put it back, or open the book again.",
        )

    def _checked(self, puts: Sequence[Put]) -> list[str]:
        """The JSON of each record; raises Conflict unless every one is as expected."""
        pending: dict[str, dict[str, Any]] = {}
        texts: list[str] = []
        for put in puts:
            id = put.memory.id
            require_expected(put, pending.get(id) or self._fields(id))
            pending[id] = codec.to_fields(put.memory)
            texts.append(written(pending[id]))
        return texts

    def _fields(self, id: str) -> dict[str, Any] | None:
        text = self._db.execute("SELECT json FROM records WHERE id=?", (id,)).get
        return None if text is None else loaded(id, text)

    def _found(self, ids: Collection[str], visible: Visible) -> list[Row]:
        select = "SELECT id, json FROM records WHERE id"
        try:
            return self._rows(
                f"{select} IN (SELECT value FROM json_each(?)) AND json IS NOT NULL",  # noqa: S608
                json.dumps(list(ids)),
                visible,
            )
        except Damaged:
            return self._readable(f"{select} = ? AND json IS NOT NULL", ids, visible)

    def _newer(self, since: int, visible: Visible) -> list[Row]:
        select = "SELECT revision, id, json FROM records WHERE revision"
        try:
            return self._rows(f"{select} > ?", since, visible, f"ORDER BY revision LIMIT {BATCH}")
        except Damaged:
            numbers = range(since + 1, self.revision() + 1)
            return self._readable(f"{select} = ?", numbers, visible)

    def _readable(self, select: str, values: Iterable[object], visible: Visible) -> list[Row]:
        """The rows of a damaged file that can be read, one by one."""
        rows: list[Row] = []
        for value in values:
            with suppress(Damaged):
                rows += self._rows(select, value, visible)
            if len(rows) >= BATCH:
                break
        return rows

    def _rows(self, select: str, value: object, visible: Visible, rest: str = "") -> list[Row]:
        condition, scopes = SQLITE.visible_rows(visible)
        with self._leases.reading():
            return self._db.execute(f"{select} AND {condition} {rest}", (value, *scopes)).fetchall()

    def _damage(self) -> Iterator[Problem]:
        with self._leases.reading():
            said = [row[0] for row in self._db.execute("PRAGMA integrity_check")]
        if said != ["ok"]:
            what = f"The file is damaged: {said[0].splitlines()[-1]}"
            yield Problem(self.path, what, "Restore the file from a backup.", "error")

    def _unswept(self) -> Iterator[Problem]:
        try:
            self._sweep()
        except (StoreUnavailable, Busy) as error:
            what = "Traces of erased memories may still be in the file's free space."
            yield Problem(self.path, what, error.hint)


_BY_TENANT = (
    "CREATE INDEX IF NOT EXISTS records_of_tenant ON records(scope, octet_length(json))"
    " WHERE json IS NOT NULL"
)
"""Created by the first call: a book without limits need not keep it up to date."""


def totals(db: SqliteConnection, tenant: Tenant) -> Totals:
    """How many records a tenant has, and how long they are."""
    condition, values = SQLITE.tenant_rows(tenant)
    db.execute(_BY_TENANT)
    row = db.execute(
        "SELECT count(*), coalesce(sum(octet_length(json)), 0) FROM records"  # noqa: S608
        f" WHERE json IS NOT NULL AND {condition}",
        values,
    ).fetchone()
    return Totals(*row) if row else Totals()


def remove_scope_names(db: SqliteConnection, tenant: Tenant) -> None:
    """Replace the scopes of a tenant's erased records by the tenant's own."""
    condition, values = SQLITE.tenant_rows(tenant)
    db.execute(
        f"UPDATE records SET scope=?, task_parent=NULL WHERE json IS NULL AND {condition}",  # noqa: S608
        (str(tenant.scope), *values),
    )
