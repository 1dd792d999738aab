"""What can happen to a book: the name that audit events have for it, and what is known of each."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Event

PURGED, ERASED, MOVED, ABANDONED = "purged", "erased", "moved", "abandoned"
REFUSED, CONTRADICTED = "refused", "contradicted"

LEARNED = ("created", "promoted", "accepted")
PUT_RIGHT = ("corrected", "edited", "merged", "superseded")
RETIRED = ("archived", "forgotten", "retired", "rejected")
BROUGHT_BACK = ("restored", "reverted", "revived")
TENDED = ("staged", "deduplicated", "renamed", "staled", "loaded", "unloaded", "reviewed")
UNDOABLE = frozenset({*LEARNED, *PUT_RIGHT, *RETIRED, *BROUGHT_BACK, *TENDED})
"""What `revert` can take back."""

TOLD_ONLY = (REFUSED, CONTRADICTED)
"""Events that changed no memory."""
SAYS_THE_SAME = ("revealed", "resealed", *TOLD_ONLY)
"""What is told of a memory but leaves what it says as it was."""
TOMBSTONES = (PURGED, ERASED)
"""What events of these actions removed stays gone, whatever is restored."""
ALL = UNDOABLE | {*TOMBSTONES, *SAYS_THE_SAME, MOVED, ABANDONED}

MAKING = ("created", "staged", "promoted", "corrected", "edited", "merged")
"""What may bring a memory into being; `edited` does when it names what it replaced."""
DERIVING = ("created", "staged", "promoted", "merged")
"""What may make a memory out of others, so that it goes when they do."""


def is_write(event: Event) -> bool:
    """Whether it stands for one text that somebody gave to be remembered."""
    return event.action in ("created", "deduplicated") or (
        event.action == "staged" and not event.automatic
    )


def is_repeat(event: Event) -> bool:
    """Whether a write said what was known already, or mostly."""
    return event.action in ("deduplicated", "merged")


def reason_of(event: Event) -> str:
    """Why a write was refused."""
    return _said(event).get("reason", "")


def texts_of(event: Event) -> int:
    """How many texts were refused at once for one reason."""
    return int(_said(event).get("texts", "1"))


def _said(event: Event) -> dict[str, str]:
    try:
        return json.loads(event.before)
    except ValueError:
        return {}
