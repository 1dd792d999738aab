"""Begin what a hook has no time for, in a process of its own that outlives it."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .drain import Drained


def begin_drain(environ: Mapping[str, str]) -> None:
    """Let somebody look through the sessions that are over, while this process ends."""
    command = [sys.executable, "-m", "commonplace", "hook", "drain"]
    if not hasattr(os, "posix_spawn"):
        import subprocess

        null = subprocess.DEVNULL
        subprocess.Popen(command, env=environ, stdin=null, stdout=null, stderr=null)  # noqa: S603
        return
    null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    try:
        os.posix_spawn(sys.executable, command, environ, file_actions=null, setsid=True)
    except NotImplementedError:  # A system that cannot start a session of its own.
        os.posix_spawn(sys.executable, command, environ, file_actions=null, setpgroup=0)


def drain_now(environ: Mapping[str, str]) -> Drained:
    """Look through the sessions that are over, here and now."""
    from ...assemble import open_book
    from ...settings import load
    from .drain import Drained, drain
    from .faults import record
    from .sessions import folder, moment

    chosen = load(environ)
    place = folder(chosen.state, chosen.url or "")
    if not chosen.url or not os.path.isdir(place):
        return Drained()
    with open_book(settings=chosen, source="hook", create=False) as book:
        done = drain(book, place, now=moment())
    for why in done.refused:
        record(environ, "drain", f"A session was not kept: {why}")
    return done
