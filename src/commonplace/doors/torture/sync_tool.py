"""A file sync tool as careless as the real ones: it knows names, bytes and times, and no notes.

Files travel one by one in any order, some of them first in part, some under a temporary name. A
file that changed on both sides becomes two: one keeps the name, the other gets the name that the
tools give to conflict copies.
"""

from __future__ import annotations

import os
import shutil

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Job = tuple[str, str, bytes | None]
    """A folder, a path in it, and the bytes that come there; None for a removal."""

CONFLICT_NAMES = (
    "{name}.sync-conflict-20261117-093012-K7QX2LM{end}",
    "{name} (conflicted copy 2026-11-17 093012){end}",
    "{name} (Mia's conflicted copy 2026-11-17){end}",
    "{name}_conflict-20261117-093012{end}",
    "{name} 2{end}",
    "{name}-laptop{end}",
)
"""As Syncthing, Nextcloud, Dropbox, Seafile, iCloud and OneDrive name them."""
_TEMPORARY = (".syncthing.{name}.tmp", ".{name}.part", "~{name}.tmp", ".{name}.a1B2c3")


class SyncTool:
    """Two folders that are kept equal, with what both held after the last run."""

    def __init__(self, one: str, other: str, chance: random.Random) -> None:
        self._folders = (one, other)
        self._chance = chance
        self._last: dict[str, bytes] = {}
        self.conflicts = 0

    def run(self, pause: Callable[[str], object] = lambda _: None) -> int:
        """Bring both folders together; returns how many files had to travel.

        `pause` is called in the middle, with the folder that has seen a part so far.
        """
        here, there = (_files(folder) for folder in self._folders)
        jobs = [
            job
            for path in sorted(here.keys() | there.keys() | self._last.keys())
            for job in self._jobs(path, here.get(path), there.get(path))
        ]
        self._chance.shuffle(jobs)
        for number, (folder, path, data) in enumerate(self._with_parts(jobs)):
            self._bring(folder, path, data)
            if number in (len(jobs) // 3, len(jobs) // 2):
                pause(folder)
        self._last = _files(self._folders[0])
        return len(jobs)

    def _with_parts(self, jobs: list[Job]) -> list[Job]:
        """The same steps, some files coming in part and in place before they come whole."""
        steps: list[Job] = list(jobs)
        for job in jobs:
            if job[2] and self._chance.random() < 0.2:
                part = job[2][: self._chance.randrange(len(job[2]))]
                steps.insert(self._chance.randrange(steps.index(job) + 1), (job[0], job[1], part))
        return steps

    def _jobs(self, path: str, here: bytes | None, there: bytes | None) -> list[Job]:
        one, other = self._folders
        last = self._last.get(path)
        if here == there:
            return []
        if there == last and (here is not None or last is not None):
            return [(other, path, here)]
        if here == last:
            return [(one, path, there)]
        if here is None or there is None:
            # Removed on one side and changed on the other: the change stays.
            return [(other, path, here)] if here is not None else [(one, path, there)]
        self.conflicts += 1
        won, lost = (here, there) if self._chance.random() < 0.5 else (there, here)
        name, end = os.path.splitext(path)
        copy = self._chance.choice(CONFLICT_NAMES).format(name=name, end=end)
        both = [(folder, at, data) for folder in (one, other) for at, data in (
            (path, won), (copy, lost)
        )]  # fmt: skip
        return [job for job in both if _read(os.path.join(job[0], job[1])) != job[2]]

    def _bring(self, folder: str, path: str, data: bytes | None) -> None:
        whole = os.path.join(folder, path)
        if data is None:
            if os.path.exists(whole):
                os.unlink(whole)
            return
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        if self._chance.random() < 0.3:
            _write(whole, data)
        else:
            name = self._chance.choice(_TEMPORARY).format(name=os.path.basename(path))
            draft = os.path.join(os.path.dirname(whole), name)
            _write(draft, data)
            os.replace(draft, whole)
        source = next((one for one in self._folders if one != folder), folder)
        self._keep_time(os.path.join(source, path), whole)

    def _keep_time(self, source: str, target: str) -> None:
        """Give a file the time of its source, as most tools do; some give it an old one."""
        if self._chance.random() < 0.7 and os.path.exists(source):
            shutil.copystat(source, target)
        elif self._chance.random() < 0.3:
            os.utime(target, (1_500_000_000, 1_500_000_000))


def _files(folder: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for inside, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(inside, name)
            # A tool leaves out the temporary files that programs begin with a dot.
            if not name.startswith(".") and (data := _read(path)) is not None:
                found[os.path.relpath(path, folder)] = data
    return found


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
