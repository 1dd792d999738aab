"""Correcting: the wrong memory is found, and corrected with its copies and derived memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import BadInput, Commonplace, Conflict, NotFound, Refused
from tests import as_person
from tests.conftest import OpenBook

WRONG = "The API limit is 100 requests a minute"
RIGHT = "The API limit is 500 requests a minute"


def state(book: Commonplace) -> set[tuple[str, str, str]]:
    return {(str(one.scope), one.status, one.content) for one in book.list()}


def test_copies_summaries_and_what_was_derived_are_put_right_with_it(book: Commonplace) -> None:
    wrong = book.save(WRONG, scope="/project/x/agent/coding")
    copy = book.promote(wrong.id, "/project/x").memory
    page = book.save(
        f"Mind the limits. {WRONG}. Back off on 429.",
        scope="/project/x",
        kind="crystallized",
        derived_from=[copy.id],
    )
    advice = book.save(
        "Clients throttle themselves", scope="/project/x", kind="workflow", derived_from=[page.id]
    )
    before = state(book)
    done = book.correct(WRONG, RIGHT)
    assert state(book) == {
        ("/project/x/agent/coding", "active", RIGHT),
        ("/project/x", "active", RIGHT),
        ("/project/x", "active", f"Mind the limits. {RIGHT}. Back off on 429."),
        ("/project/x", "review", "Clients throttle themselves"),
    }
    assert set(done.also) == {copy.id, page.id}
    assert {str(one.scope) for one in done.elsewhere} == {"/project/x"}
    assert done.review == (advice.id,)
    book.revert(done.memory.id)
    assert state(book) == before


def test_the_same_words_in_another_project_stay(book: Commonplace) -> None:
    book.save("Tests run with make check", scope="/project/alpha")
    book.save("Tests run with make check", scope="/project/beta")
    with pytest.raises(Conflict, match="Several memories"):
        book.correct("Tests run with make check", "Tests run with just test")
    owner = book.list()
    done = book.correct(owner[0].id, "Tests run with just test")
    assert done.also == ()
    assert {str(one.scope): one.content for one in book.list()} == {
        str(owner[0].scope): "Tests run with just test",
        str(owner[1].scope): "Tests run with make check",
    }


def test_the_words_mean_the_memory_of_the_place_where_one_stands(book: Commonplace) -> None:
    for scope in ("/", "/project/alpha", "/project/beta"):
        book.save("Tests run with make check", scope=scope)
    here = book.as_context({"project": "beta"})
    assert str(here.get("Tests run with make check").scope) == "/project/beta"
    done = here.correct("Tests run with make check", "Tests run with just test")
    assert str(done.memory.scope) == "/project/beta"
    assert {str(one.scope): one.content for one in book.list()} == {
        "/": "Tests run with just test",
        "/project/alpha": "Tests run with make check",
        "/project/beta": "Tests run with just test",
    }


def test_outside_of_projects_the_words_mean_the_memory_that_holds_everywhere(
    book: Commonplace,
) -> None:
    seen = book.save("Tea is served at four")
    book.save("Tea is served at four", scope="/project/web")
    done = book.correct("Tea is served at four", "Tea is served at five")
    assert done.replaced.id == seen.id
    assert [str(one.scope) for one in done.elsewhere] == ["/project/web"]


def test_one_statement_of_a_memory_is_corrected_by_its_words(book: Commonplace) -> None:
    book.save("Standup is at ten. Lunch is at noon. Ada keeps the minutes.")
    done = book.correct("Lunch is at noon", "Lunch is at one")
    assert done.memory.content == "Standup is at ten. Lunch is at one. Ada keeps the minutes."


def test_a_copy_keeps_its_other_statements(book: Commonplace) -> None:
    note = "Standup is at ten. {}. Ada keeps the minutes."
    first = book.save(note.format("Lunch is at noon"), scope="/project/x/agent/coding")
    book.promote(first.id, "/project/x")
    agent = book.as_context({"project": "x", "agent": "coding"})
    agent.correct("Lunch is at noon", "Lunch is at one")
    right = note.format("Lunch is at one")
    assert state(book) == {
        ("/project/x/agent/coding", "active", right),
        ("/project/x", "active", right),
    }


def test_no_copy_is_corrected_to_what_was_purged_there(book: Commonplace) -> None:
    as_person(book).purge(book.save(RIGHT, scope="/user/ada").id)
    wrong = book.save(WRONG)
    book.save(WRONG, scope="/user/ada")
    before = state(book)
    with pytest.raises(Refused, match="purged"):
        book.correct(wrong.id, RIGHT)
    assert state(book) == before


def test_a_correction_by_a_pronoun_is_found_by_its_subject(book: Commonplace) -> None:
    fee = book.save("The choir fee is 30 euros per term. Rehearsals are on Mondays.")
    book.correct("The choir fee is 30 euros per term.", "It is 35 euros per term.")
    kept = book.recall("How much is the choir fee?")[0].memory
    assert kept.content == "The choir fee is 35 euros per term. Rehearsals are on Mondays."
    assert kept.id != fee.id


def test_the_last_answer_can_be_corrected_as_such(book: Commonplace) -> None:
    book.save("The office is in Lisbon")
    book.save("The printer is on floor three")
    book.recall("where is the office")
    assert book.correct("last", "The office is in Porto").replaced.content == (
        "The office is in Lisbon"
    )


def test_what_was_handed_out_lately_is_the_one_to_blame(book: Commonplace) -> None:
    red = book.save("The red server in the cellar runs Linux")
    book.save("The blue server in the cellar runs Linux")
    with pytest.raises(NotFound):
        book.correct("server in the cellar runs Linux", "The red server runs BSD")
    book.recall("red server", limit=1)
    done = book.correct("server in the cellar runs Linux", "The red server runs BSD")
    assert done.replaced.id == red.id


def test_memories_that_share_no_word_are_not_named_as_candidates(open_vault: OpenBook) -> None:
    book = open_vault(embedder="bundled")
    for text in (
        "The greenhouse opens at nine",
        "No, nobody",
        "No, never",
        "The red server in the cellar runs Linux",
        "The blue server in the cellar runs Linux",
        "Karim's tomatoes stand behind the shed",
    ):
        book.save(text)
    with pytest.raises(NotFound) as failed:
        book.correct("nope nope", "new")
    assert "Name one of" not in (failed.value.hint or "")
    with pytest.raises(NotFound) as failed:
        book.correct("server in the cellar runs Linux", "new")
    assert "the-red-server" in (failed.value.hint or "")


def test_a_memory_that_shares_no_word_is_not_corrected(open_vault: OpenBook) -> None:
    book = open_vault(embedder="bundled")
    book.save("No, nobody")
    book.save("The greenhouse opens at nine")
    with pytest.raises(NotFound):
        book.correct("nope nope", "new")
    assert len(book.list()) == 2


def test_nothing_was_recalled_yet(book: Commonplace) -> None:
    with pytest.raises(NotFound):
        book.correct("last", "Something else")


def test_another_users_copy_is_not_touched(book: Commonplace) -> None:
    for user in ("ada", "bob"):
        book.save(WRONG, scope=f"/org/acme/user/{user}")
    ada = book.as_context({"org": "acme", "user": "ada", "role": "member"})
    ada.correct(WRONG, RIGHT)
    assert state(book) == {
        ("/org/acme/user/ada", "active", RIGHT),
        ("/org/acme/user/bob", "active", WRONG),
    }


def test_a_circle_of_versions_made_by_hand_hides_nothing_and_is_reported(
    vault: Path, open_vault: OpenBook
) -> None:
    book = open_vault()
    texts = ("Alpha is first", "Whales sing", "Zebras have stripes")
    alpha, whale, zebra = (book.save(text).memory for text in texts)
    for one, other in ((alpha, whale), (whale, alpha), (zebra, zebra)):
        [note] = vault.rglob(f"{one.slug}.md")
        note.write_text(note.read_text().replace("---\n", f"---\nsupersedes: {other.id}\n", 1))
    assert {one.content for one in book.list()} == set(texts)
    assert len(book.history(alpha.id).versions) == 2
    said = [problem.what for problem in book.doctor() if "cycle of versions" in problem.what]
    assert len(said) == 1
    assert any(problem.what == "supersedes itself" for problem in book.doctor())


def test_a_fact_of_another_place_is_not_corrected_along(book: Commonplace) -> None:
    here = book.fact_store("python", "3.11", scope="/project/a/agent/coding")
    there = book.fact_store("python", "3.11", scope="/project/b")
    shared = book.promote(here.id, "/project/a").memory
    done = book.correct(here.id, "3.12")
    assert [one.supersedes for one in done.elsewhere] == [shared.id]
    found = {str(one.scope): one.value for one in book.fact_list()}
    assert found == {"/project/a/agent/coding": "3.12", "/project/a": "3.12", "/project/b": "3.11"}
    assert book.get(there.id).status == "active"


def test_a_sentence_about_a_fact_gives_the_value_that_it_states(book: Commonplace) -> None:
    book.fact_store("editor", "emacs")
    corrected = book.correct("editor", "No, the editor is vim now")
    assert corrected.memory.value == "vim"
    assert corrected.memory.content == "editor: vim"


def test_a_sentence_that_states_no_value_changes_nothing(book: Commonplace) -> None:
    book.fact_store("editor", "emacs")
    with pytest.raises(BadInput, match="which part of that sentence is the value of editor") as no:
        book.correct("editor", "No, Jonas told me about it last week")
    assert no.value.hint == "Give the value alone; nothing was changed."
    fact = book.fact_recall("editor")
    assert fact is not None
    assert fact.value == "emacs"


# A description means what is nearest to its caller

ALIKE = (
    ("The release train leaves on Tuesdays", "The release train leaves on Thursdays"),
    ("Our staging cluster lives in Frankfurt", "Our staging cluster lives in Dublin"),
    ("Invoices are sent by Marta every Friday", "Invoices are sent by Marta every Monday"),
)
DESCRIBED = ("when the release train leaves", "our staging cluster", "invoices are sent")


@pytest.mark.parametrize("number", range(len(ALIKE)))
@pytest.mark.parametrize("elsewhere", ["/", "/user/ada", "/project/orchard"])
@pytest.mark.parametrize("own_first", [True, False])
def test_a_description_means_the_caller_s_own_scope_first(
    book: Commonplace, number: int, elsewhere: str, own_first: bool
) -> None:
    person = as_person(book)
    mine, other = ALIKE[number]
    places = [(mine, "/user/ada/project/orchard"), (other, elsewhere)]
    for text, scope in places if own_first else reversed(places):
        person.save(text, scope=scope)
    for text in ("Standup is at nine", "We use pytest for tests", "The cat is called Momo"):
        person.save(text, scope="/project/orchard")
    here = book.as_context({"user": "ada", "project": "orchard"}, source="person")
    before = state(person)
    done = here.correct(DESCRIBED[number], "That was decided anew last week")
    assert done.replaced.content == mine
    assert (elsewhere, "active", other) in state(person)
    assert len(state(person)) == len(before)


@pytest.mark.parametrize("number", range(len(ALIKE)))
def test_two_that_fit_alike_are_both_named_and_none_is_changed(
    book: Commonplace, number: int
) -> None:
    person = as_person(book)
    saved = [
        person.save(text, scope=f"/project/{name}").memory
        for text, name in zip(ALIKE[number], ("orchard", "harbour"), strict=True)
    ]
    before = state(person)
    with pytest.raises((NotFound, Conflict)) as failed:
        person.correct(DESCRIBED[number], "That was decided anew last week")
    told = f"{failed.value} {failed.value.hint}"
    assert all(one.slug in told or one.id in told for one in saved)
    assert state(person) == before


@pytest.mark.parametrize("said", ["release train", "The release train leaves on Tuesdays"])
def test_one_text_in_two_projects_is_two_memories(book: Commonplace, said: str) -> None:
    person = as_person(book)
    text = "The release train leaves on Tuesdays"
    saved = [person.save(text, scope=f"/project/{name}").memory for name in ("orchard", "harbour")]
    before = state(person)
    with pytest.raises((NotFound, Conflict)) as failed:
        person.correct(said, "The release train leaves on Sundays")
    told = f"{failed.value} {failed.value.hint}"
    assert all(one.slug in told or one.id in told for one in saved)
    assert state(person) == before
    here = book.as_context({"project": "harbour"}, source="person")
    assert str(here.correct(said, "The release train leaves on Sundays").memory.scope) == (
        "/project/harbour"
    )
    assert ("/project/orchard", "active", text) in state(person)


def test_one_sentence_of_two_notes_means_the_one_that_is_nearer(book: Commonplace) -> None:
    person = as_person(book)
    notes = {
        "/project/harbour": "Lunch is at noon. The release train leaves on Tuesdays.",
        "/project/orchard": "The release train leaves on Tuesdays. We ship from main.",
    }
    for scope, text in notes.items():
        person.save(text, scope=scope)
    before = state(person)
    with pytest.raises((NotFound, Conflict)):
        person.correct("The release train leaves on Tuesdays", "The train leaves on Sundays")
    assert state(person) == before
    here = book.as_context({"project": "orchard"}, source="person")
    done = here.correct("The release train leaves on Tuesdays", "The train leaves on Sundays")
    assert str(done.memory.scope) == "/project/orchard"
    assert ("/project/harbour", "active", notes["/project/harbour"]) in state(person)


@pytest.mark.parametrize(
    ("said", "wrong", "right", "now"),
    [
        (
            "Gate 2 is open but gate 4 is stuck",
            "gate 4 is stuck",
            "gate 4 is mended",
            "Gate 2 is open but gate 4 is mended",
        ),
        (
            "We have nine looms, of which three are old.",
            "We have nine looms",
            "we have ten looms.",
            "We have ten looms, of which three are old.",
        ),
        (
            "The bus from Alta leaves at 17:40.",
            "bus from Alta",
            "bus from Narvik",
            "The bus from Narvik leaves at 17:40.",
        ),
        (
            "The bus from Alta leaves at 17:40.",
            "bus from Alta",
            "The bus from Vadsø",
            "The bus from Vadsø leaves at 17:40.",
        ),
        (
            "Das Boot liegt in Kiel, und der Wagen steht in Plön.",
            "der Wagen steht in Plön",
            "Der Wagen steht in Eutin.",
            "Das Boot liegt in Kiel, und der Wagen steht in Eutin.",
        ),
        ("三号门是开的，四号门坏了", "四号门坏了", "四号门修好了", "四号门修好了"),
        (
            "The kiln is hot and the glaze is grey",
            "the glaze is grey",
            "The kiln is hot and the glaze is blue",
            "The kiln is hot and the glaze is blue",
        ),
        (
            "The mill branch is main since May",
            "the mill branch",
            "The mill branch is release since June",
            "The mill branch is release since June",
        ),
    ],
)
def test_what_a_sentence_says_beside_the_quoted_part_stays(
    book: Commonplace, said: str, wrong: str, right: str, now: str
) -> None:
    meant = book.save(said)
    done = book.correct(wrong, right)
    assert done.replaced.id == meant.id
    assert done.memory.content == now
    assert [one.content for one in book.list()] == [now]
    book.revert(done.memory.id)
    assert [one.content for one in book.list()] == [said]


def test_a_quoted_part_that_two_memories_have_is_asked_about(book: Commonplace) -> None:
    book.save("The bus from Alta leaves at noon")
    book.save("Ida drives the bus from Alta on Sundays")
    with pytest.raises(NotFound, match="not clear which"):
        book.correct("bus from Alta", "bus from Narvik")


def test_a_text_that_titles_a_record_means_the_memory_that_says_it(book: Commonplace) -> None:
    told = "The crane hook is rated for 800 kg."
    meant = book.save(told)
    record = book.save(f"The user: {told}", title=told, kind="session-summary")
    assert book.get(told).id == meant.id
    done = book.correct(told, "The crane hook is rated for 750 kg.")
    assert done.replaced.id == meant.id
    assert book.get(record.id).content == f"The user: {told}"
    book.revert(done.memory.id)
    assert book.forget(told).memory.id == meant.id
    assert book.get(record.id).status == "active"


def test_a_record_is_named_by_its_title_where_no_memory_says_that(book: Commonplace) -> None:
    title = "How the harvest was planned"
    record = book.save("We spoke of ladders.", title=title, kind="session-summary")
    assert book.get(title).id == record.id
    assert book.correct(title, "We spoke of crates.").replaced.id == record.id
