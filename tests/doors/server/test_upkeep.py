"""What a running server does beside its answers."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commonplace.doors.server.upkeep import MAINTAIN_JOB, NoteWatcher, maintain_job, run_jobs
from commonplace.model.errors import Busy
from tests.doors.serving import book_in


def test_a_book_is_tidied_once_a_day_and_not_on_its_first(tmp_path: Path) -> None:
    with book_in(tmp_path) as book:
        past = datetime.now(UTC) - timedelta(days=2)
        stale = book.save("The staging key card is blue", expires=past)
        tidy = maintain_job(book, hours=24)
        tidy()
        assert book.get(stale.id).status == "active"
        yesterday = time.time() - 90_000
        os.utime(Path(book.state) / MAINTAIN_JOB, (yesterday, yesterday))
        tidy()
        assert book.get(stale.id).status == "archived"
        again = book.save("The office dog is called Biscuit", expires=past)
        tidy()
        assert book.get(again.id).status == "active"


def test_a_surprise_does_not_end_upkeep() -> None:
    tries: list[int] = []
    done = threading.Event()

    def full_disk() -> None:
        tries.append(1)
        if len(tries) > 2:
            done.set()
        raise OSError(28, "No space left on device")

    with run_jobs([full_disk], every_s=0.01):
        assert done.wait(20)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what is freed")
def test_memory_that_nothing_uses_is_given_back(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHURNED], capture_output=True, text=True, check=True
    )
    used, then = map(int, done.stdout.split())
    assert then < used / 2


CHURNED = """
import threading
from commonplace.doors.server.upkeep import give_back_memory

together = threading.Barrier(4)
kept = []

def churn():
    # At once, so that each thread has a place of its own. One of a hundred pieces stays, and the
    # last: what lies between is free, and nothing is at the end.
    together.wait()
    pieces = [bytes(20_000) for _ in range(1_500)]
    kept.extend([*pieces[::100], bytes(20_000)])
    together.wait()

def used():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 // 2**20

threads = [threading.Thread(target=churn) for _ in range(4)]
for one in threads:
    one.start()
for one in threads:
    one.join()
before = used()
give_back_memory()
print(before, used())
"""


def test_a_book_that_is_gone_for_a_while_is_one_line_in_the_log_and_is_looked_at_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with book_in(tmp_path) as book, caplog.at_level("WARNING", "commonplace.server"):
        place, aside = tmp_path / "book", tmp_path / "aside"
        watcher = NoteWatcher(book)
        place.rename(aside)
        for _ in range(3):
            watcher.check_once()
        assert len(caplog.records) == 1
        aside.rename(place)
        watcher.check_once()
        place.rename(aside)
        watcher.check_once()
        assert len(caplog.records) == 2
        aside.rename(place)


def test_zero_hours_means_never(tmp_path: Path) -> None:
    with book_in(tmp_path) as book:
        maintain_job(book, hours=0)()
        assert not (Path(book.state) / MAINTAIN_JOB).exists()


def test_a_job_that_fails_is_tried_again_and_keeps_nobody_from_working() -> None:
    tries: list[str] = []
    done = threading.Event()

    def busy() -> None:
        tries.append("busy")
        raise Busy("Another process holds the book.", hint="Wait.")

    def steady() -> None:
        if tries.count("busy") > 2:
            done.set()

    with run_jobs([busy, steady], every_s=0.01):
        assert done.wait(20)
