"""What every search index in tables answers; an engine brings the tables and its transactions."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ....model.scope import EVERYTHING
from . import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Literal, TypeVar

    from ....model.memory import Link, Memory
    from ....model.scope import Visible
    from ....ports.search_index import Gathered, Where
    from .tables import Tables

    T = TypeVar("T")


class TableIndex(ABC):
    """Words, meaning, conditions and links, within the visible scopes only."""

    capabilities = frozenset({"keyword", "links", "vector"})

    @abstractmethod
    def _read(self, visible: Visible, work: Callable[[Tables], T]) -> T:
        """Do some reading in one unchanging view of the tables, whatever others write meanwhile."""

    @abstractmethod
    def _write(self, work: Callable[[Tables], T]) -> T:
        """Do some writing, all or nothing, with no other writer meanwhile."""

    def revision(self) -> int:
        """The store revision this index has reached; 0 for a new one."""
        query = "SELECT value FROM meta WHERE name = 'revision'"
        [(revision,)] = self._read(EVERYTHING, lambda tables: tables.execute(query).fetchall())
        return revision

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
        from .candidates import gather

        return self._read(
            visible,
            lambda tables: gather(
                tables,
                words,
                vector if self._compares else None,
                visible=visible,
                where=where,
                pool=pool,
                least=least,
                model=model,
            ),
        )

    def fetch(self, keys: Collection[int], *, visible: Visible) -> dict[int, Memory]:
        """The memories behind candidates."""
        found = self._read(visible, lambda tables: read.load(tables, list(keys)))
        return {key: memory for key, memory in found.items() if visible.allows(memory.scope)}

    def speakers(self, *, visible: Visible) -> list[str]:
        """Who is heard in the visible conversations."""
        return self._read(visible, lambda tables: read.speakers(tables, visible))

    def use_model(self, model: str, dimensions: int, *, switch: bool = True) -> bool:
        """Make room for the vectors of a model, and say whether there is room for them now.

        They take the place of another model's once they are complete. Without `switch` nothing
        new is begun, and then there is no room.
        """
        from . import read

        return self._compares and self._write(
            lambda tables: read.use_model(tables, model, dimensions, switch=switch)
        )

    def models(self) -> list[str]:
        """The models whose vectors are kept: the one in use, then one that will take its place."""
        from . import read

        return self._read(EVERYTHING, read.models) if self._compares else []

    def waiting(self, model: str) -> int:
        """How many memories wait for this model's vectors."""
        from . import read

        if not self._compares:
            return 0
        return self._read(EVERYTHING, lambda tables: read.waiting(tables, model))

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
        from .read import in_line

        if not self._compares:
            return {}
        return self._read(
            visible,
            lambda tables: read.unembedded(tables, visible, limit, ids, in_line(tables, model)),
        )

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
        from . import read

        return self._compares and self._write(
            lambda tables: read.put(tables, made, model, dimensions, complete=complete)
        )

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
        return self._read(
            visible,
            lambda tables: read.select(
                tables, where, visible, order=order, limit=limit, offset=offset
            ),
        )

    def alike(
        self,
        signatures: Mapping[str, Collection[int]],
        *,
        visible: Visible,
        where: Where,
        most: int = 8,
    ) -> list[Memory]:
        """Memories with one of the signatures asked for in their scope, the newest of each."""
        return self._read(
            visible, lambda tables: read.alike(tables, signatures, visible, where, most)
        )

    def count(
        self, where: Where, *, visible: Visible, by: Literal["scope", "kind", "status", "topic"]
    ) -> dict[str, int]:
        """How many memories meet the conditions, by one of their axes."""
        return self._read(visible, lambda tables: read.count(tables, where, visible, by))

    def links(self, ids: Collection[str] | None, *, visible: Visible) -> list[Link]:
        """Wikilinks out of and into these memories, or all of them; both ends are visible."""
        from .links import links

        return self._read(visible, lambda tables: links(tables, ids, visible))

    @property
    def _compares(self) -> bool:
        """Whether this index can keep vectors at all."""
        return "vector" in self.capabilities
