"""Open the book that options, environment and settings name."""

from __future__ import annotations

from ... import settings
from ...assemble import open_book
from ...scope import DIMENSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...book import Commonplace

SHARED = ("url", *DIMENSIONS)
"""Options that every command takes, before or after its name."""


def open_for(
    given: Mapping[str, str | None], environ: Mapping[str, str], *, create: bool = False
) -> Commonplace:
    """The book and the context of one command; an option wins over the environment."""
    named = {d: value for d in DIMENSIONS if (value := given.get(d)) is not None}
    return open_book(
        given.get("url"),
        context=settings.context(environ).but(**named),
        settings=settings.load(environ),
        source="cli",
        create=create,
    )
