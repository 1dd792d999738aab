"""MCP over a pipe: what a host hears, whatever it says, and that it hears it in time."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doors.mcp.pipe import ENVELOPE, MODERN, Pipe
from tests.doors.server.test_mcp import CORE
from tests.doors.shell import Shell

PING = {"jsonrpc": "2.0", "id": "p", "method": "ping"}


@pytest.fixture
def environ(vault_shell: Shell) -> dict[str, str]:
    return {**vault_shell.environ, "COMMONPLACE_EMBEDDER": "none", "COMMONPLACE_PROJECT": "none"}


@pytest.fixture
def pipe(environ: dict[str, str]) -> Iterator[Pipe]:
    with Pipe(environ) as one:
        yield one


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_a_version_with_a_handshake_is_spoken_as_asked(pipe: Pipe, version: str) -> None:
    told = pipe.initialize(version)
    assert told["protocolVersion"] == version
    assert told["serverInfo"]["name"] == "commonplace"
    assert "skill://commonplace/SKILL.md" in told["instructions"]
    assert [one["name"] for one in pipe.ask("tools/list")["result"]["tools"]] == CORE


def test_another_version_is_answered_with_the_newest_that_has_a_handshake(pipe: Pipe) -> None:
    assert pipe.initialize("2031-01-01")["protocolVersion"] == "2025-11-25"


def test_a_session_begins_with_initialize_and_only_ping_comes_before(pipe: Pipe) -> None:
    assert pipe.ask("ping") == {"result": {}}
    assert pipe.ask("tools/list")["error"]["code"] == -32602
    assert pipe.ask("initialize")["error"]["code"] == -32602
    pipe.initialize()
    assert pipe.ask("logging/setLevel", level="warning") == {"result": {}}
    assert pipe.ask("logging/setLevel", level="loud")["error"]["code"] == -32602
    for method in ("nothing", "server/discover", "skills/list", "resources/subscribe"):
        assert pipe.ask(method)["error"]["code"] == -32601
    assert pipe.modern("tools/list")["error"]["code"] == -32600


def test_without_a_handshake_every_request_names_its_version(pipe: Pipe) -> None:
    told = pipe.modern("server/discover")["result"]
    assert told["supportedVersions"] == [MODERN]
    listed = pipe.modern("tools/list")["result"]
    assert (listed["cacheScope"], listed["resultType"]) == ("private", "complete")
    assert pipe.ask("tools/list")["error"]["code"] == -32602
    half = {"io.modelcontextprotocol/protocolVersion": MODERN}
    assert pipe.ask("tools/list", _meta=half)["error"]["code"] == -32602
    other = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "1999-01-01"}
    refused = pipe.ask("tools/list", _meta=other)["error"]
    assert (refused["code"], refused["data"]["supported"]) == (-32022, [MODERN])
    for method in ("ping", "logging/setLevel"):
        assert pipe.modern(method)["error"]["code"] == -32601
    assert pipe.ask("initialize", protocolVersion="2025-06-18")["error"]["code"] == -32022


@pytest.mark.parametrize(
    ("line", "id", "code"),
    [
        (b"{not json", None, -32700),
        (b"\xff\xfe\x00", None, -32700),
        (b"[" * 200_000, None, -32700),
        (b"[]", None, -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, -32600),
        (b'"text"', None, -32600),
        (b"{}", None, -32600),
        (b'{"jsonrpc":"2.0","id":30}', 30, -32600),
        (b'{"id":31,"method":"ping"}', 31, -32600),
        (b'{"jsonrpc":"2.0","id":32,"method":7}', 32, -32600),
        (b'{"jsonrpc":"2.0","id":33,"method":"ping","params":[]}', 33, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":34,"method":"tools/call","params":{}}', 34, -32602),
        (b'{"jsonrpc":"2.0","id":35,"method":"tools/call","params":{"name":[]}}', 35, -32602),
        (
            b'{"jsonrpc":"2.0","id":36,"method":"tools/call",'
            b'"params":{"name":"memory_search","arguments":[1]}}',
            36,
            -32602,
        ),
        (b'{"jsonrpc":"2.0","id":37,"method":"resources/read","params":{"uri":7}}', 37, -32602),
        (b'{"jsonrpc":"2.0","id":38,"method":"resources/read","params":{}}', 38, -32602),
        (b'{"jsonrpc":"2.0","id":39,"method":"prompts/get","params":{"name":"no"}}', 39, -32602),
        (b'{"jsonrpc":"2.0","id":40,"method":"\\ud800"}', 40, -32601),
    ],
)
def test_a_message_that_is_none_gets_the_error_for_it_and_the_next_one_its_answer(
    pipe: Pipe, line: bytes, id: object, code: int
) -> None:
    pipe.initialize()
    pipe.send(line)
    answer = pipe.next()
    assert (answer["id"], answer["error"]["code"]) == (id, code)
    assert pipe.ask("ping") == {"result": {}}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   \r",
        b'{"jsonrpc":"2.0","method":"notifications/nothing"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}',
        b'{"jsonrpc":"2.0","id":9,"result":{}}',
        b'{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"no"}}',
    ],
)
def test_what_asks_nothing_gets_no_answer(pipe: Pipe, line: bytes) -> None:
    pipe.send(line)
    assert pipe.ask("ping") == {"result": {}}


def test_no_line_ends_the_session(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("any")
    environ = {"HOME": str(folder), "PATH": os.environ["PATH"], "COMMONPLACE_EMBEDDER": "none"}
    leaf = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    value = st.recursive(leaf, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
    fields = {
        "jsonrpc": st.just("2.0") | value,
        "id": st.integers() | value,
        "method": st.sampled_from(["tools/call", "prompts/get", "resources/read", "ping"]) | value,
        "params": st.fixed_dictionaries(
            {},
            optional={
                "name": st.sampled_from([*CORE, "session_start"]) | value,
                "arguments": st.dictionaries(st.sampled_from(["query", "limit", "agent"]), value)
                | value,
                "uri": st.sampled_from(["memory://x", "skill://commonplace/SKILL.md"]) | value,
                "_meta": value,
            },
        )
        | value,
    }
    message = st.fixed_dictionaries({}, optional=fields)

    with Pipe(environ) as pipe:
        pipe.initialize()

        @given(message | st.binary(max_size=60))
        @settings(deadline=None, max_examples=150)
        def hold(said: Any) -> None:
            pipe.send(said if not isinstance(said, bytes) else said.replace(b"\n", b" "))
            pipe.send(PING)
            answers = [pipe.next()]
            while answers[-1]["id"] != "p" or "result" not in answers[-1]:
                answers.append(pipe.next())
            assert pipe.process.poll() is None

        hold()


def test_arguments_that_cannot_be_used_are_named(pipe: Pipe) -> None:
    pipe.initialize()
    told = pipe.call("memory_search", qurey="tea", limit=0)
    assert told["isError"]
    said = told["content"][0]["text"]
    assert "query: Field required" in said
    assert "qurey: Extra inputs are not permitted" in said
    assert "limit: Input should be greater than or equal to 1" in said
    half = pipe.call("memory_append", content="half \ud800 a pair")
    assert "half a surrogate pair" in half["content"][0]["text"]
    assert "Unknown tool" in pipe.call("memory_fly")["content"][0]["text"]


@pytest.mark.parametrize(
    ("tool", "arguments", "hint"),
    [
        ("memory_forget", {"ref": "tea"}, "Find it with memory_search."),
        ("memory_append", {"content": "Tea", "replaces": "tea"}, "Find it with memory_search."),
        ("memory_search", {"query": " "}, "Ask in a few words."),
    ],
)
def test_a_hint_names_tools_and_no_commands(
    pipe: Pipe, tool: str, arguments: dict[str, str], hint: str
) -> None:
    pipe.initialize()
    told = pipe.call(tool, **arguments)
    assert told["isError"]
    assert told["content"][0]["text"].endswith(f" {hint}")


def test_what_is_saved_is_found_read_and_loaded(pipe: Pipe) -> None:
    pipe.initialize()
    saved = pipe.call("memory_append", content="The deploy branch is main — since Vardø")
    id = saved["structuredContent"]["memory"]["id"]
    found = pipe.call("memory_search", query="which branch do we deploy?")
    assert found["structuredContent"]["hits"][0]["memory"]["id"] == id
    assert not found["isError"]
    for uri in ("memory://newest", f"memory://{id}"):
        [content] = pipe.ask("resources/read", uri=uri)["result"]["contents"]
        assert "since Vardø" in content["text"]
    [message] = pipe.ask("prompts/get", name="session_start")["result"]["messages"]
    assert message["role"] == "user"
    for arguments in ({"no": "x"}, {"agent": 7}):
        refused = pipe.ask("prompts/get", name="session_start", arguments=arguments)
        assert refused["error"]["code"] == -32602


def test_a_known_text_with_a_new_tag_is_not_said_to_be_left_as_it_was(pipe: Pipe) -> None:
    pipe.initialize()
    pipe.call("memory_append", content="Robots fight in pairs")
    again = pipe.call("memory_append", content="Robots fight in pairs", tags=["arena"])
    saved = again["structuredContent"]["memory"]
    assert saved["tags"] == ["arena"]
    assert again["content"][0]["text"] == f"Already known: {saved['id'][-6:]}."


def test_calls_that_came_before_the_input_ended_are_answered(environ: dict[str, str]) -> None:
    with Pipe(environ) as pipe:
        pipe.initialize()
        contents = [{"content": f"{one} herons were seen"} for one in range(5)]
        ids = {pipe.request("tools/call", name="memory_append", arguments=one) for one in contents}
        code, log = pipe.end()
        assert {pipe.next()["id"] for _ in ids} == ids
    assert (code, log) == (0, "")


def test_without_a_book_calls_say_so_until_there_is_one(bare_shell: Shell) -> None:
    environ = {**bare_shell.environ, "COMMONPLACE_EMBEDDER": "none"}
    with Pipe(environ, folder=bare_shell.home) as pipe:
        pipe.initialize()
        assert len(pipe.ask("tools/list")["result"]["tools"]) == len(CORE)
        told = pipe.call("memory_search", query="tea")
        assert told["isError"]
        assert "commonplace init" in told["content"][0]["text"]
        assert pipe.ask("resources/read", uri="memory://newest")["error"]["code"] == -32603
        bare_shell.run("init", f"vault:{bare_shell.home / 'book'}")
        assert not pipe.call("memory_search", query="tea")["isError"]


@pytest.fixture
def silent_database() -> Iterator[tuple[socket.socket, str]]:
    """A database that takes a connection and then says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server, f"postgresql://u:p@127.0.0.1:{server.getsockname()[1]}/book"


def test_a_slow_call_delays_neither_a_ping_nor_a_list_and_can_be_cancelled(
    environ: dict[str, str], silent_database: tuple[socket.socket, str]
) -> None:
    server, url = silent_database
    with Pipe({**environ, "COMMONPLACE_URL": url}) as pipe:
        pipe.initialize()
        first = pipe.request("tools/call", name="memory_search", arguments={"query": "tea"})
        second = pipe.request("tools/call", name="memory_search", arguments={"query": "tea"})
        connection, _ = server.accept()
        assert pipe.ask("ping") == {"result": {}}
        assert pipe.ask("tools/list")["result"]["tools"]
        cancel = {"requestId": first, "reason": "the user does not want it"}
        pipe.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
        assert pipe.ask("ping") == {"result": {}}
        server.close()
        connection.close()
        answer = pipe.next()
        assert (answer["id"], answer["result"]["isError"]) == (second, True)
        assert pipe.ask("ping") == {"result": {}}
        assert pipe.end()[0] == 0
        assert pipe.silent() is False  # the end of the output, and nothing before it


def test_a_host_that_stops_reading_ends_it_though_it_holds_the_input_open(
    environ: dict[str, str],
) -> None:
    command = [sys.executable, "-m", "commonplace", "mcp"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ
    )
    assert process.stdin
    assert process.stdout
    process.stdout.close()
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    process.stdin.flush()
    assert process.wait(60) == 0
    assert process.stderr
    assert process.stderr.read() == b""
    process.stdin.close()
    process.stderr.close()


def test_an_interrupt_ends_it_without_a_word(pipe: Pipe) -> None:
    pipe.initialize()
    pipe.call("memory_append", content="Robots fight in pairs")
    pipe.process.send_signal(signal.SIGINT)
    assert pipe.process.wait(60) == 130
    assert pipe.end()[1] == ""


def test_only_the_protocol_goes_to_the_output() -> None:
    code = """
import os, sys
from commonplace.doors.mcp.stdio import _own_pipes
with _own_pipes() as (reader, writer):
    print("printed")
    os.system("echo shown; cat")
    writer.write(reader.readline())
    writer.flush()
print("after")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], input=b"line\nmore\n", capture_output=True, check=True
    )
    assert done.stdout == b"line\nafter\n"
    assert set(done.stderr.split()) == {b"printed", b"shown"}


@pytest.mark.parametrize(
    "options",
    [["--tools", "layers"], ["--tools=layers"], ["--json", "--tools", "layers"]],
)
def test_both_ways_to_start_it_take_the_same_options(
    environ: dict[str, str], options: list[str]
) -> None:
    with Pipe(environ, *options, "--project", "teapot") as pipe:
        pipe.initialize()
        names = [one["name"] for one in pipe.ask("tools/list")["result"]["tools"]]
        assert "memory_write" in names
        saved = pipe.call("memory_write", action="add", content="It pours to the left")
        assert saved["structuredContent"]["memory"]["scope"] == "/project/teapot"


def test_a_set_that_does_not_exist_is_refused_at_the_start(vault_shell: Shell) -> None:
    for options in (["--tools", "everything"], ["--tool", "core"], ["now"]):
        done = vault_shell.process("mcp", *options)
        assert done.returncode == 2
        assert "commonplace mcp --help" in done.stderr
        assert done.stdout == ""


def test_answers_that_need_no_book_import_none(environ: dict[str, str]) -> None:
    code = """
import sys
from commonplace.doors.mcp.session import McpSession
import commonplace.doors.mcp.stdio
session = McpSession(None, tools="core")
me = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
for method in ("initialize", "ping", "tools/list", "resources/list", "prompts/list"):
    session.admit(method, me)()
heavy = {"json", "re", "asyncio", "logging", "typing", "dataclasses", "inspect", "typer", "rich",
    "pydantic", "fastmcp", "mcp", "mcp_types", "anyio", "apsw", "ruamel", "commonplace.book",
    "commonplace.settings", "commonplace.doors.mcp.tools", "commonplace.doors.cli.app"}
print(sorted(heavy & sys.modules.keys()))
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


def test_the_book_is_opened_behind_the_first_answer(environ: dict[str, str]) -> None:
    began = time.monotonic()
    with Pipe(environ) as pipe:
        pipe.initialize()
        state = Path(environ["COMMONPLACE_STATE"])
        while not any(state.rglob("*.db")) and not any(state.rglob("*.sqlite*")):
            assert time.monotonic() < began + 60, list(state.rglob("*"))
            time.sleep(0.05)
