"""One line for each fault of a hook, since a hook has nobody to tell."""

from __future__ import annotations

import os
import time

from ...locations import state_root
from .sessions import append

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "hooks.log"
LONGEST = 300
MOST_BYTES = 100_000


def record(environ: Mapping[str, str], hook: str, what: str, *, state: str = "") -> None:
    """Add a line to the log; where even that fails, nothing is said at all.

    It is in the state folder that the settings name, for those who know it.
    """
    from ...rules.screening import credentials_removed

    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {' '.join(credentials_removed(f'{hook}: {what}').split())}"[:LONGEST]
    try:
        path = os.path.join(state or state_root(environ), NAME)
        if os.path.exists(path) and os.path.getsize(path) > MOST_BYTES:
            os.replace(path, f"{path}.old")
        append(path, line)
    except OSError:
        return


def log_path(environ: Mapping[str, str]) -> str:
    """Where faults were last written down; before settings can be read, it is elsewhere."""
    logs = [os.path.join(root, NAME) for root in roots(environ)]
    return max(logs, key=lambda log: os.path.getmtime(log) if os.path.exists(log) else 0.0)


def roots(environ: Mapping[str, str]) -> list[str]:
    """The folders that a log may be in."""
    from ...settings import load

    try:
        named = load(environ).state
    except Exception:  # Whatever is wrong with settings, it is told of somewhere.
        named = state_root(environ)
    return list(dict.fromkeys((named, state_root(environ))))


def last(environ: Mapping[str, str]) -> str:
    """The latest fault, or nothing."""
    try:
        with open(log_path(environ), encoding="utf-8", errors="replace") as log:
            return (log.read().splitlines() or [""])[-1]
    except OSError:
        return ""
