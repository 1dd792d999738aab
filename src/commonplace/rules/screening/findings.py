"""Findings in a text, and the text with them redacted."""

from collections.abc import Callable, Iterable, Iterator

from ...model.value import Value

CREDENTIAL, IDENTITY, PERSONAL = "credential", "identity", "personal"


class Finding(Value):
    """Something in a text that may not be for everybody. It says where, and never repeats it."""

    kind: str
    """credential, identity (a number that a state gives a person) or personal."""
    label: str
    """A label for a person: AWS access key, e-mail address, …"""
    start: int
    end: int


def without_overlaps(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in text order; of two that overlap, the credential or the longer one stays."""
    from bisect import bisect

    kept: list[Finding] = []
    starts: list[int] = []
    for one in sorted(found, key=lambda one: (one.kind, one.start - one.end, one.start)):
        at = bisect(starts, one.start)
        after_last = at == 0 or kept[at - 1].end <= one.start
        if after_last and (at == len(kept) or one.end <= starts[at]):
            kept.insert(at, one)
            starts.insert(at, one.start)
    return tuple(kept)


def in_parts(text: str, find: Callable[[str], Iterable[Finding]]) -> Iterator[Finding]:
    """The findings in each part of a text: a null character ends a field, and its sentence."""
    start = 0
    for part in text.split("\0"):
        for one in find(part):
            yield one.but(start=one.start + start, end=one.end + start)
        start += len(part) + 1


def redacted_text(text: str, found: Iterable[Finding]) -> str:
    """The text with a note in place of each finding."""
    pieces: list[str] = []
    last = 0
    for one in found:
        pieces += [text[last : one.start], f"[{one.label} removed]"]
        last = one.end
    return "".join((*pieces, text[last:]))


# Shapes that several tables use, as regular expressions.


UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
