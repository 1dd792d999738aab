"""History: changes are undone as a whole and once; versions are found, restored and purged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace, Conflict, NotFound, Refused
from commonplace.model.errors import BadInput, IndexUnavailable, StoreUnavailable
from tests import as_person
from tests.conftest import Clock, OpenBook

TEAM = "/org/acme/project/whaling"


def member(book: Commonplace, user: str) -> Commonplace:
    return book.as_context(
        {
            "org": "acme",
            "user": user,
            "project": "whaling",
            "role": "member",
            "grants": frozenset({TEAM}),
        }
    )


def live(book: Commonplace) -> set[str]:
    return {memory.content for memory in book.list()}


def fail_with(error: Exception) -> object:
    def failing(*_: object, **__: object) -> None:
        raise error

    return failing


def test_undoing_an_undo_does_the_change_again(book: Commonplace) -> None:
    saved = book.save("Colour is teal", tags=["ui"])
    book.edit(saved.id, tags=["design"])
    assert book.revert(saved.id).memories[0].tags == ("ui",)
    again = book.revert(saved.id).memories[0]
    assert (again.status, again.tags) == ("active", ("design",))


def test_undoing_the_undo_of_a_correction_brings_back_the_correction(book: Commonplace) -> None:
    wrong = book.save("The captain is Ishmael")
    right = book.correct(wrong.id, "The captain is Ahab").memory
    book.revert(right.id)
    assert live(book) == {"The captain is Ishmael"}
    book.revert(right.id)
    assert live(book) == {"The captain is Ahab"}
    assert book.get(wrong.id).superseded_by == right.id
    assert book.sync().repaired == 0


def test_the_same_change_is_not_undone_twice(book: Commonplace) -> None:
    saved = book.save("Colour is teal")
    event = book.audit()[0]
    book.revert(event.id)
    with pytest.raises(Refused):
        book.revert(event.id)
    assert book.get(saved.id).status == "deleted"


def test_a_rename_is_undone_and_the_memory_stays(book: Commonplace) -> None:
    saved = book.save("The whale is white")
    source = book.save(f"See [[{saved.memory.slug}]]")
    book.rename(saved.id, "Moby Dick")
    book.revert(saved.id)
    back = book.get(saved.id)
    assert (back.status, back.slug) == ("active", saved.memory.slug)
    assert book.get(source.id).content == f"See [[{saved.memory.slug}]]"
    book.revert(saved.id)
    assert book.get(source.id).content == "See [[moby-dick]]"
    assert book.broken_links() == []
    book.rename(saved.id, "Pequod")
    book.rename(saved.id, "Rachel")
    assert book.revert(saved.id).memories[0].slug == "pequod"


def test_all_that_one_act_changes_is_told_with_one_time(book: Commonplace) -> None:
    saved = book.save("The whale is white")
    for number in range(3):
        book.save(f"Chapter {number} of the log speaks of [[{saved.memory.slug}]]")
    book.rename(saved.id, "Moby Dick")
    renamed = [event for event in book.audit() if event.action == "renamed"]
    assert len(renamed) == 4
    assert len({event.at for event in renamed}) == 1


def test_a_name_made_of_the_text_is_not_told_to_the_audit_log(book: Commonplace) -> None:
    saved = book.save("The heron is called Archimedes")
    book.rename(saved.id, "door")
    assert "archimedes" not in " ".join(str(event) for event in book.audit()).lower()


def test_links_that_followed_a_rename_are_not_undone(book: Commonplace) -> None:
    saved = book.save("The whale is white")
    source = book.save(f"See [[{saved.memory.slug}]]")
    book.rename(saved.id, "Moby Dick")
    with pytest.raises(Refused):
        book.revert(source.id)
    assert book.get(source.id).status == "active"


def test_links_written_after_a_rename_follow_its_undo(book: Commonplace) -> None:
    saved = book.save("The whale is white")
    book.rename(saved.id, "Moby Dick")
    source = book.save("Read [[moby-dick|the whale]] aloud")
    book.revert(saved.id)
    assert book.get(source.id).content == f"Read [[{saved.memory.slug}|the whale]] aloud"
    assert book.broken_links() == []


def test_a_link_that_is_not_the_callers_to_change_leads_there_after_an_undo(
    book: Commonplace,
) -> None:
    agents = book.save("The whale is white")
    book.rename(agents.id, "Moby Dick")
    source = as_person(book).save("My notes on [[moby-dick]] are in the cabin")
    book.revert(agents.id)
    assert book.get(source.id).content == "My notes on [[moby-dick]] are in the cabin"
    assert book.broken_links() == []


def test_an_old_name_that_another_has_now_is_not_given_back(book: Commonplace) -> None:
    saved = book.save("The whale is white")
    book.rename(saved.id, "whale")
    book.rename(saved.id, "moby")
    book.rename(book.save("Seals sleep on the ice").id, "whale")
    with pytest.raises(Conflict):
        book.revert(saved.id)


def test_rename_refuses_what_is_no_name_or_taken(book: Commonplace) -> None:
    saved = book.save("The whale is white")
    other = book.save("The sea is deep")
    before = len(book.audit())
    with pytest.raises(BadInput):
        book.rename(saved.id, "!!!")
    with pytest.raises(Conflict):
        book.rename(saved.id, other.memory.slug)
    assert book.rename(saved.id, saved.memory.slug).slug == saved.memory.slug
    assert len(book.audit()) == before


def edit_by_hand(vault: Path, old: str, new: str) -> None:
    [note] = (path for path in vault.rglob("*.md") if old in path.read_text())
    note.write_text(note.read_text().replace(old, new))


def test_an_edit_by_hand_is_told_as_such_and_no_undo_takes_it_away(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    wrong = book.save("The captain is Ishmael").memory
    right = book.correct(wrong.id, "The captain is Ahab").memory
    assert book.history(right.id).by_hand == ()
    edit_by_hand(vault, "The captain is Ahab", "The captain is Starbuck")
    assert book.history(right.id).by_hand == (right.id,)
    with pytest.raises(Conflict, match="edited by hand since"):
        book.revert(right.id)
    assert live(book) == {"The captain is Starbuck"}
    book.edit(right.id, tags=["crew"])
    assert book.revert(right.id).memories[0].tags == ()
    assert live(book) == {"The captain is Starbuck"}


def test_undoing_what_a_correction_put_right_elsewhere_keeps_an_edit_by_hand(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    whole = book.save("The captain is Ishmael", scope="/").memory
    copy = book.save("The captain is Ishmael", scope="/project/museum").memory
    right = book.correct(whole.id, "The captain is Ahab").memory
    [museum] = (one for one in book.list() if one.scope == copy.scope)
    note = next((vault / "projects/museum").rglob(f"{museum.slug}.md"))
    note.write_text(note.read_text().replace("Ahab", "Ahab, or was"))
    with pytest.raises(Conflict, match="edited by hand since"):
        book.revert(right.id)
    assert live(book) == {"The captain is Ahab", "The captain is Ahab, or was"}


def test_a_correction_of_an_edit_by_hand_is_undone_as_any_other(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault()
    saved = book.save("The captain is Ishmael").memory
    edit_by_hand(vault, "is Ishmael", "is Starbuck")
    book.correct(saved.id, "The captain is Ahab")
    book.revert(saved.id)
    assert live(book) == {"The captain is Starbuck"}


def test_a_fact_line_edited_by_hand_is_not_undone(open_vault: OpenBook, vault: Path) -> None:
    book = open_vault()
    book.fact_store("port", "80")
    fact = book.fact_store("port", "8080").memory
    assert book.history(fact.id).by_hand == ()
    edit_by_hand(vault, "8080", "9090")
    with pytest.raises(Conflict, match="edited by hand since"):
        book.revert(fact.id)
    found = book.fact_recall("port")
    assert found
    assert found.value == "9090"


def test_a_note_written_by_hand_has_no_change_on_record(open_vault: OpenBook, vault: Path) -> None:
    book = open_vault()
    (vault / "Tea.md").write_text("Tea is at four.\n")
    history = book.history("Tea")
    assert (history.events, history.by_hand) == ((), (history.versions[0].id,))


def test_a_line_of_facts_has_no_name_to_change(open_vault: OpenBook, vault: Path) -> None:
    book = open_vault(source="cli")
    (vault / "system").mkdir(parents=True)
    (vault / "system" / "facts.md").write_text("- captain: Ahab\n")
    line = book.fact_recall("captain")
    assert line is not None
    with pytest.raises(Refused):
        book.rename(line.id, "skipper")


def test_a_change_that_failed_is_not_undone(
    book: Commonplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = book.save("Colour is teal", tags=["ui"])
    book.edit(saved.id, tags=["design"])
    with monkeypatch.context() as patched:
        patched.setattr(book._engine.store, "write", fail_with(StoreUnavailable("Disk full.")))
        with pytest.raises(StoreUnavailable):
            book.edit(saved.id, tags=["lost"])
    failed = next(event for event in book.audit() if event.action == "abandoned")
    with pytest.raises(Refused):
        book.revert(failed.related[0])
    book.revert(saved.id)
    assert book.get(saved.id).tags == ("ui",)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "Paint"),
        ("aliases", ["hue"]),
        ("tags", ["ui"]),
        ("topic", "design"),
        ("tier", "critical"),
        ("kind", "preference"),
        ("owner", "curated"),
        ("sensitivity", "sensitive"),
        ("always_load", True),
        ("confidence", 0.5),
        ("valid_from", "2026-01-01T00:00:00Z"),
        ("valid_until", "2027-01-01T00:00:00Z"),
        ("review_after", "2027-01-01T00:00:00Z"),
        ("expires", "2027-01-01T00:00:00Z"),
    ],
)
def test_an_edit_of_any_field_can_be_undone(book: Commonplace, field: str, value: Any) -> None:
    saved = book.save("Colour is teal", title="Colour")
    before = book.get(saved.id)
    changed = book.edit(saved.id, **{field: value})
    assert getattr(changed, field) != getattr(before, field)
    book.revert(saved.id)
    assert book.get(saved.id).but(updated=before.updated) == before


def test_undoing_a_promotion_leaves_what_was_there_before(book: Commonplace) -> None:
    above = book.save("Cache the schema", scope="/", tags=["db"])
    below = book.save("Cache the schema", scope="/project/x", tags=["speed"])
    met = book.promote(below.id, "/").memory
    assert met.id == above.id
    assert set(met.tags) == {"db", "speed"}
    book.revert(met.id)
    assert book.get(above.id).status == "active"
    assert book.get(above.id).tags == ("db",)


def test_the_origin_of_a_promotion_is_not_changed_by_it(book: Commonplace) -> None:
    below = book.save("Cache the schema", scope="/project/x")
    copy = book.promote(below.id, "/").memory
    assert book.revert(below.id).action == "created"
    assert book.get(copy.id).status == "active"
    assert book.get(below.id).status == "deleted"


def test_a_forgotten_memory_is_not_promoted(book: Commonplace) -> None:
    saved = book.save("Cache the schema", scope="/project/x")
    book.forget(saved.id)
    with pytest.raises(Refused):
        book.promote(saved.id, "/")


@pytest.mark.parametrize("source", ["library", "cli"])
def test_a_promoted_fact_replaces_the_value_above_and_undo_brings_it_back(
    url: str, open_at: OpenBook, source: str
) -> None:
    book = open_at(url, source=source)
    book.fact_store("deploy", "main", scope="/")
    below = book.fact_store("deploy", "dev", scope="/project/x")
    promoted = book.promote(below.id, "/").memory
    assert promoted.value == "dev"
    assert [fact.value for fact in book.list(scope="/")] == ["dev"]
    book.revert(promoted.id)
    assert [fact.value for fact in book.list(scope="/")] == ["main"]


def test_a_promoted_guess_does_not_replace_a_certainty(book: Commonplace) -> None:
    book.fact_store("deploy", "main", scope="/", confidence=1.0)
    below = book.fact_store("deploy", "dev", scope="/project/x", confidence=0.4)
    with pytest.raises(Conflict):
        book.promote(below.id, "/")
    assert [fact.value for fact in book.list(scope="/")] == ["main"]


@pytest.mark.parametrize("by", ["right", "wrong", "copy"])
def test_undoing_a_correction_brings_back_every_copy(book: Commonplace, by: str) -> None:
    wrong = book.save("The limit is 100", scope="/project/x", always_load=True)
    copy = book.promote(wrong.id, "/").memory
    right = book.correct(wrong.id, "The limit is 500").memory
    book.revert({"right": right.id, "wrong": wrong.id, "copy": copy.id}[by])
    for id in (wrong.id, copy.id):
        back = book.get(id)
        assert (back.status, back.superseded_by, back.always_load) == ("active", None, True)
    assert book.get(right.id).status == "deleted"
    assert live(book) == {"The limit is 100"}
    assert book.sync().repaired == 0


@pytest.mark.parametrize("verb", ["restore", "revert"])
def test_the_first_of_three_versions_does_not_return_beside_the_third(
    book: Commonplace, verb: str
) -> None:
    first = book.save("Version one")
    second = book.edit(first.id, content="Version two")
    third = book.edit(second.id, content="Version three")
    with pytest.raises(Conflict) as caught:
        getattr(book, verb)(first.id)
    assert third.id in f"{caught.value.sentence} {caught.value.hint}"
    assert live(book) == {"Version three"}


def test_the_first_of_three_versions_returns_once_the_third_is_forgotten(
    book: Commonplace,
) -> None:
    first = book.save("Version one")
    second = book.edit(first.id, content="Version two")
    third = book.edit(second.id, content="Version three")
    book.forget(third.id)
    book.restore(first.id)
    assert live(book) == {"Version one"}
    assert book.sync(rebuild=True).repaired == 0
    assert live(book) == {"Version one"}
    book.revert(first.id)
    assert live(book) == set()
    assert book.get(second.id).superseded_by == third.id
    assert book.get(first.id).superseded_by == second.id


def test_undoing_a_version_that_was_replaced_since_is_refused(book: Commonplace) -> None:
    first = book.save("Version one")
    second = book.edit(first.id, content="Version two")
    made = next(event for event in book.audit() if event.memory == second.id)
    book.edit(second.id, content="Version three")
    with pytest.raises(Conflict):
        book.revert(made.id)
    assert live(book) == {"Version three"}


def test_a_restored_memory_is_loaded_always_as_before(book: Commonplace) -> None:
    book = as_person(book)
    saved = book.save("Never deploy on Friday", always_load=True)
    book.forget(saved.id)
    assert "Never deploy" not in book.digest().text
    assert book.restore(saved.id).memory.always_load
    assert "Never deploy" in book.digest().text


def test_history_knows_every_value_of_a_line(url: str, open_at: OpenBook, clock: Clock) -> None:
    book = open_at(url, source="cli")
    for value in ("1111", "2222", "3333"):
        book.fact_store("seat", value)
        clock.pass_days(1)
    newest = book.fact_recall("seat")
    assert newest is not None
    versions = book.history(newest.id).versions
    assert [version.value for version in versions] == ["1111", "2222", "3333"]
    for version in versions:
        assert book.history(version.id).versions == versions


def test_the_last_value_of_a_curated_fact_is_undone(url: str, open_at: OpenBook) -> None:
    book = open_at(url, source="cli")
    for value in ("1111", "2222", "3333"):
        book.fact_store("seat", value)
    newest = book.fact_recall("seat")
    assert newest is not None
    book.revert(newest.id)
    assert live(book) == {"seat: 2222"}
    assert book.sync(rebuild=True).repaired == 0
    assert live(book) == {"seat: 2222"}


def test_an_earlier_value_of_a_curated_fact_does_not_return_beside_the_last(
    url: str, open_at: OpenBook
) -> None:
    book = open_at(url, source="cli")
    for value in ("1111", "2222", "3333"):
        book.fact_store("seat", value)
    newest = book.fact_recall("seat")
    assert newest is not None
    made = [event for event in book.history(newest.id).events if event.action == "created"]
    with pytest.raises(Conflict):
        book.revert(made[1].id)
    with pytest.raises(Conflict):
        book.restore(book.history(newest.id).versions[0].id)
    assert live(book) == {"seat: 3333"}


def test_a_forgotten_curated_fact_returns_by_undo(url: str, open_at: OpenBook) -> None:
    book = open_at(url, source="cli")
    saved = book.fact_store("seat", "1111")
    gone = book.forget(saved.id).memory
    assert live(book) == set()
    book.revert(gone.id)
    assert live(book) == {"seat: 1111"}


def test_a_purge_of_a_line_leaves_none_of_its_earlier_values(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault(source="cli")
    for value in ("1111", "2222", "3333"):
        book.fact_store("seat", value)
    line = book.fact_recall("seat")
    assert line is not None
    assert len(as_person(book).purge(line.id).ids) == 3
    left = " ".join(path.read_text() for path in vault.rglob("*.md"))
    assert not any(value in left for value in ("1111", "2222", "3333"))


def test_a_purge_does_not_reach_what_its_caller_may_not_write(book: Commonplace) -> None:
    ada, bob = member(book, "ada"), member(book, "bob")
    private = ada.save("Ada fears the whale", scope="/org/acme/user/ada")
    shared = ada.save("The crew fears the whale", scope=TEAM, supersedes=private.id)
    assert as_person(bob).purge(shared.id).ids == (shared.id,)
    assert ada.get(private.id).content == "Ada fears the whale"


@pytest.mark.parametrize("part", ["index.forget", "store.erase", "ledger.scrub"])
def test_a_purge_of_which_one_part_fails_does_the_rest(
    book: Commonplace, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    saved = book.save("The heron count is 4711 and more")
    book.recall("heron count is 4711 and more")
    where, what = part.split(".")
    with monkeypatch.context() as patched:
        failure = IndexUnavailable("Out of reach.")
        patched.setattr(getattr(book._engine, where), what, fail_with(failure))
        with pytest.raises(IndexUnavailable):
            as_person(book).purge(saved.id)
    book.sync()
    with pytest.raises(NotFound):
        book.get(saved.id)
    assert book.list(include_archive=True) == []
    assert book.retrievals() == []


@pytest.mark.parametrize("status", ["active", "review", "staged"])
def test_sync_retires_what_a_crash_left_beside_its_successor(
    book: Commonplace, status: str
) -> None:
    from commonplace.ports.record_store import Put

    old = book.save("Version one", scope="/project/x").memory
    new = book.edit(old.id, content="Version two")
    elsewhere = book.save("Version two", scope="/project/y").memory
    engine = book._engine
    with engine.store.lease() as lease:
        now = book.get(old.id)
        crashed = now.but(status=status, superseded_by=None)
        claim = elsewhere.but(supersedes=old.id)
        engine.store.write([Put(crashed, expect=now), Put(claim, expect=elsewhere)], lease=lease)
    assert book.sync().repaired == 1
    retired = book.get(old.id)
    assert (retired.status, retired.superseded_by) == ("superseded", new.id)
    assert book.sync().repaired == 0
