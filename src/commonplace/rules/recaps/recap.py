"""A conversation in short, made of its own sentences: goal, outcome, decisions and open ends."""

from __future__ import annotations

import re

from ...language import passages, statements, tokens, words
from ...language.vocabulary import STOPWORDS
from ...model.value import Value
from ...ports.reasoner import Recap, Remark
from ..lessons import extract_lessons, own_words
from . import cues
from .retracted import Retracted, find_retracted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from ...ports.reasoner import Turn

REMARK_CHARACTERS = 260
MOST_GOAL, MOST_REQUESTS, MOST_OUTCOME, MOST_DECISIONS, MOST_OPEN = 2, 4, 3, 6, 4
GOAL_TURNS = 6
"""User's turns in which the goal is looked for; small talk comes first in some."""
LATE_TURNS = 10
"""Turns at the end in which results and open ends are looked for, or a third of a long session."""
SAME_SHARE, REPEATED_SHARE = 0.6, 0.8
"""Share of its words that a sentence has in common with one of its part, or of another part, that
says the same."""
_SIGNS = re.compile(r"^[^\w\s`\"'“‘«¿¡(\[/@#$€£+-]+\s*")
_THANKS = re.compile(r"(?i)[,.!]?\s*(?:thanks|thank you|thx|please|pls|danke|bitte)\W*$")
MOST_LEADS = 8
"""Words such as `ok, so` that are taken off the start of a sentence."""
PROPOSAL_TERMS = 3
"""A proposal of fewer telling words, such as `Shall I note that?`, says too little later."""
ANSWER_WORDS = 8
"""A reply to the agent's question of at most so many words is a choice."""


class _Said(Value):
    """A sentence, by whom and in which turn."""

    turn: int
    speaker: str
    text: str

    @property
    def plain(self) -> str:
        """The sentence without the words that only open it."""
        return _without_lead(self.text)


def make_recap(turns: Sequence[Turn]) -> Recap:
    """The recap of a conversation by rules alone."""
    talk = [turn.but(text=_own_text(turn)) for turn in turns if turn.speaker != "tool"]
    talk = [turn for turn in talk if turn.text.strip()]
    retracted = find_retracted(talk)
    said = [
        _Said(at, "user" if turn.speaker == "user" else "agent", " ".join(sentence.split()))
        for at, turn in enumerate(talk)
        for sentence in statements.iter_sentences(turn.text)
    ]
    late = max(0, min(len(talk) - LATE_TURNS, len(talk) * 2 // 3))
    goal = _goal(said)
    ending = [one for one in said if one.turn >= late and one not in goal]
    open_ends = _open_ends(ending, last=len(talk) - 1)
    outcome, state = _outcome(said, goal, late)
    decisions = _decisions(said, talk, retracted.correcting)
    requests = [one for one in _requests(said, goal) if one not in decisions]
    clean = _Cleaner(retracted)
    # An outcome may well repeat the words of the goal, so the goal has a cleaner of its own.
    wanted = _Cleaner(retracted)(goal, MOST_GOAL, keep=True)
    return Recap(
        goal=" ".join(one.text for one in wanted),
        requests=tuple(one.text for one in clean(requests, MOST_REQUESTS)),
        decisions=clean(decisions, MOST_DECISIONS),
        outcome=(came_of_it := clean(outcome, MOST_OUTCOME) or clean(_steps(said)[-1:], 1)),
        open_ends=(left := clean(open_ends, MOST_OPEN)),
        state=state or ("open" if left else "done" if came_of_it else ""),
    )


def recap_text(recap: Recap) -> str:
    """A recap as markdown, each line with its speaker."""
    state = f": {recap.state}" if recap.state else ""
    lines: list[str] = []
    for heading, remarks in (
        ("Goal", [Remark("user", one) for one in (recap.goal, *recap.requests) if one]),
        (f"Outcome{state}", recap.outcome),
        ("Decisions", recap.decisions),
        ("Open", recap.open_ends),
    ):
        if remarks:
            said = (f"- {one.speaker.capitalize()}: {one.text}" for one in remarks)
            lines += ["", f"## {heading}", *said]
    return "\n".join(lines).strip()


class _Cleaner:
    """Turns sentences into remarks: short, without what was taken back, none twice."""

    def __init__(self, retracted: Retracted) -> None:
        self._retracted = retracted
        self._taken: list[frozenset[str]] = []

    def __call__(
        self, said: Iterable[_Said], most: int, *, keep: bool = False
    ) -> tuple[Remark, ...]:
        made: list[Remark] = []
        mine: list[frozenset[str]] = []
        for one in said:
            text = _sentence(self._retracted.cleaned(one.plain) or (one.plain if keep else ""))
            terms = _telling(text)
            known = _repeats(terms, self._taken, REPEATED_SHARE)
            if text and not known and not _repeats(terms, mine, SAME_SHARE):
                made.append(Remark(one.speaker, text))
                mine.append(terms)
        self._taken += mine[:most]
        return tuple(made[:most])


def _repeats(terms: frozenset[str], taken: Iterable[frozenset[str]], share: float) -> bool:
    few = len(terms) < 3
    return any(terms == one if few else len(terms & one) >= share * len(terms) for one in taken)


def _goal(said: Sequence[_Said]) -> list[_Said]:
    """The first sentence of the user that is about something, and the request that follows it."""
    asked = [one for one in said if one.speaker == "user"]
    turns = list(dict.fromkeys(one.turn for one in asked))[:GOAL_TURNS]
    for turn in turns:
        own = [one for one in asked if one.turn == turn and _is_about_something(one)]
        if not own:
            continue
        request = next((one for one in own if _is_request(one)), own[0])
        return [own[0]] if request is own[0] else [own[0], request]
    return asked[:1]


def _requests(said: Sequence[_Said], goal: Sequence[_Said]) -> list[_Said]:
    """Further requests of the user, after the turn of the goal."""
    begun = goal[0].turn if goal else 0
    return [
        one
        for one in said
        if one.speaker == "user"
        and one.turn > begun
        and cues.FURTHER.match(one.text)
        and passages.word_count(one.plain) >= 4
        and not (passages.is_question(one.text) and cues.ASKS_TO_KNOW.match(one.plain))
        and not cues.OPEN.search(one.plain)
    ]


def _decisions(
    said: Sequence[_Said], talk: Sequence[Turn], correcting: Collection[str]
) -> list[_Said]:
    """What the user decided, corrected, preferred or agreed to, in order."""
    lessons: dict[int, list[str]] = {}
    for lesson in extract_lessons(talk):
        if "(About:" not in lesson.content:
            lessons.setdefault(lesson.turn, []).append(lesson.content)
    found: list[_Said] = []
    for at, one in enumerate(said):
        if one.speaker != "user":
            continue
        if agreed := _agreed(said, at):
            found.append(agreed)
        elif _is_choice(said, at, talk):
            found.append(one)
        elif passages.is_question(one.text):
            continue
        elif cues.DECISION.match(one.plain) or one.text in correcting or _corrects(one, talk):
            found.append(one)
        elif taught := _lesson_of(one, lessons.get(one.turn, ())):
            found.append(one.but(text=taught))
    return found


def _agreed(said: Sequence[_Said], at: int) -> _Said | None:
    """The agent's proposal that a turn of the user's accepts."""
    one = said[at]
    if not cues.ACCEPTED.match(one.text) or (at and said[at - 1].speaker == "user"):
        return None
    proposals = [
        other
        for other in said[:at]
        if other.turn == one.turn - 1
        and other.speaker == "agent"
        and _proposes(other)
        and len(_telling(other.text)) >= PROPOSAL_TERMS
    ]
    if not proposals:
        return None
    return proposals[-1].but(speaker="user, agreeing with the agent")


def _proposes(one: _Said) -> bool:
    return cues.PROPOSAL.search(one.text) is not None and not cues.CHITCHAT.match(one.text)


def _is_choice(said: Sequence[_Said], at: int, talk: Sequence[Turn]) -> bool:
    """Whether a sentence is a short answer to a question of the agent's that offers a choice."""
    one = said[at]
    first = not at or said[at - 1].turn != one.turn
    before = talk[one.turn - 1] if one.turn else None
    return (
        first
        and before is not None
        and before.speaker == "assistant"
        and any(" or " in f" {part} " for part in before.text.split("?")[:-1])
        and passages.word_count(one.plain) <= ANSWER_WORDS
        and not passages.is_question(one.text)
        and not cues.CHITCHAT.match(one.text)
        and bool(_telling(one.plain))
    )


def _corrects(one: _Said, talk: Sequence[Turn]) -> bool:
    """Whether a sentence corrects what was said before, and says what holds."""
    after = talk[one.turn + 1] if one.turn + 1 < len(talk) else None
    conceded = (
        after is not None
        and after.speaker == "assistant"
        and cues.CONCEDED.match(after.text) is not None
    )
    if not (conceded or (one.turn and cues.CORRECTS.match(one.text))):
        return False
    plain = one.plain
    return (
        passages.word_count(plain) >= 2
        and bool(_telling(plain))
        and not cues.OBJECTS.match(plain)
        and not cues.CHITCHAT.match(plain)
        and not cues.ABANDONED.search(plain)
    )


def _lesson_of(one: _Said, contents: Iterable[str]) -> str:
    """The lesson that was read from a sentence, if it says enough by itself."""
    mine = _telling(one.text)
    for content in contents:
        theirs = _telling(content)
        if len(theirs) >= 2 and len(theirs & mine) >= SAME_SHARE * len(theirs):
            return content
    return ""


def _outcome(said: Sequence[_Said], goal: Sequence[_Said], late: int) -> tuple[list[_Said], str]:
    """What came of it, and `abandoned` or `failed` where the session says so."""
    ending = [one for one in said if one.turn >= late and _may_be_result(one)]
    results = [one for one in ending if _is_result(one)]
    given_up = [one for one in ending if one.speaker == "user" and cues.ABANDONED.search(one.text)]
    if given_up and not _later(results, given_up[-1], cues.SUCCESS.search):
        after = [one for one in results if one.turn > given_up[-1].turn]
        return [given_up[-1], *after[:1]], "abandoned"
    last_turn = said[-1].turn if said else 0
    failed = [
        one
        for one in results
        if cues.FAILURE.search(one.text) and (one.speaker == "agent" or one.turn >= last_turn - 1)
    ]
    if failed and not _later(results, failed[-1], cues.SUCCESS.search):
        return [failed[-1]], "failed"
    strong = [one for one in results if cues.SUCCESS.search(one.text)]
    last = (strong or results)[-1:]
    if not last or last[0].speaker == "user":
        last = [*_answer(said, goal, ending), *last]
    return [*_how(said, goal), *last], ""


def _how(said: Sequence[_Said], goal: Sequence[_Said]) -> list[_Said]:
    """The cause that the agent found last, and what it did that has most to do with the goal."""
    wanted = frozenset(term for one in goal for term in _telling(one.text))
    causes = [
        one
        for one in said
        if one.speaker == "agent" and _may_be_result(one) and cues.CAUSE.search(one.text)
    ]
    steps = sorted(_steps(said), key=lambda one: (len(wanted & _telling(one.text)), one.turn))
    done = [one for one in steps[-1:] if wanted & _telling(one.text)]
    return sorted([*causes[-1:], *done], key=lambda one: one.turn)


def _steps(said: Sequence[_Said]) -> list[_Said]:
    """What the agent says that it did, without sentences that also say what was there before."""
    return [
        one
        for one in said
        if one.speaker == "agent"
        and _may_be_result(one)
        and cues.WORK_DONE.match(one.plain)
        and not cues.NAMES_THE_OLD.search(one.text)
    ]


def _may_be_result(one: _Said) -> bool:
    plain = one.plain
    return (
        passages.word_count(plain) >= 3
        and not passages.is_question(one.text)
        and not cues.CHITCHAT.match(plain)
        and not _is_left(one)
        and not cues.GUESS.search(plain)
        and not _proposes(one)
    )


def _is_result(one: _Said) -> bool:
    if cues.SUCCESS.search(one.text) or cues.FAILURE.search(one.text):
        return one.speaker == "agent" or passages.word_count(one.plain) <= 12
    return one.speaker == "agent" and cues.PROGRESS.search(one.text) is not None


def _later(found: Iterable[_Said], than: _Said, fits: Callable[[str], object]) -> bool:
    return any(one.turn > than.turn and fits(one.text) for one in found)


def _answer(said: Sequence[_Said], goal: Sequence[_Said], ending: Sequence[_Said]) -> list[_Said]:
    """The agent's answer to a question, else its last statement."""
    if goal and cues.ASKS_TO_KNOW.match(goal[-1].plain) and passages.is_question(goal[-1].text):
        after = [
            one
            for one in said
            if one.turn > goal[-1].turn and one.speaker == "agent" and _may_be_result(one)
        ]
        return after[:1]
    replies = [one for one in said if one.speaker == "agent" and _telling(one.text)]
    return [one for one in ending if one.speaker == "agent"][-1:] or [
        one
        for one in replies[-1:]
        if not passages.is_question(one.text) and not cues.CHITCHAT.match(one.plain)
    ]


def _open_ends(said: Sequence[_Said], *, last: int) -> list[_Said]:
    """What was left open near the end, without what was done after all."""
    found = [one for one in said if _is_left(one) and not _was_done(one, said)]
    ending = [one for one in said if one.turn == last]
    if ending:
        asks = [one for one in ending if passages.is_question(one.text) or _is_request(one)]
        unanswered = [
            one
            for one in (asks if ending[-1].speaker == "user" else asks[-1:])
            if not cues.CHITCHAT.search(one.plain) and _is_about_something(one)
        ]
        found += [one for one in unanswered if one not in found]
    return found


def _is_left(one: _Said) -> bool:
    plain = one.plain
    if passages.is_question(one.text) or passages.word_count(plain) < 4:
        return False
    if any(cue.search(plain) for cue in (cues.CHITCHAT, cues.ABANDONED, cues.NOTHING_LEFT)):
        return False
    if cues.CORRECTS.match(one.text):
        return False
    announced = one.speaker == "user" and cues.ANNOUNCED.match(plain) is not None
    return announced or cues.OPEN.search(plain) is not None


def _was_done(left: _Said, said: Sequence[_Said]) -> bool:
    mine = _telling(left.text)
    return any(
        one.turn > left.turn
        and one.speaker == "agent"
        and cues.SUCCESS.search(one.text)
        and not cues.OPEN.search(one.text)
        and len(mine & _telling(one.text)) * 2 >= len(mine)
        for one in said
    )


def _is_request(one: _Said) -> bool:
    return cues.REQUEST.search(one.text) is not None or passages.is_question(one.text)


def _is_about_something(one: _Said) -> bool:
    plain = one.plain
    return (
        passages.word_count(plain) >= 3 and bool(_telling(plain)) and not cues.CHITCHAT.match(plain)
    )


# Sentences


def _own_text(turn: Turn) -> str:
    """A turn without code, quotes and markup; these are evidence, not what was said."""
    return own_words(turn.text) if turn.speaker == "user" else turn.text


def _without_lead(text: str) -> str:
    for _ in range(MOST_LEADS):
        shorter = cues.LEAD.sub("", text, count=1) if cues.LEAD.match(text) else text
        if shorter == text or not shorter.strip():
            break
        text = shorter
    return text


def _sentence(text: str) -> str:
    """A sentence of its own, cut to a bounded length."""
    text = _THANKS.sub("", _SIGNS.sub("", text)).strip(" ,;:—–-")
    if not text:
        return ""
    text = tokens.shortened(text, price_limit=10**9, characters=REMARK_CHARACTERS)
    text = text[:1].upper() + text[1:]
    return text if not text.isascii() or text[-1] in ".!?…`)\"'" else f"{text}."


def _telling(text: str) -> frozenset[str]:
    return frozenset(words.terms(text)) - STOPWORDS
