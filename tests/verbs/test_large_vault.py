"""Answers from a large vault look at folders and at what they show; the rest follows."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace import Commonplace, Settings, registry
from commonplace.backends.vault import listing, partial_look, prefetch_scan
from commonplace.books.open import get_engine, open_book
from tests.conftest import OpenBook

NEVER = 10**18
QUESTION = "which branch do we deploy from?"
BRANCH = "We deploy from the branch main"
DRINKS = tuple(f"Guest {number} ordered {drink}" for number, drink in enumerate(
    ("tea", "coffee", "cocoa", "juice", "water", "milk", "cider", "lemonade", "soda", "rum"), 1
))  # fmt: skip


@pytest.fixture(autouse=True)
def _few_notes_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "LARGE", 5)
    # However slow the machine is, a look is paid for at once.
    monkeypatch.setattr(partial_look, "PAUSE_FACTOR", 0)
    never_due(monkeypatch)


def never_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial_look, "FRESH_NS", NEVER)


def always_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partial_look, "FRESH_NS", 0)


@pytest.fixture
def book(open_vault: OpenBook) -> Commonplace:
    """A large book that was looked at, long enough after its notes were written."""
    book = open_vault(source="cli")
    book.save_many([BRANCH, *DRINKS])
    settled(book)
    return book


def settled(book: Commonplace) -> None:
    """Look at everything once the time of each file proves that it did not change."""
    time.sleep(0.05)
    book.sync()
    time.sleep(0.05)


def note_of(vault: Path, text: str) -> Path:
    notes = (path for path in vault.rglob("*.md") if path.name != "_index.md")
    return next(path for path in notes if text in path.read_text())


def edit(vault: Path, old: str, new: str) -> Path:
    """Edit a note in place, which leaves the time of its folder as it was."""
    path = note_of(vault, old)
    before = path.parent.stat()
    with path.open("r+") as file:
        text = file.read().replace(old, new)
        file.seek(0)
        file.write(text)
        file.truncate()
    assert path.parent.stat().st_mtime_ns == before.st_mtime_ns
    return path


def answers(book: Commonplace, question: str = QUESTION) -> list[str]:
    return [hit.memory.content for hit in book.recall(question)]


def looks_in_part(book: Commonplace) -> bool:
    return get_engine(book).store.look_in_part() is not None


def test_an_edit_of_what_an_answer_shows_is_in_that_answer(book: Commonplace, vault: Path) -> None:
    assert answers(book)[0] == BRANCH
    edit(vault, "branch main", "branch release")
    assert answers(book)[0] == "We deploy from the branch release"
    assert looks_in_part(book)


def test_an_edit_of_what_a_digest_shows_is_in_that_digest(book: Commonplace, vault: Path) -> None:
    assert "branch main" in book.prompt(QUESTION).text
    edit(vault, "branch main", "branch release")
    assert "branch release" in book.prompt(QUESTION).text


def test_an_edit_elsewhere_is_in_the_answer_after(
    book: Commonplace, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(vault, "Guest 3 ordered cocoa", "We deploy hotfixes from the branch hotfix")
    assert len(answers(book)) == 1
    always_due(monkeypatch)
    assert len(answers(book)) == 1, "this answer leaves the look"
    assert len(answers(book)) == 2, "nobody did it, as after a kill, so that this one does"


@pytest.mark.parametrize("again", [False, True], ids=["new", "replaced"])
def test_a_file_that_is_written_anew_is_in_the_next_answer(
    book: Commonplace, vault: Path, again: bool
) -> None:
    text = "We deploy hotfixes from the branch hotfix\n"
    path = note_of(vault, "cocoa") if again else note_of(vault, BRANCH).with_name("hotfix.md")
    fresh = path.with_suffix(".new")
    fresh.write_text(path.read_text().replace("Guest 3 ordered cocoa\n", text) if again else text)
    fresh.replace(path)
    assert len(answers(book)) == 2


def test_a_note_in_new_folders_is_in_the_next_answer(book: Commonplace, vault: Path) -> None:
    folder = vault / "Projects" / "Kestrel"
    folder.mkdir(parents=True)
    (folder / "Branches.md").write_text("We deploy hotfixes from the branch hotfix\n")
    assert len(answers(book)) == 2


def test_a_removed_note_or_folder_is_in_no_answer(book: Commonplace, vault: Path) -> None:
    note_of(vault, BRANCH).unlink()
    assert answers(book) == []
    assert answers(book, "who ordered cocoa?")
    shutil.rmtree(note_of(vault, "cocoa").parent)
    assert answers(book, "who ordered cocoa?") == []


def test_a_renamed_note_or_folder_is_found_once(book: Commonplace, vault: Path) -> None:
    path = note_of(vault, BRANCH)
    path.rename(path.with_name("branches.md"))
    assert answers(book) == [BRANCH]
    path.parent.rename(path.parent.with_name("Insights"))
    assert answers(book) == [BRANCH]


def test_a_copy_that_brings_old_times_along_is_in_the_next_answer(
    book: Commonplace, vault: Path
) -> None:
    path = note_of(vault, "cocoa")
    folder, file = path.parent.stat(), path.stat()
    fresh = path.with_suffix(".new")
    fresh.write_text(path.read_text().replace("Guest 3 ordered cocoa", "We deploy from hotfix"))
    os.utime(fresh, ns=(file.st_atime_ns, file.st_mtime_ns))
    fresh.replace(path)
    os.utime(path.parent, ns=(folder.st_atime_ns, folder.st_mtime_ns))
    assert path.parent.stat().st_mtime_ns == folder.st_mtime_ns
    assert len(answers(book)) == 2


def test_every_change_looks_at_everything(book: Commonplace, vault: Path) -> None:
    acts: dict[str, Callable[[], object]] = {
        "Guest 1 ordered tea": lambda: book.fact_store("drink.guest", "tea"),
        "Guest 2 ordered coffee": lambda: book.correct(BRANCH, "We deploy from the branch trunk"),
        "Guest 3 ordered cocoa": lambda: book.forget("Guest 9 ordered soda"),
        "Guest 4 ordered juice": lambda: book.purge("Guest 10 ordered rum"),
        "Guest 5 ordered water": lambda: list(book.export()),
        "Guest 6 ordered milk": book.doctor,
        "Guest 7 ordered cider": book.sync,
        "Guest 8 ordered lemonade": book.list,
    }
    for text, act in acts.items():
        settled(book)
        edit(vault, text, text.replace("ordered", "paid for"))
        act()
        assert text.replace("ordered", "paid for") in answers(book, "who paid?"), text


def test_a_small_vault_is_looked_at_as_a_whole_by_every_answer(
    open_vault: OpenBook, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "LARGE", 5_000)
    with open_vault() as book:
        book.save_many([BRANCH, *DRINKS])
        settled(book)
        assert not looks_in_part(book)
        edit(vault, "Guest 3 ordered cocoa", "We deploy hotfixes from the branch hotfix")
        assert len(answers(book)) == 2


def test_a_vault_that_shrinks_is_small_again(book: Commonplace, vault: Path) -> None:
    assert looks_in_part(book)
    for text in DRINKS:
        note_of(vault, text).unlink()
    book.sync()
    assert not looks_in_part(book)
    edit(vault, "branch main", "branch release")
    assert answers(book) == ["We deploy from the branch release"]


def test_after_the_clock_was_set_back_the_next_answer_looks_at_everything(
    book: Commonplace, vault: Path, tmp_path: Path
) -> None:
    edit(vault, "Guest 3 ordered cocoa", "We deploy hotfixes from the branch hotfix")
    database = apsw.Connection(str(next(tmp_path.glob("state/*/vault.db"))))
    database.execute("UPDATE counters SET value=value+3600000000000 WHERE name='looked'")
    assert len(answers(book)) == 2
    assert looks_in_part(book)


def test_a_book_that_lost_its_state_looks_at_everything(
    book: Commonplace, vault: Path, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "state")
    edit(vault, "Guest 3 ordered cocoa", "We deploy hotfixes from the branch hotfix")
    assert len(answers(book)) == 2


def test_one_of_two_answers_leaves_the_look(
    book: Commonplace, open_vault: OpenBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = [get_engine(one).store for one in (book, open_vault())]
    looks = [store.look_in_part() for store in stores]
    always_due(monkeypatch)
    assert [look is not None and look.leave_rest() for look in looks] == [True, False]
    assert stores[1].look_in_part() is None
    book.sync()
    assert not any(look is None or look.rest_is_left() for look in looks)


def test_the_thread_of_an_open_book_looks_after_the_answer(
    open_vault: OpenBook, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_vault(background=True) as book:
        book.save_many([BRANCH, *DRINKS])
        settled(book)
        edit(vault, "Guest 3 ordered cocoa", "We deploy hotfixes from the branch hotfix")
        always_due(monkeypatch)
        assert len(answers(book)) == 1
        never_due(monkeypatch)
        end = time.monotonic() + 60
        while not looks_in_part(book):
            assert time.monotonic() < end
            time.sleep(0.01)
        revision = book.revision
        assert len(answers(book)) == 2
        assert book.revision == revision, "the thread had found it"


def test_a_process_starts_no_listing_of_a_vault_that_is_marked_as_large(
    vault: Path, book: Commonplace
) -> None:
    state = get_engine(book).settings.state
    url = f"vault:{vault}"
    registry.start_prefetch(url, state)
    assert not prefetch_scan.is_running(str(vault))
    for drink in DRINKS:
        note_of(vault, drink).unlink()
    book.sync()
    registry.start_prefetch(url, state)
    assert prefetch_scan.is_running(str(vault))
    assert prefetch_scan.take_result(str(vault))


def test_a_large_vault_is_not_listed_before_it_is_opened(vault: Path, book: Commonplace) -> None:
    prefetch_scan.begin(str(vault))
    assert prefetch_scan.take_result(str(vault)) is None


ACTS = ("edit", "replace", "add", "remove", "rename", "rename folder", "save")


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 10**6)), max_size=8))
def test_the_second_answer_after_any_edits_is_that_of_a_whole_look(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, int]]
) -> None:
    place = tmp_path_factory.mktemp("vault")
    vault = place / "notes"
    chosen = Settings(state=str(place / "state"), embedder="none")
    with pytest.MonkeyPatch.context() as patched:
        always_due(patched)
        with open_book(f"vault:{vault}", settings=chosen, background=False) as book:
            book.save_many([BRANCH, *DRINKS])
            settled(book)
            for number, (act, chance) in enumerate(acts):
                act_by_hand(book, vault, act, chance, f"Cook {number} deploys the branch {number}")
                first, second = answers(book, "branch"), answers(book, "branch")
                assert set(first) <= set(second), "what an answer shows is never out of date"
                book.sync()
                assert second == answers(book, "branch")
            book.sync()


def act_by_hand(book: Commonplace, vault: Path, act: str, chance: int, text: str) -> None:
    """Do one thing to a note of the vault that this chance chooses."""
    notes = sorted(path for path in vault.rglob("*.md") if path.name != "_index.md")
    path = notes[chance % len(notes)]
    if act in ("edit", "replace"):
        head = path.read_text().rpartition("---\n")
        where = path.with_suffix(".new") if act == "replace" else path
        where.write_text(f"{head[0]}{head[1]}{text}\n")
        where.rename(path)
    elif act == "add":
        path.with_name(f"{chance}.md").write_text(f"{text}\n")
    elif act == "remove" and len(notes) > 1:
        path.unlink()
    elif act == "rename":
        path.rename(path.with_name(f"{chance}.md"))
    elif act == "rename folder" and path.parent != vault:
        folder = path.parent.with_name(f"folder {chance}")
        if not folder.exists():  # The same name may be drawn twice.
            path.parent.rename(folder)
    elif act == "save":
        book.save(text)
