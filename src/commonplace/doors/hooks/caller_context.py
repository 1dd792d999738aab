"""Who is asking, when a host asks: what the environment says, and the project it works in."""

from __future__ import annotations

import os
import zlib

from ...model.errors import BadScope
from ...settings import context as context_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...model.scope import Context
    from ...settings import Settings


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


# What a person has set about digests, as it holds for one host.


def for_host(chosen: Settings, host: str, who: Context) -> Settings:
    """The settings, with those of the host's own laid over what holds for every agent."""
    given = chosen.digest
    agents: Any = given.get("agents")
    if who.agent is not None or not _named(agents) or host not in agents:
        return chosen
    default: Any = given.get("default")
    own: Any = agents[host]
    if own is None or not _named(default or own, own):
        return chosen
    return chosen.but(digest={**given, "default": _laid_over(default or {}, own)})


def switched_off(chosen: Settings, who: Context) -> bool:
    """Whether nothing is to be handed over at all."""
    if not chosen.digest:
        return False
    from ...rules.digest_settings import resolve

    return not resolve(chosen.digest, who.agent).enabled


def mark(digest: Mapping[str, Any]) -> int:
    """Tells whether two processes have been set the same."""
    if not digest:
        return 0
    import json

    return zlib.crc32(json.dumps(digest, default=str).encode("ascii"))


def _laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    laid = {**under}
    for name, value in over.items():
        below: Any = laid.get(name)
        laid[name] = _laid_over(below, value) if _named(below, value) else value
    return laid


def _named(*values: object) -> bool:
    """Whether these are settings with names; what is not is complained of where it is used."""
    return all(isinstance(value, dict) for value in values)
