"""A look at the folders of a large vault, and the times of looks at everything."""

from __future__ import annotations

import os
import time

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.backends.vault import listing, partial_look
from commonplace.backends.vault.partial_look import (
    FRESH_NS,
    PAUSE_FACTOR,
    SPARE_LOOKS,
    leave_look,
    read_times,
    record_look,
)
from commonplace.backends.vault.store import VaultStore
from commonplace.model.scope import EVERYTHING

from .vaults import Vault, contents, memory, save

SECOND = 1_000_000_000


@pytest.fixture
def large(store: VaultStore, monkeypatch: pytest.MonkeyPatch) -> VaultStore:
    """A large vault that was looked at."""
    monkeypatch.setattr(listing, "LARGE", 1)
    save(store, memory("Ada likes tea", slug="tea"), memory("Bob likes coffee", slug="coffee"))
    time.sleep(0.05)
    contents(store)
    assert store.look_in_part() is not None
    return store


def seen_in_part(store: VaultStore) -> list[str]:
    """The texts of the vault as a look in part knows them."""
    assert store.look_in_part() is not None
    found = store.changes(0, visible=EVERYTHING, look=False)
    return sorted(
        one.content for batch in found for document in batch.documents for one in document.memories
    )


def test_a_note_that_came_before_a_write_of_ours_is_found(vault: Vault, large: VaultStore) -> None:
    # The write gives the folder a new time, which is in the manifest.
    vault.file("projects/mech/memory/insight/gin.md", "Cleo likes gin.")
    save(large, memory("Dora likes rum", slug="rum"))
    assert "Cleo likes gin." in seen_in_part(large)


def test_a_write_of_ours_alone_is_no_reason_to_list_a_folder(
    large: VaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(large, memory("Dora likes rum", slug="rum"))
    time.sleep(0.05)
    seen_in_part(large)
    listed: list[object] = []
    monkeypatch.setattr(listing, "_list", listed.append)
    assert "Dora likes rum" in seen_in_part(large)
    assert listed == []


def test_a_disk_that_keeps_whole_seconds_hides_no_new_note(
    vault: Vault, large: VaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = lambda found: found.st_mtime_ns // SECOND * SECOND  # noqa: E731
    monkeypatch.setattr(listing, "folder_time", whole)
    monkeypatch.setattr("commonplace.backends.vault.files.folder_time", whole)
    for name in ("gin", "rum", "ale"):
        vault.file(f"projects/mech/memory/insight/{name}.md", f"Cleo likes {name}.")
        assert f"Cleo likes {name}." in seen_in_part(large)


def test_a_folder_that_may_not_be_opened_keeps_its_notes(vault: Vault, large: VaultStore) -> None:
    if os.geteuid() == 0:
        pytest.skip("Permissions do not bind this user.")
    folder = vault.root / "projects/mech/memory"
    before = seen_in_part(large)
    folder.chmod(0)
    try:
        assert seen_in_part(large) == before
    finally:
        folder.chmod(0o755)


def test_a_vault_that_is_away_is_not_taken_for_an_empty_one(
    vault: Vault, large: VaultStore
) -> None:
    away = vault.root.with_name("unplugged")
    vault.root.rename(away)
    with pytest.raises(Exception, match="is not there"):
        large.look_in_part()
    away.rename(vault.root)
    assert seen_in_part(large) == ["Ada likes tea", "Bob likes coffee"]


def test_a_state_that_cannot_be_written_has_every_file_looked_at(
    large: VaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large._leases.connection, "unwritable", OSError("read-only"))
    monkeypatch.setattr(large._leases.connection, "retry_at_s", float("inf"))
    assert large.look_in_part() is None


# The times of looks


def times_table() -> apsw.Connection:
    db = apsw.Connection(":memory:")
    db.execute("CREATE TABLE counters(name TEXT PRIMARY KEY, value INTEGER NOT NULL)")
    return db


@given(st.lists(st.floats(0, 100), min_size=1, max_size=60), st.floats(0.001, 5))
def test_looks_that_answers_leave_take_a_small_share_of_the_time(
    pauses_s: list[float], cost_s: float
) -> None:
    db, cost, looks = times_table(), int(cost_s * SECOND), 0
    now = began = 10**18
    record_look(db, now, now, cost)
    for pause_s in pauses_s:
        now += int(pause_s * SECOND)
        times = read_times(db)
        assert times is not None
        if times.is_due(now) and leave_look(db, now):
            assert now >= times.looked + FRESH_NS
            looks += 1
            now += cost
            record_look(db, now - cost, now, cost)
    assert looks <= SPARE_LOOKS + (now - began) / (PAUSE_FACTOR * cost)


def test_a_look_is_due_after_a_second_for_somebody_who_seldom_asks() -> None:
    db, now = times_table(), 10**18
    for _ in range(20):
        record_look(db, now, now, SECOND // 2)
        times = read_times(db)
        assert times is not None
        assert not times.is_due(now + FRESH_NS - 1)
        now += FRESH_NS + SPARE_LOOKS * PAUSE_FACTOR * SECOND // 2
        assert times.is_due(now)


def test_a_look_that_began_before_another_was_left_is_not_that_one() -> None:
    db, now = times_table(), 10**18
    record_look(db, now - 5 * SECOND, now, 0)
    assert leave_look(db, now)
    record_look(db, now - SECOND, now + SECOND, None)
    times = read_times(db)
    assert times is not None
    assert not times.allow_part(now + SECOND)
    record_look(db, now + 2 * SECOND, now + 3 * SECOND, None)
    times = read_times(db)
    assert times is not None
    assert times.allow_part(now + 3 * SECOND)
    assert not partial_look.LookTimes(now, 0, 0, 0).allow_part(now - 1), "the clock was set back"
