"""Settle what rules and the judge say of two texts.

The judge decides, because meaning is not in the words. Rules stay where they are exact: they keep
texts apart that differ in a number, a name or a negation, and they speak alone where no model is.
"""

from __future__ import annotations

import re

from ...language import statements
from ...language.words import telling_terms
from ...model import identity
from ...ports.reasoner import Judged
from . import differences
from .amounts import amount_of_else, may_be_new_value
from .claims import INDEFINITE_SUBJECT
from .clauses import split_clauses
from .slots import (
    exact_change,
    is_piece,
    leaves_out,
    leaves_out_clause,
    may_have_several,
    other_complement,
    other_number,
    other_thing,
    same_slot,
    says_all_of,
    turned_round,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...ports.reader import Related

REPLACES = 0.925
"""From this likelihood on a newer text replaces an older one without a question, …"""
CEILING = 0.95
"""Likelihoods above this are not told apart: labels were smoothed by the rest in training."""
DOUBTFUL = 0.8
"""… and from this one on a person is asked."""
ASKED_AT_MOST, LEFT_AT_MOST = REPLACES - 0.01, 0.4
LIKELY = 0.5
"""Enough where both texts fill one slot."""
PERHAPS = 0.15
"""Enough to be compared further where a user says it in a conversation."""
SAME = 0.85
SURE = 0.7
"""The certainty that counts as `gates.sure`, on the scale of `Judged.sure`."""
REFUTED = 0.15
"""Below this likelihood rules that find a change are wrong: of 178 pairs of the training data that
are equal but for one figure, the 177 changes lie above it, and the one that is none below."""
LITTLE_SHARED, FEW_WORDS = 1 / 3, 8
"""Texts of more telling words than a few speak of one thing only if they share so many of them."""
PART, MOST_PARTS = 0.05, 4
"""From this likelihood on the parts of a note are read one by one, if it has no more."""
LONGEST_READ = 700
"""Characters; of a longer text the judge would read a part."""
LEAST_PROSE, LEAST_DIFFERENT = 20, 0.4
"""A text of so many words is no prose to read if less than this share of its words differ."""
_FORBIDS = re.compile(r"(?i)\W*(?:please )?(?:never|don't|do not|no|avoid|stop)\b")
"""Prohibitions: one for one day does not end one for another day."""
_GOING_ON = re.compile(
    r"(?i)\b(?:is|are|isn't|aren't|being)(?: [\w-]+){0,3}? \w+ing\b|^there (?:is|are)\b"
)
_NAMED = re.compile(r"(?<=.)[A-Z]")
_OURS = re.compile(r"(?i)\d|\b(?:i|we|my|our|me|us|user|your?)\b")


_ONE_OFF = re.compile(
    r"(?i)(?<!from )(?<!since )(?<!of )(?<!until )(?<!starting )"
    r"\b(?:today|tonight|tomorrow|yesterday|last night"
    r"|this (?:week|weekend|month|time|once|morning|afternoon|evening"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|just (?:this )?once)\b(?! on\b)"
)


_MONTH_OR_YEAR = (
    r"(?:the |early |late |mid-?)?(?:january|february|march|april|may|june|july|august|september"
    r"|october|november|december|20\d\d|spring|summer|autumn|fall|winter)\b"
)
_PAST = re.compile(
    rf"(?i)^until {_MONTH_OR_YEAR}|\b(?:was|were|had|ran|used)\b.* before {_MONTH_OR_YEAR}"
)
_BOUND = re.compile(
    r"(?i)\b(?:above|over|below|under|beyond|at least|at most|(?:no )?(?:less|more|fewer) than"
    r"|up to|between|within) (?:\w+ )?[\d.,]*\d"
)
"""`A port above 8000` and `port 9090` may both hold."""

_INSTEAD = re.compile(r"(?i)\b(?:instead of|in place of|no longer) ([^,.;:!?]+)")


def _is_one_off(newer: str, older: str) -> bool:
    """Whether a text tells of one occasion, which ends no habit."""
    return bool(_ONE_OFF.search(newer)) and not _ONE_OFF.search(older)


def _looks_back(newer: str, older: str) -> bool:
    """Whether a text tells how it was until a day, which ends nothing that holds since."""
    return bool(_PAST.search(newer)) and not _PAST.search(older)


def _is_scene(text: str) -> bool:
    """Whether a sentence shows something unnamed, or somebody unnamed doing something."""
    if _OURS.search(text):
        return False
    return bool(
        INDEFINITE_SUBJECT.match(text) or (_GOING_ON.search(text) and not _NAMED.search(text))
    )


def _is_prose(text: str) -> bool:
    """Whether a text says something, and does not repeat a few words over and over."""
    words = text.lower().split()
    return len(words) < LEAST_PROSE or len(set(words)) >= LEAST_DIFFERENT * len(words)


def _can_be_read(*texts: str) -> bool:
    return all(len(one) <= LONGEST_READ and _is_prose(one) for one in texts)


def settle_by_words(by_rule: Judged, newer: str, older: str) -> Judged | None:
    """The verdict where words alone tell it; None if a model should be asked.

    They do of equal texts, of texts that say the same of two things or of which one only says more,
    of what is too long or too repetitive to be read, and of scenes: `A man plays the guitar` tells
    of some man, and the next may tell of another.
    """
    wordless = differences.is_wordless(newer) or differences.is_wordless(older)
    if wordless or (by_rule.relation == "same" and by_rule.sure == 1.0):
        return by_rule
    if not _can_be_read(newer, older) or (_is_scene(newer) and _is_scene(older)):
        return by_rule
    claimed = by_rule.relation == "contradicts"
    if not claimed and _FORBIDS.match(newer) and _FORBIDS.match(older):
        return Judged("unrelated", 1.0, "")
    if (
        amount_of_else(newer, older)
        or (other_number(newer, older) and not (claimed or may_be_new_value(newer, older)))
        or (not claimed and other_complement(newer, older))
        or (other_thing(newer, older) and not same_slot(newer, older))
    ):
        return Judged("unrelated", 1.0, "")
    if not claimed and _one_says_more(newer, older):
        return Judged("refines", 1.0, "One of them says more about the same thing.")
    return None


def without_shared_sentences(newer: str, older: str) -> tuple[str, str]:
    """Return both texts without the sentences that they share word for word.

    Both as they are where they share no sentence, or where one says all of the other.
    """
    first, second = statements.sentences(newer), statements.sentences(older)
    said = [_said_in(newer), _said_in(older)]
    mine = [one for one in first if identity.normalized(one) not in said[1]]
    others = [one for one in second if identity.normalized(one) not in said[0]]
    if not mine or not others or len(mine) == len(first):
        return newer, older
    return " ".join(mine), " ".join(others)


def _plain_words(text: str) -> list[str]:
    return [word.strip(".,;!") for word in text.casefold().split()]


def _said_in(text: str) -> set[str]:
    return {identity.normalized(one) for one in statements.sentences(text)}


def _one_says_more(newer: str, older: str) -> bool:
    """Whether one text is the other with more words, which is no change of anything."""
    if says_all_of(newer, older) or says_all_of(older, newer):
        return True
    first, second = _said_in(newer), _said_in(older)
    if first and second and (first <= second or second <= first):
        return True
    shorter, longer = sorted((newer, older), key=len)
    if leaves_out_clause(shorter, longer):
        return True
    return leaves_out(shorter, longer) and not differences.find_difference(newer, older)


def parts_to_read(older: str, read: Related) -> tuple[str, ...]:
    """The statements or clauses of a note, one of which may have changed."""
    if not PART <= read.replaces < REPLACES:
        return ()
    said = [one.text for one in statements.split(older) if not one.heading]
    parts = said if len(said) > 1 else [one.text for one in split_clauses(older)]
    return tuple(parts) if 1 < len(parts) <= MOST_PARTS else ()


def settle(by_rule: Judged, read: Related, newer: str, older: str, *, said: bool = False) -> Judged:
    """How a newer text stands to an older one: same, contradicts, refines or unrelated.

    `said` tells that the newer one was said in answer to something.
    """
    replaces = min(read.replaces, CEILING)
    if turned_round(newer, older):
        # In the same words it is a change of mind; else what they are compared for may differ.
        same_words = sorted(_plain_words(newer)) == sorted(_plain_words(older))
        replaces = max(replaces, REPLACES if same_words else ASKED_AT_MOST)
    exact = exact_change(newer, older) and read.replaces >= REFUTED
    if exact or (
        replaces >= LIKELY and (same_slot(newer, older) or _names_what_ends(newer, older))
    ):
        replaces = max(replaces, REPLACES)
    elif (
        may_have_several(newer, older)
        or _is_one_off(newer, older)
        or _looks_back(newer, older)
        or (not said and _speak_of_two_things(newer, older))
    ):
        replaces = min(replaces, LEFT_AT_MOST)
    elif other_number(newer, older) or (is_piece(newer) and is_piece(older)):
        replaces = min(replaces, ASKED_AT_MOST)
    if bool(_BOUND.search(newer)) != bool(_BOUND.search(older)):
        replaces = min(replaces, ASKED_AT_MOST)
    if by_rule.relation == "contradicts" and replaces >= REFUTED:
        return by_rule.but(sure=max(by_rule.sure, _sure(replaces)))
    if replaces >= (PERHAPS if said else DOUBTFUL):
        return Judged("contradicts", _sure(replaces), _words(newer, older))
    if read.same >= SAME and not differences.find_difference(newer, older):
        return Judged("same", read.same, "They say the same in other words.")
    if read.adds >= max(read.other, read.same):
        return Judged("refines", read.adds, "The newer one says more about the same thing.")
    return Judged("unrelated", read.other, "")


def _names_what_ends(newer: str, older: str) -> bool:
    """Whether the newer text says what no longer holds, in words of the older one."""
    ended = _INSTEAD.search(newer)
    gone = telling_terms(ended[1]) if ended else frozenset[str]()
    return bool(gone) and gone <= telling_terms(older)


def _speak_of_two_things(newer: str, older: str) -> bool:
    """Whether two notes have little more in common than the project they are about.

    The judge has read few notes as long as those that agents write, and takes many for a change.
    """
    first, second = telling_terms(newer), telling_terms(older)
    shorter = min(len(first), len(second))
    return shorter > FEW_WORDS and len(first & second) < LITTLE_SHARED * shorter


def _sure(likelihood: float) -> float:
    """A likelihood on the scale of settings, where `SURE` is enough."""
    if likelihood < REPLACES:
        return SURE * likelihood / REPLACES
    return SURE + (1 - SURE) * (likelihood - REPLACES) / (1 - REPLACES)


def _words(newer: str, older: str) -> str:
    return f"“{_short(newer)}” or, as before, “{_short(older)}”"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99].rstrip()}…"
