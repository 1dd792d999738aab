"""The vault as a store of truth: one note is one memory, and people may edit any of them."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress

from ...errors import Conflict, NotAllowed, StoreUnavailable
from ...model import Problem
from ...ports import Changes, Document, Stored
from ...rules.places import MAP, checked_locator, place_at
from ...scope import EVERYTHING
from ...sqlite import empty_log, mapped, transaction
from ..lease import Leases
from .files import Files, Unread, atomically, disk
from .folders import ScopeFolders
from .identity import identify, read_id
from .looking import Looker, with_ids
from .manifest import Manifest
from .map import render
from .planning import Plan
from .reading import find, names
from .scan import leftovers
from .writing import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator, Sequence
    from contextlib import AbstractContextManager

    from ...model import Memory
    from ...ports import Lease, Put
    from ...scope import Visible
    from .reading import Found

BATCH = 500
_DONE = object()


class VaultStore:
    """A folder of markdown notes. What this device last saw of it is kept outside, in `state`."""

    capabilities = frozenset({"files", "map", "personal"})

    def __init__(
        self, root: str, *, state: str, create: bool = True, personal_root: str | None = None
    ) -> None:
        self.url = f"vault:{root}"
        self.root = os.path.realpath(root)
        self._personal = personal_root
        self._leases = Leases(os.path.join(state, "vault.db"))
        with self._locked():
            self._manifest = Manifest(self._leases.connection)
        self._files = Files(self.root)
        self._folders = ScopeFolders(self.root)
        self._writer = Writer(self._files, self._manifest)
        self._looker = Looker(self._files, self._manifest, self._leases.connection, self._locked)
        if read_id(self.root) is None and self._has_files():
            raise self._not_there()
        self.store_id = identify(self.root, create=create)

    @contextmanager
    def _locked(self) -> Generator[None]:
        with self._leases.lock, mapped(StoreUnavailable, "The vault's local state"):
            yield

    def lease(self, name: str = "write", *, wait_s: float = 10.0) -> AbstractContextManager[Lease]:
        """Take the named lease, waiting for another holder; stale holders are taken over."""
        return self._leases.hold(name, wait_s)

    def write(self, puts: Sequence[Put], *, lease: Lease) -> list[Stored]:
        """Write each record durably, in order; each one is whole or absent, whatever happens."""
        lease.check()
        self._require_there()
        with self._readable():
            try:
                plan = Plan(self._files, self._folders, self._holder)
                placed = [plan.put(put) for put in puts]
            except Conflict:
                # The manifest may be behind a person's own move or edit: look, then decide.
                self._look()
                plan = Plan(self._files, self._folders, self._holder)
                placed = [plan.put(put) for put in puts]
        written, revisions = self._writer.write(plan, self._leases.guard(lease), _mark(lease))
        stored: list[Stored] = []
        for put, place in zip(puts, placed, strict=True):
            memory = self._stored(written, place.path, place.id) or put.memory
            revision = revisions.get(place.path) or self.revision()
            stored.append(Stored(memory=memory, locator=place.path, revision=revision))
        return stored

    def _stored(self, written: dict[str, Found], path: str, id: str) -> Memory | None:
        found = written.get(path) or find(self._files, path)
        return next((m for m in found.memories if m.id == id), None) if found else None

    def erase(self, ids: Collection[str], *, lease: Lease) -> list[str]:
        """Remove records for good, wherever copies of them are, and say which were there."""
        lease.check()
        self._look()
        plan = Plan(self._files, self._folders, self._holder)
        erased: list[str] = []
        paths: set[str] = set()
        with self._readable():
            for id in ids:
                with self._locked():
                    claimants = self._manifest.claimants(id)
                for path, live in claimants:
                    place = place_at(path)
                    if place is not None and place.form == "facts":
                        if live:
                            plan.erase_line(path, id)
                    else:
                        plan.text(path)
                        plan.after[path] = None
                        paths.add(path)
                if any(live for _, live in claimants):
                    erased.append(id)
        self._writer.write(plan, self._leases.guard(lease), _mark(lease))
        with self._leases.guard(lease):
            self._manifest.erase(paths)
        self._sweep()
        return erased

    def _sweep(self) -> None:
        """Remove what a purge could leave a word of: torn temporary files, the map, the log."""
        with disk(self.root):
            for path in leftovers(self.root):
                with suppress(FileNotFoundError):
                    os.unlink(path)
            if os.path.exists(os.path.join(self.root, MAP)):
                self.refresh_map()
        with self._locked():
            empty_log(self._leases.connection)

    def read(self, ids: Collection[str], *, visible: Visible) -> dict[str, Memory]:
        """The current records with these ids, as far as they are visible."""
        found = self._read(ids)
        if any(id not in found for id in ids):
            self._look()
            found |= self._read([id for id in ids if id not in found])
        return {id: memory for id, memory in found.items() if visible.allows(memory.scope)}

    def _read(self, ids: Collection[str]) -> dict[str, Memory]:
        with self._locked():
            holders = {id: self._manifest.holder(id) for id in ids}
            odd = self._manifest.odd()
        files: dict[str, dict[str, Memory]] = {}
        for path in {path for path in holders.values() if path}:
            now = find(self._files, path)
            memories = with_ids(now, odd.get(path, {})) if now else ()
            files[path] = {memory.id: memory for memory in memories}
        return {id: files[path][id] for id, path in holders.items() if path and id in files[path]}

    def changes(self, since: int, *, visible: Visible, look: bool = True) -> Iterator[Changes]:
        """What changed after a revision, in batches; `look` first looks for edits made outside."""
        self._tidy(since)
        if look:
            self._require_there()
            steps = self._looker.steps()
            while True:
                with disk(self.root):
                    paused = next(steps, _DONE) is not _DONE
                for batch in self._recorded(since, visible):
                    since = batch.revision
                    yield batch
                if not paused:
                    break
        for batch in self._recorded(since, visible):
            since = batch.revision
            yield batch
        if since < (newest := self.revision()):
            yield Changes(revision=newest)

    def _tidy(self, since: int) -> None:
        with self._locked():
            if self._manifest.untidy(since):
                with transaction(self._leases.connection):
                    self._manifest.tidy(since)
                empty_log(self._leases.connection)

    def _recorded(self, since: int, visible: Visible) -> Iterator[Changes]:
        while True:
            with self._locked():
                rows = self._manifest.after(since, BATCH)
                odd = self._manifest.odd() if rows else {}
            if not rows:
                return
            since = rows[-1][2]
            documents = [
                self._document(path, odd.get(path, {}), visible, gone=gone)
                for path, gone, _ in rows
            ]
            yield Changes(revision=since, documents=tuple(documents))

    def _document(
        self, path: str, odd: dict[str, str | None], visible: Visible, *, gone: bool
    ) -> Document:
        found = None if gone else self._looker.fresh.pop(path, None) or find(self._files, path)
        if found is None:
            return Document(path)
        memories = with_ids(found, odd)
        if visible is not EVERYTHING:
            memories = tuple(m for m in memories if visible.allows(m.scope))
        return Document(path, memories, names(path) if memories else ())

    def revision(self) -> int:
        """The newest revision known without looking."""
        with self._locked():
            return self._manifest.revision()

    def problems(self) -> list[Problem]:
        """What in the store a person should look at."""
        self._look()
        with self._locked():
            known, odd = self._manifest.problems(), self._manifest.odd()
        found = [
            Problem(path, what, hint="Open the file and mend it; everything else is read as usual.")
            for path, what in known
        ]
        found += [
            Problem(
                path,
                "Another note with a different text has the same id.",
                hint="Remove the `id` line from the copy, or remove one of the two.",
            )
            for path, ids in sorted(odd.items())
            if any(ids.values())
        ]
        found += [
            Problem(folder, "This folder may not be opened.", hint="Check its permissions.")
            for folder in self._looker.blocked
        ]
        return found

    def refresh_map(self) -> bool:
        """Make `_index.md` anew from what is known; False when it was as it should be."""
        with self._locked():
            text = render(self._manifest.inventory()).encode()
        path = self._files.path(MAP)
        with disk(self.root):
            try:
                with open(path, "rb") as file:
                    if file.read() == text:
                        return False
            except FileNotFoundError:
                pass
            atomically(path, text)
        return True

    def write_personal(self, name: str, content: str) -> str:
        """Add a note to the person's own notes, outside the vault; never replaces one."""
        if not self._personal:
            raise NotAllowed(
                "No folder for personal notes is set.",
                hint="Set `personal` in the settings to the folder with your own notes.",
            )
        root = os.path.realpath(self._personal)
        if os.path.commonpath([root, self.root]) in (root, self.root):
            raise NotAllowed(
                "The folder for personal notes and the vault are one inside the other.",
                hint="Set `personal` to a folder outside the vault.",
            )
        locator = checked_locator(name if name.endswith(".md") else f"{name}.md")
        with disk(root):
            os.makedirs(root, exist_ok=True)
            path = Files(root).path(locator)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            try:
                atomically(path, content.encode(), replace=False)
            except FileExistsError as error:
                raise Conflict(
                    f"There already is a personal note called {name}.", hint="Use another name."
                ) from error
        return path

    def close(self) -> None:
        """Let go of files and connections."""
        self._leases.close()

    def _holder(self, id: str) -> str | None:
        with self._locked():
            return self._manifest.holder(id)

    def _has_files(self) -> bool:
        with self._locked():
            return self._manifest.any_files()

    def _look(self) -> None:
        self._require_there()
        with disk(self.root):
            self._looker.look()

    def _require_there(self) -> None:
        """An unmounted disk must never look like a vault whose notes were all deleted."""
        if (found := read_id(self.root)) is None:
            raise self._not_there()
        if found != self.store_id:
            raise StoreUnavailable(
                f"Another vault lies at {self.root} now.", hint="Open the book again."
            )

    def _not_there(self) -> StoreUnavailable:
        return StoreUnavailable(
            f"The vault at {self.root} is not there.",
            hint="Check that its disk is connected; `_meta/vault.json` belongs in it.",
        )

    @contextmanager
    def _readable(self) -> Generator[None]:
        try:
            with disk(self.root):
                yield
        except (Unread, UnicodeDecodeError) as error:
            raise Conflict(
                "A file in the vault that this changes cannot be read.",
                hint="Run `commonplace doctor` to see which, and mend it.",
            ) from error


def _mark(lease: Lease) -> str:
    token = getattr(lease, "token", 0)
    return f"{os.getpid()}-{token}"
