"""A lasting fact that a person tells in passing is kept; what passes with the day is not."""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from commonplace.ports.reasoner import Turn
from commonplace.rules.talk.lessons import extract_lessons
from commonplace.rules.talk.personal_facts import personal_facts


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("oh careful, I'm allergic to walnuts by the way", ("I'm allergic to walnuts",)),
        ("no beef, Tomek is vegetarian", ("Tomek is vegetarian",)),
        ("I moved to Utrecht in March, the old flat was small", ("I moved to Utrecht in March",)),
        ("We just moved to Lyon with the kids", ("We just moved to Lyon with the kids",)),
        ("my birthday is on 3 May, leave the year out", ("my birthday is on 3 May",)),
        ("My name is Ana and I run the data team", ("My name is Ana", "I run the data team")),
        ("Mila was sweet, she starts school in June", ("Mila starts school in June",)),
        ("I can't do Mondays because I work as a nurse", ("I work as a nurse",)),
        ("i'm left-handed, does that matter", ("i'm left-handed",)),
        ("Ich bin allergisch gegen Nüsse, bitte keine", ("Ich bin allergisch gegen Nüsse",)),
        ("I've just moved to Lisbon, so mind the time", ("I've just moved to Lisbon",)),
        ("We've moved to Porto with the kids", ("We've moved to Porto with the kids",)),
        ("btw I've got a new job", ("I've got a new job",)),
        ("I've got asthma, so no stairs", ("I've got asthma",)),
        ("My wife's pregnant, we need a bigger car", ("My wife's pregnant",)),
        ("no nuts, my son's allergic to them", ("my son's allergic to them",)),
        ("Tomek's vegetarian and so am I", ("Tomek's vegetarian and so am I",)),
        ("My birthday's on 3 May", ("My birthday's on 3 May",)),
        ("My dog's called Rex", ("My dog's called Rex",)),
        ("My parents rang, they moved to Porto", ("My parents moved to Porto",)),
        ("My mother rang, she lives in Porto", ("My mother lives in Porto",)),
    ],
)
def test_lasting_fact_is_taken_from_its_clause(said: str, facts: tuple[str, ...]) -> None:
    assert personal_facts(said) == facts


@pytest.mark.parametrize(
    "said",
    [
        "I moved to the backend team",
        "I moved to a standing desk",
        "we moved to Postgres 16",
        "I live in fear of Mondays",
        "I work at night",
        "I'm a bit tired",
        "my son is sick today",
        "my brother knows more about that",
        "i have a question about diabetes data",
        "if I moved to Berlin, what would change",
        "The dashboard is blind to errors",
        "Jenkins lives in AWS",
        "Docker works as root",
        "the exam is on Friday",
        "I run the tests",
        "My wife's pregnant friend needs a chair",
        "My exam's first question was hard",
        "Anna's vegan burger was good",
        "Imagine Anna was tired and she moved to Rome",
        "Yesterday the neighbour complained because they moved the bins",
        "Maybe the build broke because they moved to Postgres",
        "Ben was quick, he moved the ticket to done",
        "Ben was bored, he started the build again",
        "Terraform failed and they moved to Postgres",
        "If Ben left, he might be glad that he lives in Rome",
    ],
)
def test_other_sentences_tell_nothing_of_the_person(said: str) -> None:
    assert personal_facts(said) == ()


def test_question_tells_no_fact() -> None:
    assert extract_lessons([Turn("user", "Do you think I'm allergic to nuts?")]) == ()


def test_fact_is_kept_in_the_scope_of_the_person(book: Commonplace) -> None:
    here = book.as_context({"project": "kitchen", "user": "42"})
    ended = here.session("dinner").end(
        [Turn("user", "Plan a dinner. Careful, I'm allergic to walnuts."), Turn("assistant", "OK.")]
    )
    [saved] = ended.added
    assert saved.memory.content == "I'm allergic to walnuts."
    assert (saved.memory.kind, str(saved.memory.scope)) == ("insight", "/user/42")
