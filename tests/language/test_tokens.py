"""Tokens are counted too high rather than too low, and a cut text fits."""

from __future__ import annotations

import base64

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from commonplace.language.tokens import MARK, cut, estimate, shortened
from tests.language.scripts_of_the_world import SAMPLES

texts = st.one_of(st.text(max_size=80), st.text("abcnr XYZ09\n\t-é中😀\u200d", max_size=80))


@pytest.mark.parametrize("script", SAMPLES)
def test_no_tokenizer_takes_more_than_estimated(script: str) -> None:
    most, text = SAMPLES[script]
    assert estimate(text) >= most


@pytest.mark.parametrize(
    ("text", "most"),
    [
        # Each with what the dearest of the same four tokenizers takes.
        (base64.b64encode(bytes(range(0, 250, 3))).decode(), 91),
        ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 60),
        ("01k9z3h8m2q4v6x8y0a2c4e6g8", 27),
        ('{"id": 12, "name": "user12", "x": [18.0, null, true]}', 28),
        ("    if x:\n        return y\n", 9),
        ("a\tb\tc\n1\t2\t3\n" * 5, 60),
        (" \n\t \n" * 20, 100),
        ("31415926535897932384626433832795", 33),
    ],
)
def test_code_ids_and_whitespace_are_not_taken_for_prose(text: str, most: int) -> None:
    assert estimate(text) >= most


def test_english_is_not_counted_far_too_high() -> None:
    most, text = SAMPLES["English"]
    assert estimate(text) <= 2 * most


def test_nothing_takes_nothing() -> None:
    assert estimate("") == 0


@given(texts, texts)
@example("xxb", "bbb")
@example("tt", "a")
@example("gran", "c")
@example("one ", " two")
def test_two_texts_take_together_what_they_take_alone_give_or_take_one(a: str, b: str) -> None:
    together = estimate(a + b)
    assert together <= estimate(a) + estimate(b) + 1
    assert together >= max(estimate(a), estimate(b)) - 1


@given(texts, st.integers(-2, 60))
def test_a_cut_text_fits_and_is_a_beginning(text: str, tokens: int) -> None:
    kept = cut(text, tokens)
    assert estimate(kept) <= max(0, tokens)
    assert kept in ("", text) or text.startswith(kept.removesuffix(MARK))
    assert kept == text or not kept or kept.endswith(MARK)


@given(texts, texts, st.integers(-200, 4_000), st.integers(-5, 100))
def test_a_shortened_text_fits_after_another(
    before: str, text: str, price_limit: int, characters: int
) -> None:
    kept = shortened(text, before=before, price_limit=price_limit, characters=characters)
    if kept:
        assert len(before) + len(kept) <= characters


def test_a_cut_keeps_words_whole() -> None:
    text = "The deploy branch of mech-fighters is main, never master"
    assert cut(text, 18) == "The deploy branch of mech-fighters is…"
    assert cut(text, 100) == text


def test_a_text_without_spaces_is_cut_between_characters() -> None:
    kept = cut("数据库迁移在星期五晚上进行" * 20, 30)
    assert len(kept) > 10
    assert estimate(kept) <= 30


def test_a_cut_never_leaves_half_an_emoji() -> None:
    family = "👩‍👩‍👧‍👦"
    for tokens in range(40):
        assert cut(family * 3, tokens).removesuffix(MARK) in ("", family, family * 2, family * 3)


def test_a_huge_text_is_cut_without_reading_all_of_it() -> None:
    assert estimate(cut("the quick brown fox " * 50_000, 50)) <= 50
