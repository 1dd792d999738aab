"""Lasting facts about a person that they tell in passing: an allergy, a move, a birthday, a job.

Read clause by clause, because such a fact often trails a request. What passes with the day, such as
being tired, is none.
"""

from __future__ import annotations

from ...language.vocabulary.persons import AND, BIRTHDAY, IS_MINE, KIN, MY, THEREFORE
from ...model.lazy_pattern import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_KIN = (
    r"(?:wife|husband|partner|girlfriend|boyfriend|fiancée?|spouse|son|daughter|child|baby|kids?"
    r"|twins|brother|sister|mother|father|mum|mom|dad|parents|grand(?:mother|father|ma|pa|parents"
    r"|son|daughter)|uncle|aunt|niece|nephew|cousin|flatmate|roommate|dog|cat|horse)"
)
_NAME = r"(?-i:[A-ZÀ-Þ][\w'’-]+)"
_RELATIVE = rf"my (?:\w+ )?{_KIN}(?: {_NAME})?"
_SOMEBODY = rf"(?:{_RELATIVE}|{_NAME})"
_ILLNESS = (
    r"(?:(?:a|an) (?:\w+ )?(?:allergy|intolerance|disability|pacemaker|heart condition)"
    r"|dyslexia|dyscalculia|diabetes|asthma|adhd|autism|epilepsy|migraines?"
    r"|c(?:o)?eliac(?: disease)?"
    r"|arthritis|tinnitus|hay fever|high blood pressure|lactose intolerance|depression|anxiety)"
)
_STATE = (
    r"(?:allergic to|intolerant (?:to|of)|(?:an? )?(?:strict )?(?:vegetarian|vegan|pescatarian"
    r"|coeliac|celiac|diabetic|dyslexic|asthmatic|autistic|epileptic|teetotal(?:ler)?)"
    r"|(?:lactose|gluten)[- ]intolerant|colou?r[- ]?blind|left[- ]handed|hard of hearing)\b"
)
_STANDING = r"(?:deaf|blind|pregnant|retired|married|divorced|widowed|engaged)\b"
_EVENT = (
    r"(?:birthday|exam|finals|wedding|anniversary|due date|graduation|surgery|operation|viva"
    r"|defen[cs]e|name day)"
)
_WHEN = (
    r"(?:on|in|at|is|this|next)? ?(?:the )?(?:\d|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|first|second|third|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday|spring|summer|autumn|winter|week|month|year)"
)
_PLACE = rf"{_NAME}(?:[ -]{_NAME})*"
_WITHIN_CLAUSE = r"(?! (?!(?:and|but|so|now|since|again|because|too|with|by)\b)\w)"
"""`My wife's pregnant, …` tells a fact; `my wife's pregnant friend` does not."""
_SCHOOL = (
    r"(?:starts?|started|begins?|is starting|goes to|went to) (?:primary |secondary |high )?"
    r"(?:school|kindergarten|nursery|university|college)\b"
)

_FACTS = (
    rf"my (?:full |first |last )?name is {_NAME}",
    rf"i(?:'m| am) (?:also |actually |severely |very )?(?:{_STATE}|{_STANDING})",
    rf"{_RELATIVE} (?:is|are) {_STANDING}|{_RELATIVE}'s {_STANDING}{_WITHIN_CLAUSE}",
    rf"i (?:have|have got|suffer from|live with|was diagnosed with) {_ILLNESS}(?!\w)"
    rf"|i've (?:got )?{_ILLNESS}(?!\w)",
    rf"{_SOMEBODY} (?:is|are) (?:also |severely |very )?{_STATE}",
    rf"{_SOMEBODY}'s (?:also |severely |very )?"
    rf"(?:(?:allergic|intolerant) to\b|{_STATE}{_WITHIN_CLAUSE})",
    rf"{_SOMEBODY} (?:has|have) {_ILLNESS}(?!\w)",
    rf"my {_EVENT} (?:is|was|will be) {_WHEN}|my {_EVENT}'s (?=on |in |at |next ){_WHEN}",
    r"i(?: was|'m|'ve been)? born (?:in|on) \w",
    r"i(?:'m| am) \d{1,2} years old|i(?:'ll)? turn(?:ed)? \d{1,2}\b",
    rf"my {_KIN}(?:(?:'s)? name is|(?:'s| is| are) called| is named) {_NAME}",
    rf"{_SOMEBODY} (?:turns|turned|is turning) \d{{1,2}}\b",
    rf"{_SOMEBODY} {_SCHOOL}",
    rf"{_RELATIVE} (?:was born|lives|moved|studies|works) (?:in|at|to|for|as)\b",
    rf"i(?: have|'ve)? (?:just |recently |finally )?moved (?:from {_PLACE} )?(?:back )?to"
    rf" {_PLACE}(?! \d)",
    rf"we(?: have|'ve)? (?:just |recently |finally )?moved (?:from {_PLACE} )?(?:back )?to"
    rf" {_PLACE}(?! \d)"
    r"(?=.*\b(?:flat|apartment|house|home|city|town|country|family|kids|children|live|rent)\b)",
    rf"(?:i|we) live in {_PLACE}|i(?:'m| am) (?:based in|living in|originally from|from) {_PLACE}"
    rf"|i grew up in {_PLACE}",
    r"i(?: have|'ve)? (?:just )?(?:start(?:ed)?|begin|began|got|found|take|took)"
    r" (?:a|my) new (?:job|position|role)\b",
    r"i(?:'m| am) (?:starting|beginning) (?:a|my) new (?:job|position|role)\b",
    rf"i work (?:as an? \w|(?:at|for) (?:the )?{_NAME})",
    r"i (?:lead|run|manage|head) (?:the|our|a) (?:\w+ ){0,2}team\b",
    r"i(?:'m| am) (?:an? )?(?:\w+ )?(?:nurse|teacher|doctor|lawyer|student|engineer|developer"
    r"|designer|librarian|carpenter|baker|accountant|researcher|scientist|electrician|musician"
    r"|freelancer|architect|pharmacist|journalist|translator|gardener|chef|cook)\b",
    r"i(?:'m| am) (?:getting married|having a baby|expecting)\b",
    rf"i (?:play|speak) (?:the |fluent )?(?:{_NAME}|piano|guitar|violin|cello|trumpet|flute"
    rf"|drums)\b",
    r"ich (?:bin|habe) (?:\w+ )?(?:allergisch gegen|vegetarier(?:in)?|veganer(?:in)?|diabetes"
    r"|asthma"
    r"|eine \w*(?:allergie|unverträglichkeit))\b",
    rf"ich (?:wohne|lebe) in {_PLACE}|ich bin nach {_PLACE} gezogen"
    rf"|ich habe am .{{2,30}} geburtstag",
    rf"je suis (?:allergique|végétarienne?|végane?|diabétique)\b|j'habite à {_PLACE}"
    r"|mon anniversaire est\b",
    rf"soy (?:alérgic[oa]|vegetarian[oa]|vegan[oa]|diabétic[oa])\b|vivo en {_PLACE}"
    r"|mi cumpleaños es\b",
    IS_MINE,
    rf"(?:{MY}) {KIN}\b(?!,)[^.;?!]{{0,60}}\b(?:{BIRTHDAY})\b",
    rf"{_NAME}, (?:{MY}) {KIN}, [^.;?!]{{0,60}}\b(?:{BIRTHDAY})\b",
    r"我对.{1,12}过敏|我(?:住在|搬到了?)|我的生日是|私は.{1,12}アレルギー",
)
_FACT = lazy(f"(?i:{'|'.join(f'(?:{one})' for one in _FACTS)})")
_TOLD_OF = lazy(
    rf"(?i)^(?P<who>{_SOMEBODY})\b[^.;]*?(?:,|\band\b|\bbecause\b|\bwho\b) ?(?P<pronoun>s?he|they) "
    rf"(?P<what>(?:{_SCHOOL}|turn(?:s|ed)? \d{{1,2}}\b|was born\b|lives? (?:in|at|with|near)\b"
    rf"|(?:has |have )?(?:just )?moved (?:back )?to {_PLACE}(?! \d)|(?:is|are) allergic to\b).*)$"
)
"""`Mila was sweet today, she starts school`: the pronoun stands for the name before it."""
_CLAUSE = lazy(
    r"(?i)(?:^|[,;:—–(]\s*|\s[-]\s|\b(?:and|but|because|since|as|so|that|btw|by the way"
    rf"|{AND}),?\s+)"
)
_ENDS = lazy(
    r"(?i)\s*(?:[,;—–(]\s*(?=(?:so|and|but|which|because|since|leave|please|the|i|i'm|we|he|she|it"
    r"|they|my|can|could|by the way|btw|that|no|do|don't|if|you|then|just|as|keep|make|use|put"
    rf"|does|is|are|also|aber|bitte)\b|(?:{AND}|{THEREFORE})\b)"
    r"|,?\s(?:by the way|btw)\b|\s(?:and|so|but)\s(?=(?:i|it|we|they|he|she|you|that|the"
    r"|already|can"
    r"|please)\b)|\)).*$"
)
_PASSING = lazy(
    r"(?i)\b(?:today|tonight|right now|at the moment|currently|this (?:morning|afternoon|evening)"
    r"|yesterday|in a (?:meeting|hurry)|would|could|might|if|imagine|suppose|pretend|let's say"
    r"|what if|example|e\.g\.|for instance)\b"
)
"""Tells of a moment, or of what is only supposed."""
_NAMES_KIN = lazy(rf"(?i)\b{_KIN}s?\b|\b(?:children|siblings|family)\b")
_OPENERS = frozenset((
    "the", "this", "that", "these", "those", "there", "it", "he", "she", "they", "you",
    "what", "who", "when", "where", "why", "how", "if", "in", "on", "at", "and",
    "but", "so", "then", "now", "please", "no", "yes", "ok", "okay", "everyone", "everybody",
    "nobody", "somebody", "someone", "one", "maybe", "perhaps", "since", "because", "after",
    "before", "while", "although", "once", "finally", "sometimes", "luckily", "sadly",
))  # fmt: skip
"""Words that stand with a capital at the start of a sentence, and name nobody."""


def personal_facts(sentence: str) -> tuple[str, ...]:
    """The lasting facts about the speaker or their people that a sentence tells."""
    told = _TOLD_OF.match(sentence)
    if told and _is_meant(told["who"].casefold(), told["pronoun"].casefold()):
        found = [_shortened(f"{told['who']} {told['what']}")]
    else:
        found = [_shortened(clause) for clause in _clauses(sentence) if _is_fact(clause)]
    return tuple(fact for fact in dict.fromkeys(found) if not _PASSING.search(fact))


def names_kin(text: str) -> bool:
    """Whether a text speaks of somebody's family or animals."""
    return _NAMES_KIN.search(text) is not None


def _is_meant(who: str, pronoun: str) -> bool:
    """Whether a pronoun can stand for the words that begin its sentence; `they` for kin alone."""
    return who not in _OPENERS and (pronoun != "they" or who.startswith("my "))


def _is_fact(clause: str) -> bool:
    found = _FACT.match(clause)
    return found is not None and found[0].split()[0].casefold() not in _OPENERS


def _clauses(sentence: str) -> Iterator[str]:
    """The sentence from each of its clauses on."""
    for found in _CLAUSE.finditer(sentence):
        yield sentence[found.end() :]


def _shortened(clause: str) -> str:
    return _ENDS.sub("", clause).strip(" .!")
