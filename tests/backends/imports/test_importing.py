"""Importing into a book: once, as text from outside, through every gate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commonplace import BadInput, Commonplace, NotAllowed
from commonplace.books.imports import open_import
from commonplace.model.results import Imported
from commonplace.notes.exchange import export_head
from tests import as_person
from tests.conftest import OpenBook

from . import samples

KEY = "AKIA" + "QYLPMN5HFIQR7BBB"


def take_in(book: Commonplace, path: Path, **options: object) -> Imported:
    found = open_import(str(path))
    try:
        return book.take_in(found.drafts, kind=found.kind, **options)  # pyright: ignore[reportArgumentType]
    finally:
        found.close()


def written(folder: Path, kind: str) -> Path:
    name, text = samples.FILES[kind]
    (folder / name).write_text(text)
    return folder / name


def state_of(book: Commonplace) -> list[object]:
    events = [one for one in book.audit(limit=10_000) if one.action != "refused"]
    return [list(book.export(everything=True)), events]


@pytest.mark.parametrize("kind", samples.FILES)
def test_importing_twice_changes_nothing(book: Commonplace, tmp_path: Path, kind: str) -> None:
    path = written(tmp_path, kind)
    first = take_in(book, path)
    assert first.saved >= 2
    before = state_of(book)
    again = take_in(book, path)
    assert (again.saved, again.updated, again.known) == (0, 0, first.saved)
    assert again.read == first.read
    assert state_of(book) == before


def test_what_is_imported_counts_as_from_outside(book: Commonplace, tmp_path: Path) -> None:
    take_in(book, written(tmp_path, "letta"))
    found = list(book.export())
    assert {one.source for one in found} == {"import:letta"}
    assert {one.trust for one in found} == {"external"}
    assert "Chad" not in book.session_start().text


def test_an_export_comes_back_into_another_book(
    book: Commonplace, open_at: OpenBook, tmp_path: Path
) -> None:
    book.save("Owls hunt at dusk", tags=["night"], scope="/project/farm", topic="owls")
    book.fact_store("deploy.branch", "main")
    book.forget(book.save("Cows fly").id)
    other = open_at(f"sqlite:{tmp_path / 'other.db'}")
    for name in ("all.jsonl", "all.json", "all.zip", "all"):
        book.export_to(str(tmp_path / name), everything=True)
    first = take_in(other, tmp_path / "all.jsonl")
    assert (first.kind, first.saved, first.left_out) == ("commonplace", 2, 1)
    owls = next(one for one in other.export() if "Owls" in one.content)
    assert (owls.tags, str(owls.scope), owls.topic) == (("night",), "/project/farm", "owls")
    assert other.fact_recall("deploy.branch") is not None
    for name in ("all.json", "all.zip", "all"):
        again = take_in(other, tmp_path / name)
        assert (again.kind, again.saved, again.known) == ("commonplace", 0, 2)


def test_an_export_into_its_own_book_changes_nothing(book: Commonplace, tmp_path: Path) -> None:
    book.save("Owls hunt at dusk")
    book.edit(book.save("Robots fight in threes").id, content="Robots fight in pairs")
    book.export_to(str(tmp_path / "all.jsonl"), everything=True)
    before = state_of(book)
    done = take_in(book, tmp_path / "all.jsonl")
    assert (done.saved, done.known) == (0, 2)
    assert state_of(book) == before


def test_a_later_file_updates_what_nobody_touched_since(book: Commonplace, tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    entity = {
        "type": "entity",
        "name": "Ada",
        "entityType": "person",
        "observations": ["likes tea"],
    }
    path.write_text(samples.lines(entity))
    take_in(book, path)
    path.write_text(samples.lines(entity | {"observations": ["likes tea", "plays chess"]}))
    done = take_in(book, path)
    assert (done.saved, done.updated) == (0, 1)
    (ada,) = book.export()
    assert ada.content.endswith("- plays chess")
    assert ada.supersedes is not None
    book.forget(ada.id)
    path.write_text(samples.lines(entity | {"observations": ["never mind"]}))
    assert take_in(book, path).known == 1, "what a person forgot does not come back"
    assert list(book.export()) == []


def test_one_id_for_two_things_keeps_both(book: Commonplace, tmp_path: Path) -> None:
    path = tmp_path / "mem0.json"
    path.write_text(
        json.dumps([{"id": "1", "memory": "Red car"}, {"id": "1", "memory": "Blue bike"}])
    )
    assert take_in(book, path).saved == 2
    assert take_in(book, path).known == 2


def test_secrets_and_empty_texts_are_counted_with_their_reasons(
    book: Commonplace, tmp_path: Path
) -> None:
    path = tmp_path / "ours.jsonl"
    texts = [f"The key is {KEY}", "Owls hunt at dusk", "bell \x07", f"Another key is {KEY[:-1]}C"]
    path.write_text(f"{export_head()}\n" + samples.lines(*({"content": one} for one in texts)))
    rehearsed = take_in(book, path, dry_run=True)
    assert list(book.export(everything=True)) == []
    done = take_in(book, path)
    assert done == rehearsed.but(dry_run=False)
    assert (done.saved, done.refused, done.left_out) == (1, 2, 1)
    assert done.reasons[0][1] == 2
    assert "credential" in done.reasons[0][0]
    assert KEY not in str(done)


def test_a_damaged_file_changes_nothing(book: Commonplace, tmp_path: Path) -> None:
    path = tmp_path / "ours.jsonl"
    good = samples.lines(*({"content": f"Crate {n} holds {n} bolts"} for n in range(700)))
    path.write_text(f"{export_head()}\n{good}{{torn\n")
    with pytest.raises(BadInput, match="entry 702"):
        take_in(book, path)
    assert list(book.export(everything=True)) == []


def test_everything_can_be_put_into_one_scope(book: Commonplace, tmp_path: Path) -> None:
    path = written(tmp_path, "mem0")
    take_in(book, path, scope="/project/x")
    assert {str(one.scope) for one in book.export()} == {"/project/x"}
    assert take_in(book, path).saved == 2, "another scope is another place"


def test_nobody_imports_into_a_scope_of_others(book: Commonplace, tmp_path: Path) -> None:
    ada = book.as_context({"org": "acme", "user": "ada", "role": "member"})
    with pytest.raises(NotAllowed):
        take_in(ada, written(tmp_path, "mem0"))
    assert list(book.export(everything=True)) == []
    assert take_in(ada, written(tmp_path, "chatgpt-memories")).saved == 2
    assert {str(one.scope) for one in book.export()} == {"/org/acme/user/ada"}


def test_purged_text_does_not_come_back_by_import(book: Commonplace, tmp_path: Path) -> None:
    path = written(tmp_path, "chatgpt-memories")
    take_in(book, path)
    seats = next(one for one in book.export() if "seats" in one.content)
    as_person(book).purge(seats.id)
    done = take_in(book, path)
    assert (done.saved, done.refused) == (0, 1)


def test_progress_counts_up_to_all_of_it(book: Commonplace, tmp_path: Path) -> None:
    path = tmp_path / "ours.jsonl"
    path.write_text(samples.lines(*({"content": f"Crate {n} holds {n} bolts"} for n in range(701))))
    seen: list[tuple[int, int]] = []
    take_in(book, path, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(500, 701), (701, 701)]


def test_imported_turns_keep_their_dates_and_are_no_memories_of_their_own(
    book: Commonplace, tmp_path: Path
) -> None:
    book.save("We deploy from the branch main")
    file = tmp_path / "conversations.json"
    file.write_text(samples.CLAUDE, encoding="utf-8")
    take_in(book, file)
    hit = book.recall("How long does dough rest?")[0]
    assert hit.memory.created.year == 2025
    assert [one.content for one in book.list()] == ["We deploy from the branch main"]
    assert sum(count for _, count in book.overview().by_kind) == 1
    assert len(book.list(kinds=["turn"])) == 2


def test_a_dry_run_counts_what_the_import_does(book: Commonplace, tmp_path: Path) -> None:
    path = tmp_path / "memories.txt"
    path.write_text(
        "[2025-05-01] - Prefers window seats.\n"
        "[2025-05-02] - Prefers window seats.\n"
        "[2025-05-03] - Has two cats.\n"
        f"[2025-05-04] - The key is {KEY}.\n"
        "[2025-05-05] - Has two cats.\n"
    )
    before = state_of(book)
    told = take_in(book, path, dry_run=True)
    assert state_of(book) == before
    done = take_in(book, path)
    assert told.but(dry_run=False) == done
    assert (done.saved, done.known, done.refused) == (2, 2, 1)
