"""An index that follows its store, whatever other threads do to it meanwhile."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import apsw
import pytest

from commonplace.backends.vault.store import BATCH
from commonplace.books.open import open_book
from commonplace.engine.catch_up import index_new_changes, with_index
from commonplace.model.scope import EVERYTHING
from commonplace.ports.search_index import Where
from commonplace.settings import Settings

if TYPE_CHECKING:
    from commonplace import Commonplace


def book_in(folder: Path) -> Commonplace:
    settings = Settings(state=str(folder / "state"), embedder="none")
    return open_book(f"vault:{folder}/book", settings=settings, source="person")


def state_file(folder: Path, name: str) -> Path:
    [found] = folder.glob(f"state/*/{name}")
    return found


def test_an_index_that_is_begun_anew_in_the_midst_of_catching_up_lacks_nothing(
    tmp_path: Path,
) -> None:
    with book_in(tmp_path) as book:
        for number in range(BATCH + 1):
            note = tmp_path / "book" / f"note-{number:04}.md"
            note.write_text(f"The quokka of shelf {number} eats figs.\n")
        engine = book._engine
        emptied: list[int] = []

        def empty_once(seen: int) -> None:
            """As another thread does that finds the index damaged."""
            if not emptied:
                emptied.append(seen)
                engine.index.reset()

        index_new_changes(engine, progress=empty_once)
        assert emptied == [BATCH]
        assert len(book.list(limit=2 * BATCH)) == BATCH + 1
        assert book.recall("quokka of shelf 7")


def test_a_recall_in_whose_midst_the_index_is_begun_anew_finds_its_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with book_in(tmp_path) as book:
        for animal in ("badger", "quokka", "walrus"):
            (tmp_path / "book" / f"{animal}.md").write_text(f"The {animal} eats figs at noon.\n")
            book.look()
        # The rows of the others move up in an index that is made anew.
        (tmp_path / "book" / "badger.md").unlink()
        book.look()
        index = book._engine.index
        gather = index.gather

        def gather_before_damage(*words: Any, **named: Any) -> Any:
            """What another thread does between two reads of this one."""
            monkeypatch.undo()
            found = gather(*words, **named)
            state_file(tmp_path, "index.db").unlink()
            assert index.revision()
            return found

        monkeypatch.setattr(index, "gather", gather_before_damage)
        found = book.recall("quokka")
        assert [hit.memory.content for hit in found] == ["The quokka eats figs at noon."]


def test_what_was_read_of_an_index_that_was_just_emptied_is_read_again(tmp_path: Path) -> None:
    with book_in(tmp_path) as book:
        book.save("The quokka eats figs at noon.")
        engine = book._engine
        read: list[int] = []

        def count() -> int:
            if not read:
                engine.index.reset()
            read.append(len(engine.index.select(Where(), visible=EVERYTHING)))
            return read[-1]

        assert with_index(engine, count) == 1
        assert read == [0, 1]


def test_an_older_manifest_does_not_hide_notes_while_another_thread_watches_them(
    tmp_path: Path,
) -> None:
    with book_in(tmp_path) as book:
        book.save("The walrus naps.")
    shutil.copy(state_file(tmp_path, "vault.db"), tmp_path / "older.db")
    with book_in(tmp_path) as book:
        saved = book.save("The quokka eats figs at noon.").memory
    (tmp_path / "older.db").replace(state_file(tmp_path, "vault.db"))
    with book_in(tmp_path) as book:
        found = book.watched().recall("quokka figs")
        assert [hit.memory.id for hit in found] == [saved.id]


ON_A_FULL_DISK = """
import resource, sys
from commonplace.books.open import open_book
from commonplace.model.errors import Unavailable
from commonplace.settings import Settings

folder, limit = sys.argv[1], int(sys.argv[2])
settings = Settings(state=f"{folder}/state", embedder="none")
with open_book(f"vault:{folder}/book", settings=settings, source="person") as opened:
    book = opened.watched()
    for animal in ("quokka", "heron", "badger"):
        book.save(f"The {animal} eats figs at noon.")
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        book.save("The otter has no room.")
        print("saved")
    except Unavailable:
        print("refused")
    print(len(book.recall("who eats figs at noon")))
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    print(len(book.recall("who eats figs at noon")))
    book.save("The walrus naps.")
    print(len(book.recall("walrus naps", limit=1)))
"""


@pytest.mark.parametrize("limit", [0, 4096])
def test_after_a_refused_save_on_a_full_disk_everything_is_found(
    tmp_path: Path, limit: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ON_A_FULL_DISK, str(tmp_path), str(limit)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["refused", "3", "3", "1"]


WHEN_A_DISK_HAS_ROOM_AGAIN = """
import pathlib, resource, sys
from commonplace.books.open import open_book
from commonplace.settings import Settings

folder = pathlib.Path(sys.argv[1])
settings = Settings(state=str(folder / "state"), embedder="none")
with open_book(f"vault:{folder}/book", settings=settings, source="person") as opened:
    book, index = opened.watched(), opened._engine.index
    book.save("The walrus naps.")
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    note = folder / "book" / "badger.md"
    note.write_text("The badger eats figs at noon.")
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    book.look()
    print(index._db.unwritable is not None)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    book.save("The quokka eats figs at noon.")
    # In the file, which this change is not in, the rows of later ones move up.
    note.unlink()
    book.look()
    print(index._db.unwritable is not None)
    gather = index.gather

    def gather_before_the_file(*words, **named):
        found = gather(*words, **named)
        index._db.retry_at_s = 0.0  # Five seconds after the disk was full.
        return found

    index.gather = gather_before_the_file
    print([hit.memory.content for hit in book.recall("quokka")])
    print(index._db.unwritable is not None)
"""


def test_a_recall_in_whose_midst_the_disk_has_room_again_finds_its_memory(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WHEN_A_DISK_HAS_ROOM_AGAIN, str(tmp_path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        "True", "True", "['The quokka eats figs at noon.']", "False",
    ]  # fmt: skip


def test_an_index_that_is_damaged_again_while_it_is_made_anew_answers_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with book_in(tmp_path) as book:
        book.save("The quokka eats figs at noon.")
        index = book._engine.index
        changes = book._engine.store.changes

        def changes_before_damage(*since: Any, **named: Any) -> Any:
            """What happens to the new file while it is filled."""
            monkeypatch.undo()
            state_file(tmp_path, "index.db").unlink()
            return changes(*since, **named)

        monkeypatch.setattr(book._engine.store, "changes", changes_before_damage)
        state_file(tmp_path, "index.db").unlink()
        assert len(index.select(Where(), visible=EVERYTHING)) == 1


def test_an_index_is_not_read_behind_its_store_whose_file_is_replaced_again_and_again(
    tmp_path: Path,
) -> None:
    with book_in(tmp_path) as opened:
        book = opened.watched()
        saved = book.save("The quokka eats figs at noon.").memory
        path, other = state_file(tmp_path, "vault.db"), tmp_path / "other.db"
        manifest: Any = opened._engine.store
        manifest = manifest._leases.connection
        manifest.execute("PRAGMA wal_checkpoint(TRUNCATE)")

        def replace_file() -> None:
            """As other processes do that find it damaged."""
            shutil.copy(path, other)
            other.replace(path)

        use, times = manifest.use, [1]

        def use_what_is_replaced(*given: Any, **named: Any) -> None:
            use(*given, **named)
            if times:
                times.pop()
                replace_file()

        manifest.use = use_what_is_replaced
        opened._engine.index.reset()
        replace_file()
        assert [hit.memory.id for hit in book.recall("quokka")] == [saved.id]
        assert not times


def test_what_was_saved_while_the_manifest_was_in_memory_is_found_at_once(tmp_path: Path) -> None:
    with book_in(tmp_path) as opened:
        book, store = opened.watched(), cast("Any", opened._engine.store)
        book.save("The walrus naps.")
        manifest = store._leases.connection
        manifest.replace(apsw.FullError("database or disk is full"))
        (tmp_path / "book" / "quokka.md").write_text("The quokka eats figs at noon.\n")
        # As a save does whose note is in place when the disk is full.
        store._detect_changes()
        assert manifest.unwritable is not None
        manifest.retry_at_s = 0.0
        assert [hit.memory.content for hit in book.recall("quokka")] == [
            "The quokka eats figs at noon."
        ]
        assert manifest.unwritable is None
        assert store._manifest.unlisted() is None
