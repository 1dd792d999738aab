"""The sentences of a conversation: who said each, in which turn, and under which heading."""

from __future__ import annotations

import re

from ...language import passages, statements, tokens
from ...language.words import is_question, telling_terms
from ...model.value import Value
from ..handed_over.look_back import asks_for_last_session
from ..talk.corrections import with_lets
from ..talk.lessons import own_words
from ..talk.unmarked_questions import with_mark
from . import cues

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ports.reasoner import Turn

MOST_LEADS = 8
"""Words such as `ok, so` that are taken off the start of a sentence."""
FRAGMENT_WORDS, TERSE_WORDS = 2, 14
"""`No offset. Cursor.`: sentences so short, in a turn so short, are read as one."""
FRAGMENT_REST = 3
"""Words that a fragment has at most after `set it` or `let's do that`."""
REMARK_CHARACTERS = 260
LEFT, DONE, PLAN = "left", "done", "plan"
"""The kinds of lines that a heading can announce."""

_SIGNS = re.compile(r"^[^\w\s`\"'“‘«¿¡(\[/@#$€£+-]+\s*")
_THANKS = re.compile(r"(?i)[,.!]?\s*(?:thanks|thank you|thx|please|pls|danke|bitte)\W*$")


class Said(Value):
    """A sentence, by whom and in which turn."""

    turn: int
    speaker: str
    """user or agent."""
    text: str
    listed: str = ""
    """left, done or plan, where a heading or `Next:` says so."""

    @property
    def plain(self) -> str:
        """The sentence without the words that only open it."""
        return _without_lead(self.text)


def read_talk(turns: Sequence[Turn]) -> list[Turn]:
    """The turns of the user and the agent, without what they only passed on."""
    talk = [
        turn.but(text=own_words(turn.text) if turn.speaker == "user" else turn.text)
        for turn in turns
        if turn.speaker != "tool"
    ]
    return [turn for turn in talk if turn.text.strip()]


def read_sentences(talk: Sequence[Turn]) -> list[Said]:
    """Every sentence of a conversation, in order."""
    said: list[Said] = []
    for at, turn in enumerate(talk):
        said += _of_user(at, turn.text) if turn.speaker == "user" else _of_agent(at, turn.text)
    return said


def _of_user(at: int, text: str) -> Iterator[Said]:
    joined = ""
    terse = passages.word_count(text) <= TERSE_WORDS
    for one in map(_on_one_line, statements.iter_sentences(text)):
        joined = f"{joined} {one}".strip()
        if terse and passages.word_count(one) <= FRAGMENT_WORDS and cues.RULED_OUT.match(joined):
            continue
        yield Said(at, "user", with_mark(joined))
        joined = ""
    if joined:
        yield Said(at, "user", with_mark(joined))


def _of_agent(at: int, text: str) -> Iterator[Said]:
    listed, of_line = "", False
    for one in statements.split(text):
        plain = _on_one_line(one.text)
        if one.block or not plain:
            continue
        if one.heading or plain.rstrip("*_ ").endswith(":"):
            listed, of_line = _announced(plain), not one.heading
            continue
        item = "\n" not in one.before or bool(one.before.strip())
        if of_line and not item:
            listed, of_line = "", False
        if next_step := cues.NEXT_STEP.match(plain):
            yield Said(at, "agent", plain[next_step.end() :], LEFT)
        else:
            yield Said(at, "agent", plain, listed)


def _announced(heading: str) -> str:
    """The kind of lines that a heading announces; empty if it announces none."""
    for listed, cue in ((LEFT, cues.LEFT_BELOW), (DONE, cues.DONE_BELOW), (PLAN, cues.PLAN_BELOW)):
        if cue.search(heading):
            return listed
    return ""


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _without_lead(text: str) -> str:
    for _ in range(MOST_LEADS):
        shorter = cues.LEAD.sub("", text, count=1) if cues.LEAD.match(text) else text
        if shorter == text or not shorter.strip():
            break
        text = shorter
    return with_lets(text)


def is_request(one: Said) -> bool:
    """Whether a sentence asks for something."""
    return cues.REQUEST.search(one.text) is not None or is_question(one.text)


def is_about_something(one: Said) -> bool:
    """Whether a sentence has a matter, unlike a greeting."""
    plain = one.plain
    return (
        passages.word_count(plain) >= 3
        and bool(telling_terms(plain))
        and not cues.CHITCHAT.match(plain)
    )


def is_fragment(one: Said) -> bool:
    """Whether a sentence says too little without the one before: `Set it to 15 then`."""
    found = cues.FRAGMENT.match(one.plain)
    rest = next(filter(None, found.groups()), "") if found else ""
    return found is not None and passages.word_count(rest) <= FRAGMENT_REST


def looks_back(one: Said) -> bool:
    """Whether a sentence asks for the last session, and is no work by itself."""
    return asks_for_last_session(one.text)


def proposes(one: Said) -> bool:
    """Whether a sentence offers something that is not done yet."""
    return cues.PROPOSAL.search(one.text) is not None and not cues.CHITCHAT.match(one.text)


def is_left(one: Said) -> bool:
    """Whether a sentence says that something is left to do."""
    plain = one.plain
    if one.listed == LEFT:
        return True
    if is_question(one.text) or passages.word_count(plain) < 4:
        return False
    if any(cue.search(plain) for cue in (cues.CHITCHAT, cues.ABANDONED, cues.NOTHING_LEFT)):
        return False
    if cues.CORRECTS.match(one.text) or one.listed == DONE:
        return False
    announced = one.speaker == "user" and cues.ANNOUNCED.match(plain) is not None
    return announced or cues.OPEN.search(plain) is not None


def as_sentence(text: str) -> str:
    """A sentence of its own, cut to a bounded length."""
    text = _THANKS.sub("", _SIGNS.sub("", text)).strip(" ,;:—–-")
    if not text:
        return ""
    text = tokens.shortened(text, price_limit=10**9, characters=REMARK_CHARACTERS)
    text = statements.with_capital(text)
    return text if not text.isascii() or text[-1] in ".!?…`)\"'" else f"{text}."
