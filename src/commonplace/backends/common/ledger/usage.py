"""What recalls left behind on this device: how often each memory was used, and the last queries."""

from __future__ import annotations

import json
import re

import apsw

from ....model.codec import iso, moment
from ....model.errors import BadScope, Busy
from ....model.identity import content_hash, normalized
from ....model.memory import Retrieval, Use
from ....model.results import Spend, Spent
from ....model.scope import Scope
from ..sqlite import BUSY_TIMEOUT_S, be_patient, of_tenant, seen_by, task_parent, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import datetime
    from typing import Any

    from ....model.scope import Tenant, Visible
    from ..sqlite import SqliteConnection
    from .event_table import LedgerDatabase


KEEP = 10_000
"""How many recalls are remembered."""
PATIENCE_S = 0.05
"""How long a recall may be held up by its own bookkeeping."""
TELLING_CHARACTERS = 20
"""A query this long that is part of a purged text gives that text away."""
PLAIN_CHARACTERS = 6
"""Anything shorter, and any one word, is said in so many queries that it gives nothing away."""
_WITHOUT_SPACES = "\u0e00"
"""From here on most scripts are written without spaces, and a few characters are a sentence."""
PLAIN_SIGNS = 5

_JSON_TEXT = r'"(?:[^"\\]|\\.)*"'

SCHEMA = """
CREATE TABLE IF NOT EXISTS uses(
  memory TEXT PRIMARY KEY, count INTEGER NOT NULL, last TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS retrievals(
  number INTEGER PRIMARY KEY, id TEXT NOT NULL, at TEXT NOT NULL, query TEXT NOT NULL,
  scope TEXT NOT NULL, task_parent TEXT, results TEXT NOT NULL, details TEXT NOT NULL
);
"""


class Usage:
    """Counters and the retrieval log.

    Bookkeeping never holds a recall up: when another process keeps the file for longer than a
    moment, that use goes uncounted and that recall unlogged.
    """

    def __init__(self, database: LedgerDatabase, *, keep: int = KEEP) -> None:
        self._database = database
        self._keep = keep
        database.add_tables(SCHEMA)

    @property
    def database(self) -> LedgerDatabase:
        """The device-local file that all of this is in."""
        return self._database

    def count_use(self, ids: Collection[str], *, at: datetime) -> None:
        """Count one recall of each memory."""
        when = iso(at)
        self._briefly(
            lambda db: db.executemany(
                "INSERT INTO uses VALUES(?1, 1, ?2) ON CONFLICT(memory)"
                " DO UPDATE SET count=count+1, last=max(last, excluded.last)",
                [(id, when) for id in dict.fromkeys(ids)],
            )
        )

    def uses(self, ids: Collection[str]) -> dict[str, Use]:
        """How often each memory was recalled."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT memory, count, last FROM uses"
                " WHERE memory IN (SELECT value FROM json_each(?))",
                (json.dumps(list(ids)),),
            ).fetchall()
        return {id: Use() for id in ids} | {id: Use(n, moment(last)) for id, n, last in rows}

    def all_uses(self) -> dict[str, Use]:
        """Every counter there is."""
        with self._database.reading() as db:
            rows = db.execute("SELECT memory, count, last FROM uses").fetchall()
        return {id: Use(count, moment(last)) for id, count, last in rows}

    def set_uses(self, uses: Mapping[str, Use]) -> None:
        """Take over counters that another ledger kept."""
        with self._database.writing() as db:
            db.executemany(
                "INSERT OR REPLACE INTO uses VALUES(?, ?, ?)",
                [(id, use.count, iso(use.last)) for id, use in uses.items() if use.last],
            )

    def wipe(self, tenant: Tenant) -> None:
        """Remove every question that a tenant asked."""
        condition, values = of_tenant(tenant)
        with self._database.writing() as db:
            db.execute(f"DELETE FROM retrievals WHERE {condition}", values)  # noqa: S608
        self._sweep()

    def log(self, retrieval: Retrieval) -> None:
        """Remember what was asked and answered, and let go of the oldest."""
        if self._keep <= 0:
            return
        row = (
            retrieval.id,
            iso(retrieval.at),
            _text(retrieval.query),
            retrieval.scope,
            _parent(retrieval.scope),
            json.dumps(retrieval.results),
            _text(retrieval.details),
        )

        def write(db: SqliteConnection) -> None:
            db.execute("INSERT INTO retrievals VALUES(NULL, ?, ?, ?, ?, ?, ?, ?)", row)
            oldest = db.last_insert_rowid() - self._keep
            db.execute("DELETE FROM retrievals WHERE number <= ?", (oldest,))

        self._briefly(write)

    def retrievals(self, *, visible: Visible, limit: int) -> list[Retrieval]:
        """Logged recalls, newest first."""
        condition, values = seen_by(visible)
        with self._database.reading() as db:
            rows = db.execute(
                f"""
                SELECT id, at, query, scope, results, details FROM retrievals
                WHERE {condition} ORDER BY number DESC LIMIT :limit
                """,  # noqa: S608 (the condition is ours)
                {**values, "limit": max(limit, 0)},
            ).fetchall()
        return [
            Retrieval(id, moment(at), query, scope, _results(results), details)
            for id, at, query, scope, results, details in rows
        ]

    def scrub(
        self, ids: Collection[str], texts: Collection[str], *, within: Tenant | None = None
    ) -> None:
        """Remove purged memories, and every query that returned them or tells their text."""
        gone = frozenset(ids)
        said = [text for text in map(normalized, texts) if text]
        with self._database.writing() as db:
            db.executemany("DELETE FROM uses WHERE memory=?", [(id,) for id in gone])
            doomed = [
                (number,)
                for number, scope, query, results, details in db.execute(
                    "SELECT number, scope, query, results, details FROM retrievals"
                ).fetchall()
                if any(id in gone for id, _ in _results(results))
                or ((within is None or within.has(scope)) and tells(query, details, said))
            ]
            db.executemany("DELETE FROM retrievals WHERE number=?", doomed)
        self._sweep()

    def _sweep(self) -> None:
        if not self._database.sweep():
            raise Busy(
                "The queries are deleted, but a long read of the ledger kept them in its log.",
                hint="It goes when every process that has the book open has closed it.",
            )

    def _briefly(self, write: Callable[[SqliteConnection], object]) -> None:
        """Write if that is possible at once."""
        lock = self._database.lock
        if not lock.acquire(timeout=PATIENCE_S):
            return
        try:
            with self._database.reading() as db:
                be_patient(db, PATIENCE_S)
                try:
                    with transaction(db):
                        write(db)
                except (apsw.BusyError, apsw.LockedError):
                    return
                finally:
                    be_patient(db, BUSY_TIMEOUT_S)
        finally:
            lock.release()


def tells(query: str, details: str, texts: list[str]) -> bool:
    """Whether a logged recall gives one of these normalized texts away."""
    asked, beside = normalized(query), [normalized(text) for text in _texts_in(details)]
    return any(
        text == asked
        or (len(asked) >= TELLING_CHARACTERS and asked in text)
        or any(text in said and _quotes(said, text) for said in (asked, *beside))
        for text in texts
    )


def _quotes(said: str, text: str) -> bool:
    """Whether somebody who says this quotes a text, and does not only use a word of it."""
    signs = sum(letter >= _WITHOUT_SPACES for letter in text)
    long = len(text) >= TELLING_CHARACTERS or signs >= PLAIN_SIGNS
    if not long and (len(text) < PLAIN_CHARACTERS or text.isalpha()):
        return False
    starts = (found.start() for found in re.finditer(re.escape(text), said))
    return any(
        not _goes_on(said[max(start - 1, 0) : start + 1])
        and not _goes_on(said[start + len(text) - 1 : start + len(text) + 1])
        for start in starts
    )


def _goes_on(pair: str) -> bool:
    """Whether two characters belong to one word."""
    return len(pair) == 2 and pair.isalnum() and max(pair) < _WITHOUT_SPACES


def _texts_in(details: str) -> list[str]:
    """The texts in some JSON, without its syntax; what is no JSON is a text itself."""
    try:
        json.loads(details)
    except ValueError:
        return [details]
    return [json.loads(text) for text in re.findall(_JSON_TEXT, details)]


def _results(text: str) -> tuple[tuple[str, float], ...]:
    read: list[list[Any]] = json.loads(text)
    return tuple((id, score) for id, score in read)


def _text(given: str) -> str:
    """Text that SQLite can hold, whatever a caller typed."""
    return given.encode("utf-8", "replace").decode()


def _parent(scope: str) -> str | None:
    try:
        return task_parent(Scope.parse(scope))
    except BadScope:
        return None


# What models were asked on this device and what that cost: numbers and hashes, never a text.


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


def _known(db: SqliteConnection) -> bool:
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name='spend'").fetchone())
