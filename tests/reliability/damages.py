"""Books whose files are damaged on purpose: what they keep, and the ways to damage it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.doors.hooks.answer import (
    _LEFT_OPEN,  # pyright: ignore[reportPrivateUsage]
    answer_without_deadline,
)
from commonplace.doors.server.app import build_app
from commonplace.settings import Settings
from tests import ROOT

KEY = "the-owner-s-own-key"
TEXTS = (
    "The billing service listens on port 8443.",
    "Mia prefers tabs over spaces in Go files.",
    "The staging database runs PostgreSQL 16 in Frankfurt.",
    "Release notes are written by Tomasz every second Thursday.",
    "The coffee machine on the third floor takes only oat milk.",
)
QUESTIONS = (
    "billing service port",
    "does Mia prefer tabs or spaces",
    "where does the staging database run",
    "who writes the release notes",
    "coffee machine oat milk",
)
NEW, NEW_QUESTION = "The backup job starts at 03:15 every night.", "when does the backup job start"
PAGE = 4096
LOGS = ("-wal", "-shm")


class DamagedBook:
    """A book in a folder of its own, with every kind of file that a book keeps."""

    def __init__(self, place: Path, store: str) -> None:
        self.place = place
        self.home = place / "home"
        self.url = f"vault:{self.home / 'vault'}" if store == "vault" else (
            f"sqlite:{self.home / 'book.db'}"
        )  # fmt: skip
        self._closed, self._killed = place / "closed", place / "killed"
        self._sessions = 0
        if not self.home.exists():
            # In a process of its own, because the one that left the logs behind has ended.
            code = f"from {__name__} import DamagedBook; from pathlib import Path;"
            code += f"DamagedBook(Path({str(place)!r}), {store!r}).make()"
            self.home.mkdir(parents=True)
            subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)

    @property
    def environ(self) -> dict[str, str]:
        """The environment of a command or hook that uses this book."""
        return {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "COMMONPLACE_URL": self.url,
            "COMMONPLACE_STATE": str(self.home / "state"),
            "COMMONPLACE_CONFIG": str(self.home / "config.yaml"),
        }

    def open(self, *, create: bool = False, source: str = "library") -> Commonplace:
        """Open the book as a library does."""
        settings = Settings(state=str(self.home / "state"), embedder="hash")
        return open_book(
            self.url, settings=settings, background=False, create=create, source=source
        )

    def files(self) -> list[str]:
        """Every file but notes and settings, as a path below the home."""
        found = {
            str(path.relative_to(root))
            for root in (self._closed, self._killed)
            for path in root.rglob("*")
            if path.is_file() and path.suffix not in (".md", ".yaml")
        }
        return sorted(found)

    def is_truth(self, name: str) -> bool:
        """Whether a file is the book itself, which nothing else can restore."""
        return name.startswith("book.db")

    def restore(self, *, killed: bool) -> None:
        """Put every file back as it was: closed, or as a killed process leaves it, with logs."""
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(self._killed if killed else self._closed, self.home)

    def damage(self, name: str, how: str) -> None:
        """Put every file back as it was, then damage one."""
        self.restore(killed=name.endswith(LOGS))
        DAMAGES[how](self.home / name)

    def prompt(self, text: str) -> str:
        """The context that a prompt gets from its hook."""
        self._sessions += 1
        event = {
            "session_id": f"s{os.getpid()}-{self._sessions}", "hook_event_name": "UserPromptSubmit",
            "prompt": text, "cwd": str(self.home),
        }  # fmt: skip
        try:
            return answer_without_deadline("claude", "", json.dumps(event).encode(), self.environ)
        finally:
            # A hook's process ends with its answer; this one goes on.
            while _LEFT_OPEN:
                _LEFT_OPEN.pop().close()

    def make(self) -> None:
        """Fill the book, and copy it twice: while it is open, and when it is closed."""
        (self.home / "config.yaml").write_text("embedder: hash\n")
        with self.open(create=True) as book:
            for text in TEXTS:
                book.save(text)
            book.fact_store("editor", "helix")
            book.recall("billing service port")
            book.session_add("s1", "Check the port of the billing service first.")
            book.sync()
            self.prompt("what is the weather like today in Lisbon")
            shutil.copytree(self.home, self._killed)
        shutil.copytree(self.home, self._closed)


def zero_page(place: int) -> Callable[[Path], None]:
    """Fill a page of 4096 bytes with zeros; a negative one is in the middle."""

    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        at = len(data) // 2 // PAGE * PAGE if place < 0 else place * PAGE
        end = min(at + PAGE, len(data))
        data[at:end] = bytes(end - at)
        path.write_bytes(data)

    return damage


def flip(*shares: float) -> Callable[[Path], None]:
    """Invert some bytes at these shares of the file's length."""

    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        for share in shares:
            at = int(share * len(data))
            data[at : at + 8] = bytes(byte ^ 0xFF for byte in data[at : at + 8])
        path.write_bytes(data)

    return damage


def flip_inside(place: int) -> Callable[[Path], None]:
    """Invert bytes at the head, in the middle and at the end of one page."""

    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        for inside in (0, 8, PAGE // 2, PAGE - 200):
            at = place * PAGE + inside
            data[at : at + 8] = bytes(byte ^ 0xFF for byte in data[at : at + 8])
        path.write_bytes(data)

    return damage


def cut_inside(place: int) -> Callable[[Path], None]:
    """Keep a file up to the middle of one page."""

    def damage(path: Path) -> None:
        path.write_bytes(path.read_bytes()[: place * PAGE + PAGE // 2])

    return damage


PAGE_DAMAGES: dict[str, Callable[[int], Callable[[Path], None]]] = {
    "zeroed": zero_page,
    "flipped": flip_inside,
    "cut": cut_inside,
}
"""Ways to damage one page of a database, by its number."""


def cut(path: Path) -> None:
    """Keep the first 60 % of a file."""
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 6 // 10])


def turn_into_folder(path: Path) -> None:
    """Put a folder with a file where the file was."""
    path.unlink()
    path.mkdir()
    (path / "something.txt").write_text("in the way")


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "zeroed in the middle": zero_page(-1),
    "first page zeroed": zero_page(0),
    "flipped": flip(0.0, 0.02, 0.3, 0.5, 0.7, 0.95),
    "flipped inside": flip(0.35, 0.6, 0.8),
    "cut short": cut,
    "emptied": lambda path: path.write_bytes(b""),
    "gone": Path.unlink,
    "a folder": turn_into_folder,
}


def serve(book: Commonplace, question: str) -> httpx.Response:
    """The answer of the REST server to one recall."""
    import asyncio

    async def ask() -> httpx.Response:
        app = build_app(book, key=KEY)
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.post(
                "/v1/recall",
                json={"query": question},
                headers={"Authorization": f"Bearer {KEY}", "Host": "127.0.0.1"},
            )

    return asyncio.run(ask())


def lost(book: Commonplace) -> Iterator[str]:
    """The texts that a recall or the list does not return."""
    listed = {one.content for one in book.list(limit=100)}
    for text, question in zip(TEXTS, QUESTIONS, strict=True):
        if text not in listed:
            yield f"not listed: {text}"
        if text not in [hit.memory.content for hit in book.recall(question)]:
            yield f"not recalled: {text}"
