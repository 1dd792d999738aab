"""A week of one person: forty sessions in three projects, and what each of them begins with.

`week/` holds the story: what Ada types, writes and says, and the exact lines of every start.
"""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from commonplace.books import open as opening
from commonplace.doors.hooks import host_events
from commonplace.doors.hooks.session_files import book_folder, files_for_session
from commonplace.language.tokens import estimate
from tests.doors.shell import Shell
from tests.hosts.machine import Machine, context_in, event_of
from tests.on_disk import contents
from tests.test_projects import git, repository

STORY = Path(__file__).parent / "week"
DAYS = sorted(STORY.glob("*.yaml"))
SECRET = "Zebra-quilt-77"
DRAIN_S = 300.0
SESSION_IDS, EVENT_IDS = ("session_id", "sessionId"), ("turn_id", "prompt_id")
TEXTS = ("prompt", "last_assistant_message", "prompt_response")


class Week(Machine):
    """Ada's machine: two repositories, a worktree, a folder without git, and the story's clock."""

    def __init__(self, home: Path, shell: Shell) -> None:
        super().__init__(home)
        self.now = datetime.now(UTC)
        self.sessions = 0
        self.differences: list[str] = []
        self.folders = {
            "shop": repository(home / "work" / "shop"),
            "hotfix": home / "work" / "shop-hotfix",
            "arena": repository(home / "work" / "arena"),
            "thesis": home / "thesis",
            "home": home,
        }
        git(self.folders["shop"], "worktree", "add", "-q", "../shop-hotfix")
        self.folders["thesis"].mkdir()
        self.shell = shell
        shell.environ = self.environ
        shell.run("init")

    def live(self, step: dict[str, Any]) -> None:
        """Do what one step of the story says."""
        acts: dict[str, Callable[[dict[str, Any]], None]] = {
            "session": self.session,
            "ada types": self.type,
            "an agent runs": self.run_by_agent,
            "ada accepts": self.decide,
            "ada rejects": self.decide,
            "ada forgets": self.forget,
            "ada writes": self.write,
            "ada deletes": self.delete,
        }
        [act] = [name for name in acts if name in step]
        acts[act](step)

    # What happens in a session

    def session(self, step: dict[str, Any]) -> None:
        """A session from its start to the end of what the host tells about it."""
        self.sessions += 1
        said = self.hook(step, host_events.START)
        where = f"session {self.sessions}, {self.now:%A %H:%M}, {step['host']} in {step['session']}"
        self.compare(where, step["start"], _lines(said))
        if (took := estimate(said)) > step["tokens"]:
            self.differences.append(f"{where}: {took} tokens, not {step['tokens']}")
        for turn in step["talk"]:
            self.now += timedelta(minutes=1)
            if "ada" in turn:
                handed = self.hook(step, host_events.PROMPT, turn["ada"])
                if "handed" in turn:
                    self.compare(f"{where}: {turn['ada']}", turn["handed"], _lines(handed))
            else:
                self.hook(step, host_events.TURN, turn["agent"])
        self.now += timedelta(minutes=1)
        self.hook(step, host_events.END)
        self.wait_for_drain()

    def compare(self, where: str, expected: list[str], found: list[str]) -> None:
        """Note a difference: the week goes on, so that one run shows all of them."""
        if found != expected:
            changes = [*unified_diff(expected, found, n=9, lineterm="")]
            self.differences.append("\n".join((where, *changes[3:])))

    def hook(self, step: dict[str, Any], moment: str, text: str = "") -> str:
        """What a host is handed at an event, from a cold process."""
        changes = {
            **dict.fromkeys(SESSION_IDS, f"session-{self.sessions}"),
            **dict.fromkeys(EVENT_IDS, f"{self.now:%d%H%M}"),
            **dict.fromkeys(TEXTS, text),
            "cwd": str(self.folders[step["session"]]),
        }
        event = _event(step["host"], moment)
        event |= {name: value for name, value in changes.items() if name in event}
        environ = {"PYTHONPATH": str(STORY / "clock"), "WEEK_NOW": f"{self.now.timestamp()}"}
        said = self.told(step["host"], event, environ=environ)
        self.date_files()
        return context_in(said)

    def wait_for_drain(self) -> None:
        """Wait until the process that the session's end has begun is done."""
        folder = book_folder(str(self.state), self.url)
        turns = Path(files_for_session(folder, f"session-{self.sessions}").turns)
        deadline = time.monotonic() + DRAIN_S
        while any(turns.parent.glob(f"{turns.stem}*{turns.suffix}*")):
            assert time.monotonic() < deadline, "the session was not drained"
            time.sleep(0.02)

    def date_files(self) -> None:
        """Give the files of sessions the time of the story: old ones count as ended."""
        for path in self.state.glob("hooks/*/*"):
            # A drain that is still at work may remove it first.
            with suppress(FileNotFoundError):
                self.date_file(path)

    def date_file(self, path: Path) -> None:
        at = self.now.timestamp()
        os.utime(path, (at, at))

    # What happens between sessions

    def type(self, step: dict[str, Any]) -> None:
        """Run a command as a person at a terminal."""
        self.shell.folder = self.folders[step.get("in", "home")]
        self.shell.person(*shlex.split(step["ada types"]))

    def run_by_agent(self, step: dict[str, Any]) -> None:
        """Run a command in a coding agent's shell; a proposal is an answer, too."""
        self.shell.folder = self.folders[step.get("in", "home")]
        answer = self.shell.try_(*shlex.split(step["an agent runs"]))
        assert answer.code in (0, 11), answer

    def decide(self, step: dict[str, Any]) -> None:
        """Accept or reject the one proposal that says something."""
        verb = "accept" if "ada accepts" in step else "reject"
        self.shell.folder = self.home
        waiting = self.shell.person("inbox", "list", "--json").json
        [id] = [one["memory"]["id"] for one in waiting if step[f"ada {verb}s"] in json.dumps(one)]
        self.shell.person("inbox", verb, id)

    def forget(self, step: dict[str, Any]) -> None:
        """Forget the one memory with a text, by its id."""
        self.shell.folder = self.home
        known = self.shell.person("list", "--json").json
        [id] = [one["id"] for one in known if one["content"] == step["ada forgets"]]
        self.shell.person("forget", id)

    def write(self, step: dict[str, Any]) -> None:
        """Write a note of the vault by hand."""
        path = self.home / "book" / step["ada writes"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(step["text"], encoding="utf-8")
        self.date_file(path)

    def delete(self, step: dict[str, Any]) -> None:
        """Delete the one note with a name."""
        [path] = (self.home / "book").glob(step["ada deletes"])
        path.unlink()


def _lines(context: str) -> list[str]:
    """The lines of a digest without frame, preface and ids."""
    return [
        line.partition("] ")[2] if line.startswith("- [") else line.removeprefix("- ")
        for line in context.splitlines()[2:-1]
    ]


def _event(host: str, moment: str) -> dict[str, Any]:
    """The recorded event of a host at a moment."""
    for name in (name for name, one in host_events.MOMENTS[host].items() if one == moment):
        try:
            return event_of(host, name)
        except StopIteration:
            continue
    raise AssertionError(f"{host} has no event for {moment}")


def steps() -> Iterator[dict[str, Any]]:
    """The story, step by step, each with the moment when it begins."""
    for path in DAYS:
        day = YAML(typ="safe").load(path)
        for step in day["steps"]:
            date = step.get("date", day["date"])
            moment = datetime.fromisoformat(f"{date}T{step['at']}+00:00")
            yield {**step, "moment": moment}


@pytest.fixture
def week(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Week:
    one = Week(tmp_path, Shell(tmp_path, None, capsys, monkeypatch))
    monkeypatch.setattr(opening, "_utc_now", lambda: one.now)
    return one


def test_every_start_of_a_week_holds_what_the_story_lists(week: Week) -> None:
    for step in steps():
        week.now = step["moment"]
        week.live(step)
    assert week.sessions == 40
    assert not week.differences, "\n\n".join(week.differences)
    assert week.log == []
    for path, held in contents(week.home):
        assert SECRET.encode() not in held, path
