"""Read a person's correction of what was just said, as a sentence that stands on its own.

A correction opens as one (`no, …`, `not quite: …`, `you mixed that up, …`), or puts one thing in
the place of another that was just spoken of (`the limit is 40, not 60`).
"""

from __future__ import annotations

import re

from ...language import passages, statements
from ...language.vocabulary.plans import HABITS
from ...language.vocabulary.repairs import APOLOGIES, CORRECTIONS, GOES_ON, NOES
from ...language.vocabulary.statements import DESCRIPTIVE, PERSON_FORMS, UNCLEAR_PRONOUNS
from ...language.vocabulary.tongues import ENGLISH, tongue_of
from ...language.words import is_question, telling_terms
from ...ports.reasoner import Lesson
from ..relations import contradiction
from ..relations.claims import expand_contractions, read_claims
from . import short_answers
from .value_words import DATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_EXCHANGED = 5
"""Words that a correction puts in the place of others; where more differ, two things were said."""

_THAT = r"(?:that|this|it|which|you)(?:'s| is|'re| are| was)"
_WRONG = (
    rf"{_THAT} (?:(?:just |simply |still |quite )?(?:wrong|incorrect|mistaken|outdated|a mistake)"
    r"|not (?:quite |entirely )?(?:right|correct|true|it|how \w+ works?)|off(?: by \w+)?)"
    r"|(?:that|this|it) isn't (?:quite |entirely )?(?:right|correct|true|it)"
)
_MIXED_UP = (
    r"(?:(?:i think |maybe |perhaps )?you(?:'ve| have)? (?:keep (?:mixing|swapping|confusing)"
    r"|mixed|swapped|confused|mistook|got|misread|misheard|misunderstood)(?: \w+){0,4}?"
    r"(?: up| wrong| backwards| around| crossed(?: over)?| mixed up| the wrong way (?:a)?round)?)"
)
LEADS = re.compile(
    r"(?i)^[…. ]*"
    r"(?:(?:hi|hey|hello|ok(?:ay)?|so(?! far\b| long\b)|well|yes|yeah|sure|and|but|also|oh|ah+"
    r"|hm+|um+|uh+|er+m?|haha+|god|sorry|thanks|ja|oui|sí)[,!:…]*\s+)+"
)
"""Words that open a sentence and say nothing."""
_APOLOGIZES = re.compile(rf"(?i)^(?:(?:{APOLOGIES})\s*[,!:…]+\s*(?!(?:{GOES_ON})\b))+")
_UNMARKED = re.compile(
    r"(?i)^((?:(?:no+|nope|nah|actually)[,.! ]+)?"
    r"(?:(?:that|there|he|she|what)(?=s )|(?:they|you)(?=re )))(s|re)(?= \w)"
)
"""`thats too short`, `theyre in the shed`: as people type it."""
_LETS = re.compile(
    r"(?i)^lets(?= (?:just |now |not |rather )?(?:go|use|do|drop|keep|take|make|have|call|put|move"
    r"|try|start|stop|stick|switch|add|leave|say|see|skip|name|pick|build|write|ship|deploy)\b)"
)
_SHOUTED = re.compile(r"^(?:NO+|No+|no+)(?=!* (?:never|don't|do not|always|stop)\b)!* ")
"""`NO never do that`: the no says nothing more."""
_NO_SUBJECT = re.compile(
    r"(?i)^((?:(?:no+|nope|nah|actually)[,.! ]+)?)(?=(?:should|must|has to|needs to|ought to) be\b)"
)
"""`should be 2.3.1`: `it` is left out."""
_ITS = re.compile(
    r"(?i)^((?:(?:no+|nope|nah|actually)[,.! ]+)?)its"
    r"(?= (?:(?:the|an?|at|on|in|from|not|now|still)\b|\d))"
)
"""`its the 9th`: as people type it."""
_ENDS = r"(?:[,.!:;—–-]|\s[—–-]|[，。、！])+\s*"
CORRECTED = re.compile(
    r"(?i)(?:no+|nope|nah|wrong|incorrect|not (?:quite|exactly|really)|used to be|not any ?more"
    r"|no longer|nein|nee|falsch|non|não|faux|不对|不是的|错了|いいえ|いや|違います|違う)"
    rf"(?:,? no+)*{_ENDS}"
    rf"(?:(?:{_WRONG}){_ENDS}|(?:{_MIXED_UP}){_ENDS})?"
    rf"|(?:{_WRONG}|{_MIXED_UP}|{_THAT} not what i (?:said|meant|asked for)){_ENDS}"
    r"|(?:on second thoughts?|come to think of it|thinking about it)(?:,? no+)?"
    + _ENDS
    + r"|(?:no+|nope|nah),? (?:wait|sorry|hang on|hold on|i mean|scratch that)(?:,? no+)?"
    + _ENDS
    + r"|(?:(?:scratch|strike) that|my (?:mistake|bad)|i misspoke|typo)"
    + _ENDS
    + rf"|(?:(?:{NOES}|{APOLOGIES})(?:[,.!:;—–-]|\s[—–-])+\s*){{0,3}}(?:{CORRECTIONS})\s?{_ENDS}"
    r"|(?:das|es) (?:stimmt nicht|ist falsch)[,.!:;]\s*|c'est faux[,.!:;]\s*"
    r"|(?:eso )?(?:no es correcto|está mal|es incorrecto)[,.!:;]\s*"
)
"""Opens a correction beyond doubt."""
_NO_PAUSE = re.compile(
    r"(?i)(?:no+|nope|nah) (?=(?:we|it's|it is|its|they|our|my|that's|use|don't)\b)"
)
"""A `no` without the comma after it."""
RECALLED = re.compile(
    r"(?i)(?:as )?i (?:already |just )?(?:said|told you|meant|asked you)(?: that| to)?[,:]? "
    r"(?!so\b|it\b|that\b)|(?:ich (?:habe (?:doch )?gesagt|meinte|sagte)),? (?:dass )?"
    r"|j'ai dit (?:que |qu')?|je voulais dire\s|(?:dije|quise decir) (?:que )?"
    r"|我说的是|我的意思是|私が言ったのは"
)
_ALARM = (
    r"(?:careful|(?:hang|hold) on|wait(?: a (?:second|minute|moment))?|close(?: enough)?|almost"
    r"|(?:very )?nearly|not so fast|moment|vorsicht|attention|cuidado)"
)
SOFT = re.compile(
    r"(?i)(?:actually|in fact|to be (?:precise|exact)|(?:small |one |minor )?correction|eigentlich"
    r"|tatsächlich|en fait|en réalité|en realidad|de hecho|其实|实际上|実は|実際は)[,:，、]?+\s*+"
    rf"|{_ALARM}{_ENDS}"
)
"""May open a correction, when a claim follows."""
ACTUALLY = re.compile(
    r"(?i)^(?P<subject>(?!i\b|i'|you\b)[^,;:]{1,60}?(?:'s| is| are| was| were))"
    r" (?:actually|in fact) (?P<value>.+)$"
)
"""Says in passing how a thing is: `it's actually …`, `the port is actually …`."""
NOT_BUT = re.compile(
    r"(?i)\b(?:not|nicht|pas|no es|no) (?P<wrong>[^,.;]{1,60}?),? (?:but|sondern|mais|sino)"
    r" (?P<right>[^,.;]{1,80})"
    r"|(?:不是|并非)(?P<wrong_zh>[^，。；]{1,30}?)[，,]?(?:而是|是)(?P<right_zh>[^，。；]{1,40})"
    r"|^not (?!now\b|yet\b|today\b|really\b|bad\b)(?P<wrong_short>[^,.;:]{1,40})[,;:]"
    r" (?P<right_short>[^,.;:!]{1,40})[.!]*$"
    r"|(?P<wrong_ja>[^、。]{1,30}?)(?:ではなく(?:て)?|じゃなくて)[、]?(?P<right_ja>[^、。]{1,40})"
)
RIGHT_NOT = re.compile(
    r"(?i)^(?P<right>.{1,120}?),? (?:and |y )?(?:not|nicht|pas|y no|niet|non|não)"
    r" (?P<wrong>[^,.;!]{1,60}?)"
    r"(?:[,;.!] .{0,160})?$"
)
CHATTER = re.compile(
    r"(?i)(?:can|could|would|let's|please|wait|thanks|thank you)\b"
    r"|i (?:was|have|had|need|want|think|wonder|just|got)\b|i'(?:m|ve|d|ll)\b|i am\b(?! not\b)"
)
"""After a mere `actually` this leads on to something else, and corrects nothing."""
DECLINED = re.compile(
    r"(?i)(?:thanks|thank you|please|don't|do not|no need|nothing|never ?mind|go (?:ahead|on)|leave"
    r"|keep|ignore|forget|all (?:good|fine|right|set)|good|fine|ok(?:ay)?|not (?:now|yet|needed)"
    r"|not necessary|sorry|(?:i(?:'m| am)|we(?:'re| are)) (?:good|fine|ok|okay|done|all set|sure"
    r"|not sure|just|still|only|trying|looking|asking|wondering|curious|interested)"
    r"|(?:that|it|this)(?:'s| is| was) (?:all|right|correct|fine|good|ok(?:ay)?|it|enough|great"
    r"|perfect|everyone|everything|me|my (?:fault|mistake)))\b"
    r"|[^,.]{1,40} is (?:right|fine|correct)\b"
)
"""After a `no` this declines an offer."""
FOR_NOW = re.compile(
    r"(?i)(?:let(?:'s| us| me)\b|(?:i|we|you|he|she|they|it)(?:'ll\b|'d\b|'re going\b|'m going\b"
    r"| (?:will|can|could|might|may|am|are going)\b))"
)
"""Announces a next step, and states nothing."""
POINTING = re.compile(
    r"(?i)^(?:it|that|this|he|she|they|es|das|c'est|ce|eso|ello|那|这|它|それ|これ)"
    r"(?:'s|'re| is| was| are| ist| war| est| es|是|は)?\b ?(?P<value>.+)$"
)
"""Says something of what was spoken of before, without naming it."""
OTHER = re.compile(r"(?i)^the other (?:one|way (?:a)?round)[,.:;!—–-]+\s*")
SUBJECT = re.compile(
    r"(?i)(?:we|i|our|my|the|you|your|they|their|there|only|its|all|each|every|wir|unser\w*|der|die"
    r"|das|nous|notre|le|la|les|el|los|las|nuestr\w+)\b"
)
"""Begins a sentence that names what it is about."""
_NAMED_IS = re.compile(r"(?i)(?:my|our|the) [\w-]+(?:'s| is| are) ")
_HABIT = re.compile(
    r"(?i)we (?:always |only |never |usually |normally |all )?(?P<verb>[a-z]+) [^?]{2,}$"
)
"""Says what a group does in general."""
_HERE = re.compile(
    r"(?i)^[^,;:?]{3,60}(?:\b(?:around )?here|\bin (?:this|our) (?:repo(?:sitory)?|project"
    r"|house(?:hold)?|team|office|company|family|codebase|kitchen|shop|school|lab))[.!]*$"
)
OF_A_KIND = re.compile(r"(?i)(?:the|our|my|your) ")
LEAST_FOREIGN = 2
_FUNCTION_WORDS = """
der das wir ist sind jetzt von vom zum beim mit unser unsere eine ein nicht mehr um nur
le les des du est sont maintenant nous notre une au aux avec dans
el la los las una del ahora es con por para nuestro nuestra
il lo gli della dello delle sono adesso ora nel nostra nostro
os uma agora nossa nosso das dos het een wij onze nu naar
"""
_FOREIGN = frozenset(_FUNCTION_WORDS.split())
"""Words of other languages, of which an English sentence has none or one."""
_QUOTES = " \"'`"
NO = re.compile(r"(?i)(?:no+|nope|nah|nein|nee|non|não)\b")
DIGITS = re.compile(r"\d")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
BARE_NUMBER = re.compile(r"^\d+(?:[.,:]\d+)*(?:[.,!;]+ |[.!]*$)")
BARE_POINTING = re.compile(
    r"(?i:it(?:'s| is| was)) (?:(?:the|at|in|on) )?(?:[A-Z][\w-]|\d|\w+[_/.]\w)"
)
VALUE = re.compile(r"[\w./:@#-]*\d[\w./:@#%-]*|\b\w+[_/.@]\w[\w./@-]*|(?<=[a-z,] )[A-Z][\w-]+")
"""A number, a name in code, or a proper name within a sentence."""


def plain_sentence(sentence: str) -> str:
    """A sentence without the words that open it and say nothing, its `it's` with an apostrophe."""
    plain = _APOLOGIZES.sub("", LEADS.sub("", sentence.replace("’", "'")))
    plain = with_lets(_SHOUTED.sub("", plain))
    plain = _NO_SUBJECT.sub(r"\1it ", _UNMARKED.sub(r"\1'\2", plain))
    return _ITS.sub(r"\1it's", plain)


def with_lets(sentence: str) -> str:
    """A sentence that opens with `lets go`, as people type it, with its apostrophe."""
    return _LETS.sub("let's", sentence)


def opens_correction(sentence: str) -> bool:
    """Whether a sentence only opens a correction, which the next one makes: `That's wrong.`"""
    bare = sentence.rstrip(".!。！… ") + ","
    return bool(CORRECTED.fullmatch(bare) or re.fullmatch(f"(?i){_ALARM},", bare))


def without_opener(sentence: str) -> str:
    """A sentence without the words that only open a correction."""
    if opener := correction_opener(sentence):
        sentence = sentence[opener.end() :]
    for opener in (RECALLED, SOFT):
        if found := opener.match(sentence):
            sentence = sentence[found.end() :]
    return sentence


def correction_opener(sentence: str) -> re.Match[str] | None:
    """The words by which a sentence opens a correction beyond doubt."""
    return CORRECTED.match(sentence) or _NO_PAUSE.match(sentence)


def read_correction(
    sentence: str, before: str, *, corrected: bool, first: bool = False
) -> Lesson | None:
    """The correction that a sentence makes of the turn before, if it makes one.

    `corrected` says that the sentence before has opened a correction, `first` that the turn
    begins with this one.
    """
    opener = correction_opener(sentence)
    strong = corrected or opener is not None
    rest = sentence[opener.end() :] if opener else sentence
    soft = RECALLED.match(rest) or SOFT.match(rest)
    rest = OTHER.sub("", rest[soft.end() :] if soft else rest).strip()
    if in_passing := ACTUALLY.match(rest):
        rest = f"{in_passing['subject']} {in_passing['value']}"
    soft = soft or in_passing
    exchanged = _exchanges(rest, before)
    if not rest or not (strong or soft or exchanged):
        return _named_instead(rest, before) if first else None
    if (DECLINED if strong else CHATTER).match(rest) and not exchanged:
        return None
    if pointing := POINTING.match(rest):
        return _pointed(rest, pointing["value"], before, sure=strong or not in_passing)
    if swapped := _swapped(rest, before):
        return swapped
    otherwise = _said_otherwise(rest, before) if strong else ""
    wrong = otherwise or _believed(rest, before)
    # Sentences of scripts that the claims hardly read count when a plain `no` opens them.
    foreign = opener is not None and _is_foreign(rest) and passages.word_count(rest) >= 3
    clear = otherwise or read_claims(rest) or foreign or (soft and wrong)
    recalled = passages.word_count(rest) > 2 and soft and soft.re is RECALLED
    named = strong and _tells(rest, explicit=NO.match(sentence) is None)
    value = strong and _tells_value(rest, before)
    habit = opener is not None and _tells_habit(rest, before)
    if not (clear or recalled or exchanged or named or value or habit):
        return None
    return _in_context(rest, wrong, before, alone=bool(clear), opened=opener is not None)


def _is_foreign(text: str) -> bool:
    """Whether a sentence is probably not in English."""
    return (
        not text.isascii()
        or tongue_of(text) != ENGLISH
        or len(_FOREIGN.intersection(text.casefold().split())) >= LEAST_FOREIGN
    )


def _named_instead(rest: str, before: str) -> Lesson | None:
    """A turn that begins with a bare value in the place of another one: `22. Two have left.`"""
    spoken = statements.sentences(before)
    if not spoken or is_question(spoken[-1]):
        return None
    if BARE_NUMBER.match(rest) and (swapped := _number_swapped(rest, spoken)):
        return swapped
    pointing = POINTING.match(rest)
    if pointing and BARE_POINTING.match(rest) and _tells_value(pointing["value"], before):
        return _pointed(rest, pointing["value"], before, sure=True)
    return None


def _number_swapped(value: str, spoken: Sequence[str]) -> Lesson | None:
    """The one statement with one number, with the number that a value begins with."""
    found = NUMBER.match(value)
    said = [one for one in spoken if len(set(NUMBER.findall(one))) == 1]
    if not found or len(said) != 1:
        return None
    old = NUMBER.findall(said[0])[0]
    swapped = re.sub(rf"(?<!\d){re.escape(old)}(?!\d)", found[0], said[0])
    same = old == found[0]
    return None if same else Lesson("correction", as_sentence(swapped), as_sentence(said[0]))


def _pointed(rest: str, value: str, before: str, *, sure: bool) -> Lesson | None:
    first = value.casefold().split(" ")[0].strip(" .,;!")
    known = OF_A_KIND.match(value) and telling_terms(value) & telling_terms(before)
    if not known and (first in DESCRIPTIVE or not (sure or _tells_value(value, before))):
        return None
    return _resolved(rest, value, before)


def _in_context(rest: str, wrong: str, before: str, *, alone: bool, opened: bool) -> Lesson | None:
    """The correction as it is, or with the statement that it is about if it is only a piece."""
    whole = passages.word_count(rest) >= 4
    spoken = statements.sentences(before)
    piece = rest.isascii() and short_answers.is_fragment(rest)
    piece = piece and (tongue_of(rest) == ENGLISH or not whole)
    alone = alone and not (opened and spoken and piece)
    if alone or (SUBJECT.match(rest) and (whole or _NAMED_IS.match(rest))):
        return Lesson("correction", as_sentence(rest), wrong)
    if spoken:
        return _about_one_of(rest, [wrong] if wrong else spoken, opened=opened)
    return Lesson("correction", as_sentence(rest)) if whole else None


def _about_one_of(rest: str, spoken: Sequence[str], *, opened: bool) -> Lesson:
    """The correction in the one statement that it fits into, or with the nearest or last one."""
    stated = [short_answers.as_statement(one) for one in spoken]
    made = {one: short_answers.completed(rest, one, opened=opened) for one in stated}
    fitting = [(one, whole) for one, whole in made.items() if whole]
    if len(fitting) == 1:
        return Lesson("correction", fitting[0][1], fitting[0][0])
    about = _nearest(rest, spoken[::-1])
    return Lesson("correction", short_answers.together(rest, about), about)


def quotes_context(content: str) -> bool:
    """Whether a correction had to quote the statement that it is about."""
    return short_answers.is_together(content)


def _tells(rest: str, *, explicit: bool) -> bool:
    """Whether a sentence says how things are: after words that name an error, or by a contrast."""
    if passages.word_count(rest) < 4 or FOR_NOW.match(rest) or CHATTER.match(rest):
        return False
    names_subject = SUBJECT.match(rest) is not None or rest[:1].isupper()
    return names_subject and (explicit or RIGHT_NOT.match(rest.rstrip(".!。！")) is not None)


def _tells_value(rest: str, before: str) -> bool:
    """Whether a sentence gives a number or a name that the turn before did not.

    A short one has to stand against a statement with such a value: `No, 8081.`
    """
    known = before.casefold()
    new = [one for one in VALUE.findall(rest) if one.casefold() not in known]
    if not new or FOR_NOW.match(rest):
        return False
    spoken = statements.sentences(before)
    if spoken and is_question(_nearest(rest, spoken)):
        return False
    numbers = DIGITS.search(" ".join(new)) is not None
    if numbers and passages.word_count(rest) >= 4 and SUBJECT.match(rest):
        return True
    shared = telling_terms(rest) & telling_terms(before)
    return bool(spoken) and (bool(shared) or (numbers and DIGITS.search(before) is not None))


def _tells_habit(rest: str, before: str) -> bool:
    """Whether an answer says how things are done here: `we use just test`, `tabs in this repo`."""
    spoken = statements.sentences(before)
    if not spoken or is_question(spoken[-1]) or passages.word_count(rest) < 3:
        return False
    habit = _HABIT.match(rest)
    if habit and habit["verb"].casefold() in HABITS:
        return True
    return _HERE.search(rest) is not None and not (POINTING.match(rest) or FOR_NOW.match(rest))


def _exchanges(sentence: str, before: str) -> bool:
    """Whether a sentence puts one thing in the place of another that was just spoken of."""
    found = NOT_BUT.search(sentence) or RIGHT_NOT.match(sentence.rstrip(".!。！"))
    return found is not None and mentions(before, named_part(found, "wrong"))


def named_part(found: re.Match[str], name: str) -> str:
    """The text of the first group that matched and whose name begins with `name`."""
    return next(
        (text for key, text in found.groupdict().items() if key.startswith(name) and text), ""
    )


def mentions(text: str, value: str) -> bool:
    """Whether a text has a value in it as a whole word."""
    return bool(value.strip(_QUOTES)) and re.search(_as_written(value), text) is not None


def put_instead(text: str, wrong: str, right: str) -> str:
    """A text with one thing in the place of another that it mentions."""
    return re.sub(_as_written(wrong), lambda _: right, text)


def _put_instead(sentence: str, wrong: str, right: str) -> Lesson:
    """The correction of a sentence by one thing in the place of another that it mentions."""
    right = _without_shared_lead(sentence, wrong, right)
    swapped = put_instead(sentence, _with_shared_end(sentence, wrong, right), right)
    told = short_answers.without_details(swapped, right)
    told = short_answers.of_its_work(told, right, wrong.strip(_QUOTES)) or told
    return Lesson("correction", as_sentence(told), as_sentence(sentence))


def _without_shared_lead(sentence: str, wrong: str, right: str) -> str:
    """`The hall cupboard` of `in the hall cupboard`, after the `in` of the sentence."""
    found = re.search(_as_written(wrong), sentence)
    lead = sentence[: found.start()].casefold().split()[-1:] if found else []
    first, _, rest = right.partition(" ")
    return rest if rest and lead == [first.casefold()] else right


def _with_shared_end(sentence: str, wrong: str, right: str) -> str:
    """The wrong thing with the words after it that what holds ends with: `15 percent` for `15`."""
    after = re.search(_as_written(wrong), sentence)
    following = sentence[after.end() :].split() if after else []
    given = right.split()
    for count in range(min(len(given) - 1, len(following)), 0, -1):
        if [one.strip(".,;:!").casefold() for one in following[:count]] == [
            one.casefold() for one in given[-count:]
        ]:
            return f"{wrong} {' '.join(following[:count]).rstrip('.,;:!')}"
    return wrong


def _as_written(value: str) -> str:
    """A pattern of a value as a whole word; scripts without spaces have no whole words."""
    bare = re.escape(value.strip(_QUOTES))
    return rf"(?i)(?<!\w){bare}(?!\w)" if value.isascii() else f"(?i){bare}"


def _resolved(rest: str, value: str, before: str) -> Lesson | None:
    """A correction that says only `it's X`: the sentence it corrects, with X in its place."""
    value = value.strip(" .!。！")
    exchange = RIGHT_NOT.match(value)
    right = exchange["right"] if exchange else value
    spoken = statements.sentences(before)
    if exchange and (said := [one for one in spoken if mentions(one, exchange["wrong"])]):
        return _put_instead(said[-1], exchange["wrong"], right)
    if swapped := _number_swapped(value, spoken):
        return swapped
    stated = [one for one in spoken if _states_one_thing(one)]
    # The day of a month has to find its month, and a second clause is no part of a value.
    piece = DATE.match(right.removeprefix("the ")) or re.search(r", [^,]+ (?:is|are|was)\b", right)
    if len(stated) == 1 and not piece:
        claim = read_claims(stated[0])[0]
        plain = expand_contractions(stated[0])
        # The 40 of 21:40 is no value of its own.
        whole = claim.value in plain and f":{claim.value}" not in plain
        if whole and not claim.negated and not right.lower().startswith("not "):
            return Lesson(
                "correction", as_sentence(_exchanged(plain, claim.value, right)), stated[0]
            )
    if not spoken or passages.word_count(value) > 20:
        return None
    return _about_one_of(rest, spoken, opened=False)


def _states_one_thing(sentence: str) -> bool:
    """Whether a sentence makes one claim, and does not tell what the assistant has done."""
    reports = re.match(r"(?i)i(?:'ve|'ll|'m| have| will| am)\b", sentence)
    return not reports and not is_question(sentence) and len(read_claims(sentence)) == 1


def _exchanged(sentence: str, old: str, new: str) -> str:
    """A sentence with one value for another; words that lead up to both stand there once.

    `The printer takes A3` and `only takes A4` make `the printer takes only A4`.
    """
    lead, given = sentence.partition(old)[0].casefold().split(), new.split()
    adverb = given[:1] if given[0].casefold() in ("only", "just", "now") else []
    value = given[len(adverb) :]
    said = [word.casefold() for word in value]
    known = next((n for n in range(len(value) - 1, 0, -1) if lead[-n:] == said[:n]), 0)
    return sentence.replace(old, " ".join([*adverb, *value[known:]]))


def _swapped(rest: str, before: str) -> Lesson | None:
    """A bare `not X but Y`: the sentence that spoke of X, with Y in its place."""
    found = NOT_BUT.match(rest)
    if found is None:
        return None
    wrong, right = (named_part(found, name).strip(" .!。！\"'`") for name in ("wrong", "right"))
    said = [one for one in statements.sentences(before) if mentions(one, wrong)]
    if said and _is_clause_against(right, wrong):
        return Lesson("correction", as_sentence(f"{right}, not {wrong}"), as_sentence(said[-1]))
    return _put_instead(said[-1], wrong, right) if said else None


def _is_clause_against(right: str, wrong: str) -> bool:
    """Whether what holds is told in a sentence of its own: `not 15, groups get 20 percent`."""
    longer = passages.word_count(right) > passages.word_count(wrong) + 1
    plain = expand_contractions(right)
    begins = SUBJECT.match(plain) or (NUMBER.fullmatch(wrong) and not DIGITS.match(plain))
    return longer and bool(begins and telling_terms(plain) - telling_terms(wrong))


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
        alike = len(frame) >= max(2, len(new)) and telling_terms(" ".join(frame))
        clear = telling_terms(" ".join(new)) and old and UNCLEAR_PRONOUNS.isdisjoint(new)
        if alike and clear and max(len(new), len(old)) <= MOST_EXCHANGED and not is_question(one):
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
    return nearest if len(telling_terms(right) & telling_terms(nearest)) >= 2 else ""


def _nearest(text: str, spoken: Sequence[str]) -> str:
    telling = telling_terms(text)
    return max(spoken, key=lambda one: len(telling & telling_terms(one)), default="")


def as_sentence(text: str) -> str:
    """The words as a sentence of their own."""
    text = statements.with_capital(text.strip(" ,;:—–-"))
    return (
        text
        if text.endswith((".", "!", "?", "…", "。", "！")) or not text.isascii()
        else f"{text}."
    )
