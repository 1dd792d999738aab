"""In cold processes: each hook hands over its project's memories, and keeps what it hears there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commonplace.doors.hooks import host_events
from tests.doors.mcp.pipe import Pipe
from tests.hosts.machine import Machine, context_in, event_of
from tests.test_projects import ACME, GLOBEX, git, repository

OTHERS = ("codex", "gemini", "copilot")
HOSTS = ["claude", *(pytest.param(host, marks=pytest.mark.slow) for host in OTHERS)]
SESSION = ("session_id", "sessionId", "conversation_id")
RULE = "Always run make {} before a commit."


class Desk(Machine):
    """A machine with two repositories of one name, a worktree of the first, and a plain folder."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.folders = {
            "ours": repository(home / "work" / "api", ACME),
            "theirs": repository(home / "hobby" / "api", GLOBEX),
            "worktree": home / "work" / "api-fix",
            "plain": home / "notes",
            "home": home,
        }
        git(self.folders["ours"], "worktree", "add", "-q", "../api-fix")
        self.folders["plain"].mkdir()
        with self.book() as book:
            book.fact_store("deploy.branch", "of everybody", namespace="all")
            for project in ("api", "globex-api", "notes"):
                book.fact_store("deploy.branch", f"of {project}", scope=f"/project/{project}")

    def command(self, place: Path, *arguments: str) -> Any:
        """What a command answers in a folder, in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "commonplace", *arguments, "--json"],
            cwd=place, env=self.environ, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        return json.loads(done.stdout)

    def event(self, host: str, moment: str, place: str, **fields: str) -> dict[str, Any]:
        """An event of a host's session in a folder."""
        names = [name for name, one in host_events.MOMENTS[host].items() if one == moment]
        for name in names:
            try:
                event = event_of(host, name)
            except StopIteration:
                continue
            session = {key: f"session in {place}" for key in SESSION if key in event}
            return {**event, **session, "cwd": str(self.folders[place]), **fields}
        raise AssertionError(f"{host} has no event for {moment}")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


PROJECTS = {
    "ours": "api", "theirs": "globex-api", "worktree": "api", "plain": "notes", "home": None,
}  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_a_session_starts_with_the_facts_of_its_project_alone(desk: Desk, host: str) -> None:
    for place, project in PROJECTS.items():
        heard = context_in(desk.told(host, desk.event(host, host_events.START, place)))
        known = {one for one in ("api", "globex-api", "notes") if f"of {one}" in heard}
        assert known == ({project} if project else set()), place
        assert "of everybody" in heard
    assert desk.log == []


@pytest.mark.parametrize("host", HOSTS)
def test_what_is_heard_in_a_session_is_kept_in_its_project(desk: Desk, host: str) -> None:
    said = {"ours": "lint", "theirs": "proof", "worktree": "lint", "plain": "spelling"}
    for place, target in said.items():
        prompt = f"{RULE.format(target)} I prefer tabs over spaces."
        desk.told(host, desk.event(host, host_events.PROMPT, place, prompt=prompt))
        desk.told(host, desk.event(host, host_events.END, place))
    desk.drain()
    assert desk.waiting() == []
    with desk.book() as book:
        kept = sorted(
            (str(one.scope), one.content, one.source_agent)
            for one in book.list(kinds=["preference"])
            if "commit" in one.content or "tabs" in one.content
        )
        assert kept == [
            ("/", "I prefer tabs over spaces.", host),
            ("/project/api", RULE.format("lint"), host),
            ("/project/globex-api", RULE.format("proof"), host),
            ("/project/notes", RULE.format("spelling"), host),
        ]
        summaries = book.list(kinds=["session-summary"], include_archive=True)
        assert sorted(str(one.scope) for one in summaries) == [
            "/project/api", "/project/api", "/project/globex-api", "/project/notes",
        ]  # fmt: skip
    assert desk.log == []


def test_settings_turn_the_project_off_and_name_another(desk: Desk) -> None:
    def start(**environ: str) -> str:
        desk.folders["again"] = desk.folders["ours"]
        event = desk.event("claude", host_events.START, "again", source=f"startup {environ}")
        return context_in(desk.told("claude", event, environ=environ))

    off = start(COMMONPLACE_HOOK_PROJECT="none")
    assert "of everybody" in off and "of api" not in off  # noqa: PT018
    named = start(COMMONPLACE_PROJECT="notes")
    assert "of notes" in named and "of api" not in named  # noqa: PT018
    (desk.home / "config.yaml").write_text(f"projects: {{{desk.folders['ours']}: globex-api}}\n")
    assert "of globex-api" in start()


def test_an_agent_that_went_down_a_folder_stays_in_the_project_it_began_in(desk: Desk) -> None:
    below = desk.folders["plain"] / "2026"
    below.mkdir()
    desk.folders["below"] = below
    event = desk.event("claude", host_events.START, "below")
    environ = {"CLAUDE_PROJECT_DIR": str(desk.folders["plain"])}
    assert "of notes" in context_in(desk.told("claude", event, environ=environ))


def test_a_folder_without_git_is_one_project_for_hooks_commands_and_mcp(desk: Desk) -> None:
    plain = desk.folders["plain"]
    below = plain / "2026"
    below.mkdir()
    assert desk.command(plain, "save", "Beans are sown in May")["memory"]["scope"] == "/"
    desk.told("claude", desk.event("claude", host_events.START, "plain"))
    for folder in (plain, below):
        said = f"Peas are sown in {folder.name}"
        assert desk.command(folder, "save", said)["memory"]["scope"] == "/project/notes"
    found = desk.command(plain, "recall", "when are peas and beans sown?")
    assert {one["memory"]["scope"] for one in found["hits"]} == {"/", "/project/notes"}
    assert desk.command(below, "fact", "get", "deploy.branch")["value"] == "of notes"
    desk.folders["below"] = below
    event = desk.event("claude", host_events.START, "below")
    assert "of notes" in context_in(desk.told("claude", event))
    with Pipe(desk.environ, folder=plain) as host:
        host.initialize()
        assert "Peas are sown in 2026" in str(host.call("memory_search", query="peas sown"))
        host.call("memory_append", content="Leeks stay until December")
    leeks = desk.command(plain, "recall", "leeks")["hits"][0]["memory"]
    assert leeks["scope"] == "/project/notes"
    assert desk.command(desk.home, "save", "Tea is in the tin")["memory"]["scope"] == "/"


def test_a_correction_belongs_to_the_branch_on_which_it_was_said(desk: Desk) -> None:
    ours = desk.folders["ours"]
    for branch, said in (("before", "tabs, not spaces"), ("after", "Celsius, not Fahrenheit")):
        git(ours, "checkout", "-q", "-b", branch)
        git(ours, "commit", "-q", "--allow-empty", "-m", branch)
        prompt = f"No, that is wrong: the exporter writes {said}."
        desk.told("claude", desk.event("claude", host_events.PROMPT, "ours", prompt=prompt))
    desk.told("claude", desk.event("claude", host_events.END, "ours"))
    desk.drain()
    with desk.book() as book:
        kept = {one.branch: one.content for one in book.list() if "exporter" in one.content}
    assert set(kept) == {"before", "after"}
    assert "tabs" in kept["before"]
    assert "Celsius" in kept["after"]
