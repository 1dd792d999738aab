"""The search index in one SQLite file."""

from __future__ import annotations

from _thread import RLock
from contextlib import contextmanager

import apsw

from ... import sqlite
from ...errors import IndexUnavailable
from . import reading
from .schema import clear, open_index, remove

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Mapping, Sequence
    from typing import Literal

    from ...model import Link, Memory
    from ...ports import Changes, Gathered, Where
    from ...scope import Visible
    from ...sqlite import Database

DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError)
"""What a damaged file raises; the last when its tables are not the ones we made."""


class SqliteIndex:
    """Words, meaning, conditions and links, within the visible scopes only.

    May be used from several threads and several processes at once.
    """

    capabilities = frozenset({"keyword", "links", "vector"})

    def __init__(self, path: str) -> None:
        self.location = path
        self._turn = RLock()
        self._db = open_index(path)

    def revision(self) -> int:
        """The store revision this index has reached; 0 for a new one."""
        with self._reading() as db:
            return db.execute("SELECT value FROM meta WHERE name = 'revision'").get

    def apply(self, changes: Changes) -> None:
        """Bring some places up to date and advance; applying twice is the same as once."""
        from . import writing

        with self._writing() as db:
            writing.apply(db, changes)

    def forget(self, ids: Collection[str]) -> None:
        """Drop memories and every trace of their text."""
        from . import writing

        with self._writing() as db:
            writing.forget(db, ids)
        with self._guarded() as db:
            sqlite.sweep(db)

    def reset(self) -> None:
        """Start again from nothing."""
        with self._guarded() as db:
            try:
                with sqlite.transaction(db):
                    clear(db)
                sqlite.empty_log(db)
            except DAMAGE:
                self._start_over()

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

        with self._reading() as db:
            return gather(
                db,
                words,
                vector,
                visible=visible,
                where=where,
                pool=pool,
                least=least,
                model=model,
            )

    def fetch(self, keys: Collection[int], *, visible: Visible) -> dict[int, Memory]:
        """The memories behind candidates."""
        with self._reading() as db:
            found = reading.load(db, list(keys))
        return {key: memory for key, memory in found.items() if visible.allows(memory.scope)}

    def speakers(self, *, visible: Visible) -> list[str]:
        """Who is heard in the visible conversations."""
        with self._reading() as db:
            return reading.speakers(db, visible)

    def use_model(self, model: str, dimensions: int, *, switch: bool = True) -> bool:
        """Make room for the vectors of a model, and say whether there is room for them now.

        They take the place of another model's once they are complete. Without `switch` nothing
        new is begun, and then there is no room.
        """
        from . import vectors

        with self._writing() as db:
            return vectors.use_model(db, model, dimensions, switch=switch)

    def models(self) -> list[str]:
        """The models whose vectors are kept: the one in use, then one that will take its place."""
        from . import vectors

        with self._reading() as db:
            return vectors.models(db)

    def waiting(self, model: str) -> int:
        """How many memories wait for this model's vectors."""
        from . import vectors

        with self._reading() as db:
            return vectors.waiting(db, model)

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

        with self._reading() as db:
            return reading.unembedded(db, visible, limit, ids, vectors.in_line(db, model))

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

        with self._writing() as db:
            number = vectors.fits(db, made, model, dimensions)
            if number is None:
                return False
            vectors.put(db, made, number, complete=complete)
            return True

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
        with self._reading() as db:
            return reading.select(db, where, visible, order=order, limit=limit, offset=offset)

    def alike(
        self,
        signatures: Mapping[str, Collection[int]],
        *,
        visible: Visible,
        where: Where,
        most: int = 8,
    ) -> list[Memory]:
        """Memories with one of the signatures asked for in their scope, some for each."""
        with self._reading() as db:
            return reading.alike(db, signatures, visible, where, most)

    def count(
        self, where: Where, *, visible: Visible, by: Literal["scope", "kind", "status", "topic"]
    ) -> dict[str, int]:
        """How many memories meet the conditions, by one of their axes."""
        with self._reading() as db:
            return reading.count(db, where, visible, by)

    def links(self, ids: Collection[str] | None, *, visible: Visible) -> list[Link]:
        """Wikilinks out of and into these memories, or all of them; both ends are visible."""
        from .linking import links

        with self._reading() as db:
            return links(db, ids, visible)

    def close(self) -> None:
        """Let go of the file."""
        with self._turn:
            self._db.close()

    @contextmanager
    def _reading(self) -> Generator[Database]:
        """One unchanging view of the tables, whatever other processes write meanwhile."""
        with self._guarded() as db:
            db.execute("BEGIN")
            try:
                yield db
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Generator[Database]:
        with self._guarded() as db, sqlite.transaction(db):
            yield db

    @contextmanager
    def _guarded(self) -> Generator[Database]:
        """One thread at a time; a damaged file is replaced, and the caller told so."""
        with self._turn:
            try:
                yield self._db
            except DAMAGE as error:
                self._start_over()
                raise IndexUnavailable(
                    "The search index was damaged and has been discarded.",
                    hint="Try again: it is rebuilt from the notes.",
                ) from error
            except apsw.Error as error:
                raise sqlite.in_words(error, IndexUnavailable, "The search index") from error

    def _start_over(self) -> None:
        self._db.close()
        remove(self.location)
        self._db = open_index(self.location)
