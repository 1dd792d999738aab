"""The event files of a vault: one per device, appended whole, followed wherever they come from."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from commonplace.backends.vault.identity import device_name
from commonplace.backends.vault.ledger import VaultLedger
from commonplace.model.memory import Event
from commonplace.model.scope import EVERYTHING
from tests import ROOT
from tests.permissions import held_to_permissions

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
PROJECT = ROOT


class Device:
    """A device with a state folder and a copy of the vault of its own."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "vault"
        self.state = folder / "state"
        (self.root / "_meta").mkdir(parents=True)
        self.ledger = VaultLedger(str(self.root), state=str(self.state))

    @property
    def folder(self) -> Path:
        return self.root / "_meta" / "events"

    @property
    def file(self) -> Path:
        return self.folder / f"{device_name(str(self.state))}.jsonl"

    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = VaultLedger(str(self.root), state=str(self.state))

    def send_to(self, other: Device) -> None:
        other.folder.mkdir(parents=True, exist_ok=True)
        (other.folder / self.file.name).write_bytes(self.file.read_bytes())

    def memories(self) -> list[str]:
        return [one.memory for one in self.ledger.events(visible=EVERYTHING)]


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Device]:
    made = Device(tmp_path / "laptop")
    yield made
    made.ledger.close()


@pytest.fixture
def phone(tmp_path: Path) -> Iterator[Device]:
    made = Device(tmp_path / "phone")
    yield made
    made.ledger.close()


def event(memory: str, minute: float = 0, action: str = "created", digest: str = "") -> Event:
    at = NOON + timedelta(minutes=minute)
    return Event(f"e-{memory}-{action}", at, action, memory, "/user/ada", "cli", digest=digest)


def test_events_are_lines_in_a_file_named_for_the_device(laptop: Device) -> None:
    laptop.ledger.append([event("tea"), event("coffee", 1)])
    assert [one.name for one in laptop.folder.iterdir()] == [laptop.file.name]
    lines = laptop.file.read_text().splitlines()
    assert ["tea" in lines[0], "coffee" in lines[1], len(lines)] == [True, True, 2]


def test_reading_makes_no_folder_in_the_vault(laptop: Device) -> None:
    assert laptop.memories() == []
    assert laptop.ledger.tombstone_count() == 0
    assert laptop.ledger.verify().sound
    assert list(laptop.folder.parent.iterdir()) == []


def test_devices_exchange_events_by_plain_copy(laptop: Device, phone: Device) -> None:
    laptop.ledger.append([event("tea", 1), event("cocoa", 3)])
    phone.ledger.append([event("coffee", 2)])
    laptop.send_to(phone)
    phone.send_to(laptop)
    assert laptop.memories() == phone.memories() == ["cocoa", "coffee", "tea"]
    laptop.ledger.append([event("mate", 4, "purged", "d-mate")])
    laptop.send_to(phone)
    assert phone.memories() == ["mate", "cocoa", "coffee", "tea"]
    assert phone.ledger.purged_keys(["mate", "d-mate", "tea"]) == {"mate", "d-mate"}
    assert (phone.ledger.verify().events, phone.ledger.verify().problems) == (4, ())


def test_half_copied_file_is_taken_up_when_it_is_whole(laptop: Device, phone: Device) -> None:
    laptop.ledger.append([event("tea", 1), event("coffee", 2)])
    whole = laptop.file.read_bytes()
    phone.folder.mkdir(parents=True)
    copy = phone.folder / laptop.file.name
    for size in (10, len(whole) // 2 + 20, len(whole)):
        copy.write_bytes(whole[:size])
        phone.ledger.tombstone_count()
    assert phone.memories() == ["coffee", "tea"]
    assert phone.ledger.verify().sound


def test_purge_holds_even_if_its_file_is_lost(laptop: Device, phone: Device) -> None:
    laptop.ledger.append([event("tea", 0, "purged", "d-tea")])
    laptop.send_to(phone)
    known = phone.ledger.tombstone_count()
    (phone.folder / laptop.file.name).unlink()
    assert phone.ledger.tombstone_count() == known
    assert phone.ledger.purged_keys(["tea"]) == {"tea"}
    assert "removed" in phone.ledger.verify().problems[0].what


def test_torn_last_line_is_cut_before_the_next_event(laptop: Device) -> None:
    laptop.ledger.append([event("tea"), event("coffee", 1)])
    with laptop.file.open("ab") as file:
        file.write(b'{"action":"created","at":"2026')
    laptop.reopen()
    laptop.ledger.append([event("cocoa", 2)])
    assert laptop.memories() == ["cocoa", "coffee", "tea"]
    assert laptop.file.read_text().count("\n") == 3
    assert laptop.ledger.verify().problems == ()


def test_torn_last_line_of_this_device_is_no_problem(laptop: Device) -> None:
    laptop.ledger.append([event("tea")])
    with laptop.file.open("ab") as file:
        file.write(b'{"action":"cre')
    assert laptop.ledger.verify().sound
    assert laptop.file.read_bytes().endswith(b"}\n")


def test_event_written_just_before_a_crash_is_taken_up(laptop: Device) -> None:
    """The file had it, the local ledger not yet: as after a kill between the two."""
    laptop.ledger.append([event("tea")])
    ledger_before = {p: p.read_bytes() for p in laptop.state.iterdir() if "ledger" in p.name}
    laptop.ledger.append([event("coffee", 1)])
    laptop.ledger.close()
    for path in laptop.state.iterdir():
        if "ledger" in path.name:
            path.unlink()
    for path, data in ledger_before.items():
        if not path.name.endswith("-shm"):
            path.write_bytes(data)
    laptop.ledger = VaultLedger(str(laptop.root), state=str(laptop.state))
    laptop.ledger.append([event("cocoa", 2)])
    assert laptop.memories() == ["cocoa", "coffee", "tea"]
    assert laptop.ledger.verify().problems == ()


def test_lost_local_ledger_is_made_again_from_the_files(laptop: Device, phone: Device) -> None:
    phone.ledger.append([event("coffee", 1, "purged")])
    phone.send_to(laptop)
    laptop.ledger.append([event("tea")])
    laptop.ledger.close()
    for path in laptop.state.glob("ledger.db*"):
        path.unlink()
    laptop.ledger = VaultLedger(str(laptop.root), state=str(laptop.state))
    assert laptop.memories() == ["coffee", "tea"]
    assert laptop.ledger.purged_keys(["coffee"]) == {"coffee"}
    laptop.ledger.append([event("cocoa", 2)])
    assert laptop.ledger.verify().problems == ()


def test_older_state_of_the_vault_brings_no_event_back_or_loses_one(laptop: Device) -> None:
    """As after `git checkout` of an older commit that has the event file in it."""
    laptop.ledger.append([event("tea")])
    older = laptop.file.read_bytes()
    laptop.ledger.append([event("coffee", 1, "purged")])
    laptop.file.write_bytes(older)
    assert laptop.memories() == ["coffee", "tea"]
    assert laptop.ledger.purged_keys(["coffee"]) == {"coffee"}
    assert "removed" in laptop.ledger.verify().problems[0].what
    laptop.ledger.append([event("cocoa", 2)])
    assert laptop.memories() == ["cocoa", "coffee", "tea"]
    assert [p.what for p in laptop.ledger.verify().problems] == ["Event 2 was removed."]


def test_conflict_copy_of_a_sync_tool_still_buries(laptop: Device, phone: Device) -> None:
    phone.ledger.append([event("tea", 0, "purged", "d-tea")])
    laptop.folder.mkdir(parents=True)
    copy = laptop.folder / f"{phone.file.stem}.sync-conflict-20261115.jsonl"
    copy.write_bytes(phone.file.read_bytes())
    assert laptop.ledger.purged_keys(["tea", "d-tea"]) == {"tea", "d-tea"}
    phone.send_to(laptop)
    assert laptop.memories() == ["tea"]
    assert "copy" in laptop.ledger.verify().problems[0].what


def test_rubbish_in_the_folder_is_read_past(laptop: Device, tmp_path: Path) -> None:
    laptop.ledger.append([event("tea")])
    (laptop.folder / "aaaaaaaaaaaa.jsonl").write_bytes(b"\xff\xfe\0\0\n{}\n[1]\nnull\n")
    (laptop.folder / ".hidden.jsonl").write_text("{}")
    (laptop.folder / "notes.txt").write_text("buy milk")
    (laptop.folder / "bbbbbbbbbbbb.jsonl").mkdir()
    secret = tmp_path / "outside"
    secret.write_text("outside")
    (laptop.folder / "cccccccccccc.jsonl").symlink_to(secret)
    assert laptop.memories() == ["tea"]
    where = {problem.where for problem in laptop.ledger.verify().problems}
    assert where == {f"_meta/events/{name * 12}.jsonl" for name in "abc"}


def test_file_that_cannot_be_opened_does_not_close_the_book(laptop: Device, phone: Device) -> None:
    phone.ledger.append([event("coffee")])
    phone.send_to(laptop)
    (laptop.folder / phone.file.name).chmod(0)
    with held_to_permissions():
        laptop.ledger.append([event("tea")])
        assert laptop.memories() == ["tea"]
        assert "cannot be read" in laptop.ledger.verify().problems[0].what


def test_a_disk_whose_folders_cannot_be_synced_keeps_a_log(
    laptop: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As network disks and some of FUSE's do; a vault's notes are written there, too."""
    sync = os.fsync

    def fsync(file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        sync(file)

    monkeypatch.setattr(os, "fsync", fsync)
    laptop.ledger.append([event("tea")])
    assert laptop.memories() == ["tea"]


def test_full_disk_leaves_the_file_as_it_was(laptop: Device) -> None:
    for n in range(40):
        laptop.ledger.append([event(f"m{n}-{i}", n) for i in range(50)])
    before = laptop.file.read_bytes()
    script = f"""
import resource, sys
from datetime import UTC, datetime
from commonplace.model.errors import LedgerUnavailable
from commonplace.backends.vault.ledger import VaultLedger
from commonplace.model.memory import Event
ledger = VaultLedger({str(laptop.root)!r}, state={str(laptop.state)!r})
limit = {len(before) + 100}
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    ledger.append([Event("e", datetime.now(UTC), "created", "m" * 300, "/", "cli")])
except LedgerUnavailable as error:
    sys.exit(7 if "audit log" in error.sentence else 8)
"""
    outcome = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, check=False)
    assert outcome.returncode == 7
    assert laptop.file.read_bytes() == before
    laptop.ledger.append([event("later", 99)])
    assert laptop.ledger.verify().problems == ()


def test_killed_writers_leave_a_sound_chain(laptop: Device) -> None:
    script = f"""
from datetime import UTC, datetime
from commonplace.backends.vault.ledger import VaultLedger
from commonplace.model.memory import Event
import sys
ledger = VaultLedger({str(laptop.root)!r}, state={str(laptop.state)!r})
for n in range(100_000):
    ledger.append([Event(f"e{{n}}", datetime.now(UTC), "created", f"m{{n}}", "/", "cli")])
    print(n, flush=True)
"""
    acknowledged = 0
    for turn in range(4):
        process = subprocess.Popen(
            [sys.executable, "-c", script], cwd=PROJECT, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        for _ in range(5 + turn * 3):
            assert process.stdout.readline()
        process.kill()
        rest = process.communicate()[0]
        acknowledged += 5 + turn * 3 + rest.count("\n")
    verified = laptop.ledger.verify()
    assert verified.problems == ()
    assert verified.events >= acknowledged


def test_device_keeps_its_name_and_two_askers_get_the_same(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    script = (
        "from commonplace.backends.vault.identity import device_name\n"
        f"print(device_name({state!r}))"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", script], cwd=PROJECT, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    names = {process.communicate(timeout=30)[0].strip() for process in processes}
    assert names == {device_name(state).encode()}
    assert os.listdir(state) == ["device"]


def test_broken_device_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "device").write_text("")
    name = device_name(str(tmp_path))
    assert len(name) == 12
    assert device_name(str(tmp_path)) == name
