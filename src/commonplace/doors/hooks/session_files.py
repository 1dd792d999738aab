"""The files of a host's session: its turns, and the events that were answered; and the fault log.

Several processes may write at once, since hosts read each other's settings and fire a hook twice.
Each appends whole lines; of equal claims, the first line counts.
"""

from __future__ import annotations

import os
import time
import zlib

from ...locations import EVENTS, LATE, LOG_NAME, PIECE, TURNS, hook_folder, state_root
from ...model.quick_json import parse_json, write_json
from ...model.value import Value
from ...registry import absolute_url, canonical_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from .host_events import HookEvent


REPEAT_S = 10.0
"""Without an id of the host, an event with the same text this soon is the same event."""
MOST_FILES = 200
RESUMED = "resume"
"""A resumed session still has its earlier context; any other start has none."""
_CLAIM, _HANDED = "claim", "handed"
_PRIVATE = "private -"
"""Line of a session of which nothing may be kept."""
_MARK = b"[not kept"
"""Begins every mark in the place of a turn that was not to be kept."""


class HookAnswer(Value):
    """Context for an agent, and the ids of the memories in it."""

    text: str = ""
    ids: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    """Ids of the logged digests in the text."""
    left_out: tuple[str, ...] = ()
    """Ids of logged digests for which the text had no room."""
    were_late: tuple[str, ...] = ()
    """Those of `digests` that came too late for an earlier prompt."""


NO_ANSWER = HookAnswer()
LATE_S = 3_600.0
"""An answer that came too late is handed over within this time."""


class SessionFiles(Value):
    """The files of one session, in the folder of its book.

    Turns may be in several pieces: a numbered piece gets no more turns and waits to be drained.
    """

    folder: str
    name: str
    piece: str = ""

    @property
    def turns(self) -> str:
        """Path of the turns that wait to be drained."""
        piece = f"{PIECE}{self.piece}" if self.piece else ""
        return os.path.join(self.folder, f"{self.name}{piece}{TURNS}")

    @property
    def events(self) -> str:
        """Path of the answered events and the ids of their memories."""
        return os.path.join(self.folder, self.name + EVENTS)

    @property
    def has_turns(self) -> bool:
        """Whether turns wait to be drained."""
        return os.path.exists(self.turns)

    def claim(self, event: HookEvent, *, now: float) -> bool:
        """Whether this process is the first to get an event, and so the one to answer."""
        mine = f"{_CLAIM} {event.key} {now:.3f} {os.getpid()} {event.source or '-'}"
        try:
            append_lines(self.events, mine)
        except OSError:
            return True  # Better answered twice than never.
        for line in self._lines():
            kind, key, *said = line.split(" ")
            if kind == _CLAIM and key == event.key and len(said) == 3:
                recent = event.has_host_id or now - _number(said[0]) < REPEAT_S
                if recent:
                    return line == mine
        return True

    def record_handed(self, ids: Iterable[str]) -> None:
        """Record which memories the session was given."""
        append_lines(self.events, " ".join((_HANDED, *ids)))

    def handed_ids(self) -> list[str]:
        """Ids of the memories that the session was given."""
        ids: dict[str, None] = {}
        for line in self._lines():
            kind, *said = line.split(" ")
            if kind == _CLAIM and said[:1] and said[0].startswith("start:"):
                ids = ids if said[-1] == RESUMED else {}
            elif kind == _HANDED:
                ids.update(dict.fromkeys(said))
        return list(ids)

    def continues(self, event: HookEvent) -> bool:
        """Whether a start resumes a conversation that still has what an earlier start gave it."""
        if event.source != RESUMED or not self.handed_ids():
            return False
        return sum(line.startswith(f"{_CLAIM} start:") for line in self._lines()) > 1

    def keep_late(self, answer: HookAnswer, now: float) -> None:
        """Keep an answer that nobody waited for, in place of an earlier one."""
        if not answer.text:
            return
        place, half = self._late, f"{self._late}.{os.getpid()}"
        append_lines(half, write_json([now, answer.text, answer.ids, answer.digests]))
        os.replace(half, place)

    def take_late(self, now: float) -> HookAnswer:
        """The answer that came too late for the last event, once."""
        if not os.path.exists(self._late):
            return NO_ANSWER
        mine = f"{self._late}.{os.getpid()}"
        try:
            os.rename(self._late, mine)  # Of several processes one gets it.
            with open(mine, encoding="utf-8") as file:
                at, text, ids, digests = parse_json(file.read())
            os.remove(mine)
            late = HookAnswer(text, tuple(ids), tuple(digests))
            return late if now - at < LATE_S else NO_ANSWER
        except (OSError, ValueError, TypeError):
            return NO_ANSWER

    @property
    def _late(self) -> str:
        return os.path.join(self.folder, self.name + LATE)

    def capture(self, line: Mapping[str, Any], *, header: Mapping[str, Any]) -> None:
        """Append a turn, or the end of the session."""
        append_lines(self.turns, write_json(line), first=write_json(header))

    @property
    def is_private(self) -> bool:
        """Whether the user asked to keep nothing of the session, perhaps before it was resumed."""
        return _PRIVATE in self._lines()

    def with_wish_obeyed(self, speaker: str, text: str) -> str:
        """The text to capture of a turn: a mark if the user asked not to keep it.

        Earlier turns that must not be kept either lose their text at once.
        """
        from ...rules.talk import off_record

        if self.is_private:
            return off_record.NOT_KEPT
        asks = speaker == "user" and off_record.read_wish(text) is not off_record.KEEPS
        try:
            with open(self.turns, "rb") as file:
                lines = file.read().splitlines(keepends=True)
        except OSError:
            lines = []
        if not asks and not any(_MARK in line for line in lines):
            return text
        from ...ports.reasoner import Turn

        spoken = list(_spoken(lines))
        said = [Turn(str(line["speaker"]), str(line["text"])) for _, _, line in spoken]
        *marks, mark = off_record.marks([*said, Turn(speaker, text)])
        if mark == off_record.NOR_OTHERS:
            append_lines(self.events, _PRIVATE)
        for (start, length, line), gone in zip(spoken, marks, strict=True):
            if gone and line["text"] and line["text"] not in off_record.MARKS:
                self._overwrite(start, length, {**line, "text": ""})
        return mark or text

    def _overwrite(self, start: int, length: int, line: Mapping[str, Any]) -> None:
        """Replace a line in its place: another process may append to the file meanwhile."""
        try:
            file = os.open(self.turns, os.O_WRONLY)
        except FileNotFoundError:
            return  # A drain has just taken it.
        try:
            os.lseek(file, start, os.SEEK_SET)
            os.write(file, write_json(line).encode("utf-8", "replace").ljust(length))
        finally:
            os.close(file)

    def next_piece(self) -> SessionFiles:
        """The next piece of the session, with a new file name."""
        return self.but(piece=f"{time.time_ns():x}-{os.getpid():x}")

    def _lines(self) -> Iterator[str]:
        try:
            with open(self.events, encoding="utf-8", errors="replace") as file:
                yield from (line.rstrip("\n") for line in file if line.endswith("\n"))
        except OSError:
            return


def _spoken(lines: Iterable[bytes]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Start and length of the line of each turn, and what it says."""
    start = 0
    for line in lines:
        try:
            value: Any = parse_json(line)
        except ValueError:
            value = None  # The disk was full, or the power went.
        if isinstance(value, dict) and "speaker" in value:
            yield start, len(line.rstrip(b"\n")), {"text": "", **value}
        start += len(line)


def files_for_session(folder: str, id: str) -> SessionFiles:
    """The files of the session with an id, which may be any text."""
    plain = "".join(c for c in id[:80] if c.isascii() and (c.isalnum() or c in "-_"))
    if plain != id:
        # Two ids may be equal after cutting and cleaning.
        plain += f"~{zlib.crc32(id.encode('utf-8', 'surrogatepass')):08x}"
    return SessionFiles(folder, plain)


def book_folder(state: str, url: str) -> str:
    """The folder of a book's session files; equal for all spellings of its URL."""
    return hook_folder(state, canonical_url(url))


def book_folders(state: str, url: str) -> list[str]:
    """All folders of a book's session files: older versions used the URL as written."""
    return list(dict.fromkeys((book_folder(state, url), hook_folder(state, absolute_url(url)))))


def waiting_sessions(folder: str, *, but: str = "") -> list[SessionFiles]:
    """Sessions with turns that wait to be drained, except the one named `but`."""
    found = (session_of_file(folder, name) for name in _names(folder) if name.endswith(TURNS))
    return [one for one in found if one.piece or one.name != but]


def session_of_file(folder: str, file: str) -> SessionFiles:
    """The session, or its piece, of a file of turns."""
    name, _, piece = file.partition(TURNS)[0].partition(PIECE)
    return SessionFiles(folder, name, piece)


def has_work(folder: str, *, but: str) -> bool:
    """Whether other sessions wait to be drained, or old files to be removed."""
    return bool(waiting_sessions(folder, but=but)) or len(_names(folder)) > MOST_FILES


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def append_lines(path: str, *lines: str, first: str = "") -> None:
    """Append lines in one write to a private file; a new file begins with `first`."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    try:
        file = os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        file = os.open(path, flags, 0o600)
    try:
        # fstat, because the path may name another file by now.
        if first and not os.fstat(file).st_size:
            lines = (first, *lines)
        os.write(file, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    finally:
        os.close(file)


def moment() -> float:
    """Now, in seconds."""
    return time.time()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


LOG_LINE_CHARACTERS = 300
LOG_BYTES = 100_000


def log_fault(environ: Mapping[str, str], hook: str, what: str, *, state: str = "") -> None:
    """Add a line to the log of hooks, in `state` or the default state folder; never fail."""
    from ...rules.screening.screen import credentials_removed

    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {' '.join(credentials_removed(f'{hook}: {what}').split())}"[:LOG_LINE_CHARACTERS]
    try:
        path = os.path.join(state or state_root(environ), LOG_NAME)
        if os.path.exists(path) and os.path.getsize(path) > LOG_BYTES:
            os.replace(path, f"{path}.old")
        append_lines(path, line)
    except OSError:
        return


def log_path(environ: Mapping[str, str]) -> str:
    """The log that was written last; faults before the settings are read go to another folder."""
    logs = [os.path.join(root, LOG_NAME) for root in log_folders(environ)]
    return max(logs, key=lambda log: os.path.getmtime(log) if os.path.exists(log) else 0.0)


def log_folders(environ: Mapping[str, str]) -> list[str]:
    """Folders that may contain a log."""
    from ...settings import load

    try:
        named = load(environ).state
    except Exception:  # Other commands report what is wrong with the settings.
        named = state_root(environ)
    return list(dict.fromkeys((named, state_root(environ))))


def last_fault(environ: Mapping[str, str]) -> str:
    """The last line of the log, or nothing."""
    try:
        with open(log_path(environ), encoding="utf-8", errors="replace") as log:
            return (log.read().splitlines() or [""])[-1]
    except OSError:
        return ""
