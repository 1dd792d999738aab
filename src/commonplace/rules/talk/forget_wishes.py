"""Read a user's wish to forget a matter that they name: `scrap the dentist thing`.

Talk of the work uses the same words, so that a wish counts only where a clause begins with it, in
the user's own words, and never for the things that one works on: `forget about the cache`.
"""

from __future__ import annotations

from ...language.vocabulary import forget_wishes as vocabulary
from ...language.vocabulary.off_record import GOES_ON
from ...model.lazy_pattern import lazy
from ...model.quick_decorators import lru_cache
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_MATTER = r"(?P<about>(?:[^.,;:!?\n]|(?<=\b[dm]r)\.|[.:](?=\w)){2,80}?)"
_END = (
    rf"(?<!\b[dm]r)(?=(?:{vocabulary.TRAILING})?(?:\s*(?:$|[\n.,;:!?)…—–]|- )"
    rf"|{GOES_ON.removeprefix('(?i)')}))"
)


_CLAUSES = r"[,;.!?:–—…(\n]\s*|\s-\s|\b(?:and|so|but|then|und|aber|et|mais|y|pero|e|ma|mas|en)\s"
_QUOTES = tuple("'\"`‘’‚“”„«»‹›「『")
FIRST_WORDS = 2
"""Telling words of a memory that say what it is about."""


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
    rest: str = ""
    """The rest of the user's turn, after the clause of the wish and its reason are cut out."""


def named_wish(text: str, *, of_speech: bool = False) -> ForgetWish | None:
    """The wish to forget a named matter that a turn has; `of_speech` looks for no other kind."""
    low = " ".join(text.lower().replace("’", "'").split())
    kinds = (vocabulary.SAID,)
    if not of_speech:
        kinds += (vocabulary.NOTED, vocabulary.NAMED, vocabulary.LET_GO)
    phrases = [(kind, line) for kind in kinds for pieces, line in kind if _has(low, pieces)]
    if not phrases:
        return None
    from ...language.statements import sentences
    from .lessons import own_words

    every = [" ".join(one.replace("’", "'").split()) for one in sentences(own_words(text))]
    for at, sentence in enumerate(every):
        for kind, line in phrases:
            for found in _pattern(line).finditer(sentence):
                if wish := _wish(sentence, found, kind):
                    left = f"{sentence[: found.start()]} {_without_reason(sentence[found.end() :])}"
                    others = (*every[:at], left.strip(), *every[at + 1 :])
                    return wish.but(rest="\n".join(filter(None, others)))
    return None


def _without_reason(after: str) -> str:
    """What follows a wish, unless it only says why: `because he retired`."""
    reason = lazy(GOES_ON).match(after)
    if reason and not lazy(r"(?i) (?:and|but|aber|mais|pero|ma|mas|maar)\b").match(after):
        return ""
    return lazy(r"(?i)^[\W_]+(?:(?:and|but|aber|mais|pero|ma|mas|maar)\b[\W_]*)?").sub("", after)


def _has(low: str, pieces: str) -> bool:
    return any(map(f" {low} ".__contains__, pieces.split("|")))


def _wish(
    sentence: str, found: re.Match[str], kind: tuple[tuple[str, str], ...]
) -> ForgetWish | None:
    before, after = sentence[: found.start("wish")], sentence[found.end() :]
    about = lazy(f"(?i){vocabulary.TRAILING}$").sub("", found["about"].strip())
    first = about.split(" ")[0].casefold()
    if is_reported(before) or not is_asked(before):
        return None
    pointing = about.casefold() in _words(vocabulary.POINTING)
    if not about or pointing or first in _words(vocabulary.NO_MATTER):
        return None
    loose = kind is vocabulary.NAMED or kind is vocabulary.LET_GO
    if loose and lazy(f"(?i){vocabulary.FOR_NOW}").search(sentence):
        return None
    if kind is vocabulary.LET_GO and _is_of_work(about, after):
        return None
    from ...language.words import telling_terms

    if not telling_terms(about):
        return None
    return ForgetWish(
        about, kind is vocabulary.SAID, asks_for_all(found["wish"]), kind is vocabulary.LET_GO
    )


def is_first_of(matter: str, text: str) -> bool:
    """Whether a text is about a matter in the first place: its first telling words name it.

    `Piet runs the shop` is about Piet, and only speaks of the shop.
    """
    from ...language.words import telling_terms

    first: set[str] = set()
    for word in text.split():
        first |= telling_terms(word)
        if len(first) >= FIRST_WORDS:
            break
    return not telling_terms(matter).isdisjoint(first)


def asks_for_all(wish: str) -> bool:
    """Whether a wish is for everything about its matter."""
    return not _words(vocabulary.EVERYTHING).isdisjoint(wish.casefold().split())


def is_asked(before: str) -> bool:
    """Whether a wish stands where its clause begins, after nothing but words that ask for it.

    `Please don't`, `Did you` and `It would be wrong to` before it make it none.
    """
    if before.rstrip()[-1:] in _QUOTES or lazy(f"(?i){vocabulary.NEGATED}").search(before):
        return False
    clause = lazy(_CLAUSES).split(before)[-1]
    leads = rf"(?:\b(?:{'|'.join(_words(vocabulary.LEADS))})\b\W*)*"
    return bool(lazy(rf"(?i)\W*{leads}(?:{vocabulary.ASKS}\b\W*)?{leads}").fullmatch(clause))


def is_reported(before: str) -> bool:
    """Whether what stands before a wish in its sentence makes it another's, or a quotation."""
    if lazy(f"(?i){vocabulary.REPORTS}").search(before):
        return True
    return before.count('"') % 2 == 1 or any(
        before.count(opens) > before.count(closes) for opens, closes in ("“”", "«»", "„“", "()")
    )


def _is_of_work(about: str, after: str) -> bool:
    words = {word.strip("'\"`()").casefold() for word in about.split()}
    if words & _words(vocabulary.OF_THE_WORK) or lazy(r"[`_/{}=]|\.\w|\(\)").search(about):
        return True
    return bool(lazy(f"(?i){vocabulary.GOES_ON_WITH_WORK}").match(after))


@lru_cache(maxsize=8)
def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


@lru_cache(maxsize=200)
def _pattern(phrase: str) -> re.Pattern[str]:
    """A phrase as a pattern that begins with a clause; a comma may stand after any word."""
    import re

    shape = phrase.replace("(", "(?:")
    shape = re.sub(r"\[([^\[\]]*)\] ", r"(?:(?:\1),? )?", shape)
    shape = re.sub(r" \[([^\[\]]*)\](?=$|[|)])", r"(?:,? (?:\1))?", shape)
    shape = re.sub(r"\[([^\[\]]*)\]", r"(?:\1)?", shape)
    shape = re.sub(r"(?<!,\?) (?!X)", ",? ", shape).replace("X", _MATTER)
    leads = "|".join(_words(vocabulary.LEADS))
    clause = r"(?:^|[,;.!?:–—]\s+|\s-\s|\b(?:and|so|but|und|aber|et|mais|y|pero|e|ma|mas|en) )"
    start = rf"{clause}\W{{0,2}}(?:(?:{leads})[ ,]+)*"
    return re.compile(f"(?i){start}(?P<wish>{shape}){_END}")
