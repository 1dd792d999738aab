"""Tell a count of what there is from an amount that something takes.

`I've got 42 Gravenstein trees` says how many there are. `We'll blend 80 percent Discovery and 20
Gravenstein`, `20 Gravenstein per batch` and `the recipe takes 3 eggs` say how much goes somewhere:
however many words they share, they do not change the count.
"""

from __future__ import annotations

import re

from ...language.words import telling_terms
from ..faults.histories import tells_of_event
from ..talk.value_words import COUNTED, UNIT_WORDS
from .slots import is_given_number, lone_figure

_FIGURE = re.compile(rf"(?i)(?<![\w.,:/-])(?:\d+(?:[.,]\d+)*|{COUNTED})(?![\w:/]|[.,]\d)")
_UNIT = re.compile(rf"(?i) ?{UNIT_WORDS}")
_RATE = re.compile(r"(?i)(?: [\w'-]+){0,4}? (?:per|each|apiece)\b")
_JOINED = re.compile(r"(?i)(?:[ ,]+[\w'-]+){1,4}? (?:and|or|plus) $|(?:[ ,]+[\w'-]+){1,3}?, $")
"""Stands between an amount and one that has the same unit: `80 percent Discovery and 20 …`."""
_HAS = r"\b(?:(?:have|has|had|'ve)(?: got)?|got|own(?:s|ed)?|there(?:'s| is| are| was| were))\b"
_THERE_IS = re.compile(f"(?i){_HAS}")
_HAS_AT_END = re.compile(rf"(?i){_HAS}(?: \w+){{0,2}} $")
_LIMITS = re.compile(r"(?i)\b(?:can|may|must|up to|at most|at least|limit|each|every|per)\b")
"""Tells how many there may be, or for each of several."""
_A_UNIT = re.compile(rf"(?i)(?<![\w-]){UNIT_WORDS}")
_HAS_TO = re.compile(r"(?i)\b(?:have|has|had|'ve got|got) to\b")
_TAKES = re.compile(
    r"(?i)\b(?:needs?|needed|takes?|uses?|using|requires?|calls? for|blend(?:s|ed)?|mix(?:es|ed)?"
    r"|goes into|go into|add(?:s|ed)?|puts?|serves?|orders?|ordered)\b"
)
_CHANGES = re.compile(
    r"(?i)\b(?:now|no longer|any ?more|left|instead|only|lost|sold|died|remain\w*|in total"
    r"|actually|not)\b|n't\b"
)


def may_be_new_value(newer: str, older: str) -> bool:
    """Whether one number by which alone two texts differ may be a new value of the same thing.

    It is if it has a unit, or is what the thing is said to be. Numbers of events are counted anew
    each time: `Donated 20 euros`.
    """
    found = lone_figure(newer, older)
    if found is None or tells_of_event(newer):
        return False
    words, at = found
    after = " ".join(words[at + 1 : at + 2])
    return is_given_number(words, at) or (at > 0 and _A_UNIT.fullmatch(after) is not None)


def amount_of_else(newer: str, older: str) -> bool:
    """Whether a text tells what something takes, and the older one how many there are."""
    if not _counts_what_is(older) or _CHANGES.search(newer) or "can " in newer:
        return False
    found = list(_FIGURE.finditer(newer))
    if not found or _states_having(newer):
        return False
    return bool(_TAKES.search(newer)) or all(_measured(newer, found))


def _counts_what_is(text: str) -> bool:
    """Whether a text tells how many of some things there are, by figures without a unit."""
    found = _FIGURE.search(text)
    if not found or _LIMITS.search(text) or _A_UNIT.search(text):
        return False
    lead = text[: found.start()]
    return _HAS_AT_END.search(_plain(lead)) is not None and bool(telling_terms(text[found.end() :]))


def _states_having(text: str) -> bool:
    return _THERE_IS.search(_plain(text)) is not None


def _plain(text: str) -> str:
    return _HAS_TO.sub("", text.replace("’", "'"))


def _measured(text: str, found: list[re.Match[str]]) -> list[bool]:
    """For each figure whether it has a unit or is a rate; joined to such a one, it is alike."""
    made: list[bool] = []
    for at, one in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        own = bool(_UNIT.match(text, one.end()) or _RATE.match(text[one.end() : end]))
        joined = at > 0 and made[-1] and _JOINED.match(text[found[at - 1].end() : one.start()])
        made.append(own or bool(joined))
    for at in range(len(found) - 2, -1, -1):
        # `20 Gravenstein and 10 Elstar per batch`: the rate stands after the last one.
        between = text[found[at].end() : found[at + 1].start()]
        made[at] = made[at] or (made[at + 1] and _JOINED.match(between) is not None)
    return made
