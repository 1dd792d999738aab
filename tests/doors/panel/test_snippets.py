"""Snippets: Markdown in one line, and no HTML but our own."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from commonplace.doors.panel.markdown import head_and_rest, snippet_html, snippet_text

OURS = re.compile(r"</?(?:strong|em|code|s)>")
ESCAPED = re.compile(r"&(?:amp|lt|gt|quot|#x27);")
marks = st.text(alphabet="ab <>&\"'*_`~[]()!|#->1.\n\\:/=", max_size=120)


def test_marks_become_emphasis_and_code() -> None:
    assert snippet_html("`make` **never** *fails*", 80) == (
        "<code>make</code> <strong>never</strong> <em>fails</em>"
    )


def test_headings_lists_tables_and_links_become_one_line() -> None:
    assert snippet_text("# Boat\n\n- green\n- old\n\nsee [[the|Tide table]]", 80) == (
        "Boat · green · old · see Tide table"
    )
    assert snippet_text("| a | b |\n|---|---|\n| 1 | 2 |", 80) == "a | b · 1 | 2"
    assert snippet_text("[runbook](https://example.org/x) says so", 80) == "runbook says so"


def test_names_and_numbers_are_not_taken_for_marks() -> None:
    assert snippet_text("__init__.py is empty", 80) == "__init__.py is empty"
    assert snippet_text("3. October is a holiday", 80) == "3. October is a holiday"
    assert snippet_text("---", 80) == "---"


def test_the_head_is_the_first_block_and_the_rest_follows() -> None:
    text = "## pytest hangs\n\n1. Look at `ulimit`\n2. Raise it"
    assert head_and_rest(text, 80, 80) == (
        "pytest hangs",
        "1. Look at <code>ulimit</code> · 2. Raise it",
    )


def test_html_in_a_text_is_text() -> None:
    html = snippet_html('<img src=x onerror=alert(1)> **<b>x</b>** `<script>` "', 200)
    assert "<img" not in html
    assert "<script" not in html
    assert html.count("<strong>") == 1


@given(marks, st.integers(1, 60))
def test_nothing_but_our_four_tags_is_html(text: str, most: int) -> None:
    for html in (snippet_html(text, most), *head_and_rest(text, most, most)):
        left = ESCAPED.sub("", OURS.sub("", html))
        assert not set(left) & set("<>&\"'")
        assert len(re.sub(r"&[^;]*;", "x", OURS.sub("", html))) <= most


@given(marks)
def test_tags_are_closed_in_order(text: str) -> None:
    open_tags: list[str] = []
    for tag in OURS.findall(snippet_html(text, 40)):
        if tag.startswith("</"):
            assert open_tags.pop() == tag.replace("/", "")
        else:
            open_tags.append(tag)
    assert open_tags == []
