"""What an agent would be handed, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from .. import legible
from ..call import console as on

if TYPE_CHECKING:
    from rich.console import Console

    from ....rules.digest.building import Digest


MOST_REASONS = 3


def digest(console: Console, made: Digest) -> None:
    """The text as the agent gets it; the bill goes to standard error, out of a script's way."""
    bill = on(stderr=True)
    if not made.text:
        _say(bill, _why_empty(made))
        return
    console.print(Text(legible.clean(made.text)), soft_wrap=True)
    shares: dict[str, int] = {}
    for item in made.items:
        shares[item.section] = shares.get(item.section, 0) + item.tokens
    parts = " · ".join(f"{section} {tokens:,}" for section, tokens in shares.items())
    _say(
        bill, f"{made.tokens:,} tokens by a high estimate ({parts}), {made.characters:,} characters"
    )
    if made.left_out:
        reasons = "; ".join(dict.fromkeys(one.why for one in made.left_out[:MOST_REASONS]))
        _say(bill, f"{len(made.left_out):,} left out: {reasons}")


def _why_empty(made: Digest) -> str:
    if made.left_out:
        return "The budget has no room for anything. Allow more --tokens."
    return (
        "Nothing is always loaded, and nothing is sure enough to be handed over unasked."
        ' Try: commonplace save "Ask before deleting" --always-load'
    )


def _say(console: Console, words: str) -> None:
    console.print(Text(words, style="dim"), soft_wrap=True)
