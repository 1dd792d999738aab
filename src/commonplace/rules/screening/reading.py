"""Read a text for what may not be kept as it is. Cheap looks first: most texts hold nothing."""

from __future__ import annotations

import re

from .finding import Finding, apart, without

LONG_WORD = 16
"""No credential with a format of its own is shorter."""
SAID = ("pass", "pwd", "secret", "token", "key", "login", "parol", "пароль", "密码", "パスワード",
        "contraseña", "kennwort", " -u ", "--user", "://")  # fmt: skip
"""In lower case: words without which nothing shorter is called a secret."""

_NUMBERS = re.compile("[0-9](?:[ ().,/:-]{0,3}[0-9]){5}")
_ABOUT = ("birth", "born", "dob", "geboren", "passport", "licen", "::")


def screen(text: str) -> tuple[Finding, ...]:
    """Everything found in a text, in its order and without overlaps."""
    found = [*_credentials(text)]
    if _may_be_personal(text):
        from .personal import personal

        found += personal(text)
    return apart(found) if found else ()


def credentials_removed(text: str) -> str:
    """The text with a note in place of every credential, for logs and messages."""
    return without(text, apart(_credentials(text)))


def _credentials(text: str) -> list[Finding]:
    if max(map(len, text.split()), default=0) < LONG_WORD:
        lower = text.lower()
        if not any(word in lower for word in SAID):
            return []
    from .credentials import credentials

    return [*credentials(text)]


def _may_be_personal(text: str) -> bool:
    if "@" in text or _NUMBERS.search(text):
        return True
    lower = text.lower()
    return any(word in lower for word in _ABOUT)
