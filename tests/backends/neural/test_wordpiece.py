"""Texts are cut exactly as the model's own tokenizer cuts them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.backends.neural.bundled import (
    END,
    READ_CHARACTERS,
    START,
    UNKNOWN,
    WordPieceTokenizer,
    split_words,
)

VOCABULARY = (Path(__file__).parents[3] / "training" / "vocabulary.txt").read_bytes().split()
NUMBERS = {piece: number for number, piece in enumerate(VOCABULARY)}
READER = WordPieceTokenizer(lambda piece: NUMBERS.get(piece, -1))

# What the tokenizer that the model was trained with makes of them.
AS_TRAINED = {
    "": "",
    "Unforgettable evenings in Reykjavík!": "un ##for ##get ##table evenings in reykjavik !",
    "naïve café — Straße №5, ½ ①": "naive cafe — st ##raße № ##5 , ½ [UNK]",
    "日本語のテキスト、カタカナ": "日 本 語 の ##テ ##キ ##ス ##ト 、 カ ##タ ##カ ##ナ",
    "문장": "ᄆ ##ᅮ ##ᆫ ##ᄌ ##ᅡ ##ᆼ",
    "İstanbul ΣΊΣΥΦΟΣ ﬁne": "istanbul σ ##ι ##σ ##υ ##φ ##ο ##σ ﬁ ##ne",
    "def f(x):\n\treturn x**2  # $100 a_b-c": "def f ( x ) : return x * * 2 # $ 100 a _ b - c",
    "zero\u200bwidth \x00null \x85nel \ufffd x\x1fy": "zero ##wi ##dt ##h null ne ##l x ##y",
    "😀 party 🎉": "[UNK] party [UNK]",
    "مرحبا": "م ##ر ##ح ##ب ##ا",
    "hello \u2028line\u00a0sep": "hello line sep",
    "a" * 101: "[UNK]",
}


@pytest.mark.parametrize(("text", "pieces"), AS_TRAINED.items())
def test_a_text_is_cut_as_the_model_learned_it(text: str, pieces: str) -> None:
    found = [VOCABULARY[number].decode() for number in READER.read(text, limit=256)]
    assert found == ["[CLS]", *pieces.split(), "[SEP]"]


def test_special_pieces_have_the_numbers_of_the_vocabulary() -> None:
    assert [VOCABULARY[n] for n in (UNKNOWN, START, END)] == [b"[UNK]", b"[CLS]", b"[SEP]"]


def test_a_long_text_is_read_up_to_the_limit() -> None:
    numbers = READER.read("the harbour master wrote it down " * 100, limit=16)
    assert len(numbers) == 16
    assert (numbers[0], numbers[-1]) == (START, END)


def test_a_megabyte_costs_no_more_than_what_is_read_of_it() -> None:
    megabyte = "lighthouse keeper " * 60_000
    assert split_words(megabyte) == split_words(megabyte[:READ_CHARACTERS])


@given(st.text(max_size=300), st.integers(2, 64))
@settings(max_examples=150)
def test_any_text_gives_pieces_of_the_vocabulary(text: str, limit: int) -> None:
    numbers = READER.read(text, limit=limit)
    assert 2 <= len(numbers) <= limit
    assert (numbers[0], numbers[-1]) == (START, END)
    assert all(0 <= number < len(VOCABULARY) for number in numbers)


@given(st.text(max_size=80))
@settings(max_examples=100)
def test_a_word_seen_before_reads_the_same(text: str) -> None:
    assert READER.read(text, limit=256) == READER.read(text, limit=256)
