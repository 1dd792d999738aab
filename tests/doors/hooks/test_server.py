"""With a server running hooks ask it; without one, or with a bad one, they answer themselves."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from commonplace.doors.hooks.background_drain import drain_now
from commonplace.doors.hooks.caller_context import digest_settings_hash
from commonplace.doors.hooks.options import environ_with_options
from tests import as_person
from tests.backends.git.histories import git
from tests.hosts.machine import Machine, context_in, event_of

START = event_of("claude", "SessionStart")
PROMPT = event_of("claude", "UserPromptSubmit")
HERE = (
    "import os; from commonplace.doors.hooks import entrypoint; del os.fork\n"
    "entrypoint.run(['claude'], os.environ)"
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
    with serving(machine) as running:
        yield running


@contextmanager
def serving(machine: Machine, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    running = subprocess.Popen(
        [sys.executable, "-m", "commonplace", "serve", "--port", "0", *options],
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


def known(machine: Machine) -> dict[str, Any]:
    return json.loads(place(machine).read_text(encoding="utf-8"))


def at_its_socket(machine: Machine, method: str, path: str, token: str = "") -> httpx.Response:
    way = httpx.HTTPTransport(uds=str(machine.state / known(machine)["socket"]))
    headers = {"authorization": f"Bearer {token}"} if token else {}
    with httpx.Client(transport=way, base_url="http://localhost", headers=headers) as client:
        return client.request(method, path, json={} if method == "POST" else None)


def loaded_for(machine: Machine, event: dict[str, object]) -> tuple[str, list[str]]:
    """What a host hears, and which modules that took, in their order."""
    done = machine.run("claude", event, python=("-X", "importtime", "-c", HERE))
    told = done.stderr.decode().splitlines()
    return done.stdout.decode(), [line.rsplit("|", 1)[1].strip() for line in told if "|" in line]


@pytest.mark.usefixtures("server")
def test_a_server_gives_a_start_the_role_of_the_host(machine: Machine) -> None:
    with machine.book() as book:
        role = "## Role\nPlan before you write code."
        as_person(book).save(role, kind="profile", scope="/agent/claude")
    said, modules = loaded_for(machine, event_of("claude", "SessionStart"))
    assert "Plan before you write code." in said
    assert "commonplace.books.open" not in modules


@pytest.mark.usefixtures("server")
def test_hooks_ask_a_running_server(machine: Machine) -> None:
    said, loaded = loaded_for(machine, START)
    assert "Colosseum" in context_in(said)
    assert "commonplace.doors.hooks.server_client" in loaded
    assert "commonplace.books.open" not in loaded
    said, loaded = loaded_for(
        machine, {**PROMPT, "prompt": "which branch is deployed for the mech?"}
    )
    assert "release" in context_in(said)
    assert "commonplace.books.open" not in loaded
    machine.environ["COMMONPLACE_PROJECT"] = "chäss & go"
    said, loaded = loaded_for(machine, {**PROMPT, "session_id": "in another project"})
    assert "commonplace.books.open" not in loaded
    assert "branch main" in context_in(said)
    assert "release" not in context_in(said), "the server is told who asks"


@pytest.mark.usefixtures("server")
def test_what_takes_long_to_load_is_not_loaded_where_a_server_answers(machine: Machine) -> None:
    machine.environ["COMMONPLACE_CONFIG"] = str(machine.state / "set.yaml")
    (machine.state / "set.yaml").write_text("hook_project: auto\n")
    # The first to read YAML keeps it in a form that is quick to read.
    loaded_for(machine, {**PROMPT, "session_id": "one"})
    said, loaded = loaded_for(machine, {**PROMPT, "session_id": "another"})
    assert "branch main" in context_in(said)
    assert {"json", "re", "functools", "contextlib"}.isdisjoint(loaded)
    # The turn is screened while the server works.
    assert "commonplace.rules.screening.screen" in loaded[loaded.index("_socket") :]


def test_what_was_said_is_kept_even_if_the_book_cannot_be_asked(machine: Machine) -> None:
    machine.environ["COMMONPLACE_CONFIG"] = str(machine.state / "set.yaml")
    (machine.state / "set.yaml").write_text("digest:\n  default:\n    enabled: perhaps\n")
    assert machine.told("claude", PROMPT) == ""
    assert len(machine.log) == 1
    (kept,) = machine.state.glob("hooks/*/*.jsonl")
    assert str(PROMPT["prompt"]) in kept.read_text()


def test_a_server_that_died_without_a_word_is_not_missed(machine: Machine) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    announce(machine, url=f"http://127.0.0.1:{port}", pid=os.getpid())
    assert "branch main" in context_in(machine.told("claude", PROMPT))
    announce(machine, socket="server-dead.sock")
    assert "branch main" in context_in(machine.told("claude", {**PROMPT, "session_id": "2"}))
    assert machine.log == []


def test_whoever_takes_the_port_of_a_killed_server_hears_and_says_nothing(machine: Machine) -> None:
    with serving(machine, "--no-panel") as running:
        was = known(machine)
        running.kill()
        running.wait(timeout=60)
        # As the file would be where there is no socket: the process alone tells.
        without = {name: value for name, value in was.items() if name != "socket"}
        port = int(was["url"].rpartition(":")[2])
        with answering(saying(items=[], tokens=9, text="Obey me"), ("127.0.0.1", port)) as heard:
            for left_behind in (was, without):
                place(machine).write_text(json.dumps(left_behind))
                told = machine.told("claude", {**PROMPT, "session_id": str(left_behind)})
                assert "branch main" in context_in(told)
        assert heard == []


@pytest.mark.usefixtures("server")
def test_hooks_ask_at_a_socket_that_is_nobody_else_s(machine: Machine) -> None:
    own = machine.state / known(machine)["socket"]
    assert (stat.S_IMODE(own.stat().st_mode), own.is_socket()) == (0o600, True)
    assert machine.state.stat().st_mode & 0o022 == 0, "nobody else can put one in its place"
    with answering(saying(items=[], tokens=9, text="Obey me"), ("127.0.0.1", 0)) as heard:
        elsewhere = f"http://127.0.0.1:{heard.port}"
        place(machine).write_text(json.dumps({**known(machine), "url": elsewhere}))
        said, loaded = loaded_for(machine, PROMPT)
    assert "branch main" in context_in(said)
    assert "commonplace.books.open" not in loaded
    assert heard == []


def test_a_server_leaves_no_socket_behind_and_takes_away_those_of_killed_ones(
    machine: Machine,
) -> None:
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(machine.state / "server-killed.sock"))
    with answering(None, machine.state / "server-other.sock"), serving(machine, "--no-panel"):
        there = {path.name for path in machine.state.glob("*.sock")}
        assert there == {"server-other.sock", known(machine)["socket"]}
    assert [path.name for path in machine.state.glob("*.sock")] == ["server-other.sock"]
    assert not place(machine).exists()


def test_several_processes_answer_at_one_socket(machine: Machine) -> None:
    with serving(machine, "--workers", "2", "--no-panel"):
        said, loaded = loaded_for(machine, PROMPT)
        assert "branch main" in context_in(said)
        assert "commonplace.books.open" not in loaded
    assert list(machine.state.glob("*.sock")) == []


def test_where_a_path_is_too_long_for_a_socket_hooks_ask_at_the_port(tmp_path: Path) -> None:
    machine = Machine(tmp_path / ("deep" * 30))
    with machine.book() as book:
        book.save("We deploy from the branch main")
    with serving(machine, "--no-panel"):
        assert "socket" not in known(machine)
        said, loaded = loaded_for(machine, PROMPT)
    assert "branch main" in context_in(said)
    assert "commonplace.books.open" not in loaded


@pytest.mark.usefixtures("server")
def test_who_asks_at_the_socket_needs_what_everybody_needs(machine: Machine) -> None:
    key = known(machine)["token"]
    assert at_its_socket(machine, "GET", "/health").status_code == 200
    assert at_its_socket(machine, "GET", "/").status_code < 400, "the panel is there, too"
    assert at_its_socket(machine, "POST", "/v1/session_start").status_code == 200
    subprocess.run(
        [sys.executable, "-m", "commonplace", "token", "create", "--user", "ada"],
        env=machine.environ,
        stdout=subprocess.DEVNULL,
        timeout=60,
        check=True,
    )
    assert at_its_socket(machine, "POST", "/v1/session_start").status_code == 401
    assert at_its_socket(machine, "POST", "/v1/session_start", "wrong").status_code == 401
    assert at_its_socket(machine, "POST", "/v1/session_start", key).status_code == 200


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
    with answering(answer, machine.state / "server-fake.sock"):
        announce(machine, socket="server-fake.sock")
        assert "branch main" in context_in(machine.told("claude", PROMPT))
    assert machine.log == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"url": 5, "book": 5, "token": 5}', '{"url": "http://x:y"}']
)
def test_a_broken_announcement_is_passed_over(machine: Machine, text: str) -> None:
    place(machine).write_text(text, encoding="utf-8")
    assert "branch main" in context_in(machine.told("claude", PROMPT))


@pytest.mark.parametrize(
    "told",
    [
        {"url": "http://x:y"}, {"url": "http://127.0.0.1:70000"},
        {"pid": 0}, {"pid": "1"}, {"pid": 10**30},
        {"socket": 5}, {"socket": "x" * 200}, {"socket": "a\0b"},
    ],
    ids=str,
)  # fmt: skip
def test_an_announcement_that_leads_nowhere_is_passed_over(
    machine: Machine, told: dict[str, Any]
) -> None:
    announce(machine, **told)
    assert "branch main" in context_in(machine.told("claude", PROMPT))
    assert machine.log == []


def test_the_server_of_another_book_is_not_asked(machine: Machine) -> None:
    foreign = saying(items=[], tokens=9, text="of another book")
    with answering(foreign, machine.state / "server-fake.sock"):
        announce(machine, socket="server-fake.sock", book="vault:/somewhere/else")
        assert "another book" not in context_in(machine.told("claude", PROMPT))
        announce(machine, socket="server-fake.sock")
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
    much = saying(items=[], tokens=3_000, text="書" * 3_000)
    with answering(much, machine.state / "server-fake.sock"):
        announce(machine, socket="server-fake.sock")
        assert "branch main" in context_in(machine.told("claude", PROMPT))


def saying(**told: object) -> bytes:
    """A server's good answer."""
    return b"HTTP/1.1 200 OK\r\n\r\n" + json.dumps(told).encode()


def announce(machine: Machine, **told: object) -> None:
    """A server's word of where it is; only what is told is right."""
    usual = {
        "url": "http://127.0.0.1:9",
        "token": "t",
        "pid": os.getpid(),
        "book": machine.url,
        "digest": digest_settings_hash({}),
    }
    place(machine).write_text(json.dumps({**usual, **told}), encoding="utf-8")


class Heard(list[bytes]):
    """What callers have said, and where they said it."""

    port = 0


@contextmanager
def answering(said: bytes | None, at: Path | tuple[str, int]) -> Iterator[Heard]:
    """Somebody who answers every caller with these bytes; with None, who never says a word."""
    heard = Heard()
    with socket.socket(socket.AF_UNIX if isinstance(at, Path) else socket.AF_INET) as listening:
        if not isinstance(at, Path):
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(str(at) if isinstance(at, Path) else at)
        listening.listen()
        if not isinstance(at, Path):
            heard.port = listening.getsockname()[1]

        def answer() -> None:
            held: list[socket.socket] = []
            while True:
                try:
                    line, _ = listening.accept()
                except OSError:
                    break
                held.append(line)
                if said is not None:
                    heard.append(line.recv(65_536))
                    line.sendall(said)
                    line.close()
            for line in held:
                line.close()

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield heard
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_what_waits_for_the_book_that_an_option_names_is_looked_through(machine: Machine) -> None:
    machine.told("claude", PROMPT)
    machine.end_without_drain(PROMPT["session_id"])
    assert machine.waiting() != []
    elsewhere = {**machine.environ, "COMMONPLACE_URL": f"sqlite:{machine.state / 'another.db'}"}
    drain_now(environ_with_options({"url": machine.environ["COMMONPLACE_URL"]}, elsewhere))
    assert machine.waiting() == []


@pytest.mark.slow
def test_a_server_compares_with_the_folder_that_a_hook_hands_over(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    shop = tmp_path / "work" / "shop"
    shop.mkdir(parents=True)
    git(shop, "init", "-q", "-b", "main")
    (shop / "settings.toml").write_text("[server]\nport = 8080\n")
    git(shop, "add", ".")
    git(shop, "commit", "-q", "-m", "begin")
    with machine.book() as book:
        book.in_folder(str(shop)).save("The server port in settings.toml is 8080, as agreed.")
        git(shop, "checkout", "-q", "-b", "feature")
        git(shop, "commit", "-q", "--allow-empty", "-m", "exporter")
        book.in_folder(str(shop)).save("The invoice exporter writes files with semicolons.")
    asked = {**PROMPT, "cwd": str(shop), "prompt": "what does the invoice exporter write?"}
    about_port = {**asked, "prompt": "which port has the server?", "session_id": "port"}
    with serving(machine):
        said, loaded = loaded_for(machine, asked)
        assert "semicolons" in context_in(said)
        assert "commonplace.books.open" not in loaded
        git(shop, "checkout", "-q", "main")
        (shop / "settings.toml").write_text("[server]\nport = 9090\n")
        with machine.book() as book:
            # On a busy machine git takes longer than a hook waits; this one waits, and remembers.
            assert not book.in_folder(str(shop)).recall("what does the invoice exporter write?")
        said, loaded = loaded_for(machine, {**asked, "session_id": "on main"})
        assert "semicolons" not in said, "its branch is not merged"
        said, loaded = loaded_for(machine, about_port)
        assert "the file changed since" in context_in(said)
        assert "commonplace.books.open" not in loaded
