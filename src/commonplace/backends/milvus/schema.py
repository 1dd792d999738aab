"""The collections of an index, and how a condition on them is written.

`memories` has a row for each memory: everything that is asked about it, and its words as a sparse
vector. `vectors_…` has a row for each memory and model, first in line for a vector and then with
it. `pieces` has what no single row can hold: the parts of a long text. `state` has how far the
index has come.

Nothing is null: a text that may be missing is kept as `=text` or as nothing at all, so that every
version of Milvus and Milvus Lite compare it alike.
"""

from __future__ import annotations

from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Row = dict[str, Any]

FORMAT = 2
"""Raise this when a collection, what is kept in it or what `rules.words` makes of a text changes.

Collections of another format are dropped, and those of this one filled from the store.
"""

ALWAYS = ("state", "pieces", "memories")
"""The collections that every index has, the ones with least to lose first."""
KEYS = {"state": "name", "pieces": "name", "memories": "row", "vectors": "text"}
PARTITIONS = 64
"""Tenants are spread over so many partitions by their org, so that a search reads the caller's
own and the shared one. More would cost a small cluster more than they save a large one."""
TEXT_BYTES = 65_535
"""The longest text that Milvus takes."""
LISTED = 4_096
"""The longest list that Milvus takes."""
NEVER, ALWAYS_SINCE = 1e18, -1e18
NO_POSITION = -(2**62)
_DUMMY = "nothing"
"""Milvus wants a vector in each collection."""
NOTHING = {_DUMMY: [1.0, 0.0]}

_LABELS = ("names", "tags", "origins", "endings")
_INDEXED = (
    "id", "text", "place", "scope", "parent", "content_hash", "key", "turn", "episode",
    "supersedes", "superseded_by", "imported_id", "status", "kind",
)  # fmt: skip
"""What is asked for often enough, and selects few enough, that looking it up beats looking."""
_TEXTS = (
    "scope", "parent", "id", "status", "own_status", "kind", "tier", "owner", "sensitivity",
    "trust", "topic", "key", "namespace", "content_hash", "episode", "supersedes", "superseded_by",
    "imported_id", "name", "source", "speaker", "json",
)  # fmt: skip
_NUMBERS = ("text", "place", "revision", "turn", "position", "words", "links", "pieces", "share",
            "length")  # fmt: skip
_TIMES = ("created", "updated", "valid_from", "valid_until", "expires", "confidence")
_FLAGS = ("always_load", "asks", "has_time", "has_number")


def kind_of(collection: str) -> str:
    """Which of the kinds of collections one is, by its name."""
    return "vectors" if collection.startswith("vectors") else collection


class Made(Value):
    """What a collection is created from."""

    schema: Any
    indexes: Any
    options: Mapping[str, Any]


def made(client: Any, kind: str, dimensions: int) -> Made:
    """What a collection of a kind is created from."""
    from pymilvus import DataType  # pyright: ignore[reportMissingTypeStubs]

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    indexes = client.prepare_index_params()
    own = {"memories": _memories, "vectors": _vectors, "pieces": _pieces, "state": _state}
    own[kind](_Fields(schema, indexes, DataType), dimensions)
    more = {"num_partitions": PARTITIONS} if kind in ("memories", "vectors") else {}
    return Made(schema, indexes, more)


class _Fields:
    """Adds fields to a schema, and what finds their values again."""

    def __init__(self, schema: Any, indexes: Any, types: Any) -> None:
        self._schema = schema
        self._indexes = indexes
        self._types = types

    def text(self, *names: str, **options: Any) -> None:
        for name in names:
            self._add(name, self._types.VARCHAR, max_length=TEXT_BYTES, **options)

    def number(self, *names: str, **options: Any) -> None:
        for name in names:
            self._add(name, self._types.INT64, **options)

    def time(self, *names: str) -> None:
        for name in names:
            self._add(name, self._types.DOUBLE)

    def flag(self, *names: str) -> None:
        for name in names:
            self._add(name, self._types.BOOL)

    def texts(self, *names: str) -> None:
        for name in names:
            self._add(
                name, self._types.ARRAY, element_type=self._types.VARCHAR,
                max_capacity=LISTED, max_length=TEXT_BYTES,
            )  # fmt: skip

    def numbers(self, *names: str) -> None:
        for name in names:
            self._add(name, self._types.ARRAY, element_type=self._types.INT64, max_capacity=LISTED)

    def words(self, name: str) -> None:
        self._add(name, self._types.SPARSE_FLOAT_VECTOR)
        self._indexes.add_index(name, index_type="SPARSE_INVERTED_INDEX", metric_type="IP")

    def vector(self, name: str, dimensions: int, kind: str, **params: int) -> None:
        self._add(name, self._types.FLOAT_VECTOR, dim=dimensions)
        self._indexes.add_index(name, index_type=kind, metric_type="COSINE", params=params)

    def indexed(self, *names: str) -> None:
        for name in names:
            self._indexes.add_index(name, index_type="INVERTED")

    def _add(self, name: str, type: Any, **options: Any) -> None:
        self._schema.add_field(name, type, **options)


def _memories(fields: _Fields, _: int) -> None:
    fields.number("row", is_primary=True)
    fields.text("org", is_partition_key=True)
    fields.text(*_TEXTS)
    fields.number(*_NUMBERS)
    fields.time(*_TIMES)
    fields.flag(*_FLAGS)
    fields.texts(*_LABELS)
    fields.numbers("signatures")
    fields.words("said")
    fields.indexed(*_INDEXED)


def _vectors(fields: _Fields, dimensions: int) -> None:
    fields.number("text", is_primary=True)
    fields.text("org", is_partition_key=True)
    fields.text("id", "scope", "parent", "topic", "packed")
    fields.number("revision")
    fields.flag("waiting", "ready")
    # Wide enough a graph that the best two hundred of a million are found, narrow enough to build.
    fields.vector("vector", dimensions, "HNSW", M=16, efConstruction=200)
    fields.indexed("scope", "parent", "topic", "waiting", "id")


def _pieces(fields: _Fields, _: int) -> None:
    fields.text("name", is_primary=True)
    fields.number("owner", "number")
    fields.text("id", "part")
    fields.words("said")
    fields.indexed("owner", "id")


def _state(fields: _Fields, _: int) -> None:
    fields.text("name", is_primary=True)
    fields.number("place", "number")
    fields.text("word")
    fields.vector(_DUMMY, 2, "FLAT")
    fields.indexed("place")


def weight(row: Row) -> int:
    """About how many bytes a row takes on its way."""
    sizes = (len(value) if hasattr(value, "__len__") else 1 for value in row.values())
    return 500 + 8 * sum(sizes)


def one_of(field: str, values: Iterable[object]) -> str:
    """Holds for rows with one of these values in a field."""
    return f"{field} in [{', '.join(map(literal, values))}]"


def either_of(one: str, values: Iterable[object], other: str, others: Iterable[object]) -> str:
    """Holds for rows with one of these values in a field, or of those in another."""
    named = ((one, list(values)), (other, list(others)))
    return " or ".join(one_of(field, wanted) for field, wanted in named if wanted)


def literal(value: object) -> str:
    """A value as conditions write it; whatever a text holds is text and never part of one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{quoted}"'
    return repr(value)
