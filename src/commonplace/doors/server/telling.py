"""What a model reads of an answer: memories as quoted, attributed lines; next to them the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...rules.digest import framing
from ...rules.digest.building import attribution
from ...rules.notes.namespaces import named
from ...value import Value
from ..plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...model import Memory, Recalled
    from ...results import Saved

SHOWN_CHARACTERS = 600
CUT = " […]"
_SURE = {
    "strong": "",
    "weak": "These fit only loosely: check before relying on one.",
    "none": "The book probably does not know this; what follows is only the nearest it has.",
}
_SAVED = {
    "created": "Remembered",
    "merged": "Merged with what was known",
    "deduplicated": "Already known, nothing new was written",
    "superseded": "Remembered in place of an older version",
    "staged": "Waits for a person's review, because something more trusted says otherwise",
}


class Answer(Value):
    """What a tool gives back: a text for the model, and the same as data."""

    text: str
    data: dict[str, Any]


def recalled(found: Recalled, *, whole: bool) -> Answer:
    """Hits, best first: whole, or the part of each that fits best."""
    if not found:
        text = "Nothing in the book answers that. Say so rather than guess."
        return Answer(text, plain(found))
    shown = (
        line(hit.memory, hit.memory.content if whole else hit.excerpt or hit.memory.content, whole)
        for hit in found
    )
    return Answer("\n".join(filter(None, (_SURE[found.sure], framed(shown)))), plain(found))


def listed(memories: list[Memory], *, empty: str) -> Answer:
    """Several memories, a line each."""
    text = framed(line(memory, memory.content) for memory in memories) or empty
    return Answer(text, {"memories": plain(memories)})


def shown(memory: Memory, *, full: bool) -> Answer:
    """One memory whole, or its summary, or its beginning."""
    text = memory.content if full else memory.summary or memory.content
    if not full and len(text) > SHOWN_CHARACTERS:
        text = text[:SHOWN_CHARACTERS] + CUT
    data = {**plain(memory), "content": text, "cut": text != memory.content}
    return Answer(framed([line(memory, text, full)]), data)


def saved(done: Saved) -> Answer:
    """What became of a text."""
    late = "" if done.indexed else " It is safe but not searchable yet."
    return Answer(f"{_SAVED[done.action]}: {done.memory.id}.{late}", plain(done))


def line(memory: Memory, text: str, whole: bool = False) -> str:
    """One memory as a line that says where it is from and cannot speak as anybody else."""
    quoted = framing.quoted(named(memory, text))
    if not whole and len(quoted) > SHOWN_CHARACTERS:
        quoted = quoted[:SHOWN_CHARACTERS].rstrip() + CUT
    return f"- {attribution(memory)} {quoted}"


def framed(lines: Iterable[str]) -> str:
    """The lines inside the frame that marks them as memories."""
    return framing.framed(list(lines))
