"""A digest comes back as it was handed over, and nothing that was forgotten with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace import Commonplace, NotFound
from commonplace.model.identity import short_id
from commonplace.model.memory import HandedDigest
from commonplace.rules.handed_over.digest import Digest
from commonplace.rules.handed_over.handed_digest import PURGED, memory_lines, with_only
from commonplace.rules.handed_over.quotation import frame
from commonplace.verbs.replay import FORGOTTEN, GONE
from tests import as_person
from tests.conftest import Clock, OpenBook
from tests.on_disk import all_bytes

QUESTION = "which branch do we deploy from?"


@pytest.fixture
def team(book: Commonplace) -> Commonplace:
    person = as_person(book)
    person.save("Ask before deleting files", always_load=True, scope="/")
    book.save("The deploy branch is main, and deploys take ten minutes", kind="workflow")
    book.save("Deploys from the branch need Ada's yes\non Fridays, <b>always</b>", kind="decision")
    return book


def handed(book: Commonplace) -> Digest:
    made = book.digest(QUESTION)
    assert len(made.ids) == 3
    return made


def line_of(text: str, id: str) -> str:
    return next(line for line in text.split("\n") if f"[{short_id(id)}]" in line)


def test_a_digest_is_replayed_byte_for_byte_by_its_id(team: Commonplace) -> None:
    made = handed(team)
    team.digest("who is Ada?")
    again = team.replay(made.id)
    assert again.text == made.text
    assert (again.memories, again.question, again.withheld) == (made.ids, QUESTION, ())
    assert team.why(made.id).retrieval.query == QUESTION


def test_start_and_prompt_are_replayed_and_the_last_one_needs_no_id(team: Commonplace) -> None:
    start = team.session_start()
    assert team.replay().text == start.text
    prompt = team.prompt(QUESTION, already=start.ids)
    assert prompt.id != start.id
    assert team.replay().text == prompt.text
    assert team.replay(start.id).text == start.text
    assert [one.id for one in team.digests()] == [prompt.id, start.id]


def test_a_prompt_that_got_nothing_is_replayed_as_nothing(team: Commonplace) -> None:
    made = team.prompt("what does a walrus eat?")
    assert made.text == ""
    assert team.replay(made.id).text == ""


def test_it_is_as_it_was_after_memories_were_corrected_edited_and_promoted(
    team: Commonplace, clock: Clock
) -> None:
    made = handed(team)
    branch, decision = (team.get(id) for id in made.ids if not team.get(id).always_load)
    team.correct(branch.id, "The deploy branch is release")
    team.edit(decision.id, tags=["fridays"], confidence=0.3)
    clock.pass_days(400)
    team.maintain()
    assert team.digest(QUESTION).text != made.text
    assert team.replay(made.id).text == made.text


def test_it_is_as_it_was_after_a_note_was_edited_by_hand(open_vault: OpenBook, vault: Path) -> None:
    book = open_vault()
    book.save("The deploy branch is main, and deploys take ten minutes", kind="workflow")
    made = book.prompt(QUESTION)
    [note] = [path for path in vault.rglob("*.md") if "deploys take" in path.read_text()]
    note.write_text(note.read_text().replace("main", "release"))
    assert "release" in book.prompt(QUESTION).text
    assert book.replay(made.id).text == made.text


def test_a_forgotten_memory_does_not_come_back_until_it_is_restored(team: Commonplace) -> None:
    made = handed(team)
    branch = team.get("The deploy branch is main, and deploys take ten minutes")
    team.forget(branch.id)
    again = team.replay(made.id)
    assert "ten minutes" not in again.text
    assert line_of(again.text, branch.id) == f"- [{short_id(branch.id)}] ({FORGOTTEN})"
    assert [(one.id, one.why) for one in again.withheld] == [(branch.id, FORGOTTEN)]
    others = set(made.text.split("\n")) - {line_of(made.text, branch.id)}
    assert others <= set(again.text.split("\n"))
    team.restore(branch.id)
    assert team.replay(made.id).text == made.text


def test_what_a_forgotten_memory_said_before_does_not_come_back_either(team: Commonplace) -> None:
    made = handed(team)
    right = team.correct("The deploy branch is main, and deploys take ten minutes", "It is release")
    assert "ten minutes" in team.replay(made.id).text
    team.forget(right.memory.id)
    assert "ten minutes" not in team.replay(made.id).text


def test_a_purged_memory_leaves_a_note_and_not_a_byte(team: Commonplace, tmp_path: Path) -> None:
    made = handed(team)
    branch = team.get("The deploy branch is main, and deploys take ten minutes")
    as_person(team).purge(branch.id)
    again = team.replay(made.id)
    assert line_of(again.text, branch.id) == f"- [{short_id(branch.id)}] ({PURGED})"
    assert "Ada's yes" in again.text
    assert b"ten minutes" not in all_bytes(tmp_path)


def test_a_note_deleted_by_hand_does_not_come_back(open_vault: OpenBook, vault: Path) -> None:
    book = open_vault()
    saved = book.save("The deploy branch is main, and deploys take ten minutes", kind="workflow")
    made = book.prompt(QUESTION)
    for note in vault.rglob("*.md"):
        note.unlink()
    assert "ten minutes" not in book.replay(made.id).text
    assert GONE in line_of(book.replay(made.id).text, saved.memory.id)


def test_nobody_replays_what_others_were_handed(team: Commonplace) -> None:
    bob = team.as_context({"role": "member", "org": "acme", "user": "bob"})
    bob.save("Bob deploys from the branch at noon")
    made = bob.prompt(QUESTION)
    assert "noon" in bob.replay(made.id).text
    ada = team.as_context({"role": "member", "org": "acme", "user": "ada"})
    with pytest.raises(NotFound):
        ada.replay(made.id)
    with pytest.raises(NotFound):
        ada.replay()
    assert ada.digests() == []


def test_an_unknown_id_says_where_to_look(team: Commonplace) -> None:
    for id in ("nothing-like-it", "\0", "", "' OR 1=1"):
        with pytest.raises(NotFound, match="audit digests"):
            team.replay(id)


def test_a_rehearsal_leaves_nothing_to_replay(team: Commonplace) -> None:
    assert team.rehearsed().prompt(QUESTION).id == ""
    assert team.digests() == []


LINES = st.lists(
    st.text(st.characters(exclude_characters="\n", codec="utf-8"), max_size=30), max_size=12
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(LINES, st.booleans(), st.sets(st.integers(0, 11)))
def test_lines_taken_out_leave_all_others_as_they_are(
    lines: list[str], news: bool, kept: set[int]
) -> None:
    ids = tuple(f"m-{place}" for place in range(len(lines)))
    last = ["New since Monday: 1 memory."] if news and lines else []
    digest = HandedDigest("d", Clock().now, "/", frame([*lines, *last]), ids)
    assert list(memory_lines(digest).items()) == list(zip(ids, lines, strict=True))
    wanted = [line for place, line in enumerate(lines) if place in kept]
    shown = with_only(digest, [f"m-{place}" for place in kept])
    assert shown == (frame([*wanted, *last]) if wanted else "")
