"""Telephone numbers: written in the international form, or called one, or grouped like one."""

from __future__ import annotations

import re

from .finding import PERSONAL, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CANDIDATE = re.compile(
    r"(?<![\w.,:/@#=-])\+?[(]?[0-9](?:[ ()./-]{0,3}[0-9]){6,14}(?![\w@:/-]|[.,][0-9])"
)
_CALLED = re.compile(
    r"(?i)\b(?:phone|tele(?:phone|fon)|tel|mobile|cell(?:ular|phone)?|fax|call|dial|ring|text|sms|"
    r"whatsapp|signal|reach(?:ed)? (?:me|him|her|them|us)|contact|handy|rufnummer|móvil|portable)\b"
    r"[^\n]{0,40}$"
)
_NOT_ONE = re.compile(
    r"^(?:[0-9]{4}[./-][0-9]{1,2}[./-][0-9]{1,2}|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4})(?:[ T]|$)"
    r"|^(?:19|20)[0-9]{2} ?[-/] ?(?:19|20)[0-9]{2}$"
)
_LOCAL = re.compile(
    r"^(?:\(?[2-9][0-9]{2}\)?[ .-]{1,2}[2-9][0-9]{2}[ .-][0-9]{4}|0[0-9]{1,4}[ .-][0-9 .-]{5,})$"
)
"""Numbers of North America, and those with a leading zero, as people group them."""


def phones(text: str) -> Iterator[Finding]:
    """Every telephone number in a text."""
    for match in _CANDIDATE.finditer(text):
        number = match.group()
        if _NOT_ONE.match(number):
            continue
        called = _CALLED.search(text, max(0, match.start() - 60), match.start())
        if (number.startswith("+") and _valid(number)) or (
            (called or _LOCAL.match(number)) and _possible(number)
        ):
            yield Finding(PERSONAL, "telephone number", match.start(), match.end())


def _valid(number: str) -> bool:
    import phonenumbers

    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return False


def _possible(number: str) -> bool:
    return 7 <= sum(c.isdigit() for c in number) <= 13
