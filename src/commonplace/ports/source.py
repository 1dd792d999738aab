"""Knowledge that lies elsewhere and is only asked."""

from __future__ import annotations

from ..model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


class Passage(Value):
    """Something an outside source said, with where it is from; it is never stored."""

    text: str
    origin: str
    score: float = 0.0
    title: str = ""


class Source(Protocol):
    """A place outside the book that can be asked while the work goes on."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    def search(self, query: str, *, limit: int, timeout_s: float) -> list[Passage]:
        """The passages that fit best. Raises Unavailable; never takes longer than it may."""
        ...
