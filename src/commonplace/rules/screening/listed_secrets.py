"""Find secrets in lists: a table's column of passwords, and the words of a wallet."""

from __future__ import annotations

from bisect import bisect_left

from ...language.vocabulary.secrets import (
    CODE_NOUNS,
    DESCRIPTIONS,
    PASSWORD_NOUNS,
    PIN_NOUNS,
    SEED_WORDS,
)
from .findings import CREDENTIAL, Finding
from .lazy_pattern import lazy
from .secret_values import is_assigned

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

NEAR = 160
"""How far from its name a wallet's list of words may stand."""
ROWS = 200
"""More rows of one table are not read."""

_CELL = lazy(
    rf"(?i)\W*(?:(?:new|old|current|temp\w*|neues|wifi|wlan)\W+)?(?:{PASSWORD_NOUNS}|{PIN_NOUNS}|{CODE_NOUNS}|pass|clave|key|code)\W*"
)
_NAMED = lazy(rf"(?i)(?<!\w)(?:{SEED_WORDS})(?!\w)|助记词|シードフレーズ|リカバリーフレーズ")
SHORTEST_SEED = 12
SEED_HINTS = (
    "seed", "mnemonic", "recover", "phrase", "word", "wallet", "ledger", "trezor", "metamask",
    "bitcoin", "rypto", "ethereum", "wörter", "wiederherst", "mots", "frase", "palabras", "parole",
    "palavras", "herstel", "woorden", "fraz", "słów", "助记", "复原", "フレーズ",
)  # fmt: skip
"""Lower-case hints; every name of a wallet's words has one."""
_RUN = lazy(
    r"(?<![\w'’-])[a-z]{3,8}(?:(?:\s*[,;]\s*|\s+)(?:\d{1,2}[.):]?\s*)?[a-z]{3,8}){11,40}(?![\w'’-])"
)
_WORD = lazy("[a-z]{3,8}")
_FUNCTION_WORDS_LIST = """
    the and for with that this from have has was are not but you your they will would can
    our his her its were been which when where what who how und der die das mit für von ist
    nicht ein eine auf den dem des que con para los las por una del les une dans pour avec
    est pas sur qui nous vous per che non della sono dos com não uma een het van voor met
    niet jest nie się dla
"""
_FUNCTION_WORDS = frozenset(_FUNCTION_WORDS_LIST.split())


def find_listed_secrets(text: str) -> Iterator[Finding]:
    """Passwords in a table's column, and seed phrases."""
    if "\n" in text:
        yield from _columns(text)
    yield from _seeds(text)


def _columns(text: str) -> Iterator[Finding]:
    place, column, mark, rows = 0, -1, "", 0
    for line in text.splitlines(keepends=True):
        start, place = place, place + len(line)
        if column < 0:
            mark, column = _header(line)
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
        if value and is_assigned(value) and not _says_nothing(value):
            yield Finding(CREDENTIAL, "password", at, at + len(value))


def _header(line: str) -> tuple[str, int]:
    """The separator of a table's first line, and which column holds passwords."""
    if len(line) > 300:
        return "", -1
    for mark in ("|", ";", "\t", ","):
        cells = line.split(mark)
        if len(cells) >= (3 if mark == "," else 2) and all(len(cell) < 40 for cell in cells):
            for number, cell in enumerate(cells):
                if cell.strip() and _CELL.fullmatch(cell):
                    return mark, number
    return "", -1


def _says_nothing(value: str) -> bool:
    """A rule of dashes, or words such as `see vault`."""
    words = value.lower().split()
    prose = words[0] in DESCRIPTIONS or len(words) > 4 or ", " in value
    return prose or not any(c.isalnum() for c in value)


def _seeds(text: str) -> Iterator[Finding]:
    lower = text.lower()
    if text.count(" ") < SHORTEST_SEED - 1 or not any(map(lower.__contains__, SEED_HINTS)):
        return
    names = [match.start() for match in _NAMED.finditer(text)]
    if not names:
        return
    for match in _RUN.finditer(text):
        at = bisect_left(names, match.start() - NEAR)
        if at == len(names) or names[at] > match.end() + NEAR:
            continue
        for start, end in _stretches(match):
            yield Finding(CREDENTIAL, "seed phrase", start, end)


def _stretches(run: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The parts of a run that are at least twelve words long and hold no word of a sentence."""
    stretch: list[re.Match[str]] = []
    for word in (*_WORD.finditer(run.string, run.start(), run.end()), None):
        if word and word.group() not in _FUNCTION_WORDS:
            stretch.append(word)
            continue
        if len(stretch) >= SHORTEST_SEED:
            yield stretch[0].start(), stretch[-1].end()
        stretch = []
