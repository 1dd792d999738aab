"""Cutting texts into passages: nothing is lost, and what belongs together stays together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.language import passages, words

BREWING = """# Tea

Green tea wants seventy degrees.

## Brewing

1. Warm the pot first of all.
2. Pour the water slowly over the leaves.

```python
for cup in cups:
    pour(cup)  # Never boil. Never.
```

Done, and enjoy it while it is hot."""


def test_a_short_text_is_one_passage() -> None:
    assert passages.cut("Ada likes sencha.") == ["Ada likes sencha."]
    assert passages.cut("") == [""]


def test_sentences_are_passages_and_short_ones_are_joined() -> None:
    text = "I moved to Kyoto in spring last year. Yes! It rains a lot there in June, they say."
    assert passages.cut(text) == [
        "I moved to Kyoto in spring last year.",
        "Yes! It rains a lot there in June, they say.",
    ]


def test_a_heading_goes_with_what_it_is_the_heading_of() -> None:
    found = passages.cut(BREWING)
    assert found[0].startswith("# Tea")
    assert found[1].startswith("## Brewing\n\n1. Warm")
    assert found[2] == "2. Pour the water slowly over the leaves."


def test_code_stays_whole() -> None:
    assert any("for cup in cups:\n    pour(cup)  # Never boil. Never.\n```" in p for p in
               passages.cut(BREWING))  # fmt: skip


def test_scripts_without_spaces_are_cut_at_their_own_full_stops() -> None:
    text = "昨天我和朋友一起去了京都。我们在河边喝了很多绿茶！明天我们会去奈良看鹿，然后回家。"
    assert passages.cut(text) == [
        "昨天我和朋友一起去了京都。",
        "我们在河边喝了很多绿茶！",
        "明天我们会去奈良看鹿，然后回家。",
    ]
    assert passages.word_count("我们在河边喝茶") == 4


def test_a_long_text_has_a_bounded_number_of_passages() -> None:
    text = " ".join(f"This is sentence number {n} of the book." for n in range(500))
    assert len(passages.cut(text)) == passages.MOST
    assert 9 <= len(passages.cut(text, most=64)) <= 64


@pytest.mark.parametrize("unit", ["word ", "茶", "a. ", "\n", "# h\n", "```\n", "x"])
def test_a_text_that_never_stops_is_cut_all_the_same(unit: str) -> None:
    assert len(passages.cut(unit * 100_000)) <= passages.MOST


def test_questions_times_and_numbers_are_noticed() -> None:
    assert words.is_question("Shall we? ")
    assert words.is_question('He asked "shall we?"')
    assert words.is_question("你想知道吗？")
    assert not words.is_question("We shall.")
    assert passages.has_time("I went there last Friday")
    assert passages.has_time("2023年5月")
    assert not passages.has_time("I like tea")
    assert passages.has_number("I have two cats")
    assert passages.has_number("it costs 5 €")
    assert not passages.has_number("I like tea")


_TEXTS = st.one_of(
    st.text(max_size=400),
    st.lists(
        st.sampled_from(
            [
                "# Tea\n",
                "```\n",
                "Warm the pot. ",
                "1. One\n",
                "\n\n",
                "茶を飲む。",
                "end",
                "**Bold**\n",
            ]
        ),
        max_size=60,
    ).map("".join),
)


@given(_TEXTS, st.integers(1, 12))
def test_passages_together_are_the_text(text: str, most: int) -> None:
    found = passages.cut(text, most=most)
    assert 1 <= len(found) <= most
    assert "".join("".join(found).split()) == "".join(text.split())
    assert found == passages.cut(text, most=most)
