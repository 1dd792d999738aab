"""Tell whether a logged text quotes a purged one."""

from __future__ import annotations

from ....model.identity import normalized
from ....model.quick_json import parse_json

QUOTE_CHARACTERS = 20
"""A query this long that is part of a purged text gives that text away."""
COMMON_CHARACTERS = 6
"""A shorter text, or a single word, occurs in too many queries to give anything away."""
_WITHOUT_SPACES = "\u0e00"
"""From here on most scripts are written without spaces, and a few characters are a sentence."""
QUOTE_SIGNS = 5

_JSON_TEXT = r'"(?:[^"\\]|\\.)*"'


def quotes_any(query: str, details: str, texts: list[str]) -> bool:
    """Whether a logged recall gives one of these normalized texts away."""
    asked, beside = normalized(query), [normalized(text) for text in _texts_in(details)]
    return any(
        text == asked
        or (len(asked) >= QUOTE_CHARACTERS and asked in text)
        or any(text in said and quotes_text(said, text) for said in (asked, *beside))
        for text in texts
    )


def quotes_text(said: str, text: str) -> bool:
    """Whether somebody who says this quotes a text, and does not only use a word of it."""
    signs = sum(letter >= _WITHOUT_SPACES for letter in text)
    long = len(text) >= QUOTE_CHARACTERS or signs >= QUOTE_SIGNS
    if not long and (len(text) < COMMON_CHARACTERS or text.isalpha()):
        return False
    import re

    starts = (found.start() for found in re.finditer(re.escape(text), said))
    return any(
        not _goes_on(said[max(start - 1, 0) : start + 1])
        and not _goes_on(said[start + len(text) - 1 : start + len(text) + 1])
        for start in starts
    )


def _goes_on(pair: str) -> bool:
    """Whether two characters belong to one word."""
    return len(pair) == 2 and pair.isalnum() and max(pair) < _WITHOUT_SPACES


def _texts_in(details: str) -> list[str]:
    """The texts in some JSON, without its syntax; what is no JSON is a text itself."""
    try:
        parse_json(details)
    except ValueError:
        return [details]
    import re

    return [parse_json(text) for text in re.findall(_JSON_TEXT, details)]
