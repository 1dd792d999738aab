"""Put a corrected value into the sentence that it corrects: `No, release.` about a branch.

What was said to correct a statement is often only a piece. The statement with the new value in the
place of the old one is what a reader understands years later.
"""

from __future__ import annotations

import re

from ..language import passages, statements
from ..language.vocabulary.statements import PRONOUNS, SPEAKERS
from ..language.words import telling_terms
from . import short_answers
from .corrections import (
    DIGITS,
    NOT_BUT,
    NUMBER,
    RIGHT_NOT,
    VALUE,
    as_sentence,
    mentions,
    named_part,
    put_instead,
    quotes_context,
    without_opener,
)
from .standing_lines import (
    answered_sentence,
    bare_line,
    points_back,
    says_again,
    standing_line,
)

PIECE = 4
"""A correction with no more words than this is a piece of a sentence."""

_SETTER = re.compile(r"(?i)(?:\b(?:is|are|was|were|at|from|to|by|on|in|uses?|called|named)|[=:]) ")
_IS_SET = re.compile(r"(?i)(?:is|are|was|were|uses?|called|named|[=:]) ")
_SMALL_TALK = re.compile(
    r"(?i)[,;.!—–-]+\s*(?:please|thanks|thank you|sorry|remember|actually|now|mate|though|ok(?:ay)?"
    r"|i told you|as i said|these days|by the way|btw)\b.*$"
)
_POINTS = re.compile(r"(?i)^(?:it|that|this|they|he|she)(?:'s|'re| is| are| was| were)\s+(?:now )?")
_THING_IS = re.compile(
    r"(?i)^(?:it|they)(?:'s|'re| is| are| was| were)\s+(?!been\b|got\b)"
    r"(?![^,.;]{1,40}? (?:that|who|which|he|she|they|we|i|you)\b(?<!since they))"
)
"""Says how a thing is: `it's hazelnuts she can't have` says so of somebody."""
_LED = re.compile(r"(?i)^(?:at|from|to|by|on|in|till|until|after|before|with|under|for)\b")
"""A value with the word that leads to it, which then stands there once."""

_SETS_KEY = re.compile(
    r"(?is)^(?P<subject>[^.,;:=!?]{1,80}(?:\.[^\s.,;:=!?]+)*?)\s*"
    r"(?:\b(?:is|are)\b(?! not\b)|[=:])\s*"
    r"(?:now |currently |actually |in fact )?(?P<value>.+?)"
    r"(?:,? (?:now|these days|from now on|actually|instead)|, (?:since|as of) [^,.]{2,30})?[.!]*$"
)
_KEY_WORD = re.compile(r"[^\W_]+")
_LINKING = frozenset({"the", "our", "my", "your", "a", "an", "of", "for", "s"})
"""Words between the words of a key."""
_MORE = re.compile(r"(?i)[;?]|[.!]\s|, (?:and|but|not)\b|\bnot\b")
"""More than a value follows."""
MOST_VALUE_WORDS = 8
MOST_SUBJECT_WORDS = 6
MOST_TOPIC_WORDS = 9
_SPEAKS_OF = re.compile(r"(?i)^(?:we|i|they|he|she|it|that|this|you)\b(?:\S*\s+\S+){2}")
_SAYS = re.compile(
    r"(?i)\b(?:is|are|was|were|isn't|aren't|uses?|prefers?|switched|moved|changed)\b"
)
"""Words of a sentence, which a value seldom has."""
_FROM_NOW = re.compile(
    r"(?i)(?:,? (?:now|these days|from now on|instead|actually)|, (?:since|as of) [^,.]{2,30})$"
)
_NO_OBJECT = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|had|does|did|do|goes|went|moved|left|changed|stays?|takes?"
    r"|\w+'s|daily|weekly|monthly|hourly|nightly|yearly|quarterly|often|always|never|sometimes)\b"
)
"""Says something of its own, or how often: it does not go in the place of a thing."""
_POINTING = re.compile(r"(?i)^(?P<pronoun>it|they|he|she)(?P<says>'s|'re| \S+)(?=\s)")
_VERB = re.compile(
    r"(?i)^(?P<subject>(?:[^\s,.;:!?]+ ){0,5}?[^\s,.;:!?]+) (?:(?P<is>is|are|was|were)"
    r"|has|have|costs?|lives?|runs?|starts?|ends?|works?|meets?|uses?|takes?|plays?|opens?|closes?"
    r"|stays?|goes|go|needs?|belongs?|comes?|weighs?|lasts?|begins?|leaves?|arrives?)\b"
)
_LABEL = re.compile(r"^(?P<subject>[^:=“”.!?]{3,60}?)\s*(?::|=)\s")
"""Finds the words before a line's colon: `Latest release` in `Latest release: 0.6.2`."""
_CONTRACTED = {"'s": " is", "'re": " are"}
_IS = frozenset({" is", " are", " was", " were"})


def exchanged_statement(old: str, said: str, content: str) -> str:
    """What holds now: the content if it stands alone, else the old statement with its new value."""
    if _stands_alone(content) and not _short_value(said):
        return content
    if swapped := _swapped(old, said):
        return as_sentence(swapped)
    value = _short_value(said)
    setters = [] if _NO_OBJECT.search(value) else list(_SETTER.finditer(old))
    if value and setters and passages.word_count(old[setters[-1].end() :]) <= PIECE:
        last = setters[-1]
        led = _LED.match(value) and not _IS_SET.match(last[0])
        return as_sentence(f"{old[: last.start() if led else last.end()]}{value}")
    return content


def with_subject(old: str, right: str) -> str:
    """The right sentence, with the subject of the old one in place of `it`, `she` or `they`.

    `It is 35 euros per term` about `The fee is 30 euros per term` is a sentence about the fee.
    """
    pointing, about = _POINTING.match(right), _VERB.match(old.strip())
    if not pointing or not about or passages.word_count(about["subject"]) > MOST_SUBJECT_WORDS:
        return right
    subject = about["subject"]
    if subject.casefold() in SPEAKERS or subject.split()[0].casefold() in PRONOUNS:
        return right
    says = _CONTRACTED.get(pointing["says"].casefold(), pointing["says"])
    if says.casefold() in _IS and not about["is"]:
        return right  # `Anna lives in Linz`, `It is Graz`: the town, not Anna.
    return f"{subject}{says}{right[pointing.end() :]}"


def with_topic(old: str, said: str, before: str = "") -> str:
    """Put a person's words under the topic of the note that they correct.

    A note that names no topic is quoted whole. A note that quotes a question itself passes that
    question on, so that no quotation stands in another one. A note that has nothing to do with what
    the assistant said `before` is not what the words answer.
    """
    plain = bare_line(said)
    if _THING_IS.match(plain) and (whole := with_subject(old, plain)) != plain:
        return as_sentence(whole)
    named = standing_line(plain, before) if points_back(plain) else ""
    known = telling_terms(old) & telling_terms(named)
    if known and not points_back(named) and not short_answers.is_together(named):
        return named
    spoken = statements.sentences(before)
    strange = telling_terms(old).isdisjoint(telling_terms(before))
    if spoken and (strange or says_again(plain)):
        return short_answers.together(plain, answered_sentence(plain, spoken))
    topic = short_answers.topic_of(old)
    if not topic and not short_answers.is_together(old):
        found = _LABEL.match(old.strip()) or _VERB.match(old.strip())
        topic = found["subject"] if found else ""
    first = topic.split(" ", 1)[0].casefold()
    names_it = first not in SPEAKERS and first not in PRONOUNS and telling_terms(topic)
    if names_it and passages.word_count(topic) <= MOST_TOPIC_WORDS:
        return short_answers.under_topic(plain, topic)
    return short_answers.together(plain, old)


def exchanged_value(old: str, said: str, *, key: str = "") -> str:
    """The new value of a fact; empty if it is not clear which part of what was said is it."""
    value = _value_of_key(key, said) or _new_value(old, said)
    return "" if value.casefold() == old.casefold() else value


def corrected_value(old: str, said: str, *, key: str) -> str:
    """The value that corrects a fact: what was said, or what a sentence states for the key.

    Empty if a sentence does not say which part of it is the value.
    """
    if value := _value_of_key(key, said) or (" not " in said and _swapped(old, said).strip(" .!")):
        return value
    if not _is_sentence(said) or _is_sentence(old):
        return said
    value = _FROM_NOW.sub("", _short_value(_FROM_NOW.sub("", said.rstrip(" .!"))))
    return "" if _is_sentence(value) else value


def _is_sentence(text: str) -> bool:
    plain = text.strip()
    if passages.word_count(plain) < 2:
        return False
    if without_opener(plain) != plain or _SPEAKS_OF.match(plain):
        return True
    return passages.word_count(plain) >= PIECE and bool(_SAYS.search(plain))


def _value_of_key(key: str, said: str) -> str:
    """The value in `The office city is Rotterdam now` of the key `office.city`."""
    found = _SETS_KEY.match(without_opener(said.strip()))
    named = set(_KEY_WORD.findall(key.casefold()))
    if not found or not named:
        return ""
    subject = set(_KEY_WORD.findall(found["subject"].casefold())) - _LINKING
    value = found["value"].strip(" \"'`")
    short = passages.word_count(value) <= MOST_VALUE_WORDS and not _MORE.search(value)
    return value if subject == named and short else ""


def _new_value(old: str, said: str) -> str:
    numbers = NUMBER.findall(said)
    new = [one for one in dict.fromkeys(numbers) if one != old]
    if NUMBER.fullmatch(old):
        return new[0] if len(new) == 1 else ""
    if swapped := _swapped(old, said):
        return swapped.strip(" .!")
    # A value of the same shape: a name for a name, a name in code for another.
    named = [one for one in VALUE.findall(said) if one.casefold() not in old.casefold()]
    alike = [one for one in named if bool(DIGITS.search(one)) == bool(DIGITS.search(old))]
    if len(alike) == len(named) == 1 and passages.word_count(old) <= 1:
        return alike[0].strip(".,;:!")
    return _short_value(said)


def _stands_alone(content: str) -> bool:
    """Whether a sentence names what it is about."""
    if quotes_context(content) or _POINTS.match(content):
        return False
    return passages.word_count(content) > PIECE


def _swapped(old: str, said: str) -> str:
    """The old text with what `X, not Y` or a single new number puts in the place of another."""
    plain = without_opener(said.strip()).rstrip(".!。！ ")
    for pattern in (NOT_BUT.search, RIGHT_NOT.match):
        if found := pattern(plain):
            wrong, right = named_part(found, "wrong"), named_part(found, "right")
            right = _last_value(right)
            if right and mentions(old, wrong):
                return put_instead(old, wrong, right)
    numbers, known = set(NUMBER.findall(plain)), set(NUMBER.findall(old))
    # `nah, 25`: nothing but the number is new, or a value would be made of two.
    rest = {word.strip(".,;:!").casefold() for word in plain.split()} - numbers
    if len(numbers) == len(known) == 1 and rest <= set(old.casefold().split()):
        return put_instead(old, known.pop(), numbers.pop())
    return ""


def _last_value(right: str) -> str:
    """The value at the end of `we deploy from the branch release`."""
    plain = right.strip(" \"'`,;")
    if passages.word_count(plain) <= PIECE - 1:
        return _POINTS.sub("", plain)
    setters = list(_SETTER.finditer(plain))
    value = plain[setters[-1].end() :] if setters else ""
    values = VALUE.findall(plain)
    if value and passages.word_count(value) <= PIECE:
        return re.sub(r"(?i)^(?:the|a|an) (?:\w+ )?(?=\S+$)", "", value)
    return values[-1] if values else ""


def _short_value(said: str) -> str:
    """A correction that is nothing but the new value."""
    plain = _SMALL_TALK.sub("", without_opener(said.strip())).strip(" .!,;")
    plain = _POINTS.sub("", plain)
    return plain if 0 < passages.word_count(plain) <= PIECE and "?" not in said else ""
