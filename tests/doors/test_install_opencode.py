"""opencode: which of its files are changed, and which of a person's own stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.doors.install.settings_json import parse_json

from .shell import Shell

OWN = """{
  // Ada's settings
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "weather": {"type": "local", "command": ["weather"]}, // rain?
  },
}
"""


@pytest.fixture
def shell(vault_shell: Shell) -> Shell:
    vault_shell.environ["COMMONPLACE_EMBEDDER"] = "none"
    return vault_shell


@pytest.fixture
def home(shell: Shell) -> Path:
    """opencode's folder."""
    made = shell.home / ".config" / "opencode"
    made.mkdir(parents=True)
    return made


def plugin(home: Path) -> Path:
    return home / "plugins" / "commonplace.js"


def files(home: Path) -> dict[str, bytes]:
    return {str(one): one.read_bytes() for one in home.rglob("*") if one.is_file()}


def state_in_doctor(shell: Shell) -> tuple[str, str]:
    [found] = [one for one in shell.ask("doctor") if one["where"] == "opencode"]
    return found["what"], found["severity"]


def test_the_server_is_registered_as_opencode_reads_it(shell: Shell, home: Path) -> None:
    (home / "opencode.jsonc").write_text(OWN, encoding="utf-8")
    shell.run("install", "opencode")
    text = (home / "opencode.jsonc").read_text(encoding="utf-8")
    assert text.startswith(OWN.partition(" // rain?")[0])
    assert "// rain?\n" in text
    servers = parse_json(text).value["mcp"]
    assert list(servers) == ["weather", "commonplace"]
    assert servers["commonplace"]["type"] == "local"
    assert servers["commonplace"]["command"][-1] == "mcp"
    assert not (home / "opencode.json").exists()
    assert state_in_doctor(shell) == ("is connected by hooks and MCP", "notice")
    shell.run("uninstall", "opencode")
    assert files(home) == {str(home / "opencode.jsonc"): OWN.encode()}
    assert state_in_doctor(shell) == ("is not connected", "notice")


def test_of_two_settings_files_the_one_that_names_us_stays_the_one(
    shell: Shell, home: Path
) -> None:
    shell.run("install", "opencode")
    (home / "opencode.jsonc").write_text(OWN, encoding="utf-8")
    assert shell.ask("install", "opencode")["files"] == []
    shell.run("uninstall", "opencode")
    assert files(home) == {str(home / "opencode.jsonc"): OWN.encode()}


def test_a_schema_that_opencode_adds_to_a_file_of_ours_goes_with_it(
    shell: Shell, home: Path
) -> None:
    shell.run("install", "opencode")
    path = home / "opencode.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("{", '{\n  "$schema": "https://opencode.ai/config.json",', 1))
    shell.run("uninstall", "opencode")
    assert files(home) == {}


@pytest.mark.parametrize(
    "broken", ['{"mcp": ', '{"mcp": []}', '["a"]', "{'mcp': {}}", "\xff", '{"mcp": {}} extra']
)
def test_settings_that_cannot_be_changed_safely_are_refused(
    shell: Shell, home: Path, broken: str
) -> None:
    path = home / "opencode.json"
    path.write_bytes(broken.encode("latin-1"))
    before = files(home)
    told = shell.try_("install", "opencode")
    assert told.code == 2
    assert str(path) in told.err
    assert files(home) == before


def test_a_plugin_of_the_person_s_own_is_refused_and_stays(shell: Shell, home: Path) -> None:
    plugin(home).parent.mkdir()
    plugin(home).write_text("export const Mine = async () => ({})\n", encoding="utf-8")
    before = files(home)
    told = shell.try_("install", "opencode")
    assert told.code == 2
    assert "is not one of Commonplace" in told.err
    assert "Rename it" in told.err
    assert files(home) == before
    assert state_in_doctor(shell) == ("is not connected", "notice")
    shell.run("uninstall", "opencode")
    assert files(home) == before


def test_a_plugin_of_another_version_is_brought_up_to_date(shell: Shell, home: Path) -> None:
    told = shell.run("install", "opencode").out
    assert f"Adds the plugin: {plugin(home)}" in told
    assert "spawn" not in told
    now = plugin(home).read_text(encoding="utf-8")
    older = now.replace('"hook", "opencode"', '"--older", "hook", "opencode"')
    assert older != now
    plugin(home).write_text(older, encoding="utf-8")
    assert state_in_doctor(shell) == ("has hooks of another version", "warning")
    shell.run("install", "opencode")
    assert plugin(home).read_text(encoding="utf-8") == now
    shell.run("uninstall", "opencode")
    assert files(home) == {}


def test_without_the_records_nothing_of_ours_is_left(shell: Shell, home: Path) -> None:
    shell.run("install", "opencode", "--no-mcp")
    assert not (home / "opencode.json").exists()
    for one in (shell.home / "state" / "hosts" / "opencode").iterdir():
        one.unlink()
    shell.run("uninstall", "opencode")
    assert files(home) == {}


@pytest.mark.parametrize(
    ("variable", "inner"), [("OPENCODE_CONFIG_DIR", ""), ("XDG_CONFIG_HOME", "opencode")]
)
def test_opencode_may_keep_its_settings_elsewhere(
    shell: Shell, home: Path, variable: str, inner: str
) -> None:
    elsewhere = shell.home / "elsewhere" / inner
    shell.environ[variable] = str(shell.home / "elsewhere")
    shell.run("install", "opencode")
    assert plugin(elsewhere).exists()
    assert (elsewhere / "opencode.json").exists()
    assert (elsewhere / "skills" / "commonplace" / "SKILL.md").exists()
    assert files(home) == {}
    shell.run("uninstall", "opencode")
    assert not elsewhere.exists()
