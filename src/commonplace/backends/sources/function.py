"""Any Python function as a source."""

from __future__ import annotations

from itertools import islice

from ...model.errors import Unavailable
from .http import passage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ...ports.source import Passage


class CallableSource:
    """Any function of a question and a limit that returns texts, mappings or passages."""

    def __init__(self, name: str, ask: Callable[[str, int], Iterable[Any]]) -> None:
        self._name, self._ask = name, ask

    @property
    def name(self) -> str:
        """What people call it."""
        return self._name

    def search(self, query: str, *, limit: int, timeout_s: float) -> list[Passage]:
        """What the function returns; whoever asks it waits no longer than it likes."""
        del timeout_s
        try:
            told = list(islice(self._ask(query, limit), limit))
            found = [passage(one, self._name) for one in told]
        # It is somebody else's code: whatever it raises is the same to whoever asked.
        except Exception as error:
            raise Unavailable(
                f"The source {self._name} failed ({type(error).__name__}).",
                hint="Look at the function behind it.",
            ) from error
        return [one for one in found if one is not None]
