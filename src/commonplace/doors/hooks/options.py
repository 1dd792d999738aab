"""The options of `commonplace hook`: they become variables of its environment."""

from __future__ import annotations

from ...locations import PREFIX
from ...model.errors import BadInput
from ...model.scope import DIMENSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHARED = ("url", *DIMENSIONS)


def split_options(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The words of a command line, and its shared options by name.

    An unknown option is refused, since it may be meant to name the caller.
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


def environ_with_options(
    given: Mapping[str, str | None], environ: Mapping[str, str]
) -> dict[str, str]:
    """The environment, with options as COMMONPLACE_… variables."""
    merged = dict(environ)
    for name, value in given.items():
        if value is not None:
            if not value:
                raise BadInput(f"--{name} is empty.", hint="Give it a value, or leave it out.")
            merged[f"{PREFIX}{name.upper()}"] = value
    return merged
