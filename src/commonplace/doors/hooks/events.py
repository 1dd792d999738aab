"""What a host says when something happens in a session, in the one form that we work with.

Fields that we do not know are passed over, and so are events: hosts add both all the time.
"""

from __future__ import annotations

import zlib

from ...quick_json import parsed
from ...value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

START, PROMPT, TURN, END = "start", "prompt", "turn", "end"

_LIKE_CLAUDE = {
    "SessionStart": START, "UserPromptSubmit": PROMPT, "Stop": TURN, "SessionEnd": END,
}  # fmt: skip
MOMENTS: Mapping[str, Mapping[str, str]] = {
    "claude": _LIKE_CLAUDE,
    "codex": _LIKE_CLAUDE,
    "gemini": {
        "SessionStart": START, "BeforeAgent": PROMPT, "AfterAgent": TURN, "SessionEnd": END,
    },
    "copilot": {
        **_LIKE_CLAUDE,
        "sessionStart": START, "userPromptSubmitted": PROMPT, "agentStop": TURN, "sessionEnd": END,
    },
    "cursor": {
        "sessionStart": START, "beforeSubmitPrompt": PROMPT, "afterAgentResponse": TURN,
        "sessionEnd": END,
    },
}  # fmt: skip
"""Each host's names for the four moments that matter to a memory."""
HOSTS = tuple(MOMENTS)

_SESSION = ("conversation_id", "session_id", "sessionId")
_TEXT = {
    PROMPT: ("prompt",),
    TURN: ("last_assistant_message", "prompt_response", "text"),
}
_TURN_ID = ("turn_id", "prompt_id", "generation_id")
_SOURCE = ("source", "reason")


class Event(Value):
    """Something that happened in a session of a host."""

    host: str
    name: str
    """As the host calls it."""
    moment: str
    """start, prompt, turn or end."""
    session: str
    cwd: str = ""
    text: str = ""
    """What was asked, or answered."""
    source: str = ""
    """What a session started from, or ended by."""
    key: str = ""
    """Tells this event from others of its kind; the same when one event is told twice."""
    lasting: bool = False
    """Whether the key is the host's own, so that no later event can have the same."""


def read(host: str, name: str, said: bytes) -> Event | None:
    """The event that a host tells of; None for anything that does not concern us.

    Some hosts name the event in what they say, with others it stands in the command.
    """
    told = _told(said)
    name = _first(told, "hook_event_name") or name
    moment = MOMENTS.get(host, {}).get(name)
    session = _first(told, *_SESSION)
    if moment is None or not session:
        return None
    text = _first(told, *_TEXT.get(moment, ()))
    source = _first(told, *_SOURCE)
    turn = _first(told, *_TURN_ID)
    return Event(
        host=host,
        name=name,
        moment=moment,
        session=session,
        cwd=_first(told, "cwd") or _root(told),
        text=text,
        source=source,
        key=f"{moment}:{_mark(turn + source + text)}",
        lasting=bool(turn),
    )


def _told(said: bytes) -> Mapping[str, Any]:
    try:
        given: Any = parsed(said)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _first(told: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that holds text."""
    for name in names:
        if isinstance(value := told.get(name), str) and value:
            return value
    return ""


def _root(told: Mapping[str, Any]) -> str:
    roots: Any = told.get("workspace_roots")
    if not isinstance(roots, list) or not roots:
        return ""
    first: Any = roots[0]  # pyright: ignore[reportUnknownVariableType]
    return first if isinstance(first, str) else ""


def _mark(text: str) -> str:
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}{len(text):x}"
