"""The inbox: proposals in plain words, accepting and rejecting them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace import BadInput, Commonplace, Conflict, Memory, NotFound, Refused
from commonplace.model.errors import Proposed
from tests import as_person
from tests.conftest import Clock, OpenBook
from tests.verbs.test_maintain import by_hand, live


def unread(book: Commonplace, clock: Clock) -> str:
    """Let maintenance propose to archive a preference; returns the proposal's id."""
    book.save("Ada drinks tea in the morning", kind="preference")
    clock.pass_days(91)
    book.maintain()
    (waiting,) = book.inbox()
    return waiting.memory.id


def test_a_yes_archives_and_can_be_taken_back(book: Commonplace, clock: Clock) -> None:
    id = unread(book, clock)
    decided = as_person(book).accept(id)
    assert decided.accepted
    assert [memory.status for memory in decided.changed] == ["archived"]
    assert book.inbox() == []
    assert live(book) == []
    as_person(book).revert(id)
    assert len(book.inbox()) == 1
    assert live(book) == ["Ada drinks tea in the morning"]


def test_a_no_is_remembered(book: Commonplace, clock: Clock) -> None:
    id = unread(book, clock)
    decided = as_person(book).reject(id)
    assert [memory.status for memory in decided.changed] == ["active"]
    for _ in range(3):
        clock.pass_days(100)
        assert book.maintain().changes == ()
    assert book.inbox() == []
    with pytest.raises(Conflict, match="does not wait in the inbox"):
        as_person(book).accept(id)


def test_the_inbox_is_readable_notes(open_vault: OpenBook, vault: Path, clock: Clock) -> None:
    book = open_vault()
    unread(book, clock)
    (note,) = (vault / "system" / "memory" / "_inbox").glob("*.md")
    text = note.read_text(encoding="utf-8")
    assert "Archive 1 preference, past review and unread?" in text
    assert "[[ada-drinks-tea-in-the-morning" in text
    note.unlink()
    assert book.inbox() == []


def test_what_a_person_strikes_from_the_list_is_not_archived(
    open_vault: OpenBook, vault: Path, clock: Clock
) -> None:
    book = open_vault()
    book.save("Bob drinks coffee at noon", kind="preference")
    id = unread(book, clock)
    (note,) = (vault / "system" / "memory" / "_inbox").glob("*.md")
    lines = note.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if "[[ada-drinks-tea" not in line]
    assert len(kept) == len(lines) - 1
    note.write_text("".join(kept), encoding="utf-8")
    decided = as_person(book).accept(id)
    assert [memory.content for memory in decided.changed] == ["Bob drinks coffee at noon"]
    assert live(book) == ["Ada drinks tea in the morning"]


def test_what_waits_is_not_recalled(book: Commonplace, clock: Clock) -> None:
    unread(book, clock)
    assert [hit.memory.kind for hit in book.recall("archive preference unread tea")] == [
        "preference"
    ]


def test_a_staged_fact_takes_the_place_of_what_held_before(url: str, open_at: OpenBook) -> None:
    person, agent = open_at(url, source="cli"), open_at(url)
    person.fact_store("deploy.branch", "main")
    staged = agent.fact_store("deploy.branch", "trunk")
    assert staged.action == "staged"
    (waiting,) = person.inbox()
    assert waiting.action == "remember"
    person.accept(waiting.memory.id)
    assert value(person) == "trunk"
    assert len(person.fact_list()) == 1
    person.revert(staged.id)
    assert value(person) == "main"


def test_an_accepted_value_changes_the_persons_line_and_the_undo_restores_it_exactly(
    open_vault: OpenBook, vault: Path
) -> None:
    lines = (
        "# Facts\n- zone: eu-north-1\n\n## deploy\n\n* branch:   granite\n- lead: Ada\n\nProse.\n"
    )
    file = vault / "projects" / "mech" / "facts.md"
    file.parent.mkdir(parents=True)
    file.write_text(lines, encoding="utf-8")
    person = open_vault(context={"project": "mech"}, source="cli")
    agent = open_vault(context={"project": "mech"})
    staged = agent.fact_store("branch", "basalt", namespace="deploy")
    waiting = person.inbox_show(staged.id)
    assert [one.content for one in waiting.about] == ["branch: granite"]
    person.accept(staged.id)
    assert file.read_text(encoding="utf-8") == lines.replace("granite", "basalt")
    person.revert(staged.id)
    assert file.read_text(encoding="utf-8") == lines
    assert [one.memory.id for one in person.inbox()] == [staged.id]
    person.accept(staged.id)
    assert file.read_text(encoding="utf-8") == lines.replace("granite", "basalt")


def value(book: Commonplace) -> str | None:
    fact = book.fact_recall("deploy.branch")
    return fact.value if fact else None


def test_a_rejected_memory_is_gone_and_can_be_brought_back(url: str, open_at: OpenBook) -> None:
    person, agent = open_at(url, source="cli"), open_at(url)
    person.fact_store("deploy.branch", "main")
    staged = agent.fact_store("deploy.branch", "trunk")
    person.reject(staged.id)
    assert person.get(staged.id).status == "deleted"
    person.revert(staged.id)
    assert len(person.inbox()) == 1


def test_a_proposal_can_be_edited_before_the_yes(
    open_vault: OpenBook, vault: Path, clock: Clock
) -> None:
    book = open_vault(source="cli")
    folder = vault / "system" / "insight"
    by_hand(folder, "one.md", "The office door code changes monthly")
    by_hand(folder, "two.md", "The office door code changes monthly on the keypad")
    book.maintain()
    (waiting,) = book.inbox()
    assert (waiting.action, waiting.memory.owner) == ("merge", "curated")
    question = waiting.memory.content.partition("\n\n")[0]
    edited = book.edit(waiting.memory.id, content=f"{question}\n\nThe door code changes often")
    assert [one.memory.id for one in book.inbox()] == [edited.id]
    made = as_person(book).accept(edited.id).changed[0]
    assert live(book) == ["The door code changes often"]
    assert len(made.derived_from) == 2
    book.revert(edited.id)
    assert live(book) == [
        "The office door code changes monthly",
        "The office door code changes monthly on the keypad",
    ]


def test_which_side_of_a_contradiction_holds_is_asked(url: str, open_at: OpenBook) -> None:
    person, agent = open_at(url, source="cli"), open_at(url)
    said = person.save("The deploy branch is release").memory
    agent.save("The deploy branch is main")
    (waiting,) = person.inbox()
    assert waiting.action == "contradiction"
    with pytest.raises(BadInput, match="Say which of these holds") as asked:
        person.accept(waiting.memory.id)
    assert said.slug in str(asked.value.hint)
    person.accept(waiting.memory.id, keep=said.id)
    assert [one.content for one in person.list()] == [said.content]


SEVERAL = "The invoice database lives on orion. Backups run at three in the morning. Jonas owns it."


@pytest.mark.parametrize(
    ("several", "changed", "kept"),
    [
        (SEVERAL, "We moved the invoice database to vega.", "Jonas owns it."),
        (
            "Our office is in Berlin. The landlord is Haus AG. Rent is due on the first.",
            "The office is now in Hamburg.",
            "The landlord is Haus AG. Rent is due on the first.",
        ),
    ],
)
def test_of_several_statements_only_the_contradicted_one_goes(
    url: str, open_at: OpenBook, several: str, changed: str, kept: str
) -> None:
    person, agent = open_at(url, source="cli"), open_at(url)
    old = person.save(several).memory
    new = agent.save(changed).memory
    (waiting,) = person.inbox()
    person.accept(waiting.memory.id, keep=new.id)
    (rest,) = [one.content for one in person.list() if one.id != new.id]
    assert kept in rest
    assert "orion" not in rest
    assert "Berlin" not in rest
    person.revert(waiting.memory.id)
    assert person.get(old.id).content == several


def test_both_sides_of_a_contradiction_may_hold(url: str, open_at: OpenBook) -> None:
    person, agent = open_at(url, source="cli"), open_at(url)
    old = person.save(SEVERAL).memory
    new = agent.save("We moved the invoice database to vega.").memory
    (waiting,) = person.inbox()
    person.accept(waiting.memory.id, keep="both")
    assert {one.content: one.status for one in person.list()} == {
        old.content: "active",
        new.content: "active",
    }
    person.maintain()
    assert person.inbox() == []


def test_a_weak_memory_that_is_accepted_ends_only_what_it_contradicts(
    url: str, open_at: OpenBook
) -> None:
    person, agent = open_at(url, source="cli"), open_at(url)
    old = person.save(SEVERAL).memory
    new = agent.save("The invoice database lives on vega", confidence=0.3).memory
    (waiting,) = person.inbox()
    assert (waiting.action, [one.id for one in waiting.about]) == ("remember", [old.id])
    person.accept(new.id)
    assert {one.content for one in person.list()} == {
        new.content,
        SEVERAL.replace("orion", "vega"),
    }
    person.revert(new.id)
    assert [one.content for one in person.list()] == [SEVERAL]
    person.accept(new.id, keep="both")
    assert {one.content for one in person.list()} == {new.content, SEVERAL}


def test_keep_is_for_one_side_of_a_contradiction(book: Commonplace, clock: Clock) -> None:
    id = unread(book, clock)
    with pytest.raises(BadInput, match="for contradictions only"):
        as_person(book).accept(id, keep="tea")


def test_an_inbox_is_as_private_as_the_memories_it_is_about(
    book: Commonplace, clock: Clock
) -> None:
    book.save("Ada is thinking of moving", kind="preference", scope="/user/ada")
    clock.pass_days(91)
    book.maintain()
    (waiting,) = book.inbox()
    ben = book.as_context({"user": "ben", "role": "member"})
    assert ben.inbox() == []
    with pytest.raises(NotFound):
        as_person(ben).accept(waiting.memory.id)
    ada = book.as_context({"user": "ada", "role": "member"})
    assert as_person(ada).accept(waiting.memory.id).accepted


def test_a_purge_takes_proposals_about_the_memory_with_it(
    open_vault: OpenBook, vault: Path, clock: Clock
) -> None:
    book = open_vault()
    id = unread(book, clock)
    target = book.inbox()[0].about[0].id
    assert id in as_person(book).purge(target).ids
    assert not any("tea" in path.name for path in vault.rglob("*.md"))
    assert book.inbox() == []


def test_what_is_not_there_cannot_be_decided_whoever_asks(book: Commonplace) -> None:
    for decide in (book.accept, book.reject):
        with pytest.raises(NotFound, match="No memory is called 'nothing'"):
            decide("nothing")


def test_a_rejected_text_is_refused_in_narrower_scopes_too_and_not_in_others(
    url: str, open_at: OpenBook
) -> None:
    person, agent = open_at(url, source="cli"), open_at(url, source="mcp")
    rule = "From now on always run golangci-lint before a commit"
    saved = agent.save(rule, kind="preference", scope={"user": "ada"})
    person.reject(saved.id)
    for scope in ({"user": "ada"}, {"user": "ada", "project": "mech"}):
        for kind in ("preference", "insight"):
            with pytest.raises(Refused, match="rejected this already"):
                agent.save(f"{rule}.", kind=kind, scope=scope)
    assert agent.save(rule, kind="insight", scope={"project": "mech"}).action == "created"
    person.revert(saved.id)
    assert agent.save(rule, kind="preference", scope={"user": "ada"}).id == saved.id
    assert person.save(rule, scope={"user": "ada", "project": "mech"}).action == "created"


PORTS = ("The staging server listens on port 8080", "The staging server listens on port 9090")
THIRD_PORT = "The staging server listens on port 7070"


def three_ports(book: Commonplace, vault: Path) -> list[str]:
    """Two questions about three notes; returns the ids of the proposals, oldest first."""
    insights = vault / "system" / "memory" / "insight"
    for number, text in enumerate((*PORTS, THIRD_PORT)):
        by_hand(insights, f"port-{number}.md", text)
        book.maintain()
    return [entry.memory.id for entry in reversed(book.inbox())]


@pytest.mark.parametrize("order", [1, -1])
def test_a_memory_stays_disputed_until_the_last_question_about_it_is_rejected(
    open_vault: OpenBook, vault: Path, order: int
) -> None:
    book = open_vault()
    waiting = three_ports(book, vault)[::order]
    assert len(waiting) > 1
    for number, id in enumerate(waiting):
        asked = {one for left in waiting[number:] for one in book.get(left).derived_from}
        assert {book.get(one).status for one in asked} == {"review"}
        as_person(book).reject(id)
    assert {memory.status for memory in book.list()} == {"active"}


def test_the_one_that_holds_stays_disputed_while_another_question_about_it_waits(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    first, *others = three_ports(book, vault)
    both = [set(book.get(id).derived_from) for id in (first, others[0])]
    (shared,) = both[0] & both[1]
    as_person(book).accept(first, keep=shared)
    assert book.get(shared).status == "review"


def test_a_memory_that_was_stale_before_a_question_is_stale_after_a_no(
    book: Commonplace, clock: Clock
) -> None:
    old = book.save(PORTS[0], source_tasks=["T-12"], confidence=0.9)
    clock.pass_days(31)
    book.maintain()
    assert book.get(old.id).status == "stale"
    as_person(book).save(PORTS[1], confidence=0.5)
    (waiting,) = [one for one in book.inbox() if one.action == "contradiction"]
    assert book.get(old.id).status == "review"
    as_person(book).reject(waiting.memory.id)
    assert book.get(old.id).status == "stale"


def test_a_memory_that_was_stale_long_before_is_stale_after_a_no_to_its_archiving(
    book: Commonplace, clock: Clock
) -> None:
    guess = book.save("Ada drinks tea in the morning", kind="preference", confidence=0.4)
    book.edit(guess.id, confidence=0.2)
    clock.pass_days(61)
    book.maintain()
    assert book.get(guess.id).status == "stale"
    clock.pass_days(60)
    book.maintain()
    (waiting,) = [one for one in book.inbox() if one.action == "archive"]
    as_person(book).reject(waiting.memory.id)
    assert book.get(guess.id).status == "stale"


def test_a_memory_that_a_correction_put_in_review_stays_there_after_a_no(
    book: Commonplace,
) -> None:
    source = book.save("All test machines were moved to Utrecht in May")
    derived = book.save(PORTS[0], derived_from=(source.id,), confidence=0.9)
    book.correct(source.id, "All test machines were moved to Utrecht in June")
    assert book.get(derived.id).status == "review"
    as_person(book).save(PORTS[1], confidence=0.5)
    (waiting,) = book.inbox()
    assert derived.id in waiting.memory.derived_from
    as_person(book).reject(waiting.memory.id)
    assert book.get(derived.id).status == "review"


WAITS = "Always run make lint before a commit."


def test_what_a_person_saves_no_longer_waits_in_the_inbox(open_vault: OpenBook) -> None:
    book = open_vault()
    waiting = book.save(WAITS, always_load=True).memory
    assert [one.memory.id for one in book.inbox()] == [waiting.id]
    saved = as_person(book).save(WAITS)
    assert book.inbox() == []
    assert [one.id for one in book.list()] == [saved.id]
    assert book.get(waiting.id).superseded_by == saved.id


def test_accepting_what_an_agent_saved_again_keeps_one_memory(open_vault: OpenBook) -> None:
    book = open_vault()
    waiting = book.save(WAITS, always_load=True).memory
    book.save(WAITS)
    as_person(book).accept(waiting.id)
    assert [one.content for one in book.list()] == [WAITS]
    assert book.inbox() == []


def test_a_proposed_change_that_a_person_saves_is_settled(open_vault: OpenBook) -> None:
    book, right = open_vault(), "The parking permit costs 35 euros."
    old = as_person(book).save("The parking permit costs 30 euros.").memory
    with pytest.raises(Proposed):
        book.correct(old.id, right)
    assert [one.action for one in book.inbox()] == ["correct"]
    saved = as_person(book).save(right)
    assert book.inbox() == []
    assert [one.id for one in book.list()] == [saved.id]
    as_person(book).revert(saved.id)
    assert [one.id for one in book.list()] == [old.id]


def _edited_back(person: Commonplace, saved: Memory, made: Memory) -> None:
    person.edit(made.id, content=saved.content)


SETTLED_BY = {
    "revert of a forget, restored": ("forget", "revert", lambda p, s, m: p.restore(s.id)),
    "revert of a forget, reverted": ("forget", "revert", lambda p, s, m: p.revert(s.id)),
    "revert of a forget, saved anew": ("forget", "revert", lambda p, s, m: p.restore(s.slug)),
    "revert of an edit, edited back": ("edit", "revert", _edited_back),
    "revert of tags, edited back": ("tags", "revert", lambda p, s, m: p.edit(s.id, tags=())),
    "revert of tags, reverted": ("tags", "revert", lambda p, s, m: p.revert(s.id)),
    "forget, forgotten": ("", "forget", lambda p, s, m: p.forget(s.id)),
    "restore, restored": ("forget", "restore", lambda p, s, m: p.restore(s.id)),
    "rename, renamed": ("", "rename", lambda p, s, m: p.rename(s.id, "old-lamp")),
    "edit, edited": ("", "edit", lambda p, s, m: p.edit(s.id, content="The lamp is new")),
    "tags, edited": ("", "tags", lambda p, s, m: p.edit(s.id, tags=["hall"])),
    "correct, corrected": ("", "correct", lambda p, s, m: p.correct(s.id, "The lamp is new")),
}


@pytest.mark.parametrize("how", SETTLED_BY)
def test_a_request_that_the_person_has_met_can_only_be_put_away(
    open_vault: OpenBook, how: str
) -> None:
    before, asked, settle = SETTLED_BY[how]
    book = open_vault()
    person, agent = as_person(book), book.as_context(book.context, source="mcp")
    saved = person.save("The lamp is old").memory
    acts: dict[str, Callable[[Commonplace], Any]] = {
        "": lambda _: None,
        "forget": lambda one: one.forget(saved.id),
        "restore": lambda one: one.restore(saved.id),
        "rename": lambda one: one.rename(saved.id, "old-lamp"),
        "edit": lambda one: one.edit(saved.id, content="The lamp is new"),
        "tags": lambda one: one.edit(saved.id, tags=["hall"]),
        "correct": lambda one: one.correct(saved.id, "The lamp is new"),
        "revert": lambda one: one.revert(saved.id),
    }
    made = acts[before](person)
    with pytest.raises(Proposed):
        acts[asked](agent)
    [waiting] = person.inbox()
    assert not waiting.settled
    settle(person, saved, made)
    texts = {one.id: one.content for one in person.list()}
    [waiting] = person.inbox()
    assert waiting.settled
    assert waiting.why.startswith("Nothing is left to decide: ")
    with pytest.raises(Conflict, match="Nothing is left to decide") as refused:
        person.accept(waiting.memory.id)
    assert "inbox reject" in refused.value.hint
    [left] = person.accept_many([waiting.memory.id]).left
    assert "Nothing is left" in left.why
    person.reject(waiting.memory.id)
    assert person.inbox() == []
    assert {one.id: one.content for one in person.list()} == texts


def test_a_request_waits_again_when_its_change_is_made_again(open_vault: OpenBook) -> None:
    book = open_vault()
    person, agent = as_person(book), book.as_context(book.context, source="mcp")
    saved = person.save("The lamp is old").memory
    person.forget(saved.id)
    with pytest.raises(Proposed):
        agent.revert(saved.id)
    person.restore(saved.id)
    assert person.inbox()[0].settled
    person.forget(saved.id)
    [waiting] = person.inbox()
    assert (waiting.settled, waiting.why) == (False, "")
    person.accept(waiting.memory.id)
    assert [one.id for one in person.list()] == [saved.id]
