"""What a caller may see and asks for, as SQL over the table `memories` (called `m`)."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from ...rules import wikilinks
from ...rules.bm25 import Statistics
from ...value import Value
from ..sqlite import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...ports import Where
    from ...postgres.database import Connection
    from ...scope import Visible

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
_EXACT = ("key", "namespace", "episode", "supersedes", "imported_id")


class Condition(Value):
    """A piece of a WHERE clause and the values for its places."""

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

    def condition(self, table: str = "m") -> Condition:
        """Holds for visible rows of a table with the columns `scope` and `parent`."""
        if self.everything:
            return Condition("true")
        if not self.parents:
            return Condition(f"{table}.scope = ANY(%s)", (list(self.scopes),))
        return Condition(
            f"({table}.scope = ANY(%s) OR {table}.parent = ANY(%s))",
            (list(self.scopes), list(self.parents)),
        )


def reach(db: Connection, visible: Visible) -> Reach:
    """Which of this index's scopes are visible."""
    if visible.everything:
        return Reach(everything=True)
    known = db.execute(
        "SELECT path, scope, parent, documents, EXISTS (SELECT 1 FROM scopes AS task"
        " WHERE task.parent = scopes.scope AND task.documents > 0)"
        " FROM scopes WHERE path = ANY(%s)",
        (sorted(visible.scopes | visible.task_parents),),
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


def statistics(db: Connection, reach: Reach) -> Statistics:
    """How many texts are visible, and how long they are together."""
    wanted = reach.condition("scopes")
    documents, length = db.execute(
        "SELECT coalesce(sum(documents), 0)::bigint, coalesce(sum(length), 0)::bigint FROM scopes"
        f" WHERE {wanted.sql}",
        wanted.values,
    ).fetchall()[0]
    return Statistics(documents, length)


def condition(where: Where, *, any_topic: bool = False) -> Condition:
    """Holds for memories that meet every condition that is set.

    With `any_topic` a memory without a topic belongs to every topic.
    """
    parts = [*_lists(where), *_values(where), *_labels(where), *_times(where)]
    if where.topics is not None:
        wanted = fitting(rows.folded(topic) for topic in where.topics)
        either = " OR m.topic IS NULL" if any_topic else ""
        parts.append(Condition(f"(m.topic = ANY(%s){either})", (wanted,)))
    whole = Condition("true")
    for part in parts:
        whole &= part
    return whole


def named(name: str) -> Condition:
    """Holds for memories that a link could call so: by a name, or by the end of a path."""
    name = fit(wikilinks.normalized(name)) or ""
    bearers = "SELECT memory FROM labels WHERE what = 'name' AND value = %s"
    if "/" not in name:
        return Condition(f"m.memory IN ({bearers})", (name,))
    return Condition(
        f"m.memory IN ({bearers} UNION SELECT path.memory FROM labels AS path"
        f" WHERE path.what = 'name' AND path.memory IN ({bearers})"
        " AND right(path.value, length(%s::text) + 1) = '/' || %s::text)",
        (name, wikilinks.last_part(name), name, name),
    )


def fit(text: str | None) -> str | None:
    """Text that the server can hold: what it cannot becomes a question mark."""
    clean = rows.clean(text)
    return clean if clean is None else clean.replace("\0", "?")


def fitting(texts: Iterable[str | None]) -> list[str | None]:
    """Texts that the server can hold."""
    return list(map(fit, texts))


def _lists(where: Where) -> Iterable[Condition]:
    for field, column in _LISTS:
        if (wanted := getattr(where, field)) is not None:
            yield Condition(f"{column} = ANY(%s)", (fitting(wanted),))
    if where.scopes is not None:
        paths = fitting(where.scopes)
        yield Condition("m.scope IN (SELECT scope FROM scopes WHERE path = ANY(%s))", (paths,))


def _values(where: Where) -> Iterable[Condition]:
    for field in _EXACT:
        if (wanted := getattr(where, field)) is not None:
            yield Condition(f"m.{field} = %s", (fit(wanted),))
    if where.in_conversation is not None:
        yield Condition(f"m.episode IS {'NOT ' if where.in_conversation else ''}NULL")
    if where.superseding is not None:
        yield Condition(f"m.supersedes IS {'NOT ' if where.superseding else ''}NULL")
    if where.position_from is not None:
        yield Condition("m.position >= %s", (where.position_from,))
    if where.position_until is not None:
        yield Condition("m.position <= %s", (where.position_until,))
    if where.always_load is not None:
        yield Condition("m.always_load" if where.always_load else "NOT m.always_load")


def _labels(where: Where) -> Iterable[Condition]:
    marks = [("tag", fit(rows.folded(tag))) for tag in where.tags or ()]
    if where.derived_from is not None:
        marks.append(("origin", fit(where.derived_from)))
    for mark in marks:
        yield Condition("m.memory IN (SELECT memory FROM labels WHERE what=%s AND value=%s)", mark)
    if where.name is not None:
        yield named(where.name)


def _times(where: Where) -> Iterable[Condition]:
    if where.created_from is not None:
        yield Condition("m.created >= %s", (rows.epoch(where.created_from),))
    if where.created_until is not None:
        yield Condition("m.created < %s", (rows.epoch(where.created_until),))
    if where.valid_at is not None:
        at = rows.epoch(where.valid_at)
        yield Condition(
            "(m.valid_from IS NULL OR m.valid_from <= %s)"
            " AND (m.valid_until IS NULL OR m.valid_until > %s)"
            " AND (m.expires IS NULL OR m.expires > %s)",
            (at, at, at),
        )
