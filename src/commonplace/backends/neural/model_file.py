"""The file of a model: arrays by name, mapped into memory.

    magic · lengths of the table and of the file · checksum of the table · table · arrays

The table is text with one line per array: name, offset and shape; its first line is the checksum
of the arrays. Each array starts at a multiple of 64 bytes, as vector instructions need.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from math import prod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


LAYERS, WIDTH, INNER, HEAD = 6, 384, 1536, 32
POSITIONS = 256
"""Pieces of a text that the model reads."""
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

    def is_whole(self) -> bool:
        """Whether every byte is as it was written; takes longer than to open the file."""
        _, table_length, _, _ = PREFIX.unpack_from(self._bytes)
        checksum = zlib.crc32(self._bytes[PREFIX.size + table_length :])
        return self._places.get(CHECKSUM) == (checksum,)

    def has(self, name: str) -> bool:
        """Whether the file has an array of that name."""
        return name in self._places

    def floats(self, name: str) -> memoryview[float]:
        """A flat array of 4-byte floats."""
        return self._flat(name, 4).cast("f")

    def counts(self, name: str) -> memoryview[int]:
        """A flat array of 4-byte unsigned integers."""
        return self._flat(name, 4).cast("I")

    def signed(self, name: str) -> memoryview[int]:
        """A matrix of signed bytes, in its shape."""
        return self._flat(name, 1).cast("b", self._places[name][1:])

    def chars(self, name: str) -> memoryview[int]:
        """A flat array of bytes."""
        return self._flat(name, 1)

    def _flat(self, name: str, bytes_each: int) -> memoryview[int]:
        start, *shape = self._places[name]
        return self._bytes[start : start + bytes_each * prod(shape)]


class Vocabulary:
    """The pieces of words in a model's file."""

    def __init__(self, model: ModelFile) -> None:
        self._text = model.chars("vocabulary.text")
        self._ends = model.counts("vocabulary.ends")
        self._ids = model.counts("vocabulary.ids")

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
