"""Answers about texts, remembered within a bound on the length of these texts all together.

A bound on their number would not do: an answer about a note of 20,000 characters may take a hundred
times the memory of one about a sentence.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")

CHARACTERS = 500_000
"""A server remembers some thousand short texts, or some dozen long ones."""


def remembered(
    *, characters: int = CHARACTERS
) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """A function of a text whose answers are remembered, for texts of so many characters in all.

    Beyond these it begins anew; a text that is longer is remembered alone.
    """
    return lambda function: _Answers(function, characters).__getitem__


class _Answers(dict[str, "Any"]):
    """Answers by text, looked up without a call of ours."""

    def __init__(self, function: Callable[[str], Any], most: int) -> None:
        self._function = function
        self._most = most
        self._characters = 0

    def __missing__(self, text: str) -> Any:
        answer = self._function(text)
        # Threads may count a text too little or twice: the next beginning makes that good.
        if self._characters + len(text) > self._most:
            self.clear()
            self._characters = 0
        self._characters += len(text)
        self[text] = answer
        return answer
