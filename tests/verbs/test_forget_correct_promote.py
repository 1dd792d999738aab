"""Forgetting, correcting, promoting, renaming, and the undo for each."""

from __future__ import annotations

import pytest

from commonplace import BadScope, Commonplace, Conflict, NotAllowed, NotFound, Proposed, Refused
from commonplace.model.scope import EVERYTHING
from commonplace.ports.record_store import Put
from tests import as_person
from tests.conftest import OpenBook


def texts(book: Commonplace, query: str) -> list[str]:
    return [hit.memory.content for hit in book.recall(query)]


def test_a_forgotten_memory_is_not_recalled_and_comes_back_when_restored(book: Commonplace) -> None:
    saved = book.save("Lunch is at noon")
    gone = book.forget(saved.id)
    assert gone.memory.status == "deleted"
    assert texts(book, "lunch") == []
    book.sync(rebuild=True)
    assert texts(book, "lunch") == []
    book.restore(saved.id)
    assert texts(book, "lunch") == ["Lunch is at noon"]


def test_a_purge_removes_every_version(book: Commonplace) -> None:
    book.fact_store("phone", "555-0100")
    new = book.fact_store("phone", "555-0199")
    purged = as_person(book).purge(new.id)
    assert len(purged.ids) == 2
    assert book.list(include_archive=True) == []
    with pytest.raises(NotFound):
        book.get(new.id)
    book.sync(rebuild=True)
    assert texts(book, "phone") == []


def test_a_purge_leaves_nothing_of_what_was_merged_into_a_memory(book: Commonplace) -> None:
    book.save("The release branch is main. CI runs on Jenkins. Releases go out on Friday.")
    merged = book.save("The release branch is master")
    assert merged.action == "merged"
    again = book.save("The release branch is trunk")
    assert again.action == "merged"
    everything = {one.id for one in book.list(include_archive=True)}
    assert set(as_person(book).purge(again.id).ids) == everything
    assert book.list(include_archive=True) == []
    with pytest.raises(Refused):
        book.save("The release branch is master")


def test_a_purge_takes_no_merged_part_that_the_caller_may_not_write(book: Commonplace) -> None:
    theirs = book.save("The wifi is open", scope="/org/acme")
    mine = book.as_context({"org": "acme", "user": "ada", "role": "member"})
    own = mine.save("The wifi is open to guests")
    # Written by hand in the vault.
    store = book._engine.store
    with store.lease() as lease:
        gone = theirs.memory.but(status="superseded", superseded_by=own.id)
        store.write([Put(gone, expect=theirs.memory)], lease=lease)
    assert as_person(mine).purge(own.id).ids == (own.id,)
    assert theirs.id in store.read([theirs.id], visible=EVERYTHING)


def test_a_purge_says_what_was_derived(book: Commonplace) -> None:
    origin = book.save("Ada is allergic to nuts", scope="/user/ada")
    copy = book.promote(origin.id, "/")
    assert as_person(book).purge(origin.id).derived == (copy.memory.id,)


def test_a_correction_replaces_the_wrong_memory_everywhere(book: Commonplace) -> None:
    wrong = book.save("The API limit is 100 requests a minute", scope="/project/x/agent/coding")
    copy = book.promote(wrong.id, "/project/x")
    done = book.correct(wrong.id, "The API limit is 500 requests a minute")
    assert done.also == (copy.memory.id,)
    assert texts(book, "API limit requests") == ["The API limit is 500 requests a minute"]
    assert done.memory.supersedes == wrong.id
    assert str(done.memory.scope) == "/project/x/agent/coding"


def test_a_correction_may_name_the_wrong_words(book: Commonplace) -> None:
    book.save("Zhang San approves the budget")
    book.save("Standup is at ten")
    done = book.correct("Zhang San approves the budget", "Li Si approves the budget")
    assert done.replaced.content == "Zhang San approves the budget"
    assert texts(book, "who approves the budget") == ["Li Si approves the budget"]


def test_an_unclear_correction_names_the_candidates(book: Commonplace) -> None:
    book.save("The red server runs Linux")
    book.save("The blue server runs Linux")
    with pytest.raises(NotFound) as caught:
        book.correct("server runs Linux", "The server runs BSD")
    assert "red-server" in caught.value.hint
    assert len(book.list()) == 2


def test_a_fact_is_corrected_by_its_value(book: Commonplace) -> None:
    fact = book.fact_store("region", "eu-west-1")
    done = book.correct(fact.id, "eu-central-1")
    assert done.memory.value == "eu-central-1"
    assert done.memory.key == "region"


def test_an_edit_of_the_text_makes_a_version_and_of_tags_does_not(book: Commonplace) -> None:
    saved = book.save("Colour is teal")
    tagged = book.edit(saved.id, tags=["ui"])
    assert tagged.id == saved.id
    assert tagged.tags == ("ui",)
    edited = book.edit(saved.id, content="Colour is navy")
    assert edited.supersedes == saved.id
    assert edited.tags == ("ui",)
    assert [version.content for version in book.history(edited.id).versions] == [
        "Colour is teal",
        "Colour is navy",
    ]


def test_the_second_of_two_editors_sees_the_conflict(book: Commonplace) -> None:
    saved = book.save("Colour is teal")
    read = book.get(saved.id)
    book.edit(saved.id, expect=read, tags=["ui"])
    with pytest.raises(Conflict):
        book.edit(saved.id, expect=read, content="Colour is navy")
    assert book.get(saved.id).content == "Colour is teal"


def test_promotion_copies_upward_and_links_back(book: Commonplace) -> None:
    saved = book.save("Cache the schema", scope="/project/x/agent/coding")
    promoted = book.promote(saved.id, "/agent/coding")
    assert str(promoted.memory.scope) == "/agent/coding"
    assert promoted.memory.derived_from == (saved.id,)
    assert book.get(saved.id).status == "active"
    with pytest.raises(BadScope):
        book.promote(saved.id, "/project/y")


def test_a_promoted_text_takes_the_place_of_another_with_its_name(book: Commonplace) -> None:
    known = book.save("Deploy on Mondays", key="deploying", scope="/org/acme")
    own = book.save("Deploy on Tuesdays", key="deploying", scope="/org/acme/project/x")
    done = book.promote(own.id, "/org/acme").memory
    assert (done.content, done.supersedes) == ("Deploy on Tuesdays", known.id)


def test_a_member_promotes_only_with_a_grant(book: Commonplace) -> None:
    ada = book.as_context({"org": "acme", "user": "ada", "role": "member"})
    saved = ada.save("Ada's trick")
    with pytest.raises(NotAllowed):
        ada.promote(saved.id, "/org/acme")
    granted = book.as_context(
        {"org": "acme", "user": "ada", "role": "member", "grants": frozenset({"/org/acme"})}
    )
    assert str(granted.promote(saved.id, "/org/acme").memory.scope) == "/org/acme"


@pytest.mark.parametrize("change", ["forget", "edit", "correct", "promote", "tags"])
def test_every_change_can_be_undone(book: Commonplace, change: str) -> None:
    saved = book.save("Meetings are on Monday", scope="/project/x")
    done = {
        "forget": lambda: book.forget(saved.id).memory,
        "edit": lambda: book.edit(saved.id, content="Meetings are on Tuesday"),
        "correct": lambda: book.correct(saved.id, "Meetings are on Tuesday").memory,
        "promote": lambda: book.promote(saved.id, "/").memory,
        "tags": lambda: book.edit(saved.id, tags=["calendar"]),
    }[change]()
    book.revert(done.id)
    assert texts(book, "meetings") == ["Meetings are on Monday"]
    assert book.get(saved.id).tags == ()
    assert book.get(saved.id).superseded_by is None
    assert book.audit_verify().sound


def test_a_purge_cannot_be_undone(book: Commonplace) -> None:
    saved = book.save("Gone for good")
    as_person(book).purge(saved.id)
    purged = next(event for event in book.audit() if event.action == "purged")
    with pytest.raises(Refused):
        book.revert(purged.id)


def test_restoring_an_old_version_names_the_newer_one(book: Commonplace) -> None:
    old = book.fact_store("branch", "master")
    new = book.fact_store("branch", "main")
    with pytest.raises(Conflict) as caught:
        book.restore(old.id)
    assert new.id in caught.value.sentence


def test_links_follow_a_rename(book: Commonplace) -> None:
    target = book.save("Combat rules", title="Combat rules")
    slug = target.memory.slug
    source = book.save(f"See [[{slug}|the rules]] and `[[{slug}]]` and [[Nowhere]]")
    assert [link.resolved for link in book.links(source.id).outgoing] == [target.id, None]
    assert [link.source for link in book.links(target.id).incoming] == [source.id]
    assert [link.target for link in book.broken_links()] == ["Nowhere"]
    renamed = book.rename(target.id, "Battle Rules")
    assert renamed.slug == "battle-rules"
    assert book.get(source.id).content == (
        f"See [[battle-rules|the rules]] and `[[{slug}]]` and [[Nowhere]]"
    )
    assert book.get("battle-rules").id == target.id


def test_links_resolve_by_title_and_alias(book: Commonplace) -> None:
    target = book.save("How we deploy", title="Deployment", aliases=["shipping"])
    source = book.save("Read [[deployment]] or [[Shipping#Steps]] first")
    assert {link.resolved for link in book.links(source.id).outgoing} == {target.id}


def test_audit_events_never_hold_text(url: str, open_at: OpenBook) -> None:
    book = open_at(url)
    saved = book.save("Ada's salary is 4711 gold", tags=["pay"])
    book.edit(saved.id, content="Ada's salary is 4712 gold")
    said = " ".join(str(event) for event in book.audit())
    assert "gold" not in said
    assert {event.action for event in book.audit()} >= {"created", "edited", "superseded"}


def test_a_change_to_what_it_already_is_changes_nothing(book: Commonplace) -> None:
    colour = book.save("Colour is teal", tags=["ui"]).memory
    port = book.fact_store("port", "80").memory
    log = len(book.audit())
    assert book.edit(colour.id, content="Colour is teal", tags=["ui"]) == colour
    assert book.edit(port.id, content="80") == port
    assert book.edit(port.id, content="port: 80") == port
    for wrong, right, known in (
        ("Colour is teal", "Colour is teal", colour), (port.id, "80", port),
    ):  # fmt: skip
        done = book.correct(wrong, right)
        assert (done.memory, done.replaced, done.also) == (known, known, ())
    assert len(book.audit()) == log
    assert len(book.history(colour.id).versions) == 1


def test_a_fact_that_was_purged_may_be_set_elsewhere(book: Commonplace) -> None:
    kept = book.fact_store("debug", "true", scope="/project/c")
    gone = book.fact_store("debug", "true", scope="/project/a")
    assert as_person(book).purge(gone.id).ids == (gone.id,)
    for scope, namespace in (("/project/b", None), ("/project/a", "staging")):
        set_there = book.fact_store("debug", "true", scope=scope, namespace=namespace)
        assert set_there.action == "created"
    assert book.get(kept.id).value == "true"
    with pytest.raises(Refused):
        book.fact_store("debug", "true", scope="/project/a")


def test_a_purge_holds_where_the_text_stands_and_names_what_stays(book: Commonplace) -> None:
    text = "Tests run with make check"
    kept = book.save(text, scope="/project/beta").memory
    gone = as_person(book).save(text, scope="/project/alpha").memory
    with pytest.raises(Proposed):
        book.forget(gone.id)
    done = as_person(book).purge(gone.id)
    assert done.ids == (gone.id, *done.proposals)
    assert len(done.proposals) == 1
    assert [one.id for one in done.elsewhere] == [kept.id]
    assert [one.id for one in book.list()] == [kept.id]
    assert [hit.memory.id for hit in book.recall("make check")] == [kept.id]
    book.sync(rebuild=True)
    assert book.get(kept.id) == kept
    for scope in ("/project/alpha", "/project/alpha/task/t-1"):
        with pytest.raises(Refused, match="purged"):
            book.save(text, scope=scope)
    assert book.save(text, scope="/").action == "created"
    as_person(book).purge(kept.id)
    with pytest.raises(Refused, match="purged"):
        book.save(text, scope="/project/beta")


def test_a_purged_fact_takes_with_it_what_was_promoted_from_it(book: Commonplace) -> None:
    fact = book.fact_store("heron.count", "4711", scope="/project/x/agent/coding")
    once = book.promote(fact.id, "/project/x").memory
    twice = book.promote(once.id, "/").memory
    assert set(as_person(book).purge(fact.id).ids) == {fact.id, once.id, twice.id}
