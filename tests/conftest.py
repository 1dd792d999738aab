"""A fresh book for each test, on every store that can be opened here."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.settings import Settings
from tests import ROOT

MEMORY = "/dev/shm"
ROOM_BYTES = 4 << 30


def _work_in_memory() -> None:
    """Let tests work in memory where there is room: they wait for disks most of their time."""
    if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK):
        there = os.statvfs(MEMORY)
        if there.f_bavail * there.f_frsize > ROOM_BYTES:
            os.environ["TMPDIR"] = tempfile.tempdir = MEMORY


def _keep_state_apart() -> None:
    """Give books that name no state folder one of this run, and none of whoever runs the tests.

    Temporary folders get the names of an earlier run's again: a book of that run, known in the
    usual state folder, would be another one, or away.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        os.environ["COMMONPLACE_STATE"] = tempfile.mkdtemp(prefix="commonplace-state-")


def _hear_interrupts() -> None:
    """Let the programs under test hear ^C, also where the tests were started to run unattended."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


_work_in_memory()
_keep_state_apart()
_hear_interrupts()
# On a busy machine one example may take long; a law is about answers, not about time.
hypothesis_settings.register_profile("any machine", deadline=None)
hypothesis_settings.load_profile("any machine")

STORES = ("vault", "sqlite")
ON_A_SERVER = {
    "test_backup", "test_correct", "test_erase", "test_forget_correct_promote", "test_gates",
    "test_history", "test_inbox", "test_isolation", "test_leaks", "test_limits", "test_maintain",
    "test_maintain_lifecycle", "test_save", "test_undo",
}  # fmt: skip
"""Tests of who sees what and of keeping the book in order run on a server's book, too."""
SMOKE = {"test_save", "test_isolation"}
"""Tests that `make test` runs on every store. Conformance proves the stores equal, so the others
run on the vault there, and on every store in `make test-all`."""
SLOW = (
    "agent/test_task_kill.py", "backends/milvus/test_large.py",
    "backends/milvus/test_several_writers.py", "backends/postgres/test_bulk.py",
    "backends/postgres/test_kill.py", "doors/adapters/test_examples.py",
    "doors/hooks/test_server.py", "doors/hooks/test_week.py", "doors/panel/",
    "doors/server/test_mcp_conformance.py", "doors/server/test_rest_fuzzed.py",
    "doors/server/test_serve.py", "doors/server/test_server_mode.py",
    "doors/server/test_workers.py", "doors/torture/test_mutants.py", "hosts/",
    "reliability/test_attachment_kill.py", "reliability/test_damage.py",
    "reliability/test_damage_processes.py", "reliability/test_kill.py",
    "reliability/test_maintain_kill.py", "reliability/test_year.py", "security/test_doors_leak.py",
    "test_monitoring.py", "test_packages.py", "verbs/test_languages.py",
)  # fmt: skip
"""Kills, damages, browsers, protocol suites and whole servers: `make test-all` alone runs these."""
OpenBook = Callable[..., Commonplace]


class Clock:
    """A clock that a test moves by hand; each look moves it a millisecond."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def pass_days(self, days: float) -> None:
        self.now += timedelta(days=days)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for a book's URL once on each store."""
    marks = metafunc.definition.iter_markers("parametrize")
    if "url" in metafunc.fixturenames and not any("url" in mark.args[0] for mark in marks):
        served = metafunc.definition.path.stem in ON_A_SERVER
        others = (*STORES[1:], "postgresql") if served else STORES[1:]
        smoke = metafunc.definition.path.stem in SMOKE
        marks = () if smoke else (pytest.mark.slow,)
        stores = [STORES[0], *(pytest.param(one, marks=marks) for one in others)]
        metafunc.parametrize("url", stores, indirect=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves to `make test-all`."""
    for item in items:
        place = item.path.relative_to(ROOT / "tests").as_posix()
        if place.startswith(SLOW):
            item.add_marker(pytest.mark.slow)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Once all workers are done, nothing is left of the state and of the server they shared."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["COMMONPLACE_STATE"], ignore_errors=True)
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        from tests.backends.postgres import server

        server.end()


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where this test's book is, on each store in turn."""
    place = tmp_path / "book"
    if request.param != "postgresql":
        yield {"vault": f"vault:{place}", "sqlite": f"sqlite:{place}.db"}[request.param]
        return
    from tests.backends.postgres import server

    yield server.made(place)
    server.give_back(place)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """The folder of the vault that `open_vault` opens."""
    return tmp_path / "book"


@pytest.fixture
def open_at(tmp_path: Path, clock: Clock) -> Iterator[Callable[..., Commonplace]]:
    """Open books that are closed again when the test ends."""
    opened: list[Commonplace] = []

    def open_one(
        url: str, *, state: str = "state", embedder: str = "none", **options: object
    ) -> Commonplace:
        settings = Settings(
            state=str(tmp_path / state), personal=str(tmp_path / "personal"), embedder=embedder
        )
        # Tests that want a thread beside them say so.
        options.setdefault("background", False)
        book = open_book(url, settings=settings, now=clock, **options)  # pyright: ignore[reportArgumentType]
        opened.append(book)
        return book

    yield open_one
    for book in opened:
        book.close()


@pytest.fixture
def book(url: str, open_at: OpenBook) -> Commonplace:
    """An empty book, asked by its owner."""
    return open_at(url)


@pytest.fixture
def open_vault(vault: Path, open_at: OpenBook) -> OpenBook:
    """Open this test's vault, as often as it likes."""
    return lambda **options: open_at(f"vault:{vault}", **options)
