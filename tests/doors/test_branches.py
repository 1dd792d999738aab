"""In cold processes: a memory of a branch is handed over where the branch is merged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commonplace.doors.hooks import host_events
from tests.backends.git.histories import git
from tests.doors.mcp.pipe import Pipe
from tests.hosts.machine import Machine, context_in, event_of

EXPORTER = "The invoice exporter writes CSV files with semicolons."
QUESTION = "what does the invoice exporter write?"


class Desk(Machine):
    """A machine with one repository: `main`, and a branch `feature` that is ahead of it."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.sessions = 0
        self.folder = home / "work" / "shop"
        self.folder.mkdir(parents=True)
        self.book().close()
        self.git("init", "-q", "-b", "main")
        self.commit("begin")
        self.git("checkout", "-q", "-b", "feature")
        self.commit("exporter")

    def git(self, *arguments: str) -> str:
        return git(self.folder, *arguments)

    def commit(self, name: str) -> None:
        (self.folder / name).write_text(f"{name}\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", name)

    def command(self, *arguments: str, folder: Path | None = None) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "commonplace", *arguments, "--json"],
            cwd=folder or self.folder, env=self.environ, capture_output=True, text=True,
            timeout=60, check=True,
        )  # fmt: skip
        return json.loads(done.stdout)

    def told_by(self, *arguments: str) -> str:
        """What a command tells a person."""
        return subprocess.run(
            [sys.executable, "-m", "commonplace", *arguments],
            cwd=self.folder, env=self.environ, capture_output=True, text=True, timeout=60,
            check=True,
        ).stdout  # fmt: skip

    def found(self, *options: str, folder: Path | None = None) -> list[str]:
        """The texts that a recall returns."""
        hits = self.command("recall", QUESTION, *options, folder=folder)["hits"]
        return [hit["memory"]["content"] for hit in hits]

    def handed(self, moment: str) -> str:
        """What a hook hands over here, in a session of its own."""
        self.sessions += 1
        names = [name for name, one in host_events.MOMENTS["claude"].items() if one == moment]
        event = {**event_of("claude", names[0]), "cwd": str(self.folder), "prompt": QUESTION}
        return context_in(self.told("claude", {**event, "session_id": f"s{self.sessions}"}))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def merge(desk: Desk) -> None:
    desk.git("merge", "-q", "--no-ff", "--no-edit", "feature")


def squash(desk: Desk) -> None:
    desk.git("merge", "-q", "--squash", "feature")
    desk.git("commit", "-q", "-m", "exporter, all at once")


def rebase(desk: Desk) -> None:
    desk.commit("other")
    desk.git("rebase", "-q", "main", "feature")
    desk.git("checkout", "-q", "main")
    desk.git("merge", "-q", "--ff-only", "feature")
    desk.git("branch", "-q", "-d", "feature")


def pick(desk: Desk) -> None:
    desk.commit("other")
    desk.git("cherry-pick", "feature")


@pytest.mark.parametrize("join", [merge, squash, rebase, pick])
def test_a_note_of_a_branch_is_handed_over_once_it_is_merged(desk: Desk, join: Any) -> None:
    saved = desk.command("save", EXPORTER)["memory"]
    assert saved["commit"] == desk.git("rev-parse", "HEAD")
    assert saved["branch"] == "feature"
    assert saved["repository"] == desk.git("rev-list", "--max-parents=0", "HEAD")
    assert desk.found() == [EXPORTER]
    assert "semicolons" in desk.handed(host_events.PROMPT)
    desk.git("checkout", "-q", "main")
    assert desk.found() == []
    assert "semicolons" not in desk.handed(host_events.PROMPT)
    join(desk)
    assert desk.found() == [EXPORTER]
    assert "semicolons" in desk.handed(host_events.PROMPT)
    assert "not found" not in desk.handed(host_events.PROMPT)
    assert desk.log == []


def test_every_list_and_export_has_what_is_hidden_and_why_not_names_the_branch(desk: Desk) -> None:
    id = desk.command("save", EXPORTER)["memory"]["id"]
    desk.git("checkout", "-q", "main")
    assert [one["id"] for one in desk.command("list")] == [id]
    assert [one["id"] for one in desk.command("list", "--branch", "feature")] == [id]
    assert desk.command("list", "--branch", "main") == []
    assert desk.command("get", id)["branch"] == "feature"
    assert desk.found("--branch", "feature") == [EXPORTER]
    for _ in range(2):  # Git is asked, then the answer is remembered.
        why = desk.command("why-not", QUESTION, id)
        assert why["step"] == "unmerged"
        assert "branch feature" in why["sentence"]
    assert desk.found(folder=desk.home) == [EXPORTER], "no repository, no rule"


def test_a_branch_that_nobody_knows_is_refused(desk: Desk) -> None:
    for arguments in (("recall", QUESTION), ("list",)):
        done = subprocess.run(
            [sys.executable, "-m", "commonplace", *arguments, "--branch", "featrue"],
            cwd=desk.folder, env=desk.environ, capture_output=True, text=True, timeout=60,
            check=False,
        )  # fmt: skip
        assert done.returncode == 4
        assert "Known branches: feature, main." in done.stderr


def test_promote_lets_a_memory_hold_on_every_branch(desk: Desk) -> None:
    id = desk.command("save", EXPORTER)["memory"]["id"]
    desk.git("checkout", "-q", "main")
    assert desk.command("promote", id)["memory"].get("commit") is None
    assert desk.found() == [EXPORTER]
    with pytest.raises(subprocess.CalledProcessError) as refused:
        desk.command("promote", id)
    assert "every branch already" in refused.value.stdout


def test_a_promotion_is_undone_and_told_in_plain_words(desk: Desk) -> None:
    saved = desk.command("save", EXPORTER)["memory"]
    desk.git("checkout", "-q", "main")
    desk.command("promote", EXPORTER)
    assert desk.found() == [EXPORTER]
    assert "promoted to every branch" in desk.told_by("history", saved["id"])
    assert "belongs to the branch feature again" in desk.told_by("revert", saved["id"])
    assert desk.found() == []
    assert desk.command("get", saved["id"])["commit"] == saved["commit"]
    desk.command("revert", saved["id"])
    assert desk.found() == [EXPORTER], "an undone undo"


def test_preferences_and_memories_of_no_project_hold_on_every_branch(desk: Desk) -> None:
    desk.command("save", "I prefer an invoice exporter that writes tabs.", "--kind", "preference")
    desk.command("save", "Any invoice exporter must write headers.", "--scope", "/")
    desk.git("checkout", "-q", "main")
    assert len(desk.found()) == 2


def test_a_value_of_a_branch_replaces_that_of_main_only_when_it_is_merged(desk: Desk) -> None:
    desk.git("checkout", "-q", "main")
    desk.command("fact", "set", "exporter.port", "8080")
    desk.git("checkout", "-q", "feature")
    desk.git("rebase", "-q", "main")
    desk.command("fact", "set", "exporter.port", "9090")
    assert desk.command("fact", "get", "exporter.port")["value"] == "9090"
    desk.git("checkout", "-q", "main")
    assert desk.command("fact", "get", "exporter.port")["value"] == "8080"
    start = desk.handed(host_events.START)
    assert "8080" in start
    assert "9090" not in start
    merge(desk)
    assert desk.command("fact", "get", "exporter.port")["value"] == "9090"
    start = desk.handed(host_events.START)
    assert "9090" in start
    assert "8080" not in start


def test_history_says_which_branch_alone_replaced_what_holds_here(desk: Desk) -> None:
    desk.git("checkout", "-q", "main")
    id = desk.command("save", EXPORTER)["memory"]["id"]
    desk.git("checkout", "-q", "feature")
    desk.git("rebase", "-q", "main")
    newer = desk.command("correct", id, EXPORTER.replace("semicolons", "tabs"))["memory"]["id"]
    there = desk.told_by("history", id)
    assert "version 1 · replaced ·" in there
    assert "version 2 · in use ·" in there
    desk.git("checkout", "-q", "main")
    here = desk.told_by("history", id)
    assert "version 1 · in use, replaced on branch feature ·" in here
    assert "version 2 · in use, learned on branch feature, not merged here ·" in here
    assert " replaced on branch feature  " in here, "the change, too"
    told = desk.command("history", id)
    assert [one["status"] for one in told["versions"]] == ["active", "active"]
    assert told["replaced_on"] == {id: "feature"}
    assert list(told["warnings"]) == [newer]
    merge(desk)
    assert desk.told_by("history", id).count("in use") == 1


def test_what_another_project_has_not_merged_is_marked_everywhere(desk: Desk) -> None:
    id = desk.command("save", EXPORTER)["memory"]["id"]
    desk.command("fact", "set", "exporter.port", "9090")
    desk.git("checkout", "-q", "main")
    unmerged = "learned on branch feature, not merged here"
    other = desk.folder.parent / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "main")
    git(other, "commit", "-q", "--allow-empty", "-m", "begin")
    for folder in (other, desk.folder.parent):
        listed = desk.command("list", folder=folder)
        assert {one.get("warning") for one in listed} == {unmerged}
        facts = desk.command("fact", "list", folder=folder)
        assert [one["warning"] for one in facts] == [unmerged]
        assert desk.command("history", id, folder=folder)["warnings"] == {id: unmerged}
    desk.folder = other
    assert "branch feature, not merged here" in desk.told_by("fact", "list")
    assert unmerged in desk.told_by("history", id)


def test_a_correction_says_where_the_old_text_holds_if_it_does(desk: Desk) -> None:
    desk.git("checkout", "-q", "main")
    for name, commits in (("new", False), ("worked", True)):
        key = desk.command("save", f"The kiln of {name} fires at 1,200 degrees.")["memory"]["slug"]
        desk.git("checkout", "-q", "-b", name)
        if commits:
            desk.commit(name)
        told = desk.told_by("correct", key, f"The kiln of {name} fires at 1,260 degrees.")
        assert ("the old text holds" in " ".join(told.split())) == commits
        desk.git("checkout", "-q", "main")
        holds = "1,200" if commits else "1,260"
        assert holds in desk.command("recall", f"kiln of {name}")["hits"][0]["memory"]["content"]


def test_the_same_text_on_two_branches_is_found_on_both(desk: Desk) -> None:
    desk.command("save", EXPORTER)
    desk.git("checkout", "-q", "main")
    assert desk.command("save", EXPORTER)["action"] == "created"
    assert desk.found() == [EXPORTER]
    desk.git("checkout", "-q", "feature")
    assert desk.found() == [EXPORTER]


def test_a_commit_that_is_gone_is_shown_and_marked(desk: Desk) -> None:
    desk.command("save", EXPORTER)
    desk.git("checkout", "-q", "main")
    desk.git("branch", "-q", "-D", "feature")
    desk.git("reflog", "expire", "--expire=now", "--all")
    desk.git("gc", "-q", "--prune=now")
    [hit] = desk.command("recall", QUESTION)["hits"]
    assert hit["warning"] == "learned on branch feature, commit not found here"
    heard = desk.handed(host_events.PROMPT)
    assert "semicolons" in heard
    assert "learned on branch feature, commit not found here" in heard


def test_what_was_learned_at_a_detached_head_is_never_lost(desk: Desk) -> None:
    desk.git("checkout", "-q", "--detach")
    desk.commit("apart")
    saved = desk.command("save", EXPORTER)["memory"]
    assert "branch" not in saved
    desk.git("checkout", "-q", "main")
    [hit] = desk.command("recall", QUESTION)["hits"]
    assert hit["warning"] == f"learned at commit {saved['commit'][:10]}, not merged here"


def test_a_clone_without_a_common_remote_has_the_memories_once_it_is_named(desk: Desk) -> None:
    desk.command("save", EXPORTER)
    elsewhere = desk.home / "downloads" / "shop"
    git(desk.home, "clone", "-q", "--branch", "main", str(desk.folder), str(elsewhere))
    # The same root commit, and a name of its own: anybody can write both.
    assert git(elsewhere, "rev-list", "--max-parents=0", "HEAD") == desk.git(
        "rev-list", "--max-parents=0", "HEAD"
    )
    assert desk.found(folder=elsewhere) == []
    git(elsewhere, "remote", "remove", "origin")
    assert desk.found(folder=elsewhere) == []
    named = ("--project", "shop")
    assert desk.found(*named, folder=elsewhere) == [], "its branch is not merged there"
    assert desk.found(*named, "--branch", "feature", folder=elsewhere) == [EXPORTER]
    git(elsewhere, "pull", "-q", "--ff-only", str(desk.folder), "feature")
    assert desk.found(*named, folder=elsewhere) == [EXPORTER]


def test_a_fresh_repository_ties_nothing(desk: Desk) -> None:
    fresh = desk.home / "work" / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q")
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", "save", EXPORTER, "--json"],
        cwd=fresh, env=desk.environ, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["memory"].get("commit") is None
    git(fresh, "commit", "-q", "--allow-empty", "-m", "first")
    assert desk.found(folder=fresh) == [EXPORTER]


def test_an_agent_over_mcp_sees_the_branch_it_works_on(desk: Desk) -> None:
    with Pipe(desk.environ, "--tools", "all", folder=desk.folder) as pipe:
        pipe.initialize()
        pipe.call("memory_save", content=EXPORTER)
        assert "semicolons" in str(pipe.call("memory_recall", query=QUESTION))
        desk.git("checkout", "-q", "main")
        for tool, given in (
            ("memory_recall", {"query": QUESTION}),
            ("memory_search", {"query": QUESTION}),
            ("memory_browse", {}),
        ):
            told = pipe.call(tool, **given)
            assert "semicolons" not in str(told)
            assert told["structuredContent"]["branches"] == ["feature"], tool
            assert "not merged here: feature. Ask with `branch`." in str(told["content"]), tool
        for tool, given in (
            ("memory_recall", {"query": QUESTION}),
            ("memory_search", {"query": QUESTION}),
            ("memory_browse", {}),
            ("memory_idea_recall", {"query": QUESTION}),
            ("memory_idea_list", {}),
        ):
            assert "semicolons" in str(pipe.call(tool, **given, branch="feature")), tool
            assert "semicolons" not in str(pipe.call(tool, **given, branch="main")), tool
            unknown = str(pipe.call(tool, **given, branch="featrue"))
            assert "'featrue'" in unknown, tool
            assert "Known branches: feature, main." in unknown, tool
        squash(desk)
        assert "semicolons" in str(pipe.call("memory_recall", query=QUESTION))


def test_what_a_session_taught_belongs_to_the_branch_it_worked_on(desk: Desk) -> None:
    prompt = {**event_of("claude", "UserPromptSubmit"), "cwd": str(desk.folder), "session_id": "s"}
    told = "We decided that the invoice exporter writes CSV files with semicolons."
    desk.told("claude", {**prompt, "prompt": told})
    desk.git("checkout", "-q", "main")
    desk.told("claude", {**event_of("claude", "SessionEnd"), "session_id": "s"})
    desk.drain()
    with desk.book() as book:
        learned = [one for one in book.list() if "semicolons" in one.content]
    assert [one.branch for one in learned] == ["feature"]


def test_what_a_session_decided_for_all_branches_belongs_to_none(desk: Desk) -> None:
    prompt = {**event_of("claude", "UserPromptSubmit"), "cwd": str(desk.folder), "session_id": "s"}
    told = "We decided: in general, for all branches, every module gets a README."
    desk.told("claude", {**prompt, "prompt": told})
    desk.told("claude", {**event_of("claude", "SessionEnd"), "session_id": "s"})
    desk.drain()
    with desk.book() as book:
        learned = [one for one in book.list() if "README" in one.content]
    assert [one.branch for one in learned] == [None]


def test_a_summary_says_on_which_branch_it_was_made_where_that_is_not_merged(desk: Desk) -> None:
    prompt = {**event_of("claude", "UserPromptSubmit"), "cwd": str(desk.folder), "session_id": "s"}
    desk.told("claude", {**prompt, "prompt": "The invoice numbers start with RX, not INV."})
    desk.git("checkout", "-q", "main")
    desk.told("claude", {**event_of("claude", "SessionEnd"), "session_id": "s"})
    desk.drain()
    question = "what do the invoice numbers start with?"

    def summaries() -> list[Any]:
        hits = desk.command("recall", question, "--kind", "session-summary")["hits"]
        return [hit.get("warning", "") for hit in hits]

    assert summaries() == ["learned on branch feature, not merged here"]
    merge(desk)
    assert summaries() == [""]


def test_without_git_every_answer_shows_what_it_cannot_place_and_marks_it(desk: Desk) -> None:
    (desk.folder / "settings.toml").write_text("[exporter]\nport = 8080\n")
    desk.commit("settings")
    claim = "The port of the invoice exporter in settings.toml is 8080."
    id = desk.command("save", claim)["memory"]["id"]
    desk.git("checkout", "-q", "main")
    desk.commit("later")
    (desk.folder / "settings.toml").write_text("[exporter]\nport = 9090\n")
    empty = desk.home / "no-programs"
    empty.mkdir()
    desk.environ["PATH"] = str(empty)
    place = "learned on branch feature, commit not found here"
    stale = "the file changed since; check before relying on it: settings.toml#exporter.port"
    marks = {"warning": place, "stale": f"{stale}, now 9090"}

    def marked(shown: Any) -> dict[str, str]:
        return {name: shown[name] for name in marks if name in shown}

    question = "which port has the invoice exporter?"
    [hit] = desk.command("recall", question)["hits"]
    assert marked(hit) == marks
    assert marked(desk.command("get", id)) == marks
    assert [marked(one) for one in desk.command("list")] == [marks]
    assert [marked(one) for one in desk.command("overview")["newest"]] == [marks]
    for command in (("get", id), ("list",), ("overview",), ("recall", question)):
        told = " ".join(desk.told_by(*command).split())
        assert "branch feature, commit not found here" in told, command
        assert stale in told, command
    for moment in (host_events.PROMPT, host_events.START):
        heard = desk.handed(moment)
        assert place in heard
        assert stale in heard
    with Pipe(desk.environ, "--tools", "all", folder=desk.folder) as pipe:
        pipe.initialize()
        for tool, given in (
            ("memory_recall", {"query": question}),
            ("memory_get", {"ref": id}),
            ("memory_browse", {}),
            ("memory_idea_list", {}),
        ):
            answer = pipe.call(tool, **given)
            for words in (place, stale):
                assert words in str(answer["content"]), tool
                assert words in str(answer["structuredContent"]), tool
