"""Find what keeps two texts apart: another number, name, time, negation, opposite or order.

A wrong "these are the same" loses a memory; a missed one only leaves two notes where one would do.
Every doubt therefore counts as a difference.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from ...language import words
from ...language.vocabulary import STOPWORDS
from ...language.vocabulary.statements import (
    ALL_NUMBERS,
    ALL_TIMES,
    ALTERNATIVES,
    COUNTERPARTS,
    FILLER_WORDS,
    NEAR_NEGATIONS,
    NEAR_NEGATIONS_UNSPACED,
    NEGATIONS,
    NEGATIONS_UNSPACED,
    ONE_LETTER_WORDS,
    OPPOSITE_PREFIXES,
    OPPOSITES,
    TELLING_FUNCTION_WORDS,
)
from ...model.text_cache import remembered
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TOKEN = re.compile(r"[^\W_]+(?:[_./@:'’+#-]+[^\W_]+)*[+#%€$£¥°]*|[^\s\w]")
_SENTENCE_START = frozenset(".!?:;…。！？\n\"'“”‘’(«»—–-*•>#|/")
_COMPARISONS = frozenset("<>=≠≤≥±~")
_PICTURES = ("So", "Sk", "Sm")
"""Unicode's categories of emoji, of their skin tones and of arrows."""
_UNSPACED_NEGATIONS = re.compile(
    "|".join(sorted((*NEGATIONS_UNSPACED, *NEAR_NEGATIONS_UNSPACED), key=len, reverse=True))
)
_UNSPACED_NUMBERS = re.compile("[0-9０-９]+|[〇零一二两兩三四五六七八九十百千万萬億亿]+")
_ANY_NEGATION = NEGATIONS | NEAR_NEGATIONS
_TIME_STEMS = frozenset(term for word in ALL_TIMES for term in words.terms(word))


class TextFeatures(Value):
    """A text as the duplicate gate compares it."""

    terms: tuple[str, ...]
    """Words that say something, as search compares them, in their order."""
    numbers: frozenset[str]
    signs: frozenset[str]
    """Emoji and other pictures, which search does not count as words."""
    names: tuple[str, ...]
    """Words with a capital, identifiers and what is quoted as code, in their order."""
    times: frozenset[str]
    spelled: Mapping[str, str]
    """How each name is written: Anne is not Ann, though they compare alike as words."""
    negations: int
    subject: str
    """The first word that says something: usually what the statement is about."""


@remembered()
def text_features(text: str) -> TextFeatures:
    """Read a text for comparison; recent results are cached."""
    terms: list[str] = []
    names: dict[str, str] = {}
    numbers, times, signs = set[str](), set[str](), set[str]()
    negations = len(_UNSPACED_NEGATIONS.findall(text)) if not text.isascii() else 0
    if not text.isascii():
        numbers |= set(_UNSPACED_NUMBERS.findall(text))
    opens = True
    for found in _TOKEN.finditer(text):
        token = found[0]
        if len(token) == 1 and not token.isalnum():
            opens = opens or token in _SENTENCE_START
            if token in _COMPARISONS:
                numbers.add(token)
            elif not token.isascii() and unicodedata.category(token) in _PICTURES:
                signs.add(token)
            continue
        lower = token.casefold().replace("’", "'")
        own = words.terms(token)
        if lower in _ANY_NEGATION or lower.endswith("n't"):
            negations += 1
        if any(character.isdigit() for character in token) or lower in ALL_NUMBERS:
            numbers.add(lower)
        elif lower in ALL_TIMES or (own and own[0] in _TIME_STEMS):
            times.add(own[0] if own else lower)
        elif _is_name(token, lower, opens=opens):
            names[own[0] if own else lower] = lower
        if lower not in FILLER_WORDS and (
            lower not in STOPWORDS or lower in TELLING_FUNCTION_WORDS
        ):
            terms += own
        opens = False
    return TextFeatures(
        terms=tuple(terms),
        numbers=frozenset(numbers),
        signs=frozenset(signs),
        names=tuple(names),
        times=frozenset(times),
        spelled=names,
        negations=negations,
        subject=terms[0] if terms else "",
    )


def signs_differ(one: TextFeatures, other: TextFeatures) -> bool:
    """Whether two texts have different pictures: `Nightly build: ✅`, and then `❌`.

    A picture that only one of them has is an ornament.
    """
    return not (one.signs <= other.signs or other.signs <= one.signs)


def is_wordless(text: str) -> bool:
    """Whether a text has no word to compare: emoji, signs, function words, one CJK character.

    A model finds such texts alike, and no word tells otherwise: only equal ones are the same.
    """
    return sum(map(str.isalnum, text)) <= 1 or not text_features(text).terms


def _is_name(token: str, lower: str, *, opens: bool) -> bool:
    if not token.isascii() and not token[:1].isupper():
        return False
    if len(token) == 1:
        return lower not in ONE_LETTER_WORDS or (token.isupper() and not opens and lower != "i")
    if any(mark in token for mark in "_/@:+#") or ("." in token and token[-1] != "."):
        return True
    if any(character.isupper() for character in token[1:]):
        return True
    # The first word of a sentence has its capital from there.
    return token[:1].isupper() and not opens and lower not in STOPWORDS


def find_difference(one: str, other: str) -> str:
    """The kind of the first difference between two texts; empty when there is none."""
    a, b = text_features(one), text_features(other)
    left, right = _apart(a, b), _apart(b, a)
    checks = (
        ("question", lambda: words.is_question(one) != words.is_question(other)),
        ("number", lambda: a.numbers != b.numbers),
        ("time", lambda: a.times != b.times),
        ("sign", lambda: signs_differ(a, b)),
        ("negation", lambda: a.negations != b.negations),
        ("polarity", lambda: _opposed(left, right)),
        ("name", lambda: _names_differ(a, b)),
        ("subject", lambda: a.subject in left and b.subject in right),
        ("order", lambda: _reordered(a, b)),
    )
    return next((name for name, differs in checks if differs()), "")


def _apart(one: TextFeatures, other: TextFeatures) -> list[str]:
    """The words of one text that the other does not have."""
    said = set(other.terms)
    return [term for term in one.terms if term not in said]


def _opposed(left: list[str], right: list[str]) -> bool:
    known = _known_opposites()
    return any(
        not known.get(word, frozenset()).isdisjoint(right)
        or any(_negates(word, other) or _negates(other, word) for other in right)
        for word in left
    )


def _negates(word: str, other: str) -> bool:
    return len(other) > 3 and any(word == prefix + other for prefix in OPPOSITE_PREFIXES)


def _names_differ(a: TextFeatures, b: TextFeatures) -> bool:
    """Whether each names something that the other does not say at all, or one names in addition."""
    if not (set(a.names) <= set(b.terms) and set(b.names) <= set(a.terms)):
        return True
    both = a.spelled.keys() & b.spelled.keys()
    return any(is_other_name(a.spelled[name], b.spelled[name]) for name in both)


def is_other_name(one: str, other: str) -> bool:
    """Whether two spellings name different things; an ending `s` does not make another name."""
    return _bare(one) != _bare(other)


def _bare(name: str) -> str:
    return name.casefold().removesuffix("'s").removesuffix("s").removesuffix("'")


def _reordered(a: TextFeatures, b: TextFeatures) -> bool:
    """Whether the same words stand in another order, as in `Ada pays Bob` and `Bob pays Ada`."""
    if not set(a.names).isdisjoint(b.names):
        shared = set(a.names) & set(b.names)
        first = [term for term in dict.fromkeys(a.terms) if term in shared]
        second = [term for term in dict.fromkeys(b.terms) if term in shared]
        if first != second:
            return True
    if set(a.terms) != set(b.terms):
        return False
    return tuple(dict.fromkeys(a.terms)) != tuple(dict.fromkeys(b.terms))


@lru_cache(maxsize=1)
def _known_opposites() -> dict[str, frozenset[str]]:
    """Each word of an opposite, a counterpart or an alternative, with those it is opposed to."""
    found: dict[str, set[str]] = {}
    for group in (*OPPOSITES, *COUNTERPARTS, *ALTERNATIVES):
        terms = {words.terms(word)[0] for word in group}
        for term in terms:
            found.setdefault(term, set()).update(terms - {term})
    return {term: frozenset(others) for term, others in found.items()}
