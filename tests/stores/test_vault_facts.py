"""Facts that live as lines of `facts.md`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from commonplace.errors import Conflict
from commonplace.ports import Put
from commonplace.rules.facts import fact_id
from commonplace.rules.versions import replacement
from commonplace.scope import EVERYTHING, Scope
from commonplace.stores.vault.store import VaultStore

from .vaults import NOON, Vault, change, contents, erase, everything, fact, put, save

FILE = "projects/mech/facts.md"
ENGINE = fact_id(Scope.parse("/project/mech"), None, "engine")
LATER = NOON + timedelta(hours=1)


def text(vault: Vault) -> str:
    return (vault.root / FILE).read_text()


def test_a_curated_fact_is_a_line_a_person_can_edit(vault: Vault, store: VaultStore) -> None:
    vault.file(FILE, "# Facts\n\nKnown to all:\n- language: GDScript\n")
    (engine,) = save(store, fact("engine", "Godot"))
    assert text(vault) == "# Facts\n\nKnown to all:\n- language: GDScript\n- engine: Godot\n"
    assert engine.id == ENGINE
    vault.file(FILE, text(vault).replace("Godot", "Bevy"))
    assert store.read([ENGINE], visible=EVERYTHING)[ENGINE].value == "Bevy"


def test_an_agents_fact_is_a_note_of_its_own(vault: Vault, store: VaultStore) -> None:
    save(store, fact("engine", "Godot", owner="agent"))
    assert vault.files() == ["projects/mech/memory/fact/engine.md"]


@pytest.mark.parametrize(
    "more",
    [
        {"sensitivity": "sensitive"}, {"expires": LATER}, {"tags": ("build",)},
        {"trust": "external"}, {"confidence": 0.6}, {"valid_until": LATER},
    ],
)  # fmt: skip
def test_a_fact_with_more_to_say_than_a_line_holds_is_a_note(
    vault: Vault, store: VaultStore, more: dict[str, Any]
) -> None:
    made = fact("engine", "Godot", **more)
    assert save(store, made) == [made]
    assert vault.files() == ["projects/mech/fact/engine.md"]


def test_a_replaced_fact_keeps_its_line_and_its_past(vault: Vault, store: VaultStore) -> None:
    (old,) = save(store, fact("engine", "Godot"))
    done = replacement(fact("engine", "Bevy", updated=LATER), old)
    stored = put(store, *done.puts)
    assert text(vault) == "- engine: Bevy\n"
    found = everything(store)
    assert found[ENGINE].value == "Bevy"
    assert found[done.gone.id].but(slug="") == done.gone.but(slug="")
    assert {s.memory.id for s in stored} == {ENGINE, done.gone.id}


def test_a_fact_replaced_by_an_agents_note_leaves_its_line(vault: Vault, store: VaultStore) -> None:
    (old,) = save(store, fact("engine", "Godot"))
    done = replacement(fact("engine", "Bevy", owner="agent", updated=LATER), old)
    put(store, *done.puts)
    assert text(vault) == ""
    assert contents(store) == ["engine: Bevy", "engine: Godot"]


def test_two_values_for_one_key_in_one_write_end_as_one_line(
    vault: Vault, store: VaultStore
) -> None:
    first, second = fact("engine", "Godot"), fact("engine", "Bevy")
    retired = first.but(status="superseded", superseded_by=second.id)
    put(store, first, second, Put(retired, expect=first))
    assert text(vault) == "- engine: Bevy\n"
    assert contents(store) == ["engine: Bevy", "engine: Godot"]


def test_a_forgotten_fact_leaves_its_line_and_can_return(vault: Vault, store: VaultStore) -> None:
    vault.file(FILE, "- engine: Godot\n- language: GDScript\n")
    engine = everything(store)[ENGINE]
    gone = change(store, engine, status="deleted", updated=LATER)
    assert text(vault) == "- language: GDScript\n"
    assert (gone.content, gone.status) == ("engine: Godot", "deleted")
    assert gone.id != ENGINE
    back = change(store, gone, status="active", deleted_at=None)
    assert back.id == ENGINE
    assert text(vault) == "- language: GDScript\n- engine: Godot\n"
    assert vault.files() == [FILE]


def test_a_key_that_is_taken_is_a_conflict(vault: Vault, store: VaultStore) -> None:
    vault.file(FILE, "- engine: Godot\n")
    with pytest.raises(Conflict):
        save(store, fact("engine", "Bevy"))
    assert text(vault) == "- engine: Godot\n"


def test_a_line_changed_by_hand_meanwhile_is_a_conflict(vault: Vault, store: VaultStore) -> None:
    (old,) = save(store, fact("engine", "Godot"))
    vault.file(FILE, "- engine: Unity\n")
    with pytest.raises(Conflict):
        put(store, *replacement(fact("engine", "Bevy", updated=LATER), old).puts)
    assert text(vault) == "- engine: Unity\n"
    assert vault.files() == [FILE]


def test_an_erased_fact_takes_only_its_line(vault: Vault, store: VaultStore) -> None:
    vault.file(FILE, "Mine:\n- engine: Godot\n- language: GDScript\n- engine: Bevy\n")
    assert erase(store, ENGINE) == [ENGINE]
    assert text(vault) == "Mine:\n- language: GDScript\n"


def test_facts_of_many_scopes_and_namespaces_do_not_meet(store: VaultStore) -> None:
    made = save(
        store,
        fact("tool", "scons"),
        fact("tool", "make", namespace="build"),
        fact("tool", "cargo", "/user/ada"),
        fact("tool", "none", "/"),
    )
    assert len({m.id for m in made}) == 4
    assert sorted(m.value or "" for m in everything(store).values()) == [
        "cargo", "make", "none", "scons",
    ]  # fmt: skip


def test_one_key_in_two_files_of_a_scope_is_two_facts(vault: Vault, store: VaultStore) -> None:
    vault.file("facts.md", "tool: make\nlead: Ada\n")
    vault.file("system/facts.md", "tool: scons\nlead: Bob\n")
    found = everything(store)
    assert sorted(m.value or "" for m in found.values()) == ["Ada", "Bob", "make", "scons"]
    bob = next(m for m in found.values() if m.value == "Bob")
    change(store, bob, value="Eve", content="lead: Eve")
    assert (vault.root / "system/facts.md").read_text() == "tool: scons\nlead: Eve\n"
    scons = next(m for m in found.values() if m.value == "scons")
    assert erase(store, scons.id) == [scons.id]
    assert (vault.root / "facts.md").read_text() == "tool: make\nlead: Ada\n"
    assert (vault.root / "system/facts.md").read_text() == "lead: Eve\n"
