"""Finish a line that is kept of a conversation, so that it stands alone.

After `I'll quote the oak shelf at 140 euros.`, `Oh no, it went up to 165` is kept as `The oak shelf
went up to 165.` Where two things may be meant, the line quotes the sentence that it answers.
"""

from __future__ import annotations

import re

from ...language import passages, statements
from ...language.vocabulary import STOPWORDS
from ...language.vocabulary.plans import BASE_VERBS
from ...language.words import is_question, telling_terms
from . import short_answers
from .corrections import LEADS, as_sentence, plain_sentence, without_opener
from .value_words import DAY, MONTH, QUANTITY, UNIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_NAMED_WORDS = 3
"""Words of a thing after its `the`."""
MOST_OPENERS = 4
LONG_LINE = 6
"""A line of more words says what it is about."""
LEAST_WORDS = 3
"""Words of a sentence that may say what the next one is about."""

_PREAMBLE = re.compile(
    r"(?i)^(?:(?:right \w+,? )?(?:but )?wrong \w+"
    r"|i (?:told you|gave you|said|got|had|wrote|put) (?:you )?(?:that |it |this )?(?:all )?wrong"
    r"|i (?:mixed|got) (?:that|it|them|those)(?: \w+)? (?:up|wrong)|i made a mistake"
    r"|i should(?:'ve| have) (?:said|told you|mentioned)(?: that)?"
    r"|by the way|btw|fyi|for the record|just so you know|to be clear|one (?:more )?thing"
    r"|(?:i|we)(?:'ve| have)? changed (?:my|our) minds?|change of plans?|new plan|plans changed"
    r"|(?:i|we) (?:took|have taken) (?:back )?(?:the|that|this|our|my) [\w' -]{2,40}?(?: back)?"
    r"(?=:)"
    r"|that(?:'s| has|'s been)? changed|old news|slip of the \w+|come to think of it"
    r"|now that you (?:mention|say) it)(?:[,.!:;…]+|\s+[—–-]+)\s+"
    r"|^(?:by the way|btw)\s+"
)
"""Says that something follows, and not what."""
_CLOSING = re.compile(
    r"(?i)(?:,| [—–-])? (?:thanks|thank you|thx|sorry|lol|haha+|btw|fyi|ok(?:ay)?"
    r"|just so you know|for the record)[.! ]*$"
)
_PRONOUN = re.compile(
    r"(?i)(?<![\w'-])(?P<word>he|she|him|her|his|hers|it|its|they|them|their|these|those|that|this"
    r"|there)(?P<short>'s|'re|'ll|'d|'ve)?(?![\w'-])"
)
_PERSONAL = frozenset({"he", "she", "him", "her", "his", "hers"})
_PLURAL = frozenset({"they", "them", "their", "these", "those"})
_DETERMINERS = frozenset({"that", "this", "these", "those"})
_OWNED = frozenset({"his", "her", "its", "their"})
_POINTS_ALONE = re.compile(
    r"(?i)(?=[,.;:!?]|$| (?:to|on|at|in|from|by|for|before|after|until|till|now|any|every|again)\b)"
)
_NO_PLACE = re.compile(r"(?i)(?:'s|'re)|\s+(?:is|are|was|were|will|has|have|should|must|may)\b")
_NO_THING = re.compile(
    r"(?i)(?:'s| is| was)? (?:fine|ok(?:ay)?|good|best|better|important|likely|possible|hard|easy"
    r"|worth|time|cold|hot|late|early|safer?|cheaper|too|rains?|raining|snows?|takes|depends"
    r"|matters|doesn't matter|looks like|seems|turns out)\b"
)
"""After `it`: nothing is pointed at."""
_AGAIN = re.compile(
    r"(?i)\b(?:do|does|did|doing|done) (?:it|that|this|so)\b"
    r"|\b(?:with|without|have|has|needs?) (?P<of>one|any|none)(?=[,.!;]|$)"
)
"""Says again what was said before, without its words."""
_TITLED = r"(?:Mrs?|Ms|Miss|Dr|Prof|Frau|Herr|Aunt|Uncle|Coach|Sister|Father)\.? [A-ZÀ-Þ][\w-]+"
_NAMED = re.compile(
    rf"{_TITLED}|(?<=[a-z,] )(?<!\bthe )(?<!\bin )(?<!\bat )(?<!\bfrom )[A-ZÀ-Þ][\w-]+"
    r"(?: [A-ZÀ-Þ][\w-]+)*|[A-ZÀ-Þ][\w-]+(?='s )"
)
_CAPITAL = re.compile(r"(?<!\w)(?:[A-ZÀ-Þ][\w-]*\w|[\w./-]*\w[-_./]\w*\d[\w./-]*)")
_THING = re.compile(r"(?i)\b(?P<article>the|our|my|your|a|an|this) (?P<rest>[^,.;:!?()]+)")
_ARTICLES = {"your": "my", "a": "the", "an": "the", "this": "the"}
_UNNAMED = """
morning evening afternoon night day week month year hour minute moment weekend time usual same way
rest end start beginning lot bit few couple idea note notes reminder
"""
_NO_NAME = frozenset(_UNNAMED.split())
"""Nouns that `it` seldom means."""
_BARE_PLURAL = re.compile(
    r"^(?P<thing>[A-Z][a-z]+[^s\W]s) (?:are|were|have|get|go|come|need|cost)\b"
)
_FINITE = """
leaves closes opens starts ends meets costs lives goes takes comes sits lies stays gets gives runs
works needs uses has times plays begins belongs arrives holds keeps
"""
_SAYS = frozenset(_FINITE.split())
_BEEN = re.compile(r"(?i)\s+(?:been|got|had|become|gone|moved|changed|left|started|stopped)\b")
_NO_NOUNS = """
never always rather too only often please first again still anything something everything nothing
go okay noted done sure great
"""
_ADVERBS = frozenset(_NO_NOUNS.split())
_SPEAKING = "i you he she it they we i'll we'll i'd we'd you'd they'd she'd he'd"
_SUBJECTS = frozenset(_SPEAKING.split())
"""A verb follows."""
LONG_ENOUGH = 5
"""A word of so many letters with `ed` at its end may still be a `shed`."""
_SAYS_NOTHING = re.compile(
    r"(?i)(?:yes|yep|yeah|no|noted|ok(?:ay)?|understood|done|sure|right|correct|thanks|got it)\b"
)
"""Opens a short sentence that says yes or no to something it does not name."""
MOST_SAYING_YES = 6
_THINGS = ("the ", "our ", "my ")
_ORDER_AT_END = re.compile(
    r"(?i)(?P<told>[^?]{12,}?)(?:[,;]| [–—-]) (?:(?:so|and|pls|please|now|then|just|can you"
    r"|could you)[, ]+)*(?P<verb>[a-z]+)(?: (?:all|in|up|out|down))? "
    r"(?:the|it|that|this|them|those|these|my|our|an?|him|her)\b[^,;.:]*[.!?]*$"
)
"""A statement, and after a comma what is to be done because of it."""
_STANDS = re.compile(
    r"(?i)\b(?:always|never|every|each|when|whenever|if|before|after|until|unless|from now|not"
    r"|only|while|once|instead)\b|n't\b"
)
_NO_STATEMENT = re.compile(
    r"(?i)(?:(?:and|so|but|please|pls|ok(?:ay)?)[, ]+)*(?:if|when|whenever|would|could|can|please"
    r"|let's|lets)\b"
)
_STATES_OF_A_THING = re.compile(
    r"(?i)(?:the|our|my) (?:[\w/-]+ ){1,4}(?:is|are|was|were|has|have|moved|changed|went|goes|costs"
    r"|lives|runs|uses|needs|comes) "
)
"""Says how a thing is that it names itself: `The export is done`, `The uart moved to UART4`."""
_SHORT = {"'re": " are", "'ll": " will", "'ve": " have"}


def without_request(line: str) -> str:
    """Cut a one-time order off the end of a statement: `…, update the title page`.

    A condition or a habit in the order makes it a rule, which stays.
    """
    found = _ORDER_AT_END.match(line)
    verb = found["verb"].casefold() if found else ""
    if not found or BASE_VERBS.get(verb) != verb or _STANDS.search(line, found.end("told")):
        return line
    told = found["told"]
    first = told.split(maxsplit=1)[0].casefold()
    tells = passages.word_count(told) > LEAST_WORDS and first not in BASE_VERBS
    return told if tells and not _NO_STATEMENT.match(told) else line


def standing_line(line: str, before: str, *, lead: str = "") -> str:
    """The line without openers, with names for pronouns or else with the sentence it answers.

    `lead` is what the same person said just before the line.
    """
    if answer := short_answers.quoted_answer(line):
        plain = bare_line(answer)
        about = short_answers.question_of(line)
        named = "" if asks_for_value(about) else _with_names(plain, _pointing(plain), about)
        return named or line.replace(f"“{answer}”", f"“{plain}”")
    plain = as_sentence(bare_line(line))
    pointing, again = _pointing(plain), says_again(plain)
    if not (pointing or again):
        return plain
    if passages.word_count(lead) >= LEAST_WORDS and names_something(lead):
        named = _with_names(plain, pointing, lead)
        return named or f"{as_sentence(bare_line(lead))} {plain}"
    spoken = statements.sentences(before)
    about = answered_sentence(plain, spoken) if spoken else ""
    if not names_something(about):
        return plain
    named = "" if asks_for_value(about) else _with_names(plain, pointing, before)
    return named or short_answers.together(plain, about)


def bare_line(text: str) -> str:
    """A person's words without those that only open or close them: `Hm, wait — `, `, thanks`."""
    plain = text.strip()
    for _ in range(MOST_OPENERS):
        shorter = LEADS.sub("", plain)
        shorter = without_opener(_PREAMBLE.sub("", shorter)) if shorter else plain
        if shorter == plain or not telling_terms(shorter):
            break
        plain = shorter.lstrip(" ,;:—–-")
    plain = plain_sentence(plain)
    closed = _CLOSING.sub("", plain)
    return closed if telling_terms(closed) else plain


def without_preamble(text: str) -> str:
    """A person's words without those that only announce what follows: `Change of plan: `."""
    shorter = _PREAMBLE.sub("", text.strip())
    return shorter if telling_terms(shorter) else text


def points_back(line: str) -> bool:
    """Whether a line has a word for something that it does not name."""
    return bool(_pointing(line))


def says_again(line: str) -> bool:
    """Whether a line repeats without words what was said before: `Ilse does that.`"""
    found = _AGAIN.search(line)
    if found is None or not found["of"]:
        return found is not None
    # `I'm allergic to walnuts, so the cake must not have any` says of what.
    wanted = found["of"].casefold() != "one"
    return not any(_is_plural(one) for one in _nouns(line[: found.start()]) if wanted)


def with_question(line: str, question: str, before: str, *, corrects: bool) -> str:
    """A line whose subject only the user's own question names, together with that question.

    After `Which port has the preview?` and `It uses 4173.`, the line `It uses 4180.` needs the
    question; so does `Legal says 365 days.` after an answer of 400 days, which names nothing of it.
    Empty if the line needs a question and none was asked.
    """
    about, answer = short_answers.question_of(line), short_answers.quoted_answer(line)
    if about:
        if says_of_what(about):
            return line
        strange = telling_terms(answer).isdisjoint(telling_terms(f"{question} {before}"))
        if says_of_what(answer) and not (question and strange):
            return as_sentence(answer)
        return short_answers.together(answer, question) if question else ""
    if answer or not question:
        return line
    spoken = statements.sentences(before)
    needs = not any(map(says_of_what, spoken)) and (
        points_back(line)
        or (
            corrects
            and not (_STATES_OF_A_THING.match(line) or _goes_on(line))
            and telling_terms(line).isdisjoint(telling_terms(f"{question} {before}"))
        )
    )
    if needs or _only_gives_amount(line, f"{question} {before}"):
        return short_answers.together(line, question)
    return line


def _goes_on(line: str) -> bool:
    """Whether a line says so much that it needs no question: `I take back the rebase rule, …`."""
    return passages.word_count(line) > LONG_LINE and not short_answers.is_fragment(line)


def says_of_what(sentence: str) -> bool:
    """Whether a sentence that was answered says by itself what it is about."""
    if points_back(sentence) or says_again(sentence) or not names_something(sentence):
        return False
    if _SAYS_NOTHING.match(sentence) and passages.word_count(sentence) <= MOST_SAYING_YES:
        return False
    return is_question(sentence) or not short_answers.is_fragment(sentence)


def _only_gives_amount(line: str, before: str) -> bool:
    """Whether a line gives an amount in the place of one, and names nothing else of it."""
    new, known = ({unit.casefold().rstrip("s") for unit in _units(text)} for text in (line, before))
    shared = telling_terms(QUANTITY.sub(" ", line)) & telling_terms(QUANTITY.sub(" ", before))
    return bool(new & known) and not shared


def _units(text: str) -> list[str]:
    return [one[0].split()[-1] for one in QUANTITY.finditer(text) if " " in one[0]]


def names_something(sentence: str) -> bool:
    """Whether a sentence names a person or a thing: `Anything else?` and `Go on.` do not."""
    return bool(_NAMED.search(sentence) or _things(sentence) or _nouns(sentence))


def asks_for_value(sentence: str) -> bool:
    """Whether a sentence asks who, what or when: its answer says nothing without it."""
    asks = re.match(
        r"(?i)(?:and |so |but )?(?:who|whom|whose|which|what|where|when|how)\b", sentence
    )
    return asks is not None and is_question(sentence)


def answered_sentence(line: str, spoken: Sequence[str]) -> str:
    """The sentence that a line shares most words with, or else the last one."""
    told = telling_terms(line)
    return max(reversed(spoken), key=lambda one: len(told & telling_terms(one)))


def _pointing(line: str) -> list[re.Match[str]]:
    """The pronouns of a line that no word before them in the line explains."""
    return [one for one in _PRONOUN.finditer(line) if _is_open(one, line)]


def _is_open(found: re.Match[str], line: str) -> bool:
    word, lead, rest = found["word"].casefold(), line[: found.start()], line[found.end() :]
    alone = bool(found["short"] or _POINTS_ALONE.match(rest) or (not lead and _says_of(rest)))
    if word == "there":
        return not found["short"] and not _NO_PLACE.match(rest) and not _CAPITAL.search(lead, 1)
    if word in _PERSONAL:
        named = _CAPITAL.search(lead, 1) or any(one[0].isupper() for one in _nouns(lead)[:1])
        return not named and not _THING.search(lead)
    if word in _DETERMINERS and not alone:
        return False
    if word in ("that", "this"):
        return not _nouns(lead)
    nothing = word == "it" and _NO_THING.match(f"{found['short'] or ''}{rest}")
    # `since they changed the round`: people who need no name.
    people = word in ("they", "their") and lead
    named = any(_is_plural(one) == (word in _PLURAL) for one in _nouns(lead))
    return not (nothing or people or named)


def _says_of(rest: str) -> bool:
    return (
        re.match(r"(?i) (?:is|are|was|were|goes|went|has|have|needs?|should)\b", rest) is not None
    )


def _nouns(text: str) -> list[str]:
    """Words that may name something: neither stop words nor verbs, days or units."""
    found: list[str] = []
    after = ""
    for word in (one.strip(".,;:!?\"'`()") for one in text.split()):
        plain, said_of = word.casefold(), after.casefold() in _SUBJECTS
        after = word
        if not word or said_of or plain in STOPWORDS or plain in BASE_VERBS or plain in _ADVERBS:
            continue
        if word[0].isdigit() or plain.endswith(("ly", "n't")) or _is_past(plain):
            continue
        if not (DAY.fullmatch(word) or MONTH.fullmatch(word) or UNIT.fullmatch(word)):
            found.append(word)
    return found


def _is_past(word: str) -> bool:
    return len(word) > LONG_ENOUGH and word.endswith("ed") and not word.endswith("eed")


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))


def _with_names(line: str, pointing: Sequence[re.Match[str]], before: str) -> str:
    """The line with a name for each pronoun; empty if one may mean several things, or none."""
    made, at, people = "", 0, True
    if not pointing or says_again(line):
        return ""
    for found in pointing:
        name = _only_antecedent(found["word"].casefold(), before)
        short, rest = (found["short"] or "").casefold(), line[found.end() :]
        thing = name.startswith(_THINGS)
        if not name or short == "'d" or (thing and _is_value(f"{short}{rest}")):
            return ""
        people = people and found["word"].casefold() in _PERSONAL
        says = (" has" if _BEEN.match(rest) else " is") if short == "'s" else _SHORT.get(short, "")
        owned = found["word"].casefold() in _OWNED and not _POINTS_ALONE.match(rest)
        made += f"{line[at : found.start()]}{name}{chr(39) + 's' if owned else says}"
        at = found.end()
    # Much is said of a person: without a word of the matter, it is not clear which one is meant.
    if people and telling_terms(line).isdisjoint(telling_terms(before)):
        return ""
    return as_sentence(made + line[at:])


def _is_value(rest: str) -> bool:
    """Whether `it` has a value after `is`, such as a day: that is seldom said of a thing named."""
    said = re.match(
        r"(?i)(?:'s|'re| is| are| was| were)\s+(?:now |been |just )*(?P<next>[\w-]+)", rest
    )
    return said is not None and not re.search(r"(?i)(?:ed|en|ne|ght|pt|lt|ld)$", said["next"])


def _only_antecedent(pronoun: str, before: str) -> str:
    """The one person or thing of a turn that a pronoun may mean; empty if several may, or none."""
    spoken = statements.sentences(before)
    if pronoun in _PERSONAL:
        names = {name[0] for one in spoken for name in _NAMED.finditer(one)}
        names = {one for one in names if not (DAY.fullmatch(one) or MONTH.fullmatch(one))}
        first = {one.split(maxsplit=1)[0].strip(",.:;!?'") for one in spoken}
        unclear = {one for one in first if one.casefold() not in STOPWORDS | BASE_VERBS.keys()}
        known = {part for one in names for part in one.replace(".", "").split()}
        unclear = {one for one in unclear if one.removesuffix("'s") not in known}
        return names.pop() if len(names) == 1 and not unclear else ""
    if pronoun in ("there", "that", "this", "these", "those"):
        return ""
    things = [thing for one in spoken for thing in _things(one)]
    fitting = {one for one in things if _is_plural(one) == (pronoun in _PLURAL)}
    others = [name for one in spoken for name in _CAPITAL.findall(one, 1)]
    others = [one for one in others if not any(one in thing for thing in things)]
    others = [one for one in others if not (DAY.fullmatch(one) or MONTH.fullmatch(one))]
    if pronoun in _PLURAL or len(fitting) != 1:
        others = []
    return fitting.pop() if len(fitting) == 1 and not others else ""


def _things(sentence: str) -> list[str]:
    """The things that a sentence names: `the oak shelf`, `logs`; one unclear thing makes it two."""
    found: list[str] = []
    if bare := _BARE_PLURAL.match(sentence):
        found.append(bare["thing"].lower())
    for one in _THING.finditer(sentence):
        words: list[str] = []
        for word in one["rest"].split():
            plain = word.casefold()
            if plain in STOPWORDS or plain in BASE_VERBS or word[0].isdigit() or _is_past(plain):
                break
            if words and (plain[:-1] in BASE_VERBS or plain in _SAYS):
                break
            words.append(word)
        if not words or words[-1].casefold() in _NO_NAME or UNIT.fullmatch(words[-1]):
            continue
        article = one["article"].casefold()
        if len(words) > MOST_NAMED_WORDS or article == "my":
            return ["", "s"]  # Where the thing ends is not clear, or it is the assistant's.
        found.append(f"{_ARTICLES.get(article, article)} {' '.join(words)}")
    return found
