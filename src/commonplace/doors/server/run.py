"""Run the server: take the port, say where it is, and end without leaving anything behind."""

from __future__ import annotations

import ipaddress
import json
import os
import secrets
import socket
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import uvicorn

from ...model.errors import BadInput, NotAllowed, Unavailable
from ...model.value import Value
from ...settings import load
from ..hooks.background_drain import drain_now
from ..hooks.caller_context import mark
from ..panel.mount import installed
from .app import Readiness, build
from .callers import Tokens
from .event_metrics import counting_together
from .gate import PER_SECOND
from .tracing import tracing
from .upkeep import backing_up, tidying, upkeep, watching
from .workers import FINISH_S, Server, Workers, listening_in

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from ...book import Commonplace

HOST, PORT = "127.0.0.1", 8765
FILE = "server.json"


class Serving(Value):
    """Where a server listens, and who may ask it."""

    url: str
    book: str
    tools: str
    open: bool
    """Whether anybody on this machine is taken for the owner, because there are no tokens."""
    panel: bool = False
    """Whether a browser finds the memory panel at the same address."""
    everywhere: bool = False
    """Whether it listens at every address that this machine has."""
    names: tuple[str, ...] = ()
    """By what else it may be called."""
    processes: int = 1
    """How many answer at that address."""


class Options(Value):
    """How a server is started."""

    host: str = HOST
    port: int = PORT
    tools: str = "core"
    per_second: float = PER_SECOND
    allowed_hosts: tuple[str, ...] = ()
    tidy_hours: float = 24.0
    workers: int = 1
    linger_s: float = 0.0
    """How long it goes on answering after it was told to stop, until proxies have noticed."""
    panel: bool = True

    @property
    def has_panel(self) -> bool:
        """Whether people find the panel here: one process has to hold each open page."""
        return self.panel and self.workers == 1 and installed()


def serve(
    book: Commonplace,
    root: str,
    options: Options,
    *,
    began: Callable[[Serving], object],
    environ: Mapping[str, str] = os.environ,
) -> None:
    """Serve a book until SIGTERM or SIGINT; hooks find the server by a file in the root of state.

    `began` is told where it listens, once it answers.
    """
    key = secrets.token_urlsafe(32)
    with ExitStack() as stack:
        taken, serving = stack.enter_context(_taken(book, options))
        own = stack.enter_context(listening_in(root))

        def started() -> None:
            stack.enter_context(_announced(root, serving, key, own, environ))
            began(serving)

        _answer(book, options, key, _both(taken, own), environ, started)


def serve_by_several(
    opened: Callable[[], Commonplace],
    root: str,
    options: Options,
    *,
    began: Callable[[Serving], object],
    environ: Mapping[str, str] = os.environ,
) -> None:
    """Serve a book as `serve` does, from several processes that each open it for themselves."""
    key = secrets.token_urlsafe(32)
    with ExitStack() as stack:
        with opened() as book:
            taken, serving = stack.enter_context(_taken(book, options))
        own = stack.enter_context(listening_in(root))
        stack.enter_context(counting_together())
        both = _both(taken, own)
        workers = Workers(
            partial(_answer_as_one_of_several, opened, options, key, both, environ),
            options.workers,
        )

        def started() -> None:
            stack.enter_context(_announced(root, serving, key, own, environ))
            began(serving)

        try:
            workers.look_after(started)
        finally:
            workers.stop()
            # Theirs are closed when they have noticed; nobody would answer at ours.
            for one in both:
                one.close()
            workers.join()


@contextmanager
def _taken(book: Commonplace, options: Options) -> Generator[tuple[socket.socket, Serving]]:
    """The port, and what is to be said of it once somebody answers there."""
    tokens = Tokens(book.server_state)
    refuse_open_doors(options.host, tokens, options.allowed_hosts)
    with listening(options.host, options.port) as taken:
        yield (
            taken,
            Serving(
                _url(taken),
                book.url,
                options.tools,
                open=not (_strict(options, tokens) or tokens.required()),
                panel=options.has_panel,
                everywhere=_everywhere(taken),
                names=options.allowed_hosts,
                processes=options.workers,
            ),
        )


def _answer_as_one_of_several(
    opened: Callable[[], Commonplace],
    options: Options,
    key: str,
    taken: list[socket.socket],
    environ: Mapping[str, str],
    started: Callable[[], object],
) -> None:
    with opened() as book:
        _answer(book, options, key, taken, environ, started)


def _answer(
    book: Commonplace,
    options: Options,
    key: str,
    taken: list[socket.socket],
    environ: Mapping[str, str],
    started: Callable[[], object],
) -> None:
    """Answer at a port, and at a socket of our own, until told to stop."""
    readiness = Readiness(book.server_state.check)
    jobs = [
        lambda: drain_now(environ),
        tidying(book, hours=options.tidy_hours),
        backing_up(book),
    ]
    with tracing(environ), watching(book) as watched, upkeep(jobs):
        app = build(
            watched,
            key=key,
            tools=options.tools,
            per_second=options.per_second,
            allowed_hosts=options.allowed_hosts,
            panel=options.has_panel,
            readiness=readiness,
            strict=_strict(options, Tokens(book.server_state)),
        )
        config = uvicorn.Config(
            app,
            log_level="warning",
            # Not whichever parser is installed: httptools leaves white space around the value
            # of a header, which the protocol allows and the check of headers then refuses.
            http="h11",
            ws="websockets-sansio" if options.has_panel else "none",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=FINISH_S,
        )
        ending = Server(config, readiness=readiness, linger_s=options.linger_s, started=started)
        ending.run(sockets=taken)


def _both(taken: socket.socket, own: socket.socket | None) -> list[socket.socket]:
    return [taken] if own is None else [taken, own]


def refuse_open_doors(host: str, tokens: Tokens, names: Sequence[str] = ()) -> None:
    """Beyond this machine nobody is taken for the owner: callers need tokens there.

    Those of a shared book can be made elsewhere at any time, so its servers need not wait for one.
    """
    now = datetime.now(UTC)
    if _near(host, names) or tokens.far or any(token.live(now) for token in tokens.list()):
        return
    beyond = f"as {names[0]}" if _loopback(host) else f"on {host}"
    raise NotAllowed(
        f"Without tokens the server answers on this machine only, not {beyond}.",
        hint="Make one with `commonplace token create --user NAME`, then try again.",
    )


@contextmanager
def listening(host: str, port: int) -> Generator[socket.socket]:
    """A port of this machine, taken."""
    if not 0 <= port <= 65_535:
        raise BadInput(f"{port} is not a port.", hint="Use 1 to 65535, or 0 for any that is free.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:
        raise BadInput(
            f"{host!r} is not an address of this machine.", hint="See --host."
        ) from error
    with socket.socket(family, kind, protocol) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(address)
        except OSError as error:
            raise Unavailable(
                f"Port {port} of {host} cannot be used: {error.strerror}.",
                hint="Another server may run already; choose one with --port.",
            ) from error
        taken.listen()  # From here on callers wait instead of being turned away.
        yield taken


@contextmanager
def _announced(
    root: str,
    serving: Serving,
    key: str,
    own: socket.socket | None,
    environ: Mapping[str, str],
) -> Generator[None]:
    """Let hooks on this machine find the server for as long as it runs."""
    told = {"url": serving.url, "token": key, "pid": os.getpid(), "book": serving.book}
    told["digest"] = mark(load(environ).digest)
    if own is not None:
        told["socket"] = os.path.basename(own.getsockname())
    path = os.path.join(root, FILE)
    half = f"{path}.{os.getpid()}"
    os.makedirs(root, mode=0o700, exist_ok=True)
    with suppress(FileNotFoundError):
        os.unlink(half)
    with os.fdopen(os.open(half, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        json.dump(told, file)
    os.replace(half, path)
    try:
        yield
    finally:
        # A server that was started since has put its own in the same place.
        with suppress(OSError, ValueError, KeyError), open(path, encoding="utf-8") as file:
            if json.load(file)["pid"] == os.getpid():
                os.unlink(path)


def _strict(options: Options, tokens: Tokens) -> bool:
    """Whether nobody is taken for the owner without showing it, tokens or not.

    A book in a database is for many, and a proxy beside its server makes all of them look near.
    """
    return tokens.far or not _near(options.host, options.allowed_hosts)


def _near(host: str, names: Sequence[str]) -> bool:
    """Whether only this machine can ask: a further name is for those who come through a proxy."""
    return _loopback(host) and not names


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def _everywhere(taken: socket.socket) -> bool:
    return ipaddress.ip_address(taken.getsockname()[0]).is_unspecified


def _url(taken: socket.socket) -> str:
    """Where it is, for those on this machine."""
    host, port = taken.getsockname()[:2]
    if _everywhere(taken):  # Which is no address that one could call.
        host = "::1" if ":" in host else "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
