"""The search index in the book's own database."""

from __future__ import annotations

from ...errors import IndexUnavailable
from ...postgres.database import Database, only
from . import reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Literal, TypeVar

    from ...model import Link, Memory
    from ...ports import Changes, Gathered, Where
    from ...postgres.address import Address
    from ...postgres.database import Connection
    from ...scope import Visible

    T = TypeVar("T")

EXACTLY = 20_000
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema, 2))"


class PostgresIndex:
    """Words, meaning, conditions and links, within the visible scopes only.

    May be used from several threads, processes and machines at once. Without pgvector on the
    server there is no search by meaning, and everything else is as it was.
    """

    def __init__(self, address: Address, *, vectors: bool, exactly: int = EXACTLY) -> None:
        self.location = address.url
        self.capabilities = frozenset({"keyword", "links"} | ({"vector"} if vectors else set()))
        self._vectors = vectors
        self._exactly = exactly
        """So many visible vectors are compared one by one; among more, a graph is followed."""
        self._database = Database(address, IndexUnavailable)

    def revision(self) -> int:
        """The store revision this index has reached; 0 for a new one."""
        query = "SELECT value FROM meta WHERE name = 'revision'"
        return self._database.run(lambda db: only(db, query))

    def apply(self, changes: Changes) -> None:
        """Bring some places up to date and advance; applying twice is the same as once."""
        from . import writing

        self._write(lambda db: writing.apply(db, changes, vectors=self._vectors))

    def forget(self, ids: Collection[str]) -> None:
        """Drop memories and every trace of their text."""
        from . import writing

        self._write(lambda db: writing.forget(db, ids, vectors=self._vectors))

    def reset(self) -> None:
        """Start again from nothing."""
        from . import writing

        self._write(lambda db: writing.clear(db, vectors=self._vectors))

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
        from .gathering import gather

        return self._read(
            visible,
            lambda db: gather(
                db,
                words,
                vector if self._vectors else None,
                visible=visible,
                where=where,
                pool=pool,
                least=least,
                model=model,
                exactly=self._exactly,
            ),
        )

    def fetch(self, keys: Collection[int], *, visible: Visible) -> dict[int, Memory]:
        """The memories behind candidates."""
        found = self._read(visible, lambda db: reading.load(db, list(keys)))
        return {key: memory for key, memory in found.items() if visible.allows(memory.scope)}

    def speakers(self, *, visible: Visible) -> list[str]:
        """Who is heard in the visible conversations."""
        return self._read(visible, lambda db: reading.speakers(db, visible))

    def use_model(self, model: str, dimensions: int, *, switch: bool = True) -> bool:
        """Make room for the vectors of a model, and say whether there is room for them now.

        They take the place of another model's once they are complete. Without `switch` nothing
        new is begun, and then there is no room.
        """
        from . import vectors

        return self._vectors and self._write(
            lambda db: vectors.use_model(db, model, dimensions, switch=switch)
        )

    def models(self) -> list[str]:
        """The models whose vectors are kept: the one in use, then one that will take its place."""
        from . import vectors

        return self._database.run(vectors.models) if self._vectors else []

    def waiting(self, model: str) -> int:
        """How many memories wait for this model's vectors."""
        from . import vectors

        return self._database.run(lambda db: vectors.waiting(db, model)) if self._vectors else 0

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
        from . import vectors

        if not self._vectors:
            return {}
        return self._read(
            visible,
            lambda db: reading.unembedded(db, visible, limit, ids, vectors.in_line(db, model)),
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
        from . import vectors

        def work(db: Connection) -> bool:
            number = vectors.fits(db, made, model, dimensions)
            if number is None:
                return False
            vectors.put(db, made, number, complete=complete, exactly=self._exactly)
            return True

        return self._vectors and self._write(work)

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
            lambda db: reading.select(db, where, visible, order=order, limit=limit, offset=offset),
        )

    def alike(
        self,
        signatures: Mapping[str, Collection[int]],
        *,
        visible: Visible,
        where: Where,
        most: int = 8,
    ) -> list[Memory]:
        """Memories with one of the signatures asked for in their scope, some for each."""
        return self._read(visible, lambda db: reading.alike(db, signatures, visible, where, most))

    def count(
        self, where: Where, *, visible: Visible, by: Literal["scope", "kind", "status", "topic"]
    ) -> dict[str, int]:
        """How many memories meet the conditions, by one of their axes."""
        return self._read(visible, lambda db: reading.count(db, where, visible, by))

    def links(self, ids: Collection[str] | None, *, visible: Visible) -> list[Link]:
        """Wikilinks out of and into these memories, or all of them; both ends are visible."""
        from .linking import links

        return self._read(visible, lambda db: links(db, ids, visible))

    def close(self) -> None:
        """Let go of the connections."""
        self._database.close()

    def _read(self, visible: Visible, work: Callable[[Connection], T]) -> T:
        """One unchanging view of the tables, whatever others write meanwhile."""
        return self._database.run(work, visible=visible, snapshot=True)

    def _write(self, work: Callable[[Connection], T]) -> T:
        """One writer at a time; what a crash of the server undoes is read from the store again."""

        def alone(db: Connection) -> T:
            db.execute(_ALONE)
            return work(db)

        return self._database.run(alone, durable=False)
