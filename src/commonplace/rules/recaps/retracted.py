"""Values that were taken back in a session: a recap says what holds, and never what was wrong."""

from __future__ import annotations

import re
from itertools import pairwise

from ...language import passages
from ...language.vocabulary import ENGLISH_NUMBERS, GERMAN_NUMBERS, STOPWORDS
from ...language.vocabulary.standing_rules import ALWAYS, FOR_ONCE, ORDERS
from ...language.words import is_question, telling_terms
from ..talk import short_answers
from ..talk.lessons import UNCLEAR
from ..talk.value_words import DATE, FULL_DATE, MONTH, day_in_place
from . import cues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ports.reasoner import Lesson, Turn

LOOK_BACK = 12
"""Turns before a correction that may hold what it corrects."""
SHORT_WORDS = 8

_COUNTS = {
    word: number
    for spelled in (ENGLISH_NUMBERS, GERMAN_NUMBERS)
    for number, word in enumerate(spelled.split())
    if number > 1
}
"""Without `one`, which is rarely a number."""
_NUMBER = rf"(?:\d[\d.,:]*\d|\d|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
_MEASURE = re.compile(rf"(?i)(?<![\w.,])({_NUMBER})(?:\s*(%|°C|[^\W\d_]+)|(?=\W|$))")
_NAME = r"(?:[A-ZÀ-ÞΑ-ΩА-Я][\w.+#-]*|`[^`]+`)"
_CHOSEN = re.compile(
    r"(?i:\b(?:use|using|go with|going with|go for|do|take|choose|pick|suggest|propose|recommend"
    r"|prefer|try|stay (?:in|at|with|on)|in|with|from|on|nehmen|utiliser|usar))\s+"
    rf"(?i:(?:a|an|the|der|die|das|el|la|le)\s+)?({_NAME}(?:\s+{_NAME})*)"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_WEEKDAY = re.compile(
    rf"(?i)\b(?:{_DAY}|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?)\b"
    r"|(?:每周|星期|周)[一二三四五六日天]|[月火水木金土日]曜日?"
)
_SLIP = re.compile(
    r"(?i)(?:(?:oops|whoops|argh|wait|no+|nope|nah|sorry|er+m?|hm+|ah|oh|actually|correction"
    r"|my (?:bad|mistake)|typo|(?:i )?(?:meant?|should have said)|make that)\b[,.!:;–—-]*\s*)+"
)
"""Opens a turn that puts right what the same person just said."""
_SENTENCES = r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n"
_STILL = re.compile(r"(?i)(?:(?:we|i) )?still (?:have|need) to\b")
_FOR_ONCE = re.compile(rf"(?i)\b(?:{FOR_ONCE})\b")
_ORDERS_NOW = re.compile(rf"(?i)(?:{FOR_ONCE}),? (?:{ORDERS})\b")
_HOLDS_ON = re.compile(rf"(?i)\b(?:{ALWAYS}|from (?:now|today|tomorrow) on|every|each|whenever)\b")
_ORDERS_ONE = re.compile(
    r"(?i)(?:please )?(?:delete|remove|revert|add|rename|move|merge|replace|fix|write|create"
    r"|update|install|build|draft|implement|make)"
    r" (?:some|another|an?|(?:the|this|that|these|those) \w+)\b"
    r"(?!.*\b(?:every|each|always|never|when(?:ever)?|after|before|if|unless|only|once a)\b)"
)
"""Asks for one piece of work: `Add some logging to the service.` A rule says when."""
_NOW = re.compile(r"(?i)\b(?:it(?:'s| is)|there are|we are|we're|make (?:it|that))\b.{1,30}\bnow\b")
"""Says that a number has changed."""
_PLAIN = r"[^\s,.;:!?()]+"
_NOT = re.compile(
    rf"(?i)(?:,? (?:and )?not|,? instead of|,? rather than|,? no longer|,? nicht|,? statt"
    rf"|,? au lieu de|,? et pas|,? en (?:lugar|vez) de|, no)\s+"
    rf"((?:in |on |from |to |at |with |the |a |an )*{_PLAIN}(?: {_PLAIN}){{0,2}})(?=[,.;:!?)]|$)"
)
"""`main, not master`: what follows is named only to be ruled out."""
_TOO_MUCH = re.compile(
    r"(?i)^[^,;.]{1,40}? (?:is|are|sounds?|seems?) (?:way |far |a bit |a little )?too \w+[,;:]\s*"
)
"""`ten is too much, at most five`: what comes first is named only to be ruled out."""
_THING = rf"(?:the |a |an |in |on |at )*{_PLAIN}(?: {_PLAIN})?"
_NOT_BUT = re.compile(
    rf"(?i)^(?:(?:no+|nope|nah|sorry|actually)[,.!]? )*not (?P<wrong>{_THING})[,;]"
    rf" (?P<right>{_THING})[.!]*$"
)
"""`not the vestry, the crypt`."""
_WRONG_FIRST = re.compile(
    rf"(?i)\bnot ((?:{_PLAIN} ?){{1,4}}?),? but (?=\w)"
    r"|(?:不是|并非)([^，。；]{1,20}?)[，,]?(?:而是|是)"
)


class Retracted:
    """The values that were taken back, each with what holds instead, where that is known."""

    def __init__(self) -> None:
        self._instead: dict[str, str] = {}
        self._about: dict[str, frozenset[str]] = {}
        self.correcting: set[str] = set()
        """Sentences that give another value for one that was given before."""

    def add(self, wrong: str, right: str = "", about: frozenset[str] = frozenset()) -> None:
        """Take a value back, in sentences about these words if any."""
        wrong = " ".join(wrong.split()).strip(" .,;:!?\"'`")
        plain = wrong.casefold()
        if len(plain) < 2 or plain in STOPWORDS or plain == right.casefold():
            return
        self._instead.setdefault(plain, right)
        self._about[plain] = self._about.get(plain, frozenset()) | about
        # A value that holds after all was said again later.
        self._instead.pop(right.casefold(), None)

    def restore(self, text: str) -> None:
        """Let a value hold again that a later decision chose."""
        for wrong in [one for one in self._instead if _mentions(text, one)]:
            del self._instead[wrong]

    def __bool__(self) -> bool:
        return bool(self._instead)

    def cleaned(self, text: str) -> str:
        """The text without what was taken back; empty if it says nothing else."""
        if _NOT_BUT.match(text):
            return ""
        text = _TOO_MUCH.sub("", _WRONG_FIRST.sub("", text))
        text = _NOT.sub(self._without_ruled_out, text)
        for wrong, right in self._instead.items():
            about = self._about[wrong]
            if not _mentions(text, wrong) or (about and not about & telling_terms(text)):
                continue
            if not right:
                return ""
            text = re.sub(_pattern(wrong), lambda _, right=right: right, text)
        return text

    def _without_ruled_out(self, found: re.Match[str]) -> str:
        return "" if _bare(found[1]).casefold() in self._instead else found[0]


def find_retracted(turns: Sequence[Turn]) -> Retracted:
    """The values that the user or the agent took back, in the order of the session."""
    found = Retracted()
    for at, turn in enumerate(turns):
        if turn.speaker not in ("user", "assistant"):
            continue
        before = turns[max(0, at - LOOK_BACK) : at]
        conceded = _concedes(turns, at)
        for sentence in re.split(_SENTENCES, turn.text):
            _retract(found, sentence.strip(), turn.speaker, before, conceded)
    return found


def lasting(turns: Sequence[Turn], lessons: Sequence[Lesson]) -> tuple[Lesson, ...]:
    """The lessons as they hold at the end; what is left to do stands in the summary alone.

    Nor is a wish a lesson that holds for once: `don't use wide tables just now`.
    """
    held = put_right_at_once(turns, lessons)
    return tuple(
        one
        for one in held
        if not _is_for_once(one) and (one.kind == "preference" or not _is_left(one.content))
    )


def _is_for_once(lesson: Lesson) -> bool:
    said = lesson.content
    once = _FOR_ONCE.search(said) if lesson.kind == "preference" else _ORDERS_NOW.match(said)
    return once is not None and not _HOLDS_ON.search(said)


def _is_left(line: str) -> bool:
    """Whether a line tells what is to be done, once: it stands nowhere when it is done."""
    found = cues.LEFT_FIRST.match(line)
    return _ORDERS_ONE.match(line) is not None or (
        found is not None and (not found["duty"] or _STILL.match(line) is not None)
    )


def put_right_at_once(turns: Sequence[Turn], lessons: Sequence[Lesson]) -> tuple[Lesson, ...]:
    """The lessons, each fact with the value that the user's very next turn gave instead.

    `Sorry, meant the 27th` says too little to be a lesson, so nothing else would correct the fact.
    """
    own = [number for number, turn in enumerate(turns) if turn.speaker == "user"]
    following = dict(pairwise(own))
    taught = {one.turn for one in lessons if one.sure >= UNCLEAR}
    made: list[Lesson] = []
    for lesson in lessons:
        then = following.get(lesson.turn)
        held = ""
        if lesson.kind == "fact" and then is not None and then not in taught:
            held = _put_right(lesson.content, turns[lesson.turn : then + 2], turns[then].text)
        made.append(lesson.but(content=held, said="") if held else lesson)
    return tuple(made)


def _put_right(fact: str, turns: Sequence[Turn], said: str) -> str:
    """The fact with the value that a short turn gives instead; empty if it gives none."""
    opened = _SLIP.match(said)
    if opened is None or passages.word_count(said) > SHORT_WORDS:
        return ""
    whole = short_answers.completed(said[opened.end() :], fact)
    if whole:
        return whole
    retracted = find_retracted(turns)
    held = retracted.cleaned(fact) if retracted.correcting else fact
    return held if held != fact else ""


def _concedes(turns: Sequence[Turn], at: int) -> bool:
    """Whether the agent's next turn admits that this one of the user's was a correction."""
    after = turns[at + 1] if at + 1 < len(turns) else None
    return (
        turns[at].speaker == "user"
        and after is not None
        and after.speaker == "assistant"
        and cues.CONCEDED.match(after.text) is not None
    )


def _retract(
    found: Retracted, sentence: str, speaker: str, before: Sequence[Turn], conceded: bool
) -> None:
    if not sentence or is_question(sentence):
        return
    text = "\n".join(one.text for one in before)
    swapped = _NOT_BUT.match(sentence)
    if swapped and _mentions(text, wrong := _bare(swapped["wrong"])):
        found.add(wrong, _bare(swapped["right"]))
    for one in _NOT.finditer(sentence):
        if _mentions(text, wrong := _bare(one[1])):
            found.add(wrong)
    for one in _WRONG_FIRST.finditer(sentence):
        found.add(one[1] or one[2] or "")
    if speaker != "user":
        return
    plain = cues.LEAD.sub("", sentence, count=1)
    decides = cues.DECISION.match(plain) or cues.DECISION.match(sentence)
    switches = cues.INSTEAD.search(sentence) is not None
    corrects = conceded or switches or cues.CORRECTS.match(sentence) is not None
    sure = corrects or bool(decides) or _NOW.search(sentence) is not None
    measures = list(_other_measures(sentence, before, sure=sure, corrects=corrects))
    # A sentence that corrects a number may name a day on the side.
    days = [*_other_dates(sentence, before), *_other_days(sentence, before)] if corrects else []
    others = measures or days
    for wrong, right, about in others:
        found.add(wrong, right, about)
        found.correcting.add(" ".join(sentence.split()))
    if switches or conceded:
        for wrong in _chosen_before(sentence, before):
            found.add(wrong)
    if decides:
        found.restore(_NOT.sub("", sentence))


def _other_measures(
    sentence: str, before: Sequence[Turn], *, sure: bool, corrects: bool
) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Numbers of the same unit that the turns before give otherwise: 30 seconds for 45 seconds.

    Each with what holds instead, and the words of the sentence that gave it.
    """
    mine = _measures(sentence)
    changes = _NOW.search(sentence) is not None
    short = passages.word_count(sentence) <= SHORT_WORDS
    for at, turn in enumerate(reversed(before)):
        nearest = at == 0 and turn.speaker == "assistant"
        for said in re.split(_SENTENCES, turn.text):
            theirs = _measures(said)
            for unit, given in mine.items():
                others = [one for one in theirs.get(unit, {}) if one not in given]
                # Two numbers of one unit in a sentence name two things, not one and its correction.
                if len(given) != 1 or not others:
                    continue
                about = telling_terms(said) - {unit}
                both = about & (telling_terms(sentence) - {unit})
                # A new decision may share a word with what was told before.
                shared = 2 * len(both) >= (1 if corrects else len(about))
                alone = len(theirs[unit]) == 1
                mine_too = corrects or shared or short
                if (nearest and mine_too and (sure or alone)) or (sure and shared) or changes:
                    for other in others:
                        yield theirs[unit][other], next(iter(given.values())), about


def _measures(text: str) -> dict[str, dict[str, str]]:
    """Unit → number → the phrase as written; years and bare numbers have no unit.

    The unit of a day is its month.
    """
    found: dict[str, dict[str, str]] = {}
    for one in _MEASURE.finditer(text):
        unit = (one[2] or "").casefold()
        if not unit or (unit in STOPWORDS and unit != "am"):
            continue
        number = str(_COUNTS.get(one[1].casefold(), one[1]))
        found.setdefault(unit.rstrip("s"), {})[number] = one[0].strip()
    for one in FULL_DATE.finditer(text):
        day, month = re.search(r"\d+", one[0]), MONTH.search(one[0])
        if day and month:
            found.setdefault(month[0].casefold(), {})[day[0]] = one[0]
    return found


def _other_days(sentence: str, before: Sequence[Turn]) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Days of the week that the turns before name: on Monday for on Tuesday.

    After the same word, unless the sentence says little beside its day.
    """
    mine = _days(_NOT.sub("", sentence))
    if len(mine) != 1:
        return
    [(lead, day)] = mine.items()
    short = passages.word_count(sentence) <= SHORT_WORDS
    for turn in before:
        for theirs, other in _days(turn.text).items():
            if (theirs == lead or short) and other.rstrip("s") != day.rstrip("s"):
                yield other, day, frozenset()


def _other_dates(
    sentence: str, before: Sequence[Turn]
) -> Iterator[tuple[str, str, frozenset[str]]]:
    """The one date of the turn before, with another day of its month: `No, the 14th.`"""
    mine = DATE.findall(sentence)
    theirs = [one[0] for turn in before[-1:] for one in FULL_DATE.finditer(turn.text)]
    if len(mine) == len(set(theirs)) == 1 and not FULL_DATE.search(sentence):
        old, day = theirs[0], DATE.search(theirs[0])
        if day and day[0] != mine[0]:
            rest = old[day.end() :]
            new = day_in_place(mine[0], day[0], rest)
            yield old, f"{old[: day.start()]}{new}{rest}", frozenset()


def _days(text: str) -> dict[str, str]:
    """The word before a day of the week → the day."""
    found: dict[str, str] = {}
    for one in _WEEKDAY.finditer(text):
        lead = re.search(r"(\w+)\s+$", text[: one.start()])
        found[lead[1].casefold() if lead else ""] = one[0]
    return found


def _chosen_before(sentence: str, before: Sequence[Turn]) -> Iterator[str]:
    """Names that a decision or a proposal before chose, and this sentence does not."""
    for turn in before:
        for said in re.split(r"(?<=[.!?])\s+", turn.text):
            plain = cues.LEAD.sub("", said, count=1)
            wish = re.search(r"(?i)\bwants? to\b", said)
            if not (wish or cues.DECISION.match(plain) or cues.PROPOSAL.search(said)):
                continue
            for one in _CHOSEN.finditer(said):
                if not _mentions(sentence, one[1].strip("`")):
                    yield one[1]


def _bare(phrase: str) -> str:
    return re.sub(r"(?i)^(?:(?:in|on|from|to|at|with|the|a|an) )+", "", phrase)


def _pattern(value: str) -> str:
    return rf"(?i)(?<![^\W_]){re.escape(value)}(?![^\W_])"


def _mentions(text: str, value: str) -> bool:
    if not value.isascii():
        return value.casefold() in text.casefold()
    return re.search(_pattern(value), text) is not None
