"""The SQLite index as a file: broken, foreign, shared between processes, and wiped."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace.backends.sql.sqlite.index import SqliteIndex
from commonplace.model.errors import IndexUnavailable
from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING
from commonplace.ports.record_store import Changes, Document
from commonplace.ports.search_index import Where
from tests import ROOT
from tests.conformance.samples import memory
from tests.conformance.searching import search

SECRET = "the zanzibarquokka password is hunterxylophone"
WORDS = (b"zanzibarquokka", b"hunterxylophone")
WRITER = """
import sys
from commonplace.backends.sql.sqlite.index import SqliteIndex
from commonplace.ports.record_store import Changes, Document
from tests.conformance.samples import memory
index = SqliteIndex(sys.argv[1])
for number in range(40):
    one = memory(f"tea {sys.argv[2]} {number}")
    index.apply(Changes(number, (Document(f"{one.id}.md", (one,)),)))
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "index.db"


def fill(path: Path, *memories: Memory, revision: int = 1) -> None:
    index = SqliteIndex(str(path))
    index.apply(Changes(revision, tuple(Document(f"{m.slug}.md", (m,)) for m in memories)))
    index.close()


def found(index: SqliteIndex, query: str) -> list[str]:
    matches = search(index, query, visible=EVERYTHING, where=Where(), limit=10)
    return [match.memory.id for match in matches]


def bytes_of(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_an_index_is_there_again_when_opened_again(path: Path) -> None:
    tea = memory("Ada likes tea")
    fill(path, tea, revision=7)
    index = SqliteIndex(str(path))
    assert (index.revision(), found(index, "tea")) == (7, [tea.id])
    assert index.location == str(path)
    index.close()


@pytest.mark.parametrize(
    "content", [b"", b"not a database at all" * 500, b"SQLite format 3\0" + b"\xff" * 9000]
)
def test_a_file_that_is_no_index_is_replaced(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    index = SqliteIndex(str(path))
    assert index.revision() == 0
    assert found(index, "tea") == []
    index.close()


def test_another_programs_database_is_replaced(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE memories (x)")
    other.close()
    index = SqliteIndex(str(path))
    assert index.revision() == 0
    index.close()


@pytest.mark.parametrize("version", [1, 99])
def test_an_index_of_another_format_is_rebuilt(path: Path, version: int) -> None:
    fill(path, memory("Ada likes tea"), revision=7)
    with sqlite3.connect(path) as other:
        other.execute(f"PRAGMA user_version = {version}")
    other.close()
    index = SqliteIndex(str(path))
    assert index.revision() == 0
    index.close()


def test_damage_met_while_reading_is_said_once_and_then_mended(path: Path) -> None:
    fill(path, *(memory(f"Ada likes tea {n} times {'x' * 300}") for n in range(200)), revision=7)
    with sqlite3.connect(path) as other:
        [page] = other.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'memories'"
        ).fetchone()
    other.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: (page - 1) * 4096] + b"\xa5" * 4096 + whole[page * 4096 :])
    index = SqliteIndex(str(path))
    with pytest.raises(IndexUnavailable) as raised:
        found(index, "tea")
    assert raised.value.hint
    assert index.revision() == 0
    index.apply(Changes(1, (Document("a.md", (memory("Ada likes tea"),)),)))
    assert len(found(index, "tea")) == 1
    index.close()


def test_a_missing_table_is_damage_too(path: Path) -> None:
    fill(path, memory("Ada likes tea"))
    with sqlite3.connect(path) as other:
        other.execute("DROP TABLE documents")
    other.close()
    index = SqliteIndex(str(path))
    with pytest.raises(IndexUnavailable):
        found(index, "tea")
    assert found(index, "tea") == []
    index.close()


def test_a_damaged_index_can_be_reset(path: Path) -> None:
    fill(path, *(memory(f"Ada likes tea {n}") for n in range(200)))
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    index = SqliteIndex(str(path))
    index.reset()
    assert index.revision() == 0
    index.close()


def test_a_place_that_cannot_hold_an_index_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(IndexUnavailable) as raised:
        SqliteIndex(str(tmp_path / "file" / "index.db"))
    assert raised.value.hint


def test_a_closed_index_says_so(path: Path) -> None:
    index = SqliteIndex(str(path))
    index.close()
    index.close()
    with pytest.raises(IndexUnavailable):
        index.revision()


def test_no_byte_of_a_forgotten_memory_stays_in_the_file(path: Path) -> None:
    crowd = [memory(f"Ada likes tea {n}") for n in range(50)]
    secret = memory(SECRET, title=SECRET, tags=("zanzibarquokka",), key="hunterxylophone")
    index = SqliteIndex(str(path))
    index.apply(Changes(1, tuple(Document(f"{m.slug}.md", (m,)) for m in (*crowd, secret))))
    assert all(word in bytes_of(path) for word in WORDS)
    index.forget([secret.id])
    assert not any(word in bytes_of(path) for word in WORDS)
    # What the store then says of the place carries its name, which repeats the words.
    index.apply(Changes(2, (Document(f"{secret.slug}.md"),)))
    assert not any(word in bytes_of(path) for word in WORDS)
    assert len(found(index, "tea")) == 10
    index.close()
    assert not any(word in bytes_of(path) for word in WORDS)


@pytest.mark.parametrize("removed", [False, True])
def test_no_byte_of_what_it_said_earlier_stays_either(path: Path, removed: bool) -> None:
    secret = memory(SECRET, "/user/ada/task/1")
    later = () if removed else (secret.but(content="nothing of interest", slug="edited"),)
    index = SqliteIndex(str(path))
    index.apply(Changes(1, (Document("a.md", (secret,)),)))
    for number in range(30):
        other = memory(f"Ada likes tea {number}")
        index.apply(Changes(2, (Document(f"{number}.md", (other,)),)))
    index.apply(Changes(3, (Document("a.md", later),)))
    index.forget([secret.id])
    assert not any(word in bytes_of(path) for word in WORDS)
    assert len(found(index, "tea")) == 10
    index.close()


def test_no_byte_survives_a_reset(path: Path) -> None:
    fill(path, memory(SECRET))
    index = SqliteIndex(str(path))
    index.reset()
    assert not any(word in bytes_of(path) for word in WORDS)
    index.close()


def test_only_its_user_can_read_the_file(path: Path) -> None:
    fill(path, memory("Ada likes tea"))
    assert path.stat().st_mode & 0o077 == 0


def test_processes_write_and_open_one_index_at_once(path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), f"writer{n}"],
                         cwd=ROOT)
        for n in range(4)
    ]  # fmt: skip
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 4
    index = SqliteIndex(str(path))
    assert index.count(Where(), visible=EVERYTHING, by="kind") == {"insight": 160}
    assert len(found(index, "writer3")) == 10
    index.close()


def test_a_reader_sees_one_state_while_another_process_writes(path: Path) -> None:
    fill(path, *(memory(f"tea {n}") for n in range(20)))
    reader, writer = SqliteIndex(str(path)), SqliteIndex(str(path))
    for number in range(30):
        writer.apply(Changes(number, (Document("moving.md", (memory(f"tea and cake {number}"),)),)))
        assert len(found(reader, "cake")) == 1
    reader.close()
    writer.close()


def test_what_recall_imports_is_cheap() -> None:
    heavy = {
        "dataclasses", "inspect", "typing", "pathlib", "hashlib", "logging", "uuid", "random",
        "tempfile", "ruamel", "threading", "commonplace.language.scripts",
        "commonplace.backends.sql.sqlite.index_writer", "commonplace.backends.sql.index.links",
    }  # fmt: skip
    script = "import sys, commonplace.backends.sql.sqlite.index; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {script}"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert heavy & set(done.stdout.split()) == set()
