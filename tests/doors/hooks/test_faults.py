"""Whatever goes wrong, a host hears nothing of it: no word, no failure, no waiting."""

from __future__ import annotations

import json
import os
import resource
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.doors.hooks import deadlines, host_events
from commonplace.doors.hooks.answer import PROMPT_CHARACTERS, TURN_CHARACTERS, cut_middle
from commonplace.doors.install import hosts
from tests.hosts.machine import HOSTS, Machine, context_in, event_of

PROMPT = event_of("claude", "UserPromptSubmit")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine whose book knows one thing."""
    one = Machine(tmp_path)
    with one.book() as book:
        book.save("We deploy from the branch main")
    return one


@pytest.mark.parametrize(
    "said",
    [
        b"", b"{", b"null", b"[]", b"42", b'"SessionStart"', b"\xff\xfe\x00", b"{}" * 3,
        json.dumps(PROMPT).encode()[:-20],
        json.dumps({**PROMPT, "hook_event_name": "PromptFromTheFuture"}).encode(),
        json.dumps({**PROMPT, "hook_event_name": 7}).encode(),
        json.dumps({**PROMPT, "session_id": None}).encode(),
        json.dumps({**PROMPT, "prompt": {"text": "deploy"}}).encode(),
        json.dumps({**PROMPT, "prompt": "   "}).encode(),
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_event_of_ours_is_passed_over(machine: Machine, said: bytes) -> None:
    assert machine.told("claude", said) == ""
    assert machine.log == []


def test_fields_of_the_future_do_no_harm(machine: Machine) -> None:
    event = {**PROMPT, "mood": {"level": [1, {"deep": None}]}, "cwd": 5, "prompt_id": ["x"]}
    assert "branch main" in context_in(machine.told("claude", event))


def test_a_prompt_of_ten_megabytes_is_answered_by_its_ends(machine: Machine) -> None:
    pasted = "ERROR something failed in module\n" * 320_000
    event = {**PROMPT, "prompt": f"{pasted}\nWhich branch do we deploy from?"}
    assert "branch main" in context_in(machine.told("claude", event))
    [_, kept] = machine.waiting()
    assert len(kept["text"]) < TURN_CHARACTERS + 10
    assert kept["text"].endswith("Which branch do we deploy from?")


@given(st.text(max_size=40), st.integers(2, 20))
def test_a_cut_text_keeps_its_beginning_and_its_end(text: str, longest: int) -> None:
    shown = cut_middle(text, longest)
    assert len(shown) <= max(longest, 0) + 3
    assert shown == text or (text.startswith(shown[: longest // 2]) and shown[-1] == text[-1])
    assert cut_middle("x" * PROMPT_CHARACTERS, PROMPT_CHARACTERS) == "x" * PROMPT_CHARACTERS


@given(said=st.binary(max_size=200), host=st.sampled_from(HOSTS), name=st.text(max_size=10))
def test_no_bytes_can_be_an_event_by_accident(said: bytes, host: str, name: str) -> None:
    assert host_events.read_event(host, name, said) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(
    told=st.dictionaries(
        st.sampled_from(sorted({*PROMPT, "source", "workspace_roots", "turn_id", "text"})), JSON
    ),
    host=st.sampled_from(HOSTS),
    name=st.sampled_from(
        sorted({name for names in host_events.MOMENTS.values() for name in names})
    ),
)
def test_fields_of_any_shape_are_read_or_passed_over(
    told: dict[str, object], host: str, name: str
) -> None:
    event = host_events.read_event(host, name, json.dumps(told).encode())
    if event is not None:
        assert event.moment in ("start", "prompt", "turn", "end")
        assert event.session
        assert event == host_events.read_event(host, name, json.dumps(told).encode())


def test_without_a_book_hooks_are_silent_and_leave_no_trace(tmp_path: Path) -> None:
    bare = Machine(tmp_path)
    environ = {"COMMONPLACE_URL": ""}
    assert bare.told("claude", PROMPT, environ=environ) == ""
    assert bare.log == []
    assert not (bare.state / "hooks").exists()


def test_a_vanished_book_is_one_line_in_the_log_and_is_not_made_anew(tmp_path: Path) -> None:
    gone = Machine(tmp_path)
    assert gone.told("claude", PROMPT) == ""
    [line] = gone.log
    assert "claude: StoreUnavailable" in line
    assert not (tmp_path / "book").exists()


def test_settings_that_cannot_be_read_are_one_line_in_the_log(machine: Machine) -> None:
    (machine.home / "config.yaml").write_text("url: [unclosed\n")
    assert machine.told("claude", PROMPT) == ""
    assert len(machine.log) == 1
    assert "BadInput" in machine.log[0]


def test_an_unknown_host_is_one_line_in_the_log(machine: Machine) -> None:
    assert machine.told("emacs", PROMPT) == ""
    assert "'emacs' is not a host" in machine.log[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ("hook",),
        ("hook", "claude", "UserPromptSubmit", "extra"),
        ("hook", "claude", "--user"),
        ("hook", "claude", "--user", ""),
        ("hook", "claude", "--usr", "alice"),
        ("hook", "claude", "--user", "a/b"),
        ("hook", "claude", "-x"),
        ("--user", "alice", "hook", "claude"),
        ("--json", "--url=sqlite:/nowhere/at/all.db", "hook", "claude"),
        ("hook", "drain", "--url", "sqlite:/nowhere/at/all.db"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("settings", ["", "state: 5\n"], ids=["good", "broken"])
def test_no_way_of_calling_a_hook_can_block_a_prompt(
    machine: Machine, arguments: tuple[str, ...], settings: str
) -> None:
    (machine.home / "config.yaml").write_text(settings)
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", *arguments],
        input=json.dumps(PROMPT).encode(),
        env=machine.environ,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_option_that_nobody_knows_is_one_line_in_the_log(machine: Machine) -> None:
    done = machine.run("claude", PROMPT, options=("--usr", "alice"))
    assert (done.returncode, done.stdout) == (0, b""), "it may have said who is asking"
    [line] = machine.log
    assert "--usr is not an option of a hook" in line


def test_a_password_in_an_option_is_not_logged(machine: Machine) -> None:
    machine.run("claude", PROMPT, options=("--url=postgresql://ada:Tr0ub4dor3@db/notes", "--usr"))
    assert len(machine.log) == 1
    assert "Tr0ub4dor3" not in machine.log[0]


def test_a_state_folder_that_cannot_be_written_does_not_matter(machine: Machine) -> None:
    (machine.home / "file").write_text("not a folder")
    environ = {"COMMONPLACE_STATE": str(machine.home / "file")}
    assert machine.told("claude", PROMPT, environ=environ) == ""


def test_what_cannot_be_kept_is_one_line_in_the_log_and_the_answer_comes(machine: Machine) -> None:
    (machine.state / "hooks").write_text("not a folder")
    assert "branch main" in context_in(machine.told("claude", PROMPT))
    [line] = machine.log
    assert "claude: A turn could not be written: Not a directory." in line


def test_a_full_disk_is_silent(machine: Machine) -> None:
    machine.told("claude", event_of("claude", "SessionStart"))
    environ = {**os.environ, **machine.environ}
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", "hook", "claude"],
        input=json.dumps(PROMPT).encode(),
        env=environ,
        capture_output=True,
        # No file may grow beyond what it is, as on a disk that is full.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"" or "branch main" in context_in(done.stdout.decode())
    assert machine.waiting() == []


def test_a_locked_book_is_answered_or_passed_over(machine: Machine) -> None:
    with machine.book() as book, book._engine.store.lease():  # pyright: ignore[reportPrivateUsage]
        said = machine.told("claude", PROMPT)
    assert "branch main" in context_in(said)


def test_a_host_that_never_finishes_speaking_is_not_waited_for(machine: Machine) -> None:
    waiting = subprocess.Popen(
        [sys.executable, "-m", "commonplace", "hook", "claude"],
        env={**machine.environ, "COMMONPLACE_HOOK_SECONDS": "0.2"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert waiting.stdin is not None
    waiting.stdin.write(json.dumps(PROMPT).encode()[:50])
    waiting.stdin.flush()
    assert waiting.wait(timeout=20) == 0
    assert waiting.stdout is not None
    assert waiting.stderr is not None
    # Nobody holds the pipes any more either: the child has let go of them.
    assert (waiting.stdout.read(), waiting.stderr.read()) == (b"", b"")
    for pipe in (waiting.stdin, waiting.stdout, waiting.stderr):
        pipe.close()
    assert "was not ready in time" in machine.log[0]


def test_an_answer_that_comes_too_late_is_no_answer(machine: Machine) -> None:
    assert machine.told("claude", PROMPT, environ={"COMMONPLACE_HOOK_SECONDS": "0.001"}) == ""
    assert "was not ready in time" in machine.log[0]
    # What was not delivered was not handed over, so it still can be.
    later = {**PROMPT, "prompt_id": "another"}
    assert "branch main" in context_in(machine.told("claude", later))


def test_a_crash_of_the_interpreter_is_silent(machine: Machine) -> None:
    crash = machine.home / "sitecustomize.py"
    crash.write_text(
        "import sys, os\n"
        "class Trap:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'commonplace.books.open':\n"
        "            os.kill(os.getpid(), 11)\n"
        "sys.meta_path.insert(0, Trap())\n"
    )
    assert machine.told("claude", PROMPT, environ={"PYTHONPATH": str(machine.home)}) == ""


def test_a_host_that_hung_up_gets_no_complaint(machine: Machine) -> None:
    hook = f"{shlex.quote(sys.executable)} -m commonplace hook claude"
    command = f"{hook} 0</dev/null 1>&- 2>{shlex.quote(str(machine.home))}/said"
    done = subprocess.run(command, shell=True, env=machine.environ, timeout=60, check=False)
    assert done.returncode == 0
    closed = subprocess.run(
        f"{hook} 0<&-",
        shell=True,
        env=machine.environ,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, b"", b"")
    assert (machine.home / "said").read_bytes() == b""


def test_the_log_of_faults_stays_small(machine: Machine) -> None:
    log = machine.state / "hooks.log"
    log.write_text("an old fault\n" * 20_000, encoding="utf-8")
    machine.told("emacs", PROMPT)
    assert len(machine.log) == 1
    assert log.stat().st_mode & 0o777 == 0o600


def late(machine: Machine, host: str, event: dict[str, Any]) -> None:
    """Tell of an event whose answer comes too late, and wait until it is there."""
    assert machine.told(host, event, environ={"COMMONPLACE_HOOK_SECONDS": "0.001"}) == ""
    for _ in range(600):
        if list(machine.state.glob("hooks/*/*.late")):
            return
        time.sleep(0.1)
    raise AssertionError("The answer was lost.")


@pytest.mark.parametrize(
    "host",
    ["claude", *(pytest.param(host, marks=pytest.mark.slow) for host in ("codex", "gemini"))],
)
def test_a_late_answer_is_handed_over_with_the_next_prompt_once(
    machine: Machine, host: str
) -> None:
    names = {moment: name for name, moment in host_events.MOMENTS[host].items()}
    with machine.book() as book:
        book.fact_store("arena.name", "Colosseum")
    start, prompt = (event_of(host, names[one]) for one in ("start", "prompt"))
    late(machine, host, start)
    heard = context_in(machine.told(host, prompt))
    assert heard.count("Colosseum") == heard.count("branch main") == 1
    again = context_in(machine.told(host, {**prompt, "prompt": "Which arena do we deploy from?"}))
    assert "Colosseum" not in again


def test_a_late_answer_to_a_prompt_is_not_lost_either(machine: Machine) -> None:
    late(machine, "claude", PROMPT)
    other = {**PROMPT, "prompt_id": "another", "prompt": "Thanks, go on."}
    assert "branch main" in context_in(machine.told("claude", other))


def test_a_late_answer_counts_as_handed_over_once_it_was(machine: Machine) -> None:
    late(machine, "claude", PROMPT)
    with machine.book() as book:
        [logged] = book.digests()
        [branch] = logged.memories
        assert logged.late
        assert book.replay().late
        assert book.why_not(logged.id, branch).step != "was_handed"
    other = {**PROMPT, "prompt_id": "another", "prompt": "Thanks, go on."}
    assert "branch main" in context_in(machine.told("claude", other))
    for _ in range(600):
        with machine.book() as book:
            found = next(one for one in book.digests() if one.id == logged.id)
        if not found.late:
            return
        time.sleep(0.1)
    raise AssertionError("It still counts as late.")


def test_a_new_start_and_an_hour_end_a_late_answer(machine: Machine) -> None:
    start = event_of("claude", "SessionStart")
    late(machine, "claude", PROMPT)
    machine.told("claude", start)
    assert list(machine.state.glob("hooks/*/*.late*")) == []
    late(machine, "claude", {**PROMPT, "prompt_id": "second"})
    [file] = machine.state.glob("hooks/*/*.late")
    at, *rest = json.loads(file.read_text())
    file.write_text(json.dumps([at - 4_000, *rest]))
    thanks = {**PROMPT, "prompt_id": "third", "prompt": "Thanks, go on."}
    assert machine.told("claude", thanks) == ""


def test_a_purged_memory_is_in_no_late_answer(machine: Machine) -> None:
    late(machine, "claude", PROMPT)
    with machine.book() as book:
        book.purge(book.list()[0].id)
    thanks = {**PROMPT, "prompt_id": "third", "prompt": "Thanks, go on."}
    assert machine.told("claude", thanks) == ""
    assert list(machine.state.glob("hooks/*/*.late*")) == []


def test_deadlines_are_300_and_500_ms_from_the_start_of_the_process() -> None:
    assert deadlines.time_limits({}) == (0.3, 0.5)
    assert deadlines.time_limits({}, 0.02) == pytest.approx((0.28, 0.48))
    assert deadlines.time_limits({"COMMONPLACE_HOOK_SECONDS": "2"}, 0.02) == (2.0, 2.0)
    assert deadlines.time_limits({"COMMONPLACE_HOOK_SECONDS": "soon"}) == (0.3, 0.5)


@given(st.floats(0, 100))
def test_a_slow_machine_gets_12_and_20_starts_within_the_hosts_limits(began_s: float) -> None:
    for limit, least, starts, host in zip(
        deadlines.time_limits({}, began_s), (0.3, 0.5), (12, 20),
        (hosts.TIMES_S["prompt"], hosts.TIMES_S["start"]), strict=True,
    ):  # fmt: skip
        whole = limit + began_s
        assert least <= whole + 1e-9
        assert whole < host
        assert whole >= starts * began_s - 1e-9 or whole > 0.7 * host


def test_a_process_knows_how_long_ago_it_began() -> None:
    code = (
        "import time; from commonplace.doors.hooks.deadlines import seconds_since_start as s\n"
        "one = s(); time.sleep(0.2); print(one, s())"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    one, two = map(float, done.stdout.split())
    assert 0 < one < two - 0.1
    assert two < time.monotonic() - began
