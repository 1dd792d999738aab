"""Whether a summary answers a question, or only tells that it was asked."""

from __future__ import annotations

import re

from ..text import passages, statements, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

MOST_STATEMENTS = 200
REPEATED = 0.6
"""The share of a question's words that a statement needs to be about it."""
_UNKNOWING = (
    r"(?i)\b(?:(?:do|does|did|could|can|was|am|is)(?: not|n['’]t|not) (?:\w+ )?(?:know|have|find"
    r"|found|see|remember|recall|say|tell|sure|able|aware|recorded|mentioned|access)"
    r"|no (?:idea|information|record|memory|mention|notes?|trace)|nothing (?:about|on|in)|unknown"
    r"|unable to|weiß (?:es |das |ich )*nicht|keine (?:ahnung|information)|nichts (?:über|zu)"
    r"|ne (?:le )?sais pas|no (?:lo )?sé|non (?:lo )?so|não sei|nie wiem)\b"
    r"|不知道|不清楚|わかりません|分かりません|知りません|모르|не знаю"
)


def answers(text: str, asked: Collection[str]) -> bool:
    """Whether a text has more about a question, given as its words, than the question itself.

    That is a statement about it which says something new, or whatever comes right after where it
    was asked; neither another question nor that nobody knew.
    """
    after_it = False
    for statement in statements.split(text, most=MOST_STATEMENTS):
        said = set(words.query(statement.text))
        about = len(said.intersection(asked)) >= REPEATED * len(asked)
        asks = passages.asks(statement.text)
        new = not said.issubset(asked) and not asks and not re.search(_UNKNOWING, statement.text)
        if new and (about or after_it):
            return True
        after_it = about and not new
    return False
