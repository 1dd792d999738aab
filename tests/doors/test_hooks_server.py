"""With a server running hooks ask it; without one, or with a bad one, they answer themselves."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from commonplace.doors.hooks.chosen import mark

from ..hosts.machine import Machine, context_in, event_of

START = event_of("claude", "SessionStart")
PROMPT = event_of("claude", "UserPromptSubmit")
HERE = (
    "import os; from commonplace.doors.hooks import door; del os.fork\n"
    "door.run(['claude'], os.environ)"
)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    with made.book() as book:
        book.save("We deploy from the branch main")
        book.save("Mech deploys from release", scope="/project/mech-fighters")
        book.fact_store("arena.name", "Colosseum")
    return made


@pytest.fixture
def server(machine: Machine) -> Iterator[subprocess.Popen[bytes]]:
    """The real server, as a process of its own."""
    running = subprocess.Popen(
        [sys.executable, "-m", "commonplace", "serve", "--port", "0"],
        env=machine.environ,
        stdout=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not place(machine).exists():
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    try:
        yield running
    finally:
        running.send_signal(signal.SIGTERM)
        running.wait(timeout=60)


def place(machine: Machine) -> Path:
    return machine.state / "server.json"


def loaded_for(machine: Machine, event: dict[str, object]) -> tuple[str, list[str]]:
    """What a host hears, and which modules that took, in their order."""
    done = machine.run("claude", event, python=("-X", "importtime", "-c", HERE))
    told = done.stderr.decode().splitlines()
    return done.stdout.decode(), [line.rsplit("|", 1)[1].strip() for line in told if "|" in line]


@pytest.mark.usefixtures("server")
def test_hooks_ask_a_running_server(machine: Machine) -> None:
    said, loaded = loaded_for(machine, START)
    assert "Colosseum" in context_in(said)
    assert "commonplace.doors.hooks.server" in loaded
    assert "commonplace.assemble" not in loaded
    said, loaded = loaded_for(
        machine, {**PROMPT, "prompt": "which branch is deployed for the mech?"}
    )
    assert "branch main" in context_in(said)
    assert "release" in context_in(said)
    assert "commonplace.assemble" not in loaded
    machine.environ["COMMONPLACE_PROJECT"] = "chäss & go"
    said, loaded = loaded_for(machine, {**PROMPT, "session_id": "in another project"})
    assert "commonplace.assemble" not in loaded
    assert "branch main" in context_in(said)
    assert "release" not in context_in(said), "the server is told who asks"


@pytest.mark.usefixtures("server")
def test_what_takes_long_to_load_is_loaded_while_the_server_thinks(machine: Machine) -> None:
    machine.environ["COMMONPLACE_CONFIG"] = str(machine.state / "set.yaml")
    (machine.state / "set.yaml").write_text("hook_project: auto\n")
    # The first to read YAML keeps it in a form that is quick to read.
    loaded_for(machine, {**PROMPT, "session_id": "one"})
    said, loaded = loaded_for(machine, {**PROMPT, "session_id": "another"})
    assert "branch main" in context_in(said)
    assert "json" in loaded[loaded.index("_socket") :]
    assert {"re", "functools", "contextlib"}.isdisjoint(loaded[: loaded.index("_socket")])


def test_what_was_said_is_kept_even_if_the_book_cannot_be_asked(machine: Machine) -> None:
    machine.environ["COMMONPLACE_CONFIG"] = str(machine.state / "set.yaml")
    (machine.state / "set.yaml").write_text("digest:\n  default:\n    enabled: perhaps\n")
    assert machine.told("claude", PROMPT) == ""
    assert len(machine.log) == 1
    (kept,) = machine.state.glob("hooks/*/*.jsonl")
    assert str(PROMPT["prompt"]) in kept.read_text()


def test_a_server_that_died_without_a_word_is_not_missed(machine: Machine) -> None:
    place(machine).parent.mkdir(exist_ok=True)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    announce(machine, port)
    assert "branch main" in context_in(machine.told("claude", PROMPT))
    assert machine.log == []


@pytest.mark.parametrize(
    "answer",
    [
        None,
        b"",
        b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 401 Unauthorized\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\n\r\n[]",
        b'HTTP/1.1 200 OK\r\n\r\n{"text": 5, "items": []}',
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b'HTTP/1.1 200 OK\r\n\r\n{"items": [], "text": "' + b"x" * 9_000 + b'"}',
    ],
)
def test_whatever_a_server_answers_the_hook_has_an_answer(
    machine: Machine, answer: bytes | None
) -> None:
    if answer is None:
        machine.environ["COMMONPLACE_HOOK_SECONDS"] = "4"
    with answering(answer) as port:
        announce(machine, port)
        assert "branch main" in context_in(machine.told("claude", PROMPT))
    assert machine.log == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"url": 5, "book": 5, "token": 5}', '{"url": "http://x:y"}']
)
def test_a_broken_announcement_is_passed_over(machine: Machine, text: str) -> None:
    place(machine).write_text(text, encoding="utf-8")
    assert "branch main" in context_in(machine.told("claude", PROMPT))


def test_the_server_of_another_book_is_not_asked(machine: Machine) -> None:
    foreign = saying(items=[], tokens=9, text="of another book")
    with answering(foreign) as port:
        announce(machine, port, book="vault:/somewhere/else")
        assert "another book" not in context_in(machine.told("claude", PROMPT))
        announce(machine, port)
        later = {**PROMPT, "prompt_id": "later"}
        assert context_in(machine.told("claude", later)) == "of another book"


@pytest.mark.usefixtures("server")
def test_what_a_person_sets_while_a_server_runs_holds_at_the_next_event(machine: Machine) -> None:
    config = machine.home / "config.yaml"
    assert "Colosseum" in context_in(machine.told("claude", START))
    config.write_text("digest: {default: {enabled: false}}\n")
    assert machine.told("claude", {**START, "session_id": "silent"}) == ""
    assert machine.told("claude", {**PROMPT, "session_id": "silent"}) == ""
    config.write_text("digest: {default: {budgets: {sections: {critical: {items: 0}}}}}\n")
    assert "Colosseum" not in machine.told("claude", {**START, "session_id": "brief"})
    config.write_text("digest: {agents: {codex: {enabled: false}}}\n")
    assert "branch main" in machine.told("claude", {**PROMPT, "session_id": "loud"})
    codex = event_of("codex", "UserPromptSubmit")
    assert machine.told("codex", codex) == ""
    assert machine.log == []


def test_more_tokens_than_hosts_take_are_not_handed_over(machine: Machine) -> None:
    with answering(saying(items=[], tokens=3_000, text="書" * 3_000)) as port:
        announce(machine, port)
        assert "branch main" in context_in(machine.told("claude", PROMPT))


def saying(**told: object) -> bytes:
    """A server's good answer."""
    return b"HTTP/1.1 200 OK\r\n\r\n" + json.dumps(told).encode()


def announce(machine: Machine, port: int, book: str = "") -> None:
    told = {
        "url": f"http://127.0.0.1:{port}",
        "token": "t",
        "pid": 1,
        "book": book or machine.url,
        "digest": mark({}),
    }
    place(machine).write_text(json.dumps(told), encoding="utf-8")


@contextmanager
def answering(said: bytes | None) -> Iterator[int]:
    """Somebody who answers every caller with these bytes; with None, who never says a word."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def answer() -> None:
            held: list[socket.socket] = []
            while True:
                try:
                    line, _ = listening.accept()
                except OSError:
                    break
                held.append(line)
                if said is not None:
                    line.recv(65_536)
                    line.sendall(said)
                    line.close()
            for line in held:
                line.close()

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
