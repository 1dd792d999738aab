"""Find the outcome of a conversation: the cause of a fault, the work done, and how it ended."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from ...language import passages
from ...language.words import is_question, telling_terms
from ..talk.corrections import FOR_NOW
from . import cues
from .spoken import DONE, LEFT, PLAN, is_left, proposes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .spoken import Said

REPORT_WORDS, GLAD_WORDS = 12, 25
"""A user's sentence of at most so many words may be a result; a longer one, if it says `now`."""
MOST_ITEMS = 3
"""Items of a list of results."""
MOST_CAUSES = 2
SHARED_TERMS = 2
"""Words of a matter that a statement without a word of success has."""
PROBLEM_TURNS = 8
"""Turns before a user's `it was the …` in which the trouble was told."""
ANSWER_TURNS = 8
"""Turns after a question in which its answer is looked for."""


def find_outcome(
    said: Sequence[Said], goal: Sequence[Said], starts: Sequence[int], *, late: int, most: int
) -> tuple[list[Said], str]:
    """The sentences that tell the outcome, and `abandoned` or `failed` if the session says so.

    `starts` are the turns in which a further matter begins.
    """
    ended = {before for before, one in pairwise(said) if cues.NO_LONGER.match(one.text)}
    said = [one for one in said if one not in ended]
    ending = [one for one in said if one.turn >= late and _may_be_result(one)]
    results = [one for one in ending if _is_result(one)]
    given_up = [one for one in ending if one.speaker == "user" and cues.ABANDONED.search(one.text)]
    if given_up and not _later(results, given_up[-1], _is_success):
        after = [one for one in results if one.turn > given_up[-1].turn]
        return [given_up[-1], *after[:1]], "abandoned"
    causes = _causes(said, goal)
    last_turn = said[-1].turn if said else 0
    failed = [
        one
        for one in results
        if cues.FAILURE.search(one.text) and (one.speaker == "agent" or one.turn >= last_turn - 1)
    ]
    if failed and not _later(results, failed[-1], _is_success):
        return [*causes[-1:], failed[-1]], "failed"
    last = _last(said, goal, ending, results)
    picked = [
        *last,
        *causes,
        *_answer_to(goal, said),
        *_details(last, ending),
        *_of_matters(said, starts),
        *_work_on(goal, said),
    ]
    return sorted(dict.fromkeys(picked[:most]), key=said.index), ""


def steps(said: Sequence[Said]) -> list[Said]:
    """The agent's sentences about its own work, without those that also tell the state before."""
    return [
        one
        for one in said
        if one.speaker == "agent"
        and _may_be_result(one)
        and cues.WORK_DONE.match(one.plain)
        and not cues.NAMES_THE_OLD.search(one.text)
    ]


def _last(
    said: Sequence[Said], goal: Sequence[Said], ending: Sequence[Said], results: Sequence[Said]
) -> list[Said]:
    """The last result; before one of the user's alone, what the agent said of it."""
    strong = [one for one in results if _is_success(one)]
    last = list((strong or results)[-1:])
    if last and last[0].listed == DONE:
        return [one for one in strong if one.turn == last[0].turn and one.listed][:MOST_ITEMS]
    if not last or last[0].speaker == "user":
        return [*(_answer_to(goal, said) or _statement(said, ending, goal)), *last]
    return last


def _causes(said: Sequence[Said], goal: Sequence[Said]) -> list[Said]:
    """The causes that were found, the last ones; a mere `because` counts if there is no other."""
    begun = goal[0].turn if goal else 0
    strong: dict[Said, None] = {}
    weak: list[Said] = []
    asked: Said | None = None
    for at, one in enumerate(said):
        before = said[at - 1] if at else None
        if one.speaker == "user":
            asked = one
        if cues.POINTS_TO_CAUSE.match(one.plain):
            if before is not None and before.turn == one.turn and not proposes(before):
                strong[before] = None
        elif not _may_be_result(one):
            continue
        elif cues.FOUND_CAUSE.search(one.plain) and (
            one.speaker == "agent" or _had_trouble(said[:at], one.turn)
        ):
            strong[one] = None
        elif one.speaker == "agent":
            first = before is None or before.turn != one.turn
            answered = asked if asked and begun <= asked.turn == one.turn - 1 else None
            if FOR_NOW.match(one.plain):
                continue
            if first and answered and cues.ASKS_WHY.search(answered.text):
                strong[one] = None
            elif cues.CAUSE.search(one.text):
                weak.append(one)
    return list(strong)[-MOST_CAUSES:] or weak[-1:]


def _had_trouble(said: Iterable[Said], turn: int) -> bool:
    return any(one.turn >= turn - PROBLEM_TURNS and cues.TROUBLE.search(one.text) for one in said)


def _details(last: Sequence[Said], ending: Sequence[Said]) -> list[Said]:
    """Another sentence of the last result's turn that is a success or gives a figure."""
    if not last or last[-1].speaker == "user":
        return []
    same = (one for one in ending if one.turn == last[-1].turn and one not in last)
    return [one for one in same if _is_success(one) or any(sign.isdecimal() for sign in one.text)][
        :1
    ]


def _of_matters(said: Sequence[Said], starts: Sequence[int]) -> list[Said]:
    """For each matter of a long session the success that the agent told nearest to its first words.

    Else a statement of the agent's that has several of these words.
    """
    found: list[Said] = []
    for begin, end in pairwise([*starts, said[-1].turn + 1] if said else []):
        first, after = (bisect_left(said, turn, key=_turn) for turn in (begin, end))
        mine = said[first:after]
        about = telling_terms(" ".join(one.text for one in mine if one.turn == begin))
        near = [
            (len(about & telling_terms(one.text)), _is_result(one) and _is_success(one), at)
            for at, one in enumerate(mine)
            if _may_be_result(one)
            and not cues.FAILURE.search(one.text)
            and (one.speaker == "agent" or _is_result(one))
        ]
        near = [one for one in near if one[0] >= (1 if one[1] else SHARED_TERMS)]
        found += [mine[max(near)[2]]] if near else []
    return found


def _turn(one: Said) -> int:
    return one.turn


def _work_on(goal: Sequence[Said], said: Sequence[Said]) -> list[Said]:
    """The sentence about the agent's work that shares most words with the goal."""
    wanted = frozenset(term for one in goal for term in telling_terms(one.text))
    nearest = sorted(steps(said), key=lambda one: (len(wanted & telling_terms(one.text)), one.turn))
    return [one for one in nearest[-1:] if wanted & telling_terms(one.text)]


def _answer_to(goal: Sequence[Said], said: Sequence[Said]) -> list[Said]:
    """The agent's answer, where the goal is a question: the statement that has most of its words.

    Not a statement that the next sentence calls wrong.
    """
    if not goal or not is_question(goal[-1].text):
        return []
    explain = cues.EXPLAIN.search(goal[-1].plain) is not None
    if not (explain or cues.ASKS_TO_KNOW.match(goal[-1].plain)):
        return []
    asked = goal[-1]
    wanted = telling_terms(" ".join(one.text for one in goal))
    found = [
        one
        for at, one in enumerate(said)
        if asked.turn < one.turn <= asked.turn + ANSWER_TURNS
        and one.speaker == "agent"
        and _may_be_result(one)
        and not (at + 1 < len(said) and cues.CALLS_WRONG.match(said[at + 1].text))
    ]
    if explain:
        found.sort(key=lambda one: -len(wanted & telling_terms(one.text)))
    return found[:1]


def _statement(said: Sequence[Said], ending: Sequence[Said], goal: Sequence[Said]) -> list[Said]:
    """The agent's last statement of more than a word; not of another matter, unless need be."""
    replies = [one for one in said if one.speaker == "agent" and telling_terms(one.text)]
    told = [one for one in ending if one.speaker == "agent"] or [
        one
        for one in replies
        if not is_question(one.text) and not cues.CHITCHAT.match(one.plain) and not is_left(one)
    ]
    of_it = [one for one in told if not _is_aside(one, said, goal)]
    full = [one for one in of_it if passages.word_count(one.plain) > 1]
    return (full or of_it or told)[-1:]


def _is_aside(one: Said, said: Sequence[Said], goal: Sequence[Said]) -> bool:
    """Whether a statement answers a question, and neither has a word of what was said before."""
    asked = [other for other in said if other.turn == one.turn - 1 and other.speaker == "user"]
    if not asked or any(other in goal or not is_question(other.text) for other in asked):
        return False
    before = (telling_terms(other.text) for other in said if other.turn < one.turn - 1)
    known = frozenset[str]().union(*before)
    return all(known.isdisjoint(telling_terms(other.text)) for other in (*asked, one))


def _may_be_result(one: Said) -> bool:
    plain = one.plain
    return (
        passages.word_count(plain) >= 3
        and one.listed not in (LEFT, PLAN)
        and not is_question(one.text)
        and not cues.CHITCHAT.match(plain)
        and not is_left(one)
        and not cues.GUESS.search(plain)
        and not proposes(one)
    )


def _is_result(one: Said) -> bool:
    if one.listed == DONE:
        return True
    if _is_success(one) or cues.FAILURE.search(one.text):
        glad = cues.AT_LAST.search(one.text) is not None
        length = passages.word_count(one.plain)
        return one.speaker == "agent" or length <= (GLAD_WORDS if glad else REPORT_WORDS)
    return one.speaker == "agent" and cues.PROGRESS.search(one.text) is not None


def _is_success(one: Said) -> bool:
    return one.listed == DONE or cues.SUCCESS.search(one.text) is not None


def _later(found: Iterable[Said], than: Said, fits: Callable[[Said], bool]) -> bool:
    return any(one.turn > than.turn and fits(one) for one in found)
