"""Code: the branches of a repository, claims about files that changed, and what is general."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from nicegui import ui

from .. import components
from ..components import (
    block,
    empty_state,
    heading,
    link,
    memory_link,
    section,
    text_label,
    text_with_code,
)
from ..frame import CODE_PATH, Frame, frame
from ..markdown import snippet_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....book import Commonplace
    from ....verbs.repository import BranchFigures, RepositoryShown
    from ....verbs.verify import AnchorsVerified, VerifiedAnchor

MOST_BRANCHES, MOST_STALE = 60, 60
NO_BRANCH = "without a branch"
LISTED = ("changed", "gone", "moved")
"""States of anchors that are shown, the worst first."""


@ui.page(CODE_PATH)
async def repository(project: str = "") -> None:
    """Show the branches, claims and memories of one repository."""
    with frame("Code", CODE_PATH) as around:
        page = _Repository(around, project)
        await page.refresh()
        around.live(page.refresh)


class _Repository:
    def __init__(self, around: Frame, project: str) -> None:
        self._frame = around
        self._project = project
        self._shown: object = None
        self._page = block()
        self._anchors: ui.element | None = None

    async def refresh(self) -> None:
        """Redraw the page if it has changed; files are compared afterwards."""
        found = await self._frame.session.attempt(self._read)
        if found is None or found == self._shown:
            return
        self._shown = found
        projects, shown = found
        self._page.clear()
        with self._page:
            if shown is None:
                _nothing()
                return
            self._project = shown.project
            _title(shown, projects)
            with section("Branches"):
                _branches(shown)
            with section("Claims about files"):
                self._anchors = block("cp-stack")
                with self._anchors:
                    text_label(_before_check(shown, self._frame), "cp-quiet")
            with section("On every branch"):
                _general(shown)
        if shown.folder and shown.anchored:
            with self._page:
                # After the page itself: a large project has thousands of anchors.
                ui.timer(0.05, self._check, once=True)

    def _read(self, book: Commonplace) -> tuple[tuple[str, ...], RepositoryShown | None]:
        projects = self._frame.repositories(book)
        project = self._project or next(iter(projects), "")
        if not project:
            return projects, None
        return projects, book.repository(project, look=self._frame.session.on_this_machine)

    async def _check(self) -> None:
        found = await self._frame.session.attempt(lambda book: book.verify(self._project))
        if found is None or self._anchors is None:
            return
        self._anchors.clear()
        with self._anchors:
            _stale(found)


def _nothing() -> None:
    heading("Code")
    empty_state(
        "There are no memories of a repository yet.",
        "What an agent learns in a git repository belongs to its branch, and appears here.",
    )


def _title(shown: RepositoryShown, projects: Sequence[str]) -> None:
    heading(components.one_line(shown.project, 80), _compared_with(shown))
    if len(projects) > 1:
        with block("cp-tools"):
            for one in projects:
                here = " cp-here" if one == shown.project else ""
                link(one, f"{CODE_PATH}?{urlencode({'project': one})}", f"cp-choice{here}")


def _compared_with(shown: RepositoryShown) -> str:
    if shown.head is None and shown.folder:
        return f"{shown.folder} has no commits yet, so there is nothing to compare with."
    if shown.head is None:
        return "A repository that is not on this machine, or not for you to see."
    where = f"branch {shown.head.branch}" if shown.head.branch else "a detached HEAD"
    return f"Compared with {shown.folder}, {where} at {shown.head.commit[:10]}."


def _branches(shown: RepositoryShown) -> None:
    if not shown.branches:
        text_label("No memory belongs to a branch.", "cp-quiet")
        return
    with block("cp-list cp-branches"):
        for one in shown.branches[:MOST_BRANCHES]:
            _branch(one, shown)
    if len(shown.branches) > MOST_BRANCHES:
        text_label(f"and {len(shown.branches) - MOST_BRANCHES:,} more", "cp-quiet cp-small")


def _branch(one: BranchFigures, shown: RepositoryShown) -> None:
    here = shown.head is not None and one.name == shown.head.branch != ""
    with block("cp-item cp-branch"):
        with block():
            name = components.one_line(one.name or NO_BRANCH, 120)
            if one.name and one.memories:
                asked = urlencode({"branch": one.name, "project": shown.project})
                link(name, f"/?{asked}", "cp-name")
            else:
                text_label(name, "cp-strong-words")
            with block("cp-chips"):
                if here:
                    text_label("checked out", "cp-chip")
                for words, look in _standing(one, compared=shown.head is not None):
                    text_label(words, f"cp-chip {look}")
        newest = f" · {components.relative_time(one.newest)}" if one.newest else ""
        text_label(f"{components.plural(one.memories, 'memory')}{newest}", "cp-facts")


def _standing(one: BranchFigures, *, compared: bool) -> list[tuple[str, str]]:
    """How the memories of a branch stand to HEAD, in words with the look of each."""
    if not compared or not one.memories:
        return []
    counts = (
        (one.merged, "merged here", "cp-merged"),
        (one.unmerged, "not merged here", "cp-status-stale"),
        (one.unknown, "commit not found here", ""),
    )
    return [
        (words if count == one.memories else f"{count:,} {words}", look)
        for count, words, look in counts
        if count
    ]


def _before_check(shown: RepositoryShown, around: Frame) -> str:
    if not shown.anchored:
        return "No memory names a file, definition, key or command of this repository."
    speak = "speaks" if shown.anchored == 1 else "speak"
    said = f"{components.plural(shown.anchored, 'memory')} {speak} of files."
    if shown.folder:
        return f"{said} Comparing …"
    if not around.session.on_this_machine:
        return f"{said} Only the user of this machine sees what became of them."
    return f"{said} The repository's folder is not known on this machine."


def _stale(found: AnchorsVerified) -> None:
    counts = {state: sum(one.state == state for one in found.anchors) for state in LISTED}
    listed = [one for state in LISTED for one in found.anchors if one.state == state]
    places = components.plural(len(found.anchors), "place")
    said = ", ".join(f"{count:,} {state}" for state, count in counts.items() if count)
    text_label(f"{places} in files: {said or 'all as they were'}.", "cp-quiet")
    if found.unmerged:
        others = components.plural(found.unmerged, "memory")
        text_label(f"Passed over: {others} of branches not merged here (unmerged).", "cp-quiet")
    with block("cp-list cp-stale"):
        for one in listed[:MOST_STALE]:
            _stale_row(one)
    if len(listed) > MOST_STALE:
        more = len(listed) - MOST_STALE
        text_label(f"And {more:,} more: commonplace verify", "cp-quiet cp-small")


def _stale_row(one: VerifiedAnchor) -> None:
    place = one.anchor.partition(" @")[0]
    with block("cp-item cp-branch"):
        with block():
            link(snippet_text(one.text, 160), f"/memory/{one.memory}", "cp-name")
            text_label(components.one_line(place, 200), "cp-snippet cp-place-of")
        words = {"changed": f"now {one.now}", "moved": f"now in {one.now}"}.get(one.state, "")
        with block("cp-facts"):
            look = "cp-status-stale" if one.state == "moved" else "cp-stale-chip"
            text_label(one.state, f"cp-chip {look}")
            if one.now and words:
                text_label(components.one_line(words, 80))


def _general(shown: RepositoryShown) -> None:
    if not shown.general:
        text_with_code(
            "Nothing yet. Preferences are, and what `commonplace promote` unties.", "cp-quiet"
        )
        return
    text_label(
        f"{components.plural(shown.general, 'memory')} of the project "
        f"{'is' if shown.general == 1 else 'are'} handed over whichever branch is checked out.",
        "cp-quiet cp-above-list",
    )
    with block("cp-list cp-general"):
        for memory in shown.newest_general:
            with block("cp-item cp-branch"):
                memory_link(memory, "cp-name")
                facts = f"{memory.kind} · {components.relative_time(memory.created)}"
                text_label(facts, "cp-facts")
    if shown.general > len(shown.newest_general):
        asked = urlencode({"project": shown.project})
        link("All memories of the project", f"/?{asked}", "cp-link cp-small cp-all")
