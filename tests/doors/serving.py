"""A real server on a free port of this machine, over a book that the test holds open too."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from commonplace import Commonplace, Context
from commonplace.books.open import open_book
from commonplace.doors.server.app import build_app
from commonplace.doors.server.callers import Tokens
from commonplace.doors.server.sockets import port_socket
from commonplace.settings import Settings

KEY = "the-owner-s-own-key"


class Served:
    """Where the server is, and ways to talk to it."""

    def __init__(self, url: str, book: Commonplace, **headers: str) -> None:
        self.url = url
        self.book = book
        self.headers = headers
        self.tokens = Tokens(book.server_state)

    def alone(self, name: str) -> Served:
        """The same server, asked by the owner from a project that nobody else uses."""
        project = str(zlib.crc32(name.encode()))
        book = self.book.as_context({"project": project})
        return Served(self.url, book, **{"Commonplace-Context": f"/project/{project}"})

    def token(self, *, days: float | None = None, **context: Any) -> str:
        """A new token's secret; a member's, unless said otherwise."""
        who = Context.of({"role": "member", **context})
        return self.tokens.create(who, now=datetime.now(UTC), days=days).secret

    @contextmanager
    def http(self, token: str | None = None, **headers: str) -> Iterator[httpx.Client]:
        """A client that shows this token."""
        headers = {**self.headers, **headers}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        with httpx.Client(base_url=self.url, headers=headers, timeout=30) as client:
            yield client

    def mcp(self, token: str | None = None, **headers: str) -> Client[StreamableHttpTransport]:
        """An MCP client that shows this token."""
        headers = {**self.headers, **headers}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return Client(StreamableHttpTransport(f"{self.url}/mcp", headers=headers))


@contextmanager
def book_in(folder: Path, *, store: str = "vault") -> Iterator[Commonplace]:
    """A new book in a folder of the test's own, by words alone."""
    settings = Settings(state=str(folder / "state"), embedder="none")
    with open_book(f"{store}:{folder / 'book'}", settings=settings) as book:
        yield book


@contextmanager
def serving(book: Commonplace, **options: Any) -> Iterator[Served]:
    """Serve a book from a thread of this process for as long as the block lasts."""
    with port_socket("127.0.0.1", 0) as taken:
        app = build_app(book, key=KEY, **options)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", http="h11", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
        thread.start()
        try:
            while not server.started and thread.is_alive():
                time.sleep(0.01)
            yield Served("http://{}:{}".format(*taken.getsockname()), book)
        finally:
            server.should_exit = True
            thread.join()
