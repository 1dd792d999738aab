"""Several processes at one port: whoever dies is replaced, and all are renewed without a gap."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from commonplace.doors.server.workers import Workers
from commonplace.model.errors import BadInput, Unavailable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")


def answer(folder: str, started: Callable[[], object]) -> None:
    """What a process does here: it is there, and goes when told to."""
    mine = Path(folder) / str(os.getpid())
    gone = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: gone.set())
    mine.touch()
    started()
    gone.wait()
    mine.unlink()


def refuse(started: Callable[[], object]) -> None:
    raise BadInput("There is no such book.", hint="Make one.")


def there(folder: Path) -> set[int]:
    return {int(one.name) for one in folder.iterdir()}


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def looked_after(folder: Path, watch: Callable[[], object]) -> Iterator[None]:
    """Two processes that are looked after, while somebody watches beside them."""
    workers = Workers(partial(answer, str(folder)), 2)
    failed: list[BaseException] = []

    def watched() -> None:
        try:
            watch()
        except BaseException as error:
            failed.append(error)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    beside = threading.Thread(target=watched)
    beside.start()
    try:
        workers.supervise()
        yield
    finally:
        workers.stop()
        workers.join()
        beside.join()
    assert failed == []


def test_one_that_dies_is_replaced_and_all_end_together(tmp_path: Path) -> None:
    def watch() -> None:
        wait_until(lambda: len(there(tmp_path)) == 2)
        before = there(tmp_path)
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        (tmp_path / str(victim)).unlink()
        wait_until(lambda: len(there(tmp_path)) == 2)
        assert len(there(tmp_path) - before) == 1

    with looked_after(tmp_path, watch):
        pass
    assert there(tmp_path) == set()


def test_all_are_renewed_and_there_are_never_fewer(tmp_path: Path) -> None:
    def watch() -> None:
        wait_until(lambda: len(there(tmp_path)) == 2)
        before = there(tmp_path)
        os.kill(os.getpid(), signal.SIGHUP)
        fewest = [2]

        def renewed() -> bool:
            now = there(tmp_path)
            fewest.append(len(now))
            return len(now) == 2 and not now & before

        wait_until(renewed)
        assert min(fewest) == 2

    with looked_after(tmp_path, watch):
        pass
    assert there(tmp_path) == set()


def test_processes_that_never_begin_are_not_started_for_ever(
    capfd: pytest.CaptureFixture[str],
) -> None:
    workers = Workers(refuse, 2)
    with pytest.raises(Unavailable, match="before they answer"):
        workers.supervise()
    workers.join()
    assert "There is no such book. Make one." in capfd.readouterr().err
