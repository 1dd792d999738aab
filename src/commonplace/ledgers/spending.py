"""What models were asked on this device and what that cost: numbers and hashes, never a text."""

from __future__ import annotations

from ..results import Spend, Spent
from ..rules.codec import iso, moment
from ..rules.identity import content_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from ..sqlite import Database
    from .database import LedgerDatabase

_SCHEMA = """
CREATE TABLE IF NOT EXISTS spend(
  number INTEGER PRIMARY KEY, at TEXT NOT NULL, operation TEXT NOT NULL, model TEXT NOT NULL,
  subject TEXT NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
  cost REAL NOT NULL, failure TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS spend_by_time ON spend(at);
"""
_WHERE = "FROM spend WHERE at >= :since AND (:subject IS NULL OR subject = :subject)"
_SUMS = (
    "SELECT count(*), total(input_tokens), total(output_tokens), total(cost),"
    f" total(failure <> '') {_WHERE}"
)
_EVERY = (
    "SELECT at, operation, model, subject, input_tokens, output_tokens, cost, failure FROM spend"
    " ORDER BY number"
)
_LAST = f"SELECT failure {_WHERE} ORDER BY number DESC LIMIT 1"


class Spending:
    """The record of questions to models. Its table is made when it is first needed."""

    def __init__(self, database: LedgerDatabase) -> None:
        self._database = database

    def record(self, spend: Spend) -> None:
        """Remember one question; unlike a use, it is never left out, since a cap depends on it."""
        row = (
            iso(spend.at),
            spend.operation,
            spend.model,
            spend.subject,
            spend.input_tokens,
            spend.output_tokens,
            spend.cost,
            spend.failure,
        )
        with self._database.writing() as db:
            db.execute(_SCHEMA)
            db.execute("INSERT INTO spend VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def spent(self, since: datetime | None, subject: str | None) -> Spent:
        """The sum of what was spent since a moment, on one subject or on all."""
        values = {"since": "" if since is None else iso(since), "subject": subject}
        with self._database.reading() as db:
            if not _known(db):
                return Spent()
            rows = db.execute(_SUMS, values).fetchall()
            last = db.execute(_LAST, values).fetchone()
        asked, tokens_in, tokens_out, cost, failed = rows[0]
        failure = last[0] if last else ""
        return Spent(asked, int(tokens_in), int(tokens_out), cost, int(failed), failure)

    def every(self) -> list[Spend]:
        """Each question, in order."""
        with self._database.reading() as db:
            rows = db.execute(_EVERY).fetchall() if _known(db) else []
        return [Spend(moment(at), *rest) for at, *rest in rows]

    def scrub(self, ids: Collection[str], texts: Collection[str]) -> None:
        """Forget which purged memories were asked about; what it cost stays."""
        subjects = [(subject,) for subject in {*ids, *map(content_hash, texts)}]
        with self._database.writing() as db:
            if _known(db):
                db.executemany("UPDATE spend SET subject='' WHERE subject=?", subjects)


def _known(db: Database) -> bool:
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name='spend'").fetchone())
