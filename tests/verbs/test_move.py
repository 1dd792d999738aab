"""Moving house: nothing is lost, nothing is invented, and the old house stays as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from commonplace import BadInput, Conflict, NotAllowed, Refused
from commonplace.books.open import open_book, open_move_target
from commonplace.books.services import make_key
from tests import ROOT, as_person

from .houses import STORES, Places, by_hand, everything, furnish, told, without

ROUTES = [(here, there) for here in STORES for there in STORES if here != there]


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    made = Places(tmp_path)
    yield made
    made.close()


def files(folder: Path) -> dict[str, str]:
    """Every file below a folder, by its content."""
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(("here", "there"), ROUTES)
def test_a_book_that_moved_is_the_same_book(places: Places, here: str, there: str) -> None:
    old, new = places.url(here, "old"), places.url(there, "new")
    with places.book(old) as book:
        furnish(book)
        before, said = everything(book), told(book)
        links = {slug: book.links(slug) for slug in ("cellar-key",)}
        changes = len(book.history("cellar-key").events)
    moved = places.move(old, new)
    # A vault calls a note what its heading says, and always loads the profile at its top.
    own_way = ("title", "always_load") if there == "vault" else ()
    with places.book(new, create=False) as book:
        assert without(everything(book), *own_way) == without(before, *own_way)
        assert told(book) == said
        assert {slug: book.links(slug) for slug in links} == links
        assert len(book.history("cellar-key").events) == changes
        assert moved.records == before.count(b"\n") - 1
        assert moved.memories == book.status().memories
        assert [one.action for one in book.audit(limit=1)] == ["moved"]
    with places.book(old, create=False) as book:
        assert everything(book) == before
        assert told(book) == said


@pytest.mark.parametrize("there", ["sqlite", "postgresql"])
def test_a_vault_written_by_hand_comes_back_byte_for_byte(places: Places, there: str) -> None:
    old, away, back = (
        places.url(s, n) for s, n in zip(("vault", there, "vault"), "abc", strict=True)
    )
    by_hand(places.folder / "a")
    with places.book(old) as book:
        furnish(book)
        before = everything(book)
    assert before.count(b'"source":"hand"') >= 7
    kept = files(places.folder / "a")
    places.move(old, away)
    moved = places.move(away, back)
    assert moved.adapted == ()
    with places.book(back, create=False) as book:
        assert everything(book) == before
        assert book.audit_verify().sound
        assert book.fact_recall("roof") is not None
    assert files(places.folder / "a") == kept, "the old vault was touched"
    assert (places.folder / "c/projects/+house/facts.md").read_text().count("hedge: beech") == 1


def test_many_memories_go_to_a_server_and_back_unchanged(places: Places) -> None:
    old, away, back = (
        places.url("vault", "a"),
        places.url("postgresql", "b"),
        places.url("vault", "c"),
    )
    with places.book(old) as book:
        book.save_many(
            {
                "content": f"Crate {n} holds {n * 7} bolts of size {n % 40}",
                "scope": f"/user/u{n % 9}",
            }
            for n in range(1_500)
        )
        before = everything(book)
    assert places.move(old, away).copied == 1_500
    moved = places.move(away, back)
    assert (moved.memories, moved.events) == (1_500, 1_501)
    with places.book(back) as book:
        assert everything(book) == before


def test_purged_text_stays_gone_at_the_new_place(places: Places) -> None:
    old, new = places.url("vault", "old"), places.url("sqlite", "new")
    with places.book(old) as book:
        as_person(book).purge(book.save("The safe opens with a left turn").id)
        book.save("The safe is blue")
    places.move(old, new)
    with places.book(new) as book:
        with pytest.raises(Refused, match="purged"):
            book.save("The safe opens with a left turn")
        assert [one.content for one in book.export(everything=True)] == ["The safe is blue"]


def test_sealed_texts_open_at_the_new_place(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMONPLACE_KEY", make_key())
    old, new = places.url("vault", "old"), places.url("sqlite", "new")
    with places.book(old) as book:
        book.save("Kakadu77-Wombat", seal=True, title="Door code")
    places.move(old, new)
    with places.book(new) as book:
        assert as_person(book).reveal("Door code").text == "Kakadu77-Wombat"
    assert b"Kakadu77" not in (places.folder / "new.db").read_bytes()


def test_the_events_of_every_device_arrive_in_one_sound_chain(places: Places) -> None:
    old, new = places.url("vault", "old"), places.url("sqlite", "new")
    laptop = places.settings.but(state=str(places.folder / "laptop"))
    for number in range(3):
        with places.book(old) as book:
            book.save(f"Said at the desk, part {number}")
        with open_book(old, settings=laptop, background=False) as book:
            book.save(f"Said on the train, part {number}")
    assert len(list((places.folder / "old" / "_meta" / "events").iterdir())) == 2
    assert places.move(old, new).events == 6
    with places.book(new) as book:
        assert book.audit_verify().sound
        arrived, *said = book.audit()
        assert arrived.action == "moved"
        assert [one.at for one in said] == sorted((one.at for one in said), reverse=True)


def test_moving_again_brings_only_what_is_new(places: Places) -> None:
    old, new = places.url("vault", "old"), places.url("sqlite", "new")
    with places.book(old) as book:
        gone = book.save("The gate code is on the fridge")
        book.save("The gate squeaks")
    assert places.move(old, new).copied == 2
    assert places.move(old, new).copied == 0
    with places.book(old) as book:
        as_person(book).purge(gone.id)
        book.edit(book.save("The gate is green").id, tags=["gate"])
        before = everything(book)
    moved = places.move(old, new)
    assert (moved.copied, moved.erased) == (1, 1)
    with places.book(new) as book:
        assert everything(book) == before
        assert "fridge" not in "".join(hit.memory.content for hit in book.recall("code on fridge"))
    assert b"fridge" not in (places.folder / "new.db").read_bytes()


def test_a_book_can_move_back_to_where_it_was(places: Places) -> None:
    old, new = places.url("vault", "old"), places.url("sqlite", "new")
    with places.book(old) as book:
        book.fact_store("deploy.branch", "main")
    places.move(old, new)
    with places.book(new) as book:
        book.fact_store("deploy.branch", "trunk")
        before = everything(book)
    places.move(new, old)
    with places.book(old) as book:
        assert everything(book) == before
        assert book.audit_verify().sound


def test_what_a_vault_says_in_its_own_way_is_told(places: Places) -> None:
    old, new = places.url("sqlite", "old"), places.url("vault", "new")
    with places.book(old) as book:
        book.save("# Roof\n\nSlate from 1920.")
    moved = places.move(old, new)
    assert moved.adapted == (("title", 1),)
    assert places.move(old, new).copied == 0
    with places.book(new) as book:
        assert [one.title for one in book.export()] == ["Roof"]


@pytest.mark.parametrize("there", STORES)
def test_a_place_with_another_book_is_refused_and_left_alone(places: Places, there: str) -> None:
    old, new = places.url("vault", "old"), places.url(there, "new")
    with places.book(old) as book:
        book.save("Ours")
    with places.book(new) as book:
        book.save("Theirs")
        before = everything(book)
    with pytest.raises(Conflict, match="another book"):
        places.move(old, new)
    with places.book(new) as book:
        assert everything(book) == before
        assert [one.action for one in book.audit()] == ["created"]


def test_a_folder_of_somebody_s_notes_is_no_place_to_move_to(places: Places) -> None:
    old, new = places.url("sqlite", "old"), places.url("vault", "new")
    (places.folder / "new").mkdir()
    (places.folder / "new" / "Diary.md").write_text("Dear diary\n")
    with places.book(old) as book:
        book.save("Ours")
    with pytest.raises(Conflict):
        places.move(old, new)
    assert (places.folder / "new" / "Diary.md").read_text() == "Dear diary\n"


@pytest.mark.parametrize("way", ["saved", "edited by hand", "written by hand"])
def test_what_only_the_new_place_knows_is_never_overwritten(places: Places, way: str) -> None:
    old, new = places.url("sqlite", "old"), places.url("vault", "new")
    with places.book(old) as book:
        book.save("The gate squeaks", title="Gate")
    places.move(old, new)
    (note,) = (places.folder / "new" / "system").rglob("*.md")
    if way == "saved":
        with places.book(new) as book:
            book.save("Only here")
    elif way == "edited by hand":
        note.write_text(note.read_text().replace("squeaks", "was oiled"))
    else:
        (note.parent / "mine.md").write_text("Only here\n")
    before = files(places.folder / "new" / "system")
    with pytest.raises(Conflict, match="that the book lacks"):
        places.move(old, new)
    assert files(places.folder / "new" / "system") == before


def test_a_damaged_book_is_not_moved_by_accident(places: Places) -> None:
    old, new = places.url("vault", "old"), places.url("sqlite", "new")
    with places.book(old) as book:
        book.save("Readable")
    (places.folder / "old" / "system" / "torn.md").write_bytes(b"\xff\xfe\x00 torn")
    with pytest.raises(Refused, match=r"torn\.md"):
        places.move(old, new)
    assert places.move(old, new, anyway=True).memories == 1


def test_a_forged_audit_log_does_not_become_a_sound_one(places: Places) -> None:
    old, new = places.url("vault", "old"), places.url("sqlite", "new")
    with places.book(old) as book:
        book.save("Kept")
        book.forget(book.save("Forgotten").id)
    (log,) = (places.folder / "old" / "_meta" / "events").iterdir()
    log.write_text(log.read_text().replace('"forgotten"', '"restored"'))
    with pytest.raises(Refused, match="problem"):
        places.move(old, new)


def test_a_book_does_not_move_onto_itself(places: Places) -> None:
    old = places.url("vault", "old")
    with places.book(old) as book:
        book.save("Here")
    with pytest.raises(Conflict, match="already"):
        places.move(old, old)


def test_only_the_owner_moves_house(places: Places) -> None:
    with places.book(places.url("sqlite", "old")) as book:
        member = book.as_context({"org": "acme", "user": "ada", "role": "member"})
        with places.book(places.url("sqlite", "new")) as target:
            with pytest.raises(NotAllowed):
                member.move(target)
            with pytest.raises(NotAllowed):
                target.as_context(member.context).make_room_for(book)


def test_an_address_that_leads_nowhere_is_said_plainly(places: Places) -> None:
    with places.book(places.url("sqlite", "old")) as book, pytest.raises(BadInput, match="schema"):
        open_move_target(book, "postgresql://x@127.0.0.1/y?schema=N O", settings=places.settings)


KILLED = """
import os, signal, sys
from commonplace.books.open import open_book
from commonplace.books.open import open_move_target
from commonplace.settings import Settings
old, new, state, steps = sys.argv[1:]
settings = Settings(state=state, embedder="none")
left = int(steps)
def progress(step, done, of):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
with open_book(old, settings=settings, background=False) as here:
    with open_move_target(here, new, settings=settings) as there:
        here.move(there, progress=progress)
"""


@pytest.mark.parametrize(("here", "there"), [("vault", "sqlite"), ("sqlite", "vault")])
def test_a_move_killed_again_and_again_is_finished_by_the_next(
    places: Places, here: str, there: str
) -> None:
    old, new = places.url(here, "old"), places.url(there, "new")
    with places.book(old) as book:
        furnish(book)
        book.save_many(f"Crate {n} holds {n * 7} bolts" for n in range(520))
        before, said = everything(book), told(book)
    killed = 0
    for steps in range(0, 100, 2):
        process = _moving(old, new, places, steps)
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, process.stderr
        killed += 1
    assert killed >= 3
    with places.book(new) as book:
        assert without(everything(book), "title", "always_load") == without(
            before, "title", "always_load"
        )
        assert told(book) == said


def _moving(old: str, new: str, places: Places, steps: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", KILLED, old, new, places.settings.state, str(steps)]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ}, capture_output=True, text=True, check=False
    )
