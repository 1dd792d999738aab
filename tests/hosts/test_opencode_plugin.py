"""The plugin for opencode: what a model is told, what is recorded, and that it never fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonplace.doors.install.install import install

from .machine import ASKED, Machine
from .opencode import opencode_session

WRONG = "No, that is wrong: we deploy from the branch release."


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine whose book knows two things, with opencode connected."""
    made = Machine(tmp_path)
    with made.book() as book:
        book.as_context(book.context, source="mcp").save("We deploy from the branch main")
        book.fact_store("arena.name", "Colosseum")
    install("opencode", made.environ, mcp=False)
    return made


def plugin(machine: Machine) -> Path:
    return machine.home / ".config" / "opencode" / "plugins" / "commonplace.js"


def test_a_prompt_gets_one_hidden_part_after_it_and_a_memory_only_once(machine: Machine) -> None:
    first, again, compacted = opencode_session(
        machine.environ, ASKED, f"Once more: {ASKED}", "/compact", f"And now: {ASKED}"
    )["told"]
    for parts in (first, compacted):
        [part] = parts
        assert "Colosseum" in part["text"]
        assert "We deploy from the branch main" in part["text"]
        assert part["synthetic"] is True
    assert (first[0]["messageID"], first[0]["sessionID"]) == ("msg_0", "ses_1")
    assert first[0]["id"] > "prt_0"
    assert again == []
    assert machine.log == []


def test_the_end_reads_the_question_and_the_last_answer(machine: Machine) -> None:
    opencode_session(machine.environ, ASKED)
    machine.drain()
    assert machine.waiting() == []
    assert machine.log == []
    with machine.book() as book:
        [summary] = book.list(kinds=["session-summary"])
    assert summary.title.casefold().startswith(ASKED.rstrip("?"))
    assert "From main." in summary.content
    assert "Looking." not in summary.content
    assert "memory-context" not in summary.content


def test_a_resumed_session_gets_memories_and_a_subagent_none(machine: Machine) -> None:
    assert "Colosseum" in opencode_session(machine.environ, as_="resumed")["context"]
    machine.drain()
    assert opencode_session(machine.environ, as_="subagent")["told"] == [[]]
    assert machine.waiting() == []


@pytest.mark.parametrize("said", ["", ' He said \\"yes\\" to it.'])
def test_marks_of_opencode_run_are_not_the_person_s(machine: Machine, said: str) -> None:
    opencode_session(machine.environ, f'"{WRONG}{said}"', arguments=("run",))
    machine.drain()
    told = opencode_session(machine.environ, f"So, {ASKED}", as_="resumed")["context"]
    assert "the branch release" in told
    assert "We deploy from the branch main" not in told


@pytest.mark.parametrize("program", ["/nowhere/commonplace", "/bin/cat", "/bin/false"])
def test_a_program_that_is_gone_or_talks_nonsense_disturbs_nobody(
    machine: Machine, program: str
) -> None:
    text = plugin(machine).read_text(encoding="utf-8")
    [before] = [line for line in text.splitlines() if line.startswith("const COMMAND")]
    plugin(machine).write_text(text.replace(before, f'const COMMAND = ["{program}"]'))
    assert opencode_session(machine.environ)["told"] == [[]]


def test_a_program_that_hangs_is_waited_for_no_longer_than_it_may(machine: Machine) -> None:
    text = plugin(machine).read_text(encoding="utf-8")
    lines = {
        "const COMMAND": 'const COMMAND = ["/bin/sleep", "60"]',
        "const TIMES_MS": "const TIMES_MS = {}",
    }
    for line in text.splitlines():
        for begin, instead in lines.items():
            text = text.replace(line, instead) if line.startswith(begin) else text
    plugin(machine).write_text(text)
    assert opencode_session(machine.environ)["told"] == [[]]


def test_the_plugin_runs_the_hook_with_the_times_of_the_other_hosts(machine: Machine) -> None:
    text = plugin(machine).read_text(encoding="utf-8")
    said = {
        name: json.loads(line.partition(" = ")[2])
        for line in text.splitlines()
        for name in ("COMMAND", "TIMES_MS")
        if line.startswith(f"const {name} = ")
    }
    assert said["COMMAND"][-2:] == ["hook", "opencode"]
    assert said["TIMES_MS"] == {
        "session.created": 10_000, "chat.message": 5_000, "session.idle": 5_000, "dispose": 3_000,
    }  # fmt: skip
