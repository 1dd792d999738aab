"""Put a corrected value into the sentence that it corrects: `No, release.` about a branch.

What was said to correct a statement is often only a piece. The statement with the new value in the
place of the old one is what a reader understands years later.
"""

from __future__ import annotations

import re

from ...language import passages, statements
from ...language.vocabulary import STOPWORDS
from ...language.vocabulary.statements import DESCRIPTIVE, PRONOUNS, SPEAKERS
from ...language.words import is_question, telling_terms
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
    says_of_what,
    standing_line,
)
from .value_words import CLOCK, DAY, MONTH, UNIT_WORDS

PIECE = 4
"""A correction with no more words than this is a piece of a sentence."""

_SETTER = re.compile(r"(?i)(?:\b(?:is|are|was|were|at|from|to|by|on|in|uses?|called|named)|[=:]) ")
_IS_SET = re.compile(r"(?i)(?:is|are|was|were|uses?|called|named|[=:]) ")
_SMALL_TALK = re.compile(
    r"(?i)[,;.!—–-]+\s*(?:please|thanks|thank you|sorry|remember|actually|now|mate|though|ok(?:ay)?"
    r"|i told you|as i said|these days|by the way|btw)\b.*$"
)
_WITH_ARTICLE = re.compile(r"(?i)^(?:the|a|an) (?:\w+ )?(?=\S+$)")
MOST_SMALL_TALK = 6
"""Words after a value that may be small talk."""
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
MOST_FRAME_WORDS = 3
"""Words before an old value that are looked for in what corrects it."""
_AROUND = " \"'`,;.!"
_PERIOD = (
    rf"(?:{DAY.pattern[4:]}|{MONTH.pattern[4:]}(?: \d{{4}})?|(?:19|20)\d\d\b"
    r"|\d{1,2}(?:st|nd|rd|th)\b|\b(?:weeks?|months?|years?|spring|summer|autumn|winter|today|yesterday|tomorrow)\b)"
)
_WHEN = re.compile(
    r"(?i)(?:\bnot )?\b(?:since|as of|from|in|on|until|after|before|starting|effective|last|next"
    rf"|this|these)\b (?:the )?(?:(?:last|next|this|early|late|first of|end of) )?{_PERIOD}"
    r"(?: onw?a?r?d?s?\b)?[,:;]?"
)
"""Says since when: `since Monday`, `in May`, `from January on`."""
_SINCE = re.compile(
    r"(?i)^(?:not )?(?:since|as of|after|with) [^,:;.]{1,40}?"
    r"(?:[,:;]\s*|\s+(?=(?:we|it|they|i|our|the|he|she)\b))"
)
"""Opens a sentence by what has changed: `since the upgrade it is 5433`."""
_SAID_LAST = re.compile(
    r"(?i)(?:,? (?:now|nowadays|these days|from now on|actually|instead|please|though|again"
    r"|already|by the way|btw|thanks))+[ .!]*$"
)
_STATES = re.compile(r"(?i)(?:\b(?:is|are|was|were|uses?|called|named)|'s|[=:]) ")
_LEADS_TO = re.compile(r"(?i)\b(?:at|from|to|by|on|in|via|with|under|uses?) ")
_OURS = re.compile(r"(?i)(?:we|our|the)\b")
_CLAUSE_WORD = re.compile(
    r"(?i)(?:^|\s)(?:i|we|you|he|she|they|it|that|this|there|who|what|which|not|no|is|are|was|were|has|have"
    r"|had|does|did|do|will|would|can|could|should|because|since|when|if|so|but|moved|changed|says?"
    r"|said|went|goes|left|gone|\w+n't|\w+'(?:s|re|ll|ve|d|m))(?=\s|$)|[?“”]"
)
"""Stands in a clause, and hardly in a value."""
_POINTING = re.compile(r"(?i)^(?P<pronoun>it|they|he|she)(?P<says>'s|'re| \S+)(?=\s)")
_VERB = re.compile(
    r"(?i)^(?P<subject>(?:[^\s,.;:!?]+ ){0,5}?[^\s,.;:!?]+)(?: (?:may|can|must|should|will))? "
    r"(?:(?P<is>is|are|was|were)"
    r"|has|have|costs?|lives?|runs?|starts?|ends?|works?|meets?|uses?|takes?|plays?|opens?|closes?"
    r"|stays?|goes|go|needs?|belongs?|comes?|weighs?|lasts?|begins?|leaves?|arrives?)\b"
)
_LABEL = re.compile(r"^(?P<subject>[^:=“”.!?]{3,60}?)\s*(?::|=)\s")
"""Finds the words before a line's colon: `Latest release` in `Latest release: 0.6.2`."""
_NAMES_SOMEBODY = re.compile(r"[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)*$")
_CAPITAL = re.compile(r"\b[A-ZÀ-Þ]\w")
_THE_SAME = re.compile(r"(?i)\b(?:the |at the )?same (?:\w+|as)\b")
_CONTRACTED = {"'s": " is", "'re": " are"}
_IS = frozenset({" is", " are", " was", " were"})


def exchanged_statement(old: str, said: str, content: str) -> str:
    """What holds now: the content if it stands alone, else the old statement with its new value."""
    plain = bare_line(said)
    same = "" if _short_value(said) else _with_same_verb(old, plain)
    if whole := short_answers.moved(old, plain) or same:
        return as_sentence(whole)
    if stands_alone(content) and not _short_value(said):
        return content
    if swapped := _swapped(old, said):
        return as_sentence(swapped)
    value = _short_value(said)
    # A day never goes in the place of a room.
    if value and (placed := short_answers.in_place_of_its_kind(old, value)) is not None:
        return as_sentence(placed) if placed else content
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


def _with_same_verb(old: str, said: str) -> str:
    """`It holds 120` with the subject that holds 80 in the old statement; empty if there is none.

    The assistant's turn may have named another thing last.
    """
    found = _POINTING.match(said)
    verb = found["says"].strip() if found else ""
    if not verb.isalpha() or found is None:
        return ""
    subject, told, _ = old.partition(f" {verb} ")
    words = passages.word_count(subject)
    if not told or not 0 < words <= MOST_SUBJECT_WORDS or _CLAUSE_WORD.search(subject):
        return ""
    return f"{subject} {said[found.start('says') :].lstrip()}"


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
    spoken = [one for one in statements.sentences(before) if says_of_what(one)]
    strange = telling_terms(old).isdisjoint(telling_terms(before))
    goes_on = telling_terms(plain).isdisjoint(telling_terms(before)) and _names_own_thing(plain)
    if spoken and strange and goes_on:
        return as_sentence(plain)
    if spoken and (strange or says_again(plain)):
        return short_answers.together(plain, answered_sentence(plain, spoken))
    topic = short_answers.topic_of(old)
    if not topic and not short_answers.is_together(old):
        found = _LABEL.match(old.strip()) or _VERB.match(old.strip())
        topic = found["subject"] if found else ""
    first = topic.split(" ", 1)[0].casefold()
    names_it = first not in SPEAKERS and first not in PRONOUNS and telling_terms(topic)
    # Whoever takes over from Kari is told of beside what Kari did, and `the same room` beside it.
    somebody = _NAMES_SOMEBODY.match(topic) and first not in STOPWORDS
    leaves = (somebody and _CAPITAL.search(plain)) or _THE_SAME.search(plain)
    if names_it and not leaves and passages.word_count(topic) <= MOST_TOPIC_WORDS:
        return short_answers.under_topic(plain, topic)
    return short_answers.together(plain, old)


def _names_own_thing(plain: str) -> bool:
    """Whether a sentence has a subject of its own, and does not answer with a piece."""
    first = plain.partition(",")[0]
    whole = passages.word_count(plain) > PIECE and not short_answers.is_fragment(first)
    return whole and says_of_what(plain)


def exchanged_value(old: str, said: str, *, key: str = "", before: str = "") -> str:
    """The new value of a fact; empty unless what was said certainly gives it.

    `before` is what the words answer; a kept line that quotes that passes it on by itself.
    """
    if answer := short_answers.quoted_answer(said):
        said, before = answer, short_answers.question_of(said)
    for sentence in statements.sentences(said):
        plain = _without_times(without_opener(sentence.strip()), old)
        value = (
            _value_of_key(key, sentence)
            or _value_of_key(key, plain)
            or _value_against(old, plain, key)
            or _value_in_frame(old, plain, before)
            or _new_number(old, plain)
            or _led_value_of(key, old, plain, before)
            or _bare_value(old, plain)
        )
        if value and value.casefold() != old.casefold():
            return value
    return ""


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


def _without_times(said: str, old: str) -> str:
    """A sentence without the words that say since when, unless the old value is such a time."""
    if not (DAY.search(old) or MONTH.search(old) or CLOCK.search(old)):
        said = _WHEN.sub(" ", _SINCE.sub("", said))
    return _SAID_LAST.sub("", " ".join(said.split()).strip(" .!,;:"))


def _value_against(old: str, plain: str, key: str) -> str:
    """The value that `X, not Y` puts in the place of the old one."""
    for pattern in (NOT_BUT.search, RIGHT_NOT.match):
        if not (found := pattern(plain)):
            continue
        wrong, right = named_part(found, "wrong"), named_part(found, "right").strip(_AROUND)
        states = list(_STATES.finditer(right)) or list(_LEADS_TO.finditer(right))
        value = right[states[-1].end() :] if len(states) == 1 else right
        value = _of_kind(old, value, key)
        if _may_be_value(old, value) and mentions(old, wrong):
            # `30 days, not 14` is the whole of `14 days`.
            others = set(put_instead(old, wrong, " ").casefold().split())
            whole = others and others <= set(value.casefold().split())
            return value if whole else put_instead(old, wrong, value)
        if _may_be_value(old, value) and mentions(wrong, old):
            return value
    return ""


def _value_in_frame(old: str, plain: str, before: str) -> str:
    """The value after the words that led to the old one: `We deploy from release` and `trunk`."""
    for one in statements.sentences(before):
        found = re.search(rf"(?i)(?<!\w){re.escape(old)}(?!\w)", one)
        words = one[: found.start()].split() if found else []
        for count in range(min(MOST_FRAME_WORDS, len(words)), 0, -1):
            led = words[-count:]
            if count == 1 and not _LEADS_TO.fullmatch(f"{led[0]} "):
                break
            frame = r"\s+".join(map(re.escape, led))
            after = re.findall(rf"(?i)(?<![\w']){frame}\s+([^,;]+)", plain)
            if len(after) == 1 and _may_be_value(old, after[0].strip(_AROUND)):
                return after[0].strip(_AROUND)
    return ""


def _new_number(old: str, plain: str) -> str:
    """The one other number, where it stands as a value does: `it is 5433`, `moved us to 22`."""
    new = [one for one in dict.fromkeys(NUMBER.findall(plain)) if one != old]
    if not NUMBER.fullmatch(old) or len(new) != 1:
        return ""
    stands = rf"(?i)(?:^|\b(?:is|are|was|to|at|on|of|uses?|port|version) |'s |[=:] ){new[0]}"
    return new[0] if re.search(rf"{stands}(?: ?{UNIT_WORDS})?(?:[,;]|$)", plain) else ""


def _led_value_of(key: str, old: str, plain: str, before: str) -> str:
    """The value at the end of `we deploy from trunk`, of the key `deploy.branch`.

    The question names the whole key, or the sentence leads from a word of the key to the value.
    """
    leads = list(_LEADS_TO.finditer(plain))
    named = telling_terms(" ".join(_KEY_WORD.findall(key)))
    if len(leads) != 1 or not named or not _OURS.match(plain):
        return ""
    lead = telling_terms(plain[: leads[0].start()].rstrip().rpartition(" ")[2])
    asked = is_question(before) and named <= telling_terms(before)
    value = plain[leads[0].end() :].strip(_AROUND)
    alike = old[:1].isupper() == value[:1].isupper() and passages.word_count(value) == 1
    return value if alike and (asked or lead & named) and _may_be_value(old, value) else ""


def _bare_value(old: str, plain: str) -> str:
    """A correction that is nothing but the new value."""
    plain = _POINTS.sub("", _SMALL_TALK.sub("", plain).strip(_AROUND))
    if not _LED.match(old):
        plain = _LED.sub("", plain).strip()
    if len(plain.split()) > len(old.split()) or plain.split(" ")[0].casefold() in DESCRIPTIVE:
        return ""
    return plain if _may_be_value(old, plain) else ""


def _of_kind(old: str, value: str, key: str) -> str:
    """A value without the name of its kind: `basalt` of `the branch basalt`."""
    value = value.strip(_AROUND)
    if NUMBER.fullmatch(old):
        numbers = NUMBER.findall(value)
        return numbers[0] if len(numbers) == 1 else ""
    kind = re.match(r"(?i)(?:the|a|an) (?:(?P<kind>\w+) )?(?=\S+$)", value)
    named = {word.casefold() for word in _KEY_WORD.findall(key)}
    known = kind and (not kind["kind"] or not named or kind["kind"].casefold() in named)
    return value[kind.end() :] if kind and known else value


def _may_be_value(old: str, value: str) -> bool:
    """Whether some words can stand where the old value stood: short, no clause, of its shape."""
    if not 0 < passages.word_count(value) <= PIECE or _CLAUSE_WORD.search(value):
        return False
    when = (DAY, MONTH)
    if any(one.search(value) and not one.search(old) for one in when):
        return False
    return bool(DIGITS.search(value)) or not DIGITS.search(old)


def stands_alone(content: str) -> bool:
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
            right = _last_value(right, whole=_WITH_ARTICLE.match(wrong) is not None)
            if right and mentions(old, wrong):
                return put_instead(old, wrong, right)
    numbers, known = set(NUMBER.findall(plain)), set(NUMBER.findall(old))
    # `nah, 25`: nothing but the number is new, or a value would be made of two.
    rest = {word.strip(".,;:!").casefold() for word in plain.split()} - numbers
    if len(numbers) == len(known) == 1 and rest <= set(old.casefold().split()):
        return put_instead(old, known.pop(), numbers.pop())
    return ""


def _last_value(right: str, *, whole: bool) -> str:
    """The value at the end of `we deploy from the branch release`; `whole` with its article."""
    plain = right.strip(" \"'`,;")
    if passages.word_count(plain) <= PIECE - 1:
        return _POINTS.sub("", plain)
    setters = list(_SETTER.finditer(plain))
    value = plain[setters[-1].end() :] if setters else ""
    values = VALUE.findall(plain)
    if value and passages.word_count(value) <= PIECE:
        return value if whole else _WITH_ARTICLE.sub("", value)
    return values[-1] if values else ""


def _short_value(said: str) -> str:
    """A correction that is nothing but the new value."""
    whole = without_opener(said.strip())
    kept = _SMALL_TALK.sub("", whole)
    # `Looks good, though the sauna is hotter these days` goes on to what it says.
    if passages.word_count(whole[len(kept) :]) > MOST_SMALL_TALK:
        return ""
    plain = _POINTS.sub("", kept.strip(" .!,;"))
    return plain if 0 < passages.word_count(plain) <= PIECE and "?" not in said else ""
