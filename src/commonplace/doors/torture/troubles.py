"""Troubles of one change, played on this process: a full disk, a failing one, a person's own edit.

Each is a context manager around a change. Afterwards it says which answers would be wrong: a
refusal that nothing excuses, or an acknowledgement although the disk did not take the write.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from contextlib import contextmanager
from io import FileIO
from types import ModuleType

from ...notes.layout import META
from .law import id_in, notes_below
from .texts import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Collection, Generator, Sequence
    from types import FrameType
    from typing import Any, Self

    from ...model.errors import CommonplaceError

DATABASES = (".db", ".db-wal", ".db-shm")
ON_DISK = frozenset({
    "open", "write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "truncate", "utime",
})  # fmt: skip
"""Names of calls that open or change files."""
STEPS = ON_DISK | {"stat"}
"""Names of calls between which a change can be interrupted: `exists` and its like call `stat`."""
SYNCS = frozenset({"fsync"})
CHANGING = ("replace", "rename", "link", "unlink", "mkdir", "truncate", "utime")
"""Names of functions of `os` that change what is at a path."""


def is_call_of(names: Collection[str], event: str, called: object) -> bool:
    """Whether a profiler's event is one of these calls of a module or a file: a text has some."""
    if event != "c_call" or getattr(called, "__name__", "") not in names:
        return False
    owner = getattr(called, "__self__", None)
    return isinstance(owner, ModuleType) or hasattr(owner, "fileno")


_MOST_CALLS = 20
"""A change makes about so many calls that touch the disk."""
_MOST_SYNCS = 6
"""A change makes about so many syncs."""
_SHORTEST_EVENT = 100
"""No line of the log has fewer bytes."""


class Trouble:
    """No trouble at all: every change has to succeed."""

    excuse = False
    """Whether the change may be refused."""
    forbids = ""
    """Why it must not be acknowledged."""
    must_say = ""
    """A word that the sentence of a refusal has to have."""
    log_follows = True
    """Whether the log can say that a refused change was not made."""
    leaves_drafts = False
    """Whether a refused change can leave temporary files."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def wrong_refusal(self, error: CommonplaceError) -> str:
        """Why the program should not have refused the change; empty if it was right to."""
        if error.code == "refused":
            return ""  # A gate read a made-up text as a secret.
        if not self.excuse:
            return f"Refused without need: {error}"
        if self.must_say and self.must_say not in error.sentence:
            return f"Refused with another reason than a disk that is {self.must_say}: {error}"
        return ""

    def wrong_acknowledgement(self) -> str:
        """Why the program should not have acknowledged the change; empty if it was right to."""
        return f"Acknowledged, although {self.forbids}" if self.forbids else ""

    def wrong_trace(self) -> str:
        """The trace that a refused change left and should not have; empty if it left nothing."""
        return ""


class FullDisk(Trouble):
    """A disk that is full for one change: a file stops to grow, or writes fail after some bytes.

    The first is the system's own limit, a little above the size of a file that grows; but a book
    writes those first, so that the second is needed to meet a small note.
    """

    log_follows = False

    def __init__(self, chance: random.Random, *folders: str) -> None:
        self._chance = chance
        self._folders = folders
        self._write = os.write
        self._left = 0

    def __enter__(self) -> Self:
        way = self._chance.random()
        if way < 0.4:
            self.excuse = True
            size, room = self._chance.choice([(0, 12), *_growing(self._folders)])
            _limit_files(size + int(2 ** self._chance.uniform(0, room)))
        elif way < 0.8:
            self._left = self._chance.randrange(900)
            os.write = self._write_until_full
        return self

    def __exit__(self, *_: object) -> None:
        os.write = self._write
        _limit_files(None)

    def _write_until_full(self, file: int, data: Any) -> int:
        if file <= 2:
            return self._write(file, data)
        if not self._left:
            self.excuse, self.forbids, self.must_say = True, "the disk was full", "full"
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._write(file, bytes(data)[: self._left])
        self._left -= written
        return written


def _growing(folders: Sequence[str]) -> list[tuple[int, int]]:
    """The sizes of files that a book only adds to, and the power of two that a change may add."""
    return [
        (os.path.getsize(os.path.join(inside, name)), 17 if name.endswith("-wal") else 12)
        for folder in folders
        for inside, _, names in os.walk(folder)
        for name in sorted(names)
        if name.endswith((".jsonl", "-wal"))
    ]


def _limit_files(size: int | None) -> None:
    import resource

    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


class CutShort(Trouble):
    """The disk with the vault is full while the log is written, and that of the device is not.

    The system writes what has room and says how much that was, which is no error. Without this no
    write of the log is ever the first one to fail: a change writes to a database before.
    """

    def __init__(self, chance: random.Random) -> None:
        self._room = chance.randint(1, _SHORTEST_EVENT)
        self._before = -1

    def __enter__(self) -> Self:
        sys.setprofile(self._tick)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        _limit_files(None)

    def _tick(self, _: object, event: str, called: object) -> None:
        if getattr(called, "__name__", "") != "write" or not event.startswith("c_"):
            return
        file = getattr(called, "__self__", None)
        # The log alone is written without a buffer, through a file of Python.
        if not isinstance(file, FileIO):
            return
        if event == "c_call":
            self._before = os.fstat(file.fileno()).st_size
            _limit_files(self._before + self._room)
            return
        sys.setprofile(None)
        _limit_files(None)
        if os.fstat(file.fileno()).st_size == self._before + self._room:
            self.excuse, self.forbids, self.must_say = True, "the disk was full", "full"


class FailingSync(Trouble):
    """A disk that fails to sync once, or one whose folders cannot be synced, as some network ones.

    A change that the disk failed to sync is not safe, and must not be acknowledged.
    """

    def __init__(self, chance: random.Random) -> None:
        self._folders_fail = chance.random() < 0.4
        self._left = chance.randrange(_MOST_SYNCS)
        self._sync = os.fsync

    def __enter__(self) -> Self:
        os.fsync = self._fail
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync = self._sync

    def _fail(self, file: Any) -> None:
        if self._folders_fail:
            if stat.S_ISDIR(os.fstat(file).st_mode):
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        elif self._left == 0:
            self._left = -1
            self.excuse, self.forbids = True, "the disk failed to sync"
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self._left -= 1
        self._sync(file)


class Unplugged(Trouble):
    """The disk with the vault is not there for one change; the place where it was may be."""

    def __init__(self, chance: random.Random, root: str) -> None:
        self._root, self._elsewhere = root, f"{root}.unplugged"
        self._leaves_place = chance.random() < 0.5
        self._begun: list[str] = []
        self.excuse, self.forbids = True, "the disk with the vault was not there"

    def __enter__(self) -> Self:
        os.rename(self._root, self._elsewhere)
        if self._leaves_place:
            os.mkdir(self._root)
        return self

    def __exit__(self, *_: object) -> None:
        if os.path.isdir(self._root):
            self._begun = os.listdir(self._root)
            shutil.rmtree(self._root)
        os.rename(self._elsewhere, self._root)

    def wrong_trace(self) -> str:
        """A vault must not be begun anew where another one was mounted."""
        return f"Begun anew: {self._begun} where the disk with the vault was" * bool(self._begun)


@contextmanager
def read_only(root: str) -> Generator[None]:
    """Refuse every change below a folder, as a disk does that is mounted to be read."""
    inside = os.path.join(os.path.realpath(root), "")
    real = {name: getattr(os, name) for name in (*CHANGING, "open")}

    def refusing(name: str) -> Callable[..., Any]:
        def call(path: Any, *rest: Any, **named: Any) -> Any:
            changes = name != "open" or rest[0] & (os.O_WRONLY | os.O_RDWR)
            if changes and isinstance(path, str) and path.startswith(inside):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
            return real[name](path, *rest, **named)

        return call

    for name in real:
        setattr(os, name, refusing(name))
    try:
        yield
    finally:
        for name, call in real.items():
            setattr(os, name, call)


class _AtOpen(Trouble):
    """Something happens once, just before a file below a folder is opened."""

    def __init__(self, root: str) -> None:
        self._root = os.path.join(os.path.realpath(root), "")
        self._open = os.open

    def __enter__(self) -> Self:
        os.open = self._opening
        return self

    def __exit__(self, *_: object) -> None:
        os.open = self._open

    def _opening(self, path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if isinstance(path, str) and path.startswith(self._root) and self._meets(path, flags):
            os.open = self._open
            self._strike(path)
        return self._open(path, flags, *rest, **named)

    def _meets(self, path: str, flags: int) -> bool:
        raise NotImplementedError

    def _strike(self, path: str) -> None:
        raise NotImplementedError


class TakenName(_AtOpen):
    """The name of a temporary file is taken: a killed writer with the same number left it."""

    def _meets(self, path: str, flags: int) -> bool:
        return bool(flags & os.O_EXCL)

    def _strike(self, path: str) -> None:
        with open(path, "wb") as file:
            file.write(b"half a sen")


class PersonAtWork(_AtOpen):
    """A person touches, moves or edits the very note that a change replaces, in its midst.

    A note that was only touched or moved is changed all the same. An edit must not be lost; the
    change may then be refused.
    """

    def __init__(
        self, chance: random.Random, root: str, note: tuple[str, str], tell: Callable[[str], None]
    ) -> None:
        super().__init__(root)
        self._id, self._text = note
        self._tell = tell
        # The events are written before the files are planned, and a draft afterwards.
        self._moment = chance.choice(("events", "draft"))
        acts = {"events": ("touch", "move", "edit"), "draft": ("touch", "edit", "edit")}
        self._act = chance.choice(acts[self._moment])
        self._tag = f"{chance.getrandbits(40)}-plain"

    def _meets(self, path: str, flags: int) -> bool:
        if self._moment == "draft":
            return bool(flags & os.O_EXCL)
        return path.endswith(".jsonl") and bool(flags & os.O_RDWR)

    def _strike(self, path: str) -> None:
        note = note_of(self._root, self._id, self._text)
        if not note:
            return
        if self._act == "touch":
            os.utime(note, (1_700_000_000, 1_700_000_000))
        elif self._act == "move":
            os.rename(note, os.path.join(os.path.dirname(note), f"moved-{self._id[-8:]}.md"))
        else:
            self.excuse = True
            self._tell(self._tag)
            with open(note, encoding="utf-8") as file:
                whole = file.read()
            with open(note, "w", encoding="utf-8") as file:
                file.write(whole.replace(self._text, text_of(self._tag)))


def note_of(root: str, id: str, content: str) -> str:
    """The note of a memory, if it holds the text itself."""
    for path, text in notes_below(root):
        if id_in(text) == id and content in text:
            return os.path.join(root, path)
    return ""


class _AtCall(Trouble):
    """Something happens once, at a random call of a change that looks at files or changes them."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._left = chance.randrange(_MOST_CALLS)

    def __enter__(self) -> Self:
        sys.setprofile(self._tick)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _tick(self, _: object, event: str, called: object) -> None:
        if not is_call_of(ON_DISK, event, called):
            return
        self._left -= 1
        if self._left < 0:
            sys.setprofile(None)
            self._strike()

    def _strike(self) -> None:
        raise NotImplementedError


class AtStep(Trouble):
    """Something happens once, just before the n-th step of a change.

    A step is a place of the program that touches the disk, and counts once, however many files it
    touches: so a change has a few dozen in a book of any size, and each can be tried.
    """

    def __init__(self, step: int) -> None:
        self._step = step
        self._places: set[object] = set()
        self.met = False

    def __enter__(self) -> Self:
        sys.setprofile(self._tick)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _tick(self, frame: FrameType, event: str, called: object) -> None:
        if not is_call_of(STEPS, event, called):
            return
        # The caller as well, because `exists` and its like are one place for all who call them.
        above = frame.f_back
        place = (frame.f_code, frame.f_lineno, above and above.f_code, above and above.f_lineno)
        self._places.add(place)
        if len(self._places) == self._step:
            sys.setprofile(None)
            self.met = self.excuse = True
            self._strike()

    def _strike(self) -> None:
        raise NotImplementedError


class UnpluggedAtStep(AtStep):
    """The disk with the vault goes away in the midst of a change, and its empty place stays."""

    log_follows = False
    leaves_drafts = True

    def __init__(self, root: str, step: int) -> None:
        super().__init__(step)
        self._root, self._elsewhere = root, f"{root}.unplugged"
        self._begun: list[str] = []

    def __exit__(self, *given: object) -> None:
        super().__exit__(*given)
        if self.met:
            self._begun = os.listdir(self._root)
            shutil.rmtree(self._root)
            os.rename(self._elsewhere, self._root)

    def wrong_acknowledgement(self) -> str:
        """Why what was written beside the disk must not be acknowledged: it is lost."""
        return f"Acknowledged: {self._begun} beside the disk with the vault" * bool(self._begun)

    def wrong_trace(self) -> str:
        """A refused change may leave a note there, but nothing that looks like a vault."""
        begun = META in self._begun
        return f"Begun anew: {self._begun} where the disk with the vault was" * begun

    def _strike(self) -> None:
        os.rename(self._root, self._elsewhere)
        os.mkdir(self._root)


class LogLostAtStep(AtStep):
    """The database with the tables of the log is removed in the midst of a change."""

    log_follows = False

    def __init__(self, state: str, step: int) -> None:
        super().__init__(step)
        self._state = state

    def _strike(self) -> None:
        for folder, _, names in os.walk(self._state):
            for name in names:
                if name.startswith("ledger.db"):
                    os.unlink(os.path.join(folder, name))


class LostDatabase(_AtCall):
    """A database of this device is removed."""

    log_follows = False

    def __init__(self, chance: random.Random, state: str) -> None:
        super().__init__(chance)
        self._state = state

    def _strike(self) -> None:
        self.excuse = True
        found = sorted(
            os.path.join(folder, name)
            for folder, _, names in os.walk(self._state)
            for name in names
            if name.endswith(".db")
        )
        if found:
            path = self._chance.choice(found).removesuffix(".db")
            for end in DATABASES:
                if os.path.exists(path + end):
                    os.unlink(path + end)
