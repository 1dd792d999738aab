"""Look through sessions that are over, and keep of them what is worth keeping."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime

from ...model.errors import BadInput, CommonplaceError, Refused
from ...model.scope import Tenant
from ...model.value import Value
from ...ports.reasoner import Turn
from ...registry import LOCAL, split, whole
from .session_files import EVENTS, TURNS, filed, folders, waiting
from .session_files import NAME as LOG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from ...book import Commonplace
    from ...settings import Settings
    from .session_files import SessionFiles


IDLE_S = 3_600.0
"""A session that nothing was heard of for so long is over, whether it said so or not."""
ABANDONED_S = 600.0
"""Whoever took a session to look through it and has not finished by now never will."""
FORGOTTEN_S = 7 * 86_400.0
"""How long it is known which events of a session were answered."""
TAKEN = ".taken"
"""How a file of turns ends while somebody looks through it."""


class HeardSession(Value):
    """One session as it was heard."""

    host: str
    session: str
    context: Mapping[str, str]
    turns: tuple[Turn, ...] = ()
    began: float = 0.0
    ended: bool = False
    book: str = ""
    """The book it was heard for, in the one spelling of its URL; older ones do not say."""


class Drained(Value):
    """What became of the sessions that waited."""

    sessions: int = 0
    left: int = 0
    """Still going on, or not to be kept right now."""
    refused: tuple[str, ...] = ()
    """Why sessions were let go of with nothing kept."""


def drain(book: Commonplace, folder: str, *, now: float) -> Drained:
    """Keep what finished sessions are worth; each is looked through once, by one process.

    What is taken to be looked through is set apart for good, under a name of its own: a session
    that is resumed meanwhile goes on in a new file, which nothing is ever put in the place of.
    """
    _tidy(folder, now)
    done = left = 0
    refused: list[str] = []
    for session in waiting(folder):
        taken = _taken(session) if _over(session, now) else None
        if taken is None:
            left += 1
            continue
        try:
            _keep(book, taken)
        except (BadInput, Refused) as error:
            # Not to be kept at all, such as what was purged: trying again would not help.
            refused.append(error.sentence)
        except CommonplaceError:
            # The book cannot be written right now.
            _rename(taken.turns + TAKEN, taken.turns)
            left += 1
            continue
        done += 1
        _remove_kept(taken)
    return Drained(done, left, tuple(refused))


def read(path: str) -> HeardSession | None:
    """A session from its file; lines that were cut short are passed over, doubles told once."""
    found: dict[str, Any] | None = None
    turns: dict[str, Turn] = {}
    ended, began = False, 0.0
    for line in _lines(path):
        if "context" in line:
            found = found or line
        elif "end" in line:
            ended = True
        elif "speaker" in line:
            ended = False  # It was resumed.
            began = began or float(line.get("at", 0))
            turn = Turn(str(line["speaker"]), str(line.get("text", "")))
            turns.setdefault(f"{line.get('key')} {turn.text}", turn)
    if found is None:
        return None
    return HeardSession(
        found["host"],
        found["session"],
        found["context"],
        (*turns.values(),),
        began,
        ended,
        str(found.get("book", "")),
    )


def _keep(book: Commonplace, session: SessionFiles) -> None:
    """Keep what a session is worth."""
    seen, path = -1, session.turns + TAKEN
    # A hook that had the file open when it was taken may have added to it.
    while (there := _size(path)) != seen:
        seen = there
        if (told := read(path)) is not None:
            _keep_told(book, session, told)


def _keep_told(book: Commonplace, session: SessionFiles, told: HeardSession) -> None:
    if not any(turn.speaker == "user" for turn in told.turns):
        return
    asking = book.as_context({**told.context})
    if asking.erased_since(datetime.fromtimestamp(told.began, UTC)):
        return  # Said by somebody who was erased since, perhaps from another machine.
    # Resumed later, it is looked through again, from where it went on.
    name = f"{told.host}-{session.name}-{told.began:.0f}"
    asking.session(name).end(told.turns)


def _over(session: SessionFiles, now: float) -> bool:
    if session.piece or now - _touched(session.turns) > IDLE_S:
        return True
    told = read(session.turns)
    return told is not None and told.ended


def _taken(session: SessionFiles) -> SessionFiles | None:
    """The piece that is ours to look through now, unless somebody else was first."""
    piece = session if session.piece else session.apart()
    try:
        # First: to others, what was taken must not look as if it had been so for long.
        os.utime(session.turns)
    except OSError:
        return None
    return piece if _rename(session.turns, piece.turns + TAKEN) else None


def _remove_kept(piece: SessionFiles) -> None:
    """Remove what was looked through, and what was answered in a session that did not go on."""
    taken_at = _touched(piece.turns + TAKEN)
    _remove(piece.turns + TAKEN)
    if not piece.but(piece="").has_turns and _touched(piece.events) <= taken_at:
        _remove(piece.events)


def _tidy(folder: str, now: float) -> None:
    """Let go of what was taken and never finished; drop what nobody will ask for again."""
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        age = now - _touched(path)
        if name.endswith(TURNS + TAKEN) and age > ABANDONED_S:
            session = filed(folder, name)
            _rename(path, (session if session.piece else session.apart()).turns)
        elif name.endswith(EVENTS) and age > FORGOTTEN_S:
            _remove(path)


def _rename(old: str, new: str) -> bool:
    try:
        os.rename(old, new)
    except OSError:
        return False  # Somebody else was first.
    return True


def _lines(path: str) -> Iterator[dict[str, Any]]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    value: Any = json.loads(line)
                except ValueError:
                    continue  # The disk was full, or the power went.
                if isinstance(value, dict):
                    yield value
    except OSError:
        return


def _touched(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return -1  # Somebody was erased meanwhile.


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        return  # Gone already.


# Take what one user said out of the sessions that wait to be looked through.


def erase(settings: Settings, url: str, tenant: Tenant, *, logs: Iterable[str] = ()) -> int:
    """Remove a user's waiting sessions of a book; says how many there were.

    Also those that somebody has taken to look through: what they hold must not be kept any more.
    And the log of faults, which may quote what anybody said: here, and in further folders, `logs`.
    """
    for root in {settings.state, *logs}:
        for log in (LOG, f"{LOG}.old"):
            _remove_turns(os.path.join(root, log))
    removed = 0
    for place, name in _files(os.path.join(settings.state, "hooks")):
        path = os.path.join(place, name)
        told = read(path)
        # Without its first line nobody could tell whose it is, and nothing could be kept of it.
        if told is None or (_says(told) == tenant and _may_be(told, place, settings, url)):
            _remove_turns(path)
            _remove_turns(filed(place, name).events)
            removed += told is not None
    return removed


def _files(hooks: str) -> Iterator[tuple[str, str]]:
    """Every file of turns, by folder and name: one book may have been filed in several."""
    for place, _, names in os.walk(hooks):
        yield from ((place, name) for name in names if name.removesuffix(TAKEN).endswith(TURNS))


def _says(told: HeardSession) -> Tenant:
    return Tenant(told.context.get("org"), told.context.get("user"))


def _may_be(told: HeardSession, place: str, settings: Settings, url: str) -> bool:
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


def _remove_turns(path: str) -> None:
    with suppress(FileNotFoundError):
        os.remove(path)
