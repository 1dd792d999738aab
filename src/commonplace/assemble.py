"""The composition root: the only place that knows which backends make up a book."""

from __future__ import annotations

import os
import zlib
from datetime import UTC, datetime

from . import registry
from .book import Commonplace
from .errors import NoBook, StoreUnavailable
from .rules.identity import IdMaker
from .scope import Context
from .settings import load
from .value import Value
from .verbs.engine import Engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .ports import Embedder, Ledger, RecordStore, SearchIndex
    from .settings import Settings


class Parts(Value):
    """The backends behind one book."""

    store: RecordStore
    index: SearchIndex
    ledger: Ledger
    state: str
    """The folder that holds everything device-local about this book."""


def open_book(
    url: str | None = None,
    *,
    context: Context | Mapping[str, Any] | None = None,
    settings: Settings | None = None,
    source: str = "library",
    create: bool = True,
    now: Callable[[], datetime] | None = None,
) -> Commonplace:
    """Open the book at a URL, or the one that environment or settings name."""
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
    parts: Parts = registry.find(scheme)(address, settings, create)
    return Commonplace(
        Engine(
            store=parts.store,
            index=parts.index,
            ledger=parts.ledger,
            embedder=_embedder(settings),
            settings=settings,
            state=parts.state,
            context=Context.of(context),
            source=source,
            now=now or _utc_now,
            new_id=_new_id,
        )
    )


def vault(address: str, settings: Settings, create: bool) -> Parts:
    """A folder of markdown notes, with its index and counters in the state folder."""
    from .indexes.sqlite import SqliteIndex
    from .ledgers.vault import VaultLedger
    from .stores.vault.identity import identify
    from .stores.vault.store import VaultStore

    root = _absolute(address)
    state = _state(settings, identify(root, create=create), root)
    store = VaultStore(root, state=state, personal_root=settings.personal)
    ledger = VaultLedger(root, state=state, keep=settings.retrieval_log)
    return Parts(store, SqliteIndex(os.path.join(state, "index.db")), ledger, state)


def sqlite(address: str, settings: Settings, create: bool) -> Parts:
    """One database file, with its index in the state folder."""
    from .indexes.sqlite import SqliteIndex
    from .ledgers.sqlite import SqliteLedger
    from .stores.sqlite import SqliteStore

    path = _absolute(address)
    if not create and not os.path.exists(path):
        raise StoreUnavailable(f"There is no book at {path}.", hint="Run `commonplace init`.")
    store = SqliteStore(path)
    state = _state(settings, store.store_id, path)
    ledger = SqliteLedger(path, state=state, keep=settings.retrieval_log)
    return Parts(store, SqliteIndex(os.path.join(state, "index.db")), ledger, state)


def _embedder(settings: Settings) -> Embedder | None:
    if settings.embedder == "none":
        return None
    from .embedders.opening import open_embedder

    return open_embedder(settings.embedder, state=settings.state, environ=os.environ)


def _absolute(address: str) -> str:
    return os.path.realpath(
        os.path.expanduser(address.removeprefix("//") if address[:3] == "//~" else address)
    )


def _state(settings: Settings, store_id: str, path: str) -> str:
    # Two copies of a vault share its id; the path keeps their indexes and devices apart.
    place = zlib.crc32(os.path.realpath(path).encode("utf-8", "surrogateescape"))
    return os.path.join(settings.state, f"{store_id}-{place:08x}")


def _utc_now() -> datetime:
    return datetime.now(UTC)


_new_id = IdMaker(os.urandom)
