"""An index that follows its store, whatever other threads do to it meanwhile."""

from __future__ import annotations

from pathlib import Path

from commonplace.backends.vault.store import BATCH
from commonplace.books.open import open_book
from commonplace.engine.catch_up import index_new_changes
from commonplace.settings import Settings


def test_an_index_that_is_begun_anew_in_the_midst_of_catching_up_lacks_nothing(
    tmp_path: Path,
) -> None:
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    with open_book(f"vault:{tmp_path}/book", settings=settings, source="person") as book:
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
