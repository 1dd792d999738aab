"""The rule by which devices settle a memory that they have written differently."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from commonplace.model.memory import Memory
from commonplace.rules.convergence import (
    circles,
    is_other_side,
    leading_side,
    other_side,
    same_text,
    settle_sides,
)
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


HEADS = st.lists(
    st.tuples(
        st.sampled_from(["tea", "coffee"]),
        st.sets(st.sampled_from(["hot", "cold", "sweet"])).map(lambda tags: tuple(sorted(tags))),
        st.sampled_from(["", "Drinks", "Breakfast"]),
        st.sampled_from([None, "kitchen", "office"]),
    ),
    min_size=1,
    max_size=5,
)


def sides_with_heads(heads: list[tuple[str, tuple[str, ...], str, str | None]]) -> list[Memory]:
    texts = sides([text for text, *_ in heads])
    return [
        side.but(tags=tags, title=title, topic=topic)
        for side, (_, tags, title, topic) in zip(texts, heads, strict=True)
    ]


@given(HEADS)
def test_every_field_stays_or_is_asked_about(
    heads: list[tuple[str, tuple[str, ...], str, str | None]],
) -> None:
    given_sides = sides_with_heads(heads)
    settled = settle_sides(given_sides)
    kept = settled.kept
    assert kept is not None
    assert set(kept.tags) == {tag for side in given_sides for tag in side.tags}
    shown = [kept, *settled.asked]
    for name in ("title", "topic"):
        beside = {getattr(side, name) for side in given_sides if same_text(side, kept)}
        assert beside - {"", None} <= {getattr(one, name) for one in shown}
    assert len({one.id for one in settled.asked}) == len(settled.asked)


@given(HEADS)
def test_what_is_settled_is_settled(
    heads: list[tuple[str, tuple[str, ...], str, str | None]],
) -> None:
    whole = sides_with_heads(heads)
    once = settle_sides(whole)
    assert once.kept is not None
    again = settle_sides([once.kept, *whole])
    assert again.kept == once.kept
    assert {one.id for one in again.asked} == {one.id for one in once.asked}
    assert not any(is_other_side(one, once.kept) for one in once.asked)


def test_a_state_that_a_later_change_replaced_brings_nothing_back() -> None:
    newest, older = sides(["tea", "tea"])
    newest, older = newest.but(tags=("hot",)), older.but(tags=("hot", "old"), topic="office")
    settled = settle_sides([newest, older], is_earlier=lambda side, name: side is older)
    assert settled.kept == newest
    assert settled.asked == ()


def test_the_stricter_sensitivity_stays() -> None:
    newest, older = sides(["tea", "coffee"])
    settled = settle_sides([newest.but(sensitivity="public"), older.but(sensitivity="sensitive")])
    assert settled.kept is not None
    assert settled.kept.sensitivity == "sensitive"


def test_an_agents_file_never_takes_the_place_of_a_curated_text_or_title() -> None:
    curated, agents = sides(["as saved", "as an agent would like it"])
    settled = settle_sides(
        [curated.but(owner="curated"), agents.but(owner="agent", trust="user", title="Mine")],
        is_unedited=lambda side: side.content == "as saved",
    )
    assert settled.kept == curated.but(owner="curated")
    (asked,) = settled.asked
    assert (asked.trust, asked.title) == ("agent", "Mine")


def test_lines_that_end_otherwise_are_the_same_text() -> None:
    here, there = sides(["tea\nand milk", "tea\r\nand milk\r"])
    assert settle_sides([here, there]).asked == ()
    other = memory("water").but(id="same")
    assert other_side(here, other).id == other_side(there, other).id


def test_memories_that_replaced_each_other_are_a_circle() -> None:
    assert circles({"a": "b", "b": "a", "c": "a", "d": "e"}) == [("a", "b")]
    assert circles({"a": "b", "b": "c", "c": "a"}) == [("a", "b", "c")]
    assert circles({"a": "b", "b": "c"}) == []


def test_an_accepted_entry_leads_before_the_same_one_turned_down_later() -> None:
    rejected, accepted = sides(["tea", "tea"])
    accepted = accepted.but(version=2)
    assert leading_side([rejected.but(status="deleted"), accepted]) == 1
    # Whoever forgets it has seen that it was accepted.
    assert leading_side([rejected.but(status="deleted", version=2), accepted]) == 0
    assert leading_side([rejected, accepted]) == 0
