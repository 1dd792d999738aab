"""Runs an example as a person would, with a book of its own and no network."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests import ROOT

EXAMPLES = ROOT / "examples"


def said_by(name: str, room: Path) -> str:
    """What an example prints when it runs in an empty folder; it must end well."""
    told = subprocess.run(
        [sys.executable, str(EXAMPLES / name), f"vault:{room / 'book'}"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(room),
            "COMMONPLACE_STATE": str(room / "state"),
            "COMMONPLACE_EMBEDDER": "none",
            "HTTPS_PROXY": "http://127.0.0.1:9",  # Whoever needs the network fails at once.
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    return told.stdout
