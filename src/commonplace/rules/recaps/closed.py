"""Find what a conversation closes: open ends of earlier ones, and steps of a task's plan."""

from __future__ import annotations

import re

from ...language import passages
from ...language.vocabulary.plans import BASE_VERBS
from ...language.words import is_question, telling_terms
from ...ports.reasoner import Remark
from ..handed_over.open_ends import CLOSED_SHARE, shared_words, without_closed
from . import cues
from .spoken import Said, as_sentence, is_left, looks_back, proposes, read_sentences, read_talk

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
_CLAUSES = re.compile(r"(?i)[,;:] (?:and |but )?| and ")
_PLAN = re.compile(
    r"(?i)(?:(?:the|my|our|here(?:'s| is) (?:the|my|our)|der|unser|mein|le|mon|notre|el|mi|nuestro"
    r"|il|o) )?(?:plans?|piano|plano)(?: (?:is|ist|est|es|è|é))?(?: for [^:,]{1,40})?\s*[:–—-]\s*"
    r"(?P<steps>\S.+)"
)
_THEN = re.compile(
    r"(?i)[,;]? (?:and |und |et |y |e )?(?:then|after that|afterwards|next|finally|lastly|dann"
    r"|danach|schließlich|puis|ensuite|enfin|luego|después|poi|infine|depois)[, ] ?"
)
_FIRST = re.compile(
    r"(?i)^(?:(?:first(?:ly)?|zuerst|erst|d'abord|primero|prima|primeiro)[, ]+)?"
    r"(?:(?:we|i|you)(?:'ll| will| should)? |let's )?"
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
        if (_tells_an_end(one, said) and len(without_closed(left, [one.plain])) < len(left))
        or any(_is_told_done(step, one, said) for step in left)
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


def plan_left(said: Sequence[Said]) -> list[Said]:
    """The steps of the user's last plan that nobody has told to be done since."""
    planned = [
        (one, steps) for one in said if one.speaker == "user" and (steps := _steps_of(one.plain))
    ]
    if not planned:
        return []
    plan, steps = planned[-1]
    after = [one for one in said if one.turn > plan.turn]
    ended = [one.plain for one in after if _tells_an_end(one, said)]
    left = [step for step in steps if not any(_is_told_done(step, one, said) for one in after)]
    return [plan.but(text=step) for step in without_closed(left, ended)]


def _steps_of(sentence: str) -> list[str]:
    """The steps of `Plan: first plane the boards, then oil them`; none of another sentence."""
    found = _PLAN.match(sentence)
    steps = _THEN.split(found["steps"].rstrip(" .!")) if found else []
    orders = [_FIRST.sub("", one).strip() for one in steps]
    return orders if len(orders) > 1 and all(map(telling_terms, orders)) else []


def _is_told_done(step: str, one: Said, said: Sequence[Said]) -> bool:
    """Whether a sentence says of a step's thing what the step asks for: `figure 4 is redone`.

    A clause about more than the thing, such as its legend, is about another matter.
    """
    verb, _, thing = step.rstrip(".").partition(" ")
    if not telling_terms(thing) or is_question(one.text) or is_left(one):
        return False
    if any(cue.search(one.text) for cue in (_NEGATED, _NOT_YET, cues.FAILURE)):
        return False
    if _was_asked_where_we_stopped(one, said):
        return False
    for clause in (one.plain, *_CLAUSES.split(one.plain)):
        told = _TOLD_DONE.match(clause)
        if told and _is_form(told["verb"], verb):
            about = f"{told['thing']}{told['rest']}"
            shares = shared_words(thing, about), shared_words(about, thing)
            if min(shares) >= ASKED_SHARE:
                return True
    return False


def _is_form(told: str, verb: str) -> bool:
    """Whether a participle is one of a verb, which may be a rare one: `leathered`."""
    told, verb = told.casefold(), verb.casefold()
    return _base(told) == _base(verb) or told in (f"{verb}ed", f"{verb}d", f"{verb}{verb[-1:]}ed")


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
