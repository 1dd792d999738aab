"""Resolve wikilinks out of and into memories."""

# ruff: noqa: S608 - every piece of SQL here is our own; a caller's values are always bound.

from __future__ import annotations

from ....model.memory import LIVE, Link
from ....model.value import Value
from ....notes import wikilinks
from .tables import Condition, named, shown_as, visible_scopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ....model.scope import Visible
    from .tables import Tables

_SOURCES = """
SELECT m.id, m.scope, l.target, l.text, l.heading, l.alias, l.embed
FROM links AS l JOIN memories AS m ON m.memory = l.source
"""
_CURRENT = (
    "m.status NOT IN ('superseded', 'deleted')"
    " AND NOT (m.status = 'archived' AND m.superseded_by IS NOT NULL)"
)
"""Links of memories that were replaced or deleted count only when asked for by id."""


class _Place(Value):
    """A memory that a link may lead to."""

    id: str
    scope: int
    status: str
    created: float
    superseded_by: str | None


def links(tables: Tables, ids: Collection[str] | None, visible: Visible) -> list[Link]:
    """Links out of and into these memories, or all of them."""
    seen = visible_scopes(tables, visible)
    if seen.nothing:
        return []
    resolver = _Resolver(tables, seen.condition(tables.dialect))
    if ids is None:
        return resolver.links(_CURRENT, ())
    one_of = tables.dialect.one_of
    wanted = tables.dialect.texts(sorted(ids))
    outgoing = resolver.links(f"m.id {one_of}", (wanted,))
    endings = tables.dialect.bind(sorted(resolver.endings(ids)))
    incoming = resolver.links(
        f"l.ending {one_of} AND {_CURRENT} AND NOT m.id {one_of}", (endings, wanted)
    )
    return outgoing + [link for link in incoming if link.resolved in ids]


class _Resolver:
    """Resolves names to visible memories."""

    def __init__(self, tables: Tables, visible: Condition) -> None:
        self._tables = tables
        self._visible = visible
        self._known: dict[tuple[str, int], str | None] = {}

    def links(self, condition: str, values: tuple[object, ...]) -> list[Link]:
        """Links of visible sources that meet the condition, in the order they are written."""
        rows = self._tables.execute(
            f"{_SOURCES} WHERE {condition} AND {self._visible.sql} ORDER BY m.id, l.position",
            (*values, *self._visible.values),
        ).fetchall()
        return [
            Link(source, text, self._resolve(target, source, scope), heading, alias, bool(embed))
            for source, scope, target, text, heading, alias, embed in rows
        ]

    def endings(self, ids: Collection[str]) -> set[str]:
        """The last parts of names that links to these memories or their older versions may use."""
        one_of, texts = self._tables.dialect.one_of, self._tables.dialect.texts
        family, fresh = set(ids), set(ids)
        while fresh:
            wanted = texts(sorted(fresh))
            older = self._tables.execute(
                f"SELECT supersedes FROM memories WHERE id {one_of}"
                f" UNION SELECT id FROM memories WHERE superseded_by {one_of}",
                (wanted, wanted),
            )
            fresh = {id for (id,) in older if id} - family
            family |= fresh
        names = self._tables.execute(
            "SELECT value FROM memories AS m JOIN labels AS l ON l.memory = m.memory"
            f" WHERE m.id {one_of} AND l.what IN ('name', 'shown')",
            (texts(sorted(family)),),
        )
        return {f"{wikilinks.last_part(name)}{stop}" for (name,) in names for stop in ("", ".")}

    def _resolve(self, target: str, source: str, scope: int) -> str | None:
        if not target:
            return source
        if (target, scope) not in self._known:
            self._known[target, scope] = self._find(target, scope)
        return self._known[target, scope]

    def _find(self, target: str, scope: int) -> str | None:
        """The best bearer of the name, else of the text: of the same scope, live, the newest."""
        dialect = self._tables.dialect
        bearers = self._places(named(dialect, target)) or self._places(shown_as(dialect, target))
        if not bearers:
            return None
        best = max(bearers, key=lambda b: (b.scope == scope, b.status in LIVE, b.created, b.id))
        return self._newest_version(best).id

    def _newest_version(self, place: _Place) -> _Place:
        passed: set[str] = set()
        while (
            place.status == "superseded" or (place.status == "archived" and place.superseded_by)
        ) and place.id not in passed:
            passed.add(place.id)
            successors = Condition(
                "(m.supersedes = ? OR m.id = ?) AND m.status NOT IN ('staged', 'deleted')",
                (place.id, place.superseded_by),
            )
            newer = self._places(successors)
            place = max(newer, key=lambda n: (n.created, n.id), default=place)
        return place

    def _places(self, wanted: Condition) -> list[_Place]:
        wanted &= self._visible
        rows = self._tables.execute(
            "SELECT m.id, m.scope, m.status, m.created, m.superseded_by FROM memories AS m"
            f" WHERE {wanted.sql}",
            wanted.values,
        ).fetchall()
        return [_Place(*row) for row in rows]
