"""Obsidian's links in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.notes import wikilinks
from commonplace.notes.wikilinks import Wikilink

NOTE = """# Deploying

See [[Runbook]] and ![[diagram.png|400]].

```sh
echo [[not a link]]
```
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[Note]]", Wikilink("Note")),
        ("[[folder/Note]]", Wikilink("folder/Note")),
        ("[[Note|alias]]", Wikilink("Note", alias="alias")),
        ("[[Note#Heading]]", Wikilink("Note", heading="Heading")),
        ("[[Note#One#Two]]", Wikilink("Note", heading="One#Two")),
        ("[[Note#^block]]", Wikilink("Note", heading="^block")),
        ("[[#Heading]]", Wikilink("", heading="Heading")),
        ("[[Note#Heading|alias]]", Wikilink("Note", heading="Heading", alias="alias")),
        ("![[Note]]", Wikilink("Note", embed=True)),
        ("| [[Note\\|alias]] | cell |", Wikilink("Note", alias="alias")),
        ("[[ Note ]]", Wikilink("Note")),
        ("a lone ` and [[Note]]", Wikilink("Note")),
        ("100%% sure of [[Note]]", Wikilink("Note")),
        ("[[日本語のノート]]", Wikilink("日本語のノート")),
    ],
)
def test_every_form_of_link_is_read(text: str, expected: Wikilink) -> None:
    assert wikilinks.find_links(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "`[[Note]]`",
        "``a ` b [[Note]]``",
        "```\n[[Note]]\n```",
        "~~~ python\n[[Note]]\n~~~",
        "> ```\n> [[Note]]\n> ```",
        "```\nnever closed [[Note]]",
        "%%[[Note]]%%",
        "%%\nlong\n[[Note]]\n%%",
        "\\[[Note]]",
        "[[]]",
        "[[  ]]",
        "[[two\nlines]]",
        "[Note](note.md)",
    ],
)
def test_code_comments_and_other_brackets_hold_no_links(text: str) -> None:
    assert wikilinks.find_links(text) == []


def test_a_rename_keeps_alias_heading_and_embed_and_leaves_code_alone() -> None:
    text = "[[Old]] ![[old#Part|see]] [[Old.md]] [[Older]] `[[Old]]` [[x/Old]]\r\n[[ Old ]]"
    assert wikilinks.rename_links(text, ["Old"], "New") == (
        "[[New]] ![[New#Part|see]] [[New]] [[Older]] `[[Old]]` [[x/Old]]\r\n[[ New ]]"
    )


def test_a_rename_follows_every_name_the_note_had() -> None:
    assert wikilinks.rename_links("[[x/Old]] [[Alias]]", ["Old", "x/old", "alias"], "New") == (
        "[[New]] [[New]]"
    )


def test_a_rename_of_something_else_changes_no_byte() -> None:
    assert wikilinks.rename_links(NOTE, ["Another note"], "New") == NOTE


@given(st.text(alphabet="[]!|#`%~\\\n \tab/>", max_size=200))
def test_renaming_there_and_back_leads_to_the_same_places(text: str) -> None:
    there = wikilinks.rename_links(text, ["a"], "elsewhere")
    targets = [link.target for link in wikilinks.find_links(text)]
    renamed = ["elsewhere" if wikilinks.normalized_name(t) == "a" else t for t in targets]
    assert [link.target for link in wikilinks.find_links(there)] == renamed


@pytest.mark.parametrize("piece", ["`", "` ", "[[", "%% ", "```\n", "![", "[[a", "> ", "~~~"])
def test_hostile_text_is_read_in_linear_time(piece: str) -> None:
    assert wikilinks.find_links(piece * 50_000 + "\n\n[[") == []
