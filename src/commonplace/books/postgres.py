"""Open `postgresql:` URLs, and prepare a database for a book."""

from __future__ import annotations

from .. import registry
from ..model.errors import BadInput, StoreUnavailable
from ..model.value import Value
from .parts import BookParts, require_module, state_folder, vector_engine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..backends.sql.postgres.database import PostgresAddress
    from ..ports.server_state import ServerState
    from ..settings import Settings


def open_postgres(address: str, settings: Settings, create: bool) -> BookParts:
    """A schema of a PostgreSQL database; the state folder holds only this machine's own files."""
    _require_psycopg()
    from ..backends.sql.postgres.database import PostgresAddress
    from ..backends.sql.postgres.index import PostgresIndex
    from ..backends.sql.postgres.ledger import PostgresLedger
    from ..backends.sql.postgres.migrations import prepare
    from ..backends.sql.postgres.store import PostgresStore

    place = PostgresAddress.parse(f"postgresql:{address}")
    prepared = prepare(place, StoreUnavailable, create=create)
    state = state_folder(settings, prepared.book, place.url)
    store = PostgresStore(place, store_id=prepared.book)
    engine = vector_engine(settings, state, book=prepared.book)
    index = PostgresIndex(place, pgvector=prepared.vectors, engine=engine)
    ledger = PostgresLedger(place, state=state, keep=settings.retrieval_log)
    return BookParts(store, index, ledger, state, open_server_state=lambda: _server_state(place))


class PreparedDatabase(Value):
    """A database that is ready for a book, and the URL that opens the book."""

    book: str
    url: str
    role: str
    vectors: bool


def prepare_postgres(owner_url: str, server_role: str) -> PreparedDatabase:
    """Create or update the tables as their owner, and let the server's role use them."""
    scheme, address = registry.split(owner_url)
    if scheme != "postgresql":
        raise BadInput(
            f"{scheme!r} is not a PostgreSQL server.", hint="Use postgresql://OWNER@HOST/DATABASE."
        )
    _require_psycopg()
    from ..backends.sql.postgres.database import PostgresAddress
    from ..backends.sql.postgres.migrations import prepare

    place = PostgresAddress.parse(f"postgresql:{address}")
    done = prepare(place, StoreUnavailable, server_role=server_role)
    return PreparedDatabase(done.book, place.as_role(server_role).url, server_role, done.vectors)


def _require_psycopg() -> None:
    require_module("psycopg_pool", registry.BACKENDS["postgresql"])


def _server_state(place: PostgresAddress) -> ServerState:
    from ..backends.sql.postgres.server_state import PostgresServerState

    return PostgresServerState(place)
