"""One line for each fault of a hook, since a hook has nobody to tell."""

from __future__ import annotations

import os
import time

from ...locations import state_root
from .sessions import append

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 300
MOST_BYTES = 100_000


def record(environ: Mapping[str, str], hook: str, what: str) -> None:
    """Add a line to the log; where even that fails, nothing is said at all."""
    from ...rules.screening import credentials_removed

    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {hook}: {' '.join(credentials_removed(what).split())}"[:LONGEST]
    try:
        path = log_path(environ)
        if os.path.exists(path) and os.path.getsize(path) > MOST_BYTES:
            os.replace(path, f"{path}.old")
        append(path, line)
    except OSError:
        return


def log_path(environ: Mapping[str, str]) -> str:
    """Where faults are written down."""
    return os.path.join(state_root(environ), "hooks.log")


def last(environ: Mapping[str, str]) -> str:
    """The latest fault, or nothing."""
    try:
        with open(log_path(environ), encoding="utf-8", errors="replace") as log:
            return (log.read().splitlines() or [""])[-1]
    except OSError:
        return ""
