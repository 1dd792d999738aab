"""The gates of a save: near duplicates, contradictions, policy, summaries; each can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Commonplace, Refused
from commonplace.model.results import Saved
from tests import as_person
from tests.conftest import Clock, OpenBook

SHORT = "Use ruff for linting and formatting the code"
LONG = "Use ruff for linting and formatting the code of the server"


def live(book: Commonplace) -> set[str]:
    return {memory.content for memory in book.list()}


def statuses(book: Commonplace) -> dict[str, str]:
    found = book.list(statuses=["active", "review", "staged", "superseded", "deleted"])
    return {one.content: one.status for one in found if one.kind != "proposal"}


def last(book: Commonplace, action: str) -> str:
    return next(event.id for event in book.audit() if event.action == action)


# Near duplicates


def test_nearly_the_same_words_refresh_the_old_memory(book: Commonplace) -> None:
    first = book.save("The deployment runs at night", tags=["ops"])
    again = book.save("Deployments are running at night", tags=["cron"], source_tasks=["task-7"])
    assert (again.action, again.id) == ("deduplicated", first.id)
    assert again.memory.content == "The deployment runs at night"
    assert again.memory.tags == ("ops", "cron")
    assert again.memory.source_tasks == ("task-7",)


def test_a_memory_that_adds_something_is_merged_and_nothing_is_lost(book: Commonplace) -> None:
    old = book.save(SHORT, tags=["lint"], source_tasks=["task-1"])
    merged = book.save(LONG, tags=["style"], source_tasks=["task-2"])
    assert merged.action == "merged"
    assert merged.replaced == merged.memory.supersedes == old.id
    assert merged.memory.tags == ("lint", "style")
    assert merged.memory.source_tasks == ("task-1", "task-2")
    assert SHORT in merged.memory.content
    assert LONG in merged.memory.content
    assert live(book) == {merged.memory.content}
    assert [hit.memory.id for hit in book.recall("what do we use for linting?")] == [merged.id]
    assert [one.content for one in book.history(merged.id).versions] == [
        SHORT,
        merged.memory.content,
    ]
    made_from = [book.get(id).content for id in merged.memory.derived_from]
    assert made_from == [SHORT, LONG]


def test_undoing_a_merge_leaves_both_texts_as_they_were(book: Commonplace) -> None:
    old = book.save(SHORT, tags=["lint"])
    book.save(LONG, tags=["style"])
    merge = next(event for event in book.audit() if event.action == "merged")
    assert merge.automatic
    book.revert(merge.id)
    assert live(book) == {SHORT, LONG}
    assert book.get(old.id).but(updated=old.memory.updated) == old.memory
    assert book.audit_verify().sound


def test_what_a_merged_memory_already_says_is_known(book: Commonplace) -> None:
    book.save(SHORT)
    merged = book.save(LONG)
    again = book.save(SHORT)
    assert (again.action, again.id) == ("deduplicated", merged.id)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada pays Bob for the tickets", "Bob pays Ada for the tickets"),
        ("The red lamp means stop in the lab", "The blue lamp means stop in the lab"),
        ("Room 101 is for the support team", "Room 102 is for the support team"),
    ],
)
def test_statements_about_different_things_stay_two(
    book: Commonplace, one: str, other: str
) -> None:
    book.save(one)
    assert book.save(other).action == "created"
    assert live(book) == {one, other}


def test_a_near_duplicate_in_another_scope_or_of_another_kind_is_new(book: Commonplace) -> None:
    book.save(SHORT, scope="/project/a")
    assert book.save(LONG, scope="/project/b").action == "created"
    assert book.save(f"{LONG}!?", scope="/project/a", kind="workflow").action == "created"
    assert book.save(LONG, scope="/project/a", sensitivity="sensitive").action == "created"


def test_turns_of_a_conversation_are_never_merged(book: Commonplace) -> None:
    turns = [
        {"content": text, "episode": "chat-1", "position": at}
        for at, text in enumerate((SHORT, LONG, "Deployments run", "The deployment runs"))
    ]
    assert {one.action for one in book.save_many(turns)} == {"created"}
    assert book.save(SHORT).action == "created"


def test_an_agent_does_not_merge_into_what_a_person_wrote(url: str, open_at: OpenBook) -> None:
    open_at(url, source="cli").save(SHORT)
    assert open_at(url, source="mcp").save(LONG).action == "created"
    assert live(open_at(url)) == {SHORT, LONG}


def test_near_duplicates_in_one_batch_and_across_batches_are_found(book: Commonplace) -> None:
    saved = book.save_many([SHORT, LONG, "Lunch is at noon"])
    assert [one.action for one in saved] == ["created", "merged", "created"]
    again = book.save_many(["Lunch is at noon!", "The lunch is at noon", "Dinner is at eight"])
    assert [one.action for one in again] == ["deduplicated", "deduplicated", "created"]
    assert len(book.list()) == 3


def test_paraphrases_merge_by_meaning_where_there_are_vectors(url: str, open_at: OpenBook) -> None:
    book = open_at(url, embedder="bundled")
    book.save("Ada likes to read the paper in the garden")
    again = book.save("Ada loves to read the paper in the garden")
    assert again.action in ("merged", "deduplicated")
    assert len(book.list()) == 1


def test_the_limits_can_be_set(url: str, tmp_path: Path) -> None:
    from commonplace.books.open import open_book
    from commonplace.settings import settings

    wide = settings({"state": str(tmp_path / "s"), "embedder": "none", "gates": {"merge": "0.99"}})
    with open_book(url, settings=wide) as book:
        book.save(SHORT)
        assert book.save(LONG).action == "created"


# Contradictions


def test_likes_dislikes_likes_again_is_one_preference_with_a_chain_of_three(
    book: Commonplace,
) -> None:
    book.save("The user likes Adidas", kind="preference")
    book.save("The user dislikes Adidas", kind="preference")
    final = book.save("The user likes Adidas", kind="preference")
    assert final.action == "superseded"
    assert live(book) == {"The user likes Adidas"}
    chain = book.history(final.id).versions
    assert [(one.content, one.status) for one in chain] == [
        ("The user likes Adidas", "superseded"),
        ("The user dislikes Adidas", "superseded"),
        ("The user likes Adidas", "active"),
    ]
    assert [one.version for one in chain] == [1, 2, 3]
    assert [hit.memory.id for hit in book.recall("does the user like Adidas")] == [final.id]


def test_the_same_story_with_reasons_ends_the_same(book: Commonplace) -> None:
    told = (
        "I like Adidas.",
        "I dislike Adidas, my pair broke.",
        "I like Adidas again, they sent me a new pair.",
    )
    final = [book.save(text) for text in told][-1]
    assert live(book) == {told[2]}
    assert [one.content for one in book.history(final.id).versions] == list(told)


def test_undoing_an_automatic_supersession_lets_both_stand(book: Commonplace) -> None:
    book.save("The API limit is 100 requests a minute")
    new = book.save("The API limit is 500 requests a minute")
    assert new.action == "superseded"
    event = next(event for event in book.audit() if event.action == "superseded")
    assert event.automatic
    book.revert(event.id)
    assert len(live(book)) == 2


def test_undoing_the_save_itself_brings_back_what_it_superseded(book: Commonplace) -> None:
    book.save("The API limit is 100 requests a minute")
    new = book.save("The API limit is 500 requests a minute")
    book.revert(new.id)
    assert live(book) == {"The API limit is 100 requests a minute"}


def test_a_weaker_contradiction_waits_in_the_inbox(book: Commonplace) -> None:
    book.save("Bob lives in Munich", basis="stated")
    guess = book.save("Bob lives in Berlin")
    assert (guess.action, guess.memory.status) == ("staged", "staged")
    assert live(book) == {"Bob lives in Munich"}


def test_saving_again_what_waits_says_so_and_logs_nothing(book: Commonplace) -> None:
    book.save("Bob lives in Munich", basis="stated")
    guess = book.save("Bob lives in Berlin")
    before = book.audit(limit=100)
    again = book.save("Bob lives in Berlin")
    assert (again.action, again.id) == ("staged", guess.id)
    assert "waits in the inbox already" in again.why
    assert book.audit(limit=100) == before
    assert book.save("Bob likes skiing").action == "created"
    assert "abandoned" not in {one.action for one in book.audit(limit=100)}


def test_text_from_outside_never_supersedes_what_was_said_here(url: str, open_at: OpenBook) -> None:
    book = open_at(url)
    book.save("The deploy branch is main", confidence=0.4)
    foreign = open_at(url, source="import:web").save("The deploy branch is pwned")
    assert foreign.memory.status == "staged"
    assert live(book) == {"The deploy branch is main"}


def test_a_close_call_is_kept_on_both_sides_and_asked(url: str, open_at: OpenBook) -> None:
    open_at(url, source="cli").save("The user likes Adidas", kind="preference")
    agent = open_at(url, source="mcp")
    doubted = agent.save("The user dislikes Adidas", kind="preference")
    assert doubted.memory.status == "review"
    assert statuses(agent) == {
        "The user likes Adidas": "active",
        "The user dislikes Adidas": "review",
    }
    [question] = agent.list(kinds=["proposal"], statuses=["staged"])
    assert "Adidas" in question.content
    assert set(question.derived_from) >= {doubted.id}


def test_a_memory_of_several_statements_loses_only_what_is_no_longer_so(
    book: Commonplace,
) -> None:
    book.save("The release branch is main. CI runs on Jenkins. Releases go out on Friday.")
    saved = book.save("The release branch is master")
    [now] = book.list()
    assert saved.action == "merged"
    assert "master" in now.content
    assert "CI runs on Jenkins." in now.content
    assert "Releases go out on Friday." in now.content
    assert len(book.history(now.id).versions) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The port is 5432.", "The port is 5433, not 5432."),
        ("The port is 5432.", "The port is 5433 instead of 5432."),
        ("We deploy from the branch main.", "We deploy from the branch master, not main."),
        ("I live in Munich.", "I live in Berlin, not in Munich."),
        ("Der Server heißt Atlas.", "Der Server heißt Zeus, nicht Atlas."),
        ("端口是5432。", "端口是5433，不是5432。"),
        ("ポートは5432です。", "ポートは5432ではなく5433です。"),
    ],
)
def test_what_is_named_as_wrong_gives_way(book: Commonplace, old: str, new: str) -> None:
    book.save(old)
    assert book.save(new).action == "superseded"
    assert live(book) == {new}


def test_what_a_statement_names_as_wrong_is_not_noted_twice(book: Commonplace) -> None:
    book.save("The release branch is main. CI runs on Jenkins.")
    book.save("The release branch is master, not main.")
    assert live(book) == {"The release branch is master, not main. CI runs on Jenkins."}


def test_what_was_said_earlier_but_learned_later_does_not_win(
    book: Commonplace, clock: Clock
) -> None:
    book.save("Bob lives in Munich")
    late = book.save("Bob lives in Berlin", created="2019-05-01T12:00:00Z")
    assert late.action == "staged"
    assert live(book) == {"Bob lives in Munich"}


# Policy


def test_an_agent_is_told_why_something_is_not_worth_keeping(book: Commonplace) -> None:
    for text, reason in (
        ("Let me think about this.", "thinking aloud"),
        ("2026-11-15 09:00", "alone says nothing"),
    ):
        with pytest.raises(Refused, match=reason):
            book.save(text)
    with pytest.raises(Refused, match="Text 2: "):
        book.save_many(["Lunch is at noon", "Let me think about this."])
    assert book.list() == []


def test_every_bad_text_of_a_batch_is_named_at_once_and_the_rest_can_be_saved(
    book: Commonplace,
) -> None:
    as_person(book).purge(book.save("Bob owes Ada ten euros").id)
    given = ["Lunch is at noon", "Let me check.", "The logo is blue", "2026-11-15 09:00"]
    with pytest.raises(Refused, match="2 of 4 texts were refused, and none was saved") as refused:
        book.save_many(given)
    assert refused.value.places == (1, 3)
    assert book.list() == []
    book.save_many([text for at, text in enumerate(given) if at not in refused.value.places])
    assert live(book) == {"Lunch is at noon", "The logo is blue"}
    with pytest.raises(Refused, match="Text 2: This text was purged") as buried:
        book.save_many(["Tea is at four", "Bob owes Ada ten euros"])
    assert buried.value.places == (1,)


def test_a_person_may_write_anything_but_nothing(url: str, open_at: OpenBook) -> None:
    assert open_at(url, source="cli").save("Let me think about this.").action == "created"


def test_mostly_known_content_is_refused_with_what_is_new(url: str, open_at: OpenBook) -> None:
    known = "The cache is warmed before the first request. Otherwise somebody waits ten seconds."
    agent = open_at(url)
    old = agent.save(f"{known} Ada wrote the script.")
    with pytest.raises(Refused) as caught:
        agent.save(f"{known} The second region warms its own cache from a list of routes.")
    assert old.id in caught.value.sentence
    assert "second region" in caught.value.hint
    assert agent.save("Otherwise somebody waits ten seconds.").id == old.id


# Summaries


def story(subject: str, parts: int = 20) -> str:
    told = (f"Part {n} tells how the {subject} of house {n} was mended." for n in range(parts))
    return " ".join([f"The {subject} is what this is about.", *told])


def test_a_long_text_gets_a_summary_and_keeps_every_word(book: Commonplace) -> None:
    saved = book.save(story("chimney"))
    assert 0 < len(saved.memory.summary) < len(saved.memory.content) / 2
    assert book.get(saved.id).content == story("chimney")
    assert book.get(saved.id).summary == saved.memory.summary
    [hit] = book.recall("who mended house 17")
    assert hit.memory.id == saved.id
    assert book.save("The roof is red").memory.summary == ""


def test_a_rewritten_text_gets_a_new_summary_or_none(book: Commonplace) -> None:
    saved = book.save(story("chimney"))
    longer = book.edit(saved.id, content=story("gutter"))
    assert "gutter" in longer.summary
    assert book.edit(longer.id, content="All is mended.").summary == ""


def actions(saved: list[Saved]) -> list[str]:
    return [one.action for one in saved]


def test_saving_the_same_batch_twice_changes_nothing_but_times(book: Commonplace) -> None:
    texts = [SHORT, LONG, "Ada likes tea", "Ada no longer likes tea", "Room 7 is free"]
    book.save_many(texts)
    before = live(book)
    again = book.save_many(texts[-1:])
    assert actions(again) == ["deduplicated"]
    assert live(book) == before


def test_a_long_text_is_shown_by_its_fitting_part_or_its_summary(book: Commonplace) -> None:
    told = story("chimney", parts=11)
    saved = book.save(told, tags=["repairs"])
    [hit] = book.recall("repairs")
    assert 0 < len(saved.memory.summary) < len(told)
    assert hit.excerpt == saved.memory.summary
    assert hit.memory.content == told


def test_a_changed_home_is_found_among_many_notes_about_others(book: Commonplace) -> None:
    book.save_many([f"Person {n} of the team lives in house number {n}" for n in range(60)])
    book.save_many(["Bob plays the old violin", "Bob lives in Munich", "Bob repairs bicycles"])
    moved = book.save("Bob moved to Berlin")
    assert moved.action == "superseded"
    assert book.history(moved.id).versions[0].content == "Bob lives in Munich"


def test_somebody_who_moved_no_longer_lives_where_they_did(book: Commonplace) -> None:
    for number in range(30):
        book.save(f"I read a book called Volume {number} of the great encyclopedia")
    old = book.save("I live in Munich.")
    new = book.save("I moved to Berlin.")
    assert (new.action, new.replaced) == ("superseded", old.id)


def test_what_is_so_in_one_place_stays_beside_what_is_so_in_another(book: Commonplace) -> None:
    book.save("Postgres runs on port 5432 in production.")
    assert book.save("Postgres runs on port 5433 in staging.").action == "created"


def test_a_person_who_says_what_an_agent_said_ends_what_it_ends(
    url: str, open_at: OpenBook
) -> None:
    book = open_at(url, source="cli")
    old = as_person(book).save("The deploy branch is main")
    said = book.as_context({}, source="mcp").save("The deploy branch is release")
    assert len(as_person(book).inbox()) == 1
    done = as_person(book).save("The deploy branch is release")
    assert done.replaced == old.id
    assert {one.id for one in book.list()} == {done.id}
    assert book.get(said.id).status == "superseded"
    assert as_person(book).inbox() == []
    assert book.audit_verify().sound
