"""Browse: all memories, with search, filters and bulk actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from ....model.memory import LIVE, OWNERS, STATUSES, TIERS
from ....model.value import Value
from ....ports.search_index import Where
from ....verbs.find import listed_tiers
from .. import components
from ..components import block, button, chips, empty_state, heading, link, text_label
from ..edit_dialogs import MemoryActions, NewMemoryDialog
from ..frame import Frame, frame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ....book import Commonplace
    from ....model.memory import Hit, Memory, Use
    from ....model.results import Status

PAGE = 30
IN_USE, ALL = "in use", "all"


class ListPage(Value):
    """One page of a list."""

    hits: tuple[Hit, ...]
    uses: Mapping[str, Use]
    more: bool


class Filters:
    """Search words, filters and offset of the list."""

    def __init__(self, query: str, kind: str, topic: str, scope: str, status: str) -> None:
        self.query = query
        self.kind, self.topic, self.scope = kind or ALL, topic, scope or ALL
        self.status = status or IN_USE
        self.tier = self.owner = self.project = ALL
        self.offset = 0
        self.scopes: list[str] = []
        """Every scope with memories, once loaded."""

    @property
    def narrowed(self) -> bool:
        """Whether any filter is set."""
        chosen = (self.kind, self.scope, self.tier, self.owner, self.project)
        return bool(self.query or self.topic) or self.status != IN_USE or set(chosen) != {ALL}

    def where(self) -> Where:
        """The filters as conditions for the search."""
        statuses = {IN_USE: LIVE, ALL: None}.get(self.status, (self.status,))
        return Where(
            statuses=statuses,
            kinds=_unless_all(self.kind),
            tiers=_unless_all(self.tier) or self._listed_tiers(),
            owners=_unless_all(self.owner),
            scopes=self._scopes(),
            topics=(self.topic,) if self.topic else None,
        )

    def _listed_tiers(self) -> tuple[str, ...] | None:
        """Without the archive, which a person chooses by tier, kind, status or a search."""
        wanted = bool(self.query) or self.status != IN_USE
        return listed_tiers(kinds=_unless_all(self.kind), include_archive=wanted)

    def _scopes(self) -> tuple[str, ...] | None:
        if self.project == ALL:
            return _unless_all(self.scope)
        inside = [one for one in self.scopes if f"/project/{self.project}/" in f"{one}/"]
        return tuple(one for one in inside if self.scope in (ALL, one))

    def page(self, book: Commonplace) -> ListPage:
        """Load one page, and one memory more to know whether another page follows."""
        hits = book.browse(self.query, where=self.where(), limit=PAGE + 1, offset=self.offset)
        shown = tuple(hits[:PAGE])
        return ListPage(shown, book.uses([hit.memory.id for hit in shown]), len(hits) > PAGE)


@ui.page("/", title="Browse")
async def browse(
    q: str = "", kind: str = "", topic: str = "", scope: str = "", status: str = ""
) -> None:
    """The list of memories."""
    with frame("Browse", "/") as around:
        heading("Browse", "Everything your agents remember.")
        page = _Browse(around, Filters(q, kind, topic, scope, status))
        await page.refresh()
        around.live(page.refresh)
        ui.timer(0.1, page.offer_choices, once=True)


class _Browse:
    def __init__(self, around: Frame, filters: Filters) -> None:
        self._frame = around
        self._filters = filters
        self._selected: dict[str, Memory] = {}
        self._selects: dict[str, ui.select] = {}
        self._actions = MemoryActions(around, self._after_change)
        self._shown: ListPage | None = None
        self._tools()
        self._bulk = block("cp-tools cp-bulk")
        self._list = block("cp-list")
        self._paging = block("cp-tools")

    async def refresh(self) -> None:
        """Load the current page and redraw it if it has changed."""
        shown = await self._frame.session.attempt(self._filters.page)
        if shown is None:
            return
        self._draw_bulk()
        if shown == self._shown:
            return  # A redraw would disturb a person who is about to click.
        self._shown = shown
        self._list.clear()
        with self._list:
            for hit in shown.hits:
                self._row(hit, shown.uses.get(hit.memory.id))
            if not shown.hits:
                self._draw_empty()
        self._draw_paging(shown)

    async def offer_choices(self) -> None:
        """Fill the filters with the kinds, scopes and projects of the book."""
        status: Status | None = await self._frame.session.attempt(lambda book: book.status())
        if status is None:
            return
        self._filters.scopes = [scope for scope, _ in status.by_scope]
        projects = {
            one.split("/project/", 1)[1].split("/")[0]
            for one in self._filters.scopes
            if "/project/" in one
        }
        self._offer("kind", [kind for kind, _ in status.by_kind])
        self._offer("scope", self._filters.scopes)
        self._offer("project", sorted(projects))

    def _offer(self, name: str, options: list[str]) -> None:
        select = self._selects[name]
        select.options = [ALL, *options]
        select.update()

    def _tools(self) -> None:
        filters = self._filters
        with block("cp-tools"):
            search = ui.input("Search  (press /)", value=filters.query)
            search.props('outlined dense clearable debounce=200 aria-label="Search"')
            search.classes("cp-search").on_value_change(lambda e: self._set("query", e.value or ""))
            button("New memory", self._open_new_memory, look="strong", icon="add")
        with block("cp-tools cp-filters"):
            self._select("status", [IN_USE, ALL, *STATUSES])
            self._select("kind", [filters.kind])
            self._select("scope", [filters.scope])
            self._select("project", [])
            self._select("tier", list(TIERS))
            self._select("owner", list(OWNERS))
            if filters.topic:
                text_label(f"topic {components.one_line(filters.topic, 60)}", "cp-chip")
                link("Show all topics", "/", "cp-link")

    def _open_new_memory(self) -> None:
        NewMemoryDialog(self._frame, self._actions.done)

    def _select(self, name: str, options: list[str]) -> None:
        value = getattr(self._filters, name)
        offered = list(dict.fromkeys([*([] if name == "status" else [ALL]), *options]))
        select = ui.select(offered, value=value, label=name.capitalize())
        select.props("outlined dense options-dense").style("min-width: 7.5rem")
        select.on_value_change(lambda event: self._set(name, event.value))
        self._selects[name] = select

    async def _set(self, name: str, value: str) -> None:
        if getattr(self._filters, name) == value:
            return
        setattr(self._filters, name, value)
        self._filters.offset = 0
        await self.refresh()

    def _row(self, hit: Hit, use: Use | None) -> None:
        memory = hit.memory
        with block("cp-item"):
            box = ui.checkbox(value=memory.id in self._selected).props("dense")
            box.props(f'aria-label="Select {memory.id}"')
            box.on_value_change(lambda event: self._choose(memory, bool(event.value)))
            with block():
                link(components.memory_name(memory), f"/memory/{memory.id}", "cp-name")
                if memory.title:
                    text_label(components.one_line(memory.content, 200), "cp-quiet cp-small")
                for why in hit.why[:3]:
                    text_label(f"{why.words} ({why.share:.2f})", "cp-why")
                chips(memory)
            with block("cp-facts"):
                count = use.count if use else 0
                text_label(f"recalled {count}× · {components.relative_time(memory.updated)}")
                text_label(f"{memory.trust} · {components.one_line(memory.source, 30)}")
                button("Edit", lambda: self._actions.edit(memory), look="small")

    def _choose(self, memory: Memory, chosen: bool) -> None:
        if chosen:
            self._selected[memory.id] = memory
        else:
            self._selected.pop(memory.id, None)
        self._draw_bulk()

    def _draw_bulk(self) -> None:
        self._bulk.clear()
        self._bulk.set_visibility(bool(self._selected))
        if not self._selected:
            return
        memories = list(self._selected.values())
        with self._bulk:
            text_label(f"{len(memories)} selected")
            button("Forget", lambda: self._actions.forget(memories))
            button("Restore", lambda: self._actions.restore(memories))
            tag = ui.input("Tag").props("outlined dense").style("width: 8rem")
            button("Add tag", lambda: self._actions.tag(memories, (tag.value or "").strip()))
            button("Export", lambda: ui.navigate.to(f"/export?ids={','.join(self._selected)}"))
            button("Purge…", lambda: self._actions.purge(memories), look="danger")

    async def _after_change(self) -> None:
        self._selected.clear()
        self._shown = None
        await self.refresh()

    def _draw_paging(self, shown: ListPage) -> None:
        self._paging.clear()
        first = self._filters.offset
        with self._paging:
            if first:
                button("Newer", lambda: self._move_by(-PAGE))
            if first or shown.more:
                text_label(f"{first + 1} to {first + len(shown.hits)}", "cp-quiet")
            if shown.more:
                button("Older" if not self._filters.query else "More", lambda: self._move_by(PAGE))

    async def _move_by(self, by: int) -> None:
        self._filters.offset = max(0, self._filters.offset + by)
        await self.refresh()
        self._frame.client.run_javascript("window.scrollTo(0, 0)")

    def _draw_empty(self) -> None:
        if self._filters.narrowed:
            empty_state("No matches.", "Remove a filter, or use other words.")
            return
        empty_state(
            "There are no memories yet.",
            "Connect an agent: commonplace install claude-code",
            "Or write the first memory yourself with New memory.",
            "New memories appear here automatically.",
        )


def _unless_all(value: str) -> tuple[str, ...] | None:
    return None if value == ALL else (value,)
