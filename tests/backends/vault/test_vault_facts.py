"""Facts that live as lines of `facts.md`."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

import pytest

from commonplace.backends.common.lease import SqliteLeases
from commonplace.backends.vault.store import VaultStore
from commonplace.model.codec import iso
from commonplace.model.errors import Busy, Conflict
from commonplace.model.identity import archived_id
from commonplace.model.memory import Memory
from commonplace.model.scope import EVERYTHING, Scope
from commonplace.notes.facts import fact_id, fits_facts_file
from commonplace.ports.record_store import Put
from commonplace.rules.relations.replacement import replace_memory

from .vaults import NOON, Vault, change, contents, erase, everything, put, save
from .vaults import fact as any_fact

FILE = "projects/mech/facts.md"
ENGINE = fact_id(Scope.parse("/project/mech"), None, "engine")
LATER = NOON + timedelta(hours=1)


def fact(key: str, value: str, scope: str = "/project/mech", **fields: Any) -> Memory:
    """A fact that goes by the id of its key's line, unless it says otherwise or is an agent's."""
    made = any_fact(key, value, scope, **fields)
    if "id" in fields or made.owner != "curated":
        return made
    return made.but(id=fact_id(made.scope, made.namespace, key))


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
    done = replace_memory(fact("engine", "Bevy", updated=LATER), old)
    stored = put(store, *done.puts)
    assert text(vault) == "- engine: Bevy\n"
    found = everything(store)
    assert found[ENGINE].value == "Bevy"
    assert found[done.gone.id].but(slug="") == done.gone.but(slug="")
    assert {s.memory.id for s in stored} == {ENGINE, done.gone.id}


def test_a_fact_replaced_by_an_agents_note_leaves_its_line(vault: Vault, store: VaultStore) -> None:
    (old,) = save(store, fact("engine", "Godot"))
    done = replace_memory(fact("engine", "Bevy", owner="agent", updated=LATER), old)
    put(store, *done.puts)
    assert text(vault) == ""
    assert contents(store) == ["engine: Bevy", "engine: Godot"]


def test_a_forgotten_fact_leaves_its_line_and_can_return(vault: Vault, store: VaultStore) -> None:
    vault.file(FILE, "- engine: Godot\n- language: GDScript\n")
    engine = everything(store)[ENGINE]
    gone = change(store, engine, status="deleted", updated=LATER)
    assert text(vault) == "- language: GDScript\n"
    assert (gone.content, gone.status) == ("engine: Godot", "deleted")
    assert gone.id == ENGINE
    assert store.read([ENGINE], visible=EVERYTHING)[ENGINE] == gone
    back = change(store, gone, status="active", deleted_at=None)
    assert back.id == ENGINE
    assert text(vault) == "- language: GDScript\n- engine: Godot\n"
    assert vault.files() == [FILE]


MORE: list[dict[str, Any]] = [
    {"sensitivity": "sensitive"}, {"tags": ("build",)}, {"confidence": 0.6}, {"expires": LATER},
    {"title": "The engine"}, {"tier": "search"}, {"always_load": True}, {"status": "stale"},
    {"valid_until": LATER}, {"source_tasks": ("t1",)}, {"content": "We build on Godot."},
]  # fmt: skip


@pytest.mark.parametrize("more", MORE)
def test_a_line_that_gets_more_to_say_becomes_a_note_with_its_id(
    vault: Vault, store: VaultStore, more: dict[str, Any]
) -> None:
    vault.file(FILE, "Mine:\n- engine: Godot\n- language: GDScript\n")
    line = everything(store)[ENGINE]
    told = change(store, line, **more)
    assert text(vault) == "Mine:\n- language: GDScript\n"
    assert told.but(slug="") == line.but(**more)
    assert everything(store)[ENGINE] == told
    assert everything(vault.open(state="another device"))[ENGINE] == told


def test_a_secret_value_for_a_known_key_stays_secret(vault: Vault, store: VaultStore) -> None:
    (old,) = save(store, fact("pin", "1111"))
    secret = fact("pin", "9999", sensitivity="sensitive", updated=LATER)
    done = replace_memory(secret, old)
    put(store, *done.puts)
    found = everything(store)
    assert (found[old.id].value, found[old.id].sensitivity) == ("9999", "sensitive")
    assert found[done.gone.id].value == "1111"
    assert "9999" not in text(vault)


def test_a_fact_that_left_its_line_is_replaced_in_its_note(vault: Vault, store: VaultStore) -> None:
    (line,) = save(store, fact("engine", "Godot"))
    note = change(store, line, tags=("build",))
    done = replace_memory(fact("engine", "Bevy", updated=LATER), note)
    put(store, *done.puts)
    found = everything(store)
    assert found[ENGINE].value == "Bevy"
    assert found[ENGINE].supersedes == done.gone.id
    assert found[done.gone.id].tags == ("build",)
    assert len(found) == 2
    assert text(vault) == ""
    gone = change(store, found[ENGINE], status="deleted", updated=LATER)
    assert gone.id == ENGINE


def test_a_fact_that_left_its_line_is_superseded_under_its_archived_id(store: VaultStore) -> None:
    (line,) = save(store, fact("engine", "Godot"))
    note = change(store, line, tags=("build",))
    done = replace_memory(fact("engine", "Bevy", owner="agent", updated=LATER), note)
    put(store, *done.puts)
    assert everything(store).keys() == {done.new.id, done.gone.id}


def test_a_fact_may_come_with_the_id_of_its_line(vault: Vault, store: VaultStore) -> None:
    made = fact("engine", "Godot", id=ENGINE)
    assert fits_facts_file(made)
    (stored,) = save(store, made)
    assert (stored.id, text(vault)) == (ENGINE, "- engine: Godot\n")
    for known in (made, fact("engine", "Bevy", id=ENGINE), fact("tool", "scons", id=ENGINE)):
        with pytest.raises(Conflict):
            save(store, known)
    done = replace_memory(fact("engine", "Bevy", id=ENGINE, updated=LATER), stored)
    put(store, *done.puts)
    assert everything(store).keys() == {ENGINE, done.gone.id}
    assert text(vault) == "- engine: Bevy\n"


def test_two_values_with_the_id_of_one_line_in_one_write(vault: Vault, store: VaultStore) -> None:
    first = fact("engine", "Godot", id=ENGINE)
    done = replace_memory(fact("engine", "Bevy", id=ENGINE, updated=LATER), first)
    put(store, first, *done.puts)
    assert text(vault) == "- engine: Bevy\n"
    assert everything(store).keys() == {ENGINE, done.gone.id}


def test_a_note_takes_no_id_of_a_line_that_is_there(store: VaultStore) -> None:
    save(store, fact("engine", "Godot"))
    with pytest.raises(Conflict):
        save(store, fact("engine", "Bevy", id=ENGINE, tags=("build",)))


@pytest.mark.parametrize("more", [{}, {"tags": ("build",)}])
def test_a_forgotten_value_is_kept_when_its_key_is_written_again(
    vault: Vault, store: VaultStore, more: dict[str, Any]
) -> None:
    (line,) = save(store, fact("engine", "Godot"))
    gone = change(store, line, status="deleted", deleted_at=LATER, updated=LATER)
    (new,) = save(store, fact("engine", "Bevy", id=ENGINE, **more))
    assert (new.id, new.value) == (ENGINE, "Bevy")
    kept = archived_id(gone, at=iso(LATER))
    assert everything(store) == {ENGINE: new, kept: gone.but(id=kept)}
    with pytest.raises(Conflict):
        change(store, gone.but(id=kept), status="active", deleted_at=None)
    change(store, new, status="deleted", updated=LATER)
    back = change(store, gone.but(id=kept), status="active", deleted_at=None)
    assert (back.id, text(vault)) == (ENGINE, "- engine: Godot\n")
    assert contents(store) == ["engine: Bevy", "engine: Godot"]


def test_a_caller_may_file_the_forgotten_value_away_itself(vault: Vault, store: VaultStore) -> None:
    (line,) = save(store, fact("engine", "Godot"))
    gone = change(store, line, status="deleted", deleted_at=LATER, updated=LATER)
    kept = gone.but(id=archived_id(gone, at=iso(gone.updated)))
    put(store, kept, Put(fact("engine", "Bevy", id=ENGINE), expect=gone))
    found = everything(store)
    assert found.keys() == {ENGINE, kept.id}
    assert found[kept.id].value == "Godot"
    assert text(vault) == "- engine: Bevy\n"


def test_an_earlier_value_returns_in_the_write_that_forgets_the_newer(
    vault: Vault, store: VaultStore
) -> None:
    (old,) = save(store, fact("engine", "Godot"))
    done = replace_memory(fact("engine", "Bevy", updated=LATER), old)
    _, newer = (stored.memory for stored in put(store, *done.puts))
    older = everything(store)[done.gone.id]
    stored = put(
        store,
        Put(newer.but(status="deleted", deleted_at=LATER, updated=LATER), expect=newer),
        Put(older.but(status="active", superseded_by=None), expect=older),
    )
    found = everything(store)
    assert text(vault) == "- engine: Godot\n"
    assert [(s.memory.value, s.memory.status) for s in stored] == [
        ("Bevy", "deleted"),
        ("Godot", "active"),
    ]
    assert found == {s.memory.id: s.memory for s in stored}


@pytest.mark.parametrize("value", ["Godot", "Bevy"])
def test_a_line_written_by_hand_again_is_not_hidden_by_the_forgotten_one(
    vault: Vault, store: VaultStore, value: str
) -> None:
    (line,) = save(store, fact("engine", "Godot"))
    change(store, line, status="deleted", deleted_at=LATER, updated=LATER)
    vault.file(FILE, f"- engine: {value}\n")
    found = everything(store)
    assert (found[ENGINE].value, found[ENGINE].status) == (value, "active")
    again = LATER + timedelta(hours=1)
    gone = change(store, found[ENGINE], status="deleted", deleted_at=again, updated=again)
    assert store.read([ENGINE], visible=EVERYTHING)[ENGINE] == gone
    assert change(store, gone, status="active", deleted_at=None).value == value


def test_a_line_that_changes_its_key_spares_the_line_already_there(
    vault: Vault, store: VaultStore
) -> None:
    vault.file(FILE, "- engine: Godot\n- language: GDScript\n")
    engine = everything(store)[ENGINE]
    with pytest.raises(Conflict):
        change(store, engine, key="language", content="language: Godot")
    renamed = change(store, engine, key="motor", content="motor: Godot")
    assert renamed.id == fact_id(engine.scope, None, "motor")
    assert sorted(text(vault).splitlines()) == ["- language: GDScript", "- motor: Godot"]


def test_a_key_that_is_taken_is_a_conflict(vault: Vault, store: VaultStore) -> None:
    vault.file(FILE, "- engine: Godot\n")
    with pytest.raises(Conflict):
        save(store, fact("engine", "Bevy"))
    assert text(vault) == "- engine: Godot\n"


def test_a_line_changed_by_hand_meanwhile_is_a_conflict(vault: Vault, store: VaultStore) -> None:
    (old,) = save(store, fact("engine", "Godot"))
    vault.file(FILE, "- engine: Unity\n")
    with pytest.raises(Conflict):
        put(store, *replace_memory(fact("engine", "Bevy", updated=LATER), old).puts)
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


def test_a_holder_whose_drafts_were_removed_hears_that_it_was_too_slow(
    vault: Vault, store: VaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.utime

    def removed(path: str, ns: tuple[int, int]) -> None:
        other = SqliteLeases(str(vault.place / "state" / "vault.db"))
        other.connection.execute("UPDATE leases SET token = token + 1")
        other.close()
        os.unlink(path)
        real(path, ns=ns)

    with store.lease() as lease:
        monkeypatch.setattr(os, "utime", removed)
        with pytest.raises(Busy, match="went to another process"):
            store.write([Put(fact("editor", "ed"))], lease=lease)
        monkeypatch.setattr(os, "utime", real)
    assert everything(store) == {}
    assert vault.files() == []
