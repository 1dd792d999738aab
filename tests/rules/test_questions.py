"""What a question gives away: its words, who is meant, whose words, and the shape of the answer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.rules.ranking import questions
from commonplace.rules.ranking.questions import Question

NOW = datetime(2025, 10, 15, 12, 30, tzinfo=UTC)
SPEAKERS = ["Caroline", "Melanie", "user", "assistant"]


def read(text: str, *speakers: str) -> Question:
    return questions.read_question(text, now=NOW, speakers=speakers or SPEAKERS)


def test_the_words_that_tell_are_looked_for() -> None:
    found = read("How many times did Caroline go to the pottery class?")
    assert list(found.words.values()) == ["times", "pottery", "class"]
    assert list(read("what is it about?").words) != []
    assert list(read("Caroline?").words) == ["carolin"]


def test_a_speaker_is_who_said_it_and_not_what_was_said() -> None:
    found = read("What is Caroline's favourite dish, and when did Caroline cook it?")
    assert found.named == {"Caroline"}
    assert found.vector_text == "What is my favourite dish, and when did I cook it?"
    assert "carolin" not in found.words


def test_roles_are_nobodys_name() -> None:
    found = read("Which user did the assistant greet?")
    assert found.named == frozenset()
    assert "user" in found.words


def test_a_surname_tells_two_of_one_name_apart() -> None:
    both = read("What did Anna say?", "Anna Weber", "Anna Schmidt")
    assert both.named == {"Anna Weber", "Anna Schmidt"}
    one = read("What did Anna Weber say?", "Anna Weber", "Anna Schmidt")
    assert one.named == {"Anna Weber"}
    assert one.vector_text == "What did I say?"


def test_names_that_are_words_need_their_capital() -> None:
    assert read("Will it rain, I hope?", "Will", "Hope").named == frozenset()
    assert read("What did Will tell Hope?", "Will", "Hope").named == {"Will", "Hope"}
    assert read("what did caroline say").named == {"Caroline"}


def test_names_in_scripts_without_spaces_are_found() -> None:
    found = read("小明去了哪里", "小明", "小红")
    assert found.named == {"小明"}
    assert found.vector_text == "I去了哪里"


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("What is my sister called?", "user"),
        ("Wie heißt meine Schwester?", "user"),
        ("我最喜欢的茶是什么？", "user"),
        ("Which restaurant did you recommend to me?", "assistant"),
        ("Remind me what the third step was", "assistant"),
        ("Was hast du mir empfohlen?", "assistant"),
        ("你推荐了哪家餐厅？", "assistant"),
        ("What have you told Anna about the trip?", "assistant"),
        ("Can you recommend something that I might like?", "user"),
        ("Where is the deploy script?", None),
        ("Did you know that the sky is blue, and that it has been so for ages? Said who?", None),
    ],
)
def test_the_question_says_whose_words_it_means(text: str, role: str | None) -> None:
    assert read(text).role == role


def test_changing_facts_are_told_from_past_ones() -> None:
    assert read("How many bikes do I currently own?").changes
    assert read("Wo wohnt Anna jetzt?").changes
    assert not read("How many bikes did I own before I moved?").changes
    assert not read("Who wrote the parser?").changes


def test_the_shape_of_the_answer_is_known() -> None:
    assert read("When did we ship it?").asks_time
    assert read("Wann haben wir es ausgeliefert?").asks_time
    assert read("How much did the bike cost?").asks_number
    assert read("多少钱").asks_number
    nothing = read("Who wrote the parser?")
    assert not nothing.asks_time
    assert not nothing.asks_number


def test_history_is_asked_for_in_words_or_by_date() -> None:
    assert read("how did we fix the login loop?").asks_history
    assert read("what broke last week").asks_history
    assert read("Was ist passiert?").asks_history
    assert not read("which port does the server use").asks_history
    assert not read("btw we dropped the cache last week, it's gone").asks_history
    assert read("we need what we decided last week").asks_history


def test_of_a_huge_question_only_the_start_gives_cues() -> None:
    found = read("Where is the tea? " + "lorem ipsum " * 10_000 + "you said yesterday")
    assert "tea" in found.words
    assert found.role is None
    assert found.when == ()


@given(st.text(max_size=300), st.lists(st.text(max_size=20), max_size=5))
def test_any_text_can_be_read(text: str, speakers: list[str]) -> None:
    found = questions.read_question(text, now=NOW, speakers=speakers)
    assert found.named <= set(speakers)
    assert found == questions.read_question(text, now=NOW, speakers=speakers)


@pytest.mark.parametrize("text", ["ok, do it", "Thanks, looks good!", "continue", "go on", ""])
def test_chatter_is_about_nothing(text: str) -> None:
    assert not questions.is_about_something(text)
    assert questions.is_about_something(f"{text} with staging")


def test_a_question_after_a_long_paste_is_one_of_its_sentences() -> None:
    pasted = "\n".join(f"error number {n} in module build" for n in range(300))
    asked = read(f"{pasted}\nWhich branch do we deploy from?")
    assert any({"branch", "deploy"} <= about for about, _ in asked.sentences)
    assert len(asked.sentences) <= questions.MOST_SENTENCES
