"""Bells: a sleeper is woken, one for each ring, and no ring is missed."""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Barrier, Thread

import pytest

from commonplace.backends.common.bell import Bell

LONG_S = 30.0


@pytest.fixture
def bell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bell:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return Bell("write")


def test_a_ring_before_the_wait_is_heard(bell: Bell) -> None:
    ear = bell.listen()
    assert ear is not None
    bell.ring()
    assert ear.wait(LONG_S)
    assert not ear.wait(0.01), "it rang once"
    ear.close()


def test_a_ring_that_nobody_listened_to_is_over(bell: Bell) -> None:
    bell.ring()
    ear = bell.listen()
    assert ear is not None
    assert not ear.wait(0.01)
    ear.close()
    bell.ring()
    Bell("another").ring()
    ear = bell.listen()
    assert ear is not None
    assert not ear.wait(0.01)
    ear.close()


def test_as_many_are_woken_as_it_rings(bell: Bell) -> None:
    heard: list[float] = []
    ready = Barrier(5)

    def listen() -> None:
        ear = bell.listen()
        assert ear is not None
        ready.wait()
        if ear.wait(3.0):
            heard.append(time.monotonic())
        ear.close()

    sleepers = [Thread(target=listen) for _ in range(4)]
    for one in sleepers:
        one.start()
    ready.wait()
    for _ in range(2):
        bell.ring()
    for one in sleepers:
        one.join()
    assert len(heard) == 2


def test_a_folder_that_others_can_enter_has_no_bells(bell: Bell, tmp_path: Path) -> None:
    (tmp_path / f"commonplace-{os.getuid()}").mkdir(mode=0o777)
    (tmp_path / f"commonplace-{os.getuid()}").chmod(0o777)
    assert bell.listen() is None
    bell.ring()
