"""Two texts as one, with nothing lost."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from commonplace.language import statements
from commonplace.ports.reasoner import Merged
from commonplace.rules.relations.merge import merge_texts


def test_every_statement_once_and_the_newer_first() -> None:
    merged = merge_texts("We ship on Fridays. Ada approves.", "Bob tests. We ship on Fridays.")
    assert merged == Merged("We ship on Fridays. Ada approves. Bob tests.")


def test_a_changed_value_is_noted_with_what_it_was() -> None:
    merged = merge_texts("The deploy branch is trunk. Ada approves.", "The deploy branch is main.")
    assert merged.text == "The deploy branch is trunk (was main). Ada approves."
    assert merged.changes == ("The deploy branch is trunk. — was: The deploy branch is main.",)


def test_a_value_that_changes_again_says_only_what_it_was_last() -> None:
    once = merge_texts("The deploy branch is trunk.", "The deploy branch is main.").text
    twice = merge_texts("The deploy branch is release.", once)
    assert twice.text == "The deploy branch is release (was trunk)."
    assert "(was main)" in twice.changes[0]


def test_saying_the_same_again_keeps_the_note_of_the_change() -> None:
    known = "The deploy branch is trunk (was main)."
    assert merge_texts("The deploy branch is trunk.", known) == Merged(known)


def test_a_preference_taken_back_is_noted() -> None:
    merged = merge_texts("I don't like coffee anymore.", "I like coffee. I like tea.")
    assert merged.text == "I don't like coffee anymore (was coffee). I like tea."
    assert merged.changes == ("I don't like coffee anymore. — was: I like coffee.",)


def test_what_is_only_similar_is_kept() -> None:
    merged = merge_texts("I like green tea.", "I like tea. I like tea cake.")
    assert merged.text == "I like green tea. I like tea. I like tea cake."


def test_lists_stay_lists_and_code_stays_whole() -> None:
    newer = "- use tabs\n- write tests"
    older = "- use spaces\n- be kind\n\n```sh\nmake\nmake\n```"
    merged = merge_texts(newer, older)
    assert merged.text == (
        "- use tabs (was spaces)\n- write tests\n- be kind\n\n```sh\nmake\nmake\n```"
    )


def test_two_older_statements_are_not_both_replaced_by_one() -> None:
    merged = merge_texts(
        "The rate limit is 300 requests.",
        "The rate limit is 100 requests. The rate limit is 200 requests.",
    )
    assert len(merged.changes) == 1
    assert "200 requests" in merged.text


def test_merging_with_nothing_changes_nothing() -> None:
    assert merge_texts("We ship on Fridays.", "") == Merged("We ship on Fridays.")
    assert merge_texts("", "We ship on Fridays.") == Merged("We ship on Fridays.")


SAID = st.sampled_from(
    [
        "I like tea.", "I don't like tea.", "I like coffee!", "The port is 80.", "The port is 90.",
        "Ada lives in Paris.", "Ada lives in Berlin.", "We use pnpm.", "We use npm.", "Never ship.",
        "Always ship.", "- be kind", "- be quick", "# Notes", "```\nx = 1\n```", "> quoted",
        "我喜欢茶。", "我不喜欢茶。", "The branch is main (was trunk).", "The branch is main.",
    ]
)  # fmt: skip
TEXTS = st.lists(SAID | st.text(max_size=30), max_size=6).map("\n".join)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_each_statement_of_both_is_in_the_text_or_noted_as_changed(newer: str, older: str) -> None:
    merged = merge_texts(newer, older)
    kept = " ".join("".join((merged.text, *merged.changes)).split())
    plain = kept.replace(" (was", "(was")
    for one in (*statements.split(newer), *statements.split(older)):
        bare = " ".join(one.text.split()).rstrip(".!?。！？… ")
        said = bare.replace(" (was", "(was").casefold()
        keys = [known.key for known in statements.split(merged.text)]
        assert said in plain.casefold() or one.key in keys


@settings(deadline=None)
@given(TEXTS, TEXTS)
@example("The port is 80.", "a")
@example(f"The port that {'very ' * 30}many use is 80.", "a")
def test_merging_the_result_again_with_the_newer_text_says_nothing_new(
    newer: str, older: str
) -> None:
    merged = merge_texts(newer, older)
    again = {one.key for one in statements.split(merge_texts(newer, merged.text).text)}
    assert again == {one.key for one in statements.split(merged.text)} or merged.changes


def test_a_heading_that_both_have_is_not_repeated() -> None:
    merged = merge_texts("# Notes\n\nAda approves.", "# Notes\n\nBob tests.")
    assert merged.text == "# Notes\n\nAda approves.\nBob tests."


def test_asides_are_put_together_and_say_nothing_new() -> None:
    plain = "The mailer drops digests under load"
    one, other = f"{plain}, it seems", f"{plain}, by design"
    assert merge_texts(one, plain).text == merge_texts(plain, one).text == one
    assert merge_texts(other, one).text == f"{plain}, by design, it seems"
    assert merge_texts(f"{one}.", f"{other}.").text == f"{plain}, it seems, by design."


def test_an_aside_that_turns_the_meaning_is_none() -> None:
    plain = "The mailer drops digests under load"
    assert merge_texts(f"{plain}, not always", plain).text != plain
    assert f"{plain}, but only twice" not in merge_texts(f"{plain}, if asked", plain).text
