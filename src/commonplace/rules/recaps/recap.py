"""A conversation in short, made of its own sentences: goal, outcome, decisions and open ends."""

from __future__ import annotations

import re

from ...language import passages
from ...language.vocabulary.plans import BASE_VERBS
from ...language.words import is_question, telling_terms
from ...ports.reasoner import Recap, Remark
from ..handed_over.open_ends import CLOSED_SHARE, shared_words
from ..session_summaries import DECISIONS, OPEN, OUTCOME
from . import cues
from .closed import plan_left
from .decisions import INSTRUCTION_TERMS, find_decisions
from .outcome import find_outcome, steps
from .retracted import Retracted, find_retracted
from .spoken import (
    LEFT,
    Said,
    as_sentence,
    is_about_something,
    is_fragment,
    is_left,
    is_request,
    looks_back,
    read_sentences,
    read_talk,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...ports.reasoner import Turn

MOST_GOAL, MOST_REQUESTS, MOST_OUTCOME, MOST_DECISIONS, MOST_OPEN = 2, 4, 4, 6, 4
LONG_TURNS = 40
"""A session of so many turns is about several matters, whose results are told, too."""
MOST_OF_LONG = 7
GOAL_TURNS = 6
"""User's turns in which the goal is looked for; small talk comes first in some."""
LATE_TURNS = 10
"""Turns at the end in which results and open ends are looked for, or a third of a long session."""
LISTED_TURNS = 3
"""Turns at the end in which the agent's list of next steps still holds."""
REQUEST_WORDS = 5
CHORE_WORDS = 4
"""A sentence that names a chore and has this many words more may also name work left to do."""
CHORE_TERMS = 2
"""Words that a chore has in common with a sentence on the matter, if it is part of the matter."""
SAME_SHARE, REPEATED_SHARE = 0.6, 0.8
"""Share of its words that a sentence has in common with one of its part, or of another part, that
says the same."""


_JOINED = re.compile(r"(?i),? and |, ")
_OF_A_LIST = re.compile(r"(?i)(?:the|a|an|our|my|\w+ing|\d+) \S")
_LEANS = re.compile(r"(?i)\b(?:it|them|that|this|they|then|whether|if|because|so)\b")


def make_recap(turns: Sequence[Turn]) -> Recap:
    """The recap of a conversation by rules alone."""
    talk = read_talk(turns)
    retracted = find_retracted(talk)
    said = read_sentences(talk)
    long = len(talk) >= LONG_TURNS
    late = max(0, min(len(talk) - LATE_TURNS, len(talk) * 2 // 3))
    goal = _goal(said)
    begun = goal[0].turn if goal else 0
    ending = [one for one in said if one.turn >= late and one not in goal]
    ends = _open_ends(ending, last=len(talk) - 1)
    open_ends = [part for one in ends for part in _parts(_with_matter(one, said))]
    open_ends += plan_left(said)
    most = MOST_OF_LONG if long else MOST_OUTCOME
    starts = _starts(said, begun) if long else []
    outcome, state = find_outcome(_since_looking_back(said), goal, starts, late=late, most=most)
    decisions, orders = find_decisions(said, talk, retracted.correcting, begun=begun)
    known = set(decisions)
    requests = [one for one in _requests(said, begun) if one not in known]
    clean = _Cleaner(retracted)
    # An outcome may well repeat the words of the goal, so the goal has a cleaner of its own.
    wanted = _Cleaner(retracted)(goal, MOST_GOAL, keep=True)
    # In this order, because each part leaves out what a part before it says.
    further = clean(requests, MOST_REQUESTS)
    decided = clean(_weightiest(decisions, orders), MOST_DECISIONS)
    came_of_it = clean(outcome, most) or clean(steps(said)[-1:], 1)
    left = clean(open_ends, MOST_OPEN)
    return Recap(
        goal=" ".join(one.text for one in wanted),
        requests=tuple(one.text for one in further),
        decisions=decided,
        outcome=came_of_it,
        open_ends=left,
        state=state or ("open" if left else "done" if came_of_it else ""),
    )


def recap_text(recap: Recap) -> str:
    """A recap as markdown, each line with its speaker."""
    state = f": {recap.state}" if recap.state else ""
    lines: list[str] = []
    for heading, remarks in (
        ("Goal", [Remark("user", one) for one in (recap.goal, *recap.requests) if one]),
        (f"{OUTCOME}{state}", recap.outcome),
        (DECISIONS, recap.decisions),
        (OPEN, recap.open_ends),
    ):
        if remarks:
            lines += ["", f"## {heading}", *remark_lines(remarks)]
    return "\n".join(lines).strip()


def remark_lines(remarks: Iterable[Remark]) -> list[str]:
    """Remarks as items of a list, each with its speaker."""
    # A bare `User:` reads as a role, which quoting to an agent takes the colon of.
    return [f"- The {one.speaker}: {one.text}" for one in remarks]


class _Cleaner:
    """Turns sentences into remarks: short, without what was taken back, none twice."""

    def __init__(self, retracted: Retracted) -> None:
        self._retracted = retracted
        self._taken: list[frozenset[str]] = []

    def __call__(
        self, said: Iterable[Said], most: int, *, keep: bool = False
    ) -> tuple[Remark, ...]:
        made: list[Remark] = []
        mine: list[frozenset[str]] = []
        for one in said:
            text = as_sentence(self._retracted.cleaned(one.plain) or (one.plain if keep else ""))
            terms = telling_terms(text)
            known = _repeats(terms, self._taken, REPEATED_SHARE)
            if text and not known and not _repeats(terms, mine, SAME_SHARE):
                made.append(Remark(one.speaker, text))
                mine.append(terms)
        self._taken += mine[:most]
        return tuple(made[:most])


def _repeats(terms: frozenset[str], taken: Iterable[frozenset[str]], share: float) -> bool:
    few = len(terms) < 3
    return any(terms == one if few else len(terms & one) >= share * len(terms) for one in taken)


def _weightiest(decisions: Sequence[Said], orders: Sequence[Said]) -> list[Said]:
    """The decisions, with as many of the instructions, the latest, as there is room for."""
    room = max(0, MOST_DECISIONS - (len(decisions) - len(orders)))
    dropped = set(orders[: max(0, len(orders) - room)])
    return [one for one in decisions if one not in dropped]


# What was wanted


def _goal(said: Sequence[Said]) -> list[Said]:
    """The first sentence of the user that is about something, and the request that follows it."""
    asked = [one for one in said if one.speaker == "user"]
    wanted = [one for one in asked if not looks_back(one) and not cues.MANNER.search(one.plain)]
    turns = list(dict.fromkeys(one.turn for one in wanted))[:GOAL_TURNS]
    for turn in turns:
        own = [one for one in wanted if one.turn == turn and is_about_something(one)]
        if not own:
            continue
        request = next((one for one in own if is_request(one)), own[0])
        return [own[0]] if request is own[0] else [own[0], request]
    # A question for the last session is the goal of a session that did nothing else.
    first = [one for one in asked if not cues.MANNER.search(one.plain)][:1]
    return [] if first and looks_back(first[0]) and _went_on(said, first[0]) else first


def _since_looking_back(said: Sequence[Said]) -> list[Said]:
    """The sentences without answers to a turn that only asked for the last session."""
    others = {one.turn for one in said if one.speaker == "user" and not looks_back(one)}
    asked = {
        one.turn
        for one in said
        if one.speaker == "user" and looks_back(one) and is_question(one.text)
    }
    return [one for one in said if one.speaker == "user" or one.turn - 1 not in asked - others]


def _went_on(said: Sequence[Said], asked: Said) -> bool:
    """Whether work was done after the answer to a question for the last session."""
    begun = asked.turn + (1 if is_question(asked.text) else 0)
    return any(
        one.turn > begun
        and one.speaker == "agent"
        and (cues.WORK_DONE.match(one.plain) or cues.SUCCESS.search(one.text))
        and not is_left(one)
        for one in said
    )


def _requests(said: Sequence[Said], begun: int) -> list[Said]:
    """Further requests of the user, after the turn of the goal."""
    return [one for one in said if one.turn > begun and _asks_further(one)]


def _asks_further(one: Said) -> bool:
    plain = one.plain
    if one.speaker != "user" or cues.OPEN.search(plain):
        return False
    if is_question(one.text) and cues.ASKS_TO_KNOW.match(plain):
        return False
    further = cues.FURTHER.match(one.text) is not None and passages.word_count(plain) >= 4
    orders = cues.ORDERS_WORK.match(plain) is not None
    acts = cues.ACTION.match(plain) is not None and len(telling_terms(plain)) >= INSTRUCTION_TERMS
    return further or acts or (orders and passages.word_count(plain) >= REQUEST_WORDS)


def _starts(said: Sequence[Said], begun: int) -> list[int]:
    """The turns in which the user begins a further matter."""
    turns = (
        one.turn
        for one in said
        if one.turn > begun
        and one.speaker == "user"
        and (_asks_further(one) or cues.NEW_MATTER.match(one.text))
    )
    return list(dict.fromkeys(turns))


# What was left open


def _open_ends(said: Sequence[Said], *, last: int) -> list[Said]:
    """The open ends that were named near the end, without those that were done after all."""
    found = [
        one
        for one in said
        if is_left(one)
        and not _is_chore(one, said)
        and not _was_done(one, said)
        and (one.listed != LEFT or one.turn > last - LISTED_TURNS)
    ]
    ending = [one for one in said if one.turn == last]
    if ending:
        asks = [one for one in ending if is_question(one.text) or is_request(one)]
        unanswered = [
            one
            for one in (asks if ending[-1].speaker == "user" else asks[-1:])
            if not any(cue.search(one.plain) for cue in (cues.CHITCHAT, cues.MANNER))
            and is_about_something(one)
            and not looks_back(one)
        ]
        found += [one for one in unanswered if one not in found]
    return [one for one in found if not is_fragment(one)] or found


def _with_matter(left: Said, said: Sequence[Said]) -> Said:
    """An announcement with the question before it: `Do we need a permit? I'll ask on Friday.`"""
    if left.speaker != "user" or not cues.ANNOUNCED.match(left.plain) or left not in said:
        return left
    at = said.index(left)
    lead = said[at - 1] if at else left
    asked = lead.turn == left.turn and lead is not left and is_question(lead.text)
    return left.but(text=f"{lead.text} {left.text}") if asked else left


def _parts(left: Said) -> list[Said]:
    """Each thing that one sentence leaves open, by itself, so that each can be done by itself.

    `We still have to write the test and bump the version` leaves two.
    """
    found = cues.LEFT_FIRST.match(left.plain)
    if found is None:
        return [left]
    parts = _JOINED.split(found["rest"].rstrip(" .!"))
    alike = all(map(_is_order, parts[1:])) if found["duty"] else all(map(_OF_A_LIST.match, parts))
    if len(parts) < 2 or not alike or any(map(_LEANS.search, parts)):
        return [left]
    return [left.but(text=part) for part in parts]


def _is_order(part: str) -> bool:
    verb, _, rest = part.partition(" ")
    known = BASE_VERBS.get(verb.casefold()) == verb.casefold() or _OF_A_LIST.match(rest)
    return bool(known and telling_terms(rest))


def _is_chore(left: Said, said: Sequence[Said]) -> bool:
    """Whether the user only says why to stop: `I have to pick up the kids`."""
    if left.speaker != "user" or not cues.CHORE.search(left.plain):
        return False
    rest = cues.CHORE.sub("", left.plain)
    if passages.word_count(rest) >= CHORE_WORDS and cues.OPEN.search(rest):
        return False
    mine = telling_terms(left.text)
    return all(one is left or len(mine & telling_terms(one.text)) < CHORE_TERMS for one in said)


def _was_done(left: Said, said: Sequence[Said]) -> bool:
    mine = telling_terms(left.text)
    return _was_asked_for(left, said) or any(
        one.turn > left.turn
        and one.speaker == "agent"
        and cues.SUCCESS.search(one.text)
        and not cues.OPEN.search(one.text)
        and len(mine & telling_terms(one.text)) * 2 >= len(mine)
        for one in said
    )


def _was_asked_for(left: Said, said: Sequence[Said]) -> bool:
    """Whether the user then asked for it, and the agent told of it without anything left."""
    for one in said:
        asked = one.turn > left.turn and one.speaker == "user" and not is_left(one)
        if not asked or is_question(one.text) or shared_words(left.text, one.plain) < CLOSED_SHARE:
            continue
        answer = [other for other in said if other.turn == one.turn + 1]
        told = [other for other in answer if telling_terms(other.text) & telling_terms(left.text)]
        stops = (
            is_question(other.text) or is_left(other) or cues.FAILURE.search(other.text)
            for other in answer
        )
        if told and not any(stops):
            return True
    return False
