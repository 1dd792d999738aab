"""What was told and handed over in a host's session, in two small files that only ever grow.

Several processes may write at once, because hosts read each other's hooks and fire them twice.
Each appends whole lines, and the first line that says a thing is the one that counts.
"""

from __future__ import annotations

import os
import time
import zlib

from ...locations import state_root
from ...model.value import Value
from ...registry import absolute, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from .host_events import HookEvent


TWICE_S = 10.0
"""Without an id from the host, an event with the same words this soon is the same event."""
MOST_FILES = 200
RESUMED = "resume"
"""A resumed session still holds what it was handed; any other start begins with nothing."""
TURNS, EVENTS, PIECE = ".jsonl", ".events", "+"
"""How files of turns and of events end, and what comes before the number of a piece."""
_CLAIM, _HANDED = "claim", "handed"


class SessionFiles(Value):
    """One session's files, below the folder of the book that it uses.

    What was said in it may be in pieces: a piece that was set apart gets no more turns, and is
    over. If the session goes on, it does so in a file of its own.
    """

    folder: str
    name: str
    piece: str = ""

    @property
    def turns(self) -> str:
        """Where its turns wait until somebody has time for them."""
        piece = f"{PIECE}{self.piece}" if self.piece else ""
        return os.path.join(self.folder, f"{self.name}{piece}{TURNS}")

    @property
    def events(self) -> str:
        """Which events were answered, and with which memories."""
        return os.path.join(self.folder, self.name + EVENTS)

    @property
    def has_turns(self) -> bool:
        """Whether anything was said in it that waits."""
        return os.path.exists(self.turns)

    def claim(self, event: HookEvent, *, now: float) -> bool:
        """Whether this process is the first to be told of an event, and so the one to answer."""
        mine = f"{_CLAIM} {event.key} {now:.3f} {os.getpid()} {event.source or '-'}"
        try:
            append(self.events, mine)
        except OSError:
            return True  # Better twice than never.
        for line in self._lines():
            kind, key, *said = line.split(" ")
            if kind == _CLAIM and key == event.key and len(said) == 3:
                recent = event.lasting or now - _number(said[0]) < TWICE_S
                if recent:
                    return line == mine
        return True

    def handed(self, ids: Iterable[str]) -> None:
        """Remember which memories the session was handed."""
        append(self.events, " ".join((_HANDED, *ids)))

    def already(self) -> list[str]:
        """The memories that the session holds."""
        ids: dict[str, None] = {}
        for line in self._lines():
            kind, *said = line.split(" ")
            if kind == _CLAIM and said[:1] and said[0].startswith("start:"):
                ids = ids if said[-1] == RESUMED else {}
            elif kind == _HANDED:
                ids.update(dict.fromkeys(said))
        return list(ids)

    def capture(self, line: Mapping[str, Any], *, header: Mapping[str, Any]) -> None:
        """Put something said, or the end, with the turns that wait."""
        import json

        append(self.turns, json.dumps(line), first=json.dumps(header))

    def apart(self) -> SessionFiles:
        """The next piece of it, whose file there never was before."""
        return self.but(piece=f"{time.time_ns():x}-{os.getpid():x}")

    def _lines(self) -> Iterator[str]:
        try:
            with open(self.events, encoding="utf-8", errors="replace") as file:
                yield from (line.rstrip("\n") for line in file if line.endswith("\n"))
        except OSError:
            return


def session(folder: str, id: str) -> SessionFiles:
    """The session with an id, which may be any text at all."""
    plain = "".join(c for c in id[:80] if c.isascii() and (c.isalnum() or c in "-_"))
    if plain != id:
        # Cut and cleaned, two ids could become one.
        plain += f"~{zlib.crc32(id.encode('utf-8', 'surrogatepass')):08x}"
    return SessionFiles(folder, plain)


def folder(state: str, url: str) -> str:
    """Where the sessions that use one book have their files, however its URL is written."""
    return os.path.join(state, "hooks", _filed(whole(url)))


def folders(state: str, url: str) -> list[str]:
    """Where they may have them: once, sessions were filed by the URL as it was written."""
    as_written = os.path.join(state, "hooks", _filed(absolute(url)))
    return list(dict.fromkeys((folder(state, url), as_written)))


def _filed(url: str) -> str:
    return f"{zlib.crc32(url.encode('utf-8', 'surrogatepass')):08x}"


def waiting(folder: str, *, but: str = "") -> list[SessionFiles]:
    """Sessions with turns that nobody has looked at yet, all except one that goes on."""
    found = (filed(folder, name) for name in _names(folder) if name.endswith(TURNS))
    return [one for one in found if one.piece or one.name != but]


def filed(folder: str, file: str) -> SessionFiles:
    """The session, or the piece of one, that a file of turns belongs to."""
    name, _, piece = file.partition(TURNS)[0].partition(PIECE)
    return SessionFiles(folder, name, piece)


def to_do(folder: str, *, but: str) -> bool:
    """Whether somebody should look through other sessions than one, or tidy up behind them."""
    return bool(waiting(folder, but=but)) or len(_names(folder)) > MOST_FILES


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def append(path: str, *lines: str, first: str = "") -> None:
    """Add whole lines in one write, readable by nobody else; a new file begins with `first`."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    try:
        file = os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        file = os.open(path, flags, 0o600)
    try:
        # Asked of the open file: the one of that name may be another by now.
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


# One line for each fault of a hook, since a hook has nobody to tell.


NAME = "hooks.log"
LONGEST = 300
MOST_BYTES = 100_000


def record(environ: Mapping[str, str], hook: str, what: str, *, state: str = "") -> None:
    """Add a line to the log; where even that fails, nothing is said at all.

    It is in the state folder that the settings name, for those who know it.
    """
    from ...rules.screening.screen import credentials_removed

    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {' '.join(credentials_removed(f'{hook}: {what}').split())}"[:LONGEST]
    try:
        path = os.path.join(state or state_root(environ), NAME)
        if os.path.exists(path) and os.path.getsize(path) > MOST_BYTES:
            os.replace(path, f"{path}.old")
        append(path, line)
    except OSError:
        return


def log_path(environ: Mapping[str, str]) -> str:
    """Where faults were last written down; before settings can be read, it is elsewhere."""
    logs = [os.path.join(root, NAME) for root in roots(environ)]
    return max(logs, key=lambda log: os.path.getmtime(log) if os.path.exists(log) else 0.0)


def roots(environ: Mapping[str, str]) -> list[str]:
    """The folders that a log may be in."""
    from ...settings import load

    try:
        named = load(environ).state
    except Exception:  # Whatever is wrong with settings, it is told of somewhere.
        named = state_root(environ)
    return list(dict.fromkeys((named, state_root(environ))))


def last(environ: Mapping[str, str]) -> str:
    """The latest fault, or nothing."""
    try:
        with open(log_path(environ), encoding="utf-8", errors="replace") as log:
            return (log.read().splitlines() or [""])[-1]
    except OSError:
        return ""
