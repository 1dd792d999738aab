"""Read a user's wish to forget a matter that they name: `scrap the dentist thing`.

Each kind of script has a wording, which says how its languages put such a wish; all are read alike.
Talk of the work uses the same words, so that a wish counts only where a clause begins with it, in
the user's own words, and never for the things that one works on: `forget about the cache`.
"""

from __future__ import annotations

from ...model.lazy_pattern import lazy
from ...model.quick_decorators import lru_cache
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from ...language.vocabulary.wish_wording import WishWording

_QUOTES = tuple("'\"`‘’‚“”„«»‹›「『")
_PAIRS = ("“”", "«»", "„“", "()", "「」", "『』", "（）", "《》")
FIRST_WORDS = 2
"""Telling words of a memory that say what it is about."""
FIRST_SIGNS = 6
"""The same where no spaces stand between words."""


class ForgetWish(Value):
    """A user's wish to forget a matter."""

    about: str
    """The matter, in the user's words."""
    of_speech: bool = False
    """Whether the user's own words are to go, and not what else is known of the matter."""
    everything: bool = False
    """Whether the user asks for all of it."""
    loose: bool = False
    """Whether the wish only lets the matter go: `forget about the shop`."""
    stated: bool = False
    """Whether the matter is a whole sentence: `forget that the shop opens at nine`."""
    rest: str = ""
    """The rest of the user's turn, after the clause of the wish and its reason are cut out."""


def named_wish(text: str, *, of_speech: bool = False) -> ForgetWish | None:
    """The wish to forget a named matter that a turn has; `of_speech` looks for no other kind."""
    low = " ".join(text.lower().replace("’", "'").split())
    for wording in _wordings(text):
        kinds = (wording.said,)
        if not of_speech:
            kinds += (wording.noted, wording.named, wording.stated, wording.let_go)
        plain = f" {low.translate(wording.signs)} "
        phrases = [
            (kind, line)
            for kind in kinds
            for pieces, line in kind
            if any(map(plain.__contains__, pieces.split("|")))
        ]
        if phrases and (wish := _first_wish(text, phrases, wording)):
            return wish
    return None


def _wordings(text: str) -> list[WishWording]:
    """How the languages put a wish in whose scripts a text is written."""
    from ...language.vocabulary.forget_wishes import WESTERN

    if not _is_eastern(text):
        return [WESTERN]
    from ...language.vocabulary.eastern_forget_wishes import EASTERN

    return [WESTERN, EASTERN]


def _first_wish(
    text: str,
    phrases: Sequence[tuple[tuple[tuple[str, str], ...], str]],
    wording: WishWording,
) -> ForgetWish | None:
    """The first wish in the user's own words that has one of these phrases, each with its kind."""
    from ...language.statements import sentences
    from .lessons import own_words

    every = [" ".join(one.replace("’", "'").split()) for one in sentences(own_words(text))]
    for at, sentence in enumerate(every):
        for kind, line in phrases:
            pattern = _pattern(line, wording.start, wording.matter, wording.end)
            for found in pattern.finditer(sentence.translate(wording.signs)):
                if wish := _wish(sentence, found, kind, wording):
                    after = _without_reason(sentence[found.end() :], wording)
                    left = f"{sentence[: found.start()]} {after}"
                    others = (*every[:at], left.strip(), *every[at + 1 :])
                    return wish.but(rest="\n".join(filter(None, others)))
    return None


def _without_reason(after: str, wording: WishWording) -> str:
    """Return the text after a wish; empty if it only says why: `because he retired`."""
    if lazy(f"(?i){wording.reason}").match(after):
        return ""
    return lazy(r"(?i)^[\W_]+(?:(?:and|but|aber|mais|pero|ma|mas|maar)\b[\W_]*)?").sub("", after)


def _wish(
    sentence: str,
    found: re.Match[str],
    kind: tuple[tuple[str, str], ...],
    wording: WishWording,
) -> ForgetWish | None:
    plain, (start, stop) = found.string, found.span("about")
    before, after = plain[: found.start("wish")], plain[found.end() :]
    about = lazy(f"(?i){wording.trailing}$").sub("", sentence[start:stop].strip())
    reported = _is_reported(before, wording) or not _is_asked(before, wording)
    unmeant = lazy(f"(?i){wording.unmeant}").search(found["wish"] + after)
    if reported or unmeant or not _is_matter(about, wording):
        return None
    named, let_go = kind is wording.named, kind is wording.let_go
    stated = kind is wording.stated
    if stated and lazy(f"(?i){wording.reproaches}").search(before):
        return None
    if (named or let_go or stated) and lazy(f"(?i){wording.for_now}").search(plain):
        return None
    if (let_go or (named and wording.named_loosely)) and _is_of_work(about, wording):
        return None
    if let_go and lazy(f"(?i){wording.works_on}").match(after):
        return None
    around = f"{plain[found.start('wish') : start]} {plain[stop : found.end('wish')]}"
    everything = _has_word(around, wording.everything, wording)
    return ForgetWish(about, kind is wording.said, everything, let_go, stated)


def _is_matter(about: str, wording: WishWording) -> bool:
    plain = about.casefold().translate(wording.signs)
    if wording.spaced:
        begins = _has_word(plain.split(" ")[0], wording.no_matter, wording)
    else:
        begins = plain.startswith(tuple(wording.no_matter))
    if begins or plain in wording.pointing:
        return False
    return bool(matter_terms(about))


def matter_terms(matter: str) -> frozenset[str]:
    """The words that tell a matter from others.

    Of Chinese and Japanese these are pairs of signs, without the particle between two nouns. A
    single sign, which most texts have somewhere, counts only if the matter has no more.
    """
    from ...language.vocabulary.occasions import ARTICLES
    from ...language.words import telling_terms

    first, _, rest = matter.partition(" ")
    matter = rest if rest and first.lower() in ARTICLES else matter
    if matter.isascii():
        return telling_terms(matter)
    from ...language.scripts import without_particles

    found = telling_terms(without_particles(matter, " "))
    longer = frozenset(one for one in found if len(one) > 1 or one.isascii())
    return longer or found


def is_first_of(matter: str, text: str) -> bool:
    """Whether a text is about a matter in the first place: its first telling words name it.

    `Piet runs the shop` is about Piet, and only speaks of the shop.
    """
    from ...language.words import telling_terms

    first: set[str] = set()
    for word in text.split():
        first |= telling_terms(word[:FIRST_SIGNS] if _is_eastern(word) else word)
        if len(first) >= FIRST_WORDS:
            break
    return not matter_terms(matter).isdisjoint(first)


def _is_eastern(text: str) -> bool:
    """Whether a text has Chinese or Japanese signs, which stand without spaces."""
    return not text.isascii() and any("\u3040" <= sign <= "\u9fff" for sign in text)


def is_asked(said: str, start: int) -> bool:
    """Whether a wish at this place of a text stands where its clause begins."""
    return any(_is_asked(said[:start], one) for one in _wordings(said))


def _is_asked(before: str, wording: WishWording) -> bool:
    """Whether a wish stands where its clause begins, after nothing but words that ask for it.

    `Please don't`, `Did you` and `It would be wrong to` before it make it none.
    """
    if before.rstrip()[-1:] in _QUOTES or lazy(f"(?i){wording.negated}").search(before):
        return False
    clause = lazy(wording.clauses).split(before)[-1]
    leads = rf"(?:{wording.leads}\W*)*"
    return bool(lazy(rf"(?i)\W*{leads}(?:{wording.asks}\W*)?{leads}").fullmatch(clause))


def _is_reported(before: str, wording: WishWording) -> bool:
    """Whether what stands before a wish in its sentence makes it another's, or a quotation."""
    if lazy(f"(?i){wording.reports}").search(before):
        return True
    return before.count('"') % 2 == 1 or any(
        before.count(opens) > before.count(closes) for opens, closes in _PAIRS
    )


def _is_of_work(about: str, wording: WishWording) -> bool:
    from ...language.vocabulary.forget_wishes import WESTERN

    if any(_has_word(about, one.of_the_work, one) for one in (WESTERN, wording)):
        return True
    return bool(lazy(r"[`_/{}=]|\.\w|\(\)").search(about))


def _has_word(text: str, listed: frozenset[str], wording: WishWording) -> bool:
    plain = text.casefold().translate(wording.signs)
    if not wording.spaced:
        return any(map(plain.__contains__, listed))
    return not listed.isdisjoint(word.strip("'\"`(),") for word in plain.split())


@lru_cache(maxsize=200)
def _pattern(phrase: str, start: str, matter: str, end: str) -> re.Pattern[str]:
    """A phrase as a pattern that begins with a clause; a comma may stand after any word."""
    import re

    shape = re.sub(r"\((?!\?)", "(?:", phrase)
    shape = re.sub(r"\[([^\[\]]*)\] ", r"(?:(?:\1),? )?", shape)
    shape = re.sub(r" \[([^\[\]]*)\](?=$|[|)])", r"(?:,? (?:\1))?", shape)
    shape = re.sub(r"\[([^\[\]]*)\]", r"(?:\1)?", shape)
    shape = re.sub(r"(?<!,\?) (?!X)", ",? ", shape).replace("X", matter)
    return re.compile(f"(?i){start}(?P<wish>{shape}){end}")
