"""Drain ended sessions: in a background process that outlives the hook, or right now.

The same process embeds notes without a vector, such as those that a person wrote by hand.
"""

from __future__ import annotations

import os

from ...books.detached import start_detached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...settings import Settings
    from .drain import Drained


def start_drain(chosen: Settings, environ: Mapping[str, str]) -> None:
    """Start a process that drains ended sessions, while this one ends."""
    start_detached("commonplace", ["hook", "drain"], chosen, environ)


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
