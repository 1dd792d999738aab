"""The tables of the index as PostgreSQL reads them: lists of words in a table, and its own SQL."""

from __future__ import annotations

from collections import Counter

from ...postgres.database import many
from .. import rows
from ..sql.conditions import Dialect
from ..sql.gathering import HEAD, IN_HEAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from ...postgres.database import Connection, Rows
    from ..sql.conditions import Reach
    from ..sql.gathering import Meant
    from ..sql.tables import Places, Postings

_SIGNED = """
SELECT found.memory FROM unnest(%s::integer[], %s::bigint[]) AS asked (scope, signature)
CROSS JOIN LATERAL (
  SELECT s.memory FROM signatures AS s
  WHERE s.scope = asked.scope AND s.signature = asked.signature
  ORDER BY s.memory DESC LIMIT %s
) AS found
"""


def fit(text: str | None) -> str | None:
    """Text that the server can hold: what it cannot becomes a question mark."""
    clean = rows.clean(text)
    return clean if clean is None else clean.replace("\0", "?")


DIALECT = Dialect(
    one_of="= ANY(?)",
    rows="(SELECT * FROM memories WHERE memory = ANY(?)) AS {}",
    ending="right(path.value, length(?::text) + 1) = '/' || ?::text",
    document="m.json",
    documents="",
    bind=list,
    text=fit,
)


class PostgresTables:
    """The tables of one book on a server."""

    dialect = DIALECT

    def __init__(self, db: Connection, *, exactly: int, vectors: bool) -> None:
        self.db = db
        self.exactly = exactly
        """So many visible vectors are compared one by one; among more, a graph is followed."""
        self.vectors = vectors
        """Whether there are tables for vectors."""

    def execute(self, query: str, values: Sequence[object] = ()) -> Rows:
        """Run a statement that has `?` for each value; the driver wants another mark."""
        return self.db.execute(query.replace("?", "%s"), values)

    def many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values."""
        many(self.db, query.replace("?", "%s"), rows)

    def frequencies(self, words: Sequence[str], seen: Reach) -> dict[str, int]:
        """How many visible memories contain each word."""
        counts: Counter[str] = Counter()
        for lists, values in _lists(words, seen):
            query = f"SELECT p.term, count(*) {lists} GROUP BY 1"
            for term, count in self.db.execute(query, values):
                counts[term] += count
        return {word: counts[fit(word) or ""] for word in words}

    def postings(self, words: Sequence[str], seen: Reach) -> tuple[Postings, Places]:
        """How often each visible memory says each word; for long ones also where."""
        # In the order of the question, so that sums of scores come out the same everywhere.
        postings: Postings = {word: {} for word in words}
        places: Places = {}
        written = {fit(word): word for word in words}
        for lists, values in _lists(words, seen):
            query = f"SELECT p.term, p.memory, p.head, p.body, p.halves {lists}"
            for term, memory, head, body, halves in self.db.execute(query, values):
                word = written[term]
                postings[word][memory] = head * HEAD + body
                if halves is not None:
                    said: dict[int, float] = {IN_HEAD: head * HEAD} if head else {}
                    places.setdefault(memory, {})[word] = said | Counter(halves)
        return postings, places

    def signed(self, asked: Collection[tuple[int, int]], most: int) -> set[int]:
        """The newest so many rows with each of these signatures, each given with its scope."""
        scopes, signatures = map(list, zip(*asked, strict=True))
        return {row for (row,) in self.db.execute(_SIGNED, (scopes, signatures, most))}

    def nearest(self, meant: Meant, seen: Reach) -> dict[int, float]:
        """Cosines of the visible memories closest in meaning, and of those asked for besides."""
        from .vectors import nearest

        return nearest(self, meant, seen)

    def passages(self, rows: Collection[int], model: int) -> list[tuple[int, bytes]]:
        """The vectors of these memories' passages, end to end; nothing for one without any."""
        stored = self.db.execute(
            "SELECT memory, passages FROM memory_vectors"
            " WHERE memory = ANY(%s) AND model = %s AND passages IS NOT NULL",
            (list(rows), model),
        )
        return [(row, bytes(passages)) for row, passages in stored]

    def put_vectors(
        self, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
    ) -> None:
        """Keep the vectors of memories that wait for them; unless complete, more follow."""
        from .vectors import put

        put(self, vectors, model, complete=complete)

    def line_up(self, model: int) -> None:
        """Let every memory wait for this model's vectors."""
        self.db.execute("INSERT INTO unembedded SELECT memory, %s, scope FROM memories", (model,))

    def drop_model(self, model: int) -> None:
        """Forget a model, its vectors and who waits for them."""
        from .vectors import drop

        drop(self.db, model)


def _lists(words: Sequence[str], seen: Reach) -> Iterable[tuple[str, tuple[object, ...]]]:
    """The lists to read: of the visible scopes, and of the tasks of others."""
    terms = list(map(fit, words))
    if seen.everything:
        # Named one by one, because there are lists only by scope.
        every = "p.scope IN (SELECT scope FROM scopes WHERE documents > 0)"
        yield f"FROM postings AS p WHERE {every} AND p.term = ANY(%s)", (terms,)
    if seen.scopes:
        own = "FROM postings AS p WHERE p.scope = ANY(%s) AND p.term = ANY(%s)"
        yield own, (list(seen.scopes), terms)
    if seen.parents:
        tasks = "FROM postings AS p WHERE p.parent = ANY(%s) AND p.term = ANY(%s)"
        yield tasks, (list(seen.parents), terms)
