"""Lessons in what a listener heard: sentences of a user's turn that are worth keeping.

The rules of `lessons` know typical phrases and find no others. A listener says what a turn is and
which of its sentences matter; here they become sentences that stand alone.
"""

from __future__ import annotations

import re

from ...language import passages, statements
from ...language.vocabulary.plans import BASE_VERBS
from ...language.vocabulary.standing_rules import NOT_BUT
from ...language.words import is_question, telling_terms
from ...ports.reasoner import Lesson, Turn
from . import answered, short_answers, spoken
from .corrections import (
    SOFT,
    as_sentence,
    correction_opener,
    plain_sentence,
    quotes_context,
    read_correction,
    without_opener,
)
from .lasting_statements import is_of_a_thing, is_of_a_thing_abroad, states_abroad
from .lessons import UNCLEAR, extract_lessons, is_duty, own_sentences
from .standing_lines import (
    asks_for_value,
    bare_line,
    names_something,
    points_back,
    standing_line,
    without_request,
)
from .value_words import DAY_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...ports.reader import Heard

WORTH_KEEPING = 0.93
"""From this likelihood on a turn teaches something, …"""
PERHAPS = 0.6
"""… and from this one on it may, if a memory says otherwise."""
HINT = 0.5
"""A short answer that the listener makes nothing of: it corrects the memory it was asked about."""
KEPT = 0.3
"""The share of a sentence's words that is worth keeping, from which on the sentence is."""
SECOND_THOUGHT, OPENS_LIKE_ONE = 40, 8
"""How much less the odds are that a turn teaches nothing if it opens with a second thought about
what the assistant said, or like a correction of it, or tells a habit, or how a thing is in a
language that the listener has not learned."""
STATES_ABROAD = 500
"""The same for a plain statement in a language of which the listener hardly knows a word."""
CORRECTS = 0.25
"""From this likelihood on a fact may correct what the assistant said."""
MOST_SENTENCES = 12
"""Sentences read of one turn; a longer one is mostly a paste."""
LEAST_WORDS = 3
STANDS_ALONE = 5
"""Words of a sentence that says enough by itself."""
MOST_POINTING = 6
"""The most words of a sentence that only points at what was said before it."""

_ASKING = re.compile(
    r"(?i)^(?:(?:and|so|but|also|then|ok(?:ay)?|please|just)[, ]+)*"
    r"(?:(?:can|could|would|will) (?:you|we)(?: please| maybe| just| also)*(?: not)?(?: start)? "
    r"|would you mind (?:not )?|do you mind (?:not )?"
    r"|i(?:'d| would) (?:really )?(?:like|love|prefer|want) (?:it if )?(?:you|u) (?:to |could )?"
    r"|i (?:want|need) you to |make sure (?:that )?(?:you )?|try to |remember to )(?:please )?"
)
_REASON = re.compile(
    r"(?i)^(?:since|as|because|given that|now that|seeing that) (?P<fact>[^,;]{8,160})[,;] "
)
"""A fact in passing, before what is asked."""


_CONFIRMS = re.compile(
    r"(?i)\b(?:leave|keep)\b.{0,60}\b(?:as (?:it|they) (?:is|are|was|were)|alone|where (?:it|they)"
    r"|like that|the way (?:it|they))\b|\b(?:is|are) (?:fine|ok(?:ay)?) (?:the way|as|like)\b"
    r"|\bdon't change (?:it|that|them|anything)\b"
)
"""Says that something stays as it is."""
_TURNS_TO = re.compile(
    r"(?i)(?:ok(?:ay)?[, ]+)?(?:now|next|then|on to|back to)[, ]+"
    r"(?:the|a|an|my|our|for|on to|back to) "
    r"(?:(?!is\b|are\b|has\b|have\b|was\b|were\b|must\b|goes\b|needs?\b)[\w'-]+ ?){1,6}[.!:]*$"
)
"""Turns to the next piece of work: `Now the guest parking page.`"""
_JOKES = re.compile(r"(?i)\b(?:ha(?:ha)+|just kidding|only joking|lol)[.! )]*$")
_TAKES_BACK = re.compile(
    r"(?i)(?<!n't )(?<!not )(?<!never )(?<!to )\b(?:forget|scrap|ignore|disregard|strike)"
    r" (?:(?:that|this|it)(?: (?:last )?(?:decision|idea|plan|choice|one|part|note))?"
    r"|what i (?:just )?said)(?= ?(?:$|[.,;:!?–—)-]|(?:again|and|please|then|too)\b))[ .,;:!?–—-]*"
    r"|\bi (?:misread|misspoke|was looking at the wrong)\b.*"
)
"""Takes back what the user said just before."""


_LEANS = re.compile(
    r"(?i)(?:but|and|only|just|from|to|in|on|at|by|under|with|for|via|it|that|this|they)\b"
)
"""Goes on with what was said before, and says little without it."""
_RESTRICTS = re.compile(r"(?i)(?:only|just|at (?:least|most)|no more than|up to|rather)\b")
"""Begins with a limit to something that was said before."""
_POINTS_BACK = re.compile(r"(?i)\b(?:do|does|did|runs?|handles?|has|have) (?:it|that|this|so)\b")
"""Says who does what was said before, and not what that is."""
_DOES = re.compile(r"[A-Z][\w'-]+(?: [A-Z][\w'-]+)? (?:does|is|has|did|will)(?: now)?[.!]*$")
"""Says who, and leaves the rest to what was said before: `Yusuf does.`"""
_NOT_BUT = re.compile(rf"(?i)(?:{NOT_BUT})")
_SECOND_THOUGHT = re.compile(
    r"(?i)(?:on second thoughts?|come to think of it|thinking about it),? no+\b"
)
_WELL = re.compile(r"(?i)^(?:well|oh|hm+|um+|ah+)[,.… ]+")
_HABIT = re.compile(
    r"(?:(?:The|Our|My) [\w-]+(?: [\w-]+)?|[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)?) [a-z]{2,}s "
    rf"[^,;:?]*?\b(?i:(?:every|each)(?: \w+)? (?:{DAY_NAMES}|day|morning|evening|night|week|month"
    rf"|year|spring|summer|autumn|winter)|on (?:{DAY_NAMES})s"
    r"|(?:once|twice|\w+ times) an? (?:day|week|month|year))\b"
)
"""Says what somebody does time and again: `The baker brings rye bread every second Friday`."""
_PEOPLE = re.compile(r"(?i)(?:they|he|she|these|those)(?:'\w+)? ")
_REFERS = re.compile(r"(?i)(?:they|he|she|these|those|it)(?:'\w+)? ")
"""Begins with a word for something named before."""


def heard_lessons(
    turns: Sequence[Turn],
    found: Sequence[Lesson],
    hear: Callable[[Sequence[str], str], Heard],
) -> tuple[Lesson, ...]:
    """The lessons of all turns that teach something, as rules or the listener found them."""
    made: list[Lesson] = []
    before = ""
    gone = _taken_back(turns)
    for number, turn in enumerate(turns):
        if turn.speaker == "user" and number not in gone:
            known = [lesson for lesson in found if lesson.turn == number]
            made += (
                lesson.but(turn=number, said=turn.text, before=before)
                for lesson in _of_turn(turn.text, before, known, hear)
            )
        elif turn.speaker == "user" and (rest := gone[number]):
            made += (lesson.but(turn=number, said=rest) for lesson in _holding_instead(rest, hear))
        elif turn.speaker == "assistant":
            before = turn.text
    return tuple(made)


def _taken_back(turns: Sequence[Turn]) -> dict[int, str]:
    """The turns that a user took back, by their numbers, and of those that did so the rest."""
    own = [number for number, turn in enumerate(turns) if turn.speaker == "user"]
    gone: dict[int, str] = {}
    for before, number in zip([-1, *own], own, strict=False):
        text = turns[number].text
        if _TAKES_BACK.search(text) and not spoken.withdrawn_rule(text):
            gone[before] = ""
            gone[number] = _TAKES_BACK.split(text)[-1]
    return gone


def _holding_instead(rest: str, hear: Callable[[Sequence[str], str], Heard]) -> list[Lesson]:
    """Lessons about what holds instead, from a user's words after taking something back."""
    known = extract_lessons([Turn("user", rest)])
    found = _of_turn(rest, "", known, hear, instead=True)
    return [
        one.but(kind="correction", sure=1.0)
        if one.kind != "preference" and spoken.is_whole(one.content)
        else one
        for one in found
    ]


def _of_turn(
    text: str,
    before: str,
    known: Sequence[Lesson],
    hear: Callable[[Sequence[str], str], Heard],
    *,
    instead: bool = False,
) -> list[Lesson]:
    sentences = own_sentences(text)[:MOST_SENTENCES]
    if spoken.ends_nothing(text):
        # An exception is kept as it was said: what it is one of stays as it is.
        known = [one for one in known if one.kind != "correction"]
    sentences = [one for one in sentences if not _TURNS_TO.match(one) and not _JOKES.search(one)]
    if not sentences or _CONFIRMS.search(text) or spoken.says_yes(text):
        return list(known)
    heard = hear(sentences, before)
    sure = _worth(heard.none, sentences, before, instead=instead)
    if sure < PERHAPS:
        plain = (_short_answer(one, before, unheard=True) for one in sentences)
        return list(known) or [lesson for lesson in plain if lesson] or _hint(text, before)
    kept = [
        one
        for one, share in zip(sentences, heard.kept, strict=True)
        if share >= KEPT or states_abroad(one, before)
    ]
    if not kept:
        kept = [max(zip(heard.kept, sentences, strict=True))[1]]
    lessons, answers = list(known), False
    for sentence in _with_subjects(kept, sentences):
        if answers and passages.word_count(sentence) < STANDS_ALONE:
            continue  # A few words behind an answer are its reason, and say little without it.
        if any(_covers(lesson.content, sentence) for lesson in known):
            continue
        if known and 1 - hear([sentence], before).none < WORTH_KEEPING:
            continue  # What makes the turn worth keeping is the lesson that is known.
        if lesson := _short_answer(sentence, before):
            answers = True
            if not any(
                telling_terms(one.content) <= telling_terms(lesson.content) for one in known
            ):
                lessons.append(lesson)
        elif lesson := _lesson(_kind(heard, sentence, before), sentence, before):
            lesson = lesson.but(content=standing_line(lesson.content, before))
            most = UNCLEAR if _PEOPLE.match(lesson.content) else 1.0
            lessons.append(lesson.but(sure=min(most, sure / WORTH_KEEPING)))
    return lessons or _hint(text, before)


def _worth(none: float, sentences: Sequence[str], before: str, *, instead: bool) -> float:
    """How likely a turn teaches something, by the listener and by how the turn opens.

    What is said `instead` of something that was taken back is a second thought.
    """
    first = sentences[0].strip()
    foreign = is_of_a_thing_abroad(first)
    odds = none / max(1 - none, 1e-6)
    stated = instead and names_something(first) and first.split()[0].casefold() not in BASE_VERBS
    if stated or (before and _SECOND_THOUGHT.match(first)):
        odds /= SECOND_THOUGHT
    elif any(states_abroad(one, before) for one in sentences):
        odds /= STATES_ABROAD
    elif foreign or _HABIT.match(first) or (before and SOFT.match(_WELL.sub("", first))):
        odds /= OPENS_LIKE_ONE
    return 1 / (1 + odds)


def _hint(text: str, before: str) -> list[Lesson]:
    """A short answer, which only corrects what a memory says: `Ashwin!` alone teaches nothing."""
    if not answered.is_short_answer(text, before):
        return []
    return [Lesson("correction", as_sentence(" ".join(text.split())), sure=HINT)]


def _short_answer(sentence: str, before: str, *, unheard: bool = False) -> Lesson | None:
    """The lesson of a decision, or of a `no` with what holds instead, however sure the listener is.

    If the listener heard nothing (`unheard`), it must answer a statement with a value of the kind
    that stood there.
    """
    plain = plain_sentence(sentence)
    if decided := short_answers.decision(plain, before):
        return Lesson("fact", decided)
    opener = correction_opener(plain)
    about = [short_answers.as_statement(one) for one in statements.sentences(before)]
    if not opener or not about or is_question(plain):
        return None
    rest = without_opener(plain)
    if _DOES.match(rest):
        return Lesson("correction", short_answers.together(rest, about[-1]), about[-1])
    if unheard and is_question(about[-1]):
        return None
    whole = [
        (one, made) for one in about if (made := short_answers.completed(rest, one, alike=unheard))
    ]
    # Said of two statements alike, it is not clear which one is meant.
    return Lesson("correction", whole[0][1], whole[0][0]) if len(whole) == 1 else None


def _with_subjects(kept: Sequence[str], sentences: Sequence[str]) -> list[str]:
    """The kept sentences, each with the one before it that says of whom it speaks."""
    made: list[str] = []
    for sentence in kept:
        if not _REFERS.match(sentence) and not points_back(sentence):
            made.append(sentence)
            continue
        at = sentences.index(sentence)
        leads = sentences[at - 1] if at else ""
        if made and made[-1].endswith(leads or "\0"):
            made[-1] = f"{made[-1]} {sentence}"
        elif leads and not is_question(leads) and not _REFERS.match(leads):
            made.append(f"{leads} {sentence}")
        else:
            made.append(sentence)
    return made


def _covers(lesson: str, sentence: str) -> bool:
    fact, whole = _bare_words(lesson), _bare_words(sentence)
    if fact in whole:
        # An order after a fact is for once, `deshalb die Zange spiegelverkehrt`, if it is no rule.
        rest = whole.replace(fact, "", 1)
        return not telling_terms(rest) or not is_duty(rest)
    said = telling_terms(sentence)
    return len(said & telling_terms(lesson)) * 2 >= len(said)


def _bare_words(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!")


def _kind(heard: Heard, sentence: str, before: str) -> str:
    wishes = heard.preference + heard.instruction
    # In other languages than its own the listener takes what is said of a thing for a wish.
    states = is_of_a_thing(sentence) or states_abroad(sentence, before)
    states = states or _NOT_BUT.match(sentence.strip()) is not None
    shares = {
        "correction": heard.correction,
        "preference": 0.0 if states else wishes,
        "fact": heard.fact + (wishes if states else 0.0),
    }
    kind = max(shares, key=shares.__getitem__)
    # A fact that may correct what was said before it is read together with that.
    return "correction" if kind == "fact" and heard.correction >= CORRECTS else kind


def _is_elliptic(sentence: str) -> bool:
    """Whether a sentence leaves out what it is about: `Only three, they block us after that.`"""
    if quotes_context(sentence) or not sentence.isascii():
        return False
    first = sentence.partition(",")[0]
    restricts = _RESTRICTS.match(sentence) and short_answers.is_fragment(first)
    return bool(restricts) or short_answers.is_fragment(sentence)


def _whole(content: str, rest: str, before: str) -> str:
    """Add the answered sentence to a correction that says too little alone."""
    # A line that says enough by itself needs no quotation of what it answers.
    if passages.word_count(rest) >= STANDS_ALONE and not _is_elliptic(rest):
        return as_sentence(rest) if quotes_context(content) else content
    about = statements.sentences(before)
    return short_answers.together(rest, about[-1]) if about and _is_elliptic(content) else content


def _lesson(kind: str, sentence: str, before: str) -> Lesson | None:
    plain = plain_sentence(sentence)
    opened = bool(before) and correction_opener(plain) is not None
    if (kind == "correction" or opened) and not spoken.ends_nothing(plain):
        rest = without_opener(plain)
        if read := read_correction(plain, before, corrected=True):
            return read.but(content=_whole(read.content, rest, before))
        about = statements.sentences(before)
        if opened and about and not is_question(rest) and _LEANS.match(rest):
            return Lesson(kind, short_answers.together(plain, about[-1]))
        plain = rest
    # A turn that a `no` opens answers something, which the line may need.
    kind = "correction" if opened and kind == "fact" else kind
    plain = bare_line(plain)
    plain = plain if kind == "preference" else without_request(plain)
    if reason := _REASON.match(plain):
        plain = reason["fact"]
    asked = _ASKING.match(plain)
    if asked and kind == "preference":
        plain = plain[asked.end() :].rstrip("? ")
    if is_question(plain) or passages.word_count(plain) < LEAST_WORDS:
        return None
    leans = short_answers.is_fragment(plain) or (
        _POINTS_BACK.search(plain) and passages.word_count(plain) <= MOST_POINTING
    )
    about = statements.sentences(before)[-1:]
    if about and asks_for_value(about[0]):
        # `Three weeks, children get a month` begins with what was asked for.
        leans = leans or short_answers.is_fragment(plain.partition(",")[0])
    if kind != "preference" and leans and about and names_something(about[0]):
        return Lesson(kind, short_answers.together(plain, about[0]))
    return Lesson(kind, as_sentence(plain.rstrip("?")))
