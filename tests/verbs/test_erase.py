"""Erasing a user: nothing is left anywhere, nobody else loses anything, and the receipt holds."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace, NotAllowed
from commonplace.books.open import open_book
from commonplace.books.restore import restore_backup
from commonplace.doors.hooks import drain, session_files
from commonplace.model.scope import EVERYTHING, Tenant
from commonplace.notes.exchange import record_fingerprint
from commonplace.rules.parameters import BackupPlan
from commonplace.settings import Settings
from commonplace.verbs import erase
from tests import as_person
from tests.backends.ciphers.file_keyring import only_a_file
from tests.backends.postgres import server
from tests.conftest import Clock, OpenBook
from tests.on_disk import contents
from tests.valkey import started, url_of

MARK = "zanzibarquince"
"""In everything that Ada writes, and in nothing else."""
BEN = "Ben keeps bees behind the mill"
ADA = {"org": "acme", "user": "ada"}
TOKEN = {"context": ADA, "name": MARK, "created": "2026-01-01T00:00:00Z"}


@pytest.fixture(autouse=True)
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with only_a_file(tmp_path / "keyring.json", monkeypatch):
        yield


def settings_at(tmp_path: Path, **more: object) -> Settings:
    plan = BackupPlan(place=str(tmp_path / "backups"))
    state = str(tmp_path / "state")
    return Settings(state=state, embedder="hash", backup=plan, **more)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def owned(url: str, tmp_path: Path, clock: Clock) -> Iterator[Commonplace]:
    with open_book(url, settings=settings_at(tmp_path), now=clock, background=False) as book:
        yield book


def planted(book: Commonplace) -> None:
    """Let Ada write the mark wherever she can, and Ben write beside her."""
    book.new_key()
    mine = book.as_context({**ADA, "role": "member", "grants": frozenset({"/org/acme"})})
    mine.save(f"My cat is called {MARK}", title=f"Cat {MARK}", tags=[MARK], topic=MARK)
    mine.save(f"{MARK} {'and more of it. ' * 400}", scope=f"/org/acme/user/ada/project/{MARK}")
    for value in (f"{MARK}-one", f"{MARK}-two"):
        mine.fact_store(f"colour-{MARK}", value, namespace=MARK)
    edited = mine.save("Ada edits what she said", tags=[f"first-{MARK}"], title=f"Old {MARK}")
    mine.edit(edited.id, tags=["plain"], title="Plain")
    mine.edit(edited.id, content=f"Ada has edited it to {MARK}")
    mine.rename(mine.save("A note with a name").id, f"Name {MARK}")
    mine.forget(mine.save(f"Forget {MARK} soon").id)
    as_person(mine).purge(mine.save("Purged long ago", tags=[f"purged-{MARK}"]).id)
    mine.profile_set(f"Ada likes {MARK}.", scope="/org/acme/user/ada")
    mine.promote(mine.save(f"All should know {MARK}").id, to="/org/acme")
    mine.save(f"{MARK} seals this", seal=True, title=f"Sealed {MARK}")
    task = mine.task(f"Find {MARK}", plan=[f"Look for {MARK}"], id=f"hunt-{MARK}")
    task.observe(f"There was {MARK} in the attic", importance=0.9)
    mine.session("chat").add(f"Tell me about {MARK}", role="user")
    mine.recall(f"Where is {MARK} from?")
    book.as_context({**ADA, "project": MARK}).evaluate_own()
    book.recall(f"What does Ada say of {MARK}?")
    ben = book.as_context({"org": "acme", "user": "ben", "role": "member"})
    ben.save(BEN, tags=["bees"])
    ben.fact_store("editor", "vim")
    ben.session("chat").add("How are the bees?")
    ben.recall("Who keeps bees?")


def waiting(
    book: Commonplace, tmp_path: Path, who: dict[str, str], text: str
) -> session_files.SessionFiles:
    """A session of a host that nobody has looked through yet."""
    place = session_files.book_folder(str(tmp_path / "state"), book.url)
    one = session_files.files_for_session(place, f"s-{who['user']}")
    header = {"host": "claude", "session": one.name, "context": who}
    at = datetime(2026, 11, 15, 8, tzinfo=UTC).timestamp()
    one.capture({"speaker": "user", "text": text, "key": "1", "at": at}, header=header)
    return one


def everywhere(tmp_path: Path, *, but: str = "backups") -> list[str]:
    """The files, and tables of the server, that hold the mark."""
    found = [
        str(path.relative_to(tmp_path))
        for path, held in contents(tmp_path)
        if not path.is_relative_to(tmp_path / but)
        and MARK.encode() in held.lower() + str(path).encode().lower()
    ]
    schemas = list(tmp_path.glob("*.schema"))
    found += [str(one) for one in schemas if MARK.encode() in server.rows(one.with_suffix(""))]
    return found


def of_ben(book: Commonplace) -> dict[str, str]:
    changes = book._engine.store.changes(0, visible=EVERYTHING)
    memories = [m for batch in changes for document in batch.documents for m in document.memories]
    return {m.id: record_fingerprint(m) for m in memories if m.scope.value("user") == "ben"}


def test_nothing_of_an_erased_user_is_left_anywhere(owned: Commonplace, tmp_path: Path) -> None:
    planted(owned)
    told = waiting(owned, tmp_path, ADA, f"I said {MARK}")
    other = waiting(owned, tmp_path, {"org": "acme", "user": "ben"}, "I said bees")
    owned._engine.server_state.put_token("0123456789ab", json.dumps(TOKEN))
    ben = of_ben(owned)
    (tmp_path / "state" / "hooks.log").write_text(f"claude: {MARK!r} is no scope")
    assert len(everywhere(tmp_path)) >= 5
    receipt = as_person(owned).erase_user("ada", org="acme")
    assert everywhere(tmp_path) == []
    assert not told.has_turns
    assert other.has_turns
    assert of_ben(owned) == ben
    assert (receipt.tokens, receipt.keys, receipt.copies) == (1, 1, 1)
    assert receipt.memories > 10
    # Those in the session store, and the one whose turns waited.
    assert receipt.sessions >= 2
    assert receipt.events > 5
    # Nobody else noticed.
    ben_s = owned.as_context({"org": "acme", "user": "ben"})
    assert [hit.memory.content for hit in ben_s.recall("Who keeps bees?")][:1] == [BEN]
    assert len(ben_s.session("chat").entries()) == 1
    assert owned.audit_verify().problems == ()
    assert owned.sync().erased == 0
    assert everywhere(tmp_path) == []


def test_a_backup_from_before_does_not_bring_an_erased_user_back(
    owned: Commonplace, url: str, tmp_path: Path, clock: Clock
) -> None:
    planted(owned)
    before = owned.backup().moment
    as_person(owned).erase_user("ada", org="acme")
    ben = of_ben(owned)
    settings = settings_at(tmp_path).but(state=str(tmp_path / "elsewhere"))
    assert everywhere(tmp_path) == []
    # Without asking the book, which may be lost: the place was told when it was erased.
    lost = settings.but(url=None)
    served = server.made(tmp_path / "served")
    for target in (f"vault:{tmp_path / 'vault'}", f"sqlite:{tmp_path / 'sqlite'}", served):
        back = restore_backup(str(tmp_path / "backups"), target, at=before.at, settings=lost)
        assert (back.records, back.differences) == (before.records - back.left_out, ())
        assert back.left_out > 10
        with open_book(target, settings=lost, now=clock) as again:
            assert of_ben(again) == ben
            assert again.audit_verify().problems == ()
    assert everywhere(tmp_path) == []
    server.give_back(tmp_path / "served")


def test_what_was_deleted_by_hand_before_the_erasure_does_not_come_back_either(
    vault: Path, tmp_path: Path
) -> None:
    settings = settings_at(tmp_path)
    with open_book(f"vault:{vault}", settings=settings, background=False) as book:
        book.save(f"Ada likes {MARK}", scope="/user/ada")
        book.save(BEN, scope="/user/ben")
        before = book.backup().moment
        (note,) = vault.glob("users/ada/**/*likes*.md")
        note.unlink()
        book.sync()
        # No event of the erasure names the note: the book had none any more.
        as_person(book).erase_user("ada")
    lost = settings.but(state=str(tmp_path / "elsewhere"))
    target = f"sqlite:{tmp_path / 'again'}"
    back = restore_backup(str(tmp_path / "backups"), target, at=before.at, settings=lost)
    assert (back.records, back.left_out) == (1, 1)
    assert everywhere(tmp_path) == []


def test_the_receipt_verifies_and_a_false_one_does_not(owned: Commonplace) -> None:
    planted_texts = [owned.save(f"{MARK} number {n}", scope="/user/ada") for n in range(3)]
    receipt = as_person(owned).erase_user("ada")
    assert MARK not in repr(receipt)
    assert owned.verify_erasure(receipt).sound
    owned.save("Ada is back", scope="/user/ada")
    assert owned.verify_erasure(receipt).sound
    for lie in (
        receipt.but(ids="0" * 32),
        receipt.but(event="nobody"),
        receipt.but(hash="0" * 32),
        receipt.but(book="another"),
        receipt.but(user="ben"),
        receipt.but(at=receipt.at + timedelta(days=1)),
    ):
        assert not owned.verify_erasure(lie).sound
    assert planted_texts[0].id not in owned._engine.store.read(
        [one.id for one in planted_texts], visible=EVERYTHING
    )


def test_what_others_derived_from_it_is_named(owned: Commonplace) -> None:
    origin = owned.save("Ada found that caches go stale", scope="/org/acme/user/ada")
    theirs = owned.save("Caches of the build go stale on Fridays", scope="/org/acme",
                        derived_from=(origin.id,))  # fmt: skip
    receipt = as_person(owned).erase_user("ada", org="acme")
    assert receipt.derived == (theirs.id,)
    assert owned.get(theirs.id).content.startswith("Caches of the build")


def test_a_copy_that_was_carried_on_from_a_copy_goes_too(owned: Commonplace) -> None:
    own = owned.save("Ada keeps seeds in the blue drawer", scope="/org/acme/user/ada/project/x")
    first = owned.promote(own.id, "/org/acme/project/x").memory
    second = owned.promote(first.id, "/org/acme").memory
    third = owned.save("Visitors may look at the garden", scope="/org/acme",
                       derived_from=(second.id,))  # fmt: skip
    receipt = as_person(owned).erase_user("ada", org="acme")
    assert [one.content for one in owned.list(include_archive=True)] == [third.memory.content]
    assert (receipt.memories, receipt.copies, receipt.derived) == (3, 2, (third.id,))
    assert owned.verify_erasure(receipt).sound


def test_a_copy_that_was_corrected_with_its_origin_goes_in_both_versions(
    owned: Commonplace,
) -> None:
    own = owned.save("Ada keeps seeds in the blue drawer", scope="/org/acme/user/ada")
    shared = owned.promote(own.id, "/org/acme").memory
    owned.correct(own.id, "Ada keeps seeds in her red coat")
    (corrected,) = owned.as_context({"org": "acme"}).list(scope="/org/acme")
    owned.edit(corrected.id, content="Seeds are in a coat that hangs in the hall")
    receipt = as_person(owned).erase_user("ada", org="acme")
    (left,) = owned.list(include_archive=True)
    assert left.content == "Seeds are in a coat that hangs in the hall"
    assert (receipt.copies, receipt.derived) == (2, (left.id,))
    assert shared.id not in owned._engine.store.read([shared.id], visible=EVERYTHING)


def test_what_others_said_in_the_same_words_by_themselves_stays_theirs(
    owned: Commonplace,
) -> None:
    owned.save("The cellar floods in March", scope="/org/acme/user/ada")
    theirs = owned.save("The cellar floods in March", scope="/org/acme")
    newer = owned.edit(theirs.id, content="The cellar floods in April")
    receipt = as_person(owned).erase_user("ada", org="acme")
    assert (receipt.memories, receipt.copies, receipt.derived) == (1, 0, ())
    assert {one.id for one in owned.list(include_archive=True)} == {theirs.id, newer.id}


def test_only_the_owner_erases_a_user(owned: Commonplace) -> None:
    for role in ("member", "admin"):
        caller = owned.as_context({"org": "acme", "user": "ada", "role": role})
        with pytest.raises(NotAllowed):
            as_person(caller).erase_user("ada", org="acme")


def test_attachments_and_notes_that_cannot_be_read_go_with_the_user(
    open_vault: OpenBook, vault: Path, tmp_path: Path
) -> None:
    book = open_vault()
    book.save("Ada drinks tea", scope="/user/ada")
    book.save(BEN, scope="/user/adamant")
    (vault / "users/ada/photo.png").write_bytes(MARK.encode())
    (vault / "users/ada/broken.md").write_bytes(b"---\n: {[\n---\n" + MARK.encode())
    (vault / "users/ada/.trash").mkdir()
    (vault / "users/ada/.trash/old.md").write_text(MARK)
    book.sync()
    as_person(book).erase_user("ada")
    assert everywhere(tmp_path) == []
    assert not (vault / "users/ada").exists()
    assert [one.content for one in book.list()] == [BEN]


def test_another_device_carries_the_erasure_out_when_it_hears_of_it(
    open_vault: OpenBook, tmp_path: Path
) -> None:
    here, there = open_vault(), open_vault(state="second")
    mine = there.as_context({"user": "ada"})
    mine.save(f"Ada likes {MARK}", tags=[MARK])
    mine.edit(mine.list()[0].id, tags=["plain"])
    mine.session("chat").add(f"Tell me about {MARK}")
    mine.recall(f"Where is {MARK} from?")
    here.sync()
    as_person(here).erase_user("ada")
    assert [path for path in everywhere(tmp_path) if not path.startswith("second/")] == []
    assert everywhere(tmp_path) != []
    there.sync()
    assert everywhere(tmp_path) == []
    assert here.audit_verify().problems == ()
    assert there.audit_verify().problems == ()


def test_an_erasure_that_was_interrupted_is_finished_by_sync(
    owned: Commonplace, tmp_path: Path
) -> None:
    planted(owned)
    engine = owned._engine
    changes = engine.store.changes(0, visible=EVERYTHING)
    memories = [m for batch in changes for document in batch.documents for m in document.memories]
    mine = [m for m in memories if m.scope.value("user") == "ada" or MARK in m.content]
    # All that a process has done which was killed right after its first step.
    erasure, purges = erase._events(engine, Tenant("acme", "ada"), mine)
    engine.ledger.append([erasure, *purges])
    ben = of_ben(owned)
    owned.sync()
    assert everywhere(tmp_path) == []
    assert of_ben(owned) == ben
    assert owned.audit_verify().problems == ()


def test_the_server_s_role_changes_an_event_for_an_erasure_only(tmp_path: Path) -> None:
    import psycopg

    url = server.made(tmp_path / "book")
    with open_book(url, settings=settings_at(tmp_path), background=False) as book:
        memory = book.save("The deploy branch is main", scope="/user/ada", tags=["git"])
        book.edit(memory.id, tags=["branches"])
        (_, line) = list(book._engine.ledger.lines())[1]
    schema = Path(f"{tmp_path / 'book'}.schema").read_text()
    own = server.url(server.SERVER, schema).partition("&schema=")[0]
    before = line.index('"before":"') + len('"before":"')
    emptied = line[:before] + '{\\"erased\\": \\"nobody\\"}' + line[line.index('}"', before) + 1 :]
    with psycopg.connect(own, autocommit=True) as connected:
        db: Any = connected
        db.execute(f"SET search_path = {schema}; SET commonplace.visible = '*'")
        for statement, values in (
            ("UPDATE events SET line = %s", (line,)),
            ("DELETE FROM events WHERE line = %s", (line,)),
            ("SELECT empty_event(2, '/user/ada', %s)", (emptied,)),
            ("SELECT empty_event(2, '/user/ada', %s)", (line.replace("edited", "created"),)),
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(statement, values)
    server.give_back(tmp_path / "book")


def test_what_waits_on_another_machine_is_not_kept_any_more(
    open_vault: OpenBook, tmp_path: Path, clock: Clock
) -> None:
    book = open_vault()
    as_person(book).erase_user("ada")
    # Turns from before the erasure, which this device did not have when the book erased her.
    told = waiting(book, tmp_path, {"user": "ada"}, f"Remember: I always take {MARK} with tea")
    assert drain.drain(book, told.folder, now=time.time() + 7_200).sessions == 1
    assert book.list(limit=10) == []
    assert everywhere(tmp_path) == []


def test_who_comes_back_is_not_erased_again_by_a_device_that_hears_late(
    open_vault: OpenBook, vault: Path, tmp_path: Path
) -> None:
    here, there = open_vault(), open_vault(state="second")
    here.save(f"Ada likes {MARK}", scope="/user/ada")
    lines = vault / "users/ada/facts.md"
    lines.write_text(f"- drink: {MARK}\n")
    there.sync()
    receipt = as_person(here).erase_user("ada")
    lines.parent.mkdir(parents=True, exist_ok=True)
    lines.write_text("- drink: coffee\n")
    back = here.save("Ada is back and likes tea", scope="/user/ada", tags=["tea"])
    here.edit(back.id, tags=["drinks"])
    there.sync()
    said = [one.content for one in there.list()]
    assert sorted(said) == ["Ada is back and likes tea", "drink: coffee"]
    fact = there.as_context({"user": "ada"}).fact_recall("drink")
    assert fact is not None
    assert fact.id in [hit.memory.id for hit in there.recall("drink coffee", scope="/user/ada")]
    assert here.verify_erasure(receipt).sound
    here.revert(back.id)
    assert here.get(back.id).tags == ("tea",)
    assert everywhere(tmp_path) == []


def test_sessions_on_a_server_go_too(vault: Path, tmp_path: Path) -> None:
    valkey = started(tmp_path / "valkey")
    try:
        settings = settings_at(tmp_path, sessions=url_of(valkey))
        with open_book(f"vault:{vault}", settings=settings, background=False) as book:
            planted_at = book.as_context({"user": "ada"}).session("chat")
            planted_at.add(f"Tell me about {MARK}")
            book.as_context({"user": "ben"}).session("chat").add("How are the bees?")
            assert MARK in _said(url_of(valkey))
            assert as_person(book).erase_user("ada").sessions == 1
            assert MARK not in _said(url_of(valkey))
            assert "bees" in _said(url_of(valkey))
            assert planted_at.entries() == []
    finally:
        valkey.stop()


def _said(url: str) -> str:
    """Everything that is on the server."""
    import redis

    read: dict[bytes, Callable[[redis.Redis, bytes], object]] = {
        b"hash": lambda client, key: client.hgetall(key),
        b"zset": lambda client, key: client.zrange(key, 0, -1),
        b"string": lambda client, key: client.get(key),
    }
    with redis.Redis.from_url(url) as client:
        kinds = {key: client.type(key) for key in client.scan_iter()}
        return repr([(key, read[kind](client, key)) for key, kind in kinds.items()])  # pyright: ignore[reportArgumentType]


def test_an_event_cannot_pass_for_erased_without_an_erasure(
    open_at: OpenBook, tmp_path: Path
) -> None:
    book = open_at(f"vault:{tmp_path / 'book'}")
    memory = book.save("The deploy branch is main", tags=["git"])
    book.edit(memory.id, tags=["branches"])
    (events,) = (tmp_path / "book/_meta/events").iterdir()
    text = events.read_text()
    start = text.index('"before":"')
    end = text.index('",', start)
    forged = text[:start] + '"before":"{\\"erased\\": \\"nobody\\"}' + text[end:]
    events.write_text(forged)
    assert any("changed" in problem.what for problem in book.audit_verify().problems)
