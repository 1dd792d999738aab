"""What the driver raises, in our own words."""

from __future__ import annotations

import psycopg
import psycopg_pool

from ..errors import Busy, Damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..errors import CommonplaceError, Unavailable

FAILURES = (psycopg.Error, psycopg_pool.PoolTimeout, psycopg_pool.PoolClosed)
_LOST = ("08", "57P")
"""The server went away, or is on its way up or down."""
_UNDONE = ("40", "53300")
"""The server rolled the transaction back for a reason that may be gone the next time."""

_MEANINGS: tuple[tuple[tuple[str, ...], type[CommonplaceError] | None, str, str], ...] = (
    (("55P03", "40", "57014"), Busy, "{} is busy with other work.", "Try again in a moment."),
    (("53100",), None, "{} cannot grow: the server's disk is full.", "Free some space there."),
    (("53",), None, "{} has no room for another connection.", "Raise `max_connections` there."),
    (("28",), None, "{} does not let this role in.", "Check user and password in the URL."),
    (("3D",), None, "{} does not exist.", "Create it: `createdb NAME`."),
    (
        ("42501",),
        None,
        "{} does not allow this role to do that.",
        "Run `commonplace postgres init` as the role that owns the tables.",
    ),
    (
        ("42P01", "42703", "3F"),
        None,
        "{} does not have the tables of a book.",
        "Run `commonplace postgres init` as the role that owns the tables.",
    ),
    (("XX",), Damaged, "{} reports damaged data.", "Restore it from a backup."),
)
"""Beginnings of the server's codes, the error each becomes (None: the backend's own), its words."""


def lost(error: Exception) -> bool:
    """Whether the connection broke, so that nobody knows what became of the last statement."""
    if isinstance(error, psycopg_pool.PoolTimeout):
        return True
    state = _state(error)
    broken = isinstance(error, psycopg.OperationalError) and state is None
    return broken or (state is not None and state.startswith(_LOST) and state != "57014")


def undone(error: Exception) -> bool:
    """Whether nothing happened and the same may work the next time."""
    state = _state(error)
    return state is not None and state.startswith(_UNDONE)


def in_words(error: Exception, failure: type[Unavailable], what: str) -> CommonplaceError:
    """The error of ours that says what an error of the driver means."""
    if isinstance(error, psycopg_pool.PoolClosed):
        return failure(f"{what} is closed.", hint="Open the book again.")
    if lost(error):
        return failure(f"{what} cannot be reached.", hint="Check that the server is running.")
    state = _state(error) or ""
    for states, ours, sentence, hint in _MEANINGS:
        if state.startswith(states):
            return (ours or failure)(sentence.format(what), hint=hint)
    said = str(error).strip().partition("\n")[0]
    return failure(f"{what} cannot be used: {said}", hint="Look at the server's log.")


def _state(error: Exception) -> str | None:
    return error.sqlstate if isinstance(error, psycopg.Error) else None
