"""Where wikilinks lead, and what leads to a memory."""

from __future__ import annotations

from ...model.memory import LIVE, Link
from ...notes import wikilinks
from ..sql.index import rows
from .conditions import both, named, seen
from .described import fit, given, optional
from .reading import load, newest_states
from .schema import literal, one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ...model.scope import Visible
    from .database import MilvusDatabase
    from .schema import Row

_CURRENT = (
    'status != "superseded" and status != "deleted"'
    ' and (status != "archived" or superseded_by == "")'
)
"""Only what is current leads anywhere, unless it is asked about by its id."""
_PLACE = ("row", "id", "revision", "scope", "status", "created", "superseded_by")


def links(db: MilvusDatabase, ids: Collection[str] | None, visible: Visible) -> list[Link]:
    """Links out of and into these memories, or all of them."""
    resolver = _Resolver(db, seen(visible))
    if ids is None:
        return resolver.links(_CURRENT)
    wanted = sorted(map(fit, ids))
    if not wanted:
        return []
    outgoing = resolver.links(one_of("id", wanted))
    endings = ", ".join(map(literal, sorted(resolver.endings(wanted))))
    if not endings:
        return outgoing
    leading = f"array_contains_any(endings, [{endings}])"
    incoming = resolver.links(both(leading, _CURRENT, f"not ({one_of('id', wanted)})"))
    return outgoing + [link for link in incoming if link.resolved in ids]


class _Resolver:
    """Finds the memory a name means, among the visible ones."""

    def __init__(self, db: MilvusDatabase, visible: str) -> None:
        self._db = db
        self._visible = visible
        self._known: dict[tuple[str, str], str | None] = {}

    def links(self, condition: str) -> list[Link]:
        """Links of visible sources that meet the condition, in the order they are written."""
        wanted = both("links > 0", condition, self._visible)
        found = newest_states(self._db.query("memories", wanted, ["row", "id", "revision"]))
        found.sort(key=lambda row: row["id"])
        linked: list[Link] = []
        for memory in load(self._db, "row", [row["row"] for row in found]).values():
            for _, _, target, _, text, heading, alias, embed in rows.links(memory, 0):
                leads = self._resolve(str(target), memory.id, str(memory.scope))
                linked.append(Link(memory.id, text, leads, heading, alias, embed))  # pyright: ignore[reportArgumentType]
        return linked

    def endings(self, ids: Collection[str]) -> set[str]:
        """How links to these memories, or to older versions of them, may end."""
        family, fresh = set(ids), set(ids)
        names: set[str] = set()
        while fresh:
            fields = ["id", "supersedes", "names"]
            own = self._db.query_named("memories", "id", sorted(fresh), fields)
            replaced = map(optional, sorted(fresh))
            older = self._db.query_named("memories", "superseded_by", replaced, ["id"])
            names |= {name for row in own for name in row["names"]}
            found = {given(row["supersedes"]) for row in own} | {row["id"] for row in older}
            fresh = {id for id in found if id} - family
            family |= fresh
        return {wikilinks.last_part(name) for name in names}

    def _resolve(self, target: str, source: str, scope: str) -> str | None:
        if not target:
            return source
        if (target, scope) not in self._known:
            self._known[target, scope] = self._find(target, scope)
        return self._known[target, scope]

    def _find(self, target: str, scope: str) -> str | None:
        """The best bearer of the name: of the same scope, then live, then newest."""
        bearers = self._places(named(self._db, target))
        if not bearers:
            return None
        best = max(
            bearers,
            key=lambda b: (b["scope"] == scope, b["status"] in LIVE, b["created"], b["id"]),
        )
        return self._newest_version(best)["id"]

    def _newest_version(self, place: Row) -> Row:
        passed: set[str] = set()
        while (
            place["status"] == "superseded"
            or (place["status"] == "archived" and place["superseded_by"])
        ) and place["id"] not in passed:
            passed.add(place["id"])
            newer = f"supersedes == {literal(optional(place['id']))}"
            if (successor := given(place["superseded_by"])) is not None:
                newer = f"{newer} or id == {literal(successor)}"
            found = self._places(both(newer, 'status != "staged"', 'status != "deleted"'))
            place = max(found, key=lambda n: (n["created"], n["id"]), default=place)
        return place

    def _places(self, wanted: str) -> list[Row]:
        return newest_states(self._db.query("memories", both(wanted, self._visible), _PLACE))
