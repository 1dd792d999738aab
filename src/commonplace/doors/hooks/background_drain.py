"""Begin what a hook has no time for, in a process of its own that outlives it."""

from __future__ import annotations

import os
import sys

from ...locations import PREFIX, config_path
from ...registry import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import Popen

    from ...settings import Settings
    from .drain import Drained

_BEGUN: list[Popen[bytes]] = []
"""Nobody waits for them, and nobody is warned that nobody does."""


def begin_drain(chosen: Settings, environ: Mapping[str, str]) -> None:
    """Let somebody look through the sessions that are over, while this process ends.

    Not in the folder that the agent works in: what is there is somebody else's, such as a package
    that is called as ours (-P keeps Python from looking), and could not be removed meanwhile.
    """
    import subprocess

    named = {
        "URL": absolute(chosen.url or ""),
        "STATE": os.path.abspath(chosen.state),
        "CONFIG": os.path.abspath(config_path(environ)),
    }
    null = subprocess.DEVNULL
    begun = subprocess.Popen(
        [sys.executable, "-P", "-m", "commonplace", "hook", "drain"],
        env={**environ, **{f"{PREFIX}{name}": value for name, value in named.items()}},
        cwd=chosen.state,
        stdin=null,
        stdout=null,
        stderr=null,
        start_new_session=True,
    )
    _BEGUN.append(begun)


def drain_now(environ: Mapping[str, str]) -> Drained:
    """Look through the sessions that are over, here and now."""
    from ...books.open import open_book
    from ...settings import load
    from .drain import Drained, drain
    from .session_files import folders, moment, record

    chosen = load(environ)
    places = [one for one in folders(chosen.state, chosen.url or "") if os.path.isdir(one)]
    if not chosen.url or not places:
        return Drained()
    with open_book(settings=chosen, source="hook", create=False) as book:
        done = [drain(book, place, now=moment()) for place in places]
    refused = tuple(why for one in done for why in one.refused)
    for why in refused:
        record(environ, "drain", f"A session was not kept: {why}", state=chosen.state)
    return Drained(sum(one.sessions for one in done), sum(one.left for one in done), refused)
