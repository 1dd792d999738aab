"""A host that has our hooks and does not run them, or runs them twice, is told of by `doctor`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from commonplace.doors.install.hosts import HOSTS, ConnectionPlan
from commonplace.doors.install.install import connect, connect_edits
from commonplace.doors.install.records import connections, problems
from commonplace.model.memory import Problem
from tests import ROOT
from tests.doors.shell import Shell

PROGRAM = ("/usr/local/bin/commonplace",)


class Home:
    """A home folder with coding agents in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {
            "HOME": str(folder),
            "COMMONPLACE_STATE": str(folder / "state"),
            "COMMONPLACE_CONFIG": str(folder / "config.yaml"),
        }

    def connect(self, host: str) -> None:
        """Write what `install` writes, without trying it first."""
        one, plan = HOSTS[host], ConnectionPlan(PROGRAM)
        state = self.environ["COMMONPLACE_STATE"]
        connect(one, connect_edits(one, self.environ, plan, state), state)

    def change(self, name: str, **members: Any) -> None:
        """Change members of a settings file, as a person or the host does."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        settings = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**settings, **members}))

    def add_plugin(self, source: Path = ROOT / "plugins" / "commonplace") -> None:
        """What Claude Code 2.1 leaves after `/plugin install`."""
        place = self.folder / ".claude" / "plugins" / "cache" / "commonplace"
        shutil.copytree(source, place)
        entry = {"scope": "user", "installPath": str(place), "version": "0.1.0"}
        self.change(
            ".claude/plugins/installed_plugins.json",
            version=2,
            plugins={"commonplace@commonplace": [entry]},
        )
        self.change(".claude/settings.json", enabledPlugins={"commonplace@commonplace": True})

    def told(self, title: str) -> Problem:
        [found] = [one for one in problems(self.environ) if one.where == title]
        return found


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.chdir(tmp_path)
    # The hooks of this test are those of a program that is somewhere else.
    monkeypatch.setattr("commonplace.doors.install.records.program", lambda _: PROGRAM)
    return Home(tmp_path)


def test_hooks_of_the_plugin_are_not_missing(home: Home) -> None:
    home.add_plugin()
    told = home.told("Claude Code")
    assert told.what == "is connected by its plugin"
    assert told.severity == "notice"
    [claude] = [one for one in connections(home.environ) if one.host == "claude"]
    assert claude.hooks
    assert claude.mcp


def test_plugin_and_settings_at_once_are_told_of(home: Home) -> None:
    home.connect("claude")
    home.add_plugin()
    told = home.told("Claude Code")
    assert "connected twice" in told.what
    assert told.severity == "warning"
    assert "commonplace uninstall claude" in told.hint
    assert "/plugin uninstall commonplace@commonplace" in told.hint


@pytest.mark.parametrize(
    ("host", "file", "content", "said"),
    [
        ("cursor", ".cursor/mcp.json", b"\xff\xfe", "is not UTF-8 text"),
        ("cursor", ".cursor/mcp.json", b'{"mcpServers": ', "Line 1 is not JSON"),
        ("codex", ".codex/config.toml", b"[mcp_servers\n", "This is not valid TOML"),
    ],
)
def test_settings_that_cannot_be_read_are_named_with_one_remedy(
    home: Home, host: str, file: str, content: bytes, said: str
) -> None:
    home.connect(host)
    path = home.folder / file
    path.write_bytes(content)
    told = home.told(HOSTS[host].title)
    assert told.what.startswith(f"has unreadable settings: {path}")
    assert said in told.what
    assert "codec" not in told.what
    assert "Repair" not in told.what
    assert told.hint == f"Repair that file. Then run `commonplace install {host}`."


def test_a_settings_file_without_text_is_no_problem(home: Home) -> None:
    home.connect("cursor")
    (home.folder / ".cursor" / "mcp.json").write_text("\n")
    assert home.told("Cursor").what == "is connected by hooks"


def test_a_plugin_that_is_switched_off_brings_nothing(home: Home) -> None:
    home.add_plugin()
    home.change(".claude/settings.json", enabledPlugins={"commonplace@commonplace": False})
    assert home.told("Claude Code").what == "is not connected"


def test_a_plugin_of_another_project_with_our_name_is_not_ours(home: Home, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "hooks").mkdir(parents=True)
    (other / "hooks" / "hooks.json").write_text('{"hooks": {}}')
    home.add_plugin(other)
    assert home.told("Claude Code").what == "is not connected"


@pytest.mark.parametrize("file", [".claude/settings.json", "work/.claude/settings.local.json"])
def test_hooks_that_claude_code_has_switched_off_are_told_of(
    home: Home, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.connect("claude")
    assert home.told("Claude Code").what == "is connected by hooks and MCP"
    home.change(file, disableAllHooks=True)
    monkeypatch.chdir(home.folder / Path(file).parent.parent)
    told = home.told("Claude Code")
    assert "has hooks switched off" in told.what
    assert file in told.what
    assert told.hint == "Remove disableAllHooks there."
    assert told.severity == "warning"


@pytest.mark.parametrize(
    ("host", "file"), [("claude", ".claude/settings.json"), ("copilot", ".copilot/settings.json")]
)
def test_installing_hooks_that_are_switched_off_is_not_called_all(
    vault_shell: Shell, host: str, file: str
) -> None:
    path = vault_shell.home / file
    path.parent.mkdir()
    path.write_text('{"disableAllHooks": true}')
    for _ in range(2):
        told = vault_shell.run("install", host, "--no-mcp").out
        assert f"has hooks switched off, in {path}. Remove disableAllHooks there." in told
        assert "gets memories" not in told


def test_installing_for_codex_says_that_it_asks_and_again_that_it_waits(vault_shell: Shell) -> None:
    told = vault_shell.run("install", "codex", "--no-mcp").out
    assert "it asks at its next start" in " ".join(told.split())
    told = " ".join(vault_shell.run("install", "codex", "--no-mcp").out.split())
    assert "already connected; nothing was changed. Codex CLI does not trust these hooks" in told


def test_a_folder_that_switches_hooks_on_again_is_believed(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.connect("claude")
    home.change(".claude/settings.json", disableAllHooks=True)
    home.change("work/.claude/settings.json", disableAllHooks=False)
    monkeypatch.chdir(home.folder / "work")
    assert home.told("Claude Code").what == "is connected by hooks and MCP"


def test_hooks_that_codex_does_not_trust_are_told_of_until_it_does(home: Home) -> None:
    home.connect("codex")
    told = home.told("Codex CLI")
    assert "does not trust these hooks" in told.what
    assert "/hooks" in told.hint
    config = home.folder / ".codex" / "config.toml"
    before = config.read_text()
    labels = ("session_start", "user_prompt_submit", "stop", "session_end")
    file = home.folder / ".codex" / "hooks.json"
    tables = [f'\n[hooks.state."{file}:{label}:0:0"]\ntrusted_hash = "5f"\n' for label in labels]
    config.write_text(before + "".join(tables))
    assert home.told("Codex CLI").what == "is connected by hooks and MCP"
    config.write_text(f"{before}{''.join(tables)}enabled = false\n")
    assert "switched off" in home.told("Codex CLI").what
    config.write_text(f"{before}\n[features]\nhooks = false\n{''.join(tables)}")
    told = home.told("Codex CLI")
    assert "has hooks switched off" in told.what
    assert "[features]" in told.hint


@pytest.mark.parametrize(
    "members",
    [
        {"hooksConfig": {"enabled": False}},
        {"hooksConfig": {"disabled": ["commonplace"]}},
        {"tools": {"enableHooks": False}},
    ],
)
def test_hooks_that_gemini_has_switched_off_are_told_of(
    home: Home, members: dict[str, Any]
) -> None:
    home.connect("gemini")
    assert home.told("Gemini CLI").what == "is connected by hooks and MCP"
    home.change(".gemini/settings.json", **members)
    told = home.told("Gemini CLI")
    assert "has hooks switched off" in told.what
    assert told.hint


def test_a_folder_that_gemini_does_not_trust_is_said_until_it_does(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.connect("gemini")
    work = home.folder / "work" / "garden"
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    told = home.told("Gemini CLI")
    assert told.what == "is connected by hooks and MCP"
    assert told.severity == "notice"
    assert f"It does not trust {work} yet" in told.hint
    for answers, trusted in (
        ({str(work): "TRUST_FOLDER"}, True),
        ({str(work.parent): "TRUST_FOLDER"}, True),
        ({str(work.parent / "mill"): "TRUST_PARENT"}, True),
        ({str(work.parent): "TRUST_FOLDER", str(work): "DO_NOT_TRUST"}, False),
        ({str(work / "inner"): "TRUST_FOLDER"}, False),
    ):
        (home.folder / ".gemini" / "trustedFolders.json").write_text(json.dumps(answers))
        assert (home.told("Gemini CLI").hint == "") == trusted, answers
    home.change(".gemini/settings.json", security={"folderTrust": {"enabled": False}})
    assert home.told("Gemini CLI").hint == ""


def test_a_comma_that_gemini_refuses_is_told_of(home: Home) -> None:
    path = home.folder / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "theme": "a,}",\n  "tools": {"allowed": ["ls", "cat"]}, // all,\n}\n')
    home.connect("gemini")
    told = home.told("Gemini CLI")
    assert told.what.startswith("does not start: line ")
    assert told.hint == "Remove that comma."
    text = path.read_text()
    row = int(told.what.split("line ")[1].split()[0])
    assert text.splitlines()[row - 1].rstrip().endswith(",")
    path.write_text(text.replace("},\n}\n", "}\n}\n"))
    assert home.told("Gemini CLI").what == "is connected by hooks and MCP"


def test_hooks_that_copilot_has_switched_off_are_told_of(home: Home) -> None:
    home.connect("copilot")
    assert home.told("Copilot CLI").what == "is connected by hooks and MCP"
    home.change(".copilot/settings.json", disableAllHooks=True)
    assert "has hooks switched off" in home.told("Copilot CLI").what


@pytest.mark.parametrize("host", HOSTS)
def test_settings_that_cannot_be_read_forbid_nothing(home: Home, host: str) -> None:
    home.connect(host)
    for name in (".claude/settings.local.json", ".copilot/settings.json", ".copilot/config.json"):
        path = home.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text('["not settings", ')
    told = home.told(HOSTS[host].title)
    assert "switched off" not in told.what
