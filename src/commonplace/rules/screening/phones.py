"""Telephone numbers: written in the international form, or called one, or grouped like one."""

from __future__ import annotations

import re

from .finding import PERSONAL, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NEAR = 60
"""How many characters before a number may call it a telephone's."""

_CANDIDATE = re.compile(
    r"(?<![\w.,:/@#=-])\+?[(]?[0-9](?:[ ()./-]{0,3}[0-9]){6,14}(?:(?: ?x| ?ext\.? ?)[0-9]{1,6})?"
    r"(?![\w@:/-]|[.,][0-9])"
)
_CALLED = re.compile(
    r"(?i)\b(?:(?:tele)?(?:phone|fon)|tel|mobile|cell(?:ular|phone)?|fax|desk|call(?:ed|ing)?|dial|"
    r"ring|text|sms|whatsapp|signal|reach(?:ed)? (?:me|him|her|them|us)|contact|handy|rufnummer|"
    r"móvil|portable|answering at|messages? (?:to|on))\b[^\n]{0,40}$"
)
_CALLED_AFTER = re.compile(r"(?i)\s?[(,]?\s?(?:office|fax|mobile|cell|home|work|phone|desk)\b")
_NOT_ONE = re.compile(
    r"(?:[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2}|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4})(?:[ T]|$)"
    r"|(?:19|20)[0-9]{2} ?[-/] ?(?:19|20)[0-9]{2}$"
)
_GROUPED = re.compile(
    r"(?:\([2-9][0-9]{2}\)[ .-]{0,2}|[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}\b"
    r"|0[0-9]{1,4}[ .-][0-9 .-]{5,}$"
)
"""Numbers of North America, and those with a leading zero, as people group them."""


def phones(text: str) -> Iterator[Finding]:
    """Every telephone number in a text."""
    for match in _CANDIDATE.finditer(text):
        if _is_one(match, text):
            yield Finding(PERSONAL, "telephone number", match.start(), match.end())


def _is_one(match: re.Match[str], text: str) -> bool:
    number = match.group()
    if _NOT_ONE.match(number):
        return False
    if number.startswith("+"):
        return _exists(number)
    if not 7 <= sum(c.isdigit() for c in number) <= 17:
        return False
    return bool(
        _GROUPED.match(number)
        or _CALLED.search(text, max(0, match.start() - NEAR), match.start())
        or _CALLED_AFTER.match(text, match.end())
    )


def _exists(number: str) -> bool:
    """Whether a number in the international form has a known country and a length it uses."""
    import phonenumbers

    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return False
