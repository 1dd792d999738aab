"""The composition root: the only place that knows which backends make up a book."""

from __future__ import annotations

import os
import zlib
from datetime import UTC, datetime

from . import registry
from .book import Commonplace
from .errors import BackendMissing, BadInput, CommonplaceError, NoBook, StoreUnavailable
from .rules.identity import IdMaker
from .rules.screening import credentials_removed
from .scope import Context
from .settings import load
from .value import Value
from .verbs.engine import Engine, Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from .agent.asking import Sources
    from .model import Draft, Event
    from .ports.auditing import Ledger
    from .ports.backups import Backups, Snapshot
    from .ports.embedding import Embedder
    from .ports.frontdesk import FrontDesk
    from .ports.reasoning import Reasoner
    from .ports.records import RecordStore
    from .ports.sealing import Cipher
    from .ports.searching import SearchIndex
    from .ports.sessions import SessionStore
    from .postgres.address import Address
    from .results import LeftOut
    from .settings import Settings
    from .verbs.background import Background
    from .verbs.backup.restoring import BroughtBack, Checked


CommonplaceError.cleared = staticmethod(credentials_removed)


class Parts(Value):
    """The backends behind one book."""

    store: RecordStore
    index: SearchIndex
    ledger: Ledger
    state: str
    """The folder that holds everything device-local about this book."""
    desk: Callable[[], FrontDesk] | None = None
    """Opens what its servers agree on, where that is not in the state folder."""


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
            former=_former(settings),
            background=_background(source == "library" if background is None else background),
            later_sessions=Later(lambda: _sessions(settings, parts)),
            later_sources=Later(lambda: _sources(settings, parts)),
            later_cipher=Later(lambda: _cipher(parts)),
            later_reasoner=Later(lambda: _reasoner(settings, parts, now or _utc_now)),
            open_backups=open_backups,
            later_desk=Later(lambda: _desk(parts)),
        )
    )


def open_in_place_of(
    book: Commonplace, url: str, *, settings: Settings | None = None
) -> Commonplace:
    """Open the place that a book moves to: a new or empty one becomes that book.

    Raises Conflict when there is another book already.
    """
    return _adopted(
        url, lambda target: target.make_room_for(book), settings=settings, source=book.source
    )


def _adopted(
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


class Import(Value):
    """A file of memories that was recognized, and can be read as often as need be."""

    kind: str
    drafts: Callable[[], Iterator[Draft | LeftOut]]
    close: Callable[[], None]


def open_import(path: str, kind: str | None = None) -> Import:
    """Recognize a file or folder of another memory; BadInput when it is not known."""
    from .imports.opening import recognize
    from .imports.parcel import parcel_at

    found = recognize(parcel_at(path), kind)
    return Import(found.kind, found.drafts, found.close)


def read_import(name: str, data: bytes, *, most_bytes: int) -> Import:
    """Recognize a file that was sent, by its name and what is in it."""
    from .imports.opening import recognize
    from .imports.parcel import parcel_of

    found = recognize(parcel_of(name, data, most_bytes=most_bytes))
    return Import(found.kind, found.drafts, found.close)


def vault(address: str, settings: Settings, create: bool) -> Parts:
    """A folder of markdown notes, with its index and counters in the state folder."""
    from .indexes.sqlite import SqliteIndex
    from .ledgers.vault import VaultLedger
    from .stores.vault.identity import identify
    from .stores.vault.store import VaultStore

    root = registry.local_path(address)
    state = _state(settings, identify(root, create=create), root)
    store = VaultStore(root, state=state, personal_root=settings.personal)
    ledger = VaultLedger(root, state=state, keep=settings.retrieval_log)
    index = _other_index(settings, state) or SqliteIndex(os.path.join(state, "index.db"))
    return Parts(store, index, ledger, state)


def sqlite(address: str, settings: Settings, create: bool) -> Parts:
    """One database file, with its index in the state folder."""
    from .indexes.sqlite import SqliteIndex
    from .ledgers.sqlite import SqliteLedger
    from .stores.sqlite import SqliteStore

    path = registry.local_path(address)
    if not create and not os.path.exists(path):
        raise StoreUnavailable(f"There is no book at {path}.", hint="Run `commonplace init`.")
    store = SqliteStore(path)
    state = _state(settings, store.store_id, path)
    ledger = SqliteLedger(path, state=state, keep=settings.retrieval_log)
    index = _other_index(settings, state) or SqliteIndex(os.path.join(state, "index.db"))
    return Parts(store, index, ledger, state)


def postgresql(address: str, settings: Settings, create: bool) -> Parts:
    """A schema of a PostgreSQL database; only what is this machine's own is in the state folder."""
    _require_psycopg()
    from .indexes.postgres import PostgresIndex
    from .ledgers.postgres import PostgresLedger
    from .postgres.address import Address
    from .postgres.migrating import prepare
    from .stores.postgres import PostgresStore

    place = Address.parse(f"postgresql:{address}")
    prepared = prepare(place, StoreUnavailable, create=create)
    state = _state(settings, prepared.book, place.url)
    store = PostgresStore(place, store_id=prepared.book)
    index = _other_index(settings, state, book=prepared.book) or PostgresIndex(
        place, vectors=prepared.vectors
    )
    ledger = PostgresLedger(place, state=state, keep=settings.retrieval_log)
    return Parts(store, index, ledger, state, desk=lambda: _postgres_desk(place))


class SetUp(Value):
    """A database that is ready for a book, and what the book is opened with."""

    book: str
    url: str
    role: str
    vectors: bool


def set_up_postgres(owner_url: str, server_role: str) -> SetUp:
    """Make or update the tables as their owner, and let the server's role use them."""
    scheme, address = registry.split(owner_url)
    if scheme != "postgresql":
        raise BadInput(
            f"{scheme!r} is not a PostgreSQL server.", hint="Use postgresql://OWNER@HOST/DATABASE."
        )
    _require_psycopg()
    from .postgres.address import Address
    from .postgres.migrating import prepare

    place = Address.parse(f"postgresql:{address}")
    done = prepare(place, StoreUnavailable, server_role=server_role)
    return SetUp(done.book, place.as_role(server_role).url, server_role, done.vectors)


def _require_psycopg() -> None:
    _require("psycopg_pool", registry.BACKENDS["postgresql"])


def _require(module: str, backend: registry.Backend) -> None:
    try:
        __import__(module)
    except ImportError as error:
        raise BackendMissing(
            f"The backend {backend.scheme!r} is not installed.", hint=f"Run: {backend.install}"
        ) from error


def milvus_index(address: str, name: str) -> SearchIndex:
    """Collections of a Milvus server, or of Milvus Lite in a file."""
    _require("pymilvus", registry.INDEXES["milvus"])
    from .indexes.milvus import MilvusIndex
    from .indexes.milvus.address import Address, collection_name

    return MilvusIndex(Address.parse(f"milvus:{address}"), collection_name(name))


def _other_index(settings: Settings, state: str, *, book: str | None = None) -> SearchIndex | None:
    """The index that the settings name in place of the store's own.

    A book that many machines open is indexed once for all of them, under its id. Of any other a
    device knows changes by its own numbers, so that each has an index of its own.
    """
    if not settings.index:
        return None
    scheme, address = registry.split(settings.index)
    opener = registry.find(scheme, among=registry.INDEXES)
    return opener(address, book or f"{os.path.basename(state)}_{_device(state)}")


def _device(state: str) -> str:
    """A word that no other device has for its own copy of the same book."""
    from contextlib import suppress

    path = os.path.join(state, "device-index")
    os.makedirs(state, mode=0o700, exist_ok=True)
    if not os.path.exists(path):
        fresh = f"{path}.{os.getpid()}"
        with open(fresh, "w", encoding="ascii") as file:
            file.write(os.urandom(4).hex())
        # Of two processes that begin at once the first one's word holds for both.
        with suppress(FileExistsError):
            os.link(fresh, path)
        os.unlink(fresh)
    with open(path, encoding="ascii") as file:
        return file.read()


def _embedder(settings: Settings) -> Embedder | None:
    if settings.embedder == "none":
        return None
    from .embedders.opening import open_embedder

    return open_embedder(settings.embedder, state=settings.state, environ=os.environ)


def _former(settings: Settings) -> Callable[[str], Embedder | None] | None:
    if settings.embedder == "none":
        return None
    opened: dict[str, Embedder | None] = {}

    def find(model: str) -> Embedder | None:
        from .embedders.opening import find_embedder

        if model not in opened:
            opened[model] = find_embedder(
                model, settings.embedder, state=settings.state, environ=os.environ
            )
        return opened[model]

    return find


def _background(wanted: bool) -> Background | None:
    if not wanted:
        return None
    from .verbs.background import Background

    return Background()


def _sessions(settings: Settings, parts: Parts) -> SessionStore:
    from .rules.sessions import Limits
    from .sessions.opening import open_sessions

    return open_sessions(
        settings.sessions,
        state=parts.state,
        book=parts.store.store_id,
        limits=Limits(settings.session_ttl_s, settings.session_items, settings.session_eviction),
    )


def _reasoner(settings: Settings, parts: Parts, now: Callable[[], datetime]) -> Reasoner:
    from .reasoners.opening import open_reasoner
    from .reasoners.spending import Cap

    cap = Cap(
        settings.reasoner_budget,
        settings.reasoner_tokens,
        settings.reasoner_price_in,
        settings.reasoner_price_out,
    )
    return open_reasoner(
        settings.reasoner,
        cap=cap,
        timeout_s=settings.reasoner_timeout_s,
        ledger=parts.ledger,
        now=now,
        environ=os.environ,
    )


def _desk(parts: Parts) -> FrontDesk:
    from .frontdesk.local import LocalDesk

    return parts.desk() if parts.desk else LocalDesk(parts.state, lease=parts.store.lease)


def _postgres_desk(place: Address) -> FrontDesk:
    from .frontdesk.postgres import PostgresDesk

    return PostgresDesk(place)


def _cipher(parts: Parts) -> Cipher:
    from .ciphers.fernet import FernetCipher
    from .ciphers.keys import keys_of

    return FernetCipher(keys_of(parts.store.store_id, os.environ))


def open_backups(place: str) -> Backups:
    """The backups in a folder."""
    from .backups.folder import FolderBackups

    return FolderBackups(place)


def restore_backup(
    place: str,
    url: str,
    *,
    at: datetime | None = None,
    settings: Settings | None = None,
    progress: Callable[[int], object] = lambda _: None,
) -> BroughtBack:
    """Bring a book back from its backups, as a new one; what was purged since stays gone."""
    from .verbs.backup import restoring as restore

    settings = settings or load()
    backups = open_backups(place)
    moment = restore.chosen(backups, at)
    asked, gone = _gone_since(backups, moment, settings)
    with _adopted(
        url, lambda book: restore.make_room_for(_engine_of(book), moment), settings=settings
    ) as book:
        done = restore.bring_back(_engine_of(book), backups, moment, gone=gone, progress=progress)
    return done.but(asked=asked)


def check_backup(place: str, at: datetime | None = None) -> Checked:
    """Read a moment back and compare it with its hashes; nothing is written."""
    from .verbs.backup import restoring as restore

    backups = open_backups(place)
    return restore.check(backups, restore.chosen(backups, at))


def _gone_since(backups: Backups, moment: Snapshot, settings: Settings) -> tuple[bool, list[Event]]:
    """What was purged or erased after a moment, and whether the book itself could be asked."""
    from .verbs.backup.restoring import gone_since

    for url in dict.fromkeys(filter(None, (moment.url, settings.url))):
        try:
            with open_book(url, settings=settings, create=False, background=False) as book:
                if book.id == moment.book:
                    return True, gone_since(backups, moment, _engine_of(book).ledger)
        except CommonplaceError:
            continue  # Lost with its disk, perhaps: that is what backups are for.
    return False, gone_since(backups, moment, None)


def _engine_of(book: Commonplace) -> Engine:
    return book._engine  # pyright: ignore[reportPrivateUsage] (it was made here)


def make_key() -> str:
    """A new key for sealed memories, kept nowhere yet."""
    from .ciphers import fernet

    return fernet.make_key()


def _sources(settings: Settings, parts: Parts) -> Sources:
    from .agent.asking import Sources
    from .sources.opening import CallableSource, open_source

    opened = [
        open_source(name, str(target), state=parts.state, environ=os.environ)
        for name, target in settings.sources.items()
    ]
    return Sources(opened, wrap=CallableSource)


def _state(settings: Settings, store_id: str, path: str) -> str:
    # Two copies of a vault share its id; the path keeps their indexes and devices apart.
    place = zlib.crc32(os.path.realpath(path).encode("utf-8", "surrogateescape"))
    return os.path.join(settings.state, f"{store_id}-{place:08x}")


def _utc_now() -> datetime:
    return datetime.now(UTC)


_new_id = IdMaker(os.urandom)
