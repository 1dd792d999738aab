"""Drain ended sessions: save what is worth remembering, then remove their files."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from ...locations import EVENTS, LATE, TAKEN, TURNS
from ...model.errors import BadInput, CommonplaceError, Refused
from ...model.value import Value
from ...verbs.waiting_turns import read_session
from .session_files import LATE_S, session_of_file, waiting_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...book import Commonplace
    from ...verbs.waiting_turns import RecordedSession
    from .session_files import SessionFiles


IDLE_S = 3_600.0
"""A session without events for so long has ended, whether it said so or not."""
ABANDONED_S = 600.0
"""A drain that has not finished by now has died."""
FORGOTTEN_S = 7 * 86_400.0
"""How long files of answered events are kept."""


class Drained(Value):
    """Result of a drain."""

    sessions: int = 0
    left: int = 0
    """Sessions that go on, or that could not be saved now."""
    refused: tuple[str, ...] = ()
    """Why nothing was saved of some sessions."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentence that `hook drain` prints: how many sessions were read, how many go on."""
        counts = f"Ended sessions read: {self.sessions}. Still open: {self.left}."
        return (counts, *(f"Nothing was kept of a session: {why}" for why in self.refused))


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
    asking = book.as_context({**recorded.context}).working_in(recorded.folder, recorded.head)
    if asking.erased_since(datetime.fromtimestamp(recorded.began, UTC)):
        return  # The user was erased since, perhaps from another machine.
    # A session that is resumed later is drained again, from there on.
    name = f"{recorded.host}-{session.name}-{recorded.began:.0f}"
    asking.session(name).end(recorded.turns, agent=recorded.host, heads=recorded.heads)


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
    """Remove the events of a session that did not go on, and last the drained file."""
    taken_at = _touched(piece.turns + TAKEN)
    goes_on = piece.but(piece="").has_turns or _touched(piece.events) > taken_at
    if not goes_on and not piece.is_private:
        _remove(piece.events)
    _remove(piece.turns + TAKEN)


def _clean_up(folder: str, now: float) -> None:
    """Release files of drains that died, and remove old files of events."""
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        age = now - _touched(path)
        if name.endswith(TURNS + TAKEN) and age > ABANDONED_S:
            session = session_of_file(folder, name)
            _rename(path, (session if session.piece else session.next_piece()).turns)
        elif (name.endswith(EVENTS) and age > FORGOTTEN_S) or (LATE in name and age > LATE_S):
            _remove(path)


def _rename(old: str, new: str) -> bool:
    try:
        os.rename(old, new)
    except OSError:
        return False  # Another process was first.
    return True


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
