"""What an agent would be handed, and what is connected with what, at the command line."""

from __future__ import annotations

import pytest

from tests.doors.shell import Shell


@pytest.fixture
def team(shell: Shell) -> Shell:
    shell.person("save", "Ask before deleting files", "--always-load")
    shell.run("fact", "set", "test_command", "make check")
    shell.run("save", "Wait for the token in the flaky login test", "--kind", "fix")
    shell.run("save", "Ada owns [[Billing]]", "--title", "Ada")
    shell.run("save", "It stores invoices in [[Quokka]]", "--title", "Billing")
    shell.run("save", "A cluster of three machines", "--title", "Quokka")
    return shell


def test_a_digest_is_printed_whole_and_its_bill_goes_elsewhere(team: Shell) -> None:
    told = team.run("digest", "flaky", "login", "test")
    assert told.out.startswith('<memory-context source="commonplace">\n')
    assert told.out.endswith("</memory-context>\n")
    assert "flaky login test" in told.out
    assert "tokens (upper bound; " in told.err
    assert "relevant" in told.err
    made = team.ask("digest", "flaky", "login", "test")
    assert made["text"] + "\n" == told.out
    assert made["tokens"] >= sum(item["tokens"] for item in made["items"]) > 0


def test_a_digest_keeps_the_budget_it_is_given(team: Shell) -> None:
    for option, field in (("--tokens", "tokens"), ("--characters", "characters")):
        assert 0 < team.ask("digest", "login", option, "400")[field] <= 400
    assert len(team.ask("digest", "login", "--items", "2")["items"]) == 2
    kinds = [item["kind"] for item in team.ask("digest", "login test", "--of", "fix=0")["items"]]
    assert "fix" not in kinds
    assert "Nothing fits" in team.run("digest", "login", "--tokens", "3").err
    assert team.try_("digest", "login", "--of", "fix").code == 2
    assert team.try_("digest", "login", "--phase", "party").code == 2


def test_a_start_asks_nothing(team: Shell) -> None:
    told = team.run("start").out
    assert "Ask before deleting files" in told
    assert "test_command: make check" in told
    assert "flaky" not in told


def test_nothing_to_hand_over_is_said_with_an_example(vault_shell: Shell) -> None:
    told = vault_shell.run("start")
    assert told.out == ""
    assert "--always-load" in told.err


def test_a_graph_is_a_tree_in_which_each_memory_stands_once(team: Shell) -> None:
    near = team.run("graph", "Ada").out
    assert "links to Billing" in near
    assert "Quokka  " not in near
    far = team.run("graph", "Quokka", "--hops", "2").out.splitlines()
    assert far[0].startswith("Quokka")
    assert "is linked from Billing" in far[1]
    assert "is linked from Ada" in far[2]
    drawn = team.ask("graph", "Ada", "--hops", "2")
    assert [edge["kind"] for edge in drawn["edges"]] == ["links_to", "links_to"]
    assert len(drawn["memories"]) == 3


def test_a_memory_without_connections_says_how_to_make_one(team: Shell) -> None:
    team.run("save", "Lunch is at noon", "--title", "Lunch")
    assert "[[its name]]" in team.run("graph", "Lunch").out
    assert team.try_("graph", "Ada", "--hops", "9").code == 2
