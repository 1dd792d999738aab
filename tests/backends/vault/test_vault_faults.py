"""Files that cannot be read, disks that are full or gone, writers that die or are late."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time

import apsw
import pytest

from commonplace.backends.common.lease import SqliteLeases
from commonplace.backends.vault.identity import identify
from commonplace.backends.vault.store import VaultStore
from commonplace.model.errors import BadLocator, Busy, Conflict, StoreUnavailable
from commonplace.model.scope import EVERYTHING
from commonplace.ports.record_store import Put
from tests import ROOT
from tests.permissions import held_to_permissions

from .vaults import Vault, change, contents, erase, everything, memory, put, save

PROJECT = ROOT


def problems(store: VaultStore) -> dict[str, str]:
    return {problem.where: problem.what for problem in store.problems()}


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (b"caf\xe9 latin-1", "not UTF-8"),
        (b"nul \0 byte", "NUL"),
        (b"x" * 5_000_001, "larger than 5 MB"),
    ],
)
def test_a_file_that_is_no_text_is_reported_and_left_alone(
    vault: Vault, store: VaultStore, bad: bytes, why: str
) -> None:
    save(store, memory("Ada likes tea"))
    vault.file("projects/mech/bad.md", bad)
    assert contents(store) == ["Ada likes tea"]
    assert why in problems(store)["projects/mech/bad.md"]
    assert (vault.root / "projects/mech/bad.md").read_bytes() == bad
    vault.file("projects/mech/bad.md", "Good now.")
    assert contents(store) == ["Ada likes tea", "Good now."]
    assert problems(store) == {}


def test_broken_frontmatter_is_reported_and_the_text_still_found(
    vault: Vault, store: VaultStore
) -> None:
    vault.file("projects/mech/bad.md", "---\ntags: [tea, gin\n---\nStill here.\n")
    assert contents(store) == ["Still here."]
    assert "'tags'" in problems(store)["projects/mech/bad.md"]


def test_links_that_leave_the_vault_are_not_followed(vault: Vault, store: VaultStore) -> None:
    outside = vault.place / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("Secret")
    (vault.root / "projects").mkdir()
    (vault.root / "projects/link.md").symlink_to(outside / "secret.md")
    (vault.root / "projects/mech").symlink_to(outside)
    assert everything(store) == {}
    assert set(problems(store)) == {"projects/link.md", "projects/mech"}
    with pytest.raises(BadLocator, match="link"):
        save(store, memory())
    assert [p.name for p in outside.iterdir()] == ["secret.md"]


def test_a_folder_whose_name_is_no_scope_is_reported_and_not_shown(
    vault: Vault, store: VaultStore
) -> None:
    vault.file("users/%00/diary.md", "Whose?")
    assert everything(store) == {}
    assert "no scope" in problems(store)["users/%00/diary.md"]


def test_a_vault_that_vanished_is_not_a_vault_without_notes(
    vault: Vault, store: VaultStore
) -> None:
    (tea,) = save(store, memory())
    vault.root.rename(vault.place / "unplugged")
    for attempt in (lambda: everything(store), lambda: save(store, memory("New")), store.problems):
        with pytest.raises(StoreUnavailable, match="not there"):
            attempt()
    vault.root.mkdir()
    with pytest.raises(StoreUnavailable, match="not there"):
        everything(store)
    with pytest.raises(StoreUnavailable, match="not there"):
        vault.open()
    vault.root.rmdir()
    (vault.place / "unplugged").rename(vault.root)
    assert everything(store) == {tea.id: tea}


def test_another_vault_in_its_place_is_noticed(vault: Vault, store: VaultStore) -> None:
    save(store, memory())
    vault.root.rename(vault.place / "mine")
    Vault(vault.place / "x").open().close()
    (vault.place / "x" / "vault").rename(vault.root)
    with pytest.raises(StoreUnavailable, match="Another vault"):
        everything(store)


def test_a_file_where_a_folder_belongs_is_one_clear_sentence(
    vault: Vault, store: VaultStore
) -> None:
    vault.file("projects", "I am a file")
    with pytest.raises(StoreUnavailable) as failure:
        save(store, memory())
    assert failure.value.hint


def test_a_read_only_vault_says_so(vault: Vault, store: VaultStore) -> None:
    vault.root.chmod(0o555)
    with held_to_permissions(), pytest.raises(StoreUnavailable, match="may not be read or written"):
        save(store, memory())
    with held_to_permissions():
        assert "nothing can be saved" in problems(store)[str(vault.root)]
    vault.root.chmod(0o755)
    assert problems(store) == {}


def test_a_card_that_may_not_be_read_is_named(vault: Vault, store: VaultStore) -> None:
    card = vault.root / "_meta" / "vault.json"
    card.chmod(0)
    with held_to_permissions(), pytest.raises(StoreUnavailable, match=r"_meta/vault\.json") as told:
        identify(str(vault.root))
    assert "permissions" in told.value.hint


def test_a_disk_that_takes_no_more_leaves_nothing_half_written(
    vault: Vault, store: VaultStore
) -> None:
    (tea,) = save(store, memory("Ada likes tea"))
    before = vault.files()
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, limits[1]))
    try:
        with pytest.raises(StoreUnavailable) as failure:
            save(store, memory("Short one"), memory("x" * 3_000_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert failure.value.hint
    assert vault.files() == before
    assert everything(store) == {tea.id: tea}


def test_revisions_that_were_given_out_on_a_full_disk_are_not_given_out_again(
    vault: Vault, store: VaultStore
) -> None:
    """An index that has seen them would take what comes later for indexed."""
    save(store, memory("Ada likes tea"))
    manifest = store._leases.connection
    manifest.replace(apsw.FullError())
    assert manifest.unwritable is not None
    vault.file("projects/mech/by-hand.md", "Bob likes gin")
    assert contents(store) == ["Ada likes tea", "Bob likes gin"]
    seen = store.revision()
    save(store, memory("Cy likes milk"))
    assert manifest.unwritable is None
    [later] = store.changes(seen, visible=EVERYTHING, look=False)
    assert "Cy likes milk" in {one.content for doc in later.documents for one in doc.memories}


def test_a_holder_that_was_too_slow_writes_nothing(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory("Ada likes tea"))
    with store.lease() as lease:
        other = SqliteLeases(str(vault.place / "state" / "vault.db"))
        other.connection.execute("UPDATE leases SET token = token + 1")
        with pytest.raises(Busy, match="went to another process"):
            store.write([Put(memory("Too late"))], lease=lease)
        with pytest.raises(Busy):
            store.write([Put(tea.but(tags=("x",)), expect=tea)], lease=lease)
        with pytest.raises(Busy):
            store.erase([tea.id], lease=lease)
        other.close()
    assert everything(store) == {tea.id: tea}
    assert len(vault.files()) == 1


def test_a_map_whose_draft_a_purge_removed_is_written_again(
    vault: Vault, store: VaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(store, memory("Ada likes tea", slug="tea"))
    real = os.replace

    def removed(source: str, target: str) -> None:
        monkeypatch.setattr(os, "replace", real)
        os.unlink(source)
        real(source, target)

    monkeypatch.setattr(os, "replace", removed)
    assert store.refresh_map()
    assert "tea" in (vault.root / "_index.md").read_text()


def test_a_map_is_not_written_where_the_disk_was(
    vault: Vault, store: VaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tea,) = save(store, memory("Ada likes tea", slug="tea"))
    store.refresh_map()
    real, elsewhere = os.open, vault.place / "elsewhere"

    def unplugged(path: str, *rest: int) -> int:
        if "._index.md." in path:
            monkeypatch.setattr(os, "open", real)
            vault.root.rename(elsewhere)
            vault.root.mkdir()
        return real(path, *rest)

    monkeypatch.setattr(os, "open", unplugged)
    with pytest.raises(StoreUnavailable):
        erase(store, tea.id)


def test_a_note_whose_disk_goes_before_it_is_read_is_not_gone(
    vault: Vault, store: VaultStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.file("tea.md", "Ada likes tea")
    assert contents(store) == ["Ada likes tea"]
    there = vault.open()
    real, elsewhere = os.open, vault.place / "elsewhere"

    def unplugged(path: str, *rest: int) -> int:
        if path.endswith("tea.md"):
            monkeypatch.setattr(os, "open", real)
            vault.root.rename(elsewhere)
            vault.root.mkdir()
        return real(path, *rest)

    monkeypatch.setattr(os, "open", unplugged)
    with pytest.raises(StoreUnavailable):
        everything(there)
    vault.root.rmdir()
    elsewhere.rename(vault.root)
    assert contents(there) == ["Ada likes tea"]


def test_of_two_stores_with_one_plan_the_second_finds_a_conflict(vault: Vault) -> None:
    here, there = vault.open(), vault.open()
    (tea,) = save(here, memory("Ada likes tea"))
    assert everything(there) == {tea.id: tea}
    change(there, tea, tags=("theirs",))
    with pytest.raises(Conflict):
        change(here, tea, tags=("mine",))
    assert store_tags(here, tea.id) == ("theirs",)


def store_tags(store: VaultStore, id: str) -> tuple[str, ...]:
    return store.read([id], visible=EVERYTHING)[id].tags


def test_a_conflict_in_one_record_writes_none_of_them(vault: Vault, store: VaultStore) -> None:
    (tea,) = save(store, memory("Ada likes tea"))
    stale = tea.but(tags=("never",))
    with pytest.raises(Conflict):
        put(store, memory("New"), Put(tea.but(status="deleted"), expect=stale))
    assert everything(store) == {tea.id: tea}
    with pytest.raises(Conflict):
        save(store, memory("New"), tea)
    assert contents(store) == ["Ada likes tea"]


def test_threads_of_one_server_share_a_store(store: VaultStore) -> None:
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for n in range(15):
                save(store, memory(f"{name} {n}"))
                everything(store)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(f"worker {n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(everything(store)) == 60


def test_files_from_the_future_are_read(vault: Vault, store: VaultStore) -> None:
    path = vault.file("Daily.md", "Monday")
    os.utime(path, (4e9, 4e9))
    assert contents(store) == ["Monday"]
    path.write_text("Sunday")
    os.utime(path, (4e9, 4e9))
    assert contents(store) == ["Sunday"]


def test_a_broken_local_state_is_made_anew_and_the_index_fed_again(vault: Vault) -> None:
    store = vault.open()
    (tea,) = save(store, memory("Ada likes tea"))
    change(store, tea, tags=("drinks",))
    reached = store.revision()
    store.close()
    (vault.place / "state" / "vault.db").write_bytes(b"not a database at all" * 500)
    again = vault.open()
    fed = [d for c in again.changes(reached, visible=EVERYTHING) for d in c.documents]
    assert [m.id for d in fed for m in d.memories] == [tea.id]
    assert again.revision() > reached


def test_an_index_is_fed_again_if_two_manifests_are_lost_within_seconds(vault: Vault) -> None:
    """The second one gives out no revision that the first one gave to another file."""
    (vault.place / "state").mkdir()
    (vault.place / "state" / "index.db").touch()
    store = vault.open()
    save(store, *(memory(f"Ada planted tree {number}") for number in range(8)))
    (reached,) = {change.revision for change in store.changes(0, visible=EVERYTHING)}
    store.close()
    for end in ("", "-wal", "-shm"):
        (vault.place / "state" / f"vault.db{end}").unlink(missing_ok=True)
    time.sleep(1.1)
    vault.file("a-note.md", "Ada sold the first tree.")
    again = vault.open()
    # A look that is not for the index comes first.
    again.read(["no-such-id"], visible=EVERYTHING)
    fed = [d for c in again.changes(reached, visible=EVERYTHING) for d in c.documents]
    assert sorted(m.content for d in fed for m in d.memories) == [
        *(f"Ada planted tree {number}" for number in range(8)), "Ada sold the first tree.",
    ]  # fmt: skip


def test_a_name_that_is_not_text_is_reported(vault: Vault, store: VaultStore) -> None:
    (vault.root / "projects").mkdir()
    os.close(os.open(os.fsencode(vault.root) + b"/projects/caf\xe9.md", os.O_CREAT))
    os.mkdir(os.fsencode(vault.root) + b"/projects/caf\xe9")
    save(store, memory("Ada likes tea"))
    assert contents(store) == ["Ada likes tea"]
    assert all("not UTF-8" in what for what in problems(store).values())
    assert len(problems(store)) == 2


def test_a_pipe_named_like_a_note_holds_nobody_up(vault: Vault, store: VaultStore) -> None:
    os.mkfifo(vault.root / "pipe.md")
    assert contents(store) == []
    assert "not a file" in problems(store)["pipe.md"]


def test_old_leavings_of_killed_writers_are_swept_up(vault: Vault, store: VaultStore) -> None:
    old = vault.file(".tea.md.99-1.tmp", "half")
    vault.file(".gin.md.99-2.tmp", "half")
    os.utime(old, (0, 0))
    store.refresh_map()
    assert vault.files() == [".gin.md.99-2.tmp", "_index.md"]


SAVER = """
import sys
from pathlib import Path
from tests.backends.vault.vaults import Vault, change, memory, save
store = Vault(Path(sys.argv[1])).open()
n = 0
while True:
    n += 1
    (made,) = save(store, memory(f"{sys.argv[2]} saved {n}", f"/user/u{n % 3}"))
    print("saved", made.id, flush=True)
    if n % 3 == 0:
        change(store, made, status="archived")
        print("archived", made.id, flush=True)
"""


def test_killed_writers_lose_nothing_they_acknowledged(vault: Vault) -> None:
    vault.open().close()
    told: dict[str, str] = {}
    for round in range(4):
        workers = [
            subprocess.Popen(
                [sys.executable, "-c", SAVER, str(vault.place), f"{round}-{n}"],
                cwd=PROJECT,
                stdout=subprocess.PIPE,
                text=True,
            )
            for n in range(2)
        ]
        # From when both write on: on a busy machine a program takes seconds to begin.
        first = [worker.stdout.readline() for worker in workers if worker.stdout]
        time.sleep(0.3 + 0.07 * round)
        for begun, worker in zip(first, workers, strict=True):
            worker.kill()
            for line in [begun, *worker.communicate()[0].splitlines()]:
                verb, _, id = line.rstrip().partition(" ")
                if len(id) == 26:
                    told[id] = verb
    store = vault.open()
    found = everything(store)
    assert len(told) > 20
    assert told.keys() <= found.keys()
    assert {id for id, verb in told.items() if verb == "archived"} <= {
        id for id, m in found.items() if m.status == "archived"
    }
    assert store.problems() == []
    assert len({m.content for m in found.values()}) == len(found)
    save(store, memory("Life goes on"))
    erase(store, "nobody")
    assert not [name for name in vault.files() if name.endswith(".tmp")]
