"""Rankings are scored the way the evaluation sets define it."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.rules.ranking.measures import CUTOFFS, Query, measure_ranking, score_rankings

IDS = st.lists(st.sampled_from("abcdefghij"), max_size=20)


def asked(id: str, category: str, *evidence: str, newest: tuple[str, ...] = ()) -> Query:
    return Query(id, "?", "talk", category=category, evidence=evidence, newest=newest)


def test_one_of_two_answers_in_second_place() -> None:
    found = measure_ranking(["tea", "cake"], ["rain", "tea", "wind"])
    assert (found["recall_any@1"], found["recall_any@5"]) == (0.0, 1.0)
    assert (found["recall_all@5"], found["recall@5"]) == (0.0, 0.5)
    assert found["mrr"] == 0.5
    assert found["ndcg@10"] == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))


def test_a_repeated_id_counts_where_it_comes_first() -> None:
    assert measure_ranking(["tea"], ["rain", "rain", "rain", "tea"])["mrr"] == 0.5


def test_the_eleventh_place_gains_nothing() -> None:
    found = measure_ranking(["tea"], [*"abcdefghij", "tea"])
    assert (found["ndcg@10"], found["recall_all@10"], found["recall_all@20"]) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("ranked", "expected"),
    [
        (["new", "old"], 1.0),
        (["old", "new"], 0.0),
        (["rain", "new"], 1.0),
        (["old"], 0.0),
        ([], 0.0),
        ([*map(str, range(50)), "new"], 0.0),
    ],
)
def test_newest_first_wants_the_newest_above_everything_older(
    ranked: list[str], expected: float
) -> None:
    assert measure_ranking(["old", "new"], ranked, newest=["new"])["newest_first"] == expected


def test_questions_without_an_answer_are_counted_and_not_scored() -> None:
    scores = score_rankings([asked("1", "easy", "a"), asked("2", "easy")], {"1": ["a"], "2": ["b"]})
    assert (scores.scored, scores.skipped) == (1, 1)
    assert scores.results["ALL"]["recall_all@1"] == 1.0


def test_a_question_that_was_not_answered_scores_nothing() -> None:
    assert score_rankings([asked("1", "easy", "a")], {}).results["ALL"]["ndcg@10"] == 0.0


def test_all_is_the_mean_over_questions_and_macro_over_categories() -> None:
    queries = [asked("1", "easy", "a"), asked("2", "easy", "a"), asked("3", "hard", "a")]
    scores = score_rankings(queries, {"1": ["a"], "2": ["a"], "3": ["z"]})
    assert list(scores.results) == ["ALL", "easy", "hard", "MACRO"]
    assert scores.results["ALL"]["recall_all@1"] == 0.6667
    assert scores.results["MACRO"]["recall_all@1"] == 0.5
    assert (scores.results["easy"]["n"], scores.results["MACRO"]["n"]) == (2, 2)


def test_questions_that_mislead_are_also_left_out_of_the_mean() -> None:
    queries = [asked("1", "easy", "a"), asked("2", "adversarial", "a")]
    results = score_rankings(queries, {"1": ["a"]}).results
    assert results["ALL"]["mrr"] == 0.5
    assert results["ALL-no-adversarial"]["mrr"] == 1.0


def test_newest_first_is_a_mean_over_what_changed_only() -> None:
    queries = [asked("1", "update", "a", "b", newest=("b",)), asked("2", "easy", "a")]
    results = score_rankings(queries, {"1": ["b", "a"]}).results
    assert results["ALL"]["newest_first"] == 1.0
    assert "newest_first" not in results["easy"]
    assert "newest_first" not in results["MACRO"]


def test_the_interval_is_the_same_every_time_and_holds_the_mean() -> None:
    queries = [asked(str(number), "easy", "a") for number in range(40)]
    run = {str(number): ["a"] for number in range(30)}
    once, again = score_rankings(queries, run), score_rankings(queries, run)
    assert once.intervals == again.intervals
    low, high = once.intervals["recall_all@10"]
    assert low < 0.75 < high


def test_an_empty_set_has_no_scores_and_no_fault() -> None:
    scores = score_rankings([], {})
    assert (scores.scored, dict(scores.intervals)) == (0, {})
    assert scores.results["ALL"] == {"n": 0}


@given(evidence=IDS.filter(bool), ranked=IDS)
def test_every_measure_is_a_share_and_grows_with_the_cutoff(
    evidence: list[str], ranked: list[str]
) -> None:
    found = measure_ranking(evidence, ranked)
    assert all(0 <= value <= 1 for value in found.values())
    for kind in ("recall_any", "recall_all", "recall"):
        values = [found[f"{kind}@{cutoff}"] for cutoff in CUTOFFS]
        assert values == sorted(values)


@given(evidence=IDS.filter(bool), rest=IDS)
def test_the_answers_on_top_are_a_perfect_ranking(evidence: list[str], rest: list[str]) -> None:
    found = measure_ranking(evidence, [*evidence, *rest])
    assert found["ndcg@10"] == pytest.approx(1.0)
    assert (found["mrr"], found["recall_all@10"]) == (1.0, 1.0)
