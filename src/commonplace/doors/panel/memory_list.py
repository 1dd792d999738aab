"""The memories that Browse shows: one page of them, or the first of every group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model.memory import TIERS
from ...model.value import Value
from .filters import PAGE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...book import Commonplace
    from ...model.conditions import Axis
    from ...model.memory import Hit, Memory, Use
    from ...ports.search_index import Where
    from .filters import Filters

MOST_GROUPS = 20
ROWS_OF_GROUP = 5
AXES: dict[str, Axis] = {
    "tier": "tier", "tag": "tag", "source": "source", "kind": "kind", "scope": "scope",
}  # fmt: skip
NO_TAG = ""
"""The group of memories without a tag."""


class Group(Value):
    """The first memories of a group, and how many it has."""

    name: str
    count: int
    hits: tuple[Hit, ...]


class MemoryList(Value):
    """One page of a list, or its groups."""

    hits: tuple[Hit, ...]
    uses: Mapping[str, Use]
    more: bool = False
    found: int | None = None
    """How many memories fit the search; None without search words."""
    unfit: int = 0
    """Number of the nearest memories that are left out because they do not fit the search."""
    groups: tuple[Group, ...] = ()
    other_groups: int = 0
    """Groups beyond the largest ones."""

    @property
    def all_hits(self) -> tuple[Hit, ...]:
        """The memories of the page, also those inside groups."""
        return (*self.hits, *(hit for group in self.groups for hit in group.hits))


def load_list(book: Commonplace, filters: Filters) -> MemoryList:
    """Load what the filters ask for."""
    where = _where(book, filters)
    loaded = _grouped(book, filters, where) if filters.group else _page(book, filters, where)
    return loaded.but(uses=book.uses([hit.memory.id for hit in loaded.all_hits]))


def count_all(book: Commonplace, filters: Filters) -> int:
    """How many memories the filters without search words leave."""
    return sum(book.count_by("status", where=_where(book, filters)).values())


def _where(book: Commonplace, filters: Filters) -> Where:
    from ...ports.search_index import Where
    from .filters import ALL

    named = filters.values["project"] != ALL
    return filters.where(list(book.count_by("scope", where=Where())) if named else [])


def _page(book: Commonplace, filters: Filters, where: Where) -> MemoryList:
    """One page, read with one memory more to know whether another page follows."""
    found = book.browse(
        filters.query,
        where=where,
        order=filters.order,
        limit=PAGE + 1,
        offset=filters.offset,
        fitting=not filters.flags["weak"],
    )
    return MemoryList(tuple(found[:PAGE]), {}, len(found) > PAGE, found.found, found.unfit)


def _grouped(book: Commonplace, filters: Filters, where: Where) -> MemoryList:
    if filters.query:
        found = book.browse(
            filters.query, where=where, limit=200, fitting=not filters.flags["weak"]
        )
        groups = [
            Group(name, len(hits), tuple(hits[:ROWS_OF_GROUP]))
            for name, hits in _sorted_into(found, filters.group).items()
        ]
        kept = sorted(groups, key=lambda one: _place(filters.group, one.name, one.count))
        return MemoryList((), {}, False, found.found, found.unfit, tuple(kept))
    counts = book.count_by(AXES[filters.group], where=where)
    if filters.group == "tag" and where.tags is None:
        untagged = where.but(tagged=False)
        counts[NO_TAG] = sum(book.count_by("status", where=untagged).values())
    names = sorted(
        (name for name, count in counts.items() if count),
        key=lambda name: _place(filters.group, name, counts[name]),
    )
    groups = [
        Group(name, counts[name], _first_of(book, filters, _inside(where, filters.group, name)))
        for name in names[:MOST_GROUPS]
    ]
    return MemoryList((), {}, groups=tuple(groups), other_groups=len(names) - len(groups))


def _first_of(book: Commonplace, filters: Filters, where: Where) -> tuple[Hit, ...]:
    return tuple(book.browse(where=where, order=filters.order, limit=ROWS_OF_GROUP))


def _inside(where: Where, group: str, name: str) -> Where:
    if group == "tag":
        return where.but(tagged=False) if name == NO_TAG else where.but(tags=(name,))
    fields = {"tier": "tiers", "source": "sources", "kind": "kinds", "scope": "scopes"}
    return where.but(**{fields[group]: (name,)})


def _place(group: str, name: str, count: int) -> tuple[object, ...]:
    """Tiers in the order in which they are loaded; other groups by size, those without last."""
    if group == "tier" and name in TIERS:
        return (TIERS.index(name),)
    return (name == NO_TAG, -count, name)


def _sorted_into(hits: Sequence[Hit], group: str) -> dict[str, list[Hit]]:
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        for name in _names(hit.memory, group):
            groups.setdefault(name, []).append(hit)
    return groups


def _names(memory: Memory, group: str) -> Sequence[str]:
    if group == "tag":
        return list(dict.fromkeys(tag.lower() for tag in memory.tags)) or [NO_TAG]
    return [str(getattr(memory, AXES[group]))]
