"""Browse: all memories, with search, filters, groups and bulk actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request  # noqa: TC002 - pages are read at run time
from nicegui import ui

from ....ports.search_index import Where
from ... import plain_words
from .. import components
from ..components import (
    block,
    button,
    empty_state,
    heading,
    link,
    text_label,
)
from ..edit_dialogs import MemoryActions, NewMemoryDialog
from ..filters import ALL, CHOICES, DEFAULTS, Filters
from ..forget_dialog import ForgetAboutDialog
from ..frame import Frame, frame
from ..memory_list import NO_TAG, MemoryList, count_all, load_list
from ..rows import ROWS_COOKIE, memory_row

if TYPE_CHECKING:
    from ....book import Commonplace
    from ....model.memory import Hit, Memory
    from ..memory_list import Group

MOST_CHOICES = 500
TYPED = ("scope", "source", "tag")
"""Filters that may have so many values that typing finds one sooner."""


@ui.page("/", title="Browse")
async def browse(request: Request) -> None:
    """The list of memories."""
    with frame("Browse", "/") as around:
        heading("Browse", "Everything your agents remember.")
        page = _Browse(around, Filters(request.query_params))
        await page.refresh()
        around.live(page.refresh_all)
        ui.timer(0.1, page.load_choices, once=True)


class _Browse:
    def __init__(self, around: Frame, filters: Filters) -> None:
        self._frame = around
        self._filters = filters
        self._selected: dict[str, Memory] = {}
        self._selects: dict[str, ui.select] = {}
        self._actions = MemoryActions(around, self._after_change)
        self._shown: MemoryList | None = None
        self._total: int | None = None
        self._tools()
        self._notes = block("cp-stack")
        for part in filters.ignored:
            with self._notes:
                said = components.one_line(part, 80)
                text_label(f"“{said}” in the address has no meaning here and is ignored.")
        self._bulk = block("cp-tools cp-bulk")
        self._view()
        self._list = block("cp-list")
        self._set_density(ui.context.client.request.cookies.get(ROWS_COOKIE) == "compact")
        self._paging = block("cp-tools")

    # Load and draw

    async def refresh_all(self) -> None:
        """Load the list, and count again."""
        await self.refresh()
        await self._count()

    async def refresh(self) -> None:
        """Load the current page and redraw it if it has changed."""
        shown = await self._frame.session.attempt(lambda book: load_list(book, self._filters))
        if shown is None:
            return
        self._draw_bulk()
        if shown == self._shown:
            return  # A redraw would disturb a person who is about to click.
        self._shown = shown
        self._list.clear()
        several = len({hit.memory.scope for hit in shown.all_hits}) > 1
        self._list.classes(**{"add" if several else "remove": "cp-scopes"})
        with self._list:
            for hit in shown.hits:
                self._row(hit, shown)
            for group in shown.groups:
                self._group(group, shown)
            if shown.other_groups:
                count = components.plural(shown.other_groups, "smaller group")
                text_label(f"{count} not shown: choose one with the filter above.", "cp-quiet")
            if not shown.hits and not shown.groups:
                self._draw_empty(shown)
        self._draw_summary()
        self._draw_paging(shown)

    async def load_choices(self) -> None:
        """Fill the filters with the values of the book; slower than the list, so after it."""
        counts = await self._frame.session.attempt(_choices)
        if counts is None:
            return
        for name, values in counts.items():
            select = self._selects[name]
            select.options = list(dict.fromkeys([ALL, self._filters.values[name], *values]))
            select.update()
        await self._count()

    async def _count(self) -> None:
        self._total = await self._frame.session.attempt(lambda book: count_all(book, self._filters))
        self._draw_summary()

    def _row(self, hit: Hit, shown: MemoryList) -> None:
        memory = hit.memory
        memory_row(
            hit,
            shown.uses.get(memory.id),
            selected=memory.id in self._selected,
            select=lambda chosen: self._choose(memory, chosen),
            edit=lambda: self._actions.edit(memory),
        )

    def _group(self, group: Group, shown: MemoryList) -> None:
        filters = self._filters
        with block("cp-group", "section"):
            with block("cp-between"):
                with block("", "h2"):
                    text_label(components.one_line(group.name, 80) or "no tag")
                text_label(components.plural(group.count, "memory"), "cp-quiet")
            if filters.group == "tier" and group.name in plain_words.TIERS_LOADED:
                text_label(f"Loaded {plain_words.TIERS_LOADED[group.name]}.", "cp-quiet cp-small")
            for hit in group.hits:
                self._row(hit, shown)
            if group.count > len(group.hits):
                link(f"Show all {group.count:,}", self._address_of(group), "cp-link cp-all")

    def _address_of(self, group: Group) -> str:
        filters = self._filters
        if group.name == NO_TAG:
            rest = filters.address(group="none")
            return f"{rest}{'&' if '?' in rest else '?'}untagged=1"
        return filters.address(**{filters.group: group.name, "group": "none"})

    def _draw_summary(self) -> None:
        shown, filters = self._shown, self._filters
        self._summary.clear()
        if shown is None:
            return
        with self._summary:
            text_label(self._count_text(shown))
            if filters.query and shown.unfit:
                hidden = components.plural(shown.unfit, "memory")
                text_label(f"{hidden} that hardly fit are not shown.", "cp-quiet")
                button("Show them", lambda: self._flag("weak", True), look="small")
            elif filters.query and filters.flags["weak"]:
                text_label("Including those that hardly fit.", "cp-quiet")
                button("Hide them", lambda: self._flag("weak", False), look="small")

    def _count_text(self, shown: MemoryList) -> str:
        count = self._total if shown.found is None else shown.found
        if count is None:
            return ""
        what = "fits" if count == 1 else "fit"
        text = components.plural(count, "memory")
        text += f" {what} the search" if self._filters.query else ""
        first = self._filters.offset
        paged = bool(shown.hits) and (first or shown.more)
        return f"{text} · {first + 1} to {first + len(shown.hits)}" if paged else text

    def _draw_empty(self, shown: MemoryList) -> None:
        filters = self._filters
        if filters.query and shown.unfit:
            empty_state("Nothing fits this search.", "No memory says anything about it.")
        elif filters.page > 1:
            empty_state(f"There is no page {filters.page}.", "Go back to the first one.")
        elif filters.narrowed:
            empty_state("No matches.", "Remove a filter, or use other words.")
        else:
            empty_state(
                "There are no memories yet.",
                "Connect an agent: commonplace install claude",
                "Or write the first memory yourself with New memory.",
                "New memories appear here automatically.",
            )

    # Filters

    def _tools(self) -> None:
        filters = self._filters
        with block("cp-tools"):
            search = ui.input("Search  (press /)", value=filters.query)
            search.props('outlined dense clearable debounce=200 aria-label="Search"')
            search.classes("cp-search").on_value_change(lambda e: self._set("q", e.value or ""))
            button("New memory", self._open_new_memory, look="strong", icon="add")
            button("Forget about…", self._open_forget_about)
        with block("cp-tools cp-filters"):
            for name in ("status", "kind", "tier", "source", "tag", "scope", "project", "owner"):
                self._select(name)
        with block("cp-tools") as self._set_filters:
            self._draw_set_filters()

    def _draw_set_filters(self) -> None:
        """The filters that no select shows, and a way out of all of them."""
        filters = self._filters
        self._set_filters.clear()
        self._set_filters.set_visibility(filters.narrowed)
        with self._set_filters:
            if filters.values["topic"]:
                topic = components.one_line(filters.values["topic"], 60)
                text_label(f"topic {topic}", "cp-chip")
                button("Any topic", lambda: self._set("topic", ""), look="small")
            if filters.values["branch"]:
                branch = components.one_line(filters.values["branch"], 60)
                text_label(f"learned on branch {branch}", "cp-chip")
                button("Any branch", lambda: self._set("branch", ""), look="small")
            if filters.flags["untagged"]:
                text_label("without tags", "cp-chip")
                button("With or without", lambda: self._flag("untagged", False), look="small")
            link("Clear search and filters", "/", "cp-link cp-small")

    def _view(self) -> None:
        with block("cp-tools cp-view"):
            self._summary = block("cp-row cp-summary").props("role=status aria-live=polite")
            self._select("sort", label="Sort by")
            self._select("group", label="Group by")
            self._density = button("", self._toggle_density, icon="density_small")
        self._sort_or_rank()

    def _select(self, name: str, *, label: str = "") -> None:
        value = self._filters.values[name]
        offered = dict.fromkeys([*CHOICES.get(name, (ALL,)), value])
        # `in use` means review and stale as well here, so that `active` keeps its name.
        words = {one: one if one == "active" else plain_words.status(one) for one in offered}
        select = ui.select(
            words if name == "status" else list(offered),
            value=value,
            label=label or name.capitalize(),
            with_input=name in TYPED,
        )
        select.props("outlined dense options-dense").classes("cp-select")
        select.on_value_change(lambda event: self._set(name, event.value or DEFAULTS[name]))
        self._selects[name] = select

    async def _set(self, name: str, value: str) -> None:
        values = self._filters.values
        if values[name] == value:
            return
        # Each letter of a search would else be a step of Back.
        refined = name == "q" and bool(value) and bool(values["q"])
        values[name] = value
        if name == "q":
            self._filters.flags["weak"] = False
            self._sort_or_rank()
        await self._filters_changed(replace=refined)

    async def _flag(self, name: str, on: bool) -> None:
        self._filters.flags[name] = on
        await self._filters_changed()

    async def _filters_changed(self, *, replace: bool = False) -> None:
        self._filters.page = 1
        self._go(replace=replace)
        self._total = None
        self._draw_set_filters()
        await self.refresh_all()

    def _go(self, *, replace: bool = False) -> None:
        history = ui.navigate.history
        (history.replace if replace else history.push)(self._filters.address())

    def _sort_or_rank(self) -> None:
        """A search has its own order: the best first."""
        self._selects["sort"].set_visibility(not self._filters.query)

    def _toggle_density(self) -> None:
        self._set_density(not self._compact)
        chosen = "compact" if self._compact else "full"
        ui.run_javascript(
            f'document.cookie="{ROWS_COOKIE}={chosen};path=/;max-age=31536000;samesite=strict"'
        )

    def _set_density(self, compact: bool) -> None:
        self._compact = compact
        self._list.classes(**{"add" if compact else "remove": "cp-compact"})
        self._density.set_text("Full rows" if compact else "Compact rows")
        self._density.set_icon("density_large" if compact else "density_small")

    # Actions

    def _open_new_memory(self) -> None:
        NewMemoryDialog(self._frame, self._actions.done)

    def _open_forget_about(self) -> None:
        ForgetAboutDialog(self._frame, self._actions.done)

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
            tag = ui.input("New tag").props("outlined dense").style("width: 8rem")
            button("Add tag", lambda: self._actions.tag(memories, (tag.value or "").strip()))
            button("Export", lambda: ui.navigate.to(f"/export?ids={','.join(self._selected)}"))
            button("Purge…", lambda: self._actions.purge(memories), look="danger")

    async def _after_change(self) -> None:
        self._selected.clear()
        self._shown = None
        await self.refresh_all()

    def _draw_paging(self, shown: MemoryList) -> None:
        self._paging.clear()
        with self._paging:
            if self._filters.page > 1:
                button("Previous page", lambda: self._move_by(-1))
            if shown.more:
                button("Next page", lambda: self._move_by(1))

    async def _move_by(self, pages: int) -> None:
        self._filters.page = max(1, self._filters.page + pages)
        self._go()
        await self.refresh()
        self._frame.client.run_javascript("window.scrollTo(0, 0)")


def _choices(book: Commonplace) -> dict[str, list[str]]:
    """The values in the book of each filter, the most frequent first."""

    def values(counts: dict[str, int]) -> list[str]:
        return sorted(counts, key=lambda name: (-counts[name], name))[:MOST_CHOICES]

    whole = Where()
    scopes = values(book.count_by("scope", where=whole))
    projects = {one.split("/project/", 1)[1].split("/")[0] for one in scopes if "/project/" in one}
    return {
        "kind": values(book.count_by("kind", where=whole)),
        "source": values(book.count_by("source", where=whole)),
        "tag": values(book.count_by("tag", where=whole)),
        "scope": scopes,
        "project": sorted(projects),
    }
