"""What is the same: other words may be, another number, name, day or yes and no never are.

Pairs that are alike are all found, without comparing all with all.
"""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.notes.display import sealed_line
from commonplace.ports.reasoner import Merged
from commonplace.rules.relations import differences, duplicates, merge
from commonplace.rules.relations.duplicates import (
    SCALES,
    CosineScale,
    compare_texts,
    cosine_to_similarity,
    similar_pairs,
)
from tests.conformance.samples import memory

words = st.lists(
    st.sampled_from(
        ["deploy", "branch", "cache", "Ada", "Bob", "likes", "tea", "5", "not", "never", "Monday"]
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("the deploy branch is main", "The deploy branch is main!"),
        ("Use the pnpm lock file", "Use a pnpm lock file"),
        ("The build takes nine minutes nowadays", "The build currently takes nine minutes"),
        ("Deployments are running at night", "The deployment runs at night"),
        ("数据库在新的服务器上。", "数据库在新的服务器上"),
    ],
)
def test_the_same_statement_in_nearly_the_same_words_is_the_same(newer: str, older: str) -> None:
    assert compare_texts(newer, older).verdict == "same"


@pytest.mark.parametrize(
    ("newer", "older", "difference"),
    [
        ("Ship the beta on Thursday?", "Ship the beta on Thursday", "question"),
        (
            "The API limit is 500 requests a minute",
            "The API limit is 100 requests a minute",
            "number",
        ),
        (
            "Stay on version 3.1 of the driver for now",
            "Stay on version 3.0 of the driver for now",
            "number",
        ),
        ("Backups run twice on the old server", "Backups run once on the old server", "number"),
        (
            "The new colleague in the team of the third floor is called Anne",
            "The new colleague in the team of the third floor is called Ann",
            "name",
        ),
        ("The tests for module b pass", "The tests for module a pass", "name"),
        ("Alice reviews all frontend code", "Alice reviews all backend code", "polarity"),
        (
            "Lunch with the whole team is on Friday",
            "Lunch with the whole team is on Monday",
            "time",
        ),
        (
            "Ada signs the release before it ships",
            "Bob signs the release before it ships",
            "subject",
        ),
        (
            "The release is signed by Ada before it ships",
            "The release is signed by Bob before it ships",
            "name",
        ),
        (
            "The job writes to orders_eu every time",
            "The job writes to orders_us every time",
            "name",
        ),
        (
            "The cache is not shared between the workers",
            "The cache is shared between the workers",
            "negation",
        ),
        ("The user doesn't want emails at work", "The user does want emails at work", "negation"),
        (
            "The user dislikes the new colour scheme",
            "The user likes the new colour scheme",
            "polarity",
        ),
        (
            "Strict mode is enabled for the whole package",
            "Strict mode is disabled for the whole package",
            "polarity",
        ),
        (
            "Requests to the proxy are unsafe in general",
            "Requests to the proxy are safe in general",
            "polarity",
        ),
        ("Ada pays Bob for the tickets", "Bob pays Ada for the tickets", "order"),
        ("The user prefers tabs over spaces", "The user prefers spaces over tabs", "order"),
        ("The big button on the page is red", "The big button on the page is blue", "value"),
        ("我们不使用新的数据库服务器", "我们使用新的数据库服务器", "negation"),
    ],
)
def test_what_differs_in_something_telling_is_never_the_same(
    newer: str, older: str, difference: str
) -> None:
    for one, other in ((newer, older), (older, newer)):
        found = compare_texts(one, other, cosine=0.95, by=SCALES["commonplace-1"])
        assert found.verdict == "apart"
        assert found.difference in {difference, "name", "subject"}


def test_likes_and_dislikes_never_merge_however_close_their_vectors_are() -> None:
    found = compare_texts("Ada likes Adidas", "Ada dislikes Adidas", cosine=1.0)
    assert (found.verdict, found.difference) == ("apart", "polarity")


def test_something_added_belongs_together_and_less_said_is_known() -> None:
    short = "Use ruff for linting and formatting the code"
    long = "Use ruff for linting and formatting the code of the server"
    assert compare_texts(long, short).verdict == "merge"
    assert compare_texts(short, long).verdict == "merge"
    assert compare_texts("An entirely different matter", short).verdict == "apart"


def test_meaning_can_join_what_words_do_not_and_by_the_scale_of_its_model() -> None:
    newer, older = "Ada scrubs the kitchen floor by hand", "Ada cleans the kitchen manually"
    assert compare_texts(newer, older).verdict == "apart"
    assert compare_texts(newer, older, cosine=0.97, by=CosineScale(0.85, 0.95)).verdict == "merge"
    assert compare_texts(newer, older, cosine=0.97, by=CosineScale(0.98, 0.99)).verdict == "apart"


def test_cosines_are_read_by_what_was_measured() -> None:
    by = CosineScale(0.85, 0.95)
    assert cosine_to_similarity(0.85, by) == pytest.approx(0.8)
    assert cosine_to_similarity(0.95, by) == pytest.approx(0.95)
    assert cosine_to_similarity(-1.0, by) == 0.0
    assert duplicates.scale_for_model("unheard of") == duplicates.UNMEASURED
    assert duplicates.scale_for_model("unheard of", merge=0.7) == CosineScale(
        0.7, duplicates.UNMEASURED.same
    )


@given(words, words)
def test_comparing_never_depends_on_who_is_first_for_what_keeps_texts_apart(
    one: list[str], other: list[str]
) -> None:
    left, right = " ".join(one), " ".join(other)
    assert bool(differences.find_difference(left, right)) == bool(
        differences.find_difference(right, left)
    )
    assert compare_texts(left, left).verdict == "same"


@given(words, words)
def test_what_is_the_same_has_the_same_numbers_names_and_negations(
    one: list[str], other: list[str]
) -> None:
    left, right = " ".join(one), " ".join(other)
    if compare_texts(left, right).verdict != "apart":
        assert differences.text_features(left).numbers == differences.text_features(right).numbers
        assert (
            differences.text_features(left).negations == differences.text_features(right).negations
        )


def test_texts_with_mostly_the_same_words_share_a_signature() -> None:
    one = "vibecop catches unhandled None checks in combat systems"
    other = "vibecop also catches unhandled None checks in all combat systems"
    assert set(duplicates.signatures(one)) & set(duplicates.signatures(other))
    assert not set(duplicates.signatures(one)) & set(
        duplicates.signatures("Lunch is at noon today")
    )
    assert duplicates.signatures("") == duplicates.signatures("the of and") == ()


def test_a_merge_that_lost_a_statement_is_recognized() -> None:
    newer, older = "The port is 8080. Ada owns it.", "The port is 8000. It is behind the proxy."
    merged = merge.merge_texts(newer, older)
    assert merge.is_sound(merged, newer, older)
    assert not merge.is_sound(Merged("The port is 8080. Ada owns it."), newer, older)


def test_coverage_counts_statements_and_says_what_is_left() -> None:
    known = "Warm the cache first. Then open the gate. Ada has the key."
    assert merge.coverage("Then open the gate.", known).share == 1.0
    half = merge.coverage("Warm the cache first. Bob has the map of the whole house.", known)
    assert 0.3 < half.share < 0.5
    assert half.left == "Bob has the map of the whole house."
    assert merge.coverage("Bob likes coffee", "Ada likes coffee").share == 0.0


def test_a_statement_of_a_merged_memory_is_recognized() -> None:
    merged = "The deploy branch is called main\nThe deploy branch is main"
    assert merge.compare_memories("the deploy branch is main", merged).verdict == "same"


def test_vectors_do_not_speak_for_words_in_scripts_that_models_hardly_know() -> None:
    tea, coffee = "我喜欢喝茶。", "我喜欢喝咖啡。"
    assert compare_texts(coffee, tea, cosine=0.99, by=CosineScale(0.85, 0.95)).verdict == "apart"


def test_documents_and_sealed_texts_are_not_compared_with_others() -> None:
    plain = memory("The deploy branch of the game is main")
    document = memory("The deploy branch of the game is main. " * 1_000)
    sealed = memory(sealed_line("0a1b2c3d", "Q" * 60))
    assert duplicates.memory_signatures(plain)
    assert merge.comparison_group(plain)
    for apart in (document, sealed):
        assert duplicates.memory_signatures(apart) == ()
        assert merge.comparison_group(apart) == ""


word_sets = st.lists(st.frozensets(st.sampled_from("abcdefghij"), min_size=1), max_size=25)


@given(word_sets, st.sampled_from([0.3, 0.5, 0.7, 0.8, 1.0]))
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
