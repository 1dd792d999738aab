"""Corrections that people make to their own last words: `nein warte, ein Standard 18`.

The sentence with the new value in the place of the old one is what they meant. Only a value whose
place is certain takes it: one of the same kind, or one with the same words around it.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ...language import statements
from ...language.vocabulary.repairs import (
    ARTICLES,
    COPULAS,
    CORRECTIONS,
    ENGLISH_CORRECTIONS,
    GOES_ON,
    NOES,
    REPAIRS,
    WEEKDAY_NAMES,
)
from ...language.vocabulary.tongues import ENGLISH, tongue_of
from ...language.words import is_question
from ...model.value import Value
from . import short_answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...ports.reasoner import Lesson, Turn

MOST_VALUE_WORDS = 6
"""Words of a value that takes the place of another."""

_PAUSE = r"(?:\s*(?:[,.:;!…]+|\s[–—-]))?\s+"
_NO = rf"(?:(?:{NOES}){_PAUSE})"
_CHAIN = (
    rf"{_NO}{{0,3}}(?:(?:{REPAIRS}|{CORRECTIONS}|{ENGLISH_CORRECTIONS}){_PAUSE}{_NO}{{0,2}}){{1,4}}"
)
_OPENS = re.compile(rf"(?i)(?:{_CHAIN})(?!(?:{GOES_ON})\b)")
_WITHIN = re.compile(rf"(?i)(?:,|\s[–—-]|…|\.\.\.?) (?:{_CHAIN})(?!(?:{GOES_ON})\b)")
_WORD = re.compile(r"[^\s,;:()“”\"]+")
_EDGES = ".!?…'’\"“”"
_NUMBER = re.compile(r"\d+(?:[.,:h]\d+)*(?:h\b)?")
_ARTICLES = frozenset(ARTICLES.split())
_COPULAS = frozenset(COPULAS.split())


def repair_opener(sentence: str) -> re.Match[str] | None:
    """The words by which a sentence puts right what the same person has just said."""
    return _OPENS.match(sentence)


def repair_within(sentence: str) -> re.Match[str] | None:
    """The words within a sentence by which its end puts right its beginning."""
    return _WITHIN.search(sentence)


def put_right(told: str, value: str) -> str:
    """The sentence with the corrected value in its place; empty if that place is unclear."""
    if tongue_of(told) != ENGLISH:
        return _with_value(told, value)
    speaker, _, rest = told.partition(" ")
    mine = speaker.casefold() in ("we", "i") and bool(rest)
    whole = short_answers.completed(value, rest if mine else told)
    if whole and mine:
        return f"{speaker} {whole[:1].lower()}{whole[1:]}"
    return whole or _with_value(told, value)


class Repaired(Value):
    """The turns of a conversation as they were meant, and which turn put which one right."""

    turns: tuple[Turn, ...]
    by: dict[int, int]
    wrong: dict[str, str]
    """Each repaired sentence with the one that was said first."""

    def placed(self, lessons: Sequence[Lesson]) -> tuple[Lesson, ...]:
        """The lessons, each at the turn that said last what it says, with what was wrong before."""
        return tuple(
            one.but(
                turn=self.by.get(one.turn, one.turn),
                wrong=self.wrong.get(one.content, one.wrong),
            )
            for one in lessons
        )


def repaired(turns: Sequence[Turn], sentences: Callable[[str], list[str]]) -> Repaired:
    """Put each turn's repair of the same person's turn before into that turn.

    `sentences` reads the sentences of a person's own words.
    """
    made, by, wrong = list(turns), dict[int, int](), dict[str, str]()
    mine = [number for number, turn in enumerate(turns) if turn.speaker == "user"]
    for earlier, number in pairwise(mine):
        opened = repair_opener(made[number].text.strip())
        if not opened or number - earlier > 2:
            continue
        told = sentences(made[earlier].text)
        value, *rest = sentences(made[number].text.strip()[opened.end() :]) or [""]
        whole = _last_repaired(told, value, [one.text for one in turns[earlier + 1 : number]])
        if whole:
            made[earlier] = made[earlier].but(text=" ".join(whole))
            made[number] = made[number].but(text=" ".join(rest))
            by[earlier] = number
            wrong[whole[-1]] = _ended(told[-1])
    return Repaired(tuple(made), by, wrong)


def _last_repaired(told: Sequence[str], value: str, replies: Sequence[str]) -> list[str]:
    """The sentences with the value in the last of them; none if it may mean a reply."""
    if not told or not value or is_question(value) or is_question(told[-1]):
        return []
    known = set(_NUMBER.findall(told[-1]))
    others = set(_NUMBER.findall(" ".join(replies))) - known - set(_NUMBER.findall(value))
    if others and _NUMBER.search(value):
        return []
    plain = told[-1].rstrip(" .!…")
    whole = put_right(plain, value)
    return [*told[:-1], whole] if whole else []


def _with_value(told: str, value: str) -> str:
    given = [one[0].strip(_EDGES) for one in _WORD.finditer(value)]
    if not 0 < len(given) <= MOST_VALUE_WORDS:
        return ""
    for place in (_number_place, _day_place, _led_place, _last_place):
        if found := place(told, given):
            start, end, new = found
            made = f"{told[:start]}{new}{told[end:]}"
            return _ended(made) if made.casefold() != told.casefold() else ""
    return ""


def _number_place(told: str, given: list[str]) -> tuple[int, int, str] | None:
    """`ein Standard 18` after `ist ein Standard 14`: the number is all that is new."""
    new = [one for one in given if _NUMBER.fullmatch(one)]
    if len(new) != 1:
        return None
    words = {one[0].strip(_EDGES).casefold() for one in _WORD.finditer(told)}
    others = [one.casefold() for one in given if one not in new]
    if any(one not in words and one not in _ARTICLES for one in others):
        return None
    old = list(_NUMBER.finditer(told))
    if len(old) > 1:
        at = given.index(new[0])
        beside = [one.casefold() for one in given[at - 1 : at] + given[at + 1 : at + 2]]
        old = [one for one in old if beside and set(beside) <= _beside(told, one)]
    return (old[0].start(), old[0].end(), new[0]) if len(old) == 1 else None


def _beside(text: str, found: re.Match[str]) -> set[str]:
    near = (*text[: found.start()].split()[-1:], *text[found.end() :].split()[:1])
    return {one.strip(f"{_EDGES},;:").casefold() for one in near}


def _day_place(told: str, given: list[str]) -> tuple[int, int, str] | None:
    """`le mercredi` after `la réunion est le mardi`."""
    days = [one for one in given if one.casefold() in WEEKDAY_NAMES]
    others = [one for one in given if one not in days]
    known = [one for one in _WORD.finditer(told) if _bare(one) in WEEKDAY_NAMES]
    words = {_bare(one) for one in _WORD.finditer(told)}
    alike = all(one.casefold() in words or one.casefold() in _ARTICLES for one in others)
    if len(days) != 1 or len(known) != 1 or not alike:
        return None
    old = known[0]
    return old.start(), old.start() + len(old[0].rstrip(_EDGES)), days[0]


def _led_place(told: str, given: list[str]) -> tuple[int, int, str] | None:
    """`in Graz` after `die Probe ist in Linz`: the same word leads to as many others."""
    words = list(_WORD.finditer(told))
    led = [at for at, one in enumerate(words) if _bare(one) == given[0].casefold()]
    if len(given) < 2 or len(led) != 1 or len(words) - led[0] != len(given):
        return None
    return words[led[0]].start(), len(told), " ".join(given)


def _last_place(told: str, given: list[str]) -> tuple[int, int, str] | None:
    """`verde` after `la porta è rossa`: a word after what leads to a value."""
    words = list(_WORD.finditer(told))
    value = given[1:] if given[0].casefold() in _ARTICLES else given
    if len(value) != 1 or len(words) < 3:
        return None
    led = next((at for at in (-2, -3) if _bare(words[at]) in _COPULAS), 0)
    article = led == -3 and _bare(words[-2]) in _ARTICLES
    if not led or (led == -3 and not article):
        return None
    alike = value[0][:1].isupper() == words[-1][0][:1].isupper()
    start = words[led + 1].start() if len(given) > 1 else words[-1].start()
    return (start, len(told), " ".join(given)) if alike else None


def _bare(word: re.Match[str]) -> str:
    return word[0].strip(_EDGES).casefold()


def _ended(text: str) -> str:
    text = statements.with_capital(text.strip())
    return text if text.endswith((".", "!", "…")) else f"{text}."
