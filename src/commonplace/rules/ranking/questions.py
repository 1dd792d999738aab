"""What a question asks for: its words, who is meant, when, and what shape the answer has.

Every cue is soft: it moves memories up or down and never leaves one out.
"""

from __future__ import annotations

import re

from ...language import dates, words
from ...language.calendar import MONTHS
from ...language.words import STOPWORDS
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from ...language.dates import Interval

    Sentence = tuple[frozenset[str], int]
    """Words that are found whole or not at all, as they were written, of how many in all."""


ROLES = {
    "user": "user", "human": "user",
    "assistant": "assistant", "ai": "assistant", "agent": "assistant", "bot": "assistant",
    "model": "assistant", "system": "system", "tool": "tool",
}  # fmt: skip
"""Speakers that are a part in a conversation rather than a person's name."""

_NAMES_THAT_ARE_WORDS = """
amber art bill brook chase cliff dawn dean drew faith frank gene grace grant guy hope iris ivy
jack jade joy lily mark max miles olive page pat penny ray rich rob rose ruby sue summer violet
wade
"""
NAMES_THAT_ARE_WORDS = frozenset(_NAMES_THAT_ARE_WORDS.split())
"""Names that count only with their capital."""

_ASKER = """
i me my mine myself ich mich mir mein meine meinen meinem meiner meines je moi mon mes yo mis mío
mía
"""
ASKER = tuple(_ASKER.split())
"""The question is about the one who asks."""
ASKER_ANYWHERE = ("我", "私", "僕", "俺", "나는", "내가", "제가", "나의", "저의")

ADDRESSED = ("you", "du")
TOLD = (
    "said", "told", "recommended", "suggested", "mentioned", "gave", "given", "wrote", "written",
    "created", "provided", "explained", "described", "listed", "advised", "shared",
    "gesagt", "empfohlen", "vorgeschlagen", "erwähnt", "erklärt", "geschrieben", "genannt",
    "geraten", "beschrieben",
)  # fmt: skip
"""After `you` these ask for what the assistant said; `can you recommend` asks for something new."""
TELL = (
    "say", "tell", "recommend", "suggest", "mention", "give", "write", "create", "provide",
    "explain", "describe", "list", "advise", "share",
)  # fmt: skip
"""So do these after `did you`."""
TOLD_REACH = 40
"""How many characters may lie between `you` and the verb."""
ASSISTANT = (
    "said by you", "recommended by you", "suggested by you", "mentioned by you", "created by you",
    "provided by you", "your suggestion", "your suggestions", "your recommendation",
    "your recommendations", "your advice",
    *(
        f"our {when} {what}"
        for when in ("previous", "last", "earlier", "past")
        for what in ("conversation", "conversations", "chat", "chats", "discussion", "session")
    ),
    "remind me", "previous conversation", "previous chat", "unser letztes gespräch",
    "unserem letzten gespräch", "erinnere mich",
)  # fmt: skip
ASSISTANT_ANYWHERE = (
    "你说", "你說", "你推荐", "你推薦", "你建议", "你建議", "你提到", "你告诉", "你告訴", "你给我",
    "提醒我", "あなたが", "教えてくれた", "勧めてくれた", "言ってくれた", "思い出させて",
)  # fmt: skip

CHANGES = (
    "current", "currently", "now", "nowadays", "latest", "newest", "most recent", "recent",
    "recently", "these days", "so far", "still", "usually", "any more", "anymore", "already",
    "at the moment", "up to date", "how many", "how much", "how often", "how long", "how old",
    "how far", "what time", "what day", "what is", "what are", "do i", "am i", "have i", "is my",
    "are my", "aktuell", "aktuelle", "aktuellen", "derzeit", "momentan", "jetzt", "zurzeit",
    "immer noch", "neueste", "neuesten", "inzwischen", "bisher", "wie viele", "wie viel",
    "wieviel", "wie oft", "wie alt", "wie lange", "was ist", "was sind", "ist mein", "ist meine",
)  # fmt: skip
"""The question is about something that changes, so the newest answer is the right one."""
CHANGES_ANYWHERE = (
    "现在", "現在", "目前", "当前", "當前", "最新", "最近", "还在", "今の", "いまの", "지금",
    "현재",
)  # fmt: skip
PAST = (
    "first", "initial", "initially", "original", "originally", "used to", "ago", "between",
    "in the past", "order of", "earliest", "before", "passed", "last week", "last month",
    "last year", "last summer", "last winter", "last spring", "last fall", "last night",
    "last weekend", "zuerst", "ursprünglich", "früher", "anfangs", "damals", "letzte woche",
    "letzten monat", "letztes jahr",
)  # fmt: skip
"""Unless it asks for how something was."""
PAST_ANYWHERE = ("最初", "原来", "原來", "以前", "之前", "当初", "當初", "去年", "처음", "예전")

TIME = (
    "when", "how long", "how many days", "how many weeks", "how many months", "how many years",
    "what date", "what day", "what time", "wann", "wie lange", "welchem tag", "welches datum",
    "wie viele tage", "wie viele wochen", "wie viele monate", "wie viele jahre", "quand",
    "cuándo",
)  # fmt: skip
"""The answer is a time."""
TIME_ANYWHERE = (
    "什么时候",
    "什麼時候",
    "何时",
    "几点",
    "哪天",
    "多久",
    "いつ",
    "何時",
    "何日",
    "언제",
)
NUMBER = (
    "how many", "how much", "how often", "how old", "how far", "what time", "percentage",
    "number of", "price", "cost", "wie viele", "wie viel", "wieviel", "wie oft", "wie alt",
    "wie weit", "prozent", "preis", "kosten", "combien", "cuántos", "cuántas", "cuánto",
)  # fmt: skip
"""The answer is a number."""
NUMBER_ANYWHERE = ("多少", "几个", "几次", "几岁", "いくつ", "いくら", "何人", "何回", "何歳", "몇")

HISTORY = (
    "how did we", "how did i", "how did you", "why did we", "why did i", "what did we",
    "did we decide", "we decided", "when did", "what happened", "remind me", "remember when",
    "last time", "previously", "in the past", "back then", "history", "timeline", "used to",
    "earlier conversation", "previous conversation", "last conversation", "last session",
    "previous session", "we discussed", "we talked", "we fixed", "have we ever", "did we ever",
    "wie haben wir", "warum haben wir", "was haben wir", "was ist passiert", "was geschah",
    "letztes mal", "beim letzten mal", "früher", "damals", "erinnere mich", "verlauf",
)  # fmt: skip
"""The question asks for what happened, so the archive is worth a look."""
HISTORY_ANYWHERE = (
    "上次", "以前", "之前", "历史", "歷史", "发生了什么", "發生了什麼", "怎么解决", "怎麼解決",
    "前回", "履歴", "どうやって直", "何があった", "지난번", "예전에",
)  # fmt: skip

_ASKING_WORDS = """
many much often long kind type name any some like go going per total different between since ago
may s t ve m re d ll us wie viel viele lange oft alt
"""
ASKING_WORDS = frozenset(_ASKING_WORDS.split())
"""Words that ask, beyond the function words: they are in the question, not in the answer."""

_CHATTER = """
hi hello hey thanks thank please sorry ok okay yes yeah yep nope sure good great nice perfect fine
cool looks look continue proceed resume start begin stop back again next now done ready right wait
keep short brief quick help try let lets make take get give show tell see check need want run
think know find say said add use put set come step thing things stuff work works working
bitte danke hallo ja nein gut super weiter mach mache los nochmal fertig hilf zeig schau
gracias hola vale bien sigue merci bonjour oui continue ciao grazie obrigado
"""
CHATTER = frozenset(_CHATTER.split())
"""Words of a talk with an assistant that say nothing about what it is about."""


# What a question asks for: its words, who is meant, when, and what shape the answer has.


MOST_CHARACTERS = 2_000
"""A question gives its cues early on; of a pasted file they would be accidents."""
MOST_NAMED = 20
MOST_SENTENCES = 50
"""The first and the last of them: a question stands before or after what was pasted."""
_WORD = r"[^\W_]+"
_SENTENCE_ENDS = r"[.!?:;]+\s+|[。！？：；\n]+"


class Question(Value):
    """A question as search and ranking use it."""

    words: Mapping[str, str]
    """What the keyword arm looks for: each word as it is compared, and as it was written."""
    vector_text: str
    """What the vector arm reads: speakers' names are who said it, not what was said."""
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
        """What each of its sentences is about; read when it is needed, which is seldom."""
        return _sentences(self.text, self.words)


def read(text: str, *, now: datetime, speakers: Iterable[str] = ()) -> Question:
    """Read a question, seen from now, asked of a book in which these speakers are heard."""
    start = text[:MOST_CHARACTERS]
    said = f" {' '.join(re.findall(_WORD, start.lower()))} "
    named = _named(start, speakers)
    when = tuple(dates.intervals(start, now))
    changing = _says(said, CHANGES, CHANGES_ANYWHERE)
    telling = _telling_words(text, named)
    return Question(
        words=telling,
        vector_text=_without_names(text, named),
        named=frozenset(named),
        role=_role(start, said),
        when=when,
        changes=changing and not _says(said, PAST, PAST_ANYWHERE),
        asks_time=_says(said, TIME, TIME_ANYWHERE),
        asks_number=_says(said, NUMBER, NUMBER_ANYWHERE),
        asks_history=bool(when) or _says(said, HISTORY, HISTORY_ANYWHERE),
        text=text,
    )


def is_about_something(text: str) -> bool:
    """Whether a text has a word that an answer could be looked up by, unlike `ok, do it`."""
    idle = (STOPWORDS, ASKING_WORDS, CHATTER)
    return any(not any(word in them for them in idle) for word in words.query(text).values())


def role_of(speaker: str | None) -> str | None:
    """The part in a conversation that a speaker stands for; None for a person's name."""
    return ROLES.get(speaker.lower()) if speaker else None


def _says(said: str, phrases: tuple[str, ...], anywhere: tuple[str, ...]) -> bool:
    if any(f" {phrase} " in said for phrase in phrases):
        return True
    return not said.isascii() and any(phrase in said for phrase in anywhere)


def _role(text: str, said: str) -> str | None:
    if _says(said, ASSISTANT, ASSISTANT_ANYWHERE) or _addressed(text.lower()):
        return "assistant"
    return "user" if _says(said, ASKER, ASKER_ANYWHERE) else None


def _addressed(text: str) -> bool:
    """Whether `you` is soon followed by a verb of having told."""
    since, verbs, before = -TOLD_REACH - 1, TOLD, ""
    for match in re.finditer(_WORD, text):
        word = match[0]
        if match.start() - since <= TOLD_REACH and word in verbs:
            return True
        if word in ADDRESSED:
            since = match.end()
            verbs = (*TOLD, *TELL) if before == "did" else TOLD
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
        and re.search(_pattern(_first(speaker)), text)
    ]
    # Of two Annas the one whose surname is given is meant.
    in_full = [speaker for speaker in found if " " in speaker and speaker.lower() in low]
    settled = {_first(speaker) for speaker in in_full}
    return [s for s in found if s in in_full or _first(s) not in settled][:MOST_NAMED]


def _first(speaker: str) -> str:
    return speaker.split(maxsplit=1)[0] if speaker.strip() else speaker


def _pattern(name: str) -> str:
    """Finds a name as a word of its own; one that is also a common word only as it is spelled."""
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
            text = re.sub(rf"{pattern}['’]s\b", "my", text)
            text = re.sub(pattern, "I", text)
    return text


def _telling_words(text: str, named: list[str]) -> dict[str, str]:
    """The words that the answer is likely to contain; all of them when there are no others."""
    found = words.query(text)
    names = {written for speaker in named for written in words.query(_first(speaker)).values()}
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
    split = [*dict.fromkeys(re.split(_SENTENCE_ENDS, text))]
    if len(split) > MOST_SENTENCES:
        split[MOST_SENTENCES // 2 : -MOST_SENTENCES // 2] = []
    found = (known.intersection(words.query(sentence).values()) for sentence in split)
    return tuple((frozenset(about & whole), len(about)) for about in found if about)
