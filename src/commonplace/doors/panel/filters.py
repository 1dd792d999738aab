"""The filters of Browse, as they stand in the address of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from ...model.memory import LIVE, OWNERS, STATUSES, TIERS
from ...ports.search_index import Where
from ...verbs.find import listed_tiers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...model.conditions import Order

PAGE = 30
MOST_OFFSET = 1_000_000
IN_USE, ALL = "in use", "all"
SORTS: dict[str, Order] = {
    "newest": "newest", "oldest": "oldest", "last changed": "updated", "name": "name",
}  # fmt: skip
GROUPS = ("none", "tier", "tag", "source", "kind", "scope")
DEFAULTS = {
    "q": "", "status": IN_USE, "kind": ALL, "tier": ALL, "source": ALL, "tag": ALL, "scope": ALL,
    "project": ALL, "owner": ALL, "topic": "", "branch": "", "sort": "newest", "group": "none",
}  # fmt: skip
"""Every filter with the value that is left out of the address."""
CHOICES = {
    "status": (IN_USE, ALL, *STATUSES),
    "tier": (ALL, *TIERS),
    "owner": (ALL, *OWNERS),
    "sort": tuple(SORTS),
    "group": GROUPS,
}
"""The filters with a fixed list of values."""
FLAGS = ("untagged", "weak")


class Filters:
    """Search words, filters, order, grouping and page of the list."""

    def __init__(self, address: Mapping[str, str]) -> None:
        self.values = dict(DEFAULTS)
        self.flags = {name: address.get(name) == "1" for name in FLAGS}
        """`untagged`: only memories without a tag. `weak`: also what hardly fits the search."""
        self.page = 1
        self.ignored: list[str] = []
        """Parts of the address that have no meaning."""
        for name, value in address.items():
            self._read(name, value)

    def _read(self, name: str, value: str) -> None:
        if name == "page" and value.isdecimal() and 0 < int(value) <= MOST_OFFSET // PAGE:
            self.page = int(value)
        elif name in self.values and value in CHOICES.get(name, (value,)):
            self.values[name] = value or DEFAULTS[name]
        elif name not in FLAGS:
            self.ignored.append(f"{name}={value}")

    def address(self, **changes: str) -> str:
        """The address of the page with these filters, or with some of them changed."""
        wanted = {**self.values, **changes}
        parts = {name: value for name, value in wanted.items() if value != DEFAULTS[name]}
        parts |= {name: "1" for name, on in self.flags.items() if on}
        if self.page > 1 and not changes:
            parts["page"] = str(self.page)
        return f"/?{urlencode(parts)}" if parts else "/"

    @property
    def query(self) -> str:
        """The search words."""
        return self.values["q"]

    @property
    def group(self) -> str:
        """The field whose values make the groups of the list; empty for a plain list."""
        return "" if self.values["group"] == "none" else self.values["group"]

    @property
    def order(self) -> Order:
        """The order of a list without search words."""
        return SORTS[self.values["sort"]]

    @property
    def offset(self) -> int:
        """How many memories the pages before this one have."""
        return (self.page - 1) * PAGE

    @property
    def narrowed(self) -> bool:
        """Whether any filter is set."""
        shown = {**self.values, "sort": DEFAULTS["sort"], "group": DEFAULTS["group"]}
        return shown != DEFAULTS or self.flags["untagged"]

    def where(self, scopes: Sequence[str]) -> Where:
        """The filters as conditions; `scopes` are all scopes of the book, for the project."""
        values = self.values
        listed = self._listed_tiers()
        statuses = {IN_USE: LIVE, ALL: None}.get(values["status"], (values["status"],))
        return Where(
            statuses=statuses,
            kinds=_unless_all(values["kind"]),
            tiers=_unless_all(values["tier"]) or listed,
            # Turns of conversations are listed with the archive, as the command `list` does.
            in_conversation=None if listed is None or values["tier"] == "archive" else False,
            owners=_unless_all(values["owner"]),
            sources=_unless_all(values["source"]),
            tags=_unless_all(values["tag"]),
            tagged=False if self.flags["untagged"] else None,
            scopes=self._scopes(scopes),
            topics=(values["topic"],) if values["topic"] else None,
            branch=values["branch"] or None,
        )

    def _listed_tiers(self) -> tuple[str, ...] | None:
        """Without the archive, which a person chooses by tier, kind, status or a search."""
        wanted = bool(self.query) or self.values["status"] != IN_USE or self.group == "tier"
        return listed_tiers(kinds=_unless_all(self.values["kind"]), include_archive=wanted)

    def _scopes(self, scopes: Sequence[str]) -> tuple[str, ...] | None:
        scope, project = self.values["scope"], self.values["project"]
        if project == ALL:
            return _unless_all(scope)
        inside = [one for one in scopes if f"/project/{project}/" in f"{one}/"]
        return tuple(one for one in inside if scope in (ALL, one))


def _unless_all(value: str) -> tuple[str, ...] | None:
    return None if value == ALL else (value,)
