"""Tell a name from a longer one that holds it: `Olaf's Brewery` and `the Rust Belt` are neither
Olaf nor Rust."""

from __future__ import annotations

from ..language import statements, words
from ..language.vocabulary import TIME_WORDS
from ..language.vocabulary import occasions as vocabulary
from .descriptions import SentenceWord, is_time, sentence_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def goes_on(terms: frozenset[str], part: Sequence[SentenceWord], at: int) -> bool:
    """Whether the name at a place goes on behind it: `Falcon Heavy`, `Olaf's Brewery`."""
    one, after = part[at], part[at + 1] if at + 1 < len(part) else None
    if after is None or after.first or one.closed or not (one.capital and after.capital):
        return False
    # `Falcon's API` is a thing that Falcon has.
    owned = one.possessive and after.text.isupper()
    known = owned or after.terms & terms or after.low in vocabulary.TITLES
    return not known and not _is_generic(one) and not _is_calendar(after)


def is_hyphenated(terms: frozenset[str], one: SentenceWord) -> bool:
    """Whether the name is a part of a longer one with a hyphen: `Saint-Martin`."""
    parts = [part for part in sentence_words(one.text.replace("-", " ")) if part.capital]
    strange = [part for part in parts if not part.terms & terms and not _is_generic(part)]
    return len(parts) > 1 and bool(strange)


def begins_before(terms: frozenset[str], part: Sequence[SentenceWord], at: int) -> bool:
    """Whether the name at a place begins before it: `Mad Max`, `Max Weber wrote`."""
    before = part[at - 1] if at else None
    if before is None or not _may_be_first_name(terms, before):
        return False
    verb = part[at + 1].low if at + 1 < len(part) else ""
    says = verb in vocabulary.PERSONS_VERBS or verb.endswith(("s", "ed"))
    return not before.first or says


def without_longer_names(terms: frozenset[str], text: str) -> frozenset[str]:
    """The terms that a text says, without those that it only says in names of other things.

    A person's full name is no other thing: who asks not to keep anything of Olaf may mean him.
    """
    said = terms & words.telling_terms(text)
    if not said:
        return said
    parts = [sentence_words(one.text) for one in statements.split(text)]
    bearers = [
        (one.terms & said, _names_a_thing(terms, part, at))
        for part in parts
        for at, one in enumerate(part)
    ]
    apart = frozenset(term for held, elsewhere in bearers if not elsewhere for term in held)
    within = frozenset(term for held, elsewhere in bearers if elsewhere for term in held)
    return said - (within - apart)


def _names_a_thing(terms: frozenset[str], part: Sequence[SentenceWord], at: int) -> bool:
    """Whether a name goes on as no person's does: `Olafs Brewery`, `Rust Belt tour`."""
    if is_hyphenated(terms, part[at]):
        return True
    if not goes_on(terms, part, at):
        return False
    one, then = part[at], part[at + 2] if at + 2 < len(part) else None
    genitive = one.possessive or (one.low.endswith("s") and one.low not in terms)
    if genitive or then is None or part[at + 1].closed:
        return genitive
    verb = then.low in vocabulary.PERSONS_VERBS or then.low.endswith(("s", "ed"))
    return then.telling and not then.capital and not verb


def _may_be_first_name(terms: frozenset[str], before: SentenceWord) -> bool:
    known = before.terms & terms or _is_generic(before) or _is_calendar(before)
    known = known or before.low in vocabulary.ARTICLES
    return before.capital and before.telling and not (known or before.possessive or before.closed)


def _is_generic(one: SentenceWord) -> bool:
    return one.low in vocabulary.TITLES | vocabulary.ROLES | vocabulary.NAMED_THINGS


def _is_calendar(one: SentenceWord) -> bool:
    return one.low in TIME_WORDS or is_time(one)
