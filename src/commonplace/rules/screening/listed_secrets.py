"""Find secrets in lists: a table's column of passwords, and the words of a wallet."""

# ruff: noqa: E501 - a pattern reads better on one line than on several

from __future__ import annotations

from bisect import bisect_left

from ...language.vocabulary.secrets import (
    CODE_NOUNS,
    DESCRIPTIONS,
    ENTRANCES,
    LOCKED_THINGS,
    PASSWORD_NOUNS,
    PIN_NOUNS,
    SEED_WORDS,
)
from ...model.lazy_pattern import lazy
from .findings import CREDENTIAL, Finding
from .hints import FUNCTION_WORDS, SHORTEST_SEED
from .secret_values import is_assigned, is_strong
from .values_in_sentences import lowered

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

NEAR = 160
"""How far from its name a wallet's list of words may stand."""
ROWS = 200
"""More rows of one table are not read."""

_CELL = lazy(
    rf"(?i)\W*(?:(?:new|old|current|temp\w*|neues|wifi|wlan)\W+)?(?:{PASSWORD_NOUNS}|{PIN_NOUNS}|{CODE_NOUNS}|pass|clave|key|codes?|c[óo]digos?|codic[ei]|(?:code|codice|c[óo]digo)[ -](?:de |da |del |della |d['’])?(?:porte|portail|cave|hall|porta|portone|cancello|puerta|portal|garaje|garage|alarme|allarme|alarma)|what to type|to type|type in|enter|secret|was eintippen|eingabe|eintippen|à taper|saisie|qu[eé] (?:escribir|poner|teclear)|cosa (?:scrivere|digitare)|da digitare)\W*"
)
_USER_CELL = lazy(
    r"(?i)\W*(?:user(?:[ _-]?name)?|login|e-?mail|account|usuario|benutzer(?:name)?|utilisateur|utente|gebruiker)\W*"
)
_NAMED = lazy(rf"(?i)(?<!\w)(?:{SEED_WORDS})(?!\w)|助记词|シードフレーズ|リカバリーフレーズ")
SEED_HINTS = (
    "seed", "mnemonic", "recover", "phrase", "word", "wallet", "ledger", "trezor", "metamask",
    "bitcoin", "rypto", "ethereum", "wörter", "wiederherst", "mots", "frase", "palabras", "parole",
    "palavras", "portafogl", "cartera", "portefeuille", "carteira", "monedero", "geldbörse", "herstel", "woorden", "fraz", "słów", "助记", "复原", "フレーズ",
)  # fmt: skip
"""Lower-case hints; every name of a wallet's words has one."""
_RUN = lazy(
    r"(?<![\w'’-])[^\W\d_]{3,9}(?:(?:\s*[,;·/|-]\s*|\s+)(?:\d{1,2}[.)]?\s+)?[^\W\d_]{3,9}){11,40}(?![\w'’-])"
)
_WORD = lazy(r"[^\W\d_]{3,9}")


def find_listed_secrets(text: str) -> Iterator[Finding]:
    """Passwords in a table's column, and seed phrases."""
    if "\n" in text:
        yield from _columns(text)
    yield from _codes(text)
    yield from _seeds(text)


_CODES = lazy(
    r"(?i)(?<!\w)(?:(?:recovery|backup|back-up|rescue|emergency|scratch|spare|one-time|single-use|reset|bypass)[ -](?:log-?in )?(?:codes?|keys?|passwords?)"
    r"|(?:2fa|mfa|totp|otp|two-(?:factor|step)|authenticator)(?: \w+)? (?:backups?|recovery|codes?|keys)|codes? (?:left )?for when (?:the|my) phone"
    r"|(?:wiederherstellungs|backup|not(?:fall)?|ersatz|einmal|reserve|sicherungs)-?(?:codes?|schlüssel|kennwörter)"
    r"|codes? de (?:secours|r[ée]cup\w*|sauvegarde|rechange|dépannage)|codes? (?:à usage unique|jetables)"
    r"|c[óo]digos? de (?:respaldo|recuperaci[óo]n|recuperação|emergencia|emergência|reserva|seguridad|un solo uso|backup)"
    r"|codic[ei] (?:di |d['’])(?:recupero|backup|emergenza|riserva|scorta|ripristino)|codici (?:monouso|usa e getta)"
    r"|(?:herstel|back-?up|reserve|nood)-?codes?|kody (?:zapasowe|odzyskiwania|jednorazowe))(?!\w)"
)
_CODE = (
    r"(?:\d{4}[ -]\d{4}(?![ -]?\d)|\d{3}[ -]\d{3}(?:[ -]\d{2,3})?(?![ -]?\d)|\d{6,10}|(?=[A-Z-]{0,30}\d)[A-Z0-9]{3,8}(?:[ -][A-Z0-9]{3,8}){1,5}|(?=[a-z-]{0,30}\d)[a-z0-9]{3,8}(?:-[a-z0-9]{3,8}){1,5}"
    r"|(?=[A-Za-z]{0,11}\d)[A-Za-z0-9]{6,12})"
)
_BETWEEN = r"[ \t]*(?:[,;/|·+&]|\n|(?<!\w)(?:and|und|et|y|e|o|or|oder|ou|en|i|plus)(?!\w)|[ \t])[ \t]*(?:(?:and|und|et|y|e|plus) )?(?:[-*•>]|\d{1,2}[.):])?[ \t]*"
_LIST = lazy(
    rf"(?<![\w./:#-])(?P<first>{_CODE})(?![\w./@:-]\w)(?:{_BETWEEN}{_CODE}(?![\w./@:-]\w)){{0,30}}"
)
_ITEM = lazy(rf"(?<![\w-]){_CODE}(?![\w-])")
FAR = 110
"""How many characters may stand between the name of a list of codes and its first code."""
_BEFORE_ONE = lazy(
    r"[:=,–—-]\s*$|(?<!\w)(?:is|are|ist|sind|est|sont|es|son|è|sono|é|são|left|übrig|noch|use|nimm)\s+$"
)
_UNTIL = lazy(r"[.!?]\s|\n\s*\n")


def _codes(text: str) -> Iterator[Finding]:
    """Every code of a list that is called one of codes to get back into an account."""
    for name in _CODES.finditer(text):
        stop = min(len(text), name.end() + FAR)
        for listed in _LIST.finditer(text, name.end(), min(len(text), stop + 400)):
            gap = text[name.end() : listed.start()]
            if listed.start() > stop or _UNTIL.search(gap):
                break
            codes = [*_ITEM.finditer(text, listed.start(), listed.end())]
            if len(codes) == 1 and not _BEFORE_ONE.search(gap):
                continue
            for code in codes:
                yield Finding(CREDENTIAL, "recovery code", *code.span())
            break


def _columns(text: str) -> Iterator[Finding]:
    place, column, mark, rows, ticket = 0, -1, "", 0, False
    before = ""
    for line in text.splitlines(keepends=True):
        start, place = place, place + len(line)
        if column < 0:
            mark, column = _header(line)
            # A row inside of a table tells of a field, and names no column.
            if mark and before.count(mark) == line.count(mark):
                column = -1
            before = line
            # A column called Pass may list tickets.
            ticket = bool(mark) and line.split(mark)[column].strip().lower() == "pass"
            rows = 0
            continue
        cells = line.split(mark)
        rows += 1
        if len(cells) <= column or rows > ROWS:
            column = -1
            continue
        cell = cells[column]
        value = cell.strip(" \t\r\n`*\"'")
        at = start + sum(len(one) + len(mark) for one in cells[:column]) + cell.find(value)
        real = is_strong if ticket else is_assigned
        # A number may have a word of its owner's behind it.
        if counted := _CODE_AND_PLACE.fullmatch(value):
            value = counted["code"]
        if value and real(value) and not _says_nothing(value):
            yield Finding(CREDENTIAL, "password", at, at + len(value))


_CODE_AND_PLACE = lazy(r"(?P<code>[A-Z#*]?\d{4,8}[A-Z#*]?) [^\W\d_]{3,20}")
_PROGRAM = lazy(r"[\[\](){}=]")


def _header(line: str) -> tuple[str, int]:
    """The separator of a table's first line, and which column holds passwords."""
    if len(line) > 300 or _PROGRAM.search(line):
        return "", -1
    for mark in ("|", ";", "\t", ","):
        cells = line.split(mark)
        few = mark == "," and not _USER_CELL.fullmatch(cells[0])
        if len(cells) >= (3 if few else 2) and all(len(cell) < 40 for cell in cells):
            for number, cell in enumerate(cells):
                if cell.strip() and _CELL.fullmatch(cell) and not _is_of_things(cell, line):
                    return mark, number
    return "", -1


_BARE_CELL = lazy(
    r"(?i)\W*(?:codes?|c[óo]digos?|codic[ei]|keys?|kod|secret|enter|type in|to type|eingabe|saisie)\W*"
)
_OPENED = lazy(
    rf"(?i)(?<!\w)(?:{LOCKED_THINGS}|{ENTRANCES}|tenants?|user\w*|log-?in|site|alarm|machine|device|apartment|wohnung|mieter|gerät|standort|logement|locataire|porte|piso|inquilin[oa]|puerta|interno|appartamento|porta)(?!\w)"
)


def _is_of_things(cell: str, line: str) -> bool:
    """Whether a column is called Code alone, in a table about nothing that one opens."""
    return bool(_BARE_CELL.fullmatch(cell)) and not _OPENED.search(line)


def _says_nothing(value: str) -> bool:
    """A rule of dashes, or words such as `see vault`."""
    words = value.lower().split()
    prose = words[0] in DESCRIPTIONS or len(words) > 4 or ", " in value
    return prose or not any(c.isalnum() for c in value)


def _seeds(text: str) -> Iterator[Finding]:
    """Words that a text calls a wallet's, and a row of a wallet's words under any name."""
    lower = text.lower()
    names: list[int] = []
    if any(map(lower.__contains__, SEED_HINTS)):
        names = [match.start() for match in _NAMED.finditer(text)]
    for at in names:
        yield from _part_of_seed(lower, at)
    for match in _RUN.finditer(lowered(text)):
        at = bisect_left(names, match.start() - NEAR)
        named = at < len(names) and names[at] <= match.end() + NEAR
        if not named and _is_list_of_things(match):
            continue
        for start, end in _stretches(match, _is_content if named else _is_wallet_word):
            yield Finding(CREDENTIAL, "seed phrase", start, end)


LEAST_IN_PART = 5
_PART = lazy(r"(?<![\w'’-])[a-z]{3,8}(?:(?:\s*,\s*|\s+)[a-z]{3,8}){4,22}(?![\w'’-])")


def _part_of_seed(lower: str, at: int) -> Iterator[Finding]:
    """Five or more words of a wallet in a row, right after its name: half of a seed phrase."""
    for run in _PART.finditer(lower, at, min(len(lower), at + NEAR)):
        stretch: list[re.Match[str]] = []
        for word in (*_WORD.finditer(lower, run.start(), run.end()), None):
            if word and _is_wallet_word(word.group()):
                stretch.append(word)
                continue
            if len(stretch) >= LEAST_IN_PART and _differ(stretch):
                yield Finding(CREDENTIAL, "seed phrase", stretch[0].start(), stretch[-1].end())
            stretch = []


LEAST_DIFFERENT = 0.75
SEED_LENGTHS = (12, 15, 18, 21, 24)


def _is_list_of_things(run: re.Match[str]) -> bool:
    """Whether words between commas are no wallet's: one is unknown, or there are too many."""
    said = _WORD.findall(run.group())
    wallet = len(said) in SEED_LENGTHS and all(map(_is_wallet_word, said))
    return ("," in run.group() or ";" in run.group()) and not wallet


def _is_content(word: str) -> bool:
    return word not in FUNCTION_WORDS


def _is_wallet_word(word: str) -> bool:
    from ...language.vocabulary.seed_words import WALLET_WORDS

    return word in WALLET_WORDS


def _stretches(run: re.Match[str], is_listed: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """The parts of a run that are at least twelve listed words long."""
    stretch: list[re.Match[str]] = []
    for word in (*_WORD.finditer(run.string, run.start(), run.end()), None):
        if word and is_listed(word.group()):
            stretch.append(word)
            continue
        if len(stretch) >= SHORTEST_SEED and _differ(stretch):
            yield stretch[0].start(), stretch[-1].end()
        stretch = []


def _differ(stretch: Sequence[re.Match[str]]) -> bool:
    """Whether most words differ; filler repeats a few, and a wallet's words are drawn by lot."""
    return len({word.group() for word in stretch}) >= LEAST_DIFFERENT * len(stretch)
