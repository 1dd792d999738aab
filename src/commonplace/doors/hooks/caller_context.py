"""The caller of a hook: its context from environment and folder, and the settings of its host."""

from __future__ import annotations

import os
import zlib

from ...git_files import find_folders, is_within, read_head
from ...projects import ANY_FOLDER, ONLY_GIT, home_of, with_project
from ...settings import context as context_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...model.scope import Context
    from ...settings import Settings


HOST_FOLDERS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR")
"""Variables in which a host names the folder that its session began in."""


def context(environ: Mapping[str, str], chosen: Settings, cwd: str) -> Context:
    """The caller's context, with the project of its folder; an agent may have gone further down."""
    given = context_of(environ)
    found = with_project(given, chosen, cwd, environ, plain_folders=ONLY_GIT)
    if found != given:
        return found
    began = next((one for name in HOST_FOLDERS if (one := environ.get(name))), cwd)
    folder = began if is_within(cwd, began) else cwd
    return with_project(given, chosen, folder, environ, plain_folders=ANY_FOLDER)


def head_of(folder: str) -> dict[str, object]:
    """The commit and branch that a folder's working tree stands on; nothing elsewhere."""
    folders = find_folders(folder, home_of(os.environ))
    head = read_head(folders) if folders else None
    return {"commit": head.commit, "branch": head.branch} if head else {}


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
    from ...rules.handed_over.digest_settings import resolve_digest_settings

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
