"""A text that says several things loses only what another one contradicts."""

from __future__ import annotations

from commonplace.language import statements
from commonplace.ports.reasoner import Judged
from commonplace.rules.relations import merge

KNOWN = "# Releases\n\nThe release branch is main. It is protected.\n\n- CI runs on Jenkins\n"
RIGHT = "The release branch is master"


def test_the_rest_of_a_text_stays_where_it_was() -> None:
    assert merge.corrected_text(RIGHT, KNOWN) == (
        "# Releases\n\nThe release branch is master. It is protected.\n\n- CI runs on Jenkins"
    )


def test_two_statements_that_one_denies_become_one() -> None:
    twice = "The release branch is main. Ada likes tea. The release branch is trunk."
    assert merge.corrected_text(RIGHT, twice) == "The release branch is master. Ada likes tea."


def test_a_text_that_says_nothing_else_has_no_rest() -> None:
    for whole in ("The release branch is main", "# Releases\n\nThe release branch is main"):
        found = merge.contradicted_parts(RIGHT, whole)
        assert found.gone
        assert not found.left
        assert merge.corrected_text(RIGHT, whole) == ""


def test_what_contradicts_nothing_changes_nothing() -> None:
    assert merge.corrected_text("Ada likes tea", KNOWN) == ""
    assert (
        statements.replace_statements(KNOWN, [statements.Statement("Ada likes tea")], "No") == KNOWN
    )


def test_a_statement_that_goes_leaves_no_gap() -> None:
    said = statements.split("One is odd. Two is even. Three is odd.")
    text = statements.join_statements(said)
    assert statements.replace_statements(text, said[:1], "") == "Two is even. Three is odd."
    assert (
        statements.replace_statements(text, said[1:2], "Four is even")
        == "One is odd. Four is even. Three is odd."
    )


def test_what_is_only_perhaps_so_stays_beside_the_statement_that_surely_changed() -> None:
    sure = {"The hut has no stove.": 0.8, "The hut sleeps six.": 0.68}

    def judge(newer: str, older: str) -> Judged:
        return Judged("contradicts", sure[older]) if older in sure else Judged("unrelated", 0.5)

    hut = "The hut has no stove. The hut sleeps six. The key is under the bench."
    told = "There is a stove in the hut now, the rest is right."
    found = merge.contradicted_parts(told, hut, judge)
    assert [one.text for one in found.gone] == ["The hut has no stove."]
    assert statements.join_statements(found.left).strip() == (
        "The hut sleeps six. The key is under the bench."
    )
