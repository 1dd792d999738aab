"""Find the credentials and personal data of a text.

Cheap checks come first, because most texts hold neither; detectors are imported only when a text
gives a reason.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..parameters import ScreeningPolicy
    from .findings import Finding

LONG_WORD = 16
"""No credential with a format of its own is shorter."""
SECRET_HINTS = (
    "pass", "pwd", "pw", "secret", "token", "key", "basic", "parol", "пароль", "密码", "パスワード",
    "contraseña", "kennwort", "-u ", "--user", "://",
)  # fmt: skip
"""Lower-case hints; a text without one and without a long word holds no secret."""
PERSONAL_HINTS = (
    "birth", "born", "dob", "geboren", "passport", "licen", "::", " street", " avenue", " road",
    " ave", " blvd", "boulevard", "straße", "strasse", "str.", "gasse", "allee", " box ", " apt",
)  # fmt: skip
"""Lower-case hints; a text without one, a long number or an @ holds no personal data."""

_LONG_NUMBER = "[0-9](?:[A-Za-z ().,/:+-]{0,3}[0-9]){5}"


def screen(text: str) -> tuple[Finding, ...]:
    """Everything found in a text, in its order and without overlaps."""
    found = _credentials(text)
    if _may_be_personal(text):
        from .personal_data import find_personal_data

        found += find_personal_data(text)
    if not found:
        return ()
    from .findings import without_overlaps

    return without_overlaps(found)


def credentials_removed(text: str) -> str:
    """The text with a note in place of every credential, for logs and messages."""
    found = _credentials(text)
    if not found:
        return text
    from .findings import redacted_text, without_overlaps

    return redacted_text(text, without_overlaps(found))


def loggable(text: str, policy: ScreeningPolicy) -> str:
    """The text as a log may keep it: without credentials, and without what policy keeps out."""
    if policy.personal not in ("redact", "block"):
        return credentials_removed(text)
    from .findings import redacted_text

    return redacted_text(text, screen(text))


def _credentials(text: str) -> list[Finding]:
    found: list[Finding] = []
    long = max(map(len, text.split()), default=0) >= LONG_WORD
    if long:
        from .credentials import find_credentials

        found += find_credentials(text)
    lower = text.lower()
    if long or any(map(lower.__contains__, SECRET_HINTS)):
        from .secrets_in_context import find_secrets

        found += find_secrets(text)
    return found


def _may_be_personal(text: str) -> bool:
    import re

    if "@" in text or re.search(_LONG_NUMBER, text):
        return True
    lower = text.lower()
    return any(map(lower.__contains__, PERSONAL_HINTS))
