"""Kills a process before each step on the disk that a change of a very large memory takes.

After each kill another process says what is left, and ends what was begun.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import traceback
from pathlib import Path

from commonplace import Commonplace, NotFound
from commonplace.books.open import open_book
from commonplace.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "Log of the pumps"
WORDS = b"the pump reported"
STEPS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate")
"""Events before which the process is killed; `open` only if the file may be written."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def log_of(lines: int) -> str:
    """A log, no two lines of it alike."""
    return "".join(
        f"{n:05}: the pump reported pressure {n % 97} in hall {n % 7}\n" for n in range(lines)
    )


def open_in(folder: Path) -> Commonplace:
    """The book of a folder, for a person."""
    settings = Settings(state=str(folder / "state"), embedder="none")
    return open_book(f"vault:{folder / 'book'}", settings=settings, source="person")


def change(folder: Path, act: str, log: str, step: int) -> None:
    """Save, edit or purge the log, and acknowledge it; the process dies before that step."""
    with open_in(folder) as book:
        memory = None if act == "save" else book.get(TITLE)
        die_before(step)
        if memory is None:
            book.save(log, title=TITLE)
        elif act == "edit":
            book.edit(memory.id, content=f"{log}the end\n")
        else:
            book.purge(memory.id)
        (folder / "acknowledged").touch()


def die_before(step: int) -> None:
    """Kill this process before it takes its so-manieth step."""
    taken = 0

    def count(event: str, args: tuple[object, ...]) -> None:
        nonlocal taken
        if event in STEPS and (event != "open" or _writes(*args)):
            taken += 1
            if taken == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def _writes(path: object = "", mode: object = "", flags: object = 0) -> bool:
    return isinstance(flags, int) and bool(flags & WRITING) and "acknowledged" not in str(path)


def check(folder: Path, act: str, log: str) -> None:
    """What is there is whole, what was acknowledged is there, and what was begun can be ended."""
    done = (folder / "acknowledged").exists()
    before = {"save": None, "edit": log, "purge": log}[act]
    after = {"save": log, "edit": f"{log}the end\n", "purge": None}[act]
    with open_in(folder) as book:
        found = text_of(book)
        assert found == after if done else found in (before, after)
        listed = [one.content for one in book.list()]
        assert (
            listed in ([], [log])
            if act == "purge" and not done
            else listed == [one for one in (found,) if one]
        )
        assert [one for one in book.doctor() if one.severity == "error"] == []
        if act == "save":
            book.save(log, title=TITLE)
            assert text_of(book) == log
            assert len(book.list()) == 1
        try:
            book.purge(TITLE)
        except NotFound:
            assert act == "purge"
            book.sync()
        assert text_of(book) is None
        assert book.list() == []
        assert book.audit_verify().sound
    left = [one for one in (folder / "book").rglob("*") if one.is_file()]
    assert [str(one) for one in left if WORDS in one.read_bytes()] == [], "left after a purge"


def text_of(book: Commonplace) -> str | None:
    """The whole text of the log, if it is there."""
    try:
        return book.get(TITLE).content
    except NotFound:
        return None


def in_child(work: Callable[[], None]) -> bool:
    """Do something in a process of its own; says whether it was killed on the way."""
    if (pid := os.fork()) == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0
    return False


def main(folder: Path, act: str, lines: int, every: int) -> None:
    """Kill before the first step, before a later one, and so on until the change comes through."""
    log, made = log_of(lines), folder / "made"
    for place in (folder / "tried", made):
        place.mkdir()
        prepare(place, act, log)
    # Done once here, all modules are there already for the processes to come.
    change(folder / "tried", act, log, step=0)
    check(folder / "tried", act, log)
    step, killed, kills = 1, True, 0
    while killed:
        there = folder / f"{act}-{step}"
        shutil.copytree(made, there)
        killed = in_child(lambda there=there, step=step: change(there, act, log, step))
        in_child(lambda there=there: check(there, act, log))
        shutil.rmtree(there)
        step, kills = step + every, kills + killed
    print(kills)


def prepare(folder: Path, act: str, log: str) -> None:
    """A book, with the log in it unless that is yet to be saved."""
    settings = Settings(state=str(folder / "state"), embedder="none")
    url = f"vault:{folder / 'book'}"
    with open_book(url, create=True, settings=settings, source="person") as book:
        if act != "save":
            book.save(log, title=TITLE)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
