"""Texts of plain words are read without patterns, exactly as the patterns read them."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from commonplace.language import dates, words
from commonplace.model.errors import BadInput
from commonplace.notes.places import checked_locator
from commonplace.rules import standing_rules
from commonplace.rules.ranking import questions
from commonplace.rules.relations import slots

SIGNS = "#+-_./@'&=:;,!?`($ \n\t\0\x1c’"
PIECES = ("word", "Ada", "x", "7", "2024", "ß", "é", "٣", "²", *SIGNS)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(TEXTS)
@example("Deploys c++ and c# from #12, then v3.0.")
def test_words_are_those_of_the_patterns(text: str) -> None:
    plain = text.encode("ascii", "replace").decode()
    run = r"#\d+(?!\w)|[A-Za-z0-9]+(?:[_./@'&+-]{1,2}[A-Za-z0-9]+)*(?:\+\+|#(?!\w))?"
    assert words._ascii_runs(plain) == re.findall(run, plain)
    assert dates._words_and_marks(text) == re.findall(r"\d+|[^\W\d_]+|[^\w\s]", text)
    assert questions._words(text) == re.findall(r"[^\W_]+", text)
    assert slots._all_words(text) == re.findall(r"[^\W_]+(?:['’_.:/@+-]+[^\W_]+)*|[=:#]", text)
    whole = [word.casefold() for word in re.findall(r"[\w./-]*\w", text)]
    parts = {part for word in whole for part in re.split("[/.-]", word) if part != word}
    assert set(standing_rules._words(text)) == {*whole, *parts}


@given(TEXTS)
def test_one_sentence_is_what_the_pattern_does_not_split(text: str) -> None:
    if questions._is_one_sentence(text):
        assert re.split(r"[.!?:;]+\s+|[。！？：；\n]+", text) == [text]


@given(st.lists(st.sampled_from(("a", "C", ".", "..", "/", "\\", "\0", ":", " ")), max_size=6))
def test_locators_are_paths_below_the_root(parts: list[str]) -> None:
    path = "".join(parts)
    shape = r"(?![A-Za-z]:)(?:(?!\.\.?(?:/|$))[^/\\\0]+/)*(?!\.\.?$)[^/\\\0]+"
    try:
        accepted = checked_locator(path) == path
    except BadInput:
        accepted = False
    assert accepted == bool(re.fullmatch(shape, path))
