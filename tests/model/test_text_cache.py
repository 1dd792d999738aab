"""Answers about texts, remembered within a bound on their length."""

from __future__ import annotations

import gc
import random
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from commonplace.language import words
from commonplace.model.identity import normalized
from commonplace.model.text_cache import CHARACTERS, remembered
from commonplace.rules.relations.claims import read_claims
from commonplace.rules.relations.differences import text_features
from commonplace.rules.relations.duplicates import telling_terms

if TYPE_CHECKING:
    from collections.abc import Callable


def test_an_answer_is_found_out_once() -> None:
    asked: list[str] = []

    @remembered(characters=20)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    assert [length(text) for text in ("fig", "plum", "fig", "plum")] == [3, 4, 3, 4]
    assert asked == ["fig", "plum"]


def test_beyond_its_length_it_begins_anew_and_a_longer_text_is_remembered_alone() -> None:
    asked: list[str] = []

    @remembered(characters=10)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    for text in ("fig", "plum", "pear", "pear", "fig", "a" * 30, "a" * 30, "fig", "fig"):
        length(text)
    assert asked == ["fig", "plum", "pear", "fig", "a" * 30, "fig"]


@pytest.mark.parametrize("about", [telling_terms, text_features, read_claims, normalized])
def test_long_notes_do_not_fill_the_memory_of_a_server(about: Callable[[str], object]) -> None:
    chance = random.Random(11)
    vocabulary = ["".join(chance.choices("bdfgklmnrst", k=7)) for _ in range(2_000)]

    def note() -> str:
        return " ".join(chance.choices(vocabulary, k=2_500))

    about(note())
    for word in vocabulary:  # Remembered by itself.
        words.terms(word)
    held: list[int] = []
    tracemalloc.start()
    try:
        for _ in range(2):
            for _ in range(2 * CHARACTERS // 20_000):
                about(note())
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert held[1] <= 1.5 * held[0]
