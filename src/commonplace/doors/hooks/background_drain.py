"""Drain ended sessions: in a background process that outlives the hook, or right now.

The same process embeds notes without a vector, such as those that a person wrote by hand.
"""

from __future__ import annotations

import os
import sys

from ...locations import PREFIX, config_path
from ...registry import absolute_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import Popen

    from ...settings import Settings
    from .drain import Drained

_STARTED: list[Popen[bytes]] = []
"""Keeps references so that Python raises no ResourceWarning."""


def start_drain(chosen: Settings, environ: Mapping[str, str]) -> None:
    """Start a process that drains ended sessions, while this one ends.

    The process works in the state folder: in the agent's folder, Python might import a package
    called commonplace (-P prevents that, too), and the folder could not be removed meanwhile.
    """
    import subprocess

    named = {
        "URL": absolute_url(chosen.url or ""),
        "STATE": os.path.abspath(chosen.state),
        "CONFIG": os.path.abspath(config_path(environ)),
    }
    null = subprocess.DEVNULL
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "commonplace", "hook", "drain"],
        env={**environ, **{f"{PREFIX}{name}": value for name, value in named.items()}},
        cwd=chosen.state,
        stdin=null,
        stdout=null,
        stderr=null,
        start_new_session=True,
    )
    _STARTED.append(process)


def drain_now(environ: Mapping[str, str], *, embed: bool = True) -> Drained:
    """Drain the ended sessions of the book that the environment names, then embed what waits."""
    from ...books.open import open_book
    from ...settings import load
    from .drain import Drained, drain
    from .session_files import book_folders, log_fault, moment

    chosen = load(environ)
    folders = [one for one in book_folders(chosen.state, chosen.url or "") if os.path.isdir(one)]
    if not chosen.url or not (folders or embed):
        return Drained()
    with open_book(settings=chosen, source="hook", create=False) as book:
        done = [drain(book, folder, now=moment()) for folder in folders]
        if embed:
            book.look()
            book.embed_waiting()
    refused = tuple(why for one in done for why in one.refused)
    for why in refused:
        log_fault(environ, "drain", f"A session was not kept: {why}", state=chosen.state)
    return Drained(sum(one.sessions for one in done), sum(one.left for one in done), refused)
