"""A book's collections in Milvus: reading all there is, writing in batches, nothing of ours lost.

Milvus has no transactions. What that means for an index is said in `writing`.
"""

from __future__ import annotations

import sys
from itertools import islice

from . import lite, schema
from .driver_errors import FAILURES, mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeVar

    from .address import MilvusAddress
    from .schema import Row

    T = TypeVar("T")

WINDOW = 16_384
"""What one answer of Milvus may hold; for more it is asked again."""
PAGE = 4_096
BATCH_ROWS, BATCH_BYTES = 1_000, 8_000_000
"""What one write may hold. A server takes 64 MB; smaller writes let others in between, larger ones
gain nothing: at 1,000 rows the way there is under a tenth of the cost."""
NAMED = 1_000
"""How many values one condition may list; the server parses each condition anew."""
FLUSHED_ROWS, FLUSHED_WRITES = 2_000, 50
"""Lite searches what it has not flushed row by row and write by write in Python, so it is told to
flush after so many. A server decides for itself: being told makes it write small segments."""
TIMEOUT_S = 30.0
"""After so long without an answer, retries by the driver included, the server counts as away."""


class MilvusDatabase:
    """The collections of one index. May be used from several threads at once."""

    def __init__(self, address: MilvusAddress, name: str) -> None:
        from pymilvus import MilvusClient  # pyright: ignore[reportMissingTypeStubs]

        self._lite = address.lite
        self._uri = address.uri
        self._level = address.level
        self._name = f"{name}_v{schema.FORMAT}"
        self._family = f"{name}_v"
        self._unflushed: dict[str, tuple[int, int]] = {}
        """How many rows Lite has got for each collection since it was flushed, and how often."""
        self._closed = False
        with mapped():
            self._client: Any = MilvusClient(
                uri=address.uri,
                token=address.token,
                db_name=address.database,
                timeout=TIMEOUT_S,
            )
            if self._lite:
                lite.hold(self._uri)
            try:
                self._prepare()
            except BaseException:
                self.close()
                raise

    def query(
        self,
        collection: str,
        expression: str,
        fields: Sequence[str],
        *,
        strong: bool = False,
        limit: int | None = None,
    ) -> list[Row]:
        """The rows that meet a condition, or any so many of them."""
        how = self._how(collection, strong)
        with mapped():
            found = self._client.query(
                filter=expression, output_fields=list(fields), limit=limit or WINDOW, **how
            )
        if limit is None and len(found) >= WINDOW:
            return list(self.stream(collection, expression, fields))
        return list(found)

    def stream(self, collection: str, expression: str, fields: Sequence[str]) -> Iterator[Row]:
        """All rows that meet a condition, a page at a time, by their keys."""
        if self._lite:
            # Lite has no limit, and says of its pages that they are not of one moment.
            yield from self.query(collection, expression, fields, strong=True, limit=sys.maxsize)
            return
        with mapped():
            pages = self._client.query_iterator(
                filter=expression,
                output_fields=list(fields),
                batch_size=PAGE,
                **self._how(collection, True),
            )
            try:
                while page := pages.next():
                    yield from page
            finally:
                pages.close()

    def query_named(
        self,
        collection: str,
        field: str,
        values: Iterable[object],
        fields: Sequence[str],
        *,
        also: str = "",
        strong: bool = False,
    ) -> list[Row]:
        """The rows with one of the values in a field, however many are asked for."""
        found: list[Row] = []
        for some in chunks(values, NAMED):
            named = schema.one_of(field, some)
            expression = f"{named} and {also}" if also else named
            found += self.query(collection, expression, fields, strong=strong)
        return found

    def count(self, collection: str, expression: str) -> int:
        """How many rows meet a condition."""
        with mapped():
            [row] = self._client.query(
                filter=expression, output_fields=["count(*)"], **self._how(collection, True)
            )
        return int(row["count(*)"])

    def search(
        self,
        collection: str,
        field: str,
        vectors: Sequence[object],
        *,
        where: str,
        limit: int,
        how: Row | None = None,
    ) -> list[list[tuple[Any, float]]]:
        """For each vector the keys of the rows most like it and how much they are, best first."""
        with mapped():
            found = self._client.search(
                data=list(vectors),
                anns_field=field,
                filter=where,
                limit=min(limit, WINDOW),
                search_params=how or {},
                **self._how(collection, False),
            )
        return [list(zip(hits.ids, hits.distances, strict=True)) for hits in found]

    def upsert(self, collection: str, rows: Iterable[Row], *, partly: bool = False) -> None:
        """Write rows in place of those with the same key; partly leaves other fields alone."""
        name = self._named(collection)
        for batch in _batches(rows):
            with mapped():
                self._client.upsert(
                    name, batch, timeout=TIMEOUT_S, **({"partial_update": True} if partly else {})
                )
            self._flush(name, len(batch))

    def delete(self, collection: str, keys: Iterable[int | str]) -> None:
        """Remove rows by their keys."""
        key = schema.KEYS[schema.kind_of(collection)]
        for some in chunks(keys, NAMED):
            self.delete_where(collection, schema.one_of(key, some))

    def delete_where(self, collection: str, expression: str) -> None:
        """Remove the rows that meet a condition."""
        with mapped():
            self._client.delete(self._named(collection), filter=expression, timeout=TIMEOUT_S)

    def create(self, collection: str, dimensions: int = 0) -> None:
        """Make a collection ready for use, if it is not there yet."""
        name = self._named(collection)
        with mapped():
            if not self._client.has_collection(name, timeout=TIMEOUT_S):
                self._make(name, schema.made(self._client, schema.kind_of(collection), dimensions))
            self._client.load_collection(name, timeout=TIMEOUT_S)

    def drop(self, collection: str) -> None:
        """Remove a collection and everything in it."""
        with mapped():
            self._client.drop_collection(self._named(collection), timeout=TIMEOUT_S)

    def start_over(self) -> None:
        """Remove all collections of this index, and make empty ones."""
        self.remove()
        with mapped():
            self._prepare()

    def remove(self) -> None:
        """Remove all collections of this index."""
        with mapped():
            for name in self._client.list_collections():
                if name.startswith(self._family):
                    self._client.drop_collection(name, timeout=TIMEOUT_S)
        self._unflushed.clear()

    def close(self) -> None:
        """Let go of the connection; the last one to a file of Lite closes the file as well."""
        if self._closed:
            return
        self._closed = True
        with mapped():
            self._client.close()
        if self._lite:
            lite.let_go(self._uri)

    def scrub(self, collection: str) -> None:
        """Leave nothing to read of the rows that were removed.

        A server does that by itself, in its time, once it is told. Lite does not when asked, so
        what is left is written anew.
        """
        name = self._named(collection)
        if not self._lite:
            with mapped():
                self._client.compact(name, timeout=TIMEOUT_S)
            return
        left = list(self.stream(collection, "", ["*"]))
        with mapped():
            self._client.truncate_collection(name, timeout=TIMEOUT_S)
        self.upsert(collection, left)

    def _prepare(self) -> None:
        """Open what is there; collections of another format are as good as none."""
        for name in self._client.list_collections():
            if name.startswith(self._family) and not name.startswith(f"{self._name}_"):
                self._client.drop_collection(name, timeout=TIMEOUT_S)
        for collection in schema.ALWAYS:
            self.create(collection)

    def _make(self, name: str, made: schema.Made) -> None:
        client = self._client
        try:
            client.create_collection(name, schema=made.schema, timeout=TIMEOUT_S, **made.options)
            # Nothing is in it yet, so there is nothing to wait for; the driver would, by seconds.
            client.create_index(name, made.indexes, timeout=TIMEOUT_S, sync=False)
        except FAILURES:
            # Another process may have been faster.
            if not client.has_collection(name, timeout=TIMEOUT_S):
                raise

    def _named(self, collection: str) -> str:
        return f"{self._name}_{collection}"

    def _how(self, collection: str, strong: bool) -> Row:
        """Where to read, and how fresh it must be.

        Whoever writes must see what every other process wrote. Whoever only reads sees what its
        own process wrote, and the rest a moment later: to wait for it would cost each recall up to
        a fifth of a second.
        """
        return {
            "collection_name": self._named(collection),
            "consistency_level": "Strong" if strong else self._level,
            "timeout": TIMEOUT_S,
        }

    def _flush(self, name: str, rows: int) -> None:
        if not self._lite:
            return
        known_rows, known_writes = self._unflushed.get(name, (0, 0))
        self._unflushed[name] = rows + known_rows, 1 + known_writes
        if rows + known_rows >= FLUSHED_ROWS or 1 + known_writes >= FLUSHED_WRITES:
            del self._unflushed[name]
            with mapped():
                self._client.flush(name, timeout=TIMEOUT_S)


def chunks(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """The values, some at a time."""
    left = iter(values)
    while some := list(islice(left, size)):
        yield some


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    size = 0
    for row in rows:
        weight = schema.weight(row)
        if batch and (len(batch) >= BATCH_ROWS or size + weight > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += weight
    if batch:
        yield batch
