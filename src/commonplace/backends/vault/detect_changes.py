"""Finds files that a person edited, moved, added or removed, by comparison with the manifest."""

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
    from .manifest import Manifest, SeenFile
    from .read_notes import FileContents

STEP = 1_000
"""How many changed files are read before they are recorded and passed on."""


class FileDifference(Value):
    """A file that is not as the manifest has it, and how the manifest had it."""

    entry: ManifestEntry
    seen: SeenFile | None
    touched: bool = False
    """Only its time differs, not its bytes."""


class ListedFolder(Value):
    """A folder as just listed, and as the manifest had it."""

    path: str
    signature: int
    modified: int
    known: tuple[int, int] | None


class ChangeDetector:
    """Compares the vault with the manifest; an unchanged folder costs only its file times."""

    def __init__(
        self,
        files: Files,
        manifest: Manifest,
        db: SqliteConnection,
        locked: Callable[[], AbstractContextManager[object]],
        require_vault: Callable[[], None],
    ) -> None:
        self._files = files
        self._manifest = manifest
        self._db = db
        self._locked = locked
        self._require_vault = require_vault
        self.blocked: dict[str, str] = {}
        """Paths that could not be read the last time, and why."""
        self.just_read: dict[str, FileContents] = {}
        """Contents of files by path, for a caller that is about to ask for them."""

    def detect(self) -> None:
        """Give every changed file a new revision."""
        for _ in self.detect_in_steps():
            self.just_read.clear()

    def detect_in_steps(self) -> Iterator[None]:
        """The same, pausing after each `STEP` files that were read and recorded."""
        self._files.forget_links()
        self.just_read.clear()
        with self._locked():
            folders = self._manifest.folders()
            recent = self._manifest.changed_too_recently()
        if prefetch_scan.take_result(self._files.root) == folders and not recent:
            self.blocked = {}
            return
        blocked: dict[str, str] = {}
        seen: set[str] = set()
        listed: list[ListedFolder] = []
        found: list[FileDifference] = []
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
            listed.append(ListedFolder(listing.folder, listing.signature, listing.modified, known))
        self.blocked = blocked
        lost = [f for f in folders if f not in seen and not _is_blocked(f, blocked)]
        found += [d for folder in lost for d in self._missing(folder)]
        found += self._compare_bytes(recent, {folder.path for folder in listed})
        self._record(found, listed[done:], {folder: folders[folder] for folder in lost})
        yield

    def _in_folder(self, listing: Listing) -> Iterator[FileDifference]:
        with self._locked():
            known = self._manifest.in_folder(listing.folder)
        for path, stat_hash, stats in listing.files():
            row = known.pop(path, None)
            if row is None or row.gone or row.stat_hash != stat_hash:
                yield from self._read(path, row, stats)
        for path, row in known.items():
            yield from self._gone(path, row)

    def _read(
        self, path: str, row: SeenFile | None, stats: os.stat_result | None
    ) -> list[FileDifference]:
        # Imported here because without a change nothing is read.
        from .read_notes import note_claims, read_file

        now = read_file(self._files, path)
        if now is None:
            return []
        modified_ns = stats.st_mtime_ns if stats else int(now.modified_s * 1e9)
        entry = ManifestEntry(
            path, now.stat_hash, now.crc,
            changed_too_recently=changed_too_recently(modified_ns, time.time_ns()),
            problem=now.problem, claims=tuple(note_claims(path, now)),
        )  # fmt: skip
        if row is not None and not row.gone and row.crc == now.crc and now.crc:
            return [FileDifference(entry, row, touched=True)]
        self.just_read[path] = now
        return [FileDifference(entry, row)]

    def _gone(self, path: str, row: SeenFile) -> list[FileDifference]:
        # Looked up again: the file may have been written since its folder was listed.
        if row.gone or self._files.stat_hash(path) is not None:
            return []
        return [FileDifference(ManifestEntry(path, gone=True), row)]

    def _missing(self, folder: str) -> list[FileDifference]:
        with self._locked():
            known = self._manifest.in_folder(folder)
        return [d for path, row in known.items() for d in self._gone(path, row)]

    def _compare_bytes(self, recent: dict[str, SeenFile], listed: set[str]) -> list[FileDifference]:
        """Compare files that changed too recently by their bytes, unless their folder is listed."""
        found: list[FileDifference] = []
        for path, row in recent.items():
            if path.rpartition("/")[0] in listed:
                continue
            now = self._files.read_or_none(path)
            if now is None or now.crc != row.crc:
                found += self._read(path, row, None)
            elif not changed_too_recently(int(now.modified_s * 1e9), time.time_ns()):
                entry = ManifestEntry(path, now.stat_hash, now.crc)
                found.append(FileDifference(entry, row, touched=True))
        return found

    def _record(
        self,
        differences: list[FileDifference],
        listed: Sequence[ListedFolder],
        lost: Mapping[str, tuple[int, int]] | None = None,
    ) -> None:
        if not differences and not listed and not lost:
            return
        if any(difference.entry.gone for difference in differences):
            # A disk that was unplugged meanwhile took every note with it.
            self._require_vault()
        with self._locked(), transaction(self._db):
            # A file that another process recorded meanwhile is left to the next detection.
            known = self._manifest.seen_files([d.entry.path for d in differences])
            current = [d for d in differences if known.get(d.entry.path) == d.seen]
            for difference in current:
                if difference.touched:
                    entry = difference.entry
                    self._manifest.touch(entry)
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


def changed_too_recently(modified_ns: int, now_ns: int) -> bool:
    """Whether a file changed so recently that another change may not show in its time.

    Disks that keep whole seconds may keep only every second one; others tick every few
    milliseconds.
    """
    window = 2_000_000_000 if modified_ns % 1_000_000_000 == 0 else 20_000_000
    return abs(now_ns - modified_ns) <= window
