"""Who is asking, when a host asks: what the environment says, and the project it works in."""

from __future__ import annotations

import os

from ...errors import BadScope
from ...settings import context as context_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...scope import Context

AUTO = "auto"
_WORKTREE = "gitdir: "


def context(environ: Mapping[str, str], hook_project: str, cwd: str) -> Context:
    """The caller's context; the environment's project wins over the setting `hook_project`."""
    given = context_of(environ)
    if given.project is not None or not hook_project:
        return given
    project = project_of(cwd) if hook_project == AUTO else hook_project
    try:
        return given.but(project=project) if project else given
    except BadScope:
        return given  # A folder may have a name that no scope can have.


def project_of(cwd: str) -> str:
    """The name of the repository around a folder; nothing outside of one."""
    here = os.path.realpath(cwd) if cwd else ""
    while here and here != os.path.dirname(here):
        mark = os.path.join(here, ".git")
        if os.path.isfile(mark):
            return os.path.basename(_main_folder(mark) or here)
        if os.path.exists(mark):
            return os.path.basename(here)
        here = os.path.dirname(here)
    return ""


def _main_folder(mark: str) -> str:
    """The repository that a worktree belongs to, from /repo/.git/worktrees/name."""
    with open(mark, encoding="utf-8", errors="replace") as file:
        said = file.readline().strip()
    repository, found, _ = said.removeprefix(_WORKTREE).partition("/.git/worktrees/")
    return repository if found else ""
