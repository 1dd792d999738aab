"""Read a description of memories: which words it needs, what is meant, and whose it is."""

from __future__ import annotations

import re
from functools import lru_cache

from ..language import scripts, words
from ..language.vocabulary import ENGLISH_MONTHS, STOPWORDS
from ..language.vocabulary import occasions as vocabulary
from ..model.text_cache import remembered
from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..model.memory import Memory

_WORD = re.compile(r"\w+(?:[-.@/]\w+)*(?:['’]s?(?!\w))?", re.UNICODE)
_POSSESSIVE = re.compile(r"(?:['’]s|s['’])$")
_OWNER = re.compile(r"\b([A-Z]\w+)(?:['’]s\b|s['’](?!\w))")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONTHS = frozenset(ENGLISH_MONTHS.split())
SELF = "self"


class SentenceWord(Value):
    """A word of a sentence."""

    text: str
    """As written, without a possessive ending."""
    terms: frozenset[str]
    possessive: bool
    first: bool
    """Whether it begins the sentence."""
    closed: bool
    """Whether a comma or another sign ends the phrase after it."""

    @property
    def low(self) -> str:
        """The word in lower case."""
        return self.text.casefold()

    @property
    def capital(self) -> bool:
        """Whether the word begins with a capital."""
        return self.text[:1].isupper()

    @property
    def telling(self) -> bool:
        """Whether the word says something by itself."""
        return self.low not in STOPWORDS and self.low not in vocabulary.PREPOSITIONS


class Description(Value):
    """A description such as `the Oslo trip in March`, read: its words, owner, time and kind."""

    text: str
    terms: frozenset[str]
    """Every telling word."""
    required: frozenset[str]
    """Words without which a memory is not meant."""
    head: frozenset[str] = frozenset()
    """The noun that the others describe, as in `trip`; empty if a name stands for itself."""
    belonging: frozenset[str] = frozenset()
    """Words that stand for the noun, such as `flight`."""
    names: frozenset[str] = frozenset()
    """Words that are names, and are written with a capital."""
    owner: str = ""
    """The owner of the described thing: the term of a name, `self`, or empty."""
    persons: frozenset[str] = frozenset()
    """Others that own something in the book."""
    role: bool = False
    """Whether a person or pet is named together with a role."""
    plural: bool = False
    months: frozenset[str] = frozenset()
    years: frozenset[str] = frozenset()


@remembered(characters=100_000)
def sentence_words(sentence: str) -> tuple[SentenceWord, ...]:
    """The words of a sentence, with a possessive's ending taken off."""
    found: list[SentenceWord] = []
    for match in _WORD.finditer(sentence):
        possessive = bool(_POSSESSIVE.search(match[0]))
        text = match[0].replace("’", "'")
        text = text.removesuffix("'s").removesuffix("'") if possessive else text
        closed = sentence[match.end() : match.end() + 1] in tuple(",;:.!?)")
        found.append(SentenceWord(text, term_set(text), possessive, not found, closed))
    return tuple(found)


def term_set(text: str) -> frozenset[str]:
    """The terms of a text, irregular plurals as their singular, and no particle between nouns."""
    found = words.terms(text if text.isascii() else scripts.without_particles(text))
    return frozenset(_SINGULARS.get(term, term) for term in found)


_SINGULARS = {
    words.terms(many)[0]: words.terms(one)[0] for many, one in vocabulary.IRREGULAR.items()
}


# Read a description


def label(description: str) -> str:
    """A description in one line, for the text of a proposal."""
    return " ".join(description.split())[:120].rstrip(".")


def read_description(text: str, near: Sequence[Memory] = ()) -> Description:
    """Read a description; `near` are memories with some of its words, which show its names."""
    said = [one for one in sentence_words(text) if one.low not in vocabulary.FRAMES]
    content = [one for one in said if one.telling and one.low not in vocabulary.TITLES]
    content = [one for one in content if one.low not in vocabulary.ARTICLES] or content
    timeless = [one for one in content if not is_time(one)]
    content = [one for one in timeless if one.low not in vocabulary.LIGHT] or timeless or content
    texts = [one.content for one in near]
    names = frozenset(
        term
        for one in content
        if not is_generic(one) and _is_name(one, text, texts)
        for term in one.terms
    )
    heads = _head(said)
    role = any(_parts(one) & vocabulary.ROLES for one in content)
    if any(map(is_generic, content)) and (
        bearers := [one for one in content if not names.isdisjoint(one.terms)]
    ):
        owned = any(one.possessive for one in bearers) and heads is not None
        if not owned or heads in bearers:
            return _named(text, content, bearers, names, role=role, said=said, near=near)
    head = heads.terms if heads is not None and len(content) > 1 else frozenset[str]()
    belonging = vocabulary.OCCASIONS.get(heads.low, frozenset()) if heads else frozenset[str]()
    loose = {"birthday"} if heads and heads.low == "party" else set[str]()
    required = [
        one
        for one in content
        if one is heads or not (one.low in loose or (names and is_generic(one)))
    ]
    return Description(
        text=text,
        terms=all_terms(content),
        required=all_terms(one for one in required if one is not heads or not head),
        head=head,
        belonging=_belonging(belonging) - all_terms(content),
        names=names,
        owner=_owner(said, heads),
        persons=_persons(texts) - all_terms(content),
        plural=bool(heads and heads.low.endswith("s") and not heads.low.endswith("ss")),
        months=months_in(said),
        years=years_in(said),
    )


def is_generic(word: SentenceWord) -> bool:
    """Whether a name may stand without this word: `project`, `landlord`, `ex-girlfriend`."""
    return bool(_parts(word) & (vocabulary.ROLES | vocabulary.NAMED_THINGS))


def _parts(word: SentenceWord) -> frozenset[str]:
    return frozenset(word.low.split("-"))


def _persons(texts: Iterable[str]) -> frozenset[str]:
    """Names that own something in these texts."""
    owners = {name for text in texts for name in _OWNER.findall(text)}
    return frozenset(term for name in owners for term in words.terms(name))


def _named(
    text: str,
    content: Sequence[SentenceWord],
    bearers: Sequence[SentenceWord],
    names: frozenset[str],
    *,
    role: bool,
    said: Sequence[SentenceWord],
    near: Iterable[Memory],
) -> Description:
    """A description that names somebody or something: the name alone is enough."""
    return Description(
        text=text,
        terms=all_terms(content),
        required=all_terms(bearers),
        names=names,
        owner=SELF if any(one.low in vocabulary.OWN for one in said) else "",
        role=role,
        persons=_persons([one.content for one in near]) - all_terms(content),
        months=months_in(said),
        years=years_in(said),
    )


def _head(said: Sequence[SentenceWord]) -> SentenceWord | None:
    """The last telling word before the first preposition."""
    head: SentenceWord | None = None
    for one in said:
        if one.low in vocabulary.PREPOSITIONS and head is not None:
            break
        if one.telling and not is_time(one) and one.low not in vocabulary.LIGHT:
            head = one
    return head


def _owner(said: Sequence[SentenceWord], head: SentenceWord | None) -> str:
    for one in said:
        if one is head:
            break
        if one.possessive:
            return next(iter(one.terms), "")
        if one.low in vocabulary.OWN:
            return SELF
    return ""


def months_in(said: Iterable[SentenceWord]) -> frozenset[str]:
    """The months that are named; `may` and `march` without a capital are verbs."""
    return frozenset(one.low for one in said if one.low in _MONTHS and one.capital)


def years_in(said: Iterable[SentenceWord]) -> frozenset[str]:
    """The years that are named."""
    return frozenset(one.low for one in said if _YEAR.fullmatch(one.low))


def is_time(token: SentenceWord) -> bool:
    """Whether a word says when, not what."""
    return bool(months_in([token]) or years_in([token])) or token.low in ("week", "month", "year")


def _is_name(token: SentenceWord, text: str, near: Sequence[str]) -> bool:
    """Whether a word is a name: with a capital in the description, and in the book."""
    if not token.capital:
        return False
    word = re.escape(token.text)
    if text.lstrip().startswith(token.text) and not token.possessive:
        # Every description may begin with a capital.
        return any(re.search(rf"[a-z,] {word}\b", one) for one in near)
    if any(re.search(rf"\b{word}\b", one) for one in near):
        return True
    return not any(re.search(rf"\b{word.lower()}\b", one) for one in near)


@lru_cache(maxsize=64)
def _belonging(given: frozenset[str]) -> frozenset[str]:
    return frozenset(term for word in given for term in words.terms(word))


def all_terms(found: Iterable[SentenceWord]) -> frozenset[str]:
    """The terms of several words."""
    return frozenset(term for one in found for term in one.terms)
