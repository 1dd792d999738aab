"""Read in a host's own settings whether hooks come by a plugin, are switched off, or not trusted.

Settings are read as the hosts document them. A file that is missing or unreadable forbids nothing:
the host itself, or the edit of the file, says what is wrong with it.
"""

from __future__ import annotations

import os
import sys
import tomllib
from typing import TYPE_CHECKING, Any, cast

from ...distribution import NAME as PACKAGE
from ...model.errors import BadInput
from ...model.value import Value
from ...projects import is_within
from .pieces import NAME
from .settings_json import extra_comma, parse_json
from .settings_toml import read_toml, remove_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .hosts import Host

SWITCHED_OFF = "has hooks switched off, in {}"


class HooksBlocked(Value):
    """Why a host runs no hooks of ours, in one sentence, and what to do."""

    what: str
    hint: str
    until_trusted: bool = False
    """Whether the host only waits for the person to trust the hooks, as for all new ones."""


def hooks_blocked(host: Host, environ: Mapping[str, str], folder: str = "") -> HooksBlocked | None:
    """Why a host runs no hooks of ours in a folder; None if its settings let it."""
    rule = _RULES.get(host.name)
    return rule(host, environ, folder) if rule else None


def own_plugin(host: Host, environ: Mapping[str, str], folder: str = "") -> str:
    """Name of our plugin that brings hooks to a host; empty if it is off, or not there.

    Only Claude Code's does. Other projects have a plugin called commonplace, so that the hooks of
    the plugin are read as well.
    """
    if host.name != "claude":
        return ""
    enabled: dict[str, Any] = {}
    for file in reversed(_claude_files(host, environ, folder)):
        enabled |= _object(_json(file).get("enabledPlugins"))
    listed = os.path.join(host.home(environ), "plugins", "installed_plugins.json")
    installed = _object(_json(listed).get("plugins"))
    for name, on in enabled.items():
        if on is True and name.split("@")[0] == NAME:
            entries = installed.get(name)
            places = cast("list[Any]", entries if isinstance(entries, list) else [entries])
            if any(_runs_us(str(_object(one).get("installPath", ""))) for one in places):
                return name
    return ""


def _runs_us(plugin: str) -> bool:
    """Whether a plugin's hooks start this package."""
    folder = os.path.join(plugin, "hooks")
    try:
        names = os.listdir(folder) if plugin else []
    except OSError:
        return False
    return any(PACKAGE in _text(os.path.join(folder, name)) for name in names)


def _claude(host: Host, environ: Mapping[str, str], folder: str) -> HooksBlocked | None:
    managed, *others = _claude_files(host, environ, folder)
    if _json(managed).get("allowManagedHooksOnly") is True:
        return HooksBlocked(
            f"runs only the hooks of your organization ({managed})",
            "Ask its administrator; MCP still works.",
        )
    for file in (managed, *others):
        off = _json(file).get("disableAllHooks")
        if off is True:
            return _off(file, "Remove disableAllHooks there.")
        if off is False:
            return None  # The files after it count less.
    return None


def _claude_files(host: Host, environ: Mapping[str, str], folder: str) -> list[str]:
    """The settings files of Claude Code, those that count most first."""
    managed = {
        "darwin": "/Library/Application Support/ClaudeCode",
        "win32": r"C:\Program Files\ClaudeCode",
    }.get(sys.platform, "/etc/claude-code")
    own = os.path.join(folder, ".claude")
    here = [os.path.join(own, name) for name in ("settings.local.json", "settings.json")]
    return [
        os.path.join(managed, "managed-settings.json"),
        *(here if folder else ()),
        os.path.join(host.home(environ), "settings.json"),
    ]


def _codex(host: Host, environ: Mapping[str, str], folder: str) -> HooksBlocked | None:
    home = host.home(environ)
    config = os.path.join(home, "config.toml")
    try:
        settings = tomllib.loads(_text(config))
    except tomllib.TOMLDecodeError:
        return None
    features = _object(settings.get("features"))
    for name in ("hooks", "codex_hooks"):
        if features.get(name) is False:
            return _off(config, f"Remove {name} = false from [features] there.")
    states = _object(_object(settings.get("hooks")).get("state"))
    hooks = list(_codex_hooks(host, os.path.join(home, "hooks.json")))
    known = [_object(next((states[key] for key in keys if key in states), None)) for keys in hooks]
    if any(one.get("enabled") is False for one in known):
        return HooksBlocked(
            "has these hooks switched off", "Type /hooks in Codex, and switch them on."
        )
    if not all(one.get("trusted_hash") for one in known):
        return HooksBlocked(
            "does not trust these hooks yet, and runs none that it does not trust",
            "Type /hooks in Codex, and trust them; it also asks at its start.",
            until_trusted=True,
        )
    return None


def without_trust(host: Host, environ: Mapping[str, str], path: str, text: str) -> str:
    """A settings file without what Codex has written into it about our hooks.

    Read before our hooks go: Codex names them by their place in their file.
    """
    home = host.home(environ)
    if host.name != "codex" or path != os.path.abspath(os.path.join(home, "config.toml")):
        return text
    states = ("hooks", "state")
    before = text
    for keys in _codex_hooks(host, os.path.join(home, "hooks.json")):
        for key in keys:
            text = remove_entry(text, (*states, key))
    hooks = _object(read_toml(text).get("hooks"))
    if text != before and hooks.get("state") == {}:
        text = remove_entry(text, states if len(hooks) > 1 else states[:1])
    return text


def _codex_hooks(host: Host, file: str) -> Iterator[tuple[str, ...]]:
    """The names that Codex may store the state of each of our hooks under."""
    events = _object(_json(file).get("hooks"))
    files = dict.fromkeys((os.path.abspath(file), os.path.realpath(file)))
    for event in host.events.values():
        label = "".join(f"_{one.lower()}" if one.isupper() else one for one in event).lstrip("_")
        for group, entry in enumerate(_list(events.get(event))):
            for place, hook in enumerate(_list(_object(entry).get("hooks"))):
                if f" hook {host.name}" in str(_object(hook).get("command", "")):
                    yield tuple(f"{one}:{label}:{group}:{place}" for one in files)


def _gemini(host: Host, environ: Mapping[str, str], folder: str) -> HooksBlocked | None:
    places = [os.path.join(folder, host.folder), host.home(environ)]
    for place in dict.fromkeys(places if folder else places[1:]):
        file = os.path.join(place, "settings.json")
        if (row := extra_comma(_text(file))) is not None:
            return HooksBlocked(
                f"does not start: line {row} of {file} ends a list or an object with a comma",
                "Remove that comma.",
            )
        settings = _json(file)
        config, hooks = _object(settings.get("hooksConfig")), _object(settings.get("hooks"))
        tools = _object(settings.get("tools"))
        # The second and third are names of earlier versions.
        if False in (config.get("enabled"), hooks.get("enabled"), tools.get("enableHooks")):
            return _off(file, "Set hooksConfig.enabled to true there.")
        off = [*_list(config.get("disabled")), *_list(hooks.get("disabled"))]
        if any(one == NAME or f" hook {host.name}" in str(one) for one in off):
            return _off(file, f"Type /hooks enable {NAME} in Gemini CLI.")
    return None


def trust_missing(host: Host, environ: Mapping[str, str], folder: str) -> str:
    """A sentence where Gemini CLI does not trust a folder, in which it runs nothing of ours."""
    if host.name != "gemini" or environ.get("GEMINI_CLI_TRUST_WORKSPACE") == "true":
        return ""
    home = host.home(environ)
    security = _object(_json(os.path.join(home, "settings.json")).get("security"))
    named = environ.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
    answers = _json(named or os.path.join(home, "trustedFolders.json"))
    if _object(security.get("folderTrust")).get("enabled") is False or _trusts(answers, folder):
        return ""
    return f"It does not trust {folder} yet, and runs no hooks or servers there until you say so."


def _trusts(answers: Mapping[str, Any], folder: str) -> bool:
    """Whether a person's answer for a folder, or for the nearest one around it, trusts it."""
    nearest, trusted = "", False
    for path, answer in answers.items():
        place = os.path.realpath(os.path.dirname(path) if answer == "TRUST_PARENT" else path)
        if is_within(os.path.realpath(folder), place) and len(place) >= len(nearest):
            nearest, trusted = place, answer in ("TRUST_FOLDER", "TRUST_PARENT")
    return trusted


def _copilot(host: Host, environ: Mapping[str, str], folder: str) -> HooksBlocked | None:
    home = host.home(environ)
    for name in ("settings.json", "config.json", os.path.join("hooks", f"{NAME}.json")):
        file = os.path.join(home, name)
        if _json(file).get("disableAllHooks") is True:
            return _off(file, "Remove disableAllHooks there.")
    return None


_RULES: Mapping[str, Callable[[Host, Mapping[str, str], str], HooksBlocked | None]] = {
    "claude": _claude, "codex": _codex, "gemini": _gemini, "copilot": _copilot,
}  # fmt: skip
"""Cursor and opencode document no setting that stops hooks."""


def _off(file: str, hint: str) -> HooksBlocked:
    return HooksBlocked(SWITCHED_OFF.format(file), hint)


def _json(path: str) -> dict[str, Any]:
    """The object in a file, which may have comments; empty if there is none."""
    try:
        return _object(parse_json(_text(path)).value)
    except BadInput:
        return {}


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
