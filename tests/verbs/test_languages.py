"""One book in sixteen languages: each finds its own notes among ten thousand."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import OpenBook

from .notes_in_many_languages import TONGUES


def test_each_language_s_questions_find_their_notes_among_ten_thousand(
    tmp_path: Path, open_at: OpenBook
) -> None:
    book = open_at(f"sqlite:{tmp_path / 'book.db'}")
    everyday = [note for tongue in TONGUES.values() for note in tongue.everyday()]
    asked = [pair for tongue in TONGUES.values() for pair in tongue.asked]
    assert len(set(everyday)) == len(everyday) > 10_000
    # Spread through the book, so that none is found for being the newest or the oldest.
    apart = len(everyday) // len(asked)
    for place, (note, _) in enumerate(asked):
        everyday.insert(place * (apart + 1), note)
    book.save_many(everyday)
    first = {question: book.recall(question, limit=3) for _, question in asked}
    missed = [question for note, question in asked
              if [hit.memory.content for hit in first[question]][:1] != [note]]  # fmt: skip
    assert missed == []
    unsure = [question for question, hits in first.items() if hits.sure == "none"]
    assert len(unsure) < len(asked) / 6, "what is found should mostly not be called unknown"
