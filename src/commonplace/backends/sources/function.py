"""A Python function as a source."""

from __future__ import annotations

from itertools import islice

from ...model.errors import Unavailable
from .http import passage_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ...ports.source import Passage


class CallableSource:
    """A function of a question and a limit that returns texts, mappings or passages."""

    def __init__(self, name: str, ask: Callable[[str, int], Iterable[Any]]) -> None:
        self._name, self._ask = name, ask

    @property
    def name(self) -> str:
        """The name of the source."""
        return self._name

    def search(self, query: str, *, limit: int, timeout_s: float) -> list[Passage]:
        """The passages that the function returns; the caller enforces the timeout."""
        del timeout_s
        try:
            results = list(islice(self._ask(query, limit), limit))
            found = [passage_from(one, self._name) for one in results]
        # Foreign code may raise anything.
        except Exception as error:
            raise Unavailable(
                f"The source {self._name} failed ({type(error).__name__}).",
                hint="Check the function.",
            ) from error
        return [one for one in found if one is not None]
