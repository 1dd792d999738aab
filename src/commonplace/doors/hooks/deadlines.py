"""Time limits of hooks, and the markers between a hook's child and its parent."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROMPT_S, START_S = 0.27, 0.46
"""Limits for a prompt and a session start; with the start of Python, 300 and 500 ms."""
CHILD_S = 20
"""Seconds that the child may live, also after the time limit."""
STARTING, END = b"+", b"\n"
"""Written by the child when a session starts, and when its answer is complete."""


def time_limits(environ: Mapping[str, str]) -> tuple[float, float]:
    """Seconds for the answer to a prompt and to a session start.

    COMMONPLACE_HOOK_SECONDS gives a slow machine more time.
    """
    try:
        given = float(environ["COMMONPLACE_HOOK_SECONDS"])
    except (KeyError, ValueError):
        return PROMPT_S, START_S
    return given, given
