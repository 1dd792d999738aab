"""Recall, lists and exports within a range of time."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from commonplace import BadInput, Commonplace
from tests.conftest import Clock, OpenBook


@pytest.fixture
def three_weeks(url: str, open_at: OpenBook, clock: Clock) -> Commonplace:
    """A book with one memory of each of three weeks; today is 2026-12-06."""
    book = open_at(url)
    for name in ("first", "second", "third"):
        book.save(f"The {name} release went out to the harbour office", topic=name)
        clock.pass_days(7)
    return book


def topics(found: object) -> set[str]:
    return {one.topic for one in found}  # pyright: ignore[reportGeneralTypeIssues]


def test_recall_and_lists_keep_to_the_range(three_weeks: Commonplace) -> None:
    cases: tuple[tuple[dict[str, Any], set[str]], ...] = (
        ({"since": "10d"}, {"third"}),
        ({"since": "15d"}, {"second", "third"}),
        ({"until": "15d"}, {"first"}),
        ({"since": "2026-11-20", "until": "2026-11-25"}, {"second"}),
        ({"until": "2026-11-22"}, {"first", "second"}),
        ({"since": "1h"}, set()),
    )
    for given, expected in cases:
        hits = three_weeks.recall("which release went to the harbour office?", **given)
        assert topics(hit.memory for hit in hits) == expected, given
        assert topics(three_weeks.list(**given)) == expected, given
        assert topics(three_weeks.export(**given)) == expected, given


def test_a_fact_outside_the_range_is_not_the_answer(
    url: str, open_at: OpenBook, clock: Clock
) -> None:
    book = open_at(url)
    book.fact_store("deploy.branch", "main")
    clock.pass_days(30)
    assert book.recall("deploy.branch")[0].memory.value == "main"
    assert not book.recall("deploy.branch", since="7d")


def test_an_earlier_state_of_the_book_has_a_range_too(three_weeks: Commonplace) -> None:
    from datetime import date

    hits = three_weeks.recall("harbour release", as_of=date(2026, 11, 24), since="2026-11-20")
    assert topics(hit.memory for hit in hits) == {"second"}
    hits = three_weeks.recall("harbour release", as_of=date(2026, 12, 1), until="2026-11-16")
    assert topics(hit.memory for hit in hits) == {"first"}


def test_a_wrong_range_is_refused_with_an_example(three_weeks: Commonplace) -> None:
    with pytest.raises(BadInput, match="'last week' is not a period or a date"):
        three_weeks.recall("release", since="last week")
    with pytest.raises(BadInput, match="ends before it begins"):
        three_weeks.list(since="2026-11-25", until="2026-11-20")


def test_time_to_come_is_no_past(book: Commonplace) -> None:
    book.save("We deploy from the branch main")
    for ask in (book.list, book.overview, partial(book.recall, "deploy")):
        with pytest.raises(BadInput, match="2099-01-01 is in the future") as refused:
            ask(since="2099-01-01")
        assert "7d" in refused.value.hint
