"""Which standing rules apply to the work that a prompt asks for, whatever words they use.

`Always format dates as MM/DD` applies when a date is to be written. A question asks for no work,
unless it is a polite request: `Can you install lodash?`
"""

from __future__ import annotations

from ...language.vocabulary.activities import ACTIVITIES
from ...model.lazy_pattern import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

MOST_CHARACTERS = 400
"""A longer prompt is mostly pasted, and its words say little about what is wanted."""
HEAD_WORDS = 7
"""A rule says what it is about in its first words."""
_POLITE_WORDS = (
    "can you", "could you", "would you", "please", "pls", "bitte", "kannst du", "peux-tu", "puedes",
)  # fmt: skip
_POLITELY = "|".join(_POLITE_WORDS)
_REQUEST = lazy(
    rf"(?i)(?:(?:{_POLITELY}|hi|hey|hello|now|then|and|so|ok(?:ay)?|next|also|just|first"
    r"|let's|i (?:need|want|would like)(?: you)? to|i'd like(?: you)? to|we (?:need|have) to),? )*"
    r"(?:add|install|reinstall|uninstall|upgrade|update|write|draft|compose|create|make|build|draw"
    r"|plot|chart|render|show|display|print|put|set|give|send|mail|reply|answer|translate|format"
    r"|convert|calculate|compute|count|export|generate|prepare|schedule|book|note|log|style|paint"
    r"|colou?r|design|implement|code|test|commit|push|merge|open|ship|deploy|release|publish|run"
    r"|query|select|list|announce|invite|quote|invoice|bill|include|insert|extend|turn"
    r"|increase|improve|raise|cover|optimi[sz]e|speed up|tune|rewrite|refactor|cut|bump|tag|start"
    r"|alter|drop|migrate|document|roll|wrap|check out|branch|finish|fix|make sure|prepare"
    r"|installiere|schreib\w*|erstelle?|mach\w*|zeig\w*|füge?|setz\w*|écris|ajoute|installe|fais"
    r"|escribe|añade|instala|haz|crea)\b"
    r"|.{1,60}\b(?:needs?|should (?:have|show|get)|must (?:have|show)) "
)
"""Asks for something to be made; to move, rename or explain a thing makes nothing."""
_POLITE_QUESTION = lazy(
    rf"(?i)(?:(?:hi|hey|hello|and|so|ok(?:ay)?|now|then|also),? )*(?:{_POLITELY})\b"
)
_ADDS_PACKAGE = lazy(r"\badd @?\w+[-_@./]\w")
"""`Add httpx-retries` installs something; `add a column` does not."""


_IN_PARTS = str.maketrans("/-", "..")
_BREAKS = frozenset("\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029.!?…。！？｡|`~")
"""Characters without which a text is one sentence."""


def requested_work(prompt: str) -> frozenset[int]:
    """The kinds of work, by their places in ACTIVITIES, that a prompt asks to be done."""
    if len(prompt) > MOST_CHARACTERS or not _work_named_in(prompt):
        return frozenset()
    asking = (one for one in _sentences(prompt) if _asks_for_work(one))
    return frozenset(at for one in asking for at in _work_named_in(one))


def _sentences(prompt: str) -> list[str]:
    """The sentences of a prompt; most prompts are one, and need no patterns to find it."""
    whole = prompt.strip()
    plain = whole[:1].isalpha() and not _BREAKS.intersection(whole[:-1])
    if plain:
        return [whole]
    # Imported here: compiling its patterns takes a third of a cold start.
    from ...language.statements import sentences

    return [one.strip() for one in sentences(prompt)]


def _asks_for_work(sentence: str) -> bool:
    # The long pattern comes last, because a cold start compiles it first.
    return not asks_only(sentence) and _REQUEST.match(sentence) is not None


def asks_only(prompt: str) -> bool:
    """Whether a prompt is a question, and no polite request."""
    # Imported here: most prompts name no such work.
    from ...language.words import is_question

    if not is_question(prompt):
        return False
    # Most questions have none of these words, and need no pattern to know what is before them.
    polite = any(map(prompt.casefold().__contains__, _POLITE_WORDS))
    return not (polite and _POLITE_QUESTION.match(prompt))


def _work_named_in(text: str) -> frozenset[int]:
    said = set(_words(text))
    if "add" in said and _ADDS_PACKAGE.search(text.casefold()):
        said.add("install")
    return frozenset(at for at, (asked, _) in enumerate(ACTIVITIES) if asked & said)


def applies_to(rule: str, work: Collection[int]) -> bool:
    """Whether a rule is about one of these kinds of work."""
    head = set(_words(" ".join(rule.split()[:HEAD_WORDS])))
    return any(ACTIVITIES[at][1] & head for at in work)


def _words(text: str) -> list[str]:
    """The words in small letters, those with a slash or a hyphen also in their parts."""
    # Without a pattern, because every prompt is asked about and most need none.
    spaced = "".join(c if c.isalnum() or c in "_./-" else " " for c in text)
    whole = [word for one in spaced.split() if (word := one.rstrip("./-").casefold())]
    parts = (part for one in whole for part in one.translate(_IN_PARTS).split("."))
    return [*whole, *(part for part in parts if part not in whole)]
