"""The duplicate gate and the contradiction judge read the same word lists."""

from __future__ import annotations

import pytest

from commonplace.language.stems import stem
from commonplace.language.vocabulary import STOPWORDS
from commonplace.language.vocabulary.statements import (
    CALENDAR_NAMES,
    COUNTERPARTS,
    NEGATIONS,
    NUMBER_DIGITS,
    OPPOSITES,
    TELLING_FUNCTION_WORDS,
)
from commonplace.rules.relations import contradiction, differences
from commonplace.rules.relations.claims import is_denial

SILENT = (STOPWORDS | NEGATIONS) - TELLING_FUNCTION_WORDS
"""Words that a comparison of two texts leaves out."""


def pairs(listed: frozenset[frozenset[str]], silent: frozenset[str]) -> list[list[str]]:
    return sorted(sorted(pair) for pair in listed if silent.isdisjoint((*pair, *map(stem, pair))))


@pytest.mark.parametrize("pair", pairs(OPPOSITES, SILENT), ids=" ".join)
def test_an_opposite_keeps_two_texts_apart(pair: list[str]) -> None:
    newer, older = (f"The lamp at Ada's shop is {word}." for word in pair)
    assert differences.find_difference(newer, older)


@pytest.mark.parametrize("pair", pairs(OPPOSITES, STOPWORDS | NEGATIONS), ids=" ".join)
def test_an_opposite_contradicts(pair: list[str]) -> None:
    newer, older = (f"The lamp at Ada's shop is {word}." for word in pair)
    assert contradiction.judge(newer, older).relation == "contradicts"


@pytest.mark.parametrize("pair", pairs(COUNTERPARTS, SILENT), ids=" ".join)
def test_a_counterpart_keeps_two_texts_apart_without_a_contradiction(pair: list[str]) -> None:
    newer, older = (f"Ada painted the copper lamp {word}." for word in pair)
    assert differences.find_difference(newer, older)
    assert contradiction.judge(newer, older).relation != "contradicts"


@pytest.mark.parametrize("word", sorted(NEGATIONS))
def test_a_negation_counts_for_gate_and_judge(word: str) -> None:
    assert differences.text_features(f"Ada {word} sings").negations == 1
    assert is_denial(f"Ada {word} sings")


@pytest.mark.parametrize("words", [sorted(NUMBER_DIGITS), sorted(CALENDAR_NAMES)])
def test_another_number_or_day_counts_for_gate_and_judge(words: list[str]) -> None:
    for word in words:
        other = next(one for one in words if stem(one) != stem(word))
        if NUMBER_DIGITS.get(word, word) == NUMBER_DIGITS.get(other, other + word):
            continue
        newer, older = f"The deadline is {word}.", f"The deadline is {other}."
        assert differences.find_difference(newer, older) in ("number", "time")
        assert contradiction.judge(newer, older).relation == "contradicts"
