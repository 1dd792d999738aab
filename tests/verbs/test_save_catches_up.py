"""A save knows the notes that lie in the vault, whoever wrote them."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.conftest import OpenBook

BRANCH = "The deploy branch is main"
PORT = "The staging database listens on port 5432"
TEA = "Ada likes green tea"
MOVES = {
    "I live in Munich.": "I moved to Berlin.",
    "Production runs Postgres 14.": "We upgraded the production database to Postgres 16.",
    "The nightly job starts at two in the morning.": "The nightly run now begins at four.",
}
"""Some share no word with what replaces them, and need its vector."""


def write_note(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "branch.md"
    path.write_text(f"{text}\n")
    return path


def test_a_save_after_the_state_was_deleted_is_known(open_vault: OpenBook, tmp_path: Path) -> None:
    with open_vault(state="lost") as book:
        first = book.save(BRANCH)
    shutil.rmtree(tmp_path / "lost")
    with open_vault(state="lost") as book:
        again = book.save(BRANCH)
        assert (again.action, again.id) == ("deduplicated", first.id)
        assert len(book.list()) == 1


def test_a_save_in_an_open_book_whose_state_was_deleted_is_known(
    open_vault: OpenBook, tmp_path: Path
) -> None:
    with open_vault(state="lost") as book:
        book.save_many([PORT, BRANCH])
        shutil.rmtree(tmp_path / "lost")
        assert book.save(BRANCH).action == "deduplicated"


def test_saves_in_a_copied_vault_notice_what_they_would_at_home(
    open_vault: OpenBook, open_at: OpenBook, vault: Path, tmp_path: Path
) -> None:
    with open_vault(embedder="bundled") as book:
        for text in MOVES:
            book.save(text)
    actions: dict[str, list[str]] = {}
    for name in ("synced", "unseen"):
        shutil.copytree(vault, tmp_path / name)
        with open_at(f"vault:{tmp_path / name}", state=name, embedder="bundled") as copied:
            if name == "synced":
                copied.sync()
            actions[name] = [copied.save(text).action for text in MOVES.values()]
    assert actions["unseen"] == actions["synced"]
    assert actions["unseen"].count("superseded") == len(MOVES)


def test_a_note_written_or_removed_by_hand_is_known_to_the_next_save(
    open_vault: OpenBook, vault: Path
) -> None:
    with open_vault() as book:
        book.save_many([PORT, TEA])
        book.save(TEA)
        note = write_note(vault / "memory" / "insight", BRANCH)
        assert book.save(BRANCH).action == "deduplicated"
        note.unlink()
        assert book.save(BRANCH).action == "created"


def test_a_note_in_a_new_folder_is_known_to_the_next_save(
    open_vault: OpenBook, vault: Path
) -> None:
    with open_vault(context={"project": "kestrel"}) as book:
        book.save(PORT, scope="/")
        book.save(TEA, scope="/")
        write_note(vault / "projects" / "kestrel" / "memory" / "insight", BRANCH)
        assert book.save(BRANCH, scope="/project/kestrel").action == "deduplicated"


def test_a_note_edited_in_place_is_known_to_the_next_command(
    open_vault: OpenBook, vault: Path
) -> None:
    with open_vault() as book:
        book.save(PORT)
        note = write_note(vault / "memory" / "insight", "The deploy branch is old")
        book.list()
    before = note.parent.stat().st_mtime_ns
    note.write_text(f"{BRANCH}\n")
    assert note.parent.stat().st_mtime_ns == before, "this leaves the folder's time as it was"
    with open_vault() as book:
        assert book.save(BRANCH).action == "deduplicated"


def test_a_save_of_a_server_knows_a_note_written_a_moment_ago(
    open_vault: OpenBook, vault: Path
) -> None:
    with open_vault() as book:
        book.save_many([PORT, TEA])
        served = book.watched()
        write_note(vault / "memory" / "insight", BRANCH)
        assert served.save(BRANCH).action == "deduplicated"


def test_a_corrected_note_edited_by_hand_is_no_reason_to_build_the_index_anew(
    open_vault: OpenBook, vault: Path
) -> None:
    book = open_vault(source="person")
    wrong = book.save("The bakery opens at seven")
    book.correct(wrong.id, "The bakery opens at eight")
    note = next(vault.rglob("the-bakery-opens-at-eight*.md"))
    note.write_text(note.read_text().replace("opens at eight", "is closed on Mondays"))
    book.sync()
    assert [one.what for one in book.doctor() if one.where == "index"] == []
