"""Taking away, taking in and moving, at the command line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.doors.shell import Shell


def test_an_export_is_imported_elsewhere_and_counted(shell: Shell, tmp_path: Path) -> None:
    shell.run("save", "Owls hunt at dusk", "--tag", "night")
    file = str(tmp_path / "all.jsonl")
    assert "1 memory written to" in shell.run("export", file).out
    elsewhere = ("--url", f"sqlite:{tmp_path / 'other.db'}")
    shell.run("init", *elsewhere)
    told = shell.run("import", file, "--dry-run", *elsewhere).out
    assert "commonplace: 1 would be saved, 0 already there, 0 refused." in told
    assert "1 saved, 0 already there" in shell.run("import", file, *elsewhere).out
    last = shell.run("import", file, *elsewhere).out.strip().splitlines()[-1]
    assert last == "commonplace: 0 saved, 1 already there, 0 refused."
    assert shell.ask("recall", "owls", *elsewhere)["hits"][0]["memory"]["trust"] == "external"


def test_an_import_says_how_many_of_its_memories_replaced_an_older_one(
    vault_shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "memories.txt"
    rents = "[2025-05-01] - The rent is 900 euros.\n[2025-06-01] - The rent is 950 euros.\n"
    file.write_text(rents)
    assert vault_shell.ask("import", str(file), "--dry-run")["replaced"] == 1
    told = vault_shell.run("import", str(file)).out
    assert "2 saved, 0 already there, 0 refused." in told
    assert "1 of the saved replaced an older memory. See `commonplace changes --all`." in told
    assert "The rent is 900 euros" in vault_shell.run("changes", "--all").out
    assert "replaced" not in vault_shell.run("import", str(file)).out


def test_an_import_says_where_the_turns_of_conversations_are(
    vault_shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "s.jsonl"
    phone = [{"type": "text", "text": "The phone rings"}]
    row = {"sessionId": "s", "uuid": "1"}
    said = [
        {**row, "type": "user", "message": {"content": "The bell rings"}},
        {**row, "type": "assistant", "uuid": "2", "parentUuid": "1", "message": {"content": phone}},
    ]
    file.write_text("\n".join(map(json.dumps, said)))
    for more in (("--dry-run",), ()):
        told = vault_shell.run("import", str(file), *more).out.replace("\n", " ")
        assert "Turns of conversations among the saved: 2. `recall` finds them" in told
    assert "bell" not in vault_shell.run("list").out
    assert "The bell rings" in vault_shell.run("list", "--kind", "turn").out
    assert "turns" not in vault_shell.run("import", str(file)).out, "nothing was saved"


def test_an_export_of_another_format_than_the_named_one_is_refused(
    vault_shell: Shell, tmp_path: Path
) -> None:
    file = tmp_path / "conversations.json"
    message = {"uuid": "1", "sender": "human", "text": "We use PostgreSQL 16"}
    file.write_text(json.dumps([{"uuid": "c", "name": "Shop", "chat_messages": [message]}]))
    told = vault_shell.try_("import", str(file), "--as", "chatgpt")
    assert told.code == 2
    assert "holds nothing in the format chatgpt" in told.err
    assert "1 saved" in vault_shell.run("import", str(file)).out


def test_an_export_goes_to_the_screen_with_the_filters_of_list(vault_shell: Shell) -> None:
    vault_shell.run("save", "Owls hunt at dusk", "--tag", "night")
    vault_shell.run("save", "Bees dance")
    first, *rest = vault_shell.run("export", "-", "--tag", "night").out.splitlines()
    assert json.loads(first)["format"] == "commonplace"
    assert [json.loads(one)["content"] for one in rest] == ["Owls hunt at dusk"]


def test_an_empty_export_says_so(vault_shell: Shell, tmp_path: Path) -> None:
    told = vault_shell.run("export", str(tmp_path / "none"), "--tag", "nothing").out
    assert "No memory matches" in told


def test_a_file_that_is_unknown_is_said_in_one_sentence(vault_shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"\x89PNG")
    told = vault_shell.try_("import", str(tmp_path / "x.png"), "--json")
    assert told.code == 2
    assert "--as" in json.dumps(told.json)


def test_a_vault_moves_into_a_file_and_is_used_from_there(
    vault_shell: Shell, tmp_path: Path
) -> None:
    vault_shell.run("save", "Owls hunt at dusk")
    to = f"sqlite:{tmp_path / 'moved.db'}"
    told = vault_shell.run("move", "--to", to).out
    assert "1 memory and 1 audit event copied" in told
    assert f"commonplace sync --url {to}" in told
    assert vault_shell.ask("recall", "owls", "--url", to)["hits"]
    switch = told.split("Use it from now on: commonplace ")[1].splitlines()[0]
    assert switch == f"init {to} --default"
    vault_shell.run(*switch.split())
    assert to in (vault_shell.home / "config.yaml").read_text(encoding="utf-8")
    again = vault_shell.ask("move", "--to", to)
    assert (again["memories"], again["copied"]) == (1, 0)
    vault_shell.run("save", "Only in the old place")
    vault_shell.run("save", "Only in the new place", "--url", to)
    refused = vault_shell.try_("move", "--to", to)
    assert refused.code == 7
    assert "has something that the book lacks" in refused.err
    both = vault_shell.try_("move", "--from", to, "--to", "vault:x", "--url", to)
    assert both.code == 2


def test_imported_memories_show_when_they_were_said(vault_shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "memories.txt").write_text("[2025-05-01] - Prefers window seats.\n")
    vault_shell.run("import", str(tmp_path / "memories.txt"))
    vault_shell.run("save", "Trains are booked on Mondays")
    for command in (("list",), ("recall", "window seats")):
        rows = vault_shell.run(*command).out
        assert "2025-05-01" in rows, command
    assert "just now" in vault_shell.run("list").out


def test_status_list_greeting_and_export_count_the_same_memories(
    vault_shell: Shell, tmp_path: Path
) -> None:
    for text in ("Tests run with pytest", "Reviews go to Priya", "The lamp is broken"):
        vault_shell.run("save", text)
    vault_shell.run("forget", "The lamp is broken")
    said = {"type": "user", "sessionId": "s", "uuid": "1", "message": {"content": "Hello"}}
    (tmp_path / "s.jsonl").write_text(json.dumps(said))
    vault_shell.run("import", str(tmp_path / "s.jsonl"))
    path = str(tmp_path / "all.jsonl")
    done, status = vault_shell.ask("export", path), vault_shell.ask("status")
    counts = (len(vault_shell.ask("list")), status["memories"], done["memories"] - done["others"])
    assert counts == (2, 2, 2)
    assert vault_shell.ask("overview")["memories"] == 2
    assert (status["records"], done["others"]) == (4, 1)
    assert dict(status["by_kind"]) == {"insight": 2}
    assert dict(status["by_scope"]) == {"/": 2}
    told = " ".join(vault_shell.run("status").out.split())
    assert "memories 2 in use" in told
    assert "also kept 1 forgotten, 1 that `list` leaves out (turns, archive" in told
    told = vault_shell.run("export", path, "--replace").out
    assert "2 memories and 1 of archive and turns written" in told


@pytest.mark.parametrize("name", ["all.jsonl", "all.zip", "all.mem", "notes"])
def test_an_export_makes_no_folder_above_its_target(
    vault_shell: Shell, tmp_path: Path, name: str
) -> None:
    vault_shell.run("save", "Owls hunt at dusk")
    missing = tmp_path / "exprots" / "2026"
    told = vault_shell.try_("export", str(missing / name))
    assert (told.code, told.out) == (2, "")
    assert told.err.splitlines()[0] == f"There is no folder {missing}."
    assert not missing.parent.exists()
    missing.mkdir(parents=True)
    vault_shell.run("export", str(missing / name))
    assert (missing / name).exists()


def test_the_printed_import_can_be_pasted_though_the_path_has_blanks(
    vault_shell: Shell, tmp_path: Path
) -> None:
    vault_shell.run("save", "The kiln cools for a day")
    path = str(tmp_path / "my notes.jsonl")
    told = vault_shell.run("export", path)
    [line] = [one for one in (told.out + told.err).splitlines() if "Import them" in one]
    assert shlex.split(line.partition(": ")[2]) == ["commonplace", "import", path]
