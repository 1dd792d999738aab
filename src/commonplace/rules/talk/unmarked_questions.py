"""Tell a question that was typed without its mark: `which branch do releases come from`.

A question asks by the order of its words: the verb stands before its subject. `What we use is
Poetry` begins with the same word, keeps the order of a statement, and is one.
"""

from __future__ import annotations

import re

from ...language.words import is_question

MOST_WORDS = 20
"""A longer sentence without a mark tells something."""

_WHO = "i|we|you|u|he|she|it|they"
_THE = "the|our|my|your|his|her|its|their|this|that|these|those|an?|any|all|some|each|every"
_BE = "is|are|was|were|am"
_HELPS = f"{_BE}|do|does|did|can|could|should|will|would|has|have|had|may|might"
_NO_SUBJECT = rf"(?!(?:{_WHO}|{_THE}|{_HELPS}|if|when|that)\b)[\w'/.-]+"
_LEADS = (
    r"(?:(?:and|so|but|also|hey|hi|hello|btw|ok(?:ay)?|hm+|morning|wait|actually|then|again"
    r"|just checking)[,.:!]* )*"
)
_ENGLISH = (
    rf"(?:what|where|when|who|whom|how|why)(?: exactly| else| again)? (?:{_HELPS})(?:n't)?"
    rf"(?!(?: [\w'-]+)+ (?:{_BE})\b)",
    rf"(?:what|where|who|how|when)'?s (?:(?:{_THE}|up|next|left|wrong)\b|(?:{_WHO})\b)"
    rf"(?!.* (?:{_BE})\b)",
    rf"(?:which|whose)(?: of (?:{_THE}))?(?: {_NO_SUBJECT}){{1,3}}? (?:{_HELPS})\b",
    rf"what(?: {_NO_SUBJECT}){{1,3}}? (?:(?:do|does|did|can|could|should|would)\b"
    rf"|(?:{_BE}|have|has|had|will) (?:{_WHO})\b)",
    rf"what {_NO_SUBJECT}(?<!s)(?<!ed) (?:is|are)(?: [\w'-]+){{1,3}}$",
    rf"how (?!(?:ever|come)\b){_NO_SUBJECT}(?: {_NO_SUBJECT}){{0,3}}? (?:{_HELPS})\b",
    rf"how (?:many|much|often|long|far)(?: {_NO_SUBJECT}){{1,3}}$",
    rf"(?:{_BE}) (?:{_WHO}|there|{_THE})\b",
    r"(?:do|have) (?:i|we|you|u|they|people)\b",
    rf"(?:does|did|has|had) (?:{_WHO}|the|our|my|your|people)\b",
    rf"(?:can|could|will|would) (?:(?!you\b|u\b|we\b)(?:{_WHO})|{_THE})\b",
    rf"(?:should|shall|may) (?:i|we|he|she|it|they|{_THE})\b",
)
_SUBJECTS = "wir|ich|du|sie|er|es|man|ihr|der|die|das|unser\\w*|mein\\w*|dein\\w*"
_GERMAN = (
    r"(?:bis |seit |ab |von |für |mit )?(?:wann|wo|wer|wen|wem|was|wie|warum|wieso|welche[nrsm]?)"
    r"(?: (?!(?:wir|ich|du|sie|er|es|man|ihr)\b)\w+){0,3}?"
    r" (?:ist|sind|war|waren|hat|haben|hast|kann|kannst|können|muss|müssen|soll|sollen|wird|werden"
    rf"|macht|machen|nehmen|geht|gibt) (?:{_SUBJECTS})\b",
)
_ROMANCE = (
    r"(?:(?:où|quand|comment|pourquoi|combien|qui|que|qu') ?)?est-ce qu",
    r"quel(?:le)?s? (?:\w+ ){0,2}?(?:est|sont) ",
    r"(?:cuál(?:es)?|dónde|cuándo|cuánt[oa]s?|quién(?:es)?) ",
)
_PREPOSITION = r"(?:(?:at|till?|until|since|from|by|on|in|for|to|with) (?=wh))?"
_ASKS = re.compile(
    rf"(?i){_LEADS}(?:{_PREPOSITION}(?:{'|'.join(_ENGLISH)})|{'|'.join((*_GERMAN, *_ROMANCE))})"
)
_GOES_ON = re.compile(r"[,;:]\s+\S+(?:\s+\S+){3,}$")
"""A clause follows that may tell something: `is the build done, then tag it as v2`."""


def asks(sentence: str) -> bool:
    """Whether a sentence is a question, with its mark or without."""
    if is_question(sentence):
        return True
    plain = sentence.strip().replace("’", "'").rstrip(".! ")
    if len(plain.split()) > MOST_WORDS or _GOES_ON.search(plain):
        return False
    return _ASKS.match(plain) is not None


def with_mark(sentence: str) -> str:
    """The sentence; a question that was typed without its mark has it now."""
    return sentence if is_question(sentence) or not asks(sentence) else f"{sentence.rstrip(' .')}?"
