"""Which memories of agents and imports are refused, and which topic a memory belongs to.

Refused are thinking aloud, program output without a statement, and weak guesses. A person's own
memories are refused only if they hold no word or number, or one piece again and again.
"""

from __future__ import annotations

import re
import unicodedata

from ..language import statements, words
from ..model.memory import WORK_STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..model.memory import Memory


KEPT_WORD_FOR_WORD = (
    "profile", "override", "proposal", "work", "task-summary", "session-summary", *WORK_STATE,
)  # fmt: skip
"""Kinds with rules of their own."""
MACHINE_SHARE = 0.8
"""The share of lines that a program wrote from which on a text is output and not a statement."""

_LOOKING = (
    "think|check|look|see|try|start|begin|read|open|search|run|find|examine|inspect|investigate"
    "|explore|verify|test|review|continue|proceed|figure|analy[sz]e|consider|go|take a|do"
)
"""Verbs that announce a next step."""
_DOING = f"{_LOOKING}|create|write|add|update|implement|fix|use|make|move|change|remove"
_ALOUD = re.compile(
    r"(?i)^\W*(?:(?:ok(?:ay)?|alright|right|so|now|first|next|then|hm+|well|wait|great|sure|good"
    r"|perfect)[,.!: …-]+)*(?:"
    rf"let(?:'s| me| us) (?:now |first |just |also )?(?:{_LOOKING})\b"
    r"|(?:maybe |perhaps |i think )?i(?:'ll| will| should| need to| have to| want to|'m going to"
    rf"| am going to) (?:probably |maybe |also |just )?(?:{_LOOKING})\b"
    r"|i(?:'ll| will| should| need to| have to|'m going to| am going to) (?:now|next|first|then)"
    rf" (?:{_DOING})\b|(?:now|next|first|then),? i(?:'ll| will| need to| have to) (?:{_DOING})\b"
    r"|i(?:'?m| am) (?:now |currently |just )?(?:thinking(?! of)|wondering|checking|searching the"
    r"|looking (?:at|into|through)|reading (?:the|this|through)|trying to (?:find|figure|see|under"
    r"|locate|reproduce|work out))\w*|(?:thinking|reasoning|thought|scratchpad)\s*:"
    r"|</?think(?:ing)?>|(?:hm+|wait|ok(?:ay)?|alright)\W*$|actually, (?:wait|let)"
    r"|ich (?:werde|muss|sollte) (?:jetzt|nun|zuerst|erst)\b|mal sehen(?:[,.!…]|$| ob| was| wie)"
    r"|lass (?:mich|uns) mal|je vais (?:maintenant|d'abord)\b|voyons|laisse[zs]?-moi"
    r"|voy a (?:ver|revisar|probar)\b|déjame|veamos"
    r"|让我(?:想|看|先|来)|讓我(?:想|看|先|來)|(?:我先|接下来我|首先我)(?:来|会|要|看|查|检|试|读|运行|分析)"
    r"|(?:まず|では|それでは)、?.{0,20}(?:確認|調査|調べ|見て|読んで|読み|試し|実行).{0,6}(?:ます|しょう)"
    r")"
)
_LASTING = re.compile(
    r"(?i)\b(?:every|each|always|never|until|daily|weekly|monthly|whenever|from now on|tomorrow)\b"
)
"""Words of a plan or habit, which is worth keeping."""
_MACHINE = re.compile(
    r"^\s*(?:"
    r"Traceback \(most recent|File \".+\", line \d+|at [\w$.<>]+\(.*\)|at .+:\d+:\d+|Caused by:"
    r"|goroutine \d+|\w*(?:Error|Exception|Warning)(?::|$)|panic:|fatal:|error\[|npm (?:ERR|WARN)"
    r"|\+{1,3} |-{3} |@@ |diff --git|index [0-9a-f]{7}|\.\.\. \d+ more"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\w{3} \d\d? \d\d:\d\d:\d\d"
    r"|(?:DEBUG|INFO|WARN(?:ING)?|ERROR|TRACE|FATAL)\b"
    r"|\[[#=>. -]{3,}\]|\S*\s*\d{1,3}%\s*[|\[]|[█▉▊▋▌▍▎▏░▒▓#=>.\-| ]{6,}$|\d{1,3}(?:\.\d+)?%"
    r"|(?:Downloading|Collecting|Installing|Compiling|Building|Fetching|Unpacking|Resolving|remote:"
    r"|Requirement already|Successfully installed|Using cached|Receiving objects|PASSED|FAILED)\b"
    r"|[$>%] |>>> |In \[\d+\]|total \d+$|[dl-][rwx-]{9}|\d+ (?:passed|failed)|={3,}|-{3,}|~{3,}"
    r"|\^+$|OK$|[{}\[\]();,]*$|<[/\w][^>]*>$|0x[0-9a-f]+|[0-9a-f]{32,}$"
    r")"
)
_TIME_ONLY = re.compile(
    r"^[\s\d:./,TZ+()\[\]-]*(?:(?:am|pm|utc|gmt|[a-z]{3,9}day|jan\w*|feb\w*|mar\w*|apr\w*|may|june?"
    r"|july?|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*)[\s\d:./,TZ+()\[\]-]*)*$",
    re.IGNORECASE,
)
_LETTERS = "A-Za-zÀ-ɏЀ-ӿ"
_PROSE = re.compile(
    rf"(?<![{_LETTERS}])[{_LETTERS}]{{2,}}(?:[ ,;'’()-]+[{_LETTERS}]+){{3}}"
    r"|[\u3040-\u30ff\u4e00-\u9fff]{4,}"
)
"""Four words in a row, which programs seldom print."""


LEAST_REPEATED = 40
"""Shorter texts may repeat themselves, as in `no, no, no`."""
_REPEATED = re.compile(r"(\S{1,20}?)(?:\s*\1){7,}+\S{0,19}")
"""One word or sign eight times or more, the last time perhaps cut; a sentence is a statement."""


def policy_applies(memory: Memory) -> bool:
    """Whether the policy looks at a memory at all."""
    return (
        memory.trust != "user"
        and memory.episode is None
        and memory.key is None
        and memory.kind not in KEPT_WORD_FOR_WORD
    )


def refusal_reason(memory: Memory, *, confidence_floor: float) -> str:
    """Why a memory is not kept, as a sentence; empty when it is."""
    if not policy_applies(memory):
        return _says_nothing(memory)
    if memory.confidence < confidence_floor:
        return (
            f"A guess with a confidence of {memory.confidence:.2f} is not kept;"
            f" the floor is {confidence_floor:.2f}."
        )
    return text_reason(memory.content) or _says_nothing(memory)


def _says_nothing(memory: Memory) -> str:
    """Why nobody can read anything in a text, not even in one that a person wrote."""
    if memory.episode or memory.key or memory.kind in KEPT_WORD_FOR_WORD:
        return ""
    text = memory.content.strip()
    if not any(one.isalnum() or unicodedata.category(one) == "So" for one in text):
        return "There is no word or number in this text to remember."
    if len(text) >= LEAST_REPEATED and _REPEATED.fullmatch(text):
        return "This text only repeats one piece of itself; there is nothing to remember."
    return ""


def text_reason(text: str) -> str:
    """Why a text is not kept, whoever wrote it, as a sentence; empty when it is."""
    if _only_time(text):
        return "A time or a number alone says nothing."
    if _only_thinking(text):
        return "This is thinking aloud, and not something to remember."
    if _only_output(text):
        return "This is output that passes, without a statement about it."
    return ""


def _only_time(text: str) -> bool:
    return any(map(str.isdigit, text)) and _TIME_ONLY.match(text.strip()) is not None


def _only_thinking(text: str) -> bool:
    """Whether every sentence is about what its writer does next."""
    said = False
    for one in statements.iter_sentences(text):
        if not _ALOUD.match(one.strip()) or _LASTING.search(one):
            return False
        said = True
    return said


def _only_output(text: str) -> bool:
    """Whether a program wrote nearly all of it and nobody says what it means."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("```")]
    if not lines:
        return False
    others = [line for line in lines if not _MACHINE.match(line)]
    if len(lines) == 1:
        return not others and not _PROSE.search(lines[0])
    if any(_PROSE.search(line) for line in others):
        return False
    machine = len(lines) - len(others)
    inside = sum(line[:1] in " \t" for line in others)
    return machine + inside >= MACHINE_SHARE * len(lines)


# Topics

MOST_TOPICS = 500


def takes_topic_of_task(memory: Memory) -> bool:
    """Whether a memory is about the work it was learned in, and not about the person."""
    return memory.kind not in (*KEPT_WORD_FOR_WORD, "preference")


def infer_topic(content: str, tags: Iterable[str], known: Mapping[str, int]) -> str | None:
    """The known topic that a tag names, or whose words the text says most often.

    A topic is never made up: the first memory of a topic names it, and later ones are recognized.
    """
    if not known:
        return None
    marked = {tag.casefold() for tag in tags}
    said: dict[str, int] = {}
    for term in words.terms(content):
        said[term] = said.get(term, 0) + 1
    best: tuple[int, int, int, str] | None = None
    for topic, count in list(known.items())[:MOST_TOPICS]:
        parts = set(words.terms(topic))
        if topic.casefold() in marked:
            rank = (2, len(parts), count, topic)
        elif parts and parts <= said.keys():
            # Two words together tell more than one, and a word said twice more than once.
            rank = (1, len(parts) * 10 + min(said[part] for part in parts), count, topic)
        else:
            continue
        best = max(best, rank) if best else rank
    return best[-1] if best else None
