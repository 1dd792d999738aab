"""Texts of plain words are read without patterns, exactly as the patterns read them."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from commonplace.language import dates, words
from commonplace.model.errors import BadInput
from commonplace.notes.places import checked_locator
from commonplace.rules.handed_over import standing_rules
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


@given(st.text("aAbBcCnQxz019_./@'&+-#é", max_size=16))
@example("getHTTPResponse")
@example("l'_ab")
@example("d'l'eau-'s")
def test_parts_of_words_are_those_of_the_patterns(text: str) -> None:
    for run in words._runs(text):
        assert [part for part in words._parts(run) if part] == _parts(run)


def _parts(run: str) -> list[str]:
    """The parts of a word as patterns tell them apart."""
    if "'" in run:
        run = re.sub(r"(?i)\b(?:[cdjlmnst]|qu)'(?=\w{3})", "", run)
        run = run.removesuffix("'s").removesuffix("'S").replace("'", "")
    bare = run.rstrip("+#")
    split = re.split(r"[_./@&+-]+", bare)
    found = [run, bare]
    for part in (*re.split("[/@]+", bare), *split) if not bare.isalnum() else (bare, bare):
        found.append(part)
        if re.match("[vV][0-9]", part):
            found.append(part[1:])
    for word in split:
        if re.fullmatch("[0-9]+|[A-Za-z][a-z]+", word) or not word.isascii():
            continue
        humps = re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", word)
        found += [hump for hump in humps if len(hump) > 1 or hump.isdigit()]
        single = ((one, two) for one, two in pairwise(humps) if len(one) == 1)
        found += [one + two for one, two in single if one.isalpha()]
    return [words._term(part) for part in found if part]


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
