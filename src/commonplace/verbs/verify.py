"""Compare the memories of a project with its files: what they speak of may have changed."""

from __future__ import annotations

from ..engine.branch_view import branch_view, replaced_by_each
from ..engine.catch_up import with_index
from ..engine.change_set import ChangeSet
from ..engine.commit import commit
from ..engine.stale_marks import (
    check_memories,
    edited_since_noted,
    engine_at,
    tree_of_project,
    work_tree,
)
from ..model.errors import BadInput
from ..model.memory import LIVE
from ..model.value import Value
from ..ports.search_index import Where
from ..rules import access, audit
from ..rules.anchors.anchor import followed_anchors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.engine import Engine
    from ..model.memory import Memory
    from ..rules.anchors.anchor import CheckedAnchor
    from ..work_tree import WorkTree

PAGE = 1_000
RELOCATE_S = 5.0
"""Seconds to look for what is no longer in its place, for all memories together."""
_TO_DO = {
    "moved": "nothing, or name the new path: commonplace edit {name}",
    "changed": "read it, then save it again, or: commonplace correct {name} {right}",
    "another value": "mend the file, or: commonplace correct {name} {right}",
    "gone": "commonplace correct {name} {right}, or: commonplace forget {name}",
    "unknown": "the file cannot be read",
}
RIGHT_TEXT = '"the right text"'
MOST_SUGGESTED = 200
"""Characters of a text that is written out as its own correction."""


class VerifiedAnchor(Value):
    """One place that a memory speaks of, and whether it is as it was."""

    memory: str
    """The id of the memory."""
    name: str
    text: str
    anchor: str
    state: str
    """unchanged, moved, changed, gone, or unknown if the file cannot be read."""
    now: str = ""
    """The new path or value, where it is known."""
    to_do: str = ""


class AnchorsVerified(Value):
    """Result of comparing a project's memories with its files."""

    project: str
    memories: int
    """Memories that speak of files, definitions, keys or commands."""
    anchors: tuple[VerifiedAnchor, ...] = ()
    unmerged: int = 0
    """Memories of branches that are not merged here, which were passed over."""

    @property
    def stale(self) -> tuple[VerifiedAnchor, ...]:
        """Anchors that changed or are gone."""
        return tuple(one for one in self.anchors if one.state in ("changed", "gone"))


def verify(engine: Engine, project: str | None = None) -> AnchorsVerified:
    """Check every anchor of the project that the caller works in, or of one on this machine."""
    found = tree_of_project(engine, project) if project else work_tree(engine)
    project = project or engine.context.project
    if project is None or found is None:
        raise BadInput(
            "This folder is no project whose memories could be compared with its files.",
            hint="Run `commonplace verify` in the folder of a project, such as a git repository.",
        )
    there = engine_at(engine, found)
    memories, unmerged = with_index(engine, lambda: _holding(there, _anchored(engine, project)))
    memories = _noted_again(engine, memories, found)
    checked = check_memories(engine, memories, limit_s=RELOCATE_S)
    anchors = tuple(_verified(memory, one) for memory, one in checked)
    return AnchorsVerified(project, len(memories), anchors, unmerged)


def _noted_again(engine: Engine, memories: list[Memory], tree: WorkTree) -> list[Memory]:
    """The memories; those whose texts were edited by hand with the places of their new texts."""
    edited = [one for one in edited_since_noted(engine, memories) if _is_written_here(engine, one)]
    if not edited:
        return memories
    # Imported here: most looks find no text that was edited.
    from ..engine.anchors import find_anchors

    with engine.store.lease() as lease:
        stored = engine.store.read([one.id for one in edited], visible=engine.visible)
        changes = ChangeSet()
        for one in edited_since_noted(engine, [*stored.values()]):
            found = find_anchors(one.content, tree)
            again = one.but(anchors=followed_anchors(one.anchors, found, one.content))
            changes.change(audit.ANCHORED, again, before=one)
        done = commit(engine, lease, changes).memories
    noted = [done.get(one.id, one) for one in memories]
    return [one for one in noted if one.anchors]


def _is_written_here(engine: Engine, memory: Memory) -> bool:
    """Whether the caller may write a memory, and its stored record is the one that is shown."""
    return memory.status in LIVE and access.may_write(engine.context, memory.scope)


def _holding(engine: Engine, anchored: list[Memory]) -> tuple[list[Memory], int]:
    """The memories that hold at HEAD, with those that a branch alone has replaced.

    Also the number of memories of unmerged branches, which speak of the files there.
    """
    view = branch_view(engine, anchored)
    hidden = [one for one in anchored if view.hides(one)]
    older = replaced_by_each(engine, hidden).values()
    replaced = {old.id: old for each in older for old in each if old.anchors}
    here = {one.id: one for one in anchored if not view.hides(one)}
    return list((here | replaced).values()), len(hidden)


def _anchored(engine: Engine, project: str) -> list[Memory]:
    """The live memories of a project that have anchors, oldest first."""
    found: list[Memory] = []
    offset = 0
    while page := engine.index.select(
        Where(statuses=LIVE, in_conversation=False),
        visible=engine.visible,
        order="oldest",
        limit=PAGE,
        offset=offset,
    ):
        found += [one for one in page if one.anchors and one.scope.value("project") == project]
        offset += PAGE
    return found


def _verified(memory: Memory, checked: CheckedAnchor) -> VerifiedAnchor:
    name = memory.slug or memory.id
    other = checked.state == "changed" and bool(checked.anchor.value)
    to_do = _TO_DO.get("another value" if other else checked.state, "")
    return VerifiedAnchor(
        memory.id,
        name,
        memory.content,
        str(checked.anchor),
        checked.state,
        checked.now,
        to_do.format(name=name, right=_right_text(memory, checked)),
    )


def _right_text(memory: Memory, checked: CheckedAnchor) -> str:
    """The text with the new value, for a shell; a placeholder if it cannot be told."""
    old, text = checked.anchor.value, memory.content
    if not (old and checked.now and text.count(old) == 1) or len(text) > MOST_SUGGESTED:
        return RIGHT_TEXT
    from shlex import quote

    return quote(" ".join(text.replace(old, checked.now).split()))
