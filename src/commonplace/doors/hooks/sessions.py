"""What was told and handed over in a host's session, in two small files that only ever grow.

Several processes may write at once, because hosts read each other's hooks and fire them twice.
Each appends whole lines, and the first line that says a thing is the one that counts.
"""

from __future__ import annotations

import os
import time
import zlib

from ...registry import absolute, whole
from ...value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from .events import Event

TWICE_S = 10.0
"""Without an id from the host, an event with the same words this soon is the same event."""
MOST_FILES = 200
RESUMED = "resume"
"""A resumed session still holds what it was handed; any other start begins with nothing."""
TURNS, EVENTS, PIECE = ".jsonl", ".events", "+"
"""How files of turns and of events end, and what comes before the number of a piece."""
_CLAIM, _HANDED = "claim", "handed"


class Session(Value):
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

    def claim(self, event: Event, *, now: float) -> bool:
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

    def apart(self) -> Session:
        """The next piece of it, whose file there never was before."""
        return self.but(piece=f"{time.time_ns():x}-{os.getpid():x}")

    def _lines(self) -> Iterator[str]:
        try:
            with open(self.events, encoding="utf-8", errors="replace") as file:
                yield from (line.rstrip("\n") for line in file if line.endswith("\n"))
        except OSError:
            return


def session(folder: str, id: str) -> Session:
    """The session with an id, which may be any text at all."""
    plain = "".join(c for c in id[:80] if c.isascii() and (c.isalnum() or c in "-_"))
    if plain != id:
        # Cut and cleaned, two ids could become one.
        plain += f"~{zlib.crc32(id.encode('utf-8', 'surrogatepass')):08x}"
    return Session(folder, plain)


def folder(state: str, url: str) -> str:
    """Where the sessions that use one book have their files, however its URL is written."""
    return os.path.join(state, "hooks", _filed(whole(url)))


def folders(state: str, url: str) -> list[str]:
    """Where they may have them: once, sessions were filed by the URL as it was written."""
    as_written = os.path.join(state, "hooks", _filed(absolute(url)))
    return list(dict.fromkeys((folder(state, url), as_written)))


def _filed(url: str) -> str:
    return f"{zlib.crc32(url.encode('utf-8', 'surrogatepass')):08x}"


def waiting(folder: str, *, but: str = "") -> list[Session]:
    """Sessions with turns that nobody has looked at yet, all except one that goes on."""
    found = (filed(folder, name) for name in _names(folder) if name.endswith(TURNS))
    return [one for one in found if one.piece or one.name != but]


def filed(folder: str, file: str) -> Session:
    """The session, or the piece of one, that a file of turns belongs to."""
    name, _, piece = file.partition(TURNS)[0].partition(PIECE)
    return Session(folder, name, piece)


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
