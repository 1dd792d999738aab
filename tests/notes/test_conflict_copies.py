"""The names of conflict copies, and names that only look like them."""

from __future__ import annotations

import pytest

from commonplace.notes.conflict_copies import original_name, possible_originals

CERTAIN = [
    "note.sync-conflict-20261117-101500-ABCDEFG.md",
    "note (Ada's conflicted copy 2026-11-17).md",
    "note (conflicted copy 2026-11-17 093012).md",
    "note (Ada’s MacBook's conflicted copy 2026-11-17 (1)).md",
    "note_conflict-20261117-093012.md",
    "note (SFConflict ada@example.org 2026-11-17-09-30-12).md",
    "note_DiskStation_Nov-17-093012-2026_Conflict.md",
    "note.sync-conflict-20261117-101500-ABCDEFG (conflicted copy 2026-11-18 093012).md",
]


@pytest.mark.parametrize("name", CERTAIN)
def test_a_name_that_only_a_tool_gives(name: str) -> None:
    assert original_name(name) == "note.md"
    assert "note.md" in possible_originals(name)


@pytest.mark.parametrize(
    "name", ["note 2.md", "note (1).md", "note-laptop.md", "note-DESKTOP-4F2K.md"]
)
def test_a_name_that_a_person_may_choose(name: str) -> None:
    assert original_name(name) is None
    assert possible_originals(name) == ["note.md"]


@pytest.mark.parametrize(
    "name",
    ["note.md", "conflict.md", "note 1.md", "note copy.md", "note-staging.md", "Copy of it.md"],
)
def test_a_name_of_its_own(name: str) -> None:
    assert original_name(name) is None
    assert possible_originals(name) == []
