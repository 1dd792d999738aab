"""What a person taught in a conversation: corrections, and what they want from now on.

Only the person's own words count. What was pasted, quoted, printed by a tool or handed over from
memory is somebody else's, however much it sounds like a wish.
"""

from __future__ import annotations

import re

from ...ports.reasoning import Lesson
from ..claims import claims, expanded
from ..claims.vocabulary import LOOSE
from ..comparing import contradiction
from ..digest import framing
from ..text import passages, statements, words
from ..text.stopwords import STOPWORDS
from . import lesson_cues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ports.reasoning import Turn

SENTENCE_CHARACTERS = 400
"""A longer sentence is a paste or a story."""
TURN_CHARACTERS = 20_000
"""Of one turn; what comes after is no longer said but pasted."""
CONTEXT_CHARACTERS = 200
"""What is quoted of the turn that a correction answers."""
MOST_EXCHANGED = 5
"""Words that a correction puts in the place of others; where more differ, two things were said."""

_MARKED = re.compile(r"(?s)<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?</\1\s*>")
_INLINE = re.compile(r"(?s)\"[^\"\n]{25,}\"|“[^”]{25,}”|«[^»]{25,}»|「[^」]{15,}」")
_GREETING = re.compile(
    r"(?i)^(?:hi|hey|hello|ok(?:ay)?|so|well|yes|yeah|sure|and|but|also|oh|hmm?|ja|oui|sí)[,!:]?\s+"
)


def extract(turns: Sequence[Turn]) -> tuple[Lesson, ...]:
    """Corrections and explicit preferences of the user's turns, each once, in order."""
    found: dict[tuple[str, str], Lesson] = {}
    before = ""
    for number, turn in enumerate(turns):
        if turn.speaker == "user":
            for lesson in _of_turn(turn.text, before):
                found.setdefault((lesson.kind, lesson.content.casefold()), lesson.but(turn=number))
        elif turn.speaker == "assistant":
            before = turn.text
    return tuple(found.values())


def own_words(text: str) -> str:
    """A person's turn without what they only passed on: code, quotes, tags, earlier memories."""
    text = framing.without_echo(text[:TURN_CHARACTERS])
    while (bare := _MARKED.sub("", text)) != text:
        text = bare
    return statements.together(
        one.but(text=_INLINE.sub("", one.text)) for one in statements.split(text) if not one.block
    )


def _of_turn(text: str, before: str) -> Iterator[Lesson]:
    sentences = [" ".join(one.split()) for one in statements.sentences(own_words(text))]
    corrected = False
    for at, sentence in enumerate(sentences):
        plain = _GREETING.sub("", sentence.replace("’", "'"))
        if len(plain) > SENTENCE_CHARACTERS or passages.asks(plain):
            corrected = False
            continue
        # "No." and "That's wrong." correct with the sentence that follows.
        bare = plain.rstrip(".!。！ ") + ","
        opener = lesson_cues.CORRECTED.fullmatch(bare)
        if opener and at + 1 < len(sentences):
            corrected = True
            continue
        lesson = _correction(plain, before, corrected=corrected) or _preference(plain)
        corrected = False
        if lesson is not None:
            yield lesson


def _preference(sentence: str) -> Lesson | None:
    bare = sentence.rstrip(".!。！ ")
    for pattern in lesson_cues.PREFERENCES:
        if found := pattern.match(bare):
            lead = found.groupdict().get("lead") or ""
            content = sentence[len(lead) :]
            if lesson_cues.EMPTY.match(content) or passages.word_count(content) < 2:
                return None
            return Lesson("preference", _sentence(content))
    return None


def _correction(sentence: str, before: str, *, corrected: bool) -> Lesson | None:
    opener = lesson_cues.CORRECTED.match(sentence)
    rest = sentence[opener.end() :] if opener else sentence
    soft = lesson_cues.RECALLED.match(rest) or lesson_cues.SOFT.match(rest)
    rest = rest[soft.end() :].strip() if soft else rest.strip()
    if not rest or not (opener or soft or corrected or _exchanges(rest, before)):
        return None
    chatter = lesson_cues.DECLINED if opener or corrected else lesson_cues.CHATTER
    if chatter.match(rest) and not _exchanges(rest, before):
        return None
    if pointing := lesson_cues.POINTING.match(rest):
        vague = pointing["value"].casefold().strip(" .!").split(" ")[0] in LOOSE
        return None if vague else _resolved(rest, pointing["value"], before)
    if swapped := _swapped(rest, before):
        return swapped
    otherwise = _said_otherwise(rest, before) if opener or corrected else ""
    wrong = otherwise or _believed(rest, before)
    # Sentences of scripts that the claims hardly read count when a plain `no` opens them.
    foreign = opener is not None and not rest.isascii() and passages.word_count(rest) >= 3
    telling = otherwise or claims(rest) or _exchanges(rest, before) or foreign or (soft and wrong)
    if not telling and not (lesson_cues.RECALLED.match(sentence) and passages.word_count(rest) > 2):
        return None
    return Lesson("correction", _sentence(rest), wrong)


def _exchanges(sentence: str, before: str) -> bool:
    """Whether a sentence puts one thing in the place of another that was just spoken of."""
    found = lesson_cues.NOT_BUT.search(sentence) or lesson_cues.RIGHT_NOT.match(
        sentence.rstrip(".!。！")
    )
    return found is not None and _mentions(before, _part(found, "wrong"))


def _part(found: re.Match[str], name: str) -> str:
    return next(
        (text for key, text in found.groupdict().items() if key.startswith(name) and text), ""
    )


def _mentions(text: str, value: str) -> bool:
    return bool(value) and value.strip(" \"'`").casefold() in text.casefold()


def _resolved(rest: str, value: str, before: str) -> Lesson | None:
    """A correction that says only `it's X`: the sentence it corrects, with X in its place."""
    value = value.strip(" .!。！")
    exchange = lesson_cues.RIGHT_NOT.match(value)
    right = exchange["right"] if exchange else value
    spoken = statements.sentences(before)
    if exchange and (said := [one for one in spoken if _mentions(one, exchange["wrong"])]):
        wrong = exchange["wrong"].strip(" \"'`")
        swapped = re.sub(re.escape(wrong), lambda _: right, said[-1], flags=re.I)
        return Lesson("correction", _sentence(swapped), _sentence(said[-1]))
    stated = [one for one in spoken if not passages.asks(one) and len(claims(one)) == 1]
    if len(stated) == 1:
        claim = claims(stated[0])[0]
        plain = expanded(stated[0])
        if claim.value in plain and not claim.negated and not right.lower().startswith("not "):
            return Lesson("correction", _sentence(_exchanged(plain, claim.value, right)), stated[0])
    if not spoken or passages.word_count(value) > 20:
        return None
    about = spoken[-1] if len(spoken) == 1 else _nearest(rest, spoken)
    quoted = about if len(about) <= CONTEXT_CHARACTERS else f"{about[: CONTEXT_CHARACTERS - 1]}…"
    return Lesson("correction", f"{_sentence(rest)} (About: “{quoted}”)", about)


def _exchanged(sentence: str, old: str, new: str) -> str:
    """A sentence with one value for another; words that lead up to both stand there once."""
    lead, given = sentence.partition(old)[0].casefold().split(), new.split()
    said = [word.casefold() for word in given]
    known = next((n for n in range(len(given) - 1, 0, -1) if lead[-n:] == said[:n]), 0)
    return sentence.replace(old, " ".join(given[known:]))


def _swapped(rest: str, before: str) -> Lesson | None:
    """A bare `not X but Y`: the sentence that spoke of X, with Y in its place."""
    found = lesson_cues.NOT_BUT.match(rest)
    if found is None:
        return None
    wrong, right = (_part(found, name).strip(" .!。！\"'`") for name in ("wrong", "right"))
    said = [one for one in statements.sentences(before) if _mentions(one, wrong)]
    if not said:
        return None
    swapped = re.sub(re.escape(wrong), lambda _: right, said[-1], flags=re.I)
    return Lesson("correction", _sentence(swapped), _sentence(said[-1]))


def _said_otherwise(rest: str, before: str) -> str:
    """The statement before that says the same of something else: we deploy from A, not from B."""
    if lesson_cues.FOR_NOW.match(rest):
        return ""
    mine = _plain_words(rest)
    for one in statements.sentences(before):
        theirs = _plain_words(one)
        start = _shared(mine, theirs)
        end = _shared(mine[start:][::-1], theirs[start:][::-1])
        new, old = mine[start : len(mine) - end], theirs[start : len(theirs) - end]
        frame = mine[:start] + mine[len(mine) - end :]
        alike = len(frame) >= max(2, len(new)) and _telling(" ".join(frame))
        clear = _telling(" ".join(new)) and old and lesson_cues.UNCLEAR.isdisjoint(new)
        if alike and clear and max(len(new), len(old)) <= MOST_EXCHANGED and not passages.asks(one):
            return one
    return ""


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two sentences begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def _plain_words(sentence: str) -> list[str]:
    """The words to compare; whoever speaks, `we` and `you` are the same people."""
    bare = (word.strip(".,!?;:\"'`()").casefold() for word in sentence.replace("’", "'").split())
    return [lesson_cues.PEOPLE.get(word, word) for word in bare if word]


def _believed(right: str, before: str) -> str:
    """The sentence of the turn before that a correction contradicts, or else speaks of most."""
    spoken = statements.sentences(before)
    for one in spoken:
        if contradiction.judge(right, one).relation == "contradicts":
            return one
    nearest = _nearest(right, spoken)
    return nearest if len(_telling(right) & _telling(nearest)) >= 2 else ""


def _nearest(text: str, spoken: Sequence[str]) -> str:
    telling = _telling(text)
    return max(spoken, key=lambda one: len(telling & _telling(one)), default="")


def _telling(text: str) -> frozenset[str]:
    return frozenset(words.terms(text)) - STOPWORDS


def _sentence(text: str) -> str:
    """The words as a sentence of their own."""
    text = text.strip(" ,;:—–-")
    text = text[:1].upper() + text[1:]
    return (
        text
        if text.endswith((".", "!", "?", "…", "。", "！")) or not text.isascii()
        else f"{text}."
    )
