"""Several servers over one PostgreSQL are one server to whoever asks them."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from commonplace import Commonplace, Context
from commonplace.backends.sql.postgres.database import PostgresAddress
from commonplace.backends.sql.postgres.migrations import prepare
from commonplace.books.open import open_book
from commonplace.doors.server.callers import Tokens
from commonplace.model.errors import StoreUnavailable
from commonplace.settings import Settings
from tests import valkey
from tests.backends.postgres import killing, server
from tests.doors.machines import Machine, machines

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mode")


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """A PostgreSQL of these tests' own, which they may kill."""
    with tempfile.TemporaryDirectory(prefix="commonplace-mode-") as room:
        Path(room).chmod(0o755)
        yield Path(room) / "data"
        killing.kill(Path(room) / "data")


@pytest.fixture(scope="module")
def superuser(data: Path) -> str:
    return server.start(data, durable=True)


@pytest.fixture(scope="module")
def shared(superuser: str) -> str:
    """The book, for the role that servers work as."""
    owner = PostgresAddress.parse(superuser.replace("postgres:@", f"{server.OWNER}@"))
    prepare(owner, StoreUnavailable, server_role=server.SERVER)
    return superuser.replace("postgres:@", f"{server.SERVER}@")


@pytest.fixture(scope="module")
def book(folder: Path, shared: str) -> Iterator[Commonplace]:
    """The same book, as somebody at a third machine has it open."""
    settings = Settings(state=str(folder / "third"), embedder="none")
    with open_book(shared, settings=settings, background=False) as one:
        yield one


@pytest.fixture(scope="module")
def two(folder: Path, shared: str) -> Iterator[list[Machine]]:
    """Two servers that share a PostgreSQL and a Valkey."""
    sessions = valkey.started(folder)
    try:
        with machines(shared, folder, COMMONPLACE_SESSIONS=valkey.url_of(sessions)) as both:
            yield both
    finally:
        sessions.stop()


def test_a_token_made_anywhere_opens_every_server_and_revoked_anywhere_opens_none(
    two: list[Machine], book: Commonplace
) -> None:
    ada = Context(org="acme", user="ada", role="member")
    made = Tokens(book.server_state).create(ada, now=NOW)
    for one in two:
        said = one.post("save", made.secret, content=f"Ada was at {one.url}").json()
        assert said["memory"]["scope"] == "/org/acme/user/ada"
        assert httpx.get(f"{one.url}/v1/list").status_code == 401, "and from now on all need one"
    Tokens(book.server_state).revoke(made.token.id)
    assert [one.post("list", made.secret).status_code for one in two] == [401, 401]


def test_what_one_saves_the_other_recalls_at_once(two: list[Machine]) -> None:
    here, there = two
    for number in range(5):
        here.post("save", content=f"Stork {number} nests on chimney {number * 7}")
        found = there.post("recall", query=f"where does stork {number} nest").json()["hits"]
        assert found[0]["memory"]["content"] == f"Stork {number} nests on chimney {number * 7}"
        here, there = there, here


def test_a_conversation_begun_at_one_server_goes_on_at_the_other(two: list[Machine]) -> None:
    here, there = two
    here.post("session_add", id="monday", text="Please always use metric units.", role="user")
    there.post("session_add", id="monday", text="The table is 2 m long.", role="assistant")
    held = here.post("session_show", id="monday").json()
    assert [one["content"] for one in held] == [
        "Please always use metric units.", "The table is 2 m long.",
    ]  # fmt: skip
    found = there.post("session_show", id="monday", query="which units").json()
    assert found[0]["content"] == "Please always use metric units."
    assert "monday" in there.post("sessions").json()
    learned = there.post("session_end", id="monday").json()["added"]
    assert [one["memory"]["content"] for one in learned] == ["Always use metric units."]
    assert here.post("session_show", id="monday").json() == []


JOB = """
import sys, time
from commonplace.books.open import open_book
from commonplace.doors.server.upkeep import periodic_job, run_jobs
from commonplace.settings import Settings
url, state, tally, name, seconds = sys.argv[1:]
with open_book(url, settings=Settings(state=state, embedder="none"), background=False) as book:
    def work():
        with open(tally, "a") as file:
            file.write("done\\n")
        time.sleep(float(seconds))
    with run_jobs([periodic_job(book, name, hours=1, work=work, at_once=True)], every_s=0.02):
        print("looking", flush=True)
        sys.stdin.read()
"""


def scheduler(url: str, folder: Path, name: str, who: str, seconds: float) -> subprocess.Popen[str]:
    """A process that does a job when it is due, as a server does beside its answers."""
    arguments = (url, str(folder / who), str(folder / name), name, str(seconds))
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", JOB, *arguments], stdin=pipe, stdout=pipe, text=True
    )


def tally(path: Path) -> int:
    return path.read_text().count("done") if path.exists() else 0


@pytest.mark.parametrize("store", ["vault", "postgresql"])
def test_a_job_is_done_once_however_many_could(shared: str, folder: Path, store: str) -> None:
    place = shared if store == "postgresql" else f"vault:{folder / 'vault'}"
    # A vault's servers are on one machine, and share its state folder.
    names = ("one", "two", "three") if store == "postgresql" else ("same", "same", "same")
    crowd = [scheduler(place, folder, f"count-{store}", who, 0.0) for who in names]
    for one in crowd:
        assert one.stdout is not None
        assert one.stdout.readline()
    time.sleep(0.5)
    for one in crowd:
        one.communicate()
    assert tally(folder / f"count-{store}") == 1


def test_a_job_whose_server_died_is_done_by_another(shared: str, folder: Path) -> None:
    first = scheduler(shared, folder, "nightly", "dies", 600.0)
    deadline = time.monotonic() + 60
    while tally(folder / "nightly") < 1 and time.monotonic() < deadline:
        time.sleep(0.02)
    second = scheduler(shared, folder, "nightly", "lives", 0.0)
    assert second.stdout is not None
    assert second.stdout.readline()
    time.sleep(0.3)
    assert tally(folder / "nightly") == 1, "not while it is being done"
    first.kill()
    first.communicate()
    while tally(folder / "nightly") < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    second.communicate()
    assert tally(folder / "nightly") == 2


def test_a_server_whose_tables_are_of_another_version_asks_for_no_requests(
    two: list[Machine], superuser: str
) -> None:
    change = "UPDATE commonplace.versions SET version = version + %s WHERE part = 'servers'"
    assert [one.readiness() for one in two] == [200, 200]
    with psycopg.connect(superuser, autocommit=True) as db:
        for wrong in (1, -1):
            db.execute(change, (wrong,))
            time.sleep(1.1)  # An answer is given again for a second.
            told = httpx.get(f"{two[0].url}/health/ready")
            assert (told.status_code, told.json()["status"]) == (503, "not ready")
            assert httpx.get(f"{two[0].url}/health").status_code == 200
            db.execute(change, (-wrong,))
    time.sleep(1.1)
    assert two[0].readiness() == 200


class Crowd:
    """Clients that save without pause; what they were told is kept, and what they were refused."""

    def __init__(self, servers: list[Machine], clients: int, name: str) -> None:
        self.promised: list[str] = []
        self.refused: list[str] = []
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, args=(servers[n % len(servers)], f"{name}-{n}"))
            for n in range(clients)
        ]
        for thread in self._threads:
            thread.start()

    def wait_for(self, count: int) -> None:
        deadline = time.monotonic() + 60
        while len(self.promised) < count and time.monotonic() < deadline:
            time.sleep(0.02)
        assert len(self.promised) >= count

    def end(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _work(self, server: Machine, name: str) -> None:
        for number in itertools.count():
            if self._stop.is_set():
                return
            text = f"{name} counted {number} storks over field {number * 7919 % 104729}"
            try:
                said = server.post("save", content=text)
            except httpx.TransportError as error:
                self.refused.append(f"{type(error).__name__}: {error}")
                if isinstance(error, httpx.ConnectError):
                    return  # The port is closed: this server is gone.
                continue
            if said.status_code == 200:
                self.promised.append(text)
            else:
                self.refused.append(said.text)


def kept(url: str, state: Path, beginning: str) -> list[str]:
    settings = Settings(state=str(state), embedder="none")
    with open_book(url, settings=settings, background=False) as book:
        pages = (book.list(limit=1000, offset=start) for start in itertools.count(0, 1000))
        found = [one.content for page in itertools.takewhile(bool, pages) for one in page]
    return [text for text in found if text.startswith(beginning)]


def test_a_server_told_to_stop_under_load_answers_all_that_it_has_begun(
    shared: str, tmp_path: Path
) -> None:
    with machines(shared, tmp_path, 1, "--linger", "0.3") as [leaving]:
        crowd = Crowd([leaving], 4, "leaving")
        crowd.wait_for(12)
        said = leaving.stop()
        crowd.end()
    assert "Traceback" not in said
    # Whatever it wrote it also answered: nothing is there that nobody was told of, nor missing.
    assert sorted(kept(shared, tmp_path / "after", "leaving")) == sorted(crowd.promised)
    assert all(one.startswith("ConnectError") for one in crowd.refused), crowd.refused


def test_several_processes_at_one_port_end_together(shared: str, tmp_path: Path) -> None:
    with machines(shared, tmp_path, 1, "--workers", "2") as [many]:
        above = psutil.Process(many.process.pid)
        crowd = Crowd([many], 2, "worker")
        crowd.wait_for(6)
        crowd.end()
        workers = [one for one in above.children() if "spawn_main" in " ".join(one.cmdline())]
        assert len(workers) == 2
        many.stop()
    assert crowd.refused == []
    assert not any(one.is_running() for one in workers)


def test_postgres_killed_and_restarted_under_two_servers(
    two: list[Machine], shared: str, data: Path, tmp_path: Path
) -> None:
    crowd = Crowd(two, 4, "storm")
    crowd.wait_for(8)
    killing.kill(data)
    assert two[0].readiness() == 503
    assert httpx.get(f"{two[0].url}/health").status_code == 200
    killing.restart(data)
    crowd.wait_for(len(crowd.promised) + 8)
    crowd.end()
    deadline = time.monotonic() + 60
    while [one.readiness() for one in two] != [200, 200]:
        assert time.monotonic() < deadline
    found = Counter(kept(shared, tmp_path / "after", "storm"))
    assert {text: found[text] for text in crowd.promised} == dict.fromkeys(crowd.promised, 1)
    assert max(found.values()) == 1
