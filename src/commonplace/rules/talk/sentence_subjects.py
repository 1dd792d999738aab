"""Tell whether a sentence is about another person: who does, has or takes part in what it names.

`Jonas is on a trip to Oslo` and `in May my sister takes a trip to Oslo` are about somebody else's
trip; `Jonas and I are on a trip to Oslo` and `the trip to Oslo with Jonas` are about the user's.
"""

from __future__ import annotations

from ...language.vocabulary import MONTHS, TIME_WORDS
from ...language.vocabulary import occasions as vocabulary
from ..descriptions import SELF, Description, SentenceWord, all_terms, is_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PHRASE = 3
"""How many words may stand between an article or preposition and its noun."""


def is_about_another(asked: Description, part: Sequence[SentenceWord]) -> bool:
    """Whether the subject of a sentence is another person, and the user has no part in it."""
    part = _without_frame(asked, part)
    if len(part) < 2 or _has_user(part):
        return False
    at = _subject_at(asked, part)
    return at is not None and _is_person(asked, part, at)


def _is_person(asked: Description, part: Sequence[SentenceWord], at: int) -> bool:
    """Whether the subject at a place is another person, or does what only persons do."""
    if _is_relative(part, at):
        named = all_terms(part[at : _after_subject(part, at)])
        return not part[at + 1].possessive and named.isdisjoint(asked.terms)
    first = part[at]
    if first.low in vocabulary.THIRD_PERSONS:
        return asked.owner in ("", SELF) and _takes_part(asked, part[at + 1 :], certain=False)
    after = _after_subject(part, at)
    subject = part[at:after]
    known = _is_known(asked, first) or not all_terms(subject).isdisjoint(asked.terms)
    if known or not (first.capital and first.telling):
        return False
    certain = at > 0 or len(subject) > 1 or bool(first.terms & asked.persons)
    return subject[-1].possessive or _is_doing(asked, part[after:], certain=certain)


def has_owner_behind(asked: Description, part: Sequence[SentenceWord], at: int) -> bool:
    """Whether another owner stands behind a noun: `the Oslo trip of Jonas`, `of my sister`."""
    places = range(at + 1, min(len(part) - 1, at + 2 + PHRASE))
    of = next((place for place in places if part[place].low in ("of", "von")), None)
    if of is None or any(one.closed for one in part[at:of]):
        return False
    if _is_relative(part, of + 1):
        return not part[of + 2].terms & asked.terms
    owner = part[of + 1]
    return bool(owner.terms & asked.persons) and owner.capital and not owner.possessive


def _without_frame(asked: Description, part: Sequence[SentenceWord]) -> Sequence[SentenceWord]:
    """A sentence without the words that only say who knows it: `I heard that …`."""
    if len(part) > 2 and part[0].low in ("i", "we") and part[1].low in vocabulary.KNOWING:
        part = part[2:]
    for at, one in enumerate(part):
        if not one.terms.isdisjoint(asked.terms):
            break
        if one.low == "that" and not (at and part[at - 1].closed):
            return part[at + 1 :]
    return part


def _has_user(part: Sequence[SentenceWord]) -> bool:
    """Whether the sentence speaks of the user, unlike in `my sister`."""
    return any(
        one.low in vocabulary.OWN and not _is_relative(part, at) for at, one in enumerate(part)
    )


def _is_relative(part: Sequence[SentenceWord], at: int) -> bool:
    """Whether `my sister` stands at a place."""
    own = at + 1 < len(part) and part[at].low in vocabulary.OWN
    return own and part[at + 1].low in vocabulary.RELATIVES


def _is_known(asked: Description, one: SentenceWord) -> bool:
    """Whether a word belongs to the thing that was asked for, or names a time."""
    time = one.low in TIME_WORDS or one.low in MONTHS or is_time(one)
    return time or not one.terms.isdisjoint(asked.belonging)


def _subject_at(asked: Description, part: Sequence[SentenceWord]) -> int | None:
    """Where the subject begins, behind a time or place; None if no person can be the subject."""
    if not _is_lead(part[0]):
        return 0
    for at, one in enumerate(part[1:], 1):
        if not one.terms.isdisjoint(asked.head | asked.belonging):
            if not _is_indefinite(part, at):
                return None
            continue
        before = part[at - 1].low
        inside = before in vocabulary.PREPOSITIONS or before in vocabulary.DETERMINERS
        named = one.capital and one.telling and not inside and not _is_known(asked, one)
        if _is_relative(part, at) or (named and one.terms.isdisjoint(asked.terms)):
            return at
        if one.low in vocabulary.THIRD_PERSONS:
            return at
        if one.low in vocabulary.PERSONS_VERBS and not one.low.endswith("t"):
            return None
    return None


def _is_lead(one: SentenceWord) -> bool:
    """Whether a sentence that begins with the word may name a time or place before its subject."""
    time = one.low in TIME_WORDS or one.low in vocabulary.ANOTHER or one.low in vocabulary.LIGHT
    return time or one.low in vocabulary.PREPOSITIONS or one.low in vocabulary.LEADS


def _after_subject(part: Sequence[SentenceWord], at: int) -> int:
    """The place of the verb behind a subject of one or more names."""
    begun = at
    while at < len(part) - 1:
        one, then = part[at], part[at + 1]
        name = one.capital and (one.telling or one.low in vocabulary.TITLES)
        joined = one.low in ("and", "und")
        joins = joined and (then.capital or _is_relative(part, at + 1))
        if _is_relative(part, at):
            at += 1
        elif joined and then.low in vocabulary.OTHERS:
            at += 2  # `Jonas and his wife`
        elif at > begun and not name and not joins:
            break
        at += 1
        if part[at - 1].possessive:
            break
    end = at
    while end < len(part) - 1 and (part[end].low in vocabulary.LEADS or part[end].low[-2:] == "ly"):
        end += 1
    return min(end, len(part) - 1)


def _is_doing(asked: Description, rest: Sequence[SentenceWord], *, certain: bool) -> bool:
    """Whether what follows a name is what a person does, or takes part in."""
    verb = rest[0].low
    if verb in vocabulary.PERSONS_VERBS and verb not in vocabulary.THINGS_VERBS:
        return True
    if verb in vocabulary.PERSONS_VERBS and asked.owner == SELF:
        return True
    likely = certain and verb.endswith(("s", "ed"))
    if verb not in vocabulary.THINGS_VERBS and not likely:
        return False
    plans = len(rest) > 1 and rest[1].low.endswith("ing")
    return plans or _takes_part(asked, rest, certain=certain)


def _takes_part(asked: Description, rest: Sequence[SentenceWord], *, certain: bool) -> bool:
    """Whether a predicate says `is on a trip`, `takes a trip`, unlike `is the guide of the trip`.

    A thing may be `a trip` itself: `the plan is a trip to Oslo`.
    """
    for at, one in enumerate(rest[1:], 1):
        if one.terms.isdisjoint(asked.head) or not asked.head:
            continue
        being = rest[0].low in vocabulary.BEING
        if _is_indefinite(rest, at):
            beside = any(_is_preposition(word) for word in rest[1:at])
            return certain or not being or beside
        return being and rest[1].low in ("on", "auf") and _phrase_before(rest, at) == 1
    return False


def _is_preposition(one: SentenceWord) -> bool:
    return one.low in vocabulary.PREPOSITIONS or one.low in ("auf", "im")


def _phrase_before(part: Sequence[SentenceWord], at: int) -> int:
    """Where the article or preposition stands that begins the phrase of a noun."""
    for place in range(at - 1, max(0, at - PHRASE - 2), -1):
        one = part[place]
        if _is_preposition(one):
            return place
        if one.low in vocabulary.DETERMINERS:
            return place - 1 if _is_preposition(part[place - 1]) else place
        if not one.telling:
            break
    return at


def _is_indefinite(part: Sequence[SentenceWord], at: int) -> bool:
    """Whether a noun is one of several, as in `a trip`, or has no article after a preposition."""
    for one in reversed(part[max(0, at - PHRASE) : at]):
        if one.low in vocabulary.INDEFINITE or one.low in ("on", "for", "auf"):
            return True
        if one.possessive or not one.telling:
            return False
    return False
