"""Pairs that are alike are all found, without comparing all with all."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from commonplace.rules.relations.duplicates import similar_pairs

texts = st.lists(st.frozensets(st.sampled_from("abcdefghij"), min_size=1), max_size=25)


@given(texts, st.sampled_from([0.3, 0.5, 0.7, 0.8, 1.0]))
def test_exactly_the_pairs_that_are_alike_enough_are_found(
    words: list[frozenset[str]], least: float
) -> None:
    alike = {
        frozenset((one, other))
        for one, other in combinations(range(len(words)), 2)
        if 2 * len(words[one] & words[other])
        >= least * (len(words[one]) + len(words[other])) - 1e-9
    }
    found = list(similar_pairs(dict(enumerate(words)), least=least))
    assert len(found) == len(alike)
    assert set(map(frozenset, found)) == alike
