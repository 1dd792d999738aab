"""People edit, move, copy and remove files; the store follows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from datetime import timedelta

import pytest

from commonplace.backends.vault import detect_changes
from commonplace.backends.vault.store import VaultStore
from commonplace.model.errors import Conflict
from commonplace.model.identity import derived_id, slug
from commonplace.model.scope import EVERYTHING
from commonplace.ports.record_store import Put
from tests.on_disk import all_bytes

from .vaults import NOON, Vault, change, contents, erase, everything, fact, memory, put, save


def news(store: VaultStore, since: int) -> list[tuple[str, list[str]]]:
    return [
        (document.locator, [m.content for m in document.memories])
        for changes in store.changes(since, visible=EVERYTHING)
        for document in changes.documents
    ]


def test_an_edit_by_hand_is_seen_at_once(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory("Ada likes tea", slug="tea"))
    reached = store.revision()
    path = vault.root / "projects/mech/memory/insight/tea.md"
    path.write_text(path.read_text().replace("tea\n", "gin\n"))
    assert news(store, reached) == [("projects/mech/memory/insight/tea.md", ["Ada likes gin"])]
    assert store.read([tea.id], visible=EVERYTHING)[tea.id].content == "Ada likes gin"


def test_an_edit_that_keeps_size_and_time_is_seen(vault: Vault, store: VaultStore) -> None:
    save(store, memory("Ada likes tea", slug="tea"))
    path = vault.root / "projects/mech/memory/insight/tea.md"
    everything(store)
    before = path.stat()
    reached = store.revision()
    with path.open("r+b") as file:
        file.seek(-4, 2)
        file.write(b"gin")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert news(store, reached) == [("projects/mech/memory/insight/tea.md", ["Ada likes gin"])]


def test_nothing_changed_is_no_news(vault: Vault, store: VaultStore) -> None:
    save(store, memory(), memory("Bob likes coffee"))
    vault.file("Daily.md", "A fine day.")
    everything(store)
    reached = store.revision()
    assert news(store, reached) == []
    os.utime(vault.root / "Daily.md")
    assert news(store, reached) == []
    assert store.revision() == reached


def test_a_renamed_note_keeps_its_id(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory(slug="tea"))
    reached = store.revision()
    folder = vault.root / "projects/mech"
    (folder / "memory/insight/tea.md").rename(folder / "Afternoon.md")
    assert sorted(news(store, reached)) == [
        ("projects/mech/Afternoon.md", ["Ada likes tea"]),
        ("projects/mech/memory/insight/tea.md", []),
    ]
    found = store.read([tea.id], visible=EVERYTHING)[tea.id]
    assert (found.owner, found.slug) == ("curated", "tea")


def test_a_note_moved_by_hand_is_read_where_it_went(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory(slug="tea"))
    target = vault.root / "users/ada/memory/insight"
    target.mkdir(parents=True)
    (vault.root / "projects/mech/memory/insight/tea.md").rename(target / "tea.md")
    assert str(store.read([tea.id], visible=EVERYTHING)[tea.id].scope) == "/user/ada"
    changed = change(store, store.read([tea.id], visible=EVERYTHING)[tea.id], tags=("x",))
    assert vault.files() == ["users/ada/memory/insight/tea.md"]
    assert changed.tags == ("x",)


def test_a_removed_note_is_gone(vault: Vault, store: VaultStore) -> None:
    tea, coffee = save(store, memory(slug="tea"), memory("Bob likes coffee", "/user/bob"))
    reached = store.revision()
    shutil.rmtree(vault.root / "projects")
    assert news(store, reached) == [("projects/mech/memory/insight/tea.md", [])]
    assert store.read([tea.id, coffee.id], visible=EVERYTHING) == {coffee.id: coffee}


def test_going_back_to_an_older_state_is_followed(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory("Ada likes tea", slug="tea"))
    shutil.copytree(vault.root, vault.place / "monday")
    change(store, tea, status="deleted")
    save(store, memory("Bob likes coffee"))
    assert contents(store) == ["Ada likes tea", "Bob likes coffee"]
    shutil.rmtree(vault.root)
    shutil.copytree(vault.place / "monday", vault.root)
    assert everything(store) == {tea.id: tea}


def test_a_note_by_hand_is_a_memory_and_can_be_archived(vault: Vault, store: VaultStore) -> None:
    vault.file("projects/mech/Ideas of mine.md", "# Bigger lasers\n\nObviously.\n")
    (found,) = everything(store).values()
    assert (found.id, found.title) == (
        derived_id("n", "projects/mech/Ideas of mine.md"),
        "Bigger lasers",
    )
    gone = change(store, found, status="archived")
    assert vault.files() == ["projects/mech/_archive/Ideas of mine.md"]
    assert gone.id == found.id
    text = (vault.root / "projects/mech/_archive/Ideas of mine.md").read_text()
    assert text.endswith("---\n\n# Bigger lasers\n\nObviously.\n")
    assert change(store, gone, status="active").content == found.content


def test_a_persons_own_formatting_survives_a_change(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory("Ada likes tea", slug="tea"))
    path = vault.root / "projects/mech/memory/insight/tea.md"
    mine = path.read_bytes().replace(
        b"slug: tea\n", b"# mine\nslug:   'tea'\nrating: 5   # stars\ncover:\n  - [[Pot]]\n"
    )
    path.write_bytes(mine)
    change(store, everything(store)[tea.id], status="stale")
    assert path.read_bytes() == mine.replace(b"status: active", b"status: stale")


def test_a_write_over_an_unseen_edit_is_a_conflict(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory("Ada likes tea", slug="tea"))
    path = vault.root / "projects/mech/memory/insight/tea.md"
    edited = path.read_bytes().replace(b"likes tea", b"prefers gin")
    path.write_bytes(edited)
    with pytest.raises(Conflict):
        put(store, memory("Other", slug="other"), Put(tea.but(tags=("x",)), expect=tea))
    assert path.read_bytes() == edited
    assert vault.files() == ["projects/mech/memory/insight/tea.md"]


def test_the_profile_is_rewritten_in_place(vault: Vault, store: VaultStore) -> None:
    vault.file("agent-types/coding/profile.md", "## Role\n\nWrites code.\n")
    (profile,) = everything(store).values()
    assert (profile.kind, profile.tier, str(profile.scope)) == (
        "profile", "identity", "/agent/coding",
    )  # fmt: skip
    change(store, profile, content="## Role\n\nReviews code.")
    assert vault.files() == ["agent-types/coding/profile.md"]
    assert (vault.root / vault.files()[0]).read_text().endswith("\n\n## Role\n\nReviews code.\n")
    with pytest.raises(Conflict):
        save(store, memory("Another", "/agent/coding", kind="profile", owner="curated"))


def test_a_copy_of_a_note_counts_once(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory(slug="tea"))
    path = vault.root / "projects/mech/memory/insight/tea.md"
    shutil.copy(path, vault.root / "projects/mech/memory/insight/tea copy.md")
    assert everything(store) == {tea.id: tea}
    assert store.problems() == []
    path.unlink()
    assert [m.id for m in everything(store).values()] == [tea.id]


def test_of_two_texts_with_one_id_the_newer_keeps_it(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory("Ada likes tea", slug="tea"))
    path = vault.root / "projects/mech/memory/insight/tea.md"
    copied = path.read_text().replace("likes tea", "likes gin").replace("T12:00", "T13:00")
    vault.file("projects/mech/memory/insight/newer.md", copied)
    found = everything(store)
    other = derived_id("n", "projects/mech/memory/insight/tea.md")
    assert {id: m.content for id, m in found.items()} == {
        tea.id: "Ada likes gin",
        other: "Ada likes tea",
    }
    assert [p.where for p in store.problems()] == ["projects/mech/memory/insight/tea.md"]
    assert store.read([other], visible=EVERYTHING)[other].content == "Ada likes tea"
    (vault.root / "projects/mech/memory/insight/newer.md").unlink()
    assert everything(store) == {tea.id: tea}
    assert store.problems() == []


def test_a_note_that_was_copied_and_rewritten_keeps_its_id(vault: Vault, store: VaultStore) -> None:
    tower = memory("The tower is high")
    (tower,) = save(store, tower.but(slug=slug("The tower", tower.id)))
    folder = "projects/mech/memory/insight"
    copied = (vault.root / folder / f"{tower.slug}.md").read_text()
    vault.file(f"{folder}/hut.md", copied.replace("tower is high", "hut is low"))
    found = everything(store)
    assert found[tower.id] == tower
    assert found[derived_id("n", f"{folder}/hut.md")].content == "The hut is low"
    # Another device sees both at once, and agrees.
    assert everything(vault.open(state="elsewhere")) == found


@pytest.mark.parametrize("holder", ["original", "copy"])
def test_a_note_with_another_text_under_an_erased_id_stays(
    vault: Vault, store: VaultStore, holder: str
) -> None:
    (tea,) = save(store, memory("Ada likes tea", slug="tea"))
    original = vault.root / "projects/mech/memory/insight/tea.md"
    text = original.read_text().replace("likes tea", "likes gin")
    later = text.replace("T12:00", "T13:00") if holder == "copy" else text
    copy = vault.file("projects/mech/memory/insight/gin copy.md", later)
    gone, stays = (original, copy) if holder == "original" else (copy, original)
    shutil.copy(gone, gone.with_name("the very same.md"))
    assert len(everything(store)) == 2
    assert erase(store, tea.id) == [tea.id]
    (left,) = everything(store).values()
    assert (left.content in stays.read_text(), left.id != tea.id) == (True, True)
    assert vault.files() == [str(stays.relative_to(vault.root))]
    # It says so itself now, so that a tombstone of the erased id hides it nowhere.
    assert everything(vault.open(state="elsewhere")) == {left.id: left}
    assert tea.id not in stays.read_text()
    assert erase(store, left.id) == [left.id]
    assert vault.files() == []


@pytest.mark.parametrize("backwards", [False, True])
def test_erasing_both_of_two_notes_with_one_id_leaves_neither(
    vault: Vault, store: VaultStore, backwards: bool
) -> None:
    save(store, memory("Ada likes tea", slug="tea"))
    text = (vault.root / "projects/mech/memory/insight/tea.md").read_text()
    vault.file("projects/mech/memory/insight/copy.md", text.replace("tea", "gin"))
    ids = sorted(everything(store), reverse=backwards)
    assert sorted(erase(store, *ids)) == sorted(ids)
    assert vault.files() == []


def test_two_devices_exchange_files_by_plain_copy_and_lose_nothing(vault: Vault) -> None:
    here = vault.open()
    tea, coffee = save(here, memory("Ada likes tea"), memory("Bob likes coffee"))
    save(here, fact("engine", "Godot"))
    other = Vault(vault.place / "laptop")
    shutil.copytree(vault.root, other.root)
    there = other.open()
    assert everything(there).keys() == everything(here).keys()
    change(here, tea, status="deleted", updated=NOON + timedelta(minutes=1))
    change(there, coffee, status="superseded", updated=NOON + timedelta(minutes=2))
    save(here, memory("Written here"))
    save(there, memory("Written there"))
    shutil.copytree(vault.root, other.root, dirs_exist_ok=True)
    shutil.copytree(other.root, vault.root, dirs_exist_ok=True)
    found, mirrored = everything(here), everything(there)
    other.close()
    assert {id: (m.content, m.status) for id, m in found.items()} == {
        id: (m.content, m.status) for id, m in mirrored.items()
    }
    assert sorted((m.content, m.status) for m in found.values()) == [
        ("Ada likes tea", "deleted"),
        ("Bob likes coffee", "superseded"),
        ("Written here", "active"),
        ("Written there", "active"),
        ("engine: Godot", "active"),
    ]


def test_another_device_finds_the_same_memories(vault: Vault, store: VaultStore) -> None:
    save(store, *(memory(f"Thought {n}", f"/user/u{n % 3}") for n in range(1_200)))
    assert everything(vault.open(state="elsewhere")) == everything(store)


def test_an_erased_memory_leaves_no_copy(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory("The code is marmalade", slug="code-marmalade"))
    change(store, tea, status="deleted")
    archived = vault.root / "projects/mech/memory/_archive/code-marmalade.md"
    shutil.copy(archived, vault.root / "projects/mech/marmalade copy.md")
    vault.file("projects/mech/memory/.x.md.99-1.tmp", "The code is marmalade")
    store.refresh_map()
    assert erase(store, tea.id, "nobody") == [tea.id]
    everything(store)
    list(store.changes(store.revision(), visible=EVERYTHING))
    left = all_bytes(vault.place)
    assert b"marmalade" not in left
    assert [name for name in vault.files() if "marmalade" in name or "tmp" in name] == []


def test_the_listing_of_a_vault_loads_next_to_nothing() -> None:
    # A hook lists the vault in a process of its own, which imports what it needs once more.
    script = "import sys, commonplace.backends.vault.listing; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {script}"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    loaded = set(done.stdout.split())
    assert loaded & {"re", "functools", "collections", "apsw", "json"} == set()
    assert {one for one in loaded if one.startswith("commonplace.model")} == set()


def test_a_quick_look_finds_new_notes_at_once_and_edits_in_place_soon(
    vault: Vault, store: VaultStore
) -> None:
    save(store, memory("Ada likes tea", slug="tea"))

    def quick_news(since: int) -> list[str]:
        batches = store.changes(since, visible=EVERYTHING, quick=True)
        return [document.locator for changes in batches for document in changes.documents]

    quick_news(store.revision())
    reached = store.revision()
    vault.file("Daily.md", "A fine day.")
    assert quick_news(reached) == ["Daily.md"]
    reached = store.revision()
    (vault.root / "Daily.md").write_text("A bad day.")
    end = time.monotonic() + 60
    while not quick_news(reached):
        assert time.monotonic() < end


def test_a_look_that_meets_only_our_latest_write_is_good_for_a_while(
    vault: Vault, store: VaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is.
    monkeypatch.setattr(detect_changes, "PAUSE_FACTOR", 1e9)
    vault.file("Daily.md", "A fine day.")
    everything(store)
    assert not store._detector.seems_unchanged(), "somebody is editing"
    save(store, memory("Ada likes tea", slug="tea"))
    time.sleep(0.05)  # Now its time would show another write.
    everything(store)
    assert store._detector.seems_unchanged()


def test_a_write_of_ours_is_no_reason_for_a_look(
    vault: Vault, store: VaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is.
    monkeypatch.setattr(detect_changes, "PAUSE_FACTOR", 1e9)
    monkeypatch.setattr(detect_changes, "OWN_WRITE_S", 600.0)
    save(store, memory("Ada likes tea", slug="tea"))
    for _ in store.changes(0, visible=EVERYTHING):
        pass
    save(store, memory("Bob likes coffee", slug="coffee"))
    assert store._detector.seems_unchanged()
    vault.file("Daily.md", "A fine day.")
    assert not store._detector.seems_unchanged()


def test_a_write_of_another_process_is_no_reason_for_a_look(
    vault: Vault, store: VaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is.
    monkeypatch.setattr(detect_changes, "PAUSE_FACTOR", 1e9)
    monkeypatch.setattr(detect_changes, "OWN_WRITE_S", 600.0)
    other = vault.open()
    for one, text in ((store, "Ada likes tea"), (other, "Bob likes coffee")):
        save(one, memory(text, slug=text))
        everything(one)
    save(store, memory("Eve likes milk", slug="milk"))
    save(other, memory("Kim likes water", slug="water"))
    assert store._detector.seems_unchanged()
    assert len(everything(store)) == 4
    vault.file("Daily.md", "A fine day.")
    assert not store._detector.seems_unchanged()
