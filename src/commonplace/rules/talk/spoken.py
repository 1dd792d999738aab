"""Rules for how a turn relates to a memory, where words tell more than a judge sees.

A user who says `Twelve, not eight` to an assistant may correct the assistant and repeat what a
memory says, or correct the memory of which the assistant took the eight. `Efisio stays` corrects
nothing.
"""

from __future__ import annotations

import re

from ...language.vocabulary.plans import BASE_VERBS
from ...language.vocabulary.statements import PRONOUNS
from ...language.vocabulary.tongues import ENGLISH, tongue_of
from ...language.words import telling_terms
from ..relations.differences import text_features
from .corrections import RIGHT_NOT, correction_opener, mentions, without_opener
from .exchange import with_subject
from .short_answers import is_fragment
from .standing_lines import names_something, points_back, says_again
from .value_words import UNIT_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

MOSTLY = 0.75
"""The share of a memory's telling words that a turn repeats if it says the same, …"""
FEW_ADDED = 2
"""… with no more words of its own than these."""

_SENTENCE = re.compile(r"[.;!?]+\s+")
_CLAUSE = re.compile(r"[.;!?]+\s+|,\s+|\s+(?:but|and|while)\s+")
_UNMARKED = re.compile(r"(?i)\b(do|does|did|is|are|was|were|has|have|should|would|could)nt\b")
_STAYS = re.compile(
    r"(?i)\b(?:stays?|stands?|remains?|unchanged|as (?:before|ever|it was|they were|usual)"
    r"|(?:did|has|have|does|do|was|were)(?:n't|nt| not) (?:been )?chang\w*|the same as"
    r"|continu\w+ (?:as|to))\b"
)
_STILL = re.compile(
    r"(?i)\bstill\b(?! (?:to|needs?|needed|missing|open|waiting|deciding|unsure)\b)"
)
_CHANGED = re.compile(r"(?i)\b(?:but|now|instead|only)\b")
_WHILE = re.compile(
    r"(?i)\b(?:for|over) (?:the (?:next|coming|first) )?(?:an?|one|two|three|four|five|six|seven"
    r"|eight|nine|ten|\d+|(?:a )?few|some|a couple of) (?:more )?(?:days?|nights?|wks?|weeks?"
    r"|months?)\b(?! now\b)"
)
_SO_FAR = re.compile(r"(?i)\b(?:been|ha[sd]|have|already|lived?|worked)\b|'ve\b")
_HABIT = re.compile(
    r"(?i)\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days|every|each|daily|weekly|monthly"
    r"|always|usually|never)\b"
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_ON_A_DAY = re.compile(
    rf"(?i)\bon (?:the )?(?:{_MONTH} )?\d{{1,2}}(?:st|nd|rd|th|(?= (?:of )?{_MONTH}\b))"
)
_FROM_THEN = re.compile(r"(?i)\b(?:from|since|as of|starting|begins?|starts?)\b")
_COUNTED = {
    word: str(at)
    for at, words in enumerate((
        "zero", "first", "two second", "three third", "four fourth", "five fifth", "six sixth",
        "seven seventh", "eight eighth", "nine ninth", "ten tenth", "eleven eleventh",
        "twelve twelfth", "thirteen", "fourteen", "fifteen fifteenth", "sixteen", "seventeen",
        "eighteen", "nineteen", "twenty twentieth",
    ))
    for word in words.split()
}  # fmt: skip
"""Without `one`, which seldom counts."""
_CLAUSE_END = re.compile(r"[,;](?=\s|$)")
_FOR_ONCE = re.compile(
    r"(?i)(?<!from )(?<!since )(?<!as of )(?<!starting )\b(?:this|next) (?:\w+ )?(?:wk|week|weekend"
    r"|fortnight|time|once|single|occasion)\b"
    r"|\b(?:just|only) (?:this|for (?:today|tonight|tomorrow|now|once))\b"
    r"|\bfor (?:today|tonight|now|once|one (?:day|night|week)|the moment|the time being)\b"
    r"|\b(?:meanwhile|in the meantime|temporarily|otherwise (?:that|it|as|the same))\b"
    r"|\buntil (?!now\b|recently\b|last\b|then\b)"
)
_OPEN = re.compile(
    r"(?i)\b(?:nothing(?:'s| is)?|not(?: yet)?|isn't|hasn't) (?:been )?(?:yet )?(?:decided"
    r"|settled)\b|\bundecided\b|\bto consider\b|\bconsidering\b|\bwe'll see\b"
)
_YES = re.compile(
    r"(?i)^(?:(?:oh|ah|well|that's)[, ]+)*(?:yes|yep|yeah|yup|aye|right|exactly|correct|true|indeed"
    r"|still)\b|\b(?:yes|yep|yeah|right|correct|exactly)[.! ]*$"
)
_BUT = re.compile(
    r"(?i)\d|\b(?:but|now|since|moved|changed|instead|except|only|not|no|so|and|from)\b|n't\b"
)
_PRONOUN = re.compile(r"(?i)(?:it|that|this|these|those|they|he|she|same|only|was)\b")
ABOUT_IT = 0.25
"""The share of a sentence's telling words that one in its place repeats, if it says what of."""
MOST_LEANING = 4
"""Words of a turn that hardly have a subject of their own."""
MOST_CONFIRMING = 10
"""Words of a turn that says yes, and nothing else."""
_SAYS_NO = re.compile(r"(?i)^(?:(?:no|nope|nah|actually|sorry|wait|hm+)\b[\s,.!:–—-]*)+")
_MEASURED = re.compile(rf"(?i)\d+(?:[.,:]\d+)*(?: ?{UNIT_WORDS})?")
_LEAVES = re.compile(
    r"\b(?P<name>[A-ZÀ-Þ][\w-]+)(?:'s (?:out|gone|off|leaving)| (?:can't|cannot|can not|won't|isn't"
    r"|is not) (?:come|make it|coming|available|free|do it)| (?:has )?(?:quit|cancelled|resigned"
    r"|retired|dropped out"
    r"|left(?=[.,;:!]|$| (?:us|in|last|so|and|(?:the|our) (?:team|company|project))\b))\b"
    r"| is (?:out|gone|leaving|no longer))"
)
_RULE = r"(?:rule|instruction|preference|convention|requirement|policy|habit|thing|request)"
_OURS = r"(?:the|my|our|that)"
_WHAT = r"([^,.;!?]{3,60}?)"
_WITHDRAWS = re.compile(
    r"(?i)(?:(?:ok(?:ay)?|so|and|btw|please|you can|let's|we can)[,]? )*"
    r"(?:(?:forget|drop|scrap|ignore|remove|delete|skip)(?: about)?"
    rf" {_OURS} {_WHAT} {_RULE}\b"
    r"|(?:we|i|you) (?:don't|do not|no longer) (?:need|want|have|use|follow)"
    rf" {_OURS} {_WHAT} {_RULE}\b"
    rf"|{_OURS} {_WHAT} {_RULE}(?: ?[,:;.–—-]+ ?| )(?:please |you can |just |let's )?"
    r"(?:forget|drop|scrap|ignore|remove|delete|skip)(?: about)? (?:it|that)\b"
    rf"|{_OURS} {_WHAT} {_RULE} (?:is (?:gone|off|over|history|obsolete)|no longer"
    r"|doesn't (?:apply|hold|count) any ?more))"
)
"""Takes a standing instruction back, by naming it."""
_USED = (
    r"(?:us(?:e[sd]?|ing)|runs? on|buil[dt]s? (?:on|with)|(?:is|are) (?:on|in|at)"
    r"|works? (?:with|in|at)|hosted (?:on|at|by|with)|written in|stored? (?:in|on)"
    r"|lives? (?:in|on|at)|(?:deploy|ship|order|buy|bought|come|meet)s?"
    r" (?:[\w-]+ ){0,3}?(?:from|to|at|in|on|with|by|via)|via|by|with)"
)
"""Leads to what is used, or where something is."""
_THING = r"(?:the |our |a |an )?([\w.@#/+-]*\w(?: (?-i:[A-ZÀ-Þ0-9][\w.-]*))*)"
_SWITCHES = tuple(
    re.compile(f"(?i){pattern}")
    for pattern in (
        r"\b(?:switch|mov|migrat|chang|convert|transition|went|gone|go)\w*(?: \w+){0,2}?"
        rf" from {_THING} (?:over )?to {_THING}",
        rf"\b(?:replac|swap|exchang)\w* {_THING} (?:with|by|for) {_THING}",
        r"\b(?:drop|ditch|abandon|retir|gave up|left|stopped using)\w*"
        rf" {_THING} (?:for|in favou?r of) {_THING}",
    )
)
"""Says what was given up, and what is used instead."""
_PROPER = r"[A-ZÀ-Þ][\w-]*\w"
_AMOUNT_OF = rf"(?P<{{0}}>\d+(?:[.,:]\d+)*)(?: ?(?P<{{0}}_unit>{UNIT_WORDS})\b)?"
_RIGHT, _WRONG = _AMOUNT_OF.format("right"), _AMOUNT_OF.format("wrong")
_REFIGURED = tuple(
    re.compile(f"(?i){pattern}")
    for pattern in (
        rf"(?<![\w.,]){_WRONG} (?:was|is|were|are|turned out|proved)(?: to be)?(?: \w+)? too \w+"
        rf"[.,;:! –—-]+(?:(?:so|we|now|i|then|take|use|need|make it|go with|let's|it's) )*{_RIGHT}",
        rf"(?<![\w.,]){_RIGHT}[^.,;\d]{{0,40}},? (?:and )?not {_WRONG}(?![\w:])",
    )
)
"""Says which figure holds in the place of which: `0.4 was too stiff. 0.35`."""
_FROM_NOW_ON = re.compile(
    r"(?i)\bwe(?:'ll| will|'re going to)? (?P<does>[a-z]+ (?:to|at|on|with|for|in|by|from) )"
    rf"{_RIGHT}(?![\w:])(?=.*\bfrom (?:now|today) on\b)"
)
"""Says what a group does from now on: `we'll open at 8 from now on`."""
_ENDED = re.compile(rf"\b[Nn]o longer\b[^.,;!?A-ZÀ-Þ]{{0,40}}?\b(?P<gone>{_PROPER})")
"""Names what ends: `we no longer deliver to Voorschoten`."""
_LISTED = re.compile(rf"{_PROPER}(?:, {_PROPER})*,? and {_PROPER}(?! (?:are|were|have|do)\b)")
SOON_AFTER = 80
"""Characters within which a turn that tells who leaves names who comes instead."""
_INSTEAD = re.compile(
    r"(?i)\bwe(?:'ll| will|'re|'ve| have)? (?:take|taking|taken|have|hired?|booked?|got|get|use"
    r"|using|go with|going with|asked) (?-i:[A-ZÀ-Þ])"
)
_ORDER = re.compile(
    r"(?i)(?P<verb>[a-z]+) (?:the|an?|it|them|this|that|these|those|me|my|us|our|all|only|just|to"
    r"|\d[\d.,:]*)\b"
)
_SETTING = """
use make set take call put go keep change switch turn give let want need be have do
"""
_SETS = frozenset(_SETTING.split())
"""Orders that say which value holds: `no, set it to 40`."""
_SUBJECT = re.compile(
    r"(?i)(?:the|our|my|your|his|her|their|this|that) (?P<named>[\w-]+(?: [\w-]+)?)(?= )"
)
_ATTRIBUTE = re.compile(
    r"(?i)\b(?:price|cost(?!s)|limit|rate|date|time|day|deadline|number|amount|total|count|size|length"
    r"|width|height|weight|name|title|address|place|port|version|branch|rent|fee|pay|temperature"
    r"|level|colou?r|value|right|correct|new|old|current|real|actual|one|other|rest|answer|thing)s?\b"
)
"""Nouns of what something has, which name no other thing: `no, the price is 5`."""
_NOW = re.compile(
    r"(?i)\b(?:now|nowadays|these days|since|any ?more|no longer|moved|changed|replaced|took over"
    r"|from \w+ on|jetzt|inzwischen|nun|maintenant|désormais|ahora|adesso|ora|agora|nu)\b"
)
_POINTS = re.compile(r"(?i)\b(?:it|them|they|he|she|him|her)\b")
TAKEN = 0.5
"""The share of a memory's telling words that an answer repeats if it was taken from there."""
_WORD = re.compile(r"[a-z]+")
_AMOUNT = re.compile(r"\d+(?:[.,:]\d+)*")


def says_it_holds(said: str, before: str, memory: str) -> bool:
    """Whether a turn repeats a memory, or says of the thing it is about that nothing changed."""
    if _stays(said, memory) or _gives_figures(said, before, memory) or repeats(said, memory):
        return True
    return is_exception(said, memory)


def is_exception(said: str, memory: str) -> bool:
    """Whether a turn tells of some weeks, or of one day of a habit, which go on afterwards."""
    if _WHILE.search(said) and not _SO_FAR.search(said) and not _WHILE.search(memory):
        return True
    if not _HABIT.search(memory) or _HABIT.search(said) or _FROM_THEN.search(said):
        return False
    return bool(_ON_A_DAY.search(said))


def ends_nothing(said: str, memory: str = "") -> bool:
    """Whether a turn speaks of one occasion or of what is still open, or says yes.

    A rule yields to an exception without ending. After `the lease runs until June`, `it runs until
    May` is none.
    """
    once = _FOR_ONCE.search(said)
    if once and once[0].casefold().startswith("until") and "until" in memory.casefold().split():
        once = None
    return bool(once or _OPEN.search(said)) or says_yes(said)


def says_yes(said: str) -> bool:
    """Whether a turn says yes to what it answers, and nothing else."""
    short = len(said.split()) <= MOST_CONFIRMING
    return short and bool(_YES.search(said)) and not _BUT.search(said)


def stands_for(right: str, old: str) -> bool:
    """Whether a sentence says by itself what it is about, in the place of an older one.

    `We no longer deliver to Voorschoten` does, of a longer note on deliveries.
    """
    if _PRONOUN.match(right):
        return False
    known = telling_terms(old)
    shared = len(known & telling_terms(right))
    return shared >= ABOUT_IT * len(known) or (
        is_whole(right) and _names(_MEASURED.sub(" ", right), _MEASURED.sub(" ", old))
    )


def is_whole(said: str) -> bool:
    """Whether a text says by itself what it is about: no piece, and nothing that points back."""
    plain = without_opener(said.strip())
    if len(plain.split()) <= MOST_LEANING or is_fragment(plain.partition(",")[0]):
        return False
    return not points_back(plain) and not says_again(plain) and names_something(plain)


def repeats(said: str, memory: str) -> bool:
    """Whether a turn says what a memory says, and hardly more."""
    said = _UNMARKED.sub(r"\1n't", said)
    known, told, alike = telling_terms(memory), telling_terms(said), text_features(said).negations
    if not known or figures(said) != figures(memory) or alike != text_features(memory).negations:
        return False
    # A word of each that the other lacks may be an old value and a new one, and `pytest over
    # unittest` is not `unittest over pytest`.
    if _order(said, known & told) != _order(memory, known & told):
        return False
    # `Our vet is Dr. Imhoff, Salgado retired` tells of Salgado in a clause of its own.
    if known < told and not any(known <= telling_terms(one) for one in _CLAUSE_END.split(said)):
        return False
    if told <= known:
        return len(told) >= MOSTLY * len(known)
    return known <= told and len(told - known) <= FEW_ADDED


def _order(text: str, terms: AbstractSet[str]) -> list[str]:
    return [one for one in dict.fromkeys(text_features(text).terms) if one in terms]


def corrects_figure(said: str, before: str, memory: str) -> bool:
    """Whether the assistant just said a memory's number, and a correction says another one."""
    known, told, new = figures(memory), figures(before), figures(said)
    quoted = frozenset(one for one in known & told if _counts_alike(one, before, memory))
    other = new - known - told
    # `Wrote it this morning` has a time as well, but no value for what was just answered.
    says_other = _has_number(other) or (bool(other) and leans_on_what_it_answers(said))
    return _has_number(quoted) and quoted.isdisjoint(new) and says_other


def gives_other_figure(said: str, before: str, memory: str) -> bool:
    """Whether a turn has another figure for what the assistant counted by a memory.

    Unlike `corrects_figure` it may repeat others: `there are 309, three were counted twice` of the
    312 trees in chapter 3. `We're 4 people` counts something else.
    """
    known, told, new = figures(memory), figures(before), figures(said)
    quoted = {one for one in (known & told) - new if _counts_alike(one, before, memory)}
    counted = {term for one in quoted for term in _counted(one, memory)}
    others = [one for one in new - known - told if re.search(rf"(?<![\w.,:]){one}(?![\w:])", said)]
    return _has_number(quoted) and any(
        _counted(one, said) <= counted for one in others if one[:1].isdigit()
    )


def completed(said: str, before: str, memory: str) -> str:
    """A short answer as a sentence about a memory that the assistant just used; empty if none.

    After `Deploying from the branch main`, `No, it's release` says what the deploy branch is.
    """
    answer = _SAYS_NO.sub("", said)
    whole = with_subject(memory, answer)
    known, told = telling_terms(memory), telling_terms(before)
    return whole if whole != answer and known and known <= told else ""


def shared_words(said: str, before: str, memory: str) -> float:
    """How much a memory has in common with a turn, and with what that answers."""
    known = telling_terms(memory)
    return 2 * len(known & telling_terms(said)) + len(known & telling_terms(before))


def leans_on_what_it_answers(said: str, before: str = "") -> bool:
    """Whether a turn is a piece, points back or says no: only what it answers says what of.

    A turn with a subject of its own goes on to something else: `the export is done`, after an
    answer about the fiscal year; so does `actually the export is done`, which shares no word with
    that answer.
    """
    plain = said.strip()
    # `Quarter past eight, we want to load before the heat` begins with a piece.
    piece = len(plain.split()) <= MOST_LEANING or is_fragment(plain.partition(",")[0])
    leans = points_back(plain) or says_again(plain)
    rest = without_opener(plain)
    if piece or leans or rest == plain:
        return piece or leans
    strange = telling_terms(rest).isdisjoint(telling_terms(before))
    return not (before and strange and is_whole(rest))


def share_named(said: str, before: str, memory: str) -> float:
    """The share of a memory's telling words that were said; no amount or unit is one of them."""
    known = telling_terms(_MEASURED.sub(" ", memory))
    told = telling_terms(_MEASURED.sub(" ", f"{said} {before}"))
    return len(known & told) / len(known) if known else 0.0


def replaced_name(said: str) -> str:
    """The person whom a turn replaces: `Milan` in `Milan can't come. We take Sofie.`"""
    for found in _LEAVES.finditer(said):
        # `It is gone, we use Valkey` names nobody: every other memory has such a word.
        named = telling_terms(found["name"]) and found["name"].casefold() not in PRONOUNS
        if named and _INSTEAD.search(said, found.end(), found.end() + SOON_AFTER):
            return found["name"]
    return ""


def switched_in(said: str, memory: str) -> str:
    """A memory that says what is used, with what a turn says is used instead; empty otherwise.

    After `we switched from Poetry to uv`, `We use Poetry for the backend` says `We use uv …`; what
    else a memory tells of Poetry stays as it is.
    """
    for pattern in _SWITCHES:
        for found in pattern.finditer(said):
            gone, comes = found[1].strip(), found[2].strip()
            if not telling_terms(gone) or telling_terms(gone) == telling_terms(comes):
                continue
            if len(_SENTENCE.split(memory.strip())) > 1:
                continue
            used = rf"(?i)(?P<lead>\b{_USED} )(?:the |a |an )?{re.escape(gone)}(?=[ ,;:!?]|[.]?$)"
            if len(re.findall(used, memory)) == 1:
                return re.sub(used, lambda one, comes=comes: f"{one['lead']}{comes}", memory)
    return ""


def refigured(said: str, memory: str) -> str:
    """A memory with the figure that a turn puts in the place of its own; empty otherwise.

    Both name the thing, and count in one unit: `nah, 0.4 was too stiff. 0.35 mm brass tongues`.
    """
    for found in filter(None, (pattern.search(said) for pattern in _REFIGURED)):
        rest = f"{said[: found.start()]} {_MEASURED.sub(' ', found[0])} {said[found.end() :]}"
        there = [
            one for one in _MEASURED.finditer(memory) if _AMOUNT.findall(one[0]) == [found["wrong"]]
        ]
        units = {one for one in (found["right_unit"], found["wrong_unit"]) if one}
        alike = len(there) == 1 and all(there[0][0].endswith(one) for one in units)
        if alike and _names(rest, _MEASURED.sub(" ", memory)):
            new = there[0][0].replace(found["wrong"], found["right"])
            return f"{memory[: there[0].start()]}{new}{memory[there[0].end() :]}"
    for found in _FROM_NOW_ON.finditer(said):
        there = [*re.finditer(rf"(?i)\b(?P<lead>we {found['does']}){_WRONG}(?![\w:])", memory)]
        alike = found["right_unit"] in (None, there[0]["wrong_unit"]) if len(there) == 1 else False
        if alike and found["right"] != there[0]["wrong"]:
            start, end = there[0].span("wrong")
            return f"{memory[:start]}{found['right']}{memory[end:]}"
    return ""


def without_ended(said: str, memory: str) -> str:
    """A memory that lists names, without the one that a turn says no longer counts; else empty.

    After `we no longer deliver to Voorschoten`, deliveries to Leiden and Voorschoten go to Leiden.
    """
    found, listed = _ENDED.search(said), list(_LISTED.finditer(memory))
    if not found or len(listed) != 1:
        return ""
    names = re.split(r",? and |, ", listed[0][0])
    left = [one for one in names if one != found["gone"]]
    if len(left) != len(names) - 1:
        return ""
    told = " and ".join(filter(None, (", ".join(left[:-1]), left[-1])))
    return f"{memory[: listed[0].start()]}{told}{memory[listed[0].end() :]}"


def withdrawn_rule(said: str) -> str:
    """The rule that a turn takes back: `tests first` in `Drop the tests first rule`."""
    found = _WITHDRAWS.match(without_opener(said.strip()))
    return next(filter(None, found.groups()), "") if found else ""


def orders_something(said: str, memory: str) -> bool:
    """Whether a correction is an order for the work, of which a memory says nothing.

    `No, send 500 of them` changes no limit. `No, set it to 40` may.
    """
    found = _ORDER.match(without_opener(said.strip()))
    verb = found["verb"].casefold() if found else ""
    is_verb = BASE_VERBS.get(verb) == verb and verb not in _SETS
    return is_verb and telling_terms(verb).isdisjoint(telling_terms(memory))


def names_another(said: str, before: str, memory: str) -> bool:
    """Whether a turn speaks of a thing that neither a memory nor the answer before it named.

    It may be the same thing in other words, `the daily meeting` for the standup, or another one.
    """
    known = telling_terms(f"{before} {memory}")
    if tongue_of(said) != ENGLISH and is_whole(said):
        return telling_terms(_MEASURED.sub(" ", said)).isdisjoint(known)
    found = _SUBJECT.match(without_opener(said.strip()))
    if not found or _ATTRIBUTE.search(found["named"]):
        return False
    first = telling_terms(found["named"].split(" ")[0])
    last = telling_terms(found["named"].split(" ")[-1])
    # `The flyer costs` shares its verb with what audio guides cost.
    return bool(first) and first.isdisjoint(known) and (last.isdisjoint(known) or last != first)


def may_mean(said: str, before: str, memory: str) -> bool:
    """Whether a turn may correct, in other words, the memory of which an answer was taken.

    It says no or that something changed, or points back to that answer.
    """
    known, told = telling_terms(memory), telling_terms(before)
    quoted = _has_number(figures(memory) & figures(before))
    taken = quoted or (bool(known) and len(known & told) >= TAKEN * len(known))
    plain = without_opener(said.strip())
    opened = plain != said.strip() and correction_opener(said.strip()) is not None
    return taken and bool(opened or _NOW.search(said) or _POINTS.search(_CLAUSE.split(plain)[0]))


def names_instead(said: str, memory: str) -> bool:
    """Whether a turn puts one name in the place of another that a memory of one sentence has."""
    found = RIGHT_NOT.match(without_opener(said.strip()).rstrip(".!"))
    if (
        not found
        or len(_SENTENCE.split(memory.strip())) > 1
        or not mentions(memory, found["wrong"])
    ):
        return False
    named = telling_terms(found["right"]) & telling_terms(memory)
    return found["wrong"].strip()[:1].isupper() and any(one.isalpha() for one in named)


def _counts_alike(figure: str, before: str, memory: str) -> bool:
    """Whether a figure counts the same in two texts: 14 days are not the 14 of `14 June`."""
    one, other = _counted(figure, before), _counted(figure, memory)
    return not (one and other) or bool(one & other)


def _counted(figure: str, text: str) -> set[str]:
    """The words after a figure, which say what it counts, wherever a text has it."""
    text = _WORD.sub(lambda word: _COUNTED.get(word[0], word[0]), text.casefold())
    after = re.findall(rf"(?<![\w.,:]){re.escape(figure)}[ -]([a-zA-Z]+)", text)
    return {term for word in after for term in telling_terms(word)}


def figures(text: str) -> frozenset[str]:
    """Numbers, times and days of a text, `twelve` and `12` alike."""
    features = text_features(text)
    found = set(features.times)
    for number in features.numbers:
        if number[0].isdigit():
            found.update(_AMOUNT.findall(number))
    found.update(_COUNTED[word] for word in _WORD.findall(text.casefold()) if word in _COUNTED)
    return frozenset(found)


def _stays(said: str, memory: str) -> bool:
    """Whether a clause says that something stays, and only that clause names it."""
    stays, others = set[str](), set[str]()
    new = figures(said) - figures(memory)
    # `Still a kiln, but at 1,100` says another figure of the same thing.
    changed = _has_number(new) and _CHANGED.search(said)
    for clause in _CLAUSE.split(said):
        still = not changed and bool(_STILL.search(clause)) and new.isdisjoint(figures(clause))
        (stays if still or _STAYS.search(clause) else others).update(
            telling_terms(_STAYS.sub("", clause))
        )
    return not telling_terms(memory).isdisjoint(stays - others)


def _gives_figures(said: str, before: str, memory: str) -> bool:
    """Whether a turn gives a memory's figures, of the same thing, and no others."""
    own, new = figures(memory), figures(said)
    if not _has_number(own):
        return False
    if any(figures(one) == own and _names(one, memory) for one in _SENTENCE.split(said)):
        return True
    return own <= new and new - own <= figures(before) and _names(f"{said} {before}", memory)


def _names(text: str, memory: str) -> bool:
    """Whether a text names something of a memory besides its figures."""
    return any(one.isalpha() for one in telling_terms(memory) & telling_terms(text))


def _has_number(found: AbstractSet[str]) -> bool:
    return any(one[:1].isdigit() for one in found)
