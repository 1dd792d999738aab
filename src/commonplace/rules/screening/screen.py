"""Find the credentials and personal data of a text.

Cheap checks come first, because most texts hold neither; detectors are imported only when a text
gives a reason.
"""

from __future__ import annotations

from .hints import reasons
from .lazy_pattern import lazy, odd_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..parameters import ScreeningPolicy
    from .findings import Finding

LONG_WORD = 16
"""No credential with a format of its own is shorter."""
JOINT_HINTS = ("\n", '" ', "' ", '"+', "'+", "><")
"""Where a token may be broken into two."""

_NUMERAL = lazy(
    r"\b(?:two|three|four|five|six|seven|eight|nine|zwei|drei|vier|deux|trois|sept"
    r"|huit|dos|tres|siete|due|tre|sette|dois|oito|twee|zes|zeven|dwa|trzy)\b"
)
_ODD_WORD = odd_word(2, 3)
_DIGITS = "[0-9](?:[A-Za-z ().,/:+-]{0,3}[0-9]){5}"
_LONG_NUMBER = lazy(_DIGITS)
_PERSONS_NUMBER = lazy(rf"{_DIGITS}|[A-Z](?=[A-Z0-9]{{0,6}}[0-9])[A-Z0-9]{{7}}")


def screen(text: str) -> tuple[Finding, ...]:
    """Everything found in a text, in its order and without overlaps."""
    lower = text.lower()
    why = reasons(lower)
    found = _secrets(text, lower, why)
    if "personal" in why or "@" in text or ("digit" in why and _LONG_NUMBER.search(text)):
        from .personal_data import find_personal_data

        found += find_personal_data(text)
    if not found:
        return ()
    from .findings import without_overlaps

    return without_overlaps(found)


def credentials_removed(text: str) -> str:
    """The text with a note in place of every credential and identity number, for messages."""
    lower = text.lower()
    found = _secrets(text, lower, reasons(lower))
    if not found:
        return text
    from .findings import PERSONAL, redacted_text, without_overlaps

    return redacted_text(text, without_overlaps(one for one in found if one.kind != PERSONAL))


def loggable(text: str, policy: ScreeningPolicy) -> str:
    """The text as a log may keep it: without credentials, and without what policy keeps out."""
    removed = ("redact", "block")
    if policy.personal not in removed and policy.identity in removed:
        return credentials_removed(text)
    from .findings import IDENTITY, PERSONAL, redacted_text

    kept = {
        kind
        for kind, action in ((PERSONAL, policy.personal), (IDENTITY, policy.identity))
        if action not in removed
    }
    return redacted_text(text, [one for one in screen(text) if one.kind not in kept])


def _secrets(text: str, lower: str, why: set[str]) -> list[Finding]:
    """Credentials, cards and identity numbers, perhaps overlapping."""
    found = list(_seen(text, lower, why))
    if not text.isascii() or "%" in text or "\\" in text or "&#" in text:
        from .disguises import undisguised

        if view := undisguised(text):
            lower = view.text.lower()
            found += view.original(_seen(view.text, lower, reasons(lower)))
    if any(map(text.__contains__, JOINT_HINTS)):
        from .credential_formats import find_split_credentials

        found += find_split_credentials(text)
    if "digit" in why and _PERSONS_NUMBER.search(text):
        from .personal_data import find_numbers

        found += find_numbers(text)
    return found


def _seen(text: str, lower: str, why: set[str]) -> Iterator[Finding]:
    long = max(map(len, text.split()), default=0) >= LONG_WORD
    if long:
        from .credential_formats import find_credentials

        yield from find_credentials(text)
    if long or "syntax" in why:
        from .secrets_in_syntax import find_secrets

        yield from find_secrets(text)
    if _may_tell(text, lower, why):
        yield from _told(text)


def _told(text: str) -> Iterator[Finding]:
    """Secrets told in sentences, tables and lists of words."""
    from .findings import in_parts
    from .listed_secrets import find_listed_secrets
    from .secrets_in_sentences import find_spoken_secrets

    yield from in_parts(text, find_spoken_secrets)
    yield from in_parts(text, find_listed_secrets)


def _may_tell(text: str, lower: str, why: set[str]) -> bool:
    """Whether a sentence may tell a password, a code or a list of words."""
    return bool(
        "spoken" in why
        or ("code" in why and ("digit" in why or _NUMERAL.search(lower)))
        or ("opening" in why and _ODD_WORD.search(text))
    )
