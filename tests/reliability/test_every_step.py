"""A trouble at every step of a change, one by one: what is acknowledged is there, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.doors.torture.troubles import AtStep, LogLostAtStep, UnpluggedAtStep
from commonplace.model.errors import CommonplaceError
from commonplace.settings import Settings

LEAST_STEPS = 10
"""A change touches the disk at more places than these."""


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Commonplace]:
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    url = f"vault:{tmp_path / 'book'}"
    with open_book(url, settings=settings, source="person", background=False) as opened:
        yield opened


def acknowledged(act: Callable[[int], str], trouble: Callable[[int], AtStep]) -> list[str]:
    """Ids that a change acknowledged, though it met the trouble at each of its steps in turn."""
    found: list[str] = []
    for step in count(1):
        met = trouble(step)
        try:
            with met:
                found.append(act(step))
        except CommonplaceError:
            assert met.met, "refused without need"
        assert not met.wrong_trace()
        if not met.met:
            assert step > LEAST_STEPS
            return found
    raise AssertionError


def save(book: Commonplace) -> Callable[[int], str]:
    return lambda step: book.save(f"The mill grinds {step} sacks", scope=f"/project/p{step}").id


def correct(book: Commonplace) -> Callable[[int], str]:
    saved = [book.save(f"The heron {step} stands still").id for step in range(60)]
    return lambda step: book.correct(saved[step], f"The heron {step} flew away").memory.id


@pytest.mark.parametrize("change", [save, correct])
def test_what_is_acknowledged_while_the_disk_goes_away_is_there_when_it_is_back(
    book: Commonplace, tmp_path: Path, change: Callable[[Commonplace], Callable[[int], str]]
) -> None:
    root = str(tmp_path / "book")
    for id in acknowledged(change(book), lambda step: UnpluggedAtStep(root, step)):
        assert book.get(id).id == id


def test_first_save_of_a_book_whose_disk_goes_away_begins_no_other_vault(tmp_path: Path) -> None:
    for step in count(1):
        place = tmp_path / str(step)
        settings = Settings(state=str(place / "state"), embedder="none")
        with open_book(
            f"vault:{place / 'book'}", settings=settings, source="person", background=False
        ) as book:
            met = UnpluggedAtStep(str(place / "book"), step)
            try:
                with met:
                    id = book.save("The mill grinds rye").id
                assert not met.wrong_acknowledgement()
                assert book.get(id).id == id
            except CommonplaceError:
                assert not met.wrong_trace()
        if not met.met:
            assert step > LEAST_STEPS
            return


def test_each_event_is_in_the_log_once_though_its_table_is_lost_at_any_step(
    book: Commonplace, tmp_path: Path
) -> None:
    saved = acknowledged(save(book), lambda step: LogLostAtStep(str(tmp_path / "state"), step))
    times = Counter(event.memory for event in book.audit(limit=1_000) if event.action == "created")
    assert {id: times[id] for id in saved} == dict.fromkeys(saved, 1)
    assert book.audit_verify().sound
