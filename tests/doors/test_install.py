"""Connecting a host changes its settings once, and disconnecting it leaves no trace."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from commonplace import Commonplace, __version__
from commonplace.doors.install import install, pieces, settings_json
from commonplace.doors.install.hosts import HOSTS, ConnectionPlan, claude_handler, host, line
from commonplace.doors.install.pieces import skill_text
from commonplace.doors.install.settings_json import find, parse_json
from commonplace.doors.install.settings_toml import (
    append_table,
    read_toml,
    remove_entry,
    remove_table,
)
from commonplace.doors.server.mcp import tools_in_set
from commonplace.model.errors import BadInput
from tests import ROOT
from tests.hosts.accepted import ACCEPTED
from tests.hosts.machine import Machine, context_in, event_of, recorded
from tests.hosts.opencode import opencode_session

from .shell import Shell

COMMENTED = """{
    // Ada's own settings
    "theme": "dark",
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "beep"}]} // done
        ]
    },
    "mcpServers": {"weather": {"command": "weather", "args": []}}, /* keep */
}
"""
FILES = {
    "claude": (".claude/settings.json", ".claude.json"),
    "codex": (".codex/hooks.json", ".codex/config.toml"),
    "gemini": (".gemini/settings.json",),
    "copilot": (".copilot/hooks/commonplace.json", ".copilot/mcp-config.json"),
    "cursor": (".cursor/hooks.json", ".cursor/mcp.json"),
    "opencode": (".config/opencode/opencode.json",),
}


@pytest.fixture
def shell(vault_shell: Shell) -> Shell:
    """A person whose book knows one thing."""
    vault_shell.environ["COMMONPLACE_EMBEDDER"] = "none"
    vault_shell.environ["COMMONPLACE_HOOK_SECONDS"] = "30"
    vault_shell.run("fact", "set", "deploy.branch", "main")
    return vault_shell


def snapshot(home: Path) -> dict[str, bytes | None]:
    """Every file and folder of the hosts, with its content."""
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None
        for top in home.glob(".*")
        for path in (top, *top.rglob("*"))
    }


def fill(home: Path, host: str) -> None:
    """Settings that a person has written, in every file that we will change."""
    for name in FILES[host]:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = 'model = "o9"\n[tui]\ntheme = "dark"' if name.endswith("toml") else COMMENTED
        path.write_bytes(text.replace("\n", "\r\n").encode() if host == "cursor" else text.encode())


def value_in(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    return tomllib.loads(text) if path.suffix == ".toml" else parse_json(text).value


@pytest.mark.parametrize("there_before", [False, True], ids=["new", "used"])
@pytest.mark.parametrize("host", FILES)
def test_a_home_is_as_before_after_a_whole_session(
    shell: Shell, host: str, there_before: bool
) -> None:
    if there_before:
        fill(shell.home, host)
    before = snapshot(shell.home)
    shell.run("install", host)
    for name in FILES[host]:
        assert "commonplace" in (shell.home / name).read_text(encoding="utf-8")
    heard = [context_in(said) for said in fire(shell, host, recorded(host)[: 9 * there_before + 1])]
    assert "deploy.branch: main" in heard[0]
    shell.run("uninstall", host)
    assert snapshot(shell.home) == before
    assert not (shell.home / "state" / "hosts").exists()


def fire(shell: Shell, host: str, events: list[dict[str, Any]]) -> list[str]:
    """Run what the host's settings say should be run at these events."""
    if host == "opencode":
        return [json.dumps({"additionalContext": opencode_session(shell.environ)["context"]})]
    settings = value_in(shell.home / FILES[host][0])
    heard: list[str] = []
    for event in events:
        name = event.pop("command", None) or event["hook_event_name"]
        for command in commands_for(settings["hooks"].get(name, [])):
            if "beep" in command:
                continue
            done = subprocess.run(
                command,
                shell=isinstance(command, str),
                input=json.dumps(event).encode(),
                env=shell.environ,
                capture_output=True,
                timeout=60,
                check=True,
            )
            assert done.stderr == b""
            if (host, name) in ACCEPTED and done.stdout:
                heard.append(done.stdout.decode())
            else:
                assert done.stdout == b""
    return heard


def commands_for(handlers: list[dict[str, Any]]) -> list[Any]:
    """The commands of an event, whichever way its host writes them."""
    found: list[Any] = []
    for one in handlers:
        for handler in one.get("hooks", [one]):
            if "args" in handler:
                found.append([handler["command"], *handler["args"]])
            else:
                found.append(handler.get("bash") or handler["command"])
    return found


@pytest.mark.parametrize("host", FILES)
def test_installing_twice_is_installing_once(shell: Shell, host: str) -> None:
    fill(shell.home, host)
    shell.run("install", host)
    once = snapshot(shell.home)
    told = shell.run("install", host)
    assert "already connected" in told.out
    assert snapshot(shell.home) == once


@pytest.mark.parametrize("host", FILES)
def test_what_others_wrote_stays_as_they_wrote_it(shell: Shell, host: str) -> None:
    fill(shell.home, host)
    before = {name: value_in(shell.home / name) for name in FILES[host]}
    shell.run("install", host)
    for name in FILES[host]:
        text = (shell.home / name).read_text(encoding="utf-8")
        after = value_in(shell.home / name)
        if name.endswith("toml"):
            assert text.startswith('model = "o9"\n[tui]\ntheme = "dark"\n')
            continue
        assert list(after)[: len(before[name])] == list(before[name])
        assert after["theme"] == "dark"
        assert after["hooks"]["Stop"][0] == before[name]["hooks"]["Stop"][0]
        assert after["mcpServers"]["weather"] == {"command": "weather", "args": []}
        assert text.startswith('{\n    // Ada\'s own settings\n    "theme": "dark",\n')
        assert "// done\n" in text
        assert "/* keep */\n" in text


@pytest.mark.parametrize("host", FILES)
def test_a_file_changed_since_loses_only_what_is_ours(shell: Shell, host: str) -> None:
    fill(shell.home, host)
    before = {name: value_in(shell.home / name) for name in FILES[host]}
    shell.run("install", host)
    for name in FILES[host]:
        path = shell.home / name
        text = path.read_text(encoding="utf-8")
        if name.endswith("toml"):
            path.write_text(text + '\n[later]\nadded = "by hand"\n', encoding="utf-8")
        else:
            path.write_text(settings_json.put(text, (), "later", "added by hand"), encoding="utf-8")
    shell.run("uninstall", host)
    for name in FILES[host]:
        after = value_in(shell.home / name)
        assert after.pop("later")
        if "version" in after:
            assert after.pop("version") == 1
        assert after == before[name], name


def test_a_file_of_ours_that_others_add_to_is_left_to_them(shell: Shell) -> None:
    shell.run("install", "cursor")
    path = shell.home / ".cursor" / "hooks.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        settings_json.append(text, ("hooks", "stop"), {"command": "beep"}), encoding="utf-8"
    )
    shell.run("uninstall", "cursor")
    assert value_in(path) == {"version": 1, "hooks": {"stop": [{"command": "beep"}]}}
    assert not (shell.home / ".cursor" / "mcp.json").exists()


def test_a_command_of_ours_in_somebody_s_group_is_taken_out_alone(shell: Shell) -> None:
    ours = claude_handler(("/old/place/commonplace",), "turn")
    beep = {"type": "command", "command": "beep"}
    path = shell.home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [beep, ours]}]}}), encoding="utf-8")
    shell.run("uninstall", "claude")
    assert value_in(path) == {"hooks": {"Stop": [{"hooks": [beep]}]}}


@pytest.mark.parametrize("host", ["claude", "codex", "gemini"])
def test_hooks_written_anew_in_another_order_are_taken_out(shell: Shell, host: str) -> None:
    shell.run("install", host)
    for path in [shell.home / name for name in FILES[host] if name.endswith("json")]:
        path.write_text(json.dumps(value_in(path), sort_keys=True, indent=4), encoding="utf-8")
    shell.run("uninstall", host)
    for path in [shell.home / name for name in FILES[host]]:
        assert not path.exists() or "commonplace" not in path.read_text(encoding="utf-8")


def test_a_program_that_moved_is_found_again_by_installing_again(shell: Shell) -> None:
    shell.run("install", "claude")
    path = shell.home / ".claude" / "settings.json"
    whole = path.read_text(encoding="utf-8")
    command = value_in(path)["hooks"]["Stop"][0]["hooks"][0]["command"]
    path.write_text(whole.replace(command, "/old/place/commonplace"), encoding="utf-8")
    [trouble] = [one for one in shell.ask("doctor") if one["where"] == "Claude Code"]
    assert (trouble["severity"], trouble["hint"]) == (
        "warning",
        "Run `commonplace install claude`.",
    )
    shell.run("install", "claude")
    assert value_in(path) == parse_json(whole).value
    shell.run("uninstall", "claude")
    assert not path.exists()


def test_dry_run_shows_the_change_and_makes_none(shell: Shell) -> None:
    fill(shell.home, "codex")
    before = snapshot(shell.home)
    told = shell.run("install", "codex", "--dry-run").out
    assert "+[mcp_servers.commonplace]" in told
    assert "hook codex" in told
    assert snapshot(shell.home) == before
    shell.run("install", "codex")
    connected = snapshot(shell.home)
    assert "-[mcp_servers.commonplace]" in shell.run("uninstall", "codex", "--dry-run").out
    assert snapshot(shell.home) == connected


def test_a_backup_is_kept_while_a_host_is_connected(shell: Shell) -> None:
    fill(shell.home, "gemini")
    done = shell.ask("install", "gemini")
    file, _ = done["files"]
    assert Path(file["backup"]).read_text(encoding="utf-8") == COMMENTED
    assert file["path"] == str(shell.home / ".gemini" / "settings.json")
    assert "+" in file["diff"]


@pytest.mark.parametrize("host", FILES)
def test_a_running_server_can_be_named_instead(shell: Shell, host: str) -> None:
    url = "http://127.0.0.1:8765/mcp"
    shell.run("install", host, "--mcp-url", url)
    known = value_in(shell.home / FILES[host][-1])
    servers = known.get("mcpServers") or known.get("mcp_servers") or known["mcp"]
    entry = servers["commonplace"]
    assert url in entry.values()
    assert "command" not in entry


@pytest.mark.parametrize(
    "wrong",
    [
        "nonsense", "ftp://x/mcp", "http://x y/mcp", "http://", "http://x:notaport/mcp", "//x/mcp",
        "http://:8000", "http://x:99999/mcp", "http://x:0/mcp",
    ],
)  # fmt: skip
def test_an_address_that_no_host_can_ask_is_refused(shell: Shell, wrong: str) -> None:
    told = shell.try_("install", "claude", "--mcp-url", wrong)
    assert told.code == 2
    assert "is not the address of a server" in told.err
    assert not (shell.home / ".claude").exists()
    assert not (shell.home / ".claude.json").exists()


def test_an_address_beside_no_mcp_is_a_contradiction(shell: Shell) -> None:
    told = shell.try_("install", "claude", "--mcp-url", "http://127.0.0.1:8765/mcp", "--no-mcp")
    assert told.code == 2
    assert "exclude each other" in told.err


def test_another_address_is_a_change(shell: Shell) -> None:
    for url in ("http://127.0.0.1:8765/mcp", "https://127.0.0.1:9/mcp"):
        assert "is connected." in shell.run("install", "claude", "--mcp-url", url).out
        known = value_in(shell.home / ".claude.json")["mcpServers"]["commonplace"]
        assert known == {"type": "http", "url": url}


def test_an_address_where_nothing_listens_is_said(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        assert "Nothing answers" not in shell.run("install", "claude", "--mcp-url", url).out
    assert f"Nothing answers at {url} now" in shell.run("install", "claude", "--mcp-url", url).out


def test_mcp_can_be_left_out(shell: Shell) -> None:
    shell.run("install", "claude", "--no-mcp")
    assert not (shell.home / ".claude.json").exists()
    [claude, *_] = shell.ask("install")
    assert (claude["hooks"], claude["mcp"]) == (True, False)


def test_a_server_entry_of_the_person_s_own_is_left_alone(shell: Shell) -> None:
    path = shell.home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    own = '{"mcpServers": {"commonplace": {"url": "http://10.0.0.5/mcp"}}}'
    path.write_text(own, encoding="utf-8")
    for _ in range(2):
        assert "Your own MCP server 'commonplace'" in shell.run("install", "cursor").out
    assert path.read_text(encoding="utf-8") == own


def test_an_inline_table_of_servers_is_left_alone_with_one_sentence(shell: Shell) -> None:
    path = shell.home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('mcp_servers = { github = { command = "gh-mcp" } }\n', encoding="utf-8")
    before = snapshot(shell.home)
    told = shell.try_("install", "codex").err
    assert "mcp_servers is an inline table, which takes no further server" in told
    assert "--no-mcp" in told
    assert snapshot(shell.home) == before
    shell.run("install", "codex", "--no-mcp")
    shell.run("uninstall", "codex")
    assert snapshot(shell.home) == before


OWN = {"type": "http", "url": "https://127.0.0.1:9/mcp", "headers": {"Authorization": "Ada"}}


@pytest.mark.parametrize("host", ["claude", "gemini", "copilot", "cursor"])
def test_a_server_entry_of_the_person_s_own_outlives_us(shell: Shell, host: str) -> None:
    path = shell.home / FILES[host][-1]
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"mcpServers": {"commonplace": OWN}}, indent=2), encoding="utf-8")
    before = snapshot(shell.home)
    shell.run("install", host)
    shell.run("install", host)
    shell.run("uninstall", host)
    assert snapshot(shell.home) == before
    shell.run("install", host)
    text = path.read_text(encoding="utf-8")
    path.write_text(settings_json.put(text, (), "later", "added by hand"), encoding="utf-8")
    shell.run("uninstall", host)
    assert value_in(path) == {"mcpServers": {"commonplace": OWN}, "later": "added by hand"}


def test_an_empty_file_of_settings_is_filled_and_empty_again(shell: Shell) -> None:
    for name in FILES["claude"]:
        (shell.home / name).parent.mkdir(exist_ok=True)
        (shell.home / name).write_text(" \n", encoding="utf-8")
    before = snapshot(shell.home)
    shell.run("install", "claude")
    assert "commonplace" in value_in(shell.home / ".claude.json")["mcpServers"]
    shell.run("uninstall", "claude")
    assert snapshot(shell.home) == before


def test_an_empty_file_of_settings_that_the_host_wrote_anew_loses_only_what_is_ours(
    shell: Shell,
) -> None:
    path = shell.home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(" \n", encoding="utf-8")
    shell.run("install", "claude", "--no-mcp")
    path.write_text(json.dumps({**value_in(path), "theme": "dark"}, indent=4), encoding="utf-8")
    shell.run("uninstall", "claude")
    assert value_in(path) == {"theme": "dark"}
    shell.run("install", "claude", "--no-mcp")
    assert "commonplace" in path.read_text(encoding="utf-8")


def test_a_table_of_the_person_s_own_outlives_us_in_codex(shell: Shell) -> None:
    path = shell.home / ".codex" / "config.toml"
    path.parent.mkdir()
    own = '[mcp_servers.commonplace]\nurl = "https://127.0.0.1:9/mcp"\n'
    path.write_text(own, encoding="utf-8")
    told = shell.run("install", "codex").out
    assert f"Your own MCP server 'commonplace' in {path} stays" in told.replace("\n", " ")
    shell.run("uninstall", "codex")
    assert path.read_text(encoding="utf-8") == own


BEFORE = '# mine\nmodel = "o5"\n'
TRUSTED = '[projects."/home/ada/boat"]\ntrust_level = "trusted"\n'
WEATHER = '\n# for the boat\n[mcp_servers.weather]\ncommand = "weather"\n'


@pytest.mark.parametrize("where", ["before", "inside", "after", "without a fence"])
def test_what_codex_writes_beside_our_table_stays(shell: Shell, where: str) -> None:
    path = shell.home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(BEFORE, encoding="utf-8")
    shell.run("install", "codex")
    head, ours = path.read_text(encoding="utf-8").split("\n[", 1)
    table = f"[{ours}"
    begin, finish = "# >>> commonplace >>>\n", "# <<< commonplace <<<\n"
    approved = '\n[mcp_servers.commonplace.tools.memory_search]\napproval_mode = "approve"\n'
    path.write_text(
        {
            "before": f"{head}\n{TRUSTED}{WEATHER}\n{table}",
            "inside": f"{head}\n{begin}{table}\n{TRUSTED}{WEATHER}{finish}",
            "after": f"{head}\n{table}{approved}\n{TRUSTED}{WEATHER}",
            "without a fence": f"{head}\n{table}\n{TRUSTED}{WEATHER}{finish}",
        }[where],
        encoding="utf-8",
    )
    shell.run("install", "codex")
    assert "approval_mode" in path.read_text(encoding="utf-8") or where != "after"
    shell.run("uninstall", "codex")
    assert path.read_text(encoding="utf-8") == f"{BEFORE}\n{TRUSTED}{WEATHER}"


LABELS = ("session_start", "user_prompt_submit", "stop", "session_end")


@pytest.mark.parametrize("header", ["", "[hooks.state]\n\n"])
def test_the_trust_that_codex_wrote_down_for_our_hooks_goes_with_them(
    shell: Shell, header: str
) -> None:
    path, hooks = (shell.home / name for name in (".codex/config.toml", ".codex/hooks.json"))
    path.parent.mkdir()
    path.write_text(BEFORE, encoding="utf-8")
    mine = {"hooks": [{"type": "command", "command": "say hello"}]}
    hooks.write_text(json.dumps({"hooks": {"SessionStart": [mine]}}), encoding="utf-8")
    shell.run("install", "codex")
    places = [f"{hooks}:{label}:{int(label == LABELS[0])}:0" for label in LABELS]
    states = [f'[hooks.state."{one}"]\ntrusted_hash = "5f"\n\n' for one in places]
    own = f'[hooks.state."{hooks}:session_start:0:0"]\ntrusted_hash = "77"\n'
    whole = path.read_text(encoding="utf-8")
    path.write_text(f"{whole}\n{header}{''.join(states)}{own}", encoding="utf-8")
    shell.run("uninstall", "codex")
    assert path.read_text(encoding="utf-8") == f"{BEFORE}\n{header}{own}"


@pytest.mark.parametrize("header", ["", "[hooks.state]\n\n"])
def test_no_table_of_hooks_is_left_where_codex_trusted_ours_alone(
    shell: Shell, header: str
) -> None:
    path, hooks = (shell.home / name for name in (".codex/config.toml", ".codex/hooks.json"))
    path.parent.mkdir()
    path.write_text(BEFORE, encoding="utf-8")
    shell.run("install", "codex")
    states = [f'\n[hooks.state."{hooks}:{one}:0:0"]\ntrusted_hash = "5f"\n' for one in LABELS]
    with path.open("a", encoding="utf-8") as file:
        file.write(f"\n{header}{''.join(states)}{WEATHER}")
    shell.run("uninstall", "codex")
    assert value_in(path) == tomllib.loads(BEFORE + WEATHER)
    assert "hooks" not in path.read_text(encoding="utf-8")


def test_a_line_in_a_string_or_a_list_is_no_table() -> None:
    own = 'a = """\n[mcp_servers.commonplace]\n"""\nb = [\n[1],\n[2],\n]\n\n[c]\nd = 1 # last\n'
    text = append_table(own, ("mcp_servers", "commonplace"), {"args": ["mcp"]})
    assert read_toml(text)["mcp_servers"]["commonplace"] == {"args": ["mcp"]}
    assert remove_table(text, ("mcp_servers", "commonplace")) == own


def test_a_path_is_written_as_it_is_into_toml() -> None:
    place = "/home/zoë 🐝/bin/commonplace"
    text = append_table("", ("mcp_servers", "commonplace"), {"command": place, "args": [place]})
    assert text.count(place) == 2
    assert read_toml(text)["mcp_servers"]["commonplace"] == {"command": place, "args": [place]}


@pytest.mark.parametrize("host", ["claude", "gemini"])
def test_a_server_entry_that_a_person_wrote_since_outlives_us(shell: Shell, host: str) -> None:
    path = shell.home / FILES[host][-1]
    for wanted in (["--no-mcp"], []):
        shell.run("install", host, *wanted)
        known = value_in(path) if path.exists() else {}
        known["mcpServers"] = {"commonplace": OWN}
        path.write_text(json.dumps(known), encoding="utf-8")
        shell.run("uninstall", host)
        assert value_in(path) == {"mcpServers": {"commonplace": OWN}}
        path.unlink()


@pytest.mark.parametrize("wanted", [[], ["--mcp-url", "http://127.0.0.1:9999/mcp"]])
def test_our_own_server_entry_goes_though_more_was_added_to_it(
    shell: Shell, wanted: list[str]
) -> None:
    shell.run("install", "claude", *wanted)
    path = shell.home / ".claude.json"
    known = value_in(path)
    known["mcpServers"]["commonplace"]["env"] = {"COMMONPLACE_PROJECT": "mech-fighters"}
    path.write_text(json.dumps({**known, "numStartups": 7}), encoding="utf-8")
    shell.run("install", "claude", "--no-mcp")
    shell.run("uninstall", "claude")
    assert value_in(path) == {"numStartups": 7}


def test_two_homes_of_one_host_are_each_put_back_as_they_were(shell: Shell) -> None:
    homes = [shell.home / ".homes" / name for name in ("work", "play")]
    for home in homes:
        home.mkdir(parents=True)
        (home / "settings.json").write_text(json.dumps({"theme": home.name}), encoding="utf-8")
    before = snapshot(shell.home)
    for verb in ("install", "uninstall"):
        for home in homes:
            shell.environ["CLAUDE_CONFIG_DIR"] = str(home)
            shell.run(verb, "claude")
            if verb == "install":
                assert "hook" in (home / "settings.json").read_text(encoding="utf-8")
    assert snapshot(shell.home) == before
    assert not (shell.home / "state" / "hosts").exists()


def test_a_copy_that_an_earlier_version_made_for_two_files_is_not_put_back(shell: Shell) -> None:
    homes = [shell.home / name for name in ("work", "play")]
    for home in homes:
        home.mkdir()
        (home / "settings.json").write_text(json.dumps({"theme": home.name}), encoding="utf-8")
        shell.environ["CLAUDE_CONFIG_DIR"] = str(home)
        shell.run("install", "claude")
    as_recorded_before(shell.home / "state" / "hosts" / "claude")
    for home in homes:
        shell.environ["CLAUDE_CONFIG_DIR"] = str(home)
        shell.run("uninstall", "claude")
        assert value_in(home / "settings.json") == {"theme": home.name}
        assert not (home / ".claude.json").exists()


def test_what_an_earlier_version_connected_is_disconnected_without_a_trace(shell: Shell) -> None:
    fill(shell.home, "claude")
    before = snapshot(shell.home)
    shell.run("install", "claude")
    as_recorded_before(shell.home / "state" / "hosts" / "claude")
    shell.run("uninstall", "claude")
    assert snapshot(shell.home) == before
    assert not (shell.home / "state" / "hosts").exists()
    shell.run("install", "claude", "--mcp-url", "http://127.0.0.1:9999/mcp")
    as_recorded_before(shell.home / "state" / "hosts" / "claude")
    path = shell.home / ".claude.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(settings_json.put(text, (), "later", 1), encoding="utf-8")
    shell.run("uninstall", "claude")
    assert value_in(path) == {**parse_json(COMMENTED).value, "later": 1}


def as_recorded_before(folder: Path) -> None:
    """Records as they once were: copies by the name of the file alone, nothing of servers."""
    place = folder / "changed.json"
    files = json.loads(place.read_text(encoding="utf-8"))
    for path, entry in files.items():
        del entry["server"]
        if entry["backup"]:
            (folder / entry["backup"]).replace(folder / Path(path).name)
            entry["backup"] = Path(path).name
    place.write_text(json.dumps(files), encoding="utf-8")


def test_doctor_and_install_say_what_is_connected(shell: Shell) -> None:
    assert [one for one in shell.ask("doctor") if "connected" in one["what"]] == []
    (shell.home / ".codex").mkdir()
    shell.run("install", "gemini")
    said = {one["where"]: one["what"] for one in shell.ask("doctor")}
    assert said["Codex CLI"] == "is not connected"
    assert said["Gemini CLI"] == "is connected by hooks and MCP"
    assert "Claude Code" not in said
    table = shell.run("install").out
    assert "commonplace install codex" in table


def test_doctor_tells_of_a_hook_s_last_fault(shell: Shell) -> None:
    machine = Machine(shell.home)
    machine.told("emacs", event_of("claude", "SessionStart"))
    [fault] = [one for one in shell.ask("doctor") if one["where"] == "hooks"]
    assert "'emacs' is not a host" in fault["what"]
    late = {"COMMONPLACE_HOOK_SECONDS": "0.001"}
    machine.told("claude", event_of("claude", "SessionStart"), environ=late)
    [fault] = [one for one in shell.ask("doctor") if one["where"] == "hooks"]
    assert "was not ready in time" in fault["what"]
    assert "COMMONPLACE_HOOK_SECONDS" in fault["hint"]


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        (".claude/settings.json", '{"hooks": '),
        (".claude/settings.json", '{"hooks": []}'),
        (".claude/settings.json", '{"a": 1,, "b": 2}'),
        (".claude/settings.json", '["a"]'),
        (".claude/settings.json", "\xff"),
        (".codex/config.toml", "model = "),
        (".codex/config.toml", "mcp_servers = {}"),
    ],
)
def test_settings_that_cannot_be_changed_safely_are_not_changed(
    shell: Shell, name: str, broken: str
) -> None:
    path = shell.home / name
    path.parent.mkdir()
    path.write_bytes(broken.encode("latin-1"))
    before = snapshot(shell.home)
    told = shell.try_("install", "codex" if "codex" in name else "claude")
    assert told.code == 2
    assert str(path) in told.err
    assert snapshot(shell.home) == before


def test_what_cannot_be_kept_as_it_was_is_left_alone(shell: Shell) -> None:
    (shell.home / ".claude").mkdir()
    (shell.home / ".claude" / "settings.json").write_text(COMMENTED, encoding="utf-8")
    before = snapshot(shell.home)
    (shell.home / "state" / "hosts").write_text("a file where a folder should be")
    told = shell.try_("install", "claude")
    assert told.code == 9
    assert "was not changed" in told.err
    assert "Traceback" not in told.err
    (shell.home / "state" / "hosts").unlink()
    assert snapshot(shell.home) == before


def test_uninstalling_goes_without_the_copy_that_somebody_threw_away(shell: Shell) -> None:
    settings = shell.home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(COMMENTED, encoding="utf-8")
    file, _ = shell.ask("install", "gemini")["files"]
    Path(file["backup"]).unlink()
    shell.run("uninstall", "gemini")
    left = settings.read_text(encoding="utf-8")
    assert "commonplace" not in left
    assert parse_json(left).value == parse_json(COMMENTED).value


def test_a_link_to_settings_stays_a_link(shell: Shell) -> None:
    kept = shell.home / "dotfiles" / "gemini.json"
    kept.parent.mkdir()
    kept.write_text(COMMENTED, encoding="utf-8")
    kept.chmod(0o640)
    (shell.home / ".gemini").mkdir()
    link = shell.home / ".gemini" / "settings.json"
    link.symlink_to(kept)
    shell.run("install", "gemini")
    assert link.is_symlink()
    assert "hook gemini" in kept.read_text(encoding="utf-8")
    assert kept.stat().st_mode & 0o777 == 0o640
    shell.run("uninstall", "gemini")
    assert (link.is_symlink(), kept.read_text(encoding="utf-8")) == (True, COMMENTED)


def test_a_host_may_keep_its_settings_elsewhere(shell: Shell) -> None:
    shell.environ["CODEX_HOME"] = str(shell.home / "elsewhere")
    shell.run("install", "codex")
    assert (shell.home / "elsewhere" / "hooks.json").exists()
    assert not (shell.home / ".codex").exists()


def test_without_a_book_installing_makes_one_and_says_so(bare_shell: Shell) -> None:
    assert "Your book is ready: vault:" in bare_shell.run("install", "claude").out


def test_unknown_hosts_are_named_with_those_we_know(shell: Shell) -> None:
    told = shell.try_("install", "emacs")
    assert told.code == 2
    assert "claude" in told.err


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("claude-code", "claude"), ("Claude Code", "claude"), ("claude_code", "claude"),
        ("codex-cli", "codex"), ("gemini-cli", "gemini"), ("github-copilot", "copilot"),
        ("copilot-cli", "copilot"), ("Cursor", "cursor"), ("cursor-agent", "cursor"),
        ("OpenCode", "opencode"), ("open-code", "opencode"), ("opencode-ai", "opencode"),
    ],
)  # fmt: skip
def test_hosts_are_known_by_their_common_spellings(shell: Shell, typed: str, host: str) -> None:
    assert shell.ask("install", typed, "--dry-run")["host"] == host


def test_a_person_at_a_terminal_is_told_what_hooks_are_for(shell: Shell) -> None:
    told = shell.at_terminal("hook", "claude", typed="")
    assert "commonplace install claude" in told.err


def test_a_hook_can_be_tried_by_hand(shell: Shell) -> None:
    start = json.dumps(event_of("claude", "SessionStart")).encode()
    assert "deploy.branch: main" in context_in(shell.run("hook", "claude", stdin=start).out)
    assert shell.ask("hook", "drain") == {"sessions": 0, "left": 0, "refused": []}


def test_a_hook_that_is_tried_by_hand_asks_as_whom_its_options_say(shell: Shell) -> None:
    shell.run("fact", "set", "lunch", "soup", "--scope", "/user/bob")
    start = json.dumps(event_of("claude", "SessionStart")).encode()
    assert "soup" not in shell.run("hook", "claude", "--user", "alice", stdin=start).out
    later = json.dumps({**event_of("claude", "SessionStart"), "session_id": "later"}).encode()
    assert "soup" in shell.run("--user", "bob", "hook", "claude", stdin=later).out


def test_plugin_and_install_set_up_the_same_hooks() -> None:
    told = json.loads((ROOT / "plugins/commonplace/hooks/claude.json").read_text(encoding="utf-8"))
    by_uvx = ("uvx", "--from", "commonplace-memory", "commonplace")
    assert told["hooks"] == {
        event: [{"hooks": [claude_handler(by_uvx, moment)]}]
        for moment, event in HOSTS["claude"].events.items()
    }
    plugin = json.loads(
        (ROOT / "plugins/commonplace/.claude-plugin/plugin.json").read_text(encoding="utf-8")
    )
    assert plugin["version"] == __version__
    market = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text(encoding="utf-8"))
    [offered] = market["plugins"]
    assert (ROOT / offered["source"] / ".claude-plugin" / "plugin.json").exists()
    assert offered["name"] == plugin["name"]


# The skill


@pytest.mark.parametrize("host", HOSTS)
def test_the_skill_comes_and_goes_with_the_connection(shell: Shell, host: str) -> None:
    skills = shell.home / HOSTS[host].folder / "skills"
    shell.run("install", host)
    assert (skills / "commonplace" / "SKILL.md").read_text(encoding="utf-8") == skill_text()
    assert shell.ask("install", host)["files"] == []
    shell.run("uninstall", host)
    assert not skills.exists()


def test_a_skill_of_the_person_s_own_stays_as_it_is(shell: Shell) -> None:
    own = shell.home / ".claude" / "skills" / "commonplace" / "SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_text("---\nname: commonplace\n---\nMy own words.\n", encoding="utf-8")
    before = own.read_text(encoding="utf-8")
    shell.run("install", "claude")
    assert own.read_text(encoding="utf-8") == before
    shell.run("uninstall", "claude")
    assert own.read_text(encoding="utf-8") == before


def test_a_skill_that_the_person_changed_survives_an_upgrade_and_the_end(shell: Shell) -> None:
    shell.run("install", "claude")
    own = shell.home / ".claude" / "skills" / "commonplace" / "SKILL.md"
    own.write_text(skill_text() + "\nAlways ask me first.\n", encoding="utf-8")
    shell.run("install", "claude")
    assert "Always ask me first." in own.read_text(encoding="utf-8")
    shell.run("uninstall", "claude")
    assert "Always ask me first." in own.read_text(encoding="utf-8")


def test_the_skill_is_named_and_not_printed_and_what_stays_of_it_is_said(shell: Shell) -> None:
    own = shell.home / ".claude" / "skills" / "commonplace" / "SKILL.md"
    told = shell.run("install", "claude").out
    assert f"Adds the skill: {own}" in told
    assert not any(line.lstrip("+") in told for line in skill_text().splitlines() if len(line) > 40)
    assert "Stays" not in shell.run("uninstall", "claude", "--dry-run").out
    own.write_text("My own words.\n", encoding="utf-8")
    for options in (("--dry-run",), ()):
        told = shell.run("uninstall", "claude", *options).out
        assert f"Stays, because it was edited since: {own}" in told
    assert own.exists()


def test_a_server_entry_that_was_edited_stays_and_is_named(shell: Shell) -> None:
    shell.run("install", "copilot")
    servers = shell.home / ".copilot" / "mcp-config.json"
    known = value_in(servers)
    known["mcpServers"]["commonplace"]["tools"] = ["memory_search"]
    servers.write_text(json.dumps(known), encoding="utf-8")
    told = shell.run("uninstall", "copilot").out
    assert f"Stays, because it was edited since: {servers}: mcpServers.commonplace" in told
    assert "Delete it there yourself" in told


def test_a_host_that_is_none_is_refused_with_the_list_once(shell: Shell) -> None:
    told = shell.try_("install", "vim").err
    assert "'vim' is not one of claude, codex" in told
    assert told.count("codex") == 1


WEATHER_INLINE = 'weather = { command = "weather" } # for the boat\n'


@pytest.mark.parametrize(
    "written",
    [
        "[mcp_servers]\ncommonplace = { %s }\n" + WEATHER_INLINE,
        "[mcp_servers]\n" + WEATHER_INLINE + '"commonplace" = {%s}\n\n# mine\n[tui]\n',
        "# mine\nmcp_servers.commonplace = { %s }\r\n\r\n[tui]\r\ntheme = 'dark'\r\n",
    ],
)
def test_our_entry_goes_though_it_was_written_anew_as_an_inline_table(
    shell: Shell, written: str
) -> None:
    shell.run("install", "codex")
    config = shell.home / ".codex" / "config.toml"
    table = value_in(config)["mcp_servers"]["commonplace"]
    ours = ", ".join(f"{name} = {json.dumps(value)}" for name, value in table.items())
    config.write_bytes((written % ours).encode())
    assert "Stays" not in shell.run("uninstall", "codex").out
    kept = [line for line in written.splitlines(keepends=True) if "commonplace" not in line]
    assert config.read_bytes() == "".join(kept).encode()


def test_an_entry_of_several_statements_or_lines_goes_whole() -> None:
    own = 'note = """\ncommonplace.command = 1\n"""\n[mcp_servers]\ncommonplaces.url = "a"\n'
    ours = 'commonplace.command = "commonplace"\ncommonplace.args = [\n  "mcp", # it\n]\n'
    assert remove_entry(own + ours, ("mcp_servers", "commonplace")) == own
    one_of_two = 'mcp_servers = { commonplace = { url = "a" }, weather = { url = "b" } }\n'
    assert remove_entry(one_of_two, ("mcp_servers", "commonplace")) == one_of_two


def test_a_skill_of_an_earlier_version_is_brought_up_to_date(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {**shell.environ, "HOME": str(shell.home)}
    with monkeypatch.context() as earlier:
        earlier.setattr(pieces, "skill_text", lambda: "An older skill.\n")
        install.install("claude", environ)
    own = shell.home / ".claude" / "skills" / "commonplace" / "SKILL.md"
    assert own.read_text(encoding="utf-8") == "An older skill.\n"
    install.install("claude", environ)
    assert own.read_text(encoding="utf-8") == skill_text()
    install.uninstall("claude", environ)
    assert not own.exists()


def test_the_skill_keeps_to_the_format_and_is_short() -> None:
    head, body = skill_text().removeprefix("---\n").split("\n---\n", 1)
    fields = YAML(typ="safe", pure=True).load(head)
    assert fields.keys() == {"name", "description"}
    assert fields["name"] == "commonplace"
    assert 100 < len(fields["description"]) <= 1_024
    assert len(skill_text().splitlines()) <= 80
    for told in ("## Read first", "## Write what was learned by doing", "## Never write"):
        assert told in body
    named = set(re.findall(r"`(memory_\w+)`", body)) - {"memory_"}
    assert named == {tool.name for tool in tools_in_set("core", _never)} - {"memory_profile"}
    appending = next(one for one in tools_in_set("core", _never) if one.name == "memory_append")
    told = set(re.findall(r"`(key|replaces|confidence)`", body))
    assert told == {"key", "replaces", "confidence"} <= appending.parameters["properties"].keys()
    plugin = ROOT / "plugins/commonplace/skills/commonplace/SKILL.md"
    assert plugin.read_text(encoding="utf-8") == skill_text()


def _never() -> Commonplace:
    raise AssertionError("listing tools asks nobody")


# Changing JSON in place

SETTINGS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=5), SETTINGS, max_size=4)
INDENTS = st.sampled_from([None, 2, 4, "\t"])


@given(OBJECTS, INDENTS, st.sampled_from(["\n", "\r\n"]), SETTINGS)
def test_a_part_put_in_and_taken_out_leaves_the_value_as_it_was(
    value: dict[str, Any], indent: Any, newline: str, added: Any
) -> None:
    value.pop("ours", None)
    text = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", newline)
    more = settings_json.put(text, (), "ours", added)
    assert parse_json(more).value == {**value, "ours": added}
    root = parse_json(more)
    part = next(one for one in root.parts if one.name == "ours")
    assert settings_json.remove(more, root, part) == text


@given(OBJECTS, INDENTS, SETTINGS, SETTINGS)
def test_items_are_added_behind_the_others(
    value: dict[str, Any], indent: Any, first: Any, second: Any
) -> None:
    value.pop("hooks", None)
    text = json.dumps(value, indent=indent)
    for added in (first, second):
        text = settings_json.append(text, ("hooks", "Stop"), added)
    assert parse_json(text).value == {**value, "hooks": {"Stop": [first, second]}}
    stop = find(parse_json(text), ("hooks", "Stop"))
    assert stop is not None
    assert parse_json(settings_json.remove(text, stop, stop.parts[0])).value["hooks"]["Stop"] == [
        second
    ]


@example("0\x1f")
@given(st.text(max_size=60))
def test_what_is_no_json_is_refused_or_read(text: str) -> None:
    try:
        value = parse_json(text).value
    except BadInput:
        return
    try:
        assert json.loads(text.removeprefix("\ufeff")) == value
    except ValueError:
        assert "/" in text or "," in text, "only comments and last commas are allowed beyond JSON"


def test_comments_stay_with_what_they_are_about() -> None:
    text = '{\n  "a": 1, // one\n  "b": 2 // two\n}\n'
    more = settings_json.put(text, (), "c", 3)
    assert more == '{\n  "a": 1, // one\n  "b": 2, // two\n  "c": 3\n}\n'
    root = parse_json(more)
    assert settings_json.remove(more, root, root.parts[2]) == text
    assert parse_json(settings_json.remove(more, root, root.parts[0])).value == {"b": 2, "c": 3}


def test_a_path_with_blanks_is_one_word_of_a_command() -> None:
    made = line(["/home/ada lovelace/bin/commonplace", "hook", "codex"])
    assert made == "'/home/ada lovelace/bin/commonplace' hook codex"


def test_copilot_s_hook_is_a_call_in_powershell_too() -> None:
    plan = ConnectionPlan(("C:\\Users\\Ada's PC\\commonplace.exe",))
    wanted = host("copilot").wants({"HOME": "/home/ada"}, plan)
    hook = next(one.value for one in wanted if isinstance(one, pieces.Handler))
    assert hook["powershell"] == (
        "& 'C:\\Users\\Ada''s PC\\commonplace.exe' hook copilot sessionStart"
    )
    assert hook["bash"].startswith("'C:\\Users\\Ada'")


def test_the_diff_hides_the_credentials_that_stand_near_a_change(shell: Shell) -> None:
    secret, key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2, "zebra-quilt-8812"
    settings = shell.home / ".claude.json"
    servers = {"gh": {"command": "gh", "env": {"GITHUB_TOKEN": secret, "DB_PASSWORD": key}}}
    settings.write_text(json.dumps({"mcpServers": servers}, indent=2))
    told = shell.run("install", "claude")
    assert '+    "commonplace"' in told.out
    assert secret not in told.out
    assert key not in told.out
    assert secret in settings.read_text()


def test_of_a_name_that_stands_twice_the_last_counts(shell: Shell) -> None:
    settings = shell.home / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    before = '{\n  "hooks": {},\n  "theme": "dark",\n  "hooks": {"Stop": []}\n}\n'
    settings.write_text(before)
    shell.run("install", "claude")
    assert "SessionStart" in json.loads(settings.read_text())["hooks"]
    shell.run("uninstall", "claude")
    assert settings.read_text() == before


def test_a_file_that_somebody_made_read_only_is_not_changed(shell: Shell) -> None:
    settings = shell.home / "my claude" / "settings.json"
    shell.environ["CLAUDE_CONFIG_DIR"] = str(settings.parent)
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(COMMENTED)
    settings.chmod(0o444)
    told = shell.try_("install", "claude")
    assert told.code != 0
    assert "is read-only; nothing was changed." in told.err
    assert f"`chmod u+w '{settings}'`" in told.err
    assert settings.read_text() == COMMENTED
    assert not (settings.parent / ".claude.json").exists()


def test_a_refused_connection_makes_no_book(bare_shell: Shell) -> None:
    settings = bare_shell.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(COMMENTED)
    settings.chmod(0o444)
    assert bare_shell.try_("install", "claude").code != 0
    assert not (bare_shell.home / "commonplace").exists()


@pytest.mark.parametrize("host", FILES)
def test_an_agent_that_never_ran_is_seen_by_its_program(shell: Shell, host: str) -> None:
    programs = shell.home / "bin"
    programs.mkdir()
    shell.environ["PATH"] = f"{programs}{os.pathsep}relative"
    program = programs / ("cursor-agent" if host == "cursor" else host)
    program.write_text("#!/bin/sh\n")
    known = {one["host"]: one for one in shell.ask("install")}
    assert not known[host]["present"], "nobody can start it"
    program.chmod(0o755)
    assert [one["host"] for one in shell.ask("install") if one["present"]] == [host]
    title = known[host]["title"]
    assert f"{title}  is not connected" in shell.try_("doctor").out
    assert f"Agents     {title} (not connected)\n" in shell.run().out
    assert f"commonplace install {host}" in shell.run().out
    assert "is connected." in shell.run("install", host).out
    assert all((shell.home / file).is_file() for file in FILES[host])
    connected = {one["host"]: one for one in shell.ask("install")}[host]
    assert (connected["hooks"], connected["mcp"]) == (True, True)
    shell.run("uninstall", host)
    assert not any((shell.home / file).exists() for file in FILES[host])
    assert {one["host"]: one for one in shell.ask("install")}[host]["present"]


def test_the_first_run_offers_an_agent_that_never_ran(bare_shell: Shell) -> None:
    programs = bare_shell.home / "bin"
    programs.mkdir()
    (programs / "claude").write_text("#!/bin/sh\n")
    (programs / "claude").chmod(0o755)
    bare_shell.environ["PATH"] = str(programs)
    told = bare_shell.at_terminal(typed="\n")
    assert "Connect Claude Code, so that it remembers?" in told.out
    assert "Claude Code (connected by hooks and MCP)" in told.out
    assert (bare_shell.home / ".claude" / "settings.json").is_file()
