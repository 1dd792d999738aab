"""Take what one user said out of the sessions that wait to be looked through."""

from __future__ import annotations

import os
from contextlib import suppress

from ...registry import LOCAL, split, whole
from ...scope import Tenant
from .drain import TAKEN, read
from .faults import NAME as LOG
from .sessions import TURNS, filed, folders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...settings import Settings
    from .drain import Told


def erase(settings: Settings, url: str, tenant: Tenant, *, logs: Iterable[str] = ()) -> int:
    """Remove a user's waiting sessions of a book; says how many there were.

    Also those that somebody has taken to look through: what they hold must not be kept any more.
    And the log of faults, which may quote what anybody said: here, and in further folders, `logs`.
    """
    for root in {settings.state, *logs}:
        for log in (LOG, f"{LOG}.old"):
            _remove(os.path.join(root, log))
    removed = 0
    for place, name in _files(os.path.join(settings.state, "hooks")):
        path = os.path.join(place, name)
        told = read(path)
        # Without its first line nobody could tell whose it is, and nothing could be kept of it.
        if told is None or (_says(told) == tenant and _may_be(told, place, settings, url)):
            _remove(path)
            _remove(filed(place, name).events)
            removed += told is not None
    return removed


def _files(hooks: str) -> Iterator[tuple[str, str]]:
    """Every file of turns, by folder and name: one book may have been filed in several."""
    for place, _, names in os.walk(hooks):
        yield from ((place, name) for name in names if name.removesuffix(TAKEN).endswith(TURNS))


def _says(told: Told) -> Tenant:
    return Tenant(told.context.get("org"), told.context.get("user"))


def _may_be(told: Told, place: str, settings: Settings, url: str) -> bool:
    """Whether a session may have been heard for a book: not if it was clearly another one's."""
    if not told.book:
        # Filed under a spelling that nobody knows any more, unless it is the one in the settings.
        other = settings.url and whole(settings.url) != whole(url)
        return not (other and settings.url and place in folders(settings.state, settings.url))
    scheme, address = split(told.book)
    if scheme in LOCAL:
        # A book that is not where it was then may have been moved.
        return told.book == whole(url) or not os.path.exists(address)
    # A server has many names, so it may be any book of that kind.
    return scheme == split(url)[0]


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        os.remove(path)
