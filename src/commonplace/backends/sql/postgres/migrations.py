"""Creates and updates a book's schema, and grants the server's role its rights.

The tables belong to one role; the server runs as another, which cannot alter them or bypass their
policies. In a small set-up one role may do both; the policies bind it as well.
"""

from __future__ import annotations

import os

import psycopg
from psycopg import sql

from ....model.errors import BadInput, Unavailable
from ....model.value import Value
from .database import CONNECT_S, FAILURES, WHAT, is_name, only, postgres_error
from .schema import APPENDED, BOOK, INDEX, SERVERS, VECTORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .database import PostgresAddress, PostgresConnection

_PARTS = {"book": BOOK, "index": INDEX, "servers": SERVERS}
"""The parts of a schema and the steps of each; `VECTORS` are added where pgvector is there."""


class Prepared(Value):
    """A book whose tables are up to date."""

    book: str
    """The book's id."""
    vectors: bool
    """Whether it has tables for vectors, which need pgvector on the server."""


def prepare(
    address: PostgresAddress,
    failure: type[Unavailable],
    *,
    create: bool = True,
    server_role: str = "",
) -> Prepared:
    """Create or update the tables; grants `server_role` the rights to use them."""
    if server_role and not is_name(server_role):
        raise BadInput(f"{server_role!r} cannot be a role.", hint="Use lower-case letters.")
    try:
        with psycopg.connect(
            address.server, autocommit=True, connect_timeout=int(CONNECT_S)
        ) as connected:
            connection: Any = connected
            connection.execute(
                "SELECT set_config('search_path', %s, false),"
                " set_config('commonplace.visible', '*', false)",
                (address.search_path,),
            )
            if server_role or not _current(connection, address):
                if not create and not _versions(connection, address):
                    raise failure(f"There is no book at {address.url}.", hint=_INIT)
                _bring_up_to_date(connection, address, server_role)
            vectors = _versions(connection, address).get("vectors") == len(VECTORS)
            return Prepared(_book(connection), vectors)
    except FAILURES as error:
        raise postgres_error(error, failure, WHAT) from error


def is_current(connection: PostgresConnection, address: PostgresAddress) -> bool:
    """Whether the tables are those of this version; raises Unavailable when they are newer."""
    return _current(connection, address)


def _bring_up_to_date(connection: Any, address: PostgresAddress, server_role: str) -> None:
    try:
        with connection.transaction():
            _migrate(connection, address)
            if server_role:
                _grant_rights(connection, address, server_role)
    except psycopg.errors.InsufficientPrivilege:
        done = _versions(connection, address)
        # A role that may not make the tables of a later pgvector goes without them.
        if server_role or any(done.get(part) != len(steps) for part, steps in _PARTS.items()):
            raise


def _current(connection: PostgresConnection, address: PostgresAddress) -> bool:
    done, wanted = _versions(connection, address), _wanted(connection)
    for part, steps in wanted.items():
        if done.get(part, 0) > len(steps):
            raise Unavailable(
                "The database was made by a newer Commonplace.", hint="Upgrade Commonplace."
            )
    return all(done.get(part) == len(steps) for part, steps in wanted.items())


def _wanted(connection: PostgresConnection) -> dict[str, tuple[str, ...]]:
    has_vectors = only(connection, "SELECT to_regtype('halfvec') IS NOT NULL")
    return _PARTS | ({"vectors": VECTORS} if has_vectors else {})


def _versions(connection: PostgresConnection, address: PostgresAddress) -> dict[str, int]:
    if only(connection, "SELECT to_regclass(%s)", (f"{address.schema}.versions",)) is None:
        return {}
    return dict(connection.execute("SELECT part, version FROM versions").fetchall())


def _migrate(connection: Any, address: PostgresAddress) -> None:
    # A second process that finds the same empty database waits, and finds everything done.
    connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (address.schema,))
    if _current(connection, address):
        return
    schema = sql.Identifier(address.schema)
    if not connection.execute(
        "SELECT 1 FROM pg_namespace WHERE nspname = %s", (address.schema,)
    ).fetchone():
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
    connection.execute(
        "CREATE TABLE IF NOT EXISTS versions(part text PRIMARY KEY, version integer NOT NULL)"
    )
    _add_extension(connection)
    done = _versions(connection, address)
    for part, steps in _wanted(connection).items():
        for step in steps[done.get(part, 0) :]:
            connection.execute(step)
        connection.execute(
            "INSERT INTO versions VALUES (%s, %s)"
            " ON CONFLICT (part) DO UPDATE SET version = excluded.version",
            (part, len(steps)),
        )
    if not connection.execute("SELECT 1 FROM book").fetchone():
        connection.execute("INSERT INTO book VALUES (%s, 0)", (os.urandom(8).hex(),))


def _add_extension(connection: Any) -> None:
    """Add pgvector to the database where it is available and this role may."""
    query = (
        "SELECT 1 FROM pg_available_extensions WHERE name = 'vector' AND installed_version IS NULL"
    )
    if only(connection, query):
        try:
            with connection.transaction():
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        except psycopg.errors.InsufficientPrivilege:
            return


def _grant_rights(connection: PostgresConnection, address: PostgresAddress, role: str) -> None:
    """Create the server's role if there is none, and grant it the rights it needs."""
    names = {"schema": sql.Identifier(address.schema), "role": sql.Identifier(role)}
    known = connection.execute(
        "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = %s", (role,)
    ).fetchone()
    if known is None:
        connection.execute(sql.SQL("CREATE ROLE {role} LOGIN").format(**names))
    elif known[0]:
        raise BadInput(
            f"Row-level security does not bind the role {role}.",
            hint=f"Run: ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS",
        )
    for grant in _GRANTS:
        connection.execute(sql.SQL(grant).format(**names))
    for table in APPENDED:
        connection.execute(
            sql.SQL("REVOKE UPDATE, DELETE ON {table} FROM {role}").format(
                table=sql.Identifier(table), **names
            )
        )


def _book(connection: PostgresConnection) -> str:
    return only(connection, "SELECT id FROM book")


_INIT = "Run `commonplace postgres init`."
_ROWS = "SELECT, INSERT, UPDATE, DELETE"
_GRANTS = (
    "GRANT USAGE ON SCHEMA {schema} TO {role}",
    f"GRANT {_ROWS} ON ALL TABLES IN SCHEMA {{schema}} TO {{role}}",
    "GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
    # For tables of later versions, too.
    f"ALTER DEFAULT PRIVILEGES IN SCHEMA {{schema}} GRANT {_ROWS} ON TABLES TO {{role}}",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT USAGE ON SEQUENCES TO {role}",
)
