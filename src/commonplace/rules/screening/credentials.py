"""Find credentials by their published formats."""

from __future__ import annotations

import re

from .checksums import CHECKS
from .finding import CREDENTIAL, Finding
from .formats import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BEFORE = "(?<![A-Za-z0-9])"
_AFTER = "(?![A-Za-z0-9]|[_-][A-Za-z0-9])"
"""A longer run of letters is something else; a dash or an underscore may follow in a sentence."""
_RUN = re.compile(r"\S{16,}")
"""No format has a space or is shorter, so the rest of a text need not be looked at."""

_ANCHORS = tuple((anchor, place) for place, form in enumerate(FORMATS) for anchor in form.anchors)
_compiled: list[re.Pattern[str] | None] = [None] * len(FORMATS)


def credentials(text: str) -> Iterator[Finding]:
    """Everything in a text that is a credential, perhaps overlapping."""
    for run in _RUN.finditer(text):
        yield from _of_formats(run.group(), run.start())


def _of_formats(run: str, start: int) -> Iterator[Finding]:
    for place in {place for anchor, place in _ANCHORS if anchor in run}:
        form = FORMATS[place]
        # Compiled when first needed: all of them together take as long as many recalls.
        pattern = _compiled[place]
        if pattern is None:
            pattern = _compiled[place] = re.compile(f"{_BEFORE}(?:{form.shape}){_AFTER}")
        for match in pattern.finditer(run):
            if not form.check or CHECKS[form.check](match.group()):
                yield Finding(CREDENTIAL, form.label, start + match.start(), start + match.end())
