"""The notes that maintenance has not compared yet, and the memories near each of them.

A note is new until this device has compared it, as it reads now, with its neighbours. The state
folder remembers that as hashes, so that a run that was stopped goes on where it was, and imported
notes are new however old they are.
"""

from __future__ import annotations

import os
from contextlib import suppress

from ...engine.neighbours import Neighbours
from ...language.passages import cut
from ...model import identity
from ...model.errors import EmbedderUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...engine.engine import Engine
    from ...engine.neighbours import ComparedNeighbour
    from ...model.memory import Memory
    from .plan import MaintenancePlan

FILE = "compared-notes"
MOST_NEW, MOST_FOR_A_MODEL = 1_000, 100
"""New notes that one run compares, and fewer if a model is asked, which takes seconds and costs."""
HASH_DIGITS = 16
SPARE = 1_000
"""Hashes of notes that are gone, or have changed, before the file is written anew."""


class Scan:
    """The newest of the new notes, each with its neighbours, and what becomes of them."""

    def __init__(self, plan: MaintenancePlan, memories: Sequence[Memory]) -> None:
        engine = plan.engine
        self._plan = plan
        self._compared = ComparedNotes(engine, memories)
        # Rules compare less well than the judge: its notes are new again when it is back.
        self._remembers = not plan.dry_run and not engine.reasoner.problems()
        new = [one for one in memories if one not in self._compared]
        new.sort(key=lambda one: (one.updated, one.id), reverse=True)
        most = MOST_NEW if engine.settings.reasoner == "rules" else MOST_FOR_A_MODEL
        self.new = new[:most]
        self.near: dict[str, list[ComparedNeighbour]] = {}
        for one in self.new:
            neighbours = Neighbours(engine, [one], self._vector(one))
            self.near[one.id] = neighbours.compared(one)
            plan.tick()

    def _vector(self, memory: Memory) -> bytes | None:
        embedder = self._plan.engine.embedder
        if embedder is None or len(cut(memory.content)) > 1:
            return None
        try:
            return embedder.embed([memory.content])[0]
        except EmbedderUnavailable:
            self._remembers = False  # The next run tries the embedder again.
            return None

    def finish(self, memory: Memory) -> None:
        """Remember a note as compared, unless a change of it is planned and not written yet."""
        if self._remembers and memory.id not in self._plan.touched:
            self._compared.add(memory)


class ComparedNotes:
    """Hashes of the notes that this device has compared, in a file of its state folder."""

    def __init__(self, engine: Engine, memories: Sequence[Memory]) -> None:
        self._path = os.path.join(engine.state, FILE)
        # Another reasoner may see what this one did not.
        self._key = f"{engine.store.store_id}\0{engine.reasoner.name}"
        self._known = self._read()
        if len(self._known) > len(memories) + SPARE:
            self._keep_only(memories)

    def __contains__(self, memory: Memory) -> bool:
        return self._hash(memory) in self._known

    def add(self, memory: Memory) -> None:
        """Remember a note as it reads now."""
        self._known.add(self._hash(memory))
        with suppress(OSError), open(self._path, "a", encoding="ascii") as file:
            file.write(f"{self._hash(memory)}\n")

    def _hash(self, memory: Memory) -> str:
        text = f"{memory.scope}\0{memory.kind}\0{memory.content}"
        return identity.keyed_hash(text, self._key)[:HASH_DIGITS]

    def _read(self) -> set[str]:
        try:
            with open(self._path, encoding="ascii", errors="replace") as file:
                return set(file.read().split())
        except OSError:
            return set()  # Everything is new then, and compared again.

    def _keep_only(self, memories: Sequence[Memory]) -> None:
        self._known.intersection_update(map(self._hash, memories))
        draft = f"{self._path}.new"
        with suppress(OSError):
            with open(draft, "w", encoding="ascii") as file:
                file.writelines(f"{one}\n" for one in self._known)
            os.replace(draft, self._path)
