"""What people type in a hurry is kept so that it stands alone, and what they take back ends.

No apostrophes, half sentences, second thoughts: the memory says later what was meant.
"""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from commonplace.agent.sessions import SessionEnded
from commonplace.ports.reasoner import Turn
from tests.conftest import OpenBook


def talk(book: Commonplace, name: str, *pairs: tuple[str, str]) -> SessionEnded:
    turns = [
        Turn(speaker, text)
        for said, reply in pairs
        for speaker, text in (("user", said), ("assistant", reply))
    ]
    return book.session(name).end(turns)


def kept(book: Commonplace) -> list[str]:
    return [one.content for one in book.list() if one.kind != "session-summary"]


@pytest.mark.parametrize(
    ("before", "said", "has", "lacks"),
    [
        (
            "I set the member discount of 15 percent in prices.toml.",
            "not 15, members get 20 percent",
            ["members get 20 percent", "not 15"],
            "percent percent",
        ),
        ("I set the limit to 15 percent.", "not 15 but 20 percent", ["20 percent"], "percent p"),
        (
            "I added five retries with exponential backoff.",
            "only three, the operator blocks us after that",
            ["retries", "only three"],
            "\n",
        ),
        ("Bumped to 2.4.0.", "should be 2.3.1, we only fixed bugs", ["2.3.1"], "should be"),
        (
            "Set up MongoDB for the prototype.",
            "on second thought no, sqlite in one file",
            ["prototype", "sqlite in one file"],
            "second thought",
        ),
        (
            "Plant the garlic 2 cm deep.",
            "thats too shallow, 5 cm at least, mine froze last winter",
            ["garlic", "5 cm"],
            "\n",
        ),
    ],
)
def test_a_hasty_correction_says_what_it_is_about(
    book: Commonplace, before: str, said: str, has: list[str], lacks: str
) -> None:
    talk(book, "one", ("how deep does the garlic go", before), (said, "Right, changed."))
    (line,) = kept(book)
    assert all(words.casefold() in line.casefold() for words in has)
    assert lacks not in line


@pytest.mark.parametrize("breath", [". no wait, ", ", sorry, ", "… i mean "])
def test_a_second_thought_in_one_breath_is_one_statement(book: Commonplace, breath: str) -> None:
    talk(book, "one", (f"we bottle on tuesdays{breath}thursdays", "ok"))
    assert kept(book) == ["We bottle on thursdays, not tuesdays."]


def test_a_kept_answer_is_replaced_whole(book: Commonplace) -> None:
    line = "To “Add logging to the shop” the answer was “not loguru. we use structlog here”."
    book.save(line)
    talk(book, "two", ("we dropped structlog btw, it's loguru now", "Switched to loguru."))
    assert not [one for one in kept(book) if one.count("“") != one.count("”")]
    assert any("loguru now" in one for one in kept(book))


def test_who_takes_over_keeps_what_the_other_did(book: Commonplace) -> None:
    book.save("Kari plays the piano for us")
    talk(book, "two", ("who plays the piano?", "Kari plays the piano."),
         ("not any more, Jon took over", "Noted."))  # fmt: skip
    (line,) = kept(book)
    assert "Jon took over" in line
    assert "piano" in line


def test_what_moved_keeps_the_rest(book: Commonplace) -> None:
    book.save("Rehearsals are on mondays at 19:00 in the old fire station")
    talk(book, "two", ("rehearsals moved to tuesdays, same time", "ok"))
    assert kept(book) == ["Rehearsals are on tuesdays at 19:00 in the old fire station."]


@pytest.mark.parametrize(
    ("memory", "said", "now"),
    [
        (
            "We use Poetry for the backend",
            "actually we switched from poetry to uv last month",
            "We use uv for the backend",
        ),
        ("The docs are built with Sphinx", "btw we replaced Sphinx with Zensical",
         "The docs are built with Zensical"),
        ("The oven is on at nine", "we moved from Oslo to Bergen", "The oven is on at nine"),
        (
            "Poetry's lock file is never edited by hand",
            "we switched from poetry to uv",
            "Poetry's lock file is never edited by hand",
        ),
    ],
)  # fmt: skip
def test_what_is_used_instead_is_put_into_what_says_so(
    book: Commonplace, memory: str, said: str, now: str
) -> None:
    book.save(memory)
    talk(book, "two", (said, "Updated."))
    assert now in [one.rstrip(".") for one in kept(book)]


def test_a_rule_that_is_named_and_taken_back_ends(book: Commonplace) -> None:
    talk(book, "one", ("from now on always write the tests first", "ok"))
    assert kept(book)
    talk(book, "two", ("forget the tests first rule, i don't want that any more", "ok"))
    assert kept(book) == []


@pytest.mark.parametrize(
    "said", ["you can drop the tests first rule", "the tests first rule, forget it"]
)
def test_a_person_s_own_rule_is_asked_about(open_vault: OpenBook, said: str) -> None:
    person, agent = open_vault(source="person"), open_vault(source="hook")
    person.save("Always write the tests first", kind="preference")
    talk(agent, "two", (said, "ok"))
    assert "Always write the tests first" in kept(person)
    assert len(person.inbox()) == 1


@pytest.mark.parametrize(
    "said", ["the kiln rule, forget it", "Our kiln rule: please scrap that, it never helped"]
)
def test_a_rule_may_be_named_before_it_is_taken_back(open_vault: OpenBook, said: str) -> None:
    agent = open_vault(source="hook")
    talk(agent, "one", ("Always let the kiln cool overnight", "ok"))
    talk(agent, "two", ("The glaze is stored in the attic.", "ok"), (said, "ok"))
    assert kept(agent) == ["The glaze is stored in the attic."]


def test_a_rule_that_a_person_confirmed_is_asked_about(open_vault: OpenBook) -> None:
    person, agent = open_vault(source="person"), open_vault(source="hook")
    talk(agent, "one", ("Always let the kiln cool overnight", "ok"))
    (entry,) = person.inbox()
    person.accept(entry.memory.id)
    talk(agent, "two", ("the kiln rule, forget it", "ok"))
    assert kept(person) == ["Always let the kiln cool overnight."]
    assert len(person.inbox()) == 1


def test_what_there_is_belongs_to_the_project_and_who_one_is_to_the_person(
    open_vault: OpenBook,
) -> None:
    book = open_vault(source="hook", context={"project": "orchard"})
    talk(
        book,
        "one",
        ("I've got 42 Gravenstein trees and 18 Discovery", "ok"),
        ("I'm allergic to hazelnuts", "ok"),
        ("remember that the cellar has two rooms", "ok"),
    )
    found = {one.content: (str(one.scope), one.kind) for one in book.list()}
    trees, nuts, rooms = (
        next(found[text] for text in found if word in text)
        for word in ("Gravenstein", "hazelnuts", "two rooms")
    )
    assert trees[0] == "/project/orchard"
    assert nuts[0] == "/"
    assert rooms == ("/project/orchard", "insight"), "a fact to remember is no preference"


@pytest.mark.parametrize(
    "said",
    [
        "add some structured logging to the fare service",
        "open points: newsletter signup and the RSS feed",
        "still need to order yeast and find someone for the pruning",
    ],
)
def test_what_is_to_be_done_once_is_no_memory(book: Commonplace, said: str) -> None:
    talk(book, "one", ("put a picture there", "Done, it is there."), (said, "ok"))
    assert kept(book) == []


def test_a_decision_taken_back_is_told_as_taken_back(book: Commonplace) -> None:
    ended = talk(
        book,
        "one",
        ("let's drop support for windows", "ok, removed it."),
        ("hm no keep it, the office still uses it", "Restored."),
    )
    assert ended.summary is not None
    assert "Taken back: let's drop support for windows" in ended.summary.content


def test_an_open_end_is_closed_in_other_words(book: Commonplace) -> None:
    left = "thats it. the discount for groups of 10 or more is still missing"
    talk(book, "one", ("fix the fare table", "I fixed the fare table."), (left, "Bye."))
    ended = talk(book, "two", ("hi", "hi"), ("the group discount is done too", "Good."))
    assert ended.summary is not None
    assert "## Closed" in ended.summary.content


@pytest.mark.parametrize("said", ["ok lets go with a cache", "ok let's go with a cache"])
def test_a_decision_with_an_article_is_kept_and_told(book: Commonplace, said: str) -> None:
    ended = talk(
        book,
        "one",
        ("how could the timetables be faster?", "With an index or with a cache."),
        (f"{said} in postgres for the timetables, no redis. decided", "Implemented it."),
    )
    assert kept(book) == ["We go with a cache in postgres for the timetables, no redis."]
    assert ended.summary is not None
    decisions = ended.summary.content.partition("## Decisions")[2]
    assert "cache in postgres" in decisions


def test_a_decision_changes_no_number_of_another_thing(book: Commonplace) -> None:
    ended = talk(
        book,
        "one",
        ("I've got 42 Gravenstein trees and 18 Discovery", "A good mix."),
        ("we'll blend 80 percent Discovery and 20 Gravenstein this year, settled", "Noted."),
    )
    assert ended.summary is not None
    assert "42 Gravenstein" in ended.summary.content


def test_what_a_recipe_takes_does_not_end_what_there_is(open_vault: OpenBook) -> None:
    book = open_vault(source="hook", context={"project": "orchard"})
    talk(
        book,
        "one",
        ("I've got 42 Gravenstein trees and 18 Discovery", "A good mix."),
        ("we'll blend 80 percent Discovery and 20 Gravenstein this year, settled", "Noted."),
    )
    assert any(one.startswith("I've got 42 Gravenstein trees") for one in kept(book))
    assert any("80 percent" in one for one in kept(book))


def test_an_unmarked_question_corrects_nothing(open_vault: OpenBook) -> None:
    book = open_vault(source="hook", context={"project": "pump"})
    book.save("We release from main since last week")
    talk(
        book,
        "one",
        ("merge my branch with upstream", "Rebased onto upstream/main."),
        ("which branch do releases come from", "From main."),
    )
    assert kept(book) == ["We release from main since last week"]


@pytest.mark.parametrize(
    "said",
    [
        "Wanda waters the orchids every second Monday.",
        "The sweep comes twice a year.",
        "Mr Pell winds the tower clock every other evening.",
    ],
)
def test_a_habit_of_somebody_is_kept(book: Commonplace, said: str) -> None:
    talk(book, "one", (said, "OK."))
    assert kept(book) == [said]


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("I'd never paint over oak, just so you know", "I'd never paint over oak."),
        ("I would always sand with the grain", "I would always sand with the grain."),
        (
            "Wanda wrote me: 'please never ring the bell after nine'. Respect that.",
            "Wanda wrote me: 'please never ring the bell after nine'. Respect that.",
        ),
        (
            'My sister told me: "bring no nuts into the house". Please honour her wish!',
            'My sister told me: "bring no nuts into the house". Please honour her wish.',
        ),
        (
            "Der Müller schrieb: „Liefert nie vor acht Uhr“. Halte dich daran.",
            "Der Müller schrieb: „Liefert nie vor acht Uhr“. Halte dich daran",
        ),
    ],
)
def test_a_wish_in_passing_is_kept(book: Commonplace, said: str, line: str) -> None:
    talk(book, "one", (said, "Understood."))
    assert [(one.content, one.kind) for one in book.list() if one.kind == "preference"] == [
        (line, "preference")
    ]


@pytest.mark.parametrize(
    "said",
    [
        "I'd never heard of shellac before",
        "I would never have guessed that",
        "Wanda wrote: 'please never ring the bell after nine'. Ignore it.",
        "The page says: 'please never ring the bell after nine'. Fix that.",
    ],
)
def test_what_only_sounds_like_a_wish_is_none(book: Commonplace, said: str) -> None:
    talk(book, "one", (said, "Understood."))
    assert [one.content for one in book.list() if one.kind == "preference"] == []


@pytest.mark.parametrize("known", ["I live in Graz", None])
def test_a_move_is_a_fact_of_the_person(open_vault: OpenBook, known: str | None) -> None:
    book = open_vault(source="hook", context={"project": "orchard"})
    if known:
        talk(book, "one", (known, "ok"))
    talk(book, "two", ("I moved from Graz to Linz last month", "Nice."))
    (fact,) = (one for one in book.list() if one.kind != "session-summary")
    assert str(fact.scope) == "/"
    assert "Linz" in fact.content


@pytest.mark.parametrize(
    ("told", "back", "left"),
    [
        (
            "Decision: the piano goes into the hall because the hall is dry.",
            "Actually scrap that decision, the piano goes nowhere yet; Perla must agree first.",
            ["The piano goes nowhere yet; Perla must agree first."],
        ),
        (
            "The stall on the north side opens at nine.",
            "forget that, the north stall stays shut this summer",
            ["The north stall stays shut this summer."],
        ),
        ("The stove is lit at six.", "forget that and run the tests", []),
        (
            "The attic has two windows.",
            "don't forget that the chimney is swept in May",
            ["The attic has two windows.", "The chimney is swept in May."],
        ),
    ],
)
def test_what_holds_instead_of_what_was_taken_back_is_kept(
    book: Commonplace, told: str, back: str, left: list[str]
) -> None:
    talk(book, "one", (told, "OK."), (back, "Understood."))
    assert sorted(kept(book)) == left


@pytest.mark.parametrize(
    ("before", "said", "line"),
    [
        (
            "I created herbarium/ with one sheet per family: roses.md, mints.md and lilies.md.",
            "No, not one sheet per family, one sheet per meadow. There are three.",
            "Create herbarium/ with one sheet per meadow, not one sheet per family.",
        ),
        (
            "I've sorted the letters into boxes by year: 1911, 1912 and 1913.",
            "Not by year, by sender.",
            "The letters: “by sender, not by year”.",
        ),
        (
            "I've laid the table for six guests, namely Ann, Bo, Cy, Di, Ed and Flo.",
            "not six guests but eight guests",
            "The table: “eight guests, not six guests”.",
        ),
        (
            "The herbarium has one sheet per family: roses, mints and lilies.",
            "No, not one sheet per family, one sheet per meadow.",
            "The herbarium has one sheet per meadow.",
        ),
        (
            "We serve soup on Monday, with rice.",
            "not rice but barley",
            "We serve soup on Monday, with barley.",
        ),
    ],
)
def test_a_corrected_report_is_true_and_speaks_of_the_thing(
    book: Commonplace, before: str, said: str, line: str
) -> None:
    talk(book, "one", ("Please begin.", before), (said, "Understood."))
    assert kept(book) == [line]


BARRELS = "In the west cellar the cider rests in oak barrels, 60 l each."


@pytest.mark.parametrize(
    ("said", "now"),
    [
        ("nah, 60 was too big. 45 l oak barrels.", BARRELS.replace("60", "45")),
        ("60 l turned out way too heavy, so 45 l for the barrels", BARRELS.replace("60", "45")),
        ("the barrels hold 45 l, not 60", BARRELS.replace("60", "45")),
        ("60 kg is too much. 45 kg of apples per press.", BARRELS),
        ("60 was too many. 45 guests.", BARRELS),
    ],
)
def test_a_figure_that_is_ruled_out_gives_way_to_the_new_one(
    book: Commonplace, said: str, now: str
) -> None:
    book.save(BARRELS)
    talk(book, "two", (said, "ok"))
    assert now in kept(book)
    assert now == BARRELS or kept(book) == [now]


@pytest.mark.parametrize(
    ("memory", "said", "now"),
    [
        ("The oven is slow. We bake at 180 degrees.", "we'll bake at 200 from now on, Ilka asked",
         "The oven is slow. We bake at 200 degrees."),
        ("We open at 9", "we'll open at 8 from today on", "We open at 8"),
        ("We bake at 180 degrees", "we'll bake at 7 o'clock", "We bake at 180 degrees"),
        ("We rest at 60 degrees", "we'll bake at 200 from now on", "We rest at 60 degrees"),
    ],
)  # fmt: skip
def test_what_a_group_does_from_now_on_replaces_what_it_did(
    book: Commonplace, memory: str, said: str, now: str
) -> None:
    book.save(memory)
    talk(book, "two", (said, "ok"))
    assert now.rstrip(".") in [one.rstrip(".") for one in kept(book)]


def test_a_changed_mind_is_kept_without_saying_so(book: Commonplace) -> None:
    talk(book, "one", ("when do we bake?", "We bake at 6."),
         ("I've changed my mind: we bake at 7.", "At 7."))  # fmt: skip
    assert kept(book) == ["We bake at 7."]


@pytest.mark.parametrize(
    ("told", "said", "now"),
    [
        (
            "We decided to oil the looms in spring, not autumn.",
            "we took back the spring thing: the looms get oiled in autumn after all",
            "The looms get oiled in autumn after all.",
        ),
        (
            "The fair is in the town hall.",
            "change of plan, the fair is in the old mill",
            "The fair is in the old mill.",
        ),
        (
            "We dye the wool with madder.",
            "I've changed my mind: we dye the wool with weld.",
            "We dye the wool with weld.",
        ),
    ],
)
def test_what_only_announces_a_change_is_not_kept_and_hides_none(
    open_vault: OpenBook, told: str, said: str, now: str
) -> None:
    book = open_vault(source="hook", context={"project": "p"})
    talk(book, "first", (told, "OK."))
    talk(book, "later", (said, "OK."))
    assert kept(book) == [now]


@pytest.mark.parametrize(
    ("told", "repair", "whole"),
    [
        ("Das Mikroskop ist ein Leitz Ortholux 2.", "nein warte, ein Ortholux 3", "Ortholux 3."),
        ("L'orgue de la chapelle a 14 tuyaux.", "non attends, 16 tuyaux", "16 tuyaux."),
        ("El horno del taller alcanza 220 grados.", "perdón, quise decir 240", "240 grados."),
        ("La campana della torre pesa 80 chili.", "scusa, volevo dire 90", "90 chili."),
        ("De oven van de werkplaats haalt 1200 graden.", "nee wacht, 1250", "1250 graden."),
    ],
)
def test_a_repair_in_the_next_turn_is_what_is_kept(
    book: Commonplace, told: str, repair: str, whole: str
) -> None:
    talk(book, "one", (told, "Hm."), (repair, "Ok."))
    (line,) = kept(book)
    assert line.endswith(whole)


def test_a_repair_after_the_first_end_corrects_what_was_saved(book: Commonplace) -> None:
    told = ("Das Mikroskop ist ein Leitz Ortholux 2.", "Hm.")
    talk(book, "one", told)
    talk(book, "one", told, ("nein warte, ein Ortholux 3", "Ok."))
    assert kept(book) == ["Das Mikroskop ist ein Leitz Ortholux 3."]
