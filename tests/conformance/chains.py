"""The audit chain as a vandal sees it: lines that can be read and rewritten behind the ledger."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw


def vault_chain(book: Path, rewrite: Callable[[list[str]], list[str]]) -> None:
    """Rewrite the lines of the only event file."""
    (path,) = (book / "_meta" / "events").iterdir()
    path.write_text("".join(rewrite(path.read_text().splitlines(keepends=True))))


def sqlite_chain(book: Path, rewrite: Callable[[list[str]], list[str]]) -> None:
    """Rewrite the rows of the only chain, numbered anew from 1."""
    db = apsw.Connection(str(book))
    lines = [line for (line,) in db.execute("SELECT line FROM events ORDER BY number")]
    rewritten = rewrite([f"{line}\n" for line in lines])
    for place, line in enumerate(rewritten, 1):
        db.execute("UPDATE events SET line=? WHERE number=?", (line.rstrip("\n"), place))
    db.execute("DELETE FROM events WHERE number > ?", (len(rewritten),))
    db.close()


def postgres_chain(book: Path, rewrite: Callable[[list[str]], list[str]]) -> None:
    """Rewrite the rows of the only chain, numbered anew from 1, as a superuser can."""
    import psycopg

    from commonplace.backends.sql.postgres.database import PostgresAddress
    from tests.backends.postgres import server

    schema = PostgresAddress.parse(server.made(book)).schema
    with psycopg.connect(server.superuser(), options=f"-c search_path={schema}") as db:
        lines = [line for (line,) in db.execute("SELECT line FROM events ORDER BY number")]
        rewritten = rewrite([f"{line}\n" for line in lines])
        for place, line in enumerate(rewritten, 1):
            db.execute("UPDATE events SET line=%s WHERE number=%s", (line.rstrip("\n"), place))
        db.execute("DELETE FROM events WHERE number > %s", (len(rewritten),))


VANDALS = {"vault": vault_chain, "sqlite": sqlite_chain, "postgresql": postgres_chain}
