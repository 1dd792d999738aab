"""The port for sources: places outside the book that are searched and never stored."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


class Passage(Value):
    """A passage that a source returned."""

    text: str
    origin: str
    score: float = 0.0
    title: str = ""


class Source(Protocol):
    """A place outside the book that can be searched."""

    @property
    def name(self) -> str:
        """The name of the source."""
        ...

    def search(self, query: str, *, limit: int, timeout_s: float) -> list[Passage]:
        """The best matching passages, within the timeout. Raises Unavailable."""
        ...
