"""A process killed at any step of a change of a very large memory loses and leaves nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

KILLER = Path(__file__).parent / "attachment_killer.py"
LARGE, HUGE = 1_200, 19_000
"""Lines of a text that is just an attachment, and of one of 900 kB, whose steps are the same."""


@pytest.mark.parametrize("act", ["save", "edit", "purge"])
@pytest.mark.parametrize(("lines", "every"), [(LARGE, 1), (HUGE, 5)])
def test_large_memory_is_whole_or_gone_after_a_kill_at_any_step(
    tmp_path: Path, act: str, lines: int, every: int
) -> None:
    command = [sys.executable, str(KILLER), str(tmp_path), act, str(lines), str(every)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) >= 2, "it was killed at several steps"
