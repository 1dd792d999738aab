"""What a database engine brings for an index in its tables; all the rest is written once."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from ....language.similarity import Statistics
from ....model.value import Value
from ....notes import wikilinks
from .rows import epoch, folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from ....model.scope import Visible
    from ....ports.search_index import Where


if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    Postings = dict[str, dict[int, float]]
    """How often each memory says each word."""
    Places = dict[int, dict[str, dict[int, float]]]
    """For each long memory, how often each half stretch of it says each word: see `bm25`."""
else:
    Protocol = object


class SqlRows(Protocol):
    """What a statement gives."""

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row."""
        ...

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The remaining rows."""
        ...

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...


class Tables(Protocol):
    """The tables of an index, inside a transaction."""

    @property
    def dialect(self) -> Dialect:
        """What this engine writes in its own way."""
        ...

    def execute(self, query: str, values: Sequence[object] = ()) -> SqlRows:
        """Run a statement that has `?` for each value."""
        ...

    def many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values."""
        ...

    def frequencies(self, words: Sequence[str], seen: Reach) -> dict[str, int]:
        """How many visible memories contain each word."""
        ...

    def postings(self, words: Sequence[str], seen: Reach) -> tuple[Postings, Places]:
        """How often each visible memory says each word, in this order; for long ones also where."""
        ...

    def signed(self, asked: Collection[tuple[int, int]], most: int) -> set[int]:
        """The newest so many rows with each of these signatures, each given with its scope."""
        ...

    def nearest(self, meant: VectorMatches, seen: Reach) -> dict[int, float]:
        """Cosines of the visible memories closest in meaning, and of those asked for besides."""
        ...

    def passages(self, rows: Collection[int], model: int) -> list[tuple[int, bytes]]:
        """The vectors of these memories' passages, end to end; nothing for one without any."""
        ...

    def put_vectors(
        self, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
    ) -> None:
        """Keep the vectors of memories, in place of those they had; unless complete, more follow.

        Only of those in line: a row that is not is either gone, or somebody else gave it all it
        needs.
        """
        ...

    def line_up(self, model: int) -> None:
        """Let every memory wait for this model's vectors."""
        ...

    def drop_model(self, model: int) -> None:
        """Forget a model, its vectors and who waits for them."""
        ...


# What a caller may see and asks for, as SQL over the table `memories` (called `m`).


_LISTS = (
    ("ids", "m.id"),
    ("kinds", "m.kind"),
    ("statuses", "m.status"),
    ("tiers", "m.tier"),
    ("owners", "m.owner"),
    ("sensitivities", "m.sensitivity"),
    ("trusts", "m.trust"),
    ("episodes", "m.episode"),
    ("content_hashes", "m.content_hash"),
)
_EXACT = ("key", "namespace", "episode", "supersedes", "superseded_by", "imported_id")


class Dialect(Value):
    """What an engine writes in its own way, with `?` for a value that is bound."""

    one_of: str
    """Follows a column whose value must be in a list; the list is bound as one value."""
    rows: str
    """Those memories of a FROM clause whose rows are in such a list, under the name `{}`."""
    ending: str
    """Holds for a `path.value` that ends in a slash and a name; the name is bound twice."""
    document: str
    """The column with the whole memory."""
    documents: str
    """What a FROM clause with `m` needs besides to have that column."""
    bind: Callable[[Iterable[object]], object]
    """Makes a list one value."""
    text: Callable[[str | None], str | None]
    """A text as this engine can hold it."""

    def named_rows(self, name: str = "m") -> str:
        """The memories of some rows, as a part of a FROM clause; the rows are bound."""
        return self.rows.format(name)

    def texts(self, texts: Iterable[str | None]) -> object:
        """Texts as one value."""
        return self.bind(map(self.text, texts))


class Condition(Value):
    """A piece of a WHERE clause and the values for its question marks."""

    sql: str
    values: tuple[object, ...] = ()

    def __and__(self, other: Condition) -> Condition:
        return Condition(f"{self.sql} AND {other.sql}", self.values + other.values)


class Reach(Value):
    """The visible scopes by their numbers in this index."""

    everything: bool = False
    scopes: tuple[int, ...] = ()
    parents: tuple[int, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether no memory of this index can be visible."""
        return not (self.everything or self.scopes or self.parents)

    def condition(self, dialect: Dialect) -> Condition:
        """Holds for visible memories."""
        if self.everything:
            return Condition("true")
        scopes = dialect.bind(self.scopes)
        if not self.parents:
            return Condition(f"m.scope {dialect.one_of}", (scopes,))
        return Condition(
            f"(m.scope {dialect.one_of} OR m.parent {dialect.one_of})",
            (scopes, dialect.bind(self.parents)),
        )


def reach(tables: Tables, visible: Visible) -> Reach:
    """Which of this index's scopes are visible."""
    if visible.everything:
        return Reach(everything=True)
    known = tables.execute(
        "SELECT path, scope, parent, documents, EXISTS (SELECT 1 FROM scopes AS task"
        " WHERE task.parent = scopes.scope AND task.documents > 0)"
        f" FROM scopes WHERE path {tables.dialect.one_of}",
        (tables.dialect.bind(sorted(visible.scopes | visible.task_parents)),),
    ).fetchall()
    # Empty scopes are left out, since every one costs a look at each word of a question.
    parents = tuple(
        scope for path, scope, _, _, tasks in known if tasks and path in visible.task_parents
    )
    # A task that is visible through its parent must not be counted again for itself.
    own = tuple(
        scope
        for path, scope, parent, documents, _ in known
        if documents and path in visible.scopes and parent not in parents
    )
    return Reach(scopes=own, parents=parents)


def statistics(tables: Tables, reach: Reach) -> Statistics:
    """How many texts are visible, and how long they are together."""
    query = "SELECT coalesce(sum(documents), 0), coalesce(sum(length), 0) FROM scopes"
    values: tuple[object, ...] = ()
    if not reach.everything:
        dialect = tables.dialect
        query = f"{query} WHERE scope {dialect.one_of} OR parent {dialect.one_of}"
        values = (dialect.bind(reach.scopes), dialect.bind(reach.parents))
    [(documents, length)] = tables.execute(query, values).fetchall()
    return Statistics(int(documents), int(length))


def condition(dialect: Dialect, where: Where, *, any_topic: bool = False) -> Condition:
    """Holds for memories that meet every condition that is set.

    With `any_topic` a memory without a topic belongs to every topic.
    """
    whole = Condition("true")
    for conditions in (_lists, _values, _labels, _times):
        for part in conditions(dialect, where):
            whole &= part
    if where.topics is not None:
        wanted = dialect.texts(folded(topic) for topic in where.topics)
        either = " OR m.topic IS NULL" if any_topic else ""
        whole &= Condition(f"(m.topic {dialect.one_of}{either})", (wanted,))
    return whole


def named(dialect: Dialect, name: str) -> Condition:
    """Holds for memories that a link could call so: by a name, or by the end of a path."""
    name = dialect.text(wikilinks.normalized(name)) or ""
    bearers = "SELECT memory FROM labels WHERE what = 'name' AND value = ?"
    if "/" not in name:
        return Condition(f"m.memory IN ({bearers})", (name,))
    return Condition(
        f"m.memory IN ({bearers} UNION SELECT path.memory FROM labels AS path"
        f" WHERE path.what = 'name' AND path.memory IN ({bearers}) AND {dialect.ending})",
        (name, wikilinks.last_part(name), name, name),
    )


def _lists(dialect: Dialect, where: Where) -> Iterable[Condition]:
    for field, column in _LISTS:
        if (wanted := getattr(where, field)) is not None:
            yield Condition(f"{column} {dialect.one_of}", (dialect.texts(wanted),))
    if where.scopes is not None:
        scopes = f"SELECT scope FROM scopes WHERE path {dialect.one_of}"
        yield Condition(f"m.scope IN ({scopes})", (dialect.texts(where.scopes),))


def _values(dialect: Dialect, where: Where) -> Iterable[Condition]:
    for field in _EXACT:
        if (wanted := getattr(where, field)) is not None:
            yield Condition(f"m.{field} = ?", (dialect.text(wanted),))
    if where.in_conversation is not None:
        yield Condition(f"m.episode IS {'NOT ' if where.in_conversation else ''}NULL")
    if where.superseding is not None:
        yield Condition(f"m.supersedes IS {'NOT ' if where.superseding else ''}NULL")
    if where.position_from is not None:
        yield Condition("m.position >= ?", (where.position_from,))
    if where.position_until is not None:
        yield Condition("m.position <= ?", (where.position_until,))
    if where.always_load is not None:
        yield Condition("m.always_load" if where.always_load else "NOT m.always_load")


def _labels(dialect: Dialect, where: Where) -> Iterable[Condition]:
    marks = [("tag", dialect.text(folded(tag))) for tag in where.tags or ()]
    if where.derived_from is not None:
        marks.append(("origin", dialect.text(where.derived_from)))
    for mark in marks:
        yield Condition("m.memory IN (SELECT memory FROM labels WHERE what=? AND value=?)", mark)
    if where.name is not None:
        yield named(dialect, where.name)


def _times(_: Dialect, where: Where) -> Iterable[Condition]:
    if where.created_from is not None:
        yield Condition("m.created >= ?", (epoch(where.created_from),))
    if where.created_until is not None:
        yield Condition("m.created < ?", (epoch(where.created_until),))
    if where.valid_at is not None:
        at = epoch(where.valid_at)
        yield Condition(
            "(m.valid_from IS NULL OR m.valid_from <= ?)"
            " AND (m.valid_until IS NULL OR m.valid_until > ?)"
            " AND (m.expires IS NULL OR m.expires > ?)",
            (at, at, at),
        )


class VectorMatches(Value):
    """What a question means, and which memories to compare with that."""

    vector: bytes
    model: int
    """The number of the model that made the vector."""
    also: Collection[int]
    """The rows of memories whose cosine is wanted whatever it is."""
    most: int
    """So many of the others, the closest."""
    least: float
    """Only those whose cosine is above this."""
