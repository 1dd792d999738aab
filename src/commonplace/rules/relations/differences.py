"""What two statements may not differ in and still be the same: numbers, names, times, yes and no.

A wrong "these are the same" loses something that somebody said; a missed one only leaves two notes
where one would do. Whatever is in doubt therefore counts as a difference.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...language import words
from ...language.words import STOPWORDS
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TOKEN = re.compile(r"[^\W_]+(?:[_./@:'’+#-]+[^\W_]+)*[+#%€$£¥°]*|[^\s\w]")
_SENTENCE_START = frozenset(".!?:;…。！？\n\"'“”‘’(«»—–-*•>#|/")
_COMPARISONS = frozenset("<>=≠≤≥±~")
_NUMBERS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred
thousand million billion half twice thrice double triple first second third fourth fifth both
dozen single null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend
erste zweite dritte beide deux trois quatre cinq six sept huit neuf dix cent mille premier
dos tres cuatro cinco seis siete ocho nueve diez cien mil primero
"""
_TIMES = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july
august september october november december today tomorrow yesterday tonight morning noon afternoon
evening night midnight spring summer autumn fall winter daily weekly monthly yearly hourly quarterly
annual annually weekday weekend am pm second minute hour day week month quarter year decade
montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli
oktober dezember heute morgen gestern abend nacht täglich wöchentlich monatlich jährlich tag woche
monat jahr lundi mardi mercredi jeudi vendredi samedi dimanche aujourd'hui demain hier
lunes martes miércoles jueves viernes sábado domingo hoy mañana ayer
"""
_NEGATIONS = """
no not never none nobody nothing nowhere neither nor cannot without hardly barely rarely seldom
longer stop stopped stops quit anymore except unless lack lacks lacking fail fails failed refuse
refuses refused avoid avoids wrong false incorrect former formerly ex
nicht kein keine keinen keinem keiner keines nie niemals ohne weder kaum mehr falsch
ne pas jamais sans aucun aucune plus rien faux nunca jamás sin tampoco ningún ninguna nada falso
"""
_OPPOSITES = """
like dislike|like hate|love hate|love dislike|enjoy dislike|enjoy hate|enable disable|on off
true false|yes no|always never|before after|increase decrease|allow forbid|allow block|allow deny
allow ban|up down|left right|more less|more fewer|most least|start stop|start end|begin end
open close|open shut|opened closed|add remove|add delete|create delete|good bad|good poor
better worse|best worst|fast slow|faster slower|quick slow|high low|higher lower|min max
minimum maximum|first last|early late|earlier later|in out|inside outside|with without
upload download|import export|read write|push pull|accept reject|approve reject|pass fail
success failure|succeed fail|win lose|buy sell|hot cold|warm cold|big small|large small|long short
old new|older newer|young old|light dark|black white|public private|local remote|internal external
sync async|synchronous asynchronous|online offline|agree disagree|include exclude
required optional|mandatory optional|must may|safe unsafe|secure insecure|valid invalid|many few
all none|all some|all any|everybody nobody|everyone nobody|everything nothing|full empty
empty occupied|strong weak|hard easy|difficult easy|cheap expensive|present absent|active inactive
visible hidden|show hide|appear vanish|above below|over under|north south|east west|front back
top bottom|man woman|boy girl|male female|husband wife|mother father|son daughter|brother sister
he she|his her|him her|client server|input output|encrypt decrypt|lock unlock|login logout
alive dead|awake asleep|sit stand|rise fall|raise lower|arrive leave|come go|enter exit
remember forget|keep discard|tabs spaces|tab space|single double|single married|upper lower
uppercase lowercase|odd even|positive negative|near far|close far|nearby far|into out|into from
onto off|onto from|front behind|behind before|toward from|huge small|huge tiny|big tiny
same different|same other|indoor outdoor|walk run|clean dirty|hit miss|catch miss|catch drop
follow lead|ascending descending|vertical horizontal|manual automatic|manually automatically
static dynamic|mag mögen|gerne ungern|immer nie|an aus|mit ohne|auf zu|gut schlecht|alt neu
groß klein|aime déteste|toujours jamais|avec sans|bon mauvais|gusta odia|siempre nunca|con sin
bueno malo|backend frontend|staging production|dev prod|unit integration|request response
producer consumer|source target|parent child|primary secondary|primary replica|debug release
inbound outbound|ingress egress|incoming outgoing|sender receiver|encode decode
install uninstall|deploy rollback|breakfast dinner|lunch dinner|tea coffee|desktop mobile
"""
_HAN_NEGATIONS = re.compile(
    "[不没沒無无未非勿别別否]|ない|ません|なく|ず(?=に)|嫌|안 |못|없|않|아니|ไม่|không"
)
_HAN_NUMBERS = re.compile("[0-9０-９]+|[〇零一二两兩三四五六七八九十百千万萬億亿]+")
_PREFIXES = ("un", "in", "im", "ir", "dis", "non", "de", "mis", "anti", "pre", "post", "re")

NUMBERS, TIMES, NEGATIONS = (
    frozenset(listed.split()) for listed in (_NUMBERS, _TIMES, _NEGATIONS)
)  # fmt: skip
_TIME_STEMS = frozenset(term for word in TIMES for term in words.terms(word))


def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _OPPOSITES.replace("\n", "|").strip("|").split("|"):
        one, other = (words.terms(word)[0] for word in pair.split())
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


class Read(Value):
    """A text as the duplicate gate compares it."""

    terms: tuple[str, ...]
    """Words that say something, as search compares them, in their order."""
    numbers: frozenset[str]
    names: tuple[str, ...]
    """Words with a capital, identifiers and what is quoted as code, in their order."""
    times: frozenset[str]
    spelled: Mapping[str, str]
    """How each name is written: Anne is not Ann, though they compare alike as words."""
    negations: int
    subject: str
    """The first word that says something: usually what the statement is about."""


@lru_cache(maxsize=4096)
def read(text: str) -> Read:
    """Take a text apart; texts that are asked about again are remembered."""
    terms: list[str] = []
    names: dict[str, str] = {}
    numbers, times = set[str](), set[str]()
    negations = len(_HAN_NEGATIONS.findall(text)) if not text.isascii() else 0
    if not text.isascii():
        numbers |= set(_HAN_NUMBERS.findall(text))
    opens = True
    for found in _TOKEN.finditer(text):
        token = found[0]
        if len(token) == 1 and not token.isalnum():
            opens = opens or token in _SENTENCE_START
            if token in _COMPARISONS:
                numbers.add(token)
            continue
        lower = token.casefold().replace("’", "'")
        own = words.terms(token)
        if lower in NEGATIONS or lower.endswith("n't"):
            negations += 1
        if any(character.isdigit() for character in token) or lower in NUMBERS:
            numbers.add(lower)
        elif lower in TIMES or (own and own[0] in _TIME_STEMS):
            times.add(own[0] if own else lower)
        elif _is_name(token, lower, opens=opens):
            names[own[0] if own else lower] = lower
        if lower not in _FILLING and (lower not in STOPWORDS or lower in _SAYING):
            terms += own
        opens = False
    return Read(
        terms=tuple(terms),
        numbers=frozenset(numbers),
        names=tuple(names),
        times=frozenset(times),
        spelled=names,
        negations=negations,
        subject=terms[0] if terms else "",
    )


_SAYING = frozenset({
    "like", "on", "off", "over", "under", "before", "after", "up", "down", "all", "out", "into",
    "onto", "from", "inside", "outside", "against", "same", "other", "only", "must",
})  # fmt: skip
"""Function words that turn a statement round when they change."""


_FILLING = frozenset({
    "nowadays", "currently", "presently", "basically", "actually", "simply", "anyway", "please",
})  # fmt: skip
"""Words that a statement says the same without."""
_LONE_WORDS = frozenset("aiyoeus")
"""Letters that are words; any other names something: module b, option C."""


def _is_name(token: str, lower: str, *, opens: bool) -> bool:
    if not token.isascii() and not token[:1].isupper():
        return False
    if len(token) == 1:
        return lower not in _LONE_WORDS or (token.isupper() and not opens and lower != "i")
    if any(mark in token for mark in "_/@:+#") or ("." in token and token[-1] != "."):
        return True
    if any(character.isupper() for character in token[1:]):
        return True
    # The first word of a sentence has its capital from there.
    return token[:1].isupper() and not opens and lower not in STOPWORDS


def difference(one: str, other: str) -> str:
    """What keeps two texts from being the same, in a word; empty when nothing telling differs."""
    a, b = read(one), read(other)
    left, right = _apart(a, b), _apart(b, a)
    checks = (
        ("number", lambda: a.numbers != b.numbers),
        ("time", lambda: a.times != b.times),
        ("negation", lambda: a.negations != b.negations),
        ("polarity", lambda: _opposed(left, right)),
        ("name", lambda: _named_apart(a, b)),
        ("subject", lambda: a.subject in left and b.subject in right),
        ("order", lambda: _turned(a, b)),
    )
    return next((name for name, differs in checks if differs()), "")


def _apart(one: Read, other: Read) -> list[str]:
    """The words of one text that the other does not have."""
    said = set(other.terms)
    return [term for term in one.terms if term not in said]


def _opposed(left: list[str], right: list[str]) -> bool:
    known = _known_opposites()
    return any(
        not known.get(word, frozenset()).isdisjoint(right)
        or any(_negates(word, other) or _negates(other, word) for other in right)
        for word in left
    )


def _negates(word: str, other: str) -> bool:
    return len(other) > 3 and any(word == prefix + other for prefix in _PREFIXES)


def _named_apart(a: Read, b: Read) -> bool:
    """Whether each names something that the other does not say at all, or one names in addition."""
    if not (set(a.names) <= set(b.terms) and set(b.names) <= set(a.terms)):
        return True
    both = a.spelled.keys() & b.spelled.keys()
    return any(other_name(a.spelled[name], b.spelled[name]) for name in both)


def other_name(one: str, other: str) -> bool:
    """Whether two spellings name different things; an ending `s` does not make another name."""
    return _bare(one) != _bare(other)


def _bare(name: str) -> str:
    return name.casefold().removesuffix("'s").removesuffix("s").removesuffix("'")


def _turned(a: Read, b: Read) -> bool:
    """Whether the same words stand in another order, as in `Ada pays Bob` and `Bob pays Ada`."""
    if not set(a.names).isdisjoint(b.names):
        shared = set(a.names) & set(b.names)
        first = [term for term in dict.fromkeys(a.terms) if term in shared]
        second = [term for term in dict.fromkeys(b.terms) if term in shared]
        if first != second:
            return True
    if set(a.terms) != set(b.terms):
        return False
    return tuple(dict.fromkeys(a.terms)) != tuple(dict.fromkeys(b.terms))


@lru_cache(maxsize=1)
def _known_opposites() -> dict[str, frozenset[str]]:
    return _opposites()
