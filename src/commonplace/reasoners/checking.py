"""Whether an answer of a model may be used: nothing lost, nothing added, no orders in it.

A memory may hold text that speaks to the model, and a model may answer with something it was told
elsewhere. What is not in the notes it was shown does not get into the book.
"""

from __future__ import annotations

import re

from ..rules.claims import denies
from ..rules.digest import framing
from ..rules.text import statements, tokens, words
from ..rules.text.stopwords import STOPWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

KEPT = 0.75
"""The share of a statement's telling words that must come back for it to count as kept."""
KNOWN = 0.6
"""The share of an answer's telling words that must be in what the model was shown."""
KNOWN_SENTENCE = 0.34
"""And of each of its sentences: one from elsewhere among many good ones is found too."""

_FIGURE = re.compile(r"https?://\S+|\S+@\S+\.\w+|\d[\d.,:/-]*\d|\d")
_STEERING = re.compile(
    r"(?i)\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|all|earlier|instructions?|rules?)\b"
    r"|\byou (?:are now|must now|will now|should now)\b|\b(?:system|developer) prompt\b"
    r"|\bas an ai\b|\bi(?:'m| am) (?:sorry|unable)\b|\bi can(?:no|')t (?:help|assist|comply)\b"
    r"|</?\s*(?:memory|system|assistant|tool|user)\b|\b(?:execute|run) (?:the )?following\b"
)


class Rejected(Exception):
    """The answer has the right shape and still may not be used."""


def unquoted(text: str) -> str:
    """An answer as it was meant, where it repeats the signs that quoting put into the notes."""
    plain = re.sub(r"[ \t]*⏎[ \t]*", "\n", text)
    for sign, character in (("&lt;", "<"), ("&#91;", "["), ("&#58;", ":")):
        plain = plain.replace(sign, character)
    return plain.strip()


def only_from(answer: str, sources: Sequence[str], *, known: float = KNOWN) -> None:
    """Refuse what is not in the sources: other texts, other numbers, orders, frames."""
    source = "\n".join(sources)
    if framing.is_echo(answer):
        raise Rejected("its answer imitates the frame")
    for found in _STEERING.finditer(answer):
        if found[0].casefold() not in source.casefold():
            raise Rejected("its answer holds instructions that the notes do not")
    # Numbers as the sources write them, since a wrong one looks like any other.
    figures = set(_FIGURE.findall(answer)) - set(_FIGURE.findall(source))
    if any(figure.rstrip(".,:/-") not in source for figure in figures):
        raise Rejected("its answer holds numbers or addresses that the notes do not")
    vocabulary = _telling(source)
    if _share(_telling(answer), vocabulary) < known:
        raise Rejected("its answer says what the notes do not")
    for sentence in statements.split(answer):
        telling = _telling(sentence.text)
        if len(telling) >= 4 and _share(telling, vocabulary) < min(known, KNOWN_SENTENCE):
            raise Rejected("its answer holds a sentence from elsewhere")


def summary(answer: str, text: str, budget_tokens: int) -> None:
    """Refuse a summary that is too long or says something else."""
    if len(answer) > len(text) or tokens.estimate(answer) > budget_tokens:
        raise Rejected("its summary is too long")
    only_from(answer, [text])


def merge(answer: str, changes: Sequence[str], newer: str, older: str) -> None:
    """Refuse a merge that loses a statement of the newer text, or silently one of the older."""
    only_from("\n".join((answer, *changes)), [newer, older], known=0.8)
    if len(answer) > len(newer) + len(older) + 200:
        raise Rejected("its merged note is longer than both")
    said = [one.text for one in statements.split(answer)]
    for one in statements.split(newer):
        if not _kept(one.text, said):
            raise Rejected("its merged note loses a statement")
    for one in statements.split(older):
        if not _kept(one.text, [*said, *changes]):
            raise Rejected("its merged note loses a statement")


def _kept(statement: str, said: Iterable[str]) -> bool:
    """Whether one of these says what the statement says, and does not deny it."""
    telling = _telling(statement)
    if not telling:
        return True
    figures = set(_FIGURE.findall(statement))
    return any(
        _share(telling, _telling(one)) >= KEPT
        and figures <= set(_FIGURE.findall(one))
        and denies(statement) == denies(one)
        for one in said
    )


def _telling(text: str) -> frozenset[str]:
    return frozenset(words.terms(text)) - STOPWORDS


def _share(terms: frozenset[str], of: frozenset[str]) -> float:
    return len(terms & of) / len(terms) if terms else 1.0
