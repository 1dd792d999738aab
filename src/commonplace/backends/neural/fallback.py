"""A chain of embedders of which the first usable one is used, and the one without a model."""

from __future__ import annotations

import zlib

from ...language.similarity import signed_bytes
from ...model.errors import EmbedderUnavailable
from .bundled import split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ports.embedder import Embedder


class EmbedderChain:
    """The first usable of several embedders, chosen once per process.

    Vectors of different models cannot be compared. So a later failure is raised, the caller goes on
    without vectors, and only the next start may choose another model.
    """

    def __init__(self, members: Sequence[Embedder]) -> None:
        if not members:
            raise ValueError("a chain needs at least one embedder")
        self._members = members
        self._chosen: Embedder | None = None

    @property
    def active(self) -> Embedder:
        """The first member that is ready, or the first one if none is."""
        if self._chosen is None:
            ready = (member for member in self._members if member.ready())
            self._chosen = next(ready, self._members[0])
        return self._chosen

    @property
    def skipped_models(self) -> list[str]:
        """The models before the active one, which could not be used."""
        return [member.model for member in self._members[: self._members.index(self.active)]]

    @property
    def model(self) -> str:
        """The active model."""
        return self.active.model

    @property
    def dimensions(self) -> int:
        """The dimensions of the active model."""
        return self.active.dimensions

    @property
    def unrelated(self) -> float:
        """The typical cosine of unrelated texts in the active model."""
        return self.active.unrelated

    def ready(self) -> bool:
        """Whether any member can be used."""
        return self.active.ready()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """The vectors of the active member."""
        if not self.ready():
            names = ", ".join(member.model for member in self._members)
            raise EmbedderUnavailable(
                f"None of the embedders can be used: {names}.",
                hint="Run `commonplace doctor` to see why.",
            )
        return self.active.embed(texts, query=query)

    def is_damaged(self) -> bool:
        """Whether the file of a member is damaged."""
        return any(member.is_damaged() for member in self._members)

    def close(self) -> None:
        """Close every member."""
        for member in self._members:
            member.close()


MAX_WORDS = 256
LETTERS = 3
SPELLING_WEIGHT = 0.25
"""Weight of three letters against a word's 1.0, so that `deploys` is near `deploy`."""


class HashingEmbedder:
    """Vectors from hashed words and runs of three letters, the same on every machine."""

    model = "hash-1"
    dimensions = 384
    unrelated = 0.0

    def ready(self) -> bool:
        """Always."""
        return True

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """One vector per text; the same text gives the same bytes everywhere."""
        return [self._embed(text) for text in texts]

    def is_damaged(self) -> bool:
        """False: there is no file."""
        return False

    def close(self) -> None:
        """Nothing to close."""

    def _embed(self, text: str) -> bytes:
        sums = [0.0] * self.dimensions
        for feature, weight in _features(text):
            # Not hash(), which differs from process to process.
            number = zlib.crc32(feature.encode())
            sums[(number >> 1) % self.dimensions] += weight if number & 1 else -weight
        return signed_bytes(sums)


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in split_words(text)[:MAX_WORDS]:
        if not word[0].isalnum():
            continue
        yield word, 1.0
        framed = f"^{word}$"
        for start in range(len(framed) - LETTERS + 1):
            yield framed[start : start + LETTERS], SPELLING_WEIGHT
