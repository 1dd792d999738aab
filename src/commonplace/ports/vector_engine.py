"""The port of an engine that stores an index's vectors outside the index's own tables.

The index keeps everything else: words, conditions, which memories wait for a vector and which
vectors are to be removed. It checks every hit of the engine against its own tables.
"""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Protocol

    from ..model.scope import Visible
else:
    Protocol = object


class VectorEntry(Value):
    """The vectors of one memory, with the fields that a search filters by."""

    key: int
    """The memory's row in the index; another text never gets the same one."""
    scope: str
    parent: str
    """The scope that a task's memory belongs to; empty for a memory outside tasks."""
    topic: str
    """Empty for a memory without a topic."""
    vectors: Sequence[bytes]
    """The vector of the whole text, then those of its passages."""


class VectorFilter(Value):
    """Conditions that the engine applies before it ranks."""

    visible: Visible
    scopes: tuple[str, ...] | None = None
    """Exact scopes, within the visible ones."""
    topics: tuple[str, ...] | None = None
    """Memories of these topics, and memories without a topic."""


class VectorEngine(Protocol):
    """Stores vectors in collections, one for each model of one index.

    Nothing is contacted before the first call of a method. Every method but `close` raises
    Unavailable or Busy while the engine is away.
    """

    location: str

    def collections(self) -> set[str]:
        """The names of this index's collections."""
        ...

    def put(self, collection: str, entries: Sequence[VectorEntry]) -> bool:
        """Store vectors in place of those with the same keys; True if the collection is new."""
        ...

    def nearest(
        self,
        collection: str,
        vector: bytes,
        wanted: VectorFilter,
        *,
        limit: int,
        also: Collection[int] = (),
    ) -> dict[int, bytes] | None:
        """The vectors of the closest memories and of the keys in `also`, each end to end by key.

        None if there is no such collection.
        """
        ...

    def remove(self, collection: str, keys: Collection[int], *, purge: bool = False) -> None:
        """Remove vectors; with `purge` also from the engine's files."""
        ...

    def drop(self, collection: str) -> None:
        """Remove a collection and everything in it."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...
