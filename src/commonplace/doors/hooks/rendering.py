"""What each host takes as context, exactly: a field too many and some refuse the whole answer."""

from __future__ import annotations

from .events import PROMPT, START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .events import Event

MOST_CHARACTERS = 7_900
MOST_TOKENS = 2_400
"""Beyond 10,000 characters (Claude Code) or 2,500 tokens (Codex), context goes into a file."""

TAKES: Mapping[str, tuple[str, ...]] = {
    "claude": (START, PROMPT),
    "codex": (START, PROMPT),
    "gemini": (START, PROMPT),
    "copilot": (START,),
    "cursor": (START,),
}
"""When a host takes context from a hook; at other times it drops, or stumbles over, an answer."""


def takes(event: Event) -> bool:
    """Whether the host takes context at this moment."""
    return event.moment in TAKES[event.host]


def render(event: Event, context: str) -> bytes:
    """The answer to an event, in plain ASCII; nothing when there is nothing to say."""
    if not context or not takes(event):
        return b""
    import json

    return json.dumps(_RENDERERS[event.host](event, context)).encode("ascii")


def _claude(event: Event, context: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def _codex(event: Event, context: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def _gemini(event: Event, context: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}


def _copilot(event: Event, context: str) -> dict[str, Any]:
    return {"additionalContext": context}


def _cursor(event: Event, context: str) -> dict[str, Any]:
    return {"additional_context": context}


_RENDERERS: Mapping[str, Callable[[Event, str], dict[str, Any]]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "copilot": _copilot,
    "cursor": _cursor,
}
