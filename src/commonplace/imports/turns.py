"""A conversation as drafts: each turn word for word, in its place."""

from __future__ import annotations

from ..model import Draft
from ..results import LeftOut
from ..rules.digest.framing import without_echo
from ..value import Value
from .fields import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

KIND = "turn"
SPEAKERS = {"user": "user", "human": "user", "assistant": "assistant"}
"""Who is heard; tools and systems say nothing that a person would want to be told again."""


class Said(Value):
    """One turn as a file has it."""

    speaker: str
    text: str
    at: datetime | None = None
    id: str = ""


def drafts(conversation: str, said: Iterable[Said], *, tag: str) -> Iterator[Draft | LeftOut]:
    """The turns of one conversation, without what was handed to it from a memory."""
    episode = one_line(f"{tag}:{conversation}") or tag
    position = 0
    for turn in said:
        text = without_echo(turn.text).strip()
        if not text:
            yield LeftOut("A turn without words of its own.")
            continue
        yield Draft(
            text,
            kind=KIND,
            episode=episode,
            position=position,
            speaker=SPEAKERS.get(turn.speaker, turn.speaker),
            tags=(tag,),
            created=turn.at,
            imported_id=one_line(turn.id or f"{conversation}:{position}"),
        )
        position += 1
