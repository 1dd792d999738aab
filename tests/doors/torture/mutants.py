"""Mutants of the write path: each puts one fault into the program, in processes of tests alone."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from commonplace.backends.common.lease import SqliteLeases
from commonplace.backends.sql.sqlite.index import SqliteIndex
from commonplace.backends.vault import detect_changes, files, writer
from commonplace.backends.vault.event_files import EventFiles
from commonplace.backends.vault.ledger import VaultLedger
from commonplace.backends.vault.listing import Listing
from commonplace.backends.vault.store import VaultStore
from commonplace.engine import catch_up, commit
from commonplace.ports.record_store import Changes, Document, Put, Stored

CONFLICT_COPY = re.compile(r"conflict|\S 2\.md$|-laptop\.md$", re.IGNORECASE)


def write_without(*, sync: bool = True, fail: bool = True) -> Callable[[str, bytes], None]:
    """A `write_whole` that leaves out a step."""

    def write_whole(path: str, data: bytes) -> None:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(file, left) :]
            if sync:
                os.fsync(file)
        except OSError:
            if fail:
                raise
        finally:
            os.close(file)

    return write_whole


def no_sync_of_notes() -> None:
    files.write_whole = write_without(sync=False)


def no_sync_of_folders() -> None:
    files.sync_folder = writer.sync_folder = lambda folder: None  # pyright: ignore[reportAttributeAccessIssue]


def no_sync_of_events() -> None:
    real = EventFiles._write

    def write(self: EventFiles, name: str, lines: bytes, *, after: int) -> tuple[int, int]:
        sync, os.fsync = os.fsync, lambda file: None
        try:
            return real(self, name, lines, after=after)
        finally:
            os.fsync = sync

    EventFiles._write = write  # pyright: ignore[reportPrivateUsage]


def disk_full_is_swallowed() -> None:
    files.write_whole = write_without(fail=False)


def notes_are_overwritten_in_place() -> None:
    def replace(self: writer.FileWriter, ready: dict[str, str]) -> None:
        for path in list(ready):
            temporary = ready.pop(path)
            with open(temporary, "rb") as file:
                data = file.read()
            os.unlink(temporary)
            with open(self._files.path(path), "wb", buffering=0) as file:
                for at in range(0, len(data), 128):
                    file.write(data[at : at + 128])
                os.fsync(file.fileno())

    writer.FileWriter._replace = replace  # pyright: ignore[reportPrivateUsage]


def old_note_goes_first() -> None:
    real, waiting = writer.FileWriter._replace, list[Any]()

    def remove_first(self: writer.FileWriter, paths: list[str], *, erasing: bool) -> None:
        real_remove(self, paths, erasing=erasing)
        for ready in waiting:
            real(self, ready)
        waiting.clear()

    real_remove = writer.FileWriter._remove
    writer.FileWriter._replace = lambda self, ready: waiting.append(ready)
    writer.FileWriter._remove = remove_first


def acknowledged_before_written() -> None:
    """One write is held back, until the next one or until the book is closed."""
    real, close, held = writer.RecordWriter.write, VaultStore.close, list[Sequence[Put]]()

    def write(self: writer.RecordWriter, puts: Sequence[Put], lease: Any) -> Any:
        if held:
            real(self, held.pop(), lease)
        held.append(puts)
        return [Stored(put.memory, "", 0) for put in puts], {}

    def flush(self: VaultStore) -> None:
        if held:
            with self.lease() as lease:
                real(self._record_writer(), held.pop(), lease)
        close(self)

    writer.RecordWriter.write, VaultStore.close = write, flush


def last_record_is_dropped() -> None:
    real = writer.RecordWriter.write

    def write(self: writer.RecordWriter, puts: Sequence[Put], lease: Any) -> Any:
        kept = puts[:-1] if len(puts) > 1 else puts
        stored, written = real(self, kept, lease)
        rest = [Stored(put.memory, "", 0) for put in puts[len(kept) :]]
        return [*stored, *rest], written

    writer.RecordWriter.write = write


def retired_notes_are_deleted() -> None:
    real = writer.RecordWriter.write

    def write(self: writer.RecordWriter, puts: Sequence[Put], lease: Any) -> Any:
        stored, written = real(self, puts, lease)
        for one in stored:
            if one.memory.status in ("superseded", "deleted"):
                os.unlink(self._files.path(one.locator))
        return stored, written

    writer.RecordWriter.write = write


def lease_is_released_early() -> None:
    real = SqliteLeases.hold

    @contextmanager
    def hold(self: SqliteLeases, name: str = "write", wait_s: float = 10.0) -> Iterator[Any]:
        with real(self, name, wait_s) as lease:
            pass
        yield lease

    SqliteLeases.hold = hold  # pyright: ignore[reportAttributeAccessIssue]
    SqliteLeases.renew = lambda self, lease: None


def record_before_its_event() -> None:
    append, write, held = VaultLedger.append, VaultStore.write, list[Any]()

    def write_first(self: VaultStore, puts: Sequence[Put], *, lease: Any) -> list[Stored]:
        stored = write(self, puts, lease=lease)
        while held:
            append(*held.pop(0))
        return stored

    VaultLedger.append = lambda self, events: held.append((self, events))
    VaultStore.write = write_first


def index_before_the_record() -> None:
    opened, init, write = list[SqliteIndex](), SqliteIndex.__init__, VaultStore.write

    def remember(self: SqliteIndex, *args: Any, **named: Any) -> None:
        init(self, *args, **named)
        opened[:] = [self]

    def write_last(self: VaultStore, puts: Sequence[Put], *, lease: Any) -> list[Stored]:
        documents = [Document(f"system/{put.memory.slug}.md", (put.memory,)) for put in puts]
        opened[0].apply(Changes(revision=opened[0].revision(), documents=tuple(documents)))
        return write(self, puts, lease=lease)

    SqliteIndex.__init__, VaultStore.write = remember, write_last


def index_is_never_rebuilt() -> None:
    real = catch_up.index_new_changes

    def index_new_changes(engine: Any, **named: Any) -> int:
        emptied = not engine.index.revision() and engine.store.revision() > 20
        return 0 if emptied else real(engine, **named)

    catch_up.index_new_changes = commit.index_new_changes = index_new_changes


def files_are_never_looked_at() -> None:
    detect_changes.ChangeDetector.detect_in_steps = lambda self: iter(())


def torn_event_line_stays() -> None:
    def write(self: EventFiles, name: str, lines: bytes, *, after: int) -> tuple[int, int]:
        os.makedirs(self.folder, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
        with open(os.open(self._path(name), flags, 0o644), "ab", buffering=0) as file:
            if file.write(lines) != len(lines):
                raise OSError(28, "No space left on device")
            os.fsync(file.fileno())
            found = os.fstat(file.fileno())
        return found.st_size, found.st_mtime_ns

    EventFiles._write = write  # pyright: ignore[reportPrivateUsage]


def temporary_files_are_notes() -> None:
    real = files.Files.prepare

    def prepare(
        self: files.Files, texts: Mapping[str, bytes], mark: str, ready: dict[str, str]
    ) -> None:
        real(self, texts, mark, ready)
        for locator, draft in list(ready.items()):
            ready[locator] = draft.replace("/.", "/").replace(".tmp", ".md")
            with open(ready[locator], "wb", buffering=0) as file:
                for at in range(0, len(texts[locator]), 64):
                    file.write(texts[locator][at : at + 64])
            os.unlink(draft)

    files.Files.prepare = prepare


def conflict_copies(treat: Callable[[str], object]) -> None:
    real = detect_changes.walk

    def walk(root: str, blocked: dict[str, str]) -> Iterator[Listing]:
        for listing in real(root, blocked):
            for name in [one for one in listing.names if CONFLICT_COPY.search(one)]:
                treat(os.path.join(root, listing.folder, name))
                listing = listing.without(name)  # noqa: PLW2901
            yield listing

    detect_changes.walk = walk


def conflict_copies_are_ignored() -> None:
    conflict_copies(lambda path: None)


def conflict_copies_are_removed() -> None:
    conflict_copies(os.unlink)


MUTANTS: dict[str, Callable[[], None]] = {
    one.__name__: one
    for one in (
        no_sync_of_notes, no_sync_of_folders, no_sync_of_events, disk_full_is_swallowed,
        notes_are_overwritten_in_place, old_note_goes_first, acknowledged_before_written,
        last_record_is_dropped, retired_notes_are_deleted, lease_is_released_early,
        record_before_its_event, index_before_the_record, index_is_never_rebuilt,
        files_are_never_looked_at, torn_event_line_stays, temporary_files_are_notes,
        conflict_copies_are_ignored, conflict_copies_are_removed,
    )
}  # fmt: skip
