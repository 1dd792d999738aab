"""Ageing: expired, unread, unsure and stale memories, and those that stay for good."""

from __future__ import annotations

from datetime import timedelta

import pytest

from commonplace import Commonplace
from commonplace.settings import Settings
from commonplace.settings import settings as read_settings
from tests import as_person
from tests.conftest import Clock, OpenBook


def statuses(book: Commonplace, *ids: str) -> list[str]:
    return [book.get(id).status for id in ids]


def recalled(book: Commonplace, query: str) -> list[str]:
    return [hit.memory.content for hit in book.recall(query)]


def test_an_agents_expired_memory_is_archived_and_no_longer_recalled(
    book: Commonplace, clock: Clock
) -> None:
    tuesday = clock.now + timedelta(days=5)
    launch = book.save("The launch event is next Tuesday", expires=tuesday)
    assert book.maintain().changes == ()
    clock.pass_days(6)
    assert [(c.step, c.action) for c in book.maintain().changes] == [("expire", "archived")]
    assert statuses(book, launch.id) == ["archived"]
    assert recalled(book, "launch event") == []
    assert recalled_from_archive(book, "launch event") == []
    assert book.revert(launch.id).memories[0].status == "active"


def recalled_from_archive(book: Commonplace, query: str) -> list[str]:
    """A recall that includes the archive returns no expired memory as current."""
    return [hit.memory.content for hit in book.recall(query, include_archive=True)]


def test_what_a_person_curates_is_asked_about_and_not_archived(
    book: Commonplace, clock: Clock
) -> None:
    rule = book.save("Releases are frozen in December", owner="curated", expires=clock.now)
    clock.pass_days(1)
    done = book.maintain()
    assert statuses(book, rule.id) == ["active"]
    assert [waiting.about[0].id for waiting in book.inbox()] == [rule.id]
    assert done.waiting == 1
    assert book.maintain().changes == ()


def test_unread_preferences_lose_rank_after_ninety_days_and_wait_for_a_word(
    book: Commonplace, clock: Clock
) -> None:
    tea = book.save("Ada drinks tea in the morning", kind="preference")
    jazz = book.save("Ben listens to jazz while coding", kind="preference")
    clock.pass_days(80)
    book.recall("jazz while coding")
    clock.pass_days(11)
    book.maintain()
    assert statuses(book, tea.id, jazz.id) == ["stale", "active"]
    (waiting,) = book.inbox()
    assert [memory.id for memory in waiting.about] == [tea.id]


def test_a_stale_memory_that_is_said_again_has_its_rank_back(
    book: Commonplace, clock: Clock
) -> None:
    tea = book.save("Ada drinks tea in the morning", kind="preference")
    clock.pass_days(91)
    book.maintain()
    assert book.get(tea.id).status == "stale"
    book.save("Ada drinks tea in the morning", kind="preference")
    book.maintain()
    assert book.get(tea.id).status == "active"


def test_facts_are_kept_for_good_and_asked_about(book: Commonplace, clock: Clock) -> None:
    fact = book.fact_store("office.city", "Utrecht")
    clock.pass_days(400)
    book.maintain()
    assert statuses(book, fact.id) == ["active"]
    (waiting,) = book.inbox()
    assert waiting.action == "confirm"
    as_person(book).accept(waiting.memory.id)
    clock.pass_days(30)
    assert book.maintain().changes == ()
    clock.pass_days(200)
    assert [change.action for change in book.maintain().changes] == ["proposed"]


def test_what_one_task_taught_is_up_for_review_after_a_month(
    book: Commonplace, clock: Clock
) -> None:
    taught = book.save("The fixture needs a warm cache", source_tasks=["T-12"])
    general = book.save("Fixtures are built per test session")
    clock.pass_days(31)
    book.maintain()
    assert statuses(book, taught.id, general.id) == ["stale", "active"]


def test_a_guess_nobody_confirms_is_stale_after_sixty_days(book: Commonplace, clock: Clock) -> None:
    guess = book.save("The nightly job may read the replica", confidence=0.4)
    book.edit(guess.id, confidence=0.2)
    known = book.save("The weekly job reads the primary", confidence=0.4)
    clock.pass_days(61)
    book.recall("job reads")
    assert [change.words for change in book.maintain().changes] == [
        f"{guess.memory.slug} was only 20% sure and never confirmed"
    ]
    assert statuses(book, guess.id, known.id) == ["stale", "active"]


def test_old_versions_move_out_of_the_way_and_stay_in_the_history(
    book: Commonplace, clock: Clock
) -> None:
    red = book.fact_store("colour", "red")
    blue = book.fact_store("colour", "blue")
    clock.pass_days(91)
    book.maintain()
    assert statuses(book, red.id, blue.id) == ["archived", "active"]
    assert [memory.value for memory in book.history(blue.id).versions] == ["red", "blue"]
    book.revert(blue.id)
    assert book.fact_recall("colour") == book.get(red.id)


def test_links_to_an_archived_version_lead_to_the_newest(book: Commonplace, clock: Clock) -> None:
    plan = book.save("Ship on Monday", title="Release plan")
    note = book.save("See [[Release plan]] before tagging")
    newer = book.correct(plan.id, "Ship on Thursday").memory
    book.edit(newer.id, title="Shipping")
    clock.pass_days(91)
    book.recall("before tagging")
    book.maintain()
    assert book.get(plan.id).status == "archived"
    assert [link.resolved for link in book.links(note.id).outgoing] == [newer.id]
    assert book.broken_links() == []


def test_nothing_automatic_happens_to_profile_override_and_turns(
    book: Commonplace, clock: Clock
) -> None:
    profile = book.save("Ada leads the platform team", kind="profile", scope="/user/ada")
    override = as_person(book).save(
        "Answer in French", kind="override", scope="/project/x/agent/coding"
    )
    turn = book.save("Let us meet at noon", episode="call-7", position=1, speaker="Ada")
    clock.pass_days(2_000)
    assert book.maintain().changes == ()
    assert statuses(book, profile.id, override.id, turn.id) == ["active"] * 3


def test_use_makes_a_memory_always_loaded_and_disuse_unloads_it(
    book: Commonplace, clock: Clock
) -> None:
    deploy = book.save("Deploys go through the blue pipeline")
    outside = book.save("Deploys are described in the vendor manual")
    for _ in range(8):
        book.recall("which pipeline do deploys go through", limit=1)
    assert [change.action for change in book.maintain().changes] == ["loaded"]
    assert [book.get(id).always_load for id in (deploy.id, outside.id)] == [True, False]
    assert book.maintain().changes == ()
    clock.pass_days(140)
    assert "unloaded" in [change.action for change in book.maintain().changes]
    assert not book.get(deploy.id).always_load


def test_use_does_not_make_an_order_always_loaded(open_vault: OpenBook) -> None:
    book = open_vault()
    order = book.save("Always push deploys through the blue pipeline")
    for _ in range(8):
        book.recall("which pipeline do deploys go through", limit=1)
    assert book.maintain().changes == ()
    assert not book.get(order.id).always_load


def test_heat_stays_within_the_budget_and_never_lifts_text_from_outside(
    url: str, open_at: OpenBook, clock: Clock
) -> None:
    outside = open_at(url, source="import:web")
    foreign = outside.save("Pipelines want the user to run rm")
    book = open_at(url)
    own = [
        book.save(f"Pipeline {name} " + f"checks the {name} of every build " * 40)
        for name in ("lint", "types", "docs", "tests", "links")
    ]
    for _ in range(10):
        book.recall("pipeline checks every build", limit=20)
        book.recall("pipelines want the user to run", limit=5)
    book.maintain()
    loaded = [book.get(one.id).always_load for one in own]
    assert 0 < sum(loaded) < len(own)
    assert not book.get(foreign.id).always_load


def test_a_clock_set_back_a_year_ages_nothing_and_revives_nothing(
    book: Commonplace, clock: Clock
) -> None:
    tea = book.save("Ada drinks tea in the morning", kind="preference")
    clock.pass_days(91)
    book.maintain()
    clock.pass_days(-365)
    done = book.maintain()
    assert done.changes == ()
    assert "after today" in done.problems[0].what
    assert book.get(tea.id).status == "stale"


def test_lifetimes_are_settings(url: str, clock: Clock) -> None:
    chosen = read_settings({"ageing": {"soft_days": {"preference": 10}, "unread_days": 1}})
    assert chosen.ageing.soft_days["preference"] == 10
    assert chosen.ageing.soft_days["task"] == Settings().ageing.soft_days["task"]
    with pytest.raises(Exception, match=r"ageing\.soft is not a setting"):
        read_settings({"ageing": {"soft": 1}})
