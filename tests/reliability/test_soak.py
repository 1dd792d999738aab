"""A short soak of the server loses nothing, and its verdict notices losses and growth."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.reliability.soak import LONG_LIFE, Limits, Sample, grown

from tests import ROOT

PROGRAM = ROOT / "benchmarks" / "reliability" / "soak.py"


def soaking(folder: Path, requests: int, faults: int) -> subprocess.Popen[str]:
    command = [
        sys.executable, str(PROGRAM), "--agents=4", "--think=0.1", f"--requests={requests}",
        f"--faults={faults}", "--folder", str(folder),
    ]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_short_soak_loses_no_write_whatever_happens_to_the_server(tmp_path: Path) -> None:
    with soaking(tmp_path / "room", 160, 6) as soak:
        said = soak.communicate(timeout=300)[0]
    assert soak.returncode == 0, said
    assert "lost: 0" in said
    for fault in ("server killed", "disk full", "index "):
        assert f"  {fault}" in said, said


@pytest.mark.slow
def test_soak_notices_an_acknowledged_note_that_is_gone(tmp_path: Path) -> None:
    notes = tmp_path / "room" / "book" / "users"
    with soaking(tmp_path / "room", 100, 0) as soak:
        until = time.monotonic() + 120
        # Not all of so many were written without an answer.
        while len(found := list(notes.glob("agent-*/memory/insight/*.md"))) < 5:
            assert time.monotonic() < until
            time.sleep(0.1)
        for note in found:
            note.unlink()
        said = soak.communicate(timeout=300)[0]
    assert soak.returncode == 1, said
    assert "Lost: the acknowledged memory" in said, said


def life(memory_mib: float, files: int, connections: int) -> list[Sample]:
    """Samples of a life whose memory and files end higher than they begin."""
    begin, end = LONG_LIFE
    shares = [n / 100 for n in range(101)]
    return [
        Sample(
            at=begin + share * (end - begin), pid=1, memory_mib=200 + share * memory_mib,
            files=int(30 + share * files), connections=connections, state_mib=1, memories=100,
        )
        for share in shares
    ]  # fmt: skip


def test_server_that_uses_no_more_than_at_its_start_is_within_the_limits() -> None:
    assert not grown(life(10, 2, 9), 8, Limits())


@pytest.mark.parametrize(
    ("memory_mib", "files", "connections"), [(100, 0, 8), (0, 60, 8), (0, 0, 17)]
)
def test_growth_of_memory_files_or_connections_is_noticed(
    memory_mib: float, files: int, connections: int
) -> None:
    assert len(grown(life(memory_mib, files, connections), 8, Limits())) == 1


def test_server_that_was_never_measured_is_no_success() -> None:
    assert grown([], 8, Limits())
