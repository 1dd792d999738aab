"""Backups: everything as of one moment, kept once, and brought back as any kind of book."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace import Commonplace
from commonplace.backends.backups.objects import RECORDS, json_line, page_number, pages, parse_page
from commonplace.books.open import open_book
from commonplace.books.restore import check_backup, restore_backup
from commonplace.books.services import open_backups
from commonplace.model.errors import BadInput, Damaged, NotFound, Refused, StoreUnavailable
from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING
from commonplace.notes.exchange import record_fingerprint
from commonplace.rules.backup_retention import backup_is_due, kept_backups
from commonplace.rules.parameters import BackupPlan
from commonplace.settings import Settings
from tests import ROOT, as_person
from tests.conftest import Clock, OpenBook

PROJECT = ROOT
Target = Callable[[str], str]


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    """New places to restore to, by the kind of book that is to be there."""
    made: list[Path] = []

    def place(kind: str) -> str:
        made.append(tmp_path / f"restored-{len(made)}")
        if kind != "postgresql":
            return f"{kind}:{made[-1]}"
        from tests.backends.postgres import server

        return server.made(made[-1])

    yield place
    for one in made:
        if Path(f"{one}.schema").exists():
            from tests.backends.postgres import server

            server.give_back(one)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state=str(tmp_path / "state"), embedder="none")


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "backups")


def records(book: Commonplace) -> dict[str, Memory]:
    """Every record of a book, from the store itself."""
    changes = book._engine.store.changes(0, visible=EVERYTHING)
    return {m.id: m for batch in changes for d in batch.documents for m in d.memories}


def prints(book: Commonplace) -> dict[str, str]:
    return {id: record_fingerprint(memory) for id, memory in records(book).items()}


def filled(book: Commonplace) -> None:
    """A book with something of everything."""
    book.save("The deploy branch is main", scope="/project/mech", tags=["git"])
    book.fact_store("editor", "vim", scope="/user/ada")
    book.fact_store("editor", "helix", scope="/user/ada")
    as_person(book).profile_set("Ada leads the build team.")
    book.save("Coding agents in mech use tabs", kind="override", owner="curated",
              scope="/project/mech/agent/coding")  # fmt: skip
    tea = book.save("Ada drinks green tea — «sehr heiß» 🍵\u2028every day", scope="/user/ada")
    book.promote(tea.id, to="/")
    forgotten = book.save("Ben is on holiday", scope="/user/ben")
    book.forget(forgotten.id)
    gone = book.save("The old heron count is 4711", scope="/user/ben")
    as_person(book).purge(gone.id)
    book.edit(tea.id, tags=["drinks"])
    book.task("Paint the fence", plan=["Sand it"], id="fence")
    book.recall("Which branch do we deploy?")


@pytest.mark.parametrize("kind", ["vault", "sqlite", "postgresql"])
def test_a_book_comes_back_record_by_record_as_any_kind_of_book(
    book: Commonplace, kind: str, target: Target, settings: Settings, place: str, open_at: OpenBook
) -> None:
    filled(book)
    done = book.backup(place)
    assert done.moment.records == len(records(book))
    to = target(kind)
    back = restore_backup(place, to, settings=settings)
    assert (back.differences, back.left_out, back.asked) == ((), 0, True)
    again = open_at(to)
    here, there = prints(book), prints(again)
    assert here.keys() == there.keys()
    # That the profile is always loaded a vault says by its place; a database has no place.
    says_it = 1 if kind == "vault" and not book.url.startswith("vault:") else 0
    assert (len([id for id in here if here[id] != there[id]]), back.adapted) == (says_it, says_it)
    assert again.id == book.id
    told = {event.id for event in book.audit(limit=1_000)}
    assert {event.id for event in again.audit(limit=1_000)} == told
    assert again.audit_verify().problems == ()
    assert again.uses(list(records(book))) == book.uses(list(records(book)))
    assert again.fact_recall("editor").value == "helix"  # pyright: ignore[reportOptionalMemberAccess]
    assert again.profile().text == book.profile().text
    with pytest.raises(Refused, match="purged"):
        again.save("The old heron count is 4711", scope="/user/ben")


def test_what_did_not_change_is_not_written_again(book: Commonplace, place: str) -> None:
    book.save_many([f"Fact number {n} about trains" for n in range(300)])
    first = book.backup(place)
    pages = set(Path(place, "objects").rglob("*"))
    assert book.backup(place).moment.written == 0
    book.save("One more, about ships", scope="/user/ada")
    second = book.backup(place)
    assert len(set(Path(place, "objects").rglob("*")) - pages) <= 4
    assert 0 < second.moment.written < first.moment.written / 3
    assert second.moment.records == first.moment.records + 1


def test_a_book_saved_to_by_others_meanwhile_is_backed_up_as_of_one_moment(
    url: str, open_at: OpenBook, tmp_path: Path, settings: Settings, target: Target, place: str
) -> None:
    book = open_at(url)
    state = str(tmp_path / "state")
    logs = [tmp_path / name for name in ("ada", "ben")]
    savers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.saver", url, state, log, log.name, "100000"],
            cwd=PROJECT,
        )
        for log in logs
    ]
    try:
        _wait(lambda: all(len(_acknowledged(log)) > 5 for log in logs))
        book.backup(place)
        before = {id for log in logs for id in _acknowledged(log)}
        moment = book.backup(place).moment
        # A backup may be quicker than a save.
        _wait(lambda: len(before) < sum(len(_acknowledged(log)) for log in logs))
    finally:
        for saver in savers:
            saver.kill()
            saver.wait()
    after = {id for log in logs for id in _acknowledged(log)}
    backups = open_backups(place)
    in_it = {memory.id: record_fingerprint(memory) for memory in backups.records(moment)}
    created = {line.split('"memory":"')[1].split('"')[0] for _, line in backups.lines(moment)}
    # One moment for both: no record without its event, no event without its record.
    assert in_it.keys() == created
    assert before <= in_it.keys()
    assert len(before) < len(after)
    back = restore_backup(place, target("sqlite"), settings=settings)
    assert (back.records, back.differences) == (len(in_it), ())
    now = prints(book)
    assert {id: now[id] for id in in_it} == in_it


def _acknowledged(log: Path) -> list[str]:
    return [line.split()[1] for line in log.read_text().splitlines()] if log.exists() else []


def _wait(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_backup_that_is_killed_leaves_no_moment_that_lies(
    open_vault: OpenBook, vault: Path, tmp_path: Path, place: str
) -> None:
    book = open_vault()
    book.save_many([f"Fact number {n} about trains" for n in range(200)])
    book.backup(place)
    pages = Path(place, "objects")
    script = (
        "import sys; from commonplace.books.open import open_book;"
        "from commonplace.settings import Settings;"
        "book = open_book(sys.argv[1], settings=Settings(state=sys.argv[2], embedder='none'));"
        "book.save_many([f'{sys.argv[4]} says {n} about ships' for n in range(200)]);"
        "print('saved', flush=True); book.backup(sys.argv[3])"
    )
    for who in ("Ada", "Ben"):
        known = len(list(pages.rglob("*")))
        run = subprocess.Popen(
            [sys.executable, "-c", script, f"vault:{vault}", tmp_path / "state", place, who],
            stdout=subprocess.PIPE,
        )
        assert run.stdout is not None
        run.stdout.readline()
        _wait(
            lambda known=known, run=run: len(list(pages.rglob("*"))) > known + 2 or bool(run.poll())
        )
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
        for moment in open_backups(place).snapshots():
            assert check_backup(place, moment.at).sound
    done = book.backup(place)
    assert done.moment.records == len(records(book)) == 600
    assert check_backup(place).sound


def test_what_was_purged_after_a_backup_stays_gone(
    book: Commonplace, place: str, settings: Settings, target: Target, open_at: OpenBook
) -> None:
    keep = book.save("The deploy branch is main")
    secret = book.save("Ada's sister is ill")
    book.backup(place)
    as_person(book).purge(secret.id)
    # The book itself is asked: there was no backup since.
    back = restore_backup(place, to := target("vault"), settings=settings)
    assert (back.records, back.left_out, back.asked) == (1, 1, True)
    again = open_at(to)
    assert records(again).keys() == {keep.id}
    assert again.recall("Who is ill?", limit=5)[:1] == []
    with pytest.raises(Refused):
        again.save("Ada's sister is ill")
    assert again.audit_verify().sound


def test_a_newer_backup_tells_what_was_purged_when_the_book_is_lost(
    open_vault: OpenBook, vault: Path, place: str, settings: Settings, target: Target, clock: Clock
) -> None:
    book = open_vault()
    book.save("The deploy branch is main")
    secret = book.save("Ada's sister is ill")
    first = book.backup(place).moment
    clock.pass_days(1)
    as_person(book).purge(secret.id)
    book.backup(place)
    book.close()
    vault.rename(vault.with_name("lost"))
    back = restore_backup(place, target("sqlite"), at=first.at, settings=settings)
    assert (back.moment, back.records, back.left_out, back.asked) == (first, 1, 1, False)


def test_a_restore_that_was_interrupted_goes_on(
    open_vault: OpenBook, place: str, tmp_path: Path, settings: Settings, target: Target
) -> None:
    book = open_vault()
    book.save_many([f"Fact number {n} about trains" for n in range(600)])
    book.backup(place)
    to = target("postgresql")
    script = (
        "import os, sys; from commonplace.books.restore import restore_backup;"
        "from commonplace.settings import Settings;"
        "settings = Settings(state=sys.argv[3], embedder='none');"
        "restore_backup(*sys.argv[1:3], settings=settings, progress=lambda _: os._exit(9))"
    )
    killed = subprocess.run(
        [sys.executable, "-c", script, place, to, tmp_path / "state"], cwd=PROJECT, check=False
    )
    assert killed.returncode == 9
    back = restore_backup(place, to, settings=settings)
    assert (back.records, back.differences) == (600, ())


def test_a_place_that_holds_something_else_is_left_alone(
    book: Commonplace, place: str, settings: Settings, target: Target, open_at: OpenBook
) -> None:
    book.save("The deploy branch is main")
    book.backup(place)
    other = open_at(to := target("vault"))
    other.save("Ben likes jazz")
    with pytest.raises(Refused, match="something else"):
        restore_backup(place, to, settings=settings)
    # A book that went on since its backup counts, too.
    book.save("The release branch is stable")
    with pytest.raises(Refused, match="something else"):
        restore_backup(place, book.url, settings=settings)
    with pytest.raises(Refused, match="another book"):
        other.backup(place)
    assert [memory.content for memory in other.list()] == ["Ben likes jazz"]


def test_a_place_inside_the_vault_is_no_place_for_backups(
    open_vault: OpenBook, vault: Path, tmp_path: Path
) -> None:
    book = open_vault()
    with pytest.raises(BadInput, match="lost with it"):
        book.backup(str(vault / "backups"))
    assert book.backup(str(tmp_path / "book-backups")).kept == 1


def test_hand_written_notes_and_lines_come_back(
    open_vault: OpenBook,
    vault: Path,
    place: str,
    settings: Settings,
    target: Target,
    open_at: OpenBook,
) -> None:
    (vault / "projects/mech").mkdir(parents=True)
    (vault / "projects/mech/facts.md").write_text("- build: make all\n- test: make test\n")
    (vault / "system").mkdir()
    (vault / "system/Trains.md").write_text("Trains run on rails. See [[Ships]].\n")
    for note in vault.rglob("*.md"):
        os.utime(note, (1_500_000_000, 1_500_000_000))
    book = open_at(f"vault:{vault}")
    book.backup(place)
    back = restore_backup(place, to := target("vault"), settings=settings)
    assert (back.differences, back.adapted) == ((), 0)
    again = open_at(to)
    assert prints(again) == prints(book)
    assert {one.created.year for one in records(again).values()} == {2017}
    fact = again.as_context({"project": "mech"}).fact_recall("build")
    assert fact is not None
    assert fact.value == "make all"


def test_damage_is_found_and_named(book: Commonplace, place: str) -> None:
    book.save_many([f"Fact number {n} about trains" for n in range(200)])
    moment = book.backup(place).moment
    assert check_backup(place).sound
    page = max(
        Path(place, "objects").rglob("*"), key=lambda path: path.is_file() and path.stat().st_size
    )
    page.write_bytes(page.read_bytes()[:-8] + b"vandals!")
    checked = check_backup(place)
    assert not checked.sound
    assert page.name in checked.problems[0].what
    with pytest.raises(Damaged):
        _ = [*open_backups(place).records(moment), *open_backups(place).lines(moment)]
    listed = next(Path(place, "moments").iterdir())
    listed.write_text(listed.read_text().replace('"records":200', '"records":201'))
    assert open_backups(place).snapshots() == []
    assert [one.severity for one in open_backups(place).problems()] == ["error"]
    with pytest.raises(NotFound):
        check_backup(place)


def test_a_place_that_cannot_be_used_is_told_in_words(
    open_vault: OpenBook, tmp_path: Path, settings: Settings
) -> None:
    book = open_vault()
    taken = tmp_path / "taken"
    taken.write_text("a file")
    for refused in (lambda: book.backup(str(taken)), lambda: book.backups(str(taken))):
        with pytest.raises(StoreUnavailable, match="cannot be used"):
            refused()
    place = tmp_path / "backups"
    moment = book.backup(str(place)).moment
    (place / "gone").mkdir()
    (place / "gone" / "x.jsonl").write_text("half a li")
    with pytest.raises(Damaged):
        restore_backup(str(place), f"vault:{tmp_path / 'back'}", at=moment.at, settings=settings)
    (place / "backup.json").write_text("{")
    with pytest.raises(Damaged):
        book.backup(str(place))


@pytest.mark.parametrize("place", ["s3://bucket/notes", "folder:backups", "vault:backups"])
def test_an_address_is_no_folder_for_backups(
    open_vault: OpenBook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    book = open_vault()
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    for refused in (book.backup, book.backups):
        with pytest.raises(BadInput, match="is not a folder") as told:
            refused(place)
        assert told.value.hint
    assert sorted(tmp_path.iterdir()) == before


def test_the_moment_asked_for_is_the_last_one_up_to_then(
    open_vault: OpenBook, place: str, clock: Clock
) -> None:
    book = open_vault()
    first = book.backup(place).moment
    clock.pass_days(2)
    second = book.backup(place).moment
    assert [one.at for one in book.backups(place)] == [second.at, first.at]
    assert check_backup(place).moment == second
    assert check_backup(place, first.at + timedelta(days=1)).moment == first
    with pytest.raises(NotFound, match="first backup"):
        check_backup(place, first.at - timedelta(seconds=1))


def test_old_moments_go_and_what_only_they_needed_with_them(
    vault: Path, tmp_path: Path, clock: Clock
) -> None:
    place = str(tmp_path / "backups")
    plan = BackupPlan(place=place, hourly=2, daily=3, weekly=4)
    settings = Settings(state=str(tmp_path / "state"), embedder="none", backup=plan)
    with open_book(f"vault:{vault}", settings=settings, now=clock, background=False) as book:
        for week in range(9):
            book.save(f"In week {week} Ada read {week + 3} books")
            book.backup()
            clock.pass_days(7)
            for page in Path(place, "objects").rglob("*"):
                os.utime(page, (0, 0))
        done = book.backup()
        kept_ones = book.backups()
    assert (len(kept_ones), done.kept) == (4, 4)
    assert done.freed > 0
    pages = {path.name for path in Path(place, "objects").rglob("*") if path.is_file()}
    assert all(check_backup(place, one.at).sound for one in kept_ones)
    needed = "".join(path.read_text() for path in Path(place, "moments").iterdir())
    assert {name for name in pages if name not in needed} == set()


def test_a_server_backs_up_when_an_hour_has_passed(url: str, tmp_path: Path, clock: Clock) -> None:
    place = str(tmp_path / "backups")
    plan = Settings(state=str(tmp_path / "state"), embedder="none", backup=BackupPlan(place=place))
    with open_book(url, settings=plan, now=clock, background=False) as book:
        assert book.backup_if_due() is not None
        assert book.backup_if_due() is None
        clock.now += timedelta(minutes=59)
        assert book.backup_if_due() is not None
    with open_book(
        url, settings=plan.but(backup=BackupPlan()), now=clock, background=False
    ) as book:
        assert book.backup_if_due() is None
        with pytest.raises(BadInput, match="No folder for backups is set"):
            book.backup()


def test_the_doctor_tells_of_backups_that_are_late_or_damaged(
    vault: Path, tmp_path: Path, clock: Clock
) -> None:
    plan = BackupPlan(place=str(tmp_path / "backups"))
    settings = Settings(state=str(tmp_path / "state"), embedder="none", backup=plan)
    with open_book(f"vault:{vault}", settings=settings, now=clock, background=False) as book:
        assert ["overdue" in problem.what for problem in book.doctor()] == [True]
        book.backup()
        assert book.doctor() == []
        clock.pass_days(1)
        assert "the last is of 2026-11-15" in book.doctor()[0].what
        book.backup()
        newest = max(Path(plan.place, "moments").iterdir())
        newest.write_text(newest.read_text()[:-9])
        assert [problem.severity for problem in book.doctor()] == ["error", "warning"]


IDS = st.lists(st.text("abcdef0123456789", min_size=26, max_size=26), unique=True, max_size=300)


@given(IDS, st.data())
def test_one_record_more_or_less_leaves_other_pages_as_they_are(
    ids: list[str], data: st.DataObject
) -> None:
    def cut(some: list[str]) -> list[bytes]:
        return [
            page for page, _ in pages(RECORDS, [(page_number(id), json_line([id])) for id in some])
        ]

    ids.sort()
    whole = cut(ids)
    assert [entry for page in whole for (entry,) in parse_page(page)] == ids
    if ids:
        gone = data.draw(st.sampled_from(ids))
        # Its own page changes; if it was the last on it, that page and the next become one.
        assert len(set(whole) - set(cut([id for id in ids if id != gone]))) <= 2


MOMENTS = st.lists(
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31), timezones=st.just(UTC)), max_size=60
)


@given(MOMENTS, st.integers(0, 30), st.integers(0, 10), st.integers(0, 10))
def test_the_newest_backup_is_always_kept_and_never_more_than_asked(
    moments: list[datetime], hourly: int, daily: int, weekly: int
) -> None:
    plan = BackupPlan(hourly=hourly, daily=daily, weekly=weekly)
    chosen = kept_backups(moments, plan)
    assert chosen <= set(moments)
    assert not moments or max(moments) in chosen
    assert len(chosen) <= max(1, hourly + daily + weekly)
    # Doing it again changes nothing.
    assert kept_backups(chosen, plan) == chosen


@given(st.integers(0, 10_000))
def test_a_backup_is_due_within_its_hour(seconds: int) -> None:
    last = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
    due = backup_is_due(last, last + timedelta(seconds=seconds), hours=1)
    assert due or seconds < 3_600
    assert not backup_is_due(last, last + timedelta(seconds=seconds), hours=0)
