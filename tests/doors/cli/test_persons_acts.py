"""What the command line lets only a person do, and how it tells one proposal from another."""

from __future__ import annotations

import pytest

from tests.doors.shell import Shell


@pytest.mark.parametrize(
    "command",
    [
        ("token", "create", "--user", "ada", "--role", "admin"),
        ("token", "off", "--yes"),
        ("token", "revoke", "0" * 12),
        ("reveal", "Door"),
    ],
)
def test_a_shell_without_a_person_neither_opens_the_server_nor_reveals(
    vault_shell: Shell, command: tuple[str, ...]
) -> None:
    vault_shell.run("key", "new", "--print")
    vault_shell.run("save", "The door sticks", "--title", "Door")
    told = vault_shell.try_(*command)
    assert told.code == 5
    assert "Only a person may" in told.err
    assert vault_shell.ask("token", "list") == []


def test_an_agents_shell_makes_a_token_for_a_member(vault_shell: Shell) -> None:
    vault_shell.run("token", "create", "--user", "ada")
    assert len(vault_shell.ask("token", "list")) == 1


def test_a_token_for_a_person_says_so(vault_shell: Shell) -> None:
    told = vault_shell.person("token", "create", "--user", "ada", "--person").out
    assert "For /user/ada, member, a person" in told
    assert "need no confirmation" in told
    told = vault_shell.person("token", "create", "--user", "bob").out
    assert "a person" not in told


def test_waiting_proposals_about_one_memory_are_told_apart_in_the_list(vault_shell: Shell) -> None:
    memory = vault_shell.person("save", "Releases are signed by Ada", "--json").json["memory"]
    for text in ("Releases are signed by Eve", "Releases are signed by Bob"):
        assert vault_shell.try_("edit", memory["id"], "--content", text).code == 11
    assert vault_shell.try_("edit", memory["id"], "--tag", "signing").code == 11
    listed = vault_shell.run("inbox", "list").out
    for said in ("signed by Eve", "signed by Bob", "signing"):
        assert said in listed
