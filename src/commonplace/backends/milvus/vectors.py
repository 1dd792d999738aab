"""Vectors in Milvus: one collection for each model, with scope and topic as scalar filters.

A row holds the vector of a whole text, which the engine's graph searches, and all vectors of the
memory as the bytes that the model made, from which the index computes exact cosines.
"""

from __future__ import annotations

import base64
import sys
from _thread import allocate_lock
from array import array
from contextlib import contextmanager
from itertools import islice
from time import monotonic

from ...model.errors import Busy, Unavailable
from ...model.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
    from typing import Any, TypeVar

    from ...ports.vector_engine import VectorEntry, VectorFilter
    from .address import MilvusAddress

    T = TypeVar("T")
    Row = dict[str, Any]

FORMAT = 3
"""Raise this when the fields of a collection change; collections of other formats are dropped."""
RETRY_S = 5.0
"""After a failure every call fails at once for this time, so that nobody waits again and again."""
TIMEOUT_S = 5.0
"""A request to a server that takes longer, the driver's retries included, has failed."""
SLOW_S = 30.0
"""Timeout for making, dropping and compacting collections, and for every request to a file of
Milvus Lite: it is served by this very machine, which may be busy but is never away."""
PARTITIONS = 64
"""The orgs are spread over so many partitions: a search reads the caller's and the shared one."""
MOST_HITS = 16_384
MOST_LISTED = 1_000
"""How many keys one condition lists."""
BATCH_ROWS = 1_000
FLUSHED_ROWS, FLUSHED_WRITES = 2_000, 50
"""Lite compares unflushed rows one by one in Python, so it is told to flush after so many."""
TEXT_BYTES = 65_535
"""The longest text that Milvus takes."""
_PACKED_BYTES = TEXT_BYTES * 3 // 4
"""How many bytes fit into a text as base64."""
_NO_ROW = "key < 0"


class MilvusVectors:
    """The collections of one index. May be used from several threads at once."""

    def __init__(self, address: MilvusAddress, name: str) -> None:
        self.location = address.url
        self._address = address
        self._family = f"{name}_v"
        self._prefix = f"{name}_v{FORMAT}_"
        self._timeout_s = SLOW_S if address.lite else TIMEOUT_S
        self._client: Any = None
        self._loaded: set[str] = set()
        self._unflushed: dict[str, tuple[int, int]] = {}
        """Rows and writes of each collection since Lite flushed it."""
        self._failure: Unavailable | Busy | None = None
        self._retry_at = 0.0
        self._turn = allocate_lock()

    def collections(self) -> set[str]:
        """The names of this index's collections."""
        with self._connected() as client:
            names: list[str] = client.list_collections(timeout=SLOW_S)
        return {name.removeprefix(self._prefix) for name in names if name.startswith(self._prefix)}

    def put(self, collection: str, entries: Sequence[VectorEntry]) -> bool:
        """Store vectors in place of those with the same keys; True if the collection is new."""
        if not entries:
            return False
        name = self._prefix + collection
        with self._connected() as client:
            created = not self._load(client, name)
            if created:
                self._create(client, name, len(entries[0].vectors[0]))
            self._upsert(client, name, map(_row, entries))
        return created

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
        name = self._prefix + collection
        how = {"consistency_level": self._address.level, "timeout": self._timeout_s}
        try:
            with self._connected() as client:
                if not self._load(client, name):
                    return None
                [hits] = client.search(
                    name,
                    data=[_floats(vector)],
                    anns_field="vector",
                    filter=_expression(wanted),
                    limit=min(limit, MOST_HITS),
                    output_fields=["packed"],
                    search_params={"params": {"ef": max(64, limit)}},
                    **how,
                )
                found = {hit["key"]: _unpacked(hit["entity"]["packed"]) for hit in hits}
                for keys in _chunks(sorted(set(also) - found.keys()), MOST_LISTED):
                    rows = client.query(
                        name, filter=_one_of("key", keys), output_fields=["packed"], **how
                    )
                    found |= {row["key"]: _unpacked(row["packed"]) for row in rows}
        except Unavailable as error:
            from .client import is_missing_collection

            if is_missing_collection(error):
                return None
            raise
        return found

    def remove(self, collection: str, keys: Collection[int], *, purge: bool = False) -> None:
        """Remove vectors; with `purge` also from the engine's files."""
        name = self._prefix + collection
        with self._connected() as client:
            if not self._load(client, name):
                return
            for some in _chunks(sorted(keys), MOST_LISTED):
                client.delete(name, filter=_one_of("key", some), timeout=self._timeout_s)
            if purge:
                self._purge(client, name)

    def drop(self, collection: str) -> None:
        """Remove a collection and everything in it."""
        name = self._prefix + collection
        with self._connected() as client:
            self._loaded.discard(name)
            self._unflushed.pop(name, None)
            client.drop_collection(name, timeout=SLOW_S)

    def close(self) -> None:
        """Close the connection; the last one to a Lite file closes the file as well."""
        with self._turn:
            client, self._client = self._client, None
            self._loaded.clear()
        if client is not None:
            from .client import disconnect

            disconnect(client, self._address)

    @contextmanager
    def _connected(self) -> Generator[Any]:
        """The driver's client, with its errors as our own; fails at once just after a failure."""
        if self._failure is not None and monotonic() < self._retry_at:
            raise type(self._failure)(self._failure.sentence, hint=self._failure.hint)
        try:
            with self._turn:
                if self._client is None:
                    self._client = self._connect()
                client = self._client
            from .client import mapped

            with mapped():
                yield client
        except (Unavailable, Busy) as error:
            from .client import is_missing_collection

            if is_missing_collection(error):
                self._loaded.clear()
                raise
            self._failure, self._retry_at = error, monotonic() + RETRY_S
            raise
        self._failure = None

    def _connect(self) -> Any:
        # Here, because the driver takes over a second to import.
        from .client import connect, disconnect, mapped

        client = connect(self._address, self._timeout_s)
        try:
            with mapped():
                for name in client.list_collections(timeout=SLOW_S):
                    if name.startswith(self._family) and not name.startswith(self._prefix):
                        client.drop_collection(name, timeout=SLOW_S)
        except BaseException:
            disconnect(client, self._address)
            raise
        return client

    def _load(self, client: Any, name: str) -> bool:
        """Make a collection searchable; False if there is none. A reopened one is not loaded."""
        if name not in self._loaded:
            if not client.has_collection(name, timeout=SLOW_S):
                return False
            client.load_collection(name, timeout=SLOW_S)
            self._loaded.add(name)
        return True

    def _create(self, client: Any, name: str, dimensions: int) -> None:
        schema, indexes = _schema(client, dimensions)
        client.create_collection(name, schema=schema, num_partitions=PARTITIONS, timeout=SLOW_S)
        # The collection is empty, so there is nothing to wait for; the driver would wait.
        client.create_index(name, indexes, timeout=SLOW_S, sync=False)
        self._load(client, name)

    def _upsert(self, client: Any, name: str, rows: Iterable[Row]) -> None:
        for batch in _chunks(rows, BATCH_ROWS):
            client.upsert(name, batch, timeout=self._timeout_s)
            if not self._address.lite:
                continue
            written, writes = self._unflushed.get(name, (0, 0))
            self._unflushed[name] = written + len(batch), writes + 1
            if written + len(batch) >= FLUSHED_ROWS or writes + 1 >= FLUSHED_WRITES:
                self._unflushed.pop(name, None)
                client.flush(name, timeout=SLOW_S)

    def _purge(self, client: Any, name: str) -> None:
        """Take removed rows out of the engine's files.

        A server compacts when it is asked to. Lite does not, so the remaining rows are written
        anew.
        """
        if not self._address.lite:
            client.compact(name, timeout=SLOW_S)
            return
        rows = client.query(
            name, filter="", output_fields=["*"], limit=sys.maxsize, consistency_level="Strong"
        )
        client.truncate_collection(name, timeout=SLOW_S)
        self._upsert(client, name, rows)


def _schema(client: Any, dimensions: int) -> tuple[Any, Any]:
    from pymilvus import DataType  # pyright: ignore[reportMissingTypeStubs]

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("key", DataType.INT64, is_primary=True)
    schema.add_field("org", DataType.VARCHAR, max_length=TEXT_BYTES, is_partition_key=True)
    for name in ("scope", "parent", "topic", "packed"):
        schema.add_field(name, DataType.VARCHAR, max_length=TEXT_BYTES)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimensions)
    indexes = client.prepare_index_params()
    # Wide enough a graph that the best two hundred of a million are found, narrow enough to build.
    indexes.add_index(
        "vector",
        index_type="HNSW",
        metric_type="COSINE",
        params={"M": 16, "efConstruction": 200},
    )
    for name in ("scope", "parent", "topic"):
        indexes.add_index(name, index_type="INVERTED")
    return schema, indexes


def _row(entry: VectorEntry) -> Row:
    packed = b"".join(entry.vectors)
    width = len(entry.vectors[0])
    # Passages beyond what a text can hold are left out; the whole always fits.
    packed = packed[: max(width, _PACKED_BYTES // width * width)]
    numbers = _floats(entry.vectors[0])
    return {
        "key": entry.key,
        "org": _org(entry.scope),
        "scope": entry.scope,
        "parent": entry.parent,
        "topic": _label(entry.topic),
        "packed": base64.b64encode(packed).decode(),
        # Milvus compares directions, and nothing but zeros has none.
        "vector": numbers if any(numbers) else [1.0] * width,
    }


def _expression(wanted: VectorFilter) -> str:
    """The filter as Milvus takes it. The org comes first: it selects the partitions to read."""
    parts: list[str] = []
    visible = wanted.visible
    if not visible.everything:
        orgs = {_org(path) for path in visible.scopes | visible.task_parents}
        parts.append(_one_of("org", sorted(orgs)))
        own = _one_of("scope", sorted(visible.scopes))
        tasks = _one_of("parent", sorted(visible.task_parents))
        parts.append(f"{own} or {tasks}" if visible.task_parents else own)
    if wanted.scopes is not None:
        parts.append(_one_of("scope", wanted.scopes))
    if wanted.topics is not None:
        parts.append(_one_of("topic", [*map(_label, wanted.topics), ""]))
    return " and ".join(f"({part})" for part in parts)


def _one_of(field: str, values: Iterable[str | int]) -> str:
    listed = ", ".join(map(_literal, values))
    return f"{field} in [{listed}]" if listed else _NO_ROW


def _literal(value: str | int) -> str:
    if isinstance(value, int):
        return str(value)
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'


def _org(path: str) -> str:
    """The partition of a scope: that of its org, or the one that all others share."""
    return "/" + (Scope.parse(path).value("org") or "")


def _label(text: str) -> str:
    """A topic that fits into a field and into a condition; the index compares it exactly."""
    return "".join(char if char.isprintable() else "?" for char in text)[:1_000]


def _floats(vector: bytes) -> list[float]:
    return [float(number) for number in array("b", vector)]


def _unpacked(packed: str) -> bytes:
    return base64.b64decode(packed)


def _chunks(values: Iterable[T], size: int) -> Iterator[list[T]]:
    left = iter(values)
    while some := list(islice(left, size)):
        yield some
