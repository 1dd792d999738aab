"""Which anchors a memory keeps when its text is corrected."""

from __future__ import annotations

import pytest

from commonplace.rules.anchors.anchor import kept_anchors

POOL, FILE = "conf.toml#db.pool = 5", "conf.toml @1f3a9c0d2b4e"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The pool in conf.toml is at most 5", (POOL, FILE)),
        ("The pool in conf.toml is 9", (FILE,)),
        ("The pool is 5", (POOL,)),
        ("The pond has 5 fish", ()),
    ],
)
def test_a_new_text_keeps_what_it_still_names_and_says(text: str, kept: tuple[str, ...]) -> None:
    assert kept_anchors((POOL, FILE), text) == kept
