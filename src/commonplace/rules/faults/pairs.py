"""Choose the pairs of a store's statements that are worth comparing, without comparing all."""

from __future__ import annotations

import re
from collections import Counter

from ..relations.claims import read_claims
from ..relations.duplicates import overlap_share, signatures, telling_terms
from ..relations.slots import same_slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from .units import StoreUnit

    Pair = tuple[int, int]

LEAST_SHARED = 0.4
"""Share of their words that two statements have in common, if nothing else brings them together."""
MOST_MET, MOST_HOLDERS, MOST_NEAR = 60, 20, 10
"""Others that a statement is measured against, those of one word, and the nearest that count."""
LEAST_COSINE = 0.6
MOST_TOGETHER = 20
"""Claims about one attribute of one thing; more than this are a list."""
CLAIMED, SLOT = 0.5, 1.0
"""Score that a pair gets for claims about one attribute, and for differing in one value alone."""
LONGEST = 700
"""Characters; of longer statements only equal ones are found."""

_PLACED = re.compile(
    r"(?i)^(?P<thing>(?:the|my|our|her|his|its|their) [^,;.]*?\b(?:is|stands|hangs|lies|sits|lives"
    r"|is (?:kept|stored|parked|located)|meets|works) (?:now )?(?:in|on|at) (?:the )?(?:room|floor"
    r"|hall|building|gate|platform|desk|aisle|bay|rack|shelf|locker|garage|flat|house|seat)) "
    r"(?P<place>[\w.-]*\d[\w.-]*?)\.?$"
)


def ranked_pairs(
    units: Sequence[StoreUnit],
    chosen: Iterable[int],
    *,
    near: Mapping[Pair, float],
) -> list[Pair]:
    """Pairs among the chosen units, those first that most likely repeat or exclude each other.

    `near` has the cosines of pairs that a model finds alike.
    """
    groups: dict[str, list[int]] = {}
    for at in chosen:
        if len(units[at].text) <= LONGEST:
            groups.setdefault(units[at].group, []).append(at)
    scores: dict[Pair, float] = {}
    for members in groups.values():
        terms = {at: telling_terms(units[at].text) for at in members}
        for one, other, share in _word_pairs(units, terms):
            scores[one, other] = share
        for pair in _claim_pairs(units, members):
            scores[pair] = scores.get(pair, 0.0) + CLAIMED
    for pair, cosine in near.items():
        scores[pair] = max(scores.get(pair, 0.0), cosine)
    for one, other in scores:
        if same_slot(units[one].text, units[other].text):
            scores[one, other] += SLOT
    return sorted(scores, key=lambda pair: (-scores[pair], pair))


def ordered(one: int, other: int) -> Pair:
    """The pair, the smaller number first."""
    return (one, other) if one < other else (other, one)


def stand_in_two_places(one: str, other: str) -> bool:
    """Whether one thing is said to be in two numbered places: `The piano stands in room 3`."""
    first, second = _PLACED.match(one.strip()), _PLACED.match(other.strip())
    if first is None or second is None or first["place"] == second["place"]:
        return False
    return first["thing"].casefold() == second["thing"].casefold()


def _word_pairs(
    units: Sequence[StoreUnit], terms: Mapping[int, frozenset[str]]
) -> Iterator[tuple[int, int, float]]:
    """Pairs that share words, with the share; a unit meets a bounded number of others.

    It meets those that have the same lowest hashes, which repeat it, and those that have its rarest
    words. So a store of which all texts are alike takes no longer than any other.
    """
    frequency = Counter(term for own in terms.values() for term in own)
    holders: dict[str | int, list[int]] = {}
    for at, own in terms.items():
        rarest = sorted(own, key=lambda term: (frequency[term], term))
        marks = (*signatures(units[at].text), *rarest)
        met: dict[int, None] = {}
        for mark in marks:
            met |= dict.fromkeys(holders.get(mark, ())[-MOST_HOLDERS:])
            if len(met) >= MOST_MET:
                break
        shares = ((overlap_share(own, terms[other]), other) for other in met)
        near = sorted((one for one in shares if one[0] >= LEAST_SHARED), reverse=True)
        yield from ((other, at, share) for share, other in near[:MOST_NEAR])
        for mark in marks:
            holders.setdefault(mark, []).append(at)


def _claim_pairs(units: Sequence[StoreUnit], members: Sequence[int]) -> set[Pair]:
    """Pairs that make claims about the same attribute of the same thing."""
    about: dict[tuple[str, str], list[int]] = {}
    for at in members:
        for claim in {(one.entity, one.attribute) for one in read_claims(units[at].text)}:
            about.setdefault(claim, []).append(at)
    return {
        ordered(one, other)
        for ids in about.values()
        if len(ids) <= MOST_TOGETHER
        for number, one in enumerate(ids)
        for other in ids[number + 1 :]
    }
