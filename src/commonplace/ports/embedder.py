"""The port for embedders, which turn texts into vectors."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol
else:
    Protocol = object


class Embedder(Protocol):
    """Turns texts into vectors that are near each other for similar meanings."""

    @property
    def model(self) -> str:
        """The name of the model; vectors of different models are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The number of values of a vector."""
        ...

    @property
    def unrelated(self) -> float:
        """The typical cosine of two unrelated texts."""
        ...

    def ready(self) -> bool:
        """Whether the embedder can be used here; a cheap check."""
        ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """One vector per text: `dimensions` signed bytes. Raises EmbedderUnavailable."""
        ...

    def is_damaged(self) -> bool:
        """Whether the model's file is not as it was shipped; reads all of it."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...
