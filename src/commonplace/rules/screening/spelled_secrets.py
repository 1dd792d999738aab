"""Find secrets that are spelled out letter by letter, whatever they are called.

`Capital B, lowercase r, zero, dollar` tells a password also where no word names one: nobody spells a
plain word with its capitals, its digits and its signs.
"""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from ...language.vocabulary import secrets as words
from ...model.lazy_pattern import lazy
from .findings import CREDENTIAL, Finding
from .passwords_by_shape import names_access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HINTS = (
    "capital", "uppercase", "lowercase", "upper case", "lower case", "spell", "letter", "groß", "klein",
    "buchstab", "majuscule", "minuscule", "épel", "epel", "lettre", "mayúscula", "mayuscula", "minúscula",
    "minuscula", "deletre", "letra", "maiuscol", "minuscol", "letter", "compit", "hoofdletter",
)  # fmt: skip
"""Lower-case hints: spelling names the case of a letter, or says that it spells."""
FEWEST = 4

_CASE = r"(?:capital|uppercase|upper case|lowercase|lower case|big|small|little|gro(?:ß|ss)(?:es|er|e)?|klein(?:es|er|e)?|majuscule|minuscule|may[uú]scula|min[uú]scula|grande|peque[ñn]a|maiuscol[ao]|minuscol[ao]|mai[uú]scul[ao]|min[uú]scul[ao]|petit|grand)"
_SIGN = (
    r"(?:full stop|question mark|exclamation (?:mark|point)|at sign|dollar sign|hash ?tag|barra (?:baja|inclinada)|gui[oó]n bajo|signo de \w+|trattino basso|punto (?:esclamativo|interrogativo)"
    r"|tiret(?: du)? (?:bas|8|six)|point d['’](?:exclamation|interrogation)|underscore|tilde|caret|ampersand|klammeraffe|ausrufe?zeichen|fragezeichen|dollar(?:zeichen)?|euro|paragraf\w*|arobase|arroba|chiocciola|asterisco|ast[eé]risque|slash|backslash)"
)
_LETTER_NAME = r"(?:be|ce|che|de|efe|ge|hache|jota|ka|ele|eme|ene|eñe|pe|cu|erre|ese|te|uve|equis|i griega|zeta|doble u|ygrec|i grec|zed|zee|acca|effe|elle|emme|enne|esse|erre|cappa|ics|ipsilon)"
_NAMES = "|".join(sorted(words.NUMERALS | words.SPELLING, key=len, reverse=True))
_ARTICLE = r"(?:(?:and|then|und|dann|et|puis|y|luego|e|poi|the|die|der|das|ein|eine|an?|une?|una?|el|la|le|il|lo|as in|wie|comme|come|como)\s+){0,3}"
_ITEM = rf"{_ARTICLE}(?:{_CASE}\s+)?(?:{_SIGN}|{_LETTER_NAME}|{_NAMES}|[^\W_]|[!#$&*_@%+=?.-])(?:\s+{_CASE})?(?![^\W_])(?:\s+(?:as in|for|wie|like|comme|come|como)\s+\w+)?"
_RUN = lazy(
    rf"(?<![\w'’]){_ITEM}(?:(?:\s*(?:[,;/·]|–|-|\.{{3}})\s*|\s+){_ITEM}){{{FEWEST - 1},40}}"
)
_NAMES_CASE = lazy(rf"(?<!\w){_CASE}(?!\w)")
_SPELLS = lazy(
    r"(?<!\w)(?:spell(?:s|ed|ing|t)?|letter by letter|buchstab\w+|j['’]épelle|épel\w+|lettre (?:par|à) lettre|deletre\w+|letra (?:a|por) letra|lettera per lettera|compit\w+)(?!\w)"
)
_OTHER = lazy(
    r"(?<!\w)(?:(?:sur|last |first |street |family )?names?|nach-?name|vorname|familienname|straße|street|nom|prénom|nombre|apellido|cognome|nome|word of the week|homework|hausaufgabe|dict\w{2,5}|diktat|scrabble|grade|piano|notes?|blood)(?!\w)"
)
_SOUNDS = lazy(
    rf"\d|(?<!\w)(?:{'|'.join(sorted(words.NUMERALS, key=len, reverse=True))}|{_SIGN})(?!\w)"
)
_LONE = lazy(r"(?<!\S)\w(?!\S)")
_SINGLE = lazy(r"(?<!\S)[^\W_](?: (?:[^\W_]|[!#$&*_@%+=?.-])){6,60}(?!\S)")


def find_spelled_secrets(text: str, lower: str) -> Iterator[Finding]:
    """Values that are spelled with their capitals, and letters apart from each other."""
    if any(map(lower.__contains__, HINTS)):
        for run in _RUN.finditer(lower):
            around = lower[max(0, run.start() - 90) : run.end() + 60]
            cased, spells = _NAMES_CASE.search(run.group()), _SPELLS.search(around)
            if not (cased or spells) or _OTHER.search(around):
                continue
            if "," not in run.group() and len(_LONE.findall(run.group())) < FEWEST:
                continue
            if _SOUNDS.search(run.group()) or names_access(text, run.start(), run.end()):
                yield Finding(CREDENTIAL, "password", *run.span())
    for run in _SINGLE.finditer(text):
        letters = [one for one in run.group().split() if one.isalpha()]
        mixed = len(letters) < len(run.group().split()) and any(map(str.islower, letters))
        if mixed and len(letters) >= 4 and names_access(text, run.start(), run.end()):
            yield Finding(CREDENTIAL, "password", *run.span())
