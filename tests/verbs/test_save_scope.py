"""A project's memory belongs to the project; the agent type and the task are its origin."""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from commonplace.ports.reasoner import Turn

CODER = {"project": "mech", "agent": "coding", "task": "t-1"}


def test_another_agent_type_and_the_bare_project_find_what_the_coder_learned(
    book: Commonplace,
) -> None:
    coder = book.as_context(CODER)
    learned = coder.save("The arena overflows when a mech dies twice").memory
    assert str(learned.scope) == "/project/mech"
    assert (learned.source_agent, learned.source_tasks) == ("coding", ("t-1",))
    for context in ({"project": "mech"}, {"project": "mech", "agent": "reviewing"}):
        found = coder.as_context(context).recall("when does the arena overflow?")
        assert [hit.memory.id for hit in found] == [learned.id]
    assert not coder.as_context({"project": "chess"}).recall("when does the arena overflow?")


def test_two_tasks_that_learn_the_same_have_one_memory(book: Commonplace) -> None:
    book = book.as_context(CODER)
    first = book.save("The arena overflows when a mech dies twice")
    other = book.as_context({"project": "mech", "agent": "testing", "task": "t-2"})
    again = other.save("the arena overflows when a mech dies twice.")
    assert (again.action, again.id) == ("deduplicated", first.id)
    assert book.get(first.id).source_tasks == ("t-1", "t-2")


def test_facts_of_an_agent_are_facts_of_its_project(book: Commonplace) -> None:
    book = book.as_context(CODER)
    book.fact_store("test_command", "make test")
    fact = book.as_context({"project": "mech"}).fact_recall("test_command")
    assert fact is not None
    assert (fact.value, fact.source_agent) == ("make test", "coding")


def test_a_task_ends_in_the_project_and_is_found_by_every_agent_type(book: Commonplace) -> None:
    book = book.as_context({"project": "mech", "agent": "coding"})
    with book.task("Fix the arena", id="arena") as task:
        task.observe("The arena overflows when a mech dies twice", importance=0.9)
    other = book.as_context({"project": "mech", "agent": "reviewing"})
    assert [one.id for one in other.tasks(finished=True)] == ["arena"]
    [hit] = [
        hit for hit in other.recall("when does the arena overflow?") if hit.memory.kind == "insight"
    ]
    assert hit.memory.source_tasks == ("arena",)


def test_a_person_s_preference_is_theirs_and_a_rule_of_the_work_the_project_s(
    book: Commonplace,
) -> None:
    said = (
        "I prefer tabs over spaces.",
        "Please keep your answers short from now on: never more than five lines.",
        "Always run make lint before a commit.",
        "I never want us to deploy from this repository on Fridays.",
    )
    book = book.as_context({"project": "mech", "agent": "coding"})
    done = book.session("monday").end([Turn("user", text) for text in said])
    scopes = {one.memory.content[:18]: str(one.memory.scope) for one in done.added}
    assert scopes["I prefer tabs over"] == "/"
    assert scopes["Always run make li"] == "/project/mech"
    assert scopes["I never want us to"] == "/project/mech"
    assert str(done.summary.scope if done.summary else "") == "/project/mech"


def test_a_user_s_preference_stays_with_the_user(book: Commonplace) -> None:
    book = book.as_context({"user": "ada", "project": "mech"})
    done = book.session("monday").end([Turn("user", "I prefer tabs over spaces.")])
    assert [str(one.memory.scope) for one in done.added] == ["/user/ada"]
    again = book.session("monday").end([Turn("user", "I prefer tabs over spaces.")])
    assert again.already


def test_lessons_of_a_task_name_it(book: Commonplace) -> None:
    task = book.as_context({"project": "mech", "agent": "coding"}).task("Fix it", id="arena")
    task.before_model_call("Always run make lint before a commit.")
    done = task.complete()
    assert [(one.source_tasks, str(one.scope)) for one in done.learned] == [
        (("arena",), "/project/mech")
    ]


@pytest.mark.parametrize("source", ["cli", "mcp", "rest", "library"])
def test_a_saved_preference_about_the_person_is_the_person_s_through_every_door(
    book: Commonplace, source: str
) -> None:
    book = book.as_context({"project": "mech", "agent": "coding"}, source=source)

    def scope(text: str, **fields: str) -> str:
        return str(book.save(text, kind="preference", **fields).memory.scope)

    assert scope("Prefers tabs over spaces") == "/"
    assert scope("I drink tea", scope="/project/mech") == "/project/mech"
    assert scope("Prefers squash merges in this repository") == "/project/mech"
    ada = book.as_context({"org": "acme", "user": "ada", "project": "mech", "role": "member"})
    assert str(ada.save("I prefer uv", kind="preference").memory.scope) == "/org/acme/user/ada"
    assert str(ada.save("I prefer uv", kind="insight").memory.scope) != "/org/acme/user/ada"


@pytest.mark.parametrize("source", ["cli", "mcp", "rest", "library"])
@pytest.mark.parametrize(
    ("text", "kind", "scope"),
    [
        ("I prefer tabs", "preference", "/"),
        ("I can't stand long intros", "preference", "/"),
        ("The user prefers dark terminals", "preference", "/"),
        ("Please never use emojis", "preference", "/"),
        ("My favourite shell is fish", "preference", "/"),
        ("Ich bevorzuge kurze Antworten", "preference", "/"),
        ("I'd rather you ask before a long refactoring", "preference", "/"),
        ("Keep your answers short", "preference", "/"),
        ("Talk to me like a colleague", "preference", "/"),
        ("Use British spelling", "preference", "/"),
        ("I live in Leiden", "insight", "/"),
        ("I'm colour-blind", "insight", "/"),
        ("I prefer vitest in this repository", "insight", "/project/mech"),
        ("I raised the timeout to 45 seconds", "insight", "/project/mech"),
        ("Never push on Fridays", "insight", "/project/mech"),
        ("Always format dates as MM/DD", "insight", "/project/mech"),
        ("Rosa is coeliac", "insight", "/project/mech"),
        ("My test failed because I'm allergic to mocks", "insight", "/project/mech"),
    ],
)
def test_a_save_without_a_kind_is_the_person_s_if_it_tells_of_them(
    book: Commonplace, source: str, text: str, kind: str, scope: str
) -> None:
    here = book.as_context({"project": "mech", "agent": "coding"}, source=source)
    saved = here.save(text).memory
    assert (saved.kind, str(saved.scope)) == (kind, scope)


@pytest.mark.parametrize("text", ["Never push on Fridays", "Always format dates as MM/DD"])
def test_a_rule_that_does_not_speak_of_the_person_is_the_project_s(
    book: Commonplace, text: str
) -> None:
    here = book.as_context({"project": "mech"})
    assert str(here.save(text, kind="preference").memory.scope) == "/project/mech"
    mine = here.save(f"I want you to remember: {text}", kind="preference", scope="/")
    assert str(mine.memory.scope) == "/"
