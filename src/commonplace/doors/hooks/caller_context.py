"""The caller of a hook: its context from environment and folder, and the settings of its host."""

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
    project = project_name(cwd) if hook_project == AUTO else hook_project
    try:
        return given.but(project=project) if project else given
    except BadScope:
        return given  # The folder's name is not allowed in a scope.


def project_name(cwd: str) -> str:
    """The name of the repository around a folder; empty outside of one."""
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
    """The repository of a worktree, from /repo/.git/worktrees/name."""
    with open(mark, encoding="utf-8", errors="replace") as file:
        said = file.readline().strip()
    repository, found, _ = said.removeprefix(_WORKTREE).partition("/.git/worktrees/")
    return repository if found else ""


def host_settings(chosen: Settings, host: str, who: Context) -> Settings:
    """The settings, with the host's own digest settings merged into the default ones."""
    given = chosen.digest
    agents: Any = given.get("agents")
    if who.agent is not None or not _all_mappings(agents) or host not in agents:
        return chosen
    default: Any = given.get("default")
    own: Any = agents[host]
    if own is None or not _all_mappings(default or own, own):
        return chosen
    return chosen.but(digest={**given, "default": _merged(default or {}, own)})


def is_switched_off(chosen: Settings, who: Context) -> bool:
    """Whether the settings disable context for this caller."""
    if not chosen.digest:
        return False
    from ...rules.digest_settings import resolve_digest_settings

    return not resolve_digest_settings(chosen.digest, who.agent).enabled


def digest_settings_hash(digest: Mapping[str, Any]) -> int:
    """A hash by which two processes compare their digest settings."""
    if not digest:
        return 0
    import json

    return zlib.crc32(json.dumps(digest, default=str).encode("ascii"))


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**under}
    for name, value in over.items():
        below: Any = merged.get(name)
        merged[name] = _merged(below, value) if _all_mappings(below, value) else value
    return merged


def _all_mappings(*values: object) -> bool:
    """Whether all values are mappings; others are reported where they are used."""
    return all(isinstance(value, dict) for value in values)
