"""Open a book: the composition root, the only place where backends meet the engine."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from .. import registry
from ..book import Commonplace
from ..engine.engine import Engine, Lazy
from ..model.errors import CommonplaceError, NoBook
from ..model.identity import IdMaker
from ..model.scope import Context
from ..rules.screening.screen import credentials_removed
from ..settings import load
from . import services

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..engine.engine import Background
    from ..settings import Settings
    from .parts import BookParts


CommonplaceError.cleared = staticmethod(credentials_removed)
_new_id = IdMaker(os.urandom)


def open_book(
    url: str | None = None,
    *,
    context: Context | Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    source: str = "library",
    create: bool = True,
    now: Callable[[], datetime] | None = None,
    background: bool | None = None,
) -> Commonplace:
    """Open the book at a URL, or the one that environment or settings name.

    In the background memories get the vectors they lack. By default that is so for programs that
    use the library, and not for commands, which are soon over.
    """
    settings = settings or load()
    if not settings.state:
        settings = settings.but(state=load().state)
    where = url or settings.url
    if not where:
        raise NoBook(
            "No book is set up yet.",
            hint="Run `commonplace init`, or set COMMONPLACE_URL to one such as vault:~/notes.",
        )
    scheme, address = registry.split(where)
    parts: BookParts = registry.find(scheme)(address, settings, create)
    return Commonplace(
        Engine(
            store=parts.store,
            index=parts.index,
            ledger=parts.ledger,
            embedder=services.embedder(settings),
            settings=settings,
            state=parts.state,
            context=Context.of(context),
            source=source,
            now=now or _utc_now,
            new_id=_new_id,
            former=services.former_embedder(settings),
            background=_background(source == "library" if background is None else background),
            later_sessions=Lazy(lambda: services.sessions(settings, parts)),
            later_sources=Lazy(lambda: services.sources(settings, parts)),
            later_cipher=Lazy(lambda: services.cipher(parts)),
            later_reasoner=Lazy(lambda: services.reasoner(settings, parts, now or _utc_now)),
            open_backups=services.open_backups,
            later_server_state=Lazy(lambda: services.server_state(parts)),
        )
    )


def open_in_place_of(
    book: Commonplace, url: str, *, settings: Settings | None = None
) -> Commonplace:
    """Open the place that a book moves to: a new or empty one becomes that book.

    Raises Conflict when there is another book already.
    """
    return open_as_another(
        url, lambda target: target.make_room_for(book), settings=settings, source=book.source
    )


def open_as_another(
    url: str,
    make_room: Callable[[Commonplace], bool],
    *,
    settings: Settings | None,
    source: str = "library",
) -> Commonplace:
    """Open a place that becomes another book, and again if it became it just now."""
    target = open_book(url, settings=settings, source=source, background=False)
    try:
        if not make_room(target):
            return target
    except BaseException:
        target.close()
        raise
    from shutil import rmtree

    target.close()
    # What the empty book left on this device is filed under an id that nothing has any more.
    rmtree(target.state, ignore_errors=True)
    return open_book(url, settings=settings, source=source, background=False)


def engine_of(book: Commonplace) -> Engine:
    """The engine behind a facade that was opened here."""
    return book._engine  # pyright: ignore[reportPrivateUsage]


def _background(wanted: bool) -> Background | None:
    if not wanted:
        return None
    from ..engine.engine import Background

    return Background()


def _utc_now() -> datetime:
    return datetime.now(UTC)
