"""The coding agents (hosts) that can be connected: their settings files, and what goes in."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from ...locations import PREFIX
from ...model.errors import BadInput
from ...model.scope import DIMENSIONS
from ...model.value import Value
from .pieces import (
    NAME,
    PLUGIN_NAME,
    SKILL,
    Handler,
    Member,
    Piece,
    PluginFile,
    SkillFile,
    TomlTable,
    Version,
)
from .settings_json import find, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TIMES_S = {"start": 10, "prompt": 5, "turn": 5, "end": 3}
"""Timeouts given to the hosts. Hooks take far less; Codex allows 3 s at the end."""

FORWARDED = [
    *(f"{PREFIX}{name}" for name in ("URL", "CONFIG", "STATE", *map(str.upper, DIMENSIONS))),
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
]
"""Variables that name the book and the caller. Codex hides from servers what is not listed."""


_PLAIN = re.compile(r"[\w:./\\-]+").fullmatch
"""Words that PowerShell takes as they are, such as a path of Windows without blanks."""


class ConnectionPlan(Value):
    """The parts to connect, and the command that starts commonplace."""

    program: tuple[str, ...]
    mcp: bool = True
    mcp_url: str = ""
    """URL of a running server; if empty, the host starts one itself."""


class Host(Value):
    """A coding agent that can be connected."""

    name: str
    title: str
    folder: str
    """Its folder in the home folder."""
    variable: str
    """Environment variable that names another folder, if the host has one."""
    events: Mapping[str, str]
    """The host's event names, by moment: start, prompt, turn, end."""
    pieces: Callable[[Host, str, ConnectionPlan], list[Piece]]
    next: str = ""
    """Next step for the person after the installation."""
    programs: tuple[str, ...] = ()
    """The names by which it is started; by default its own."""

    def is_here(self, environ: Mapping[str, str]) -> bool:
        """Whether this machine has its settings, or its program, which may not have run yet."""
        if os.path.isdir(self.home(environ)):
            return True
        folders = [one for one in environ.get("PATH", "").split(os.pathsep) if os.path.isabs(one)]
        names = [name + end for name in self.programs or (self.name,) for end in _PROGRAM_ENDINGS]
        return any(_is_program(os.path.join(one, name)) for one in folders for name in names)

    def home(self, environ: Mapping[str, str]) -> str:
        """The host's folder on this machine."""
        if self.variable and (named := environ.get(self.variable)):
            return os.path.expanduser(named)
        top, _, inner = self.folder.partition("/")
        if top == ".config" and (configs := environ.get("XDG_CONFIG_HOME")):
            return os.path.join(configs, inner)
        return os.path.join(environ.get("HOME") or os.path.expanduser("~"), self.folder)

    def wants(self, environ: Mapping[str, str], plan: ConnectionPlan) -> list[Piece]:
        """The pieces that its settings files need."""
        home = self.home(environ)
        # Every host looks for skills in this folder of its own.
        skill = SkillFile(os.path.join(home, "skills", NAME, SKILL))
        return [*self.pieces(self, home, plan), skill]


_PROGRAM_ENDINGS = (".exe", ".cmd") if sys.platform == "win32" else ("",)


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def host(name: str) -> Host:
    """The host with a name."""
    if name not in HOSTS:
        raise BadInput(f"{name!r} is not a known coding agent.", hint=f"Use {', '.join(HOSTS)}.")
    return HOSTS[name]


def line(command: Sequence[str]) -> str:
    """A command as one line for the shell."""
    return subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)


def powershell_line(command: Sequence[str]) -> str:
    """A command as one line for PowerShell, which takes a quoted path for text without `&`."""
    words = (one if _PLAIN(one) else "'{}'".format(one.replace("'", "''")) for one in command)
    return f"& {' '.join(words)}"


def _claude(host: Host, home: str, plan: ConnectionPlan) -> list[Piece]:
    settings = os.path.join(home, "settings.json")
    pieces: list[Piece] = []
    for moment, event in host.events.items():
        handler = claude_handler(plan.program, moment)
        pieces.append(Handler(settings, ("hooks", event), {"hooks": [handler]}, "hook claude"))
    beside = os.path.basename(home) == host.folder
    servers = os.path.join(os.path.dirname(home) if beside else home, ".claude.json")
    return pieces + _servers(servers, plan, {"type": "stdio"}, {"type": "http"})


def claude_handler(program: Sequence[str], moment: str) -> dict[str, Any]:
    """A hook in Claude Code's format; with a separate argument list, no shell parses it."""
    command, *arguments = (*program, "hook", "claude")
    # Never `async`: such hooks are not run when Claude Code ends right after its answer.
    return {"type": "command", "command": command, "args": arguments, "timeout": TIMES_S[moment]}


def _codex(host: Host, home: str, plan: ConnectionPlan) -> list[Piece]:
    command = line((*plan.program, "hook", "codex"))
    pieces: list[Piece] = []
    for moment, event in host.events.items():
        handler = {"type": "command", "command": command, "timeout": TIMES_S[moment]}
        value = {"hooks": [handler]}
        pieces.append(
            Handler(os.path.join(home, "hooks.json"), ("hooks", event), value, "hook codex")
        )
    if plan.mcp:
        start, *arguments = (*plan.program, "mcp")
        value: dict[str, Any] = {"command": start, "args": arguments, "env_vars": FORWARDED}
        if plan.mcp_url:
            value = {"url": plan.mcp_url}
        pieces.append(TomlTable(os.path.join(home, "config.toml"), ("mcp_servers",), value))
    return pieces


def _gemini(host: Host, home: str, plan: ConnectionPlan) -> list[Piece]:
    settings = os.path.join(home, "settings.json")
    command = line((*plan.program, "hook", "gemini"))
    pieces: list[Piece] = []
    for moment, event in host.events.items():
        handler = {
            "type": "command",
            "name": "commonplace",
            "command": command,
            "timeout": 1_000 * TIMES_S[moment],
        }
        pieces.append(Handler(settings, ("hooks", event), {"hooks": [handler]}, "hook gemini"))
    if plan.mcp_url:
        return pieces + _servers(settings, plan, {}, {}, url="httpUrl")
    return pieces + _servers(settings, plan, {}, {})


def _copilot(host: Host, home: str, plan: ConnectionPlan) -> list[Piece]:
    # Copilot reads every file of this folder, so ours is a file of its own.
    file = os.path.join(home, "hooks", "commonplace.json")
    pieces: list[Piece] = [Version(file)]
    for moment, event in host.events.items():
        # Copilot's JSON does not name the event, so the command does.
        command = (*plan.program, "hook", "copilot", event)
        handler = {
            "type": "command",
            "bash": shlex.join(command),
            "powershell": powershell_line(command),
            "timeoutSec": TIMES_S[moment],
        }
        pieces.append(Handler(file, ("hooks", event), handler, "hook copilot"))
    every = {"tools": ["*"]}
    servers = os.path.join(home, "mcp-config.json")
    return pieces + _servers(servers, plan, {"type": "local", **every}, {"type": "http", **every})


def _cursor(host: Host, home: str, plan: ConnectionPlan) -> list[Piece]:
    file = os.path.join(home, "hooks.json")
    command = line((*plan.program, "hook", "cursor"))
    pieces: list[Piece] = [Version(file)]
    for moment, event in host.events.items():
        handler = {"command": command, "timeout": TIMES_S[moment]}
        pieces.append(Handler(file, ("hooks", event), handler, "hook cursor"))
    return pieces + _servers(os.path.join(home, "mcp.json"), plan, {}, {})


def _opencode(host: Host, home: str, plan: ConnectionPlan) -> list[Piece]:
    command = (*plan.program, "hook", "opencode")
    times_ms = {event: 1_000 * TIMES_S[moment] for moment, event in host.events.items()}
    plugin = PluginFile(os.path.join(home, "plugins", PLUGIN_NAME), command, times_ms)
    if not plan.mcp:
        return [plugin]
    value: dict[str, Any] = {"type": "local", "command": [*plan.program, "mcp"]}
    if plan.mcp_url:
        value = {"type": "remote", "url": plan.mcp_url}
    return [plugin, Member(_opencode_settings(home), ("mcp",), value)]


def _opencode_settings(home: str) -> str:
    """The settings file that names us already, or else the one that opencode writes itself."""
    # opencode reads both files; a person may add the other one after an installation.
    files = [os.path.join(home, name) for name in ("opencode.jsonc", "opencode.json")]
    there = [file for file in files if os.path.exists(file)]
    return next(filter(_names_us, there), next(iter(there), files[-1]))


def _names_us(file: str) -> bool:
    try:
        with open(file, encoding="utf-8") as settings:
            return find(parse_json(settings.read()), ("mcp", NAME)) is not None
    except (OSError, UnicodeDecodeError, BadInput):
        return False  # The edit of the file says what is wrong with it.


def _servers(
    file: str, plan: ConnectionPlan, local: dict[str, Any], remote: dict[str, Any], url: str = "url"
) -> list[Piece]:
    if not plan.mcp:
        return []
    command, *arguments = (*plan.program, "mcp")
    value = {**local, "command": command, "args": arguments}
    if plan.mcp_url:
        value = {**remote, url: plan.mcp_url}
    return [Member(file, ("mcpServers",), value)]


_LIKE_CLAUDE = {
    "start": "SessionStart", "prompt": "UserPromptSubmit", "turn": "Stop", "end": "SessionEnd",
}  # fmt: skip
HOSTS = {
    one.name: one
    for one in (
        Host("claude", "Claude Code", ".claude", "CLAUDE_CONFIG_DIR", _LIKE_CLAUDE, _claude),
        Host(
            "codex", "Codex CLI", ".codex", "CODEX_HOME", _LIKE_CLAUDE, _codex,
            next="Codex runs new hooks once you trust them: it asks at its next start (Hooks need "
            "review), or type /hooks in Codex.",
        ),
        Host(
            "gemini", "Gemini CLI", ".gemini", "",
            {
                "start": "SessionStart", "prompt": "BeforeAgent", "turn": "AfterAgent",
                "end": "SessionEnd",
            },
            _gemini,
            next="Gemini CLI runs hooks and servers only in folders that you trust; it asks when "
            "it starts in a new one.",
        ),
        Host(
            "copilot", "Copilot CLI", ".copilot", "COPILOT_HOME",
            {
                "start": "sessionStart", "prompt": "userPromptSubmitted", "turn": "agentStop",
                "end": "sessionEnd",
            },
            _copilot,
            next="Copilot gets memories at the start of a session; later it asks for them by MCP.",
        ),
        Host(
            "cursor", "Cursor", ".cursor", "",
            {
                "start": "sessionStart", "prompt": "beforeSubmitPrompt",
                "turn": "afterAgentResponse", "end": "sessionEnd",
            },
            _cursor,
            next="Cursor gets memories at the start of a session; later it asks for them by MCP.",
            programs=("cursor", "cursor-agent"),
        ),
        Host(
            "opencode", "opencode", ".config/opencode", "OPENCODE_CONFIG_DIR",
            {
                "start": "session.created", "prompt": "chat.message", "turn": "session.idle",
                "end": "dispose",
            },
            _opencode,
            next="opencode loads the plugin when it is started again.",
        ),
    )
}  # fmt: skip
