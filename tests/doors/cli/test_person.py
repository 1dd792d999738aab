"""Who is a person at the command line: a terminal on both sides, and no coding agent around."""

from __future__ import annotations

import json
import os
import pty
import select
import sys
import time

import pytest

from commonplace.doors.cli.open_book import AGENT_VARIABLES, source_of
from commonplace.model.scope import Scope
from tests.doors.shell import Shell


def test_without_a_terminal_a_command_is_an_agents(vault_shell: Shell) -> None:
    saved = vault_shell.ask("save", "The build takes nine minutes")["memory"]
    assert (saved["source"], saved["trust"]) == ("shell", "agent")
    assert source_of({}) == "shell"


def test_at_a_terminal_a_command_is_a_persons(vault_shell: Shell) -> None:
    saved = vault_shell.person("save", "The build takes nine minutes", "--json").json["memory"]
    assert (saved["source"], saved["trust"]) == ("cli", "user")


@pytest.mark.parametrize("variable", AGENT_VARIABLES)
def test_a_terminal_inside_a_coding_agent_is_the_agents(vault_shell: Shell, variable: str) -> None:
    vault_shell.environ[variable] = "1"
    saved = vault_shell.person("save", "The build takes nine minutes", "--json").json["memory"]
    assert saved["trust"] == "agent"


def test_a_script_proposes_and_a_person_decides(vault_shell: Shell) -> None:
    slug = vault_shell.person("save", "We deploy from main", "--json").json["memory"]["slug"]
    told = vault_shell.try_("edit", slug, "--content", "We deploy from release")
    assert told.code == 11
    assert "your change waits for that person" in told.err
    (entry,) = vault_shell.ask("inbox", "list")
    name = entry["memory"]["slug"]
    assert name in told.err
    assert vault_shell.try_("inbox", "accept", name).code == 5
    page = vault_shell.person("inbox", "show", name).out
    assert "- We deploy from main\n+ We deploy from release" in page
    assert "We deploy from release" in vault_shell.person("inbox", "accept", name).out
    assert vault_shell.ask("get", slug)["content"] == "We deploy from release"
    vault_shell.person("revert", name)
    assert vault_shell.ask("get", slug)["content"] == "We deploy from main"


def test_a_scripts_rule_says_that_it_waits_and_a_person_confirms_it(vault_shell: Shell) -> None:
    told = vault_shell.run("save", "--kind", "preference", "Always run make lint before a commit")
    assert "No person has confirmed it yet: commonplace inbox accept" in told.out
    assert "inbox" in vault_shell.run("status").out
    assert vault_shell.ask("status")["waiting"] == 1
    (entry,) = vault_shell.ask("inbox", "list")
    assert entry["action"] == "confirm"
    assert "make lint" not in vault_shell.run("start").out
    vault_shell.person("inbox", "accept", entry["memory"]["slug"])
    assert "make lint" in vault_shell.run("start").out
    assert "confirmed" not in vault_shell.person("save", "--kind", "preference", "Use tabs").out


def test_a_token_for_a_person_is_made_by_a_person(vault_shell: Shell) -> None:
    told = vault_shell.try_("token", "create", "--user", "ada", "--person")
    assert told.code == 5
    assert vault_shell.ask("token", "list") == []
    vault_shell.person("token", "create", "--user", "ada", "--person")
    assert "member, a person" in vault_shell.run("token", "list").out


def test_a_real_terminal_is_told_from_a_pipe(vault_shell: Shell) -> None:
    """A process of its own, with a terminal of its own."""
    code, said = in_terminal(vault_shell, "save", "Typed by a person", "--json")
    assert code == 0, said
    assert json.loads(said[said.index("{") :])["memory"]["trust"] == "user"
    vault_shell.environ["CLAUDECODE"] = "1"
    _, said = in_terminal(vault_shell, "save", "Typed by an agent", "--json")
    assert json.loads(said[said.index("{") :])["memory"]["trust"] == "agent"
    piped = json.loads(vault_shell.process("save", "Piped by a script", "--json").stdout)
    assert piped["memory"]["trust"] == "agent"


def test_a_person_confirms_once_what_a_description_means(vault_shell: Shell) -> None:
    for text in ("Budget for the Oslo trip is 900 euros", "Our trip to Oslo starts on 12 March"):
        vault_shell.person("save", text)
    vault_shell.run("save", "Jonas's trip to Oslo was cancelled")
    about = ("forget", "--about", "the Oslo trip")
    code, said = in_terminal(vault_shell, *about, typed="n\n")
    assert code == 0, said
    assert "Forget 2 memories?" in said
    assert "another person's" in said
    assert len(vault_shell.ask("list")) == 3
    code, said = in_terminal(vault_shell, *about, typed="y\n")
    assert code == 0, said
    assert "Forgotten: 2 memories" in said
    assert len(vault_shell.ask("list")) == 1
    change = said.split("commonplace revert ")[1].split()[0]
    vault_shell.person("revert", change)
    assert len(vault_shell.ask("list")) == 3
    code, said = in_terminal(vault_shell, "purge", "--about", "the Oslo trip", typed="purge 2\n")
    assert code == 0, said
    assert "Receipt: book " in said
    assert "no undo" in said
    assert len(vault_shell.ask("list")) == 1


def in_terminal(shell: Shell, *arguments: str, typed: str = "") -> tuple[int, str]:
    """Run a command in a terminal, with what a person types; its exit code and what it showed."""
    environ = {"TERM": "dumb", "NO_COLOR": "1", **shell.environ}
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, [sys.executable, "-m", "commonplace", *arguments], environ)
    os.write(terminal, typed.encode())
    shown, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            shown += (piece := os.read(terminal, 4096))
        except OSError:
            break  # Linux says so when the other side has closed.
        if not piece:
            break
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), shown.decode()


def waiting_rules(shell: Shell) -> list[str]:
    """The ids of three rules that an agent saved and that wait for a person's yes."""
    for target in ("lint", "docs", "types"):
        shell.run("save", "--kind", "preference", f"Always run make {target} before a commit")
    return [entry["memory"]["id"] for entry in shell.ask("inbox", "list")]


def test_a_person_accepts_all_after_a_preview_and_one_revert_undoes_it(vault_shell: Shell) -> None:
    ids = waiting_rules(vault_shell)
    assert len(ids) == 3
    kept = vault_shell.at_terminal("inbox", "accept", "--all", typed="n")
    assert "make lint" in kept.out
    assert "Accept 3 proposals?" in kept.err
    assert len(vault_shell.ask("inbox", "list")) == 3
    told = vault_shell.at_terminal("inbox", "accept", "--all", typed="y")
    assert "Accepted: 3 proposals." in told.out
    assert vault_shell.ask("inbox", "list") == []
    undo = told.out.split("Undo: commonplace ")[1].split()
    assert len(undo) == 4
    assert "3 changes undone" in vault_shell.person(*undo).out
    assert len(vault_shell.ask("inbox", "list")) == 3


def test_a_person_accepts_several_by_name_and_a_wrong_name_changes_nothing(
    vault_shell: Shell,
) -> None:
    first, second, third = waiting_rules(vault_shell)
    assert vault_shell.at_terminal("inbox", "accept", first, "nobody", typed="").code != 0
    assert len(vault_shell.ask("inbox", "list")) == 3
    assert "Accepted: 2 proposals." in vault_shell.person("inbox", "accept", first, second).out
    (left,) = vault_shell.ask("inbox", "list")
    assert left["memory"]["id"] == third


@pytest.mark.parametrize(
    "options",
    [
        (), ("--all", "x"), ("--yes", "x", "y"), ("--keep", "x", "y", "z"),
        ("--keep", "x", "--all"),
    ],
)  # fmt: skip
def test_what_to_accept_is_said_clearly(vault_shell: Shell, options: tuple[str, ...]) -> None:
    waiting_rules(vault_shell)
    assert vault_shell.at_terminal("inbox", "accept", *options, typed="").code == 2
    assert len(vault_shell.ask("inbox", "list")) == 3


def test_no_agent_accepts_all(vault_shell: Shell) -> None:
    ids = waiting_rules(vault_shell)
    for given in (("--all", "--yes"), ("--all",), tuple(ids)):
        assert vault_shell.try_("inbox", "accept", *given).code == 5
    assert len(vault_shell.ask("inbox", "list")) == 3


def disputed_port(shell: Shell) -> str:
    """The name of the question which of two memories holds, a person's and an agent's."""
    shell.person("save", "The staging server listens on port 8080. Deploys run on Fridays.")
    shell.run("save", "The staging server listens on port 9090")
    (entry,) = shell.ask("inbox", "list")
    return entry["memory"]["slug"]


def test_accepting_all_says_what_still_waits_and_why(vault_shell: Shell) -> None:
    disputed_port(vault_shell)
    told = vault_shell.person("inbox", "accept", "--all", "--yes").out
    assert told.startswith("Nothing was accepted.\nStill waits: “The staging server listens on")
    assert "You have to say which memory holds: accept it alone, with --keep." in told
    waiting_rules(vault_shell)
    told = vault_shell.person("inbox", "accept", "--all", "--yes").out
    assert told.startswith("Accepted: 3 proposals.\nStill waits: “The staging server listens on")


def test_a_person_is_told_how_to_let_both_hold(vault_shell: Shell) -> None:
    name = disputed_port(vault_shell)
    shown = vault_shell.person("inbox", "show", name).out
    command = f"commonplace inbox accept {name} --keep both"
    assert command in shown
    assert "Both memories stay in use" in vault_shell.person(*command.split()[1:]).out
    assert len(vault_shell.ask("list")) == 2


def test_a_name_that_is_not_in_the_inbox_is_answered_from_the_inbox(vault_shell: Shell) -> None:
    name = disputed_port(vault_shell)
    told = vault_shell.at_terminal("inbox", "reject", "nothing-like-it", typed="")
    assert (told.code, told.err) == (
        4,
        "No memory is called 'nothing-like-it'.\nSee `commonplace inbox list`.\n",
    )
    told = vault_shell.at_terminal("inbox", "reject", name[:-4], typed="")
    assert told.err.endswith(f"Did you mean {name}?\n")


@pytest.mark.parametrize(
    "arguments", [("list",), ("audit", "list"), ("recall", "port"), ("--help",)]
)
def test_no_color_leaves_no_code_on_a_terminal(
    vault_shell: Shell, arguments: tuple[str, ...]
) -> None:
    vault_shell.person("save", "The staging server listens on port 8080")
    vault_shell.environ |= {"TERM": "xterm-256color", "NO_COLOR": ""}
    assert "\x1b[" in in_terminal(vault_shell, *arguments)[1]
    vault_shell.environ["NO_COLOR"] = "1"
    code, said = in_terminal(vault_shell, *arguments)
    assert code == 0, said
    assert "\x1b" not in said


@pytest.mark.parametrize(
    ("place", "taken"),
    [
        (("--project", "shop"), {"/project/shop", "/user/ada/project/shop"}),
        (("--user", "ada", "--project", "shop"), {"/project/shop", "/user/ada/project/shop"}),
        (("--user", "ada"), {"/user/ada"}),
        (("--project", "nobody"), set[str]()),
        ((), {"/", "/project/shop", "/project/till", "/user/ada", "/user/ada/project/shop"}),
    ],
)
def test_all_of_a_project_leaves_what_waits_around_it(
    vault_shell: Shell, place: tuple[str, ...], taken: set[str]
) -> None:
    scopes = ["/", "/project/shop", "/project/till", "/user/ada", "/user/ada/project/shop"]
    for at, scope in enumerate(scopes):
        rule = f"Always run make target{at} before a commit"
        vault_shell.run("save", "--kind", "preference", "--scope", scope, rule)
    waited = {one["memory"]["scope"] for one in vault_shell.ask("inbox", "list")}
    assert waited == {*scopes}
    given = {*zip((one.strip("-") for one in place[::2]), place[1::2], strict=True)}
    seen = {one for one in scopes if not place or {*Scope.parse(one).pairs} <= given}
    taken &= seen
    if "--project" in place:
        listed = vault_shell.ask("inbox", "list", *place)
        assert {one["memory"]["scope"] for one in listed} == taken
    told = vault_shell.person("inbox", "accept", "--all", "--yes", *place).out
    left = {one["memory"]["scope"] for one in vault_shell.ask("inbox", "list")}
    assert waited - left == taken
    assert ("Not decided: " in told) == (seen != taken)
    if not taken:
        assert told.startswith("Nothing was accepted.")


def test_a_contradiction_waits_for_a_choice_when_all_is_accepted(vault_shell: Shell) -> None:
    waiting_rules(vault_shell)
    insights = vault_shell.home / "book" / "system" / "memory" / "insight"
    insights.mkdir(parents=True, exist_ok=True)
    for port in (8080, 9090):
        (insights / f"port-{port}.md").write_text(f"The staging server listens on port {port}\n")
    vault_shell.person("maintain")
    told = vault_shell.at_terminal("inbox", "accept", "--all", typed="y")
    assert "stays: you have to choose" in told.out
    (left,) = vault_shell.ask("inbox", "list")
    assert left["action"] == "contradiction"
    other = waiting_rules(vault_shell)
    told = vault_shell.person("inbox", "accept", *other, left["memory"]["id"])
    assert "--keep" in told.out


def test_a_request_that_is_met_already_names_the_one_command_left(vault_shell: Shell) -> None:
    vault_shell.person("save", "The lamp is old", "--title", "Lamp")
    vault_shell.person("forget", "Lamp")
    assert vault_shell.try_("revert", "Lamp").code == 11
    vault_shell.person("restore", "Lamp")
    [waiting] = vault_shell.ask("inbox")
    name = waiting["memory"]["slug"]
    assert waiting["settled"]
    why = "Nothing is left to decide: that change is undone already."
    assert why in vault_shell.run("inbox").out
    shown = vault_shell.run("inbox", "show", name).out
    assert why in shown
    assert f"commonplace inbox reject {name}" in shown
    assert "inbox accept" not in shown
    assert "Nothing was accepted." in vault_shell.person("inbox", "accept", "--all", "--yes").out
    failed = vault_shell.at_terminal("inbox", "accept", name, typed="")
    assert failed.code == 7
    assert failed.err.startswith(why)
    vault_shell.person("inbox", "reject", name)
    assert vault_shell.ask("inbox") == []
