"""The hosts we know: where their settings are, and what they need to know of us."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from ...model.errors import BadInput
from ...model.value import Value
from .pieces import Handler, Member, Piece, TomlBlock, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TIMES_S = {"start": 10, "prompt": 5, "turn": 5, "end": 3}
"""How long a host may wait at each moment. We take far less; Codex allows 3 s at the end."""


class Wanted(Value):
    """What to connect, and how we are started."""

    program: tuple[str, ...]
    mcp: bool = True
    mcp_url: str = ""
    """A running server instead of one that the host starts itself."""


class Host(Value):
    """One host."""

    name: str
    title: str
    folder: str
    """Its own folder below the home folder."""
    variable: str
    """Names another folder, where the host has such a variable."""
    events: Mapping[str, str]
    """Its events that we answer, by our name for the moment."""
    pieces: Callable[[Host, str, Wanted], list[Piece]]
    next: str = ""
    """What is left for the person to do."""

    def home(self, environ: Mapping[str, str]) -> str:
        """The host's folder on this machine."""
        if self.variable and (named := environ.get(self.variable)):
            return os.path.expanduser(named)
        return os.path.join(environ.get("HOME") or os.path.expanduser("~"), self.folder)

    def wants(self, environ: Mapping[str, str], wanted: Wanted) -> list[Piece]:
        """What has to be in its files."""
        return self.pieces(self, self.home(environ), wanted)


def program() -> tuple[str, ...]:
    """How we are started from anywhere: the installed command beside this Python, by its path."""
    name = "commonplace.exe" if sys.platform == "win32" else "commonplace"
    script = os.path.join(os.path.dirname(sys.executable), name)
    # -P: what the folder that an agent works in calls `commonplace` is not us.
    return (script,) if os.path.exists(script) else (sys.executable, "-P", "-m", "commonplace")


def host(name: str) -> Host:
    """A host by its name."""
    if name not in HOSTS:
        raise BadInput(f"{name!r} is not a host we know.", hint=f"Use {', '.join(HOSTS)}.")
    return HOSTS[name]


def line(command: Sequence[str]) -> str:
    """A command as one line for a shell."""
    return subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)


def _claude(host: Host, home: str, wanted: Wanted) -> list[Piece]:
    settings = os.path.join(home, "settings.json")
    pieces: list[Piece] = []
    for moment, event in host.events.items():
        handler = claude_handler(wanted.program, moment)
        pieces.append(Handler(settings, ("hooks", event), {"hooks": [handler]}, "hook claude"))
    beside = os.path.basename(home) == host.folder
    servers = os.path.join(os.path.dirname(home) if beside else home, ".claude.json")
    return pieces + _servers(servers, wanted, {"type": "stdio"}, {"type": "http"})


def claude_handler(program: Sequence[str], moment: str) -> dict[str, Any]:
    """A command in Claude Code's own words; with arguments apart, no shell reads it."""
    command, *arguments = (*program, "hook", "claude")
    # Never `async`: such hooks are not run when Claude Code ends right after its answer.
    return {"type": "command", "command": command, "args": arguments, "timeout": TIMES_S[moment]}


def _codex(host: Host, home: str, wanted: Wanted) -> list[Piece]:
    command = line((*wanted.program, "hook", "codex"))
    pieces: list[Piece] = []
    for moment, event in host.events.items():
        handler = {"type": "command", "command": command, "timeout": TIMES_S[moment]}
        value = {"hooks": [handler]}
        pieces.append(
            Handler(os.path.join(home, "hooks.json"), ("hooks", event), value, "hook codex")
        )
    if wanted.mcp:
        start, *arguments = (*wanted.program, "mcp")
        local = (f"command = {json.dumps(start)}", f"args = {json.dumps(arguments)}")
        lines = (f"url = {json.dumps(wanted.mcp_url)}",) if wanted.mcp_url else local
        pieces.append(TomlBlock(os.path.join(home, "config.toml"), "mcp_servers", lines))
    return pieces


def _gemini(host: Host, home: str, wanted: Wanted) -> list[Piece]:
    settings = os.path.join(home, "settings.json")
    command = line((*wanted.program, "hook", "gemini"))
    pieces: list[Piece] = []
    for moment, event in host.events.items():
        handler = {
            "type": "command",
            "name": "commonplace",
            "command": command,
            "timeout": 1_000 * TIMES_S[moment],
        }
        pieces.append(Handler(settings, ("hooks", event), {"hooks": [handler]}, "hook gemini"))
    if wanted.mcp_url:
        return pieces + _servers(settings, wanted, {}, {}, url="httpUrl")
    return pieces + _servers(settings, wanted, {}, {})


def _copilot(host: Host, home: str, wanted: Wanted) -> list[Piece]:
    # Copilot reads every file of this folder, so ours is a file of its own.
    file = os.path.join(home, "hooks", "commonplace.json")
    pieces: list[Piece] = [Version(file)]
    for moment, event in host.events.items():
        # What Copilot says does not name the event, so the command does.
        command = line((*wanted.program, "hook", "copilot", event))
        handler = {
            "type": "command",
            "bash": command,
            "powershell": command,
            "timeoutSec": TIMES_S[moment],
        }
        pieces.append(Handler(file, ("hooks", event), handler, "hook copilot"))
    every = {"tools": ["*"]}
    servers = os.path.join(home, "mcp-config.json")
    return pieces + _servers(servers, wanted, {"type": "local", **every}, {"type": "http", **every})


def _cursor(host: Host, home: str, wanted: Wanted) -> list[Piece]:
    file = os.path.join(home, "hooks.json")
    command = line((*wanted.program, "hook", "cursor"))
    pieces: list[Piece] = [Version(file)]
    for moment, event in host.events.items():
        handler = {"command": command, "timeout": TIMES_S[moment]}
        pieces.append(Handler(file, ("hooks", event), handler, "hook cursor"))
    return pieces + _servers(os.path.join(home, "mcp.json"), wanted, {}, {})


def _servers(
    file: str, wanted: Wanted, local: dict[str, Any], remote: dict[str, Any], url: str = "url"
) -> list[Piece]:
    if not wanted.mcp:
        return []
    command, *arguments = (*wanted.program, "mcp")
    value = {**local, "command": command, "args": arguments}
    if wanted.mcp_url:
        value = {**remote, url: wanted.mcp_url}
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
            next="Codex runs new hooks once you trust them: type /hooks in Codex.",
        ),
        Host(
            "gemini", "Gemini CLI", ".gemini", "",
            {
                "start": "SessionStart", "prompt": "BeforeAgent", "turn": "AfterAgent",
                "end": "SessionEnd",
            },
            _gemini,
        ),
        Host(
            "copilot", "Copilot CLI", ".copilot", "COPILOT_HOME",
            {
                "start": "sessionStart", "prompt": "userPromptSubmitted", "turn": "agentStop",
                "end": "sessionEnd",
            },
            _copilot,
            next="Copilot takes memories at the start of a session; within one, it asks by MCP.",
        ),
        Host(
            "cursor", "Cursor", ".cursor", "",
            {
                "start": "sessionStart", "prompt": "beforeSubmitPrompt",
                "turn": "afterAgentResponse", "end": "sessionEnd",
            },
            _cursor,
            next="Cursor takes memories at the start of a session; within one, it asks by MCP.",
        ),
    )
}  # fmt: skip
