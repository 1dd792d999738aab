"""Extract corrections, preferences and facts from a person's turns of a conversation.

Only the person's own words count, not pasted text, quotes, tool output or recalled memories.
"""

from __future__ import annotations

import re

from ...language import passages, statements
from ...language.vocabulary.persons import IS_MINE
from ...language.vocabulary.plans import BASE_VERBS
from ...language.vocabulary.standing_rules import (
    ALWAYS,
    FROM_NOW_ON,
    NOT_THIS,
    ORDERS,
    PLEASE,
    WHERE,
)
from ...language.vocabulary.statements import GENERAL_THINGS, THIS_PROJECT
from ...language.words import is_question, telling_terms
from ...ports.reasoner import Lesson
from .. import access
from ..handed_over import quotation
from . import short_answers
from .corrections import (
    as_sentence,
    correction_opener,
    opens_correction,
    plain_sentence,
    read_correction,
    without_opener,
)
from .personal_facts import names_kin, personal_facts
from .repairs import put_right, repair_opener, repair_within
from .spoken import withdrawn_rule
from .standing_lines import standing_line, with_question
from .unmarked_questions import asks, with_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...model.scope import Context, Scope
    from ...ports.reasoner import Turn


_HABIT = (
    "(?:use|write|want|prefer|run|do|deploy|name|put|commit|test|format|keep|drink|eat|take|start"
    "|work|like|need|add|avoid|review|sign|pay|book|order|travel|fly|sit|read|speak|answer|reply)"
)
_ENGLISH = (
    r"i (?:really |strongly |generally |usually |much )?prefer\b",
    rf"i (?:always|never) {_HABIT}\b",
    r"i(?:'d| would) (?:prefer|rather)\b(?! not to say)",
    # `I'd never heard of it` and `I'd never have guessed` tell of the past.
    r"i(?:'d| would) (?:always|never)(?: ever)? (?!(?:have|had|been|known|seen|heard|thought|met"
    r"|done|used to|gone|got|guess|think|expect|imagine|know|say|dream|believe|(?!need)\w+ed)\b)"
    r"\w+ \w",
    r"i(?:'d| would) like you to (?:use|write|spell|answer|reply|keep|avoid|format|speak)\b"
    r"(?! (?:this|that|it|these|those|the)\b)",
    # `I like the idea`, `I love those tips` praise an answer, and wish for nothing.
    r"i (?:really |absolutely )?(?:like|love|enjoy)\b"
    r"(?! (?:it|you|this|that|the|these|those|all|both|your|how|what|where)\b)",
    r"i (?:really |absolutely )?(?:hate|dislike|detest)\b(?! (?:it|this|that|to|your|how|when)\b)",
    r"i (?:do not|don't|no longer) (?:like|want|enjoy|use|eat|drink)\b"
    r"(?! (?:it|this|that|to know)\b)",
    r"i (?:can't|cannot) stand\b",
    r"my (?:favou?rite|preferred|default)\b.+\b(?:is|are)\b",
    # `Always happens when …` tells what a thing does, and asks for nothing.
    r"(?P<lead>please )?(?:always|never)\b(?! ?mind)(?! heard)"
    r"(?! (?:happen|work|fail|crash|break|hang|occur|com|get|return|take|stop|start|show|appear|end"
    r"|run|time|goe|doe|ha|i|wa)(?:e?s|ed)\b)",
    rf"(?:in|for) (?:this|our) (?:repo(?:sitory)?|project|codebase|team),? we (?:\w+ )?{_HABIT}\b",
    # `Use pnpm, never npm`: a choice between things that go on being there.
    rf"(?P<lead>please )?{_HABIT} [^,;:]{{2,80}},? (?:and |but )?(?:always|never)\b",
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
    r"(?P<lead>(?:souviens-toi|rappelle-toi|retiens|note|n'oublie pas)(?: bien| aussi)?"
    r"(?: qu(?:e |')| ?: ))",
    r"(?:utilise|écris|fais|réponds) toujours\b|n'\w+ jamais\b|ne \w+ jamais\b",
)
_SPANISH = (
    r"(?:prefiero|me gustan?|no me gustan?|me encantan?|odio)\b(?! (?:eso|esto|tu)\b)",
    r"(?P<lead>(?:de ahora en adelante|a partir de ahora|en el futuro),? )",
    r"(?P<lead>(?:recuerda|ten en cuenta|no olvides) que )",
    r"(?P<lead>por favor,? )?(?:siempre|nunca)\b",
)
_ABROAD = (
    rf"{WHERE}?(?:(?:{PLEASE}),? )?(?:(?:ne |n'|no |non |não )(?:lo |la |mi |me |m')?)?"
    rf"(?:{ORDERS})\b(?=.*\b(?:{ALWAYS})\b)",
    rf"(?P<lead>(?:{FROM_NOW_ON}),? )",
    # `Pas de tableaux, des listes, toujours`: a choice, or a wish, and how long it holds.
    rf"(?:(?:{NOT_THIS}|{ORDERS})\b.{{8,}}|.{{8,}}\b(?:{PLEASE})), (?:{ALWAYS})$",
)
"""Rules in German, French, Spanish, Italian, Portuguese and Dutch."""
_FURTHER = (
    r"(?P<lead>(?:ricorda(?:ti)?|tieni presente|tieni a mente|non (?:ti )?dimenticare)"
    r"(?: bene| anche)?(?: che |: ))",
    r"(?P<lead>(?:lembra(?:-te)?|não (?:te )?esqueças?|anota|tem em conta)(?: de)?(?: que |: ))",
    r"(?P<lead>(?:onthoud|vergeet niet|denk eraan|noteer)(?: goed| ook)?(?:,? dat |: ))",
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
    for language in (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _FURTHER, _ABROAD, _CHINESE, _JAPANESE)
    for pattern in language
)

_ONLY_ALWAYS = re.compile(rf"(?i)^(?:{ALWAYS})[.!]*$")
_ENDS_ALWAYS = re.compile(rf"(?i), (?:{ALWAYS})[.!]*$")

EMPTY = re.compile(
    r"(?i)^(?:(?:do|use|try|make|keep|mach|fais|haz)\s+)?"
    r"(?:it|that|this|them|those|so|das|es|ça|eso|这个|那个|それ)?"
    r"(?:\s+(?:again|that way|this way|like that|like this|instead|please|now|too|so))*[.!]?$"
)
"""Nothing is left that could be understood on its own."""

_OF_ANSWERS = re.compile(
    r"(?i)^(?:please )?(?:answer|reply|respond|speak|talk|explain|antworte|sprich|erkläre?|duze"
    r"|sieze|réponds|tutoie|responde|explica|回答|返事)\b"
    r"|\b(?:(?:your|keep|give|write|make|short|brief|concise|deine?|tes|tus) (?:\w+ )?"
    r"(?:answers?|repl(?:y|ies)|responses?|explanations?|antworten|réponses|respuestas)"
    r"|emojis?|(?:british|american|uk|us) (?:english|spelling)"
    r"|in (?:english|german|french|spanish)"
    r"|you (?:to |would )?(?:explain|answer|reply|respond|talk|speak|tell|ask|say|warn|apologi[sz]e"
    r"|summari[sz]e|admit|propose|suggest|point out)"
    r"|(?:don't|do not|never|stop|without|no) apolog\w+|(?:limit|restrict) yourself"
    r"|give me (?:the|a) [\w ]{0,20}(?:version|summary|gist))\b|敬語"
)
"""How to talk to the person. Dates and units are the work's, as long as nobody says `I`."""
_ASKS_OF_ANSWERS = re.compile(
    r"(?i)^(?:please )?(?:(?:keep|give|write|make|use|avoid|skip|limit|restrict|i want|i need)\b"
    r"(?!.*\b(?:answers?|repl(?:y|ies)|responses?) (?:to|of|from)\b)"
    r"|(?:answer|reply|respond|speak|talk|explain)\b(?! to (?!me\b)| plans?\b)"
    r"(?=.*\b(?:me|in|like|as|only|briefly|first|without|under)\b)"
    r"|(?:antworte|sprich|erkläre?|duze|sieze|réponds|tutoie|responde)\b"
    r"|(?:no|only|short|brief|concise)\b(?!.*\b(?:is|are|was|were|has|have)\b)"
    r"|(?:british|american|uk|us) (?:english|spelling)(?:,? please)?[.!]*$)"
)
"""Asks for a way of talking. `Your answer was wrong` speaks of one as well, and asks for none."""
_ASKS_TO_BE_TOLD = re.compile(
    r"(?i)^(?:please )?(?:ask|tell|show|warn|remind) me\b"
    r"(?=.*\b(?:before|when|whenever|if|first|every|each)\b)"
)
_OF_THE_PERSON = re.compile(
    r"(?i)\b(?:i|i'(?:m|d|ve|ll)|me|my|mine|myself|ich|mich|mir|mein\w*|je|j'\w+|moi|mon|ma|mes"
    r"|io|mi[oa]|miei|mie|eu|meus?|minhas?|ik|mij|mijn"
    rf"|{IS_MINE}"
    rf"|yo|mi|mis|prefiero|odio)\b|我|私|僕|俺|が(?:大)?好き|が(?:大)?嫌い|{_OF_ANSWERS.pattern[4:]}"
)
_OF_THE_WORK = re.compile(
    r"(?i)\b(?:here|this|our|ours|we|us|team|repo(?:sitory)?|codebase|hier|dieses?|unser\w*"
    r"|wir|ce|cette|notre|nos|nous|este|esta|nuestr\w+|aquí)\b|这个|我们|この|うちの"
    rf"|{THIS_PROJECT}"
)
"""Words by which a preference belongs to the work at hand."""
_OWNS = re.compile(
    r"(?i)i(?:'ve| have|'ve got| have got| own| bought| built| planted| added| set up)"
    r"(?: got| bought| built| planted| added| set up)?(?: now)? (?=(?:an?|the|some|\d+|one|two"
    r"|three|four|five|six|seven|eight|nine|ten|another|several|new)\b)"
)
"""Tells what somebody has where they work."""
_OF_THE_USER = re.compile(
    r"(?i)^(?:the )?(?:user |person )?(?:always |never |strongly |generally |usually )?"
    r"(?:prefers|likes|dislikes|loves|hates|enjoys)\b"
)
"""`Prefers tabs`, `The user dislikes emojis`: how notes and agents tell of the person."""
_A_THING = re.compile(
    r"\b(?:[Tt]he|[Tt]hose|[Tt]hese) [\w-]+(?: [\w-]+)?"
    r"|\b(?:[Dd](?:er|ie|as|en|em|es)|beim|zum|zur|im|am|fürs|ins|aufs|vom) [A-ZÄÖÜ][\w-]+"
    r"|\b(?:pour|dans|sur|avec) (?:l[ea]s? |l['’])[\w-]+"
    r"|\b(?:para|en|sobre|con) (?:el|la|los|las) [\w-]+"
    r"|(?P<file>(?![DMY/]+\b)[\w.-]*/[\w./-]+"
    r"|\b[\w-]+\.(?:py|js|ts|go|rs|md|json|ya?ml|toml|css|html|sql)\b)"
)
"""A thing that stands there already: `the buffet`, a file. `The morning` is everybody's, and
`MM/DD` no file."""


_REMEMBERS = re.compile(
    r"(?i)(?:(?:please|bitte) )?(?:remember|keep in mind|note|don't forget|do not forget|merk dir"
    r"|denke? dran?|vergiss nicht|souviens|rappelle|retiens|n'oublie|recuerda|ten en cuenta"
    r"|no olvides|ricorda|tieni|non (?:ti )?dimenticare|lembra|não (?:te )?esque|anota|tem em conta"
    r"|onthoud|vergeet niet|denk eraan|noteer)"
)
_HONOURED = re.compile(
    r"(?im)(?:^|[.!?] )(?P<who>[^.:!?\n]{2,60})(?P<quote>[:,] ?(?:'.{5,200}?'|\".{5,200}?\""
    r"|“.{5,200}?”|‘.{5,200}?’|„.{5,200}?“|«.{5,200}?»)[.!]?)(?P<order> (?:please |bitte )?"
    r"(?:(?:respect|honou?r|follow|obey|stick to|keep to|go by|mind)"
    r" (?:that|this|it|(?:his|her|their) (?:wish|request))"
    r"|(?:halte? dich|haltet euch) (?:bitte )?(?:daran|dran)|respektiere? (?:das|es)"
    r"|respecte(?:z|-le| ça| cela)|respétalo|respeta eso|rispettalo)(?=[.!\s]*$))"
)
"""Another's request, quoted, and the user's order to honour it."""
_DUTY = re.compile(
    r"(?i)\b(?:always|never|must(?:n't)?|should(?:n't)?|have to|has to|needs? to|don't|do not|only"
    r"|no|without|i (?:like|love|hate|prefer|want|need|am|can't|use)|i'm|my|immer|nie(?:mals)?"
    r"|kein\w*|nicht|muss|müssen|soll(?:en|te)?|toujours|jamais|siempre|nunca)\b"
)
UNCLEAR = 0.99
"""How sure a line is of which nobody knows later whom or what it is about: such a line is not kept,
and only corrects what a memory says."""
SENTENCE_CHARACTERS = 400
"""A longer sentence is a paste or a story."""
TURN_CHARACTERS = 20_000
"""Characters read of one turn; the rest is probably pasted."""

_MARKED = re.compile(r"(?s)<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?</\1\s*>")
_INLINE = re.compile(r"(?s)\"[^\"\n]{25,}\"|“[^”]{25,}”|«[^»]{25,}»|「[^」]{15,}」")


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


def with_questions(turns: Sequence[Turn], found: Sequence[Lesson]) -> tuple[Lesson, ...]:
    """The lessons, with the user's earlier question where only that says what they are about.

    A lesson of which nothing says that is left out, unless it may still correct a memory.
    """
    made: list[Lesson] = []
    for lesson in found:
        answered = lesson.turn - 1
        before = turns[answered].text if answered > 0 else ""
        asked = turns[answered - 1] if answered > 0 else None
        question = _last_question(asked.text) if asked and asked.speaker == "user" else ""
        corrects = lesson.kind == "correction"
        content = with_question(lesson.content, question, before, corrects=corrects)
        context = f"{question} {before}" if question and lesson.said else lesson.before
        whole = lesson.but(content=content) if content else lesson.but(sure=UNCLEAR)
        made.append(whole.but(before=context))
    return tuple(made)


def _last_question(text: str) -> str:
    asked = [one for one in statements.sentences(own_words(text)) if asks(one)]
    return " ".join(asked[-1].split()) if asked else ""


def is_about_person(text: str, project: str | None = None) -> bool:
    """Whether a preference is the person's own, wherever they work, and not a rule of the work.

    One that names a thing of the work, or the project itself, belongs to the project.
    """
    plain = text.replace("’", "'")
    if told := _OF_THE_USER.match(plain):
        plain = f"I like{plain[told.end() :]}"
    if _OF_THE_WORK.search(plain) or not _OF_THE_PERSON.search(plain):
        return False
    things = list(_A_THING.finditer(plain))
    if _OF_ANSWERS.search(plain):
        return not any("." in (found["file"] or "").strip(".") for found in things)
    named = telling_terms(plain) & telling_terms(project or "")
    return not named and not any(map(_is_of_the_work, things))


def is_wish_of_person(text: str, project: str | None = None) -> bool:
    """Whether a text is a preference of the person's own, such as `I prefer tabs`."""
    if len(text) > SENTENCE_CHARACTERS or not is_about_person(text, project):
        return False
    plain = plain_sentence(" ".join(text.split()))
    if is_question(plain):
        return False
    if _OF_THE_USER.match(plain) or _ASKS_TO_BE_TOLD.match(plain):
        return True
    asks = _OF_ANSWERS.search(plain) and _ASKS_OF_ANSWERS.match(plain)
    return bool(asks) or _preference(plain, "") is not None


def is_fact_of_person(text: str) -> bool:
    """Whether a text is a lasting fact that a person tells of themselves, and nothing else."""
    plain = plain_sentence(" ".join(text.split()))
    return any(plain.startswith(fact) for fact in personal_facts(plain))


def scope_of_wish(text: str, context: Context) -> Scope:
    """The person's scope for a wish that is theirs wherever they work, the project's for others.

    A context with an org and no user knows no person.
    """
    if context.user is not None or context.org is None:
        own = access.person_scope(context)
        if access.may_write(context, own) and is_about_person(text, context.project):
            return own
    return access.home_scope(context)


def scope_of_fact(text: str, context: Context) -> Scope:
    """The person's scope for a fact about the person, the project's for what they have there.

    `I've got 42 apple trees` says of the orchard what it has; `I have two children`, of the person.
    """
    plain = plain_sentence(text)
    owns = _OWNS.match(plain) and not is_fact_of_person(plain) and not names_kin(plain)
    return access.home_scope(context) if owns else scope_of_wish(text, context)


def _is_of_the_work(found: re.Match[str]) -> bool:
    """Whether a thing is one of its work, unlike the morning, which all projects have."""
    said = found[0].casefold().replace("-", " ").split()
    return found["file"] is not None or GENERAL_THINGS.isdisjoint(said)


def own_words(text: str) -> str:
    """A person's turn without what they only passed on: code, quotes, tags, earlier memories."""
    text = quotation.without_echo(text[:TURN_CHARACTERS])
    while (bare := _MARKED.sub("", text)) != text:
        text = bare
    return statements.join_statements(
        one.but(text=_INLINE.sub("", one.text)) for one in statements.split(text) if not one.block
    )


def own_sentences(text: str) -> list[str]:
    """The sentences of a person's own words, each as it was put right in the same breath.

    `We ship on Tuesdays. No wait, Wednesdays` says that they ship on Wednesdays.
    """
    made: list[str] = []
    for sentence in _pieces(text):
        opened = repair_opener(sentence) or correction_opener(sentence)
        told = made[-1] if made and opened and not is_question(made[-1]) else ""
        value = sentence[opened.end() :] if opened else ""
        if made and _ONLY_ALWAYS.match(sentence):
            made[-1] = f"{made[-1].rstrip(' .!')}, {sentence[:1].lower()}{sentence[1:]}"
        elif told and (whole := put_right(plain_sentence(told), value)):
            made[-1] = whole
        elif sentence:
            made.append(sentence)
    return made


def _pieces(text: str) -> Iterator[str]:
    """The sentences of a person's own words, each with its end as they put that right."""
    for one in statements.sentences(own_words(text)):
        sentence = " ".join(one.split())
        found = repair_within(sentence)
        told = plain_sentence(sentence[: found.start()]) if found else ""
        whole = put_right(told, sentence[found.end() :]) if found else ""
        yield whole or with_mark(sentence)


def _of_turn(text: str, before: str) -> Iterator[Lesson]:
    for found in _HONOURED.finditer(text[:TURN_CHARACTERS]):
        said = f"{found['who']}{found['quote'].rstrip('.!')}.{found['order']}"
        yield Lesson("preference", as_sentence(plain_sentence(said)))
    sentences = own_sentences(text)
    corrected = False
    for at, sentence in enumerate(sentences):
        plain = plain_sentence(sentence)
        if len(plain) > SENTENCE_CHARACTERS or is_question(plain):
            corrected = False
            continue
        # "No." and "That's wrong." correct with the sentence that follows.
        if opens_correction(plain) and at + 1 < len(sentences):
            corrected = True
            continue
        if withdrawn_rule(plain):
            corrected = False
            yield Lesson("correction", as_sentence(plain), sure=UNCLEAR)
            continue
        lesson = _preference(without_opener(plain), before) if _ENDS_ALWAYS.search(plain) else None
        lesson = lesson or read_correction(plain, before, corrected=corrected, first=not at)
        lesson = lesson or _preference(plain, before)
        corrected = False
        if lesson is not None:
            lead = sentences[at - 1] if at else ""
            if is_question(lead) or opens_correction(plain_sentence(lead)):
                lead = ""
            yield lesson.but(content=standing_line(lesson.content, before, lead=lead))
        else:
            for fact in personal_facts(plain):
                end = "." if plain.endswith(f"{fact}.") else ""
                yield Lesson("fact", as_sentence(f"{fact}{end}"))


def _preference(sentence: str, before: str) -> Lesson | None:
    bare = sentence.rstrip(".!。！ ")
    for pattern in PREFERENCES:
        if found := pattern.match(bare):
            lead = found.groupdict().get("lead") or ""
            content = sentence[len(lead) :]
            if EMPTY.match(content) or passages.word_count(content) < 2:
                return None
            kind = "fact" if _REMEMBERS.match(lead) and not _asks_for_it(content) else "preference"
            return Lesson(kind, as_sentence(short_answers.stopped(content, before)))
    return None


def is_duty(text: str) -> bool:
    """Whether a text says what must, or must not, be done, and not only remembered."""
    return _DUTY.search(_REMEMBERS.sub("", text)) is not None


def _asks_for_it(content: str) -> bool:
    """Whether what is to be remembered is a wish or a rule, and no mere fact."""
    bare = content.rstrip(".!。！ ")
    first = bare.split(maxsplit=1)[0].casefold()
    orders = BASE_VERBS.get(first) == first or is_duty(bare)
    return orders or any(pattern.match(bare) for pattern in PREFERENCES)
