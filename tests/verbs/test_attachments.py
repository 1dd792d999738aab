"""A very large original lies beside its note, and goes wherever the memory goes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Settings
from commonplace.backends.ciphers.fernet import make_key
from commonplace.books.imports import open_import
from commonplace.books.open import open_book
from commonplace.books.restore import restore_backup
from commonplace.notes.attachments import LARGE_CHARACTERS, collapsed, linked_original
from commonplace.notes.note import join_note, split_note
from tests.conftest import OpenBook
from tests.on_disk import contents

LINES = [f"{n:05}: the pump reported pressure {n % 97} in hall {n % 7}\n" for n in range(2_000)]
LOG = "".join(LINES)
"""A log of a hundred thousand characters, no two lines of it alike."""


def attached(vault: Path) -> list[Path]:
    return sorted(vault.rglob("_attachments/*"))


def holds(vault: Path, text: str) -> list[Path]:
    """The files below a folder that hold a text, hidden ones included."""
    data = text.encode()
    return [path for path, held in contents(vault) if data in held]


def test_large_original_is_an_attachment_and_comes_back_whole(
    open_vault: OpenBook, vault: Path
) -> None:
    with open_vault() as book:
        saved = book.save(LOG, title="Log of the pumps").memory
        assert saved.content == LOG
        assert saved.summary
        [file] = attached(vault)
        assert file.read_text(encoding="utf-8") == LOG
        [note] = vault.glob("system/memory/insight/*.md")
        text = note.read_text(encoding="utf-8")
        assert len(text) < 3_000
        assert text.endswith(f"{saved.summary}\n\nOriginal: [[_attachments/{file.stem}]]\n")
        assert book.get(saved.id) == saved
        assert book.recall("pressure 31 in hall 6")[0].memory.id == saved.id
    with open_vault() as book:
        assert book.get("Log of the pumps").content == LOG
        assert book.doctor() == []


def test_short_memories_have_no_attachment(open_vault: OpenBook, vault: Path) -> None:
    with open_vault() as book:
        book.save("x" * 10 + " " + "word " * 1_000)
    assert attached(vault) == []


def test_purge_leaves_no_word_of_the_original(open_vault: OpenBook, vault: Path) -> None:
    with open_vault(source="person") as book:
        saved = book.save(LOG, title="Log of the pumps").memory
        newer = book.edit(saved.id, content=LOG + "01: the end\n")
        assert len(attached(vault)) >= 1
        book.purge(newer.id)
        assert attached(vault) == []
        assert holds(vault, "the pump reported") == []


def test_attachment_of_a_killed_writer_goes_with_its_memory(
    open_vault: OpenBook, vault: Path
) -> None:
    with open_vault(source="person") as book:
        saved = book.save(LOG, title="Log of the pumps").memory
        [file] = attached(vault)
        left = file.with_name(f"{saved.id}-00000000.md")
        left.write_text("the pump reported something", encoding="utf-8")
        torn = file.with_name(f".{file.name}.1-1.tmp")
        torn.write_text("the pump reported half", encoding="utf-8")
        book.purge(saved.id)
        assert holds(vault, "the pump reported") == []


def test_original_moves_with_its_note_and_comes_back(open_vault: OpenBook, vault: Path) -> None:
    with open_vault(source="person") as book:
        saved = book.save(LOG, title="Log of the pumps").memory
        book.forget(saved.id)
        [file] = attached(vault)
        assert file.parent.parent.name == "_archive"
        book.restore(saved.id)
        [file] = attached(vault)
        assert file.parent.parent.name == "insight"
        assert book.get(saved.id).content == LOG
        small = book.edit(saved.id, content="The pumps are fine now")
        live = [one for one in attached(vault) if one.parent.parent.name == "insight"]
        assert live == []
        assert book.get(small.id).content == "The pumps are fine now"


def test_summary_that_a_person_edits_holds(open_vault: OpenBook, vault: Path) -> None:
    with open_vault() as book:
        saved = book.save(LOG, title="Log of the pumps").memory
        [note] = vault.glob("system/memory/insight/*.md")
        text = note.read_text(encoding="utf-8")
        start = text.index(saved.summary)
        end = text.index("\n\nOriginal: ")
        note.write_text(f"{text[:start]}All pumps, one day.{text[end:]}", encoding="utf-8")
        now = book.get(saved.id)
        assert (now.summary, now.content) == ("All pumps, one day.", LOG)
        tagged = book.edit(saved.id, tags=["pump"])
        assert (tagged.summary, tagged.content, tagged.tags) == (now.summary, LOG, ("pump",))


def test_missing_original_is_named_and_nothing_else_is_lost(
    open_vault: OpenBook, vault: Path
) -> None:
    with open_vault() as book:
        saved = book.save(LOG, title="Log of the pumps").memory
        [file] = attached(vault)
        away = vault.parent / "away.md"
        os.replace(file, away)
        [note] = vault.glob("system/memory/insight/*.md")
        os.utime(note)
        assert saved.summary in book.get(saved.id).content
        assert any("is missing" in one.what for one in book.doctor())
        book.edit(saved.id, tags=["pump"])
        os.replace(away, file)
        os.utime(note)
        assert book.get(saved.id).content == LOG
        assert book.get(saved.id).tags == ("pump",)


def test_original_without_a_note_is_reported(open_vault: OpenBook, vault: Path) -> None:
    with open_vault() as book:
        book.save(LOG, title="Log of the pumps")
        [note] = vault.glob("system/memory/insight/*.md")
        note.unlink()
        assert [one.what for one in book.doctor()] == ["No memory has this original."]


def test_large_note_of_a_person_stays_one_file(open_vault: OpenBook, vault: Path) -> None:
    with open_vault(source="person") as book:
        folder = vault / "system" / "note"
        folder.mkdir(parents=True)
        (folder / "log.md").write_text(LOG, encoding="utf-8")
        [found] = book.list(kinds=["note"])
        book.edit(found.id, tags=["pump"])
        assert attached(vault) == []
        assert LOG.strip() in (folder / "log.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("target", ["notes", "all.jsonl"])
def test_export_and_import_have_the_whole_text(
    open_vault: OpenBook, open_at: OpenBook, tmp_path: Path, target: str
) -> None:
    with open_vault() as book:
        book.save(LOG, title="Log of the pumps")
        book.export_to(str(tmp_path / target))
    taken = open_at(f"sqlite:{tmp_path / 'taken.db'}")
    found = open_import(str(tmp_path / target))
    taken.take_in(found.drafts, kind=found.kind)
    found.close()
    assert [one.content for one in taken.list()] == [LOG]


def test_backup_brings_the_original_back(open_vault: OpenBook, vault: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "backups")
    with open_vault() as book:
        saved = book.save(LOG, title="Log of the pumps").memory
        book.backup(place)
    to = f"vault:{tmp_path / 'back'}"
    settings = Settings(state=str(tmp_path / "elsewhere"), embedder="none")
    restore_backup(place, to, settings=settings)
    assert [file.read_text(encoding="utf-8") for file in attached(tmp_path / "back")] == [LOG]
    with open_book(to, settings=settings, background=False) as again:
        assert again.get(saved.id).content == LOG


def test_sealed_original_is_never_on_the_disk_as_text(
    open_vault: OpenBook, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMONPLACE_KEY", make_key())
    with open_vault(source="person") as book:
        sealed = book.save(LOG, title="Log of the pumps", seal=True).memory
        assert attached(vault)
        assert holds(tmp_path, "the pump reported") == []
        assert book.reveal(sealed.id).text == LOG
        book.purge(sealed.id)
        assert attached(vault) == []


def test_erased_user_leaves_no_original(open_vault: OpenBook, vault: Path) -> None:
    with open_vault(source="person") as book:
        book.as_context({"user": "ada"}).save(LOG, title="Log of the pumps")
        assert attached(vault)
        book.erase_user("ada")
        assert holds(vault, "the pump reported") == []


@settings(deadline=None, max_examples=50)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=60))
def test_collapsed_note_gives_back_name_and_summary(summary: str) -> None:
    summary = summary.strip()
    note = "---\nid: abc12345\n---\nThe long text\n"
    text = collapsed(note, "abc12345-00ff00ff", summary)
    found = linked_original(text)
    assert found == ("abc12345-00ff00ff", summary)
    assert join_note(split_note(text)) == text


@pytest.mark.parametrize("length", [LARGE_CHARACTERS, LARGE_CHARACTERS + 1])
def test_limit_is_sharp(open_vault: OpenBook, vault: Path, length: int) -> None:
    with open_vault() as book:
        saved = book.save(LOG[: length - 1] + "!").memory
        assert book.get(saved.id).content == saved.content
    assert len(attached(vault)) == (length > LARGE_CHARACTERS)
