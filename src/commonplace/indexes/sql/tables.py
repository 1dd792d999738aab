"""What a database engine brings for an index in its tables; all the rest is written once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    from .conditions import Dialect, Reach
    from .gathering import Meant

    Postings = dict[str, dict[int, float]]
    """How often each memory says each word."""
    Places = dict[int, dict[str, dict[int, float]]]
    """For each long memory, how often each half stretch of it says each word: see `bm25`."""
else:
    Protocol = object


class Rows(Protocol):
    """What a statement gives."""

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row."""
        ...

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The remaining rows."""
        ...

    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...


class Tables(Protocol):
    """The tables of an index, inside a transaction."""

    @property
    def dialect(self) -> Dialect:
        """What this engine writes in its own way."""
        ...

    def execute(self, query: str, values: Sequence[object] = ()) -> Rows:
        """Run a statement that has `?` for each value."""
        ...

    def many(self, query: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values."""
        ...

    def frequencies(self, words: Sequence[str], seen: Reach) -> dict[str, int]:
        """How many visible memories contain each word."""
        ...

    def postings(self, words: Sequence[str], seen: Reach) -> tuple[Postings, Places]:
        """How often each visible memory says each word, in this order; for long ones also where."""
        ...

    def signed(self, asked: Collection[tuple[int, int]], most: int) -> set[int]:
        """The newest so many rows with each of these signatures, each given with its scope."""
        ...

    def nearest(self, meant: Meant, seen: Reach) -> dict[int, float]:
        """Cosines of the visible memories closest in meaning, and of those asked for besides."""
        ...

    def passages(self, rows: Collection[int], model: int) -> list[tuple[int, bytes]]:
        """The vectors of these memories' passages, end to end; nothing for one without any."""
        ...

    def put_vectors(
        self, vectors: Mapping[int, Sequence[bytes]], model: int, *, complete: bool
    ) -> None:
        """Keep the vectors of memories, in place of those they had; unless complete, more follow.

        Only of those in line: a row that is not is either gone, or somebody else gave it all it
        needs.
        """
        ...

    def line_up(self, model: int) -> None:
        """Let every memory wait for this model's vectors."""
        ...

    def drop_model(self, model: int) -> None:
        """Forget a model, its vectors and who waits for them."""
        ...
