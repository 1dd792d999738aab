"""A purge holds for an index that was not there to hear of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.settings import Settings


def opened(folder: Path) -> Commonplace:
    settings = Settings(state=str(folder / "state"), embedder="none")
    return open_book(f"vault:{folder / 'book'}", settings=settings, source="person")


def purged_behind_the_index(folder: Path) -> tuple[str, str]:
    """Ids of a purged and a kept memory of a book whose index has both, as after a full disk."""
    with opened(folder) as book:
        purged = book.save("The code of the gate is on the blue card").id
        kept = book.save("The bakery opens at seven").id
    (index,) = (folder / "state").rglob("index.db")
    shutil.copy(index, folder / "older.db")
    with opened(folder) as book:
        book.purge(purged)
        book.save("The tram stops at the mill")
    shutil.copy(folder / "older.db", index)
    return purged, kept


def test_a_purged_memory_in_an_older_copy_of_the_index_is_not_shown(tmp_path: Path) -> None:
    purged, kept = purged_behind_the_index(tmp_path)
    with opened(tmp_path) as book:
        exported = [one.id for one in book.export(everything=True)]
        listed = [one.id for one in book.list()]
    assert kept in exported
    assert kept in listed
    assert purged not in exported
    assert purged not in listed


def test_a_purged_memory_in_an_older_copy_of_the_index_goes_with_the_next_sync(
    tmp_path: Path,
) -> None:
    purged, kept = purged_behind_the_index(tmp_path)
    (index,) = (tmp_path / "state").rglob("index.db")
    with opened(tmp_path) as book:
        book.sync()
        shown = [one.id for one in book.export(everything=True)]
        assert kept in shown
        assert purged not in shown
    assert b"blue card" not in index.read_bytes()
