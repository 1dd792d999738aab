"""The command that hosts are told to run: what it is, whether it lasts, and whether it starts."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

from ... import __version__
from ...distribution import NAME, cache_around, installer, requirement, source
from ...locations import PREFIX
from ...model.errors import BadInput, Unavailable
from ...projects import TEMPORARY, home_of, is_within
from ...rules.server_address import address_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

START_S = 30
"""How long a host waits for an MCP server; the first start of a new installation takes longest."""
_END_S = 5
_CONNECT_S = 3
"""How long a running server may take to accept a connection."""
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "commonplace install", "version": __version__},
    },
}


def program(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The command line that starts commonplace from any folder, with absolute paths."""
    if installer() == "uvx" and (uv := (os.environ if environ is None else environ).get("UV")):
        return _by_uvx(uv)
    script = _beside(sys.executable, "commonplace")
    # -P keeps Python from importing a package `commonplace` in the agent's folder.
    return (script,) if os.path.exists(script) else (sys.executable, "-P", "-m", "commonplace")


def _by_uvx(uv: str) -> tuple[str, ...]:
    """The line of uvx, which makes the environment again when its cache was emptied."""
    uvx = _beside(uv, "uvx")
    run = (uvx,) if os.path.exists(uvx) else (uv, "tool", "run")
    from_ = f"{requirement()} @ {url}" if (url := source()) else requirement()
    return (*run, NAME) if from_ == NAME else (*run, "--from", from_, "commonplace")


def _beside(path: str, name: str) -> str:
    return os.path.join(os.path.dirname(path), f"{name}.exe" if sys.platform == "win32" else name)


def require_lasting(command: Sequence[str], environ: Mapping[str, str]) -> None:
    """Raise BadInput if the program lies in a cache or among temporary files."""
    path = os.path.realpath(os.path.dirname(command[0]))
    where = f"the cache {cache}" if (cache := cache_around(os.path.dirname(path))) else ""
    temporary = _temporary_around(path, environ)
    if temporary:
        where = f"the folder for temporary files {temporary}"
    if where:
        raise BadInput(
            f"This commonplace is in {where}, so an agent could soon not start it any more.",
            hint=f"Install it to stay, such as by `uv tool install {NAME}`, and use that one.",
        )


def _temporary_around(path: str, environ: Mapping[str, str]) -> str:
    """The folder for temporary files that a path lies in, or empty.

    A home folder among temporary files goes with them, and so does what is installed in it.
    """
    named = [environ[name] for name in ("TMPDIR", "TEMP", "TMP") if environ.get(name)]
    home = home_of(environ)
    for folder in map(os.path.realpath, named or TEMPORARY):
        inner_home = is_within(home, folder) and is_within(path, home)
        if is_within(path, folder) and not inner_home:
            return folder
    return ""


def check_hooks(command: Sequence[str], host: str, environ: Mapping[str, str]) -> None:
    """Run the hook of a host without an event; raise Unavailable if it does not start."""
    with _outside_projects(environ) as (folder, variables):
        try:
            done = subprocess.run(  # noqa: S603
                [*command, "hook", host],
                input=b"{}",
                cwd=folder,
                env=dict(variables),
                capture_output=True,
                timeout=START_S,
                check=False,
            )
        except OSError as error:
            raise _not_started("The hooks do not start", str(error)) from error
        except subprocess.TimeoutExpired as error:
            raise _not_started(f"The hooks did not end within {START_S} seconds") from error
    if done.returncode:
        raise _not_started("The hooks do not start", done.stderr.decode("utf-8", "replace"))


def check_mcp(command: Sequence[str], environ: Mapping[str, str]) -> None:
    """Start the MCP server and say hello to it; raise Unavailable if it does not answer."""
    advice = "To connect the hooks alone, add --no-mcp."
    with _outside_projects(environ) as (folder, variables), tempfile.TemporaryFile() as told:
        try:
            server = subprocess.Popen(  # noqa: S603
                [*command, "mcp"],
                cwd=folder,
                env=dict(variables),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=told,
            )
        except OSError as error:
            raise _not_started("The MCP server does not start", str(error), advice) from error
        answer, late = _hello(server)
        if late:
            sentence = f"The MCP server did not answer within {START_S} seconds"
            raise _not_started(sentence, advice=advice)
        if not _is_welcome(answer):
            told.seek(0)
            words = told.read().decode("utf-8", "replace")
            raise _not_started("The MCP server does not start", words, advice)


def require_http(url: str) -> None:
    """Raise BadInput unless a URL is one that a host can ask over HTTP."""
    if fault := address_fault(url, ("http", "https")):
        raise BadInput(
            f"{url!r} is not the address of a server: it {fault}.",
            hint="Such as http://127.0.0.1:8765/mcp, which `commonplace serve` prints.",
        )


def accepts_connections(url: str) -> bool:
    """Whether something listens at the address now; a server may be started later."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname, port), timeout=_CONNECT_S).close()
    except (OSError, UnicodeError):  # A name that is too long for the name service.
        return False
    return True


def _hello(server: subprocess.Popen[bytes]) -> tuple[bytes, bool]:
    """The server's answer to `initialize`, and whether it was killed for being late."""
    assert server.stdin is not None
    assert server.stdout is not None
    late = threading.Event()

    def end() -> None:
        late.set()
        server.kill()

    alarm = threading.Timer(START_S, end)
    alarm.start()
    with server:
        try:
            with suppress(OSError):  # It has ended already; what it said is read below.
                server.stdin.write(json.dumps(_INITIALIZE).encode() + b"\n")
                server.stdin.flush()
            answer = server.stdout.readline()
        finally:
            alarm.cancel()
            with suppress(OSError):
                server.stdin.close()
            try:
                server.wait(_END_S)
            except subprocess.TimeoutExpired:
                server.kill()
    return answer, late.is_set()


def _is_welcome(answer: bytes) -> bool:
    try:
        said: Any = json.loads(answer)
        return bool(said["id"] == 1 and said["result"]["serverInfo"])
    except (ValueError, TypeError, KeyError):
        return False


@contextmanager
def _outside_projects(environ: Mapping[str, str]) -> Generator[tuple[str, Mapping[str, str]]]:
    """The home folder, which is no project, and the environment; a trial book if there is none."""
    from ...settings import load

    if load(environ).url:
        yield home_of(environ), environ
        return
    with tempfile.TemporaryDirectory() as trial:
        book = f"vault:{os.path.join(trial, 'book')}"
        yield home_of(environ), {**environ, f"{PREFIX}URL": book, f"{PREFIX}STATE": trial}


def _not_started(sentence: str, words: str = "", advice: str = "") -> Unavailable:
    """The error for a program that does not start, with what it said last."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    # A traceback says at its end what is wrong; our own errors are a sentence and a hint.
    own = lines[:2] if len(lines) <= 2 else lines[-1:]
    hints = " ".join(one for one in (*own[1:], advice) if one)
    said = f": {own[0].rstrip('.')}" if own else ""
    return Unavailable(f"{sentence}{said}. Nothing was changed.", hint=hints)
