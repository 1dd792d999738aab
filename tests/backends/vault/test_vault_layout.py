"""What a vault looks like on the disk."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

import pytest

from commonplace.backends.vault.identity import identify
from commonplace.backends.vault.store import VaultStore
from commonplace.model.errors import BadLocator, Conflict, NotAllowed, StoreUnavailable
from commonplace.model.scope import Scope
from commonplace.notes.facts import fact_id

from .vaults import Vault, change, everything, fact, memory, save


def test_every_memory_lies_where_the_design_says(vault: Vault, store: VaultStore) -> None:
    save(
        store,
        memory("Cool the reactor", slug="cool", kind="fix"),
        memory("Curated rule", slug="rule", kind="workflow", owner="curated"),
        memory("Wild thought", slug="wild", kind="idea"),
        memory("Not yet reviewed", slug="new", status="staged"),
        memory("Old truth", slug="old", status="superseded"),
        memory("Every time", slug="every", always_load=True),
        memory("For all", "/", slug="all"),
        memory("# Role\n\nBuilds mechs.", "/agent/coding", kind="profile", owner="curated"),
        memory("Use tabs here.", "/project/mech/agent/coding", kind="override", owner="curated"),
        memory("I am Ada.", "/", kind="profile", owner="curated"),
        memory("Secret of 42", "/org/acme/user/42", slug="secret"),
        fact("engine", "Godot", id=fact_id(Scope.parse("/project/mech"), None, "engine")),
    )
    assert vault.files() == [
        "agent-types/coding/profile.md",
        "orgs/acme/users/42/memory/insight/secret.md",
        "profile.md",
        "projects/mech/facts.md",
        "projects/mech/memory/_always-load/every.md",
        "projects/mech/memory/_archive/old.md",
        "projects/mech/memory/_idea-incubator/wild.md",
        "projects/mech/memory/_inbox/new.md",
        "projects/mech/memory/fix/cool.md",
        "projects/mech/overrides/coding.md",
        "projects/mech/workflow/rule.md",
        "system/memory/insight/all.md",
    ]


def test_a_change_of_status_moves_the_note_and_back(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory(slug="tea"))
    gone = change(store, tea, status="deleted")
    assert vault.files() == ["projects/mech/memory/_archive/tea.md"]
    back = change(store, gone, status="active")
    assert vault.files() == ["projects/mech/memory/insight/tea.md"]
    assert back == tea
    assert everything(store) == {tea.id: tea}


def test_two_notes_with_one_name_both_stay(vault: Vault, store: VaultStore) -> None:
    one, two = memory("Tea", slug="tea"), memory("Coffee", slug="tea")
    save(store, one, two)
    assert {name.rpartition("/")[2] for name in vault.files()} == {
        "tea.md",
        f"tea-{two.id[-6:]}.md",
    }
    assert {m.content for m in everything(store).values()} == {"Tea", "Coffee"}


def test_a_slug_of_300_characters_gets_a_shorter_file(vault: Vault, store: VaultStore) -> None:
    (long,) = save(store, memory(slug="ü" * 300))
    assert len(vault.files()[0].rpartition("/")[2].encode()) < 200
    assert everything(store) == {long.id: long}
    assert long.slug == "ü" * 300


def test_a_folder_spelled_by_hand_is_used(vault: Vault, store: VaultStore) -> None:
    vault.file("Projects/MechFighters/design/plan.md", "Big robots.")
    save(store, memory(scope="/project/MechFighters", slug="tea"))
    assert vault.files() == [
        "Projects/MechFighters/design/plan.md",
        "Projects/MechFighters/memory/insight/tea.md",
    ]
    assert {str(m.scope) for m in everything(store).values()} == {"/project/MechFighters"}


def test_two_tenants_never_share_a_folder_that_differs_in_case(
    vault: Vault, store: VaultStore
) -> None:
    vault.file("users/Ada/diary.md", "Mine.")
    with pytest.raises(Conflict, match="upper and lower case"):
        save(store, memory(scope="/user/ada"))
    assert vault.files() == ["users/Ada/diary.md"]


def test_the_vault_gets_one_id_and_keeps_it(vault: Vault, store: VaultStore) -> None:
    card = json.loads((vault.root / "_meta" / "vault.json").read_text())
    checksum = zlib.crc32(store.store_id.encode())
    assert card == {"id": store.store_id, "format": 1, "checksum": checksum}
    assert identify(str(vault.root)) == store.store_id == vault.open(state="other").store_id


def test_without_create_a_plain_folder_is_no_vault(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="no vault"):
        identify(str(tmp_path), create=False)
    assert list(tmp_path.iterdir()) == []


def test_no_temporary_file_stays_behind(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory())
    change(store, tea, tags=("drinks",))
    assert not [name for name in vault.files() if "tmp" in name]


def test_the_map_lists_scopes_and_kinds_with_links(vault: Vault, store: VaultStore) -> None:
    save(store, memory(slug="tea"), memory("Old", slug="old", status="archived"), fact("a", "b"))
    save(store, memory("Cool it", "/", slug="cool", kind="fix"))
    assert store.refresh_map()
    text = (vault.root / "_index.md").read_text()
    assert "## /\n\n### fix (1)\n\n- [[system/memory/fix/cool|cool]]\n" in text
    assert "### insight (1)\n\n- [[projects/mech/memory/insight/tea|tea]]\n" in text
    assert "old" not in text
    stamp = os.stat(vault.root / "_index.md").st_mtime_ns
    assert not store.refresh_map()
    assert os.stat(vault.root / "_index.md").st_mtime_ns == stamp
    assert len(everything(store)) == 4


def test_personal_notes_take_their_own_call_and_lie_outside(vault: Vault) -> None:
    store = vault.open(personal_root=str(vault.place / "mine"))
    path = store.write_personal("diary/today", "Dear diary")
    assert Path(path) == vault.place / "mine" / "diary" / "today.md"
    assert Path(path).read_text() == "Dear diary"
    with pytest.raises(Conflict):
        store.write_personal("diary/today", "Again")
    with pytest.raises(BadLocator):
        store.write_personal("../escape", "no")
    (vault.place / "mine" / "out").symlink_to(vault.place)
    with pytest.raises(BadLocator):
        store.write_personal("out/escape", "no")
    assert everything(store) == {}
    assert vault.files() == []


def test_personal_notes_need_a_folder_of_their_own(vault: Vault, store: VaultStore) -> None:
    with pytest.raises(NotAllowed, match="No folder"):
        store.write_personal("diary", "Dear diary")
    inside = vault.open(personal_root=str(vault.root / "mine"))
    with pytest.raises(NotAllowed, match="inside the other"):
        inside.write_personal("diary", "Dear diary")
    with pytest.raises(NotAllowed):
        save(store, memory(owner="personal"))
