"""Tasks, sessions, profile, reports and sources at the command line."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

import commonplace
from commonplace import Settings
from tests.doors.shell import Shell


def test_task_from_its_start_to_its_end(shell: Shell) -> None:
    shell.run("save", "The staging deploy needs the VPN")
    begun = shell.ask(
        "task", "start", "Prepare the staging deploy", "--step", "Read the notes",
        "--step", "Deploy", "--constraint", "Zero downtime",
    )  # fmt: skip
    id = begun["id"]
    assert "needs the VPN" in begun["message"]
    assert begun["tokens"]["total"] > 0
    noted = shell.ask("task", "note", id, "Ask Ada first", "--keep")
    assert "Ask Ada first" in noted["working"]
    shell.run("task", "observe", id, "The VPN profile is blue", "--importance", "0.9", "--advance")
    told = shell.run("task", "observe", id, "-", "--tool", "curl", stdin=b"200 OK").out
    for part in ("Step 2 of 2: Deploy", "Zero downtime", "VPN profile is blue", "from curl: 200"):
        assert part in told
    assert "1/2" in shell.run("task", "list").out
    assert "✓ Read the notes" in shell.run("task", "show", id).out
    done = shell.run("task", "done", id, "--summary", "Deployed.").out
    assert "+ The VPN profile is blue" in done
    assert "finished before" in shell.run("task", "done", id).out
    assert shell.ask("task", "list") == []
    assert [one["id"] for one in shell.ask("task", "list", "--all")] == [id]
    assert "Prepare the staging deploy" in shell.run("report").out
    assert "finished" in shell.run("task", "list", "--all").out


def test_wrong_task_names_are_told(vault_shell: Shell) -> None:
    answer = vault_shell.try_("task", "show", "nothing-like-it")
    assert answer.code == 4
    assert "task list" in answer.err
    assert "commonplace task start" in vault_shell.run("task", "list").out
    failed = vault_shell.ask("task", "start", "Boil the ocean", "--id", "ocean")
    assert failed["id"] == "ocean"
    assert vault_shell.ask("task", "done", "ocean", "--failed")["outcome"] == "failed"
    assert vault_shell.try_("task", "note", "ocean", "too late").code == 7


def test_nothing_is_no_note_and_a_second_task_of_a_name_is_told_where_the_first_is(
    vault_shell: Shell,
) -> None:
    vault_shell.run("task", "start", "Boil the ocean", "--id", "ocean")
    for command in ("note", "observe"):
        for text in ("", "  "):
            assert vault_shell.try_("task", command, "ocean", text).code == 2
        assert vault_shell.try_("task", command, "ocean", "-", stdin=b"\n").code == 2
    again = vault_shell.try_("task", "start", "Boil the ocean", "--id", "ocean")
    assert again.code == 7
    assert "book.task" not in again.err
    assert "commonplace task show ocean" in again.err


def test_a_conversation_that_never_was_is_not_found(vault_shell: Shell) -> None:
    for command in ("show", "end"):
        failed = vault_shell.try_("session", command, "nope", "--json")
        assert (failed.code, failed.json["error"]["code"]) == (4, "not_found")


def test_profile_is_shown_set_and_edited(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "profile set" in shell.run("profile", "show").out
    shell.run("profile", "set", "Ada, engineer", "--section", "Who")
    told = shell.run("profile", "set", "Likes tea", "--section", "Who", "--add").out
    assert "Ada, engineer\nLikes tea" in told
    assert "30 of 1000 characters, 3 % used" in told
    assert shell.ask("profile", "show")["sections"] == {"Who": 30}
    refused = shell.try_("profile", "set", "x" * 1_001)
    assert refused.code == 6
    assert "Shorten it by" in refused.err
    script = tmp_path / "edit.py"
    script.write_text(
        "import sys, pathlib\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "path.write_text(path.read_text().replace('tea', 'coffee'))\n"
    )
    shell.environ["EDITOR"] = shlex.join([sys.executable, str(script)])
    assert "Likes coffee" in shell.at_terminal("profile", "edit", typed="").out


def test_a_session_that_hooks_recorded_is_listed_until_it_is_read(vault_shell: Shell) -> None:
    said = {"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "prompt": "No, use tabs."}
    vault_shell.run("hook", "claude", stdin=json.dumps(said).encode())
    listed = vault_shell.run("session", "list").out
    assert "claude s-1, 1 turn" in listed
    assert "Still open: 1" in vault_shell.run("hook", "drain").out
    assert vault_shell.ask("session", "list") == []


def test_sessions_are_listed_shown_and_ended(shell: Shell, tmp_path: Path) -> None:
    assert "No conversation" in shell.run("session", "list").out
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    with commonplace.open(shell.environ["COMMONPLACE_URL"], settings=settings) as book:
        book.session("monday").add("Please always use metric units.", role="user")
        book.session("monday").add("Very well.", role="assistant")
    assert shell.ask("session", "list") == ["monday"]
    assert "metric units" in shell.run("session", "show", "monday").out
    assert len(shell.ask("session", "show", "monday", "--search", "metric")) == 1
    assert "metric" in shell.run("session", "end", "monday").out
    assert "has no entries" in shell.run("session", "show", "monday").out
    assert "ended before" in shell.run("session", "end", "monday").out
    assert shell.ask("session", "list") == []
    kinds = {one["kind"] for one in shell.ask("list")}
    assert "preference" in kinds


def test_sources_are_added_listed_and_asked(vault_shell: Shell, tmp_path: Path) -> None:
    assert "sources add" in vault_shell.run("sources", "list").out
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "tea.md").write_text("Tea is served at four.")
    config, dotfile = tmp_path / "config.yaml", tmp_path / "dotfile.yaml"
    dotfile.write_text(f"# mine\n{config.read_text() if config.exists() else ''}\nsources:\n")
    dotfile.chmod(0o600)
    config.unlink(missing_ok=True)
    config.symlink_to(dotfile)
    vault_shell.run("sources", "add", "docs", str(docs))
    vault_shell.run("sources", "add", "nobody", "http://127.0.0.1:9/")
    assert config.read_text().startswith("# mine")
    assert config.is_symlink()
    assert dotfile.stat().st_mode & 0o777 == 0o600
    assert [one["name"] for one in vault_shell.ask("sources", "list")] == ["docs", "nobody"]
    told = vault_shell.run("sources", "search", "when", "is", "tea", "--timeout", "2").out
    assert "docs/tea.md" in told
    assert "Tea is served at four." in told
    assert "nobody:" in told
    only = vault_shell.ask("sources", "search", "tea", "--source", "docs")
    assert only["failures"] == []
    assert vault_shell.ask("list") == []
    assert vault_shell.try_("sources", "add", "docs", str(docs)).code == 7
    assert vault_shell.try_("sources", "add", "", str(docs)).code == 2
    assert vault_shell.try_("sources", "add", "wiki", "http://host:99999/").code == 2
    assert vault_shell.try_("sources", "add", "gone", str(tmp_path / "gone")).code == 2


def test_reports_take_a_day(vault_shell: Shell) -> None:
    assert "Nothing was filed" in vault_shell.run("report", "--day", "2020-01-01").out
    assert (
        "# Week 2019-12-26 to 2020-01-01"
        in vault_shell.run("report", "--week", "--day", "2020-01-01").out
    )
    assert vault_shell.try_("report", "--day", "yesterday").code == 2
