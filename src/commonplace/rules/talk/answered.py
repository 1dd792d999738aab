"""Read a short answer about a memory: `Ashwin!` after `Who do the tenors turn to, Dougie?`.

A person who is asked says only the value. The memory that the question is about, with the value
in the place of its own, is what was meant; a judge can compare that with the memory.
"""

from __future__ import annotations

import re

from ...language import passages, statements
from ...language.vocabulary import ENGLISH_WEEKDAYS
from ...language.words import is_question, telling_terms
from ...model.value import Value
from .corrections import without_opener
from .value_words import ARTICLE, CLOCK, COUNTED, DATE, DAY, MONTH, UNIT, day_in_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_WORDS = 7
"""An answer with more words before its first stop is a sentence of its own."""
MOST_NAMED = 5
"""Words of a value that has no number and no day in it."""
FEW = 2
"""Words of a name without a capital letter after its first word."""
PAIR = 2
ALONE = 4
"""Words of a turn that is nothing but a name."""
HALF = 0.5
"""The share of a memory's other words that a question names if it does not quote the value."""
QUARTER = 0.25
"""… and if it does."""

_AMOUNT = re.compile(
    rf"(?i)(?<![\w./])[£$€]?\d+(?:[.,:/]\d+)*(?:e-?\d+)?[km]?(?![a-z]*-)"
    rf"|\b(?:{COUNTED})(?:[ -](?:{COUNTED}))*\b"
)
_AGREES = re.compile(
    r"(?i)^(?:(?:oh|ah|hm+|well|um+|er+|that's|that is)[,. ]+)*(?:y(?:es|ep|eah|up|e)|aye|still"
    r"|correct|right|exactly|indeed|same|sure|ok(?:ay)?|fine|as|of course|please|thanks?|cheers|ta"
    r"|good|great|perfect|go|both|either|neither|none|all|any|nothing|nobody|nowhere|skip|later"
    r"|maybe|perhaps|probably|dunno|don't|no (?:idea|clue|need|one|more)|never|whatever|depends"
    r"|unchanged|if|unless|otherwise|in case|let|let's|leave|forget|wait|hold|sorry|why|what|how"
    r"|who|when|where|which|can|could|should|would|is|are|does|did|has|have|use|try|put|add|send|write"
    r"|check|look|read|show|tell|give|remind|change|keep|sounds|looks|ha(?:ha)+|lol|hi|hello|hey"
    r"|bye|those|these)\b"
)
"""Agrees, puts off, asks back or orders: no value."""
_CLAUSE = re.compile(
    r"(?i)^(?:(?:i|you|he|she|we|they|it|that|this|there)(?:'\w+)?|not|because|since|so|but|and|then"
    r"|for|do|make|was|were)\b"
)
"""Begins a sentence of the user's; a value may follow that sentence."""
_CHOOSES = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|so|then|right|well)[,.]* )*(?:let's|let us|we'll|we will|i'll|i'd)"
    r" (?:go (?:with|for)|use|take|have)\b "
)
"""Opens a decision: `Let's go with Infomaniak.`"""
_REPAIRS = re.compile(r"(?i)\w[.…,;–—-]+ (?:no|wait|sorry|i mean|actually,? \w+)\b")
"""Takes back what was said a word before."""
_OPENS = re.compile(
    r"(?i)^(?:(?:no+|nope|nah|actually|now|oh|ah+|um+|hm+|well|er+|it's|it is|that's|they're|he's"
    r"|she's|we're (?:at|on|using)|make (?:it|that)|at|on|by|in|from|to|every|until|till|with|via"
    r"|the|only|just|around|about)\b[\s,.!:–—-]*)+"
)
"""Words that a user says before the value: `nope, it's at`, `make it`."""
_CLOSES = re.compile(
    r"(?i)[\s,]+(?:now|these days|nowadays|instead|actually|please|here|does|do|is|has|love|mate"
    r"|babe|pet|lol|thanks|only|though|i'm afraid|i think|(?:as of|since|from|because|so|but) .*)$"
)
_AND = re.compile(r"(?i)(?:and|plus|but)\b")
_BOUND = re.compile(r"(?i)\b(?P<word>from|till?|until|to|by|before|after|since) (?:the |about )?$")
"""Leads to one end of a range."""
_STOP = re.compile(r"[.;!?…]+(?=\s|$)|[,;:(–—]\s|\s[–—(-]\s?|\n")
_SAYS = re.compile(
    r"(?i)\b(?:is|are|was|were|stays?|remains?|does|did|has|have|had|goes|went|got|moved|changed)\b"
)
"""A verb, which a value has not."""
_ONCE = re.compile(
    r"(?i)\b(?:today|tonight|tomorrow|this (?:time|once|week|month|year|morning|afternoon|evening"
    rf"|one|{ENGLISH_WEEKDAYS.replace(' ', '|')})|next (?:week|time|month|session|year)|for now"
    r"|(?:just|only) once|back then|used to)\b"
)
"""Speaks of one occasion."""
_ASKS_FOR = re.compile(r"(?i)\b(?:who|whom|which|what|where|when|how)\b")
_PARTS = re.compile(
    r"(?i)^(?P<subject>.{2,60}?)(?: (?:is|are|was|were)(?: (?:the|an?|on|in|at|by|for|with|from"
    r"|called|named))?| (?:leads?|owns?|does|edits?|writes?|reviews?|teaches|approves?|drives?"
    r"|runs?|makes?|plays?|coaches|chairs?|handles?|uses?|goes|go|comes?|lives?|sleeps?|works?)"
    r"|[:=]) (?P<rest>.+?)(?P<end>[.!]?)$"
)
_NAMED = r"(?!(?:The|An?|Our|My|We|I|It|He|She|They)\b)[A-ZÀ-Þ][\w-]*\w"
_NAME = re.compile(rf"(?<![\w.]){_NAMED}(?: (?:{_NAMED}|\d[\w.]*))*(?!['’]s)\b")


_FURTHER = re.compile(r"(?i),? (?:and|what about|how about) (?:the |for )?[^,?]{2,40}\?$")
"""Asks about something further: `Yellow is 10 euros, and red?`"""
_DIGITS = {word: at for at, word in enumerate(COUNTED.split("|")[:18], 2)}
_TENS = {word: 10 * at for at, word in enumerate(COUNTED.split("|")[18:26], 2)}
NOON = 12
FIGURES = {"time", "amount"}
_SORTS = (("time", CLOCK), ("date", DATE), ("day", DAY), ("month", MONTH), ("amount", _AMOUNT))


class _Piece(Value):
    """A part of a text that is a value, and its sort: a date, a day, a time or an amount."""

    sort: str
    start: int
    end: int


def is_short_answer(said: str, before: str) -> bool:
    """Whether a turn is hardly more than a value, said to somebody who spoke of one."""
    return bool(before) and bool(_value(said)) and not _ONCE.search(f"{said} {before}")


def says_already(said: str, before: str, memory: str) -> bool:
    """Whether a memory that is asked about has the value of a short answer."""
    value = _value(said)
    if not value or not _is_asked_about(before, memory):
        return False
    if pieces := _pieces(value, given=True):
        own = {_plain(_text(one, memory)) for one in _pieces(memory)}
        return all(_plain(_text(one, value)) in own for one in pieces)
    return telling_terms(value) <= telling_terms(memory)


def put_into(said: str, before: str, memory: str) -> str:
    """A memory with a short answer in the place of its value; empty if that is not clear."""
    value = _value(said)
    if not value or _ONCE.search(f"{said} {before}") or not _is_asked_about(before, memory):
        return ""
    if len(statements.sentences(memory)) > 1:
        return ""
    if _FURTHER.search(statements.sentences(before)[-1]):
        return ""
    if _pieces(value, given=True):
        return _with_pieces(memory, value, before, said)
    alone = passages.word_count(said) <= ALONE
    return _with_name(memory, value, before, alone=alone)


def _value(said: str) -> str:
    """The value that a user's answer gives, such as `Thursdays at 11`; empty if it gives none.

    It stands before the first stop, or after a sentence that leads to it.
    """
    plain = " ".join(said.replace("’", "'").split())
    plain = _CHOOSES.sub("", without_opener(plain))
    first = statements.sentences(plain)
    if not first or is_question(first[0]) or _AGREES.match(plain):
        return ""
    if _REPAIRS.search(plain):
        return ""
    clauses = [_bare(one) for one in _STOP.split(plain)[:2]]
    if _is_value(clauses[0]):
        whole = _with_next(clauses)
        # `on Mondays, and in the crypt` is more than one value.
        more = whole == clauses[0] and _AND.match(clauses[-1])
        return "" if more else whole
    # `they swapped it, Thursdays at 11`: a sentence may lead to a value.
    led = _CLAUSE.match(plain) and len(clauses) > 1 and _is_value(clauses[1])
    return clauses[1] if led and _pieces(clauses[1]) else ""


def _with_next(clauses: Sequence[str]) -> str:
    """The first clause, and the second one if that is a figure of another sort, and nothing else.

    `Fridays. Half past nine.` is one answer.
    """
    sorts = [{piece.sort for piece in _pieces(one)} for one in clauses]
    if len(clauses) < PAIR or not all(sorts) or sorts[0] & sorts[1]:
        return clauses[0]
    rest = clauses[1]
    for piece in reversed(_pieces(rest)):
        rest = rest[: piece.start] + rest[piece.end :]
    return clauses[0] if telling_terms(rest) else f"{clauses[0]} {clauses[1]}"


def _bare(clause: str) -> str:
    """A clause of an answer without the words that a user says before and after the value."""
    clause = _OPENS.sub("", clause.strip())
    for _ in range(3):
        clause = _CLOSES.sub("", clause).strip(" .,;!…")
    return clause


def _is_value(clause: str) -> bool:
    if not clause or passages.word_count(clause) > MOST_WORDS or _SAYS.search(clause):
        return False
    if _AGREES.match(clause) or _CLAUSE.match(clause):
        return False
    words = clause.split()
    named = len(words) <= FEW or any(one[0].isupper() for one in words[1:])
    return named or bool(_pieces(clause))


def _is_asked_about(before: str, memory: str) -> bool:
    """Whether the end of what the assistant said is about what a memory says."""
    last = statements.sentences(before)[-1:]
    if not last:
        return False
    asked, known = telling_terms(last[0]), telling_terms(memory)
    values = telling_terms(" ".join(_text(one, memory) for one in _pieces(memory)))
    others = known - values
    shared = len(others & asked)
    quoted = bool(values & asked) or len(known & asked) == len(known)
    return bool(others) and shared >= (QUARTER if quoted else HALF) * len(others) and shared > 0


def _pieces(text: str, *, given: bool = False) -> list[_Piece]:
    """Dates, days, times and amounts of a text, in order; none lies in another.

    In a value that was `given`, `an hour` is an amount as well; in a memory it may be a rate.
    """
    found: list[_Piece] = []
    sorts = (*_SORTS, ("amount", ARTICLE)) if given else _SORTS
    for sort, pattern in sorts:
        for one in pattern.finditer(text):
            if all(one.end() <= old.start or one.start() >= old.end for old in found):
                found.append(_Piece(sort, one.start(), one.end()))
    return sorted(found, key=lambda one: one.start)


def _text(piece: _Piece, text: str) -> str:
    return text[piece.start : piece.end]


def _with_pieces(memory: str, value: str, before: str, said: str) -> str:
    """A memory with the days, times and amounts of an answer in the place of its own."""
    new, rest = _pieces(value, given=True), value
    for piece in reversed(new):
        rest = rest[: piece.start] + " " + UNIT.sub("", rest[piece.end :])
    if not telling_terms(rest) <= telling_terms(memory):
        return ""  # `the rain barrel measures 1` is about something else.
    old, asked = _pieces(memory), statements.sentences(before)[-1]
    changed: list[tuple[_Piece, str]] = []
    for sort in dict.fromkeys(one.sort for one in new):
        given = [_text(one, value) for one in new if one.sort == sort]
        known = [one for one in old if one.sort == sort]
        if not known and sort in FIGURES:
            # `every 8` about 20 seconds, `half six` about 7:00: a figure is a figure.
            known = [one for one in old if one.sort in FIGURES and all(map(_may_be_hour, given))]
            if sort == "time":  # `half six` is no answer to six degrees.
                known = [one for one in known if not UNIT.match(memory[one.end :])]
        if len(known) != len(given):
            quoted = [one for one in known if _quotes(before, _text(one, memory))]
            known = quoted if len(quoted) == len(given) else []
        if not known or _guesses_other(asked, known, memory):
            return ""
        if [_plain(_text(one, memory)) for one in known] == [_plain(one) for one in given]:
            return ""
        if any(
            _other_bound(said, one, memory[: piece.start])
            for piece, one in zip(known, given, strict=True)
        ):
            return ""
        changed += zip(known, given, strict=True)
    for piece, given in sorted(changed, key=lambda one: -one[0].start):
        old_value, rest = _text(piece, memory), memory[piece.end :]
        unit, had = _unit_after(value, given), UNIT.match(rest)
        if unit and had:
            rest = rest[had.end() :]
        # A unit that was said is part of the value, unless `£` says it.
        unit = "" if old_value[:1] in "£$€" or DAY.fullmatch(old_value) else unit
        made = _in_style(given, old_value)
        made = day_in_place(made, old_value, rest) if piece.sort == "date" else made
        memory = f"{memory[: piece.start]}{made}{unit}{rest}"
    return memory


def _other_bound(said: str, given: str, lead: str) -> bool:
    """Whether a value was said to end what a memory's value begins: `till two`, `from nine`."""
    told, known = _BOUND.search(said[: said.find(given)]), _BOUND.search(lead)
    if not told or not known:
        return False
    ends = {"to", "til", "till", "until"}
    words = [one["word"].casefold() for one in (told, known)]
    return words[0] != words[1] and not set(words) <= ends


def _may_be_hour(figure: str) -> bool:
    """Whether a figure may tell a time of day: `40 each` is no answer to when."""
    plain = _plain(figure)
    return not plain.isdecimal() or int(plain) <= 2 * NOON


def _guesses_other(asked: str, known: Sequence[_Piece], memory: str) -> bool:
    """Whether a question is about figures or names that a memory does not have."""
    sorts = {one.sort for one in known}
    sorts |= FIGURES if sorts & FIGURES else set()
    own = {_plain(_text(one, memory)) for one in _pieces(memory)}
    guessed = {_plain(_text(one, asked)) for one in _pieces(asked) if one.sort in sorts}
    if guessed and (
        not guessed <= own or guessed.isdisjoint(_plain(_text(o, memory)) for o in known)
    ):
        return True
    named, its = (
        {name[0].casefold() for name in _NAME.finditer(text, 1) if not _pieces(name[0])}
        for text in (asked, memory)
    )
    return bool(named - its) and bool(its - named)


def _plain(figure: str) -> str:
    """A figure in the form in which `eight`, `8` and `20:00` are alike."""
    word = figure.casefold().strip("£$€ ").removesuffix("s")
    if day := DAY.fullmatch(word):
        return day[0][:3]
    if DATE.fullmatch(figure):
        return re.sub(r"\D", "", figure)
    if word[:1].isalpha():
        counted = [_DIGITS.get(one) or _TENS.get(one) for one in re.split("[ -]", word)]
        word = str(sum(filter(None, counted))) if all(counted) else word
    word = word.removesuffix(" pm").removesuffix(" am").removesuffix(":00")
    word = word.lstrip("0") or "0"
    clock = word.partition(":")
    hour = int(clock[0]) if clock[0].isdecimal() else 0
    return f"{hour - NOON}{clock[1]}{clock[2]}" if NOON < hour < 2 * NOON else word


def _unit_after(value: str, amount: str) -> str:
    found = UNIT.match(value[value.find(amount) + len(amount) :])
    return found[0] if found else ""


def _in_style(text: str, old: str) -> str:
    """`£39` for `£34`, `Tuesdays` for `Mondays`."""
    if old[:1] in "£$€" and text[:1].isdigit():
        return f"{old[:1]}{text}"
    if DAY.fullmatch(old):
        plural = old.casefold().endswith("days") and text.casefold().endswith("day")
        return f"{text[:1].upper()}{text[1:]}{'s' if plural else ''}"
    return text if MONTH.fullmatch(text) else text.lower()


def _quotes(before: str, value: str) -> bool:
    return re.search(rf"(?i)(?<!\w){re.escape(value.strip('£$€').rstrip('s'))}", before) is not None


def _with_name(memory: str, value: str, before: str, *, alone: bool) -> str:
    """A memory with a named thing in the place of the one that a question guessed or asked for.

    What is said `alone` may answer a statement, too: `From release/2026.`
    """
    question, told = statements.sentences(before)[-1], telling_terms(value)
    asked = alone or is_question(question)
    if passages.word_count(value) > MOST_NAMED or not asked:
        return ""
    if not told.isdisjoint(telling_terms(memory) | telling_terms(question)):
        return ""
    place = _guessed(memory, question) or _asked_for(memory, question)
    if place is None:
        return ""
    start, end = place
    return (
        f"{memory[:start]}{value[:1].upper() if start == 0 else value[:1]}{value[1:]}{memory[end:]}"
    )


def _guessed(memory: str, question: str) -> tuple[int, int] | None:
    """The name of a memory that a question guesses: `Who do the tenors turn to, Dougie?`."""
    asks = _ASKS_FOR.search(question)
    if asks and "," not in question:
        return None
    guess = question.rpartition(",")[2] if asks else question
    names = [one for one in _NAME.finditer(memory) if _quotes(guess, one[0])]
    parts = _PARTS.match(memory)
    rest = parts.start("rest") if parts else 0
    found = [one for one in names if one.start() >= rest]
    found = found or names
    if (
        parts
        and not found
        and re.fullmatch(r"\S+", parts["rest"])
        and _quotes(guess, parts["rest"])
    ):
        return parts.span("rest")
    if len(found) != 1:
        return None
    start, end = found[0].span()
    # `Is Delphine the architect?` asks for her; `Shall I order tea for Ada?` does not.
    whole = start > 0 or telling_terms(memory[end:]) <= telling_terms(question)
    return (start, end) if whole else None


def _asked_for(memory: str, question: str) -> tuple[int, int] | None:
    """The part of a memory that a question leaves open: `Who is the stage manager?`."""
    asked, parts = telling_terms(question), _PARTS.match(memory)
    if not _ASKS_FOR.search(question):
        return None
    name = _NAME.match(memory)
    halves = [name.span()] if name else []
    halves += [parts.span("subject"), parts.span("rest")] if parts else []
    for start, end in halves:
        rest = telling_terms(f"{memory[:start]} {memory[end:]}")
        if rest and rest <= asked and telling_terms(memory[start:end]).isdisjoint(asked):
            return start, end
    return None
