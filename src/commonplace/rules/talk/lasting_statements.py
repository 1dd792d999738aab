"""Tell plain statements of how a thing is, in languages that the listener has not learned.

`Das Uhrwerk stammt aus Furtwangen` is worth keeping, `Die Tabelle ist noch leer` is not.
"""

from __future__ import annotations

import re

from ...language.vocabulary.forget_wishes import WESTERN
from ...language.vocabulary.momentary import MOMENTARY
from ...language.vocabulary.tongues import ENGLISH, tongue_of
from ...language.words import is_question, telling_terms

LEAST_WORDS, LEAST_TELLING = 5, 2
"""Words that a statement has, and those of them that tell what it is about, …"""
TELLING = 3
"""… or as many of these, in fewer words."""

_NO_WISH = (
    r"(?!.*\b(?:i|me|my|us|our|you|always|never|should|must|please|prefer\w*|like|want|better|best"
    r"|(?:has|have|needs?|is|are) to|ich|mir|mich|uns|mein\w*|unser\w*|immer|nie|nicht mehr als"
    r"|bitte|soll\w*|muss|müssen|darf|dürfen|moi|nous|mon|ma|mes|notre|toujours|jamais|doit"
    r"|doivent|nos|nuestr\w*|mis?|siempre|nunca|por favor|deben?|mi|noi|sempre|mai|deve|devono"
    r"|mij|ons|altijd|nooit|moet\w*|graag)\b)"
)
_OF_A_THING = re.compile(
    r"(?i)(?!das (?:ist|war|sieht|klingt|passt|stimmt|reicht|gefällt|macht|tut|heißt|hat|geht|wird"
    r")\b)"
    rf"(?:the|der|die|das|le|la|les|l'|el|los|las|il|lo|gli|de|het) ?\w{_NO_WISH}"
)
_OF_A_THING_ABROAD = re.compile(rf"(?i)(?:[oai]|os|as) \w{_NO_WISH}")
"""Begins with an article that English has as another word."""
_ENGLISH = re.compile(r"(?i)the\b")
_NOBODY = (
    r"(?:Das|Dies|Es|Er|Sie|Ihr|Man|Was|Wer|Alles|Nichts|Hier|Da|Dort|So|Dann|Nicht|Wie|Wann|Wo)\b"
)
_NAMED = re.compile(
    r"(?:[A-ZÀ-Þ][\w'-]+ [A-ZÀ-Þ][\w'-]+ [a-zß-ÿ]"
    rf"|(?!{_NOBODY})[A-ZÀ-Þ][\w'-]+ [a-zß-ÿ]+t\b)(?i:{_NO_WISH})"
)
"""`Schwester Benedikta leert …`, `Gerda hütet …`: says what somebody does."""


def is_of_a_thing(sentence: str) -> bool:
    """Whether a sentence says of a thing how it is: no wish, and nobody's rule."""
    return _OF_A_THING.match(sentence.strip()) is not None


def is_of_a_thing_abroad(sentence: str) -> bool:
    """The same in another language than English, if it is no talk of the work at hand."""
    abroad = is_of_a_thing(sentence) and not _ENGLISH.match(sentence.strip())
    return abroad and not _is_of_the_work(sentence)


def states_abroad(sentence: str, before: str) -> bool:
    """Whether a sentence in another language than English says lastingly how something is.

    What speaks of what the assistant said `before` is about the work.
    """
    plain = sentence.strip()
    if is_question(plain) or tongue_of(plain) == ENGLISH:
        return False
    if not any(one.match(plain) for one in (_OF_A_THING, _OF_A_THING_ABROAD, _NAMED)):
        return False
    if _is_of_the_work(plain):
        return False
    telling = telling_terms(plain)
    enough = len(plain.split()) >= LEAST_WORDS and len(telling) >= LEAST_TELLING
    return (enough or len(telling) >= TELLING) and telling.isdisjoint(telling_terms(before))


def _is_of_the_work(sentence: str) -> bool:
    words = {one.strip(".,;:!?()'\"“”„«»").casefold() for one in sentence.split()}
    return not words.isdisjoint(MOMENTARY) or not words.isdisjoint(WESTERN.of_the_work)
