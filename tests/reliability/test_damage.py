"""Any file of a book but its notes may be damaged: the book goes on, and `doctor` names it.

The files are those that a book has on the disk, so that a new one is tested at once.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace import Commonplace
from commonplace.backends.common.sqlite import DatabaseReplaced
from commonplace.books.open import open_book
from commonplace.model.errors import CommonplaceError, Damaged, StoreUnavailable
from commonplace.model.value import Value
from commonplace.settings import Settings
from tests.permissions import held_to_permissions
from tests.reliability.damages import (
    DAMAGES,
    NEW,
    NEW_QUESTION,
    PAGE,
    PAGE_DAMAGES,
    QUESTIONS,
    TEXTS,
    DamagedBook,
    lost,
    serve,
)

_made: dict[str, DamagedBook] = {}


@pytest.fixture(scope="module", autouse=True)
def remove_books() -> Iterator[None]:
    yield
    while _made:
        shutil.rmtree(_made.popitem()[1].place)


def made(store: str) -> DamagedBook:
    """One book for each store, made once; each test damages a copy of it."""
    if store not in _made:
        _made[store] = DamagedBook(Path(tempfile.mkdtemp(prefix="damage-")), store)
    return _made[store]


def recall(damaged: DamagedBook, book: Commonplace) -> None:
    assert TEXTS[0] in [hit.memory.content for hit in book.recall(QUESTIONS[0])]


def list_(damaged: DamagedBook, book: Commonplace) -> None:
    assert set(TEXTS) <= {one.content for one in book.list(limit=100)}


def save(damaged: DamagedBook, book: Commonplace) -> None:
    book.save(NEW)


def doctor(damaged: DamagedBook, book: Commonplace) -> None:
    book.doctor()


def rest(damaged: DamagedBook, book: Commonplace) -> None:
    answer = serve(book, QUESTIONS[0])
    assert answer.status_code == 200, answer.text
    assert TEXTS[0] in answer.text


def hook(damaged: DamagedBook, book: Commonplace) -> None:
    assert TEXTS[0] in damaged.prompt(QUESTIONS[0])


ACTS: tuple[Callable[[DamagedBook, Commonplace], None], ...] = (
    recall, save, list_, doctor, rest, hook,
)  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("store", ["vault", "sqlite"])
def test_every_memory_is_found_and_saves_go_on(store: str, damage: str) -> None:
    damaged = made(store)
    names = [name for name in damaged.files() if not damaged.is_truth(name)]
    assert any(name.endswith("index.db") for name in names)
    for number, name in enumerate(names):
        damaged.damage(name, damage)
        first = ACTS[(number + list(DAMAGES).index(damage)) % len(ACTS)]
        where = f"{name}, {damage}, first {first.__name__}"
        assert not list(problems_after(damaged, first)), where


def problems_after(
    damaged: DamagedBook, first: Callable[[DamagedBook, Commonplace], None]
) -> Iterator[str]:
    """Act on a damaged book, and say what is wrong with it afterwards."""
    with damaged.open() as book:
        first(damaged, book)
        book.save(NEW)
        yield from lost(book)
    with damaged.open() as book:
        if NEW not in [hit.memory.content for hit in book.recall(NEW_QUESTION)]:
            yield "the save is gone"
        cure(damaged, book)
        for one in book.doctor():
            # A chain with a changed event stays under suspicion, whoever wrote it.
            if "_meta/events/" not in one.where:
                yield f"doctor: {one.where}: {one.what}"
        yield from lost(book)


def cure(damaged: DamagedBook, book: Commonplace) -> None:
    """Do what `doctor` asks for: delete copies that were set aside, bring lost events back."""
    for one in book.doctor():
        copy = damaged.home / "vault" / one.where
        if ".damaged-" in one.where:
            shutil.rmtree(copy) if copy.is_dir() else copy.unlink()
    book.sync()


@settings(max_examples=40)
@given(data=st.data())
def test_any_damaged_page_of_a_database_is_survived_and_named(data: st.DataObject) -> None:
    damaged = made(data.draw(st.sampled_from(["vault", "sqlite"])))
    damaged.restore(killed=False)
    name = data.draw(st.sampled_from([one for one in damaged.files() if one.endswith(".db")]))
    path = damaged.home / name
    page = data.draw(st.integers(1, path.stat().st_size // PAGE - 1))
    PAGE_DAMAGES[data.draw(st.sampled_from(sorted(PAGE_DAMAGES)))](page)(path)
    if damaged.is_truth(name):
        assert not list(unnamed(damaged, path))
        return
    seen = not is_sound(path)
    first = data.draw(st.sampled_from(ACTS))
    if first is doctor and seen:
        with damaged.open() as book:
            named = [one for one in book.doctor() if path.name in one.where]
            assert [one for one in named if one.what and one.hint], "file, loss and cure"
    assert not list(problems_after(damaged, first))


def is_sound(path: Path) -> bool:
    """Whether SQLite finds nothing wrong with a database."""
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return db.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)]
        finally:
            db.close()
    except apsw.Error:
        return False


def unnamed(damaged: DamagedBook, path: Path) -> Iterator[str]:
    """Refusals of a book whose own file is damaged that do not say which file, or what to do."""
    seen = not is_sound(path)
    try:
        book = damaged.open()
    except CommonplaceError as error:
        if path.name not in str(error) or not error.hint:
            yield f"open: {error}"
        return
    with book:
        if seen and not [one for one in book.doctor() if path.name in one.where and one.hint]:
            yield "doctor"
        for act in (recall, list_, save, rest, hook):
            try:
                act(damaged, book)
            except CommonplaceError as error:
                if path.name not in str(error) or not error.hint:
                    yield f"{act.__name__}: {error}"
            except AssertionError as error:
                # A server and a hook answer in words; neither may break.
                if act not in (rest, hook) and not seen:
                    yield f"{act.__name__}: {error}"


@pytest.mark.parametrize("damage", ["first page zeroed", "cut short", "a folder"])
@pytest.mark.parametrize("store", ["vault", "sqlite"])
def test_doctor_names_a_damaged_database_until_it_is_cured(store: str, damage: str) -> None:
    damaged = made(store)
    names = [one for one in damaged.files() if one.endswith(".db") and not damaged.is_truth(one)]
    assert len(names) >= 3
    for name in names:
        damaged.damage(name, damage)
        with damaged.open() as book:
            assert [one for one in book.doctor() if Path(name).name in one.where], name
            cure(damaged, book)
            assert not [one for one in book.doctor() if Path(name).name in one.where], name


def test_a_damaged_ledger_is_kept_under_another_name_and_says_what_is_lost() -> None:
    damaged = made("vault")
    (ledger,) = [name for name in damaged.files() if name.endswith("/ledger.db")]
    damaged.damage(ledger, "first page zeroed")
    with damaged.open() as book:
        (problem,) = book.doctor()
        assert "how often each memory was used" in problem.what
        assert "delete this file" in problem.hint
        assert Path(problem.where).name.startswith("ledger.db.damaged-20")
    # A purge leaves no word in such a copy either.
    with damaged.open(source="person") as book:
        book.purge(book.list(limit=1)[0].id)
        assert book.doctor() == []


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_one_file_book_gives_what_can_be_read_and_names_the_file(damage: str) -> None:
    damaged = made("sqlite")
    damaged.damage("book.db", damage)
    if damage not in ("zeroed in the middle", "flipped inside"):
        # Nothing of the book can be read, not even which book it is.
        with pytest.raises((Damaged, StoreUnavailable), match=r"book\.db") as refused:
            damaged.open()
        assert refused.value.hint
        assert "doctor" not in refused.value.hint
        return
    with damaged.open() as book:
        assert list(lost(book)) == []
        if damage == "zeroed in the middle":
            assert any("book.db" in one.where for one in book.doctor())
            with pytest.raises(Damaged, match=r"book\.db") as told:
                book.save(NEW)
            assert "commonplace export" in told.value.hint
            saved = damaged.home / "saved.jsonl"
            book.export_to(str(saved))
            assert all(text in saved.read_text() for text in TEXTS)


def test_a_server_that_runs_goes_on_after_its_files_are_damaged() -> None:
    damaged = made("vault")
    for name in ("index.db", "vault.db", "ledger.db", "sessions.db"):
        damaged.damage("state/settings.json", "gone")
        with damaged.open() as book:
            recall(damaged, book)
            (path,) = damaged.home.glob(f"state/*/{name}")
            path.with_name(f"{name}-wal").write_bytes(b"")
            path.write_bytes(b"\xa5" * 50_000)
            path.rename(path.with_name("old"))
            path.write_bytes(b"\xa5" * 50_000)
            book.save(NEW)
            assert list(lost(book)) == [], name
            assert serve(book, NEW_QUESTION).status_code == 200


@settings(max_examples=25)
@given(data=st.data())
def test_random_damage_changes_no_text_and_stops_nothing(data: st.DataObject) -> None:
    damaged = made(data.draw(st.sampled_from(["vault", "sqlite"])))
    names = [name for name in damaged.files() if not damaged.is_truth(name)]
    damaged.restore(killed=data.draw(st.booleans()))
    path = damaged.home / data.draw(st.sampled_from([n for n in names if not n.endswith("-shm")]))
    if not path.exists():
        return
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(0, len(content) - 1)))
        noise = data.draw(st.binary(min_size=1, max_size=600))
        content[at : at + len(noise)] = noise
    path.write_bytes(content)
    with damaged.open() as book:
        # A changed posting may hide a memory until the index is rebuilt; no text ever changes.
        for question in QUESTIONS:
            assert {hit.memory.content for hit in book.recall(question)} <= {*TEXTS, FACT}
        assert {one.content for one in book.list(limit=100)} <= {*TEXTS, FACT}
        book.save(NEW)
        book.doctor()
        book.sync(rebuild=True)
        assert list(lost(book)) == []
        assert NEW in [one.content for one in book.list(limit=100)]


FACT = "editor: helix"


@pytest.mark.parametrize("mode", [0, 0o400])
@pytest.mark.parametrize("store", ["vault", "sqlite"])
def test_a_file_or_folder_that_may_not_be_opened_is_one_sentence(store: str, mode: int) -> None:
    damaged = made(store)
    damaged.restore(killed=False)
    below = damaged.home / ("vault" if store == "vault" else "state")
    for path in sorted(one.relative_to(damaged.home) for one in (below, *below.rglob("*"))):
        damaged.restore(killed=False)
        (damaged.home / path).chmod(mode)
        with held_to_permissions():
            refused = list(refusals(damaged))
        (damaged.home / path).chmod(0o700)
        assert all(one.hint for one in refused)
        if path.suffix != ".md" and path.name not in ("vault", "_meta", "vault.json"):
            # Notes that may be read are read, whatever else may not be.
            assert "recall" not in [one.act for one in refused], path


class Refusal(Value):
    """An act that a book refused, and its hint."""

    act: str
    hint: str


def refusals(damaged: DamagedBook) -> Iterator[Refusal]:
    """The acts that a book refuses in a sentence; any other failure fails the test."""
    try:
        book = damaged.open()
    except CommonplaceError as error:
        yield Refusal("open", error.hint)
        return
    with book:
        acts = (
            ("recall", lambda: book.recall(QUESTIONS[0])), ("save", lambda: book.save(NEW)),
            ("list", book.list), ("doctor", book.doctor),
        )  # fmt: skip
        for act, work in acts:
            try:
                work()
            except CommonplaceError as error:
                yield Refusal(act, error.hint)


@pytest.mark.parametrize("damage", DAMAGES)
def test_sync_writes_the_events_of_this_device_again(damage: str) -> None:
    damaged = made("vault")
    (events,) = [name for name in damaged.files() if "_meta/events" in name]
    damaged.damage(events, damage)
    with damaged.open() as book:
        book.save(NEW)
        named = [one for one in book.doctor() if one.where.endswith(Path(events).name)]
        assert all("commonplace sync" in one.hint for one in named)
        for _ in range(2):
            book.sync()
            assert book.audit_verify().problems == ()
        left = [one for one in book.doctor() if "_meta/events" in one.where]
        assert all(".damaged-" in one.where for one in left), "what was changed is kept beside"
        cure(damaged, book)
        assert book.doctor() == []


@settings(max_examples=30)
@given(share=st.floats(0, 0.999), mask=st.integers(1, 255))
def test_doctor_mends_flipped_postings_of_which_sqlite_knows_nothing(
    share: float, mask: int
) -> None:
    damaged = made("vault")
    damaged.restore(killed=False)
    before = found_by_word(damaged)
    (path,) = damaged.home.glob("state/*/index.db")
    flip_posting(path, share, mask)
    with damaged.open() as book:
        # An index that was made again has no vectors yet.
        assert {one.where for one in book.doctor()} <= {"index", str(path), "vectors"}
    assert found_by_word(damaged) == before


def found_by_word(damaged: DamagedBook) -> set[tuple[str, str]]:
    """Each word of the texts with each memory that a recall of it gives, without vectors."""
    chosen = Settings(state=str(damaged.home / "state"), embedder="none")
    asked = {word.strip(".,") for text in TEXTS for word in text.split()}
    with open_book(damaged.url, settings=chosen, background=False) as book:
        return {(word, hit.memory.content) for word in asked for hit in book.recall(word)}


def flip_posting(path: Path, share: float, mask: int) -> None:
    """Flip bits of one byte of the postings, in pages that SQLite finds sound."""
    db = apsw.Connection(str(path))
    blocks = [(id, bytes(block)) for id, block in db.execute("SELECT id, block FROM words_data")]
    at = int(share * sum(len(block) for id, block in blocks if id > 10))
    for id, block in blocks:
        if id <= 10:
            continue
        if at < len(block):
            changed = bytearray(block)
            changed[at] ^= mask
            db.execute("UPDATE words_data SET block = ? WHERE id = ?", (bytes(changed), id))
            break
        at -= len(block)
    db.close()


CONFLICT = """---
always_load: true
---
The gate opens at
<<<<<<< HEAD
06:00.
=======
07:30.
>>>>>>> night-shift
"""
QUOTED = "A conflict looks like this:\n\n```\n<<<<<<< HEAD\n=======\n>>>>>>> x\n```\n"


def test_a_note_with_a_git_conflict_is_named_marked_and_never_loaded_unasked(
    tmp_path: Path,
) -> None:
    chosen = Settings(state=str(tmp_path / "state"), embedder="none")
    with open_book(f"vault:{tmp_path / 'vault'}", settings=chosen, background=False) as book:
        note, quoted = tmp_path / "vault" / "gate.md", tmp_path / "vault" / "git.md"
        note.write_text(CONFLICT)
        quoted.write_text(QUOTED)
        (problem,) = book.doctor()
        assert (problem.where, "lines 5 to 9" in problem.what) == ("gate.md", True)
        (hit,) = [
            one for one in book.recall("when does the gate open") if "gate" in one.memory.slug
        ]
        assert hit.memory.status == "review"
        assert "gate opens" not in book.session_start().text
        note.write_text(CONFLICT[: CONFLICT.index("<<")] + "07:30.\n")
        assert book.doctor() == []
        assert "07:30" in book.session_start().text


def test_facts_inside_a_git_conflict_are_not_read(tmp_path: Path) -> None:
    chosen = Settings(state=str(tmp_path / "state"), embedder="none")
    with open_book(f"vault:{tmp_path / 'vault'}", settings=chosen, background=False) as book:
        (tmp_path / "vault" / "facts.md").write_text(
            "- editor: helix\n<<<<<<< HEAD\n- port: 1\n=======\n- port: 2\n>>>>>>> x\n"
        )
        assert [(one.key, one.value) for one in book.fact_list()] == [("editor", "helix")]
        assert [one.where for one in book.doctor()] == ["facts.md"]


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """A disk of 8 MB, where this machine lets a test mount one."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)]
    refused = subprocess.run(command, check=False, capture_output=True).returncode
    if refused:
        pytest.skip("this user may not mount a disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def fill(disk: Path) -> None:
    """Write until not one byte more fits."""
    with (disk / "filler").open("wb", buffering=0) as file:
        for size in (65_536, 4_096, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue


@pytest.mark.parametrize("store", ["vault", "sqlite"])
def test_a_full_disk_stops_no_reading(store: str, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        damaged = DamagedBook(disk / "place", store)
        damaged.restore(killed=False)
        if store == "vault":
            (damaged.home / "vault" / "moon.md").write_text("The moon gate opens at 22:15.\n")
        fill(disk)
        with damaged.open() as book:
            assert list(lost(book)) == []
            if store == "vault":
                assert "22:15" in book.recall("when does the moon gate open")[0].memory.content
            assert TEXTS[0] in book.digest(QUESTIONS[0]).text
            assert TEXTS[0] in damaged.prompt(QUESTIONS[0])
            with pytest.raises(CommonplaceError) as refused:
                book.save(NEW)
            assert not isinstance(refused.value, DatabaseReplaced)
            assert [one.severity for one in book.doctor()][:1] == ["error"]
        (disk / "filler").unlink()
        with damaged.open() as book:
            book.save(NEW)
            # What was written by hand while the disk was full gets its vector now.
            book.sync()
            # The disk is small, and nothing else is wrong.
            [small] = book.doctor()
            assert (small.severity, "MB left" in small.what) == ("warning", True)
            assert list(lost(book)) == []


def test_a_purge_is_not_refused_because_the_index_has_a_damaged_page(tmp_path: Path) -> None:
    """Emptying deleted rows reads every page, so that a purge often meets the damage first."""
    chosen = Settings(state=str(tmp_path / "state"), embedder="none")
    url = f"vault:{tmp_path / 'book'}"
    with open_book(url, settings=chosen, source="person", background=False) as book:
        saved = book.save_many([f"Gate {one} has {one + 70} green boards" for one in range(30)])
        ids = [one.id for one in saved]
    (index,) = (tmp_path / "state").glob("*/index.db")
    whole = index.read_bytes()
    for number, at in enumerate(range(4 * PAGE, len(whole) - PAGE, 6 * PAGE)):
        index.write_bytes(whole[:at] + bytes(PAGE) + whole[at + PAGE :])
        with open_book(url, settings=chosen, source="person", background=False) as book:
            assert book.purge(ids[number]).ids == (ids[number],)
            found = {one.id for one in book.export(everything=True)}
            assert found == set(ids[number + 1 :])
