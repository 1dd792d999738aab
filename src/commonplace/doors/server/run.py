"""Run the server: bind the sockets, announce the address to hooks, answer, and stop cleanly."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import time
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import uvicorn

from ...model.errors import NotAllowed
from ...model.value import Value
from ...settings import load
from ..hooks.background_drain import drain_now
from ..hooks.caller_context import digest_settings_hash
from ..panel.mount import panel_installed
from .app import Readiness, build_app
from .browser_guard import allowed_host
from .callers import Tokens
from .event_metrics import shared_counts
from .gate import PER_SECOND
from .sockets import (
    check_host,
    check_port,
    is_loopback,
    local_url,
    on_all_interfaces,
    port_socket,
    unix_socket,
)
from .tracing import send_traces
from .upkeep import give_back_memory, maintain_job, run_jobs, watch_notes
from .workers import Workers

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Generator, Mapping, Sequence
    from types import FrameType

    from ...book import Commonplace

HOST, PORT = "127.0.0.1", 8765
SERVER_FILE = "server.json"
FINISH_S = 10
"""Time for running requests to finish once the port is closed."""
LAST_REQUESTS_S = 0.25
"""Time for connections accepted just before the port closed to send their request."""


class ServerInfo(Value):
    """Address and access rules of a running server."""

    url: str
    book: str
    tools: str
    open: bool
    """Whether every caller on this machine counts as the owner, because there are no tokens."""
    panel: bool = False
    """Whether the panel is served at the same address."""
    everywhere: bool = False
    """Whether the server listens at every address of this machine."""
    names: tuple[str, ...] = ()
    """Further host names that callers may use."""
    processes: int = 1
    """Number of worker processes."""


class ServerOptions(Value):
    """Options of `commonplace serve`."""

    host: str = HOST
    port: int = PORT
    tools: str = "core"
    per_second: float = PER_SECOND
    allowed_hosts: tuple[str, ...] = ()
    tidy_hours: float = 24.0
    workers: int = 1
    linger_s: float = 0.0
    """How long the server goes on answering after a stop signal, until proxies have noticed."""
    panel: bool = True

    def __check__(self) -> None:
        # Before the book is opened, because `serve` makes one that does not exist.
        check_host(self.host)
        check_port(self.port)
        for name in self.allowed_hosts:
            allowed_host(name)

    @property
    def has_panel(self) -> bool:
        """Whether the panel is served: an open page lives in one process, so with one worker."""
        return self.panel and self.workers == 1 and panel_installed()


def serve(
    book: Commonplace,
    root: str,
    options: ServerOptions,
    *,
    on_started: Callable[[ServerInfo], object],
    environ: Mapping[str, str] = os.environ,
) -> None:
    """Serve a book until SIGTERM or SIGINT; `on_started` runs once the server answers."""
    key = secrets.token_urlsafe(32)
    with ExitStack() as stack:
        sockets, info = stack.enter_context(_bound_sockets(book, root, options))

        def started() -> None:
            stack.enter_context(_server_file(root, info, key, sockets[1:], environ))
            on_started(info)

        _run_server(book, options, key, sockets, environ, started)


def serve_with_workers(
    open_book: Callable[[], Commonplace],
    root: str,
    options: ServerOptions,
    *,
    on_started: Callable[[ServerInfo], object],
    environ: Mapping[str, str] = os.environ,
) -> None:
    """Serve a book as `serve` does, from several processes that each open it."""
    key = secrets.token_urlsafe(32)
    with ExitStack() as stack:
        with open_book() as book:
            sockets, info = stack.enter_context(_bound_sockets(book, root, options))
        stack.enter_context(shared_counts())
        workers = Workers(
            partial(_run_worker, open_book, options, key, sockets, environ), options.workers
        )

        def started() -> None:
            stack.enter_context(_server_file(root, info, key, sockets[1:], environ))
            on_started(info)

        try:
            workers.supervise(started)
        finally:
            workers.stop()
            # The workers close their copies; nobody would answer at ours.
            for one in sockets:
                one.close()
            workers.join()


@contextmanager
def _bound_sockets(
    book: Commonplace, root: str, options: ServerOptions
) -> Generator[tuple[list[socket.socket], ServerInfo]]:
    """The port, then the unix socket if there is one, and the description of the server."""
    tokens = Tokens(book.server_state)
    require_tokens_beyond_loopback(options.host, tokens, options.allowed_hosts)
    with port_socket(options.host, options.port) as port, unix_socket(root) as own:
        info = ServerInfo(
            local_url(port),
            book.url,
            options.tools,
            open=not (_requires_credentials(options, tokens) or tokens.required()),
            panel=options.has_panel,
            everywhere=on_all_interfaces(port),
            names=options.allowed_hosts,
            processes=options.workers,
        )
        yield ([port] if own is None else [port, own]), info


def _run_worker(
    open_book: Callable[[], Commonplace],
    options: ServerOptions,
    key: str,
    sockets: list[socket.socket],
    environ: Mapping[str, str],
    started: Callable[[], object],
) -> None:
    with open_book() as book:
        _run_server(book, options, key, sockets, environ, started)


def _run_server(
    book: Commonplace,
    options: ServerOptions,
    key: str,
    sockets: list[socket.socket],
    environ: Mapping[str, str],
    started: Callable[[], object],
) -> None:
    """Answer at the sockets until a signal says stop."""
    readiness = Readiness(book.server_state.check)
    jobs = [
        lambda: drain_now(environ, embed=False),
        maintain_job(book, hours=options.tidy_hours),
        book.backup_if_due,
        give_back_memory,
    ]
    with send_traces(environ), watch_notes(book) as watched, run_jobs(jobs):
        app = build_app(
            watched,
            key=key,
            tools=options.tools,
            per_second=options.per_second,
            allowed_hosts=options.allowed_hosts,
            panel=options.has_panel,
            readiness=readiness,
            strict=_requires_credentials(options, Tokens(book.server_state)),
        )
        config = uvicorn.Config(
            app,
            log_level="warning",
            # Not httptools, even if installed: it leaves white space around header values, which
            # the protocol allows and the header check then refuses.
            http="h11",
            ws="websockets-sansio" if options.has_panel else "none",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=FINISH_S,
        )
        server = GracefulServer(
            config, readiness=readiness, linger_s=options.linger_s, on_started=started
        )
        server.run(sockets=sockets)


class GracefulServer(uvicorn.Server):
    """Reports itself as not ready, lingers, finishes its requests and ends without an error."""

    def __init__(
        self,
        config: uvicorn.Config,
        *,
        readiness: Readiness,
        linger_s: float = 0.0,
        on_started: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._readiness = readiness
        self._linger_s = linger_s
        self._exit_at: float | None = None
        self._on_started = on_started

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop on a signal, without raising the signal again afterwards."""
        before = {
            one: signal.signal(one, self.handle_exit) for one in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop after lingering, so that proxies notice first; at a second signal, stop at once."""
        again = self._readiness.ending
        self._readiness.ending = True
        if again or not self._linger_s:
            super().handle_exit(sig, frame)
        else:
            self._exit_at = time.monotonic() + self._linger_s

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets=sockets)
        self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, answer those accepted, and end."""
        for one in (*self.servers, *(sockets or ())):
            one.close()
        # Else a connection whose request has not arrived yet would be closed without an answer.
        await asyncio.sleep(LAST_REQUESTS_S)
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Whether to exit now; uvicorn asks ten times a second."""
        if self._exit_at is not None and time.monotonic() >= self._exit_at:
            self.should_exit = True
        return await super().on_tick(counter)


@contextmanager
def _server_file(
    root: str,
    info: ServerInfo,
    key: str,
    own: Sequence[socket.socket],
    environ: Mapping[str, str],
) -> Generator[None]:
    """Write the file by which hooks find the server, and remove it at the end."""
    fields = {"url": info.url, "token": key, "pid": os.getpid(), "book": info.book}
    fields["digest"] = digest_settings_hash(load(environ).digest)
    if own:
        fields["socket"] = os.path.basename(own[0].getsockname())
    path = os.path.join(root, SERVER_FILE)
    unfinished = f"{path}.{os.getpid()}"
    os.makedirs(root, mode=0o700, exist_ok=True)
    with suppress(FileNotFoundError):
        os.unlink(unfinished)
    with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        json.dump(fields, file)
    os.replace(unfinished, path)
    try:
        yield
    finally:
        # A server that was started later has replaced the file.
        with suppress(OSError, ValueError, KeyError), open(path, encoding="utf-8") as file:
            if json.load(file)["pid"] == os.getpid():
                os.unlink(path)


def require_tokens_beyond_loopback(host: str, tokens: Tokens, names: Sequence[str] = ()) -> None:
    """Refuse to listen beyond this machine without tokens.

    A shared book is exempt: its tokens can be made on another machine at any time.
    """
    now = datetime.now(UTC)
    if _is_local_only(host, names) or tokens.remote or any(one.live(now) for one in tokens.list()):
        return
    beyond = f"as {names[0]}" if is_loopback(host) else f"on {host}"
    raise NotAllowed(
        f"Without tokens the server answers on this machine only, not {beyond}.",
        hint="Create one with `commonplace token create --user NAME`, then try again.",
    )


def _requires_credentials(options: ServerOptions, tokens: Tokens) -> bool:
    """Whether a caller must show a token or the owner's key even while no tokens exist.

    A shared book has many callers, and a proxy beside its server makes all of them look local.
    """
    return tokens.remote or not _is_local_only(options.host, options.allowed_hosts)


def _is_local_only(host: str, names: Sequence[str]) -> bool:
    """Whether only this machine can call: further names mean that a proxy passes calls on."""
    return is_loopback(host) and not names
