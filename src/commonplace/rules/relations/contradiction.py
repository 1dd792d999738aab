"""Whether two texts can both be true: by what they claim, then by what they deny.

Only a plain contradiction counts. Somebody may like tea and coffee, and use two databases; of a
name, a port or a home there is one at a time. A false alarm costs more trust than a miss.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...language import statements
from ...language.stems import stem
from ...language.vocabulary import (
    ALTERNATIVES,
    ANTONYMS,
    CHOSEN,
    DAYS,
    LOOSE,
    NEGATIONS,
    NUMBERS,
    SINGLE,
)
from ...language.words import STOPWORDS
from ...model.identity import normalized
from ...model.memory import TRUSTS
from ...model.value import Value
from ...ports.reasoner import Judged
from . import claim_patterns as said
from . import claims
from .claims import SOME, Claim, comparable_words, denies, expanded, read_claims
from .differences import other_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model.memory import Memory
    from ..parameters import GateThresholds


MOST_CLAIMS = 60
"""Of each text; longer texts are compared by their beginning."""
MOST_SENTENCES = 40
LEAST_TERMS = 2
"""Sentences with fewer telling words in common say too little to deny each other."""

_SINGLE = frozenset(map(stem, SINGLE | {word.casefold() for word in SINGLE}))
_CHOSEN = frozenset(map(stem, CHOSEN)) | CHOSEN
_ANTONYMS = frozenset(frozenset(map(stem, pair)) for pair in ANTONYMS)
_DAYS = frozenset(map(stem, DAYS))
_KINDS = tuple(frozenset(map(stem, kinds)) for kinds in ALTERNATIVES)
_NUMBER = re.compile(r"[€$£¥#v]?\d[\d.,:/-]*%?")
_MAY = re.compile(r"\bmay(?= \d)|(?<=\d )may\b|(?<=of )may\b|(?<=in )may$")
"""The month; otherwise it is a verb."""
_PREPOSITION = re.compile(r"(?<=\w) (?:in|on|at|for|of|to)(?= )")
_LONE = re.compile(r"(?<=\w )[B-HJ-Z]\b(?!['.])")
"""Feature X is not feature Y, although single letters tell nothing elsewhere."""
_PARTICLES = frozenset({"on", "off", "up", "down", "in", "out", "over", "under", "from", "to"})
_TELLING_NOT = STOPWORDS - NEGATIONS


class Contradiction(Value):
    """Two claims that cannot both be true."""

    newer: Claim
    older: Claim
    sure: float


def judge(newer: str, older: str) -> Judged:
    """How a newer text stands to an older one: same, contradicts, refines or unrelated."""
    if normalized(newer) == normalized(older):
        return Judged("same", 1.0, "They say the same in the same words.")
    found = conflict(newer, older)
    if found is not None:
        return Judged("contradicts", found.sure, _words(found))
    sentences = [statements.sentences(text)[:MOST_SENTENCES] for text in (newer, older)]
    for one in sentences[0]:
        for other in sentences[1]:
            if sure := denial(one, other):
                return Judged("contradicts", sure, f"“{_short(one)}” denies “{_short(other)}”")
    return _alike(newer, older)


def conflict(newer: str, older: str) -> Contradiction | None:
    """The surest pair of claims that exclude each other."""
    mine, theirs = read_claims(newer)[:MOST_CLAIMS], read_claims(older)[:MOST_CLAIMS]
    # What the newer text takes back itself ("moved from A to B") is no surprise to it.
    found = [one for claim in mine for other in theirs if (one := _conflict(claim, other))]
    granted = [one for one in found if not _also_said(one.older, mine)]
    if not granted:
        return None
    surest = max(granted, key=lambda one: one.sure)
    # What is so now tells more than what is not.
    told = (one for one in granted if one.older == surest.older and not one.newer.negated)
    return next(told, surest).but(sure=surest.sure)


def about(text: str) -> frozenset[str]:
    """What a text speaks of; two texts with nothing of it in common cannot clash."""
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
    return newer.attribute.endswith(said.NAME) and other_name(newer.value, older.value)


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
        return None
    if newer.terms == older.terms:
        return Contradiction(newer, older, 0.85) if _renamed(newer, older) else None
    sure = _excluded(newer, older)
    return Contradiction(newer, older, sure) if sure else None


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
    if verb in (said.PREFERS, said.USES):
        return _choice(newer, older, verb)
    # What was may have been so on one occasion, and otherwise on another.
    lasting = verb not in (said.LIKES, said.WAS)
    counted = lasting and _numbers_differ(newer.value, older.value)
    if counted or newer.attribute in said.SINGLE_VERBS:
        return 0.85
    which = lasting and _states(newer) and _single(newer) and _names(newer) and _names(older)
    return 0.8 if which or _one_apart(one, other) in _ANTONYMS else 0.0


def _choice(newer: Claim, older: Claim, verb: str) -> float:
    """Whether preferring or using one thing gives up the other."""
    one, other = newer.terms, older.terms
    if newer.attribute.startswith(said.BETWEEN):
        return 0.9
    if verb == said.USES and one[0] == other[0] and _numbers_differ(newer.value, older.value):
        return 0.75  # Python 3.10, and then Python 3.12.
    different = set(one) ^ set(other)
    if any(len(kinds & set(one)) == 1 == len(kinds & set(other)) and len(kinds & different) == 2
           for kinds in _KINDS):  # fmt: skip
        return 0.75 if verb == said.PREFERS or newer.attribute != said.USES else 0.65
    same_kind = len(one) == len(other) > 1 and one[-1] == other[-1]
    purpose = newer.attribute.startswith((f"{said.USES} for ", f"{said.USES} as "))
    if (verb == said.PREFERS and same_kind) or purpose:
        return 0.7
    return 0.0


def _states(claim: Claim) -> bool:
    """Whether it says what a thing is, or what one of its attributes is."""
    verb = claim.attribute.partition(" ")[0]
    known = said.SINGLE_VERBS | said.COUNTED_VERBS
    return claim.attribute not in known and verb not in (said.LIKES, said.PREFERS, said.USES)


def _single(claim: Claim) -> bool:
    """Whether a thing has one such attribute at a time."""
    named = claim.entity if claim.attribute == said.IS else claim.attribute
    parts = _PREPOSITION.split(named)[0].split()
    if not parts:
        return False
    return (
        parts[-1] in _SINGLE
        or not _CHOSEN.isdisjoint(parts)
        or any(part.startswith("liebling") for part in parts)
    )


def _names(claim: Claim) -> bool:
    """Whether the value says which one, rather than what it is like."""
    first, *more = claim.value.split()
    # Limited by address, running smoothly.
    state = first.endswith("ing") or (more and first.islower() and first.endswith("ed"))
    plain = not state and first.casefold() not in LOOSE and first.casefold() not in STOPWORDS
    return plain and len(claim.terms) <= 5


def _numbers_differ(one: str, other: str) -> bool:
    """Whether two values are the same but for their numbers or days."""
    return _skeleton(one) == _skeleton(other) and _figures(one) != _figures(other)


def _tokens(value: str) -> list[str]:
    plain = _MAY.sub("mai", value.casefold())
    parts: list[str] = re.findall(r"[€$£¥#]?[\w.,:/%-]+", plain)
    return [NUMBERS.get(part, part) for part in parts]


def _is_figure(part: str) -> bool:
    return _NUMBER.fullmatch(part) is not None or stem(part) in _DAYS


def _skeleton(value: str) -> list[str]:
    return ["#" if _is_figure(part) else stem(part) for part in _tokens(value)]


def _figures(value: str) -> list[str]:
    return [stem(part).strip("v.,:") for part in _tokens(value) if _is_figure(part)]


def _one_apart(one: Sequence[str], other: Sequence[str]) -> frozenset[str]:
    """The two words by which two values differ, if it is one on each side."""
    left, right = set(one) - set(other), set(other) - set(one)
    return frozenset(left | right) if len(left) == len(right) == 1 else frozenset()


def denial(one: str, other: str) -> float:
    """How surely one sentence denies what the other says, in the same words; 0.0 when not.

    Denying the general denies the particular: nobody sings, so no child sings a song.
    """
    if one.rstrip().endswith("?") or other.rstrip().endswith("?"):
        return 0.0
    vague = SOME.match(one) or SOME.match(other)
    if not vague and (claims.contrast_denies(one, other) or claims.contrast_denies(other, one)):
        return 0.9
    one, other = claims.asserted_part(one), claims.asserted_part(other)
    first, second = _telling(one), _telling(other)
    if len(first & second) < LEAST_TERMS:
        return 0.0
    no, yes = denies(one), denies(other)
    if no != yes:
        denied, granted = (first, second) if no else (second, first)
        enough = len(denied) >= LEAST_TERMS and len(denied) * 2 >= len(granted)
        return 0.8 if enough and denied <= granted else 0.0
    if vague:
        return 0.0
    return 0.7 if _one_apart(tuple(first), tuple(second)) in _ANTONYMS else 0.0


@lru_cache(maxsize=4096)
def _telling(sentence: str) -> frozenset[str]:
    """The words of a sentence that say what it is about, without those that deny it."""
    plain = expanded(sentence)
    plain = re.sub(r"(?i)\b(?:(?:do|does|did) not|no longer)\b", "not", plain)
    plain = re.sub(r"(?i)\bany ?(?:more|longer)\b", "", plain)
    found = set(comparable_words(plain)) | {f"{letter} alone" for letter in _LONE.findall(plain)}
    return frozenset(found - NEGATIONS - _TELLING_NOT - {stem(word) for word in NEGATIONS})


def _order(text: str) -> list[str]:
    telling = _telling(text) | _PARTICLES
    return [term for term in comparable_words(expanded(text)) if term in telling]


def _alike(newer: str, older: str) -> Judged:
    """Same, a refinement, or unrelated, by the words that tell."""
    one, other = _telling(newer), _telling(older)
    if not one or not other or denies(newer) != denies(older):
        return Judged("unrelated", 0.5, "")
    if one == other:
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
    what = newer.entity if newer.attribute == said.IS else f"{newer.entity}: {newer.attribute}"
    return f"{what}: {_said(newer)}, was {_said(older)}"


def _said(claim: Claim) -> str:
    return f"not {claim.value}" if claim.negated else claim.value


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= 80 else f"{sentence[:79]}…"


# What becomes of two memories that cannot both be true; where in doubt, a person is asked.


OUTCOMES = SUPERSEDE, STAGE, REVIEW, ASK = "supersede", "stage", "review", "ask"


def outcome(new: Memory, old: Memory, *, sure: float, settings: GateThresholds) -> str:
    """The newcomer supersedes, waits in the inbox, or both stand until a person decides.

    Text from outside never touches what was said here, and nothing but a person's own word
    changes what a person curates: then only the newcomer is marked, and the person asked (ASK).
    """
    gap = new.confidence - old.confidence
    trust = TRUSTS.index(new.trust) - TRUSTS.index(old.trust)
    if new.trust == "external" and trust < 0:
        return STAGE
    if sure < settings.sure:
        return ASK if _protected(new, old) else REVIEW
    if gap <= -settings.confidence_gap and trust <= 0:
        return STAGE
    if _protected(new, old):
        return ASK
    clear = abs(gap) < settings.confidence_gap
    if clear and trust == 0 and new.created < old.created:
        # Said earlier, and only learned later: the newer statement stands.
        return STAGE
    wins = gap >= settings.confidence_gap or clear
    return SUPERSEDE if wins and trust >= 0 else REVIEW


def _protected(new: Memory, old: Memory) -> bool:
    return old.owner != "agent" and new.trust != "user"
