"""The words of a text as search compares them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.language import words
from commonplace.language.stems import stem


def meets(question: str, text: str) -> bool:
    return bool(words.query_terms(question).keys() & set(words.terms(text)))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("deployments", "deploy"), ("deploying", "deploy"), ("queries", "queri"),
        ("query", "queri"), ("hopping", "hop"), ("hoping", "hope"), ("relational", "relat"),
        ("generically", "generic"), ("communication", "communic"), ("conspicuous", "conspicu"),
        ("luxuriated", "luxuri"), ("dying", "die"), ("agreed", "agre"), ("bed", "bed"),
        ("this", "this"), ("gas", "gas"), ("gaps", "gap"), ("ties", "tie"), ("cries", "cri"),
        ("succeed", "succeed"), ("controlling", "control"), ("knightly", "knight"),
    ],
)  # fmt: skip
def test_english_words_share_a_stem_with_their_inflections(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("user service", "restart user_service first"),
        ("user_service", "restart `user_service` first"),
        ("oauth", "the OAuthToken expires"),
        ("token", "the OAuthToken expires"),
        ("OAuthToken", "the oauthtoken expires"),
        ("http response", "getHTTPResponse() hangs"),
        ("v3.0", "upgrade to v3.0 now"),
        ("3.0", "upgrade to v3.0 now"),
        ("/api/v2/users", "GET /api/v2/users/ is slow"),
        ("api/v2/users", "GET /api/v2/users?page=2"),
        ("users api", "GET /api/v2/users"),
        ("foo.bar", "call foo.bar() twice"),
        ("C++", "written in C++, not C"),
        ("C#", "written in C#."),
        ("#123", "fixed by #123"),
        ("123", "fixed by #123"),
        ("node-18", "needs node-18"),
        ("node 18", "needs node-18"),
        ("anna@example.com", "write to Anna@Example.com."),
        ("example.com", "see https://example.com/docs?x=1"),
        ("2024-05-17", "moved on 2024-05-17"),
        ("R&D", "the R&D budget"),
        ("kubernetes", "(Kubernetes)"),
    ],
)
def test_identifiers_paths_and_addresses_are_found_whole_and_in_parts(
    question: str, text: str
) -> None:
    assert meets(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("ano nuevo", "El año nuevo"),
        ("AÑO", "el ano"),
        ("Munchen", "Wir treffen uns in München"),
        ("Strasse", "die Straße"),
        ("Haus", "Alle Häuser sind verkauft"),
        ("Frist", "Die Fristen der Kündigung sind zu beachten"),
        ("école", "près de l'école"),
        ("cafe", "un cafe\u0301"),
        ("Łódź", "lodz"),
        ("数据库", "我们把数据库迁移到新的服务器"),
        ("猫", "黒猫が好きです"),
        ("データ", "データベースを更新した"),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "データベースを更新した"),
        ("東京", "来週東京に行きます"),
        ("데이터베이스", "데이터베이스를 옮겼다"),
        ("회의", "회의는 금요일에 열린다"),
        ("كتاب", "قرأت الكِتَابَ أمس"),
        ("हिन्दी", "मुझे हिन्दी पसंद है"),
        ("ภาษาไทย", "ฉันเรียนภาษาไทยทุกวัน"),
        ("база", "База данных обновлена"),
        ("базы", "Мы перенесли базу в другой город"),
        ("заказами", "очередь заказов"),
        ("какие аллергии", "У Тимофея аллергия на фундук"),
        ("παραγγελία", "η βάση των παραγγελιών"),
        ("τούρτες", "η τούρτα της γιαγιάς"),
        ("आदेश", "हमने आदेशों को देखा"),
        ("अंडों", "बारह अंडे"),
        ("طلب", "قاعدة بيانات الطلبات"),
        ("הזמנות", "מסד הנתונים של ההזמנות"),
        ("siparişlerin", "Sipariş gecikti, İzmir'e taşıdık"),
        ("mieszkań", "Wypowiedzenie najmu mieszkania trwa trzy miesiące"),
        ("🚀", "we shipped 🚀 today"),
        ("👍", "👍🏽 agreed"),
        ("ＡＰＩ", "the api is down"),
    ],
)
def test_every_language_finds_its_own_words(question: str, text: str) -> None:
    assert meets(question, text)


def test_listening_is_not_a_list() -> None:
    assert not meets("listen", "a list of hosts")


@pytest.mark.parametrize(
    ("question", "telling"),
    [
        ("Где находится база данных?", {"находится", "база", "данных"}),
        ("Πού είναι η βάση;", {"βαση"}),
        ("Ile jajek jest w cieście?", {"jajek", "w", "ciescie"}),
        ("Hangi kek için kaç yumurta?", {"kek", "yumurta"}),
        ("केक में कितने अंडे हैं?", {"केक", "अंडे"}),
    ],
)
def test_function_words_of_other_languages_are_dropped_too(
    question: str, telling: set[str]
) -> None:
    assert set(words.query_terms(question).values()) == telling


def test_names_and_things_that_look_like_a_function_word_elsewhere_are_kept() -> None:
    for said in ("Kim", "Sue", "Mia", "Go", "pod", "NAS", "van", "OS"):
        assert list(words.query_terms(f"the {said} there").values()) == [said.lower()]


def test_function_words_are_dropped_from_a_question() -> None:
    assert words.query_terms("When did we move the database to Oregon?") == {
        "move": "move",
        "databas": "database",
        "oregon": "oregon",
    }


def test_a_question_of_only_function_words_keeps_them() -> None:
    assert list(words.query_terms("to be or not to be")) == ["to", "be", "or", "not"]


def test_an_id_is_not_a_function_word() -> None:
    assert "id" in words.query_terms("what is the id of I'd")


@pytest.mark.parametrize("text", ["", "   ", "?!… --- ()", "\0", "\ud800", "' '' '"])
def test_punctuation_has_no_words(text: str) -> None:
    assert words.terms(text) == []
    assert words.query_terms(text) == {}


def test_an_endless_question_is_cut() -> None:
    asked = words.query_terms(" ".join(f"word{number}" for number in range(20_000)))
    assert words.QUERY_TERMS <= len(asked) <= words.QUERY_TERMS + words.MAX_PARTS


def test_a_pasted_key_gives_few_and_short_words() -> None:
    found = words.terms("aB3/" * 20_000)
    assert len(found) < 500
    assert max(map(len, found)) <= words.MAX_TERM_CHARACTERS


@given(st.text())
def test_words_never_hold_what_the_index_uses_to_part_them(text: str) -> None:
    for term in words.terms(text):
        assert term
        assert not set(" :|\0\n\t") & set(term)
        assert term.isprintable() or not term.isascii()
        term.encode()


@given(st.text())
def test_a_text_is_found_by_itself(text: str) -> None:
    assert words.query_terms(text).keys() <= set(words.terms(text))


@given(st.text())
def test_remembered_runs_change_nothing(text: str) -> None:
    first = words.terms(text)
    words._terms_of.clear()  # pyright: ignore[reportPrivateUsage]
    assert words.terms(text) == first
