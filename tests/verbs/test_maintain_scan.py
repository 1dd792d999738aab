"""The scan of `maintain`: changes that a batch brought are found, and nothing is judged twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.books.open import open_book
from commonplace.settings import settings
from commonplace.verbs.maintain import relations, scan
from commonplace.verbs.maintain.plan import MaintenancePlan
from tests.conftest import OpenBook

CHANGES = [
    ("My favourite running shoes are from Brooks", "I switched from Brooks to Saucony for running"),
    ("The greenhouse is heated with gas", "The greenhouse has a heat pump instead of gas heating"),
    ("The choir meets in the school", "The choir moved from the school to the hall"),
    ("Milk comes from the Hansen farm", "We get our milk from the Olsen farm now"),
]
OTHERS = [
    "The attic has a leak above the piano",
    "Our cellar stays at twelve degrees in summer",
    "Pears from the north wall are ripe in September",
    "The ferry to the island does not take bicycles",
    "A spare fuse lies in the drawer under the stove",
]


def imported(book: Commonplace, *, scope: str = "/") -> None:
    """Old and new values in one batch, as an export of another program has them."""
    dated = [
        {"content": text, "created": f"{2024 + at}-05-01T09:00:00Z", "scope": scope}
        for old, new in CHANGES
        for at, text in enumerate((old, new))
    ]
    book.save_many([*dated, *OTHERS])


def live(book: Commonplace) -> set[str]:
    return {one.content for one in book.list()}


def compared(book: Commonplace) -> list[str]:
    path = Path(book.status().state) / scan.FILE
    return path.read_text(encoding="ascii").split() if path.exists() else []


@pytest.mark.parametrize("embedder", ["none", "bundled"])
def test_changes_within_an_import_are_found_by_the_scan(
    open_vault: OpenBook, embedder: str
) -> None:
    book = open_vault(embedder=embedder)
    imported(book)
    assert len(live(book)) == 2 * len(CHANGES) + len(OTHERS), "rules alone see none of these"
    book.maintain()
    held = live(book)
    assert {new for _, new in CHANGES} <= held
    assert set(OTHERS) <= held
    # Without vectors two notes that share a single word do not meet.
    assert [old for old, _ in CHANGES if old in held] == []
    assert book.maintain().changes == ()


def test_a_note_is_compared_once_and_again_when_its_text_changes(open_vault: OpenBook) -> None:
    book = open_vault()
    book.save_many(OTHERS)
    book.maintain()
    first = compared(book)
    assert len(first) == len(OTHERS)
    book.maintain()
    assert compared(book) == first
    note = book.list()[0]
    book.edit(note.id, content=f"{note.content}, says Ruth")
    book.maintain()
    assert len(compared(book)) == len(first) + 1
    assert compared(book)[: len(first)] == first


def test_what_the_device_remembers_holds_no_text(open_vault: OpenBook) -> None:
    book = open_vault()
    book.save_many(OTHERS)
    book.maintain()
    assert all(len(one) == scan.HASH_DIGITS for one in compared(book))
    assert set("".join(compared(book))) <= set("0123456789abcdef")


def test_a_dry_run_remembers_nothing_and_lists_what_a_run_does(open_vault: OpenBook) -> None:
    book = open_vault(embedder="bundled")
    imported(book)
    planned = book.maintain(dry_run=True)
    assert compared(book) == []
    assert book.maintain().changes == planned.changes


@pytest.mark.parametrize("steps", [14, 16, 20])
def test_a_stopped_scan_goes_on_where_it_was(open_vault: OpenBook, steps: int) -> None:
    book = open_vault(embedder="bundled")
    imported(book)
    whole = [one.words for one in book.maintain(dry_run=True).changes]
    left = iter(range(steps))

    def tick() -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    engine = book._engine.but(source="maintain")  # pyright: ignore[reportPrivateUsage]
    plan = MaintenancePlan(engine)
    plan.tick = tick
    with pytest.raises(KeyboardInterrupt):
        relations.compare_memories(plan)
    before = compared(book)
    done = book.maintain()
    assert [one.words for one in done.changes] == whole
    assert compared(book)[: len(before)] == before
    assert len(set(compared(book))) == len(compared(book)), "nothing is compared twice"


def test_a_run_compares_a_bounded_number_and_the_next_goes_on(
    open_vault: OpenBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "MOST_NEW", 2)
    book = open_vault()
    book.save_many(OTHERS)
    for count in (2, 4, 5, 5):
        book.maintain()
        assert len(compared(book)) == count


@pytest.mark.parametrize("damage", ["garbage", "folder"])
def test_a_damaged_memory_of_the_scan_only_costs_time(open_vault: OpenBook, damage: str) -> None:
    book = open_vault()
    book.save_many(OTHERS)
    path = Path(book.status().state) / scan.FILE
    if damage == "garbage":
        path.write_bytes(b"\xff\x00 no hash \n" * 5_000)
    else:
        path.mkdir()
    assert book.maintain().ran
    assert set(OTHERS) <= live(book)


def test_hashes_of_notes_that_are_gone_are_dropped(
    open_vault: OpenBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan, "SPARE", 3)
    book = open_vault()
    book.save_many(OTHERS)
    for at in range(8):
        note = next(one for one in book.list() if one.content.startswith("The attic"))
        book.edit(note.id, content=f"The attic has {at + 2} leaks")
        book.maintain()
    assert len(compared(book)) <= len(OTHERS) + 4


def test_a_doubtful_change_is_asked_about(tmp_path: Path) -> None:
    careful = settings({"state": str(tmp_path / "s"), "embedder": "none", "gates": {"sure": "1"}})
    with open_book(f"vault:{tmp_path / 'notes'}", settings=careful) as book:
        old, new = CHANGES[0]
        book.save_many([{"content": old, "created": "2024-01-01T00:00:00Z"}, new])
        book.maintain()
        [waiting] = book.inbox()
        assert waiting.action == "contradiction"
        assert {one.content for one in waiting.about} == {old, new}
        assert {one.status for one in waiting.about} == {"review"}
        assert book.maintain().changes == ()
