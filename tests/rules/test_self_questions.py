"""Questions about a book's own memories, and about what it does not know."""

from __future__ import annotations

from commonplace.rules.ranking.measures import (
    ASKED,
    question_about,
    unanswerable_questions,
    word_frequencies,
)

NOTES = [
    "The staging server in Reykjavik is rebooted every Thursday by Halldora",
    "Ada prefers jasmine tea from the corner shop near the harbour",
    "Invoices above nine thousand crowns need Bertrand to countersign them",
    "The parser for legacy timetables lives in railway_reader.py",
    "Chess evenings moved to the basement because of the renovation",
    "Vaccination records of the dogs are in the green binder",
]
SEEN = word_frequencies(NOTES)


def test_a_question_uses_the_memorys_own_words_and_leaves_some_out() -> None:
    question = question_about(NOTES[0], SEEN, "seed")
    assert question is not None
    words = question.split()
    assert len(words) == ASKED
    assert set(words) < set(NOTES[0].lower().split())


def test_the_same_memory_is_asked_about_in_the_same_way_every_night() -> None:
    assert question_about(NOTES[1], SEEN, "one id") == question_about(NOTES[1], SEEN, "one id")
    assert question_about(NOTES[1], SEEN, "one id") != question_about(NOTES[1], SEEN, "another id")


def test_rare_words_are_asked_before_common_ones() -> None:
    common = [f"release checklist step number{n}" for n in range(10)]
    text = "release checklist step: walnut quartz zephyr obsidian marmalade lagoon saffron turbine"
    question = question_about(text, word_frequencies([*common, text]), "seed")
    assert question is not None
    assert not {"release", "checklist", "step"} & set(question.split())


def test_a_memory_that_says_almost_nothing_is_not_asked_about() -> None:
    assert question_about("tea", SEEN, "seed") is None
    assert question_about("!?", SEEN, "seed") is None


def test_a_text_without_spaces_is_asked_about_by_parts_of_it() -> None:
    text = "数据库迁移在星期五晚上进行"
    question = question_about(text, word_frequencies([text]), "seed")
    assert question is not None
    assert all(word in text and len(word) < len(text) for word in question.split())


def test_strangers_mix_words_that_no_memory_has_together() -> None:
    made = unanswerable_questions(NOTES, SEEN, 20, "book")
    assert len(made) == 20
    for question in made:
        words = question.split()
        assert len(set(words)) == ASKED
        most = max(sum(word in note.lower() for word in words) for note in NOTES)
        assert most <= ASKED // 2


def test_a_book_of_three_memories_has_no_strangers() -> None:
    assert unanswerable_questions(NOTES[:3], SEEN, 20, "book") == []
