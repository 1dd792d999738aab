"""Several embedders, of which the first that can be used is the one in use."""

from __future__ import annotations

from ..errors import EmbedderUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ports.embedding import Embedder


class EmbedderChain:
    """Chosen once, when first asked; never changed halfway.

    A question embedded by one model cannot be compared with memories embedded by another. So a
    failure later on is told to the caller, who goes on without vectors for that question, and
    only the next start may fall to another model.
    """

    def __init__(self, members: Sequence[Embedder]) -> None:
        if not members:
            raise ValueError("a chain needs at least one embedder")
        self._members = members
        self._chosen: Embedder | None = None

    @property
    def active(self) -> Embedder:
        """The member in use: the first that is ready, or the first of all when none is."""
        if self._chosen is None:
            ready = (member for member in self._members if member.ready())
            self._chosen = next(ready, self._members[0])
        return self._chosen

    @property
    def passed_over(self) -> list[str]:
        """The models before the one in use, which could not be used."""
        return [member.model for member in self._members[: self._members.index(self.active)]]

    @property
    def model(self) -> str:
        """The model in use."""
        return self.active.model

    @property
    def dimensions(self) -> int:
        """Those of the model in use."""
        return self.active.dimensions

    @property
    def unrelated(self) -> float:
        """That of the model in use."""
        return self.active.unrelated

    def ready(self) -> bool:
        """Whether any member can be used."""
        return self.active.ready()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """What the member in use makes of the texts."""
        if not self.ready():
            names = ", ".join(member.model for member in self._members)
            raise EmbedderUnavailable(
                f"None of the embedders can be used: {names}.",
                hint="Run `commonplace doctor` to see why.",
            )
        return self.active.embed(texts, query=query)

    def close(self) -> None:
        """Close every member."""
        for member in self._members:
            member.close()
