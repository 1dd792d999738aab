"""A database that was set up, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

    from ....assemble import SetUp


def set_up(console: Console, done: SetUp) -> None:
    """What is there now, and the URL to open the book with."""
    console.print(f"The tables of the book {done.book} are there and current.")
    if not done.vectors:
        console.print(
            "The server has no pgvector: recall goes by words. Install it, then run this again."
        )
    console.print(Text(f"Open the book with: {done.url}", style="bold"), soft_wrap=True)
    console.print(Text(f"Give {done.role} a password: ALTER ROLE {done.role} PASSWORD …", "dim"))
