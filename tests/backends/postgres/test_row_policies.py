"""Row policies separate tenants in the database itself, whatever our own queries say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from commonplace.backends.common.sql_dialect import SqlDialect
from commonplace.backends.neural.fallback import HashingEmbedder
from commonplace.backends.sql.index.tables import VisibleScopes
from commonplace.backends.sql.postgres import database
from commonplace.backends.sql.postgres.database import PostgresAddress
from commonplace.backends.sql.postgres.migrations import prepare
from commonplace.book import Commonplace
from commonplace.books.open import open_book
from commonplace.model.errors import BadInput, StoreUnavailable
from commonplace.model.scope import EVERYTHING
from commonplace.ports.search_index import Where
from commonplace.settings import Settings

from . import server

ADA, BOB = ({"org": "acme", "user": user, "role": "member"} for user in ("ada", "bob"))
BOBS_OWN = "Bob likes marzipan, too"
SECRET = "Ada plans to leave in May, says marzipan"
ALL_SEEING = {"book", "versions", "meta", "vector_models"}
"""Tables that say nothing of anybody's memories."""


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Commonplace]:
    settings = Settings(state=str(tmp_path / "state"), embedder="hash")
    opened = open_book(server.made(tmp_path), settings=settings, background=False)
    ada = opened.as_context(ADA)
    ada.save(SECRET, tags=["plans"])
    ada.save("See [[plans]] for marzipan")
    ada.recall("marzipan")
    opened.as_context(BOB).save(BOBS_OWN)
    yield opened
    opened.close()


def ask(place: Path, query: str, *visible: str, role: str = server.SERVER) -> list[tuple[Any, ...]]:
    """What raw SQL of one of our roles finds when only some scopes are visible."""
    address = PostgresAddress.parse(server.made(place))
    url = server.url(role, address.schema)
    with psycopg.connect(PostgresAddress.parse(url).server) as connected:
        db: Any = connected
        db.execute("SELECT set_config('search_path', %s, true)", (address.search_path,))
        if visible:
            db.execute("SELECT set_config('commonplace.visible', %s, true)", ("\n".join(visible),))
        return db.execute(query).fetchall()


def tables(place: Path) -> list[str]:
    schema = PostgresAddress.parse(server.made(place)).schema
    query = f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}' ORDER BY 1"
    return [name for (name,) in ask(place, query)]


BOBS = ("/", "/org/acme", "/org/acme/user/bob")


@pytest.mark.parametrize("role", [server.SERVER, server.OWNER])
def test_raw_sql_finds_no_row_of_another_tenant(
    book: Commonplace, tmp_path: Path, role: str
) -> None:
    for table in set(tables(tmp_path)) - ALL_SEEING:
        query = f"SELECT one::text FROM {table} one"
        assert ask(tmp_path, query, role=role) == [], f"{table}, to nobody in particular"
        bobs = str(ask(tmp_path, query, *BOBS, role=role))
        assert "user/ada" not in bobs, table
        assert "leave" not in bobs, table
    assert "Bob likes marzipan" in str(ask(tmp_path, "SELECT json FROM records", *BOBS, role=role))


def test_every_table_with_something_in_it_has_a_row_policy(
    book: Commonplace, tmp_path: Path
) -> None:
    schema = PostgresAddress.parse(server.made(tmp_path)).schema
    protected = ask(
        tmp_path,
        "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace"
        f" WHERE nspname = '{schema}' AND relkind = 'r' AND relrowsecurity AND relforcerowsecurity",
    )
    assert {name for (name,) in protected} == set(tables(tmp_path)) - ALL_SEEING


def test_a_read_that_lost_our_own_condition_still_finds_nothing_of_others(
    book: Commonplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(dialect: SqlDialect, visible: object) -> tuple[str, tuple[object, ...]]:
        return "true", ()

    ids = [memory.id for memory in book.list()]
    assert len(ids) == 3
    monkeypatch.setattr(SqlDialect, "visible_rows", forgetful)
    bob = book.as_context(BOB)
    seen = bob._engine.visible  # pyright: ignore[reportPrivateUsage]
    engine = bob._engine  # pyright: ignore[reportPrivateUsage]
    read = engine.store.read(ids, visible=seen)
    assert [memory.content for memory in read.values()] == [BOBS_OWN]
    [batch] = engine.store.changes(0, visible=seen)
    assert [m.content for d in batch.documents for m in d.memories] == [BOBS_OWN]
    assert {event.scope for event in engine.ledger.events(visible=seen)} == {"/org/acme/user/bob"}
    assert engine.ledger.retrievals(visible=seen) == []


def test_a_search_that_lost_our_own_condition_still_finds_nothing_of_others(
    book: Commonplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(db: object, visible: object) -> VisibleScopes:
        return VisibleScopes(everything=True)

    for module in ("candidates", "read", "links"):
        monkeypatch.setattr(f"commonplace.backends.sql.index.{module}.visible_scopes", forgetful)
    engine = book.as_context(BOB)._engine  # pyright: ignore[reportPrivateUsage]
    index, seen = engine.index, engine.visible
    assert len(index.select(Where(), visible=EVERYTHING)) == 3, "the condition is gone"
    [vector] = HashingEmbedder().embed(["marzipan"], query=True)
    gathered = index.gather({"marzipan": "marzipan"}, vector, visible=seen, where=Where())
    assert [one.scope for one in gathered.candidates] == ["/org/acme/user/bob"]
    assert [one.content for one in index.select(Where(), visible=seen)] == [BOBS_OWN]
    assert index.links(None, visible=seen) == []
    assert index.count(Where(), visible=seen, by="scope") == {"/org/acme/user/bob": 1}
    everybodys = index.gather({"marzipan": "m"}, None, visible=EVERYTHING, where=Where())
    keys = [one.key for one in everybodys.candidates]
    assert (len(keys), len(index.fetch(keys, visible=seen))) == (3, 1)


def test_the_servers_role_cannot_drop_the_row_policies(book: Commonplace, tmp_path: Path) -> None:
    for attempt in (
        "ALTER TABLE records DISABLE ROW LEVEL SECURITY",
        "DROP POLICY visible ON records",
        "ALTER ROLE CURRENT_USER BYPASSRLS",
        f"SET ROLE {server.OWNER}",
        "DELETE FROM events",
        "UPDATE events SET line = ''",
        "TRUNCATE records",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(tmp_path, attempt, "*")


def test_what_was_visible_in_one_transaction_is_not_in_the_next(
    book: Commonplace, tmp_path: Path
) -> None:
    one = PostgresAddress.parse(server.made(tmp_path)).but(connections=1)
    shared = database.PostgresDatabase(one, StoreUnavailable)
    count = "SELECT count(*) FROM records"
    assert shared.run(lambda db: database.only(db, count)) == 3
    pool = shared._pool()  # pyright: ignore[reportPrivateUsage]
    with pool.connection() as connection:
        table = f"{one.schema}.records"
        left: Any = connection
        assert left.execute(f"SELECT count(*) FROM {table}").fetchall() == [(0,)]
    shared.close()


def test_a_role_that_bypasses_row_security_is_reported(tmp_path: Path) -> None:
    schema = PostgresAddress.parse(server.made(tmp_path)).schema
    url = f"{server.superuser()}&schema={schema}"
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    opened = open_book(url, settings=settings, background=False)
    problems = opened._engine.store.problems()  # pyright: ignore[reportPrivateUsage]
    opened.close()
    assert "Row-level security does not bind" in problems[0].what
    with pytest.raises(BadInput, match="Row-level security does not bind"):
        prepare(PostgresAddress.parse(url), StoreUnavailable, server_role="postgres")
