"""Random interleavings of devices that share a vault by a dumb folder sync: one book at the end?

    .venv/bin/python -m benchmarks.reliability.converging_devices [--interleavings 10000] [--seed 0]

A world has two to five devices and many notes. Each note has a history of its own: edited, tagged,
moved, renamed or saved with other line ends by hand, corrected, forgotten or decided about in the
inbox on any device, while the tool brings single files in any order, with conflict copies, and
devices sync now and then. So a world holds as many interleavings as notes that two devices wrote
to. At the end everything is delivered until nothing moves. Then every device must have the same
export hash, no conflict copy, no id in two files, and every text and tag that nobody removed.

A world's ids, names of devices and times of changes come from its seed, so that it can be played
again. Only the times of files are those of the clock. A world that breaks is left in its folder.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
import time
from datetime import UTC, datetime, timedelta
from unittest import mock

from commonplace.doors.torture.devices import MOST_PASSES, SharedBook
from commonplace.model.identity import IdMaker

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
NOTES = 50
STEPS = 200
ACTS = {
    "deliver": 6, "edit": 60, "save": 2, "correct": 3, "forget": 2, "write": 1, "fact": 2,
    "sync": 2, "decide": 4, "tag": 10, "move": 4, "line_ends": 4,
}  # fmt: skip


def world(seed: int, folder: str) -> tuple[int, int, list[str]]:
    """Play one world; returns its interleavings, its passes until rest, and what is broken."""
    chance, named = random.Random(seed), random.Random(-seed - 1)
    moment = BEGAN

    def now() -> datetime:
        nonlocal moment
        moment += timedelta(milliseconds=named.randint(1, 20_000))
        return moment

    ids = mock.patch("commonplace.books.open._new_id", IdMaker(named.randbytes))
    with ids, mock.patch("os.urandom", named.randbytes):
        shared = SharedBook(folder, chance.randint(2, 5), chance, notes=NOTES, now=now)
        try:
            for _ in range(STEPS):
                shared.step(ACTS)
            passes = shared.settle()
            return len(shared.shared_notes()), passes, list(shared.broken())
        except AssertionError as error:
            return len(shared.shared_notes()), MOST_PASSES, [str(error)]
        finally:
            shared.close()


def main() -> None:
    """Play worlds until so many interleavings are done, and print what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--interleavings", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--folder", help="where the devices' folders are made; a memory disk is fast"
    )
    given = parser.parse_args()
    began, done, worlds, most, broken = time.monotonic(), 0, 0, 0, 0
    while done < given.interleavings and time.monotonic() - began < given.seconds:
        folder = tempfile.mkdtemp(dir=given.folder)
        count, passes, sentences = world(given.seed + worlds, folder)
        for one in sentences:
            print(f"seed {given.seed + worlds}: {one} ({folder})", flush=True)
        if not sentences:
            shutil.rmtree(folder)
        broken += bool(sentences)
        done, worlds, most = done + count, worlds + 1, max(most, passes)
    print(f"{done:,} interleavings in {worlds} worlds, {time.monotonic() - began:,.0f} s")
    print(f"worlds that did not converge: {broken}; most passes until rest: {most}")
    raise SystemExit(os.EX_OK if not broken else 1)


if __name__ == "__main__":
    main()
