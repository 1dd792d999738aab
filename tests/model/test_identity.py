"""Ids, slugs and hashes."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from commonplace.model.identity import IdMaker, content_hash, keyed_hash, normalized, slug


@given(st.lists(st.integers(min_value=0, max_value=2**47), min_size=2, max_size=50))
def test_ids_grow_even_when_the_clock_jumps_back(clock: list[int]) -> None:
    make = IdMaker(os.urandom)
    made = [make(now) for now in clock]
    assert made == sorted(set(made))
    assert all(len(id) == 26 for id in made)


def test_two_makers_with_one_clock_do_not_collide() -> None:
    makers = [IdMaker(os.urandom) for _ in range(4)]
    made = [make(1_700_000_000_000) for make in makers for _ in range(1_000)]
    assert len(set(made)) == len(made)


def test_equal_texts_hash_equal_whatever_their_spacing_and_case() -> None:
    assert content_hash("The deploy branch is  main.") == content_hash("the deploy branch is main")
    assert content_hash("Ｆｕｌｌ　width") == content_hash("full width")
    assert content_hash("main") != content_hash("develop")


def test_an_exponent_or_a_fraction_is_no_digit() -> None:
    for one, other in (("10⁶", "106"), ("2½ cups", "21⁄2 cups"), ("10¹²", "1012")):
        assert normalized(one) != normalized(other)
    for one, other in (("40 m²", "40 m2"), ("CO₂", "CO2"), ("10⁶ ROWS.", "10⁶ rows")):
        assert normalized(one) == normalized(other)


def test_hashes_are_those_that_books_already_hold() -> None:
    assert content_hash("10⁶ Rows!") == "9308da5390a0b5edfc27f408ea2fb8da"
    assert keyed_hash("10⁶ Rows!", "book") == "e1699c8eb973c596d38364a2588290b2"


def test_a_digest_depends_on_the_book() -> None:
    assert keyed_hash("my secret", "book-a") != keyed_hash("my secret", "book-b")


@given(st.text(max_size=400))
def test_a_slug_is_a_safe_file_name(text: str) -> None:
    name = slug(text, "0123456789abcdefghjkmnpqrs")
    assert name.endswith("-mnpqrs")
    assert not set(name) & set('/\\:*?"<>|#^[]\0\n')
    assert len(name.encode()) < 160
    assert not name.startswith((".", "-", "_"))
