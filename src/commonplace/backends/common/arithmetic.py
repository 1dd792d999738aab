"""Fast arithmetic on plain bytes, without numpy.

`numkong` imports numpy when it finds it, which alone costs several cold starts. Memory views, as
used here, work without numpy.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_BLOCKED = ("numpy", "numpy._core")
_turn = allocate_lock()
_loaded: list[Any] = []


def numkong() -> Any:
    """The module, imported without numpy; raises ImportError where there is none."""
    if not _loaded:
        # One thread at a time: others would find a half-imported module.
        with _turn:
            if not _loaded:
                _loaded.append(_imported())
    return _loaded[0]


def _imported() -> Any:
    if "numkong" in sys.modules:
        return sys.modules["numkong"]
    blocked = [name for name in _BLOCKED if name not in sys.modules]
    modules: dict[str, ModuleType | None] = sys.modules  # pyright: ignore[reportAssignmentType]
    for name in blocked:
        modules[name] = None
    try:
        import numkong
    finally:
        for name in blocked:
            del modules[name]
    return numkong


def cosines(vector: bytes, vectors: bytes) -> list[float]:
    """The cosine of one int8 vector with each of those that lie end to end in `vectors`."""
    width = len(vector)
    one = memoryview(vector).cast("b", [1, width])
    many = memoryview(vectors).cast("b", [len(vectors) // width, width])
    distances: list[float] = memoryview(numkong().cdist(one, many, metric="angular")).tolist()[0]  # pyright: ignore[reportAssignmentType]
    return [1.0 - distance for distance in distances]
