"""MCP over standard input and output, in plain Python: hosts wait for its first answer.

A line is a message. Requests that need no book are answered by the thread that reads, so that a
slow call delays no ping; the others by worker threads. The book is opened after the first answer.
"""

from __future__ import annotations

import importlib
import os
import sys
from _queue import SimpleQueue
from contextlib import contextmanager
from threading import Lock, Thread

from ...model.errors import BadInput, CommonplaceError
from ...model.quick_json import parse_json, write_json
from ..cli.plain_options import read_options
from .catalog import SETS
from .session import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    NEEDS_BOOK,
    PARSE_ERROR,
    McpSession,
    ProtocolError,
    is_object,
    log_fault,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from typing import Any, BinaryIO, TypeGuard

    from ...book import Commonplace

    Id = str | int | None

MOST_WORKERS = 8


def parse(arguments: Sequence[str]) -> tuple[dict[str, str], str] | None:
    """Shared options and tool set of a plain `mcp`; None leaves it to the full command line."""
    read = read_options(arguments, single={"--tools": "tools"})
    if read is None or read.words != ["mcp"]:
        return None
    tools = read.given.pop("tools", SETS[0])
    return (read.given, tools) if tools in SETS else None


def serve_stdio(given: Mapping[str, str | None], environ: Mapping[str, str], *, tools: str) -> int:
    """Serve the book that options and environment name, until the input ends."""

    def open_book() -> Commonplace:
        from ...projects import ANY_FOLDER, working_folder
        from ..cli.open_book import open_for

        return open_for(
            given,
            environ,
            background=True,
            in_project=True,
            plain_folders=ANY_FOLDER,
            folder=working_folder(),
        )

    book = LateBook(open_book)
    session = McpSession(book.get, tools=tools)
    with _own_pipes() as (reader, writer):
        Door(session, book, writer).serve(reader)
    return 0


class LateBook:
    """A book that is opened when it is needed. While it is away, each call tries again."""

    def __init__(self, open_book: Callable[[], Commonplace]) -> None:
        self._open = open_book
        self._lock = Lock()
        self._opened: tuple[Commonplace, Commonplace] | None = None

    def get(self) -> Commonplace:
        """The book as an agent sees it."""
        with self._lock:
            if self._opened is None:
                # By one thread alone, since imports in a circle fail when two threads make them.
                importlib.import_module(f"{__package__}.tools")
                book = self._open()
                self._opened = book, book.as_context(book.context, source="mcp")
            return self._opened[1]

    def prepare(self) -> None:
        """Open the book before it is needed; a call will say why it cannot be."""
        try:
            self.get()
        except CommonplaceError:
            pass
        except Exception:  # The call that needs the book meets it again.
            log_fault("The book could not be opened.")

    def close(self) -> None:
        """Close the book, if it was opened."""
        if self._opened is not None:
            self._opened[0].close()


class WorkerThreads:
    """Threads that run jobs in the order in which they came."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads: list[Thread] = []

    def run(self, job: Callable[[], None]) -> None:
        """Run a job that catches its own errors."""
        self._jobs.put(job)
        if len(self._threads) < MOST_WORKERS:
            thread = Thread(target=self._work, daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def finish(self) -> None:
        """Wait until every job is done."""
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()


class Request:
    """A request that was admitted, and whether its client still wants the answer."""

    def __init__(self, id: Id, work: Callable[[], dict[str, Any]]) -> None:
        self.id = id
        self.work = work
        self.cancelled = False


class Door:
    """Reads messages, hands requests to the session, and writes the answers."""

    def __init__(self, session: McpSession, book: LateBook, writer: BinaryIO) -> None:
        self._session = session
        self._book = book
        self._writer = writer
        self._writing = Lock()
        self._workers = WorkerThreads()
        self._waiting: dict[Id, Request] = {}
        """The requests that workers have."""
        self._prepared = self._hung_up = False

    def serve(self, reader: BinaryIO) -> None:
        """Answer until the input ends or nobody reads the output; then finish what runs."""
        try:
            for line in reader:
                if not line.isspace():
                    self._read(line)
                if self._hung_up:
                    break
        finally:
            self._workers.finish()
            self._book.close()

    def _read(self, line: bytes) -> None:
        id: Id = None
        try:
            message = _parsed(line)
            if "method" not in message and ("result" in message or "error" in message):
                return  # An answer, but we ask clients nothing.
            id = _id_of(message)
            method, params = _method_of(message)
        except ProtocolError as error:
            self._send(id, _error(error.code, str(error)))
            return
        if id is not None:
            self._answer(id, method, params)
        elif method == "notifications/cancelled":
            self._cancel(params.get("requestId"))

    def _cancel(self, id: object) -> None:
        if _is_id(id) and (request := self._waiting.get(id)) is not None:
            request.cancelled = True

    def _answer(self, id: Id, method: str, params: Mapping[str, Any]) -> None:
        try:
            request = Request(id, self._session.admit(method, params))
        except ProtocolError as error:
            self._send(id, _error(error.code, str(error), error.data))
            return
        if method in NEEDS_BOOK:
            self._waiting[id] = request
            self._workers.run(lambda: self._do(request))
        else:
            self._do(request)
        if not self._prepared:
            self._prepared = True
            self._workers.run(self._book.prepare)

    def _do(self, request: Request) -> None:
        """Run one request and send its result; one that was cancelled gets no answer."""
        if not request.cancelled:
            try:
                answer: dict[str, Any] = {"result": request.work()}
            except ProtocolError as error:
                answer = _error(error.code, str(error), error.data)
            except Exception:  # A fault of ours must not end the session, nor show its details.
                log_fault("A request failed.")
                answer = _error(INTERNAL_ERROR, "Internal error")
            if not request.cancelled:
                self._send(request.id, answer)
        if self._waiting.get(request.id) is request:
            del self._waiting[request.id]

    def _send(self, id: Id, answer: dict[str, Any]) -> None:
        line = write_json({"jsonrpc": "2.0", "id": id, **answer}).encode("ascii") + b"\n"
        try:
            with self._writing:
                self._writer.write(line)
                self._writer.flush()
        except OSError:
            self._hung_up = True  # The client reads no more.


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        message: Any = parse_json(line.decode())
    except (ValueError, RecursionError) as error:
        raise ProtocolError(
            PARSE_ERROR, "Parse error: a message is one line of JSON in UTF-8"
        ) from error
    if not is_object(message):
        raise ProtocolError(INVALID_REQUEST, "Invalid request: a message is one object")
    return message


def _id_of(message: dict[str, Any]) -> Id:
    """The id of a request; None for a notification."""
    if "id" not in message:
        return None
    if not _is_id(message["id"]):
        raise ProtocolError(INVALID_REQUEST, "Invalid request: an id is a text or a whole number")
    return message["id"]


def _is_id(value: object) -> TypeGuard[str | int]:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _method_of(message: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The method and its parameters."""
    method, params = message.get("method"), message.get("params", {})
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str) or not is_object(params):
        raise ProtocolError(
            INVALID_REQUEST,
            'Invalid request: jsonrpc is "2.0", method a text and params an object',
        )
    return method, params


def _error(code: int, message: str, data: object = None) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": message}
    return {"error": error if data is None else {**error, "data": data}}


@contextmanager
def _own_pipes() -> Generator[tuple[BinaryIO, BinaryIO]]:
    """The protocol's input and output.

    Meanwhile the standard streams lead elsewhere: what is printed goes to standard error, and no
    program that we start reads the client's messages.
    """
    if sys.stdin is None or sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise BadInput("MCP needs an input and an output.", hint="Let a host start this command.")
    sys.stdout.flush()
    kept = [os.dup(0), os.dup(1)]
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2 if sys.stderr is not None else nothing, 1)  # pyright: ignore[reportUnnecessaryComparison]
    os.close(nothing)
    try:
        yield os.fdopen(kept[0], "rb", closefd=False), os.fdopen(kept[1], "wb", closefd=False)
    finally:
        sys.stdout.flush()
        for number, stream in enumerate(kept):
            os.dup2(stream, number)
            os.close(stream)
