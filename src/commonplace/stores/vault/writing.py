"""Putting a plan on the disk: whole files, durable, under the lease, safe to crash anywhere."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from ...errors import Conflict
from .files import at_once, disk, sync_folder
from .looking import is_racy
from .manifest import Entry
from .reading import Found, claims, interpret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from .files import Content, Files
    from .manifest import Manifest
    from .planning import Plan


class Writer:
    """Writes planned files. New text is in place and durable before old text goes."""

    def __init__(self, files: Files, manifest: Manifest) -> None:
        self._files = files
        self._manifest = manifest

    def write(
        self, plan: Plan, guarded: AbstractContextManager[object], mark: str
    ) -> tuple[dict[str, Found], dict[str, int]]:
        """Make the vault what the plan says; returns the files' new state and their revisions."""
        puts = {p: t.encode() for p, t in plan.after.items() if t is not None and _new(plan, p)}
        gone = [p for p, t in plan.after.items() if t is None and plan.before.get(p) is not None]
        ready: dict[str, str] = {}
        with disk(self._files.root):
            try:
                self._files.prepare(puts, mark, ready)
                self._date(plan, ready)
                with guarded:
                    self._require_unchanged(plan, [*puts, *gone])
                    self._replace(ready)
                    self._remove(gone)
                    return self._remember(plan, list(puts), gone)
            finally:
                for temporary in ready.values():
                    with suppress(FileNotFoundError):
                        os.unlink(temporary)

    def _date(self, plan: Plan, ready: dict[str, str]) -> None:
        """Give files of facts the time of their lines, where that is not now."""
        for path, updated in plan.times.items():
            if path in ready:
                # Whole milliseconds, as every moment is kept.
                moment = round(updated.timestamp() * 1000) * 1_000_000
                os.utime(ready[path], ns=(moment, moment))

    def _require_unchanged(self, plan: Plan, paths: list[str]) -> None:
        """The last look before the rename: a person may have saved the file just now."""
        for path in paths:
            before = plan.before.get(path)
            if self._files.term(path) == (before.term if before else None):
                continue
            now = self._files.read(path)
            if before is None or now is None or now.data != before.data:
                raise Conflict(
                    f"{path} was changed while it was being written.",
                    hint="Read it again and repeat the change.",
                )

    def _replace(self, ready: dict[str, str]) -> None:
        folders = {os.path.dirname(temporary) for temporary in ready.values()}
        for path in list(ready):
            os.replace(ready.pop(path), self._files.path(path))
        at_once([lambda f=folder: sync_folder(f) for folder in folders])

    def _remove(self, paths: list[str]) -> None:
        for path in paths:
            with suppress(FileNotFoundError):
                os.unlink(self._files.path(path))
        folders = {os.path.dirname(self._files.path(path)) for path in paths}
        at_once([lambda f=folder: sync_folder(f) for folder in folders])

    def _remember(
        self, plan: Plan, puts: list[str], gone: list[str]
    ) -> tuple[dict[str, Found], dict[str, int]]:
        """Bring the manifest up to date, so that the next look need not read these files."""
        now_ns = time.time_ns()
        written: dict[str, Found] = {}
        entries = [Entry(path, gone=True) for path in gone]
        for path in puts:
            content = self._files.stat(path, plan.after[path] or "")
            found = written[path] = _found(plan, path, content)
            racy = is_racy(int(content.modified_s * 1e9), now_ns)
            entries.append(
                Entry(
                    path, found.term, found.crc, racy=racy, problem=found.problem,
                    claims=tuple(claims(path, found)),
                )
            )  # fmt: skip
        known = self._manifest.rows([entry.path for entry in entries])
        revisions = self._manifest.record(entries)
        shifts: dict[str, list[int]] = {}
        for entry in entries:
            row, shift = known.get(entry.path), shifts.setdefault(_folder(entry.path), [0, 0])
            shift[0] += entry.term
            shift[1] += row.term if row and not row.gone else 0
        for folder, (add, take) in shifts.items():
            modified = os.stat(os.path.join(self._files.root, folder)).st_mtime_ns
            self._manifest.shift(folder, add=add, take=take, modified=modified)
        return written, revisions


def _found(plan: Plan, path: str, content: Content) -> Found:
    """What a file just written holds: for a new note, the memory it was made from."""
    text, memory = plan.rendered.get(path, (None, None))
    if memory is None or plan.after[path] is not text:
        return interpret(path, content)
    return Found((memory,), "", content.crc, content.term, content.modified_s)


def _new(plan: Plan, path: str) -> bool:
    before = plan.before.get(path)
    return before is None or plan.after[path] != before.data.decode()


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
