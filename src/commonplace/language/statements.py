"""Split a text into statements that can be joined again, shorten it, and find answers in it.

Lines, list items and sentences are statements; a wrapped paragraph is read as one line, and a
block of code, a quote or a table stays whole.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import islice

from ..model.identity import normalized
from ..model.text_cache import remembered
from ..model.value import Value
from . import passages, tokens, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence


REMEMBERED_CHARACTERS = 4_000
"""Longer texts are split each time, as far as somebody reads."""
WRAPPED_CHARACTERS = 60
"""A line this long probably goes on in the next one."""

_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_WHOLE = re.compile(r"[ \t]{0,3}(?:>|\|)")
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]|[ \t]*\*\*[^*\n]+\*\*:?[ \t]*$")
_END = re.compile(r"(?<=[.!?…])[\"'”’»)\]]*[ \t\n]+|(?<=[。！？｡])(?=[^」』）\"”。！？｡])")
_SHORT_FORM = re.compile(
    r"(?i)(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|no|nr|vs|etc|e\.g|i\.e|z\.b|d\.h|u\.a|p\.ej|bzw|ca|cf"
    r"|approx|fig|vol|inc|ltd|bspw|[a-z])\.$"
)
"""A dot after one of these ends a word, not a sentence."""
_ORDINAL = re.compile(
    r"\d{1,2}\.\s+(?:[a-zäöü]|Jan|Feb|März|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrh|Stock)"
)
"""A German date, which goes on after its dot."""
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")


class Statement(Value):
    """One sentence, list item, heading or block, as it stands in its text."""

    text: str
    """Without the bullet that opens its line."""
    before: str = ""
    """The white space and the bullet between it and the statement before."""
    heading: bool = False
    block: bool = False
    """Code, a quote or a table: kept whole, and not read as prose."""

    @property
    def key(self) -> str:
        """Equal for two statements that say the same in the same words."""
        if self.block:
            return self.text.strip()
        return normalized(_EMPHASIS.sub("", self.text))


def split(text: str, *, most: int | None = None) -> tuple[Statement, ...]:
    """Every statement of a text, or the first ones, in order."""
    return tuple(islice(_statements(text), most))


def sentences(text: str) -> list[str]:
    """The statements of a text without headings, code, quotes and tables."""
    return list(iter_sentences(text))


def iter_sentences(text: str) -> Iterator[str]:
    """The same one by one, for callers that may stop early."""
    return (one.text for one in _statements(text) if not one.block and not one.heading)


def join_statements(statements: Iterable[Statement]) -> str:
    """The statements as one text again."""
    made: list[str] = []
    for one in statements:
        before = one.before
        if not made:
            before = before.lstrip("\n")
        made += (before, one.text)
    return "".join(made).strip("\n")


def replace_statements(text: str, wrong: Iterable[Statement], right: str) -> str:
    """The text with what is right in the place of statements that are wrong, once.

    The same text when it makes none of them.
    """
    keys = {one.key for one in wrong}
    said = split(text)
    kept: list[Statement] = []
    for one in said:
        if one.key not in keys:
            kept.append(one)
        elif right:
            open_end = len(said) > 1 and _ends(one.text) and not _ends(right)
            kept.append(one.but(text=f"{right.rstrip()}." if open_end else right))
            right = ""
    return text if kept == list(said) else join_statements(kept).strip()


def _ends(text: str) -> bool:
    return text.rstrip()[-1:] in tuple(".!?。！？")


def _statements(text: str) -> Iterable[Statement]:
    """The statements of a text; a save asks for those of the same few texts many times."""
    return _remembered(text) if len(text) <= REMEMBERED_CHARACTERS else _found(text)


@remembered(characters=100_000)
def _remembered(text: str) -> tuple[Statement, ...]:
    return tuple(_found(text))


def _found(text: str) -> Iterator[Statement]:
    gap = ""
    for lines, kind in _paragraphs(text):
        if kind == "gap":
            gap += lines
            continue
        indent = lines[: len(lines) - len(lines.lstrip(" \t"))]
        body = lines.strip("\n") if kind == "block" else lines.strip()
        gap = gap if kind == "block" else gap + indent
        ending = lines[len(lines.rstrip()) :]
        if kind == "prose":
            yield from _sentences(body, gap)
        else:
            yield Statement(body, gap, heading=kind == "heading", block=kind == "block")
        gap = ending if "\n" in ending else f"{ending}\n"


def _paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """Lines that belong together, and whether they are prose, a heading, a block or a gap."""
    kept, kind, fence = "", "", ""
    for line in text.splitlines(keepends=True):
        if fence:
            kept += line
            if line.strip().startswith(fence) and not line.strip("`~ \t\r\n"):
                yield kept, "block"
                kept, fence = "", ""
            continue
        found = _kind(line)
        mark = _FENCE.match(line)
        if kept and (mark or found != kind or not _continues(kept, line, found)):
            yield kept, kind
            kept = ""
        kept, kind, fence = kept + line, found, mark[1] if mark else ""
    if kept:
        yield kept, kind


def _kind(line: str) -> str:
    if not line.strip():
        return "gap"
    if _FENCE.match(line) or _WHOLE.match(line):
        return "block"
    return "heading" if _HEADING.match(line) else "prose"


def _continues(kept: str, line: str, kind: str) -> bool:
    """Whether a line belongs to the lines before it, which are of the same kind."""
    if kind in ("gap", "block"):
        return True
    last = kept.rstrip("\n").rpartition("\n")[2]
    return kind == "prose" and len(last) >= WRAPPED_CHARACTERS and not _BULLET.match(line)


def _goes_on(text: str, begin: int, stop: int) -> bool:
    """Whether the dot here is not the end of the sentence."""
    # A short form and what stands before it; looking at all of the sentence takes too long.
    if _SHORT_FORM.search(text[max(begin, stop - 8) : stop]):
        return True
    return any(_ORDINAL.match(text, at) for at in (stop - 3, stop - 2) if at >= begin)


def _sentences(text: str, gap: str) -> Iterator[Statement]:
    bullet = _BULLET.match(text)
    if bullet and bullet.end() < len(text):
        gap, text = gap + bullet[0], text[bullet.end() :]
    begin = 0
    for end in _END.finditer(text):
        stop = end.start() + len(end[0].rstrip())
        if end.end() >= len(text) or _goes_on(text, begin, stop):
            continue
        yield Statement(text[begin:stop], gap)
        begin, gap = end.end(), text[stop : end.end()]
    if text[begin:]:
        yield Statement(text[begin:], gap)


# Summaries made of a text's own statements

LONGEST = 400
"""Statements that are weighed; of an endless text the rest comes too late to be its point."""
OPENING_WEIGHT = 1.0
"""The first statement says what the text is about; those after it ever less so."""
NUMBER_WEIGHT, NAME_WEIGHT, POINT_WEIGHT = 0.35, 0.25, 0.5
BLOCK_WEIGHT = 0.3
"""Code and tables are evidence, rarely the point."""
WORTH = 0.3
"""The least weight of a statement in a summary, as a share of the best statement's weight."""
REPEATED_SHARE = 0.7
"""A statement with this share of its words said already adds too little."""

_NAME = re.compile(
    r"(?<=[\w,;:] )(?:[A-ZÀ-ÞΑ-ΩА-Я][\w'-]+)|`[^`]+`|\b[A-Z]{2,}\b|\b\w{1,40}[_./-]\w+"
)
_POINT = re.compile(
    r"(?i)\b(?:important|decided|decision|conclusion|in short|summary|result|because|root cause"
    r"|fixed|solution|must|never|always|prefers?|deadline|warning|so that|therefore|wichtig"
    r"|entschieden|beschlossen|ergebnis|weil|lösung|immer|nie|important|décidé|parce que"
    r"|toujours|jamais|importante|decidido|porque|siempre|nunca)\b"
    r"|重要|决定|決定|因为|因為|结论|結論|必须|必須|总是|ため|必ず|解決"
)


def with_capital(text: str) -> str:
    """The text as a sentence begins; a file or a name of code at its head stays as it is."""
    first = text.partition(" ")[0].rstrip(".,:;!?")
    if any(map(first.__contains__, "._/\\@=")) or any(map(str.isupper, first[1:])):
        return text
    return text[:1].upper() + text[1:]


def summarize(text: str, *, budget_tokens: int) -> str:
    """The statements that matter most, in their order; the text itself when it fits.

    Never longer than the original, and within the budget by estimate.
    """
    if tokens.estimate(text) <= budget_tokens:
        return text
    said = split(text, most=LONGEST)
    if not said:
        return tokens.cut(text, budget_tokens)
    terms = [words.telling_terms(one.text) for one in said]
    weights = _weights(said, terms)
    chosen = _chosen(said, terms, weights, budget_tokens)
    made = _put_together(said, chosen)
    if made and len(made) <= len(text) and tokens.estimate(made) <= budget_tokens:
        return made
    best = max(range(len(said)), key=lambda at: weights[at])
    return tokens.cut(said[best].text.strip(), budget_tokens)


def _weights(said: Sequence[Statement], terms: Sequence[frozenset[str]]) -> list[float]:
    """How much each statement matters."""
    spread = Counter(term for found in terms for term in found)
    return [_weight(at, one, terms[at], spread) for at, one in enumerate(said)]


def _weight(at: int, one: Statement, terms: frozenset[str], spread: Mapping[str, int]) -> float:
    if not terms or one.heading:
        # A heading names what follows, and says nothing by itself.
        return 0.05
    # A word in several statements is a topic of the text.
    about = sum(math.log1p(spread[term] - 1) for term in terms) / math.sqrt(len(terms))
    weight = about + OPENING_WEIGHT / (1 + at)
    weight += NUMBER_WEIGHT * passages.has_number(one.text)
    weight += NAME_WEIGHT * min(3, len(_NAME.findall(one.text)))
    weight += POINT_WEIGHT * (_POINT.search(one.text) is not None)
    if words.is_question(one.text):
        weight *= 0.5
    return weight * (BLOCK_WEIGHT if one.block else 1.0)


def _chosen(
    said: Sequence[Statement],
    terms: Sequence[frozenset[str]],
    weights: Sequence[float],
    budget_tokens: int,
) -> list[int]:
    """The statements to keep: by weight, none that only repeats, as many as fit."""
    left = tokens.affordable(budget_tokens)
    least = WORTH * max(weights)
    chosen: list[int] = []
    known: set[str] = set()
    for at in sorted(range(len(said)), key=lambda at: (-weights[at], at)):
        cost = tokens.price(f"{said[at].before or ' '}{said[at].text}")
        new = len(terms[at] - known)
        repeats = bool(terms[at]) and new <= (1 - REPEATED_SHARE) * len(terms[at])
        if cost > left or weights[at] < least or said[at].heading or repeats:
            continue
        left -= cost
        chosen.append(at)
        known |= terms[at]
    return sorted(chosen)


def _put_together(said: Sequence[Statement], chosen: Sequence[int]) -> str:
    """The chosen statements as a text; where some were left out, a space or a line stands."""
    kept: list[Statement] = []
    for number, at in enumerate(chosen):
        one = said[at]
        if number and at != chosen[number - 1] + 1:
            skipped = "".join(left.before for left in said[chosen[number - 1] + 1 : at + 1])
            bullet = one.before.strip()
            gap = "\n" if "\n" in skipped or one.block or said[chosen[number - 1]].block else " "
            one = one.but(before=f"{gap}{bullet} " if bullet else gap)
        kept.append(one)
    return join_statements(kept).strip()


# Answers to a question

MOST_STATEMENTS = 200
ABOUT_SHARE = 0.6
"""The share of a question's words that a statement needs to be about it."""
_UNKNOWING = (
    r"(?i)\b(?:(?:do|does|did|could|can|was|am|is)(?: not|n['’]t|not) (?:\w+ )?(?:know|have|find"
    r"|found|see|remember|recall|say|tell|sure|able|aware|recorded|mentioned|access)"
    r"|no (?:idea|information|record|memory|mention|notes?|trace)|nothing (?:about|on|in)|unknown"
    r"|unable to|weiß (?:es |das |ich )*nicht|keine (?:ahnung|information)|nichts (?:über|zu)"
    r"|ne (?:le )?sais pas|no (?:lo )?sé|non (?:lo )?so|não sei|nie wiem)\b"
    r"|不知道|不清楚|わかりません|分かりません|知りません|모르|не знаю"
)


def answers_question(text: str, asked: Collection[str]) -> bool:
    """Whether a text answers a question, given as the question's words. A statement answers if:

    - it has most of those words, or the statement before it has them and is no answer;
    - it has other words, too;
    - it is not a question and does not say that the answer is unknown.

    Headings within a text say nothing by themselves.
    """
    after_it = False
    for statement in split(re.sub(r"(?m)^## .*$", "", text), most=MOST_STATEMENTS):
        said = set(words.query_terms(statement.text))
        about = len(said.intersection(asked)) >= ABOUT_SHARE * len(asked)
        asks = words.is_question(statement.text)
        new = not said.issubset(asked) and not asks and not re.search(_UNKNOWING, statement.text)
        if new and (about or after_it):
            return True
        after_it = about and not new
    return False
