"""Find numbers by which a state knows a person, each with its own check.

A number counts when it passes that check, or when the words before it name it.
"""

# ruff: noqa: E501 - one row for each number reads better than several

from __future__ import annotations

import re

from ...language.vocabulary.secrets import IDENTITY_NAMES
from ...model.lazy_pattern import lazy
from .findings import IDENTITY, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_D = "[0-9]"
NUMBERS = (
    # label, shape, module of stdnum, words that must be near (none: the form is telling enough)
    ("US social security number", r"[0-8]\d{2}-\d{2}-\d{4}", "us.ssn", ""),
    ("US social security number", r"[0-8]\d{2}[ -]?\d{2}[ -]?\d{4}", "us.ssn", r"ssn|social security"),
    ("UK national insurance number", r"[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]", "", r"insurance|nino|\bni\b"),
    ("Canadian social insurance number", r"\d{3}[ -]?\d{3}[ -]?\d{3}", "ca.sin", r"\bsin\b|social insurance"),
    ("Australian tax file number", r"\d{3} ?\d{3} ?\d{2,3}", "au.tfn", r"\btfn\b|tax file"),
    ("German tax number", r"\d{2} ?\d{3} ?\d{3} ?\d{3}", "de.idnr", r"steuer|tax|idnr|idnum"),
    ("French social security number", r"[12] ?\d{2} ?\d{2} ?[0-9AB]{2} ?\d{3} ?\d{3} ?\d{2}", "fr.nir", ""),
    ("Spanish identity number", r"(?:\d{2}\.?\d{3}\.?\d{3}|[XYZ]-?\d{7})-?[A-Z]", "es.nif", ""),
    ("Italian tax code", r"[A-Z]{3} ?[A-Z]{3} ?\d{2}[A-EHLMPRST]\d{2} ?[A-Z]\d{3}[A-Z]", "it.codicefiscale", ""),
    ("Dutch citizen number", r"\d{9}", "nl.bsn", r"\bbsn\b|burgerservice|citizen"),
    ("Polish identity number", r"\d{11}", "pl.pesel", r"pesel"),
    ("Swedish personal number", r"(?:19|20)?\d{6}[-+]\d{4}", "se.personnummer", ""),
    ("Finnish identity code", r"\d{6}[-+A-F]\d{3}[0-9A-Y]", "fi.hetu", ""),
    ("Danish personal number", r"\d{6}-?\d{4}", "dk.cpr", r"\bcpr\b|personnummer"),
    ("Norwegian identity number", r"\d{6} ?\d{5}", "no.fodselsnummer", r"fødsel|fodsel|personnummer|national id"),
    ("Belgian national number", r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}", "be.nn", ""),
    ("Swiss social security number", r"756\.\d{4}\.\d{4}\.\d{2}", "ch.ssn", ""),
    ("Brazilian tax number", r"\d{3}\.\d{3}\.\d{3}-\d{2}", "br.cpf", ""),
    ("Mexican population code", r"[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d", "mx.curp", ""),
    ("Indian Aadhaar number", r"[2-9]\d{3}[ -]\d{4}[ -]\d{4}", "in_.aadhaar", ""),
    ("Indian Aadhaar number", r"[2-9]\d{11}", "in_.aadhaar", r"aadhaar|uidai"),
    ("Indian tax number", r"[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]", "in_.pan", r"\bpan\b"),
    ("Chinese identity number", r"\d{17}[0-9X]", "cn.ric", ""),
    ("Korean resident number", r"\d{6}-[1-8]\d{6}", "kr.rrn", ""),
    ("South African identity number", r"\d{13}", "za.idnr", r"\bid\b|identity"),
    ("Turkish identity number", r"[1-9]\d{10}", "tr.tckimlik", r"kimlik|\btc\b"),
)  # fmt: skip
NEAR_NUMBER = 40
"""How many characters before a number its name may stand."""

_LETTER = "A-Za-z0-9_À-ɏЀ-ӿ"
_NAMED = lazy(rf"(?i)(?<![{_LETTER}])(?:{IDENTITY_NAMES})(?![{_LETTER}])")
_GIVEN = lazy(
    rf"(?P<between>[^\d.!?;\n]{{0,60}}?|[^\d.!?;\n]{{0,12}}\.? ?)(?<![{_LETTER}])"
    rf"(?P<number>(?:[A-Z]{{1,4}}[ .-]?)?\d[0-9A-Z]*(?:[ ./-]?(?:\d[0-9A-Z]*|[A-Z](?![{_LETTER}]))){{0,8}}"
    rf"|(?=[A-Z0-9]{{7,12}}(?![{_LETTER}]))[A-Z][A-Z0-9]{{6,11}})(?![{_LETTER}]|[.,:]\d)"
)
_SOMETHING_ELSE = lazy(
    r"(?i)\b(?:phone|tel|call|hotline|termin|appointment|fee|price|costs?|euros?|order|reference|booking|page|room|"
    r"until|bis|valid|expires?|gültig|expire|caduca|scade|vence|ważny|since|seit|from|in|on|am|um|flight|form [a-z]?)\W*$|€|\$"
)

_PATTERNS = tuple(
    (
        label,
        lazy(rf"(?<![{_LETTER}.@-]){shape.replace(chr(92) + 'd', _D)}(?![{_LETTER}@-]|[.,][0-9])"),
        module,
        lazy(rf"(?i){words}") if words else None,
    )
    for label, shape, module, words in NUMBERS
)


def find_identity_numbers(text: str) -> Iterator[Finding]:
    """Every identity number in a text."""
    for label, pattern, module, words in _PATTERNS:
        if words and not words.search(text):
            continue
        for match in pattern.finditer(text):
            before = text[max(0, match.start() - NEAR_NUMBER) : match.start()]
            if (words is None or words.search(before)) and _valid(module, match.group()):
                yield Finding(IDENTITY, label, match.start(), match.end())

    yield from _announced(text)


def _announced(text: str) -> Iterator[Finding]:
    """Numbers that the words before them name: a person copies a digit wrong, and it is still one."""
    for name in _NAMED.finditer(text):
        if (number := _GIVEN.match(text, name.end())) and _is_given(number):
            yield Finding(IDENTITY, _label(name.group()), *number.span("number"))


def _is_given(number: re.Match[str]) -> bool:
    value, between = number["number"], number["between"]
    digits = sum(c.isdigit() for c in value)
    if _SOMETHING_ELSE.search(between) or len(value) < 6:
        return False
    return digits >= 6 or (value.isalnum() and digits >= 3 and len(value) >= 8)


def _label(name: str) -> str:
    lower = name.lower()
    if (
        re.search("pass|pasap|paszp|护照|旅券|パスポート|여권|паспорт", lower)
        and "pass-nr" not in lower
    ):
        return "passport number"
    return (
        "driving licence number"
        if re.search("driv|führer|permis|rijbew|免許", lower)
        else "identity number"
    )


def _valid(module: str, number: str) -> bool:
    if not module:
        return True
    from importlib import import_module

    return import_module(f"stdnum.{module}").is_valid(number)
