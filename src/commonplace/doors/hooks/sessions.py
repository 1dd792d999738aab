"""What was told and handed over in a host's session, in two small files that only ever grow.

Several processes may write at once, because hosts read each other's hooks and fire them twice.
Each appends whole lines, and the first line that says a thing is the one that counts.
"""

from __future__ import annotations

import os
import time
import zlib

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
_CLAIM, _HANDED, _TURNS = "claim", "handed", ".jsonl"


class Session(Value):
    """One session's files, below the folder of the book that it uses."""

    folder: str
    name: str

    @property
    def turns(self) -> str:
        """Where its turns wait until somebody has time for them."""
        return os.path.join(self.folder, self.name + _TURNS)

    @property
    def events(self) -> str:
        """Which events were answered, and with which memories."""
        return os.path.join(self.folder, self.name + ".events")

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

        lines = [] if self.has_turns else [header]
        append(self.turns, *(json.dumps(one) for one in (*lines, line)))

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
    """Where the sessions that use one book have their files."""
    place = zlib.crc32(url.encode("utf-8", "surrogatepass"))
    return os.path.join(state, "hooks", f"{place:08x}")


def waiting(folder: str, *, but: str = "") -> list[Session]:
    """Sessions with turns that nobody has looked at yet, all except one."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = (name.removesuffix(_TURNS) for name in names if name.endswith(_TURNS))
    return [Session(folder, name) for name in found if name != but]


def to_do(folder: str, *, but: str) -> bool:
    """Whether somebody should look through other sessions than one, or tidy up behind them."""
    return bool(waiting(folder, but=but)) or len(os.listdir(folder)) > MOST_FILES


def append(path: str, *lines: str) -> None:
    """Add whole lines in one write, readable by nobody else."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    try:
        file = os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        file = os.open(path, flags, 0o600)
    try:
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
