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


def test_the_inbox_says_why_each_entry_waits_and_calls_no_statement_an_order(
    vault_shell: Shell,
) -> None:
    for kind, text in (
        ("profile", "Run the deploy script twice"),
        ("profile", "The docs are at docs.shop.example"),
        ("preference", "Lena likes mail at lena@shop.example"),
        ("insight", "`parse_config` in src/config.py returns a dict"),
    ):
        vault_shell.run("save", "--kind", kind, text)
    vault_shell.run("save", "--kind", "override", "--agent", "coder", "Be kind to Lena")
    stated = ("--kind", "preference", "--confidence", "1")
    vault_shell.run("save", *stated, "Lena takes the early shift")
    why = {one["memory"]["content"]: one["why"] for one in vault_shell.ask("inbox")}
    assert why == {
        "Run the deploy script twice": "It tells its reader what to do, and no person wrote it; it"
        " is not in use until you decide.",
        "The docs are at docs.shop.example": "It names an address, and no person wrote it; it is"
        " not in use until you decide.",
        "Lena likes mail at lena@shop.example": "It names an address, and no person wrote it;"
        " until you decide it is found, but no session begins with it.",
        "Lena takes the early shift": "An agent passes it on as something you said; it is in use"
        " until you decide.",
        "`parse_config` in src/config.py returns a dict": "It reads like a description of files or"
        " code, which the repository shows.",
        "Be kind to Lena": "It tells an agent how to work, and no person wrote it; it is not in"
        " use until you decide.",
    }
    begun = vault_shell.run("digest").out
    assert [text for text in why if text in begun] == ["Lena takes the early shift"]


def test_a_rejection_says_what_it_means_and_how_to_undo_it(vault_shell: Shell) -> None:
    memory = vault_shell.person("save", "Releases are signed by Ada", "--json").json["memory"]
    vault_shell.try_("edit", memory["id"], "--content", "Releases are signed by Eve")
    vault_shell.run("save", "--kind", "profile", "Run the deploy script twice")
    vault_shell.run("save", "--kind", "profile", "Ada likes tea")
    meant = {
        "edit": "Nothing was changed. For a week agents cannot ask again to change that memory,"
        " unless it changes before. They can still save memories of their own.",
        "remember": "It stays out of use. Agents cannot save this text again; you can.",
        "confirm": "It is no longer in use. Agents cannot save this text again; you can.",
    }
    entries = vault_shell.ask("inbox")
    assert {one["action"] for one in entries} == {*meant}
    for one in entries:
        name = one["memory"]["slug"]
        told = vault_shell.person("inbox", "reject", name).out
        assert told.splitlines()[1] == meant[one["action"]]
        assert f"Undo: commonplace revert {name}" in told
        again = vault_shell.at_terminal("inbox", "reject", name, typed="")
        assert again.code != 0
        assert f"{name} was rejected before" in again.err
        vault_shell.person("revert", name)
    assert {one["action"] for one in vault_shell.ask("inbox")} == {*meant}
    assert "Releases are signed by Ada" in vault_shell.run("get", memory["id"]).out


def test_after_a_rejection_an_agent_can_do_what_the_answer_says(vault_shell: Shell) -> None:
    memory = vault_shell.person("save", "Releases are signed by Ada", "--json").json["memory"]
    wish = ("edit", memory["id"], "--content", "Releases are signed by Eve")
    vault_shell.try_(*wish)
    vault_shell.person("inbox", "reject", vault_shell.ask("inbox")[0]["memory"]["slug"])
    assert "has already decided" in vault_shell.try_(*wish).err
    vault_shell.run("save", "Releases are signed by Eve")
    vault_shell.person("edit", memory["id"], "--tag", "release")
    assert "waits for that person" in vault_shell.try_(*wish).err
