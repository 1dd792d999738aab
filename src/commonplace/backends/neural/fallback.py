"""Several embedders, of which the first that can be used is the one in use."""

from __future__ import annotations

import zlib

from ...language.similarity import signed_bytes
from ...model.errors import EmbedderUnavailable
from .bundled import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...ports.embedder import Embedder


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


# Vectors from hashed words and letters: no model, no dependency, the same on every machine.


WORDS_READ = 256
LETTERS = 3
SPELLING_WEIGHT = 0.25
"""What a run of letters counts against a whole word: enough that `deploys` is near `deploy`."""


class HashingEmbedder:
    """Each word and each run of three letters adds to or takes from one of the dimensions."""

    model = "hash-1"
    dimensions = 384
    unrelated = 0.0

    def ready(self) -> bool:
        """Always."""
        return True

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """One vector per text; the same text gives the same bytes everywhere."""
        return [self._embed(text) for text in texts]

    def close(self) -> None:
        """There is nothing to let go of."""

    def _embed(self, text: str) -> bytes:
        sums = [0.0] * self.dimensions
        for feature, weight in _features(text):
            # crc32 rather than hash(): that one differs from process to process.
            number = zlib.crc32(feature.encode())
            sums[(number >> 1) % self.dimensions] += weight if number & 1 else -weight
        return signed_bytes(sums)


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in words(text)[:WORDS_READ]:
        if not word[0].isalnum():
            continue
        yield word, 1.0
        framed = f"^{word}$"
        for start in range(len(framed) - LETTERS + 1):
            yield framed[start : start + LETTERS], SPELLING_WEIGHT
