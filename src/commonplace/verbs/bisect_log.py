"""The log of a bisection: every run, in a file that an interrupted bisection goes on with."""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any


class BisectRun(Value):
    """One run of the command."""

    number: int
    on: str
    """The lines of the digest that were switched on, such as `1-8,12`; empty for none."""
    kept: int
    """How many those are."""
    of: int
    attempt: int
    fails: bool
    exit_code: int
    took_s: float
    resumed: bool = False
    """Whether it was run before an interruption."""


class BisectLog:
    """The runs of one bisection, by the lines that were switched on; a run is added once."""

    def __init__(self, folder: str, name: str, *, count: int) -> None:
        self.name = name
        self.path = os.path.join(folder, f"{name}.jsonl")
        self._count = count
        self._known: dict[tuple[str, int], BisectRun] = {}
        self._used: set[tuple[str, int]] = set()

    @property
    def runs(self) -> int:
        """How many runs this bisection took."""
        return len(self._used)

    @property
    def resumed(self) -> int:
        """Number of the used runs that were made before an interruption."""
        return sum(self._known[key].resumed for key in self._used)

    def known(self, kept: Collection[int], attempt: int) -> BisectRun | None:
        """The run with these lines, if there was one."""
        key = (line_ranges(kept), attempt)
        if key in self._known:
            self._used.add(key)
        return self._known.get(key)

    def add(self, kept: Collection[int], attempt: int, exit_code: int, took_s: float) -> BisectRun:
        """Add a run; it is on the disk before this returns."""
        on = line_ranges(kept)
        run = BisectRun(
            len(self._known) + 1, on, len(kept), self._count, attempt, exit_code != 0, exit_code,
            round(took_s, 3),
        )  # fmt: skip
        self._known[on, attempt] = run
        self._used.add((on, attempt))
        fields = {name: value for name, value in vars(run).items() if name != "resumed"}
        self._write({"at": _now(), **fields})
        return run

    def begin(self, command: str) -> None:
        """Start a new file."""
        from ..rules.screening.screen import credentials_removed

        with open(self.path, "w", encoding="utf-8"):
            os.chmod(self.path, 0o600)
        self._write({"at": _now(), "command": credentials_removed(command), "of": self._count})

    def resume(self) -> bool:
        """Read the runs of an interrupted bisection; False if there was none."""
        lines = list(self._lines())
        if not lines or any("outcome" in line for line in lines):
            return False
        for line in lines[1:]:
            line.pop("at", None)
            run = BisectRun(**line, resumed=True)
            self._known[run.on, run.attempt] = run
        return True

    def finish(self, outcome: str, culprits: Collection[str]) -> None:
        """Add the result: the next bisection of the same starts anew."""
        self._write({"at": _now(), "outcome": outcome, "culprits": list(culprits)})

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    yield json.loads(line)
        except (OSError, ValueError):
            return  # The last line may be half written.

    def _write(self, line: dict[str, Any]) -> None:
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())


def open_log(folder: str, command: str, text: str, *, count: int, restart: bool) -> BisectLog:
    """The log of this command and this digest, resumed if it was interrupted."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    key = f"{command}\0{text}".encode("utf-8", "replace")
    log = BisectLog(folder, hashlib.sha256(key).hexdigest()[:16], count=count)
    if restart or not log.resume():
        log.begin(command)
    return log


def line_ranges(places: Collection[int]) -> str:
    """Places as the numbers of their lines, such as `1-8,12`."""
    ranges: list[list[int]] = []
    for line in sorted(place + 1 for place in places):
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    return ",".join(f"{low}-{high}" if low != high else str(low) for low, high in ranges)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
