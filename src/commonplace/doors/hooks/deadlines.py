"""How long an answer may take, and how the child that makes it says where it is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROMPT_S, START_S = 0.27, 0.46
"""From here to the answer; Python has started before, and 300 and 500 ms are for all of it."""
AFTERWARDS_S = 20
"""How long the child may go on after that."""
STARTING, END = b"+", b"\n"
"""What the child says when a session is starting, and when its answer is complete."""


def allowed(environ: Mapping[str, str]) -> tuple[float, float]:
    """How long an answer may take, to a prompt and at the start of a session.

    COMMONPLACE_HOOK_SECONDS gives a slow machine more.
    """
    try:
        given = float(environ["COMMONPLACE_HOOK_SECONDS"])
    except (KeyError, ValueError):
        return PROMPT_S, START_S
    return given, given
