"""Find the decisions of a conversation: choices, corrections, instructions, agreed proposals."""

from __future__ import annotations

from ...language import passages, statements
from ...language.words import is_question, telling_terms
from ..talk.corrections import quotes_context
from ..talk.lessons import extract_lessons
from . import cues
from .spoken import is_fragment, proposes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ...ports.reasoner import Turn
    from .spoken import Said

PROPOSAL_TERMS = 3
"""A proposal of fewer telling words, such as `Shall I note that?`, says too little later."""
ANSWER_WORDS = 8
"""A reply to the agent's question of at most so many words is a choice."""
INSTRUCTION_TERMS = 2
"""`Fix it` says too little later."""
ORDER_WORDS = 20
"""An instruction of more words tells a story."""
TAUGHT_SHARE = 0.6
"""Share of a lesson's words that the sentence it was read from has."""


def find_decisions(
    said: Sequence[Said], talk: Sequence[Turn], correcting: Collection[str], *, begun: int
) -> tuple[list[Said], list[Said]]:
    """The user's decisions after the turn with the goal, and the instructions, each in order."""
    lessons: dict[int, list[str]] = {}
    for lesson in extract_lessons(talk):
        if not quotes_context(lesson.content) and lesson.kind != "fact":
            lessons.setdefault(lesson.turn, []).append(lesson.content)
    found: list[Said] = []
    orders: list[Said] = []
    for at, one in enumerate(said):
        if one.speaker != "user":
            continue
        if agreed := _agreed(said, at):
            found.append(agreed)
        elif _is_choice(said, at, talk):
            found.append(one)
        elif is_question(one.text) or is_fragment(one):
            continue
        elif _decides(one, begun) or one.text in correcting or _corrects(one, talk):
            found.append(one)
        elif taught := _lesson_of(one, lessons.get(one.turn, ())):
            found.append(one.but(text=taught))
        elif _instructs(one, begun, said):
            found.append(one)
            orders.append(one)
    return _without_withdrawn(found, said), orders


def _without_withdrawn(found: Sequence[Said], said: Sequence[Said]) -> list[Said]:
    """The decisions; one that the user's next turn takes back says so."""
    made: list[Said] = []
    for one in found:
        later = [other for other in said if other.turn > one.turn and other.speaker == "user"]
        back = [
            other
            for other in later
            if other.turn == later[0].turn and cues.TAKES_BACK.match(other.text)
        ]
        if back:
            told = back[0].text.rstrip(".! ")
            made.append(one.but(text=f"Taken back: {one.plain.rstrip('.! ')} ({told})."))
        else:
            made.append(one)
    return made


def _decides(one: Said, begun: int) -> bool:
    plain = one.plain
    if cues.PUT_OFF.match(plain):
        return False
    if cues.DECISION.match(plain):
        return True
    if one.turn <= begun or passages.word_count(plain) > ORDER_WORDS:
        return False
    bare = one.text.removeprefix("And ").removeprefix("and ")
    ruled_out = cues.RULED_OUT.match(bare) and passages.word_count(one.text) >= 3
    return bool(ruled_out or cues.LIMITED.search(plain) or cues.ASSIGNED.match(plain))


def _instructs(one: Said, begun: int, said: Sequence[Said]) -> bool:
    """Whether a sentence after the goal tells the agent how something is to be."""
    plain = one.plain
    return (
        one.turn > begun
        and (cues.INSTRUCTION.match(plain) is not None or _settles(one, said))
        and 2 <= passages.word_count(plain) <= ORDER_WORDS
        and len(telling_terms(plain)) >= INSTRUCTION_TERMS
        and not cues.ABANDONED.search(plain)
    )


def _settles(one: Said, said: Sequence[Said]) -> bool:
    """Whether an order for one thing settles what the agent has just proposed or found.

    Other orders are requests: `Add a column` decides nothing for later.
    """
    if not cues.ACTION.match(one.plain):
        return False
    mine = telling_terms(one.plain)
    before = [other for other in said if other.turn == one.turn - 1 and other.speaker == "agent"]
    open_to_choice = any(
        proposes(other) or is_question(other.text) or cues.FOUND_CAUSE.search(other.plain)
        for other in before
    )
    return open_to_choice and any(mine & telling_terms(other.text) for other in before)


def _agreed(said: Sequence[Said], at: int) -> Said | None:
    """The agent's proposal that a turn of the user's accepts."""
    one = said[at]
    if not cues.ACCEPTED.match(one.text) or (at and said[at - 1].speaker == "user"):
        return None
    proposals = [
        other
        for other in said[:at]
        if other.turn == one.turn - 1
        and other.speaker == "agent"
        and proposes(other)
        and len(telling_terms(other.text)) >= PROPOSAL_TERMS
    ]
    if not proposals:
        return None
    return proposals[-1].but(speaker="user, agreeing with the agent")


def _is_choice(said: Sequence[Said], at: int, talk: Sequence[Turn]) -> bool:
    """Whether a sentence is a short answer that picks one of the things the agent offered."""
    one = said[at]
    first = not at or said[at - 1].turn != one.turn
    before = talk[one.turn - 1] if one.turn else None
    if not first or before is None or before.speaker != "assistant":
        return False
    mine = telling_terms(one.plain)
    short = passages.word_count(one.plain) <= ANSWER_WORDS
    told = not is_question(one.text) and not cues.CHITCHAT.match(one.text)
    if not (short and told and mine) or _is_graded(one, talk):
        return False
    # A turn of code alone has no sentences.
    if not (spoken := statements.sentences(before.text)):
        return False
    if any(is_question(text) and " or " in f" {text} " for text in spoken):
        return True
    offered = any(" or " in f" {text} " or is_question(text) for text in spoken)
    known = len(mine & telling_terms(before.text))
    affirms = cues.AFFIRMS.match(one.text) is not None and is_question(spoken[-1])
    return offered and (known * 2 >= len(mine) or bool(affirms and known))


def _is_graded(one: Said, talk: Sequence[Turn]) -> bool:
    """Whether the agent's next turn marks the answer as right or wrong, as in a quiz."""
    after = talk[one.turn + 1] if one.turn + 1 < len(talk) else None
    return after is not None and cues.GRADED.match(after.text) is not None


def _corrects(one: Said, talk: Sequence[Turn]) -> bool:
    """Whether a sentence corrects what was said before, and says what holds."""
    after = talk[one.turn + 1] if one.turn + 1 < len(talk) else None
    conceded = (
        after is not None
        and after.speaker == "assistant"
        and cues.CONCEDED.match(after.text) is not None
    )
    plain = one.plain
    conceded = conceded and not cues.ACTION.match(plain)
    corrects = cues.CORRECTS.match(one.text) or cues.NO_LONGER.match(one.text)
    if not (conceded or (one.turn and corrects)):
        return False
    return (
        passages.word_count(plain) >= 2
        and bool(telling_terms(plain))
        and not cues.OBJECTS.match(plain)
        and not cues.CHITCHAT.match(plain)
        and not cues.ABANDONED.search(plain)
    )


def _lesson_of(one: Said, contents: Iterable[str]) -> str:
    """The lesson that was read from a sentence, if it says enough by itself."""
    mine = telling_terms(one.text)
    for content in contents:
        theirs = telling_terms(content)
        if len(theirs) >= 2 and len(theirs & mine) >= TAUGHT_SHARE * len(theirs):
            return content
    return ""
