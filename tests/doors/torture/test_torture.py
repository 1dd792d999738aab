"""`commonplace torture`: what it refuses, what it leaves alone, and the law it holds a book to."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from commonplace.books.open import open_book
from commonplace.doors.torture.law import broken_promises, replaced_databases
from commonplace.doors.torture.promises import Promises
from commonplace.doors.torture.sync_tool import SyncTool
from commonplace.doors.torture.texts import text_of
from commonplace.model.errors import NotFound
from commonplace.model.memory import Memory, Problem
from commonplace.settings import Settings
from tests.conftest import Clock

PLAIN = "1-a-0-1-plain"


def commonplace(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "commonplace", *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A person's own vault."""
    settings = Settings(state=str(tmp_path / "my-state"), embedder="none")
    with open_book(f"vault:{tmp_path / 'mine'}", settings=settings, background=False) as book:
        book.save_many(["The bakery opens at seven", "Mia prefers tabs", "The port is 8443"])
        book.fact_store("editor", "helix")
        book.fact_store("editor", "vim", scope="/project/chess")
    for name in ("by-hand", "copied-by-hand"):
        (tmp_path / "mine" / f"{name}.md").write_text("A line that I wrote myself\n")
    (tmp_path / "mine" / "facts.md").write_text("- coffee: oat milk\n")
    return tmp_path / "mine"


def test_a_copy_is_tortured_and_the_original_stays_as_it_was(mine: Path, tmp_path: Path) -> None:
    before, place = contents(mine), tmp_path / "place"
    done = commonplace(
        "torture", place, "--copy-of", mine, "--only", "disk full", "--only", "devices synced",
        "--rounds", 2, "--seed", 4, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert (told["lost"], told["seed"], told["rounds"]) == (0, 4, 2)
    assert told["acknowledged"] > 0
    assert [one["fault"] for one in told["tried"]] == ["disk full", "devices synced"]
    assert contents(mine) == before
    assert len(list((place / "book-1" / "book").rglob("the-bakery*.md"))) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{full}"], "is not empty"),
        (["{full}/note.txt"], "cannot be used"),
        (["{new}", "--minutes", "1", "--rounds", "1"], "either --minutes or --rounds"),
        (["{new}", "--rounds", "0"], "--rounds"),
        (["{new}", "--minutes", "soon"], "it has to be a number"),
        (["{new}", "--only", "earthquake"], "writers killed"),
        (["{new}", "--store", "sqlite", "--only", "power cut"], "does not meet that fault"),
        (["{new}", "--copy-of", "{full}"], "There is no vault"),
        (["{new}", "--copy-of", "{mine}", "--store", "sqlite"], "copies a vault"),
        (["{mine}/inside", "--copy-of", "{mine}"], "only read"),
        (["{mine}"], "is not empty"),
        ([], "FOLDER"),
    ],
)
def test_what_cannot_be_tortured_is_refused_in_a_sentence(
    arguments: list[str], said: str, mine: Path, tmp_path: Path
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "note.txt").write_text("a person's own")
    before = contents(tmp_path)
    places = {"full": full, "new": tmp_path / "new", "mine": mine}
    done = commonplace("torture", *(one.format(**places) for one in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert contents(tmp_path) == before


def memory(id: str, content: str, **fields: object) -> Memory:
    moment = Clock()()
    return Memory(id=id, content=content, created=moment, updated=moment, **fields)  # pyright: ignore[reportArgumentType]


def saved() -> Promises:
    promises = Promises()
    promises.hear("a", [{"try": {"act": "save", "tag": PLAIN}}, {"done": "one"}])
    return promises


def test_a_kept_promise_is_no_loss() -> None:
    assert list(broken_promises(saved(), [memory("one", text_of(PLAIN))])) == []


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([], "Lost"),
        ([memory("one", text_of(PLAIN)[:20])], "Changed"),
        ([memory("one", text_of(PLAIN), status="deleted")], "Wrong"),
        ([memory("one", text_of(PLAIN)), memory("two", text_of(PLAIN))], "Twice"),
        ([memory("one", text_of(PLAIN)), memory("two", "half a sen")], "Half-written"),
    ],
)
def test_a_broken_promise_is_named(found: list[Memory], said: str) -> None:
    assert said in [one.partition(":")[0] for one in broken_promises(saved(), found)]


def test_a_change_without_an_answer_is_whole_or_not_there() -> None:
    promises, new = saved(), "1-a-0-2-plain"
    promises.hear("a", [{"try": {"act": "correct", "of": "one", "tag": new}}])
    old, retired = memory("one", text_of(PLAIN)), memory("one", text_of(PLAIN), status="superseded")
    assert list(broken_promises(promises, [old])) == []
    assert list(broken_promises(promises, [retired, memory("two", text_of(new))])) == []
    for half in ([retired], [old, memory("two", text_of(new))]):
        assert [one.partition(":")[0] for one in broken_promises(promises, half)] == ["Half done"]


def test_a_purge_that_a_power_cut_halved_may_still_take_the_older_version() -> None:
    """The cut took the line of the log that says so; whoever asks again purges both."""
    promises, new = saved(), "1-a-0-2-plain"
    corrected = [{"try": {"act": "correct", "of": "one", "tag": new}}, {"done": "two"}]
    promises.hear("a", [*corrected, {"try": {"act": "purge", "of": "two"}}])
    promises.settle([memory("one", text_of(PLAIN), status="superseded")])
    assert list(broken_promises(promises, [])) == []
    assert set(promises.purges()) == {"one", "two"}


@pytest.mark.parametrize(
    ("where", "said"),
    [("/torture/state/a/vault.db", ["Taken for damaged"]), ("notes/half.md", []), ("index", [])],
)
def test_a_database_that_a_sync_takes_for_damaged_is_named(where: str, said: list[str]) -> None:
    found = replaced_databases("/torture/state", [Problem(where, "This file was damaged.")])
    assert [one.partition(":")[0] for one in found] == said


POWER_CUT = """
import os, random, sys
from commonplace.doors.torture.power_cut import PowerCut
power = PowerCut(sys.argv[1], sys.argv[1], random.Random(1))
def write(name, data, sync):
    file = os.open(os.path.join(sys.argv[1], name), os.O_WRONLY | os.O_CREAT)
    os.write(file, data)
    if sync: os.fsync(file)
    os.close(file)
def sync_folder():
    file = os.open(sys.argv[1], os.O_RDONLY); os.fsync(file); os.close(file)
write("draft", b"synced", True)
os.replace(os.path.join(sys.argv[1], "draft"), os.path.join(sys.argv[1], "kept"))
sync_folder()
write("torn", b"x" * 100_000, False)
sync_folder()
write("new", b"synced", True)
os.replace(os.path.join(sys.argv[1], "new"), os.path.join(sys.argv[1], "kept"))
os.unlink(os.path.join(sys.argv[1], "old"))
power.lose_unsynced()
"""


def test_a_power_cut_loses_what_no_sync_made_durable(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"still there")
    subprocess.run([sys.executable, "-c", POWER_CUT, str(tmp_path)], check=True)
    left = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert left["kept"] == b"synced"
    assert left["old"] == b"still there"
    assert len(left["torn"]) < 100_000
    assert left.keys() == {"kept", "old", "torn"}


CUT_CORRECTION = """
import os, random, sys
from commonplace.books.open import open_book
from commonplace.settings import Settings
from commonplace.doors.torture.power_cut import PowerCut
root, state, at = sys.argv[1], sys.argv[2], int(sys.argv[3])
book = open_book(f"vault:{root}", settings=Settings(state=state, embedder="none"), source="person")
power = PowerCut(root, state, random.Random(1))
real, synced = os.fsync, 0
def fsync(file):
    global synced
    real(file)
    synced += 1
    if synced == at:
        power.lose_unsynced()
        os._exit(9)
os.fsync = fsync
book.correct("The gate is green" + sys.argv[4], "The gate is blue" + sys.argv[4])
os._exit(0)
"""
IN_AN_ATTACHMENT = ".\n" + "Its colour was chosen by all.\n" * 2_000


@pytest.mark.slow
@pytest.mark.parametrize("more", ["", IN_AN_ATTACHMENT], ids=["note", "attachment"])
def test_a_power_cut_at_any_sync_leaves_a_correction_whole_or_not_there(
    more: str, tmp_path: Path
) -> None:
    """Also with the old version in the archive, which is another folder than the new one's."""
    old, new = f"The gate is green{more}", f"The gate is blue{more}"
    seen: set[tuple[tuple[str, str], ...]] = set()
    ended = 9
    for at in range(1, 40):
        root, state = tmp_path / f"book-{at}", str(tmp_path / f"state-{at}")
        chosen = Settings(state=state, embedder="none")
        with open_book(f"vault:{root}", settings=chosen, source="person") as book:
            book.save(old)
        given = [sys.executable, "-c", CUT_CORRECTION, str(root), state, str(at), more]
        ended = subprocess.run(given, check=False, timeout=60).returncode
        with open_book(f"vault:{root}", settings=chosen, source="person") as book:
            book.sync()
            found = {one.content: one.status for one in book.export(everything=True)}
        seen.add(tuple(sorted(found.items())))
        if ended == 0:
            break
    assert ended == 0, "the last correction was whole"
    assert seen == {((old, "active"),), ((new, "active"), (old, "superseded"))}


CUT_PURGE = CUT_CORRECTION.replace(
    'book.correct("The gate is green" + sys.argv[4], "The gate is blue" + sys.argv[4])',
    "book.purge(sys.argv[4])",
)


@pytest.mark.slow
def test_a_purge_of_an_attachment_that_a_power_cut_ended_is_completed_by_asking_again(
    tmp_path: Path,
) -> None:
    """Whichever sync was the last one before the cut."""
    text = f"The gate is green{IN_AN_ATTACHMENT}"
    ended = 9
    for at in range(1, 40):
        root, state = tmp_path / f"book-{at}", str(tmp_path / f"state-{at}")
        chosen = Settings(state=state, embedder="none")
        with open_book(f"vault:{root}", settings=chosen, source="person") as book:
            id = book.save(text).id
        assert list(root.rglob("_attachments/*.md"))
        given = [sys.executable, "-c", CUT_PURGE, str(root), state, str(at), id]
        ended = subprocess.run(given, check=False, timeout=60).returncode
        opened = open_book(f"vault:{root}", settings=chosen, source="person")
        with opened as book, suppress(NotFound):
            book.purge(id)
        held = [path.name for path in root.rglob("*.md") if "chosen by all" in path.read_text()]
        assert held == [], f"after sync {at}"
        if ended == 0:
            break
    assert ended == 0, "the last purge was whole"


@pytest.mark.parametrize("seed", range(8))
def test_a_sync_tool_brings_two_folders_together_and_loses_nothing(
    seed: int, tmp_path: Path
) -> None:
    chance, folders = random.Random(seed), [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
    tool = SyncTool(str(folders[0]), str(folders[1]), chance)
    written: set[bytes] = set()
    for number in range(6):
        for folder in folders:
            data = f"{folder.name} {number} ".encode() * 40
            name = f"note-{chance.randrange(3)}-{folder.name}.md" if number % 2 else "both.md"
            (folder / name).write_bytes(data)
            written.add(data)
        tool.run()
    held = [{path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders]
    assert held[0] == held[1]
    assert tool.conflicts > 0
    assert set(held[0].values()) <= written, "nothing stays in part"
    assert tool.run() == 0
