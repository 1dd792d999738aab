"""`A, not B`: what a sentence says beside what it denies, in the languages that claims know."""

from __future__ import annotations

import re
from functools import lru_cache

from ...value import Value
from .vocabulary import NOBODY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SENTENCE_CHARACTERS = 400
"""A longer sentence is a story."""

_OTHER = r"(?P<other>[^,;:()，；：（）]{1,60}?)"
_NOT = re.compile(
    r"(?i)^(?P<head>.+?)(?:"
    r",\s+(?:(?:and|und|et|y)\s+)?(?:no longer|not|nicht(?: mehr)?|non pas|pas|ya no|no)\s+"
    r"|\s+(?:instead of|rather than|as opposed to|and not|statt|anstatt|anstelle von|und nicht"
    r"|au lieu de|plutôt que|et (?:non )?pas|en lugar de|en vez de|y no)\s+"
    r"|[，,]\s*而?(?:不是|不在|不叫|并非)|[，,]?\s*而(?:不是|不在|不叫|非)"
    rf"){_OTHER}$"
)
"""The port is 5433, not 5432."""
_BRACKETED = re.compile(
    r"(?i)^(?P<head>.+?)\s*[(（]"
    r"(?:(?:not|instead of|nicht|statt|pas|au lieu de|no|en vez de)\s+|不是)"
    rf"{_OTHER}[)）](?P<rest>.*)$"
)
_NOT_FIRST = re.compile(
    r"^(?P<topic>(?:[^、]*?[はが])?)(?P<other>[^はが、]{1,30}?)"
    r"(?:では?なく|じゃなく)て?、?(?P<rest>.+)$"
)
"""ポートは5432ではなく5433です。"""
_BUT = re.compile(rf"(?i)^(?P<head>.+?)(?:,\s+(?:sondern|sino|mais)\s+|[，,]?\s*而是){_OTHER}$")
"""Der Port ist nicht 5432, sondern 5433."""
_NO_CONTRAST = re.compile(
    r"(?i)(?:matter|only|just|yet|necessarily|always|all|at all|every|quite|sure|even|that|because"
    r"|since|if|when|until|unless|while|counting|including|to mention|so|too|very|much|many|one of"
    r"|nur|bloß|immer|alle|weil|wenn|seulement|toujours|sólo|solo|siempre)\b|[只仅]"
)
"""What goes on like this limits or explains what was said."""
_PLACED = re.compile(
    r"(?i)^(?:(?:in|at|on|to|for|by|bei|für|auf|nach|à|au|en|chez|pour|para)\s+|在)"
)
_CUE = re.compile(
    r"(?i)\b(?:no|not|instead|rather|opposed|nicht|statt|anstatt|anstelle|sondern|pas|lieu|plutôt"
    r"|mais|lugar|vez|sino)\b|[不非而]|なく"
)
"""Without one of these there is no contrast, and nothing to look for."""
_CLOSING = " \t\n.!。！"


class Contrast(Value):
    """A sentence without its contrast, and what it is contrasted with."""

    head: str
    other: str
    denied: bool = True
    """Whether the other is what is not so; after `not this, but` it is what is so."""


# A scan compares each sentence with many others.
@lru_cache(maxsize=4096)
def read(sentence: str) -> Contrast | None:
    """The contrast that a sentence draws, if it draws one about its end."""
    plain = sentence.strip(_CLOSING)
    if len(plain) > SENTENCE_CHARACTERS or not _CUE.search(plain):
        return None
    if (found := _NOT.match(plain)) and not _NO_CONTRAST.match(found["other"]):
        return Contrast(found["head"], _PLACED.sub("", found["other"]))
    if (found := _BRACKETED.match(plain)) and not _NO_CONTRAST.match(found["other"]):
        return Contrast(found["head"] + found["rest"], _PLACED.sub("", found["other"]))
    if found := _NOT_FIRST.match(plain):
        return Contrast(found["topic"] + found["rest"], found["other"])
    if found := _BUT.match(plain):
        return Contrast(found["head"], _PLACED.sub("", found["other"]), denied=False)
    return None


def asserted(sentence: str) -> str:
    """A sentence without what it denies in passing."""
    found = read(sentence)
    return found.head if found is not None and found.denied else sentence


def denies(sentence: str, other: str) -> bool:
    """Whether a sentence says what another one says, word for word, but for what it denies.

    `We ship from main, not master` denies `We ship from master`, whatever the verb means.
    """
    found = read(sentence)
    if found is None or not found.denied:
        return False
    head, plain = found.head.casefold(), other.strip(_CLOSING).casefold()
    return any(
        head.startswith(before) and head.endswith(after) and len(head) > len(before + after)
        for before, after in _around(found.other.casefold(), plain)
        if _names_something(before)
    )


def _around(part: str, text: str) -> Iterator[tuple[str, str]]:
    """What stands before and after a part of a text, wherever it is a word of its own."""
    for found in re.finditer(re.escape(part), text):
        before, after = text[: found.start()], text[found.end() :]
        apart = not part.isascii() or not re.search(r"[a-z\d_]$", before)
        if apart and (not part.isascii() or not re.match(r"[a-z\d_]", after)):
            yield before, after


def _names_something(before: str) -> bool:
    """Whether a sentence that begins so is about something that another one could mean, too."""
    words = before.split()
    return bool(words) and words[0] not in NOBODY
