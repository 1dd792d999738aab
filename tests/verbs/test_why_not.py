"""The answer names the step that left a memory out, and agrees with the digest itself."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace import BadInput, Commonplace, CommonplaceError, NotFound
from commonplace.books.open import open_book
from commonplace.model.identity import short_id
from commonplace.rules.handed_over.digest import Budget, Limit
from commonplace.rules.handed_over.omissions import STEPS, omission_text
from commonplace.settings import Settings
from tests import as_person
from tests.conftest import Clock

FOLDER = Path(__file__).parent / "handed_over"

QUESTION = "which branch do we deploy from?"


def saved(book: Commonplace, text: str, **fields: object) -> str:
    return book.save(text, **fields).memory.id


def test_a_memory_that_is_handed_over_is_named_with_its_line(book: Commonplace) -> None:
    branch = saved(book, "The deploy branch is main")
    told = book.why_not(QUESTION, branch)
    assert (told.step, told.handed, told.memory) == ("handed", True, branch)
    assert told.sentence == "It is handed over, as line 1 of 1."
    assert branch in book.prompt(QUESTION).ids


def test_a_memory_without_a_common_word_was_not_found(book: Commonplace) -> None:
    cats = saved(book, "Walruses eat clams")
    told = book.why_not(QUESTION, cats)
    assert (told.step, told.handed) == ("not_found", False)
    assert "shares no word" in told.sentence


def test_status_names_the_successor_the_trash_and_the_inbox(book: Commonplace) -> None:
    old = saved(book, "The deploy branch is main")
    new = book.correct(old, "The deploy branch is release").memory.id
    told = book.why_not(QUESTION, old)
    assert told.step == "superseded"
    assert new in told.sentence
    book.forget(new)
    assert book.why_not(QUESTION, new).step == "deleted"


def test_an_expired_memory_says_so(book: Commonplace, clock: Clock) -> None:
    id = saved(book, "The deploy branch is main", expires=clock.now + timedelta(days=2))
    assert book.why_not(QUESTION, id).handed
    clock.pass_days(3)
    assert book.why_not(QUESTION, id).step == "expired"


def test_a_sensitive_memory_is_left_out_by_its_sensitivity(book: Commonplace) -> None:
    id = saved(book, "The deploy branch is main", sensitivity="sensitive")
    told = book.why_not(QUESTION, id)
    assert told.step == "sensitivity"
    assert "marked sensitive" in told.sentence


def test_another_project_is_not_read_from_here(book: Commonplace) -> None:
    id = saved(book, "The deploy branch is main", scope="/project/shop")
    told = book.as_context({"project": "mech-fighters"}).why_not(QUESTION, id)
    assert told.step == "scope"
    assert "/project/shop" in told.sentence
    assert "/project/mech-fighters" in told.sentence


def test_a_member_learns_nothing_of_what_others_have(book: Commonplace) -> None:
    ada = book.as_context({"role": "member", "org": "acme", "user": "ada"})
    bob = book.as_context({"role": "member", "org": "acme", "user": "bob"})
    id = saved(bob, "The deploy branch is main")
    with pytest.raises(NotFound) as never:
        ada.why_not(QUESTION, "nothing-like-it")
    with pytest.raises(NotFound) as hidden:
        ada.why_not(QUESTION, id)
    assert str(hidden.value).replace(id, "X") == str(never.value).replace("nothing-like-it", "X")


def test_memories_given_before_are_not_repeated(book: Commonplace) -> None:
    branch = saved(book, "The deploy branch is main")
    assert book.why_not(QUESTION, branch, already=[branch]).step == "already"
    assert book.why_not(QUESTION, branch, already=[short_id(branch)]).step == "already"


def test_an_always_loaded_memory_comes_with_the_start(book: Commonplace) -> None:
    rule = as_person(book).save("Ask before a deploy", always_load=True, scope="/").memory.id
    assert book.why_not("deploy", rule, already=book.session_start().ids).step == "already"
    assert book.why_not("deploy", rule).handed, "a session without a start gets it so"
    told = book.why_not("walruses", rule)
    assert told.step == "at_start"
    assert "With this prompt alone: " in told.sentence


def test_the_budget_is_named_with_its_figures(book: Commonplace) -> None:
    ids = [
        saved(book, "The deploy branch is main"),
        saved(book, "Deploy from the branch release once QA has signed"),
    ]
    budget = Budget(total=Limit(items=1))
    assert len(book.prompt(QUESTION).ids) == 2
    told = [book.why_not(QUESTION, id, budget=budget) for id in ids]
    assert [one.step for one in told] == ["handed", "budget"]
    assert told[1].figures["tokens"] > 0


def test_the_question_itself_is_no_answer(book: Commonplace) -> None:
    asked = saved(book, QUESTION, kind="insight")
    assert book.why_not(QUESTION, asked).step == "echo"


def test_a_repetition_names_the_memory_that_says_it(book: Commonplace) -> None:
    ids = [
        saved(book, f"The deploy branch of {name} is main, with {name} checks", kind="insight")
        for name in ("alpha", "bravo")
    ]
    told = {one.step: one for one in (book.why_not(QUESTION, id) for id in ids)}
    assert set(told) == {"handed", "repeats"}
    assert told["handed"].memory in told["repeats"].sentence


def test_a_crowded_question_gives_the_place(book: Commonplace) -> None:
    book.save_many([f"Deploy branch number {n} is for customer {n}" for n in range(120)])
    last = saved(book, "We once talked about a branch office in a long meeting about many things")
    told = book.why_not(QUESTION, last)
    assert told.step in ("rank", "below_best", "below_fit")
    assert any(isinstance(value, int | float) for value in told.figures.values())


def test_a_question_about_nothing_says_so(book: Commonplace) -> None:
    branch = saved(book, "The deploy branch is main")
    assert book.why_not("ok", branch).step == "nothing_asked"
    with pytest.raises(BadInput):
        book.why_not("  ", branch)
    with pytest.raises(NotFound):
        book.why_not(QUESTION, "nothing-like-it")


def test_the_id_of_a_digest_stands_for_its_question(book: Commonplace) -> None:
    branch, cats = saved(book, "The deploy branch is main"), saved(book, "Walruses eat clams")
    made = book.prompt(QUESTION)
    assert book.why_not(made.id, branch).step == "was_handed"
    told = book.why_not(made.id, cats)
    assert (told.step, told.question) == ("not_found", QUESTION)
    assert book.why_not(book.session_start().id, cats).step == "not_for_start"


def test_asking_leaves_no_trace(book: Commonplace) -> None:
    branch = saved(book, "The deploy branch is main")
    book.why_not(QUESTION, branch)
    assert book.retrievals() == []
    assert book.digests() == []
    assert book.uses([branch])[branch].count == 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [1])
def test_it_agrees_with_the_digest_for_every_memory_and_always_knows_why(
    number: int, tmp_path: Path
) -> None:
    said = json.loads((FOLDER / f"book-{number}.json").read_text(encoding="utf-8"))
    settings = Settings(state=str(tmp_path / "state"))
    with open_book(f"sqlite:{tmp_path / 'book.db'}", settings=settings) as book:
        for one in said["memories"]:
            with suppress(CommonplaceError):
                book.save(one["text"], kind=one.get("kind"), scope=one["scope"])
        here = book.as_context({"project": said["prompts"][0].get("project", "homelab")})
        everything = book.list(limit=1_000, include_archive=True, include_inbox=True)
        for prompt in [one["text"] for one in said["prompts"]][:3]:
            handed = here.prompt(prompt).ids
            told = {one.id: here.why_not(prompt, one.id) for one in everything}
            assert {id for id, one in told.items() if one.handed} == set(handed)
            assert "unknown" not in {one.step for one in told.values()}
            assert len({one.step for one in told.values()}) > 2


def test_every_step_has_a_sentence_for_a_newcomer() -> None:
    assert "unknown" in STEPS
    assert omission_text("no such step", {})[0]


def test_a_short_id_means_the_newest_version_and_an_old_text_or_id_itself(
    book: Commonplace,
) -> None:
    old = saved(book, "The deploy branch is main")
    new = book.correct(old, "The deploy branch is release").memory.id
    for ref in (short_id(old), f"[{short_id(old)}]"):
        assert book.why_not(QUESTION, ref).memory == book.get(ref).id == new
    for ref in (old, "The deploy branch is main", book.get(old).slug):
        told = book.why_not(QUESTION, ref)
        assert (told.memory, told.step) == (old, "superseded"), ref
    assert book.why_not(QUESTION, short_id(new)).memory == new
