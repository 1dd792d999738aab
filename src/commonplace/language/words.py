"""The words of a text as search compares them, in documents and in questions alike.

English words become stems, and those of other languages lose their commonest endings; accents,
case and width are folded; an identifier, path or address gives itself and its parts; scripts
written without spaces give overlapping pairs of characters.
"""

from __future__ import annotations

from itertools import chain, groupby, pairwise

from ..model.lazy_pattern import lazy, other_signs_spaced
from ..model.text_cache import remembered
from .stems import stem
from .vocabulary import GERMAN_SIGNS, STOPWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


MAX_TERM_CHARACTERS = 64
MAX_PARTS = 64
"""Parts of one unbroken run, such as a long path or a pasted key."""
QUERY_TERMS = 200
QUERY_CHARACTERS = 200_000
REMEMBERED_RUNS = 50_000
SHORT_CHARACTERS = 4_000
"""Longer texts are too many to remember."""

_ASCII_RUN = lazy(r"#\d+(?!\w)|[A-Za-z0-9]+(?:[_./@'&+-]{1,2}[A-Za-z0-9]+)*(?:\+\+|#(?!\w))?")
LEAST_ELIDED = 3
"""Letters of the word after a French elision."""
_ELISION = lazy(rf"(?i)\b(?:[cdjlmnst]|qu)'(?=\w{{{LEAST_ELIDED}}})")
_SPACED = other_signs_spaced("_./@'&+-#")
_JOINTS_AS_DOTS = str.maketrans("_/@'&-", "......")
_JOINTS_SPACED = str.maketrans("_./@&+-", "       ")
_SEGMENT_ENDS_SPACED = str.maketrans("/@", "  ")
_GERMAN_ENDINGS = ("ern", "em", "en", "er", "es", "e", "n", "s")


def is_question(text: str) -> bool:
    """Whether a text ends in a question."""
    return text.rstrip(" \t\n\r\"'”’»)*_").endswith(("?", "？", "؟", "⁇"))


def terms(text: str) -> list[str]:
    """Every word of a text, in order and as often as it occurs; none contains a space or a `:`."""
    if len(text) > SHORT_CHARACTERS:
        return _terms(text)
    return list(_terms_again(text))


# The gates of a save ask about the same text as the index after it; a batch is worth keeping.
@remembered(characters=100_000)
def _terms_again(text: str) -> tuple[str, ...]:
    return tuple(_terms(text))


def _terms(text: str) -> list[str]:
    runs = _runs(text)
    found = list(chain.from_iterable(map(_terms_of.__getitem__, runs)))
    if further := _further(text, runs):
        found += [bare for run in runs if (bare := further(run))]
    return found


def mostly_beyond_latin(found: Iterable[str]) -> bool:
    """Whether most of these terms, whose accents are folded, are in another script than Latin."""
    letters = [term for term in found if any(map(str.isalpha, term))]
    return 2 * sum(not term.isascii() for term in letters) > len(letters)


def query_terms(text: str) -> dict[str, str]:
    """The terms of a question, each with the word as it was written.

    Stop words are left out, unless there is nothing else. A long text counts with a couple of
    hundred words from both ends, because a question stands before or after a pasted text.
    """
    text = text[:QUERY_CHARACTERS]
    runs = _runs(text)
    telling = [run for run in runs if not _is_stopword(run.lower())] or runs
    if len(telling) > QUERY_TERMS:
        telling = [run for ends in zip(telling, reversed(telling), strict=True) for run in ends]
    further = _further(text, runs)
    found: dict[str, str] = {}
    for run in telling:
        if len(found) >= QUERY_TERMS:
            break
        for term in _terms_of[run]:
            found.setdefault(term, run.lower())
        if further and (bare := further(run)):
            found.setdefault(bare, run.lower())
    return found


def telling_terms(text: str) -> frozenset[str]:
    """The words of a text that say what it is about."""
    return frozenset(terms(text)) - STOPWORDS


def _runs(text: str) -> list[str]:
    if text.isascii():
        return _ascii_runs(text)
    from . import scripts

    return scripts.runs(scripts.folded(text))


def _ascii_runs(text: str) -> list[str]:
    """The words of a text in ASCII, with the signs within them, as in `a.b` or `c++`.

    Most texts are split without `_ASCII_RUN`, because a cold start needs long to compile it.
    """
    chunks = text.translate(_SPACED).split()
    runs = [run for chunk in chunks if (run := chunk.strip("_./@'&-"))]
    whole = all(run.isalnum() or _is_one_run(run) for run in runs)
    return runs if whole else _ASCII_RUN.findall(text)


def _is_one_run(chunk: str) -> bool:
    """Whether a chunk between letters or digits is one word, as `deploy.branch` and `don't` are."""
    return "#" not in chunk and "+" not in chunk and "..." not in chunk.translate(_JOINTS_AS_DOTS)


class _Terms(dict[str, tuple[str, ...]]):
    """The terms of each run seen so far; texts repeat their words, so most are only looked up."""

    def __missing__(self, run: str) -> tuple[str, ...]:
        found = tuple(dict.fromkeys(term for term in _split(run) if term))
        if len(self) >= REMEMBERED_RUNS:
            self.clear()
        if len(run) <= MAX_TERM_CHARACTERS:
            self[run] = found
        return found


_terms_of = _Terms()


def _split(run: str) -> list[str]:
    if run.isascii():
        if run.isalpha() and run[1:].islower():
            return [_term(run)]
        if run.startswith("#"):
            return [run[:MAX_TERM_CHARACTERS], run[1:][:MAX_TERM_CHARACTERS]]
        return _parts(run)
    from . import scripts

    return [term[:MAX_TERM_CHARACTERS] for term in scripts.pairs(run)] or _parts(run)


def _parts(run: str) -> list[str]:
    """A compound, its addresses or path segments, their words, and the humps of those."""
    if "'" in run:
        # French elisions go, English endings too: l'été, Anna's. `Don't` needs no pattern.
        if any(len(after) >= LEAST_ELIDED for after in run.split("'")[1:]):
            run = _ELISION.sub("", run)
        run = run.removesuffix("'s").removesuffix("'S").replace("'", "")
    bare = run.rstrip("+#")
    joined = not bare.isalnum()
    words = bare.translate(_JOINTS_SPACED).split()[:MAX_PARTS] if joined else [bare]
    segments = bare.translate(_SEGMENT_ENDS_SPACED).split()[:MAX_PARTS] if joined else [bare]
    found = [_term(run), _term(bare)]
    for part in (*segments, *words):
        found.append(_term(part))
        # v3.0 also gives 3.0.
        if part[:1] in "vV" and part[1:2].isdigit():
            found.append(_term(part[1:]))
    return found + [hump for word in words for hump in _humps(word)]


def _humps(word: str) -> list[str]:
    """The words inside `getHTTPResponse`, `OAuthToken` and `node18`."""
    if not word.isascii() or word.isdigit() or (word.isalpha() and word[1:].islower()):
        return []
    humps = _hump_texts(word[: MAX_TERM_CHARACTERS * 4])
    found = [_term(hump) for hump in humps if len(hump) > 1 or hump.isdigit()]
    # A single letter belongs to the hump after it: OAuth, iPhone, XCode.
    found += [_term(one + two) for one, two in pairwise(humps) if len(one) == 1 and one.isalpha()]
    return found[:MAX_PARTS]


def _hump_texts(word: str) -> list[str]:
    """The stretches of capitals, small letters and digits; a capital opens the small ones after it.

    Without a pattern, because questions of programmers are full of such words.
    """
    found: list[str] = []
    opening = ""
    for kind, signs in groupby(word, _kind):
        run = "".join(signs)
        if kind == "small":
            # In HTTPResponse the capitals end before the one that opens `Response`.
            if opening := found.pop() if opening else "":
                found += [opening[:-1]] if opening[:-1] else []
            found.append(opening[-1:] + run)
        elif kind:
            found.append(run)
        opening = run if kind == "capital" else ""
    return found


def _kind(sign: str) -> str:
    if sign.isdigit():
        return "digit"
    return "small" if sign.islower() else "capital" if sign.isupper() else ""


def _term(word: str) -> str:
    """One word as it is compared."""
    word = word.casefold()[:MAX_TERM_CHARACTERS]
    if word.isascii():
        return stem(word) if word.isalpha() else word
    from . import scripts

    return scripts.stemmed(word)


def _is_stopword(word: str) -> bool:
    if word.isascii():
        return word in STOPWORDS
    from . import scripts

    return word in scripts.STOPWORDS


def _further(text: str, runs: list[str]) -> Callable[[str], str | None] | None:
    """A function that gives each run one more term, for texts of inflected languages."""
    if not text.isascii():
        from . import scripts

        if scripts.inflects(text):
            return scripts.beginning
    return _without_german_ending if _looks_german(text, runs) else None


def _looks_german(text: str, runs: list[str]) -> bool:
    if len(GERMAN_SIGNS.intersection(runs)) >= 2:
        return True
    if text.isascii():
        return False
    from . import scripts

    return scripts.has_umlaut(text)


def _without_german_ending(run: str) -> str | None:
    """`Fristen` → `frist`."""
    word = run.casefold()
    if not (word.isascii() and word.isalpha()):
        return None
    for ending in _GERMAN_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            bare = word[: -len(ending)]
            return bare if bare != stem(word) else None
    return None
