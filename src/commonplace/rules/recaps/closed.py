"""Find what a conversation closes: open ends of earlier ones, and steps of a task's plan."""

from __future__ import annotations

import re

from ...language import passages
from ...language.vocabulary.plans import BASE_VERBS
from ...language.words import is_question, telling_terms
from ...ports.reasoner import Remark
from ..handed_over.open_ends import CLOSED_SHARE, shared_words, without_closed
from . import cues
from .recap import as_sentence
from .spoken import Said, is_left, looks_back, proposes, read_sentences, read_talk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...ports.reasoner import Turn

DONE_WORDS = 6
"""An answer of at most so many words, such as `Done, all green.`, is about the request before."""
STEP_TERMS = 2
ASKED_SHARE = 0.75
"""Share of a request's words that a step must have."""
_STEPS_DONE = re.compile(
    r"(?i)\b(?:steps?|schritte?|étapes?|pasos?)"
    r" (\d{1,3}(?:(?:,? (?:and|und|et|y) |, ?)\d{1,3}){0,20}) "
    r"(?:(?:is|are|was|were|has been|have been|ist|sind|est|sont|está|están) )?"
    r"(?:now |also |already |jetzt )?(?:done|finished|completed?|ready|fertig|erledigt|terminée?s?"
    r"|hechos?|listos?)\b"
)
_TOLD_DONE = re.compile(
    r"(?i)^(?P<thing>[^,.;:!?]{2,80}?) (?:is|are|was|were|got|(?:has|have|['’]s|['’]ve) been)"
    r" (?:(?:now|all|also|already|just|finally) )*(?P<verb>[a-z]+)\b(?P<rest>[^,.;:!?]*)"
)
_NOT_YET = re.compile(
    r"(?i)\b(?:if|once|when|until|till|unless|before|after|soon|whether|tomorrow|later|next)\b"
)
_NEGATED = re.compile(r"(?i)\b(?:not|never|nicht|pas|no)\b|n['’]t\b")


def find_closed(turns: Sequence[Turn], left: Sequence[str]) -> list[Remark]:
    """The sentences by which a speaker ends one of these: it is done, or not wanted any more."""
    if not left:
        return []
    said = read_sentences(read_talk(turns))
    return [
        Remark(one.speaker, as_sentence(one.plain))
        for one in said
        if _tells_an_end(one, said) and len(without_closed(left, [one.plain])) < len(left)
    ]


def count_done_steps(turns: Sequence[Turn], plan: Sequence[str], done: int) -> int:
    """How many steps of a plan are done, of which so many were before the conversation."""
    said = read_sentences(read_talk(turns))
    ended = [one for one in _ended(said) if not _NEGATED.search(one.text)]
    named = [
        int(number)
        for one in ended
        for found in _STEPS_DONE.finditer(one.text)
        for number in re.findall(r"\d+", found[1])
    ]
    done = max(done, *(number for number in (0, *named) if number <= len(plan)))
    while done < len(plan) and (
        any(_is_step(plan[done], one) for one in ended)
        or any(_is_told_done(plan[done], one, said) for one in said)
    ):
        done += 1
    return done


def _is_told_done(step: str, one: Said, said: Sequence[Said]) -> bool:
    """Whether a sentence says of a step's thing what the step asks for: `figure 4 is redone`.

    A sentence about more than the thing, such as its legend, is about another matter.
    """
    verb, _, thing = step.partition(" ")
    told = _TOLD_DONE.match(one.plain)
    if told is None or not telling_terms(thing) or _base(told["verb"]) != _base(verb):
        return False
    if _NEGATED.search(one.text) or _NOT_YET.search(one.plain) or is_question(one.text):
        return False
    if is_left(one) or cues.FAILURE.search(one.text) or _was_asked_where_we_stopped(one, said):
        return False
    clause = f"{told['thing']}{told['rest']}"
    return shared_words(thing, clause) >= ASKED_SHARE and shared_words(clause, thing) >= ASKED_SHARE


def _base(verb: str) -> str:
    """The verb of a form: `redo` of `redone`, `send` of `sent`."""
    form = verb.casefold()
    again = "re" if form.startswith("re") and form not in BASE_VERBS else ""
    return again + BASE_VERBS.get(form[len(again) :], form[len(again) :])


def _ended(said: Sequence[Said]) -> list[Said]:
    return [one for one in said if _tells_an_end(one, said) and not cues.ABANDONED.search(one.text)]


def _is_step(step: str, one: Said) -> bool:
    """Whether a sentence tells of a step. A step of one word says too little.

    What a user asked for, and the agent did, may be another matter, such as the step's tests.
    """
    if len(telling_terms(step)) < STEP_TERMS or shared_words(step, one.plain) < CLOSED_SHARE:
        return False
    return one.speaker == "agent" or shared_words(one.plain, step) >= ASKED_SHARE


def _tells_an_end(one: Said, said: Sequence[Said]) -> bool:
    if cues.ABANDONED.search(one.text):
        return one.speaker == "user"
    if _was_asked_where_we_stopped(one, said) or proposes(one) or cues.FAILURE.search(one.text):
        return False
    if one.speaker == "user" and _was_answered_done(one, said):
        return True
    if is_left(one) or is_question(one.text):
        return False
    own = one.speaker == "agent" and cues.WORK_DONE.match(one.plain)
    return bool(own or cues.SUCCESS.search(one.text) or cues.NOT_NEEDED.search(one.text))


def _was_asked_where_we_stopped(one: Said, said: Sequence[Said]) -> bool:
    """Whether a sentence only tells how things stood when the session began."""
    return any(
        other.turn in (one.turn, one.turn - 1) and other.speaker == "user" and looks_back(other)
        for other in said
    )


def _was_answered_done(one: Said, said: Sequence[Said]) -> bool:
    """Whether the agent's answer to a request says in a few words that it is done."""
    answer = [other for other in said if other.turn == one.turn + 1 and other.speaker == "agent"]
    return (
        bool(answer)
        and cues.SUCCESS.search(answer[0].text) is not None
        and passages.word_count(answer[0].text) <= DONE_WORDS
        and not any(cues.FAILURE.search(other.text) for other in answer)
    )
