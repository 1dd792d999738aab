"""Regular expressions that are compiled when they are first used.

The patterns of all languages together take as long to compile as many recalls, and one text needs
few of them. A cold start that needs none does not import `re`, which takes a third of a bare start.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any

_USED = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "pattern")


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


def other_signs_spaced(kept: str) -> dict[int, str]:
    """A table for `str.translate` that makes spaces of the signs of ASCII, except those kept.

    Splitting what it leaves gives the words of a plain text without a pattern.
    """
    signs = (chr(code) for code in range(128))
    return {ord(sign): " " for sign in signs if not sign.isalnum() and sign not in kept}


def lazy(shape: str) -> re.Pattern[str]:
    """The pattern of a regular expression, not compiled yet."""
    return _LazyPattern(shape)  # pyright: ignore[reportReturnType] - it has the methods we use
