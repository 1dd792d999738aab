"""One writer: a process that changes a book and says on its output what it tries and what is done.

    python -m commonplace.doors.torture.writer PLAN

The plan is a JSON object, see `Plan`. Each line of the output is a JSON object: `try` before a
change, `done` once the book has acknowledged it, `refused` if the book raised an error of ours,
`died` after a life that ended by a kill. Each life is a process of its own, forked from one that
has imported everything, so that a round has many kills and few starts of Python.
"""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta

from ...books.open import open_book
from ...model.errors import CommonplaceError
from ...model.value import Value
from ...settings import Settings
from .power_cut import PowerCut
from .texts import FORMS, LARGE, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ...book import Commonplace

_JUMPS_S = (0, 0, 3600, -3600, 86_400, -86_400, 40 * 86_400, -400 * 86_400, 3_000 * 86_400)
_ON_DISK = frozenset({
    "open", "write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "truncate", "utime",
})  # fmt: skip
"""Names of calls that change files."""
_FIRST_TICKS = 20
"""Calls after which a life ends in its first change, before any were counted."""
_STEP_S = 0.06
"""Writers in step begin a change at the same moment, each time that so many seconds are over."""
_CHANGES = ("save",) * 4 + ("correct", "correct", "forget", "fact", "fact", "same")


class Plan(Value):
    """What a writer does, and what happens to it."""

    url: str
    state: str
    name: str
    """Of the writer: no two of a round have the same."""
    seed: str
    changes: int
    """Of each life."""
    lives: int = 1
    mine: tuple[str, ...] = ()
    """Ids of memories that this writer alone may correct or forget."""
    keys: tuple[str, ...] = ()
    """Keys of facts that every writer sets."""
    same: str = ""
    """The beginning of tags whose texts every writer saves."""
    in_step: bool = False
    """Whether all writers of the round make the same change at the same moment."""
    dies: bool = False
    """Whether each life ends by a kill, at a random call of a random change."""
    power_cut: str = ""
    """The folder whose unsynced writes are lost when it dies."""
    full_disk: bool = False
    """Whether the disk is full, again and again."""
    clock_jumps: bool = False


class Death:
    """Kills this process at a random call inside one of its changes, as soon as that is reached.

    Calls are counted, not seconds, so that a slow machine meets the same moments. Most deaths
    count only calls that touch the disk, because those moments are few and matter most.
    """

    def __init__(self, chance: random.Random, at: int, power: PowerCut | None) -> None:
        self._chance, self._at, self._power = chance, at, power
        self._on_disk_only = chance.random() < 0.75
        self._ticks, self._last = 0, 0

    def before(self, number: int) -> None:
        """Begin to count calls in the change before the deadly one; die in that one."""
        if not self._at or number < self._at - 1:
            return
        if number == self._at:
            self._last = self._chance.randrange(self._ticks or _FIRST_TICKS) + 1
        self._ticks = 0
        sys.setprofile(self._tick)

    def _tick(self, _: object, event: str, called: object) -> None:
        if self._on_disk_only and not (
            event == "c_call" and getattr(called, "__name__", "") in _ON_DISK
        ):
            return
        self._ticks += 1
        if self._ticks == self._last:
            sys.setprofile(None)
            if self._power is not None:
                self._power.lose_unsynced()
            os.kill(os.getpid(), signal.SIGKILL)


def main(plan: Plan) -> None:
    """Live all lives of a plan, one after the other."""
    _import_everything()
    for life in range(plan.lives):
        if (pid := os.fork()) == 0:
            try:
                _live(plan, life)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        status = os.waitpid(pid, 0)[1]
        if os.WIFSIGNALED(status):
            say({"died": life})
        elif status:
            sys.exit(os.WEXITSTATUS(status))


def _live(plan: Plan, life: int) -> None:
    """Open the book and make the changes of one life."""
    chance = random.Random(f"{plan.seed}-{life}")  # noqa: S311 (no secret)
    power = PowerCut(plan.power_cut, plan.state, chance) if plan.power_cut else None
    death = Death(chance, chance.randint(1, plan.changes) if plan.dies else 0, power)
    changes = _changes(chance, plan, life)
    places = (plan.state, plan.url.partition(":")[2])
    with _opened(plan, chance) as book:
        made: list[str] = []
        for number in range(1, plan.changes + 1):
            change = changes(number, made)
            if plan.in_step:
                time.sleep(-time.time() % _STEP_S)
            say({"try": change})
            death.before(number)
            try:
                with FullDisk(chance, *places) if plan.full_disk else nullcontext():
                    id = act(book, change)
            except CommonplaceError as error:
                say({"refused": error.code, "why": str(error)})
            else:
                say({"done": id})
                if change["act"] in ("save", "correct"):
                    made.append(id)


def _import_everything() -> None:
    """Make each kind of change once, elsewhere: much is imported by its first use."""
    with tempfile.TemporaryDirectory(prefix="commonplace-") as folder:
        settings = Settings(state=os.path.join(folder, "state"), embedder="none")
        url = f"vault:{os.path.join(folder, 'book')}"
        with open_book(url, settings=settings, source="person", background=False) as book:
            saved = book.save(text_of("first-plain"))
            book.forget(book.correct(saved.id, text_of("second-plain")).memory.id)
            book.fact_store("key", "value")


def say(line: dict[str, Any]) -> None:
    """One line, in one write: a killed process leaves whole lines."""
    os.write(1, f"{json.dumps(line)}\n".encode())


def act(book: Commonplace, change: dict[str, Any]) -> str:
    """Make one change and return the id of the memory that it acknowledged."""
    verb = change["act"]
    if verb == "correct":
        return book.correct(change["of"], text_of(change["tag"])).memory.id
    if verb == "forget":
        return book.forget(change["of"]).memory.id
    if verb == "fact":
        return book.fact_store(change["key"], text_of(change["tag"])).id
    return book.save(text_of(change["tag"])).id


def _changes(
    chance: random.Random, plan: Plan, life: int
) -> Callable[[int, list[str]], dict[str, Any]]:
    """Returns a function that chooses a change, by its number and what this life has made."""
    mine = list(plan.mine[life :: plan.lives])

    def next_change(number: int, made: list[str]) -> dict[str, Any]:
        if plan.in_step:
            if number % 2:
                return {"act": "same", "tag": f"{plan.same}-{life}-{number}-plain"}
            key = plan.keys[number // 2 % len(plan.keys)]
            return {"act": "fact", "key": key, "tag": f"{plan.name}-{life}-{number}-short"}
        verb, theirs = chance.choice(_CHANGES), made or mine
        tag = f"{plan.name}-{life}-{number}-{chance.choice(FORMS)}"
        if verb in ("correct", "forget") and theirs:
            of = theirs.pop(chance.randrange(len(theirs)))
            return {"act": verb, "of": of} | ({"tag": tag} if verb == "correct" else {})
        if verb == "fact" and plan.keys:
            key = chance.choice(plan.keys)
            return {"act": "fact", "key": key, "tag": f"{plan.name}-{life}-{number}-short"}
        if verb == "same" and plan.same:
            return {"act": "same", "tag": f"{plan.same}-{chance.randrange(3)}-plain"}
        if chance.random() < 0.01:
            tag = f"{plan.name}-{life}-{number}-{LARGE}"
        return {"act": "save", "tag": tag}

    return next_change


def _opened(plan: Plan, chance: random.Random) -> Commonplace:
    jump = timedelta()

    def now() -> datetime:
        nonlocal jump
        if plan.clock_jumps and chance.random() < 0.1:
            jump = timedelta(seconds=chance.choice(_JUMPS_S))
        return datetime.now(UTC) + jump

    settings = Settings(state=plan.state, embedder="none")
    return open_book(plan.url, settings=settings, source="person", background=False, now=now)


class FullDisk:
    """A disk that is full for one change: a file stops to grow, or writes fail after some bytes.

    The first is the system's own limit, a little above the size of a file that grows; but a book
    writes those first, so that the second is needed to meet a small note.
    """

    def __init__(self, chance: random.Random, *folders: str) -> None:
        self._chance = chance
        self._folders = folders
        self._write = os.write
        self._left = 0

    def __enter__(self) -> None:
        way = self._chance.random()
        if way < 0.4:
            sizes = [0, *_growing(self._folders)]
            _limit_files(self._chance.choice(sizes) + int(2 ** self._chance.uniform(0, 12)))
        elif way < 0.8:
            self._left = self._chance.randrange(900)
            os.write = self._write_until_full

    def __exit__(self, *_: object) -> None:
        os.write = self._write
        _limit_files(None)

    def _write_until_full(self, file: int, data: Any) -> int:
        if file <= 2:
            return self._write(file, data)
        if not self._left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._write(file, bytes(data)[: self._left])
        self._left -= written
        return written


def _growing(folders: Sequence[str]) -> list[int]:
    """The sizes of files that a book only adds to."""
    return [
        os.path.getsize(os.path.join(inside, name))
        for folder in folders
        for inside, _, names in os.walk(folder)
        for name in sorted(names)
        if name.endswith((".jsonl", "-wal"))
    ]


def _limit_files(size: int | None) -> None:
    import resource

    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


if __name__ == "__main__":
    main(Plan(**json.loads(sys.argv[1])))
