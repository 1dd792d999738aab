"""Complete a short answer with what it answers: `Nope, from release.` about a deploy from main.

A user's answer to an assistant names only what differs. The assistant's clause with that in its
place is a sentence that a later reader understands. Where it is not clear which part is meant, the
clause and the answer stay together in one line.
"""

from __future__ import annotations

import re

from ...language import passages, statements
from ...language.vocabulary import decisions
from ...language.vocabulary.plans import BASE_VERBS
from ...language.words import is_question, telling_terms
from .value_words import (
    ARTICLE,
    CLOCK,
    COUNTED,
    DATE,
    DAY_NAMES,
    FULL_DATE,
    MONTH,
    QUANTITY,
    UNIT_WORDS,
    day_in_place,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

QUOTED_CHARACTERS = 200
"""Characters quoted of the statement that an answer is about."""
MOST_WORDS = 6
"""An answer with more words before its first comma is no piece of a sentence."""
MOST_OBJECT_WORDS = 4
MOST_FRAGMENT = 8
"""Words of an answer that may be no sentence."""
MOST_CLAUSE_WORDS = 20
"""A longer clause says more than what an answer is about."""

LONGEST = 400
"""Characters of a sentence that is no paste."""

_PREPOSITIONS = (
    "from|to|into|onto|in|inside|on|at|by|under|over|with|without|for|via|against|through|after"
    "|before|during|until|till|near|behind|within|as|per"
)
_ENDS_OBJECT = rf"{_PREPOSITIONS}|and|or|but|so|since|because|every|each|once|twice|when|if|then"
_WORD = r"[^\s,;:()]+"
_OF_OBJECT = rf"(?!(?:{_ENDS_OBJECT})\b){_WORD}"
_OBJECT = rf"{_OF_OBJECT}(?: {_OF_OBJECT}){{0,{MOST_OBJECT_WORDS - 1}}}"
_LED = re.compile(
    rf"(?i)^(?P<lead>(?:only|always|just|straight) )?(?P<word>{_PREPOSITIONS}) (?P<object>.+)$"
)
_POINTS = re.compile(
    r"(?i)^(?:(?:it|that|this|he|she|they)(?:'s|'re| is| are| was| were| should be)|its)\s+"
    r"(?:now |called |named )?"
)
_FINITE = re.compile(
    r"(?i)\b(?:let|is|are|was|were|am|isn't|aren't|has|have|had|does|do|did|don't|doesn't|will|won't"
    r"|would|can|can't|could|should|must|may|might|needs?|wants?|uses?|goes|went|gets?|got|says?"
    r"|said|means?|i|we|you|he|she|they|it|who|what|where|why|how|there|here)\b"
    r"|'(?:s|re|m|ll|d|ve)\b"
)
"""A word of a whole sentence, which a mere value seldom has."""
_TALK = re.compile(
    r"(?i)^(?:please|thanks|thank you|sorry|remember|actually|now|mate|man|dude|though|ok(?:ay)?"
    r"|lol|haha|i told you|as i said|by the way|btw|again|my friend|always|obviously|instead"
    r"|then)\b"
)
_NOT = re.compile(r"(?i)^(?:and |but )?not\b")
_JOINS = re.compile(r"(?i)^(?:and|but|so) ")
_PLAN = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|sure|right|great|fine|then|so|alright|now|next|done|noted)[,.:!]* )*"
    r"(?P<who>(?:i|we|you) (?:can|could|might)|(?:i|we)(?:'ll|'d|'ve|'m| will| would| have| am)?"
    r"(?: going to)?|let me|let's|(?:shall|should) (?:i|we)|(?:do you want|would you like) me to"
    r"|i(?:'d)? suggest(?: we)?)"
    r" (?:(?:now|then|just|also|always|usually|already|simply|normally) )*"
)
"""An assistant speaks of what it does or did, or would do."""
_MADE = re.compile(rf"(?i)\w+ (?:the|an?|my|our|your|all|this) (?P<thing>{_OBJECT})")
"""An assistant's report of an act, with the thing that it made or changed."""
_MYSELF = re.compile(r"(?i)\b(?:i|me)\b")
_SAID = re.compile(
    r"(?i)^(?:(?:you|we) (?:said|mentioned|told me|wrote)(?: that)?|noted[:,]|got it[:,]"
    r"|i(?:'ll| will)? assumed?(?: that)?|understood[:,]|summary:|(?:so )?(?:according to|based on"
    r"|going by) (?:my|your|the) notes,?|(?:as|so) far as i know,?|in summary,?"
    r"|i(?:'ve| have)? (?:also )?(?:noted|saved|remembered) that)\s+"
)
_PLACE = re.compile(
    r"(?i) (?:(?:around )?here|in (?:this|our) (?:repo(?:sitory)?|project|house(?:hold)?|team"
    r"|office|company|family|codebase|kitchen|shop|school|lab|town))$"
)
"""Where something holds, at the end of an answer."""
_ENDS_WITH_NOW = re.compile(r"(?i)(?<=\w)[, ]+(?:now|nowadays|these days|from now on|actually)$")
_QUESTION_TAIL = re.compile(
    r"(?i)[,;]? (?:ok(?:ay)?|right|is that (?:ok(?:ay)?|right|fine)|yes)\?$"
)
_AT_THE_END = re.compile(r"(?i),? (?:then|now|next|first|again|as (?:usual|always|before))$")
_MINE = (
    (r"\byour\b", "my"), (r"\byours\b", "mine"), (r"\byou're\b", "I'm"),
    (r"\byou are\b", "I am"), (r"\byou have\b", "I have"), (r"\byou've\b", "I've"),
)  # fmt: skip
_LEANS_ON = re.compile(
    rf"(?i)(?:it|that|they|he|she|same|only|this|not)\b(?!'?s? the\b)"
    rf"|(?:\d+|{COUNTED}) (?:is|are|was|were|will do|should do)\b"
    r"|(?:(?:[A-Z][\w.'-]*|the|my|our|\w+'s) ?){1,4}(?:does|do|did|is|are|has|have|will|can)"
    r"(?:[,.!;]|$)"
)
_LED_BY = re.compile(rf"(?i)(?:(?:{_PREPOSITIONS}|every|each|once|twice|about|around) )")
_LEANS_AT_END = re.compile(r"(?i) (?:it|that|them|ones?)$")
_VERB_FORM = re.compile(r"(?i)\b\w{3,}(?:es|ed|ing)\b|\b\w+[^s\W]s [a-z]")
"""Looks like a verb: `takes the`, `moved`."""
_TIMES = (
    CLOCK,
    re.compile(rf"(?i)\b(?:every |each )?(?:{DAY_NAMES})s?\b"),
    FULL_DATE,
    DATE,
    MONTH,
)
_FIGURE = re.compile(
    rf"(?i)(?<![\w.-])[$€£]?\d+(?:[.,]\d+)*(?: ?[%€$£])?(?![\w-])|\b(?:zero|{COUNTED})\b"
)
_MEASURES = (*_TIMES, _FIGURE)
_NTH = re.compile(r"(?i)^(?:on )?(?:the )?(?P<day>\d{1,2}(?:st|nd|rd|th))$")
_IS_QUANTITY = re.compile(rf"{QUANTITY.pattern}|{ARTICLE.pattern[4:]} {UNIT_WORDS}", re.IGNORECASE)
_NAME = re.compile(r"(?<=[^.!?] )(?:(?:Mr|Mrs|Ms|Dr|St)\.? )?[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
_IS_SAID = re.compile(r"(?i) (?:is|are|was|were|isn't|aren't)\b")
_KINDS = (
    *_MEASURES,
    re.compile(
        r"`[^`]+`|(?<!\w)(?=[A-Za-z][\w./@#-]*?(?:\d|[-_./@#]\w))[A-Za-z][\w./@#-]*\w"
    ),  # A name in code.
    _NAME,
)
"""Values of which one takes the place of another."""
_WHEN = re.compile(
    rf"(?i)\b(?:(?:every|each|once a|twice a) (?:other |second |single )?\w+|daily|weekly|monthly"
    r"|hourly|nightly|yearly"
    rf"|(?:on|at|in the) (?:{DAY_NAMES}|mornings?|evenings?|noon|night|weekends?)s?)\b"
)
"""How often, or when."""
_LAST = re.compile(
    rf"(?i)\b(?:{_PREPOSITIONS}|is|are|uses?|using|called|named) (?:the |a |an |branch )*"
    rf"(?P<value>{_WORD})$"
)
_USES = re.compile(
    rf"(?i)\b(?:use|using|used|pick|picked|choose|chose|take|order|ordered|install|call it|name it)"
    rf" (?P<value>{_OBJECT})"
)
_STOP = re.compile(
    r"(?i)^(?P<no>don't|do not|never|stop) (?P<verb>\w+)"
    r"(?P<rest>(?: (?:at all|any ?more|ever|here|there|again)\b)?(?:[,;.!].*)?)$"
)
_NEXT_NOUN = re.compile(
    r"(?i)^ (?P<object>(?:the|a|an|any|my|our|your|this|that|these|those|all)(?: [\w-]+){1,2}?"
    rf"|(?!(?:{_ENDS_OBJECT})\b)[\w-]+(?: (?!(?:{_ENDS_OBJECT})\b)[\w-]+)??)"
    rf"(?= (?:\w+ times|{_ENDS_OBJECT})\b|[,.;!?]|$)"
)
"""The thing that a verb is about."""

DECIDES = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|so|then|right|alright|well|fine|good|yes|yeah|great|hm+)[,.!]* )*"
    r"(?:(?P<go>(?:let's|let us|we|i|we'll|i'll|we will|i will|we're|we are|i'm|i am|we'd|we've"
    r"|we have)(?: decided to| agreed to)?(?: now)? (?:go(?:ing)?|stick(?:ing)?|went|gone)"
    r" (?:with|for)|(?:we|i)(?:'ve| have)?(?: \w+)? (?:decided|settled|agreed) on)"
    r"|(?:the |our |my )?(?:final )?decision(?:'s| is| was| has been made)?\s*[:,–—-]?"
    r"|(?:we |i )?decided\s*:)"
    r" (?P<choice>.+)$"
)
"""Opens a decision."""
DECIDED = re.compile(
    r"(?i)^(?P<choice>[^,;:.!?]{1,60}?)[,;:–— -]+(?:(?:it|that|this) is|it's|that's|is|was)?"
    r" ?(?:decided|settled|final|it is)[.!]*$"
)
"""Closes one: `DuckDB, that's decided`, `Postbag it is`."""
_DECIDED_ABROAD = re.compile(
    rf"(?i)^(?:(?:ok(?:ay)?|also|gut|bon|bueno|allora|então|dus|ja|oui|sí|sì|sim)[,.!]* )*"
    rf"(?P<told>(?:{decisions.DECIDED})[,:]?(?=\s)(?P<choice>.+))$"
)
_FOR_THE_MOMENT_ABROAD = re.compile(rf"(?i)\b(?:{decisions.FOR_THE_MOMENT})\b")
"""The same two in other languages."""
_NO_CHOICE = re.compile(
    r"(?i)^(?:(?:it|that|this|them|those|these|your|yours|what(?:ever)?|both|all|either|neither"
    r"|any|option|number|variant|version|plan|one|correct|right|none|if|when|exactly|you|nothing"
    r"|nobody|nowhere|of course|so|there|not|maybe|perhaps)\b|.*\bwhat$"
    r"|the (?:first|second|third|fourth|last|other|former|latter|same|plan|rest|flow|default)\b"
    r"|\d+(?:[\s.,!]|$)|[a-e](?:[.,!)]|$))"
)
_FOR_THE_MOMENT = re.compile(
    r"(?i)\b(?:for (?:now|today|the moment|this (?:one|time|run))|first|today|tonight|this time"
    r"|tomorrow|right now|at the moment|next|later|soon|now|lunch|dinner|yet"
    r"|a (?:minute|second|moment|while|bit)|yesterday|this (?:week|afternoon|morning|evening))\b"
)
"""Settles only what is done next."""
_TOGETHER = re.compile(r"To “(?P<about>.+)” the (?:answer|decision|fix) was “(?P<answer>.+)”\.$")
_UNDER_TOPIC = re.compile(r"(?P<topic>[^“”:]{2,60}): “(?P<answer>[^“”]+)”\.$")
_INNER_QUOTES = str.maketrans("“”", "‘’")
_MOVES = re.compile(r"(?i)\b(?:moved|moves|changed|changes|shifted|pushed|now|instead|same)\b")
MOST_MOVING = 10
"""Words of a sentence that says that something is at another time, and nothing else."""
_OWN_TOPIC = re.compile(
    r"(?i)\b(?:for|as|in|on|at|from) (?:the|our|my|all|every|each)\b|\bno more\b"
    r"|\bfor (?!now\b|it\b|that\b|this\b|me\b|us\b|you\b|a\b|\d)[a-z]{3,}"
)
_OTHER = r"(?:(?:a |an |the )?(?:(?-i:[A-Z][\w.'-]*(?: [A-Z][\w.'-]*)*)|[\w.'`-]+))"


def completed(answer: str, about: str, *, opened: bool = True, alike: bool = False) -> str:
    """The statement with what an answer puts into it; empty if the place is not clear.

    The answer has lost its `no`: `from release`, `it's heron-3`, `don't retry at all`. If it had
    none (`opened`), or if nothing else tells that it corrects something (`alike`), only a value of
    the same kind takes the place of another.
    """
    if len(answer) > LONGEST:
        return ""
    clauses = [clause for part in _parts(about) if (clause := _as_clause(part))]
    if stopped := next(filter(None, (_with_object(answer, one) for one in clauses)), ""):
        return _sentence(stopped)
    head, tail = _parted(answer)
    value = _POINTS.sub("", head)
    opened = opened or value != head
    place = _PLACE.search(value)
    value = _ENDS_WITH_NOW.sub("", value[: place.start()] if place else value)
    if not _is_piece(value, tail):
        return ""
    free = opened and not alike
    made = [_with_value(clause, value, tail, opened=opened, free=free) for clause in clauses]
    made = [one for one in made if one]
    if len(made) != 1:
        return ""
    whole = f"{made[0]} ({place[0].strip()})" if place else made[0]
    return " ".join([_sentence(whole), *([_sentence(tail)] if tail else [])])


def _is_piece(value: str, tail: str) -> bool:
    """Whether an answer begins with a mere value, which does not go on after its comma."""
    if not value or passages.word_count(value) > MOST_WORDS:
        return False
    if _FINITE.search(value) or _FOR_THE_MOMENT.search(value):
        return False
    return not any(kind.search(f". {tail}") for kind in _MEASURES)


def _with_value(clause: str, value: str, tail: str, *, opened: bool, free: bool) -> str:
    if passages.word_count(clause) > MOST_CLAUSE_WORDS:
        return ""
    day = _NTH.match(value)
    led = None if day else _LED.match(value)
    if day:
        found = _exchange_alike(clause, day["day"], _kind_of(day["day"]), free=False)
    elif led:
        found = _exchange_led(clause, led)
    else:
        found = _exchange_alike(clause, value, _kind_of(value, opened=opened), free=free)
    if not found:
        return ""
    made, old = without_details(found[0], value), found[1]
    plain = old.strip("`\"' ")
    if not plain or plain.casefold() in tail.casefold():
        return ""
    known = plain.casefold() in value.casefold() or made.casefold().endswith(plain.casefold())
    return made if known else f"{made}, not {plain}"


def _parts(about: str) -> list[str]:
    """The clauses of a statement: what `since …, so …` joins is said of several things."""
    plain = _SAID.sub("", about.strip())
    parts = re.split(
        r"(?i),? (?:so|since|because|which|but)\b[ ,]*|; |, (?=(?:and )?(?:i|we|you)\b)", plain
    )
    if re.match(r"(?i)(?:since|as|given that|because) ", plain):
        first, _, others = plain.partition(", ")
        parts = [first.split(" ", 1)[1].removeprefix("that "), *filter(None, [others])]
    return [one for one in parts if passages.word_count(one) >= 2]


def together(answer: str, about: str, *, noun: str = "answer") -> str:
    """The statement and the answer in one line, where no sentence can be made of both.

    Both are quoted: after a colon, a value by itself would be screened as a password.
    """
    quoted = (question_of(about) or about.strip()).rstrip(".!")
    if len(quoted) > QUOTED_CHARACTERS:
        quoted = f"{quoted[: QUOTED_CHARACTERS - 1]}…"
    return f"To “{quoted}” the {noun} was “{answer.strip().rstrip('.! ')}”."


def of_its_work(report: str, right: str, wrong: str) -> str:
    """Turn an assistant's report on a thing that it made into a statement about the thing, or "".

    Of `I've sorted the photos by village` it is `The photos: “by village, not by year”`, and of `I
    deploy to production` what is to be done: an order to make one thing would not last.
    """
    plain = _plain(report)
    lead = _PLAN.match(plain)
    if not lead or not _MYSELF.search(lead[0]):
        return ""
    thing = _MADE.match(plain, lead.end())
    if thing and right.casefold() not in thing["thing"].casefold():
        return under_topic(f"{right}, not {wrong}", f"The {thing['thing']}")
    return f"{_as_clause(plain) or right}, not {wrong}"


def without_details(statement: str, value: str) -> str:
    """A statement without the list or the example behind a value, which belonged to the old one.

    After `one file per rank: flute.md, reed.md`, one file per cave has other names.
    """
    shown = r"(?::\s| \(| [–—-] |,? (?:namely|such as|for example|e\.g\.|i\.e\.|like)\b).*"
    return re.sub(rf"(?s)(?<!\w)({re.escape(value)}){shown}", r"\1", statement)


def as_statement(sentence: str) -> str:
    """A sentence without the `right?` that asks for a yes to what it states."""
    return _QUESTION_TAIL.sub(".", sentence.strip())


def stopped(answer: str, before: str) -> str:
    """An order to stop, with the thing that the assistant did, unless the order names one."""
    for one in statements.sentences(before):
        for part in _parts(one):
            if made := _with_object(answer, _as_clause(part)):
                return _sentence(made)
    return answer


def is_fragment(answer: str) -> bool:
    """Whether an answer says nothing without what it answers: `Karim Haddad, since October.`"""
    if _LEANS_ON.match(answer):
        return True
    if passages.word_count(answer) > MOST_FRAGMENT:
        return False
    if _LEANS_AT_END.search(answer.rstrip(".! ")):
        return True
    if _LED_BY.match(answer) and not _FINITE.search(answer):
        return True
    first = answer.split(maxsplit=1)[0].casefold().strip(",.!")
    # A name may look like a verb: `Postgres in docker like prod`.
    rest = answer.partition(" ")[2]
    verb = _FINITE.search(answer) or _VERB_FORM.search(rest if _LED_BY.match(rest) else answer)
    return first not in BASE_VERBS and not verb


def moved(old: str, said: str) -> str:
    """A statement at another time, if somebody says no more than that it moved; empty otherwise.

    `Rehearsals moved to Tuesdays, same room` leaves the hour and the room as they were.
    """
    if not _MOVES.search(said) or passages.word_count(said) > MOST_MOVING:
        return ""
    told = [kind for kind in _TIMES if kind.search(f". {said}")]
    for kind in told[:1]:
        known, new = ([*kind.finditer(f". {text}")] for text in (old, said))
        if len(told) == len(known) == len(new) == 1 and telling_terms(old) & telling_terms(said):
            value = new[0][0]
            return "".join(_swapped_in(f". {old}", known, value))[2:]
    return ""


def in_place_of_its_kind(old: str, value: str) -> str | None:
    """A statement with a day, a time or a figure in the place of its only one of that kind.

    Empty if there is no such place, and None for a value that is none of these.
    """
    plain = _ENDS_WITH_NOW.sub("", value.strip(" .!"))
    kind = next((one for one in _MEASURES if one.search(f". {plain}")), None)
    given, known = ([*kind.finditer(f". {text}")] for text in (plain, old)) if kind else ([], [])
    rest = plain.replace(given[0][0], " ", 1) if given else plain
    # `Till two, since May` says more than a value.
    if not given or any(one.search(f". {rest}") for one in _MEASURES):
        return None
    if len(known) != 1 or not telling_terms(rest) <= telling_terms(old):
        return ""  # `150 euros` for 200 hours is another thing.
    return "".join(_swapped_in(f". {old}", known, given[0][0]))[2:]


def under_topic(answer: str, topic: str) -> str:
    """An answer under the topic that it is about: `Latest release: “make it 0.8.1”.`"""
    said = answer.strip().rstrip(".! ").translate(_INNER_QUOTES)
    return f"{topic}: “{said}”."


def topic_of(content: str) -> str:
    """The topic of a line that an answer stands under; empty if it is no such line."""
    found = _UNDER_TOPIC.match(content)
    return found["topic"] if found else ""


def question_of(content: str) -> str:
    """The question or statement that `together` put into a line; empty if it made no such line."""
    found = _TOGETHER.match(content)
    return found["about"] if found else ""


def quoted_answer(content: str) -> str:
    """The answer that a kept line quotes; empty if it quotes none."""
    found = _TOGETHER.match(content) or _UNDER_TOPIC.match(content)
    return found["answer"] if found else ""


def is_together(content: str) -> bool:
    """Whether a kept line quotes an answer, and what it is about."""
    return bool(_TOGETHER.match(content) or _UNDER_TOPIC.match(content))


def decision(sentence: str, before: str) -> str:
    """The decision that a sentence states, with what it is about; empty if it states none."""
    plain = sentence.strip().lstrip("….- ")
    abroad = _DECIDED_ABROAD.match(plain)
    if not abroad:
        return _english_decision(plain, before)
    return _sentence(abroad["told"]) if _settles(plain, abroad["choice"]) else ""


def _english_decision(plain: str, before: str) -> str:
    opens = DECIDES.match(plain)
    found = opens or DECIDED.match(plain)
    if not found or len(plain) > LONGEST or is_question(plain) or _FOR_THE_MOMENT.search(plain):
        return ""
    choice = found["choice"].strip(" :,-–—")
    if _NO_CHOICE.match(choice) or not telling_terms(choice):
        return ""
    goes = bool(opens and opens["go"])
    head = passages.word_count(_parted(choice)[0])
    if not goes and passages.word_count(plain) >= MOST_OBJECT_WORDS + 1:
        return _sentence(plain)
    if goes and (_OWN_TOPIC.search(choice) or head > MOST_OBJECT_WORDS):
        return _sentence(re.sub(r"(?i)^.*?let(?:'s| us) ", "We ", plain, count=1))
    spoken = statements.sentences(before)
    named = [one for one in spoken if telling_terms(_parted(choice)[0]) & telling_terms(one)]
    if not spoken:
        return _sentence(f"We go with {choice}") if passages.word_count(choice) >= 3 else ""
    about = named[-1] if named else spoken[-1]
    return _chosen(choice, about) or together(choice, about, noun="decision")


def _settles(sentence: str, choice: str) -> bool:
    """Whether a decision in another language lasts, and says of what."""
    told = bool(telling_terms(choice)) and passages.word_count(choice) > 1
    passing = is_question(sentence) or _FOR_THE_MOMENT_ABROAD.search(sentence)
    return told and not passing and len(sentence) <= LONGEST


def _chosen(choice: str, about: str) -> str:
    """The sentence that offered several things, with the chosen one alone."""
    head, tail = _parted(choice)
    clause = _as_clause(about)
    if not clause or not head or clause == _plain(about):
        return ""
    for pattern in (
        rf"{re.escape(head)} or (?P<other>{_OTHER})",
        rf"(?P<other>{_OTHER}) or {re.escape(head)}",
    ):
        for found in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", clause, re.IGNORECASE):
            if "," in clause[: found.start()][-2:]:
                continue  # A list of three: which words belong to it is not clear.
            made = f"{clause[: found.start()]}{head}{clause[found.end() :]}, not {found['other']}"
            return " ".join([_sentence(made), *([_sentence(tail)] if tail else [])])
    return ""


def _parted(answer: str) -> tuple[str, str]:
    """The piece that an answer begins with, and the reason that follows, if one does."""
    head, *others = re.split(r"[,;!]\s+|\s+[–—-]+\s+|\.\s+", answer.strip(" .!…"))
    told = [one for one in others if not _TALK.match(one) and not _NOT.match(one)]
    return head.strip(" .!,;"), _JOINS.sub("", ", ".join(told).strip(" .!,;"))


def _as_clause(about: str) -> str:
    """A statement without its speaker: what an assistant does becomes what is to be done."""
    plain = _plain(about)
    if len(plain) > LONGEST:
        return ""
    for pattern, own in _MINE:
        plain = re.sub(f"(?i){pattern}", lambda found, own=own: _like(found[0], own), plain)
    if not plain or "\n" in plain:
        return ""
    lead = _PLAN.match(plain)
    rest = plain[lead.end() :] if lead else plain
    first, space, others = rest.partition(" ")
    verb = BASE_VERBS.get(first.casefold())
    if verb and (lead or first.casefold().endswith("ing")):
        return f"{verb}{space}{others}"
    return "" if lead or is_question(as_statement(about)) else plain


def _plain(about: str) -> str:
    plain = _AT_THE_END.sub("", as_statement(about).rstrip(" .!?…"))
    return plain.removeprefix("- ").replace("’", "'")


def _like(old: str, new: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _with_object(answer: str, clause: str) -> str:
    """`Don't retry at all` with the thing that the assistant wanted to retry."""
    found = _STOP.match(answer.strip())
    verb = BASE_VERBS.get(found["verb"].casefold(), "") if found else ""
    first, _, others = clause.partition(" ")
    if not found or not verb or first.casefold() != verb:
        return ""
    what = _NEXT_NOUN.match(f" {others}")
    if not what:
        return ""
    return f"{found['no']} {found['verb']} {what['object']}{found['rest']}"


def _exchange_led(clause: str, led: re.Match[str]) -> tuple[str, str] | None:
    """`from release` in the place of what the clause has after `from`."""
    objects = [*re.finditer(rf"(?i)\b{led['word']} (?P<object>{_OBJECT})", clause)]
    kind = _kind_of(led["object"])
    if len(objects) > 1 or kind in _MEASURES:
        objects = [one for one in objects if kind and kind.search(f". {one['object']}")]
    if len(objects) == 1:
        found = objects[0]
        old, new = found["object"], led["object"]
        if noun := _shared_noun(old, new):
            old, new = old.split()[1], f"the {new} {noun}"
        new = f"{led['lead'] or ''}{led['word']} {new}".removeprefix(led[0][0])
        new = f"{led[0][0].lower()}{new}"
        return f"{clause[: found.start()]}{new}{clause[found.end() :]}", old
    when = [*_WHEN.finditer(clause)]
    if len(when) == 1 and (kind in _TIMES or _WHEN.search(led[0])):
        found = when[0]
        return f"{clause[: found.start()]}{led[0]}{clause[found.end() :]}", found[0]
    return None


def _shared_noun(old: str, new: str) -> str:
    """`branch` of `the main branch`, if the new value is a bare name for `main`."""
    words = old.split()
    bare = len(words) == 3 and words[0].casefold() == "the" and " " not in new
    return words[-1] if bare and words[-1].islower() and words[-1].isalpha() else ""


def _exchange_alike(
    clause: str, value: str, kind: re.Pattern[str] | None, *, free: bool
) -> tuple[str, str] | None:
    """A value in the place of the only one of its kind, or of what the clause ends with."""
    padded = f". {clause}"
    if kind is not None:
        found = [*kind.finditer(padded)]
        if len({one[0].casefold() for one in found}) == 1:
            old = found[0][0]
            # `No, 17, fine` says nothing else; after `Haile is stateless`, `no, Eritrean` may be
            # what is said of him.
            said_of = kind is _NAME and _IS_SAID.match(padded, found[0].end())
            if old.casefold() == value.casefold() or said_of:
                return None
            new = value.lower() if old.islower() and value.istitle() else value
            if kind is DATE:
                new = day_in_place(value, old, padded[found[0].end() :])
                old = f"the {old}"
            return "".join(_swapped_in(padded, found, new))[2:], old
        if found:
            return None
    for exchange in (_exchange_numbered, _exchange_quantity, _exchange_described):
        if swapped := exchange(clause, value):
            return swapped
    for pattern in (_USES, _LAST) if free else ():
        found = [*pattern.finditer(clause)]
        if len(found) == 1 and _fits(found[0]["value"], value, named=kind is not None):
            one = found[0]
            return f"{clause[: one.start('value')]}{value}{clause[one.end('value') :]}", one[
                "value"
            ]
    return None


def _exchange_numbered(clause: str, value: str) -> tuple[str, str] | None:
    """`Year 5` in the place of `Year 4`, `28 mm` in that of `24 mm`."""
    for pattern in (r"(?P<noun>[^\W\d]+) \d[\d.,:]*", r"\d[\d.,:]* ?(?P<noun>[^\W\d]+)"):
        given = re.fullmatch(pattern, value)
        if not given:
            continue
        noun = re.escape(given["noun"])
        wanted = rf"\b{noun} \d[\d.,:]*\b" if value[0].isalpha() else rf"\b\d[\d.,:]* ?{noun}\b"
        found = [*re.finditer(f"(?i){wanted}", clause)]
        # With another figure beside it, what follows from the wrong one would be told as true.
        if len(found) == 1 and len(_FIGURE.findall(f". {clause}")) <= 1:
            one = found[0]
            new = _like(one[0], value) if one[0][:1].isupper() else value.lower()
            return f"{clause[: one.start()]}{new}{clause[one.end() :]}", one[0]
    return None


def _exchange_quantity(clause: str, value: str) -> tuple[str, str] | None:
    """`six weeks` or `an hour` in the place of `30 days`: a quantity has its own unit."""
    found = [*QUANTITY.finditer(clause)]
    if len(found) != 1 or not _IS_QUANTITY.fullmatch(value):
        return None
    if len(_FIGURE.findall(f". {clause}")) > 1:
        return None
    one = found[0]
    return f"{clause[: one.start()]}{value}{clause[one.end() :]}", one[0]


def _exchange_described(clause: str, value: str) -> tuple[str, str] | None:
    """`the staging server` in the place of `the production server`."""
    first, *described, noun = value.split() if value.count(" ") >= 2 else ("", "")
    if first.casefold() not in ("the", "our", "my", "a", "an") or not noun.isalpha():
        return None
    found = [*re.finditer(rf"(?i)\b(?:the|our|my|a|an) (?P<old>[\w-]+) {noun}\b", clause)]
    if len(found) != 1:
        return None
    old = found[0]
    return f"{clause[: old.start('old')]}{' '.join(described)}{clause[old.end('old') :]}", old[
        "old"
    ]


def _swapped_in(text: str, found: Sequence[re.Match[str]], value: str) -> Iterable[str]:
    at = 0
    for one in found:
        yield text[at : one.start()]
        yield value
        at = one.end()
    yield text[at:]


def _fits(old: str, new: str, *, named: bool) -> bool:
    """Whether a value may stand where another one stood: no figure for a word."""
    if any(one.search(f". {old}") for one in _MEASURES) or _WHEN.match(new):
        return False
    first = new.split(maxsplit=1)[0].casefold()
    order = first in BASE_VERBS and " " in new
    if new[0].isdigit() or order or _kind_of(new) in _MEASURES:
        return False
    return named or passages.word_count(new) < MOST_OBJECT_WORDS


def _kind_of(value: str, *, opened: bool = False) -> re.Pattern[str] | None:
    """The kind of values that one is of, if it is nothing else.

    After a `no,` a capital is a name's; at the beginning of a turn it may be anybody's.
    """
    plain, lead = value.strip(), "x " if opened else ". "
    for kind in _KINDS:
        if (found := kind.search(f"{lead}{plain}")) and len(found[0]) == len(plain):
            return kind
    return None


def _sentence(text: str) -> str:
    text = statements.with_capital(" ".join(text.split()).strip(" ,;:—–-"))
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
