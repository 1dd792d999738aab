"""Read options without typer, for the commands that must start fast.

What this does not know is left to the full command line, which has the same options.
"""

from __future__ import annotations

from ...model.scope import DIMENSIONS
from ...model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

SHARED = ("url", *DIMENSIONS)
"""Options of every command, before or after its name."""
_SHARED = {f"--{name}": name for name in SHARED}


class PlainOptions(Value):
    """The words of a command line, and its options by name."""

    words: list[str]
    given: dict[str, Any]


def read_options(
    arguments: Sequence[str],
    *,
    single: Mapping[str, str] | None = None,
    repeated: Mapping[str, str] | None = None,
    flags: Mapping[str, str] | None = None,
) -> PlainOptions | None:
    """The words and options, or None if an option is unknown or has no value."""
    kinds = ({**_SHARED, **(single or {})}, repeated or {}, flags or {})
    words: list[str] = []
    given: dict[str, Any] = {}
    rest = iter(arguments)
    for argument in rest:
        if not argument.startswith("-") or argument == "-":
            words.append(argument)
        elif argument == "--" and words:
            words += rest
        elif not (words or _may_lead(argument)) or not _take(argument, rest, given, *kinds):
            return None
    return PlainOptions(words, given)


def _may_lead(argument: str) -> bool:
    """Whether the option may stand before the command."""
    return argument.partition("=")[0] in ("--json", *_SHARED)


def _take(
    argument: str,
    rest: Iterator[str],
    given: dict[str, Any],
    single: Mapping[str, str],
    repeated: Mapping[str, str],
    flags: Mapping[str, str],
) -> bool:
    """Take an option and its value; False if the option is unknown."""
    flag, equals, value = argument.partition("=")
    if flag in flags:
        given[flags[flag]] = True
        return not equals
    if flag not in single and flag not in repeated:
        return False
    if not equals:
        value = next(rest, "")
    if not value.strip():
        return False
    if flag in repeated:
        given[repeated[flag]] = (*given.get(repeated[flag], ()), value)
    else:
        given[single[flag]] = value
    return True
