"""People read plain words for statuses, changes and doors."""

from __future__ import annotations

from commonplace.doors import plain_words
from commonplace.model.memory import STATUSES, TIERS
from commonplace.rules.audit import ALL_ACTIONS
from commonplace.rules.authority import TRUST_OF_SOURCE
from tests.doors.shell import Shell

JARGON = {"superseded", "deduplicated", "staged", "rescoped", "staled"}


def test_no_status_and_no_change_is_shown_in_our_own_words() -> None:
    shown = {*map(plain_words.status, STATUSES), *map(plain_words.action, ALL_ACTIONS)}
    assert shown.isdisjoint(JARGON)
    assert {*plain_words.TIERS_LOADED} == {*TIERS}


def test_every_door_says_who_came_through_it() -> None:
    assert all(plain_words.by_door(one).startswith("by ") for one in TRUST_OF_SOURCE)
    assert plain_words.by_door("import:repository") == "from repository"


def test_a_replaced_memory_reads_so_and_is_asked_for_so(vault_shell: Shell) -> None:
    vault_shell.person("save", "The release branch is main")
    vault_shell.person("save", "The release branch is trunk")
    listed = vault_shell.run("list", "--status", "replaced").out
    assert "The release branch is main" in listed
    assert "replaced" in listed
    name = vault_shell.ask("list", "--status", "superseded")[0]["slug"]
    page = vault_shell.run("get", name).out
    assert "when a question finds it" in page
    assert "by a person at a terminal" in page
    for shown in (
        listed,
        page,
        vault_shell.run("history", name).out,
        vault_shell.run("audit", "list").out,
    ):
        assert not any(word in shown for word in JARGON)


def test_a_list_of_changes_and_recalls_shows_the_texts(vault_shell: Shell) -> None:
    vault_shell.run("save", "The release branch is main")
    vault_shell.run("recall", "release branch")
    for command in ("list", "recalls"):
        assert "The release branch is main" in vault_shell.run("audit", command).out
