"""Take what one user said out of the sessions that wait to be looked through."""

from __future__ import annotations

import os
from contextlib import suppress

from ...scope import Tenant
from .drain import read
from .sessions import Session, folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...settings import Settings

TURNS, TAKEN, LOG = ".jsonl", ".taken", "hooks.log"


def erase(settings: Settings, url: str, tenant: Tenant) -> int:
    """Remove a user's waiting sessions of a book; says how many there were.

    Also those that somebody has taken to look through: what they hold must not be kept any more.
    And the log of faults, which may quote what anybody said.
    """
    for log in (LOG, f"{LOG}.old"):
        with suppress(FileNotFoundError):
            os.remove(os.path.join(settings.state, log))
    place = folder(settings.state, url)
    try:
        names = os.listdir(place)
    except OSError:
        return 0
    removed = 0
    for name in names:
        path = os.path.join(place, name)
        if not name.removesuffix(TAKEN).endswith(TURNS):
            continue
        told = read(path)
        # Without its first line nobody could tell whose it is, and nothing could be kept of it.
        if told is None or Tenant(told.context.get("org"), told.context.get("user")) == tenant:
            session = Session(place, name.removesuffix(TAKEN).removesuffix(TURNS))
            for gone in (path, session.events):
                if os.path.exists(gone):
                    os.remove(gone)
            removed += told is not None
    return removed
