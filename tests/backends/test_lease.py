"""Leases: one holder at a time, dead ones replaced, slow ones shut out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Thread

import apsw
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from commonplace.backends.common import lease as lease_module
from commonplace.backends.common.lease import LeaseHolder, SqliteLease, SqliteLeases
from commonplace.model.errors import Busy, StoreUnavailable
from tests import ROOT

PROJECT = ROOT


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "vault.db")


@pytest.fixture
def ours(path: str, clock: Clock) -> Iterator[SqliteLeases]:
    leases = SqliteLeases(path, clock=clock)
    yield leases
    leases.close()


@pytest.fixture
def theirs(path: str, clock: Clock) -> Iterator[SqliteLeases]:
    leases = SqliteLeases(path, clock=clock)
    yield leases
    leases.close()


def run(path: str, script: str) -> subprocess.Popen[str]:
    prelude = (
        "from commonplace.backends.common.lease import SqliteLeases\nimport time\n"
        f"leases = SqliteLeases({path!r})\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", prelude + script], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    )


def wait_for(process: subprocess.Popen[str], word: str) -> None:
    assert process.stdout is not None
    assert process.stdout.readline().strip() == word


def test_second_holder_waits_and_hears_who_it_waited_for(
    ours: SqliteLeases, theirs: SqliteLeases
) -> None:
    with ours.hold("write"):
        with pytest.raises(Busy) as caught, theirs.hold("write", 0.02):
            pass
        assert str(os.getpid()) in caught.value.sentence
        assert caught.value.hint
    with theirs.hold("write", 0.02):
        pass


def test_every_holder_gets_a_greater_token(ours: SqliteLeases, theirs: SqliteLeases) -> None:
    tokens: list[int] = []
    for leases in (ours, theirs, ours, theirs):
        with leases.hold("write") as lease:
            tokens.append(lease.token)
    assert tokens == sorted(set(tokens))


def test_nested_hold_is_the_same_lease(ours: SqliteLeases, theirs: SqliteLeases) -> None:
    with ours.hold("write") as outer:
        with ours.hold("write") as inner:
            assert inner is outer
        outer.check()
        with pytest.raises(Busy), theirs.hold("write", 0):
            pass


def test_lease_is_let_go_when_its_block_fails(ours: SqliteLeases, theirs: SqliteLeases) -> None:
    with pytest.raises(KeyboardInterrupt), ours.hold("write"):
        raise KeyboardInterrupt
    with theirs.hold("write", 0):
        pass


def test_slow_holder_is_taken_over_and_shut_out(
    ours: SqliteLeases, theirs: SqliteLeases, clock: Clock
) -> None:
    ours.connection.execute("CREATE TABLE notes(text)")
    with ours.hold("write") as slow:
        clock.now += 15.1
        with theirs.hold("write", 0) as quick:
            with theirs.guard(quick):
                theirs.connection.execute("INSERT INTO notes VALUES('quick')")
            with pytest.raises(Busy, match="went to another process"), ours.guard(slow):
                ours.connection.execute("INSERT INTO notes VALUES('slow')")
            with pytest.raises(Busy, match="went to another process"):
                slow.check()
            quick.check()
    assert ours.connection.execute("SELECT text FROM notes").fetchall() == [("quick",)]


def test_slow_holder_does_not_end_the_new_holders_lease(
    ours: SqliteLeases, theirs: SqliteLeases, clock: Clock, path: str
) -> None:
    third = SqliteLeases(path, clock=clock)
    with ours.hold("write"):
        clock.now += 15.1
        quick = theirs.hold("write", 0)
        lease = quick.__enter__()
    lease.check()
    with pytest.raises(Busy), third.hold("write", 0):
        pass
    quick.__exit__(None, None, None)
    third.close()


def test_slow_holder_that_nobody_replaced_goes_on(ours: SqliteLeases, clock: Clock) -> None:
    with ours.hold("write") as lease:
        clock.now += 100
        lease.check()
        with ours.guard(lease):
            pass


def test_checking_keeps_a_lease_alive(
    ours: SqliteLeases, theirs: SqliteLeases, clock: Clock
) -> None:
    with ours.hold("write") as lease:
        for _ in range(10):
            clock.now += 10
            lease.check()
            with pytest.raises(Busy), theirs.hold("write", 0):
                pass


def test_lease_from_before_a_reboot_is_free(
    ours: SqliteLeases, theirs: SqliteLeases, clock: Clock
) -> None:
    with ours.hold("write") as old:
        clock.now = 3.0  # a new boot: the clock starts again, and the old expiry lies far ahead
        with theirs.hold("write", 0) as new:
            assert new.token > old.token


def test_killed_holder_is_replaced_at_once(path: str) -> None:
    process = run(path, "with leases.hold('write'):\n print('held', flush=True)\n time.sleep(60)")
    wait_for(process, "held")
    leases = SqliteLeases(path)
    with pytest.raises(Busy, match=str(process.pid)), leases.hold("write", 0.02):
        pass
    process.kill()
    time.sleep(0.05)  # dead, though its parent, this process, has not asked after it yet
    with leases.hold("write", 0.5):
        pass
    leases.close()
    process.communicate()


def test_a_sleeping_waiter_is_woken_by_the_release(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks by itself too seldom here to find the lease free in time."""
    monkeypatch.setattr(lease_module, "LOOK_EVERY_S", 60.0)
    mine, theirs = SqliteLeases(path), SqliteLeases(path)
    waited: list[float] = []

    def wait() -> None:
        with theirs.hold("write", 50):
            waited.append(time.monotonic())

    for _ in range(20):
        with mine.hold("write"):
            waiter = Thread(target=wait)
            waiter.start()
            time.sleep(0.02)
            let_go = time.monotonic()
        waiter.join()
        assert waited.pop() - let_go < 5
    mine.close()
    theirs.close()


def test_a_waiter_that_sleeps_notices_that_the_holder_was_killed(path: str) -> None:
    process = run(path, "with leases.hold('write'):\n print('held', flush=True)\n time.sleep(60)")
    wait_for(process, "held")
    killer = Thread(target=lambda: (time.sleep(0.5), process.kill()))
    killer.start()
    leases = SqliteLeases(path)
    began = time.monotonic()
    with leases.hold("write", 20):
        assert time.monotonic() - began < 5
    killer.join()
    leases.close()
    process.communicate()


def test_frozen_waiter_does_not_hold_up_the_queue(path: str) -> None:
    leases = SqliteLeases(path)
    with leases.hold("write"):
        waiter = run(path, "print('waiting', flush=True)\nwith leases.hold('write', 60):\n pass")
        wait_for(waiter, "waiting")
        time.sleep(0.5)  # long enough to draw a ticket
        os.kill(waiter.pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        with leases.hold("write", 5):
            assert time.monotonic() - began < 3
    finally:
        os.kill(waiter.pid, signal.SIGCONT)
    waiter.communicate(timeout=30)
    assert waiter.returncode == 0
    leases.close()


def test_threads_of_one_process_exclude_each_other(path: str) -> None:
    leases = SqliteLeases(path)
    inside: list[str] = []
    most: list[int] = []

    def work(name: str) -> None:
        for _ in range(20):
            with leases.hold("write") as lease, leases.guard(lease):
                inside.append(name)
                most.append(len(inside))
                inside.remove(name)

    threads = [Thread(target=work, args=(name,)) for name in ("ada", "bob", "eve")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 60
    assert max(most) == 1
    leases.close()


def test_eight_processes_take_turns_without_starving(path: str) -> None:
    SqliteLeases(path).close()
    script = """
worst = 0
for _ in range(40):
    began = time.monotonic()
    with leases.hold('write') as lease:
        worst = max(worst, time.monotonic() - began)
        with leases.guard(lease):
            leases.connection.execute('CREATE TABLE IF NOT EXISTS turns(n INTEGER PRIMARY KEY)')
            leases.connection.execute('INSERT INTO turns VALUES(NULL)')
print(worst)
"""
    processes = [run(path, script) for _ in range(8)]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 8
    assert max(map(float, outputs)) < 8
    leases = SqliteLeases(path)
    assert leases.connection.execute("SELECT count(*) FROM turns").get == 320
    assert leases.connection.execute("SELECT count(*) FROM lease_waiters").get == 0
    leases.close()


def test_guard_rolls_back_on_any_exit(ours: SqliteLeases) -> None:
    ours.connection.execute("CREATE TABLE notes(text)")
    with ours.hold("write") as lease:
        interrupt = KeyboardInterrupt()
        with pytest.raises(KeyboardInterrupt), ours.guard(lease):
            _insert_and_raise(ours, interrupt)
        with ours.guard(lease):
            ours.connection.execute("INSERT INTO notes VALUES('whole')")
    assert ours.connection.execute("SELECT text FROM notes").fetchall() == [("whole",)]


def _insert_and_raise(leases: SqliteLeases, error: BaseException) -> None:
    leases.connection.execute("INSERT INTO notes VALUES('half')")
    raise error


def test_guard_leaves_the_body_s_own_errors_alone(ours: SqliteLeases) -> None:
    with ours.hold("write") as lease, pytest.raises(FileExistsError), ours.guard(lease):
        raise FileExistsError("a note of that name")


def test_guard_refuses_a_lease_of_another_store(ours: SqliteLeases, tmp_path: Path) -> None:
    other = SqliteLeases(str(tmp_path / "other.db"))
    with other.hold("write") as lease, pytest.raises(Busy), ours.guard(lease):
        pass
    other.close()


def test_closed_leases_say_so(ours: SqliteLeases) -> None:
    ours.close()
    with pytest.raises(StoreUnavailable, match="closed"), ours.hold("write", 0):
        pass


def test_process_is_told_apart_from_another_of_its_number() -> None:
    mine = LeaseHolder.this()
    assert not mine.gone()
    assert LeaseHolder.parse(str(mine)) == mine
    if mine.started:
        assert mine.but(started=str(int(mine.started) + 1)).gone()
    if mine.machine:
        assert mine.but(machine="another-boot:1").gone()
        boot = mine.machine.partition(":")[0]
        assert not mine.but(machine=f"{boot}:another-namespace", pid=4_000_000).gone()


class LeaseLaws(RuleBasedStateMachine):
    """Whatever happens to clocks and holders, only the newest token ever writes."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock()
        path = os.path.join(self.folder.name, "leases.db")
        self.parties = [SqliteLeases(path, clock=self.clock) for _ in range(3)]
        self.parties[0].connection.execute("CREATE TABLE written(token INTEGER)")
        self.holds: dict[int, AbstractContextManager[SqliteLease]] = {}

    held = Bundle("held")

    @rule(target=held, party=st.integers(0, 2))
    def take(self, party: int) -> SqliteLease | None:
        if party in self.holds:
            return None
        hold = self.parties[party].hold("write", 0)
        try:
            lease = hold.__enter__()
        except Busy:
            return None
        self.holds[party] = hold
        return lease

    @rule(party=st.integers(0, 2))
    def let_go(self, party: int) -> None:
        if hold := self.holds.pop(party, None):
            hold.__exit__(None, None, None)

    @rule(seconds=st.sampled_from([1.0, 6.0, 16.0]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @rule(lease=held)
    def check(self, lease: SqliteLease | None) -> None:
        if lease is not None:
            try:
                lease.check()
            except Busy:
                return

    @rule(lease=held)
    def write(self, lease: SqliteLease | None) -> None:
        if lease is not None:
            try:
                with lease.leases.guard(lease):
                    lease.leases.connection.execute("INSERT INTO written VALUES(?)", (lease.token,))
            except Busy:
                return

    @invariant()
    def tokens_never_go_back(self) -> None:
        rows = self.parties[0].connection.execute("SELECT token FROM written ORDER BY rowid")
        tokens = [token for (token,) in rows.fetchall()]
        assert tokens == sorted(tokens)

    def teardown(self) -> None:
        for party in list(self.holds):
            self.let_go(party)
        for leases in self.parties:
            leases.close()
        self.folder.cleanup()


TestLeaseLaws = LeaseLaws.TestCase
TestLeaseLaws.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)


def test_a_lease_that_a_full_disk_kept_from_being_released_can_be_taken_again(path: str) -> None:
    script = """
import resource
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
with leases.hold():
    limit(1)
limit(resource.RLIM_INFINITY)
with leases.hold(wait_s=1.0) as lease:
    print("again" if lease.after_crash else "never held")
"""
    with run(path, script) as process:
        wait_for(process, "again")


def test_a_lease_that_was_released_in_memory_alone_can_be_taken_again(path: str) -> None:
    """While the file cannot be written, a copy in memory takes its place, and hears the release."""
    script = """
import resource
from commonplace.model.errors import CommonplaceError
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
leases = SqliteLeases(leases.path, derived=True)
try:
    with leases.hold() as lease:
        limit(1)
        with leases.guard(lease):
            leases.connection.execute("CREATE TABLE notes(path)")
except CommonplaceError:
    limit(resource.RLIM_INFINITY)
with leases.hold(wait_s=1.0) as lease:
    print("again" if lease.after_crash else "never held")
"""
    with run(path, script) as process:
        wait_for(process, "again")


def test_a_writer_takes_no_connection_away_that_another_thread_reads_from(path: str) -> None:
    """Once there is room again, the file takes the place of the copy in memory."""
    leases = SqliteLeases(path, derived=True)
    leases.connection.replace(apsw.FullError("database or disk is full"))
    assert leases.connection.unwritable is not None
    held: list[bool] = []

    def write() -> None:
        with leases.hold():
            held.append(leases.connection.unwritable is None)

    writer = Thread(target=write)
    with leases.reading():
        rows = iter(leases.connection.execute("VALUES (1), (2), (3)"))
        assert next(rows) == (1,)
        writer.start()
        writer.join(timeout=1.0)
        assert list(rows) == [(2,), (3,)]
    writer.join()
    assert held == [True]
    leases.close()
