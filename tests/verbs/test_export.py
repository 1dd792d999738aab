"""Exports: everything that is meant, the same every time, and there whole or not at all."""

from __future__ import annotations

import io
import json
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace import BadInput, Commonplace, Conflict
from commonplace.model.memory import Memory
from commonplace.model.scope import Scope
from commonplace.notes.exchange import (
    export_line,
    memory_from_fields,
    memory_from_note,
    note_path,
    record_fingerprint,
    scope_at,
)
from commonplace.verbs.export import as_json_document, as_json_lines, as_notes, pack

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def contents(book: Commonplace, **conditions: object) -> list[str]:
    return [one.content for one in book.export(**conditions)]  # pyright: ignore[reportArgumentType]


def test_export_holds_what_list_shows_oldest_first(book: Commonplace) -> None:
    book.save("Owls hunt at dusk", kind="fact", topic="owls", tags=["night"])
    book.save("Bees dance", scope="/project/farm")
    book.forget(book.save("Cows fly").id)
    assert contents(book) == ["Owls hunt at dusk", "Bees dance"]
    assert contents(book, everything=True) == ["Owls hunt at dusk", "Bees dance", "Cows fly"]
    assert contents(book, scope="/project/farm") == ["Bees dance"]
    assert contents(book, tags=["night"], topic="owls", kinds=["fact"]) == ["Owls hunt at dusk"]
    assert contents(book, statuses=["deleted"]) == ["Cows fly"]


def test_export_shows_nobody_more_than_they_may_see(book: Commonplace) -> None:
    book.save("Ada's own", scope="/user/ada")
    book.save("Bob's own", scope="/user/bob")
    ada = book.as_context({"user": "ada"})
    assert contents(ada, everything=True) == ["Ada's own"]


def test_memories_of_one_moment_are_exported_once_each(book: Commonplace) -> None:
    book.save_many({"content": f"Egg {n} of the nest", "created": NOON} for n in range(1_203))
    told = contents(book)
    assert len(told) == len(set(told)) == 1_203


def test_two_exports_are_the_same_bytes(book: Commonplace, tmp_path: Path) -> None:
    book.save("Ölwechsel im März", tags=["auto"])
    book.fact_store("deploy.branch", "main")
    for ending in (".jsonl", ".json", ".zip"):
        one, two = (tmp_path / f"{name}{ending}" for name in ("one", "two"))
        assert book.export_to(str(one)).memories == book.export_to(str(two)).memories == 2
        assert one.read_bytes() == two.read_bytes()
        assert one.stat().st_mode & 0o777 == 0o600 or os.name == "nt"


def test_lines_and_document_read_back_as_the_memories(book: Commonplace) -> None:
    saved = book.save("Owls hunt at dusk", tags=["night"], scope="/user/ada").memory
    first, *rest = b"".join(as_json_lines([saved, saved])).decode().splitlines()
    assert json.loads(first) == {"format": "commonplace", "version": 1}
    assert [memory_from_fields(json.loads(one), now=NOON) for one in rest] == [saved, saved]
    whole = json.loads(b"".join(as_json_document([saved, saved])))
    assert [memory_from_fields(one, now=NOON) for one in whole["memories"]] == [saved, saved]
    assert json.loads(b"".join(as_json_document([])))["memories"] == []


def test_notes_go_into_a_folder_for_each_scope(book: Commonplace, tmp_path: Path) -> None:
    book.save("Owls hunt", title="Owls", scope="/project/Farm")
    book.save("Owls sleep", title="Owls", scope="/project/Farm")
    book.export_to(str(tmp_path / "notes"))
    found = sorted(
        str(one.relative_to(tmp_path / "notes")) for one in tmp_path.rglob("notes/**/*.md")
    )
    assert len(found) == 2
    assert all(one.startswith("project/+farm/owls-") for one in found)
    assert (tmp_path / "notes").stat().st_mode & 0o077 == 0 or os.name == "nt"
    packed = io.BytesIO()
    pack(book.export(), packed)
    with zipfile.ZipFile(packed) as folder:
        assert sorted(folder.namelist()) == found


def test_two_memories_of_one_name_are_two_notes() -> None:
    twins = [Memory(id, f"Text {id}", NOON, NOON, slug="same") for id in ("a1", "b2")]
    assert [path for path, _ in as_notes(twins)] == ["system/same.md", "system/same-b2.md"]


def test_what_is_there_is_not_overwritten(book: Commonplace, tmp_path: Path) -> None:
    book.save("Owls hunt at dusk")
    file, folder = tmp_path / "mine.jsonl", tmp_path / "mine"
    file.write_text("precious")
    folder.mkdir()
    (folder / "diary.md").write_text("precious")
    with pytest.raises(Conflict):
        book.export_to(str(file))
    with pytest.raises(Conflict):
        book.export_to(str(folder), replace=True)
    assert (file.read_text(), (folder / "diary.md").read_text()) == ("precious", "precious")
    assert book.export_to(str(file), replace=True).memories == 1
    (folder / "diary.md").unlink()
    assert book.export_to(str(folder)).format == "markdown"
    with pytest.raises(BadInput, match="Unknown export format"):
        book.export_to(str(tmp_path / "x"), format="docx")


def test_an_export_that_fails_leaves_nothing_behind(book: Commonplace, tmp_path: Path) -> None:
    book.save("Owls hunt at dusk")
    room = tmp_path / "room"
    room.mkdir()
    (room / "file").write_text("in the way")
    with pytest.raises(BadInput):
        book.export_to(str(room / "file" / "below.jsonl"))
    assert os.listdir(room) == ["file"]


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)
VALUES = TEXT.map(str.strip).filter(
    lambda t: t and "/" not in t and "\\" not in t and t not in ".."
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(content=TEXT.filter(str.strip), tags=st.lists(VALUES, max_size=3), project=VALUES)
def test_every_memory_survives_the_line_and_the_note(
    content: str, tags: list[str], project: str
) -> None:
    try:
        scope = Scope((("project", project),))
        path = note_path(Memory("abc123", content, NOON, NOON, scope=scope))
    except BadInput:
        return
    memory = Memory("abc123", content, NOON, NOON, scope=scope, tags=tuple(tags), slug="owl")
    assert memory_from_fields(json.loads(export_line(memory)), now=NOON) == memory
    assert record_fingerprint(memory) == record_fingerprint(
        memory_from_fields(json.loads(export_line(memory)), now=NOON)
    )
    assert scope_at(path) == memory.scope
    ((path, text),) = as_notes([memory])
    assert memory_from_note(path, text, now=NOON).content == content
