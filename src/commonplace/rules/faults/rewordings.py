"""Tell that two statements say the same in another order, or one actively and one passively."""

from __future__ import annotations

import re
from collections import Counter

from ...language import words
from ..relations.differences import is_wordless, signs_differ, text_features

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..relations.differences import TextFeatures

ENOUGH_WORDS = 6
"""Telling words from which on no other order of them says something else."""
LEAST_WORDS, MOST_ADDED = 3, 3
"""Words of the shorter statement, and those that the longer one has besides."""
_PARTICIPLES = """
led:lead ran:run run:run wrote:write written:write built:build rebuilt:rebuild bought:buy sold:sell
kept:keep held:hold made:make paid:pay taught:teach took:take taken:take gave:give given:give
sent:send found:find chose:choose chosen:choose drove:drive driven:drive grew:grow grown:grow
knew:know known:know spoken:speak drew:draw drawn:draw sang:sing sung:sing thrown:throw won:win
worn:wear brought:bring caught:catch fed:feed lent:lend lost:lose met:meet said:say seen:see
shown:show spent:spend stood:stand told:tell thought:think understood:understand begun:begin
broken:break eaten:eat ate:eat flown:fly forgotten:forget frozen:freeze hidden:hide ridden:ride
stolen:steal torn:tear hung:hang laid:lay overseen:oversee oversaw:oversee undertaken:undertake
bound:bind ground:grind dug:dig fought:fight sought:seek struck:strike beaten:beat bitten:bite
blown:blow dealt:deal done:do done:do drunk:drink felt:feel fallen:fall heard:hear left:leave
lit:light meant:mean proven:prove sewn:sew sown:sow shot:shoot slept:sleep spun:spin swept:sweep
swum:swim sworn:swear woven:weave rung:ring read:read set:set cut:cut put:put cast:cast hit:hit
"""
_PLAIN = {words.terms(one)[0]: words.terms(other)[0]
          for one, other in (pair.split(":") for pair in _PARTICIPLES.split())
          if words.terms(one) and words.terms(other)}  # fmt: skip
"""The stem of a verb by that of its past form, where the two differ."""
_PASSIVE = re.compile(
    r"(?i)^(?P<patient>.+?)\b(?:is|are|was|were|been|being|gets?|got|be)\s+"
    r"(?:(?:now|still|always|usually|also|currently|only|being|been|\w+ly)\s+)*"
    r"(?P<verb>[\w-]+)\b(?P<middle>[^,;.]*?)\bby\s+(?P<agent>[^;.]+)"
)
_ROLES = ("agent", "verb", "patient")
_NOMINAL = (
    re.compile(r"(?i)^(?P<patient>[^,;.]+?)['’]s (?P<verb>\w+) (?:is|are) (?P<agent>[^;.]+)"),
    re.compile(r"(?i)^the (?P<verb>\w+) of (?P<patient>[^,;.]+?) (?:is|are) (?P<agent>[^;.]+)"),
    re.compile(r"(?i)^(?P<agent>[^,;.]+?) (?:is|are) the (?P<verb>\w+) of (?P<patient>[^;.]+)"),
    re.compile(r"(?i)^(?P<agent>[^,;.]+?) (?:is|are) (?P<patient>[^,;.]+?)['’]s (?P<verb>\w+)"),
)
"""`Kestrel's lead is Soraya`, and the same the other way round."""
_TURNING = frozenset({
    "not", "no", "never", "nor", "nobody", "without", "except", "unless", "until", "if", "when",
    "but", "only", "longer", "used", "formerly", "former", "previously", "before", "instead",
    "rather", "than", "or", "almost", "hardly", "should", "could", "would", "might", "may",
    "over", "against", "stopped", "dropped", "replaced", "ended", "left",
})  # fmt: skip
"""Added words that change what the others say."""
_PREPOSITIONS = frozenset({
    "in", "on", "at", "of", "to", "for", "from", "with", "under", "over", "below", "above",
    "behind", "beside", "between", "by", "through", "into", "onto", "near", "after", "before",
    "during", "since", "until", "against", "across", "along", "around", "inside", "outside",
    "via", "per", "as",
})  # fmt: skip
_ARTICLES = frozenset({
    "the", "a", "an", "my", "our", "your", "his", "her", "their", "its", "this", "that", "each",
    "every",
})  # fmt: skip
_PAST = re.compile(r"(?i)\b(?:was|were|had)\b")
_PRESENT = re.compile(r"(?i)\b(?:is|are|has|have)\b")
_WORD = re.compile(r"[^\W_]+(?:['’._/-][^\W_]+)*")


def is_reworded(one: str, other: str) -> bool:
    """Whether two statements say the same, one perhaps with a little more."""
    if is_wordless(one) or is_wordless(other):
        return False
    if signs_differ(text_features(one), text_features(other)):
        return False
    if same_words_moved(one, other) or _same_parts_moved(one, other):
        return True
    first, second = _roles(one.strip()), _roles(other.strip())
    if first and second:
        same = all(_stems(first[role])[:1] == _stems(second[role])[:1] for role in _ROLES)
        return same and only_adds(one, other)
    if first:
        return _is_active_of(other, first)
    return second is not None and _is_active_of(one, second)


def _roles(text: str) -> re.Match[str] | None:
    """Who does what to whom, in a statement that does not say so in this order."""
    return next((one for shape in (_PASSIVE, *_NOMINAL) if (one := shape.match(text))), None)


def only_adds(one: str, other: str) -> bool:
    """Whether one statement has every telling word of the other, and nothing that turns it.

    Such a pair differs in no value, so it contradicts nothing.
    """
    mine, theirs = _stems(one), _stems(other)
    less, more = (mine, theirs) if len(mine) <= len(theirs) else (theirs, mine)
    if len(less) < LEAST_WORDS or Counter(less) - Counter(more):
        return False
    if len(more) - len(less) > MOST_ADDED or _differ_in_kind(one, other):
        return False
    # May is a month, and may is a word that turns others.
    spoken = [
        {word.casefold() for word in _WORD.findall(text) if word != "May"} for text in (one, other)
    ]
    return _TURNING.isdisjoint(spoken[0] ^ spoken[1])


def _differ_in_kind(one: str, other: str) -> bool:
    """Whether one denies, counts otherwise or tells of the past, and the other does not."""
    first, second = text_features(one), text_features(other)
    counted = first.numbers <= second.numbers or second.numbers <= first.numbers
    past = (_PAST.search(one) and _PRESENT.search(other)) or (
        _PAST.search(other) and _PRESENT.search(one)
    )
    return first.negations != second.negations or not counted or bool(past)


def same_words_moved(one: str, other: str) -> bool:
    """Whether two statements have the same telling words, and only put a part of them elsewhere.

    `At two the index is built` is `The index is built at two`, and `the shop's letter` is `the
    letter of the shop`; `Ada pays Bob` is not `Bob pays Ada`.
    """
    first, second = text_features(one), text_features(other)
    if Counter(first.terms) != Counter(second.terms) or (first.numbers, first.times) != (
        second.numbers,
        second.times,
    ):
        return False
    if first.negations != second.negations or _names(first, second) != _names(second, first):
        return False
    terms, others = list(first.terms), list(second.terms)
    if len(terms) >= ENOUGH_WORDS or terms == others:
        return True
    while terms and terms[0] == others[0]:
        del terms[0], others[0]
    while terms and terms[-1] == others[-1]:
        del terms[-1], others[-1]
    return any(terms[at:] + terms[:at] == others for at in range(1, len(terms)))


def _names(one: TextFeatures, other: TextFeatures) -> list[str]:
    """The names of a text in order; its first word is one if it is one in the other text."""
    names, first = list(one.names), next(iter(one.terms), "")
    return [first, *names] if first in other.names and first not in names else names


def _same_parts_moved(one: str, other: str) -> bool:
    """Whether the same words hang on the same prepositions, and only two stand free.

    `Below figures stand captions`; `Ada works for Bob` is not `Bob works for Ada`.
    """
    mine, theirs = _parts(one), _parts(other)
    if Counter(mine) != Counter(theirs) or not any(word for word, _ in mine):
        return False
    if _differ_in_kind(one, other):
        return False
    free = [term for word, term in mine if not word]
    return len(free) <= 2 or free == [term for word, term in theirs if not word]


def _parts(text: str) -> list[tuple[str, str]]:
    """Each telling word with the preposition right before it, or with none."""
    parts: list[tuple[str, str]] = []
    before = ""
    for token in _WORD.findall(text):
        word = token.casefold()
        if word in _PREPOSITIONS:
            before = word
        elif word not in _ARTICLES:
            stems = [stem for stem in _stems(token) if stem]
            owner = "of" if word.endswith(("'s", "’s")) else before
            parts += [(owner, stem) for stem in stems]
            before = ""
    return parts


def _is_active_of(active: str, passive: re.Match[str]) -> bool:
    """Whether an active statement says what a passive one says: the same one does the same."""
    said = _stems(active)
    verbs = _stems(passive["verb"])
    agent, patient = _stems(passive["agent"]), _stems(passive["patient"])
    if not verbs or not agent or not patient or verbs[0] not in said:
        return False
    at = said.index(verbs[0])
    before, after = set(said[:at]), set(said[at + 1 :])
    # Times may stand on either side.
    times = text_features(active).times | text_features(passive.string).times
    done = [stem for stem in patient if stem not in times]
    if agent[0] not in before or agent[0] in after or before.intersection(done):
        return False
    return only_adds(active, passive.string) and not after.isdisjoint(done)


def _stems(text: str) -> list[str]:
    """The telling stems of a text in order, verbs as in the present."""
    return [_PLAIN.get(term, term) for term in text_features(text).terms if term != "by"]
