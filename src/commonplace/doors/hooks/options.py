"""The options that every command shares, where a host calls us with them.

They stand for what is set in the environment, which is where everything behind looks.
"""

from __future__ import annotations

from ...errors import BadInput
from ...locations import PREFIX
from ...scope import DIMENSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHARED = ("url", *DIMENSIONS)


def words_of(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The words of a command line, and the options by their names.

    One that we do not know is refused: it may have said who is asking.
    """
    words: list[str] = []
    given: dict[str, str] = {}
    rest = iter(arguments)
    for one in rest:
        name, equals, value = one.partition("=")
        if not one.startswith("-"):
            words.append(one)
        elif name.removeprefix("--") in SHARED:
            given[name.removeprefix("--")] = value if equals else next(rest, "")
        elif one != "--json":
            raise BadInput(
                f"{name} is not an option of a hook.",
                hint=f"Use {', '.join(f'--{name}' for name in SHARED)}.",
            )
    return words, given


def laid_over(given: Mapping[str, str | None], environ: Mapping[str, str]) -> dict[str, str]:
    """The environment as it would be with the options set there."""
    laid = dict(environ)
    for name, value in given.items():
        if value is not None:
            if not value:
                raise BadInput(f"--{name} is empty.", hint="Give it a value, or leave it out.")
            laid[f"{PREFIX}{name.upper()}"] = value
    return laid
