"""The vault as a store of truth: one note is one memory, and people may edit any of them.

`writer` describes the way of a write and what a crash at each step leaves behind.
"""

from __future__ import annotations

import os
import time

from ...model.errors import Busy, Conflict, Damaged, NotAllowed, StoreUnavailable, Unavailable
from ...model.memory import Problem
from ...model.quick_decorators import contextmanager, suppress
from ...model.scope import EVERYTHING
from ...notes.layout import MAP, META
from ...notes.places import checked_locator
from ...ports.record_store import Changes, Document, Stored
from ..common.lease import SqliteLeases
from ..common.sqlite import DatabaseReplaced, empty_log, transaction
from ..common.sqlite_file import retried, retrying
from . import prefetch_scan
from .detect_changes import ChangeDetector
from .files import Files, disk_errors, write_atomically
from .identity import identify, read_id, set_id
from .listing import attachment_files, temporary_files, walk
from .manifest import GivenInMemory, Manifest, make_tables
from .partial_look import VaultPartialLook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator, Sequence
    from contextlib import AbstractContextManager

    from ...model.memory import Memory
    from ...model.scope import Scope, Tenant, Visible
    from ...ports.record_store import Lease, Put, SyncConflict, SyncConflicts, Totals
    from .manifest import FileChange
    from .writer import RecordWriter


BATCH = 500
_DONE = object()


class VaultStore:
    """A folder of markdown notes. The manifest of what this device last saw is in `state`."""

    capabilities = frozenset({"files", "map", "personal"})

    def __init__(
        self,
        root: str,
        *,
        state: str,
        create: bool = True,
        personal_root: str | None = None,
        large_mark: str | None = None,
    ) -> None:
        self.url = f"vault:{root}"
        self.root = os.path.realpath(root)
        self._personal = personal_root
        given = GivenInMemory()
        # The manifest can be made again from the notes.
        self._leases = SqliteLeases(
            os.path.join(state, "vault.db"),
            prepare=lambda db: make_tables(db, given),
            derived=True,
        )
        self._manifest = Manifest(self._leases.connection, given)
        self._files = Files(self.root)
        self._opened_writer: RecordWriter | None = None
        self._detector = ChangeDetector(
            self._files, self._manifest, self._leases.connection, self._locked, self._require_vault
        )
        self._detector.large_mark = large_mark
        if read_id(self.root) is None and self._has_files():
            raise self._missing_vault()
        self.store_id = identify(self.root, create=create)

    def _locked(self) -> AbstractContextManager[None]:
        return self._leases.reading()

    @contextmanager
    def lease(
        self,
        name: str = "write",
        *,
        wait_s: float = 10.0,
        scopes: Collection[Scope] | None = None,
    ) -> Generator[Lease]:
        """Take the named lease, always of the whole book."""
        with self._leases.hold(name, wait_s) as lease:
            if lease.after_crash:
                # The holder before may have died between writing a note and recording it.
                retried(self._detect_changes)
                lease.after_crash = False
            yield lease

    def write(self, puts: Sequence[Put], *, lease: Lease) -> list[Stored]:
        """Write each record durably, in order; each one is whole or absent, whatever happens."""
        self._require_vault()
        try:
            stored, written = self._record_writer().write(puts, lease)
        except DatabaseReplaced:
            return self._write_rest(puts, lease)
        # The index asks for these files next and need not read them again.
        self._detector.just_read = written
        self._detector.after_own_write()
        return stored

    def _write_rest(self, puts: Sequence[Put], lease: Lease) -> list[Stored]:
        """Write the records that are not in place yet, after the manifest was lost meanwhile."""
        self._detect_changes()
        there = self._read([put.memory.id for put in puts])
        done = {put.memory.id for put in puts if there.get(put.memory.id) not in (None, put.expect)}
        rest, _ = self._record_writer().write(
            [put for put in puts if put.memory.id not in done], lease
        )
        stored = {one.memory.id: one for one in rest}
        with self._locked():
            stored |= {
                id: Stored(there[id], self._manifest.holder(id) or "", self._manifest.revision())
                for id in done
            }
        return [stored[put.memory.id] for put in puts]

    @retrying
    def erase(self, ids: Collection[str], *, lease: Lease) -> list[str]:
        """Remove records for good, wherever copies of them are, and say which were there."""
        self._detect_changes()
        erased = self._record_writer().erase(ids, lease)
        # A purge leaves no word in a torn temporary file, the map or the database's log.
        self._remove_leftovers(before_s=None)
        self._remove_attachments(ids)
        if os.path.exists(os.path.join(self.root, MAP)):
            self.refresh_map()
        with self._locked():
            empty_log(self._leases.connection)
        return erased

    def _record_writer(self) -> RecordWriter:
        if self._opened_writer is None:
            # Imported here because a recall writes no record.
            from .writer import RecordWriter

            self._opened_writer = RecordWriter(
                self._files, self._manifest, self._leases, self._locked, self._detect_changes
            )
        return self._opened_writer

    def _remove_leftovers(self, *, before_s: float | None) -> None:
        with disk_errors(self.root):
            for path in temporary_files(self.root, before_s=before_s):
                with suppress(FileNotFoundError):
                    self._remove_original_of(path)
                    os.unlink(path)

    def _remove_original_of(self, temporary: str) -> None:
        """Remove the attachment that a killed writer put in place for a note that never came."""
        from ...notes.attachments import attachment_path, linked_original

        with open(temporary, encoding="utf-8", errors="replace") as file:
            linked = linked_original(file.read())
        if linked is None:
            return
        with self._locked():
            if self._manifest.holder(linked[0].rpartition("-")[0]) is not None:
                return
        note = os.path.relpath(temporary, self.root).replace(os.sep, "/")
        with suppress(FileNotFoundError):
            os.unlink(self._files.path(attachment_path(note, linked[0])))

    def _remove_attachments(self, ids: Collection[str]) -> None:
        """Remove attachments of erased memories that no note links to: a killed writer's."""
        names = tuple(f"{id}-" for id in ids)
        with disk_errors(self.root):
            for path in list(attachment_files(self.root)):
                if path.rpartition("/")[2].startswith(names):
                    with suppress(FileNotFoundError):
                        os.unlink(self._files.path(path))

    @retrying
    def read(self, ids: Collection[str], *, visible: Visible) -> dict[str, Memory]:
        """The current records with these ids, as far as they are visible."""
        found = self._read(ids)
        if any(id not in found for id in ids):
            self._detect_changes()
            found |= self._read([id for id in ids if id not in found])
        return {id: memory for id, memory in found.items() if visible.allows(memory.scope)}

    def _read(self, ids: Collection[str]) -> dict[str, Memory]:
        from .read_notes import read_file, with_effective_ids

        with self._locked():
            holders = {id: self._manifest.holder(id) for id in ids}
            overrides = self._manifest.id_overrides()
        files: dict[str, dict[str, Memory]] = {}
        for path in {path for path in holders.values() if path}:
            now = read_file(self._files, path)
            memories = with_effective_ids(now, overrides.get(path, {})) if now else ()
            files[path] = {memory.id: memory for memory in memories}
        return {id: files[path][id] for id, path in holders.items() if path and id in files[path]}

    @retrying
    def known(self, ids: Collection[str]) -> set[str]:
        """Which of these ids the store has, or had before somebody removed a note by hand."""
        self._detect_changes()
        with self._locked():
            return self._manifest.known(ids)

    def changes(
        self, since: int, *, visible: Visible, look: bool = True, quick: bool = False
    ) -> Iterator[Changes]:
        """The changes after a revision, in batches; `look` first detects edits by people."""
        try:
            for batch in self._changes(since, visible, look, quick):
                since = batch.revision
                yield batch
        except DatabaseReplaced:
            yield from self._changes(since, visible, look, quick)

    def _changes(self, since: int, visible: Visible, look: bool, quick: bool) -> Iterator[Changes]:
        self._follow_index(since)
        with self._locked():
            unlisted = self._manifest.unlisted()
        if look or unlisted:
            self._require_vault()
        if unlisted or (look and not (quick and self._detector.seems_unchanged())):
            steps = self._detector.detect_in_steps()
            while True:
                with disk_errors(self.root):
                    paused = next(steps, _DONE) is not _DONE
                for batch in self._recorded(since, visible):
                    since = batch.revision
                    yield batch
                if not paused:
                    break
        if unlisted:
            # While that cannot be written, the next one looks again.
            with suppress(Busy, Unavailable), self._locked(), transaction(self._leases.connection):
                self._manifest.listed(unlisted)
        for batch in self._recorded(since, visible):
            since = batch.revision
            yield batch
        if since < (newest := self.revision()):
            yield Changes(revision=newest)

    def _follow_index(self, since: int) -> None:
        """Drop the erased names that an index has heard of; renumber if it is ahead of us."""
        with self._locked():
            behind = self._manifest.revision() < since
            if not behind and not self._manifest.has_erased(since):
                return
            with transaction(self._leases.connection):
                if behind:
                    # The index followed a manifest that was lost since: feed it everything again.
                    self._manifest.renumber_after(since)
                self._manifest.drop_erased(since)
            empty_log(self._leases.connection)

    def _recorded(self, since: int, visible: Visible) -> Iterator[Changes]:
        while True:
            with self._locked():
                rows = self._manifest.changes_after(since, BATCH)
                overrides = self._manifest.id_overrides() if rows else {}
            if not rows:
                return
            since = rows[-1].revision
            documents = [self._document(row, overrides.get(row.path, {}), visible) for row in rows]
            yield Changes(revision=since, documents=tuple(documents))

    def _document(
        self, changed: FileChange, id_overrides: dict[str, str | None], visible: Visible
    ) -> Document:
        from .read_notes import link_names, read_file, with_effective_ids

        path = changed.path
        fresh = self._detector.just_read.pop(path, None)
        if changed.gone:
            return Document(path)
        found = fresh if fresh and fresh.crc == changed.crc else read_file(self._files, path)
        if found is None:
            # One that is gone is told so later, but not if it comes back with its disk.
            self._require_vault()
            return Document(path)
        memories = with_effective_ids(found, id_overrides)
        if visible is not EVERYTHING:
            memories = tuple(m for m in memories if visible.allows(m.scope))
        return Document(path, memories, link_names(path) if memories else ())

    def is_scanning(self) -> bool:
        """Whether a child process detects changes at this moment."""
        return prefetch_scan.is_running(self.root)

    @retrying
    def look_in_part(self) -> VaultPartialLook | None:
        """Look at the folders of a large vault; None if each file has to be looked at."""
        self._require_vault()
        # Times that are only kept in memory would let every process leave the rest to others.
        if self._leases.connection.unwritable is not None:
            return None
        with disk_errors(self.root):
            times = self._detector.detect_in_folders()
        if times is None:
            return None
        return VaultPartialLook(times, self._leases, self._detector.has_edits)

    @retrying
    def sync_conflicts(self, *, quiet_s: float) -> SyncConflicts:
        """Records that a sync tool left in several files, none of which changed for `quiet_s`."""
        from .conflicts import ConflictFinder

        self._detect_changes()
        with self._locked(), disk_errors(self.root):
            return ConflictFinder(self._files, self._manifest).find(quiet_s=quiet_s)

    def settle_conflict(self, conflict: SyncConflict, kept: Memory | None, lease: Lease) -> None:
        """Put the kept record in its place and remove the other files of a conflict."""
        self._require_vault()
        self._record_writer().settle(conflict, kept, lease)

    @retrying
    def report_again(self, ids: Collection[str]) -> None:
        """Let `changes` report these records once more, though they have not changed."""
        with self._locked(), transaction(self._leases.connection):
            self._manifest.report_again(ids)

    @retrying
    def revision(self) -> int:
        """The newest revision in the manifest."""
        with self._locked():
            return self._manifest.revision()

    @retrying
    def adopt(self, store_id: str) -> None:
        """Take over another vault's id; Conflict unless this one is empty."""
        self._detect_changes()
        if self._has_files():
            raise Conflict(f"The vault at {self.root} holds notes.", hint="Name a new folder.")
        set_id(self.root, store_id)
        self.store_id = store_id

    @retrying
    def totals(self, tenant: Tenant, *, sized: bool = True) -> Totals:
        """How much a tenant keeps here, whatever its status; bytes only if `sized`."""
        from .folders import tenant_totals

        with self._locked(), disk_errors(self.root):
            return tenant_totals(self._files, self._manifest, tenant, sized=sized)

    @retrying
    def wipe(self, tenant: Tenant, *, lease: Lease) -> None:
        """Remove a user's folder with whatever is still in it, and every name of it."""
        from .folders import remove_tenant_folder

        lease.check()
        self._require_vault()
        folder = remove_tenant_folder(self._files, tenant)
        self._detect_changes()
        with self._leases.guard(lease):
            self._manifest.erase(self._manifest.paths_below(folder) if folder else ())
        with self._locked():
            empty_log(self._leases.connection)

    @retrying
    def problems(self) -> list[Problem]:
        """Files that a person should mend; a manifest that does not match them is made again."""
        self._detect_changes()
        if not self._manifest_matches():
            self._leases.connection.replace(Damaged("The manifest does not match the notes."))
            self._detect_changes()
        with self._locked():
            known, overrides = self._manifest.problems(), self._manifest.id_overrides()
        found = [
            Problem(path, what, hint="Open the file and mend it; everything else is read as usual.")
            for path, what in known
        ]
        found += [
            Problem(
                path,
                "Another note with a different text has the same id.",
                hint="Run `commonplace sync`, which settles what a sync tool left. If both stay,"
                " one is a copy that somebody made: remove its `id` line to keep both.",
            )
            for path, ids in sorted(overrides.items())
            if any(ids.values())
        ]
        found += [
            Problem(path, what, hint="Check its permissions and its name.")
            for path, what in sorted(self._detector.blocked.items())
        ]
        if not _may_write(self.root):
            what = "The vault may not be written here, so nothing can be saved."
            hint = "Check the permissions of its folder, and how its disk is mounted."
            found.append(Problem(self.root, what, hint, "error"))
        found += self._unlinked_attachments()
        from ..common.repair import kept_copies_below

        found += kept_copies_below(os.path.join(self.root, META), {})
        return found + self._leases.connection.problems()

    def _unlinked_attachments(self) -> list[Problem]:
        hint = "Remove it if its note is gone for good; a sync tool may still bring the note."
        with self._locked(), disk_errors(self.root):
            return [
                Problem(path, "No memory has this original.", hint=hint, severity="notice")
                for path in sorted(attachment_files(self.root))
                if self._manifest.holder(path.rpartition("/")[2].rpartition("-")[0]) is None
            ]

    def _manifest_matches(self) -> bool:
        """Whether the manifest says of each note what its bytes say; slow, because it reads all."""
        from .read_notes import note_claims, read_file

        with self._locked():
            recorded = self._manifest.recorded()
        for path, (seen, claims) in recorded.items():
            now = read_file(self._files, path)
            if now is None or now.stat_hash != seen.stat_hash:
                continue  # Edited since the detection.
            fields = sorted(
                (one.id, one.updated, one.rank, one.digest, one.scope, one.kind, one.status)
                for one in note_claims(path, now)
            )
            if now.crc != seen.crc or fields != claims:
                return False
        return True

    def size(self) -> int:
        """How many bytes the notes take, as far as they belong to the book."""
        total = 0
        with disk_errors(self.root):
            for listing in walk(self.root, {}):
                total += sum(found.st_size for _, _, found in listing.files())
            for path in attachment_files(self.root):
                total += os.lstat(self._files.path(path)).st_size
        return total

    @retrying
    def refresh_map(self) -> bool:
        """Write `_index.md` again from the manifest; False when it was up to date.

        Removes the temporary files of killed writers as well, and what a sync tool made of two
        devices' maps.
        """
        from .folders import remove_generated_copies

        self._remove_leftovers(before_s=time.time() - 3600)
        with disk_errors(self.root):
            remove_generated_copies(self.root, self.store_id)
            try:
                return self._write_map()
            except FileNotFoundError:
                # Another process purged meanwhile, which removes every draft: it may hold words of
                # what is gone.
                return self._write_map()

    def _write_map(self) -> bool:
        from .folders import render_map

        with self._locked():
            text = render_map(self._manifest.inventory()).encode()
        path = self._files.path(MAP)
        try:
            with open(path, "rb") as file:
                if file.read() == text:
                    return False
        except FileNotFoundError:
            pass
        write_atomically(path, text)
        # If its disk has gone meanwhile, that is beside the vault, and the old map has old words.
        self._require_vault()
        return True

    def write_personal(self, name: str, content: str) -> str:
        """Add a note to the person's own notes, outside the vault; never replaces one."""
        return write_personal(self._personal, name, content, vault=self.root)

    def close(self) -> None:
        """Let go of files and connections."""
        self._leases.close()

    @retrying
    def _has_files(self) -> bool:
        with self._locked():
            return self._manifest.any_files()

    def _detect_changes(self) -> None:
        self._require_vault()
        with disk_errors(self.root):
            self._detector.detect()

    def _require_vault(self) -> None:
        """Raise StoreUnavailable for an unmounted disk, which would look like an empty vault."""
        try:
            found = identify(self.root, create=False, known=lambda: self.store_id)
        except StoreUnavailable as error:
            raise self._missing_vault() from error
        if found != self.store_id:
            raise StoreUnavailable(
                f"Another vault lies at {self.root} now.", hint="Open the book again."
            )

    def _missing_vault(self) -> StoreUnavailable:
        return StoreUnavailable(
            f"The vault at {self.root} is not there.",
            hint="Check that its disk is connected; `_meta/vault.json` belongs in it.",
        )


def write_personal(folder: str | None, name: str, content: str, *, vault: str) -> str:
    """Add a note to the person's folder, return its path; never replaces one."""
    if not folder:
        raise NotAllowed(
            "No folder for personal notes is set.",
            hint="Set `personal` in the settings to the folder with your own notes.",
        )
    root = os.path.realpath(folder)
    if _nested(root, vault):
        raise NotAllowed(
            "The folder for personal notes and the vault are one inside the other.",
            hint="Set `personal` to a folder outside the vault.",
        )
    locator = checked_locator(name if name.endswith(".md") else f"{name}.md")
    with disk_errors(root):
        os.makedirs(root, exist_ok=True)
        path = Files(root).path(locator)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            write_atomically(path, content.encode(), replace=False)
        except FileExistsError as error:
            raise Conflict(
                f"There already is a personal note called {name}.", hint="Use another name."
            ) from error
    return path


def _nested(one: str, other: str) -> bool:
    return f"{one}{os.sep}".startswith(f"{other}{os.sep}") or f"{other}{os.sep}".startswith(
        f"{one}{os.sep}"
    )


def _may_write(folder: str) -> bool:
    effective = os.access in os.supports_effective_ids
    return os.access(folder, os.W_OK, effective_ids=effective)
