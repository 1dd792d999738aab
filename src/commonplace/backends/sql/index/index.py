"""The search index in SQL tables; SQLite and PostgreSQL bring the tables and transactions."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ....model.errors import Busy, Unavailable
from ....model.quick_decorators import contextmanager
from ....model.scope import EVERYTHING
from ....ports.search_index import Gathered
from . import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping, Sequence
    from typing import Any, Literal, Self, TypeVar

    from ....model.conditions import Axis
    from ....model.memory import Link, Memory
    from ....model.scope import Visible
    from ....ports.search_index import Where
    from ....ports.vector_engine import VectorEngine
    from .candidates import CandidateQuery, VectorMatches
    from .tables import Tables
    from .vectors import VectorModel

    T = TypeVar("T")


class TableIndex(ABC):
    """Words, vectors, conditions and links, within the visible scopes only.

    With a vector engine the vectors are stored there; everything else stays in the tables.
    """

    capabilities = frozenset({"keyword", "links", "vector"})
    _engine: VectorEngine | None = None
    _open: tuple[Visible, Any] | None = None
    """The scopes that the open transaction shows, and its tables; `read_together` sets it."""
    _refill: Callable[[], object] | None = None

    @abstractmethod
    def _read(self, visible: Visible, work: Callable[[Tables], T]) -> T:
        """Read in one snapshot of the tables, whatever others write meanwhile."""

    def read_together(self, visible: Visible, work: Callable[[Self], T]) -> T:
        """Call a function with an index whose reads of the visible scopes are one transaction.

        The function does nothing else: it holds a connection, and its errors count as damage.
        """

        def read(tables: Tables) -> T:
            there = object.__new__(type(self))
            vars(there).update(vars(self))
            there._open = visible, tables
            return work(there)

        return self._read(visible, read)

    @abstractmethod
    def _write(self, work: Callable[[Tables], T]) -> T:
        """Write all or nothing, with no other writer meanwhile."""

    @contextmanager
    def turn(self) -> Generator[int]:
        """Nobody to wait for: the processes of one machine seldom catch up at once."""
        yield self.revision()

    def refill_with(self, refill: Callable[[], object]) -> None:
        """Set the function that indexes everything again after a damaged index was emptied."""
        self._refill = refill

    def revision(self) -> int:
        """The store revision this index has reached; 0 for a new one."""
        query = "SELECT value FROM meta WHERE name = 'revision'"
        [(revision,)] = self._read(EVERYTHING, lambda tables: tables.execute(query).fetchall())
        return revision

    def begun(self) -> int:
        """Always the same: a database server gives no row's number twice."""
        return 0

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
        """The candidates of a recall.

        A memory without a topic takes part in the search of every topic.
        """
        from .candidates import CandidateQuery, gather

        asked = CandidateQuery(
            words, vector if self._compares else None, visible, where, pool, least, model
        )
        if asked.vector is not None and self._engine is not None:
            return self._gather_with_engine(asked)
        return self._read(visible, lambda tables: gather(tables, asked))

    def fetch(self, keys: Collection[int], *, visible: Visible) -> dict[int, Memory]:
        """The memories behind candidates."""
        found = self._read(visible, lambda tables: read.load(tables, list(keys)))
        return {key: memory for key, memory in found.items() if visible.allows(memory.scope)}

    def speakers(self, *, visible: Visible) -> list[str]:
        """The speakers of the visible conversations."""
        return self._read(visible, lambda tables: read.speakers(tables, visible))

    def use_model(self, model: str, dimensions: int, *, switch: bool = True) -> bool:
        """Register a model; returns whether its vectors are accepted now.

        Another model's vectors stay in use until those of this one, each with `dimensions`
        numbers, are complete. Without `switch` a new model is not registered.
        """
        from .vectors import use_model

        if not self._compares:
            return False
        self.check_vectors()
        return self._write(lambda tables: use_model(tables, model, dimensions, switch=switch))

    def models(self) -> list[str]:
        """The models whose vectors are stored: the one in use, then one that will take over."""
        from .vectors import stored_models

        if not self._compares:
            return []
        return [one.name for one in self._read(EVERYTHING, stored_models)]

    def waiting(self, model: str) -> int:
        """How many memories wait for this model's vectors."""
        from .vectors import waiting

        if not self._compares:
            return 0
        return self._read(EVERYTHING, lambda tables: waiting(tables, model))

    def unembedded(
        self,
        *,
        visible: Visible,
        limit: int,
        ids: Collection[str] | None = None,
        model: str | None = None,
    ) -> dict[int, Memory]:
        """Memories that wait for a model's vectors, by a key that stands for their present text.

        None stands for the model that was registered last.
        """
        from .vectors import find_model

        def find(tables: Tables) -> dict[int, Memory]:
            found = find_model(tables, model, None)
            return read.unembedded(tables, visible, limit, ids, found.number if found else None)

        return self._read(visible, find) if self._compares else {}

    def put_vectors(
        self,
        made: Mapping[int, Sequence[bytes]],
        *,
        model: str,
        dimensions: int,
        complete: bool = True,
    ) -> bool:
        """Store vectors by the keys of `unembedded`: of the whole first, then of its passages.

        Texts that changed or went meanwhile are passed over. False, and nothing is stored, once
        the model is not registered any more. Unless complete, the texts go on waiting for the rest.
        """
        from . import vectors

        if not self._compares:
            return False
        if self._engine is None:
            return self._write(
                lambda tables: vectors.put(tables, made, model, dimensions, complete=complete)
            )
        found = self._read(
            EVERYTHING, lambda tables: vectors.entries(tables, made, model, dimensions)
        )
        if found is None:
            return False
        stored, entries = found
        anew = self._engine.put(stored.collection, entries)
        rows = [one.key for one in entries]
        self._write(
            lambda tables: vectors.mark_stored(tables, stored, rows, complete=complete, anew=anew)
        )
        return True

    def has_words(self, ids: Collection[str]) -> bool:
        """Whether the index has the words of these memories; a server vouches for its own."""
        return True

    def check_vectors(self) -> None:
        """Bring the vector engine, if there is one, in line with the tables.

        Removes the vectors of memories and models that are gone. Raises Unavailable or Busy while
        the engine is away.
        """
        if self._engine is None:
            return
        from . import vectors

        # The collections are listed first: each one's model is in the tables before it is made.
        there = self._engine.collections()
        listed = self._read(EVERYTHING, vectors.removals)
        for collection in there - {model.collection for model in listed}:
            self._engine.drop(collection)
        done = {model: rows for model, rows in listed.items() if rows}
        for model, rows in done.items():
            keys = [row for row in rows if row != vectors.PURGE]
            self._engine.remove(model.collection, keys, purge=vectors.PURGE in rows)
        if done:
            self._write(lambda tables: vectors.mark_removed(tables, done))

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

    def count(self, where: Where, *, visible: Visible, by: Axis) -> dict[str, int]:
        """How many memories meet the conditions, by one of their axes."""
        return self._read(visible, lambda tables: read.count(tables, where, visible, by))

    def places(self, where: Where, *, visible: Visible) -> dict[str, str]:
        """The places of memories that meet the conditions, each with the id of one of them."""
        return self._read(visible, lambda tables: read.places(tables, where, visible))

    def links(self, ids: Collection[str] | None, *, visible: Visible) -> list[Link]:
        """Wikilinks out of and into these memories, or all of them; both ends are visible."""
        from .links import links

        return self._read(visible, lambda tables: links(tables, ids, visible))

    def _gather_with_engine(self, query: CandidateQuery) -> Gathered:
        """Ask the engine between two reads, so that nobody waits for it inside a transaction."""
        from .candidates import assemble, comparable, match_words

        found, model = self._read(
            query.visible,
            lambda tables: (match_words(tables, query), comparable(tables, query)),
        )
        if found is None:
            return Gathered()
        vectors = None if model is None else self._match_in_engine(query, model, found.rows)
        return self._read(query.visible, lambda tables: assemble(tables, query, found, vectors))

    def _match_in_engine(
        self, query: CandidateQuery, model: VectorModel, also: Collection[int]
    ) -> VectorMatches | None:
        """Compare a question's vector with the engine's; None while the engine is away."""
        from .candidates import engine_matches
        from .vectors import has_stored, queue_lost

        assert self._engine is not None
        try:
            matches = engine_matches(self._engine, query, model, also)
            if matches is None and self._read(EVERYTHING, lambda tables: has_stored(tables, model)):
                self._write(lambda tables: queue_lost(tables, model))
        except (Unavailable, Busy):
            # Words alone still answer; `status` says that the engine is away.
            return None
        return matches

    def _removed(self) -> None:
        """Remove from the engine what was just removed here; later, if the engine is away."""
        try:
            self.check_vectors()
        except (Unavailable, Busy):
            return

    @property
    def _compares(self) -> bool:
        """Whether this index can store vectors at all."""
        return "vector" in self.capabilities
