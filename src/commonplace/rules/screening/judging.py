"""Whether what stands where a secret would stand is one, or a placeholder, a name, a date.

Patterns are compiled by their first use: most texts need none of them.
"""

from __future__ import annotations

import re

from .shapes import UUID

_PLACEHOLDER = (
    r"(?i)^(?:[*•.x#_-]{3,}|\$[\w({].*|%\w+%|\{\{?.*|<.*|\[.*|&\w.*|"
    r"(?:your|my|the|some|an?|example|sample|dummy|fake|test|placeholder|changeme|change[_-]me)"
    r"(?:[_.-].*|\d*)|"
    r"redacted.*|removed.*|hidden|masked|secret|pass|password|passwd|pwd|token|none|null|nil|undefined|"
    r"true|false|required|optional|string|str|bytes|sealed:.*|"
    r"(?:os|process|env|config|settings|self|options|args|params|secrets|vault|req|request|ctx)"
    r"[.\[(].*|(?:get|read|load|fetch|input|prompt|getpass|lookup|ref|file|env|op|arn):.*|"
    r"[\w.]+\(.*|(?:~|\.{0,2})/.*|[a-z]:\\.*|https?://.*)$"
)
_WORDS = r"[^\W\d_]+(?:[-'’/.][^\W\d_]+)*"
_COUNT = r"(?i)\d+[-–.:%]?[a-z]*"
_MAIL = r"(?i)[^@]+@[^@]+\.[a-z]{2,}"
_NAME = r"[A-Za-z]+(?:[._-]+[A-Za-z]+\d{0,3})*"
_DATA = r"\d{4}-\d{2}-\d{2}.*|v?\d+(?:\.\d+)+.*|[a-z]+(?:-[a-z0-9]+)+"


def is_filled_in(value: str) -> bool:
    """Not a placeholder, a variable or a path."""
    return not re.match(_PLACEHOLDER, value)


def is_quoted(value: str) -> bool:
    """A quoted password: anything but a sentence or a placeholder."""
    return is_filled_in(value) and " " not in value.strip()


def is_password(value: str) -> bool:
    """A bare password, rather than the next word of a sentence."""
    if len(value) < 4 or not is_filled_in(value) or re.fullmatch(_MAIL, value):
        return False
    return not re.fullmatch(_WORDS, value) or _has_inner_capitals(value)


def is_spoken(value: str) -> bool:
    """The same in `the password is …`, where counts and names of things follow more often."""
    return is_password(value) and not re.fullmatch(_COUNT, value) and not re.fullmatch(_NAME, value)


def is_token(value: str) -> bool:
    """A secret without a format of its own has letters and digits, and is no name, date or path."""
    if not is_filled_in(value) or re.fullmatch(_NAME, value) or re.fullmatch(_MAIL, value):
        return False
    if not any(c.isdigit() for c in value) or not any(c.isalpha() for c in value):
        return False
    return not re.fullmatch(_DATA, value) or bool(re.match(UUID, value))


def is_basic(value: str) -> bool:
    """What follows `Basic` in a header is `user:password`."""
    import base64

    try:
        said = base64.b64decode(value, validate=True).decode()
    except ValueError:
        return False
    return ":" in said and said.isprintable()


def is_bearer(value: str) -> bool:
    """A token, rather than `bearer authentication`."""
    return is_filled_in(value) and any(c.isdigit() for c in value)


def _has_inner_capitals(value: str) -> bool:
    """As in `korrectHorseBattery`, but not `README` or `GitHub`."""
    return len(value) >= 8 and not value.isupper() and sum(c.isupper() for c in value[1:]) >= 2
