"""Setting a server up: who makes the tables, who uses them, and what a wrong URL is told."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Thread

import pytest

from commonplace import registry
from commonplace.backends.sql.postgres.database import PostgresAddress
from commonplace.backends.sql.postgres.index import PostgresIndex
from commonplace.backends.sql.postgres.migrations import prepare
from commonplace.books.open import open_book
from commonplace.books.postgres import prepare_postgres
from commonplace.model.errors import BackendMissing, BadInput, StoreUnavailable, Unavailable
from commonplace.model.scope import EVERYTHING
from commonplace.ports.record_store import Changes, Document
from commonplace.ports.search_index import Where
from commonplace.settings import Settings
from tests.conformance.samples import memory
from tests.doors.shell import Shell

from . import server


def test_a_url_says_server_schema_and_connections() -> None:
    address = PostgresAddress.parse(
        "postgresql://ada:pw@db.internal:5433/notes?sslmode=require&schema=b_1"
    )
    assert address.server == "postgresql://ada:pw@db.internal:5433/notes?sslmode=require"
    assert address.schema == "b_1"
    assert address.url == "postgresql://ada@db.internal:5433/notes?sslmode=require&schema=b_1"
    socket = PostgresAddress.parse("postgresql:///notes?host=/run/postgresql&connections=3")
    assert socket.server == "postgresql:///notes?host=%2Frun%2Fpostgresql"
    assert socket.connections == 3
    assert address.as_role("server").server.startswith("postgresql://server@db.internal:5433/")


@pytest.mark.parametrize("url", ["postgresql:///x?schema=a;b", "postgresql:///x?connections=none"])
def test_a_url_that_cannot_be_one_is_refused(url: str) -> None:
    with pytest.raises(BadInput):
        PostgresAddress.parse(url)


def test_postgres_is_another_name_for_it() -> None:
    assert registry.split("postgres://host/book") == ("postgresql", "//host/book")


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    settings = Settings(state=str(tmp_path), embedder="none")
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        open_book(f"postgresql:///book?host={tmp_path}", settings=settings)


def test_without_the_driver_the_command_that_installs_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(BackendMissing) as caught:
        open_book("postgresql://host/book", settings=Settings(state=str(tmp_path)))
    assert "commonplace-memory[postgres]" in caught.value.hint


def test_the_servers_role_is_told_when_there_are_no_tables(tmp_path: Path) -> None:
    settings = Settings(state=str(tmp_path), embedder="none")
    with pytest.raises(StoreUnavailable) as caught:
        open_book(server.url(server.SERVER, "nothing_here"), settings=settings)
    assert "commonplace postgres init" in caught.value.hint
    with pytest.raises(StoreUnavailable):
        open_book(server.url(server.OWNER, "nothing_here"), settings=settings, create=False)


def test_four_that_start_at_once_make_the_tables_once(tmp_path: Path) -> None:
    address = PostgresAddress.parse(server.url(server.OWNER, "at_once"))
    books: list[str] = []

    def start() -> None:
        books.append(prepare(address, StoreUnavailable).book)

    threads = [Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(books) == 4
    assert len(set(books)) == 1


def test_tables_of_a_newer_commonplace_are_left_alone() -> None:
    import psycopg

    address = PostgresAddress.parse(server.url(server.OWNER, "newer"))
    prepare(address, StoreUnavailable)
    with psycopg.connect(server.superuser()) as db:
        db.execute("UPDATE newer.versions SET version = 99 WHERE part = 'book'")
    with pytest.raises(Unavailable, match="newer Commonplace"):
        prepare(address, StoreUnavailable)


def test_init_sets_up_tables_and_role_and_says_how_to_go_on(tmp_path: Path) -> None:
    owner = f"{server.superuser()}&schema=by_hand"
    done = prepare_postgres(owner, "by_hand_server")
    assert done == prepare_postgres(owner, "by_hand_server"), "again is no harm"
    assert done.vectors
    settings = Settings(state=str(tmp_path), embedder="none")
    with open_book(done.url, settings=settings, background=False) as book:
        book.save("Ada likes tea")
        assert [hit.memory.content for hit in book.recall("tea")] == ["Ada likes tea"]
        assert book._engine.store.problems() == []  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(BadInput):
        prepare_postgres("vault:notes", "by_hand_server")


def test_init_at_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = Shell(tmp_path, None, capsys, monkeypatch)
    owner = server.url(server.OWNER, "by_command")
    said = shell.ask("postgres", "init", owner, "--server-role", server.SERVER)
    assert (said["role"], said["vectors"]) == (server.SERVER, True)
    told = shell.run("postgres", "init", owner, "--server-role", server.SERVER).out
    assert f"Open the book with: {said['url']}" in told


def test_a_large_scope_is_searched_by_a_graph(tmp_path: Path) -> None:
    server.need_pgvector()
    address = PostgresAddress.parse(server.made(tmp_path / "book"))
    index = PostgresIndex(address, pgvector=True, exactly=10)
    notes = [memory(f"Note {n}", "/user/ada") for n in range(30)]
    index.apply(Changes(1, tuple(Document(f"{one.id}.md", (one,)) for one in notes)))
    index.use_model("compass", 3)
    waiting = index.unembedded(visible=EVERYTHING, limit=100)
    made = {key: [bytes([100, int(one.content[5:]), 1])] for key, one in waiting.items()}
    assert index.put_vectors(made, model="compass", dimensions=3)
    graphs = "SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'memory_vectors_graph_%%'"
    count = index._database.run(lambda db: db.execute(graphs).fetchall())[0][0]  # pyright: ignore[reportPrivateUsage]
    assert count == 1
    found = index.gather({}, bytes([100, 7, 1]), visible=EVERYTHING, where=Where(), pool=3)
    best = max(found.candidates, key=lambda one: one.meaning or 0)
    assert index.fetch([best.key], visible=EVERYTHING)[best.key].content == "Note 7"
    index.close()
