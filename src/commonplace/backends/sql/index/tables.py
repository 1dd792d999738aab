"""The tables of an index, its conditions as SQL, and the parts that differ between databases."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from ....language.similarity import Statistics
from ....model.value import Value
from .values import epoch, folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    from ....model.scope import Visible
    from ....ports.search_index import Where

    Postings = dict[str, dict[int, float]]
    """How often each memory contains each word."""
    Places = dict[int, dict[str, dict[int, float]]]
    """For each long memory: how often each half of a window contains each word."""

    class SqlRows(Protocol):
        """The rows of a statement."""

        def fetchone(self) -> tuple[Any, ...] | None:
            """The next row."""
            ...

        def fetchall(self) -> list[tuple[Any, ...]]:
            """The remaining rows."""
            ...

        def __iter__(self) -> Iterator[tuple[Any, ...]]: ...

    class Tables(Protocol):
        """The tables of an index, inside a transaction."""

        external: bool
        """Whether vectors are stored in a vector engine instead of these tables."""
        seen: tuple[Visible, VisibleScopes] | None
        """The visible scopes, once they have been looked up in this transaction."""

        @property
        def dialect(self) -> Dialect:
            """The SQL that differs between databases."""
            ...

        def execute(self, query: str, values: Sequence[object] = ()) -> SqlRows:
            """Run a statement that has `?` for each value."""
            ...

        def execute_many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
            """Run a statement once for each row of values."""
            ...

        def frequencies(self, words: Sequence[str], seen: VisibleScopes) -> dict[str, int]:
            """How many visible memories contain each word."""
            ...

        def postings(self, words: Sequence[str], seen: VisibleScopes) -> tuple[Postings, Places]:
            """How often each visible memory contains each word; for long ones also where."""
            ...

        def rows_with_signatures(self, pairs: Collection[tuple[int, int]], most: int) -> set[int]:
            """The newest rows, `most` for each pair of a scope and a signature."""
            ...

        def nearest(self, query: VectorQuery, seen: VisibleScopes) -> dict[int, float]:
            """Cosines of the closest visible memories, and of the rows in `query.also`."""
            ...

        def passages(self, rows: Collection[int], model: int) -> list[tuple[int, bytes]]:
            """The passage vectors of these memories, end to end; left out where there are none."""
            ...

        def put_vectors(
            self, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
        ) -> None:
            """Store vectors in place of earlier ones; unless complete, the memories go on waiting.

            Rows that do not wait are passed over: the memory is gone, or another process was
            faster.
            """
            ...

        def queue_all(self, model: int) -> None:
            """Queue every memory for this model's vectors."""
            ...

        def drop_model(self, model: int) -> None:
            """Delete a model, its vectors and its queue."""
            ...


# Conditions as SQL over the table `memories`, called `m`.


_LISTS = (
    ("ids", "m.id"),
    ("kinds", "m.kind"),
    ("statuses", "m.status"),
    ("tiers", "m.tier"),
    ("owners", "m.owner"),
    ("sensitivities", "m.sensitivity"),
    ("trusts", "m.trust"),
    ("sources", "m.source"),
    ("episodes", "m.episode"),
    ("content_hashes", "m.content_hash"),
    ("keys", "m.key"),
    ("heirs_of", "m.supersedes"),
    ("replaced_by", "m.superseded_by"),
)
_EXACT = ("key", "namespace", "episode", "supersedes", "superseded_by", "imported_id")


class Dialect(Value):
    """The SQL that differs between databases, with `?` for a bound value."""

    one_of: str
    """Follows a column whose value must be in a list; the list is bound as one value."""
    rows: str
    """A FROM clause for the memories in such a list of rows, under the name `{}`."""
    ending: str
    """A condition: `path.value` ends in a slash and a name, which is bound twice."""
    document: str
    """The column with the whole memory."""
    documents: str
    """The join that adds this column to `m`."""
    bind: Callable[[Iterable[object]], object]
    """Turns a list into one bound value."""
    text: Callable[[str | None], str | None]
    """Replaces characters that the database does not take."""
    unpack: Callable[[bytes], bytes] = bytes
    """Turns the value of `document` into the memory's own bytes; raises ValueError on damage."""

    def named_rows(self, name: str = "m") -> str:
        """A FROM clause for the memories of some rows, which are bound."""
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


class VisibleScopes(Value):
    """The visible scopes by their numbers in this index."""

    everything: bool = False
    scopes: tuple[int, ...] = ()
    parents: tuple[int, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether no memory of this index can be visible."""
        return not (self.everything or self.scopes or self.parents)

    def condition(self, dialect: Dialect, *, first: bool = True) -> Condition:
        """Holds for visible memories.

        With `first` they may be looked up by their scopes. Otherwise they are compared (the plus
        is for the database's planner), because other conditions leave fewer memories.
        """
        if self.everything:
            return Condition("true")
        scopes = dialect.bind(self.scopes)
        own, parent = ("m.scope", "m.parent") if first else ("+m.scope", "+m.parent")
        if not self.parents:
            return Condition(f"{own} {dialect.one_of}", (scopes,))
        return Condition(
            f"({own} {dialect.one_of} OR {parent} {dialect.one_of})",
            (scopes, dialect.bind(self.parents)),
        )


def visible_scopes(tables: Tables, visible: Visible) -> VisibleScopes:
    """The visible scopes that this index has memories in."""
    if visible.everything:
        return VisibleScopes(everything=True)
    if tables.seen is not None and tables.seen[0] == visible:
        return tables.seen[1]
    known = tables.execute(
        "SELECT path, scope, parent, documents, EXISTS (SELECT 1 FROM scopes AS task"
        " WHERE task.parent = scopes.scope AND task.documents > 0)"
        f" FROM scopes WHERE path {tables.dialect.one_of}",
        (tables.dialect.bind(sorted(visible.scopes | visible.task_parents)),),
    ).fetchall()
    # Empty scopes are left out: each one costs a lookup for every word of a question.
    parents = tuple(
        scope for path, scope, _, _, tasks in known if tasks and path in visible.task_parents
    )
    # A task that is visible through its parent must not be counted twice.
    own = tuple(
        scope
        for path, scope, parent, documents, _ in known
        if documents and path in visible.scopes and parent not in parents
    )
    seen = VisibleScopes(scopes=own, parents=parents)
    tables.seen = visible, seen
    return seen


def statistics(tables: Tables, seen: VisibleScopes) -> Statistics:
    """The number of visible texts, and their total length."""
    query = "SELECT coalesce(sum(documents), 0), coalesce(sum(length), 0) FROM scopes"
    values: tuple[object, ...] = ()
    if not seen.everything:
        dialect = tables.dialect
        query = f"{query} WHERE scope {dialect.one_of} OR parent {dialect.one_of}"
        values = (dialect.bind(seen.scopes), dialect.bind(seen.parents))
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
    """Holds for memories with this name, or with a path that ends in it."""
    # Imported here, because an answer to a prompt asks for no name.
    from ....notes import wikilinks

    name = dialect.text(wikilinks.normalized_name(name)) or ""
    bearers = "SELECT memory FROM labels WHERE what = 'name' AND value = ?"
    if "/" not in name:
        return Condition(f"m.memory IN ({bearers})", (name,))
    return Condition(
        f"m.memory IN ({bearers} UNION SELECT path.memory FROM labels AS path"
        f" WHERE path.what = 'name' AND path.memory IN ({bearers}) AND {dialect.ending})",
        (name, wikilinks.last_part(name), name, name),
    )


def shown_as(dialect: Dialect, text: str) -> Condition:
    """Holds for memories without a name that are shown by this text."""
    from ....notes import wikilinks

    shown = dialect.text(wikilinks.normalized_name(text).rstrip(".")) or ""
    bearers = "SELECT memory FROM labels WHERE what = 'shown' AND value = ?"
    return Condition(f"m.memory IN ({bearers})", (shown,))


def _lists(dialect: Dialect, where: Where) -> Iterable[Condition]:
    for field, column in _LISTS:
        if (wanted := getattr(where, field)) is None:
            continue
        part = Condition(f"{column} {dialect.one_of}", (dialect.texts(wanted),))
        if field == "statuses" and where.standing:
            also = (*part.values, dialect.texts(where.standing))
            part = Condition(f"({part.sql} OR m.id {dialect.one_of})", also)
        yield part
    if where.not_ids is not None:
        yield Condition(f"NOT (m.id {dialect.one_of})", (dialect.texts(where.not_ids),))
    if where.not_kinds is not None:
        yield Condition(f"NOT (m.kind {dialect.one_of})", (dialect.texts(where.not_kinds),))
    if where.scopes is not None:
        scopes = f"SELECT scope FROM scopes WHERE path {dialect.one_of}"
        yield Condition(f"m.scope IN ({scopes})", (dialect.texts(where.scopes),))


def _values(dialect: Dialect, where: Where) -> Iterable[Condition]:
    for field in _EXACT:
        if (wanted := getattr(where, field)) is not None:
            yield Condition(f"m.{field} = ?", (dialect.text(wanted),))
    if where.id_end is not None:
        yield Condition("m.id LIKE ?", (f"%{where.id_end}",))
    if where.in_conversation is not None:
        yield Condition(f"m.episode IS {'NOT ' if where.in_conversation else ''}NULL")
    if where.keyed is not None:
        yield Condition(f"m.key IS {'NOT ' if where.keyed else ''}NULL")
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
    if where.branch is not None:
        yield Condition(
            "m.memory IN (SELECT memory FROM labels"
            f" WHERE what = 'branch' AND value {dialect.one_of})",
            (dialect.texts((where.branch, *where.former)),),
        )
    for mark in marks:
        yield Condition("m.memory IN (SELECT memory FROM labels WHERE what=? AND value=?)", mark)
    there = f"SELECT memory FROM labels WHERE what = 'learned' AND value {dialect.one_of}"
    if where.learned is not None:
        yield Condition(f"m.memory IN ({there})", (dialect.texts(where.learned),))
    if where.not_learned is not None:
        made = "SELECT 1 FROM labels WHERE labels.memory = m.memory AND what = 'origin'"
        yield Condition(
            f"(m.memory NOT IN ({there}) OR m.supersedes IS NOT NULL OR EXISTS ({made}))",
            (dialect.texts(where.not_learned),),
        )
    if where.tied is not None:
        places = "SELECT 1 FROM labels WHERE labels.memory = m.memory AND what = 'learned'"
        yield Condition(f"{'' if where.tied else 'NOT '}EXISTS ({places})")
    if where.tagged is not None:
        tags = "SELECT 1 FROM labels WHERE labels.memory = m.memory AND what = 'tag'"
        yield Condition(f"{'' if where.tagged else 'NOT '}EXISTS ({tags})")
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


class VectorQuery(Value):
    """The vector of a question, and which memories to compare with it."""

    vector: bytes
    model: int
    """The number of the model that made the vector."""
    also: Collection[int]
    """Rows whose cosine is wanted, whatever it is."""
    most: int
    """Number of the closest other rows to return."""
    least: float
    """Cosines up to this one do not count."""
