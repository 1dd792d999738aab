"""Reading JSON without `json` gives what `json` gives, for whatever is to be read."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from commonplace.model.quick_json import parse_json, quote_json, write_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
BLANK = st.text(" \t\n\r")
PIECES = st.sampled_from([*'{}[]",:\\ntfau0123456789.-+eE \n\x00\ufeff', "null", "NaN", "é"])


def outcome(read: Any, text: str | bytes) -> str:
    try:
        return repr(read(text))
    except ValueError as error:
        return repr(error)


@given(VALUES, BLANK, BLANK, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32-be"]))
def test_what_json_wrote_is_read_as_json_reads_it(
    value: object, before: str, after: str, encoding: str
) -> None:
    for ascii_only in (True, False):
        text = before + json.dumps(value, ensure_ascii=ascii_only) + after
        assert outcome(parse_json, text) == outcome(json.loads, text)
        raw = text.encode(encoding, "surrogatepass")
        assert outcome(parse_json, raw) == outcome(json.loads, raw)


@given(st.text() | st.lists(PIECES).map("".join) | st.binary())
def test_what_is_not_json_is_refused_in_the_same_words(text: str | bytes) -> None:
    assert outcome(parse_json, text) == outcome(json.loads, text)


@given(st.text(st.characters()))
def test_a_text_is_quoted_as_json_quotes_it(text: str) -> None:
    assert quote_json(text) == json.dumps(text)


@given(VALUES)
def test_a_value_is_written_as_json_writes_it(value: Any) -> None:
    assert write_json(value) == json.dumps(value)
    assert write_json((value, value)) == json.dumps((value, value))
