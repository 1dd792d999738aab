"""Writing and erasing records: plan, check, then put on the disk under the lease."""

from __future__ import annotations

import os
from contextlib import contextmanager

from ...errors import Conflict
from ...ports.records import Stored
from .files import Unread, disk
from .folders import ScopeFolders
from .planning import Plan, is_facts
from .reading import find
from .writing import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Sequence
    from contextlib import AbstractContextManager

    from ...model import Memory
    from ...ports.records import Lease, Put
    from ..lease import Leases
    from .files import Files
    from .manifest import Manifest
    from .reading import Found


class Changer:
    """Turns records into files. Nothing is written before everything was checked."""

    def __init__(
        self,
        files: Files,
        manifest: Manifest,
        leases: Leases,
        locked: Callable[[], AbstractContextManager[object]],
        look: Callable[[], None],
    ) -> None:
        self._files = files
        self._manifest = manifest
        self._leases = leases
        self._locked = locked
        self._look = look
        self._folders = ScopeFolders(files.root)
        self._writer = Writer(files, manifest)

    def write(self, puts: Sequence[Put], lease: Lease) -> tuple[list[Stored], dict[str, Found]]:
        """Write records; says how each reads back, and what the files now hold."""
        lease.check()
        with self._readable():
            try:
                plan = self._plan(puts)
                placed = plan.put(puts)
            except Conflict:
                # The manifest may be behind a person's own move or edit: look, then decide.
                self._look()
                plan = self._plan(puts)
                placed = plan.put(puts)
            written, revisions = self._writer.write(plan, self._leases.guard(lease), _mark(lease))
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

        A file with another text is another memory, whatever it says: it gets an id of its own, so
        that what was erased does not hide it.
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
            self._writer.write(plan, self._leases.guard(lease), _mark(lease))
        with self._leases.guard(lease):
            self._manifest.erase(paths)
        return erased

    def _plan(self, puts: Sequence[Put] = ()) -> Plan:
        ids = {put.memory.id for put in puts}
        with self._locked():
            held = self._manifest.holders(ids)

        def holder(id: str) -> str | None:
            return held.get(id) if id in ids else self._holder(id)

        return Plan(self._files, self._folders, holder)

    def _holder(self, id: str) -> str | None:
        with self._locked():
            return self._manifest.holder(id)

    def _stored(self, written: dict[str, Found], path: str, id: str) -> Memory | None:
        found = written.get(path) or find(self._files, path)
        return next((m for m in found.memories if m.id == id), None) if found else None

    @contextmanager
    def _readable(self) -> Generator[None]:
        try:
            with disk(self._files.root):
                yield
        except (Unread, UnicodeDecodeError) as error:
            raise Conflict(
                "A file in the vault that this changes cannot be read.",
                hint="Run `commonplace doctor` to see which, and mend it.",
            ) from error


def _mark(lease: Lease) -> str:
    """What makes the names of temporary files this holder's own."""
    return f"{os.getpid()}-{getattr(lease, 'token', 0)}"
