"""Time limits of hooks, and the markers between a hook's child and its parent."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = "COMMONPLACE_HOOK_SECONDS"
"""Variable that sets both limits."""
PROMPT_S, START_S = 0.3, 0.5
"""Limits for a prompt and a session start, from the start of the process."""
PROMPT_STARTS, START_STARTS = 12, 20
"""The limits in starts of Python, on a machine that is so slow or busy that these are longer."""
HOST_PROMPT_S, HOST_START_S = 4.0, 8.0
"""The longest limits: hosts give up after 5 and 10 seconds."""
CHILD_S = 20
"""Seconds that the child may live, also after the time limit."""
STARTING, END = b"+", b"\n"
"""Written by the child when a session starts, and when its answer is complete."""


def time_limits(environ: Mapping[str, str], began_s: float = 0.0) -> tuple[float, float]:
    """Seconds from now for the answer to a prompt and to a session start.

    `began_s` is the time since the process started, which shows how slow the machine is.
    """
    try:
        given = float(environ[SECONDS])
    except (KeyError, ValueError):
        prompt = min(max(PROMPT_S, PROMPT_STARTS * began_s), HOST_PROMPT_S)
        start = min(max(START_S, START_STARTS * began_s), HOST_START_S)
        return prompt - began_s, start - began_s
    return given, given


def seconds_since_start() -> float:
    """Seconds since this process was started, or the time it has computed if that is unknown."""
    computed = time.process_time()
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        tick = 1 / os.sysconf("SC_CLK_TCK")
        # The start was rounded down to a tick, so this is at most what has passed.
        passed = time.clock_gettime(time.CLOCK_BOOTTIME) - (ticks + 1) * tick
    except (OSError, ValueError, IndexError, AttributeError):
        return computed
    return max(computed, passed)
