"""Read the claims of a text: an entity, an attribute, a value, and whether it is denied.

Questions, conditions, guesses and sentences about pronouns are no claims. Sentences that no pattern
fits are left out, because a missed claim costs less than a false one.
"""

from __future__ import annotations

import re

from ...language import passages, statements, words
from ...language.vocabulary.statements import (
    CALENDAR_NAMES,
    NEGATIONS,
    NEGATIONS_UNSPACED,
    PERSON,
    PRONOUNS,
    SPEAKERS,
    TEAM,
)
from ...language.words import is_question
from ...model.text_cache import remembered
from ...model.value import Value
from . import claim_patterns as patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


SENTENCE_CHARACTERS = 400
"""A longer sentence is a story."""

_OTHER = r"(?P<other>[^,;:()，；：（）]{1,60}?)"
_NOT = re.compile(
    r"(?i)^(?P<head>.+?)(?:"
    r",\s+(?:(?:and|und|et|y)\s+)?(?:no longer|not|nicht(?: mehr)?|non pas|pas|ya no|no)\s+"
    r"|\s+(?:instead of|rather than|as opposed to|and not|statt|anstatt|anstelle von|und nicht"
    r"|au lieu de|plutôt que|et (?:non )?pas|en lugar de|en vez de|y no)\s+"
    r"|[，,]\s*而?(?:不是|不在|不叫|并非)|[，,]?\s*而(?:不是|不在|不叫|非)"
    rf"){_OTHER}$"
)
"""The port is 5433, not 5432."""
_BRACKETED = re.compile(
    r"(?i)^(?P<head>.+?)\s*[(（]"
    r"(?:(?:not|instead of|nicht|statt|pas|au lieu de|no|en vez de)\s+|不是)"
    rf"{_OTHER}[)）](?P<rest>.*)$"
)
_NOT_FIRST = re.compile(
    r"^(?P<topic>(?:[^、]*?[はが])?)(?P<other>[^はが、]{1,30}?)"
    r"(?:では?なく|じゃなく)て?、?(?P<rest>.+)$"
)
"""ポートは5432ではなく5433です。"""
_BUT = re.compile(rf"(?i)^(?P<head>.+?)(?:,\s+(?:sondern|sino|mais)\s+|[，,]?\s*而是){_OTHER}$")
"""Der Port ist nicht 5432, sondern 5433."""
_NO_CONTRAST = re.compile(
    r"(?i)(?:matter|only|just|yet|necessarily|always|all|at all|every|quite|sure|even|that|because"
    r"|since|if|when|until|unless|while|counting|including|to mention|so|too|very|much|many|one of"
    r"|nur|bloß|immer|alle|weil|wenn|seulement|toujours|sólo|solo|siempre)\b|[只仅]"
)
"""Continuations that limit or explain, and contrast nothing."""
_PLACED = re.compile(
    r"(?i)^(?:(?:in|at|on|to|for|by|bei|für|auf|nach|à|au|en|chez|pour|para)\s+|在)"
)
_CUE = re.compile(
    r"(?i)\b(?:no|not|instead|rather|opposed|nicht|statt|anstatt|anstelle|sondern|pas|lieu|plutôt"
    r"|mais|lugar|vez|sino)\b|[不非而]|なく"
)
"""Without one of these there is no contrast, and nothing to look for."""
_CLOSING = " \t\n.!。！"


class Contrast(Value):
    """A sentence without its contrast, and what it is contrasted with."""

    head: str
    other: str
    denied: bool = True
    """Whether the other is what is not so; after `not this, but` it is what is so."""


# A scan compares each sentence with many others.
@remembered()
def read_contrast(sentence: str) -> Contrast | None:
    """The contrast that a sentence draws, if it draws one about its end."""
    plain = sentence.strip(_CLOSING)
    if len(plain) > SENTENCE_CHARACTERS or not _CUE.search(plain):
        return None
    if (found := _NOT.match(plain)) and not _NO_CONTRAST.match(found["other"]):
        return Contrast(found["head"], _PLACED.sub("", found["other"]))
    if (found := _BRACKETED.match(plain)) and not _NO_CONTRAST.match(found["other"]):
        return Contrast(found["head"] + found["rest"], _PLACED.sub("", found["other"]))
    if found := _NOT_FIRST.match(plain):
        return Contrast(found["topic"] + found["rest"], found["other"])
    if found := _BUT.match(plain):
        return Contrast(found["head"], _PLACED.sub("", found["other"]), denied=False)
    return None


def asserted_part(sentence: str) -> str:
    """A sentence without what it denies in passing."""
    found = read_contrast(sentence)
    return found.head if found is not None and found.denied else sentence


def contrast_denies(sentence: str, other: str) -> bool:
    """Whether a sentence says what another one says, word for word, but for what it denies.

    `We ship from main, not master` denies `We ship from master`, whatever the verb means.
    """
    found = read_contrast(sentence)
    if found is None or not found.denied:
        return False
    head, plain = found.head.casefold(), other.strip(_CLOSING).casefold()
    return any(
        head.startswith(before) and head.endswith(after) and len(head) > len(before + after)
        for before, after in _around(found.other.casefold(), plain)
        if _names_something(before)
    )


def _around(part: str, text: str) -> Iterator[tuple[str, str]]:
    """The text before and after each occurrence of a part as a word of its own."""
    for found in re.finditer(re.escape(part), text):
        before, after = text[: found.start()], text[found.end() :]
        apart = not part.isascii() or not re.search(r"[a-z\d_]$", before)
        if apart and (not part.isascii() or not re.match(r"[a-z\d_]", after)):
            yield before, after


def _names_something(before: str) -> bool:
    """Whether the subject is a name rather than a pronoun."""
    words = before.split()
    return bool(words) and words[0] not in PRONOUNS


# Claims

DIRECTING = frozenset({"please", "always", "now", "also", "finally", "therefore", "so", "just"})
"""Words that open a directive without a subject."""
VALUE_WORDS = 12
"""A longer value is a story, and two stories differ without contradicting each other."""

CHANGE_NOTE = re.compile(r"\s*\(was [^()]*\)")
"""The note that a merge adds about an old value; it is no claim."""
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
INDEFINITE_SUBJECT = re.compile(
    r"(?i)^(?:an?|some|several|many|few|two|three|four|five|six|seven|people|someone|somebody|one)\b"
)
"""Opens a sentence about somebody unnamed: two of them may do opposite things."""


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
        return comparable_words(self.value)


# A scan compares each text with many others.
@remembered()
def read_claims(text: str) -> tuple[Claim, ...]:
    """Every claim of a text, in order."""
    found: list[Claim] = []
    for sentence in statements.sentences(text):
        if not is_question(sentence):
            found += _of_sentence(CHANGE_NOTE.sub("", sentence))
    return tuple(dict.fromkeys(found))


@remembered()
def is_denial(text: str) -> bool:
    """Whether a sentence says that something is not so."""
    plain = expand_contractions(text).casefold()
    return bool(NEGATIONS.intersection(re.findall(r"\w+", plain))) or any(
        sign in plain for sign in NEGATIONS_UNSPACED
    )


def expand_contractions(text: str) -> str:
    """The text with its contractions written out: `isn't` is `is not`."""
    text = text.replace("’", "'").replace("‘", "'")
    if "'" in text or "annot" in text:
        for pattern, full in _CONTRACTED:
            text = re.sub(pattern, full, text)
    return text


def comparable_words(text: str) -> tuple[str, ...]:
    """A name or a value as it compares: its words in order, without articles, in one spelling."""
    bare = _ARTICLE.sub("", text.strip().strip("\"'`*_“”«»「」"))
    bare = re.sub(r"(?i)\b(col|fav|flav|hon)our", r"\1or", bare)
    return tuple(words.terms(bare)) or ((bare.casefold(),) if bare else ())


def _of_sentence(sentence: str) -> Iterator[Claim]:
    plain = expand_contractions(sentence).strip().rstrip(".!。！ ")
    if _UNSURE.search(plain):
        return
    for part in _CLAUSES.split(plain):
        if clause := _OPENING.sub("", part.strip()):
            yield from _of_clause(clause)


def _of_clause(clause: str) -> Iterator[Claim]:
    if patterns.MISSING_SUBJECT.match(clause):
        clause = f"{PERSON} {clause}"
    yield from _chosen(clause)
    for pattern in (patterns.SWITCHED, patterns.INSTEAD):
        if found := pattern.match(clause):
            # People move between places, which have names; teams and projects between tools.
            moved = pattern is patterns.SWITCHED and found["verb"].lower() == "moved"
            lives = moved and found["value"][0].isupper() and _entity(found["subject"]) != TEAM
            yield from _exchanged(found, patterns.LIVES if lives else patterns.USES)
            return
    if contrasted := _contrasted(clause):
        yield from contrasted
    else:
        yield from _plain(clause)


def _chosen(clause: str) -> Iterator[Claim]:
    """The claim which of two named things was chosen, as `_between` makes it."""
    found = next((one for pattern in patterns.CHOSEN if (one := pattern.match(clause))), None)
    if found is None or is_denial(found["subject"] or ""):
        return
    first = (found["subject"] or "we").split(" ")[0]
    entity = _entity(found["subject"]) if found["subject"] else TEAM
    # Decisions are the team's, whoever of it reports them: I chose, we finally chose.
    if SPEAKERS.get(first.casefold()) in (TEAM, PERSON) or first.casefold() in DIRECTING:
        entity = TEAM
    both = sorted(" ".join(comparable_words(found[name])) for name in ("value", "old"))
    if entity and all(both) and both[0] != both[1]:
        occasion = " ".join(comparable_words(found["occasion"] or ""))
        attribute = f"{patterns.BETWEEN} {' or '.join(both)}"
        yield Claim(entity, attribute, found["value"], occasion=occasion)


def _contrasted(clause: str) -> list[Claim]:
    """The claim of a clause and the one that it denies: the port is 5433, not 5432."""
    found = read_contrast(clause)
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
    if found := patterns.DIRECTED.match(clause):
        yield from _made(TEAM, patterns.USES, found["value"], bool(found["no"]))
    elif found := patterns.ENGLISH.match(clause):
        attribute, negative = patterns.matched_attribute(found)
        if attribute == patterns.IS and found[patterns.BE_GROUP].lower() in ("was", "were"):
            attribute = patterns.WAS
        no = bool(found["before"] or found["after"])
        yield from _about(found["subject"], attribute, found["value"], no != negative)
    elif found := patterns.KEYED.match(clause):
        yield from _about(found["subject"], patterns.IS, found["value"], False)
    else:
        yield from _elsewhere(clause)


def _exchanged(found: re.Match[str], attribute: str) -> Iterator[Claim]:
    yield from _about(found["subject"], attribute, found["value"], False)
    yield from _about(found["subject"], attribute, found["old"], True)


def _elsewhere(clause: str) -> Iterator[Claim]:
    for pattern, attribute, negative in patterns.PATTERNS:
        if found := pattern.match(clause):
            parts = found.groupdict()
            no = bool(parts.get("n") or parts.get("x"))
            yield from _about(found["s"] or "i", attribute, found["v"], no != negative)
            return


def _about(subject: str, attribute: str, value: str, negated: bool) -> Iterator[Claim]:
    """A claim about a subject, with what it owns as the attribute: my *name* is …"""
    subject = subject.strip().removesuffix(" there")
    if attribute in (patterns.IS, patterns.WAS):
        if owned := _OWNED.match(subject):
            owner = _entity(owned[1] or owned[2])
            yield from _made(owner, _possession(owned[3], attribute), value, negated)
            return
        if of := _OF.match(subject):
            yield from _made(_entity(of[2]), _possession(of[1], attribute), value, negated)
            return
    yield from _made(_entity(subject), attribute, value, negated)


def _possession(name: str, attribute: str) -> str:
    plain = " ".join(comparable_words(name))
    return f"{patterns.WAS} {plain}" if attribute == patterns.WAS else plain


def _entity(subject: str) -> str:
    plain = subject.strip().casefold()
    if INDEFINITE_SUBJECT.match(plain) and plain not in ("a user", "one user"):
        return ""
    if plain in SPEAKERS:
        return SPEAKERS[plain]
    bare = _ARTICLE.sub("", plain)
    if bare in SPEAKERS and SPEAKERS[bare] == PERSON and plain != bare:
        return PERSON
    if not bare or bare.split()[0] in PRONOUNS or bare in PRONOUNS:
        return ""
    return " ".join(comparable_words(subject))


def _made(entity: str, attribute: str, value: str, negated: bool) -> Iterator[Claim]:
    value, occasion = _TAIL.sub("", value.strip()).strip(" ,.;"), ""
    if attribute == patterns.PREFERS and not negated and (found := _BETWEEN.match(value)):
        yield from _between(entity, found)
    if attribute in (patterns.LIKES, patterns.USES, patterns.PREFERS):
        if found := _QUALIFIED.search(value):
            attribute = f"{attribute} {' '.join(comparable_words(found[1]))}"
            value = value[: found.start()]
        value = re.sub(r"(?i)^(?:to|using|use) ", "", value)
    else:
        value, occasion = _on_occasion(attribute, value)
    if entity and value and passages.word_count(value) <= VALUE_WORDS:
        yield Claim(entity, attribute, value.strip(" \"'`*_"), negated, occasion)


def _between(entity: str, found: re.Match[str]) -> Iterator[Claim]:
    """The claim which of two things is preferred, the same attribute in either order."""
    one, other, condition = found["one"], found["other"], ""
    if qualified := _QUALIFIED.search(other):
        other, condition = other[: qualified.start()], " ".join(comparable_words(qualified[1]))
    both = sorted(" ".join(comparable_words(each)) for each in (one, other))
    attribute = f"{patterns.BETWEEN} {' or '.join(both)} {condition}".strip()
    if entity and all(both):
        yield Claim(entity, attribute, one)
        if not condition:
            yield Claim(entity, patterns.PREFERS, other, negated=True)


def _on_occasion(attribute: str, value: str) -> tuple[str, str]:
    """A value, and where, when or for whom it holds; when somebody moved or began is left out."""
    if attribute in (patterns.LIVES, patterns.WORKS):
        value = _WHEN.sub("", value)
    found = _OCCASION.search(value)
    # A time or a number belongs to the value itself: on Monday at ten, 30 in 60 seconds.
    if (
        found is None
        or re.search(r"\d", found[0])
        or not CALENDAR_NAMES.isdisjoint(found[0].lower().split())
    ):
        return value, ""
    return value[: found.start()], " ".join(comparable_words(found[1]))
