"""A session is told once, never hears the same twice, and is looked through when it is over."""

from __future__ import annotations

import json
import os
import random
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import Settings
from commonplace.books.open import open_book
from commonplace.doors.hooks import drain, session_files
from commonplace.doors.hooks.session_files import SessionFiles, files_for_session
from commonplace.doors.install.program import program
from commonplace.model.memory import Memory
from commonplace.rules.handed_over import quotation
from commonplace.rules.screening.credential_formats import FORMATS
from tests.hosts.machine import ASKED, Machine, context_in, event_of, recorded
from tests.on_disk import contents
from tests.rules import made_credentials as made

START = event_of("claude", "SessionStart")
PROMPT = event_of("claude", "UserPromptSubmit")
STOP = event_of("claude", "Stop")
END = event_of("claude", "SessionEnd")
NEXT = event_of("codex", "SessionStart")


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


def summaries(machine: Machine, *, at_least: int = 0) -> list[Memory]:
    """What sessions have left; as many as that are waited for."""
    deadline = time.monotonic() + 30
    with machine.book() as book:
        while True:
            found = book.list(kinds=["session-summary"])
            if len(found) >= at_least or time.monotonic() > deadline:
                return found
            time.sleep(0.05)


def test_the_same_event_told_twice_is_answered_and_kept_once(machine: Machine) -> None:
    for event in (START, PROMPT):
        assert machine.told("claude", event) != ""
        assert machine.told("claude", event) == ""
    for event in (STOP, STOP):
        machine.told("claude", event)
    assert texts(machine) == [ASKED, "From main."]
    for event in (END, END):
        machine.told("claude", event)
    machine.drain()
    assert len(summaries(machine)) == 1


def test_a_credential_in_a_prompt_is_not_kept(machine: Machine, tmp_path: Path) -> None:
    form = next(form for form in FORMATS if form.label == "GitHub token")
    secret = made.credential(form, random.Random(11))
    machine.told("claude", {**PROMPT, "prompt": f"Use {secret} to push, please"})
    assert texts(machine) != []
    for path, held in contents(tmp_path):
        assert secret.encode() not in held, path


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
    from commonplace.doors.hooks import host_events

    gemini = event_of("gemini", "BeforeAgent")
    event = host_events.read_event("gemini", "", json.dumps(gemini).encode())
    assert event is not None
    assert not event.has_host_id
    one = files_for_session(str(tmp_path / "sessions"), event.session)
    assert one.claim(event, now=100.0)
    assert not one.claim(event, now=101.0)
    assert one.claim(event, now=200.0)
    with_id = event.but(has_host_id=True)
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


def test_a_resumed_conversation_is_not_given_its_start_again(machine: Machine) -> None:
    resume = {**START, "source": "resume"}
    assert "Colosseum" in context_in(machine.told("claude", START))
    assert context_in(machine.told("claude", resume)) == ""


def test_handed_memories_that_come_back_are_not_kept_as_news(machine: Machine) -> None:
    context = context_in(machine.told("claude", START))
    quoted = f"As I know:\n{context}\nI use Colosseum."
    machine.told("claude", {**STOP, "last_assistant_message": quoted})
    [kept] = texts(machine)
    assert not quotation.is_echo(kept)
    assert quotation.PREFACE not in kept
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


def test_the_start_after_a_session_knows_what_the_user_said_in_it(machine: Machine) -> None:
    machine.told("claude", {**PROMPT, "prompt": "I prefer short commit messages."})
    machine.told("claude", END)
    assert len(summaries(machine, at_least=1)) == 1
    machine.drain()
    assert "short commit messages" in context_in(machine.told("codex", NEXT))


@pytest.mark.parametrize("seconds", ["30", "0.001"], ids=["in time", "too late"])
def test_the_next_start_looks_through_what_the_last_session_left(
    machine: Machine, seconds: str
) -> None:
    for event in (PROMPT, STOP):
        machine.told("claude", event)
    machine.end_without_drain(PROMPT["session_id"])
    machine.told("codex", NEXT, environ={"COMMONPLACE_HOOK_SECONDS": seconds})
    assert len(summaries(machine, at_least=1)) == 1


def with_decoy(repository: Path) -> Path:
    """A repository with a package that is called as ours is; the file is there once it was run."""
    package = repository / "commonplace"
    package.mkdir(parents=True)
    trace = repository / "was run"
    for name in ("__init__.py", "__main__.py"):
        (package / name).write_text(f"open({str(trace)!r}, 'a').write(__name__)\n")
    return trace


@pytest.mark.parametrize("url", ["", "vault:../book"], ids=["whole", "relative"])
def test_a_repository_cannot_have_its_own_code_run_as_ours(machine: Machine, url: str) -> None:
    repository = machine.home / "repository"
    trace = with_decoy(repository)
    environ = {**machine.environ, **({"COMMONPLACE_URL": url} if url else {})}
    for event in (PROMPT, STOP, END, {**START, "session_id": "the next"}):
        subprocess.run(
            [*program(), "hook", "claude"],
            input=json.dumps(event).encode(),
            env=environ,
            cwd=repository,
            timeout=60,
            check=True,
        )
    assert len(summaries(machine, at_least=1)) == 1
    assert not trace.exists()


def test_without_a_command_of_ours_hosts_still_run_no_repository_s_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = with_decoy(tmp_path)
    python = sys.executable
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    _, *ours = program()
    command = [python, *ours, "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=True)
    assert done.stdout
    assert not trace.exists()


def test_a_session_that_goes_on_is_left_alone(machine: Machine) -> None:
    machine.told("claude", PROMPT)
    machine.drain()
    assert texts(machine) == [ASKED]
    machine.end_without_drain(PROMPT["session_id"])
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
    for event in (PROMPT, STOP):
        machine.told("claude", event)
    machine.end_without_drain(PROMPT["session_id"])
    [file] = machine.state.glob("hooks/*/*.jsonl")
    before = file.read_bytes()
    machine.drain()
    taken = file.with_name(f"{file.name}.taken")
    taken.write_bytes(before)
    machine.run("drain", b"")
    assert taken.exists(), "somebody may still be at it"
    long_ago = time.time() - drain.ABANDONED_S - 60
    os.utime(taken, (long_ago, long_ago))
    machine.drain()
    assert not taken.exists()
    with machine.book() as book:
        assert len(book.list(kinds=["session-summary"])) == 1


class Killed(BaseException):
    """What ends a process that is killed: nobody catches it."""


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Work until just before the nth change on disk; False when it had no more than that."""
    left = step

    def watch(_: FrameType, event: str, called: Any) -> None:
        nonlocal left
        if event == "c_call" and called in (os.utime, os.rename, os.replace, os.remove):
            left -= 1
            if not left:
                raise Killed

    sys.setprofile(watch)
    try:
        work()
    except Killed:
        return True
    finally:
        sys.setprofile(None)
    return False


def test_wherever_a_drain_is_killed_no_turn_is_lost_and_none_is_kept_twice(tmp_path: Path) -> None:
    for step in range(1, 100):
        # On a busy machine all steps together take longer than what makes a drain look abandoned.
        now = time.time()
        machine = Machine(tmp_path / str(step))
        folder = session_files.book_folder(str(machine.state), machine.url)
        one = said_in(folder, now - 50, "I prefer short commit messages.", ends=True)
        with machine.book() as book:
            was_killed = killed_at(step, partial(drain.drain, book, folder, now=now))
        # It is resumed, before anybody has noticed.
        said_in(folder, now, "No, we deploy from release, not from main.")
        with machine.book() as book:
            drain.drain(book, folder, now=now + drain.ABANDONED_S + 60)
            assert texts(machine)[-1:] == ["No, we deploy from release, not from main."]
            one.capture({"at": now + 1, "key": "end", "end": "ended"}, header={})
            drain.drain(book, folder, now=now + drain.ABANDONED_S + 60)
            kept = book.list(kinds=["session-summary"])
            assert len(book.list(kinds=["preference"])) == 1
        for text in ("short commit messages", "deploy from release"):
            assert len([memory for memory in kept if text in memory.content]) == 1
        assert list(machine.state.glob("hooks/*/*.jsonl*")) == []
        if not was_killed:
            assert step > 5
            return
    raise AssertionError("it never came to an end")


def said_in(folder: str, at: float, text: str, *, ends: bool = False) -> SessionFiles:
    """A session in which somebody says something, and perhaps no more."""
    one = files_for_session(folder, "monday")
    header = {"host": "claude", "session": "monday", "context": {}, "cwd": ""}
    one.capture({"at": at, "key": str(at), "speaker": "user", "text": text}, header=header)
    if ends:
        one.capture({"at": at + 1, "key": "end", "end": "ended"}, header=header)
    return one


def test_a_session_resumed_while_the_book_cannot_be_written_keeps_every_turn(
    machine: Machine,
) -> None:
    now = time.time()
    folder = session_files.book_folder(str(machine.state), machine.url)
    said_in(folder, now - 50, "I prefer short commit messages.", ends=True)
    with machine.book() as book:
        member = book.as_context({"role": "member"})
        member.close()
        assert drain.drain(member, folder, now=now) == drain.Drained(0, 1)
    said_in(folder, now, "I prefer tea.")
    with machine.book() as book:
        assert drain.drain(book, folder, now=now) == drain.Drained(1, 1)
        assert texts(machine) == ["I prefer tea."]
        assert SessionFiles(folder, "monday").has_turns


def test_what_an_earlier_version_had_taken_does_not_replace_what_was_said_since(
    machine: Machine,
) -> None:
    now = time.time()
    folder = session_files.book_folder(str(machine.state), machine.url)
    before = said_in(folder, now - 50, "I prefer short commit messages.", ends=True)
    os.rename(before.turns, f"{before.turns}.taken")
    said_in(folder, now, "I prefer tea.")
    with machine.book() as book:
        drain.drain(book, folder, now=now + drain.ABANDONED_S + 60)
        [kept] = book.list(kinds=["preference"])
    assert "short commit" in kept.content
    assert texts(machine) == ["I prefer tea."]


def test_a_turn_that_comes_while_its_session_is_taken_is_kept(machine: Machine) -> None:
    """A hook may hold the file open when it is taken, and write a moment later."""
    now = time.time()
    folder = session_files.book_folder(str(machine.state), machine.url)
    one = said_in(folder, now - 50, "I prefer short commit messages.", ends=True)
    late = json.dumps({"at": now, "key": "late", "speaker": "user", "text": "I prefer tea."})
    with open(one.turns, "a", encoding="utf-8", buffering=1) as held, machine.book() as book:

        def hook(_: FrameType, event: str, called: Any) -> None:
            if event == "call" and _.f_code.co_name == "fill_gaps" and not held.closed:
                sys.setprofile(None)
                held.write(f"{late}\n")

        sys.setprofile(hook)
        drain.drain(book, folder, now=now)
        sys.setprofile(None)
        kept = book.list(kinds=["preference"])
    assert {memory.content for memory in kept} == {
        "I prefer short commit messages.",
        "I prefer tea.",
    }


def test_sessions_of_a_book_are_found_however_its_url_is_written(machine: Machine) -> None:
    roundabout = f"vault:{machine.home}/nowhere/../book"
    for event in (PROMPT, STOP, END):
        machine.told("claude", event, environ={"COMMONPLACE_URL": roundabout})
    machine.drain()
    assert machine.waiting() == []
    assert len(summaries(machine)) == 1


def test_sessions_filed_by_the_spelling_of_a_url_are_found_by_it(machine: Machine) -> None:
    roundabout = f"vault:{machine.home}/nowhere/../book"
    _, as_written = session_files.book_folders(str(machine.state), roundabout)
    said_in(as_written, time.time() - 50, "I prefer tea.", ends=True)
    machine.environ["COMMONPLACE_URL"] = roundabout
    machine.told("claude", START)
    assert len(summaries(machine, at_least=1)) == 1


@pytest.mark.parametrize(
    "pasted",
    ["\x1b[31mFAILED\x1b[0m tests/arena.py", "half a smile \ud83d", "bell\x07 and nothing\x00"],
)
def test_what_a_terminal_printed_does_not_cost_a_session_its_summary(
    machine: Machine, pasted: str
) -> None:
    prompt = f"I prefer short commit messages.\n{pasted}\nWhich branch do we deploy from?"
    machine.told("claude", {**PROMPT, "prompt": prompt})
    machine.told("claude", {**STOP, "last_assistant_message": f"{pasted}\nFrom main."})
    machine.told("claude", END)
    machine.drain()
    assert machine.log == []
    [summary] = summaries(machine)
    assert "short commit messages" in summary.content
    assert "[31m" not in summary.content
    with machine.book() as book:
        assert len(book.list(kinds=["preference"])) == 1


def test_lines_that_were_cut_short_are_passed_over(tmp_path: Path) -> None:
    header = {"host": "claude", "session": "s", "context": {"project": "mech"}, "cwd": "/x"}
    turn = {"at": 5.0, "key": "k", "speaker": "user", "text": "Deploy from main"}
    whole = [json.dumps(header), json.dumps(turn), '{"at": 6.0, "speaker": "us', "", "[]"]
    file = tmp_path / "s.jsonl"
    file.write_text("\n".join([*whole, json.dumps(turn)]), encoding="utf-8")
    told = drain.read_session(str(file))
    assert told is not None
    assert [turn.text for turn in told.turns] == ["Deploy from main"]
    assert (dict(told.context), told.ended) == ({"project": "mech"}, False)
    file.write_text("\n".join(whole[1:]), encoding="utf-8")
    assert drain.read_session(str(file)) is None


def test_a_session_that_cannot_be_kept_at_all_is_one_line_in_the_log(machine: Machine) -> None:
    machine.told("claude", PROMPT)
    machine.end_without_drain(PROMPT["session_id"])
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
    machine.told("claude", PROMPT)
    machine.end_without_drain(PROMPT["session_id"])
    folder = session_files.book_folder(str(machine.state), machine.url)
    with machine.book() as book:
        closed = book.as_context({"role": "member"})
        closed.close()
        assert drain.drain(closed, folder, now=time.time()) == drain.Drained(0, 1)
    assert texts(machine) == [ASKED]


@given(st.lists(st.text(), min_size=2, max_size=2, unique=True))
def test_different_sessions_never_share_their_files(ids: list[str]) -> None:
    one, other = (files_for_session("/state", id) for id in ids)
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
    one, two = SessionFiles(str(tmp_path), "one"), SessionFiles(str(tmp_path), "two")
    for each in (one, two):
        each.capture({"text": "hi"}, header={})
    assert session_files.waiting_sessions(str(tmp_path), but="one") == [two]
    assert session_files.waiting_sessions(str(tmp_path / "nowhere")) == []


def by_hand(machine: Machine, text: str = "The waiting-room screens reboot in winter") -> Path:
    """A note that a person writes with an editor."""
    note = machine.home / "book" / "system" / "insight" / "screens.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(text, encoding="utf-8")
    return note


def vectors_waiting(machine: Machine, *, at_most: int = 0) -> int:
    """Memories without a vector; a background process is waited for."""
    deadline = time.monotonic() + 30
    settings = Settings(state=str(machine.state), embedder="hash")
    while True:
        with open_book(machine.url, settings=settings, source="cli") as book:
            book.look()
            waiting = book.waiting_for_vectors
        if waiting <= at_most or time.monotonic() > deadline:
            return waiting
        time.sleep(0.1)


def test_a_drain_without_a_terminal_says_what_it_read(machine: Machine) -> None:
    assert machine.run("drain", b"").stdout == b"Ended sessions read: 0. Still open: 0.\n"
    for event in (PROMPT, STOP):
        machine.told("claude", event)
    assert machine.run("drain", b"").stdout == b"Ended sessions read: 0. Still open: 1.\n"
    machine.end_without_drain(PROMPT["session_id"])
    assert machine.run("drain", b"").stdout == b"Ended sessions read: 1. Still open: 0.\n"


@pytest.mark.parametrize("begun_by", ["start", "end", "drain"])
def test_a_note_written_by_hand_gets_a_vector_after_the_answer(
    machine: Machine, begun_by: str
) -> None:
    machine.environ["COMMONPLACE_EMBEDDER"] = "hash"
    by_hand(machine)
    assert vectors_waiting(machine, at_most=9) == 3
    if begun_by == "start":
        assert machine.told("claude", START)
    elif begun_by == "end":
        folder = session_files.book_folder(str(machine.state), machine.url)
        files_for_session(folder, END["session_id"]).capture({"at": 1.0}, header={})
        machine.told("claude", END)
    else:
        machine.drain()
    assert vectors_waiting(machine) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("did", "correction", "later"),
    [
        ("I deploy from main.", "No, we deploy from release, not main.", "deploy the thing"),
        ("Flights to Lisbon it is.", "No, we take the night train to Lisbon.", "Lisbon tickets"),
    ],
)
def test_a_correction_in_an_empty_project_begins_the_next_session(
    tmp_path: Path, did: str, correction: str, later: str
) -> None:
    """Also without a start, as in hosts that tell of prompts alone, it comes with its work."""
    machine = Machine(tmp_path)
    machine.book().close()
    machine.environ |= {"COMMONPLACE_PROJECT": "fresh", "COMMONPLACE_EMBEDDER": "bundled"}
    kept = correction.removeprefix("No, ").rstrip(".")
    for event in (START, {**PROMPT, "prompt": "go on"}, {**STOP, "last_assistant_message": did}):
        machine.told("claude", event)
    machine.told("claude", {**PROMPT, "prompt": correction, "prompt_id": "second"})
    machine.told("claude", {**STOP, "last_assistant_message": "Understood."})
    machine.told("claude", END)
    machine.drain()
    begun = context_in(machine.told("claude", {**START, "session_id": "next"}))
    assert kept.lower() in begun.lower()
    again = {**PROMPT, "prompt_id": "third", "prompt": later}
    heard = context_in(machine.told("claude", {**again, "session_id": "other"}))
    assert kept.lower() in heard.lower()
    assert machine.told("claude", {**again, "session_id": "next"}) == "", "it was handed over"
