"""Noticing what was edited, moved, added or removed behind the store's back."""

from __future__ import annotations

import time

from ...sqlite import transaction
from ...value import Value
from .manifest import Entry
from .reading import checksum, claims, find
from .scan import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from ...model import Memory
    from ...sqlite import Database
    from .files import Files
    from .manifest import Manifest, Row
    from .reading import Found
    from .scan import Listing

STEP = 1_000
"""How many changed files are read before they are recorded and passed on."""


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
        """Files just read, by path, for a caller that is about to ask for them."""

    def look(self) -> None:
        """Find every difference and give the changed files new revisions."""
        for _ in self.steps():
            self.fresh.clear()

    def steps(self) -> Iterator[None]:
        """Look, pausing whenever a number of changed files has been read and recorded."""
        self._files.forget_links()
        self.fresh.clear()
        with self._locked():
            folders, racy = self._manifest.folders(), self._manifest.racy()
        seen: set[str] = set()
        listed: set[str] = set()
        self.blocked = []
        found: list[Difference] = []
        for listing in walk(self._files.root, self.blocked):
            seen.add(listing.folder)
            known = folders.get(listing.folder)
            if known == (listing.signature, listing.modified):
                continue
            listed.add(listing.folder)
            for difference in self._in_folder(listing):
                found.append(difference)
                if len(found) >= STEP:
                    self._record(found)
                    found = []
                    yield
            self._record(found, listing, known)
            found = []
        lost = [f for f in folders if f not in seen and not self._is_blocked(f)]
        found = [d for folder in lost for d in self._missing(folder)]
        found += self._racy(racy, listed)
        self._record(found, lost=[(folder, folders[folder]) for folder in lost])
        yield

    def _is_blocked(self, folder: str) -> bool:
        return any(folder == b or folder.startswith(f"{b}/") for b in self.blocked)

    def _in_folder(self, listing: Listing) -> Iterator[Difference]:
        with self._locked():
            known = self._manifest.in_folder(listing.folder)
        for path, term, stats in listing.terms():
            row = known.pop(path, None)
            if row is None or row.gone or row.term != term:
                yield from self._read(path, row, stats)
        for path, row in known.items():
            yield from self._gone(path, row)

    def _read(self, path: str, row: Row | None, stats: os.stat_result | None) -> list[Difference]:
        now = find(self._files, path)
        if now is None:
            return []
        modified_ns = stats.st_mtime_ns if stats else int(now.modified_s * 1e9)
        entry = self._entry(path, now, racy=is_racy(modified_ns, time.time_ns()))
        if row is not None and not row.gone and row.crc == now.crc and now.crc:
            return [Difference(entry, row, touched=True)]
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

    def _racy(self, racy: dict[str, Row], listed: set[str]) -> list[Difference]:
        """Files whose time proves nothing are compared by their bytes."""
        found: list[Difference] = []
        for path, row in racy.items():
            if path.rpartition("/")[0] in listed:
                continue
            now = checksum(self._files, path)
            if now is None or now.crc != row.crc:
                found += self._read(path, row, None)
            elif not is_racy(int(now.modified_s * 1e9), time.time_ns()):
                found.append(Difference(Entry(path, now.term, now.crc), row, touched=True))
        return found

    def _record(
        self,
        differences: list[Difference],
        listing: Listing | None = None,
        known: tuple[int, int] | None = None,
        *,
        lost: Sequence[tuple[str, tuple[int, int]]] = (),
    ) -> None:
        if not differences and not lost and listing is None:
            return
        with self._locked(), transaction(self._db):
            changed: list[Entry] = []
            for difference in differences:
                entry = difference.entry
                if self._manifest.row(entry.path) != difference.seen:
                    # Another process looked or wrote meanwhile; the next look settles it.
                    continue
                if difference.touched:
                    self._manifest.touch(entry.path, entry.term, racy=entry.racy)
                else:
                    changed.append(entry)
            if changed:
                self._manifest.record(changed)
            if listing is not None and self._manifest.folder(listing.folder) == known:
                self._manifest.set_folder(listing.folder, listing.signature, listing.modified)
            for folder, was in lost:
                if self._manifest.folder(folder) == was:
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
