"""Open the book that options, environment and settings name."""

from __future__ import annotations

from ... import registry, settings
from ...model.scope import DIMENSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...book import Commonplace

SHARED = ("url", *DIMENSIONS)
"""Options of every command, before or after its name."""


def open_for(
    given: Mapping[str, str | None],
    environ: Mapping[str, str],
    *,
    create: bool = False,
    prefetch: bool = False,
    background: bool = False,
) -> Commonplace:
    """Open a command's book in its context; options win over the environment.

    With `prefetch`, for a process that answers once, the scan of the book starts before the
    imports; with `background`, for a server, slow work continues beside the answers.
    """
    chosen = settings.load(environ)
    url = given.get("url") or chosen.url
    if prefetch and url:
        registry.start_prefetch(url)
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
