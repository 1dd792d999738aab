"""Find the fixes that helped: an agent told what it was or what it did, and the user said so.

`Works now, thanks!` says nothing by itself. What the agent told just before, and what it was asked,
say how to help the next one who meets the same trouble.
"""

from __future__ import annotations

import re

from ...language import passages, statements
from ...language.words import is_question, telling_terms
from ...ports.reasoner import Lesson
from . import short_answers
from .lessons import own_words
from .standing_lines import bare_line, names_something

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ports.reasoner import Turn

MOST_WORDS = 12
"""Words of a turn that says that something helped, and little else."""
MOST_SENTENCES, MOST_CHARACTERS = 3, 300
"""Most sentences and characters of an agent's turn that are kept, counted from its end."""
FIX_TERMS = 3
"""A fix of fewer telling words, such as `Fixed it`, says too little later."""

_GLAD = (
    r"(?:(?:great|perfect|nice|cool|awesome|super|yes|yep|yeah|ok(?:ay)?|ah+|oh|thanks?|thx|cheers"
    r"|brilliant|wow|excellent|finally|lovely|sweet|ja|prima|danke|merci|gracias)[,.! ]+)*"
)
_HELPED = re.compile(
    rf"(?i){_GLAD}(?:(?:that|this|it)(?:'s| has| had)?"
    r" (?:was it|was the (?:problem|cause|issue)|fixed (?:it|that)|solved (?:it|that|the \w+)"
    r"|resolved (?:it|that)|did (?:it|the trick)|helped|worked)"
    r"|(?:(?:it|that|everything|all|the \w+) )?(?:works|working|runs|passes"
    r"|is (?:fixed|gone|green)) (?:now|again|fine)"
    r"|(?:fixed|solved|resolved)(?: now| it)?(?=[ .!,]*$)"
    r"|(?:das war(?:'s| es)|jetzt (?:geht|läuft|klappt) es|ça marche(?: maintenant)?"
    r"|ahora funciona))(?![\w?])(?!.*\b(?:but|except|aber|mais|pero)\b)"
    r"(?!.*\b(?:after|once|when) (?:i|we)\b)"
)
"""Says that what was just done has helped, and not what the user did."""
_NO_TROUBLE = re.compile(r"(?i)^(?:thanks?|thx|ok(?:ay)?|yes|go on|do it|continue|carry on)\b")


def confirmed_fixes(turns: Sequence[Turn]) -> Iterator[Lesson]:
    """A lesson for each fix that the user said has helped, with the trouble that it is about."""
    for number, turn in enumerate(turns):
        if turn.speaker != "user" or not _says_it_helped(turn.text) or number == 0:
            continue
        told, asked = turns[number - 1], turns[number - 2] if number > 1 else None
        if told.speaker != "assistant" or asked is None or asked.speaker != "user":
            continue
        trouble, fix = _trouble(asked.text), _fix(told.text)
        if trouble and len(telling_terms(fix)) >= FIX_TERMS:
            line = short_answers.together(fix, trouble, noun="fix")
            yield Lesson("fix", line, turn=number)


def _says_it_helped(text: str) -> bool:
    said = own_words(text).strip()
    return passages.word_count(said) <= MOST_WORDS and _HELPED.match(said) is not None


def _trouble(text: str) -> str:
    """The user's sentence that told the trouble; empty if it names nothing."""
    for one in reversed(statements.sentences(own_words(text))):
        plain = bare_line(" ".join(one.split()))
        if names_something(plain) and not _NO_TROUBLE.match(plain):
            return plain
    return ""


def _fix(text: str) -> str:
    """Join the last statements of the agent's turn into one line."""
    told = [
        " ".join(one.split())
        for one in statements.sentences(own_words(text))
        if not is_question(one)
    ]
    while len(told) > MOST_SENTENCES or len(" ".join(told)) > MOST_CHARACTERS:
        told = told[1:]
    return " ".join(told)
