"""Regular expressions that are compiled when they are first used.

The patterns of all languages together take as long to compile as many recalls, and one text needs
few of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any

_USED = ("search", "match", "fullmatch", "finditer", "findall", "sub", "pattern")


class _LazyPattern:
    """Stands for a pattern until somebody asks it something."""

    def __init__(self, shape: str) -> None:
        self._shape = shape

    def __getattr__(self, name: str) -> Any:
        import re

        pattern = re.compile(self._shape)
        # From now on these are found without a detour.
        self.__dict__.update((used, getattr(pattern, used)) for used in _USED)
        return getattr(pattern, name)


def lazy(shape: str) -> re.Pattern[str]:
    """The pattern of a regular expression, not compiled yet."""
    return _LazyPattern(shape)  # pyright: ignore[reportReturnType] - it has the methods we use


def odd_word(before: int, after: int) -> re.Pattern[str]:
    """A word that no sentence has: so many letters before a digit or after it, or a sign inside.

    It begins with the digit or the sign, because the search for one of these is fast.
    """
    letter, sign = r"[^\W\d_]", r"[!$#&*_%.-]"
    return lazy(
        rf"[\d!$#&*_%.-](?:(?<={letter}{{{before}}}\d)|(?<=\d){letter}{{{after}}}"
        rf"|(?<={letter}{{{before}}}{sign}){sign}*\d|(?<={letter}[!$#&*_]){letter}"
        r"|(?<=[a-z][.-])[A-Z])"
    )
