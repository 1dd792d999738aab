"""The one-file store, where it differs from the others."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from commonplace.backends.common.sqlite import be_patient
from commonplace.backends.sql.sqlite.store import SqliteStore
from commonplace.model.errors import BadInput, Busy, Conflict, Damaged, StoreUnavailable
from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING, Scope
from commonplace.ports.record_store import Put

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def memory(id: str, content: str = "Ada likes tea") -> Memory:
    return Memory(id, content, NOON, NOON, Scope.parse("/user/ada"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(str(path))
    yield opened
    opened.close()


def save(store: SqliteStore, *memories: Memory) -> None:
    with store.lease() as lease:
        store.write([Put(one) for one in memories], lease=lease)


def test_the_url_opens_the_same_file_from_anywhere(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    store = SqliteStore("memory.db")
    assert store.url == f"sqlite:{path}"
    store.close()


def test_whole_book_is_one_file_once_closed(store: SqliteStore, path: Path) -> None:
    save(store, memory("tea"))
    store.close()
    assert [one.name for one in path.parent.iterdir()] == ["memory.db"]


def test_two_stores_have_different_ids(store: SqliteStore, tmp_path: Path) -> None:
    other = SqliteStore(str(tmp_path / "other.db"))
    assert other.store_id != store.store_id
    other.close()


def test_one_batch_may_write_a_record_and_then_change_it(store: SqliteStore) -> None:
    tea = memory("tea")
    with store.lease() as lease:
        done = store.write([Put(tea), Put(tea.but(tags=("a",)), expect=tea)], lease=lease)
    assert [one.revision for one in done] == [1, 2]
    assert store.read(["tea"], visible=EVERYTHING)["tea"].tags == ("a",)


def test_one_batch_may_not_write_two_records_of_one_id(store: SqliteStore) -> None:
    with pytest.raises(Conflict):
        save(store, memory("tea"), memory("tea", "Ada likes coffee"))
    assert store.revision() == 0


def test_moments_finer_than_a_millisecond_are_no_conflict(store: SqliteStore) -> None:
    fine = memory("tea").but(updated=NOON.replace(microsecond=123_456))
    with store.lease() as lease:
        (stored,) = store.write([Put(fine)], lease=lease)
        assert stored.memory == store.read(["tea"], visible=EVERYTHING)["tea"]
        store.write([Put(fine.but(tags=("a",)), expect=fine)], lease=lease)


def test_text_that_is_no_text_is_refused_before_anything_is_written(store: SqliteStore) -> None:
    with pytest.raises(BadInput):
        save(store, memory("fine"), memory("broken", "half a \ud800 pair"))
    assert store.revision() == 0


def test_nul_and_control_characters_read_back(store: SqliteStore) -> None:
    odd = memory("odd", "a\0b\x1b[31m\r\n\t\x7f")
    save(store, odd)
    assert store.read(["odd"], visible=EVERYTHING) == {"odd": odd}


def test_file_moved_away_while_open_takes_no_more_writes(store: SqliteStore, path: Path) -> None:
    save(store, memory("tea"))
    path.rename(path.with_name("moved.db"))
    with pytest.raises(StoreUnavailable, match="moved or removed"):
        save(store, memory("coffee"))
    with pytest.raises(StoreUnavailable, match="moved or removed"):
        list(store.changes(0, visible=EVERYTHING))
    path.with_name("moved.db").rename(path)
    save(store, memory("coffee"))


def test_file_replaced_while_open_takes_no_more_writes(store: SqliteStore, path: Path) -> None:
    save(store, memory("tea"))
    path.unlink()
    SqliteStore(str(path)).close()
    with pytest.raises(StoreUnavailable, match="moved or removed"):
        save(store, memory("coffee"))


def test_full_disk_leaves_everything_as_it_was(store: SqliteStore) -> None:
    save(store, memory("tea"))
    db = store._db  # pyright: ignore[reportPrivateUsage]
    db.execute(f"PRAGMA max_page_count={db.execute('PRAGMA page_count').get}")
    with pytest.raises(StoreUnavailable, match="full"):
        save(store, memory("coffee"), memory("long", "x" * 200_000))
    assert store.read(["tea", "coffee"], visible=EVERYTHING).keys() == {"tea"}
    db.execute("PRAGMA max_page_count=1000000")
    save(store, memory("coffee"))
    assert store.problems() == []


def test_damaged_record_is_named_and_hides_no_other(store: SqliteStore, path: Path) -> None:
    save(store, memory("tea"), memory("coffee"), memory("cocoa"))
    vandal = apsw.Connection(str(path))
    vandal.execute("UPDATE records SET json='{\"id\":' WHERE id='coffee'")
    vandal.execute("UPDATE records SET json='[1]' WHERE id='cocoa'")
    vandal.close()
    fed = [m.id for batch in store.changes(0, visible=EVERYTHING) for d in batch.documents
           for m in d.memories]  # fmt: skip
    assert fed == ["tea"]
    assert [problem.where for problem in store.problems()] == ["id:coffee", "id:cocoa"]
    with pytest.raises(Damaged, match="coffee"):
        store.read(["coffee"], visible=EVERYTHING)


def test_sweep_that_could_not_finish_is_made_up_for(store: SqliteStore, path: Path) -> None:
    save(store, memory("tea", "The vault code is marmalade-4711"), memory("coffee"))
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN; SELECT * FROM records").fetchall()
    be_patient(store._db, 0.01)  # pyright: ignore[reportPrivateUsage]
    with store.lease() as lease, pytest.raises(Busy, match="erased"):
        store.erase(["tea"], lease=lease)
    assert store.read(["tea"], visible=EVERYTHING) == {}
    assert "Traces" in store.problems()[0].what
    reader.execute("COMMIT")
    reader.close()
    assert store.problems() == []
    held = path.read_bytes() + path.with_name("memory.db-wal").read_bytes()
    assert b"marmalade" not in held


def test_store_of_another_program_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "places.sqlite")
    foreign = apsw.Connection(path)
    foreign.execute("CREATE TABLE moz_places(url)")
    foreign.close()
    with pytest.raises(Damaged, match="another program"):
        SqliteStore(path)
