"""The search index in Milvus: a cluster for many machines, or Milvus Lite in one file."""

from __future__ import annotations

from _thread import RLock

from . import gathering, linking, reading, searching, state, vectors, writing
from .conditions import seen
from .database import MilvusDatabase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any, Literal, TypeVar

    from ...language.similarity import Statistics
    from ...model.memory import Link, Memory
    from ...model.scope import Visible
    from ...ports.record_store import Changes
    from ...ports.search_index import Gathered, Where
    from .address import MilvusAddress

    T = TypeVar("T")

_REMEMBERED = 1_000


class MilvusIndex:
    """Words, meaning, conditions and links, within the visible scopes only.

    May be used from several threads at once, and with a server from several processes and
    machines.
    """

    capabilities = frozenset({"keyword", "links", "vector"})

    def __init__(self, address: MilvusAddress, name: str) -> None:
        self.location = address.url
        self._turn = RLock()
        self._db = MilvusDatabase(address, name)
        self._remembered: dict[tuple[str, str], Any] = {}
        self._as_of = ""

    def revision(self) -> int:
        """The store revision this index has reached; 0 for a new one."""
        return state.revision(self._db)

    def apply(self, changes: Changes) -> None:
        """Bring some places up to date and advance; applying twice is the same as once."""
        with self._turn:
            writing.apply(self._db, changes)

    def forget(self, ids: Collection[str]) -> None:
        """Drop memories and every trace of their text."""
        with self._turn:
            writing.forget(self._db, ids)

    def reset(self) -> None:
        """Start again from nothing."""
        with self._turn:
            self._db.start_over()

    def gather(
        self,
        words: Mapping[str, str],
        vector: bytes | None,
        *,
        visible: Visible,
        where: Where,
        pool: int = 200,
        least: float = 0.0,
        model: str | None = None,
    ) -> Gathered:
        """Everything in the running for a recall.

        A memory without a topic takes part in the search of every topic.
        """
        return gathering.gather(
            self._db,
            words,
            vector,
            visible=visible,
            where=where,
            pool=pool,
            least=least,
            model=model,
            statistics=self._statistics,
        )

    def fetch(self, keys: Collection[int], *, visible: Visible) -> dict[int, Memory]:
        """The memories behind candidates."""
        found = reading.load(self._db, "row", list(keys))
        return {key: memory for key, memory in found.items() if visible.allows(memory.scope)}

    def speakers(self, *, visible: Visible) -> list[str]:
        """Who is heard in the visible conversations."""
        return self._kept("speakers", seen(visible), lambda: reading.speakers(self._db, visible))

    def use_model(self, model: str, dimensions: int, *, switch: bool = True) -> bool:
        """Make room for the vectors of a model, and say whether there is room for them now.

        They take the place of another model's once they are complete. Without `switch` nothing
        new is begun, and then there is no room.
        """
        with self._turn:
            return vectors.use_model(self._db, model, dimensions, switch=switch)

    def models(self) -> list[str]:
        """The models whose vectors are kept: the one in use, then one that will take its place."""
        return [one.name for one in state.models(self._db)]

    def waiting(self, model: str) -> int:
        """How many memories wait for this model's vectors."""
        return vectors.waiting(self._db, model)

    def unembedded(
        self,
        *,
        visible: Visible,
        limit: int,
        ids: Collection[str] | None = None,
        model: str | None = None,
    ) -> dict[int, Memory]:
        """Memories in line for a model's vectors, by a key that stands for their text as it is now.

        None stands for the model that was made room for last.
        """
        return vectors.unembedded(self._db, seen(visible), limit, ids, model)

    def put_vectors(
        self,
        made: Mapping[int, Sequence[bytes]],
        *,
        model: str,
        dimensions: int,
        complete: bool = True,
    ) -> bool:
        """Keep vectors by the keys of `unembedded`: of the whole first, then of its passages.

        Texts that changed or went meanwhile are passed over. False, and nothing is kept, once
        there is no room for the model. Unless complete, the texts stay in line for the rest.
        """
        with self._turn:
            return vectors.put(self._db, made, model, dimensions, complete=complete)

    def select(
        self,
        where: Where,
        *,
        visible: Visible,
        order: Literal["newest", "oldest", "updated", "name"] = "newest",
        limit: int = 100,
        offset: int = 0,
    ) -> list[Memory]:
        """Memories that meet the conditions."""
        return reading.select(self._db, where, visible, order=order, limit=limit, offset=offset)

    def alike(
        self,
        signatures: Mapping[str, Collection[int]],
        *,
        visible: Visible,
        where: Where,
        most: int = 8,
    ) -> list[Memory]:
        """Memories with one of the signatures asked for in their scope, the newest of each."""
        return reading.alike(self._db, signatures, visible, where, most)

    def count(
        self, where: Where, *, visible: Visible, by: Literal["scope", "kind", "status", "topic"]
    ) -> dict[str, int]:
        """How many memories meet the conditions, by one of their axes."""
        return reading.count(self._db, where, visible, by)

    def links(self, ids: Collection[str] | None, *, visible: Visible) -> list[Link]:
        """Wikilinks out of and into these memories, or all of them; both ends are visible."""
        return linking.links(self._db, ids, visible)

    def close(self) -> None:
        """Let go of the connection."""
        self._db.close()

    def remove(self) -> None:
        """Remove all that the index keeps, as before moving the book elsewhere."""
        self._db.remove()

    def _statistics(self, reach: str) -> Statistics:
        return self._kept("statistics", reach, lambda: searching.statistics(self._db, reach))

    def _kept(self, what: str, reach: str, find: Callable[[], T]) -> T:
        """What was found before, as long as no process has changed anything since."""
        now = state.changed(self._db)
        with self._turn:
            if now != self._as_of or len(self._remembered) > _REMEMBERED:
                self._remembered = {}
                self._as_of = now
            known = self._remembered
        if (what, reach) not in known:
            known[what, reach] = find()
        return known[what, reach]
