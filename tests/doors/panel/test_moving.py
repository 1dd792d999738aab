"""Taking memories away and in: nothing is lost on the way, nothing is added twice."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from commonplace import BadInput
from commonplace.doors.panel.pages.transfer import open_upload as opened_file
from commonplace.model.memory import Draft
from tests import as_person

from .conftest import Opened
from .serving import Panel


def drafts(name: str, data: bytes) -> list[Draft]:
    found = opened_file(name, data).drafts()
    return [one for one in found if isinstance(one, Draft)]


def download(page: Page, name: str) -> bytes:
    with page.expect_download() as waiting:
        page.get_by_role("link", name=name, exact=True).click()
    return Path(waiting.value.path()).read_bytes()


def test_everything_is_exported_as_json_and_comes_back(
    opened: Opened, panel: Panel, tmp_path: Path
) -> None:
    saved = panel.book.save(
        "The cellar key hangs behind the clock", tags=["keys"], scope="/project/house"
    )
    panel.book.save("Ölwechsel im März: 5 Liter")
    page = opened("/export")
    exported = json.loads(download(page, "As JSON"))
    assert {one["content"] for one in exported["memories"]} == {
        one.content for one in panel.book.list(limit=100)
    }
    # Into a book that lost it: by the same words, in the same scope, with the same tags.
    as_person(panel.book).purge(panel.book.save("The garden hose leaks at the tap").id)
    fresh = {**exported["memories"][0], "id": "", "content": "The attic has a second window"}
    file = tmp_path / "memories.json"
    file.write_text(json.dumps({"memories": [*exported["memories"], fresh]}))
    before = len(panel.book.list(limit=100))
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator(".cp-imported")).to_contain_text("3 memories read")
    after = panel.book.list(limit=100)
    assert len(after) == before + 1
    window = next(one for one in after if "window" in one.content)
    assert (str(window.scope), window.tags) == (str(saved.memory.scope), saved.memory.tags)
    assert window.trust == "external"


def test_a_selection_is_exported_as_notes(opened: Opened, panel: Panel) -> None:
    panel.book.save("Owls nest in the barn", scope="/project/farm", kind="fact")
    panel.book.save("Owls hunt at dusk", scope="/project/farm")
    page = opened("/?q=owls nest barn&scope=/project/farm")
    page.get_by_role("checkbox").first.click()
    page.get_by_role("button", name="Export").click()
    with zipfile.ZipFile(io.BytesIO(download(page, "As Markdown"))) as folder:
        (path,) = folder.namelist()
        text = folder.read(path).decode()
    assert path.startswith("project/farm/owls-nest-in-the-barn")
    assert text.startswith("---\n")
    assert "Owls nest in the barn" in text
    (read,) = drafts("notes/" + path, text.encode())
    assert (read.content, read.kind) == ("Owls nest in the barn", "fact")


def test_a_folder_of_notes_keeps_its_scopes(panel: Panel) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as folder:
        folder.writestr("project/farm/eggs.md", "Eggs are collected at noon\n")
        folder.writestr("Somebody's notes/milk.md", "Milk is at the door\n")
    read = drafts("all.zip", packed.getvalue())
    assert [(one.content, str(one.scope)) for one in read] == [
        ("Milk is at the door", "None"),
        ("Eggs are collected at noon", "/project/farm"),
    ], "somebody else's folders say nothing about scopes"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.json", b"{"),
        ("x.json", b'{"memories": 5}'),
        ("x.json", b'[{"nothing": "of ours"}]'),
        ("x.json", b"[" * 100_000),
        ("x.zip", b"not packed"),
        ("x.exe", b"MZ"),
    ],
)
def test_a_file_that_is_none_of_ours_is_refused(name: str, data: bytes) -> None:
    with pytest.raises(BadInput):
        drafts(name, data)
