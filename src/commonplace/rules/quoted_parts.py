"""Put right the part of a sentence that somebody quotes, and leave what else the sentence says."""

from __future__ import annotations

from ..language.words import telling_terms
from ..model.lazy_pattern import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_CHARACTERS = 8
"""Shorter words are too common to be meant as a quotation, …"""
LEAST_WORDS = 2
"""… and a single word names what a memory is about; …"""
LEAST_UNSPACED = 4
"""… but this many signs of a script without spaces are several words."""
_ENDS = " \t\n.,;:!?。！？"


def quoted_part(sentence: str, quoted: str) -> str:
    """The words of a sentence that are quoted, as they stand there, if it tells more than these."""
    bare = quoted.strip(_ENDS)
    few = len(bare) < LEAST_CHARACTERS or len(bare.split()) < LEAST_WORDS
    if few and (bare.isascii() or len(bare) < LEAST_UNSPACED or " " in bare):
        return ""
    spaced = r"\s+".join(lazy(r"(\W)").sub(r"\\\1", word) for word in bare.split())
    opens = r"(?<!\w)" if bare[0].isascii() else ""
    closes = r"(?!\w)" if bare[-1].isascii() else ""
    found = lazy(f"(?i){opens}{spaced}{closes}").search(sentence)
    if not found:
        return ""
    rest = f"{sentence[: found.start()]} {sentence[found.end() :]}"
    return found[0] if telling_terms(rest) - telling_terms(bare) else ""


def with_part_replaced(sentence: str, part: str, right: str) -> str:
    """The sentence with what is right in the place of the quoted part.

    Empty if that is the sentence anew: it says the rest as well, or goes on after all of the part.
    """
    at = sentence.index(part)
    before, after = sentence[:at], sentence[at + len(part) :]
    said = right.strip().rstrip(_ENDS)
    old, new = part.split(), said.split()
    lead = before.split()[-1:]
    if lead and new and new[0].casefold() == lead[0].casefold() != old[0].casefold():
        new = new[1:]
    rest = telling_terms(f"{before} {after}") - telling_terms(part)
    same = _same_words(old, new) + _same_words(old[::-1], new[::-1])
    goes_on = _same_words(old, new) == len(old)
    if not new or rest & telling_terms(said) or not same or goes_on or len(new) > 2 * len(old):
        return ""
    if new[0].casefold() == old[0].casefold():
        new[0] = old[0]
    elif not before.strip():
        new[0] = f"{new[0][:1].upper()}{new[0][1:]}"
    return f"{before}{' '.join(new)}{after}"


def _same_words(old: Sequence[str], new: Sequence[str]) -> int:
    """With how many words both begin."""
    alike = 0
    for one, other in zip(old, new, strict=False):
        if one.casefold() != other.casefold():
            break
        alike += 1
    return alike
