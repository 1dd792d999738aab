"""Judge whether two texts can both be true: by their claims, then by their denials.

Only a plain contradiction counts. Somebody may like tea and coffee, and use two databases; of a
name, a port or a home there is one at a time. A false alarm costs more trust than a miss.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...language import statements, words
from ...language.stems import stem
from ...language.vocabulary import STOPWORDS
from ...language.vocabulary.statements import (
    ALL_NUMBERS,
    ALTERNATIVES,
    CALENDAR_NAMES,
    DESCRIPTIVE,
    NEGATIONS,
    NUMBER_DIGITS,
    OPPOSITES,
    PARTICLES,
    SINGLE_VALUED,
    UNIQUE_MARKERS,
)
from ...model.identity import normalized
from ...model.text_cache import remembered
from ...model.value import Value
from ...ports.reasoner import Judged
from . import claim_patterns as patterns
from . import claims
from .claims import (
    INDEFINITE_SUBJECT,
    Claim,
    comparable_words,
    expand_contractions,
    is_denial,
    read_claims,
)
from .differences import is_other_name, is_wordless, signs_differ, text_features

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


MOST_CLAIMS = 60
"""Claims compared of each text, from its beginning."""
MOST_SENTENCES = 40
LEAST_TERMS = 2
"""Sentences with fewer telling words in common say too little to deny each other."""

_SINGLE_VALUED = frozenset(map(stem, SINGLE_VALUED))
_UNIQUE_MARKERS = frozenset(map(stem, UNIQUE_MARKERS)) | UNIQUE_MARKERS
_OPPOSITES = frozenset(frozenset(words.terms(word)[0] for word in pair) for pair in OPPOSITES)
_CALENDAR_STEMS = frozenset(map(stem, CALENDAR_NAMES))
_KINDS = tuple(frozenset(map(stem, kinds)) for kinds in ALTERNATIVES)
_NUMBER = re.compile(r"[€$£¥#v]?\d[\d.,:/-]*%?")
_MAY = re.compile(r"\bmay(?= \d)|(?<=\d )may\b|(?<=of )may\b|(?<=in )may$")
"""The month; otherwise it is a verb."""
_PREPOSITION = re.compile(r"(?<=\w) (?:in|on|at|for|of|to)(?= )")
_LONE = re.compile(r"(?<=\w )[B-HJ-Z]\b(?!['.])")
"""Feature X is not feature Y, although single letters tell nothing elsewhere."""
_TELLING_NOT = STOPWORDS | NEGATIONS
"""Words that do not say what a sentence is about."""


class Contradiction(Value):
    """Two claims that cannot both be true."""

    newer: Claim
    older: Claim
    sure: float


def judge(newer: str, older: str) -> Judged:
    """How a newer text stands to an older one: same, contradicts, refines or unrelated."""
    if normalized(newer) == normalized(older):
        return Judged("same", 1.0, "They say the same in the same words.")
    if is_wordless(newer) or is_wordless(older):
        return Judged("unrelated", 1.0, "")
    found = find_conflict(newer, older)
    if found is not None:
        return Judged("contradicts", found.sure, _words(found))
    sentences = [statements.sentences(text)[:MOST_SENTENCES] for text in (newer, older)]
    for one in sentences[0]:
        for other in sentences[1]:
            if sure := denial_confidence(one, other):
                return Judged("contradicts", sure, f"“{_short(one)}” denies “{_short(other)}”")
    return _alike(newer, older)


def find_conflict(newer: str, older: str) -> Contradiction | None:
    """The surest pair of claims that exclude each other."""
    mine, theirs = read_claims(newer)[:MOST_CLAIMS], read_claims(older)[:MOST_CLAIMS]
    # A newer text that also says the older claim ("moved from A to B") does not contradict it.
    found = [one for claim in mine for other in theirs if (one := _conflict(claim, other))]
    granted = [one for one in found if not _also_said(one.older, mine)]
    if not granted:
        return None
    surest = max(granted, key=lambda one: one.sure)
    # A positive claim tells more than a denial.
    told = (one for one in granted if one.older == surest.older and not one.newer.negated)
    return next(told, surest).but(sure=surest.sure)


def topic_terms(text: str) -> frozenset[str]:
    """The telling words and entities of a text; texts without a common one never clash."""
    return _telling(text) | {f"{claim.entity}:" for claim in read_claims(text)}


def _also_said(claim: Claim, by: Sequence[Claim]) -> bool:
    return any(
        (one.entity, one.attribute, one.terms, one.negated)
        == (claim.entity, claim.attribute, claim.terms, claim.negated)
        and not _renamed(one, claim)
        for one in by
    )


def _renamed(newer: Claim, older: Claim) -> bool:
    """Ann and Anne compare alike as words, and are two names."""
    return newer.attribute.endswith(patterns.NAME) and is_other_name(newer.value, older.value)


def _conflict(newer: Claim, older: Claim) -> Contradiction | None:
    if newer.entity != older.entity or newer.attribute != older.attribute:
        return None
    if newer.negated != older.negated:
        denied, granted = (newer, older) if newer.negated else (older, newer)
        if denied.occasion not in ("", granted.occasion):
            return None  # Not so there; elsewhere it may be.
        denies_it = _covers(denied, granted) and not _renamed(denied, granted)
        return Contradiction(newer, older, 0.9) if denies_it else None
    if newer.negated or newer.occasion != older.occasion:
        return Contradiction(newer, older, 0.7) if _chosen_otherwise(newer, older) else None
    if newer.terms == older.terms:
        return Contradiction(newer, older, 0.85) if _renamed(newer, older) else None
    sure = _excluded(newer, older)
    return Contradiction(newer, older, sure) if sure else None


def _chosen_otherwise(newer: Claim, older: Claim) -> bool:
    """Whether a choice for everything meets another one for a purpose.

    Two purposes may have a choice each.
    """
    general = not (newer.occasion and older.occasion)
    return general and newer.attribute.startswith(patterns.BETWEEN) and newer.terms != older.terms


def _covers(denied: Claim, granted: Claim) -> bool:
    """Whether denying one denies the other: no tea is no green tea either, but not no tea cake."""
    one, other = denied.terms, granted.terms
    return bool(one) and other[-len(one) :] == one


def _excluded(newer: Claim, older: Claim) -> float:
    """How surely two different values cannot both hold; 0.0 when they can."""
    one, other = newer.terms, older.terms
    if set(one) <= set(other) or set(other) <= set(one):
        return 0.0
    verb = newer.attribute.partition(" ")[0]
    if verb in (patterns.PREFERS, patterns.USES):
        return _choice(newer, older, verb)
    # A past state may differ from one occasion to another.
    lasting = verb not in (patterns.LIKES, patterns.WAS)
    counted = lasting and _numbers_differ(newer.value, older.value)
    if counted or newer.attribute in patterns.SINGLE_VERBS:
        return 0.85
    which = lasting and _states(newer) and _single(newer) and _names(newer) and _names(older)
    return 0.8 if which or _one_apart(one, other) in _OPPOSITES else 0.0


def _choice(newer: Claim, older: Claim, verb: str) -> float:
    """Whether preferring or using one thing gives up the other."""
    one, other = newer.terms, older.terms
    if newer.attribute.startswith(patterns.BETWEEN):
        return 0.9
    if verb == patterns.USES and one[0] == other[0] and _numbers_differ(newer.value, older.value):
        return 0.75  # Python 3.10, and then Python 3.12.
    different = set(one) ^ set(other)
    if any(len(kinds & set(one)) == 1 == len(kinds & set(other)) and len(kinds & different) == 2
           for kinds in _KINDS):  # fmt: skip
        return 0.75 if verb == patterns.PREFERS or newer.attribute != patterns.USES else 0.65
    same_kind = len(one) == len(other) > 1 and one[-1] == other[-1]
    purpose = newer.attribute.startswith((f"{patterns.USES} for ", f"{patterns.USES} as "))
    if (verb == patterns.PREFERS and same_kind) or purpose:
        return 0.7
    return 0.0


def _states(claim: Claim) -> bool:
    """Whether it says what a thing is, or what one of its attributes is."""
    verb = claim.attribute.partition(" ")[0]
    known = patterns.SINGLE_VERBS | patterns.COUNTED_VERBS
    return claim.attribute not in known and verb not in (
        patterns.LIKES,
        patterns.PREFERS,
        patterns.USES,
    )


def _single(claim: Claim) -> bool:
    """Whether a thing has one such attribute at a time."""
    named = claim.entity if claim.attribute == patterns.IS else claim.attribute
    parts = _PREPOSITION.split(named)[0].split()
    if not parts:
        return False
    return (
        parts[-1] in _SINGLE_VALUED
        or not _UNIQUE_MARKERS.isdisjoint(parts)
        or any(part.startswith("liebling") for part in parts)
    )


def _names(claim: Claim) -> bool:
    """Whether the value says which one, rather than what it is like."""
    first, *more = claim.value.split()
    # Limited by address, running smoothly.
    state = first.endswith("ing") or (more and first.islower() and first.endswith("ed"))
    plain = not state and first.casefold() not in DESCRIPTIVE and first.casefold() not in STOPWORDS
    return plain and len(claim.terms) <= 5


def _numbers_differ(one: str, other: str) -> bool:
    """Whether two values are the same but for their numbers or days."""
    return _skeleton(one) == _skeleton(other) and _figures(one) != _figures(other)


def _tokens(value: str) -> list[str]:
    plain = _MAY.sub("mai", value.casefold())
    parts: list[str] = re.findall(r"[€$£¥#]?[\w.,:/%-]+", plain)
    return [NUMBER_DIGITS.get(part, part) for part in parts]


def _is_figure(part: str) -> bool:
    return bool(_NUMBER.fullmatch(part)) or part in ALL_NUMBERS or stem(part) in _CALENDAR_STEMS


def _skeleton(value: str) -> list[str]:
    return ["#" if _is_figure(part) else stem(part) for part in _tokens(value)]


def _figures(value: str) -> list[str]:
    return [stem(part).strip("v.,:") for part in _tokens(value) if _is_figure(part)]


def _one_apart(one: Sequence[str], other: Sequence[str]) -> frozenset[str]:
    """The two words by which two values differ, if it is one on each side."""
    left, right = set(one) - set(other), set(other) - set(one)
    return frozenset(left | right) if len(left) == len(right) == 1 else frozenset()


def denial_confidence(one: str, other: str) -> float:
    """How surely one sentence denies what the other says, in the same words; 0.0 when not.

    Denying the general denies the particular: nobody sings, so no child sings a song.
    """
    if one.rstrip().endswith("?") or other.rstrip().endswith("?"):
        return 0.0
    vague = INDEFINITE_SUBJECT.match(one) or INDEFINITE_SUBJECT.match(other)
    if not vague and (claims.contrast_denies(one, other) or claims.contrast_denies(other, one)):
        return 0.9
    one, other = claims.asserted_part(one), claims.asserted_part(other)
    first, second = _telling(one), _telling(other)
    if len(first & second) < LEAST_TERMS:
        return 0.0
    no, yes = is_denial(one), is_denial(other)
    if no != yes:
        denied, granted = (first, second) if no else (second, first)
        enough = len(denied) >= LEAST_TERMS and len(denied) * 2 >= len(granted)
        return 0.8 if enough and denied <= granted else 0.0
    if vague:
        return 0.0
    return 0.7 if _one_apart(tuple(first), tuple(second)) in _OPPOSITES else 0.0


@remembered()
def _telling(sentence: str) -> frozenset[str]:
    """The words of a sentence that say what it is about, without those that deny it."""
    plain = expand_contractions(sentence)
    plain = re.sub(r"(?i)\b(?:(?:do|does|did) not|no longer)\b", "not", plain)
    plain = re.sub(r"(?i)\bany ?(?:more|longer)\b", "", plain)
    found = set(comparable_words(plain)) | {f"{letter} alone" for letter in _LONE.findall(plain)}
    return frozenset(found - _TELLING_NOT - _negation_stems())


@lru_cache(maxsize=1)
def _negation_stems() -> frozenset[str]:
    return frozenset(map(stem, NEGATIONS))


def _order(text: str) -> list[str]:
    telling = _telling(text) | PARTICLES
    return [term for term in comparable_words(expand_contractions(text)) if term in telling]


def _alike(newer: str, older: str) -> Judged:
    """Same, a refinement, or unrelated, by the words that tell."""
    one, other = _telling(newer), _telling(older)
    if not one or not other or is_denial(newer) != is_denial(older):
        return Judged("unrelated", 0.5, "")
    if one == other and not signs_differ(text_features(newer), text_features(older)):
        if _order(newer) == _order(older):
            return Judged("same", 0.8, "They say the same in nearly the same words.")
        # The dog bites the man; the man bites the dog.
        return Judged("refines", 0.5, "They speak of the same things in another order.")
    if other < one and len(other) >= LEAST_TERMS:
        return Judged("refines", 0.7, "The newer one says more about the same thing.")
    if one < other and len(one) >= LEAST_TERMS:
        return Judged("refines", 0.6, "The older one says more about the same thing.")
    return Judged("unrelated", 0.5, "")


def _words(found: Contradiction) -> str:
    """The conflict for a person: which thing, which attribute, which values."""
    newer, older = found.newer, found.older
    if newer.attribute.startswith(patterns.BETWEEN) and not newer.negated:
        return f"{newer.value} over {older.value}, was {older.value} over {newer.value}"
    what = newer.entity if newer.attribute == patterns.IS else f"{newer.entity}: {newer.attribute}"
    return f"{what}: {_said(newer)}, was {_said(older)}"


def _said(claim: Claim) -> str:
    return f"not {claim.value}" if claim.negated else claim.value


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= 80 else f"{sentence[:79]}…"
