"""One writer: a process that changes a book and says on its output what it tries and what is done.

    python -m commonplace.doors.torture.writer SOCKET

Writers are forked for the plans that come through a socket, see `serve`. Each line of the output is
a JSON object: `try` before a change, `done` once the book has acknowledged it, `refused` if the
book raised an error of ours, `died` after a life that ended by a kill. Each life is a process of
its own, so that a round has many kills and a torture one start of Python.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count, takewhile

from ...books.open import open_book
from ...model.errors import CommonplaceError
from ...model.value import Value
from ...settings import Settings
from .law import drafts, id_in, notes_below, torn_lines
from .power_cut import PowerCut
from .texts import FORMS, LARGE, text_of
from .troubles import (
    ON_DISK,
    SYNCS,
    AtStep,
    CutShort,
    FailingSync,
    FullDisk,
    LogLostAtStep,
    LostDatabase,
    PersonAtWork,
    TakenName,
    Trouble,
    Unplugged,
    UnpluggedAtStep,
    is_call_of,
    note_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, NoReturn

    from ...book import Commonplace

    Change = dict[str, Any]

_JUMPS_S = (0, 0, 3600, -3600, 86_400, -86_400, 40 * 86_400, -400 * 86_400, 3_000 * 86_400)
_FIRST_TICKS = 20
"""Calls after which a life ends in its first change, before any were counted."""
_PUT_IN_PLACE = frozenset({"replace", "unlink"})
"""A change of several files is half done between two of these calls."""
_MOST_DESCRIPTORS = 14
"""Files that a life may open beside those that are open after its first change."""
_LONGEST_PLAN = 1 << 16
_LASTING = ("abandoned", "refused", "purged")
"""Events that stay when a change is refused: a purge is completed by the next sync."""
_MOST_EVENTS = 20
"""A change makes fewer events."""
_FASTER = 4.0
"""How many seconds more than one pass in a second behind a frozen writer."""
_STEP_S = 0.06
"""Writers in step begin a change at the same moment, each time that so many seconds are over."""
_CHANGES = (*("save",) * 4, "correct", "correct", "forget", *("purge",) * 2, "fact", "fact", "same")
_OF_ANOTHER = ("correct", "forget", "purge")
"""Changes of a memory that must be there."""
_REMOVING = ("forget", "purge")
"""Changes that remove a note from where it is."""
_REPLACING = ("correct", "forget")
"""Changes of a note that a person may hold in hand."""
_SCOPES = 20
"""Projects that memories are saved for, each in a folder of its own."""


class Plan(Value):
    """The changes that a writer makes and the faults that it meets."""

    url: str
    state: str
    name: str
    """Name of the writer; each writer of a round has another one."""
    seed: str
    changes: int
    """Number of changes that the writer makes in each life."""
    lives: int = 1
    mine: tuple[str, ...] = ()
    """Ids of memories that this writer alone may correct or forget."""
    alone: bool = False
    """Whether nobody else writes at the same time, so that what is left is its own."""
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
    freezes: bool = False
    """Whether it freezes once, at a random call of a random change, until it reads a line."""
    at_draft: bool = False
    """Whether it freezes just before it writes a draft instead, in that change or a later one."""
    later_s: float = 0.0
    """By how much its machine's clock is later, as if another writer had been frozen so long."""
    waits: bool = False
    """Whether it reads a line before each next life, so that somebody can look meanwhile."""
    trouble: str = ""
    """The trouble, one of those in `_trouble`, that the writer meets while it makes changes."""
    at_steps_of: tuple[str, ...] = ()
    """Kinds of changes that are made until each has met the trouble at every step."""
    at_syncs_of: str = ""
    """A kind of change that each life makes to a large text: the first life dies just before its
    first sync, the second one before its second, … until one lives."""
    clock_jumps: bool = False


class Death:
    """Kills or freezes this process at a random call inside one of its changes.

    Calls are counted, not seconds, so that a slow machine meets the same moments. Most deaths
    count only calls that touch the disk, because those moments are few and matter most; many count
    only those that put files in place or remove them, and in a power cut only syncs, before which
    most would be lost.
    """

    def __init__(
        self,
        chance: random.Random,
        at: int,
        power: PowerCut | None,
        *,
        freezes: bool = False,
        at_draft: bool = False,
        sync: int = 0,
    ) -> None:
        self._chance, self._at, self._power, self._freezes = chance, at, power, freezes
        self._at_draft, self._sync = at_draft, sync
        few = _PUT_IN_PLACE if power is None else SYNCS
        on_disk = few if chance.random() < 0.5 else ON_DISK
        self._counted = on_disk if chance.random() < 0.75 else None
        if sync:
            self._counted = SYNCS
        self._ticks, self._last = 0, 0

    def before(self, number: int) -> None:
        """Begin to count calls in the change before the deadly one; die in that one."""
        if not self._at or number < self._at - 1:
            return
        if self._at_draft:
            sys.setprofile(self._tick_at_draft if number >= self._at else None)
            return
        if number > self._at and self._freezes:
            return
        if number == self._at:
            calls = self._ticks or _FIRST_TICKS
            # The log comes first, so that early syncs are its own.
            tries = 2 if self._counted is SYNCS else 1
            self._last = min(self._chance.randrange(calls) for _ in range(tries)) + 1
            if self._sync:
                self._last = self._sync
        self._ticks = 0
        sys.setprofile(self._tick)

    def pause(self) -> None:
        """Count no calls until the next change."""
        if self._at:
            sys.setprofile(None)

    def _tick_at_draft(self, _: object, event: str, called: object) -> None:
        if event == "c_call" and called is os.write:
            sys.setprofile(None)
            self._at = 0
            os.kill(os.getpid(), signal.SIGSTOP)

    def _tick(self, _: object, event: str, called: object) -> None:
        if self._counted is not None and not is_call_of(self._counted, event, called):
            return
        self._ticks += 1
        if self._ticks == self._last:
            sys.setprofile(None)
            if self._power is not None:
                self._power.lose_unsynced()
            os.kill(os.getpid(), signal.SIGSTOP if self._freezes else signal.SIGKILL)


def serve(plans: socket.socket) -> None:
    """Fork a writer for each plan that comes, with its input, output, errors and status pipe."""
    _import_everything()
    while True:
        plan, files, *_ = socket.recv_fds(plans, _LONGEST_PLAN, 4)
        if not plan:
            return
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if os.fork() == 0:
            plans.close()
            _write_and_tell(Plan(**json.loads(plan)), *files)
        for file in files:
            os.close(file)


def _write_and_tell(plan: Plan, given: int, lines: int, errors: int, status: int) -> NoReturn:
    """Fork the writer, and tell its number and its exit code."""
    if (pid := os.fork()) == 0:
        try:
            os.setsid()
            os.close(status)
            for target, file in enumerate((given, lines, errors)):
                os.dup2(file, target)
                os.close(file)
            main(plan)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    # Its output ends with it.
    for file in (given, lines, errors):
        os.close(file)
    os.write(status, b"%d\n" % pid)
    os.write(status, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    os._exit(0)


def main(plan: Plan) -> None:
    """Live all lives of a plan, one after the other."""
    if plan.later_s:
        clock, began = time.monotonic, time.monotonic()
        # Fast as well, so that nobody waits long for one that is frozen in a transaction.
        time.monotonic = lambda: clock() + plan.later_s + (clock() - began) * _FASTER
    for life in range(plan.lives):
        if (pid := os.fork()) == 0:
            try:
                _live(plan, life)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        status = os.waitpid(pid, os.WUNTRACED)[1]
        if os.WIFSTOPPED(status):
            say({"frozen": life})
            sys.stdin.readline()
            os.kill(pid, signal.SIGCONT)
            status = os.waitpid(pid, 0)[1]
        if os.WIFSIGNALED(status):
            say({"died": life})
            if plan.waits:
                sys.stdin.readline()
        elif status:
            os._exit(os.WEXITSTATUS(status))
        elif plan.at_syncs_of:
            return


def _live(plan: Plan, life: int) -> None:
    """Open the book and make the changes of one life."""
    chance = random.Random(f"{plan.seed}-{life}")  # noqa: S311 (no secret)
    power = PowerCut(plan.power_cut, plan.state, chance) if plan.power_cut else None
    at = chance.randint(1, plan.changes) if plan.dies or plan.freezes else 0
    sync = life + 1 if plan.at_syncs_of else 0
    at = plan.changes if sync else at
    death = Death(chance, at, power, freezes=plan.freezes, at_draft=plan.at_draft, sync=sync)
    with _opened(plan, chance) as book:
        made: list[str] = []
        busy = 0
        tried = _tried(plan, chance, book, life, at if plan.dies else 0, made)
        for number, (change, trouble) in enumerate(tried, 1):
            if plan.in_step:
                time.sleep(-time.time() % _STEP_S)
            logged = _newest_event(book) if plan.alone else ""
            say({"try": change})
            death.before(number)
            try:
                with trouble:
                    id = act(book, change)
            except CommonplaceError as error:
                death.pause()
                late = error.code == "busy" and not trouble.excuse
                say({"refused": error.code, "why": str(error), "late": late})
                busy += error.code == "busy"
                wrong = trouble.wrong_refusal(error)
                if error.code == "busy" and plan.later_s:
                    return  # The other one is frozen inside a transaction.
                if error.code == "busy" and busy == 1 and not plan.alone:
                    # A slow machine may keep a writer waiting for another one for too long, but
                    # not again and again.
                    wrong = ""
                left = _left_of_refused(plan, book, trouble, logged) if plan.alone else ()
                for one in filter(None, (wrong, *left)):
                    say({"broken": one})
                    return
            else:
                say({"done": id})
                death.pause()
                wrongs = _unseen(book, change, id, chance)
                for wrong in (trouble.wrong_acknowledgement(), *wrongs, *_misplaced(plan, change)):
                    if wrong:
                        say({"broken": wrong})
                        return
                if change["act"] in ("save", "correct"):
                    made.append(id)
            if number == 1:
                _limit_descriptors()


def _tried(
    plan: Plan, chance: random.Random, book: Commonplace, life: int, last: int, made: list[str]
) -> Iterator[tuple[Change, Trouble]]:
    """The changes of a life, each with the trouble that it meets."""
    if plan.at_steps_of:
        yield from _at_every_step(plan, made)
        return
    if plan.at_syncs_of:
        yield from _of_large_text(plan, life, made)
        return
    changes = _changes(chance, plan, life, last)
    for number in range(1, plan.changes + 1):
        change = changes(number, made)
        yield change, _trouble(plan, chance, book, change)


def _at_every_step(plan: Plan, made: list[str]) -> Iterator[tuple[Change, Trouble]]:
    """Each kind of change again and again: the trouble comes at its first step, its second, …"""
    numbers = count(1)
    for verb in plan.at_steps_of:
        for step in count(1):
            if verb in _OF_ANOTHER and not made:
                yield {"act": "save", "tag": f"{plan.name}-{next(numbers)}-plain"}, Trouble()
                if not made:
                    return  # It was refused without need.
            tag = f"{plan.name}-{next(numbers)}-plain"
            change: Change = {"act": verb}
            if verb in _OF_ANOTHER:
                change["of"] = made.pop()
            if verb in _REMOVING:
                _move_to_the_top(plan, change["of"])
            if verb not in ("forget", "purge"):
                change["tag"] = tag
            if verb == "save":
                # Each in a new folder, whose making is a step of its own.
                change["scope"] = f"/project/{tag}"
            if verb == "fact":
                change["key"] = plan.keys[0]
            trouble = _trouble_at(plan, step)
            yield change, trouble
            if not trouble.met:
                break


def _of_large_text(plan: Plan, life: int, made: list[str]) -> Iterator[tuple[Change, Trouble]]:
    """Save a text whose original is an attachment, then make the change of it."""
    yield {"act": "save", "tag": f"{plan.name}-{life}-1-{LARGE}"}, Trouble()
    if made:
        change: Change = {"act": plan.at_syncs_of, "of": made.pop()}
        if plan.at_syncs_of == "correct":
            change["tag"] = f"{plan.name}-{life}-2-{LARGE}"
        yield change, Trouble()


def _move_to_the_top(plan: Plan, id: str) -> None:
    """Put a note where a person may have it, whose folder is the vault itself.

    That one is still there when the disk has gone and left an empty folder.
    """
    root = plan.url.partition(":")[2]
    if path := note_of(root, id, ""):
        os.rename(path, os.path.join(root, os.path.basename(path)))


def _trouble_at(plan: Plan, step: int) -> AtStep:
    if plan.trouble == "unplugged":
        return UnpluggedAtStep(plan.url.partition(":")[2], step)
    return LogLostAtStep(plan.state, step)


def _trouble(plan: Plan, chance: random.Random, book: Commonplace, change: Change) -> Trouble:
    """The trouble that the plan has for a change."""
    root = plan.url.partition(":")[2]
    if plan.trouble == "disk":
        way = chance.random()
        if way < 0.2 and plan.url.startswith("vault:"):
            return Unplugged(chance, root) if way < 0.1 else CutShort(chance)
        return FailingSync(chance) if way < 0.4 else FullDisk(chance, plan.state, root)
    if plan.trouble == "lost database" and chance.random() < 0.5:
        return LostDatabase(chance, plan.state)
    if plan.trouble == "taken names" and chance.random() < 0.3:
        return TakenName(root)
    if plan.trouble == "person" and change["act"] in _REPLACING:
        id = change["of"]
        note = (id, book.get(id).content)
        return PersonAtWork(chance, root, note, lambda tag: say({"edited": id, "tag": tag}))
    return Trouble()


def _newest_event(book: Commonplace) -> str:
    return next((one.id for one in book.audit(limit=1)), "")


def _left_of_refused(plan: Plan, book: Commonplace, trouble: Trouble, logged: str) -> Iterator[str]:
    """Sentences about what a refused change left of itself; `logged` is the last event before."""
    root = plan.url.partition(":")[2]
    if plan.url.startswith("vault:"):
        yield trouble.wrong_trace()
        yield from torn_lines(root)
        # A writer that was killed before may have left some of its own.
        mine = [path for path in drafts(root) if f".{os.getpid()}-" in path]
        if not trouble.leaves_drafts:
            yield from (f"Left over: {path} of a refused change" for path in mine)
    if not trouble.log_follows:
        return
    new = list(takewhile(lambda one: one.id != logged, book.audit(limit=_MOST_EVENTS)))
    over = {id for one in new if one.action == "abandoned" for id in one.related}
    for one in new:
        if one.action not in _LASTING and one.id not in over:
            yield f"Wrong: the log says that {one.memory} was {one.action}, but that was refused"


def _unseen(book: Commonplace, change: Change, id: str, chance: random.Random) -> Iterator[str]:
    """Sentences about an acknowledged text that this process does not read or find at once."""
    if change["act"] not in ("save", "correct"):
        return
    text = text_of(change["tag"])
    if book.get(id).content != text:
        yield f"Unseen: its own writer does not read {id}"
    if "scope" not in change and chance.random() < 0.3:
        hits = book.recall(" ".join(text.split()[:12]), limit=20)
        if id not in {hit.memory.id for hit in hits}:
            yield f"Unseen: its own writer does not find {id} by its words"


def _misplaced(plan: Plan, change: Change) -> Iterator[str]:
    """Sentences about the note of a memory that was purged, forgotten or replaced a moment ago."""
    if change["act"] not in _OF_ANOTHER or not plan.url.startswith("vault:"):
        return
    id, purged = change["of"], change["act"] == "purge"
    found = [path for path, text in notes_below(plan.url.partition(":")[2]) if id_in(text) == id]
    if purged and found:
        yield f"Not purged: {id} is still in {' and '.join(found)}"
    elif len(found) > 1:
        yield f"Twice: {id} is in {' and '.join(found)}"


def _limit_descriptors() -> None:
    """Allow few more open files than now: a server makes changes for months."""
    import resource

    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (free + _MOST_DESCRIPTORS, hard))


def _import_everything() -> None:
    """Make each kind of change once, elsewhere: much is imported by its first use."""
    with tempfile.TemporaryDirectory(prefix="commonplace-") as folder:
        settings = Settings(state=os.path.join(folder, "state"), embedder="none")
        url = f"vault:{os.path.join(folder, 'book')}"
        with open_book(url, settings=settings, source="person", background=False) as book:
            saved = book.save(text_of("first-plain"))
            book.forget(book.correct(saved.id, text_of("second-plain")).memory.id)
            book.purge(book.save(text_of("third-plain"), scope="/project/third").id)
            book.fact_store("key", "value")


def say(line: dict[str, Any]) -> None:
    """One line, in one write: a killed process leaves whole lines."""
    os.write(1, f"{json.dumps(line)}\n".encode())


def act(book: Commonplace, change: Change) -> str:
    """Make one change and return the id of the memory that it acknowledged."""
    verb = change["act"]
    if verb == "correct":
        return book.correct(change["of"], text_of(change["tag"])).memory.id
    if verb == "forget":
        return book.forget(change["of"]).memory.id
    if verb == "purge":
        return book.purge(change["of"]).ids[0]
    if verb == "fact":
        return book.fact_store(change["key"], text_of(change["tag"])).id
    return book.save(text_of(change["tag"]), scope=change.get("scope")).id


def _changes(
    chance: random.Random, plan: Plan, life: int, last: int
) -> Callable[[int, list[str]], Change]:
    """Returns a function that chooses a change, by its number and what this life has made.

    A quarter of the lives that die in their `last` change purge a text there that has a note and
    an attachment: two files, of which none may stay.
    """
    mine = list(plan.mine[life :: plan.lives])
    purges_large = last > 1 and chance.random() < 0.25

    def next_change(number: int, made: list[str]) -> Change:
        if plan.in_step:
            return _in_step(plan, life, number)
        verb = chance.choice(_CHANGES)
        if purges_large and number >= last - 1:
            verb = "purge" if number == last else "large"
        if plan.trouble == "person" and chance.random() < 0.5:
            verb = chance.choice(_REPLACING)
        # Only a memory of this life has no versions but those that its writer knows.
        theirs = made if verb == "purge" else made or mine
        tag = f"{plan.name}-{life}-{number}-{chance.choice(FORMS)}"
        if verb in ("correct", "forget", "purge") and theirs:
            of = theirs.pop(chance.randrange(len(theirs)))
            return {"act": verb, "of": of} | ({"tag": tag} if verb == "correct" else {})
        if verb == "fact" and plan.keys:
            key = chance.choice(plan.keys)
            return {"act": "fact", "key": key, "tag": f"{plan.name}-{life}-{number}-short"}
        if verb == "same" and plan.same:
            return {"act": "same", "tag": f"{plan.same}-{chance.randrange(3)}-plain"}
        if verb == "large" or chance.random() < 0.02:
            tag = f"{plan.name}-{life}-{number}-{LARGE}"
        scope = f"/project/p{chance.randrange(_SCOPES)}" if chance.random() < 0.2 else None
        return {"act": "save", "tag": tag} | ({"scope": scope} if scope else {})

    return next_change


def _in_step(plan: Plan, life: int, number: int) -> Change:
    """The change that all writers of a round make at the same time."""
    if number % 2:
        return {"act": "same", "tag": f"{plan.same}-{life}-{number}-plain"}
    key = plan.keys[number // 2 % len(plan.keys)]
    return {"act": "fact", "key": key, "tag": f"{plan.name}-{life}-{number}-short"}


def _opened(plan: Plan, chance: random.Random) -> Commonplace:
    jump = timedelta()

    def now() -> datetime:
        nonlocal jump
        if plan.clock_jumps and chance.random() < 0.1:
            jump = timedelta(seconds=chance.choice(_JUMPS_S))
        return datetime.now(UTC) + jump

    settings = Settings(state=plan.state, embedder="none")
    return open_book(plan.url, settings=settings, source="person", background=False, now=now)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as given_plans:
        serve(given_plans)
