"""Finds files that a person edited, moved, added or removed, by comparison with the manifest."""

from __future__ import annotations

import os
import time

from ...model.errors import Busy, Unavailable
from ...model.quick_decorators import suppress
from ...model.value import Value
from ..common.sqlite import transaction
from . import listing, partial_look, prefetch_scan
from .listing import walk
from .manifest import UNPROVEN, ManifestEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Generator,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from contextlib import AbstractContextManager

    from ..common.sqlite import SqliteConnection
    from .files import Files
    from .listing import Listing
    from .manifest import Manifest, SeenFile
    from .partial_look import LookTimes
    from .read_notes import FileContents

STEP = 1_000
"""How many changed files are read before they are recorded and passed on."""

PAUSE_FACTOR = 20
"""A look that found nothing is good for so many times its duration, as far as `quick` goes."""
OWN_WRITE_S = 0.5
"""A write that ends so soon after a look is all that changed since."""
FEW_RECENT = 100
"""Files that changed too recently are read by a look at folders; more are left to a whole look."""


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
        self.large_mark: str | None = None
        """Path of an empty file that is there while the vault is large."""
        self.blocked: dict[str, str] = {}
        """Paths that could not be read the last time, and why."""
        self.just_read: dict[str, FileContents] = {}
        """Contents of files by path, for a caller that is about to ask for them."""
        self._looked_at_s = self._trusted_until_s = float("-inf")
        self._own_times: dict[str, int | None] = {}
        """The times of folders after a write of this process."""

    def seems_unchanged(self) -> bool:
        """Whether a quick look finds nothing: every folder has the time it was listed with.

        A note edited in place leaves its folder's time as it was, so this holds only for a while
        after a look at every file.
        """
        now = time.monotonic()
        if now >= self._trusted_until_s:
            return False
        with self._locked():
            folders = self._manifest.folders()
        # Without the root, this manifest has seen single folders at most, which we wrote to.
        if "" not in folders or not all(
            # The later of the two is right: others write, too, and their times are in the manifest.
            self._folder_time(folder) in (modified, self._own_times.get(folder, modified))
            for folder, (_, modified) in folders.items()
        ):
            return False
        self._looked_at_s = now
        return True

    def after_own_write(self) -> None:
        """Know the folders' times after a write of ours, which is no reason for a look."""
        if time.monotonic() >= self._looked_at_s + OWN_WRITE_S:
            return
        with self._locked():
            folders = self._manifest.folders()
        self._own_times = {folder: self._folder_time(folder) for folder in folders}

    def _folder_time(self, folder: str) -> int | None:
        try:
            return self._files.folder_time(folder)
        except OSError:
            return None

    def detect(self) -> None:
        """Give every changed file a new revision."""
        for _ in self.detect_in_steps():
            self.just_read.clear()

    def detect_in_steps(self) -> Iterator[None]:
        """The same, pausing after each `STEP` files that were read and recorded."""
        began, began_ns = time.monotonic(), time.time_ns()
        self._files.forget_links()
        self.just_read.clear()
        with self._locked():
            folders = self._manifest.folders()
            recent = self._manifest.changed_too_recently()
            times = partial_look.read_times(self._db)
        if prefetch_scan.take_result(self._files.root) == folders and not recent:
            self.blocked = {}
            return
        blocked: dict[str, str] = {}
        count = 0

        def listings() -> Iterator[Listing]:
            nonlocal count
            for one in walk(self._files.root, blocked):
                count += len(one.names)
                yield one

        large = times is not None
        found = yield from self._compare(listings(), folders, recent, blocked, large=large)
        self.blocked = blocked
        now = time.monotonic()
        if not found:
            self._looked_at_s, self._own_times = now, {}
            self._trusted_until_s = now + PAUSE_FACTOR * (now - began)
        cost = None if found else int((now - began) * 1e9)
        self._record_look(began_ns, cost, large=count > listing.LARGE, was_large=large)
        yield

    def detect_in_folders(self) -> LookTimes | None:
        """Detect changes of folders alone, in a large vault.

        This finds new, moved, replaced and removed files, and leaves edits in place for later.
        Returns None, and does nothing, if every file has to be looked at.
        """
        now_ns = time.time_ns()
        with self._locked():
            times = partial_look.read_times(self._db)
            if times is None or not times.allow_part(now_ns):
                return None
            folders = self._manifest.folders()
            recent = self._manifest.changed_too_recently()
        if "" not in folders or len(recent) > FEW_RECENT:
            return None
        self._files.forget_links()
        self.just_read.clear()
        changed, lost = self._changed_folders(folders, now_ns)
        if changed or lost or recent:
            blocked: dict[str, str] = {}
            listings = walk(self._files.root, blocked, changed, folders)
            for _ in self._compare(listings, folders, recent, blocked, lost, large=True):
                self.just_read.clear()
            self.blocked |= blocked
        return times

    def _changed_folders(
        self, folders: Mapping[str, tuple[int, int]], now_ns: int
    ) -> tuple[list[str], list[str]]:
        """Folders whose time is another one or proves nothing, and those that are gone."""
        changed: list[str] = []
        lost: list[str] = []
        for folder, (_, modified) in folders.items():
            try:
                found = self._files.folder_time(folder)
            except PermissionError:
                continue  # A folder above may not be opened, which a whole look reports.
            if found is None:
                lost.append(folder)
            elif found != modified or changed_too_recently(found, now_ns):
                changed.append(folder)
        return changed, lost

    def _compare(
        self,
        listings: Iterable[Listing],
        folders: Mapping[str, tuple[int, int]],
        recent: dict[str, SeenFile],
        blocked: Mapping[str, str],
        lost: list[str] | None = None,
        *,
        large: bool,
    ) -> Generator[None, None, bool]:
        """Record what differs from the manifest; returns whether anybody edited anything.

        Without `lost`, folders that are not listed are gone, except blocked ones.
        """
        seen: set[str] = set()
        listed: list[ListedFolder] = []
        found: list[FileDifference] = []
        done, any_found = 0, False
        for one in listings:
            seen.add(one.folder)
            known = folders.get(one.folder)
            if known == (one.signature, one.modified):
                continue
            for difference in self._in_folder(one):
                found.append(difference)
                if len(found) >= STEP:
                    self._record(found, listed[done:])
                    found, done, any_found = [], len(listed), True
                    yield
            # A name may still be added without another time; only a large vault relies on times.
            sure = not large or not changed_too_recently(one.modified, time.time_ns())
            modified = one.modified if sure else UNPROVEN
            listed.append(ListedFolder(one.folder, one.signature, modified, known))
        if lost is None:
            lost = [f for f in folders if f not in seen and not _is_blocked(f, blocked)]
        found += [d for folder in lost for d in self._missing(folder)]
        found += self._compare_bytes(recent, {folder.path for folder in listed})
        self._record(found, listed[done:], {folder: folders[folder] for folder in lost})
        # A file that was written so recently that only its bytes could tell is no edit.
        return any_found or any(not one.touched for one in found)

    def _record_look(self, began: int, cost: int | None, *, large: bool, was_large: bool) -> None:
        """Record a look at every file, if the vault is large."""
        self._mark(large=large)
        if not large and not was_large:
            return
        try:
            with self._locked(), transaction(self._db):
                if large:
                    partial_look.record_look(self._db, began, time.time_ns(), cost)
                else:
                    partial_look.forget_looks(self._db)
        except (Busy, Unavailable):
            return  # The next answer looks again.

    def _mark(self, *, large: bool) -> None:
        """Let the next process know before it opens the vault whether a list of it is any use."""
        if self.large_mark is None or os.path.exists(self.large_mark) == large:
            return
        with suppress(OSError):  # A process that does not know lists the vault for nothing.
            if large:
                os.close(os.open(self.large_mark, os.O_CREAT | os.O_WRONLY, 0o600))
            else:
                os.remove(self.large_mark)

    def has_edits(self, ids: Collection[str]) -> bool:
        """Whether a file with one of these memories is not as the manifest has it."""
        with self._locked():
            holders = self._manifest.holders(ids)
            seen = self._manifest.seen_files(set(holders.values()))
        return len(holders) < len(set(ids)) or any(
            self._files.stat_hash(path) != row.stat_hash for path, row in seen.items()
        )

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
