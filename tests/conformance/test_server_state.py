"""Every server state keeps the same promises to the servers that share it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.backends.common.server_state import LocalServerState
from commonplace.backends.sql.postgres.database import PostgresAddress
from commonplace.backends.sql.postgres.server_state import PostgresServerState
from commonplace.model.errors import Busy, StoreUnavailable
from commonplace.ports.server_state import ServerState
from commonplace.rules import limits
from tests.backends.postgres import server

HOUR_S = 3600.0


@pytest.fixture(params=["local", "postgresql"])
def desks(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[ServerState, ServerState]]:
    """The same desk, as two that share it see it."""
    if request.param == "local":
        # Two threads of one process; two processes are told apart by a lease of the store.
        one = LocalServerState(str(tmp_path))
        yield one, one
        return
    address = PostgresAddress.parse(server.made(tmp_path / "book"))
    both = (PostgresServerState(address), PostgresServerState(address))
    yield both
    for desk in both:
        desk.close()
    server.give_back(tmp_path / "book")


Desks = tuple[ServerState, ServerState]


def test_a_token_kept_by_one_is_known_to_the_other_until_one_drops_it(desks: Desks) -> None:
    here, there = desks
    assert not there.tokens_required()
    here.put_token("0123456789ab", '{"hash": "…"}')
    assert there.token("0123456789ab") == '{"hash": "…"}'
    assert there.tokens() == {"0123456789ab": '{"hash": "…"}'}
    there.drop_token("0123456789ab")
    there.drop_token("0123456789ab")
    assert (here.token("0123456789ab"), here.tokens()) == (None, {})
    assert here.tokens_required(), "the door stays shut"


def test_a_desk_that_drops_every_token_needs_none_any_more(desks: Desks) -> None:
    here, there = desks
    here.put_token("0123456789ab", '{"hash": "…"}')
    here.put_token("ba9876543210", '{"hash": "…"}')
    there.drop_every_token()
    there.drop_every_token()
    assert (here.tokens(), here.tokens_required()) == ({}, False)
    here.put_token("0123456789ab", '{"hash": "…"}')
    assert there.tokens_required()


def test_a_job_is_done_when_it_is_due_and_not_again(desks: Desks) -> None:
    here, there = desks
    with here.turn("backup", every_s=HOUR_S, at_once=True) as mine:
        assert mine
        with there.turn("backup", every_s=HOUR_S, at_once=True) as theirs:
            assert not theirs, "somebody is at it"
        with there.turn("tidy", every_s=HOUR_S, at_once=True) as other:
            assert other, "another job is another matter"
    with there.turn("backup", every_s=HOUR_S, at_once=True) as again:
        assert not again
    with there.turn("backup", every_s=0.0, at_once=True) as later:
        assert later


def test_a_job_that_was_never_done_is_given_its_first_while(desks: Desks) -> None:
    here, there = desks
    for desk in (here, there, here):
        with desk.turn("tidy", every_s=HOUR_S) as mine:
            assert not mine
    with there.turn("tidy", every_s=0.0) as mine:
        assert mine


def test_a_job_that_failed_is_due_again_at_once(desks: Desks) -> None:
    here, there = desks

    def fail() -> None:
        with here.turn("backup", every_s=HOUR_S, at_once=True) as mine:
            assert mine
            raise Busy("The disk is busy.", hint="Wait.")

    with pytest.raises(Busy):
        fail()
    with there.turn("backup", every_s=HOUR_S, at_once=True) as mine:
        assert mine


def test_a_desk_that_cannot_note_says_so_in_our_words(tmp_path: Path) -> None:
    desk = LocalServerState(str(tmp_path / "gone"))
    with (
        pytest.raises(StoreUnavailable, match="cannot be stored"),
        desk.turn("backup", every_s=HOUR_S, at_once=True),
    ):
        pass


def test_of_many_that_find_a_job_due_one_does_it(desks: Desks) -> None:
    together, done = Barrier(8), list[int]()

    def attempt(number: int) -> None:
        together.wait()
        with desks[number % 2].turn("backup", every_s=HOUR_S, at_once=True) as mine:
            if mine:
                done.append(number)

    crowd = [Thread(target=attempt, args=(n,)) for n in range(8)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join()
    assert len(done) == 1


def test_a_share_is_one_for_all_who_draw_on_it(desks: Desks) -> None:
    here, there = desks
    drawn = [desk.take("ada", 4, per_second=0.001, most=10.0) for desk in (here, there, here)]
    assert [one.amount for one in drawn] == [4, 4, 2]
    assert there.take("ada", 4, per_second=0.001, most=10.0).amount == 0
    assert there.take("bob", 4, per_second=0.001, most=10.0).amount == 4


def test_a_desk_that_can_be_reached_says_nothing(desks: Desks) -> None:
    desks[0].check()


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(1, 30)), max_size=30))
def test_nobody_gets_more_than_a_burst_and_what_grows_back(asked: list[tuple[float, int]]) -> None:
    left, given_out = 20.0, 0
    for idle_s, wanted in asked:
        taken = limits.take_from_bucket(left, idle_s, wanted, per_second=2.0, most=20.0)
        assert 0 <= taken.amount <= wanted
        assert 0 <= taken.left <= 20
        left, given_out = taken.left, given_out + taken.amount
    assert given_out <= 20 + 2.0 * sum(idle_s for idle_s, _ in asked) + 1e-6
