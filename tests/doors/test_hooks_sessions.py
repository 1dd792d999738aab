"""A session is told once, never hears the same twice, and is looked through when it is over."""

from __future__ import annotations

import json
import os
import random
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.doors.hooks import drain, sessions
from commonplace.doors.hooks.sessions import Session, session
from commonplace.rules import framing
from commonplace.rules.screening.formats import FORMATS

from ..hosts.machine import ASKED, Machine, context_in, event_of, recorded
from ..rules import made_credentials as made

START = event_of("claude", "SessionStart")
PROMPT = event_of("claude", "UserPromptSubmit")
STOP = event_of("claude", "Stop")
END = event_of("claude", "SessionEnd")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine whose book knows two things about deploying."""
    one = Machine(tmp_path)
    with one.book() as book:
        book.save("We deploy from the branch main")
        book.fact_store("arena.name", "Colosseum")
    return one


def texts(machine: Machine) -> list[str]:
    return [line["text"] for line in machine.waiting() if "text" in line]


def test_the_same_event_told_twice_is_answered_and_kept_once(machine: Machine) -> None:
    for event in (START, PROMPT):
        assert machine.told("claude", event) != ""
        assert machine.told("claude", event) == ""
    for event in (STOP, STOP, END, END):
        machine.told("claude", event)
    assert texts(machine) == [ASKED, "From main."]


def test_a_credential_in_a_prompt_is_not_kept(machine: Machine, tmp_path: Path) -> None:
    form = next(form for form in FORMATS if form.label == "GitHub token")
    secret = made.credential(form, random.Random(11))
    machine.told("claude", {**PROMPT, "prompt": f"Use {secret} to push, please"})
    assert texts(machine) != []
    for path in (one for one in tmp_path.rglob("*") if one.is_file()):
        assert secret.encode() not in path.read_bytes(), path


def test_hooks_fired_at_the_same_time_give_one_answer(machine: Machine) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "commonplace", "hook", "claude"],
            env=machine.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    said = json.dumps(PROMPT).encode()
    answers = [one.communicate(said, timeout=60)[0] for one in running]
    assert sorted(map(bool, answers)) == [False, False, False, True]
    assert texts(machine) == [ASKED]


def test_copilot_running_claude_s_hooks_too_tells_of_one_session(machine: Machine) -> None:
    copilot = event_of("copilot", "userPromptSubmitted")
    machine.told("copilot", copilot)
    like_claude = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": copilot["sessionId"],
        "prompt": copilot["prompt"],
    }
    assert machine.told("claude", like_claude) == ""
    assert texts(machine) == [ASKED]


def test_the_same_words_later_are_a_new_prompt(machine: Machine, tmp_path: Path) -> None:
    from commonplace.doors.hooks import events

    gemini = event_of("gemini", "BeforeAgent")
    event = events.read("gemini", "", json.dumps(gemini).encode())
    assert event is not None
    assert not event.lasting
    one = session(str(tmp_path / "sessions"), event.session)
    assert one.claim(event, now=100.0)
    assert not one.claim(event, now=101.0)
    assert one.claim(event, now=200.0)
    with_id = event.but(lasting=True)
    assert not one.claim(with_id, now=900.0)


def test_a_session_is_not_handed_the_same_memory_twice(machine: Machine) -> None:
    assert "branch main" in context_in(machine.told("claude", PROMPT))
    again = {**PROMPT, "prompt_id": "2", "prompt": "from which branch do we deploy, again?"}
    assert "branch main" not in context_in(machine.told("claude", again))
    other = {**again, "session_id": "another"}
    assert "branch main" in context_in(machine.told("claude", other))


def test_what_the_start_handed_over_is_not_repeated_at_a_prompt(machine: Machine) -> None:
    prompt = {**PROMPT, "prompt": "what is the name of the arena?"}
    assert "Colosseum" in context_in(machine.told("claude", START))
    assert "Colosseum" not in context_in(machine.told("claude", prompt))


def test_after_compaction_everything_may_be_handed_over_again(machine: Machine) -> None:
    compact = next(one for one in recorded("claude") if one.get("source") == "compact")
    resume = next(one for one in recorded("claude") if one.get("source") == "resume")
    assert "branch main" in context_in(machine.told("claude", PROMPT))
    machine.told("claude", resume)
    again = {**PROMPT, "prompt_id": "2"}
    assert "branch main" not in context_in(machine.told("claude", again))
    assert "Colosseum" in context_in(machine.told("claude", compact))
    assert "branch main" in context_in(machine.told("claude", {**PROMPT, "prompt_id": "3"}))


def test_handed_memories_that_come_back_are_not_kept_as_news(machine: Machine) -> None:
    context = context_in(machine.told("claude", START))
    quoted = f"As I know:\n{context}\nI use Colosseum."
    machine.told("claude", {**STOP, "last_assistant_message": quoted})
    [kept] = texts(machine)
    assert not framing.is_echo(kept)
    assert "Remembered notes" not in kept
    assert kept.split() == ["As", "I", "know:", "I", "use", "Colosseum."]


def test_only_its_owner_can_read_what_waits(machine: Machine) -> None:
    machine.told("claude", PROMPT)
    [file] = machine.state.glob("hooks/*/*.jsonl")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_capture_can_be_switched_off(machine: Machine) -> None:
    environ = {"COMMONPLACE_HOOK_CAPTURE": "false"}
    for event in (PROMPT, STOP, END):
        machine.told("claude", event, environ=environ)
    assert machine.waiting() == []


def test_a_finished_session_leaves_a_summary_and_what_was_never_saved(machine: Machine) -> None:
    said = "No, we deploy from release, not from main. And I prefer short commit messages."
    for event in recorded("codex"):
        told = {**event, "prompt": said} if "prompt" in event else event
        machine.told("codex", told, environ={"COMMONPLACE_PROJECT": "mech-fighters"})
    machine.drain()
    assert list(machine.state.glob("hooks/*/*")) == []
    assert machine.log == []
    with machine.book() as book:
        [summary] = book.list(kinds=["session-summary"])
        [preference] = book.list(kinds=["preference"])
    assert (summary.tier, str(summary.scope)) == ("archive", "/project/mech-fighters")
    assert "short commit messages" in preference.content
    assert (preference.trust, preference.source) == ("agent", "hook")


@pytest.mark.parametrize("seconds", ["30", "0.001"], ids=["in time", "too late"])
def test_the_next_start_looks_through_what_the_last_session_left(
    machine: Machine, seconds: str
) -> None:
    for event in (PROMPT, STOP, END):
        machine.told("claude", event)
    start = event_of("codex", "SessionStart")
    machine.told("codex", start, environ={"COMMONPLACE_HOOK_SECONDS": seconds})
    deadline = time.monotonic() + 30
    while machine.waiting() and time.monotonic() < deadline:
        time.sleep(0.05)
    with machine.book() as book:
        while not (found := book.list(kinds=["session-summary"])) and time.monotonic() < deadline:
            time.sleep(0.05)
    assert len(found) == 1


def test_a_session_that_goes_on_is_left_alone(machine: Machine) -> None:
    machine.told("claude", PROMPT)
    machine.drain()
    assert texts(machine) == [ASKED]
    machine.told("claude", END)
    machine.told("claude", {**PROMPT, "prompt_id": "2", "prompt": "I am back, go on"})
    machine.drain()
    assert texts(machine) == [ASKED, "I am back, go on"], "it was resumed"


def test_a_session_that_was_left_without_a_word_is_over_after_an_hour(machine: Machine) -> None:
    machine.told("claude", PROMPT)
    [file] = machine.state.glob("hooks/*/*.jsonl")
    long_ago = time.time() - drain.IDLE_S - 60
    os.utime(file, (long_ago, long_ago))
    machine.drain()
    assert machine.waiting() == []


def test_a_drain_that_was_killed_is_done_again_and_adds_nothing_twice(machine: Machine) -> None:
    for event in (PROMPT, STOP, END):
        machine.told("claude", event)
    [file] = machine.state.glob("hooks/*/*.jsonl")
    before = file.read_bytes()
    machine.drain()
    taken = file.with_name(f"{file.name}.taken")
    taken.write_bytes(before)
    machine.drain()
    assert taken.exists(), "somebody may still be at it"
    long_ago = time.time() - drain.ABANDONED_S - 60
    os.utime(taken, (long_ago, long_ago))
    machine.drain()
    assert not taken.exists()
    with machine.book() as book:
        assert len(book.list(kinds=["session-summary"])) == 1


def test_lines_that_were_cut_short_are_passed_over(tmp_path: Path) -> None:
    header = {"host": "claude", "session": "s", "context": {"project": "mech"}, "cwd": "/x"}
    turn = {"at": 5.0, "key": "k", "speaker": "user", "text": "Deploy from main"}
    whole = [json.dumps(header), json.dumps(turn), '{"at": 6.0, "speaker": "us', "", "[]"]
    file = tmp_path / "s.jsonl"
    file.write_text("\n".join([*whole, json.dumps(turn)]), encoding="utf-8")
    told = drain.read(str(file))
    assert told is not None
    assert [turn.text for turn in told.turns] == ["Deploy from main"]
    assert (dict(told.context), told.ended) == ({"project": "mech"}, False)
    file.write_text("\n".join(whole[1:]), encoding="utf-8")
    assert drain.read(str(file)) is None


def test_a_session_that_cannot_be_kept_at_all_is_one_line_in_the_log(machine: Machine) -> None:
    for event in (PROMPT, END):
        machine.told("claude", event)
    [file] = machine.state.glob("hooks/*/*.jsonl")
    header, *turns = file.read_text().splitlines()
    elsewhere = {**json.loads(header), "context": {"planet": "mars"}}
    file.write_text("\n".join([json.dumps(elsewhere), *turns]))
    machine.drain()
    assert machine.waiting() == []
    [line] = machine.log
    assert "drain: A session was not kept" in line
    assert "planet" in line


def test_a_book_that_cannot_be_written_keeps_the_session_waiting(machine: Machine) -> None:
    for event in (PROMPT, END):
        machine.told("claude", event)
    folder = sessions.folder(str(machine.state), machine.url)
    with machine.book() as book:
        closed = book.as_context({"role": "member"})
        closed.close()
        assert drain.drain(closed, folder, now=time.time()) == drain.Drained(0, 1)
    assert texts(machine) == [ASKED]


@given(st.lists(st.text(), min_size=2, max_size=2, unique=True))
def test_different_sessions_never_share_their_files(ids: list[str]) -> None:
    one, other = (session("/state", id) for id in ids)
    assert one.turns != other.turns
    for named in (one, other):
        assert Path(named.turns).parent == Path("/state")
        assert len(named.name) < 100
        assert named.name.isascii()


def test_a_session_can_have_any_name(machine: Machine) -> None:
    odd: dict[str, Any] = {**PROMPT, "session_id": "../../../etc/passwd\x00\n" + "x" * 5_000}
    assert "branch main" in context_in(machine.told("claude", odd))
    [file] = machine.state.glob("hooks/*/*.jsonl")
    assert json.loads(file.read_text().splitlines()[0])["session"] == odd["session_id"]


def test_waiting_sessions_are_found_except_the_one_that_asks(tmp_path: Path) -> None:
    one, two = Session(str(tmp_path), "one"), Session(str(tmp_path), "two")
    for each in (one, two):
        each.capture({"text": "hi"}, header={})
    assert sessions.waiting(str(tmp_path), but="one") == [two]
    assert sessions.waiting(str(tmp_path / "nowhere")) == []
