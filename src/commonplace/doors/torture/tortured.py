"""A book under torture: where it lies, what it has promised, and whether it keeps it."""

from __future__ import annotations

import os
import shutil
import traceback
from contextlib import suppress

from ...books.open import open_book
from ...books.restore import restore_backup
from ...model.errors import CommonplaceError, NotFound
from ...notes.layout import FACTS
from ...settings import Settings
from . import law
from .promises import Promises
from .sync_tool import SyncTool
from .troubles import read_only
from .writer import Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from ...book import Commonplace
    from ...model.memory import Memory, Problem
    from .process import Kill, Line, WriterOutput, WriterServer

_KEYS = ("editor-of-choice", "deploy-branch", "standup-time")
_MOST_MINE = 10
_MADE_AGAIN = 0.3
"""The share of checks after which the index is built anew and a backup restored."""
_BY_HAND = "- coffee: oat milk\n- lamp: the brass one\n"
"""Facts that a person wrote: their time is that of the file, also in a restored book."""
_LONG_AGO_S = 1_700_000_000
FROZEN_S = 20.0
"""Longer than any lease."""


class TorturedBook:
    """One book in a folder of its own, with a second device for a vault."""

    def __init__(
        self, folder: str, store: str, chance: random.Random, writers: WriterServer
    ) -> None:
        self.folder = folder
        self._writers = writers
        self.store = store
        self.chance = chance
        self.root = os.path.join(folder, "book")
        self.state = os.path.join(folder, "state")
        self.other_root = os.path.join(folder, "device")
        self.other_state = os.path.join(folder, "device-state")
        self.promises = Promises()
        self.round = 0
        self.kills = 0
        self.power_cuts = chance.randrange(2)
        self._before: frozenset[str] = frozenset()
        """Sentences that were true of the book before anything was tried."""
        self._set_aside: frozenset[str] = frozenset()
        """Damaged databases that were there at the last check."""
        self._watched: dict[str, int] = {}
        """This device's databases since the last check, open: one that is removed has no link."""
        self._tool: SyncTool | None = None

    @property
    def url(self) -> str:
        """The book's address."""
        return f"vault:{self.root}" if self.store == "vault" else f"sqlite:{self.root}.db"

    def begin(self, copy_of: str | None = None) -> None:
        """Make the book, or a copy of one, whose memories are promised from then on."""
        os.makedirs(self.folder)
        if copy_of:
            shutil.copytree(copy_of, self.root, symlinks=True)
        with self.open():
            pass
        if self.store == "vault" and not copy_of:
            path = os.path.join(self.root, FACTS)
            with open(path, "w", encoding="utf-8") as file:
                file.write(_BY_HAND)
            os.utime(path, (_LONG_AGO_S, _LONG_AGO_S))
        with self.open() as book:
            self.promises.give(_every(book))
        # A person's own vault has notes without ids, and texts that are there twice.
        own = self.check() if copy_of else [f"Half-written: {FACTS} has no id"]
        self._before = frozenset(own)

    @property
    def written(self) -> int:
        """How many memories our writers have added."""
        return len(self.promises.kept) - len(self.promises.given)

    def open(self, *, other: bool = False, source: str = "person") -> Commonplace:
        """The book as its person opens it, or an agent, here or on the other device."""
        url = f"vault:{self.other_root}" if other else self.url
        state = self.other_state if other else self.state
        settings = Settings(state=state, embedder="none")
        return open_book(url, settings=settings, source=source, background=False)

    def plans(self, writers: int, *, changes: int) -> list[Plan]:
        """Plans of writers that share facts and texts, and have memories of their own."""
        self.round += 1
        free = self.promises.replaceable()
        free = self.chance.sample(free, min(len(free), _MOST_MINE * writers))
        return [
            Plan(
                url=self.url, state=self.state, name=f"{self.round}-{'abcdef'[number]}",
                seed=str(self.chance.random()), changes=changes,
                mine=tuple(free[number::writers]), alone=writers == 1, keys=_KEYS,
                same=f"{self.round}-same",
            )
            for number in range(writers)
        ]  # fmt: skip

    def write(self, plans: Sequence[tuple[Plan, Kill | None]]) -> list[str]:
        """Run writers at the same time; returns a sentence for each that ended otherwise."""
        outputs = self._writers.run_all(plans)
        return [sentence for one in outputs for sentence in self._hear(one)]

    def write_and_look(self, plan: Plan) -> list[str]:
        """Run a writer that dies, and look at the book after each of its lives."""
        broken: list[str] = []

        def look(lines: list[Line]) -> bool:
            self.promises.hear(plan.name, lines)
            lines.clear()
            broken.extend(self.check(thorough=False))
            return not broken

        heard = self._writers.run(plan.but(waits=True), None, look)
        return broken or self._hear(heard)

    def write_while_frozen(self, frozen: Plan, other: Plan) -> list[str]:
        """Run a writer that freezes for longer than its lease, and another one meanwhile."""
        broken: list[str] = []

        def go_on(_: list[Line]) -> bool:
            broken.extend(self.write([(other.but(later_s=FROZEN_S), None)]))
            return True

        heard = self._writers.run(frozen.but(freezes=True), None, go_on)
        return [*broken, *self._hear(heard)]

    def _hear(self, heard: WriterOutput) -> list[str]:
        self.promises.hear(heard.name, heard.lines)
        self.kills += heard.killed
        return [heard.broken] if heard.broken else []

    def check(self, *, thorough: bool = True, mended_later: bool = False) -> list[str]:
        """Every way in which the book breaks its law now.

        A damaged index or log may be `mended_later`, by a sync and the doctor. Unless it is
        `thorough`, a check changes nothing that a reader does not change.
        """
        removed = self._removed_databases()
        # Whatever is raised here, a reader of this book would see.
        try:
            with self.open() as book:
                found = _every(book)
                broken = list(law.broken_promises(self.promises, found))
                # A verification cuts off a torn line, which the next writer has to do as well.
                verified = not mended_later and (thorough or self.chance.random() < 0.5)
                if verified:
                    broken += law.broken_log(book)
                if thorough:
                    self._purge_again(book)
                    problems = self._sync(quiet_s=0)
                    if not mended_later:
                        broken += law.replaced_databases(self.state, problems)
                    found = _every(book)
                    broken += law.broken_promises(self.promises, found)
                    broken += law.broken_index(
                        book, found, self.promises.given, self.chance, may_rebuild=mended_later
                    )
                events = {one.id for one in book.audit(limit=law.EVERY_EVENT)}
                if thorough and self.chance.random() < _MADE_AGAIN:
                    broken += self._differs_made_again(book, found)
            if self.store == "vault":
                if thorough:
                    broken += law.broken_files(self.root, found)
                    broken += self._unlike_read_only()
                broken += law.unpurged(self.root, self.promises.purged)
                broken += law.broken_event_files(self.root, events, may_be_torn=not verified)
        except CommonplaceError as error:
            return [f"The book cannot be read: {error}"]
        except Exception:
            return [f"The book cannot be read: {traceback.format_exc(limit=-3)}"]
        self.promises.settle(found)
        if not mended_later:
            new = self._damaged() - self._set_aside
            broken += [f"Set aside: {path}, which nobody damaged" for path in sorted(new)]
            broken += [f"Made again: {path}, which nobody damaged" for path in removed]
        self._set_aside = self._damaged()
        self._watched = {path: os.open(path, os.O_RDONLY) for path in self._databases()}
        return [one for one in dict.fromkeys(broken) if one not in self._before]

    def _damaged(self) -> frozenset[str]:
        """Databases of this device that the book took for damaged."""
        return frozenset(
            os.path.join(folder, name)
            for folder, _, names in os.walk(self.state)
            for name in names
            if ".damaged-" in name
        )

    def _databases(self) -> list[str]:
        return [path for path in self.derived_files() if path.endswith(".db")]

    def _removed_databases(self) -> list[str]:
        """Databases that somebody removed since the last check, and watch none any more.

        Only while this process has no book open: a file that it closes loses its locks.
        """
        watched, self._watched = self._watched, {}
        found = [path for path, file in watched.items() if not os.fstat(file).st_nlink]
        for file in watched.values():
            os.close(file)
        return found

    def _sync(self, *, other: bool = False, quiet_s: float | None = None) -> tuple[Problem, ...]:
        """Mend the book, as its person or an agent does; returns the problems that it finds."""
        source = self.chance.choice(("person", "mcp"))
        with self.open(other=other, source=source) as book:
            return book.sync(quiet_s=quiet_s).problems

    def _differs_made_again(self, book: Commonplace, found: Sequence[Memory]) -> Iterator[str]:
        """Memories that a new index shows otherwise, or the book that a backup becomes."""
        book.sync(rebuild=True)
        yield from law.differences(found, _every(book), "The index and a new one")
        place = os.path.join(self.folder, "restored")
        book.backup(os.path.join(place, "backup"))
        settings = Settings(state=os.path.join(place, "state"), embedder="none")
        url = f"vault:{place}/book" if self.store == "vault" else f"sqlite:{place}/book.db"
        restore_backup(os.path.join(place, "backup"), url, settings=settings)
        with open_book(url, settings=settings, source="person", background=False) as restored:
            yield from law.differences(found, _every(restored), "The book and its backup")
        shutil.rmtree(place)

    def _unlike_read_only(self) -> Iterator[str]:
        """Yield how the book differs while the disk with the vault is read-only."""
        with self.open() as book:
            found, verified = _every(book), book.audit_verify()
            with read_only(self.root):
                yield from law.differences(found, _every(book), "The book and one read-only")
                if book.audit_verify() != verified:
                    yield "The log cannot be verified while its disk is read-only"

    def _purge_again(self, book: Commonplace) -> None:
        """Ask again for each purge that was killed or refused."""
        for id in self.promises.purges():
            with suppress(NotFound):
                book.purge(id)
            self.promises.purge(id)

    def young(self) -> TorturedBook:
        """A book that no writer has written to yet."""
        return TorturedBook(
            os.path.join(self.folder, f"young-{self.round}"),
            self.store,
            self.chance,
            self._writers,
        )

    def add(self, other: TorturedBook) -> None:
        """Count what happened to another book of the same round as this one's."""
        self.kills += other.kills
        self.promises.acknowledged += other.promises.acknowledged
        self.promises.refused += other.promises.refused

    def log(self) -> tuple[str, bytes] | None:
        """Path and bytes of this device's log, if it has one."""
        for folder, _, names in os.walk(self.state):
            if "device" in names:
                with open(os.path.join(folder, "device"), encoding="ascii") as file:
                    name = f"{file.read().strip()}.jsonl"
                path = os.path.join(self.root, "_meta", "events", name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        return path, file.read()
        return None

    def derived_files(self) -> list[str]:
        """Files of this device that can be made again from the book."""
        return sorted(
            os.path.join(folder, name)
            for folder, _, names in os.walk(self.state)
            for name in names
            if name.endswith((".db", ".db-wal")) and os.path.getsize(os.path.join(folder, name))
        )

    def sync_tool(self) -> SyncTool:
        """The tool that brings this vault's folder and the other device's together."""
        if self._tool is None:
            os.makedirs(self.other_root)
            self._tool = SyncTool(self.root, self.other_root, self.chance)
        return self._tool

    def look_at(self, root: str, *, sync: bool | None = None, quiet_s: float | None = None) -> None:
        """Read the book of one device, as an agent there does at any moment."""
        if not os.path.exists(os.path.join(root, "_meta", "vault.json")):
            return
        try:
            with self.open(other=root == self.other_root) as book:
                _every(book)
            if self.chance.random() < 0.5 if sync is None else sync:
                self._sync(other=root == self.other_root, quiet_s=quiet_s)
        except CommonplaceError:
            return  # A vault that is only half there may say so.

    def shown(self, *, other: bool = False) -> list[Memory]:
        """Every memory that a device shows."""
        with self.open(other=other) as book:
            return _every(book)

    def remove(self) -> None:
        """Remove the book with everything that belongs to it."""
        self._removed_databases()
        shutil.rmtree(self.folder)


def _every(book: Commonplace) -> list[Memory]:
    return list(book.export(everything=True))
