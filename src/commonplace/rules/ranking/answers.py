"""Whether what was found answers a question, or only sounds as if it did.

A near miss shares most words with what is asked: the right thing and another detail, or another
person. A small model reads the best hits with the question; here is what surrounds it.
"""

from __future__ import annotations

import math
import re

from ...language import words
from ...language.vocabulary import STOPWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.memory import Memory

READ = 2
"""Hits that are read: a third adds little, and each takes its time."""
STRONG = 0.75
"""From this likelihood on the book is sure; when it was set, 85 % of such answers were right."""
UNLIKELY = 0.2
_HIGHEST, _SCALE, _SHIFT = 0.88, 1.3, 2.6
"""Fitted on the development tenth of the corpus, with its questions that nothing answers. Of the
surest readings that many are right, and no more.
"""
_MOST = 2_000
"""Characters of a question that are read."""
_ASKING = frozenset({"who", "whose", "whom", "what", "which", "when", "where", "why", "how"})
_ASKS = re.compile(r"\?\W*\Z")
_NAME = re.compile(r"[^\W\d_]+")


def likelihood(reading: float) -> float:
    """How likely one of the first hits answers, from the best reading among them."""
    return _HIGHEST / (1 + math.exp(-(_SCALE * max(-30.0, min(30.0, reading)) + _SHIFT)))


def is_question(text: str) -> bool:
    """Whether a text asks in a sentence; bare words to search for are no question."""
    text = text[:_MOST].strip()
    first = _NAME.match(text)
    asks = _ASKS.search(text) or (first and first[0].lower() in _ASKING)
    return bool(asks) and len(text.split()) > 1


def spoken(text: str, speaker: str | None) -> str:
    """A turn as the model reads it: who said it, and what."""
    return f"{speaker}: {text}" if speaker else text


def is_about_another(question: str, memory: Memory) -> bool:
    """Whether a note says nothing of those whom a question names."""
    if memory.episode is not None:
        return False  # Turns speak of people as I, you and she.
    asked = names(question)
    known = f"{memory.content} {memory.title or ''} {memory.key or ''} {memory.scope}".lower()
    return bool(asked) and not any(name in known for name in asked)


def names(text: str) -> set[str]:
    """The names in a sentence: words with a capital that no sentence begins with."""
    found: set[str] = set()
    for one in _NAME.finditer(text[:_MOST]):
        word = one[0]
        begins = not text[: one.start()].rstrip(" \t\"'“‘(").rstrip()[-1:].strip(".!?:\n")
        named = word[0].isupper() and len(word) > 1 and word.lower() not in STOPWORDS
        if named and not begins:
            found.add(word.lower())
    return found


def says_all(question: str, text: str) -> bool:
    """Whether a text has every telling word of a question."""
    asked = set(words.query_terms(question[:_MOST]))
    return bool(asked) and asked <= set(words.query_terms(text))
