"""`commonplace serve`: it begins, says where it is, refuses strangers, and ends cleanly."""

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
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from commonplace import Commonplace, Context, NotAllowed
from commonplace.backends.common.server_state import LocalServerState
from commonplace.doors.server.callers import Tokens
from commonplace.doors.server.run import SERVER_FILE, require_tokens_beyond_loopback
from tests.backends.postgres import server
from tests.doors.machines import machines
from tests.doors.serving import Served, book_in, serving
from tests.doors.shell import Shell

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")


@contextmanager
def started(shell: Shell, *options: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The real command as a process; what it said first, and where it listens."""
    process = subprocess.Popen(
        [sys.executable, "-m", "commonplace", "serve", "--port", "0", *options],
        env={**shell.environ, "COMMONPLACE_EMBEDDER": "none"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = ""
        while "Ctrl-C" not in said:
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            said += line
        known = json.loads((shell.home / "state" / SERVER_FILE).read_text())
        yield process, said, known["url"]
    finally:
        process.kill()
        process.communicate()


def test_it_says_where_it_listens_and_is_gone_without_a_trace_when_told_to_stop(
    vault_shell: Shell,
) -> None:
    place = vault_shell.home / "state" / SERVER_FILE
    with started(vault_shell) as (process, said, url):
        assert f"{url}/mcp" in said
        assert "is the owner" in said
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        known = json.loads(place.read_text())
        assert known["pid"] == process.pid
        assert known["book"] == f"vault:{vault_shell.home / 'book'}"
        mine = {"Authorization": f"Bearer {known['token']}"}
        saved = httpx.post(f"{url}/v1/save", json={"content": "Tea at five"}, headers=mine)
        assert saved.json()["memory"]["source"] == "rest"
        process.send_signal(signal.SIGTERM)
        _, complaints = process.communicate(timeout=30)
        assert process.returncode == 0
        assert complaints.strip() == "Stopped."
    assert not place.exists()
    assert [one["content"] for one in vault_shell.ask("list")] == ["Tea at five"]


def test_programs_are_refused_in_their_own_words_although_people_have_pages(
    vault_shell: Shell,
) -> None:
    json_headers = {"content-type": "application/json"}
    with (
        started(vault_shell) as (_, said, url),
        httpx.Client(base_url=url, headers=json_headers) as client,
    ):
        assert "Panel" in said
        for method, path, status, code in (
            ("PUT", "/v1/get", 405, "wrong_method"),
            ("GET", "/v1/purge", 405, "wrong_method"),
            ("POST", "/v1/openapi.json", 405, "wrong_method"),
            ("GET", "/v1/nothing", 404, "not_found"),
            ("POST", "/v1/recall/deeper", 404, "not_found"),
            ("GET", "/v1", 404, "not_found"),
        ):
            refused = client.request(method, path)
            assert refused.headers["content-type"] == "application/problem+json", path
            assert (refused.status_code, refused.json()["code"]) == (status, code)
        assert client.put("/v1/get").headers["allow"] == "POST, GET"
        assert client.head("/health").status_code == 200
        onward = client.post("/mcp/")
        assert (onward.status_code, onward.headers["location"]) == (307, "/mcp")


@pytest.mark.parametrize(
    ("host", "url"), [("127.0.0.2", "http://127.0.0.2:"), ("0.0.0.0", "http://127.0.0.1:")]
)
def test_where_it_says_it_is_it_answers(vault_shell: Shell, host: str, url: str) -> None:
    vault_shell.run("token", "create", "--user", "ada")
    with started(vault_shell, "--host", host) as (_, said, told):
        assert told.startswith(url)
        assert f"{told}/mcp --header 'Authorization: Bearer TOKEN'" in said
        assert ("--allow-host" in said) == (host == "0.0.0.0")
        assert httpx.get(f"{told}/health").status_code == 200
        assert httpx.get(f"{told}/health", headers={"Host": "evil.example"}).status_code == 421


def test_with_nothing_set_up_it_makes_the_book_first(bare_shell: Shell) -> None:
    with started(bare_shell) as (process, said, url):
        assert "Your book is ready" in said
        assert httpx.get(f"{url}/health").json()["status"] == "ok"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode == 0
    assert (bare_shell.home / "commonplace").is_dir()


@pytest.mark.parametrize("store", ["vault", "sqlite"])
def test_the_book_that_its_url_names_is_made(bare_shell: Shell, store: str) -> None:
    place = bare_shell.home / "new" / "book"
    with started(bare_shell, "--url", f"{store}:{place}") as (_, said, url):
        assert f"Commonplace serves {store}:{place}" in said
        saved = httpx.post(f"{url}/v1/save", json={"content": "The first note"}, timeout=30)
        assert saved.status_code == 200
        assert [one["content"] for one in httpx.get(f"{url}/v1/list").json()] == ["The first note"]
    assert place.exists()


@pytest.mark.parametrize(
    "wrong", [("--port", "70000"), ("--allow-host", "http://memory.example"), ("--allow-host", "*")]
)
def test_options_that_cannot_be_used_make_no_book(bare_shell: Shell, wrong: tuple[str]) -> None:
    place = bare_shell.home / "new"
    refused = bare_shell.try_("serve", "--url", f"vault:{place}", *wrong)
    assert refused.code == 2
    assert "is not a" in refused.err
    assert not place.exists()


def test_a_request_that_has_begun_is_finished_before_the_end(tmp_path: Path) -> None:
    with book_in(tmp_path) as book:
        inside, go_on = threading.Event(), threading.Event()
        slow = _Slow(book, inside, go_on)
        answers: list[httpx.Response] = []
        with serving(slow) as served:
            asking = threading.Thread(
                target=lambda: answers.append(
                    httpx.post(
                        f"{served.url}/v1/save", json={"content": "Just in time"}, timeout=30
                    )
                )
            )
            asking.start()
            assert inside.wait(30)
            threading.Timer(0.3, go_on.set).start()
        asking.join()
        assert answers[0].json()["action"] == "created"
        assert [one.content for one in book.list()] == ["Just in time"]


class _Slow(Commonplace):
    """A book whose saves wait until they are let go on."""

    def __init__(self, book: Commonplace, inside: threading.Event, go_on: threading.Event) -> None:
        super().__init__(book._engine)  # pyright: ignore[reportPrivateUsage]
        self._inside, self._go_on = inside, go_on

    def as_context(self, context: object, **named: str | None) -> Commonplace:  # pyright: ignore[reportIncompatibleMethodOverride]
        slow = super().as_context(context, **named)  # pyright: ignore[reportArgumentType]
        plain_save = slow.save

        def save(content: str, **fields: object) -> object:
            self._inside.set()
            assert self._go_on.wait(30)
            return plain_save(content, **fields)

        vars(slow)["save"] = save
        return slow


def test_a_client_that_hangs_up_takes_nothing_down(tmp_path: Path) -> None:
    with book_in(tmp_path) as book, serving(book) as served:
        host, _, port = served.url.removeprefix("http://").partition(":")
        for half in (
            b"POST /v1/save HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{",
            b"\0",
        ):
            with socket.create_connection((host, int(port))) as line:
                line.sendall(half)
        with served.http() as client:
            assert client.post("/v1/save", json={"content": "Still here"}).status_code == 200
        assert [one.content for one in book.list()] == ["Still here"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org", ""])
def test_beyond_this_machine_it_needs_tokens(host: str, tmp_path: Path) -> None:
    tokens = Tokens(LocalServerState(str(tmp_path)))
    with pytest.raises(NotAllowed, match="this machine only"):
        require_tokens_beyond_loopback(host, tokens)
    for near in ("127.0.0.1", "::1", "localhost", "127.8.8.8"):
        require_tokens_beyond_loopback(near, tokens)


def test_a_name_that_a_proxy_calls_it_by_needs_tokens_too(tmp_path: Path) -> None:
    tokens = Tokens(LocalServerState(str(tmp_path)))
    for host in ("127.0.0.1", "::1", "localhost"):
        with pytest.raises(NotAllowed, match=r"this machine only, not as memory\.example"):
            require_tokens_beyond_loopback(host, tokens, ("memory.example",))
    tokens.create(Context(user="ada", role="member"), now=datetime.now(UTC))
    require_tokens_beyond_loopback("127.0.0.1", tokens, ("memory.example",))


@pytest.mark.parametrize(
    "passed_on",
    [
        {"X-Forwarded-For": "203.0.113.9"},
        {"X-Forwarded-Host": "memory.example"},
        {"X-Real-IP": "203.0.113.9"},
        {"Forwarded": "for=203.0.113.9"},
        {"Via": "1.1 proxy"},
    ],
    ids=lambda headers: next(iter(headers)),
)
def test_whoever_comes_through_a_proxy_is_not_taken_for_the_owner(
    vault_shell: Shell, passed_on: dict[str, str]
) -> None:
    vault_shell.run("save", "The safe is behind the heron")
    with started(vault_shell) as (_, _, url), httpx.Client(base_url=url) as client:
        websocket = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        }
        doors = {"/v1/list": 401, "/metrics": 401, "/mcp": 401, "/": 303}
        assert client.get("/v1/list").status_code == client.get("/").status_code == 200
        for path, status in doors.items():
            assert client.get(path, headers=passed_on).status_code == status, path
        socket_path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
        refused = client.get(socket_path, headers={**websocket, **passed_on})
        assert refused.status_code == 403
        known = json.loads((vault_shell.home / "state" / SERVER_FILE).read_text())
        mine = {"Authorization": f"Bearer {known['token']}", **passed_on}
        assert "heron" in client.get("/v1/list", headers=mine).text


@pytest.mark.parametrize("path", ["/_nicegui_ws/", "/_nicegui_ws/x", "/_nicegui_ws"])
def test_websocket_beside_the_panels_own_is_refused_without_a_traceback(
    vault_shell: Shell, path: str
) -> None:
    vault_shell.run("save", "The safe is behind the heron")
    with started(vault_shell) as (_, _, url):
        headers = {
            "Origin": url,
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        }
        assert httpx.get(url + path, headers=headers).status_code == 403


def test_a_book_of_many_is_never_open_though_only_this_machine_is_served(tmp_path: Path) -> None:
    url = server.made(tmp_path / "book")
    with machines(url, tmp_path, 1) as [one]:
        assert not one.said["open"]
        assert httpx.get(f"{one.url}/v1/list").status_code == 401
        assert one.post("list").json() == []
    server.give_back(tmp_path / "book")


def test_the_command_refuses_open_doors_wrong_ports_and_taken_ones(vault_shell: Shell) -> None:
    away = vault_shell.try_("serve", "--host", "0.0.0.0")
    assert away.code == 5
    assert "token create" in away.err
    assert vault_shell.try_("serve", "--port", "0", "--allow-host", "memory.example").code == 5
    assert vault_shell.try_("serve", "--port", "70000").code == 2
    assert vault_shell.try_("serve", "--host", "no such host").code == 5
    assert vault_shell.try_("serve", "--tools", "everything").code == 2
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        busy = vault_shell.try_("serve", "--port", port)
    assert busy.code == 9
    assert "--port" in busy.err
    assert not os.path.exists(vault_shell.home / "state" / SERVER_FILE)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    allowed = ["memory.example"]
    folder = tmp_path_factory.mktemp("hosts")
    with book_in(folder) as book, serving(book, allowed_hosts=allowed) as one:
        yield one


@pytest.mark.parametrize("path", ["/mcp", "/v1/list", "/health"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_a_page_elsewhere_cannot_reach_the_book_through_a_browser(
    served: Served, path: str, headers: dict[str, str], status: int
) -> None:
    with served.http(**headers) as client:
        assert client.post(path, json={}).status_code == status


def test_a_name_that_was_allowed_is_good(served: Served) -> None:
    with served.http(Host="memory.example") as client:
        assert client.get("/v1/list").status_code == 200


def test_a_note_edited_by_hand_is_known_a_moment_later(vault_shell: Shell) -> None:
    vault_shell.run("save", "The tea is at five", "--title", "tea")
    (note,) = (vault_shell.home / "book").rglob("tea*.md")
    with started(vault_shell) as (_, _, url):
        note.write_text(note.read_text().replace("five", "half past four"))
        deadline = time.monotonic() + 30
        said = ""
        while "half past" not in said and time.monotonic() < deadline:
            said = httpx.get(f"{url}/v1/recall", params={"query": "when is tea"}).text
            time.sleep(0.05)
        assert "half past four" in said
        vault_shell.run("save", "Coffee is at nine")
        told = httpx.get(f"{url}/v1/recall", params={"query": "when is coffee"}).text
        assert "Coffee is at nine" in told, "what a command writes is known at once"


def test_thirty_writers_at_once_all_land(tmp_path: Path) -> None:
    with book_in(tmp_path) as book, serving(book) as served, ThreadPoolExecutor(30) as crowd:

        def write(number: int) -> int:
            with served.http() as client:
                return client.post("/v1/save", json={"content": f"Heron {number}"}).status_code

        assert set(crowd.map(write, range(60))) == {200}
        assert len({one.content for one in book.list()}) == 60
