"""One memory: its text, versions, links, uses and audit trail."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from nicegui import ui

from ....model.errors import CommonplaceError
from ....model.identity import short_id
from ....model.memory import LIVE
from ....model.results import MemoryMarks
from ....model.value import Value
from ....notes.display import is_imported
from ....rules.audit import UNDOABLE_ACTIONS
from ....rules.ranking.retrieval_details import handed_ids, was_for_prompt
from ... import plain_words
from .. import components
from ..components import (
    block,
    button,
    chips,
    definition_list,
    differences,
    empty_state,
    heading,
    link,
    memory_link,
    memory_text,
    section,
    text_label,
)
from ..edit_dialogs import MemoryActions
from ..frame import Frame, frame
from ..markdown import reveal_hidden

if TYPE_CHECKING:
    from ....book import Commonplace
    from ....model.memory import Memory, Retrieval, Use
    from ....model.results import Links
    from ....verbs.history import History

MOST_RECALLS = 500


class MemoryDetails(Value):
    """All data of one memory's page."""

    memory: Memory
    history: History
    links: Links
    use: Use | None
    recalls: tuple[Retrieval, ...]
    related: dict[str, Memory]
    """Linked, derived and replaced memories by id."""
    marks: MemoryMarks = MemoryMarks()


@ui.page("/memory/{id}")
async def memory(id: str) -> None:
    """The page of one memory."""
    with frame("Memory", "") as around:
        page = _MemoryPage(around, id)
        await page.refresh()
        around.live(page.refresh)


def memory_details(book: Commonplace, id: str) -> MemoryDetails:
    """Load all data of one memory's page."""
    memory = book.get(id)
    links = book.links(memory.id)
    linked = [one.resolved for one in links.outgoing if one.resolved]
    linked += [one.source for one in links.incoming]
    linked += [one for one in (memory.supersedes, memory.superseded_by) if one]
    related: dict[str, Memory] = {}
    for one in dict.fromkeys((*linked, *memory.derived_from)):
        try:
            related[one] = book.get(one)
        except CommonplaceError:
            continue  # Purged, or not visible to this person.
    recalls = [
        one
        for one in book.retrievals(limit=MOST_RECALLS)
        if any(found == memory.id for found, _ in one.results)
    ]
    return MemoryDetails(
        memory,
        book.history(memory.id),
        links,
        book.uses([memory.id]).get(memory.id),
        tuple(recalls[:20]),
        related,
        book.marks([memory]).get(memory.id, MemoryMarks()),
    )


class _MemoryPage:
    def __init__(self, around: Frame, id: str) -> None:
        self._frame = around
        self._id = id
        self._actions = MemoryActions(around, self._show_newest)
        self._whole = block()
        self._shown: MemoryDetails | None = None
        self._refreshes = 0

    async def _show_newest(self) -> None:
        """After an edit, show the version that replaced the memory."""
        try:
            history = await self._frame.session.ask(lambda book: book.history(self._id))
        except CommonplaceError:
            history = None
        if history is not None:
            live = [one for one in history.versions if one.status in LIVE]
            newest = (live or list(history.versions))[-1].id
            if newest != self._id:
                self._id = newest
                ui.navigate.history.replace(f"/memory/{newest}")
        await self.refresh()

    async def refresh(self) -> None:
        """Redraw the memory if it has changed."""
        self._refreshes += 1
        mine = self._refreshes
        try:
            details = await self._frame.session.ask(lambda book: memory_details(book, self._id))
        except CommonplaceError as error:
            if mine != self._refreshes:
                return
            self._shown = None
            self._whole.clear()
            with self._whole:
                empty_state(
                    "This memory cannot be shown.", error.sentence, "It may have been purged."
                )
                link("Back to all memories", "/", "cp-link")
            return
        if mine != self._refreshes:
            return  # A later refresh, perhaps of another version, must not be painted over.
        if details == self._shown:
            return  # A redraw would disturb a person who is about to click.
        self._shown = details
        self._whole.clear()
        with self._whole:
            self._draw(details)

    def _draw(self, details: MemoryDetails) -> None:
        memory = details.memory
        heading(components.memory_name(memory, 90))
        chips(memory)
        _marks(details.marks)
        self._buttons(memory)
        with block("cp-card"):
            linked = {
                one.target: one.resolved
                for one in details.links.outgoing
                if one.resolved and one.resolved in details.related
            }
            memory_text(memory, linked)
        with block("cp-two"):
            _about(details)
            _links(details)
        _versions(details.history)
        _recalls(details)
        self._trail(details.history)

    def _buttons(self, memory: Memory) -> None:
        do = self._actions
        with block("cp-tools").style("margin-top: 1rem"):
            if memory.status in LIVE:
                button("Edit", lambda: do.edit(memory), look="strong")
                button("Correct", lambda: do.correct(memory))
                button("Forget", lambda: do.forget([memory]))
            elif memory.status != "staged":
                button("Restore", lambda: do.restore([memory]), look="strong")
            button("Graph", lambda: ui.navigate.to(f"/graph?around={memory.id}"))
            button("Purge…", lambda: do.purge([memory]), look="danger")

    def _trail(self, history: History) -> None:
        with section("Audit trail"), block("cp-list"):
            for event in history.events:
                with block("cp-item"):
                    text_label(components.exact_time(event.at), "cp-quiet cp-small")
                    by = plain_words.by_door(event.by) + ", automatically" * event.automatic
                    text_label(f"{plain_words.action(event.action)} {by}")
                    if event.action in UNDOABLE_ACTIONS:
                        button("Undo", partial(self._undo, event.id), look="small")

    async def _undo(self, event: str) -> None:
        if await self._frame.session.attempt(lambda book: book.revert(event)) is not None:
            await self._actions.done("Undone.")


def _marks(marks: MemoryMarks) -> None:
    if marks.warning:
        text_label(components.one_line(f"It was {marks.warning}.", 300), "cp-warning cp-mark")
    if marks.stale:
        said = f"Compared with the files: {marks.stale}."
        text_label(components.one_line(said, 300), "cp-warning cp-mark")
    if marks.disputed_with:
        said = f"It is disputed by {', '.join(map(short_id, marks.disputed_with))}: see the inbox."
        text_label(components.one_line(said, 300), "cp-warning cp-mark")


def _about(details: MemoryDetails) -> None:
    memory, use = details.memory, details.use
    rows = [
        ("Owner", plain_words.owner(memory.owner, memory.trust).capitalize()),
        ("Trust", f"{memory.trust}, {plain_words.by_door(memory.source)}"),
        ("Confidence", f"{memory.confidence:.0%}"),
        ("Loaded", _loaded(memory)),
        (
            "Recalled",
            f"{components.plural(use.count, 'time')}, last {components.relative_time(use.last)}"
            if use and use.count
            else "never",
        ),
        ("Learned", components.exact_time(memory.created)),
        _changed(details),
        ("Version", str(memory.version)),
        ("Id", memory.id),
    ]
    if memory.branch:
        rows.append(("Branch", memory.branch))
    if memory.commit:
        rows.append(("Commit", memory.commit[:10]))
    if memory.key:
        rows.insert(0, ("Key", memory.key))
    with section("About"):
        definition_list(rows)


def _loaded(memory: Memory) -> str:
    return f"{plain_words.loaded(memory)} (tier {memory.tier})"


def _changed(details: MemoryDetails) -> tuple[str, str]:
    """The last change; of a memory that an import brought, the day of the import."""
    memory, events = details.memory, details.history.events
    if not is_imported(memory):
        return "Changed", components.exact_time(memory.updated)
    first = min((event.at for event in events), default=memory.updated)
    return "Imported on", components.exact_time(first)


def _links(details: MemoryDetails) -> None:
    memory, related = details.memory, details.related
    ties = [("Replaces", memory.supersedes), ("Replaced by", memory.superseded_by)]
    ties += [("Derived from", id) for id in memory.derived_from]
    ties += [("Links to", one.resolved or one.target) for one in details.links.outgoing]
    ties += [("Linked from", one.source) for one in details.links.incoming]
    with section("Links and versions"):
        named = [(word, id) for word, id in ties if id]
        if not named:
            text_label("None yet. Write [[the name of another memory]] to link to it.", "cp-quiet")
        for word, id in named:
            with block("cp-row"):
                text_label(word, "cp-quiet cp-small")
                if id in related:
                    memory_link(related[id])
                else:
                    text_label(components.one_line(id, 80), "cp-quiet")


def _versions(history: History) -> None:
    versions = history.versions
    if len(versions) < 2:
        return
    with section("Versions"), block("cp-stack"):
        for old, new in reversed(list(pairwise(versions))):
            with block("cp-card"):
                text_label(
                    f"Version {new.version}, {plain_words.by_door(new.source)}, "
                    f"{components.exact_time(new.created)}",
                    "cp-quiet cp-small",
                )
                for kind, text in differences(old.content, new.content):
                    text_label(reveal_hidden(text[:20_000]), f"cp-diff cp-{kind}")


def _recalls(details: MemoryDetails) -> None:
    """The questions that found the memory, and the prompts that received it unasked."""
    recalled = [one for one in details.recalls if not was_for_prompt(one)]
    injected = [one for one in details.recalls if was_for_prompt(one)]
    with block("cp-two"):
        with section("Recalled for"), block("cp-list cp-recalled"):
            for one in recalled:
                _question(details.memory, one)
            if not recalled:
                text_label("No logged question found it yet.", "cp-quiet")
        with section("Injected for"), block("cp-list cp-injections"):
            if details.memory.always_load or details.memory.tier in ("identity", "critical"):
                text_label("The start of every session in its scope.", "cp-quiet")
            for one in injected:
                _question(details.memory, one)
            if not injected:
                text_label("No logged prompt received it yet.", "cp-quiet")


def _question(memory: Memory, one: Retrieval) -> None:
    place = [id for id, _ in one.results].index(memory.id)
    with block("cp-item cp-question"):
        with block():
            text_label(components.one_line(one.query, 200))
            text_label(components.exact_time(one.at), "cp-quiet cp-small")
        with block("cp-facts"):
            text_label(f"place {place + 1}, score {one.results[place][1]:.2f}")
            if was_for_prompt(one):
                text_label("injected" if memory.id in handed_ids(one) else "left out")
