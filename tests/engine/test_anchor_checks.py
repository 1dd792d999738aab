"""What was unchanged is remembered by the state of its file, and never longer than that."""

from __future__ import annotations

import os
from pathlib import Path
from time import sleep, thread_time

from commonplace.engine.anchor_checks import AnchorChecker, UnchangedAnchors
from commonplace.engine.anchors import find_anchors
from commonplace.work_tree import TimeLimit, WorkTree

CODE = "def pay(basket):\n    return sum(basket)\n"


def check(tmp_path: Path, lines: tuple[str, ...]) -> list[str]:
    """The states as a new process sees them."""
    from commonplace.engine import anchor_checks

    anchor_checks._STATES.clear()
    unchanged = UnchangedAnchors(str(tmp_path))
    checker = AnchorChecker(WorkTree(str(tmp_path / "shop")), limit_s=0.1, unchanged=unchanged)
    return [one.state for one in checker.check(lines)]


def written(tmp_path: Path, text: str, *, seconds: int) -> None:
    file = tmp_path / "shop" / "app.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    os.utime(file, (seconds, seconds))


def test_a_file_that_changes_is_read_again_also_if_its_size_stays(tmp_path: Path) -> None:
    written(tmp_path, CODE, seconds=1_000)
    tree = WorkTree(str(tmp_path / "shop"))
    lines = find_anchors("We call `pay` in app.py last.", tree)
    assert any("#pay" in line for line in lines)
    assert set(check(tmp_path, lines)) == {"unchanged"}
    written(tmp_path, CODE.replace("sum", "max"), seconds=2_000)
    assert "changed" in check(tmp_path, lines)
    written(tmp_path, CODE, seconds=3_000)
    assert set(check(tmp_path, lines)) == {"unchanged"}


def test_what_is_remembered_needs_no_look_and_tells_nothing(tmp_path: Path) -> None:
    written(tmp_path, CODE, seconds=1_000)
    lines = find_anchors("We call `pay` in app.py last.", WorkTree(str(tmp_path / "shop")))
    check(tmp_path, lines)
    kept = (tmp_path / "unchanged-anchors").read_text()
    assert kept
    assert "pay" not in kept
    # Nobody writes a file and sets its time back; this shows that the file is not read.
    written(tmp_path, CODE.replace("sum", "max"), seconds=1_000)
    assert set(check(tmp_path, lines)) == {"unchanged"}


def test_a_file_that_was_just_written_is_not_remembered(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "app.py").write_text(CODE)
    tree = WorkTree(str(tmp_path / "shop"))
    lines = find_anchors("We call `pay` in app.py last.", tree)
    check(tmp_path, lines)
    assert not (tmp_path / "unchanged-anchors").exists()


def test_a_busy_machine_takes_no_time_away_and_own_work_does() -> None:
    limit = TimeLimit(0.03)
    sleep(0.1)
    assert not limit.is_over(), "others had the machine"
    end = thread_time() + 0.03
    while thread_time() < end:
        pass
    assert limit.is_over()
    waited = TimeLimit(0.002)
    sleep(0.03)
    assert waited.is_over(), "a hook must answer in time"
