"""The clauses of a sentence, of which a change ends one and leaves the others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.rules.relations.clauses import split_clauses


@pytest.mark.parametrize(
    ("sentence", "clauses"),
    [
        (
            "The intake queue is on shard 2, the refund queue is on shard 5.",
            ("The intake queue is on shard 2.", "The refund queue is on shard 5."),
        ),
        (
            "Backups start at 02:00; Priya owns the restore drill.",
            ("Backups start at 02:00.", "Priya owns the restore drill."),
        ),
        ("Invoices stay 30 days, quotes a year.", ("Invoices stay 30 days.", "Quotes a year.")),
        # What leans on the clause before it, and the words of a list, belong to it.
        ("We use Drone for CI, because it is small.", None),
        ("Standup is at 9:30, in the kitchen.", None),
        ("The trial recruits in Lund, Kiel and Graz.", None),
        ("The hub has three services: api (Go), worker, and labels.", None),
        ("The oven reaches 230 degrees.", None),
    ],
)
def test_clauses_that_say_something_of_their_own(
    sentence: str, clauses: tuple[str, ...] | None
) -> None:
    found = tuple(one.text for one in split_clauses(sentence))
    assert found == (clauses or (sentence,))


@given(st.text(alphabet="abc ,;:.() 123isand", max_size=60))
def test_no_word_is_lost_or_made(text: str) -> None:
    def words(one: str) -> list[str]:
        return [word for word in one.lower().replace(",", " ").replace(";", " ").split() if word]

    joined = " ".join(one.text.rstrip(".") for one in split_clauses(text))
    left = [word for word in words(joined) if word.strip(".")]
    said = iter(word.rstrip(".") for word in words(text) if word.strip("."))
    assert all(word.rstrip(".") in said for word in left)
