"""Backing up, bringing back and erasing from the command line."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from commonplace.books.open import open_book
from commonplace.doors.hooks.session_files import (
    SessionFiles,
    book_folder,
    book_folders,
    files_for_session,
    log_fault,
)
from commonplace.doors.server.upkeep import run_jobs
from commonplace.locations import state_root
from commonplace.rules.parameters import BackupPlan
from commonplace.settings import Settings
from tests.doors.shell import Shell


def test_a_person_backs_up_looks_and_brings_a_book_back(shell: Shell, tmp_path: Path) -> None:
    place, other = str(tmp_path / "safe"), f"vault:{tmp_path / 'again'}"
    assert "commonplace backup now" in shell.try_("backup", "list", place).err
    shell.run("save", "The deploy branch is main")
    assert "Backed up 1 memory" in shell.run("backup", "now", place).out
    assert shell.run("backup", "list", place, "--json").json[0]["records"] == 1
    listed = shell.run("backup", "list", place).out
    assert f"commonplace backup restore --from {place} --at" in listed
    told = shell.run("backup", "restore", "--from", place, "--check").out
    assert "is intact" in told
    assert not (tmp_path / "again").exists()
    back = shell.run("backup", "restore", "--from", place, "--to", other)
    assert "Restored 1 memory" in back.out
    assert f"commonplace sync --url {other}" in back.out
    found = shell.run("recall", "deploy branch", "--url", other).out
    assert "The deploy branch is main" in found


def test_a_damaged_backup_is_told_by_exit_code_and_words(
    vault_shell: Shell, tmp_path: Path
) -> None:
    place = tmp_path / "safe"
    vault_shell.environ["COMMONPLACE_BACKUP_PLACE"] = str(place)
    vault_shell.run("save", "The deploy branch is main")
    vault_shell.run("backup", "now")
    for page in place.glob("objects/*/*"):
        page.write_bytes(b"vandals")
    told = vault_shell.try_("backup", "restore", "--check")
    assert told.code == 1
    assert "of the backup" in told.out
    assert vault_shell.try_("backup", "restore", "--to", f"vault:{tmp_path / 'x'}").code == 10


def test_commands_without_a_place_or_target_say_what_to_add(vault_shell: Shell) -> None:
    assert "COMMONPLACE_BACKUP_PLACE" in vault_shell.try_("backup", "now").err
    assert "--from" in vault_shell.try_("backup", "restore", "--check").err
    place = str(vault_shell.home / "safe")
    assert "--to" in vault_shell.try_("backup", "restore", "--from", place).err
    told = vault_shell.try_("backup", "restore", "--from", place, "--check")
    assert "There is no folder" in told.err
    told = vault_shell.try_("backup", "restore", "--from", place, "--check", "--at", "soon")
    assert "not a time" in told.err


def test_a_user_is_erased_with_a_receipt_that_verifies(shell: Shell, tmp_path: Path) -> None:
    receipt = str(tmp_path / "receipt.json")
    shell.run("save", "Ada drinks green tea", "--scope", "/org/acme/user/ada")
    shell.run("save", "Ben keeps bees", "--scope", "/org/acme/user/ben")
    assert "confirmed" in shell.try_("erase-user", "ada", "--org", "acme").err
    assert "No user" in shell.try_("erase-user").err
    told = shell.try_("erase-user", "ada", "--org", "acme", "--yes", "--receipt", receipt)
    assert (told.code, "Only a person" in told.err) == (5, True)
    done = shell.person("erase-user", "ada", "--org", "acme", "--yes", "--receipt", receipt)
    assert "1 memory" in done.out
    assert "green tea" not in Path(receipt).read_text()
    assert "The receipt is right" in shell.run("erase-user", "--verify", receipt).out
    assert [one["content"] for one in shell.run("list", "--json").json] == ["Ben keeps bees"]
    Path(receipt).write_text(Path(receipt).read_text().replace('"user": "ada"', '"user": "ben"'))
    assert shell.try_("erase-user", "--verify", receipt).code == 1
    assert "not a receipt" in shell.try_("erase-user", "--verify", str(tmp_path / "none")).err


def test_erasing_asks_for_the_name(vault_shell: Shell) -> None:
    vault_shell.run("save", "Ada drinks green tea", "--scope", "/user/ada")
    assert vault_shell.at_terminal("erase-user", "ada", typed="bob").code == 6
    assert vault_shell.at_terminal("erase-user", "ada", typed="ada").code == 0
    assert vault_shell.run("list", "--json").json == []


def test_a_limit_refuses_with_words_and_an_exit_code(vault_shell: Shell) -> None:
    vault_shell.environ["COMMONPLACE_LIMITS_MEMORIES"] = "1"
    vault_shell.run("save", "Ada drinks green tea")
    told = vault_shell.try_("save", "Ben keeps bees")
    assert told.code == 6
    assert "is full: 1 of 1 memories" in told.err


def test_what_waits_for_a_user_goes_only_from_the_book_that_is_named(
    vault_shell: Shell, tmp_path: Path
) -> None:
    other = f"sqlite:{tmp_path / 'other.db'}"
    vault_shell.run("init", "--url", other)
    environ = vault_shell.environ
    place = book_folder(environ["COMMONPLACE_STATE"], environ["COMMONPLACE_URL"])
    heard = files_for_session(place, "morning")
    header = {"host": "claude", "session": "morning", "context": {"user": "ada"}}
    heard.capture({"speaker": "user", "text": "Green tea, please", "at": 1.0}, header=header)
    vault_shell.person("erase-user", "ada", "--yes", "--url", other)
    assert heard.has_turns
    vault_shell.person("erase-user", "ada", "--yes")
    assert not heard.has_turns


def test_nothing_a_user_said_waits_anywhere_once_they_are_erased(
    vault_shell: Shell, tmp_path: Path
) -> None:
    """However the book's URL was written then, and is written now."""
    state = Path(vault_shell.environ["COMMONPLACE_STATE"])
    url = vault_shell.environ["COMMONPLACE_URL"]
    vault_shell.run("save", "Ada drinks green tea", "--scope", "/user/ada")
    path = url.removeprefix("vault:")
    gone = {"book": f"vault:{tmp_path / 'where it was before'}"}
    told = [
        heard(book_folder(str(state), url), "now", {"book": url}),
        heard(book_folders(str(state), f"{path}/../{Path(path).name}")[1], "then", {}),
        heard(str(state / "hooks" / "0badcafe"), "unknown", {}),
        heard(str(state / "hooks" / "cafe0bad"), "moved", gone),
    ]
    os.rename(told[0].turns, f"{told[0].next_piece().turns}.taken")
    spared = heard(str(state / "hooks" / "deadbeef"), "other", {"book": f"sqlite:{__file__}"})
    vault_shell.person("erase-user", "ada", "--yes", "--url", f"{path}/.")
    assert [path.name for path in state.rglob("*.jsonl*")] == ["other.jsonl"]
    assert spared.has_turns


def heard(place: str, name: str, book: dict[str, str]) -> SessionFiles:
    """What ada said in a session that nobody has looked through yet."""
    one = files_for_session(place, name)
    header = {"host": "claude", "session": name, "context": {"user": "ada"}, **book}
    one.capture({"speaker": "user", "text": "Green tea, please", "at": 1.0}, header=header)
    return one


def test_the_log_of_hooks_is_erased_wherever_it_was_written(
    vault_shell: Shell, tmp_path: Path
) -> None:
    vault_shell.run("save", "Ada drinks green tea", "--scope", "/user/ada")
    state = Path(vault_shell.environ.pop("COMMONPLACE_STATE"))
    config = Path(vault_shell.environ["COMMONPLACE_CONFIG"])
    config.write_text(f"state: {state}\n")
    told = vault_shell.try_("hook", "claude", stdin=b"{}")
    assert told.code == 0
    early = Path(state_root(vault_shell.environ)) / "hooks.log"
    early.parent.mkdir(parents=True, exist_ok=True)
    early.write_text("'ada' said too much, before settings could be read\n")
    log_fault(vault_shell.environ, "claude", "'ada' said too much", state=str(state))
    assert "'ada' said too much" in vault_shell.run("doctor").out
    vault_shell.person("erase-user", "ada", "--yes")
    assert list(tmp_path.rglob("hooks.log*")) == []


def test_a_running_server_backs_up_by_itself(tmp_path: Path) -> None:
    plan = BackupPlan(place=str(tmp_path / "safe"))
    settings = Settings(state=str(tmp_path / "state"), embedder="none", backup=plan)
    with open_book(f"vault:{tmp_path / 'book'}", settings=settings, background=False) as book:
        book.save("The deploy branch is main")
        with run_jobs([book.backup_if_due], every_s=0.01):
            deadline = time.monotonic() + 60
            while not book.backups() and time.monotonic() < deadline:
                time.sleep(0.01)
        assert [one.records for one in book.backups()] == [1]


@pytest.mark.parametrize(
    "command",
    [
        ("backup", "list"), ("backup", "restore", "--check", "--from"),
        ("backup", "restore", "--to", "vault:restored", "--from"),
    ],
)  # fmt: skip
def test_a_folder_that_is_not_there_is_told_from_one_without_backups(
    shell: Shell, command: tuple[str, ...]
) -> None:
    missing = shell.home / "no such folder"
    told = shell.try_(*command, str(missing))
    assert (told.code, told.out) == (4, "")
    assert told.err == (
        f"There is no folder {missing}.\nMake a backup there: commonplace backup now '{missing}'\n"
    )
    letter = shell.home / "letter.txt"
    letter.write_text("Dear Ada")
    told = shell.try_(*command, str(letter))
    assert (told.code, told.out) == (9, "")
    assert f"The backups in {letter} cannot be used: Not a directory." in told.err
    missing.mkdir()
    told = shell.try_(*command, str(missing))
    assert told.code == (0 if "list" in command else 4)
    assert f"Make one: commonplace backup now '{missing}'" in told.out + told.err
    assert not (shell.home / "restored").exists()


def test_a_folder_of_the_settings_is_there_after_the_first_backup(shell: Shell) -> None:
    shell.environ["COMMONPLACE_BACKUP_PLACE"] = str(shell.home / "kept")
    assert "No backup yet." in shell.run("backup", "list").out
    shell.run("backup", "now")
    assert "Memories" in shell.run("backup", "list").out
