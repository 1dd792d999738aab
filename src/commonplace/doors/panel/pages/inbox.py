"""Inbox: pending decisions, and changes to curated memories with their undo."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from nicegui import ui

from ....model.memory import LIVE
from ....model.value import Value
from ....ports.search_index import Where
from ....rules import audit
from ....rules.proposals import PROPOSAL_KIND
from ....verbs.accept_many import needs_choice
from ....verbs.inbox import BOTH
from ... import plain_words
from .. import components
from ..components import (
    block,
    button,
    chips,
    empty_state,
    heading,
    link,
    marked_differences,
    memory_link,
    memory_text,
    section,
    text_label,
)
from ..edit_dialogs import MemoryActions
from ..frame import Frame, frame

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from ....book import Commonplace
    from ....model.memory import Memory
    from ....verbs.history import CuratedChange
    from ....verbs.inbox import InboxEntry

MOST = 50
DAYS = 7
QUESTIONS = {
    "remember": "Save this memory?",
    "archive": "Archive these memories?",
    "forget-about": "Forget these memories?",
    "merge": "Merge these memories?",
    "contradiction": "These cannot both be true. Which one is right?",
    "edit": "Change this memory?",
    "correct": "Correct this memory?",
    "forget": "Forget this memory?",
    "restore": "Bring this memory back?",
    "rename": "Rename this memory?",
    "revert": "Undo this change?",
    "flagged": "Is this memory harmful?",
    "supersede": "Does the newer one replace the older?",
    "promote": "Move this to a wider scope?",
    "pattern": "Is this the common pattern of these memories?",
    "confirm": "Is this right?",
}


SHORT = {
    "remember": "New memories",
    "archive": "To archive",
    "forget-about": "To forget",
    "merge": "To merge",
    "contradiction": "Contradictions",
    "supersede": "Newer versions",
    "promote": "Wider scope",
    "pattern": "Patterns",
    "confirm": "To confirm",
}


@ui.page("/inbox")
async def inbox(show: str = "") -> None:
    """The inbox page; `show` names one kind of decision."""
    with frame("Inbox", "/inbox") as around:
        heading("Inbox", "Pending decisions and automatic changes.")
        page = _Inbox(around, show)
        await page.refresh()
        around.live(page.refresh)


class _Inbox:
    def __init__(self, around: Frame, show: str) -> None:
        self._frame = around
        self._show = show
        self._actions = MemoryActions(around, self.refresh)
        self._shown: tuple[list[tuple[InboxEntry, Memory | None]], list[CuratedChange]] | None = (
            None
        )
        self._selected: set[str] = set()
        self._kinds = block("cp-tools")
        self._many = block("cp-row")
        self._waiting = block("cp-stack")
        with section(f"Changes to curated memories in the last {DAYS} days"):
            self._changes = block("cp-list")

    async def refresh(self) -> None:
        """Redraw the inbox if it has changed."""
        since = datetime.now(UTC) - timedelta(days=DAYS)
        found = await self._frame.session.attempt(
            lambda book: (
                [(one, _current_value(book, one.memory)) for one in book.inbox()],
                book.changes(since, limit=MOST),
            )
        )
        if found is None or found == self._shown:
            return  # A redraw would disturb a person who is about to click.
        self._shown = found
        waiting, changes = found
        self._draw_kinds([one.action for one, _ in waiting])
        shown = [pair for pair in waiting if self._show in ("", pair[0].action)]
        self._selected &= {one.memory.id for one, _ in shown}
        self._draw_many([one for one, _ in shown[:MOST]])
        self._waiting.clear()
        with self._waiting:
            self._draw_waiting(shown)
        self._changes.clear()
        with self._changes:
            for act in acts(changes):
                self._act(act)
            if not changes:
                text_label("No changes.", "cp-quiet")

    def _draw_kinds(self, actions: list[str]) -> None:
        """How many decisions there are of each kind, as links that show only these."""
        self._kinds.clear()
        counts = Counter(actions)
        choices = [("", f"All {len(actions)}")]
        choices += [(name, f"{_short(name)} {n}") for name, n in counts.most_common()]
        with self._kinds:
            for name, label in choices if len(counts) > 1 or self._show else []:
                here = " cp-here" if name == self._show else ""
                to = f"/inbox?show={name}" if name else "/inbox"
                chosen = link(label, to, f"cp-choice{here}")
                if here:
                    chosen.props("aria-current=true")

    def _draw_many(self, shown: list[InboxEntry]) -> None:
        """The buttons that accept several proposals, if there are several to accept."""
        ids = [one.memory.id for one in shown if not (needs_choice(one) or one.settled)]
        self._many.clear()
        with self._many:
            if len(ids) > 1:
                button(f"Accept all {len(ids)} shown", partial(self._accept_many, ids))
                button("Accept selected", partial(self._accept_many, None))

    def _select(self, id: str, *, selected: bool) -> None:
        (self._selected.add if selected else self._selected.discard)(id)

    async def _accept_many(self, ids: list[str] | None) -> None:
        chosen = sorted(self._selected) if ids is None else ids
        done = await self._frame.session.attempt(lambda book: book.accept_many(chosen))
        if done is not None:
            left = f" {len(done.left)} still wait." if done.left else ""
            await self._actions.done(f"{len(done.decided)} accepted.{left}", done.undo)

    def _draw_waiting(self, waiting: list[tuple[InboxEntry, Memory | None]]) -> None:
        for one, current in waiting[:MOST]:
            self._card(one, current)
        if len(waiting) > MOST:
            text_label(f"And {len(waiting) - MOST:,} more, after these.", "cp-quiet")
        if not waiting:
            empty_state(
                "No pending decisions.",
                "Contradictions and proposed changes to curated memories appear here.",
            )

    def _card(self, one: InboxEntry, current: Memory | None) -> None:
        memory = one.memory
        against = [current] if current is not None else list(one.about)
        with block("cp-card cp-stack cp-waiting"):
            question = QUESTIONS.get(one.action, _short(one.action))
            text_label("Settled already" if one.settled else question, "cp-empty-title")
            if one.why:
                text_label(one.why, "cp-quiet")
            if one.action == "contradiction" and len(one.about) > 1:
                self._sides(one)
            elif one.action == "remember" and len(against) == 1:
                _now_and_new(against[0], memory)
            else:
                memory_text(memory)
                if memory.kind != PROPOSAL_KIND:
                    chips(memory)
                for about in against:
                    with block("cp-alert"):
                        memory_link(about)
                        chips(about)
            with block("cp-row"):
                if one.settled:
                    button("Put away", partial(self._reject, memory.id, told="Put away."))
                elif not needs_choice(one):
                    box = ui.checkbox(value=memory.id in self._selected).props("dense")
                    box.props('aria-label="Select"').on_value_change(
                        lambda event: self._select(memory.id, selected=bool(event.value))
                    )
                    button("Accept", partial(self._accept, memory.id), look="strong")
                    button("Reject", partial(self._reject, memory.id))
                if one.disputes:
                    button("Keep both", partial(self._accept, memory.id, keep=BOTH))
                if one.action == "remember":
                    button("Edit", partial(self._actions.edit, memory))

    def _sides(self, one: InboxEntry) -> None:
        """The memories beside each other, with the words marked in which they differ."""
        with block("cp-sides"):
            for at, about in enumerate(one.about):
                other = one.about[1 if at == 0 else 0]
                with block("cp-side-of cp-alert"):
                    when = components.relative_time(about.created)
                    by = plain_words.by_door(about.source)
                    text_label(f"{when}, {by}", "cp-side-label")
                    _marked(about, other)
                    chips(about)
                    keep = partial(self._accept, one.memory.id, keep=about.id)
                    button("This one is right", keep)

    async def _accept(self, id: str, keep: str | None = None) -> None:
        decided = await self._frame.session.attempt(lambda book: book.accept(id, keep=keep))
        if decided is not None:
            told = "Both are kept." if keep == BOTH else "Accepted."
            await self._actions.done(told, [decided.memory.id])

    async def _reject(self, id: str, told: str = "Rejected.") -> None:
        decided = await self._frame.session.attempt(lambda book: book.reject(id))
        if decided is not None:
            await self._actions.done(told, [decided.memory.id])

    def _act(self, act: Act) -> None:
        event, memory = act.first.event, act.first.memory
        with block("cp-item cp-change"):
            text_label(components.exact_time(event.at), "cp-quiet cp-small")
            with block():
                done = f"{plain_words.action(event.action)} {plain_words.by_door(event.by)}"
                done += ", automatically" * event.automatic
                if memory is None:
                    count = components.plural(act.memories, "memory")
                    text_label(f"{count} {done}")
                    if event.action in audit.TOMBSTONES:
                        text_label("Neither a name nor a text is kept of it.", "cp-quiet cp-small")
                else:
                    text_label(done)
                    memory_link(memory)
                    if act.memories > 1:
                        others = components.plural(act.memories - 1, "other memory")
                        text_label(f"and {others} with it", "cp-quiet cp-small")
            if act.undo:
                button("Undo", partial(self._revert, event.id), look="small")

    async def _revert(self, event: str) -> None:
        if await self._frame.session.attempt(lambda book: book.revert(event)) is not None:
            await self._actions.done("Undone.")


AT_ONCE = timedelta(minutes=1)
"""Memories that went within so long after each other are one line."""


class Act(Value):
    """Changes to curated memories that one act of somebody made."""

    first: CuratedChange
    memories: int
    undo: bool
    """Whether there is anything to undo."""


def acts(changes: Sequence[CuratedChange]) -> list[Act]:
    """The changes, newest first, with one entry for what was done at once.

    Of memories that are gone only their end is told: nothing else of them has a name or an undo.
    """
    undone = {one.event.related[0] for one in changes if one.event.action == "reverted"
              and one.event.related}  # fmt: skip
    grouped: dict[tuple[object, ...], list[CuratedChange]] = {}
    for one in changes:
        event = one.event
        if one.memory is None and event.action in audit.UNDOABLE_ACTIONS:
            continue
        key: tuple[object, ...] = (event.action, event.by, event.automatic, one.memory is None)
        if one.memory is not None:
            # Links that follow a renamed memory name it.
            follows = event.action == "renamed" and event.related
            key = (*key, event.related[0] if follows else event.memory, event.at)
        elif (made := grouped.get(key)) and made[-1].event.at - event.at > AT_ONCE:
            # Nothing tells such changes apart but their times.
            grouped[(*key, made[-1].event.id)] = grouped.pop(key)
        grouped.setdefault(key, []).append(one)
    found: list[Act] = []
    for made in sorted(grouped.values(), key=lambda made: made[0].event.at, reverse=True):
        # The one that the others name was meant; they followed.
        named = {id for one in made for id in one.event.related}
        first = next((one for one in made if one.event.memory in named), made[0])
        found.append(Act(first, len({one.event.memory for one in made}), _undoable(first, undone)))
    return found


def _undoable(change: CuratedChange, undone: Container[str]) -> bool:
    event, memory = change.event, change.memory
    if memory is None or not change.revert or event.id in undone:
        return False
    if event.action in (*audit.RETIRED, "superseded"):
        return memory.status not in LIVE
    return memory.status in LIVE


def _current_value(book: Commonplace, memory: Memory) -> Memory | None:
    """The live fact that a pending fact would replace."""
    if memory.key is None:
        return None
    where = Where(key=memory.key, scopes=(str(memory.scope),), statuses=LIVE)
    hits = book.browse(where=where, limit=10)
    return next((hit.memory for hit in hits if hit.memory.namespace == memory.namespace), None)


def _short(action: str) -> str:
    return SHORT.get(action, action.replace("-", " ").capitalize())


def _now_and_new(now: Memory, new: Memory) -> None:
    with block("cp-sides"):
        for label, one, other in (("Now", now, new), ("If you accept", new, now)):
            with block(f"cp-side-of{' cp-current' if one is now else ''}"):
                text_label(f"{label}, {plain_words.by_door(one.source)}", "cp-side-label")
                _marked(one, other)
                chips(one)


def _marked(memory: Memory, other: Memory) -> None:
    html = marked_differences(memory.content, other.content)
    ui.html(html, sanitize=True).classes("cp-side-text").props("dir=auto")
    link("Open", f"/memory/{memory.id}", "cp-link cp-small")
