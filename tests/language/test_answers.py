"""A summary in which nobody knew is no answer, however well it repeats the question."""

from __future__ import annotations

import pytest

from commonplace.language import words
from commonplace.language.statements import answers_question

QUESTION = "what is the wifi password at the cabin?"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Session monday of 2026-11-15, 2 turns.\n\n{QUESTION}\n\nI do not know.", False),
        (f"{QUESTION}\n\nI couldn't find it in my notes.\n\nFix the parser.\n\nFixed.", False),
        (f"{QUESTION}\n\nSorry, I have no information about the cabin's wifi password.", False),
        (f"{QUESTION}\n\nDas weiß ich nicht.", False),
        (f"Session monday of 2026-11-15, 2 turns.\n\n{QUESTION}\n\nIt is sencha-at-four.", True),
        ("The wifi password at the cabin was changed to sencha-at-four.", True),
        ("Tell me the wifi password at the cabin.\n\nAsk Bob for it.", True),
    ],
)
def test_a_summary_answers_only_with_more_than_the_question(text: str, expected: bool) -> None:
    assert answers_question(text, words.query_terms(QUESTION)) is expected
