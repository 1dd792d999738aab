"""From texts to vectors."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol
else:
    Protocol = object


class Embedder(Protocol):
    """Turns texts into vectors whose directions say what they mean."""

    @property
    def model(self) -> str:
        """Names the vectors; those of different models never mix."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def unrelated(self) -> float:
        """The cosine that two texts about different things typically have."""
        ...

    def ready(self) -> bool:
        """Whether it can be used here, found out without loading much."""
        ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """One vector per text: `dimensions` signed bytes. Raises EmbedderUnavailable."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
