"""A book that is away is skipped by hooks, reported by commands, and never replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

import commonplace
from commonplace import Settings, StoreUnavailable
from tests.doors.shell import Shell
from tests.hosts.machine import Machine, context_in, event_of

PROMPT = event_of("claude", "UserPromptSubmit")
START = event_of("claude", "SessionStart")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    one = Machine(tmp_path)
    with one.book() as book:
        book.save("We deploy from the branch main")
    return one


def unmount(machine: Machine, *, leave_folder: bool) -> Path:
    """Take the vault away, as when its disk is not mounted."""
    vault, elsewhere = machine.home / "book", machine.home / "disk"
    vault.rename(elsewhere)
    if leave_folder:
        vault.mkdir()
        (vault / "lost+found").mkdir()
    return elsewhere


@pytest.mark.parametrize("leave_folder", [True, False], ids=["empty folder", "no folder"])
def test_hooks_skip_a_book_that_is_away_with_one_line_each(
    machine: Machine, leave_folder: bool
) -> None:
    disk = unmount(machine, leave_folder=leave_folder)
    assert machine.told("claude", START) == ""
    assert machine.told("claude", PROMPT) == ""
    assert len(machine.log) == 2
    assert all("is away" in line for line in machine.log)
    assert [line["text"] for line in machine.waiting() if "text" in line] == [PROMPT["prompt"]]
    vault = machine.home / "book"
    assert not vault.exists() or [one.name for one in vault.iterdir()] == ["lost+found"]
    if vault.exists():
        (vault / "lost+found").rmdir()
        vault.rmdir()
    disk.rename(vault)
    again = {**PROMPT, "session_id": "another"}
    assert "branch main" in context_in(machine.told("claude", again))


@pytest.mark.parametrize("leave_folder", [True, False], ids=["empty folder", "no folder"])
def test_nothing_makes_an_empty_vault_in_the_place_of_one_that_is_away(
    machine: Machine, leave_folder: bool
) -> None:
    unmount(machine, leave_folder=leave_folder)
    settings = Settings(state=str(machine.state), embedder="none")
    with pytest.raises(StoreUnavailable, match="is away") as caught:
        commonplace.open(machine.url, settings=settings)
    assert "Mount its disk" in (caught.value.hint or "")
    assert not (machine.home / "book" / "_meta").exists()
    with commonplace.open(
        machine.url, settings=settings.but(state=str(machine.home / "other device"))
    ) as fresh:
        assert fresh.list() == []


@pytest.mark.parametrize(
    "command",
    [("save", "A new thing"), ("recall", "branch"), ("init",), ("start",), ("doctor",), ("serve",)],
    ids=" ".join,
)
def test_commands_say_that_the_book_is_away(vault_shell: Shell, command: tuple[str, ...]) -> None:
    vault = vault_shell.home / "book"
    vault.rename(vault_shell.home / "disk")
    answer = vault_shell.try_(*command)
    assert answer.code != 0
    assert "is away" in answer.err
    assert not vault.exists()


def test_a_damaged_book_whose_notes_are_there_is_not_away(machine: Machine) -> None:
    (machine.home / "book" / "_meta" / "vault.json").unlink()
    with machine.book() as book:
        assert [one.content for one in book.list()] == ["We deploy from the branch main"]
