"""Tidying, the inbox and the great undo, at the command line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from commonplace.doors.cli.declare import parse_since
from commonplace.model.errors import BadInput
from tests.doors.shell import Shell

LONG_AGO = "2020-01-01T00:00:00Z"


def expired(shell: Shell) -> str:
    """A memory of an agent whose end has come; its id."""
    from commonplace.books.open import open_book
    from commonplace.settings import load

    with open_book(shell.environ["COMMONPLACE_URL"], settings=load(shell.environ)) as book:
        return book.save("The launch event is on Tuesday", expires=LONG_AGO).id


def proposal(shell: Shell) -> str:
    """Three projects that know one thing: tidying proposes to tell all of them."""
    for project in ("a", "b", "c"):
        shell.run("save", "Always pin the build tools", "--scope", f"/project/{project}")
    shell.run("maintain")
    (waiting,) = shell.run("inbox", "list", "--json").json
    return waiting["memory"]["id"]


def test_a_dry_run_changes_nothing_and_says_what_it_would_do(shell: Shell) -> None:
    id = expired(shell)
    answer = shell.run("maintain", "--dry-run")
    assert "1 change would be made" in answer.out
    assert "archived: the-launch-event-is-on-tuesday" in answer.out
    assert shell.run("get", id, "--json").json["status"] == "active"
    planned = shell.run("maintain", "--dry-run", "--json").json
    done = shell.run("maintain", "--json").json
    assert planned["changes"] == done["changes"]
    assert shell.run("get", id, "--json").json["status"] == "archived"
    assert "Nothing to do." in shell.run("maintain").out


def test_the_report_names_the_way_back_of_each_change(shell: Shell) -> None:
    id = expired(shell)
    assert "Nothing changed in that time." in shell.run("maintain", "--report").out
    shell.run("maintain")
    answer = shell.run("maintain", "--report")
    assert "archived automatically" in answer.out
    (command,) = [line.strip() for line in answer.out.splitlines() if " revert " in line]
    shell.run(*command.split()[1:])
    assert shell.run("get", id, "--json").json["status"] == "active"


def test_everything_automatic_is_undone_at_once(shell: Shell) -> None:
    id = expired(shell)
    shell.run("maintain")
    assert "1 change undone in 1 memory." in shell.run("revert", "--automatic").out
    assert shell.run("get", id, "--json").json["status"] == "active"
    again = shell.run("revert", "--automatic", "--since", "1h")
    assert "No automatic change" in again.out


def test_revert_wants_one_change_or_all_automatic_ones(shell: Shell) -> None:
    assert shell.try_("revert").code == 2
    assert shell.try_("revert", "something", "--automatic").code == 2


def test_an_empty_inbox_says_where_things_come_from(shell: Shell) -> None:
    assert "commonplace maintain" in shell.run("inbox", "list").out


def test_a_proposal_is_looked_at_and_accepted(shell: Shell) -> None:
    id = proposal(shell)
    assert "promote" in shell.run("inbox", "list").out
    page = shell.run("inbox", "show", id).out
    assert page.count("Always pin the build tools") == 3
    assert f"inbox accept {name(shell, id)}" in page
    assert "Accepted" in shell.person("inbox", "accept", id).out
    scopes = {one["scope"] for one in shell.run("list", "--json").json}
    assert "/" in scopes


def test_a_proposal_is_rejected_by_its_name(shell: Shell) -> None:
    id = proposal(shell)
    assert "Rejected" in shell.person("inbox", "reject", name(shell, id)).out
    assert "Nothing to do." in shell.run("maintain").out


def test_a_proposal_is_edited_before_it_is_accepted(shell: Shell) -> None:
    id = proposal(shell)
    shell.person("inbox", "edit", id, "--content", "Promote? To nobody but\n\n/")
    (waiting,) = shell.run("inbox", "list", "--json").json
    assert waiting["memory"]["content"].startswith("Promote? To nobody but")


def test_curated_changes_are_listed_by_day(shell: Shell) -> None:
    assert "Nothing changed" in shell.run("changes").out
    shell.person("fact", "set", "deploy.branch", "main")
    answer = shell.run("changes", "--since", "2w")
    assert "created by a person at a terminal" in answer.out
    assert "commonplace revert" in answer.out


def test_finished_work_is_crystallized(shell: Shell) -> None:
    shell.run("save", "The copy took nine hours", "--scope", "/project/x/task/migration")
    assert "Remembered" in shell.run("crystallize", "migration").out


def test_a_task_of_the_command_line_is_crystallized(shell: Shell) -> None:
    shell.run("task", "start", "Move the database", "--id", "t1", "--project", "orders")
    shell.run("task", "observe", "t1", "The orders table has 40M rows", "--importance", "0.9")
    shell.run("task", "done", "t1")
    made = shell.ask("crystallize", "t1")["memory"]
    assert "40M rows" in made["content"]
    assert made["scope"] == "/project/orders"


@pytest.mark.parametrize("text", ["soon", "7x", "999999d", "2026-13-01", ""])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse_since(text)


def test_times_are_said_as_people_say_them() -> None:
    now = datetime(2026, 11, 15, 9, tzinfo=UTC)
    assert parse_since("7d", now) == now - timedelta(days=7)
    assert parse_since("12h", now) == now - timedelta(hours=12)
    assert parse_since("2W", now) == now - timedelta(weeks=2)
    assert parse_since("2026-11-01T00:00:00+00:00", now) == datetime(2026, 11, 1, tzinfo=UTC)


def name(shell: Shell, id: str) -> str:
    return shell.run("get", id, "--json").json["slug"]


def test_the_inbox_alone_is_listed(shell: Shell) -> None:
    assert "The inbox is empty." in shell.run("inbox").out
    id = proposal(shell)
    assert shell.run("inbox").out == shell.run("inbox", "list").out
    assert [one["memory"]["id"] for one in shell.run("inbox", "--json").json] == [id]
    assert [one["memory"]["id"] for one in shell.run("inbox", "--limit", "3", "--json").json] == [
        id
    ]
    assert "accept" in shell.run("inbox", "--help").out
    wrong = shell.try_("inbox", "lsit")
    assert wrong.code == 2
    assert "lsit" in wrong.err


def test_what_is_to_be_confirmed_says_why(shell: Shell) -> None:
    shell.run("save", "Ada prefers dark roast coffee", "--kind", "preference", "--confidence", "1")
    (one,) = shell.run("inbox", "--json").json
    assert one["action"] == "confirm"
    assert "as something you said" in one["why"]
    for told in (shell.run("inbox"), shell.run("inbox", "show", one["memory"]["id"])):
        assert one["why"] in told.out


def test_a_book_that_is_missing_is_named_in_the_command_that_makes_it(shell: Shell) -> None:
    for scheme in ("sqlite", "vault"):
        url = f"{scheme}:{shell.home / 'elsewhere'}"
        told = shell.try_("list", "--url", url)
        assert told.code != 0
        assert f"commonplace init {url}" in told.err
