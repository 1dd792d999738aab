"""Find credentials: by their published formats, and where a text itself calls something secret."""

from __future__ import annotations

import re

from . import assignments
from .checksums import CHECKS
from .finding import CREDENTIAL, Finding
from .formats import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .formats import Format

_BEFORE = "(?<![A-Za-z0-9])"
_AFTER = "(?![A-Za-z0-9]|[_-][A-Za-z0-9])"
"""A longer run of letters is something else; a dash or an underscore may follow in a sentence."""

_compiled: dict[Format, re.Pattern[str]] = {}


def credentials(text: str) -> Iterator[Finding]:
    """Everything in a text that is a credential, perhaps overlapping."""
    for form in FORMATS:
        if any(anchor in text for anchor in form.anchors):
            yield from _of_format(form, text)
    yield from assignments.secrets(text)


def _of_format(form: Format, text: str) -> Iterator[Finding]:
    # Compiled when first needed: all of them together take as long as many recalls.
    pattern = _compiled.get(form)
    if pattern is None:
        pattern = _compiled[form] = re.compile(f"{_BEFORE}(?:{form.shape}){_AFTER}")
    for match in pattern.finditer(text):
        if not form.check or CHECKS[form.check](match.group()):
            yield Finding(CREDENTIAL, form.label, match.start(), match.end())
