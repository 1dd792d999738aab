"""What a foreign file says, taken with care: nothing in it need be what it should be."""

from __future__ import annotations

from datetime import UTC, datetime

from ...model.codec import moment
from ...model.memory import Draft
from ...model.results import LeftOut
from ...model.value import Value
from ...rules.digest import without_echo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeGuard


LONGEST_LINE = 200
_MILLISECONDS = 1e11
"""A number of seconds beyond this is the year 5138, so it is one of milliseconds."""


def mapping(value: Any) -> dict[str, Any]:
    """An object, or an empty one."""
    return value if _is_mapping(value) else {}


def listed(value: Any) -> list[Any]:
    """A list, or an empty one."""
    return value if _is_list(value) else []


def words(value: Any) -> str:
    """A text without space around it, or an empty one."""
    return value.strip() if isinstance(value, str) else ""


def one_line(value: Any) -> str | None:
    """A text as a single short line; None when it says nothing."""
    return " ".join(words(value).split())[:LONGEST_LINE].strip() or None


def labels(value: Any) -> tuple[str, ...]:
    """A list of short texts."""
    found = (one_line(one) for one in (listed(value) or [value]))
    return tuple(dict.fromkeys(one.lstrip("#") for one in found if one and one.strip("#")))


def time(value: Any) -> datetime | None:
    """A moment written as ISO text or as seconds since 1970; None when it is neither."""
    try:
        if isinstance(value, str) and value:
            return moment(value.strip())
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            seconds = value / 1000 if value > _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _is_mapping(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


# A conversation as drafts: each turn word for word, in its place.


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
