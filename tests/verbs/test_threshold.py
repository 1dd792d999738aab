"""The threshold of what is handed over follows what became of it, scope by scope."""

from __future__ import annotations

from functools import reduce
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from commonplace import Commonplace, Settings
from commonplace.books.open import open_book
from commonplace.model.memory import Outcomes
from commonplace.ports.reasoner import Turn
from commonplace.rules.handed_over.digest_settings import DigestSettings
from commonplace.rules.ranking import threshold as rule
from tests import as_person
from tests.conftest import OpenBook

BASE = 0.3
USUAL = DigestSettings().threshold
MILL, PORT = {"project": "mill"}, {"project": "port"}
QUESTION = "Which branch do we deploy the mill from?"
FIT, MISFIT = "We deploy it from granite.", "Sure, I opened the editor."


def after(outcomes: list[str]) -> float:
    return rule.adapted_threshold(BASE, reduce(faded, outcomes, Outcomes()))


def faded(before: Outcomes, outcome: str) -> Outcomes:
    """One more outcome, as a ledger counts it."""
    counts = {
        name: getattr(before, name) * rule.FADING + (name == outcome) for name in rule.OUTCOMES
    }
    return Outcomes(**counts)


@given(st.lists(st.sampled_from(rule.OUTCOMES), max_size=400))
def test_the_threshold_never_leaves_its_bounds(outcomes: list[str]) -> None:
    assert BASE / 2 <= after(outcomes) <= BASE * 2


@given(st.lists(st.sampled_from(rule.OUTCOMES), max_size=300))
def test_one_more_of_no_use_never_lowers_it_and_one_more_use_never_raises_it(
    outcomes: list[str],
) -> None:
    now = after(outcomes)
    assert after([*outcomes, rule.IGNORED]) >= now - 1e-12
    assert after([*outcomes, rule.CORRECTED]) >= after([*outcomes, rule.IGNORED])
    assert after([*outcomes, rule.USED]) <= now + 1e-12


def test_what_was_long_ago_no_longer_decides() -> None:
    assert after([rule.IGNORED] * 1_000) > 1.8 * BASE
    assert after([rule.IGNORED] * 1_000 + [rule.USED] * 400) < 0.7 * BASE


def talk(book: Commonplace, name: str, reply: str, times: int = 1) -> None:
    """Sessions in which a memory is handed over with the prompt, and the answer given."""
    for number in range(times):
        prompt = f"{QUESTION} ({name} {number})"
        assert book.prompt(prompt).ids
        book.session(f"{name}-{number}").end([Turn("user", prompt), Turn("assistant", reply)])


def thresholds(book: Commonplace) -> dict[str, float]:
    return dict(book.status().thresholds)


def test_ignored_memories_raise_it_and_used_ones_lower_it_in_that_scope_alone(
    open_vault: OpenBook,
) -> None:
    book = open_vault()
    for project in (MILL, PORT):
        as_person(book.as_context(project)).save("We deploy the mill from the branch granite")
    mill, port = book.as_context(MILL), book.as_context(PORT)
    assert thresholds(book) == {}
    talk(mill, "idle", MISFIT, 4)
    raised = thresholds(book)
    assert set(raised) == {"/project/mill"}
    assert USUAL < raised["/project/mill"] < 1
    talk(port, "busy", FIT, 4)
    both = thresholds(book)
    assert both["/project/mill"] == raised["/project/mill"]
    assert USUAL / 2 < both["/project/port"] < USUAL


def test_agents_and_tasks_of_a_project_learn_together(open_vault: OpenBook) -> None:
    book = open_vault()
    as_person(book.as_context(MILL)).save("We deploy the mill from the branch granite")
    coder = book.as_context({**MILL, "agent": "coding", "task": "t1"})
    talk(coder, "task", MISFIT)
    assert set(thresholds(book)) == {"/project/mill"}


def test_a_correction_after_a_hit_counts_more_than_an_ignored_one(open_vault: OpenBook) -> None:
    book = open_vault()
    mill = book.as_context(MILL)
    mill.save("We deploy the mill from the branch granite")
    talk(mill, "idle", MISFIT)
    ignored = thresholds(book)["/project/mill"]
    mill.correct("We deploy the mill from the branch granite", "We deploy the mill from slate")
    assert thresholds(book)["/project/mill"] > ignored


def test_a_memory_that_was_not_handed_over_teaches_nothing(open_vault: OpenBook) -> None:
    book = open_vault()
    mill = book.as_context(MILL)
    mill.save("We deploy the mill from the branch granite")
    mill.recall(QUESTION)
    mill.correct("We deploy the mill from the branch granite", "We deploy the mill from slate")
    mill.session("quiet").end([Turn("user", QUESTION), Turn("assistant", MISFIT)])
    assert thresholds(book) == {}


def test_a_raised_threshold_keeps_weak_hits_back_and_a_setting_turns_it_off(
    tmp_path: Path,
) -> None:
    def opened(**more: bool) -> Commonplace:
        settings = Settings(state=str(tmp_path / "state"), embedder="none", **more)  # pyright: ignore[reportArgumentType]
        return open_book(f"vault:{tmp_path / 'book'}", settings=settings)

    with opened() as book:
        for text in (
            "We deploy the mill from the branch granite",
            "The mill is deployed from whichever branch of ours is green on Fridays",
            "The mill was painted last summer by two students from the village",
        ):
            book.save(text)
        usual = book.prompt(QUESTION).ids
        book._engine.ledger.count_outcomes([("/", rule.IGNORED)] * 400)  # pyright: ignore[reportPrivateUsage]
        fewer = book.prompt(QUESTION).ids
        assert fewer
        assert len(fewer) < len(usual)
    with opened(adaptive_threshold=False) as book:
        assert book.prompt(QUESTION).ids == usual
        assert thresholds(book) == {}


def test_an_answer_uses_a_memory_that_it_cites_or_whose_own_words_it_says(
    open_vault: OpenBook,
) -> None:
    memory = open_vault().save("We deploy the mill from the branch granite").memory
    assert rule.was_used(memory, QUESTION, FIT) is True
    assert rule.was_used(memory, QUESTION, f"As noted [{memory.id[-6:]}].") is True
    assert rule.was_used(memory, QUESTION, "We deploy the mill from a branch.") is False
    # Where the prompt says everything itself, no answer tells.
    assert rule.was_used(memory, memory.content, FIT) is None
