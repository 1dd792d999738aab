"""Processes that outlive the one that started them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from commonplace import Settings
from commonplace.books.detached import start_detached

TELL = """
import json, os, sys
told = {"folder": os.getcwd(), "leads": os.getsid(0) == os.getpid(), "argv": sys.argv[1:],
        "files": [os.readlink(f"/proc/self/fd/{one}") for one in range(3)],
        "left": os.path.exists(f"/proc/self/fd/{os.environ['LEFT']}"),
        "url": os.environ["COMMONPLACE_URL"]}
with open("half", "w") as file:
    json.dump(told, file)
os.rename("half", "told")
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="Reads the files of a process.")
def test_process_has_the_state_folder_a_session_of_its_own_and_no_files(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (tmp_path / "teller.py").write_text(TELL)
    reader, writer = os.pipe()
    try:
        chosen = Settings(url=f"vault:{tmp_path}/notes", state=str(state))
        environ = {**os.environ, "PYTHONPATH": str(tmp_path), "LEFT": "500"}
        os.dup2(writer, 500)  # Inheritable, as a host leaves one.
        start_detached("teller", ["one", "two"], chosen, environ)
    finally:
        for file in (reader, writer, 500):
            os.close(file)
    deadline = time.monotonic() + 60
    while not (state / "told").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert json.loads((state / "told").read_text()) == {
        "folder": str(state),
        "leads": True,
        "argv": ["one", "two"],
        "files": [os.devnull] * 3,
        "left": False,
        "url": f"vault:{tmp_path}/notes",
    }
