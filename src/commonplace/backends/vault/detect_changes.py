"""Noticing what was edited, moved, added or removed behind the store's back."""

from __future__ import annotations

import time

from ...model.value import Value
from ..common.sqlite import transaction
from . import prefetch_scan
from .listing import walk
from .manifest import ManifestEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from ..common.sqlite import SqliteConnection
    from .files import Files
    from .listing import Listing
    from .manifest import Manifest, Row
    from .read_notes import FileContents

STEP = 1_000
"""How many changed files are read before they are recorded and passed on."""


class Difference(Value):
    """A file that is not as it was last seen, and how it was: another process may be faster."""

    entry: ManifestEntry
    seen: Row | None
    touched: bool = False
    """Only its time differs, not its bytes."""


class Seen(Value):
    """A folder as it was just listed, and what was known of it before."""

    path: str
    signature: int
    modified: int
    known: tuple[int, int] | None


class Looker:
    """Compares the vault with the manifest. Unchanged folders cost their file times only."""

    def __init__(
        self,
        files: Files,
        manifest: Manifest,
        db: SqliteConnection,
        locked: Callable[[], AbstractContextManager[object]],
        require_there: Callable[[], None],
    ) -> None:
        self._files = files
        self._manifest = manifest
        self._db = db
        self._locked = locked
        self._require_there = require_there
        self.blocked: dict[str, str] = {}
        """What could not be looked at the last time, and why."""
        self.fresh: dict[str, FileContents] = {}
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
        if prefetch_scan.seen(self._files.root) == folders and not racy:
            self.blocked = {}
            return
        blocked: dict[str, str] = {}
        seen: set[str] = set()
        listed: list[Seen] = []
        found: list[Difference] = []
        done = 0
        for listing in walk(self._files.root, blocked):
            seen.add(listing.folder)
            known = folders.get(listing.folder)
            if known == (listing.signature, listing.modified):
                continue
            for difference in self._in_folder(listing):
                found.append(difference)
                if len(found) >= STEP:
                    self._record(found, listed[done:])
                    found, done = [], len(listed)
                    yield
            listed.append(Seen(listing.folder, listing.signature, listing.modified, known))
        self.blocked = blocked
        lost = [f for f in folders if f not in seen and not _is_blocked(f, blocked)]
        found += [d for folder in lost for d in self._missing(folder)]
        found += self._racy(racy, {folder.path for folder in listed})
        self._record(found, listed[done:], {folder: folders[folder] for folder in lost})
        yield

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
        # Imported here: a look that finds nothing new needs no reader.
        from .read_notes import claims, find

        now = find(self._files, path)
        if now is None:
            return []
        modified_ns = stats.st_mtime_ns if stats else int(now.modified_s * 1e9)
        entry = ManifestEntry(
            path, now.term, now.crc, racy=is_racy(modified_ns, time.time_ns()),
            problem=now.problem, claims=tuple(claims(path, now)),
        )  # fmt: skip
        if row is not None and not row.gone and row.crc == now.crc and now.crc:
            return [Difference(entry, row, touched=True)]
        self.fresh[path] = now
        return [Difference(entry, row)]

    def _gone(self, path: str, row: Row) -> list[Difference]:
        # Asked again: the file may have been written and recorded since its folder was listed.
        if row.gone or self._files.term(path) is not None:
            return []
        return [Difference(ManifestEntry(path, gone=True), row)]

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
            now = self._files.read_or_none(path)
            if now is None or now.crc != row.crc:
                found += self._read(path, row, None)
            elif not is_racy(int(now.modified_s * 1e9), time.time_ns()):
                found.append(Difference(ManifestEntry(path, now.term, now.crc), row, touched=True))
        return found

    def _record(
        self,
        differences: list[Difference],
        listed: Sequence[Seen],
        lost: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        if not differences and not listed and not lost:
            return
        if any(difference.entry.gone for difference in differences):
            # A disk that was unplugged during the look took every note with it.
            self._require_there()
        with self._locked(), transaction(self._db):
            # Whoever looked or wrote meanwhile knows better; the next look settles it.
            known = self._manifest.rows([d.entry.path for d in differences])
            current = [d for d in differences if known.get(d.entry.path) == d.seen]
            for difference in current:
                if difference.touched:
                    entry = difference.entry
                    self._manifest.touch(entry.path, entry.term, racy=entry.racy)
            if changed := [d.entry for d in current if not d.touched]:
                self._manifest.record(changed)
            for folder in listed:
                if self._manifest.folder(folder.path) == folder.known:
                    self._manifest.set_folder(folder.path, folder.signature, folder.modified)
            for path, known in (lost or {}).items():
                if self._manifest.folder(path) == known:
                    self._manifest.drop_folder(path)


def _is_blocked(folder: str, blocked: Mapping[str, str]) -> bool:
    return any(folder == above or folder.startswith(f"{above}/") for above in blocked)


def is_racy(modified_ns: int, now_ns: int) -> bool:
    """Whether a file changed so recently that another change may not show in its time.

    Disks that keep whole seconds may keep only every second one; others tick every few
    milliseconds.
    """
    window = 2_000_000_000 if modified_ns % 1_000_000_000 == 0 else 20_000_000
    return abs(now_ns - modified_ns) <= window
