"""What a user asks to forget in other words, also in a later session, ends and can come back."""

from __future__ import annotations

import pytest

from commonplace import Commonplace
from tests import as_person
from tests.agent.test_typed_in_passing import kept, talk
from tests.conftest import OpenBook

DENTIST = "My dentist appointment is on Tuesday at three"
KNOWN = {
    "dentist": DENTIST,
    "Zahnarzt": "Mein Zahnarzt heißt Weber",
    "pain": "Le pain de seigle cuit à 230 degrés",
    "reunión": "La reunión del equipo es a las diez",
    "mutuo": "Il mutuo scade il quindici del mese",
    "ensaio": "O ensaio do coro é às oito da noite",
    "牙医": "我的牙医预约在周二下午三点",
    "里斯本": "五月十号去里斯本旅行，住在老城",
    "停车位": "停车位在地下二层B17",
    "王先生": "王先生的公司下周搬家",
    "歯医者": "歯医者の予約は火曜日の3時です",
    "駐車場": "駐車場は地下2階のB17番です",
    "引っ越し": "引っ越しは6月の最初の週末",
    "cache": "The cache of the shop lives in Valkey",
    "branch": "The old branch is kept for the auditors",
}


@pytest.fixture
def book(open_vault: OpenBook) -> Commonplace:
    """A book in which sessions have kept some words of a user."""
    made = open_vault(source="hook", context={"project": "shop"})
    for one in KNOWN.values():
        made.save(one)
    return made


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("scrap the dentist thing", "dentist"),
        ("never mind what I said about the dentist, I cancelled it", "dentist"),
        ("drop the note on the dentist", "dentist"),
        ("you can forget the dentist appointment", "dentist"),
        ("forget about the dentist", "dentist"),
        ("strike the dentist from memory", "dentist"),
        ("forget that my dentist appointment is on Tuesday", "dentist"),
        ("vergiss, dass mein Zahnarzt Weber heißt", "Zahnarzt"),
        ("oublie que le pain de seigle cuit à 230 degrés", "pain"),
        ("olvida que la reunión del equipo es a las diez", "reunión"),
        ("dimentica che il mutuo scade il quindici", "mutuo"),
        ("esquece que o ensaio do coro é às oito", "ensaio"),
        ("vergiss das mit dem Zahnarzt", "Zahnarzt"),
        ("Vergiss, was ich über den Zahnarzt gesagt habe", "Zahnarzt"),
        ("streich das mit dem Zahnarzt", "Zahnarzt"),
        ("oublie ce que j'ai dit sur le pain", "pain"),
        ("olvida lo de la reunión", "reunión"),
        ("olvida lo que dije de la reunión", "reunión"),
        ("dimentica quello che ho detto sul mutuo", "mutuo"),
        ("lascia perdere il mutuo", "mutuo"),
        ("esquece o que eu disse sobre o ensaio", "ensaio"),
        ("忘掉我说过的关于里斯本旅行的事", "里斯本"),
        ("里斯本的旅行我不去了，里斯本旅行的事就算了", "里斯本"),
        ("把关于停车位的笔记删掉", "停车位"),
        ("牙医的事就算了", "牙医"),
        ("请忘掉我之前说的牙医预约的事", "牙医"),
        ("别管牙医了", "牙医"),
        ("歯医者について言ったことは忘れて", "歯医者"),
        ("歯医者の件は忘れてください", "歯医者"),
        ("歯医者の予約のことはもう忘れていいよ", "歯医者"),
        ("駐車場のメモを消して", "駐車場"),
        ("引っ越しの話はなかったことにして", "引っ越し"),
    ],
)
@pytest.mark.parametrize("captured", [True, False])
def test_the_named_matter_ends_and_can_come_back(
    book: Commonplace, said: str, gone: str, captured: bool
) -> None:
    if captured:
        book.session("later").add(said, role="user")
    else:
        other = book.as_context({"project": "shop"})
        other._engine = other._engine.but(source="mcp")  # pyright: ignore[reportPrivateUsage]
        talk(other, "later", (said, "Gone."))
    assert sorted(kept(book)) == sorted(one for name, one in KNOWN.items() if name != gone)
    [forgotten] = [one for one in book.list(statuses=["deleted"]) if one.content == KNOWN[gone]]
    book.revert(forgotten.id)
    assert KNOWN[gone] in kept(book)


@pytest.mark.parametrize(
    "said",
    [
        "forget the cache",
        "forget about the cache, use the database",
        "never mind, it works now",
        "scrap the old branch",
        "don't forget the dentist",
        "don't forget that my dentist appointment is on Tuesday",
        "I forgot that my dentist appointment is on Tuesday",
        "forget that idea of the dentist",
        "vergiss nicht den Zahnarzt",
        'she wrote "forget about the dentist"',
        "forget about the piano",
        "别忘了牙医的事",
        "我忘了牙医的预约",
        "缓存的事就算了",
        "别管钢琴了",
        "他说牙医的事就算了",
        "歯医者の件は忘れないで",
        "歯医者の予約を忘れて、怒られた",
        "キャッシュの件は忘れて",
        "「歯医者の件は忘れて」と言われた",
    ],
)
def test_talk_of_the_work_ends_nothing(book: Commonplace, said: str) -> None:
    book.session("later").add(said, role="user")
    assert sorted(kept(book)) == sorted(KNOWN.values())
    assert book.inbox() == []


def test_of_two_that_fit_a_person_is_asked(book: Commonplace) -> None:
    second = "The dentist wants the insurance card"
    book.save(second)
    book.session("later").add("scrap the dentist thing", role="user")
    assert {DENTIST, second} <= set(kept(book))
    assert len(book.inbox()) == 1


def test_a_memory_that_only_speaks_of_a_matter_is_asked_about(book: Commonplace) -> None:
    held = book.save("Piet runs the shop on Mondays and walks the dog").memory
    book.session("later").add("you can forget the dog", role="user")
    assert held.content in kept(book)
    assert [one for one in book.inbox() if held.id in one.memory.derived_from]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("皮特每周一负责开店，然后带狗散步", "别管狗了"),
        ("ピートは月曜日に店を開けて、犬の散歩をする", "犬は忘れて"),
    ],
)
def test_so_it_is_where_no_spaces_stand_between_words(
    book: Commonplace, told: str, said: str
) -> None:
    held = book.save(told).memory
    book.session("later").add(said, role="user")
    assert held.content in kept(book)
    assert [one for one in book.inbox() if held.id in one.memory.derived_from]


def test_a_memory_that_says_more_than_the_sentence_is_asked_about(book: Commonplace) -> None:
    book.save("The tuner comes on Thursdays. Her key hangs in the boat house.")
    book.session("later").add("forget that the tuner comes on Thursdays", role="user")
    assert len(kept(book)) == len(KNOWN) + 1
    assert len(book.inbox()) == 1


def test_all_of_it_goes_if_the_user_says_so(book: Commonplace) -> None:
    book.save("The dentist wants the insurance card")
    book.session("later").add("forget everything I told you about the dentist", role="user")
    assert not [one for one in kept(book) if "dentist" in one]


@pytest.mark.parametrize("when", ["monday", "tuesday"])
@pytest.mark.parametrize(
    "said", ["forget everything about Greta", "forget everything I told you about greta"]
)
def test_of_a_longer_name_that_holds_the_matter_a_person_is_asked(
    open_vault: OpenBook, said: str, when: str
) -> None:
    book = open_vault(source="hook", context={"project": "shop"})
    told = (
        ("Remember that Greta likes rye bread", "Noted."),
        ("Remember that Gretas Bakery opens at six", "Noted."),
    )
    if when == "tuesday":
        talk(book, "monday", *told)
        book.session(when).add(said, role="user")
    else:
        talk(book, when, *told, (said, "Gone."))
    assert kept(book) == ["Gretas Bakery opens at six."]
    [asked] = book.inbox()
    assert [one.content for one in asked.about] == kept(book)
    as_person(book).accept(asked.memory.id)
    assert kept(book) == []


def test_a_summary_keeps_what_is_told_of_a_longer_name(open_vault: OpenBook) -> None:
    book = open_vault(source="hook", context={"project": "shop"})
    talk(
        book,
        "monday",
        ("No, Gretas Bakery opens at six, not at seven", "Noted."),
        ("No, Greta comes at nine, not at ten", "Noted."),
    )
    book.session("tuesday").add("forget everything I said about Greta", role="user")
    (told,) = (one.content for one in book.list(kinds=["session-summary"]))
    assert ("six" in told, "nine" in told) == (True, False)


def test_what_a_person_wrote_is_asked_about(open_vault: OpenBook) -> None:
    person, agent = open_vault(source="person"), open_vault(source="hook")
    person.save(DENTIST)
    agent.session("later").add("you can forget the dentist appointment", role="user")
    assert kept(person) == [DENTIST]
    assert len(person.inbox()) == 1


def test_what_the_same_session_said_before_ends_and_what_it_says_after_stays(
    open_vault: OpenBook,
) -> None:
    book = open_vault(source="hook", context={"project": "shop"})
    talk(
        book,
        "one",
        ("remember that my dentist is Doctor Weber in Mill Street", "Noted."),
        ("scrap the dentist thing", "Gone."),
        ("remember that the plumber comes on Monday at nine", "Noted."),
    )
    assert [one for one in kept(book) if "dentist" in one.lower()] == []
    assert any("plumber" in one for one in kept(book))


@pytest.mark.parametrize(
    ("told", "wish", "then", "matter"),
    [
        (
            "记住：里斯本旅行的酒店在老城广场旁边",
            "忘掉我说过的关于里斯本旅行的事",
            "记住：水管工周一早上九点来",
            "里斯本",
        ),
        (
            "remember: 歯医者は水曜日の10時に変わりました",
            "歯医者について言ったことは忘れて",
            "remember: 配管工は月曜日の9時に来ます",
            "歯医者",
        ),
    ],
)
@pytest.mark.parametrize("later", [True, False])
def test_what_a_session_kept_ends_where_no_spaces_stand_between_words(
    open_vault: OpenBook, told: str, wish: str, then: str, matter: str, later: bool
) -> None:
    book = open_vault(source="hook", context={"project": "shop"})
    if later:
        talk(book, "one", (told, "Ok."), (then, "Ok."))
        assert [one for one in kept(book) if matter in one]
        book.session("two").add(wish, role="user")
    else:
        talk(book, "one", (told, "Ok."), (wish, "Ok."), (then, "Ok."))
    assert len(kept(book)) == 1
    assert [one for one in book.list() if matter in f"{one.title} {one.content}"] == []


@pytest.mark.parametrize(
    "said",
    [
        "N'oublie pas ce que j'ai dit sur le pain",
        "Vergiss bloß nicht, was ich über den Zahnarzt gesagt habe",
        "Non dimentichi quello che ho detto sul mutuo",
        "Não esqueça o que eu disse sobre o ensaio",
        "We can't afford to forget what I said about the dentist",
        "How could you forget everything I told you about the dentist?",
        "Write a test that types 'forget what I said about the dentist'",
        "Translate this: forget what I said about the dentist",
        "oublie le cache, on fait le parser d'abord",
        "别忘了我说过的关于牙医的话",
        "不要忘记我说的里斯本旅行的事",
        "你忘了我说的关于牙医的话吗？",
        "把这句话翻译成英语：忘掉我说过的关于牙医的话",
        "歯医者について言ったことを忘れないでください",
        "歯医者について言ったことは忘れてと言われた",
        "キャッシュは忘れて、まずパーサーをやろう",
    ],
)
def test_what_only_sounds_like_a_wish_changes_and_teaches_nothing(
    book: Commonplace, said: str
) -> None:
    talk(book, said)
    assert sorted(kept(book)) == sorted(KNOWN.values())
