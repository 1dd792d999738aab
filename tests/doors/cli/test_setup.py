"""A newcomer's first minutes: init, the tour, the reference."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from commonplace.doors.cli import reference
from commonplace.doors.cli.app import built
from tests import ROOT
from tests.doors.shell import Shell


def test_init_makes_a_book_that_later_commands_find(bare_shell: Shell) -> None:
    told = bare_shell.run("init", str(bare_shell.home / "my notes")).out
    assert "commonplace save" in told
    bare_shell.run("save", "We deploy from the branch main")
    assert len(bare_shell.ask("recall", "branch")["hits"]) == 1
    assert (bare_shell.home / "my notes").is_dir()


def test_init_without_a_place_makes_the_book_the_environment_names(bare_shell: Shell) -> None:
    bare_shell.environ["COMMONPLACE_URL"] = f"vault:{bare_shell.home / 'there'}"
    assert bare_shell.ask("init")["url"] == f"vault:{bare_shell.home / 'there'}"


def test_init_leaves_a_persons_settings_as_they_are(bare_shell: Shell) -> None:
    config = bare_shell.home / "config.yaml"
    config.write_text("# mine\nretrieval_log: 5")
    made = bare_shell.ask("init", f"sqlite:{bare_shell.home / 'memory.db'}")
    assert made["default"] is True
    assert config.read_text().startswith("# mine\nretrieval_log: 5\nurl: ")
    before = config.read_text()
    second = bare_shell.run("init", str(bare_shell.home / "second"))
    assert config.read_text() == before
    assert "--default" in second.out
    assert bare_shell.ask("status")["url"].startswith("sqlite:")


def test_init_twice_keeps_what_is_there(bare_shell: Shell) -> None:
    place = str(bare_shell.home / "book")
    bare_shell.run("init", place)
    bare_shell.run("save", "We deploy from the branch main")
    assert bare_shell.ask("init", place)["memories"] == 1


def test_tour_runs_unattended_and_leaves_nothing_behind(bare_shell: Shell) -> None:
    bare_shell.environ["TMPDIR"] = str(bare_shell.home)
    bare_shell.environ["COMMONPLACE_USER"] = "somebody"
    done = bare_shell.process("tour")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "$ commonplace save" in done.stdout
    assert "+ We deploy from the branch main" in done.stdout
    assert "No memory answers that." in done.stdout
    assert "commonplace init" in done.stdout
    assert done.stderr == ""
    assert list(bare_shell.home.iterdir()) == [], "no vault, no state, no settings"


def test_a_tour_without_an_installation_ends_with_one(
    bare_shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "uv tool install" not in bare_shell.run("tour").out
    (tmp_path / "cache" / "commonplace").mkdir(parents=True)
    (tmp_path / "cache" / "CACHEDIR.TAG").touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "cache" / "commonplace"))
    told = bare_shell.run("tour").out
    assert told.index("uv tool install commonplace-memory") < told.index("commonplace init")


def test_tour_told_as_data_shows_every_step_succeeding(bare_shell: Shell) -> None:
    place = bare_shell.home / "sample"
    walked = bare_shell.ask("tour", str(place))
    assert {step["exit_code"] for step in walked} == {0}
    seen = {step["command"].split()[1] for step in walked}
    assert seen >= {"save", "recall", "correct", "forget", "revert", "links", "fact", "history"}
    assert list(place.rglob("*.md")), "a place that was named is kept"


def test_tour_knows_nothing_of_the_project_it_is_started_in(bare_shell: Shell) -> None:
    bare_shell.folder = bare_shell.home / "web"
    bare_shell.folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=bare_shell.folder, check=True)
    bare_shell.environ["COMMONPLACE_PROJECT"] = "another"
    walked = bare_shell.ask("tour")
    assert {step["exit_code"] for step in walked} == {0}
    recalls = [step["output"] for step in walked if " recall " in step["command"]]
    assert recalls[0].startswith("1. We deploy from the branch master")
    assert recalls[1].startswith("1. We deploy from the branch main")
    saved = [step["output"] for step in walked if "preference" in step["command"]]
    assert "web" not in saved[0]


def test_tour_does_not_touch_a_folder_with_something_in_it(bare_shell: Shell) -> None:
    (bare_shell.home / "mine.md").write_text("mine")
    assert bare_shell.try_("tour", str(bare_shell.home)).code == 2
    assert [path.name for path in bare_shell.home.iterdir()] == ["mine.md"]


def test_reference_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "commands.md").read_text() == reference.page(), (
        "run: python -m commonplace.doors.cli.reference > docs/commands.md"
    )


def commands(command: Any, name: str = "commonplace") -> list[tuple[str, Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        return [(name, command)]
    return [found for key, one in inner.items() for found in commands(one, f"{name} {key}")]


@pytest.mark.parametrize(("name", "command"), commands(built()))
def test_every_command_is_documented_and_speaks_json(name: str, command: Any) -> None:
    assert command.help, f"{name} says nothing about itself"
    flags = {flag for parameter in command.params for flag in getattr(parameter, "opts", [])}
    assert {"--json", "--url", "--user", "--project"} <= flags
    for parameter in command.params:
        assert parameter.help, f"{name} {parameter.name} says nothing about itself"


def test_help_breaks_its_lines_where_the_terminal_ends(bare_shell: Shell) -> None:
    bare_shell.environ["COLUMNS"] = "80"
    told = [line.strip() for line in bare_shell.run("--help").out.splitlines()]
    first = next(place for place, line in enumerate(told) if line.startswith("Memories live in"))
    lines = told[first : told.index("", first)]
    pairs = pairwise(lines)
    assert all(len(line) + len(after.split()[0]) > 70 for line, after in pairs), lines


@pytest.mark.parametrize(("name", "command"), commands(built()))
def test_every_command_has_help(bare_shell: Shell, name: str, command: Any) -> None:
    told = bare_shell.run(*name.split()[1:], "--help").out
    assert "--json" in told


def test_shell_completes_commands_and_names(vault_shell: Shell) -> None:
    slug = vault_shell.ask("save", "Zebras sleep standing")["memory"]["slug"]
    for typed, wanted in (("commonplace reca", "recall"), ("commonplace forget zeb", slug)):
        vault_shell.environ |= {
            "_COMMONPLACE_COMPLETE": "complete_bash",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(typed.count(" ")),
        }
        assert wanted in vault_shell.process().stdout
