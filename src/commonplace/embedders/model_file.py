"""The bundled model as one file that is mapped into memory and used where it lies.

    magic · lengths of the table and of the file · checksum of the table · table · arrays

The table is text, a line per array: its name, where it starts, and its shape. Each array starts at
a multiple of 64 bytes, so that vector instructions read it as fast as it can be read.
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

MAGIC = b"commonplace\x00\x00\x00\x00\x01"
ALIGNMENT = 64
PREFIX = struct.Struct("<16sQQQ")


class ModelFile:
    """The arrays of a model, by name; raises OSError or ValueError when the file is not whole."""

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

    def floats(self, name: str) -> memoryview[float]:
        """An array of 4-byte floats, laid end to end."""
        return self._flat(name, 4).cast("f")

    def counts(self, name: str) -> memoryview[int]:
        """An array of 4-byte whole numbers."""
        return self._flat(name, 4).cast("I")

    def signed(self, name: str) -> memoryview[int]:
        """A matrix of signed bytes, in its shape."""
        return self._flat(name, 1).cast("b", self._places[name][1:])

    def find(self, piece: bytes) -> int:
        """The number of a piece in the vocabulary, which is kept sorted; -1 when it has none."""
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


def write(path: str, arrays: Iterable[tuple[str, Sequence[int], bytes]]) -> None:
    """Write a model file whole or not at all, whoever else writes it at the same time."""
    arrays = list(arrays)
    table = _table(arrays)
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


def _table(arrays: Sequence[tuple[str, Sequence[int], bytes]]) -> bytes:
    """Where each array is, filled up with spaces to where the first one begins."""
    # The places depend on the table's length and it on them, so it is given room for any number.
    room = _aligned(PREFIX.size + sum(len(name) + 64 for name, _, _ in arrays)) - PREFIX.size
    place = PREFIX.size + room
    lines: list[str] = []
    for name, shape, content in arrays:
        lines.append(" ".join(map(str, (name, place, *shape))))
        place += _aligned(len(content))
    return "\n".join(lines).encode().ljust(room)


def _aligned(length: int) -> int:
    return -(-length // ALIGNMENT) * ALIGNMENT
