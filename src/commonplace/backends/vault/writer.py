"""The way of a write: records become a plan, the plan becomes files, the manifest records them.

1. `RecordWriter` plans every file (`write_plan`) and raises Conflict before the first byte.
2. `FileWriter` writes each new text to a temporary file beside its place and syncs it.
3. Inside the lease's transaction it checks that nobody changed the files since, renames the
   temporary files into place, syncs their folders, removes old files, records the manifest.
4. The index learns of the files from the manifest (`VaultStore.changes`), later and on its own.

A process killed before a rename leaves a temporary file, which `refresh_map` and `erase` remove,
with the attachment that was in place already for a note that never came.
One killed between the rename and the commit of the manifest leaves a note that the manifest does
not know: the next holder of the lease sees `after_crash` and detects changes first. One killed
before the index heard of it loses nothing: the index asks for all changes after its own revision.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress

from ...model.errors import Conflict, StoreUnavailable
from ...notes import note as notes
from ...notes.attachments import is_attachment
from ...notes.layout import ARCHIVE
from ...ports.record_store import Stored
from .detect_changes import changed_too_recently
from .files import Unread, disk_errors, run_parallel, sync_folder
from .folders import ScopeFolders
from .identity import CARD
from .manifest import UNPROVEN, ManifestEntry
from .read_notes import FileContents, note_claims, parse_file, read_file
from .write_plan import VaultWritePlan, is_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from ...model.memory import Memory
    from ...ports.record_store import Lease, Put, SyncConflict
    from ..common.lease import SqliteLeases
    from .files import Content, Files
    from .manifest import Manifest


class RecordWriter:
    """Turns records into files; every record is checked before the first byte is written."""

    def __init__(
        self,
        files: Files,
        manifest: Manifest,
        leases: SqliteLeases,
        locked: Callable[[], AbstractContextManager[object]],
        detect_changes: Callable[[], None],
    ) -> None:
        self._files = files
        self._manifest = manifest
        self._leases = leases
        self._locked = locked
        self._detect_changes = detect_changes
        self._folders = ScopeFolders(files.root)
        self._writer = FileWriter(files, manifest)

    def write(
        self, puts: Sequence[Put], lease: Lease
    ) -> tuple[list[Stored], dict[str, FileContents]]:
        """Write records; returns each as it reads back, and the contents of the files."""
        lease.check()
        with self._readable():
            try:
                plan = self._plan(puts)
                placed = plan.put(puts)
            except Conflict:
                # The manifest may be behind a person's own move or edit.
                self._detect_changes()
                plan = self._plan(puts)
                placed = plan.put(puts)
            written, revisions = self._carry_out(plan, lease)
        with self._locked():
            newest = self._manifest.revision()
        stored = [
            Stored(
                memory=self._stored(written, place.path, place.id) or put.memory,
                locator=place.path,
                revision=revisions.get(place.path, newest),
            )
            for put, place in zip(puts, placed, strict=True)
        ]
        return stored, written

    def erase(self, ids: Collection[str], lease: Lease) -> list[str]:
        """Remove every file, or line of a file, that has one of the ids, and every copy of it.

        A file with the same id and another text is another memory: it gets an id of its own, so
        that the erased one does not hide it.
        """
        lease.check()
        plan = self._plan()
        erased: list[str] = []
        paths: set[str] = set()
        with self._readable():
            for id in ids:
                with self._locked():
                    claimants = self._manifest.claimants(id)
                for one in claimants:
                    if one.effective not in (id, None):
                        if one.effective not in ids and not is_facts(one.path):
                            plan.give_id(one.path, one.effective)
                    elif not is_facts(one.path):
                        plan.remove(one.path)
                        paths.add(one.path)
                    elif one.live:
                        plan.erase_line(one.path, one.said)
                if any(one.live for one in claimants):
                    erased.append(id)
            self._carry_out(plan, lease, erasing=True)
        with self._leases.guard(lease):
            self._manifest.erase(paths)
        return erased

    def settle(self, conflict: SyncConflict, kept: Memory | None, lease: Lease) -> None:
        """Put the kept record in its place, then remove the other files of a conflict."""
        lease.check()
        plan = self._plan()
        with self._readable():
            texts: list[str] = []
            for path, crc in conflict.files:
                texts.append(plan.text(path) or "")
                before = plan.before.get(path)
                if before is None or before.crc != crc:
                    raise Conflict(f"{path} was changed meanwhile.", hint="Run `sync` again.")
            plan.settle(conflict, kept, texts)
            newest = max(content.modified_s for content in plan.before.values() if content)
            # Without an id the time of the file is the note's, and must be alike on every device.
            plan.times[conflict.place] = notes.file_moment(newest)
            self._carry_out(plan, lease)

    def _carry_out(
        self, plan: VaultWritePlan, lease: Lease, *, erasing: bool = False
    ) -> tuple[dict[str, FileContents], dict[str, int]]:
        guarded = self._leases.guard(lease)
        try:
            return self._writer.write(plan, guarded, _mark(lease), erasing=erasing)
        except StoreUnavailable:
            # The next holder of the lease removed our drafts: if there is one, that is the reason.
            lease.check()
            raise

    def _plan(self, puts: Sequence[Put] = ()) -> VaultWritePlan:
        ids = {put.memory.id for put in puts}
        with self._locked():
            held = self._manifest.holders(ids)

        def holder(id: str) -> str | None:
            return held.get(id) if id in ids else self._holder(id)

        return VaultWritePlan(self._files, self._folders, holder)

    def _holder(self, id: str) -> str | None:
        with self._locked():
            return self._manifest.holder(id)

    def _stored(self, written: dict[str, FileContents], path: str, id: str) -> Memory | None:
        found = written.get(path) or read_file(self._files, path)
        return next((m for m in found.memories if m.id == id), None) if found else None

    @contextmanager
    def _readable(self) -> Generator[None]:
        try:
            with disk_errors(self._files.root):
                yield
        except (Unread, UnicodeDecodeError) as error:
            raise Conflict(
                "A file in the vault that this changes cannot be read.",
                hint="Run `commonplace doctor` to see which, and mend it.",
            ) from error


class FileWriter:
    """Writes planned files; new text is on the disk before old text goes."""

    def __init__(self, files: Files, manifest: Manifest) -> None:
        self._files = files
        self._manifest = manifest

    def write(
        self,
        plan: VaultWritePlan,
        guarded: AbstractContextManager[object],
        mark: str,
        *,
        erasing: bool = False,
    ) -> tuple[dict[str, FileContents], dict[str, int]]:
        """Carry out a plan; returns the contents of the written files and their revisions."""
        puts = {p: t.encode() for p, t in plan.after.items() if t is not None and _new(plan, p)}
        # An attachment is in place before the note that links to it.
        puts = dict(sorted(puts.items(), key=lambda put: not is_attachment(put[0])))
        gone = [p for p, t in plan.after.items() if t is None and plan.before.get(p) is not None]
        ready: dict[str, str] = {}
        with disk_errors(self._files.root):
            before = {_folder(path): None for path in (*puts, *gone) if not is_attachment(path)}
            before = {folder: self._files.folder_time(folder) for folder in before}
            try:
                self._files.prepare(puts, mark, ready)
                self._date(plan, ready)
                with guarded:
                    self._require_unchanged(plan, [*puts, *gone])
                    self._replace(ready)
                    self._remove(gone, erasing=erasing)
                    self._require_vault()
                    return self._remember(plan, list(puts), gone, before)
            finally:
                for temporary in ready.values():
                    with suppress(FileNotFoundError):
                        os.unlink(temporary)

    def _date(self, plan: VaultWritePlan, ready: dict[str, str]) -> None:
        """Give files of facts the time of their lines, where that is not now."""
        for path, updated in plan.times.items():
            if path in ready:
                # Whole milliseconds, as every moment is kept.
                moment = round(updated.timestamp() * 1000) * 1_000_000
                os.utime(ready[path], ns=(moment, moment))

    def _require_unchanged(self, plan: VaultWritePlan, paths: list[str]) -> None:
        """Raise Conflict for a file that a person saved since the plan was made."""
        for path in paths:
            before = plan.before.get(path)
            if self._files.stat_hash(path) == (before.stat_hash if before else None):
                continue
            now = self._files.read(path)
            if before is None or now is None or now.data != before.data:
                raise Conflict(
                    f"{path} was changed while it was being written.",
                    hint="Read it again and repeat the change.",
                )

    def _require_vault(self) -> None:
        """Raise an OSError if the files are beside the vault, whose disk has gone meanwhile."""
        os.stat(self._files.path(CARD))

    def _replace(self, ready: dict[str, str]) -> None:
        # What replaces a memory is durable before that one is retired: the new one says what it
        # replaces, so that a change which a power cut ends here is completed, and not half gone.
        # An attachment is durable before the note that links to it, which is half a text without.
        attached = [path for path in ready if is_attachment(path)]
        archived = [path for path in ready if _folder(path).endswith(ARCHIVE)]
        current = [path for path in ready if path not in {*attached, *archived}]
        for paths in (attached, current, archived):
            folders = {os.path.dirname(ready[path]) for path in paths}
            for path in paths:
                os.replace(ready.pop(path), self._files.path(path))
            run_parallel([lambda f=folder: sync_folder(f) for folder in folders])

    def _remove(self, paths: list[str], *, erasing: bool) -> None:
        # An attachment is gone for good before the note that links to it: a purge that a power cut
        # ended is asked for again, finds the note, and nothing would find an attachment alone. A
        # note that is replaced goes first: without its text it would be another note.
        attached = [path for path in paths if is_attachment(path)]
        steps = [[path for path in paths if path not in attached], attached]
        if erasing:
            steps.reverse()
        for some in steps:
            for path in some:
                with suppress(FileNotFoundError):
                    os.unlink(self._files.path(path))
            folders = {os.path.dirname(self._files.path(path)) for path in some}
            run_parallel([lambda f=folder: sync_folder(f) for folder in folders])

    def _remember(
        self,
        plan: VaultWritePlan,
        puts: list[str],
        gone: list[str],
        before: Mapping[str, int | None],
    ) -> tuple[dict[str, FileContents], dict[str, int]]:
        """Record the files in the manifest, so that the next detection need not read them."""
        now_ns = time.time_ns()
        written: dict[str, FileContents] = {}
        entries = [ManifestEntry(path, gone=True) for path in gone if not is_attachment(path)]
        for path in puts:
            if is_attachment(path):
                continue
            content = self._files.stat(path, plan.after[path] or "")
            found = written[path] = _found(plan, path, content)
            recent = changed_too_recently(int(content.modified_s * 1e9), now_ns)
            entries.append(
                ManifestEntry(
                    path, found.stat_hash, found.crc, changed_too_recently=recent,
                    problem=found.problem, claims=tuple(note_claims(path, found)),
                )
            )  # fmt: skip
        known = self._manifest.seen_files([entry.path for entry in entries])
        revisions = self._manifest.record(entries)
        shifts: dict[str, list[int]] = {}
        for entry in entries:
            row, shift = known.get(entry.path), shifts.setdefault(_folder(entry.path), [0, 0])
            shift[0] += entry.stat_hash
            shift[1] += row.stat_hash if row and not row.gone else 0
        for folder, (add, take) in shifts.items():
            modified = self._files.folder_time(folder) or UNPROVEN
            self._manifest.adjust_folder(
                folder, add=add, take=take, before=before[folder], modified=modified
            )
        return written, revisions


def _found(plan: VaultWritePlan, path: str, content: Content) -> FileContents:
    """The contents of a file just written: for a new note, the memory it was made from."""
    text, memory = plan.rendered.get(path, (None, None))
    if memory is None or plan.after[path] is not text:
        return parse_file(path, content, plan.text)
    return FileContents((memory,), "", content.crc, content.stat_hash, content.modified_s)


def _new(plan: VaultWritePlan, path: str) -> bool:
    before = plan.before.get(path)
    return before is None or plan.after[path] != before.data.decode()


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _mark(lease: Lease) -> str:
    """The part of a temporary file's name that is this holder's own."""
    return f"{os.getpid()}-{getattr(lease, 'token', 0)}"
