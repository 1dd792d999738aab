"""Devices that share a folder by a dumb sync tool end with one book, and nobody's text is lost."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace import Commonplace
from commonplace.doors.torture.devices import Cloud, Device, SharedBook
from commonplace.doors.torture.law import conflict_copies
from commonplace.doors.torture.texts import text_of
from commonplace.model.results import ScopeSuggestion

if TYPE_CHECKING:
    from collections.abc import Callable

COPY = ".sync-conflict-20261117-101500-ABCDEFG.md"
WORLDS = given(seed=st.integers(0, 2**32), devices=st.integers(2, 5), steps=st.integers(1, 40))


def play(seed: int, devices: int, steps: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shared = SharedBook(folder, devices, random.Random(seed))
        try:
            acts = [shared.step() for _ in range(steps)]
            shared.settle()
            assert list(shared.broken()) == [], acts
        finally:
            shared.close()


@settings(max_examples=2, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(seed=st.integers(0, 2**32), devices=st.integers(2, 3), steps=st.integers(1, 15))
def test_a_few_interleavings_end_with_one_book(seed: int, devices: int, steps: int) -> None:
    play(seed, devices, steps)


@pytest.mark.slow
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@WORLDS
def test_many_interleavings_end_with_one_book(seed: int, devices: int, steps: int) -> None:
    play(seed, devices, steps)


@pytest.fixture
def device(tmp_path: Path) -> Device:
    made = Device(str(tmp_path), "laptop", Cloud(), random.Random(1))
    made.book.save("The deploy branch is main")
    return made


def note_of(device: Device) -> Path:
    (path,) = Path(device.root).rglob("the-deploy-branch-is-main-??????.md")
    return path


def write_sides(path: Path, here: str, copy: str, ending: str = COPY) -> Path:
    """Two devices edited a note; the tool kept both texts."""
    whole = path.read_text(encoding="utf-8")
    other = path.with_name(path.name.removesuffix(".md") + ending)
    path.write_text(whole.replace("is main", here), encoding="utf-8")
    other.write_text(whole.replace("is main", copy), encoding="utf-8")
    return other


def waiting(book: Commonplace) -> list[tuple[str, list[str]]]:
    return [(one.memory.content, [about.content for about in one.about]) for one in book.inbox()]


@pytest.mark.parametrize("word", ["is Main", "is main.", "is\n  main", "is main²"])
@pytest.mark.parametrize("here", [True, False])
def test_an_edit_that_the_log_takes_for_the_same_text_is_not_lost(
    tmp_path: Path, word: str, here: bool
) -> None:
    """Its digest is that of words: it is alike for other letters, spaces and a full stop."""
    device = Device(str(tmp_path), "laptop", Cloud(), random.Random(1))
    device.book.save("The deploy branch is main2" if "²" in word else "The deploy branch is main")
    (note,) = Path(device.root).rglob("the-deploy-*.md")
    saved = note.read_text(encoding="utf-8")
    edited = saved.replace("is main2" if "²" in word else "is main", word)
    tagged = saved.replace("tags: []", "tags: [git]")
    copy = note.with_name(note.name.removesuffix(".md") + COPY)
    note.write_text(edited if here else tagged, encoding="utf-8")
    copy.write_text(tagged if here else edited, encoding="utf-8")
    assert device.book.sync(quiet_s=0).settled == 1
    (memory,) = device.book.export()
    texts = [memory.content, *(text for text, _ in waiting(device.book))]
    assert sorted(texts) == sorted(text.split("---\n\n")[1][:-1] for text in (edited, saved))
    assert memory.tags == ("git",)
    device.close()


def test_blanks_at_the_ends_of_lines_are_no_edit(device: Device) -> None:
    copy = write_sides(note_of(device), "is main  \n", "is main")
    assert (device.book.sync(quiet_s=0).asked, copy.exists()) == (0, False)
    device.close()


@pytest.mark.parametrize("ending", [COPY, " (Ada's conflicted copy 2026-11-17).md", " 2.md"])
def test_one_of_two_edits_stays_and_the_other_is_asked_about(device: Device, ending: str) -> None:
    copy = write_sides(note_of(device), "is release", "is trunk", ending)
    done = device.book.sync(quiet_s=0)
    assert (done.settled, done.asked, copy.exists()) == (1, 1, False)
    assert waiting(device.book) == [
        ("The deploy branch is trunk", ["The deploy branch is release"])
    ]
    assert device.book.sync(quiet_s=0).settled == 0
    (entry,) = device.book.inbox()
    device.book.accept(entry.memory.id)
    live = [one.content for one in device.book.export()]
    assert live == ["The deploy branch is trunk"]
    device.close()


def test_a_side_that_nobody_edited_is_no_question(device: Device) -> None:
    copy = write_sides(note_of(device), "is main", "is trunk")
    assert device.book.sync(quiet_s=0).asked == 0
    assert [one.content for one in device.book.export()] == ["The deploy branch is trunk"]
    assert not copy.exists()
    device.close()


def test_a_copy_that_may_still_be_arriving_is_left_alone(device: Device) -> None:
    copy = write_sides(note_of(device), "is release", "is tr")
    done = device.book.sync()
    assert (done.settled, done.arriving, copy.exists()) == (0, 1, True)
    device.close()


def test_a_copy_under_a_persons_own_name_is_left_alone(device: Device) -> None:
    copies = [
        write_sides(note_of(device), "is release", f"is trunk{number}", ending)
        for number, ending in enumerate((" copy.md", "-staging.md", " 1.md"))
    ]
    assert device.book.sync(quiet_s=0).settled == 0
    assert all(copy.exists() for copy in copies)
    device.close()


def write_heads(path: Path, here: str, copy: str, ending: str = COPY) -> Path:
    """Two devices changed lines in the head of a note; the tool kept both."""
    whole = path.read_text(encoding="utf-8")
    other = path.with_name(path.name.removesuffix(".md") + ending)
    for at, lines in ((path, here), (other, copy)):
        text = whole.replace("tags: []\n", "") if "tags:" in lines else whole
        at.write_text(text.replace("---\n", f"---\n{lines}\n", 1), encoding="utf-8")
    return other


def test_tags_of_two_devices_come_together_without_a_question(device: Device) -> None:
    note = note_of(device)
    copy = write_heads(note, "tags: [deploy, git]\nmood: calm", "tags: [git, ci]\nproject: atlas")
    text = copy.read_text(encoding="utf-8")
    copy.write_text(text.replace("is main", "is trunk"), encoding="utf-8")
    done = device.book.sync(quiet_s=0)
    assert (done.settled, done.asked, copy.exists()) == (1, 0, False)
    (memory,) = device.book.export()
    assert memory.content == "The deploy branch is trunk"
    assert sorted(memory.tags) == ["ci", "deploy", "git"]
    # Keys of a person's own are theirs on whichever device.
    said = note.read_text(encoding="utf-8")
    assert ("mood: calm\n" in said, "project: atlas\n" in said) == (True, True)
    device.close()


def test_two_values_of_a_persons_own_key_both_stay_in_the_note(device: Device) -> None:
    note = note_of(device)
    plain = note.read_text(encoding="utf-8")
    heads = [
        "mood: calm\nseen:\n  - Ada\n# Ask Ada.\nshelf: 3",
        "mood: happy\nseen:\n  - Grace\n# Ask Grace.\nshelf: 3",
    ]
    copy = write_heads(note, *heads)
    assert device.book.sync(quiet_s=0).settled == 1
    said = note.read_text(encoding="utf-8")
    for line in ["mood: calm", "# mood: happy", "  - Ada", "#   - Grace", "# Ask Ada.", "shelf: 3"]:
        assert said.count(f"{line}\n") == 1, (line, said)
    assert said.count("shelf") == said.count("# Ask Grace.") == 1
    # The same side once more adds nothing.
    newer = plain.replace("---\n", f"---\n{heads[1]}\n", 1)
    copy.write_text(newer, encoding="utf-8")
    device.book.sync(quiet_s=0)
    assert sorted(note.read_text(encoding="utf-8")) == sorted(said)
    assert (copy.exists(), device.book.doctor()) == (False, [])
    device.close()


def test_a_field_that_one_device_alone_set_stays(device: Device) -> None:
    note = note_of(device)
    copy = write_heads(note, "topic: releases", "title: The branch\naliases: [prod branch]")
    note.write_text(note.read_text().replace("is main", "is release"), encoding="utf-8")
    done = device.book.sync(quiet_s=0)
    assert (done.settled, done.asked, copy.exists()) == (1, 0, False)
    (memory,) = device.book.export()
    assert memory.content == "The deploy branch is release"
    found = (memory.title, memory.topic, memory.aliases)
    assert found == ("The branch", "releases", ("prod branch",))
    device.close()


def test_two_titles_of_one_note_are_asked_about_once(device: Device) -> None:
    write_heads(note_of(device), "title: Branches", "title: Deploying")
    done = device.book.sync(quiet_s=0)
    assert (done.settled, done.asked) == (1, 1)
    (entry,) = device.book.inbox()
    titles = [entry.memory.title, *(one.title for one in entry.about)]
    assert titles == ["Deploying", "Branches"]
    device.book.accept(entry.memory.id)
    assert [one.title for one in device.book.export()] == ["Deploying"]
    device.close()


def test_a_tag_that_the_program_removed_stays_removed(tmp_path: Path) -> None:
    """The log knows the state that the other device still has."""
    device = Device(str(tmp_path), "laptop", Cloud(), random.Random(1))
    saved = device.book.save("The deploy branch is main", tags=["old", "git"]).memory
    note = note_of(device)
    copy = note.with_name(note.name.removesuffix(".md") + COPY)
    copy.write_text(note.read_text().replace("is main", "is trunk"), encoding="utf-8")
    device.book.edit(saved.id, tags=["git"])
    device.book.sync(quiet_s=0)
    (memory,) = device.book.export()
    assert (memory.content, memory.tags) == ("The deploy branch is trunk", ("git",))
    device.close()


def test_lines_that_end_otherwise_are_no_question(device: Device) -> None:
    copy = write_sides(note_of(device), "is release\n\nand staging", "is release\n\nand staging")
    copy.write_bytes(copy.read_bytes().replace(b"\n", b"\r\n"))
    done = device.book.sync(quiet_s=0)
    assert (done.settled, done.asked, copy.exists()) == (1, 0, False)
    device.close()


MOVES = ["system/memory/recipes/{name}", "projects/atlas/memory/insight/{name}",
         "system/memory/insight/deploy.md", "projects/atlas/memory/plans/deploy.md"]  # fmt: skip


@pytest.mark.parametrize("target", MOVES)
@pytest.mark.parametrize("edited", [0, 1, 2])
def test_a_note_moved_here_and_edited_there_is_one_note(
    tmp_path: Path, target: str, edited: int
) -> None:
    shared = SharedBook(str(tmp_path), 2, random.Random(3), notes=0)
    here, there = shared.devices
    here.book.save("The deploy branch is main")
    shared.deliver_all()
    for device in shared.devices:
        device.shown()
    old = note_of(there)
    moved = Path(here.root) / target.format(name=old.name)
    moved.parent.mkdir(parents=True, exist_ok=True)
    note_of(here).rename(moved)
    if edited == 0:
        old.write_text(old.read_text().replace("tags: []", "tags: [git]"), encoding="utf-8")
    else:
        old.write_text(old.read_text().replace("is main", "is trunk"), encoding="utf-8")
    if edited == 2:
        moved.write_text(moved.read_text().replace("is main", "is release"), encoding="utf-8")
    shared.settle()
    assert list(shared.broken()) == []
    for device in shared.devices:
        (memory,) = device.book.export()
        asked = [one.memory.content for one in device.book.inbox()]
        if edited == 0:
            assert (memory.content, memory.tags) == ("The deploy branch is main", ("git",))
        elif edited == 1:
            assert memory.content == "The deploy branch is trunk"
        else:
            texts = {"The deploy branch is trunk", "The deploy branch is release"}
            assert {memory.content, *asked} == texts
        assert len(asked) == (edited == 2)
        # The place that a person chose stays the note's.
        assert (Path(device.root) / moved.relative_to(here.root)).exists()
        assert device.book.doctor() == []
    shared.close()


def save_with_other_line_ends(device: Device, path: str) -> None:
    device.exchange_line_ends(path)


def tag_and_take_back(device: Device, path: str) -> None:
    (memory,) = device.shown()
    device.book.edit(memory.id, tags=["git"])
    device.book.edit(memory.id, tags=[])


def forget_and_restore(device: Device, path: str) -> None:
    (memory,) = device.shown()
    device.book.restore(device.book.forget(memory.id).memory.id)


def replaced(old: str, new: str) -> Callable[[Device, str], None]:
    def save(device: Device, path: str) -> None:
        whole = Path(device.root) / path
        text = whole.read_text(encoding="utf-8")
        assert old in text
        whole.write_text(text.replace(old, new, 1), encoding="utf-8")

    return save


SAVES = [
    save_with_other_line_ends,
    tag_and_take_back,
    forget_and_restore,
    replaced("tags: []\n", "tags: []\nmood: calm\n"),
    replaced("tags: []\n", "tags: []\nseen:\n  - Ada\n  - Grace\n"),
    replaced("tags: []\n", "# Ask Ada about it.\ntags: []\n"),
    replaced("is main\n", "is main"),
    replaced("---\n\nThe", "---\nThe"),
]


@pytest.mark.parametrize("save", SAVES)
def test_a_note_moved_and_edited_here_and_saved_there_with_its_text_is_one_note(
    tmp_path: Path, save: Callable[[Device, str], None]
) -> None:
    """The tool brings the old file back, which was changed, although its text was not."""
    shared = SharedBook(str(tmp_path), 2, random.Random(3), notes=0)
    here, there = shared.devices
    here.book.save("The deploy branch is main")
    shared.deliver_all()
    path = str(note_of(here).relative_to(here.root))
    there.shown()
    here.move_by_hand(path, MOVES[2])
    here.edit_by_hand(MOVES[2], "The deploy branch is release")
    save(there, path)
    shared.settle()
    assert list(shared.broken()) == []
    for device in shared.devices:
        assert [at for at, _ in device.notes()] == [MOVES[2]]
        (memory,) = device.book.export()
        assert memory.content == "The deploy branch is release"
        assert waiting(device.book) == [("The deploy branch is main", [memory.content])]
    shared.close()


@pytest.mark.parametrize("target", MOVES)
def test_a_note_saved_with_other_line_ends_in_both_places_is_one_note(
    tmp_path: Path, target: str
) -> None:
    """The program ends lines with LF alone, so that somebody saved the old file as well."""
    shared = SharedBook(str(tmp_path), 2, random.Random(3), notes=0)
    here, there = shared.devices
    here.book.save("The deploy branch is main")
    shared.deliver_all()
    path = str(note_of(here).relative_to(here.root))
    moved = target.format(name=note_of(here).name)
    here.move_by_hand(path, moved)
    there.exchange_line_ends(path)
    here.edit_by_hand(moved, "The deploy branch is release")
    here.exchange_line_ends(moved)
    shared.settle()
    assert list(shared.broken()) == []
    for device in shared.devices:
        assert [at for at, _ in device.notes()] == [moved]
        (memory,) = device.book.export()
        assert memory.content == "The deploy branch is release"
        assert waiting(device.book) == [("The deploy branch is main", [memory.content])]
    shared.close()


@pytest.mark.parametrize("target", MOVES)
@pytest.mark.parametrize("edited", [True, False])
def test_a_moved_note_that_was_settled_and_edited_again_in_its_old_place_is_one_note(
    tmp_path: Path, target: str, edited: bool
) -> None:
    """Settling logs the new place, and the old one is no place that a person chose after that."""
    shared = SharedBook(str(tmp_path), 2, random.Random(3), notes=0)
    here, there = shared.devices
    here.book.save("The deploy branch is main")
    shared.deliver_all()
    path = str(note_of(here).relative_to(here.root))
    moved = target.format(name=note_of(here).name)
    there.tag_by_hand(path, "git")
    here.move_by_hand(path, moved)
    if edited:
        here.edit_by_hand(moved, "The deploy branch is release")
    here.bring(path)
    there.bring(path)  # What was changed here comes back.
    here.bring(path)
    assert here.book.sync(quiet_s=0).settled == 1
    there.edit_by_hand(path, "The deploy branch is trunk")
    shared.settle()
    assert list(shared.broken()) == []
    for device in shared.devices:
        assert [at for at, _ in device.notes()] == [moved]
        (memory,) = device.book.export()
        assert memory.tags == ("git",)
        texts = {memory.content, *(text for text, _ in waiting(device.book))}
        assert "The deploy branch is trunk" in texts
        assert ("The deploy branch is release" in texts) == edited
    shared.close()


def rescope(device: Device) -> None:
    (memory,) = device.shown()
    suggested = ScopeSuggestion(memory, "/project/atlas", ("It names the project.",))
    assert device.book.apply_scopes([suggested]).moved


@pytest.mark.parametrize("edited", [0, 1, 2])
def test_a_note_that_the_program_moved_and_a_person_edited_is_one_note(
    tmp_path: Path, edited: int
) -> None:
    shared = SharedBook(str(tmp_path), 2, random.Random(3), notes=0)
    here, there = shared.devices
    here.book.save("The deploy branch is main")
    shared.deliver_all()
    path = str(note_of(here).relative_to(here.root))
    rescope(here)
    (moved,) = (at for at, _ in here.notes())
    assert moved.startswith("projects/atlas/")
    if edited == 0:
        there.tag_by_hand(path, "git")
    else:
        there.edit_by_hand(path, "The deploy branch is trunk")
    if edited == 2:
        here.edit_by_hand(moved, "The deploy branch is release")
    shared.settle()
    assert list(shared.broken()) == []
    for device in shared.devices:
        assert [at for at, _ in device.notes()] == [moved]
    shared.close()


@pytest.mark.parametrize("target", MOVES)
def test_a_copy_elsewhere_with_another_text_is_a_persons_own(device: Device, target: str) -> None:
    note = note_of(device)
    copy = Path(device.root) / target.format(name=note.name)
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(note.read_text().replace("is main", "is staging"), encoding="utf-8")
    assert device.book.sync(quiet_s=0).settled == 0
    assert (note.exists(), copy.exists()) == (True, True)
    device.close()


def test_a_copy_of_a_note_with_keys_of_its_own_is_a_persons_own(device: Device) -> None:
    note = note_of(device)
    said = note.read_text(encoding="utf-8").replace("tags: []\n", "mood: calm\n# Ask Ada.\n")
    note.write_text(said.removesuffix("\n"), encoding="utf-8")
    copy = Path(device.root) / MOVES[0].format(name=note.name)
    copy.parent.mkdir(parents=True, exist_ok=True)
    said = said.removesuffix("\n").replace("is main", "is staging")
    copy.write_text(said.replace("mood: calm\n", "mood: calm\nproject: atlas\n"))
    assert device.book.sync(quiet_s=0).settled == 0
    assert (note.exists(), copy.exists()) == (True, True)
    device.close()


@pytest.mark.parametrize("copied", ["main\r\nor release", "release"])
def test_a_copy_of_a_text_that_was_saved_with_other_line_ends_is_a_persons_own(
    tmp_path: Path, copied: str
) -> None:
    device = Device(str(tmp_path), "laptop", Cloud(), random.Random(1))
    device.book.save("The deploy branch is main\r\nor trunk")
    (note,) = Path(device.root).rglob("the-deploy-*.md")
    copy = Path(device.root) / MOVES[0].format(name=note.name)
    copy.parent.mkdir(parents=True, exist_ok=True)
    said = note.read_bytes().replace(b"main\r\nor trunk", copied.encode())
    copy.write_bytes(said)
    assert device.book.sync(quiet_s=0).settled == 0
    assert (note.exists(), copy.exists()) == (True, True)
    device.close()


def test_a_note_that_two_devices_moved_is_one_note(tmp_path: Path) -> None:
    shared = SharedBook(str(tmp_path), 2, random.Random(3), notes=0)
    shared.devices[0].book.save("The deploy branch is main")
    shared.deliver_all()
    for device, target in zip(shared.devices, MOVES, strict=False):
        device.shown()
        name = note_of(device).relative_to(device.root)
        device.move_by_hand(str(name), target.format(name=name.name))
    shared.settle()
    assert list(shared.broken()) == []
    assert [one.content for one in shared.devices[0].shown()] == ["The deploy branch is main"]
    shared.close()


@pytest.mark.parametrize("with_id", [True, False])
def test_the_copy_of_our_text_outlives_the_text_that_is_on_its_way(
    tmp_path: Path, with_id: bool
) -> None:
    """The copy comes before the text that won: then both files here have the text that lost."""
    shared = SharedBook(str(tmp_path), 2, random.Random(1), notes=0)
    here, there = shared.devices
    if with_id:
        here.book.save("The deploy branch is main")
        path = str(note_of(here).relative_to(here.root))
    else:
        path = "Deploys.md"
        (Path(here.root) / path).write_text("The deploy branch is main\n", encoding="utf-8")
    shared.deliver_all()
    here.edit_by_hand(path, "The deploy branch is release")
    there.edit_by_hand(path, "The deploy branch is trunk")
    here.bring(path)
    there.bring(path)  # Both were changed: the text of `there` wins by this seed.
    (copy,) = set(there.waiting())
    there.bring(copy)
    here.bring(copy)
    assert "release" in (Path(here.root) / path).read_text() == (Path(here.root) / copy).read_text()
    here.book.sync(quiet_s=0)
    shared.settle()
    assert list(shared.broken()) == []
    texts = {one.content.strip() for one in here.shown()}
    assert texts >= {"The deploy branch is release", "The deploy branch is trunk"}
    shared.close()


def test_lines_of_facts_come_together(device: Device) -> None:
    root = Path(device.root)
    (root / "facts.md").write_text("- editor: vim\n- shell: zsh\n", encoding="utf-8")
    copy = root / f"facts{COPY}"
    copy.write_text("- editor: emacs\n- system: Debian\nA remark.\n", encoding="utf-8")
    device.book.sync(quiet_s=0)
    said = (root / "facts.md").read_text(encoding="utf-8")
    assert said == "- editor: vim\n- shell: zsh\n- system: Debian\nA remark.\n"
    assert waiting(device.book) == [("editor: emacs", ["editor: vim"])]
    assert not copy.exists()
    device.close()


def test_copies_of_generated_files_and_of_the_log_go(device: Device) -> None:
    device.book.sync()
    root = Path(device.root)
    for path in (root / "_index.md", root / "_meta" / "vault.json", *root.glob("_meta/events/*")):
        copy = path.with_name(f"{path.stem}.sync-conflict-20261117-101500-ABCDEFG{path.suffix}")
        copy.write_bytes(path.read_bytes())
    assert len(device.shown()) == 1
    device.book.sync()
    assert conflict_copies(device.root) == []
    assert device.book.audit_verify().problems == ()
    device.close()


def test_two_corrections_of_one_memory_are_asked_about_once(tmp_path: Path) -> None:
    shared = SharedBook(str(tmp_path), 3, random.Random(5), notes=1)
    (memory,) = shared.devices[0].shown()
    for device, word in zip(shared.devices, ("one", "two"), strict=False):
        device.book.correct(memory.id, text_of(f"{word}-plain"))
    shared.settle()
    assert list(shared.broken()) == []
    for device in shared.devices:
        (entry,) = device.book.inbox()
        assert {one.content for one in entry.about} == {text_of("one-plain"), text_of("two-plain")}
    shared.close()


def accept(book: Commonplace) -> None:
    book.accept(book.inbox()[0].memory.id)


def reject(book: Commonplace) -> None:
    book.reject(book.inbox()[0].memory.id)


def edit(book: Commonplace) -> None:
    book.edit(book.inbox()[0].memory.id, content="The deploy branch is develop")


@pytest.mark.parametrize(
    ("here", "there", "branch", "asked"),
    [
        (accept, None, "trunk", []),
        (reject, None, "release", []),
        (accept, accept, "trunk", []),
        # Turned down as well: it stays accepted, since accepting has retired the other text.
        (accept, reject, "trunk", []),
        (reject, accept, "trunk", []),
        (accept, edit, "trunk", [("develop", ["trunk"])]),
        (edit, accept, "trunk", [("develop", ["trunk"])]),
        (edit, reject, "release", [("develop", ["release"])]),
    ],
)
def test_an_answer_on_one_device_answers_it_on_all(
    tmp_path: Path,
    here: Callable[[Commonplace], None],
    there: Callable[[Commonplace], None] | None,
    branch: str,
    asked: list[tuple[str, list[str]]],
) -> None:
    shared = SharedBook(str(tmp_path), 2, random.Random(3), notes=0)
    one, other = shared.devices
    one.book.save("The deploy branch is main")
    shared.deliver_all()
    write_sides(note_of(one), "is release", "is trunk")
    shared.settle()
    here(one.book)
    if there:
        there(other.book)
    shared.settle()
    assert list(shared.broken()) == []
    for device in shared.devices:
        live = [memory.content for memory in device.book.export()]
        assert live == [f"The deploy branch is {branch}"]
        said = "The deploy branch is {}".format
        expected = [(said(text), [said(word) for word in about]) for text, about in asked]
        assert waiting(device.book) == expected
    shared.close()


def test_of_two_answers_which_memory_holds_the_last_one_counts(tmp_path: Path) -> None:
    shared = SharedBook(str(tmp_path), 2, random.Random(5), notes=1)
    (memory,) = shared.devices[0].shown()
    texts = ("The deploy branch is release", "Ada prefers tea in the morning")
    for device, text in zip(shared.devices, texts, strict=True):
        device.book.correct(memory.id, text)
    shared.settle()
    for device, text in zip(shared.devices, texts, strict=True):
        (entry,) = device.book.inbox()
        (keep,) = [one.id for one in entry.about if one.content == text]
        device.book.accept(entry.memory.id, keep=keep)
    shared.settle()
    assert list(shared.broken()) == []
    for device in shared.devices:
        assert [one.content for one in device.book.export()] == [texts[1]]
        assert device.book.inbox() == []
    shared.close()


def test_a_correction_that_came_before_its_event_is_trusted_once_that_is_there(
    tmp_path: Path,
) -> None:
    shared = SharedBook(str(tmp_path), 2, random.Random(5), notes=1)
    here, there = shared.devices
    (memory,) = here.shown()
    made = here.book.correct(memory.id, "The person's own word").memory
    for device in (here, there):
        for path in [path for path in device.waiting() if path.endswith(".md")]:
            device.bring(path)
    assert there.book.get(made.id).content == "The person's own word"
    trusts = {one.id: one.trust for one in there.shown()}
    assert trusts[made.id] == "agent"
    shared.deliver_all()
    trusts = {one.id: one.trust for one in there.shown()}
    assert trusts[made.id] == "user"
    shared.close()
