"""Read a question: its words, who is meant, when, and the shape of the answer.

Every cue is soft: it moves memories up or down and never leaves one out.
"""

from __future__ import annotations

from ...language import dates, words
from ...language.vocabulary import (
    ASKING_WORDS,
    ASSISTANT_CUES,
    CHATTER,
    FIRST_PERSON_CUES,
    HISTORY_CUES,
    HOW_TO_CUES,
    MONTHS,
    NAMES_THAT_ARE_WORDS,
    NOW_CUES,
    NUMBER_CUES,
    PAST_CUES,
    ROLES,
    SECOND_PERSON,
    STOPWORDS,
    TELL_VERBS,
    TIME_CUES,
    TOLD_VERBS,
)
from ...model.lazy_pattern import lazy, other_signs_spaced
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from ...language.dates import Interval

    Sentence = tuple[frozenset[str], int]
    """Words that are found whole or not at all, as they were written, of how many in all."""


TOLD_REACH = 40
"""How many characters may lie between `you` and the verb."""
MOST_CHARACTERS = 2_000
"""A question gives its cues early on; of a pasted file they would be accidents."""
SPOKEN_CHARACTERS = 400
"""A longer text is mostly pasted, and the dates in it are not asked about."""
MOST_NAMED = 20
MOST_SENTENCES = 50
"""The first and the last of them: a question stands before or after what was pasted."""
_WORD = lazy(r"[^\W_]+")
_SPACED = other_signs_spaced("")
_LEADS = frozenset(
    ("btw", "by", "the", "way", "ok", "so", "and", "also", "fyi", "hey", "hi", "well")
)
_TELLERS = frozenset(("we", "i", "it", "they", "he", "she", "there"))
_PASSING = "need want wonder wondering remember recall know find look looking forgot see like show"
_ASKS_IN_PASSING = frozenset(_PASSING.split())
"""Words by which somebody who tells of themselves asks for something."""
_SENTENCE_MARKS = ".!?:;"
_SENTENCE_ENDS = lazy(rf"[{_SENTENCE_MARKS}]+\s+|[。！？：；\n]+")


class Question(Value):
    """A question as search and ranking use it."""

    words: Mapping[str, str]
    """The terms for the keyword search, each with the word as it was written."""
    vector_text: str
    """The text for the vector search, with the names of speakers replaced by `I`."""
    named: frozenset[str] = frozenset()
    """The speakers that the question names."""
    role: str | None = None
    """`user` when it is about the asker, `assistant` when about what the assistant said."""
    when: tuple[Interval, ...] = ()
    """The times that it speaks of."""
    changes: bool = False
    """Whether it asks how something is now."""
    asks_time: bool = False
    asks_number: bool = False
    asks_history: bool = False
    """Whether it asks for what happened, so that the archive is worth a look."""
    text: str = ""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The words of each sentence; computed on demand, which is seldom."""
        return _sentences(self.text, self.words)


def read_question(text: str, *, now: datetime, speakers: Iterable[str] = ()) -> Question:
    """Read a question, seen from now, asked of a book in which these speakers are heard."""
    start = text[:MOST_CHARACTERS]
    said = f" {' '.join(_words(start.lower()))} "
    named = _named(start, speakers)
    when = tuple(dates.intervals(start, now))
    changing = _says(said, NOW_CUES) and not _says(said, HOW_TO_CUES)
    telling = _telling_words(text, named)
    return Question(
        words=telling,
        vector_text=_without_names(text, named),
        named=frozenset(named),
        role=_role(start, said),
        when=when,
        changes=changing and not _says(said, PAST_CUES),
        asks_time=_says(said, TIME_CUES),
        asks_number=_says(said, NUMBER_CUES),
        asks_history=_says(said, HISTORY_CUES)
        or (bool(when) and len(text) <= SPOKEN_CHARACTERS and not _only_tells(start, said)),
        text=text,
    )


def _only_tells(text: str, said: str) -> bool:
    """Whether a text tells something and asks for nothing: `we dropped the cache last week`."""
    spoken = [word for word in said.split() if word not in _LEADS]
    tells = bool(spoken) and spoken[0] in _TELLERS and "?" not in text
    return tells and _ASKS_IN_PASSING.isdisjoint(spoken)


def is_about_something(text: str) -> bool:
    """Whether a text has a word that an answer could be looked up by, unlike `ok, do it`."""
    idle = (STOPWORDS, ASKING_WORDS, CHATTER)
    return any(not any(word in them for them in idle) for word in words.query_terms(text).values())


def role_of(speaker: str | None) -> str | None:
    """The part in a conversation that a speaker stands for; None for a person's name."""
    return ROLES.get(speaker.lower()) if speaker else None


def _words(text: str) -> list[str]:
    return text.translate(_SPACED).split() if text.isascii() else _WORD.findall(text)


def _says(said: str, cues: tuple[tuple[str, ...], tuple[str, ...]]) -> bool:
    phrases, unspaced = cues
    if any(f" {phrase} " in said for phrase in phrases):
        return True
    return not said.isascii() and any(phrase in said for phrase in unspaced)


def _role(text: str, said: str) -> str | None:
    you = any(f" {word} " in said for word in SECOND_PERSON)
    if _says(said, ASSISTANT_CUES) or (you and _addressed(text.lower())):
        return "assistant"
    return "user" if _says(said, FIRST_PERSON_CUES) else None


def _addressed(text: str) -> bool:
    """Whether `you` is soon followed by a verb of having told."""
    since, verbs, before = -TOLD_REACH - 1, TOLD_VERBS, ""
    for match in _WORD.finditer(text):
        word = match[0]
        if match.start() - since <= TOLD_REACH and word in verbs:
            return True
        if word in SECOND_PERSON:
            since = match.end()
            verbs = (*TOLD_VERBS, *TELL_VERBS) if before == "did" else TOLD_VERBS
        before = word
    return False


def _named(text: str, speakers: Iterable[str]) -> list[str]:
    """The speakers that a text names, by first name or in full."""
    low = text.lower()
    found = [
        speaker
        for speaker in speakers
        if not role_of(speaker)
        and _first(speaker).lower() in low
        and lazy(_pattern(_first(speaker))).search(text)
    ]
    # A surname tells two Annas apart.
    in_full = [speaker for speaker in found if " " in speaker and speaker.lower() in low]
    settled = {_first(speaker) for speaker in in_full}
    return [s for s in found if s in in_full or _first(s) not in settled][:MOST_NAMED]


def _first(speaker: str) -> str:
    return speaker.split(maxsplit=1)[0] if speaker.strip() else speaker


def _pattern(name: str) -> str:
    """Finds a name as a word of its own; one that is also a common word only as it is spelled."""
    # Imported here, because most questions name no speaker.
    import re

    exact = re.escape(name)
    if name.lower() == name.upper():
        return exact  # Scripts without case are mostly those without spaces between words.
    low = name.lower()
    if low in STOPWORDS or low in MONTHS:
        return rf"(?<!^)(?<![.?!]\s)\b{exact}\b"
    return rf"\b{exact}\b" if low in NAMES_THAT_ARE_WORDS else rf"(?i:\b{exact}\b)"


def _without_names(text: str, named: list[str]) -> str:
    """The text with named speakers as `I`, for they say so of themselves."""
    for speaker in named:
        for name in dict.fromkeys((speaker, _first(speaker))):
            pattern = _pattern(name)
            text = lazy(rf"{pattern}['’]s\b").sub("my", text)
            text = lazy(pattern).sub("I", text)
    return text


def _telling_words(text: str, named: list[str]) -> dict[str, str]:
    """The words that the answer is likely to contain; all of them when there are no others."""
    found = words.query_terms(text)
    names = {
        written for speaker in named for written in words.query_terms(_first(speaker)).values()
    }
    about = {
        term: written
        for term, written in found.items()
        if written not in names and written.removesuffix("'s") not in names
    }
    telling = {term: written for term, written in about.items() if written not in ASKING_WORDS}
    return telling or about or found


def _sentences(text: str, telling: Mapping[str, str]) -> tuple[Sentence, ...]:
    parts: dict[str, int] = {}
    for word in telling.values():
        parts[word] = parts.get(word, 0) + 1
    known = parts.keys() - CHATTER
    # A word may have a stem beside it; but one part of `v3` or 東京都の天気 is not the whole.
    whole = {word for word in known if parts[word] == 1 or (parts[word] == 2 and word.isalpha())}
    split = [text] if _is_one_sentence(text) else [*dict.fromkeys(_SENTENCE_ENDS.split(text))]
    if len(split) > MOST_SENTENCES:
        split[MOST_SENTENCES // 2 : -MOST_SENTENCES // 2] = []
    found = (known.intersection(words.query_terms(sentence).values()) for sentence in split)
    return tuple((frozenset(about & whole), len(about)) for about in found if about)


def _is_one_sentence(text: str) -> bool:
    """Whether no sentence ends within a plain text, which needs no pattern then."""
    plain = text.isascii() and text.isprintable()
    return plain and not any(f"{mark} " in text for mark in _SENTENCE_MARKS)
