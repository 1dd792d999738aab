"""Recall: the right memory first, only what may be seen, and a reason for each."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import BadInput, Commonplace
from commonplace.ports.reasoner import Turn
from tests.conftest import Clock, OpenBook


def contents(book: Commonplace, query: str, **options: object) -> list[str]:
    return [hit.memory.content for hit in book.recall(query, **options)]  # pyright: ignore[reportArgumentType]


def test_a_question_in_plain_words_finds_its_answer(book: Commonplace) -> None:
    book.save("The deploy branch of mech-fighters is main")
    book.save("Ada prefers green tea in the morning")
    book.save("Integration tests spin up the full game loop")
    assert contents(book, "Which branch do we deploy from?")[0].startswith("The deploy branch")
    assert contents(book, "what tea does ada prefer?")[0].startswith("Ada prefers")


def test_each_hit_says_why(book: Commonplace) -> None:
    book.save("The deploy branch is main", scope="/project/x")
    hit = book.recall("deploy branch")[0]
    parts = {why.part: why for why in hit.why}
    assert "deploy" in parts["words"].words
    assert parts["scope"].words == "belongs to /project/x"
    assert parts["scope"].share == 1.0


def test_a_project_memory_outranks_a_better_matching_global_one(book: Commonplace) -> None:
    book.save("Run the unit tests with pytest before every single commit", scope="/")
    book.save("Tests run with make check here, commit after", scope="/project/x")
    agent = book.as_context({"project": "x"})
    assert agent.recall("how do I run the tests before a commit")[0].memory.scope.value("project")


def test_a_question_to_the_whole_book_weighs_all_scopes_alike(book: Commonplace) -> None:
    book.save("The raku kiln takes the celadon glaze", scope="/")
    book.save("The raku kiln takes a day to cool", scope="/user/ada")
    question = "which glaze does the raku kiln take?"
    assert contents(book, question)[0] == "The raku kiln takes the celadon glaze"
    ada = book.as_context({"user": "ada"})
    assert contents(ada, question)[0] == "The raku kiln takes a day to cool"


def test_newer_and_trusted_memories_come_first_when_words_tie(
    url: str, open_at: OpenBook, clock: Clock
) -> None:
    agent, person = open_at(url), open_at(url, source="cli")
    agent.save("Coffee for the staging server crew: gamma")
    clock.pass_days(400)
    agent.save("Parking near the staging server hall: delta")
    person.save("Music in the staging server lobby: epsilon")
    names = [text.split()[-1] for text in contents(agent, "staging server")]
    assert names == ["epsilon", "delta", "gamma"]


def test_a_fact_is_found_by_its_exact_key(book: Commonplace) -> None:
    book.save("We talk about test_command a lot, test_command here, test_command there")
    book.fact_store("test_command", "pytest tests/ -v")
    hit = book.recall("test_command")[0]
    assert hit.memory.value == "pytest tests/ -v"
    assert hit.why[0].part == "key"


def test_archive_and_inbox_are_asked_for_by_name(book: Commonplace) -> None:
    book.fact_store("editor", "vim")
    book.fact_store("editor", "emacs", basis="pattern")
    book.fact_store("editor", "helix")
    assert contents(book, "editor") == ["editor: helix"]
    assert set(contents(book, "editor", include_archive=True)) == {"editor: helix", "editor: vim"}
    assert "editor: emacs" in contents(book, "editor", include_inbox=True)


def test_what_expired_is_not_recalled(book: Commonplace, clock: Clock) -> None:
    book.save("The demo password prompt is disabled today", expires="2026-11-16T00:00:00Z")
    assert contents(book, "demo prompt")
    clock.pass_days(2)
    assert contents(book, "demo prompt") == []


@pytest.mark.parametrize(
    "query",
    [
        "?!…",
        "AND OR NOT",
        "the of and",
        '"unclosed',
        "a* NEAR(b c)",
        "😀",
        "x" * 100_000,
    ],
)
def test_no_words_are_an_error(book: Commonplace, query: str) -> None:
    book.save("Something quite ordinary about the NOT operator")
    book.recall(query)


def test_operators_in_a_question_are_words(book: Commonplace) -> None:
    book.save("Use NOT NULL for every column")
    book.save("Prefer OR over UNION")
    assert contents(book, 'NOT NULL "column*')[0] == "Use NOT NULL for every column"


@pytest.mark.parametrize(
    ("content", "question"),
    [
        ("The user_service handles logins", "user_service"),
        ("The user_service handles logins", "which service for users?"),
        ("OAuthToken must be refreshed hourly", "oauth token"),
        ("We are on v3.0 of the API", "v3.0"),
        ("Call /api/v2/users for the list", "/api/v2/users"),
        ("数据库迁移在星期五晚上进行", "数据库迁移"),
        ("東京オフィスの住所は渋谷区です", "東京オフィス"),
        ("서울 사무실은 강남에 있습니다", "서울 사무실"),
        ("Das Büro ist in der Größenstraße", "Buro Grossenstrasse"),
        ("Café reservations are under Zoë", "cafe zoe"),
        ("المكتب في القاهرة", "القاهرة"),
        ("Офис находится в Москве", "офис"),
        ("She was running three migrations", "run migration"),
    ],
)
def test_every_script_and_spelling_is_found(book: Commonplace, content: str, question: str) -> None:
    book.save("Something else entirely, in English")
    book.save("另外一件完全不同的事情")
    book.save(content)
    assert contents(book, question)[0] == content


def test_filters_narrow_a_recall(book: Commonplace) -> None:
    book.save("Combat needs None checks", topic="combat", kind="fix", tags=["py"])
    book.save("Menus need None checks", topic="menu")
    assert contents(book, "None checks", kinds=["fix"]) == ["Combat needs None checks"]
    assert contents(book, "None checks", tags=["py"]) == ["Combat needs None checks"]


def test_a_topic_filters_and_falls_back_when_it_finds_too_little(book: Commonplace) -> None:
    for number in range(3):
        book.save(f"Combat rule {number} needs checks", topic="combat")
    book.save("Menus need checks", topic="menu")
    book.save("Everything needs checks")
    asked = contents(book, "checks", topic="combat")
    assert set(asked) == {f"Combat rule {n} needs checks" for n in range(3)} | {
        "Everything needs checks"
    }
    assert contents(book, "checks", topic="menu")[0] == "Menus need checks"
    assert len(contents(book, "checks", topic="menu")) == 5


def test_recalls_are_logged_and_counted(book: Commonplace) -> None:
    saved = book.save("The deploy branch is main")
    recalled = book.recall("deploy branch")
    book.recall("branch")
    log = book.retrievals()
    assert [one.query for one in log] == ["branch", "deploy branch"]
    assert log[1].id == recalled.id
    assert log[1].results[0][0] == saved.id
    assert book.uses([saved.id])[saved.id].count == 2


def test_a_recall_changes_no_note(open_vault: OpenBook, vault: object) -> None:
    from pathlib import Path

    book = open_vault()
    book.save("Reading never rewrites a synced file")
    before = {path: path.read_bytes() for path in Path(str(vault)).rglob("*.md")}
    book.recall("synced file")
    assert before == {path: path.read_bytes() for path in Path(str(vault)).rglob("*.md")}


def test_a_limit_out_of_range_is_refused(book: Commonplace) -> None:
    for limit in (0, -1, 1_000):
        with pytest.raises(BadInput):
            book.recall("x", limit=limit)


def test_a_hit_brings_the_conversation_around_it(book: Commonplace) -> None:
    book.save_many(
        {"content": f"turn {n} {'about the marzipan' if n == 5 else ''}", "episode": "chat",
         "position": n, "speaker": "Ada"} for n in range(10)
    )  # fmt: skip
    hit = book.recall("marzipan", expand=2)[0]
    assert hit.memory.position == 5
    assert [memory.position for memory in hit.around] == [3, 4, 6, 7]
    assert book.recall("marzipan")[0].around == ()


def test_a_topic_is_recognized_once_the_book_knows_it(book: Commonplace) -> None:
    book.save("Vibecop guards the combat code", topic="combat", scope="/project/x")
    known = book.save("Combat needs None checks", scope="/project/x")
    elsewhere = book.save("Combat of another project", scope="/project/y")
    assert known.memory.topic == "combat"
    assert elsewhere.memory.topic is None


def test_as_of_answers_from_what_was_known_then(book: Commonplace, clock: Clock) -> None:
    book.fact_store("region", "eu-west-1")
    then = clock.now
    clock.pass_days(30)
    book.fact_store("region", "eu-central-1")
    book.save("The region was moved for latency")
    assert [hit.memory.value for hit in book.recall("region", as_of=then)] == ["eu-west-1"]
    assert book.recall("region")[0].memory.value == "eu-central-1"


@pytest.mark.parametrize("embedder", ["none", "hash"])
def test_of_a_long_note_the_part_that_matters_is_shown(
    url: str, open_at: OpenBook, embedder: str
) -> None:
    pages = [f"Page {n} tells of ordinary things, of weather and wind. " * 8 for n in range(40)]
    pages[31] = "The spare key of the lighthouse hangs behind the second barometer."
    book = open_at(url, embedder=embedder)
    book.save("\n\n".join(pages), title="Handbook")
    book.sync()
    [hit] = book.recall("where is the spare key of the lighthouse?")
    assert pages[31] in hit.excerpt
    assert len(hit.excerpt) < 1_000


def test_a_question_that_nobody_could_answer_is_not_its_own_answer(book: Commonplace) -> None:
    book.save("The cabin is in Garmisch")
    asked = "what is the wifi password at the cabin?"
    unknown = [Turn("user", asked), Turn("assistant", "I do not know.")]
    assert book.session("monday").end(unknown).summary is not None
    found = book.recall(asked)
    assert [hit.memory.content for hit in found] == ["The cabin is in Garmisch"]
    assert found.sure != "strong"
    assert book.recall(asked, include_archive=True).sure != "strong"
    assert "wifi" not in book.prompt(asked).text
    known = [Turn("user", asked), Turn("assistant", "It is sencha-at-four.")]
    book.session("tuesday").end(known)
    assert "sencha-at-four" in book.recall(asked)[0].memory.content
    assert "sencha-at-four" not in book.prompt(asked).text, "a record of work, and not asked for"
    assert "sencha-at-four" in book.prompt(f"Remind me, {asked}").text


def test_a_copy_that_is_linked_is_no_second_hit(open_vault: OpenBook, vault: Path) -> None:
    notes = vault / "notes"
    notes.mkdir(parents=True)
    (notes / "tea.md").write_text("I drink Sencha at four, see [[tea copy]].\n")
    (notes / "tea copy.md").write_text("I drink Sencha at four, see [[tea copy]].\n")
    (notes / "pot.md").write_text("The pot for it stands in the [[tea]] corner.\n")
    found = open_vault().recall("When do I drink Sencha?")
    texts = [hit.memory.content.strip() for hit in found]
    assert texts == [
        "I drink Sencha at four, see [[tea copy]].",
        "The pot for it stands in the [[tea]] corner.",
    ]


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_empty_question_is_refused_and_not_logged(book: Commonplace, query: str) -> None:
    book.save("We deploy from the branch main")
    with pytest.raises(BadInput, match="question is empty") as refused:
        book.recall(query)
    assert refused.value.hint
    assert book.retrievals() == []


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("أين مفتاح المستودع", "مفتاح المستودع في درج المكتب"),
        ("где ключ от склада", "Ключ от склада лежит в ящике стола"),
        ("倉庫の鍵はどこですか", "倉庫の鍵は事務所の引き出しにあります"),
    ],
)
def test_in_other_scripts_only_what_shares_a_word_fits(
    open_vault: OpenBook, question: str, answer: str
) -> None:
    book = open_vault(embedder="bundled")
    for text in (
        answer, "會議在星期一", "اجتماع الفريق يوم الاثنين", "Совещание по понедельникам",
        "Tea is served at four",
    ):  # fmt: skip
        book.save(text)
    found = book.recall(question)
    assert [hit.memory.content for hit in found if hit.fit > 0] == [answer]
    assert len(found) > 1
