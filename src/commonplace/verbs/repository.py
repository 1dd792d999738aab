"""Show what the book holds about a repository: its branches, and what is true on all of them."""

from __future__ import annotations

import os

from ..engine.branch_view import PATIENT_S
from ..engine.catch_up import with_index
from ..engine.stale_marks import tree_of_project
from ..model.checkout import HERE, UNMERGED
from ..model.memory import LIVE
from ..model.scope import Scope
from ..model.value import Value
from ..ports.search_index import Where
from ..projects import ONLY_GIT, project_of
from ..rules import branches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from ..engine.engine import Engine
    from ..model.checkout import GitHead
    from ..model.memory import Memory
    from ..ports.checkout import Checkout

PAGE, MOST_READ = 1_000, 20_000
"""Memories of a project that are read at once, and in all."""
MOST_GENERAL = 12
"""Newest general memories that are listed."""


class BranchFigures(Value):
    """The memories that were learned on one branch."""

    name: str
    """Empty for what was learned at a detached HEAD."""
    memories: int
    newest: datetime | None = None
    merged: int = 0
    """Memories whose commit is part of HEAD, or was merged by squash, rebase or cherry-pick."""
    unmerged: int = 0
    unknown: int = 0
    """Memories whose commit is not found in the repository, or no longer in its history."""


class RepositoryShown(Value):
    """A project's memories by branch; merges are those of the folder on this machine."""

    project: str
    branches: tuple[BranchFigures, ...]
    general: int
    """Memories of the project that hold on every branch."""
    newest_general: tuple[Memory, ...] = ()
    anchored: int = 0
    """Memories that speak of files, definitions, keys or commands."""
    folder: str = ""
    """Where the repository is on this machine; empty if it is not known, or not asked for."""
    head: GitHead | None = None


def repositories(engine: Engine, folder: str = "") -> tuple[str, ...]:
    """Projects with memories that belong to a commit, the most first, and the folder's project."""
    tied = Where(statuses=LIVE, tied=True)
    counts: dict[str, int] = {}
    found = with_index(engine, lambda: engine.index.count(tied, visible=engine.visible, by="scope"))
    for path, count in found.items():
        if project := Scope.parse(path).value("project"):
            counts[project] = counts.get(project, 0) + count
    here = project_of(folder, engine.settings, os.environ, plain_folders=ONLY_GIT) if folder else ""
    most_first = sorted(counts, key=lambda one: (-counts[one], one))
    return tuple(dict.fromkeys((*most_first, *filter(None, (here,)))))


def repository(engine: Engine, project: str, *, look: bool = True) -> RepositoryShown:
    """The memories of a project by branch; with `look`, compared with its folder on this machine.

    Without it no file is read, for a caller who is not this machine's user.
    """
    memories = with_index(engine, lambda: list(_memories_of(engine, project)))
    tied = [one for one in memories if one.commit]
    general = [one for one in memories if not one.commit]
    tree = tree_of_project(engine, project) if look else None
    opened = engine.open_checkout
    checkout = opened(tree.top, None) if opened and tree else None
    head = checkout.head() if checkout else None
    compared: Mapping[str, str] = {}
    if checkout and head and tied:
        asked = {where for one in tied if (where := branches.learned_at(one))}
        compared = checkout.compare(asked, limit_s=PATIENT_S)
    return RepositoryShown(
        project,
        tuple(_figures(tied, compared, head, checkout)),
        len(general),
        tuple(general[:MOST_GENERAL]),
        sum(bool(one.anchors) for one in memories),
        tree.top if tree else "",
        head,
    )


def _memories_of(engine: Engine, project: str) -> Iterator[Memory]:
    """The live memories of a project without turns of conversations, newest first."""
    live = Where(statuses=LIVE, in_conversation=False)
    scopes = engine.index.count(live, visible=engine.visible, by="scope")
    own = tuple(one for one in scopes if Scope.parse(one).value("project") == project)
    offset = 0
    while own and offset < MOST_READ:
        page = engine.index.select(
            live.but(scopes=own),
            visible=engine.visible,
            order="newest",
            limit=PAGE,
            offset=offset,
        )
        yield from page
        offset += PAGE
        if len(page) < PAGE:
            return


def _figures(
    tied: Iterable[Memory],
    compared: Mapping[str, str],
    head: GitHead | None,
    checkout: Checkout | None,
) -> Iterator[BranchFigures]:
    """A row for each branch, by its present name: that of HEAD, then the newest memory's."""
    by_branch: dict[str, list[Memory]] = {head.branch: []} if head and head.branch else {}
    names: dict[str, str] = {}
    for one in tied:
        branch = one.branch or ""
        if branch not in names:
            now = checkout.present_name(branch, one.commit or "") if checkout and branch else ""
            names[branch] = now or branch
        by_branch.setdefault(names[branch], []).append(one)
    for name, memories in by_branch.items():
        verdicts = [compared.get(str(branches.learned_at(one)), "") for one in memories]
        merged, unmerged = verdicts.count(HERE), verdicts.count(UNMERGED)
        yield BranchFigures(
            name,
            len(memories),
            memories[0].created if memories else None,
            merged,
            unmerged,
            len(memories) - merged - unmerged if compared else 0,
        )
