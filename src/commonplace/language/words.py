"""The words of a text as search compares them, in documents and in questions alike.

English words become stems, and those of other languages lose their commonest endings; accents,
case and width are folded; an identifier, path or address gives itself and its parts; scripts
written without spaces give overlapping pairs of characters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, pairwise

from .stems import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


ENGLISH = """
a about after again all also am an and any are aren't as at be because been before being both but
by can can't cannot could couldn't did didn't do does doesn't doing don't down during each else
ever few for from further get gets got had hadn't has hasn't have haven't having he he's her here
hers herself him himself his how how's i i'd i'll i'm i've if in into is isn't it it's its itself
just let let's like me might more most must my myself no nor not now of off on once one only or
other our ours ourselves out over own please same shall she she's should shouldn't so some such
tell than that that's the their theirs them themselves then there there's these they they're this
those through to too under until up upon us very was wasn't we we're were weren't what what's when
where which while who who's whom whose why will with won't would wouldn't yes you you'd you'll
you're you've your yours yourself yourselves
"""
GERMAN = """
aber als am an auch auf aus bei bin bis bist da damit dann das dass dein dem den der des dich
diese diesem diesen dieser dieses dir doch du durch ein eine einem einen einer eines er es
euch haben habe hatte ich ihm ihn ihr ihre im in ins ist ja kann kein keine konnen mein
meine mich mir mit muss nach nicht noch nur ob oder ohne schon sein seine sich sie sind so soll
uber um und uns unser unter vom von vor wann waren warum was weil welche welchem welchen
welcher welches wenn wer werden wie wieder wir wird wo wurde zu zum zur
"""
FRENCH = """
au aux avec ce ces cette dans de des du elle elles en est et eux il ils je la le les leur leurs lui
ma mais me mes moi mon ne nos notre nous ou par pas qu que quel quelle quels quelles qui sa
ses sont sur ta te tes toi ton tu un une vos votre vous etait etre
"""
SPANISH = """
al como con cual cuando de del donde el ella ellas ellos en era es esta
este esto la le les lo mi mis muy mas nos o para pero por porque que quien se ser
si sobre su sus tambien te tu un una unos y ya yo
"""

FURTHER = """
al alla anche che cosa cui da dal dalla degli dei del della delle di dopo ed gli hai il le loro lui
mie mio nel nella noi non perche piu qual quale quali quando quante quanti quanto sono sua sul sulla
suo tra tu un una uno voi
ao aos as da das do dos ele em foi isso mas meu minha no nos nao onde ou para pela pelo por qual
quais quando quanto quantos que quem seu sua um uma
aan dat de deze dit een er haar heb heeft het hij hoe ik is je kan maar mijn naar niet om ook op te
uit voor waar wanneer wat we welke wie wij zij zijn
aby bardzo bez byc byl byla bylo czy dla do gdy gdzie ich ile jak jaka jaki jakie jest jestem kiedy
kto ktora ktore ktory mnie moj nad nie od po przez przy sie tak tego tu we wiec za ze
acaba ama bana bir bu da daha de diye gibi hangi icin ile kac nasil ne neden nerede nereye siz ve
veya ya yok
"""
"""Italian, Portuguese, Dutch, Polish and Turkish."""

STOPWORDS = frozenset(f"{ENGLISH} {GERMAN} {FRENCH} {SPANISH} {FURTHER}".split())

_SIGNS = """
auch auf aus dass dem den der des ein eine einem einen einer fur ich ist mit nicht oder sich sind
und uns unser von werden wie wir wird wurde zu zum zur uber
"""
GERMAN_SIGNS = frozenset(_SIGNS.split())
"""Two of these and a text is taken for German."""


# The words of a text as search compares them, in documents and in questions alike.


MAX_TERM_CHARACTERS = 64
MAX_PARTS = 64
"""Of one unbroken run, such as a long path or a pasted key."""
QUERY_TERMS = 200
QUERY_CHARACTERS = 200_000
REMEMBERED_RUNS = 100_000
SHORT_CHARACTERS = 4_000
"""Longer texts are too many to remember."""

_ASCII_RUN = re.compile(r"#\d+(?!\w)|[A-Za-z0-9]+(?:[_./@'&+-]{1,2}[A-Za-z0-9]+)*(?:\+\+|#(?!\w))?")
_GERMAN_ENDINGS = ("ern", "em", "en", "er", "es", "e", "n", "s")


def terms(text: str) -> list[str]:
    """Every word of a text, in order and as often as it occurs; none contains a space or a `:`."""
    if len(text) > SHORT_CHARACTERS:
        return _terms(text)
    return list(_terms_again(text))


# The gates of a save ask about the same text as the index after it; a batch is worth keeping.
@lru_cache(maxsize=1024)
def _terms_again(text: str) -> tuple[str, ...]:
    return tuple(_terms(text))


def _terms(text: str) -> list[str]:
    runs = _runs(text)
    found = list(chain.from_iterable(map(_terms_of.__getitem__, runs)))
    if further := _further(text, runs):
        found += [bare for run in runs if (bare := further(run))]
    return found


def query(text: str) -> dict[str, str]:
    """The words that a question is about, each with the way it was written.

    Function words are left out, unless there is nothing else. Of an endless text a couple of
    hundred words count, from both its ends: a question stands before or after what was pasted.
    """
    text = text[:QUERY_CHARACTERS]
    runs = _runs(text)
    telling = [run for run in runs if not _is_function_word(run.lower())] or runs
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


def _runs(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_RUN.findall(text)
    from . import scripts

    return scripts.runs(scripts.folded(text))


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
        # French elisions go, English endings too: l'été, Anna's.
        run = re.sub(r"(?i)\b(?:[cdjlmnst]|qu)'(?=\w{3})", "", run)
        run = run.removesuffix("'s").removesuffix("'S").replace("'", "")
    bare = run.rstrip("+#")
    words = re.split(r"[_./@&+-]+", bare)[:MAX_PARTS]
    found = [_term(run), _term(bare)]
    for part in (*re.split(r"[/@]+", bare)[:MAX_PARTS], *words):
        found.append(_term(part))
        # Of v3.0 the number alone, too.
        if part[:1] in "vV" and part[1:2].isdigit():
            found.append(_term(part[1:]))
    return found + [hump for word in words for hump in _humps(word)]


def _humps(word: str) -> list[str]:
    """The words inside `getHTTPResponse`, `OAuthToken` and `node18`."""
    if not word.isascii() or word.isdigit() or (word.isalpha() and word[1:].islower()):
        return []
    # In HTTPResponse the capitals end before the one that opens `Response`.
    humps = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", word[: MAX_TERM_CHARACTERS * 4])
    found = [_term(hump) for hump in humps if len(hump) > 1 or hump.isdigit()]
    # A single letter belongs to the hump after it: OAuth, iPhone, XCode.
    found += [_term(one + two) for one, two in pairwise(humps) if len(one) == 1 and one.isalpha()]
    return found[:MAX_PARTS]


def _term(word: str) -> str:
    """One word as it is compared."""
    word = word.casefold()[:MAX_TERM_CHARACTERS]
    if word.isascii():
        return stem(word) if word.isalpha() else word
    from . import scripts

    return scripts.stemmed(word)


def _is_function_word(word: str) -> bool:
    if word.isascii():
        return word in STOPWORDS
    from . import scripts

    return word in scripts.FUNCTION_WORDS


def _further(text: str, runs: list[str]) -> Callable[[str], str | None] | None:
    """What gives further words in languages that change theirs, so that English stems stay."""
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
