"""A person's standing rules come with the prompts that they apply to, and with no others."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from commonplace import Commonplace
from commonplace.language import statements
from commonplace.rules.handed_over import standing_rules
from commonplace.rules.handed_over.standing_rules import applies_to, requested_work
from tests import as_person
from tests.conftest import OpenBook

RULES = (
    "Use pnpm, never npm",
    "Always format dates as MM/DD",
    "Prices are stored in cents as integers",
    "Colours only through the tokens",
    "Figures with the Okabe-Ito palette",
    "SQL with lower-case keywords",
    "Visible texts in German, with du",
    "Use metric units",
)
APPLIES = [
    ("install lodash", 0),
    ("please add left-pad to the cart service", 0),
    ("upgrade the dependencies of the shop", 0),
    ("Now install react-query.", 0),
    ("Can you install lodash?", 0),
    ("hey, could you please install lodash for me?", 0),
    ("Thanks! Would you put the due date into the header?", 1),
    ("write the meeting date", 1),
    ("put the due date into the header", 1),
    ("show the total under the cart", 2),
    ("make the button reddish", 3),
    ("plot the heart rate per ward", 4),
    ("can you write the query for the rate per unit", 5),
    ("write a tooltip for the lamp", 6),
    ("show the distance to the next stop", 7),
]
NOTHING = [
    "explain monads",
    "what's the weather",
    "rename the variable x to y",
    "add a column to the table of players",
    "which package did we install last year?",
    "can you tell me which package we installed?",
    "should we install a package for that?",
    "will you install packages on your own?",
    "when is the deadline?",
    "fix the flaky login",
    "the build is red again",
    "who wrote the landing page",
    "ok, go ahead",
]


@pytest.fixture
def book(open_vault: OpenBook) -> Commonplace:
    book = open_vault()
    for rule in RULES:
        as_person(book).save(rule, kind="preference")
    return book


def rules_in(text: str) -> list[str]:
    return [rule for rule in RULES if rule in text]


@pytest.mark.parametrize(("prompt", "number"), APPLIES)
def test_a_rule_comes_with_the_work_that_it_is_about(
    book: Commonplace, prompt: str, number: int
) -> None:
    found = rules_in(book.prompt(prompt).text)
    assert RULES[number] in found
    assert len(found) <= 2


@pytest.mark.parametrize("prompt", NOTHING)
def test_other_prompts_get_no_rule(book: Commonplace, prompt: str) -> None:
    assert rules_in(book.prompt(prompt).text) == []


def test_at_most_two_rules_come_the_projects_own_first(book: Commonplace) -> None:
    here = as_person(book).as_context({"project": "shop"})
    for rule in ("Dates of orders are ISO", "Prices have two decimals", "Write prices with VAT"):
        here.save(rule, kind="preference")
    text = here.prompt("write the date and the price on the label").text
    lines = [line for line in text.splitlines() if "(preference" in line]
    assert len(lines) == 2
    assert all("Dates of orders" in line or "rices" in line for line in lines)
    assert "MM/DD" not in text


def test_a_rule_that_the_start_gave_is_not_given_again(book: Commonplace) -> None:
    started = book.session_start().ids
    assert book.prompt("install lodash", already=started).text == ""


def test_an_agents_rule_needs_words_or_a_persons_yes(open_vault: OpenBook) -> None:
    book = open_vault()
    saved = book.save("Use pnpm, never npm", kind="preference")
    assert book.prompt("install lodash").text == ""
    as_person(book).accept(saved.id)
    assert "pnpm" in book.prompt("install lodash").text


@pytest.mark.parametrize(
    ("rule", "applies", "other"),
    [
        ("Ask me before a migration", "write a migration for vouchers", "is the migration done?"),
        (
            "Every user-visible change needs a line in CHANGELOG.md",
            "release 2.4",
            "who is on call?",
        ),
        ("Branch names begin with the ticket", "create a branch for metrics", "rename x to y"),
        ("Table-driven tests only", "increase coverage of ingest", "open the dashboard"),
        ("Write SQL keywords in upper case", "optimise this SELECT", "explain monads"),
        ("Run ruff before every commit", "commit it", "what did the last commit change?"),
    ],
)
def test_a_rule_comes_with_its_work_also_without_a_start(
    open_vault: OpenBook, rule: str, applies: str, other: str
) -> None:
    book = open_vault()
    as_person(book).save(rule, kind="preference")
    assert rule in book.prompt(applies).text
    assert rule not in book.prompt(other).text


@pytest.mark.parametrize("said", ["what's left to do?", "what a day"])
def test_idle_words_find_nothing(open_vault: OpenBook, said: str) -> None:
    book = open_vault()
    as_person(book).save("I'm left-handed")
    as_person(book).save("Stripe retries webhooks for 3 days")
    assert book.prompt(said).text == ""


def test_a_pasted_text_asks_for_no_work() -> None:
    assert requested_work("install lodash")
    assert not requested_work("install lodash " * 100)
    assert not applies_to("Answers are short", requested_work("install lodash"))


@given(st.text("abc AB'\"-,;:()#*>0", max_size=40))
@example("# Install lodash")
@example("1) install lodash")
@example("install lodash (v4)")
def test_a_prompt_of_one_sentence_is_found_without_splitting_it(prompt: str) -> None:
    split = [one.strip() for one in statements.sentences(prompt)]
    assert standing_rules._sentences(prompt) == split  # pyright: ignore[reportPrivateUsage]
