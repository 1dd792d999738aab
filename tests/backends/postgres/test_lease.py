"""Leases of a PostgreSQL book: tenants beside each other, the whole book alone, and fencing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest

from commonplace.backends.sql.postgres.database import PostgresAddress, PostgresDatabase
from commonplace.backends.sql.postgres.lease import PostgresLeases
from commonplace.backends.sql.postgres.store import PostgresStore
from commonplace.books.open import open_book
from commonplace.model.errors import Busy, StoreUnavailable
from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING, Scope
from commonplace.ports.record_store import Put
from commonplace.settings import Settings
from tests import ROOT
from tests.conformance.samples import memory

from . import server

ADA, BOB = Scope.parse("/user/ada"), Scope.parse("/user/bob")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[PostgresAddress]:
    yield PostgresAddress.parse(server.made(tmp_path / "book"))
    server.give_back(tmp_path / "book")


@pytest.fixture
def opened(address: PostgresAddress) -> Iterator[Callable[[], PostgresStore]]:
    stores: list[PostgresStore] = []

    def open_store() -> PostgresStore:
        stores.append(PostgresStore(address, store_id="book"))
        return stores[-1]

    yield open_store
    for one in stores:
        one.close()


@pytest.fixture
def leases(address: PostgresAddress) -> Iterator[Callable[..., PostgresLeases]]:
    databases: list[PostgresDatabase] = []

    def make(**settings: float) -> PostgresLeases:
        databases.append(PostgresDatabase(address, StoreUnavailable))
        return PostgresLeases(databases[-1], **settings)

    yield make
    for one in databases:
        one.close()


def end_connections(word: str) -> None:
    """Cut the connections that hold leases, as a broken network would."""
    with psycopg.connect(server.superuser(), autocommit=True) as db:
        db.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE state = 'idle in transaction' AND application_name = %s",
            (word,),
        )


def run(address: PostgresAddress, script: str) -> subprocess.Popen[str]:
    prelude = (
        "import time\n"
        "from commonplace.backends.sql.postgres.database import *\n"
        "from commonplace.backends.sql.postgres.lease import PostgresLeases\n"
        "from commonplace.model.errors import StoreUnavailable\n"
        "from commonplace.model.scope import Scope\n"
        f"address = PostgresAddress({address.server!r}, {address.schema!r})\n"
        "leases = PostgresLeases(PostgresDatabase(address, StoreUnavailable))\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", prelude + script], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )


HOLD = """
with leases.hold('write', 5, [Scope.parse('/user/ada')]):
    print('held', flush=True)
    time.sleep(60)
"""


def held_elsewhere(address: PostgresAddress) -> subprocess.Popen[str]:
    process = run(address, HOLD)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_tenants_save_completes_while_another_holds_its_lease(
    tmp_path: Path, opened: Callable[[], PostgresStore]
) -> None:
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    url = server.made(tmp_path / "book")
    with opened().lease(scopes=[ADA]), open_book(url, settings=settings, background=False) as book:
        assert book.save("Bob likes coffee", scope="/user/bob").action == "created"
        assert book.correct("Bob likes coffee", "Bob likes tea").memory.content == "Bob likes tea"
        with pytest.raises(Busy), opened().lease(scopes=[ADA], wait_s=0.05):
            pass


def test_a_save_that_replaces_what_another_tenant_has_waits_for_that_one_too(
    tmp_path: Path, opened: Callable[[], PostgresStore]
) -> None:
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    with open_book(server.made(tmp_path / "book"), settings=settings, background=False) as book:
        old = book.save("The branch is main", scope="/").memory
        held = opened().lease(scopes=[Scope()])
        held.__enter__()
        done: list[str] = []
        save = Thread(
            target=lambda: done.append(
                book.save("The branch is trunk", scope="/user/ada", supersedes=old.id).action
            )
        )
        save.start()
        save.join(0.5)
        assert done == []
        held.__exit__(None, None, None)
        save.join(10)
        assert done == ["superseded"]


def test_the_whole_book_waits_for_tenants_and_keeps_them_out(
    opened: Callable[[], PostgresStore],
) -> None:
    mine, theirs = opened(), opened()
    me = str(os.getpid())
    with mine.lease(scopes=[ADA]), pytest.raises(Busy, match=me), theirs.lease(wait_s=0.05):
        pass
    of_bob = theirs.lease(scopes=[BOB], wait_s=0.05)
    with mine.lease(), pytest.raises(Busy, match=me), of_bob:
        pass
    with theirs.lease(scopes=[BOB], wait_s=0.05):
        pass


def test_the_whole_book_comes_before_tenants_that_ask_later(
    opened: Callable[[], PostgresStore],
) -> None:
    order: list[str] = []

    def take(name: str, scopes: list[Scope] | None) -> None:
        with opened().lease(scopes=scopes, wait_s=20):
            order.append(name)

    with opened().lease(scopes=[ADA]):
        threads = [
            Thread(target=take, args=("book", None)),
            Thread(target=take, args=("bob", [BOB])),
        ]
        for thread in threads:
            thread.start()
            time.sleep(0.5)
        assert order == []
    for thread in threads:
        thread.join()
    assert order == ["book", "bob"]


def test_a_lease_of_one_tenant_writes_nothing_of_another(
    opened: Callable[[], PostgresStore],
) -> None:
    store = opened()
    [coffee] = [memory("Bob likes coffee", str(BOB))]
    with store.lease(scopes=[BOB]) as lease:
        store.write([Put(coffee)], lease=lease)
    with store.lease(scopes=[ADA]) as lease:
        assert not lease.covers([ADA, BOB])
        with pytest.raises(Busy, match="other tenants"):
            store.write([Put(memory("Bob likes tea", str(BOB)))], lease=lease)
        with pytest.raises(Busy, match="other tenants"):
            store.write([Put(coffee.but(scope=ADA), expect=coffee)], lease=lease)
        with pytest.raises(Busy, match="other tenants"):
            store.erase([coffee.id], lease=lease)
        with pytest.raises(Busy, match="part of the book"), store.lease():
            pass
    assert store.read([coffee.id], visible=EVERYTHING) == {coffee.id: coffee}


def test_a_tenant_that_lost_its_lease_cannot_write_and_others_can(
    opened: Callable[[], PostgresStore],
) -> None:
    slow, quick = opened(), opened()
    with slow.lease(scopes=[ADA]) as lost:
        end_connections(f"commonplace {os.getpid()}")
        with quick.lease(scopes=[ADA], wait_s=1) as lease, quick.lease(scopes=[ADA]):
            quick.write([Put(memory("Ada likes tea", str(ADA)))], lease=lease)
            with pytest.raises(Busy, match="lost"):
                slow.write([Put(memory("Ada likes coffee", str(ADA)))], lease=lost)
            with pytest.raises(Busy, match="lost"):
                lost.check()
        with pytest.raises(Busy, match="lost"):
            slow.write([Put(memory("Ada likes cocoa", str(ADA)))], lease=lost)
    [found] = [one for batch in quick.changes(0, visible=EVERYTHING) for one in batch.documents]
    assert [one.content for one in found.memories] == ["Ada likes tea"]


def test_a_lease_begins_after_the_last_write_of_a_holder_that_lost_it(
    leases: Callable[..., PostgresLeases],
) -> None:
    slow, quick = leases(), leases()
    writes, may_commit = Event(), Event()

    database = slow._database  # pyright: ignore[reportPrivateUsage]

    def write(db: Any) -> None:
        slow.renew(db, lost)
        writes.set()
        assert may_commit.wait(20)

    with slow.hold("write", 1, [ADA]) as lost:
        writer = Thread(target=lambda: database.run(write))
        writer.start()
        assert writes.wait(20)
        end_connections(f"commonplace {os.getpid()}")
        with pytest.raises(Busy), quick.hold("write", 0.3, [ADA]):
            pass
        with quick.hold("write", 1, [BOB]):
            pass
        may_commit.set()
        writer.join()
        with quick.hold("write", 1, [ADA]) as lease:
            lease.check()


def test_a_waiter_is_woken_when_the_holder_is_killed(
    address: PostgresAddress, leases: Callable[..., PostgresLeases]
) -> None:
    process = held_elsewhere(address)
    waiting = leases()
    killer = Thread(target=lambda: (time.sleep(1), process.kill()))
    killer.start()
    began = time.monotonic()
    with waiting.hold("write", 30, [ADA]):
        assert 0.5 < time.monotonic() - began < 10
    killer.join()
    process.communicate()


def test_a_frozen_holder_is_replaced_after_its_time_to_live_and_not_before(
    address: PostgresAddress, leases: Callable[..., PostgresLeases]
) -> None:
    process = held_elsewhere(address)
    os.kill(process.pid, signal.SIGSTOP)
    try:
        early = leases().hold("write", 0.3, [ADA])
        with pytest.raises(Busy, match=str(process.pid)), early:
            pass
        with leases(time_to_live_s=2.0).hold("write", 20, [ADA]) as lease:
            lease.check()
    finally:
        os.kill(process.pid, signal.SIGCONT)
        process.kill()
        process.communicate()


def test_a_reader_of_changes_misses_none_while_many_commit_at_once(
    address: PostgresAddress, opened: Callable[[], PostgresStore]
) -> None:
    """Writers commit late and in any order; the reader keeps a copy by changes alone."""
    wrote: dict[str, Memory] = {}
    stop = Event()

    def write(seed: int) -> None:
        chance, mine = random.Random(seed), opened()
        plain = mine._database  # pyright: ignore[reportPrivateUsage]
        mine._database = LateDatabase(address, chance)  # pyright: ignore[reportPrivateUsage]
        scope = Scope.parse(f"/user/u{seed}")
        own: list[Memory] = []
        for turn in range(12):
            puts = [
                Put(memory(f"u{seed} said {turn} {n}", str(scope)))
                for n in range(chance.randrange(3))
            ]
            if own and chance.random() < 0.7:
                old = own.pop(chance.randrange(len(own)))
                puts.append(Put(old.but(content=f"u{seed} changed {turn}"), expect=old))
            with mine.lease(scopes=[scope], wait_s=60) as lease:
                if puts:
                    own += [one.memory for one in mine.write(puts, lease=lease)]
        wrote.update({one.id: one for one in own})
        mine.close()
        plain.close()

    def read(copy: dict[str, Memory], reached: int) -> int:
        for batch in opened_once.changes(reached, visible=EVERYTHING):
            assert batch.revision > reached
            reached = batch.revision
            copy.update({one.id: one for document in batch.documents for one in document.memories})
        return reached

    def follow() -> None:
        reached = 0
        while not stop.is_set():
            reached = read(followed, reached)
        read(followed, reached)

    followed: dict[str, Memory] = {}
    opened_once = opened()
    reader = Thread(target=follow)
    reader.start()
    writers = [Thread(target=write, args=(seed,)) for seed in range(6)]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    stop.set()
    reader.join()
    assert len(wrote) > 20
    assert followed == wrote


class LateDatabase(PostgresDatabase):
    """Waits at random between a write and its commit."""

    def __init__(self, address: PostgresAddress, chance: random.Random) -> None:
        super().__init__(address, StoreUnavailable)
        self._chance = chance

    def run(self, work: Callable[[Any], Any], **options: Any) -> Any:
        def late(db: Any) -> Any:
            done = work(db)
            time.sleep(self._chance.random() * 0.02)
            return done

        return super().run(late, **options)
