"""Postal addresses, as far as their form alone is telling: a number and a street named as one."""

from __future__ import annotations

import re

from .finding import PERSONAL, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HINTS = (
    " street", " avenue", " ave", " road", " rd", " lane", " blvd", "boulevard", " st.", " st,",
    "straße", "strasse", "str.", "gasse", "allee", " box ", " apt", "suite",
)  # fmt: skip
"""In lower case: a text with none of these has no address of a form we know."""

_PATTERNS = (
    r"\b[0-9]{1,5}[A-Za-z]? (?:[A-Z0-9][\w.'’-]* ){1,4}"
    r"(?:Street|Avenue|Road|Lane|Boulevard"
    r"|(?:St|Ave|Rd|Ln|Blvd|Dr|Ct)(?=\.|,| Apt| Suite|\s*\n))\b\.?",
    r"\b[0-9]{1,5} (?:[A-Z0-9][\w.'’-]* ){1,5}(?:Apt|Suite|Unit)\.? ?[0-9]{1,5}\b",
    r"\b[A-ZÄÖÜ][\wäöüß.-]{2,30}(?:straße|strasse|str\.|gasse|allee) ?[0-9]{1,4}[a-z]?\b",
    r"\b(?:PSC|Unit|CMR) [0-9]{3,5},? Box [0-9]{3,5}\s+(?:[AFD]PO) A[AEP] [0-9]{5}\b",
)
_compiled: list[re.Pattern[str]] = []


def postal(text: str) -> Iterator[Finding]:
    """Every postal address that its form gives away."""
    lower = text.lower()
    if not any(hint in lower for hint in HINTS):
        return
    if not _compiled:
        _compiled.extend(map(re.compile, _PATTERNS))
    for pattern in _compiled:
        for match in pattern.finditer(text):
            yield Finding(PERSONAL, "postal address", match.start(), match.end())
