"""How each host is run without a person, against a model on loopback."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.model.value import Value

from .machine import Machine
from .opencode import opencode_program
from .programs.install import NODE, PLACE
from .test_claude_code import program as claude_program

BIN = PLACE / "node_modules" / ".bin"


class Driver(Value):
    """One host: its command, its person's own settings, and how it rewrites them itself."""

    name: str
    ask: tuple[str, ...]
    """The arguments before a prompt."""
    add_server: tuple[str, ...]
    """Arguments by which the host registers a server of its person."""
    files: tuple[str, ...]
    """The settings files that hold servers or hooks."""
    own: Callable[[str], dict[str, str]]
    """Settings that a person wrote, by path in the home folder; takes the model's URL."""
    environ: Callable[[str], dict[str, str]]
    at_prompt: bool = True
    """Whether the host takes memories at each prompt."""

    def run(self, machine: Machine, url: str, *arguments: str) -> str:
        """Run the host in a home of its own, with nobody to call but the model given."""
        folder = machine.home / "mech-fighters"
        folder.mkdir(exist_ok=True)
        environ = {
            **machine.environ,
            "PATH": f"{NODE.parent}{os.pathsep}{machine.environ['PATH']}",
            **self.environ(url),
        }
        done = subprocess.run(
            [*self.command(), *arguments],
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.returncode == 0, done
        return done.stdout

    def command(self) -> tuple[str, ...]:
        """The host's program."""
        if self.name == "claude":
            return (str(claude_program()),)
        program = opencode_program() if self.name == "opencode" else BIN / self.name
        if not program.exists():
            pytest.fail("The hosts are not installed: run `make hosts`.")
        return (str(program),)

    def write_settings(self, machine: Machine, url: str) -> None:
        """The settings of a person who uses the model on loopback."""
        for name, text in self.own(url).items():
            path = machine.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def settings(self, home: Path) -> dict[str, str]:
        """The settings files as they are now."""
        paths = {name: home / name for name in self.files}
        return {name: path.read_text("utf-8") for name, path in paths.items() if path.exists()}


def _codex_settings(url: str) -> dict[str, str]:
    lines = (
        "# Ada's settings",
        'model = "gpt-5"   # the usual',
        'model_provider = "local"',
        "",
        "[model_providers.local]",
        'name = "Local"',
        f'base_url = "{url}/v1"',
        'wire_api = "responses"',
    )
    return {".codex/config.toml": "\n".join(lines) + "\n"}


def _gemini_settings(url: str) -> dict[str, str]:
    own = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False},
    }
    return {".gemini/settings.json": f"// Ada's settings\n{json.dumps(own, indent=2)}\n"}


def _opencode_settings(url: str) -> dict[str, str]:
    local = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {"stand-in": {}},
    }
    own = {"model": "local/stand-in", "provider": {"local": local}}
    return {".config/opencode/opencode.jsonc": f"// Ada's settings\n{json.dumps(own, indent=2)}\n"}


DRIVERS = {
    one.name: one
    for one in (
        Driver(
            "claude",
            ("--allowedTools", "mcp__commonplace__memory_search", "-p"),
            ("mcp", "add", "-s", "user", "weather", "weather-server"),
            (".claude.json", ".claude/settings.json"),
            lambda url: {".claude/settings.json": '{\n  "theme": "dark"\n}\n'},
            lambda url: {
                "ANTHROPIC_API_KEY": "none",
                "ANTHROPIC_BASE_URL": url,
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
                # Otherwise the tools of servers are looked up by another tool.
                "ENABLE_TOOL_SEARCH": "false",
            },
        ),
        Driver(
            "codex",
            (
                "exec",
                "--skip-git-repo-check",
                "--dangerously-bypass-hook-trust",
                "--dangerously-bypass-approvals-and-sandbox",
            ),
            ("mcp", "add", "weather", "--", "weather-server"),
            (".codex/config.toml", ".codex/hooks.json"),
            _codex_settings,
            lambda url: {},
        ),
        Driver(
            "gemini",
            ("--skip-trust", "--yolo", "--model", "gemini-2.5-pro", "-p"),
            ("mcp", "add", "-s", "user", "weather", "weather-server"),
            (".gemini/settings.json",),
            _gemini_settings,
            lambda url: {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url},
        ),
        Driver(
            "copilot",
            ("--allow-all-tools", "-p"),
            ("mcp", "add", "weather", "--", "weather-server"),
            (".copilot/mcp-config.json", ".copilot/hooks/commonplace.json"),
            lambda url: {".copilot/settings.json": '{\n  "banner": "never"\n}\n'},
            lambda url: {
                "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
                "COPILOT_MODEL": "gpt-4.1",
                "COPILOT_OFFLINE": "true",
                "COPILOT_AUTO_UPDATE": "false",
            },
            at_prompt=False,
        ),
        Driver(
            "opencode",
            ("run",),
            ("mcp", "add", "weather", "--", "weather-server"),
            (".config/opencode/opencode.jsonc", ".config/opencode/plugins/commonplace.js"),
            _opencode_settings,
            lambda url: {
                "OPENCODE_DISABLE_MODELS_FETCH": "1",
                "OPENCODE_DISABLE_AUTOUPDATE": "1",
                # opencode loads the types of plugins from npm before it loads a plugin.
                "npm_config_offline": "true",
            },
        ),
    )
}
