"""Drain ended sessions: save what is worth remembering, then remove their files."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime

from ...model.errors import BadInput, CommonplaceError, Refused
from ...model.scope import Tenant
from ...model.value import Value
from ...ports.reasoner import Turn
from ...registry import LOCAL, canonical_url, split
from .session_files import EVENTS, TURNS, book_folders, session_of_file, waiting_sessions
from .session_files import LOG_NAME as LOG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from ...book import Commonplace
    from ...settings import Settings
    from .session_files import SessionFiles


IDLE_S = 3_600.0
"""A session without events for so long has ended, whether it said so or not."""
ABANDONED_S = 600.0
"""A drain that has not finished by now has died."""
FORGOTTEN_S = 7 * 86_400.0
"""How long files of answered events are kept."""
TAKEN = ".taken"
"""Suffix of a file of turns while a process drains it."""


class RecordedSession(Value):
    """A session, read from its file."""

    host: str
    session: str
    context: Mapping[str, str]
    turns: tuple[Turn, ...] = ()
    began: float = 0.0
    ended: bool = False
    book: str = ""
    """Normal form of the book's URL; empty in files of older versions."""


class Drained(Value):
    """Result of a drain."""

    sessions: int = 0
    left: int = 0
    """Sessions that go on, or that could not be saved now."""
    refused: tuple[str, ...] = ()
    """Why nothing was saved of some sessions."""


def drain(book: Commonplace, folder: str, *, now: float) -> Drained:
    """Save what ended sessions are worth; each is drained once, by one process.

    A session to drain is renamed first: if it is resumed meanwhile, it goes on in a new file.
    """
    _clean_up(folder, now)
    done = left = 0
    refused: list[str] = []
    for session in waiting_sessions(folder):
        taken = _take(session) if _has_ended(session, now) else None
        if taken is None:
            left += 1
            continue
        try:
            _save_session(book, taken)
        except (BadInput, Refused) as error:
            # Refused for good, such as a purged text: trying again would not help.
            refused.append(error.sentence)
        except CommonplaceError:
            # The book cannot be written right now.
            _rename(taken.turns + TAKEN, taken.turns)
            left += 1
            continue
        done += 1
        _remove_taken(taken)
    return Drained(done, left, tuple(refused))


def read_session(path: str) -> RecordedSession | None:
    """Read a session from its file, without incomplete lines and repetitions."""
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
    return RecordedSession(
        found["host"],
        found["session"],
        found["context"],
        (*turns.values(),),
        began,
        ended,
        str(found.get("book", "")),
    )


def _save_session(book: Commonplace, session: SessionFiles) -> None:
    """End a session in the book, which saves what it is worth."""
    seen, path = -1, session.turns + TAKEN
    # A hook that had the file open before the rename may have added to it.
    while (there := _size(path)) != seen:
        seen = there
        if (recorded := read_session(path)) is not None:
            _end_session(book, session, recorded)


def _end_session(book: Commonplace, session: SessionFiles, recorded: RecordedSession) -> None:
    if not any(turn.speaker == "user" for turn in recorded.turns):
        return
    asking = book.as_context({**recorded.context})
    if asking.erased_since(datetime.fromtimestamp(recorded.began, UTC)):
        return  # The user was erased since, perhaps from another machine.
    # A session that is resumed later is drained again, from there on.
    name = f"{recorded.host}-{session.name}-{recorded.began:.0f}"
    asking.session(name).end(recorded.turns)


def _has_ended(session: SessionFiles, now: float) -> bool:
    if session.piece or now - _touched(session.turns) > IDLE_S:
        return True
    recorded = read_session(session.turns)
    return recorded is not None and recorded.ended


def _take(session: SessionFiles) -> SessionFiles | None:
    """Rename a session's file to drain it; None if another process was first."""
    piece = session if session.piece else session.next_piece()
    try:
        # Touch it first: to others, a file that was just taken must not look abandoned.
        os.utime(session.turns)
    except OSError:
        return None
    return piece if _rename(session.turns, piece.turns + TAKEN) else None


def _remove_taken(piece: SessionFiles) -> None:
    """Remove the drained file, and the events of a session that did not go on."""
    taken_at = _touched(piece.turns + TAKEN)
    _remove(piece.turns + TAKEN)
    if not piece.but(piece="").has_turns and _touched(piece.events) <= taken_at:
        _remove(piece.events)


def _clean_up(folder: str, now: float) -> None:
    """Release files of drains that died, and remove old files of events."""
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        age = now - _touched(path)
        if name.endswith(TURNS + TAKEN) and age > ABANDONED_S:
            session = session_of_file(folder, name)
            _rename(path, (session if session.piece else session.next_piece()).turns)
        elif name.endswith(EVENTS) and age > FORGOTTEN_S:
            _remove(path)


def _rename(old: str, new: str) -> bool:
    try:
        os.rename(old, new)
    except OSError:
        return False  # Another process was first.
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
        return -1  # Its user was erased meanwhile.


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        return  # Gone already.


def erase_waiting_sessions(
    settings: Settings, url: str, tenant: Tenant, *, logs: Iterable[str] = ()
) -> int:
    """Remove a user's waiting sessions of a book, and return their number.

    Sessions that are being drained go, too. So do the logs in the state folder and in `logs`,
    since they may quote any user.
    """
    for root in {settings.state, *logs}:
        for log in (LOG, f"{LOG}.old"):
            _remove_if_there(os.path.join(root, log))
    removed = 0
    for place, name in _turn_files(os.path.join(settings.state, "hooks")):
        path = os.path.join(place, name)
        recorded = read_session(path)
        # A file without its header belongs to no known user and cannot be drained.
        if recorded is None or (
            _tenant(recorded) == tenant and _may_belong_to(recorded, place, settings, url)
        ):
            _remove_if_there(path)
            _remove_if_there(session_of_file(place, name).events)
            removed += recorded is not None
    return removed


def _turn_files(hooks: str) -> Iterator[tuple[str, str]]:
    """Folder and name of every file of turns."""
    for place, _, names in os.walk(hooks):
        yield from ((place, name) for name in names if name.removesuffix(TAKEN).endswith(TURNS))


def _tenant(recorded: RecordedSession) -> Tenant:
    return Tenant(recorded.context.get("org"), recorded.context.get("user"))


def _may_belong_to(recorded: RecordedSession, place: str, settings: Settings, url: str) -> bool:
    """Whether a session may belong to a book: unless it clearly belongs to another one."""
    if not recorded.book:
        # An older file: only its folder says which book it belongs to.
        other = settings.url and canonical_url(settings.url) != canonical_url(url)
        return not (other and settings.url and place in book_folders(settings.state, settings.url))
    scheme, address = split(recorded.book)
    if scheme in LOCAL:
        # If the path is gone, the book may have been moved.
        return recorded.book == canonical_url(url) or not os.path.exists(address)
    # A server has many names, so any book of that scheme is possible.
    return scheme == split(url)[0]


def _remove_if_there(path: str) -> None:
    with suppress(FileNotFoundError):
        os.remove(path)
