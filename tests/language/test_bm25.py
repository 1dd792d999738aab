"""How well the words of a question fit a text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from commonplace.language import similarity
from commonplace.language.similarity import Statistics, best_window

BOOK = Statistics(documents=100, length=2_000)


def scored(postings: dict[str, dict[int, float]]) -> dict[int, float]:
    """Scores of texts whose numbers are also the steps of their lengths."""
    return similarity.scores(postings, BOOK, norm=lambda text: similarity.norms(BOOK)[text])


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    found = scored({"rare": {10: 1}, "common": dict.fromkeys((11, 12, 13), 1)})
    assert found[10] > found[11]


def test_a_short_text_beats_a_long_one_that_says_it_as_often() -> None:
    found = scored({"rare": {5: 1, 40: 1}})
    assert found[5] > found[40]


def test_repeating_a_word_helps_less_each_time() -> None:
    once, twice, often = (scored({"rare": {10: n}})[10] for n in (1, 2, 20))
    assert once < twice < often
    assert often < 3 * once


def test_the_rarest_words_are_read_first_and_unknown_ones_never() -> None:
    known = {"the": 900, "oregon": 3, "database": 40, "unheard": 0}
    assert similarity.rarest(known, most=2, postings=10_000) == ["oregon", "database"]


def test_reading_stops_at_its_limit_but_not_before_the_second_word() -> None:
    known = {"a": 500, "b": 600, "c": 700}
    assert similarity.rarest(known, most=12, postings=100) == ["a", "b"]


@given(st.integers(0, 10_000))
def test_lengths_keep_their_order_and_size_on_the_scale(length: int) -> None:
    assert similarity.step(length) <= similarity.step(length + 1)
    on_scale = similarity.LENGTHS[similarity.step(length)]
    assert on_scale <= length
    assert length <= on_scale * 1.2 + 1 or similarity.step(length) == similarity.STEPS - 1


@given(st.integers(0, 1_000), st.integers(0, 1_000))
def test_no_word_ever_counts_against_a_text(documents: int, frequency: int) -> None:
    assert similarity.rarity(documents, frequency) >= 0


def test_of_a_long_text_the_window_that_says_most_counts() -> None:
    whole = BOOK
    worth = {"spare": 3.0, "key": 2.0, "tea": 1.0}
    apart = {"spare": {3: 1.0}, "key": {40: 1.0}, "tea": {80: 2.0}}
    together = {"spare": {3: 1.0}, "key": {4: 1.0}, "tea": {80: 2.0}}
    assert best_window(apart, worth, whole)[1] == {"spare"}
    score, held = best_window(together, worth, whole)
    assert held == {"spare", "key"}
    assert score > best_window(apart, worth, whole)[0]
    titled = {"spare": {3: 1.0}, "tea": {-1: 1.5}}
    assert best_window(titled, worth, whole)[1] == {"spare", "tea"}
    assert best_window({}, worth, whole) == (0.0, frozenset())
