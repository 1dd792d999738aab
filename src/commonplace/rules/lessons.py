"""Extract corrections, preferences and facts from a person's turns of a conversation.

Only the person's own words count, not pasted text, quotes, tool output or recalled memories.
"""

from __future__ import annotations

import re

from ..language import passages, statements, words
from ..language.vocabulary import STOPWORDS
from ..language.vocabulary.statements import DESCRIPTIVE, PERSON_FORMS, UNCLEAR_PRONOUNS
from ..ports.reasoner import Lesson
from . import quoting
from .personal_facts import personal_facts
from .relations import contradiction
from .relations.claims import expand_contractions, read_claims

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ports.reasoner import Turn


_HABIT = (
    "(?:use|write|want|prefer|run|do|deploy|name|put|commit|test|format|keep|drink|eat|take|start"
    "|work|like|need|add|avoid|review|sign|pay|book|order|travel|fly|sit|read|speak|answer|reply)"
)
_ENGLISH = (
    r"i (?:really |strongly |generally |usually |much )?prefer\b",
    rf"i (?:always|never) {_HABIT}\b",
    r"i(?:'d| would) (?:prefer|rather)\b(?! not to say)",
    # `I like the idea`, `I love those tips` praise an answer, and wish for nothing.
    r"i (?:really |absolutely )?(?:like|love|enjoy)\b"
    r"(?! (?:it|you|this|that|the|these|those|all|both|your|how|what|where)\b)",
    r"i (?:really |absolutely )?(?:hate|dislike|detest)\b(?! (?:it|this|that|to|your|how|when)\b)",
    r"i (?:do not|don't|no longer) (?:like|want|enjoy|use|eat|drink)\b"
    r"(?! (?:it|this|that|to know)\b)",
    r"i (?:can't|cannot) stand\b",
    r"my (?:favou?rite|preferred|default)\b.+\b(?:is|are)\b",
    r"(?P<lead>please )?(?:always|never)\b(?! ?mind)(?! heard)",
    r"(?P<lead>please )use (?!this|that|it\b|the (?:attached|following|above|below)|these|those)",
    r"(?P<lead>please )?(?:do not|don't) (?:ever )?(?!worry|know|mind|bother|think|understand|see"
    r"|get|have|forget|panic|need|it\b|do that\b|do it\b|i\b|we\b|you\b)",
    r"(?P<lead>please )?stop (?!it\b|that\b|here\b|the\b)\w+ing\b",
    r"(?P<lead>(?:from (?:now|here|today) on|going forward|in (?:the )?future"
    r"|for future reference)[,:]? (?:please )?)",
    r"(?P<lead>(?:please )?(?:remember|keep in mind|note|don't forget|do not forget)"
    r"(?: that|:|,) )(?!i asked\b)",
    r"(?P<lead>please )?(?:call|address) me\b",
    r"i(?:'m| am) allergic to\b",
    r"(?:whenever|every time|each time) (?:you|i|we)\b.+,",
)
_GERMAN = (
    r"ich (?:bevorzuge|mag|liebe|hasse|(?:möchte|will|nutze) (?:immer|nie))\b",
    r"(?P<lead>bitte )?(?:immer|nie|niemals)\b",
    r"(?P<lead>bitte )(?:verwende|nutze|benutze|schreib\w*)\b",
    r"(?P<lead>(?:ab (?:jetzt|sofort)|künftig|in zukunft|von nun an),? (?:bitte )?)",
    r"(?P<lead>(?:bitte )?(?:merk dir|denk dran|denke daran|vergiss nicht)(?:,? dass|:|,) )",
    r"(?:verwende|nutze|benutze|mach|schreib)\w* (?:bitte )?(?:immer|nie|niemals|kein\w*)\b",
)
_FRENCH = (
    r"(?:je préfère|j'aime|j'adore|je déteste|je n'aime pas)\b(?! (?:bien )?(?:ça|ta|ton|cela))",
    r"(?P<lead>(?:désormais|dorénavant|à partir de maintenant),? )",
    r"(?P<lead>(?:souviens-toi|rappelle-toi|retiens|n'oublie pas) qu(?:e |'))",
    r"(?:utilise|écris|fais|réponds) toujours\b|n'\w+ jamais\b|ne \w+ jamais\b",
)
_SPANISH = (
    r"(?:prefiero|me gustan?|no me gustan?|me encantan?|odio)\b(?! (?:eso|esto|tu)\b)",
    r"(?P<lead>(?:de ahora en adelante|a partir de ahora|en el futuro),? )",
    r"(?P<lead>(?:recuerda|ten en cuenta|no olvides) que )",
    r"(?P<lead>por favor,? )?(?:siempre|nunca)\b",
)
_CHINESE = (
    r"我(?:更|最|很|非常)?(?:喜欢|偏好|偏爱|讨厌|不喜欢)(?!你|这个)",
    r"(?P<lead>(?:请)?记住[，,：:]?)",
    r"(?P<lead>(?:以后|从现在开始|从今以后|今后)[，,]?)",
    r"(?P<lead>请)?(?:总是|永远不要|不要再|千万不要|一定要)",
)
_JAPANESE = (
    r".{1,40}(?:が|は)(?:大)?(?:好き|嫌い)(?:です|だ|ではない|じゃない)?$",
    r".{1,40}(?:の?方|のほう)が(?:いい|好き)",
    r"(?P<lead>(?:これから|今後)は?[、,]?)",
    r"(?:必ず|絶対に|常に).+",
    r".{1,60}(?:ないで)(?:ください|くれ)?$",
    r"(?P<lead>覚えておいて(?:ください)?[、。：:])",
)
PREFERENCES = tuple(
    re.compile(f"(?i:{pattern})")
    for language in (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _CHINESE, _JAPANESE)
    for pattern in language
)

_WRONG = r"(?:that|this|it)(?:'s| is) (?:not (?:right|correct|true)|wrong|incorrect)"
CORRECTED = re.compile(
    r"(?i)(?:no+|nope|wrong|incorrect|not quite|not exactly|nein|falsch|non|faux"
    r"|不对|不是的|错了|いいえ|いや|違います|違う)(?:[,.!:;—–-]|\s[—–-]|[，。、！])\s*"
    rf"(?:{_WRONG}[,.!:;—–-]*\s*)?"
    rf"|(?:{_WRONG}|(?:that|this|it)(?:'s| is) not what i (?:said|meant|asked for))[,.!:;—–-]+\s*"
    r"|(?:das|es) (?:stimmt nicht|ist falsch)[,.!:;]\s*|c'est faux[,.!:;]\s*"
    r"|(?:eso )?(?:no es correcto|está mal|es incorrecto)[,.!:;]\s*"
)
"""Opens a correction beyond doubt."""
RECALLED = re.compile(
    r"(?i)(?:as )?i (?:already |just )?(?:said|told you|meant|asked you)(?: that| to)?[,:]? "
    r"(?!so\b|it\b|that\b)|(?:ich (?:habe (?:doch )?gesagt|meinte|sagte)),? (?:dass )?"
    r"|j'ai dit (?:que |qu')?|je voulais dire\s|(?:dije|quise decir) (?:que )?"
    r"|我说的是|我的意思是|私が言ったのは"
)
SOFT = re.compile(
    r"(?i)(?:actually|in fact|to be (?:precise|exact)|correction|eigentlich|tatsächlich|en fait"
    r"|en réalité|en realidad|de hecho|其实|实际上|実は|実際は)[,:，、]?+\s*+"
)
"""May open a correction, when a claim follows."""
NOT_BUT = re.compile(
    r"(?i)\b(?:not|nicht|pas|no es|no) (?P<wrong>[^,.;]{1,60}?),? (?:but|sondern|mais|sino)"
    r" (?P<right>[^,.;]{1,80})"
    r"|(?:不是|并非)(?P<wrong_zh>[^，。；]{1,30}?)[，,]?(?:而是|是)(?P<right_zh>[^，。；]{1,40})"
    r"|(?P<wrong_ja>[^、。]{1,30}?)(?:ではなく(?:て)?|じゃなくて)[、]?(?P<right_ja>[^、。]{1,40})"
)
RIGHT_NOT = re.compile(
    r"(?i)^(?P<right>.{2,120}?),? (?:and )?(?:not|nicht|pas|no) (?P<wrong>[^,.;]{1,60})$"
)
CHATTER = re.compile(
    r"(?i)(?:can|could|would|let's|please|wait|thanks|thank you)\b"
    r"|i (?:was|have|had|need|want|think|wonder|just|got)\b|i'(?:m|ve|d|ll)\b|i am\b(?! not\b)"
)
"""After a mere `actually` this leads on to something else, and corrects nothing."""
DECLINED = re.compile(
    r"(?i)(?:thanks|thank you|please|(?:i(?:'m| am)|we(?:'re| are)) (?:good|fine|ok|okay|done"
    r"|all set|sure|not sure|just|still|only|trying|looking|asking|wondering|curious|interested))\b"
)
"""After a `no` this declines an offer."""
FOR_NOW = re.compile(
    r"(?i)(?:let(?:'s| us| me)\b|(?:i|we|you|he|she|they|it)(?:'ll\b|'d\b|'re going\b|'m going\b"
    r"| (?:will|can|could|might|may|am|are going)\b))"
)
"""Announces a next step, and states nothing."""
POINTING = re.compile(
    r"(?i)^(?:it|that|this|he|she|they|es|das|c'est|ce|eso|ello|那|这|它|それ|これ)"
    r"(?:'s| is| was| are| ist| war| est| es|是|は)?\b ?(?P<value>.+)$"
)
"""Says something of what was spoken of before, without naming it."""
EMPTY = re.compile(
    r"(?i)^(?:(?:do|use|try|make|keep|mach|fais|haz)\s+)?"
    r"(?:it|that|this|them|those|so|das|es|ça|eso|这个|那个|それ)?"
    r"(?:\s+(?:again|that way|this way|like that|like this|instead|please|now|too|so))*[.!]?$"
)
"""Nothing is left that could be understood on its own."""

_OF_THE_PERSON = re.compile(
    r"(?i)\b(?:i|i'(?:m|d|ve|ll)|me|my|mine|myself|ich|mich|mir|mein\w*|je|j'\w+|moi|mon|ma|mes"
    r"|yo|mi|mis|prefiero|odio)\b|我|私|僕|俺|が(?:大)?好き|が(?:大)?嫌い"
    # How to talk to the person.
    r"|^(?:please )?(?:answer|reply|respond|speak|talk|explain|antworte|sprich|erkläre?|duze|sieze"
    r"|réponds|tutoie|responde|explica|回答|返事)\b"
    r"|\b(?:(?:your|keep|give|write|make|deine?|tes|tus) (?:\w+ )?"
    r"(?:answers?|repl(?:y|ies)|responses?|explanations?|antworten|réponses|respuestas)"
    r"|emojis?|(?:british|american|uk|us) (?:english|spelling)|(?:metric|imperial) units"
    r"|dates? as|in (?:english|german|french|spanish))\b|敬語"
)
_OF_THE_WORK = re.compile(
    r"(?i)\b(?:here|this|our|ours|we|us|team|repo(?:sitory)?|project|codebase|hier|dieses?|unser\w*"
    r"|wir|ce|cette|notre|nos|nous|este|esta|nuestr\w+|aquí)\b|这个|我们|この|うちの"
)
"""Words by which a preference belongs to the work at hand."""


SENTENCE_CHARACTERS = 400
"""A longer sentence is a paste or a story."""
TURN_CHARACTERS = 20_000
"""Characters read of one turn; the rest is probably pasted."""
CONTEXT_CHARACTERS = 200
"""Characters quoted of the turn that a correction answers."""
MOST_EXCHANGED = 5
"""Words that a correction puts in the place of others; where more differ, two things were said."""

_MARKED = re.compile(r"(?s)<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?</\1\s*>")
_INLINE = re.compile(r"(?s)\"[^\"\n]{25,}\"|“[^”]{25,}”|«[^»]{25,}»|「[^」]{15,}」")
_GREETING = re.compile(
    r"(?i)^(?:hi|hey|hello|ok(?:ay)?|so|well|yes|yeah|sure|and|but|also|oh|hmm?|ja|oui|sí)[,!:]?\s+"
)


def extract_lessons(turns: Sequence[Turn]) -> tuple[Lesson, ...]:
    """Corrections, explicit preferences and facts of the user's turns, each once, in order."""
    found: dict[tuple[str, str], Lesson] = {}
    before = ""
    for number, turn in enumerate(turns):
        if turn.speaker == "user":
            for lesson in _of_turn(turn.text, before):
                found.setdefault((lesson.kind, lesson.content.casefold()), lesson.but(turn=number))
        elif turn.speaker == "assistant":
            before = turn.text
    return tuple(found.values())


def is_about_person(text: str) -> bool:
    """Whether a preference is the person's own, wherever they work, and not a rule of the work."""
    plain = text.replace("’", "'")
    return _OF_THE_WORK.search(plain) is None and _OF_THE_PERSON.search(plain) is not None


def own_words(text: str) -> str:
    """A person's turn without what they only passed on: code, quotes, tags, earlier memories."""
    text = quoting.without_echo(text[:TURN_CHARACTERS])
    while (bare := _MARKED.sub("", text)) != text:
        text = bare
    return statements.join_statements(
        one.but(text=_INLINE.sub("", one.text)) for one in statements.split(text) if not one.block
    )


def _of_turn(text: str, before: str) -> Iterator[Lesson]:
    sentences = [" ".join(one.split()) for one in statements.sentences(own_words(text))]
    corrected = False
    for at, sentence in enumerate(sentences):
        plain = _GREETING.sub("", sentence.replace("’", "'"))
        if len(plain) > SENTENCE_CHARACTERS or passages.is_question(plain):
            corrected = False
            continue
        # "No." and "That's wrong." correct with the sentence that follows.
        bare = plain.rstrip(".!。！ ") + ","
        opener = CORRECTED.fullmatch(bare)
        if opener and at + 1 < len(sentences):
            corrected = True
            continue
        lesson = _correction(plain, before, corrected=corrected) or _preference(plain)
        corrected = False
        if lesson is not None:
            yield lesson
        else:
            yield from (Lesson("fact", _sentence(fact)) for fact in personal_facts(plain))


def _preference(sentence: str) -> Lesson | None:
    bare = sentence.rstrip(".!。！ ")
    for pattern in PREFERENCES:
        if found := pattern.match(bare):
            lead = found.groupdict().get("lead") or ""
            content = sentence[len(lead) :]
            if EMPTY.match(content) or passages.word_count(content) < 2:
                return None
            return Lesson("preference", _sentence(content))
    return None


def _correction(sentence: str, before: str, *, corrected: bool) -> Lesson | None:
    opener = CORRECTED.match(sentence)
    rest = sentence[opener.end() :] if opener else sentence
    soft = RECALLED.match(rest) or SOFT.match(rest)
    rest = rest[soft.end() :].strip() if soft else rest.strip()
    if not rest or not (opener or soft or corrected or _exchanges(rest, before)):
        return None
    chatter = DECLINED if opener or corrected else CHATTER
    if chatter.match(rest) and not _exchanges(rest, before):
        return None
    if pointing := POINTING.match(rest):
        vague = pointing["value"].casefold().strip(" .!").split(" ")[0] in DESCRIPTIVE
        return None if vague else _resolved(rest, pointing["value"], before)
    if swapped := _swapped(rest, before):
        return swapped
    otherwise = _said_otherwise(rest, before) if opener or corrected else ""
    wrong = otherwise or _believed(rest, before)
    # Sentences of scripts that the claims hardly read count when a plain `no` opens them.
    foreign = opener is not None and not rest.isascii() and passages.word_count(rest) >= 3
    telling = (
        otherwise or read_claims(rest) or _exchanges(rest, before) or foreign or (soft and wrong)
    )
    if not telling and not (RECALLED.match(sentence) and passages.word_count(rest) > 2):
        return None
    return Lesson("correction", _sentence(rest), wrong)


def _exchanges(sentence: str, before: str) -> bool:
    """Whether a sentence puts one thing in the place of another that was just spoken of."""
    found = NOT_BUT.search(sentence) or RIGHT_NOT.match(sentence.rstrip(".!。！"))
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
    exchange = RIGHT_NOT.match(value)
    right = exchange["right"] if exchange else value
    spoken = statements.sentences(before)
    if exchange and (said := [one for one in spoken if _mentions(one, exchange["wrong"])]):
        wrong = exchange["wrong"].strip(" \"'`")
        swapped = re.sub(re.escape(wrong), lambda _: right, said[-1], flags=re.I)
        return Lesson("correction", _sentence(swapped), _sentence(said[-1]))
    stated = [one for one in spoken if not passages.is_question(one) and len(read_claims(one)) == 1]
    if len(stated) == 1:
        claim = read_claims(stated[0])[0]
        plain = expand_contractions(stated[0])
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
    found = NOT_BUT.match(rest)
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
    if FOR_NOW.match(rest):
        return ""
    mine = _plain_words(rest)
    for one in statements.sentences(before):
        theirs = _plain_words(one)
        start = _shared(mine, theirs)
        end = _shared(mine[start:][::-1], theirs[start:][::-1])
        new, old = mine[start : len(mine) - end], theirs[start : len(theirs) - end]
        frame = mine[:start] + mine[len(mine) - end :]
        alike = len(frame) >= max(2, len(new)) and _telling(" ".join(frame))
        clear = _telling(" ".join(new)) and old and UNCLEAR_PRONOUNS.isdisjoint(new)
        if (
            alike
            and clear
            and max(len(new), len(old)) <= MOST_EXCHANGED
            and not passages.is_question(one)
        ):
            return one
    return ""


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two sentences begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def _plain_words(sentence: str) -> list[str]:
    """The words to compare; whoever speaks, `we` and `you` are the same people."""
    bare = (word.strip(".,!?;:\"'`()").casefold() for word in sentence.replace("’", "'").split())
    return [PERSON_FORMS.get(word, word) for word in bare if word]


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
