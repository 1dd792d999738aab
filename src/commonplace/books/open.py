"""Open a book: build its engine from the backends that URL and settings name."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from .. import registry
from ..book import Commonplace
from ..engine.engine import Engine, LazyPort
from ..engine.full_look import FullLook
from ..model.errors import BadInput, CommonplaceError, NoBook, Unavailable
from ..model.identity import IdMaker
from ..model.scope import Context
from ..settings import load
from . import services
from .parts import refuse_absent, refuse_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..engine.background import Background
    from ..model.scope import Scope
    from ..settings import Settings
    from .parts import BookParts


_new_id = IdMaker(os.urandom)


def open_book(
    url: str | None = None,
    *,
    context: Context | Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    source: str = "library",
    create: bool = True,
    replace_absent: bool = False,
    now: Callable[[], datetime] | None = None,
    background: bool | None = None,
    folder: str = "",
    place: Scope | None = None,
) -> Commonplace:
    """Open the book at a URL, or the one that environment or settings name.

    `replace_absent` allows a new book where this device knows one that is away now.
    `background` embeds memories that lack vectors in a thread. The default is True for the
    library, and False for commands, which end soon. `folder` is where the caller works: what is
    saved there about files is compared with these when it is handed over, and in a repository
    memories of unmerged branches are left out. `place` is the scope whose memories a name means
    first, for a caller who sees others as well; the context's unless it is given.
    """
    settings = settings or load()
    if not settings.state:
        settings = settings.but(state=load().state)
    if url is None and not settings.url:
        raise NoBook(
            "No book is set up yet.",
            hint="Run `commonplace init`, or set COMMONPLACE_URL to one such as vault:~/notes.",
        )
    where = settings.url or "" if url is None else url
    scheme, address = registry.split(where)
    if not address.strip():
        raise BadInput(
            f"{where!r} names no book.", hint="Name one, such as vault:~/notes or sqlite:memory.db."
        )
    if scheme in registry.LOCAL and not replace_absent:
        refuse_absent(settings, registry.local_path(address))
    stays = source == "library" if background is None else background
    # Before any file is opened, since it raises where packages are missing.
    observer = services.observer(settings, ends_soon=not stays)
    opener = registry.find(scheme)
    try:
        parts: BookParts = opener(address, settings, create)
    except Unavailable:
        refuse_state(settings.state)
        raise
    engine = Engine(
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
        embedder_for_model=services.former_embedder(settings),
        ranker_for_model=services.ranker_finder(),
        background=_background(stays),
        full_look=FullLook(lambda: _start_full_look(settings.but(url=where))),
        lazy_sessions=LazyPort(lambda: services.sessions(settings, parts)),
        lazy_sources=LazyPort(lambda: services.sources(settings, parts)),
        lazy_cipher=LazyPort(lambda: services.cipher(parts)),
        lazy_reasoner=LazyPort(lambda: services.reasoner(settings, parts, now or _utc_now)),
        checkout=services.open_checkout(folder, settings.state) if folder else None,
        open_checkout=lambda folder, head: services.open_checkout(folder, settings.state, head),
        open_backups=services.open_backups,
        lazy_server_state=LazyPort(lambda: services.server_state(parts)),
        folder=folder,
        place=place,
        examine_state=lambda: services.examine_state(parts),
        observer=observer,
    )
    parts.index.refill_with(lambda: _refill(engine))
    return Commonplace(engine)


def _refill(engine: Engine) -> None:
    from ..engine.catch_up import index_new_changes

    index_new_changes(engine, look=False)


def _start_full_look(settings: Settings) -> None:
    # Imported here, because few answers leave a look to be done.
    from .detached import start_detached

    try:
        start_detached("commonplace.books.full_look", [], settings, os.environ)
    except OSError:
        return  # The next answer looks itself.


def open_move_target(
    book: Commonplace, url: str, *, settings: Settings | None = None
) -> Commonplace:
    """Open the store that a book moves to: a new or empty one gets the book's id.

    Raises Conflict if the store holds another book.
    """
    return open_as_other_book(
        url, lambda target: target.make_room_for(book), settings=settings, source=book.source
    )


def open_as_other_book(
    url: str,
    make_room: Callable[[Commonplace], bool],
    *,
    settings: Settings | None,
    source: str = "library",
) -> Commonplace:
    """Open a store, and reopen it if `make_room` gave it the id of another book."""
    target = open_book(url, settings=settings, source=source, background=False, replace_absent=True)
    try:
        if not make_room(target):
            return target
    except BaseException:
        target.close()
        raise
    from shutil import rmtree

    target.close()
    # The state folder of the empty book carries its old id, which is no longer used.
    rmtree(target.state, ignore_errors=True)
    return open_book(url, settings=settings, source=source, background=False)


def get_engine(book: Commonplace) -> Engine:
    """The engine of an open book."""
    return book._engine  # pyright: ignore[reportPrivateUsage]


def _background(wanted: bool) -> Background | None:
    if not wanted:
        return None
    from ..engine.background import Background

    return Background()


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _cleared(text: str) -> str:
    # Imported here, because most processes report no error.
    from ..rules.screening.screen import credentials_removed

    return credentials_removed(text)


CommonplaceError.cleared = staticmethod(_cleared)
