"""What in a text may not be kept as it is: credentials, and data about a person.

Cheap looks come first, because most texts hold nothing; the detectors, and even the words for what
they find, are loaded when a text gives a reason to.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..parameters import ScreeningPolicy
    from .findings import Finding

LONG_WORD = 16
"""No credential with a format of its own is shorter."""
SAID = (
    "pass", "pwd", "pw", "secret", "token", "key", "basic", "parol", "пароль", "密码", "パスワード",
    "contraseña", "kennwort", "-u ", "--user", "://",
)  # fmt: skip
"""In lower case: without one of these, nothing shorter is called a secret."""
ABOUT = (
    "birth", "born", "dob", "geboren", "passport", "licen", "::", " street", " avenue", " road",
    " ave", " blvd", "boulevard", "straße", "strasse", "str.", "gasse", "allee", " box ", " apt",
)  # fmt: skip
"""Words, beside long numbers and @, without which a text says nothing we know of a person."""

_LONG_NUMBER = "[0-9](?:[A-Za-z ().,/:+-]{0,3}[0-9]){5}"


def screen(text: str) -> tuple[Finding, ...]:
    """Everything found in a text, in its order and without overlaps."""
    found = _credentials(text)
    if _may_be_personal(text):
        from .personal_data import personal

        found += personal(text)
    if not found:
        return ()
    from .findings import apart

    return apart(found)


def credentials_removed(text: str) -> str:
    """The text with a note in place of every credential, for logs and messages."""
    found = _credentials(text)
    if not found:
        return text
    from .findings import apart, without

    return without(text, apart(found))


def loggable(text: str, policy: ScreeningPolicy) -> str:
    """The text as a log may keep it: without credentials, and without what policy keeps out."""
    if policy.personal not in ("redact", "block"):
        return credentials_removed(text)
    from .findings import without

    return without(text, screen(text))


def _credentials(text: str) -> list[Finding]:
    found: list[Finding] = []
    long = max(map(len, text.split()), default=0) >= LONG_WORD
    if long:
        from .credentials import credentials

        found += credentials(text)
    lower = text.lower()
    if long or any(map(lower.__contains__, SAID)):
        from .secrets_in_context import secrets

        found += secrets(text)
    return found


def _may_be_personal(text: str) -> bool:
    import re

    if "@" in text or re.search(_LONG_NUMBER, text):
        return True
    lower = text.lower()
    return any(map(lower.__contains__, ABOUT))
