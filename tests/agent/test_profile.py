"""The profile is short, in sections, and says what to merge when it is full."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import Commonplace, Refused
from commonplace.notes import profile
from tests import as_person
from tests.conftest import OpenBook

ADA = "## Who\nAda, engineer at Acme.\n\n## Preferences\nShort answers.\nMetric units."


def test_profile_is_written_shown_and_handed_over(book: Commonplace) -> None:
    assert book.profile().text == ""
    shown = book.profile_set(ADA)
    assert shown.text == ADA
    assert shown.characters == len(ADA)
    assert shown.percent == 8
    assert [part.name for part in shown.sections] == ["Who", "Preferences"]
    assert "Ada, engineer at Acme." in book.session_start().text


def test_section_is_set_added_to_and_removed(book: Commonplace) -> None:
    book = as_person(book)
    book.profile_set(ADA)
    book.profile_set("Linux, vim.", section="Tools")
    book.profile_set("No emoji.", section="preferences", add=True)
    book.profile_set("Ada Lovelace.", section="Who")
    assert book.profile().text == (
        "## Who\nAda Lovelace.\n\n## Preferences\nShort answers.\nMetric units.\nNo emoji.\n\n"
        "## Tools\nLinux, vim."
    )
    book.profile_set("", section="Tools")
    assert "Tools" not in book.profile().text
    assert len(book.list(kinds=["profile"])) == 1


def test_a_line_that_is_there_is_not_added_again(book: Commonplace) -> None:
    as_person(book).profile_set(ADA)
    for again in ("Metric units.", "- metric units", "Prefers tea.", "prefers tea"):
        book.profile_set(again, add=True)
    assert book.profile().text == ADA
    assert book.profile().unconfirmed == "Prefers tea."
    as_person(book).profile_set("Prefers tea.", add=True)
    assert book.profile().text == f"{ADA}\nPrefers tea."


def test_refused_write_says_what_could_be_merged(book: Commonplace) -> None:
    book = as_person(book)
    full = f"{ADA}\nShort answers without bullet points.\n\n## Story\n{'once upon a time ' * 50}"
    book.profile_set(full)
    with pytest.raises(Refused) as told:
        book.profile_set("x" * 300, section="Tools")
    assert "it holds 1,000" in told.value.sentence
    assert "Merge “Short answers.” with “Short answers without bullet points.”" in told.value.hint
    assert "Story 8" in told.value.hint
    assert book.profile().text == full, "nothing was changed"


def test_no_other_way_in_goes_past_the_limit(book: Commonplace) -> None:
    with pytest.raises(Refused, match="1,001 characters"):
        book.save("x" * 1_001, kind="profile")
    memory = book.profile_set(ADA).memory
    assert memory is not None
    with pytest.raises(Refused, match="1,001 characters"):
        book.edit(memory.id, content="x" * 1_001)
    with pytest.raises(Refused, match="1,001 characters"):
        book.correct(memory.id, "x" * 1_001)
    assert book.profile().text == ADA


def test_two_users_have_two_profiles(book: Commonplace) -> None:
    ada = book.as_context({"user": "ada", "role": "member"})
    bob = book.as_context({"user": "bob", "project": "shop", "role": "member"})
    ada.profile_set("Ada likes tea.")
    bob.profile_set("Bob likes coffee.")
    assert ada.profile().text == "Ada likes tea."
    assert bob.profile().scope == "/user/bob"
    assert "tea" not in bob.session_start().text


def test_profile_is_a_file_that_its_person_edits(open_vault: OpenBook, vault: Path) -> None:
    book = as_person(open_vault())
    book.profile_set(ADA)
    note = vault / "profile.md"
    note.write_text(note.read_text().replace("Metric units.", "Imperial units."))
    assert "Imperial units." in book.profile().text
    book.profile_set("No emoji.", section="Preferences", add=True)
    assert "Imperial units.\nNo emoji." in note.read_text()


def test_line_of_an_agent_becomes_the_persons_file_when_accepted(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    line = book.profile_set("Ada, engineer.").memory
    assert line is not None
    assert not book.profile().confirmed
    assert not (vault / "profile.md").exists()
    person = as_person(book)
    person.accept(line.id)
    assert "Ada, engineer." in (vault / "profile.md").read_text()
    assert list(vault.glob("system/memory/profile/*.md")) == []
    assert person.profile().confirmed
    book.profile_set("Likes tea.")
    [waiting] = person.inbox()
    person.accept(waiting.memory.id)
    assert "Ada, engineer.\nLikes tea." in (vault / "profile.md").read_text()


def test_override_of_an_agent_becomes_the_persons_file_when_accepted(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    book.save("Prefer composition.", kind="override", scope="/project/arena/agent/coding")
    person = as_person(book)
    [waiting] = person.inbox()
    person.accept(waiting.memory.id)
    page = vault / "projects" / "arena" / "overrides" / "coding.md"
    assert "Prefer composition." in page.read_text()
    book.save("Never use singletons.", kind="override", scope="/project/arena/agent/coding")
    [waiting] = person.inbox()
    person.accept(waiting.memory.id)
    assert "Prefer composition.\nNever use singletons." in page.read_text()


def test_history_keeps_what_the_profile_said(book: Commonplace) -> None:
    book.profile_set("Ada likes tea.")
    memory = book.profile_set("Ada likes coffee.").memory
    assert memory is not None
    versions = book.history(memory.id).versions
    assert [one.content for one in versions] == ["Ada likes tea.", "Ada likes coffee."]
    book.revert(memory.id)
    assert book.profile().text == "Ada likes tea."


names = st.text("abcDEF xyz", min_size=1, max_size=10).map(str.strip).filter(bool)
bodies = st.text("abc #-\n", max_size=60)


@given(st.lists(st.tuples(names, bodies), max_size=5), names, bodies)
def test_other_sections_stay_when_one_is_set(
    given_parts: list[tuple[str, str]], name: str, body: str
) -> None:
    text = profile.join_sections([profile.Section(*part) for part in given_parts])
    before = {part.name.casefold(): part.text for part in profile.sections(text)}
    after = profile.sections(profile.with_section(text, name, "plain"))
    assert any(part.name.casefold() == name.casefold() for part in after)
    kept = {part.name.casefold(): part.text.strip() for part in after}
    for known, held in before.items():
        if known != name.casefold() and held.strip():
            assert known in kept
    assert profile.percent_used(body) <= 7


def test_far_too_long_a_profile_is_refused_at_once(book: Commonplace) -> None:
    book = as_person(book)
    with pytest.raises(Refused, match="characters"):
        book.profile_set("\n".join(f"line {number} likes tea" for number in range(50_000)))


def test_heading_stays_one_line(book: Commonplace) -> None:
    book.profile_set("tea", section="Likes\n## Role")
    assert [part.name for part in book.profile().sections] == ["Likes ## Role"]


def test_line_that_waits_for_confirmation_is_counted(book: Commonplace) -> None:
    book.profile_set("Ada, engineer.")
    person = as_person(book)
    assert len(person.inbox()) == 1
    assert person.status().waiting == 1
    assert person.standing().waiting == 1


def test_an_accepted_line_goes_below_the_heading_that_is_there(open_vault: OpenBook) -> None:
    book = open_vault(source="mcp")
    person = as_person(book)
    person.profile_set("# Ada\n\n## Who\n\n- Ada, miller\n\n## Language\n- Danish")
    book.profile_set("Rises at five", section="Who", add=True)
    book.profile_set("No meetings on Fridays", section="Days", add=True)
    [waiting] = person.inbox()
    person.accept(waiting.memory.id)
    text = person.profile().text
    assert text.count("## Who") == 1
    assert text.index("Ada, miller") < text.index("Rises at five") < text.index("## Language")
    assert text.endswith("## Days\nNo meetings on Fridays")
    assert "# Ada\n\n## Who\n\n- Ada, miller" in text
