"""The ledger of a book on PostgreSQL: events, counters and logs that all its servers share."""

from __future__ import annotations

import json
import os

from ....model.errors import LedgerUnavailable
from ....model.scope import EVERYTHING
from ...common.ledger.database import LedgerDialect, SqliteLedgerDatabase
from ...common.ledger.table_ledger import KEEP
from ..ledger import CHAIN, SqlLedger
from .database import POSTGRES, PostgresDatabase, QuestionMarks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ....model.scope import Visible
    from ...common.ledger.database import LedgerConnection
    from .database import PostgresAddress

    T = TypeVar("T")

POSTGRES_LEDGER = LedgerDialect(
    **vars(POSTGRES),
    position="strpos",
    # There is one chain per book and therefore no column for its name.
    events=f"(SELECT '{CHAIN}'::text AS chain, events.* FROM events) AS events",  # noqa: S608
    event_key="number",
    event_columns=("number", "id", "at", "memory", "scope", "task_parent", "line"),
    event_memory_columns=("memory", "event", "scope", "task_parent"),
    # As JSON, because a query may hold characters that no text column can.
    retrieval_columns=("said",),
    pack_retrieval=lambda values: (json.dumps(values),),
    unpack_retrieval=lambda row: json.loads(row[0]),
    lock_chain="SELECT pg_advisory_xact_lock(hashtextextended(current_schema, 1))",
    empty_event=lambda db, key, scope, line: db.execute(
        "SELECT empty_event(?, ?, ?)", (key, scope, line)
    ),
)


class PostgresLedgerDatabase:
    """Transactions on the ledger's tables; row-level security holds each to what is visible."""

    dialect = POSTGRES_LEDGER

    def __init__(self, address: PostgresAddress) -> None:
        self._database = PostgresDatabase(address, LedgerUnavailable)

    def read(self, work: Callable[[LedgerConnection], T], *, visible: Visible = EVERYTHING) -> T:
        """Run a function in a transaction that sees visible rows only."""
        return self._database.run(lambda db: work(QuestionMarks(db)), visible=visible)

    def write(self, work: Callable[[LedgerConnection], T]) -> T:
        """Run a function in one transaction, again if the server went away meanwhile."""
        return self._database.run(lambda db: work(QuestionMarks(db)))

    def write_cheaply(self, work: Callable[[LedgerConnection], object]) -> None:
        """Run a function in a transaction that need not survive a crash of the server."""
        self._database.run(lambda db: work(QuestionMarks(db)), durable=False)

    def sweep(self) -> bool:
        """The server reuses the room of deleted rows at its next vacuum."""
        return True

    def close(self) -> None:
        """Let go of the connections."""
        self._database.close()


class PostgresLedger(SqlLedger):
    """The ledger of a book that many machines share."""

    def __init__(self, address: PostgresAddress, *, state: str, keep: int = KEEP) -> None:
        book = PostgresLedgerDatabase(address)
        device = SqliteLedgerDatabase(os.path.join(state, "ledger.db"), durable=False)
        super().__init__(book, book, device, location=address.url, keep=keep)
