"""SQLite files: private, whole, and never somebody else's."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from commonplace.backends.common.sqlite import (
    be_patient,
    connect,
    empty_log,
    migrate,
    sqlite_error,
    sqlite_errors,
    sweep,
    transaction,
)
from commonplace.model.errors import Busy, Damaged, IndexUnavailable, StoreUnavailable, Unavailable
from tests import ROOT

if TYPE_CHECKING:
    from commonplace.backends.common.sqlite import SqliteConnection

PROJECT = ROOT


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "notes.db")


@pytest.fixture
def db(path: str) -> SqliteConnection:
    opened = connect(path, durable=False)
    opened.execute("CREATE TABLE notes(text)")
    return opened


def notes(db: SqliteConnection) -> list[str]:
    return [text for (text,) in db.execute("SELECT text FROM notes ORDER BY rowid")]


def add(db: SqliteConnection, text: str, failing: BaseException | None = None) -> None:
    db.execute("INSERT INTO notes VALUES(?)", (text,))
    if failing is not None:
        raise failing


def test_only_its_user_can_read_a_new_file(db: SqliteConnection, path: str) -> None:
    add(db, "tea")
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    assert {stat.S_IMODE(os.stat(path + end).st_mode) for end in ("", "-wal", "-shm")} == {0o600}


@pytest.mark.parametrize("durable", [True, False])
def test_durable_files_reach_the_disk_at_every_commit(path: str, durable: bool) -> None:
    db = connect(path, durable=durable)
    assert db.execute("PRAGMA journal_mode").get == "wal"
    assert db.execute("PRAGMA synchronous").get == (2 if durable else 1)


def test_transaction_is_all_or_nothing(db: SqliteConnection) -> None:
    with pytest.raises(KeyboardInterrupt), transaction(db):
        add(db, "half", KeyboardInterrupt())
    with transaction(db):
        add(db, "whole")
    assert notes(db) == ["whole"]
    assert not db.in_transaction


def test_inner_transaction_is_undone_alone(db: SqliteConnection) -> None:
    with transaction(db):
        add(db, "outer")
        with transaction(db):
            add(db, "inner")
        with pytest.raises(ValueError, match="wrong"), transaction(db):
            add(db, "undone", ValueError("wrong"))
        add(db, "after")
    assert notes(db) == ["outer", "inner", "after"]


def test_full_disk_undoes_the_transaction_and_says_so(db: SqliteConnection) -> None:
    pages = db.execute("PRAGMA page_count").get
    db.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StoreUnavailable, match="disk is full"), sqlite_errors(StoreUnavailable):  # noqa: SIM117
        with transaction(db):
            add(db, "x" * 100_000)
    assert not db.in_transaction
    assert notes(db) == []


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "places.sqlite")
    foreign = apsw.Connection(path)
    foreign.execute("CREATE TABLE moz_places(url); PRAGMA user_version=77")
    foreign.close()
    before = Path(path).read_bytes()
    with pytest.raises(Damaged, match="another program"):
        connect(path, durable=True)
    assert Path(path).read_bytes() == before


def test_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "shopping.txt"
    path.write_text("milk and eggs, " * 100)
    with pytest.raises(Damaged):
        connect(str(path), durable=True)
    assert path.read_text().startswith("milk")


def test_folder_that_cannot_be_made_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(IndexUnavailable):
        connect(str(tmp_path / "file" / "index.db"), durable=False, failure=IndexUnavailable)


def test_every_error_has_words_and_a_way_on() -> None:
    for error in (
        apsw.BusyError(),
        apsw.CorruptError(),
        apsw.FullError(),
        apsw.ReadOnlyError(),
        apsw.CantOpenError(),
        apsw.IOError("disk I/O error"),
        apsw.ConnectionClosedError(),
        PermissionError(13, "Permission denied"),
        OSError(28, "No space left on device"),
    ):
        said = sqlite_error(error, StoreUnavailable, "The database memory.db")
        assert said.sentence.startswith("The database memory.db")
        assert said.sentence.endswith(".")
        assert said.hint.endswith(".")
    assert "full" in str(sqlite_error(OSError(28, "No space left on device"), StoreUnavailable))


def test_each_migration_runs_once(path: str) -> None:
    steps = ["CREATE TABLE notes(text); INSERT INTO notes VALUES('one')"]
    for _ in range(2):
        db = connect(path, durable=False)
        migrate(db, steps)
        db.close()
    steps.append("INSERT INTO notes VALUES('two')")
    db = connect(path, durable=False)
    migrate(db, steps)
    assert notes(db) == ["one", "two"]


def test_failed_migration_leaves_the_file_as_it_was(path: str) -> None:
    db = connect(path, durable=False)
    with pytest.raises(apsw.SQLError):
        migrate(db, ["CREATE TABLE notes(text)", "INSERT INTO nowhere VALUES(1)"])
    migrate(db, ["CREATE TABLE notes(text)"])
    assert notes(db) == []


def test_file_of_a_newer_version_is_not_touched(path: str) -> None:
    db = connect(path, durable=False)
    migrate(db, ["CREATE TABLE notes(text)", "CREATE TABLE more(text)"])
    with pytest.raises(Unavailable, match="newer"):
        migrate(db, ["CREATE TABLE notes(text)"])


def test_new_file_may_be_opened_by_many_processes_at_once(path: str) -> None:
    script = f"""
from commonplace.backends.common.sqlite import connect, migrate
for n in range(5):
    db = connect({path!r} + str(n), durable=True)
    migrate(db, ["CREATE TABLE notes(text)"])
    db.execute("INSERT INTO notes VALUES('here')")
    db.close()
"""
    processes = [subprocess.Popen([sys.executable, "-c", script], cwd=PROJECT) for _ in range(4)]
    assert [process.wait(timeout=60) for process in processes] == [0] * 4
    for n in range(5):
        assert notes(connect(f"{path}{n}", durable=True)) == ["here"] * 4


def test_impatient_connection_gives_up_soon(db: SqliteConnection, path: str) -> None:
    other = connect(path, durable=False)
    be_patient(other, 0.02)
    with transaction(db), pytest.raises(Busy), sqlite_errors(StoreUnavailable):
        other.execute("INSERT INTO notes VALUES('too late')")
    other.execute("INSERT INTO notes VALUES('in time')")
    assert notes(db) == ["in time"]


def test_swept_file_holds_no_deleted_text(db: SqliteConnection, path: str) -> None:
    for n in range(300):
        add(db, f"MARK{n:04} " + "filler " * (n % 50))
    for n in range(0, 300, 2):
        db.execute("DELETE FROM notes WHERE text LIKE ?", (f"MARK{n:04} %",))
        add(db, "something else " * (n % 40))
    assert sweep(db)
    held = Path(path).read_bytes() + Path(path + "-wal").read_bytes()
    assert [n for n in range(300) if f"MARK{n:04}".encode() in held] == list(range(1, 300, 2))


def test_log_in_use_by_a_reader_is_not_emptied(db: SqliteConnection, path: str) -> None:
    add(db, "tea")
    reader = connect(path, durable=False)
    reader.execute("BEGIN")
    assert notes(reader) == ["tea"]
    add(db, "coffee")
    be_patient(db, 0.01)
    assert not empty_log(db, wait_s=0.02)
    reader.execute("COMMIT")
    assert empty_log(db)
    assert os.path.getsize(path + "-wal") == 0


TORN = """
import resource, sys
from commonplace.backends.common.sqlite_file import SqliteFile
from commonplace.model.errors import CommonplaceError
path = sys.argv[1]
schema = "CREATE TABLE IF NOT EXISTS notes(text TEXT PRIMARY KEY, place INTEGER)"
file = SqliteFile(path, prepare=lambda db: db.execute(schema), if_damaged="remove")
def add(first, last):
    rows = [(str(number * 7919 % 10_007), number) for number in range(first, last)]
    file.executemany("INSERT INTO notes VALUES(?, ?)", rows)
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return open(path, "rb").read()
old, new = add(0, 2000), add(2000, 4000)
with open(path, "r+b") as half:
    half.seek(len(old) // 2 // 4096 * 4096)
    half.write(old[half.tell():])
file.execute("INSERT INTO notes VALUES('one more', 4000)")
resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
try:
    with file.guard():
        file.execute("INSERT INTO notes VALUES('no room', 4001)")
except CommonplaceError:
    pass
print(file.unwritable is not None, file.execute("PRAGMA integrity_check").get)
"""


def test_a_copy_in_memory_is_whole_or_empty(tmp_path: Path) -> None:
    """A file that its log was only half moved into answers some questions, and others wrongly."""
    done = subprocess.run(
        [sys.executable, "-c", TORN, str(tmp_path / "vault.db")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["True", "ok"]


REFUSED_OFTEN = """
import gc, resource, sys
from commonplace.backends.common.sqlite_file import SqliteFile
from commonplace.model.errors import CommonplaceError

file = SqliteFile(sys.argv[1], prepare=lambda db: None, if_damaged="rename")
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))

class Text:
    "What somebody asked to save."

def save(text):
    try:
        with file.guard():
            file.execute("PRAGMA user_version=1")
    except CommonplaceError:
        pass
    file.require_file()

for _ in range(20):
    try:
        save(Text())
    except CommonplaceError:
        pass
gc.collect()
print(sum(isinstance(one, Text) for one in gc.get_objects()))
"""


def test_what_a_full_disk_refused_is_not_held_for_as_long_as_it_is_full(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REFUSED_OFTEN, str(tmp_path / "vault.db")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(done.stdout) <= 1
