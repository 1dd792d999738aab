"""What is wrong with a command line, in words for the person who typed it."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

_LIKE = 0.6
_AS_A_VALIDATOR_SAYS_IT = (
    (r"Value error, ", ""),
    (r"Input should be a valid integer\b.*", "it has to be a whole number."),
    (r"Input should be a valid number\b.*", "it has to be a number."),
    (r"Input should be less than or equal to (\S+)", r"it has to be \1 or less."),
    (r"Input should be greater than or equal to (\S+)", r"it has to be \1 or more."),
    (r"\(Possible options?: .*\)", ""),
)


def in_words(error: typer.TyperException) -> str:
    """One sentence without a validator's vocabulary; an option like the one typed is named."""
    told = error.format_message().strip()
    for theirs, ours in _AS_A_VALIDATOR_SAYS_IT:
        told = re.sub(theirs, ours, told, flags=re.DOTALL).strip()
    wanted: str = getattr(error, "option_name", "").lstrip("-")
    possible: list[str] = list(getattr(error, "possibilities", None) or ())
    # Two dashes and a few letters are no likeness.
    likely = difflib.get_close_matches(wanted, [one.lstrip("-") for one in possible], cutoff=_LIKE)
    if wanted and likely:
        told = f"{told.rstrip('.')}. Did you mean {' or '.join(f'--{one}' for one in likely)}?"
    return told
