"""What a text claims: of which thing it says what, and whether it says so or denies it.

Only sentences whose subject another text could name too are claims; questions, conditions and
guesses are none. What is not understood is left out: a missed claim costs less than a false one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...value import Value
from ..text import passages, statements, words
from . import contrasts
from . import foreign as foreign_claims
from . import patterns as said
from .vocabulary import DAYS, NEGATIONS, NEGATIONS_ANYWHERE, NOBODY, PERSON, SPEAKERS, TEAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

VALUE_WORDS = 12
"""A longer value is a story, and two stories differ without contradicting each other."""

NOTE = re.compile(r"\s*\(was [^()]*\)")
"""What a merge leaves of a value that changed; it claims nothing."""
_UNSURE = re.compile(
    r"(?i)^(?:if|when|whenever|unless|maybe|perhaps|suppose|wenn|falls|vielleicht|si|quand"
    r"|peut-être|quizás|tal vez)\b|\b(?:might|maybe|perhaps|could be|would be|used to|wants? to"
    r"|plans? to|thinks? about|considering|probably|vielleicht|peut-être|quizás)\b"
    r"|如果|也许|可能|もし|かもしれ"
)
_CONTRACTED = (
    (r"(?i)\b(ca)n't\b", r"\1n not"),
    (r"(?i)\bcannot\b", "can not"),
    (r"(?i)\bwon't\b", "will not"),
    (r"(?i)n't\b", " not"),
    (r"(?i)\bi'm\b", "I am"),
    (r"(?i)'re\b", " are"),
    (r"(?i)'ve\b", " have"),
    (r"(?i)\b(it|he|she|that|there|here|what|who)'s\b", r"\1 is"),
    (r"(?i)\blet's\b", "we"),
)
_CLAUSES = re.compile(
    r"(?i);\s+|,\s+(?:but|so|yet|aber|mais|pero|and|und|et|y)\s+(?=\S+ \S+)"
    r"|\s+(?:but|because|since|although|weil|obwohl)\s+|\s+and (?=(?:i|we|he|she|they|it|the)\s)"
    r"|,\s+(?=(?:i|we|my|our|it|they|he|she|his|her|their|which|ich|wir|mein\w*|unser\w*|je|nous"
    r"|mon|ma|notre|mi)\s)|\s+after (?=(?:i|we|my|our|it|they|he|she|his|her|their)\s)"
    r"|\s+[—–-]\s+(?=\S+ \S+)|[，；](?=\S)(?!而|不是|不在|不叫|并非)"
)
_TAIL = re.compile(
    r"(?i)(?:[\s,]+(?:now|nowadays|anymore|any more|any longer|again|these days|at all|very much"
    r"|a lot|so much|the most|most|too|as well|currently|at the moment|instead|today|already|please"
    r"|jetzt|mehr|wieder|sehr|maintenant|ahora))+$|了$"
)
_OPENING = re.compile(
    r"(?i)^(?:(?:actually|now|currently|also|note that|remember that|fyi|today|recently|these days"
    r"|by the way|jetzt|übrigens|ahora|maintenant|现在|今は)[,:，、]?"
    r"|(?:no|yes|well|nein|ja|non|oui),)\s+"
)
_QUALIFIED = re.compile(
    r"(?i)\s+((?:for|when|while|during|as|if|unless|except|over|to|in|on|at|with|until|before|after"
    r"|für|als|beim|pour|para|con)\s.+)$"
)
_OCCASION = re.compile(
    r"(?i)\s+((?:for|when|while|during|as|if|unless|except|in|on|at|with|via|by default|only"
    r"|für|als|beim|bei|auf|im|pour|dans|sur|para|con|en)\s.+|locally|remotely)$"
)
"""Where, when or for whom something is so: on another occasion it may be otherwise."""
_WHEN = re.compile(
    r"(?i)\s+(?:(?:in|on|since|as of|from|seit|im|depuis|en|desde) (?:early |late |mid-?)?"
    r"(?:the )?(?:spring|summer|autumn|fall|winter|\d{4}|{months}[a-z]*|{days}(?!s))\b.*"
    r"|(?:last|this|earlier this) (?:year|month|week|spring|summer|autumn|fall|winter|{days}).*"
    r"|yesterday|(?:\w+ ){1,2}(?:days?|weeks?|months?|years?) ago)$".replace(
        "{months}", "(?:jan|feb|m[aä]r|apr|ma[yi]|jun|jul|aug|sep|o[ck]t|nov|de[cz])"
    ).replace("{days}", "(?:mon|tues|wednes|thurs|fri|satur|sun)day")
)
"""When somebody moved says nothing about where they live now."""
_BETWEEN = re.compile(
    r"(?i)^(?P<one>\S+(?: \S+){0,3}?) (?:over|rather than|instead of|to) (?P<other>.+)$"
)
"""Tabs over spaces, tea to coffee."""
_OWNED = re.compile(
    r"(?i)^(?:(my|our|the user's|mein\w*|unser\w*|mon|ma|notre|mi|nuestr[oa]|我们?的) ?"
    r"|((?:[\w.-]+ ){0,2}[\w.-]+)'s )(.+)$"
)
_OF = re.compile(r"(?i)^the (.+) of (.+)$")
_ARTICLE = re.compile(
    r"(?i)^(?:the|a|an|this|that|der|die|das|den|dem|ein\w*|kein\w*|le|la|les|du|des|un|une|el|los"
    r"|las|no)\s+|^l'"
)
SOME = re.compile(
    r"(?i)^(?:an?|some|several|many|few|two|three|four|five|six|seven|people|someone|somebody|one)\b"
)
"""So begins a sentence about somebody or other: two of them may do opposite things."""


class Claim(Value):
    """One thing said of one entity, in the words that compare."""

    entity: str
    """`user` for the person, `we` for the team, otherwise the words of its name."""
    attribute: str
    value: str
    """As the text writes it."""
    negated: bool = False
    occasion: str = ""
    """Where, when or for whom it is so, if the text says so."""

    @property
    def terms(self) -> tuple[str, ...]:
        """The words of the value, as they compare."""
        return compared(self.value)


# A scan compares each text with many others.
@lru_cache(maxsize=2048)
def claims(text: str) -> tuple[Claim, ...]:
    """Every claim of a text, in order."""
    found: list[Claim] = []
    for sentence in statements.sentences(text):
        if not passages.asks(sentence):
            found += _of_sentence(NOTE.sub("", sentence))
    return tuple(dict.fromkeys(found))


def denies(text: str) -> bool:
    """Whether a sentence says that something is not so."""
    plain = expanded(text).casefold()
    return bool(NEGATIONS.intersection(re.findall(r"\w+", plain))) or any(
        sign in plain for sign in NEGATIONS_ANYWHERE
    )


def expanded(text: str) -> str:
    """The text with its contractions written out: `isn't` is `is not`."""
    text = text.replace("’", "'").replace("‘", "'")
    if "'" in text or "annot" in text:
        for pattern, full in _CONTRACTED:
            text = re.sub(pattern, full, text)
    return text


def compared(text: str) -> tuple[str, ...]:
    """A name or a value as it compares: its words in order, without articles, in one spelling."""
    bare = _ARTICLE.sub("", text.strip().strip("\"'`*_“”«»「」"))
    bare = re.sub(r"(?i)\b(col|fav|flav|hon)our", r"\1or", bare)
    return tuple(words.terms(bare)) or ((bare.casefold(),) if bare else ())


def _of_sentence(sentence: str) -> Iterator[Claim]:
    plain = expanded(sentence).strip().rstrip(".!。！ ")
    if _UNSURE.search(plain):
        return
    for part in _CLAUSES.split(plain):
        if clause := _OPENING.sub("", part.strip()):
            yield from _of_clause(clause)


def _of_clause(clause: str) -> Iterator[Claim]:
    if said.UNSAID.match(clause):
        clause = f"{PERSON} {clause}"
    for pattern in (said.SWITCHED, said.INSTEAD):
        if found := pattern.match(clause):
            # People move between places, which have names; teams and projects between tools.
            moved = pattern is said.SWITCHED and found["verb"].lower() == "moved"
            lives = moved and found["value"][0].isupper() and _entity(found["subject"]) != TEAM
            yield from _exchanged(found, said.LIVES if lives else said.USES)
            return
    if contrasted := _contrasted(clause):
        yield from contrasted
    else:
        yield from _plain(clause)


def _contrasted(clause: str) -> list[Claim]:
    """What a clause says, and what it denies in the same breath: the port is 5433, not 5432."""
    found = contrasts.read(clause)
    if found is None:
        return []
    said_so = list(_plain(found.head))
    if len(said_so) != 1 or said_so[0].negated == found.denied:
        return []
    claim = said_so[0]
    made = _made(claim.entity, claim.attribute, found.other, negated=not claim.negated)
    both = [claim, *made]
    # Where one of them is so, the other one is: 5433 instead of 5432 in staging.
    occasion = next((one.occasion for one in both if one.occasion), "")
    return [one.but(occasion=occasion) for one in both]


def _plain(clause: str) -> Iterator[Claim]:
    if found := said.DIRECTED.match(clause):
        yield from _made(TEAM, said.USES, found["value"], bool(found["no"]))
    elif found := said.ENGLISH.match(clause):
        attribute, negative = said.verb(found)
        if attribute == said.IS and found[said.BE].lower() in ("was", "were"):
            attribute = said.WAS
        no = bool(found["before"] or found["after"])
        yield from _about(found["subject"], attribute, found["value"], no != negative)
    elif found := said.KEYED.match(clause):
        yield from _about(found["subject"], said.IS, found["value"], False)
    else:
        yield from _elsewhere(clause)


def _exchanged(found: re.Match[str], attribute: str) -> Iterator[Claim]:
    yield from _about(found["subject"], attribute, found["value"], False)
    yield from _about(found["subject"], attribute, found["old"], True)


def _elsewhere(clause: str) -> Iterator[Claim]:
    for pattern, attribute, negative in foreign_claims.PATTERNS:
        if found := pattern.match(clause):
            parts = found.groupdict()
            no = bool(parts.get("n") or parts.get("x"))
            yield from _about(found["s"] or "i", attribute, found["v"], no != negative)
            return


def _about(subject: str, attribute: str, value: str, negated: bool) -> Iterator[Claim]:
    """A claim about a subject, with what it owns as the attribute: my *name* is …"""
    subject = subject.strip().removesuffix(" there")
    if attribute in (said.IS, said.WAS):
        if owned := _OWNED.match(subject):
            owner = _entity(owned[1] or owned[2])
            yield from _made(owner, _possession(owned[3], attribute), value, negated)
            return
        if of := _OF.match(subject):
            yield from _made(_entity(of[2]), _possession(of[1], attribute), value, negated)
            return
    yield from _made(_entity(subject), attribute, value, negated)


def _possession(name: str, attribute: str) -> str:
    plain = " ".join(compared(name))
    return f"{said.WAS} {plain}" if attribute == said.WAS else plain


def _entity(subject: str) -> str:
    plain = subject.strip().casefold()
    if SOME.match(plain) and plain not in ("a user", "one user"):
        return ""
    if plain in SPEAKERS:
        return SPEAKERS[plain]
    bare = _ARTICLE.sub("", plain)
    if bare in SPEAKERS and SPEAKERS[bare] == PERSON and plain != bare:
        return PERSON
    if not bare or bare.split()[0] in NOBODY or bare in NOBODY:
        return ""
    return " ".join(compared(subject))


def _made(entity: str, attribute: str, value: str, negated: bool) -> Iterator[Claim]:
    value, occasion = _TAIL.sub("", value.strip()).strip(" ,.;"), ""
    if attribute == said.PREFERS and not negated and (found := _BETWEEN.match(value)):
        yield from _between(entity, found)
    if attribute in (said.LIKES, said.USES, said.PREFERS):
        if found := _QUALIFIED.search(value):
            attribute = f"{attribute} {' '.join(compared(found[1]))}"
            value = value[: found.start()]
        value = re.sub(r"(?i)^(?:to|using|use) ", "", value)
    else:
        value, occasion = _on_occasion(attribute, value)
    if entity and value and passages.word_count(value) <= VALUE_WORDS:
        yield Claim(entity, attribute, value.strip(" \"'`*_"), negated, occasion)


def _between(entity: str, found: re.Match[str]) -> Iterator[Claim]:
    """Of two things the preferred one: tabs over spaces, and spaces over tabs, are one question."""
    one, other, condition = found["one"], found["other"], ""
    if qualified := _QUALIFIED.search(other):
        other, condition = other[: qualified.start()], " ".join(compared(qualified[1]))
    both = sorted(" ".join(compared(each)) for each in (one, other))
    attribute = f"{said.BETWEEN} {' or '.join(both)} {condition}".strip()
    if entity and all(both):
        yield Claim(entity, attribute, one)
        if not condition:
            yield Claim(entity, said.PREFERS, other, negated=True)


def _on_occasion(attribute: str, value: str) -> tuple[str, str]:
    """A value, and where, when or for whom it holds; when somebody moved or began is left out."""
    if attribute in (said.LIVES, said.WORKS):
        value = _WHEN.sub("", value)
    found = _OCCASION.search(value)
    # A time or a number belongs to the value itself: on Monday at ten, 30 in 60 seconds.
    if found is None or re.search(r"\d", found[0]) or not DAYS.isdisjoint(found[0].lower().split()):
        return value, ""
    return value[: found.start()], " ".join(compared(found[1]))
