"""The coding agents (hosts) that can be connected: their settings files, and what goes in."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from ...model.errors import BadInput
from ...model.value import Value
from .pieces import NAME, Handler, Member, Piece, SkillFile, TomlBlock, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TIMES_S = {"start": 10, "prompt": 5, "turn": 5, "end": 3}
"""Timeouts given to the hosts. Hooks take far less; Codex allows 3 s at the end."""


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

    def home(self, environ: Mapping[str, str]) -> str:
        """The host's folder on this machine."""
        if self.variable and (named := environ.get(self.variable)):
            return os.path.expanduser(named)
        return os.path.join(environ.get("HOME") or os.path.expanduser("~"), self.folder)

    def wants(self, environ: Mapping[str, str], plan: ConnectionPlan) -> list[Piece]:
        """The pieces that its settings files need."""
        home = self.home(environ)
        # Every host looks for skills in this folder of its own.
        skill = SkillFile(os.path.join(home, "skills", NAME, "SKILL.md"))
        return [*self.pieces(self, home, plan), skill]


def program() -> tuple[str, ...]:
    """The command line that starts commonplace, with absolute paths."""
    name = "commonplace.exe" if sys.platform == "win32" else "commonplace"
    script = os.path.join(os.path.dirname(sys.executable), name)
    # -P keeps Python from importing a package `commonplace` in the agent's folder.
    return (script,) if os.path.exists(script) else (sys.executable, "-P", "-m", "commonplace")


def host(name: str) -> Host:
    """The host with a name."""
    if name not in HOSTS:
        raise BadInput(f"{name!r} is not a known coding agent.", hint=f"Use {', '.join(HOSTS)}.")
    return HOSTS[name]


def line(command: Sequence[str]) -> str:
    """A command as one line for the shell."""
    return subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)


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
        local = (f"command = {json.dumps(start)}", f"args = {json.dumps(arguments)}")
        lines = (f"url = {json.dumps(plan.mcp_url)}",) if plan.mcp_url else local
        pieces.append(TomlBlock(os.path.join(home, "config.toml"), "mcp_servers", lines))
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
        command = line((*plan.program, "hook", "copilot", event))
        handler = {
            "type": "command",
            "bash": command,
            "powershell": command,
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
        ),
    )
}  # fmt: skip
