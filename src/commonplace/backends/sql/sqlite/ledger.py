"""The ledger of a one-file book: its events in that file, counters and logs beside the index."""

from __future__ import annotations

import os

from ...common.ledger import event_table, table_ledger
from ...common.ledger.database import SqliteLedgerDatabase
from ..ledger import SqlLedger


class SqliteLedger(SqlLedger):
    """The ledger of a book that is one SQLite file.

    Events and tombstones go where the book goes; uses, recalls and spending stay on the device.
    """

    def __init__(self, path: str, *, state: str, keep: int = table_ledger.KEEP) -> None:
        book = SqliteLedgerDatabase(path, durable=True)
        try:
            device = SqliteLedgerDatabase(os.path.join(state, "ledger.db"), durable=False)
        except BaseException:
            book.close()
            raise
        book.add_tables(event_table.SCHEMA)
        device.add_tables(table_ledger.SCHEMA)
        super().__init__(book, device, device, location=os.path.basename(path), keep=keep)
