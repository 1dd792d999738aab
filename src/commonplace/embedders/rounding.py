"""Vectors of floats as signed bytes: the direction is kept, the length is not."""

from __future__ import annotations

from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def signed_bytes(values: Sequence[float]) -> bytes:
    """The same direction in whole numbers from -127 to 127; nothing but zeros stays zeros."""
    largest = max(map(abs, values), default=0)
    if not largest:
        return bytes(len(values))
    return array("b", [round(127 * (value / largest)) for value in values]).tobytes()
