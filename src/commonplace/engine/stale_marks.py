"""Anchor memories at a save, and mark those whose files have changed when they are handed over."""

from __future__ import annotations

import os

from ..locations import PREFIX
from ..model.memory import Why
from ..projects import known_roots, project_of, work_tree_top
from .branch_view import HASTY, branch_view, branch_warnings
from .catch_up import with_index
from .rival_values import open_disputes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..model.memory import Hit, Memory, Recalled
    from ..model.results import MemoryMarks
    from ..rules.anchors.anchor import CheckedAnchor
    from ..rules.handed_over.digest import Offer
    from ..work_tree import WorkTree
    from .anchor_checks import AnchorChecker
    from .engine import Engine

MOST_RANKED = 12
"""Best hits of a prompt that are checked for their rank; its lines are checked anyway."""
HASTY_S, PATIENT_S = 0.1, 2.0
"""Processor time after which no further memory is checked: for a host's hook, and for others."""
RELOCATE_SHARE = 0.3
"""The share of that time to look for what is no longer in its place."""
STALE_SHARE = 0.9
"""The share of its score that a stale hit keeps."""
PAGE, MOST_EVENTS = 500, 100_000
"""Memories whose changes are read at once, and changes that are read."""
ANCHOR_PART = "anchor"
"""The part of a hit's reasons that says that it is stale."""


def project_here(engine: Engine) -> str | None:
    """The project that the caller works in: of the context, else of the folder."""
    if engine.context.project is not None or not engine.folder:
        return engine.context.project
    return project_of(engine.folder, engine.settings, os.environ) or None


def work_tree(engine: Engine) -> WorkTree | None:
    """The files of the project that the caller works in; None if there is no such folder."""
    project, chosen = project_here(engine), engine.settings
    if not engine.folder or project is None:
        return None
    named = (str(chosen.hook_project), os.environ.get(f"{PREFIX}PROJECT"))
    if project not in named and project != project_of(engine.folder, chosen, os.environ):
        return None  # A command may act within another project.
    return _tree(work_tree_top(engine.folder, engine.settings.state, os.environ), engine.folder)


def tree_of_project(engine: Engine, project: str) -> WorkTree | None:
    """The files of a project: where the caller works, or where the device has seen the project."""
    if project_here(engine) == project and (tree := work_tree(engine)):
        return tree
    roots = [root for root, name in known_roots(engine.settings.state).items() if name == project]
    return next((tree for root in roots if (tree := _tree(root, root))), None)


def _tree(top: str, folder: str) -> WorkTree | None:
    # Imported here, as below: most answers have nothing to do with files.
    from ..work_tree import WorkTree

    return WorkTree(top, folder) if top and os.path.isdir(top) else None


def may_be_anchored(memory: Memory, project: str | None) -> bool:
    """Whether a memory is about a project, and no turn, line of `facts.md` or sealed one."""
    from ..notes.display import is_sealed
    from ..notes.facts import fits_facts_file

    return (
        project is not None
        and memory.scope.value("project") == project
        and memory.episode is None
        and not is_sealed(memory)
        and not fits_facts_file(memory.but(anchors=()))
    )


def anchored(engine: Engine, memories: Sequence[Memory]) -> list[Memory]:
    """The memories with the places in the project's files that they speak of."""
    project = project_here(engine) if engine.folder else None
    own = [one for one in memories if may_be_anchored(one, project)]
    if not own or (tree := work_tree(engine)) is None:
        return list(memories)
    from .anchor_checks import AnchorChecker, UnchangedAnchors
    from .anchors import FIND_S, find_anchors

    ids = {one.id for one in own}
    limit_s = FIND_S / len(own)
    found = [
        one.but(anchors=find_anchors(one.content, tree, limit_s=limit_s)) if one.id in ids else one
        for one in memories
    ]
    lines = [line for one in found if one.id in ids for line in one.anchors]
    # Remembered, so that the first prompt reads no file for what is as the text says.
    AnchorChecker(tree, limit_s=0.0, unchanged=UnchangedAnchors(engine.state)).check(lines)
    return found


def other_values(engine: Engine, memories: Sequence[Memory]) -> dict[str, str]:
    """By id: the value in a file, for each memory that gives a key of the file another one."""
    own = _anchored_here(engine, [one for one in memories if " = " in "".join(one.anchors)])
    check = checker(engine) if own else None
    if check is None:
        return {}
    from ..rules.anchors.anchor import file_says

    return {one.id: file_says(check.check(one.anchors)) for one in memories if one.id in own}


def anchored_again(engine: Engine, memory: Memory) -> Memory:
    """A memory that a person says is still true, anchored to the files as they are."""
    project = memory.scope.value("project")
    if not memory.anchors or project is None:
        return memory
    tree = tree_of_project(engine, project)
    if tree is None:
        return memory.but(anchors=())
    from .anchors import find_anchors

    return memory.but(anchors=find_anchors(memory.content, tree, confirmed=True))


def checker(engine: Engine) -> AnchorChecker | None:
    """Compares anchors with the files where the caller works; None if that is no project."""
    tree = work_tree(engine)
    if tree is None:
        return None
    from .anchor_checks import AnchorChecker, UnchangedAnchors

    limit_s = RELOCATE_SHARE * _limit_s(engine)
    return AnchorChecker(tree, limit_s=limit_s, unchanged=UnchangedAnchors(engine.state))


def _limit_s(engine: Engine) -> float:
    return HASTY_S if engine.source in HASTY else PATIENT_S


def _in_folders(
    engine: Engine, memories: Sequence[Memory]
) -> Iterator[tuple[Engine, list[Memory]]]:
    """The memories with the caller who compares them: in the own folder, or in each project's."""
    if not engine.sees_all_folders:
        yield engine, list(memories)
        return
    yield from _in_project_folders(engine, memories)


def _in_project_folders(
    engine: Engine, memories: Sequence[Memory]
) -> Iterator[tuple[Engine, list[Memory]]]:
    for project in {one.scope.value("project") for one in memories}:
        if project and (tree := tree_of_project(engine, project)):
            own = [one for one in memories if one.scope.value("project") == project]
            yield engine_at(engine, tree).but(folder=tree.top), own


def _words_of(engine: Engine, memories: Sequence[Memory]) -> dict[str, tuple[str, bool]]:
    """By id: how the files differ from what each memory says of them, and if it is stale."""
    found: dict[str, tuple[str, bool]] = {}
    for there, own in _in_folders(engine, [one for one in memories if one.anchors]):
        found |= _words_here(there, own)
    return found


def _words_here(engine: Engine, memories: Sequence[Memory]) -> dict[str, tuple[str, bool]]:
    """The same for a caller in a folder.

    Once the time is over, a memory is only said to be unchecked.
    """
    own = _anchored_here(engine, memories)
    here = {one.id: one for one in memories if one.id in own}
    check = checker(engine) if here else None
    if check is None:
        return {}
    from ..rules.anchors.anchor import NOT_CHECKED, stale_words
    from ..work_tree import TimeLimit

    limit = TimeLimit(_limit_s(engine))
    words: dict[str, tuple[str, bool]] = {}
    for id, memory in here.items():
        if limit.is_over():
            words[id] = NOT_CHECKED, False
            continue
        states = _states(engine, check, memory)
        words[id] = stale_words(states), any(one.stale for one in states)
    return words


def _states(engine: Engine, check: AnchorChecker, memory: Memory) -> list[CheckedAnchor]:
    """The states of a memory's anchors, as far as they are about its text.

    Not about it are values that a person has corrected by hand, and stale places that a text which
    was edited by hand no longer names.
    """
    from ..rules.anchors.anchor import has_followed, is_named

    text = memory.content
    states = [one for one in check.check(memory.anchors) if not has_followed(one, text)]
    unnamed = [one for one in states if one.stale and not is_named(one.anchor, text)]
    if unnamed and edited_since_noted(engine, [memory]):
        return [one for one in states if one not in unnamed]
    return states


def edited_since_noted(engine: Engine, memories: Sequence[Memory]) -> list[Memory]:
    """The memories whose texts were edited by hand after their places were noted."""
    from ..rules import audit

    last: dict[str, str] = {}
    ids = [one.id for one in memories]
    for at in range(0, len(ids), PAGE):
        asked = ids[at : at + PAGE]
        events = engine.ledger.events(visible=engine.visible, memories=asked, limit=MOST_EVENTS)
        for one in audit.without_abandoned(events):
            if one.digest and one.action not in audit.NO_CHANGE:
                last.setdefault(one.memory, one.digest)
    return [
        one for one in memories if last.get(one.id) not in (None, engine.content_fingerprint(one))
    ]


def _anchored_here(engine: Engine, memories: Sequence[Memory]) -> set[str]:
    """The ids of memories that speak of files of the project that the caller works in."""
    given = [one for one in memories if one.anchors]
    project = project_here(engine) if given and engine.folder else None
    return {one.id for one in given if project and one.scope.value("project") == project}


def mark_hits(engine: Engine, recalled: Recalled) -> None:
    """Mark the hits whose files have changed, and let them stand a little lower."""
    if engine.sees_all_folders:
        warnings = warnings_of(engine, [hit.memory for hit in recalled])
        recalled[:] = [hit.but(warning=warnings.get(hit.memory.id, "")) for hit in recalled]
    anchored = [hit for hit in recalled if hit.memory.anchors]
    if engine.source == "hook":
        anchored = anchored[:MOST_RANKED]
    found = _words_of(engine, [hit.memory for hit in anchored])
    for hit in anchored:
        words, is_lower = found.get(hit.memory.id, ("", False))
        if words:
            _replace_hit(recalled, hit, words, lower=is_lower)
    if recalled and recalled.sure == "strong" and is_stale(recalled[0]):
        recalled.sure = "weak"


def is_stale(hit: Hit) -> bool:
    """Whether the files that a hit speaks of have changed."""
    return any(why.part == ANCHOR_PART for why in hit.why)


def _replace_hit(recalled: Recalled, hit: Hit, words: str, *, lower: bool) -> None:
    place = next(at for at, one in enumerate(recalled) if one is hit)
    if not lower:
        recalled[place] = hit.but(stale=words)
        return
    score = hit.score * STALE_SHARE
    why = Why(ANCHOR_PART, STALE_SHARE, words)
    del recalled[place]
    # Only past better ones: the order may follow more than scores.
    while place < len(recalled) and recalled[place].score > score:
        place += 1
    recalled.insert(place, hit.but(score=score, why=(*hit.why, why), stale=words))


def mark_offers(engine: Engine, offers: Sequence[Offer]) -> list[Offer]:
    """The offers, marked where the files that they speak of have changed."""
    if engine.sees_all_folders:
        warnings = warnings_of(engine, [one.memory for one in offers])
        offers = [one.but(warning=warnings.get(one.memory.id, "")) for one in offers]
    found = words_by_id(engine, [one.memory for one in offers if not one.stale])
    return [one.but(stale=one.stale or found.get(one.memory.id, "")) for one in offers]


def warnings_of(engine: Engine, memories: Sequence[Memory]) -> dict[str, str]:
    """By id: what to know of the commits of memories that belong to one.

    Those of other projects are compared with the folders of these, wherever the caller works.
    """
    tied = [one for one in memories if one.commit]
    found = branch_warnings(engine, tied)
    if not tied or not (engine.folder or engine.on_this_machine):
        return found
    here = project_here(engine)
    others = [one for one in tied if one.scope.value("project") != here]
    for there, own in _in_project_folders(engine, others):
        for one in own:
            found.pop(one.id, None)
        found |= branch_warnings(there, own)
    return found


def words_by_id(engine: Engine, memories: Sequence[Memory]) -> dict[str, str]:
    """How the files differ from what each memory says of them; only of those that differ."""
    return {id: words for id, (words, _) in _words_of(engine, memories).items() if words}


def marks_of(engine: Engine, memories: Sequence[Memory]) -> dict[str, MemoryMarks]:
    """The marks of memories that have some, by id, compared with where the caller works."""
    from ..model.results import MemoryMarks

    warnings, stale = warnings_of(engine, memories), words_by_id(engine, memories)
    disputes = with_index(engine, lambda: open_disputes(engine)) if memories else {}
    marked = dict.fromkeys(
        one.id for one in memories if one.id in warnings or one.id in stale or one.id in disputes
    )
    return {
        id: MemoryMarks(warnings.get(id, ""), stale.get(id, ""), disputes.get(id, ()))
        for id in marked
    }


def check_memories(
    engine: Engine, memories: Sequence[Memory], *, limit_s: float
) -> list[tuple[Memory, CheckedAnchor]]:
    """All anchors of memories of projects on this device, with their states.

    Without the memories of branches that are not merged in a project's folder: they speak of other
    files than those.
    """
    from .anchor_checks import AnchorChecker

    by_project: dict[str, list[Memory]] = {}
    for memory in memories:
        project = memory.scope.value("project")
        if memory.anchors and project is not None:
            by_project.setdefault(project, []).append(memory)
    found: list[tuple[Memory, CheckedAnchor]] = []
    for project, own in by_project.items():
        if (tree := tree_of_project(engine, project)) is None:
            continue
        there = engine_at(engine, tree)
        check = AnchorChecker(tree, limit_s=limit_s, checkout=there.checkout)
        view = branch_view(there, own)
        here = (memory for memory in own if not view.hides(memory))
        found += [(memory, one) for memory in here for one in _states(there, check, memory)]
    return found


def engine_at(engine: Engine, tree: WorkTree) -> Engine:
    """The engine for a caller who works in these files, at the HEAD of their repository."""
    opened = engine.open_checkout
    return engine.but(checkout=opened(tree.top, None)) if opened else engine
