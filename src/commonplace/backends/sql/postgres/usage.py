"""What recalls and models left behind on a server: uses, the last questions, and what they cost."""

from __future__ import annotations

import json

from ....model.codec import iso, moment
from ....model.errors import BadScope
from ....model.identity import content_hash, normalized
from ....model.memory import Retrieval, Use
from ....model.results import Spend, Spent
from ....model.scope import Scope
from ...common.ledger.usage import KEEP, tells
from .database import many, seen_by, storable, task_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from ....model.scope import Tenant, Visible
    from .database import PostgresConnection, PostgresDatabase

SWEEP_EVERY = 64
"""The log is cut to its size once in so many questions."""
_USE = """
INSERT INTO uses VALUES (%s, 1, %s) ON CONFLICT (memory)
DO UPDATE SET count = uses.count + 1, last = greatest(uses.last, excluded.last)
"""
_SET_USE = """
INSERT INTO uses VALUES (%s, %s, %s) ON CONFLICT (memory)
DO UPDATE SET count = excluded.count, last = excluded.last
"""
_WHERE = "FROM spend WHERE at >= %(since)s AND (%(subject)s::text IS NULL OR subject = %(subject)s)"
_SUMS = (
    "SELECT count(*), coalesce(sum(input_tokens), 0)::bigint,"
    " coalesce(sum(output_tokens), 0)::bigint, coalesce(sum(cost), 0),"
    f" count(*) FILTER (WHERE failure <> '') {_WHERE}"
)
_LAST = f"SELECT failure {_WHERE} ORDER BY number DESC LIMIT 1"


class PostgresUsage:
    """Counters, the retrieval log and the record of spending, shared by all of a book's servers."""

    def __init__(self, database: PostgresDatabase, *, keep: int = KEEP) -> None:
        self._database = database
        self._keep = keep

    def count_use(self, ids: Collection[str], *, at: datetime) -> None:
        """Count one recall of each memory."""
        # In one order for all, so that two that count the same memories never wait for each other.
        rows = [(id, iso(at)) for id in sorted(set(storable(ids)))]
        self._database.run(lambda db: many(db, _USE, rows), durable=False)

    def uses(self, ids: Collection[str]) -> dict[str, Use]:
        """How often each memory was recalled."""
        rows = self._database.run(
            lambda db: db.execute(
                "SELECT memory, count, last FROM uses WHERE memory = ANY(%s)", (storable(ids),)
            ).fetchall()
        )
        return {id: Use() for id in ids} | {id: Use(n, moment(last)) for id, n, last in rows}

    def all_uses(self) -> dict[str, Use]:
        """Every counter there is."""
        rows = self._database.run(
            lambda db: db.execute("SELECT memory, count, last FROM uses").fetchall()
        )
        return {id: Use(count, moment(last)) for id, count, last in rows}

    def set_uses(self, uses: Mapping[str, Use]) -> None:
        """Take over counters that another ledger kept."""
        rows = [(id, use.count, iso(use.last)) for id, use in sorted(uses.items()) if use.last]
        self._database.run(lambda db: many(db, _SET_USE, rows))

    def log(self, retrieval: Retrieval) -> None:
        """Remember what was asked and answered, and let go of the oldest."""
        if self._keep <= 0:
            return
        said = json.dumps([
            retrieval.id, iso(retrieval.at), _text(retrieval.query), retrieval.results,
            _text(retrieval.details),
        ])  # fmt: skip
        row = (retrieval.scope, _parent(retrieval.scope), said)

        def write(db: PostgresConnection) -> None:
            number = db.execute(
                "INSERT INTO retrievals(scope, task_parent, said) VALUES (%s, %s, %s)"
                " RETURNING number",
                row,
            ).fetchall()[0][0]
            if number % min(SWEEP_EVERY, self._keep) == 0:
                db.execute("DELETE FROM retrievals WHERE number <= %s", (number - self._keep,))

        self._database.run(write, durable=False)

    def retrievals(self, *, visible: Visible, limit: int) -> list[Retrieval]:
        """Logged recalls, newest first."""
        condition, values = seen_by(visible)
        query = (
            f"SELECT scope, said FROM retrievals WHERE {condition} AND number >"  # noqa: S608
            " (SELECT coalesce(max(number), 0) FROM retrievals) - %(keep)s"
            " ORDER BY number DESC LIMIT %(limit)s"
        )
        rows = self._database.run(
            lambda db: db.execute(
                query, {**values, "keep": self._keep, "limit": max(limit, 0)}
            ).fetchall(),
            visible=visible,
        )
        return [_retrieval(scope, said) for scope, said in rows]

    def record_spend(self, spend: Spend) -> None:
        """Remember one question to a model."""
        row = (
            iso(spend.at), spend.operation, spend.model, _plain(spend.subject),
            spend.input_tokens, spend.output_tokens, spend.cost, _plain(spend.failure),
        )  # fmt: skip
        columns = "at, operation, model, subject, input_tokens, output_tokens, cost, failure"
        query = f"INSERT INTO spend({columns}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"  # noqa: S608
        self._database.run(lambda db: db.execute(query, row))

    def spent(self, since: datetime | None, subject: str | None) -> Spent:
        """The sum of what was spent since a moment, on one subject or on all."""
        values = {"since": "" if since is None else iso(since), "subject": subject}

        def read(db: PostgresConnection) -> Spent:
            sums = db.execute(_SUMS, values).fetchall()[0]
            last = db.execute(_LAST, values).fetchone()
            asked, tokens_in, tokens_out, cost, failed = sums
            return Spent(asked, tokens_in, tokens_out, cost, failed, last[0] if last else "")

        return self._database.run(read)

    def spends(self) -> list[Spend]:
        """Each question to a model, in order."""
        query = (
            "SELECT at, operation, model, subject, input_tokens, output_tokens, cost, failure"
            " FROM spend ORDER BY number"
        )
        rows = self._database.run(lambda db: db.execute(query).fetchall())
        return [Spend(moment(at), *rest) for at, *rest in rows]

    def scrub(
        self, ids: Collection[str], texts: Collection[str], *, within: Tenant | None = None
    ) -> None:
        """Remove purged memories, and every question that returned them or tells their text."""
        gone = frozenset(ids)
        told = [text for text in map(normalized, texts) if text]
        subjects = storable({*ids, *map(content_hash, texts)})

        def work(db: PostgresConnection) -> None:
            db.execute("DELETE FROM uses WHERE memory = ANY(%s)", (storable(gone),))
            db.execute("UPDATE spend SET subject = '' WHERE subject = ANY(%s)", (subjects,))
            doomed: list[int] = []
            for number, scope, said in db.execute(
                "SELECT number, scope, said FROM retrievals"
            ).fetchall():
                one = _retrieval(scope, said)
                found = any(id in gone for id, _ in one.results)
                heard = within is None or within.has(scope)
                if found or (heard and tells(one.query, one.details, told)):
                    doomed.append(number)
            db.execute("DELETE FROM retrievals WHERE number = ANY(%s)", (doomed,))

        self._database.run(work)


def _retrieval(scope: str, said: str) -> Retrieval:
    id, at, query, results, details = json.loads(said)
    scores = tuple((memory, score) for memory, score in results)
    return Retrieval(id, moment(at), query, scope, scores, details)


def _text(given: str) -> str:
    """Text that is Unicode, whatever a caller typed."""
    return given.encode("utf-8", "replace").decode()


def _plain(given: str) -> str:
    return _text(given).replace("\0", "?")


def _parent(scope: str) -> str | None:
    try:
        return task_parent(Scope.parse(scope))
    except BadScope:
        return None
