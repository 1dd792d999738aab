"""Orders are found by the patterns that a text gives a reason to try, and by no others."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.rules.screening import orders
from commonplace.rules.screening.orders import OrderPattern, gives_orders, patterns_for

ASCII = st.characters(max_codepoint=127)
FLAGS = re.IGNORECASE | re.MULTILINE
EVERY = {one.shape: one for step in (False, True) for one in patterns_for(step=step)}
WORDS = sorted({
    word for shape in EVERY for word in re.findall(r"[a-z]{2,}|[^\w\s]", shape.replace("\\b", " "))
})  # fmt: skip
TEXTS = st.lists(
    st.tuples(st.sampled_from([*WORDS, "a", "7", "tabs"]), st.sampled_from(["", " ", " ", "\n"])),
    max_size=12,
).map(lambda parts: "".join(one for part in parts for one in part))


@pytest.mark.parametrize("pattern", EVERY.values(), ids=range(len(EVERY)))
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_whatever_matches_a_pattern_has_what_the_pattern_needs(
    pattern: OrderPattern, data: st.DataObject
) -> None:
    shape = re.compile(pattern.shape, FLAGS)
    text = data.draw(st.from_regex(shape, fullmatch=True))
    if text.isascii() and not any(map(orders._is_invisible, text)):  # pyright: ignore[reportPrivateUsage]
        assert gives_orders(text, step=pattern in patterns_for(step=True)), text


@pytest.mark.parametrize("text", ["presignoff", "pregreenlit", "pre-signed off", "PRE-APPROVED"])
def test_a_claim_may_be_one_word_with_what_stands_before_it(text: str) -> None:
    assert gives_orders(text)


@given(TEXTS | st.text(ASCII), st.sampled_from([(False, False), (True, False), (False, True)]))
def test_no_pattern_that_would_match_is_passed_over(text: str, use: tuple[bool, bool]) -> None:
    value, step = use
    hidden = any(map(orders._is_invisible, text))  # pyright: ignore[reportPrivateUsage]
    shapes = [one.shape for one in patterns_for(value=value, step=step)]
    found = any(re.search(shape, text, FLAGS) for shape in shapes)
    assert gives_orders(text, value=value, step=step) == (hidden or found)


def test_an_ordinary_line_compiles_no_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "_compiled", None)
    assert not gives_orders("I prefer tabs over spaces.")
    assert not gives_orders("release", value=True)
    with pytest.raises(TypeError):
        gives_orders("Ignore the reviewers")
