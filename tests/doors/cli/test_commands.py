"""Every command does its work, says so, and says it in JSON when asked."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.shell import Shell

DEPLOY = "We deploy from the branch main"


def test_saved_memory_is_recalled_listed_and_shown(shell: Shell) -> None:
    saved = shell.ask("save", DEPLOY, "--tag", "deploy", "--title", "Deploy branch")
    assert saved["action"] == "created"
    slug = saved["memory"]["slug"]
    assert DEPLOY in shell.run("recall", "which", "branch", "do", "we", "deploy").out
    assert slug in shell.run("list", "--tag", "deploy").out
    shown = shell.run("get", "Deploy branch").out
    assert DEPLOY in shown
    assert "recalled" in shown, "how often it was recalled belongs to what is known"
    assert shell.ask("get", slug)["content"] == DEPLOY


def test_save_takes_everything_a_person_may_say_of_a_memory(shell: Shell) -> None:
    memory = shell.person(
        "save", "Backups run at two", "--kind", "workflow", "--scope", "/project/mech-fighters",
        "--topic", "operations", "--tag", "backup", "--tag", "night", "--title", "Backup time",
        "--curated", "--always-load", "--sensitivity", "public", "--confidence", "0.5", "--json",
    ).json["memory"]  # fmt: skip
    assert memory["scope"] == "/project/mech-fighters"
    assert memory["tags"] == ["backup", "night"]
    assert (memory["kind"], memory["owner"], memory["sensitivity"]) == (
        "workflow", "curated", "public",
    )  # fmt: skip
    assert (memory["topic"], memory["title"]) == ("operations", "Backup time")
    assert memory["always_load"] is True
    assert memory["confidence"] == 0.5
    assert memory["trust"] == "user"


def test_saving_twice_is_one_memory(shell: Shell) -> None:
    first = shell.ask("save", DEPLOY)
    assert "Already known" in shell.run("save", DEPLOY).out
    assert [memory["id"] for memory in shell.ask("list")] == [first["memory"]["id"]]


def test_save_reads_standard_input(shell: Shell) -> None:
    saved = shell.ask("save", "-", stdin="Größe zählt: 你好\nzweite Zeile\n".encode())
    assert saved["memory"]["content"] == "Größe zählt: 你好\nzweite Zeile"


def test_list_filters_orders_and_pages(shell: Shell) -> None:
    for name in ("alpha", "beta", "gamma"):
        shell.run("save", f"Server {name} is up", "--title", name, "--kind", "idea")
    shell.run("save", "Unrelated")
    assert len(shell.ask("list", "--kind", "idea")) == 3
    page = shell.ask("list", "--kind", "idea", "--order", "name", "--limit", "1", "--offset", "1")
    assert [memory["title"] for memory in page] == ["beta"]
    assert "There are more: --offset 2" in shell.run("list", "--limit", "2").out
    assert "There are more" not in shell.run("list", "--limit", "4").out
    assert shell.ask("list", "--owner", "personal") == []
    shell.run("forget", "alpha")
    assert [one["title"] for one in shell.ask("list", "--status", "deleted")] == ["alpha"]
    assert "forgotten" in shell.run("list", "--status", "deleted").out


def test_empty_lists_teach_the_next_command(shell: Shell) -> None:
    assert "commonplace save" in shell.run("list").out
    assert "commonplace fact set" in shell.run("fact", "list").out
    assert "commonplace recall" in shell.run("audit", "recalls").out
    assert shell.ask("list") == []


def test_corrected_memory_replaces_the_wrong_one(shell: Shell) -> None:
    shell.run("save", "We deploy from the branch master")
    told = shell.run("correct", "We deploy from the branch master", DEPLOY).out
    assert "- We deploy from the branch master" in told
    assert f"+ {DEPLOY}" in told
    assert [m["content"] for m in shell.ask("list")] == [DEPLOY]
    both = shell.ask("list", "--archive")
    assert {m["content"] for m in both} == {DEPLOY, "We deploy from the branch master"}


def test_forgotten_memory_comes_back_by_restore_and_by_revert(shell: Shell) -> None:
    slug = shell.ask("save", DEPLOY)["memory"]["slug"]
    assert f"commonplace restore {slug}" in shell.run("forget", slug).out
    assert shell.ask("recall", "deploy")["hits"] == []
    shell.run("restore", slug)
    assert len(shell.ask("recall", "deploy")["hits"]) == 1
    assert shell.ask("forget", slug)["memory"]["status"] == "deleted"
    assert shell.ask("revert", slug)["action"] == "forgotten"
    assert len(shell.ask("recall", "deploy")["hits"]) == 1


def test_history_shows_each_version_against_the_one_before(shell: Shell) -> None:
    slug = shell.ask("save", "Line one\nThe port is 8080")["memory"]["slug"]
    new = shell.ask("edit", slug, "--content", "Line one\nThe port is 9090")
    told = shell.run("history", new["slug"]).out
    assert "-The port is 8080" in told
    assert "+The port is 9090" in told
    past = shell.ask("history", new["slug"])
    assert [version["version"] for version in past["versions"]] == [1, 2]
    change = past["events"][0]["id"]
    assert change in told, "a person can copy the id of a change"
    shell.run("revert", change)
    assert "8080" in shell.ask("recall", "port")["hits"][0]["memory"]["content"]


def test_edit_changes_tags_and_topic_in_place(shell: Shell) -> None:
    saved = shell.ask("save", DEPLOY, "--tag", "old")["memory"]
    edited = shell.ask("edit", saved["slug"], "--tag", "new", "--topic", "release")
    assert edited["id"] == saved["id"]
    assert (edited["tags"], edited["topic"]) == (["new"], "release")
    assert shell.ask("edit", saved["slug"], "--always-load")["always_load"] is True
    assert "always_load" not in shell.ask("edit", saved["slug"], "--no-always-load")


def editor(shell: Shell, program: str) -> None:
    path = shell.home / "editor.py"
    path.write_text(f"import sys, pathlib\nnote = pathlib.Path(sys.argv[1])\n{program}\n")
    shell.environ["EDITOR"] = shlex.join([sys.executable, str(path)])


def test_edit_opens_the_persons_editor(shell: Shell) -> None:
    slug = shell.ask("save", "The port is 8080")["memory"]["slug"]
    editor(shell, "note.write_text(note.read_text().replace('8080', '9090'))")
    answer = shell.at_terminal("edit", slug, "--json", typed="")
    assert answer.json["content"] == "The port is 9090"
    assert list(shell.home.glob("*.md")) == []


def test_text_typed_in_the_editor_survives_a_failure(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    slug = shell.ask("save", "The port is 8080")["memory"]["slug"]
    editor(shell, "note.write_text('bad' + chr(7) + 'text')")
    failed = shell.at_terminal("edit", slug, typed="")
    assert failed.code == 2
    kept = failed.err.rsplit("kept in ", 1)[1].strip().removesuffix(".")
    assert Path(kept).read_text() == "bad\x07text"


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_no_editor_is_opened_where_nobody_can_type(
    vault_shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    slug = vault_shell.ask("save", "The port is 8080")["memory"]["slug"]
    editor(vault_shell, "note.write_text('Nobody typed this')")
    for command in (("edit", slug), ("profile", "edit")):
        failed = vault_shell.try_(*command, *options)
        assert failed.code == 2
        assert "needs a terminal" in failed.out + failed.err
    assert vault_shell.ask("get", slug)["content"] == "The port is 8080"
    assert list(tmp_path.glob("*.md")) == []


def test_nothing_is_kept_of_an_editor_that_failed_before_anything_was_typed(
    vault_shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    slug = vault_shell.ask("save", "The port is 8080")["memory"]["slug"]
    editor(vault_shell, "sys.exit(1)")
    failed = vault_shell.at_terminal("edit", slug, typed="")
    assert (failed.code, "kept in" in failed.err) == (2, False)
    assert list(tmp_path.glob("*.md")) == []


def test_what_an_editor_draws_is_not_part_of_the_answer(vault_shell: Shell) -> None:
    slug = vault_shell.ask("save", "The port is 8080")["memory"]["slug"]
    editor(vault_shell, "print('~ ~ ~')\nnote.write_text('The port is 9090')")
    ours, terminal = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", "edit", slug, "--json"],
        env=vault_shell.environ,
        stdin=terminal,
        capture_output=True,
        timeout=60,
        check=False,
    )
    for end in (ours, terminal):
        os.close(end)
    assert json.loads(done.stdout)["content"] == "The port is 9090"
    assert b"~ ~ ~" in done.stderr


def test_purged_text_is_gone_and_stays_gone(shell: Shell) -> None:
    saved = shell.ask("save", "My nickname was Otter")["memory"]
    assert shell.try_("purge", saved["slug"], "--yes").code == 5, "a script is no person"
    assert shell.person("purge", saved["slug"], "--yes", "--json").json["ids"] == [saved["id"]]
    assert shell.try_("get", saved["id"]).code == 4
    assert shell.try_("save", "My nickname was Otter").code == 6


def test_promoted_memory_is_copied_up(shell: Shell) -> None:
    saved = shell.ask("save", DEPLOY, "--scope", "/project/mech-fighters/agent/coding")["memory"]
    done = shell.ask("promote", saved["slug"], "--to", "/project/mech-fighters")
    assert done["origin"] == saved["id"]
    assert done["memory"]["scope"] == "/project/mech-fighters"
    assert shell.try_("promote", saved["slug"], "--to", "/project/elsewhere").code == 2


def test_renamed_memory_keeps_its_links(shell: Shell) -> None:
    target = shell.ask("save", "The target", "--title", "Target")["memory"]
    source = shell.ask("save", f"See [[{target['slug']}]]")["memory"]
    assert shell.ask("rename", target["slug"], "New home")["slug"] == "new-home"
    assert "[[new-home]]" in shell.ask("get", source["id"])["content"]
    assert "new-home" in shell.run("links", "show", source["id"]).out


def test_links_are_shown_from_both_ends_and_broken_ones_found(shell: Shell) -> None:
    target = shell.ask("save", "The target", "--title", "Target")["memory"]
    source = shell.ask("save", "See [[Target]] and [[Nowhere]]", "--title", "Source")["memory"]
    shown = shell.run("links", "show", "Source").out
    assert target["slug"] in shown
    assert "nothing" in shown
    assert source["slug"] in shell.run("links", "show", "Target").out
    assert [link["target"] for link in shell.ask("links", "check")] == ["Nowhere"]
    assert "[[Nowhere]]" in shell.run("links", "check").out
    assert "[[" in shell.run("links", "show", shell.ask("save", "Alone")["memory"]["id"]).out


def test_facts_are_set_replaced_read_and_listed(shell: Shell) -> None:
    shell.run("fact", "set", "python.version", "3.13")
    assert shell.ask("fact", "set", "python.version", "3.14")["action"] == "superseded"
    assert shell.run("fact", "get", "python.version").out == "3.14\n"
    assert shell.ask("fact", "get", "python.version")["value"] == "3.14"
    shell.run("fact", "set", "python.version", "3.12", "--scope", "/project/old")
    assert shell.run("fact", "get", "python.version", "--project", "old").out == "3.12\n"
    assert len(shell.ask("fact", "list")) == 2
    assert "python.version" in shell.run("fact", "list", "--scope", "/").out


def test_context_comes_from_options_anywhere_and_from_the_environment(shell: Shell) -> None:
    shell.run("save", "Only for 42", "--user", "42")
    shell.run("--user", "43", "save", "Only for 43")
    assert [m["content"] for m in shell.ask("list", "--user", "42")] == ["Only for 42"]
    assert [m["content"] for m in shell.ask("--user", "43", "list")] == ["Only for 43"]
    shell.environ["COMMONPLACE_USER"] = "42"
    assert [m["content"] for m in shell.ask("list")] == ["Only for 42"]
    assert [m["content"] for m in shell.ask("list", "--user", "43")] == ["Only for 43"]
    found = shell.ask("recall", "only")["hits"]
    assert [hit["memory"]["content"] for hit in found] == ["Only for 42"]


def test_status_says_where_everything_is(shell: Shell) -> None:
    shell.run("save", DEPLOY)
    status = shell.ask("status")
    assert status["memories"] == 1
    assert status["by_kind"] == {"insight": 1}
    assert status["index"].startswith(str(shell.home / "state"))
    assert "index.db" in shell.run("status").out.replace("\n", "")
    [supports] = [one for one in shell.run("status").out.splitlines() if "supports" in one]
    assert "search by words" in supports
    assert "keyword" not in supports, "which names a part of the program"


def test_sync_rebuilds_the_index(shell: Shell) -> None:
    shell.run("save", DEPLOY)
    assert "nothing had changed" in shell.run("sync").out
    assert shell.ask("sync", "--rebuild")["indexed"] >= 1
    assert len(shell.ask("recall", "deploy")["hits"]) == 1


def test_doctor_is_content_with_a_healthy_book(shell: Shell) -> None:
    shell.run("save", DEPLOY)
    assert "in order" in shell.run("doctor").out
    shell.run("save", "See [[Nowhere]]")
    assert [problem["severity"] for problem in shell.ask("doctor")] == ["notice"]
    assert "Nowhere" in shell.run("doctor").out


def test_audit_lists_changes_and_finds_its_chain_whole(shell: Shell) -> None:
    saved = shell.ask("save", DEPLOY)["memory"]
    shell.run("forget", saved["id"])
    listed = shell.ask("audit", "list")
    assert [event["action"] for event in listed] == ["forgotten", "created"]
    assert "status" in listed[0]["before"], "what changed is told as data, not as folded text"
    assert listed[0]["id"] in shell.run("audit", "list").out
    assert shell.ask("audit", "list", "--since", "0h") == []
    assert shell.ask("audit", "verify")["problems"] == []
    assert "2 changes" in shell.run("audit", "verify").out


def test_every_recall_is_logged_with_its_answers(shell: Shell) -> None:
    saved = shell.ask("save", DEPLOY)["memory"]
    shell.run("recall", "which branch")
    [asked] = shell.ask("audit", "recalls")
    assert asked["query"] == "which branch"
    assert asked["results"][0][0] == saved["id"]
    assert saved["id"] in shell.run("audit", "recalls").out


def test_personal_note_lands_outside_the_book(vault_shell: Shell) -> None:
    vault_shell.environ["COMMONPLACE_PERSONAL"] = str(vault_shell.home / "diary")
    path = Path(
        vault_shell.person("personal", "save", "Thoughts", "A quiet day", "--json").json["path"]
    )
    assert path.is_relative_to(vault_shell.home / "diary")
    assert "A quiet day" in path.read_text()


def test_tampered_audit_chain_is_found_with_exit_1(vault_shell: Shell) -> None:
    vault_shell.run("save", DEPLOY)
    vault_shell.run("save", "Another")
    [chain, *_] = sorted((vault_shell.home / "book" / "_meta").rglob("*.jsonl"))
    chain.write_text(chain.read_text().replace("created", "erased!", 1))
    assert vault_shell.try_("audit", "verify").code == 1
    doctor = vault_shell.try_("doctor", "--json")
    assert doctor.code == 1
    assert doctor.json[0]["severity"] == "error"


def test_long_text_is_shortened_unless_asked_for_in_full(vault_shell: Shell) -> None:
    text = "\n".join(f"Line {number}" for number in range(100))
    slug = vault_shell.ask("save", text, "--title", "Long")["memory"]["slug"]
    short = vault_shell.run("get", slug).out
    assert "Line 99" not in short
    assert "--full" in short
    assert "Line 99" in vault_shell.run("get", slug, "--full").out


def test_version_is_told(bare_shell: Shell) -> None:
    assert bare_shell.run("--version").out.startswith("commonplace ")


def test_history_tells_what_was_written_or_edited_by_hand(vault_shell: Shell) -> None:
    vault_shell.run("save", "The captain is Ishmael", "--title", "Captain")
    [note] = (vault_shell.home / "book").rglob("captain*.md")
    assert "by hand" not in vault_shell.run("history", "Captain").out
    note.write_text(note.read_text().replace("Ishmael", "Ahab"))
    assert "edited by hand since" in vault_shell.run("history", "Captain").out
    answer = vault_shell.try_("revert", "Captain")
    assert (answer.code, "edited by hand since" in answer.err) == (7, True)
    (vault_shell.home / "book/Tea.md").write_text("Tea is at four.\n")
    told = vault_shell.run("history", "Tea").out
    assert "written by hand" in told
    assert "Undo any of these" not in told
    assert "Nothing here yet" not in told


def test_a_full_book_without_anything_like_it_is_not_called_empty(shell: Shell) -> None:
    assert "Nothing here yet" in shell.run("list", "--topic", "typo").out
    assert "Nothing here yet" in shell.run("fact", "list", "--namespace", "x").out
    shell.run("save", DEPLOY)
    shell.run("fact", "set", "port", "80")
    for options in (
        ("--topic", "typo"), ("--scope", "/project/nothing"), ("--offset", "100"),
        ("--kind", "fix", "--tag", "a", "--tag", "b"),
    ):  # fmt: skip
        told = shell.run("list", *options).out
        assert told == f"Nothing matches {' '.join(options)}; the book has 2 memories.\n"
        assert shell.ask("list", *options) == []
    told = shell.run("fact", "list", "--namespace", "x").out
    assert told == "Nothing matches --namespace x; the book has 1 fact.\n"
    nobodys = shell.run("audit", "list", "--since", "0h").out
    assert "Nothing changed in that time" in nobodys
    assert "created" in shell.run("audit", "list", "--since", "2d").out


def test_a_correction_of_what_the_book_does_not_say_names_nothing(shell: Shell) -> None:
    for text in (DEPLOY, "Tea is at four", "The captain is Ahab"):
        shell.run("save", text)
    failed = shell.try_("correct", "nothing like this exists", "foo")
    assert failed.code == 4
    assert "No memory says that" in failed.err
    assert "Name one of" not in failed.err


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_names_in_a_list_are_never_broken(
    vault_shell: Shell, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = "/org/acme/project/mech-fighters"
    text = "The nightly build of the documentation takes forty minutes on the small runner"
    names = [
        vault_shell.ask("save", text, "--scope", scope)["memory"]["slug"],
        vault_shell.ask("save", "Tea is at four")["memory"]["slug"],
    ]
    monkeypatch.setattr("commonplace.doors.cli.call.PIPED_COLUMNS", columns)
    drawn = vault_shell.run("list").out
    for part in (*names, scope):
        assert part in drawn


def test_what_is_changed_to_what_it_is_has_not_changed(vault_shell: Shell) -> None:
    slug = vault_shell.ask("save", "The port is 8080")["memory"]["slug"]
    editor(vault_shell, "pass")
    for answer in (
        vault_shell.run("edit", slug, "--content", "The port is 8080"),
        vault_shell.at_terminal("edit", slug, typed=""),
        vault_shell.run("correct", slug, "The port is 8080"),
    ):
        assert "othing changed" in answer.out
        assert "Undo" not in answer.out
    assert len(vault_shell.ask("audit", "list")) == 1
    assert "Undo: commonplace revert" in vault_shell.run("correct", slug, "The port is 9090").out


def test_what_is_said_of_one_thing_is_said_in_the_singular(
    vault_shell: Shell, tmp_path: Path
) -> None:
    told = vault_shell.run("save", "A note", "--key", "ok1").out
    assert "None" not in told
    assert told.startswith("Remembered: ok1-")
    assert "with 1 memory:" in vault_shell.run("init").out
    assert vault_shell.run("audit", "verify").out.startswith("1 change,")
    told = vault_shell.run("backup", "now", str(tmp_path / "backups")).out
    assert "1 memory and 1 event to" in told
    assert "1 backup kept" in told


def test_doctor_names_notes_as_people_do_and_says_what_to_do(vault_shell: Shell) -> None:
    book = vault_shell.home / "book"
    slug = vault_shell.ask("save", "Tea is at four, see [[nowhere]]")["memory"]["slug"]
    (book / "Blank.md").write_text("")
    note = next(book.rglob(f"{vault_shell.ask('save', DEPLOY)['memory']['slug']}.md"))
    note.write_text(note.read_text().replace("status: active", "status: nonsense"))
    found = {one["where"]: one for one in vault_shell.ask("doctor")}
    assert "which does not exist" in found[slug]["what"]
    assert slug in found[slug]["hint"]
    assert found["Blank"]["what"] == "is empty"
    assert "'status' is not a status" in found[str(note.relative_to(book))]["what"]
    assert all(one["hint"] for one in found.values())
    assert "(empty)" in vault_shell.run("list").out


def test_forgetting_without_a_preview_says_what_went(shell: Shell) -> None:
    shell.run("save", "The Oslo trip begins in May")
    said = shell.run("forget", "--about", "the Oslo trip", "--yes").out
    assert "The Oslo trip begins in May" in said
    assert "commonplace revert" in said


def test_without_a_terminal_a_description_is_a_preview(shell: Shell) -> None:
    for text in ("Budget for the Oslo trip is 900 euros", "Our trip to Oslo starts on 12 March"):
        shell.run("save", text)
    shell.run("save", "The Oslo office moved to the third floor")
    shown = shell.run("forget", "--about", "the Oslo trip").out
    assert "Will be forgotten: 2 memories" in shown
    assert "Nothing was changed" in shown
    assert len(shell.ask("list")) == 3
    seen = shell.ask("forget", "--about", "the Oslo trip")
    assert [len(seen["going"]), len(seen["near"])] == [2, 1]
    office = seen["near"][0]["memory"]["id"]
    done = shell.ask("forget", "--about", "the Oslo trip", "--also", office, "--yes")
    assert len(done["memories"]) == 3
    shell.run("revert", done["id"])
    assert len(shell.ask("list")) == 3


@pytest.mark.parametrize(
    "given",
    [
        ("forget",),
        ("forget", "tea", "--about", "the Oslo trip"),
        ("forget", "tea", "--also", "milk"),
        ("forget", "--about", "everything"),
        ("forget", "--about", "the Lima trip", "--yes"),
    ],
)
def test_forgetting_without_a_clear_aim_changes_nothing(
    shell: Shell, given: tuple[str, ...]
) -> None:
    shell.run("save", "Tea is at four", "--title", "tea")
    told = shell.try_(*given)
    assert told.code != 0
    assert len(told.err.strip().splitlines()) == 2
    assert len(shell.ask("list")) == 1
