"""Open the book that options, environment and settings name."""

from __future__ import annotations

from ... import registry, settings
from ...model.scope import DIMENSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...book import Commonplace

SHARED = ("url", *DIMENSIONS)
"""Options that every command takes, before or after its name."""


def open_for(
    given: Mapping[str, str | None],
    environ: Mapping[str, str],
    *,
    create: bool = False,
    ahead: bool = False,
    background: bool = False,
) -> Commonplace:
    """The book and the context of one command; an option wins over the environment.

    With `ahead`, for a process that only answers and ends, slow work begins before the imports;
    with `background`, for one that stays, it goes on beside the answers.
    """
    chosen = settings.load(environ)
    url = given.get("url") or chosen.url
    if ahead and url:
        registry.begin_ahead(url)
    from ...books.open import open_book

    named = {d: value for d in DIMENSIONS if (value := given.get(d)) is not None}
    return open_book(
        url,
        context=settings.context(environ).but(**named),
        settings=chosen,
        source="cli",
        create=create,
        background=background,
    )
