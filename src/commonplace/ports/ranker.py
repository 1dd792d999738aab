"""The port for rankers, which learned from conversations what answers a question."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol
else:
    Protocol = object


class Ranker(Protocol):
    """Says how much better or worse candidates are than their score."""

    @property
    def model(self) -> str:
        """The embedder whose cosines it learned from; it knows nothing about others."""
        ...

    def factors(self, rows: Sequence[Sequence[float]]) -> list[float]:
        """A factor for the score of each candidate, from its row of `features.NAMES`."""
        ...
