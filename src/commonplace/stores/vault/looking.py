"""Noticing what was edited, moved, added or removed behind the store's back."""

from __future__ import annotations

import time

from ...sqlite import transaction
from ...value import Value
from .manifest import Entry
from .reading import claims, find
from .scan import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from ...model import Memory
    from ...sqlite import Database
    from .files import Files
    from .manifest import Manifest, Row
    from .reading import Found
    from .scan import Listing

KEPT = 1_000
"""How many freshly read files are kept for the caller that is about to ask for them."""


class Difference(Value):
    """A file that is not as it was last seen, and how it was: another process may be faster."""

    entry: Entry
    seen: Row | None
    touched: bool = False
    """Only its time differs, not its bytes."""


class Looker:
    """Compares the vault with the manifest. Unchanged folders cost their file times only."""

    def __init__(
        self,
        files: Files,
        manifest: Manifest,
        db: Database,
        locked: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self._files = files
        self._manifest = manifest
        self._db = db
        self._locked = locked
        self.blocked: list[str] = []
        """Folders that could not be opened the last time."""
        self.fresh: dict[str, Found] = {}
        """Files just read, by path."""

    def look(self) -> None:
        """Find every difference and give the changed files new revisions."""
        self._files.forget_links()
        self.fresh.clear()
        with self._locked():
            folders, racy = self._manifest.folders(), self._manifest.racy()
        listings: dict[str, Listing] = {}
        seen: set[str] = set()
        self.blocked = []
        for listing in walk(self._files.root, self.blocked):
            seen.add(listing.folder)
            if folders.get(listing.folder) != (listing.signature, listing.modified):
                listings[listing.folder] = listing
        differences = [d for listing in listings.values() for d in self._in_folder(listing)]
        differences += self._racy(racy, listings)
        lost = [f for f in folders if f not in seen and not self._is_blocked(f)]
        for folder in lost:
            differences += self._missing(folder)
        if differences or listings or lost:
            self._record(differences, listings, folders, lost)

    def _is_blocked(self, folder: str) -> bool:
        return any(folder == b or folder.startswith(f"{b}/") for b in self.blocked)

    def _in_folder(self, listing: Listing) -> list[Difference]:
        with self._locked():
            known = self._manifest.in_folder(listing.folder)
        found: list[Difference] = []
        for path, term, stats in listing.terms():
            row = known.pop(path, None)
            if row is None or row.gone or row.term != term:
                found += self._read(path, row, stats)
        found += [d for path, row in known.items() for d in self._gone(path, row)]
        return found

    def _read(self, path: str, row: Row | None, stats: os.stat_result) -> list[Difference]:
        now = find(self._files, path)
        if now is None:
            return []
        entry = self._entry(path, now, racy=is_racy(stats.st_mtime_ns, time.time_ns()))
        if row is not None and not row.gone and row.crc == now.crc and now.crc:
            return [Difference(entry, row, touched=True)]
        if len(self.fresh) < KEPT:
            self.fresh[path] = now
        return [Difference(entry, row)]

    def _entry(self, path: str, now: Found, *, racy: bool) -> Entry:
        return Entry(
            path, now.term, now.crc, racy=racy, problem=now.problem,
            claims=tuple(claims(path, now)),
        )  # fmt: skip

    def _gone(self, path: str, row: Row) -> list[Difference]:
        # Asked again: the file may have been written and recorded since its folder was listed.
        if row.gone or self._files.term(path) is not None:
            return []
        return [Difference(Entry(path, gone=True), row)]

    def _missing(self, folder: str) -> list[Difference]:
        with self._locked():
            known = self._manifest.in_folder(folder)
        return [d for path, row in known.items() for d in self._gone(path, row)]

    def _racy(self, racy: dict[str, Row], listings: dict[str, Listing]) -> list[Difference]:
        found: list[Difference] = []
        for path, row in racy.items():
            if path.rpartition("/")[0] in listings:
                continue
            now = find(self._files, path)
            if now is not None and now.crc == row.crc:
                still = is_racy(int(now.modified_s * 1e9), time.time_ns())
                if not still:
                    found.append(Difference(Entry(path, now.term, now.crc), row, touched=True))
            elif now is not None:
                found.append(Difference(self._entry(path, now, racy=True), row))
        return found

    def _record(
        self,
        differences: list[Difference],
        listings: dict[str, Listing],
        folders: dict[str, tuple[int, int]],
        lost: list[str],
    ) -> None:
        with self._locked(), transaction(self._db):
            changed: list[Entry] = []
            for difference in differences:
                entry = difference.entry
                if self._manifest.row(entry.path) != difference.seen:
                    continue
                if difference.touched:
                    self._manifest.touch(entry.path, entry.term, racy=entry.racy)
                else:
                    changed.append(entry)
            if changed:
                self._manifest.record(changed)
            now = self._manifest.folders()
            for folder, listing in listings.items():
                # Whoever wrote meanwhile knows better; the next look settles it.
                if now.get(folder) == folders.get(folder):
                    self._manifest.set_folder(folder, listing.signature, listing.modified)
            for folder in lost:
                if now.get(folder) == folders.get(folder):
                    self._manifest.drop_folder(folder)


def is_racy(modified_ns: int, now_ns: int) -> bool:
    """Whether a file changed so recently that another change may not show in its time.

    Disks that keep whole seconds may keep only every second one; others tick every few
    milliseconds.
    """
    window = 2_000_000_000 if modified_ns % 1_000_000_000 == 0 else 20_000_000
    return abs(now_ns - modified_ns) <= window


def with_ids(found: Found, odd: dict[str, str | None]) -> tuple[Memory, ...]:
    """A file's memories under the ids they count as; those another file has are left out."""
    if not odd:
        return found.memories
    kept: list[Memory] = []
    for memory in found.memories:
        due = odd.get(memory.id, memory.id)
        if due is not None:
            kept.append(memory if due == memory.id else memory.but(id=due))
    return tuple(kept)
