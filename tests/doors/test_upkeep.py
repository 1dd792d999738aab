"""What a running server does beside its answers."""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from commonplace.doors.server.upkeep import MARK, tidying, upkeep
from commonplace.errors import Busy

from .serving import book_in


def test_a_book_is_tidied_once_a_day_and_not_on_its_first(tmp_path: Path) -> None:
    with book_in(tmp_path) as book:
        past = datetime.now(UTC) - timedelta(days=2)
        stale = book.save("The staging key card is blue", expires=past)
        tidy = tidying(book, hours=24)
        tidy()
        assert book.get(stale.id).status == "active"
        yesterday = time.time() - 90_000
        os.utime(Path(book.state) / MARK, (yesterday, yesterday))
        tidy()
        assert book.get(stale.id).status == "archived"
        again = book.save("The office dog is called Biscuit", expires=past)
        tidy()
        assert book.get(again.id).status == "active"


def test_zero_hours_means_never(tmp_path: Path) -> None:
    with book_in(tmp_path) as book:
        tidying(book, hours=0)()
        assert not (Path(book.state) / MARK).exists()


def test_a_job_that_fails_is_tried_again_and_keeps_nobody_from_working() -> None:
    tries: list[str] = []
    done = threading.Event()

    def busy() -> None:
        tries.append("busy")
        raise Busy("Another process holds the book.", hint="Wait.")

    def steady() -> None:
        if tries.count("busy") > 2:
            done.set()

    with upkeep([busy, steady], every_s=0.01):
        assert done.wait(20)
