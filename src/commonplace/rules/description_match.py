"""Decide which memories a description means: all that say its telling words of the same thing.

`the Oslo trip` means a note with both words, or with Oslo and a word that belongs to trips, unless
the note speaks of another person's trip, of another trip, or uses a name for something else. A
memory in doubt is not meant: a near miss that is forgotten is worse than one that is left.
"""

from __future__ import annotations

from ..language import statements, words
from ..language.vocabulary import TIME_WORDS
from ..language.vocabulary import occasions as vocabulary
from ..language.vocabulary.statements import COUNTERPARTS, OPPOSITES
from ..model.identity import normalized
from ..model.memory import SUMMARIES
from ..model.value import Value
from ..notes.display import searchable_text
from . import longer_names
from .descriptions import (
    SELF,
    Description,
    SentenceWord,
    all_terms,
    is_time,
    months_in,
    sentence_words,
    term_set,
    years_in,
)
from .ranking.questions import role_of
from .talk.sentence_subjects import has_owner_behind, is_about_another

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..model.memory import Memory

WINDOW = 1
"""Sentences before and after one that count as its context."""
FAMILY = 6
"""Least length of stems of one family, which differ in their last letter."""
BEFORE, AFTER = 4, 3
"""How many words around a noun are looked at for what modifies it."""
ANOTHER_PERSON = "it is another person's"
ANOTHER_ONE = "it is another one"
ANOTHER_SENSE = "it uses the word in another sense"
LONGER_NAME = "its name is part of a longer one"
ANOTHER_TIME = "it is of another time"
NOT_ALL_WORDS = "it has not all of the words"
SAME_KIND = "it may be another of the same kind"
OTHER_THINGS = "it is mostly about other things"
"""Why a near memory stays: each a clause, as every door shows it after `stays`."""
SEVERAL, MINORITY = 4, 3
"""A note of SEVERAL statements is about other things if 1 in MINORITY or fewer name the thing."""
_ARTICLES = frozenset(("the", "our", "my", "an", "a", "der", "die", "das"))


class Verdict(Value):
    """Whether a memory is meant, and why not."""

    meant: bool
    why: str = ""
    near: bool = False
    """Whether it has enough of the words to be shown as a near miss."""


def judge(asked: Description, memory: Memory) -> Verdict:
    """Whether a description means a memory."""
    verdict = _judge_text(asked, memory)
    others = _said_by_other(asked, memory) or _keyed_by_other(asked, memory)
    return Verdict(False, ANOTHER_PERSON, near=True) if verdict.meant and others else verdict


def tells_of_it(asked: Description, told: str) -> bool:
    """Whether one statement or clause of a memory that is meant tells of the thing itself."""
    if _repeats(asked, told):
        return True
    part = sentence_words(told)
    present = all_terms(part)
    if not asked.head or asked.required <= present:
        return _judge_window(asked, frozenset(), [part], part).meant
    bare = not present.isdisjoint(asked.head | asked.belonging)
    return bare and not asked.required & present and _judge_nouns(asked, [part], part).meant


def _repeats(asked: Description, text: str) -> bool:
    """Whether a description has the words of a text: `forget that the shop opens at nine`."""
    return normalized(text) == normalized(asked.text)


def is_filed_as(asked: Description, memory: Memory) -> bool:
    """Whether the words by which a memory is filed name the thing, so that all of it is meant."""
    return any(asked.required | asked.head <= term_set(one) for one in _labels(memory))


def _said_by_other(asked: Description, memory: Memory) -> bool:
    """Whether `my` in a turn is that of a named speaker."""
    if asked.owner != SELF:
        return False
    speaker = memory.speaker
    known = speaker is None or role_of(speaker) is not None
    return not known and asked.terms.isdisjoint(words.terms(speaker or ""))


def _keyed_by_other(asked: Description, memory: Memory) -> bool:
    """Whether a fact is filed under another person: `jonas.oslo_trip.hotel`."""
    filed = term_set(f"{memory.namespace or ''} {memory.key or ''}")
    return not asked.persons.isdisjoint(filed)


def _judge_text(asked: Description, memory: Memory) -> Verdict:
    named = _labels(memory)
    labels = term_set(" ".join(named))
    if is_filed_as(asked, memory):
        why = _other_time(asked, (), labels)
        return Verdict(not why, why, near=bool(why))
    told = statements.split(searchable_text(memory))
    sentences = [sentence_words(one.text) for one in told]
    repeated = any(_repeats(asked, one.text) for one in told)
    verdicts = [
        _judge_window(asked, labels, sentences[max(0, at - WINDOW) : at + WINDOW + 1], one)
        for at, one in enumerate(sentences or [()])
    ]
    if not repeated and not any(one.meant for one in verdicts):
        return next((one for one in verdicts if one.near), verdicts[0])
    spoken = [one for one in sentences if not asked.terms.isdisjoint(all_terms(one))]
    # The summary of a session is about many things, and holds each of them.
    several = len(sentences) >= SEVERAL and memory.kind not in SUMMARIES
    if several and MINORITY * len(spoken) <= len(sentences):
        return Verdict(False, OTHER_THINGS, near=True)
    return Verdict(True)


def _labels(memory: Memory) -> list[str]:
    """The words by which a memory is filed."""
    fact = f"{memory.namespace or ''} {memory.key or ''}"
    parts = (memory.title, *memory.aliases, *memory.tags, memory.topic or "", fact)
    return [part for part in parts if part.strip()]


def _judge_window(
    asked: Description,
    labels: frozenset[str],
    window: Sequence[Sequence[SentenceWord]],
    sentence: Sequence[SentenceWord],
) -> Verdict:
    near = [one for part in window for one in part]
    present = all_terms(near) | labels
    if asked.required - present:
        return _lacking(asked, present)
    if why := _unlike_name(asked, labels, near) or _other_time(asked, near, labels):
        return Verdict(False, why, near=True)
    if why := ANOTHER_ONE if _goes_other_way(asked, near) else _unlike_places(asked, window):
        return Verdict(False, why, near=True)
    if not asked.head:
        return Verdict(True) if not asked.role or _is_person(asked, labels, near) else _SENSE
    if not any(_is_head(asked, one) for one in near) and not asked.head <= labels:
        # A word that only belongs to the noun counts beside the words that tell it from others.
        present = all_terms(sentence) | labels
        if asked.required - present or asked.belonging.isdisjoint(present):
            return Verdict(False, NOT_ALL_WORDS, near=True)
        window = [sentence]
    return _judge_nouns(asked, window, sentence)


def _lacking(asked: Description, present: frozenset[str]) -> Verdict:
    """The verdict on a memory that lacks a word; it is near if only one is lacking."""
    near = len(asked.terms - present) <= 1
    if asked.required & present:
        return Verdict(False, NOT_ALL_WORDS, near=near)
    return Verdict(False, SAME_KIND, near=near and bool(asked.head) and asked.head <= present)


_SENSE = Verdict(False, ANOTHER_SENSE, near=True)


def _judge_nouns(
    asked: Description, window: Sequence[Sequence[SentenceWord]], sentence: Sequence[SentenceWord]
) -> Verdict:
    """Whether one of the nouns, or a word that belongs to it, is the thing that was asked for."""
    why = ""
    for part in window:
        for at, one in enumerate(part):
            is_head = _is_head(asked, one)
            if not is_head and asked.belonging.isdisjoint(one.terms):
                continue
            if not is_head and any(_is_head(asked, other) for other in part):
                continue
            unlike = _unlike_noun(asked, part, at, is_head=is_head)
            if not unlike:
                return Verdict(True)
            why = why or unlike
    if not why:  # A label says the noun, and the text the rest.
        owner = sentence[:1] if sentence and sentence[0].possessive else ()
        why = _other_owner(asked, owner, sentence) or _other_subject(asked, sentence)
        return Verdict(not why, why, near=bool(why))
    return Verdict(False, why, near=True)


def _unlike_places(asked: Description, window: Sequence[Sequence[SentenceWord]]) -> str:
    """Why every place that says the noun says another one; empty if one of them may be it."""
    noun = asked.head or asked.required
    whys = [
        _unlike_place(asked, part, at)
        for part in window
        for at, one in enumerate(part)
        if not noun.isdisjoint(one.terms)
    ]
    return whys[0] if whys and all(whys) else ""


def _unlike_place(asked: Description, part: Sequence[SentenceWord], at: int) -> str:
    """Whether a noun is described by an opposite, or is another person's: `Grandpa's knee`."""
    before = _modifiers_before(part, at)
    said = {one.low for one in sentence_words(asked.text)}
    if any(_is_opposite(one.low, other) for one in before for other in said):
        return ANOTHER_ONE
    if asked.head or asked.names:  # Owners beside other words are looked at with these.
        return ""
    behind = ANOTHER_PERSON if has_owner_behind(asked, part, at) else ""
    return _other_owner(asked, before, part) or behind


def _is_opposite(one: str, other: str) -> bool:
    pair = frozenset((one, other))
    return pair in OPPOSITES or pair in COUNTERPARTS


def _is_head(asked: Description, one: SentenceWord) -> bool:
    """Whether a word is the noun of the description, or of its family: `allergy`, `allergic`."""
    return asked.head <= one.terms or any(
        len(term) >= FAMILY and abs(len(term) - len(head)) == 1 and _begins(term, head)
        for head in asked.head
        for term in one.terms
    )


def _begins(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _unlike_noun(
    asked: Description, part: Sequence[SentenceWord], at: int, *, is_head: bool
) -> str:
    """Why a noun in a sentence is not the one that was asked for; empty if it is."""
    before = _modifiers_before(part, at)
    behind = ANOTHER_PERSON if has_owner_behind(asked, part, at) else ""
    if why := _other_owner(asked, before, part) or behind or _other_subject(asked, part):
        return why
    if not is_head:
        return ANOTHER_ONE if _describes_another(asked, part) else ""
    around = [*before, *_modifiers_after(part, at)]
    years = years_in(around)
    if asked.years and years and not years & asked.years:
        return ANOTHER_TIME
    another = any(one.low in vocabulary.ANOTHER and not one.terms <= asked.terms for one in before)
    if another and not asked.plural:
        return ANOTHER_ONE
    modifiers = asked.terms - asked.head
    described = any(not modifiers.isdisjoint(one.terms) for one in around)
    if described or _is_named_before(asked, part, at):
        return ""
    return _unlike_bare_noun(asked, part, at, around)


def _is_named_before(asked: Description, part: Sequence[SentenceWord], at: int) -> bool:
    """Whether the name that was asked for stands before the article: `Mango the parrot`."""
    if at < 2 or part[at - 1].low not in _ARTICLES or part[at - 2].terms.isdisjoint(asked.names):
        return False
    return at == 2 or part[at - 3].low not in vocabulary.PREPOSITIONS  # `From Oslo the trip goes`


def _unlike_bare_noun(
    asked: Description,
    part: Sequence[SentenceWord],
    at: int,
    around: Sequence[SentenceWord],
) -> str:
    """The same for a noun without any of the words that describe it."""
    strange = any(_tells_apart(one, asked) for one in around)
    modifies = _is_modifier(asked, part, at) and not _is_verb_after(part, at)
    if strange or modifies or _describes_another(asked, part):
        return ANOTHER_ONE
    return _others_things(asked, part)


def _is_verb_after(part: Sequence[SentenceWord], at: int) -> bool:
    """Whether a verb follows a noun, as in `the trip begins at seven`, unlike `contract tests`."""
    after, then = part[at + 1], part[at + 2 : at + 3]
    goes_on = any(one.telling and not one.low[0].isdigit() for one in then)
    return after.low.endswith("s") and not goes_on


def _others_things(asked: Description, part: Sequence[SentenceWord]) -> str:
    """Whether the telling words speak of what is another person's: `our neighbours' cellar`."""
    owners = (
        _other_owner(asked, _modifiers_before(part, at), part)
        for at, one in enumerate(part)
        if not asked.required.isdisjoint(one.terms) and not one.possessive
    )
    return next(filter(None, owners), "")


def _describes_another(asked: Description, part: Sequence[SentenceWord]) -> bool:
    """Whether the telling words describe another noun: `the Oslo office`."""
    return any(
        not asked.required.isdisjoint(one.terms) and _is_modifier(asked, part, at)
        for at, one in enumerate(part)
    )


def _is_modifier(asked: Description, part: Sequence[SentenceWord], at: int) -> bool:
    """Whether a word between an article and a strange noun only describes that noun."""
    one = part[at]
    if not at or part[at - 1].low not in _ARTICLES or at + 1 == len(part):
        return False
    after = part[at + 1]
    known = not asked.belonging.isdisjoint(after.terms)
    verb = after.low in vocabulary.PERSONS_VERBS or after.low.endswith("ed")
    strange = _tells_apart(after, asked) and not known and not verb
    return strange and not (one.possessive or one.closed)


def _tells_apart(one: SentenceWord, asked: Description) -> bool:
    light = one.low in vocabulary.LIGHT or one.low in vocabulary.OWN or one.possessive
    known = not asked.terms.isdisjoint(one.terms)
    return (
        one.telling and not light and not known and not one.low[:1].isdigit() and not is_time(one)
    )


def _modifiers_before(part: Sequence[SentenceWord], at: int) -> list[SentenceWord]:
    """The words of the noun phrase that end at a noun; a possessive word ends it."""
    found: list[SentenceWord] = []
    for one in reversed(part[max(0, at - BEFORE) : at]):
        if one.possessive or one.low in vocabulary.OTHERS or one.low in vocabulary.OWN:
            return [one, *found]
        if not one.telling and one.low not in vocabulary.ANOTHER:
            break
        if one.low in vocabulary.PERSONS_VERBS:
            break
        found.insert(0, one)
    return found


def _modifiers_after(part: Sequence[SentenceWord], at: int) -> list[SentenceWord]:
    """The first telling word after a preposition behind a noun: `trip to Oslo`."""
    behind = part[at + 1 : at + 2 + AFTER]
    if not behind or behind[0].low not in vocabulary.PREPOSITIONS:
        return []
    found: list[SentenceWord] = []
    for one in behind[1:]:
        if one.telling or one.low in vocabulary.OTHERS:
            found.append(one)
        elif found:
            break
    return found


def _other_owner(
    asked: Description, before: Sequence[SentenceWord], part: Sequence[SentenceWord]
) -> str:
    owner = before[0] if before else None
    if owner is None:
        return ""
    if owner.low in vocabulary.OWN and not owner.possessive:
        return ANOTHER_PERSON if asked.owner not in ("", SELF) else ""
    if owner.low in vocabulary.OTHERS:
        named = asked.owner not in ("", SELF) and any(asked.owner in one.terms for one in part)
        return "" if named else ANOTHER_PERSON
    if not owner.possessive or owner.low in TIME_WORDS:
        return ""
    return "" if owner.terms & asked.terms else ANOTHER_PERSON


def _other_subject(asked: Description, part: Sequence[SentenceWord]) -> str:
    """Whether a sentence tells what another person does or has."""
    return ANOTHER_PERSON if is_about_another(asked, part) else ""


def _unlike_name(asked: Description, labels: frozenset[str], near: Sequence[SentenceWord]) -> str:
    """Why a name is written here as a common word, or is part of a longer name."""
    for word in asked.required - labels:
        bearers = [at for at, one in enumerate(near) if word in one.terms]
        if word in asked.names and not any(near[at].capital for at in bearers):
            return ANOTHER_SENSE
        if not asked.head and all(_in_longer_name(asked, word, near, at) for at in bearers):
            return LONGER_NAME
    return ""


def _goes_other_way(asked: Description, near: Sequence[SentenceWord]) -> bool:
    """Whether a text tells of the way back: `the ferry from Dol`, asked for that to Dol."""
    said = sentence_words(asked.text)
    ways = {term: _way(said, at) for at, one in enumerate(said) for term in one.terms}
    told = [
        (_way(near, at), ways[term])
        for at, one in enumerate(near)
        for term in one.terms & asked.terms
        if ways.get(term)
    ]
    return bool(told) and all(way and way != wanted for way, wanted in told)


def _way(part: Sequence[SentenceWord], at: int) -> str:
    """`to` or `from`, if the words before a place say so."""
    before = at - 1
    while before > 0 and part[before].low in vocabulary.ARTICLES - vocabulary.TO:
        before -= 1
    # `A` is an article, too, where no noun stands before it.
    if before < 1 or not part[before - 1].telling or part[before - 1].closed:
        return ""
    low = part[before].low
    return "to" if low in vocabulary.TO else "from" if low in vocabulary.FROM else ""


def _in_longer_name(asked: Description, word: str, near: Sequence[SentenceWord], at: int) -> bool:
    if longer_names.goes_on(asked.terms, near, at):
        return True
    if longer_names.is_hyphenated(asked.terms, near[at]):
        return True
    return word in asked.names and longer_names.begins_before(asked.terms, near, at)


def _is_person(asked: Description, labels: frozenset[str], near: Sequence[SentenceWord]) -> bool:
    """Whether a name is used for somebody, unlike in `the Weber grill`."""
    if asked.names <= labels:
        return True
    for at, one in enumerate(near):
        if asked.names & one.terms and (at == 0 or near[at - 1].low not in ("the", "a", "an")):
            return True
    return False


def _other_time(asked: Description, near: Sequence[SentenceWord], labels: Collection[str]) -> str:
    """Whether a memory speaks of other months or years than the description."""
    if asked.years and not asked.years & (years_in(near) | set(labels)):
        return ANOTHER_TIME
    months = months_in(near)
    other = months and not months & asked.months
    unsaid = not months and not asked.terms - asked.head
    return ANOTHER_TIME if asked.months and (other or unsaid) else ""
