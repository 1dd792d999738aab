"""The rule by which devices settle a memory that they have written differently."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from commonplace.model.memory import Memory
from commonplace.rules.convergence import other_side, settle_sides
from tests.conformance.samples import NOON, memory

TEXTS = st.lists(st.sampled_from(["tea", "coffee", "milk", "water", "juice"]), min_size=1)


def sides(texts: list[str]) -> list[Memory]:
    """Sides of one memory, the newest first."""
    latest = NOON + timedelta(minutes=len(texts))
    return [
        memory(text).but(id="same", updated=latest - timedelta(minutes=place))
        for place, text in enumerate(texts)
    ]


@given(TEXTS)
def test_every_text_stays_or_is_asked_about_once(texts: list[str]) -> None:
    settled = settle_sides(sides(texts))
    assert settled.kept is not None
    shown = [settled.kept.content, *(one.content for one in settled.asked)]
    assert sorted(shown) == sorted(set(texts))
    assert len({one.id for one in settled.asked}) == len(settled.asked)


@given(TEXTS, TEXTS)
def test_settling_in_two_steps_asks_the_same(first: list[str], later: list[str]) -> None:
    """A device that has seen a part of the sides asks what one asks that has seen all of them."""
    whole = sides([*first, *later])
    begun = settle_sides(whole[: len(first)])
    assert begun.kept is not None
    ended = settle_sides([begun.kept, *whole[len(first) :]])
    at_once = settle_sides(whole)
    assert ended.kept == at_once.kept
    assert {one.id for one in (*begun.asked, *ended.asked)} == {one.id for one in at_once.asked}


def test_a_text_that_nobody_edited_gives_way_to_one_that_somebody_did() -> None:
    newest, edited = sides(["as saved", "as edited by hand"])
    settled = settle_sides(
        [newest.but(tags=("new",)), edited], is_unedited=lambda side: side.content == "as saved"
    )
    assert settled.kept == newest.but(tags=("new",), content="as edited by hand")
    assert settled.asked == ()


def test_an_edit_of_a_memory_that_was_replaced_elsewhere_asks_about_its_successor() -> None:
    replaced, edited = sides(["as saved", "as edited by hand"])
    settled = settle_sides(
        [replaced.but(status="superseded", superseded_by="successor"), edited],
        is_unedited=lambda side: side.content == "as saved",
    )
    (asked,) = settled.asked
    assert (asked.status, asked.supersedes) == ("staged", "successor")


def test_a_file_in_an_agents_folder_is_not_believed_that_a_person_wrote_it() -> None:
    kept, other = sides(["one", "two"])
    assert other_side(other.but(owner="agent", trust="user"), kept).trust == "agent"
    assert other_side(other.but(owner="curated", trust="user"), kept).trust == "user"
