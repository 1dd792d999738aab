"""A folder's project is its git repository, whatever the repository says about itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from commonplace import Context, Settings
from commonplace.projects import ANY_FOLDER, CLAIMS_FILE, ONLY_GIT, project_of, with_project

ACME, GLOBEX = "git@github.com:acme/api.git", "https://token@github.com/globex/api"


def git(folder: Path, *arguments: str) -> None:
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *named, *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, remote: str = "") -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "begin")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


class Device:
    """A home folder, and the state folder of one device."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.settings = Settings(state=str(home / "state"))
        self.environ = {"HOME": str(home)}

    def project(self, folder: Path | str, **options: str) -> str:
        return project_of(str(folder), self.settings, self.environ, **options)


@pytest.fixture
def device(tmp_path: Path) -> Device:
    return Device(tmp_path)


def test_a_repository_is_named_after_its_folder(device: Device) -> None:
    root = repository(device.home / "code" / "Mech Fighters")
    below = root / "src" / "arena"
    below.mkdir(parents=True)
    assert device.project(root) == device.project(below) == "Mech Fighters"
    link = device.home / "link"
    link.symlink_to(below)
    assert device.project(link) == "Mech Fighters"


def test_worktrees_are_part_of_their_repository(device: Device) -> None:
    root = repository(device.home / "chess")
    git(root, "worktree", "add", "-q", "../chess-bishops")
    git(root, "worktree", "add", "-q", str(device.home / "deep" / "knights"))
    for folder in (root, device.home / "chess-bishops", device.home / "deep" / "knights"):
        assert device.project(folder) == "chess"


def test_worktrees_of_a_bare_repository_are_one_project(device: Device) -> None:
    origin = repository(device.home / "origin" / "chess")
    for bare in (device.home / "go.git", device.home / "go-too" / ".bare"):
        git(device.home, "clone", "-q", "--bare", str(origin), str(bare))
        trees = bare.parent / "trees"
        git(bare, "worktree", "add", "-q", str(trees / bare.name / "one"))
    assert device.project(device.home / "trees" / "go.git" / "one") == "go"
    assert device.project(device.home / "go-too" / "trees" / ".bare" / "one") == "go-too"


def test_two_repositories_of_one_name_are_told_apart_by_their_remotes(device: Device) -> None:
    ours = repository(device.home / "work" / "api", ACME)
    theirs = repository(device.home / "hobby" / "api", GLOBEX)
    alone = repository(device.home / "scratch" / "api")
    assert [device.project(one) for one in (ours, theirs, alone)] == [
        "api", "globex-api", "scratch-api",
    ]  # fmt: skip
    assert device.project(theirs) == "globex-api", "a name is for good"
    again = repository(device.home / "again" / "api", "ssh://git@github.com:22/Acme/api/")
    assert device.project(again) == "api", "another clone of the same repository"
    said = (device.home / "state" / CLAIMS_FILE).read_text()
    assert "token" not in said
    third = repository(device.home / "third" / "api", "https://gitlab.com/globex/api.git")
    assert device.project(third).startswith("api-")


def test_a_repository_that_was_moved_keeps_its_name(device: Device) -> None:
    root = repository(device.home / "old" / "api")
    assert device.project(root) == "api"
    (device.home / "new").mkdir()
    moved = root.rename(device.home / "new" / "api")
    assert device.project(moved) == "api"
    git(moved, "remote", "add", "origin", ACME)
    assert device.project(moved) == "api"


def test_clones_join_a_repository_whose_remote_was_added_late(device: Device) -> None:
    first = repository(device.home / "tarn")
    assert device.project(first) == "tarn"
    git(first, "remote", "add", "origin", "git@forge.invalid:lake/tarn.git")
    clone = repository(device.home / "other" / "tarn", "https://forge.invalid/lake/tarn")
    assert device.project(clone) == device.project(first) == "tarn"
    said = (device.home / "state" / CLAIMS_FILE).read_text()
    assert device.project(clone) == "tarn"
    assert (device.home / "state" / CLAIMS_FILE).read_text() == said, "learned once"
    shutil.rmtree(first)
    assert device.project(repository(device.home / "third" / "tarn", ACME)) == "acme-api"
    assert device.project(clone) == "tarn", "what was learned outlives the first folder"


def test_a_late_remote_does_not_rename_the_second_project_of_a_name(device: Device) -> None:
    device.project(repository(device.home / "work" / "api", GLOBEX))
    ours = repository(device.home / "scratch" / "api")
    assert device.project(ours) == "scratch-api"
    git(ours, "remote", "add", "origin", ACME)
    assert device.project(ours) == "scratch-api"
    clone = repository(device.home / "again" / "api", ACME)
    assert device.project(clone) == device.project(ours) == "scratch-api"


def test_a_late_remote_lets_no_other_repository_in(device: Device) -> None:
    first = repository(device.home / "tarn")
    assert device.project(first) == "tarn"
    git(device.home, "clone", "-q", str(first), "downloads/tarn")
    fork = device.home / "downloads" / "tarn"
    assert device.project(fork) != "tarn", "it has the same root commit"
    git(first, "remote", "add", "origin", ACME)
    assert device.project(fork) != "tarn", "and another remote"
    other = repository(device.home / "third" / "lake", ACME)
    assert device.project(other) == "lake", "and another name"
    bare = repository(device.home / "fourth" / "tarn")
    assert device.project(bare) == "fourth-tarn", "and no remote"


def test_a_clone_in_the_folder_of_a_known_repository_brings_no_others(device: Device) -> None:
    first = repository(device.home / "tarn")
    assert device.project(first) == "tarn"
    shutil.rmtree(first)
    foreign = repository(device.home / "foreign")
    git(device.home, "clone", "-q", str(foreign), "tarn")
    git(first, "remote", "set-url", "origin", GLOBEX)
    clone = repository(device.home / "downloads" / "tarn", GLOBEX)
    assert device.project(clone) == "globex-api"
    second = repository(device.home / "second" / "tarn")
    assert device.project(second) == "second-tarn"
    shutil.rmtree(second)
    git(device.home, "clone", "-q", str(foreign), "second/tarn")
    git(second, "remote", "set-url", "origin", ACME)
    assert device.project(second) == "acme-api"


def test_a_submodule_is_a_repository_of_its_own(device: Device) -> None:
    library = repository(device.home / "library", ACME)
    root = repository(device.home / "chess")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "bishops")
    assert device.project(root / "bishops") == "bishops"
    assert device.project(root) == "chess"


def test_home_and_what_is_above_it_are_no_project(device: Device) -> None:
    git(device.home, "init", "-q")
    plain = device.home / "notes"
    plain.mkdir()
    gone = device.home / "gone"
    for folder in (device.home, device.home.parent, "/", "/tmp", "", gone, "a\0b", "\ud800"):
        assert device.project(folder, plain_folders=ANY_FOLDER) == "", folder
    assert device.project(plain, plain_folders=ONLY_GIT) == "", "a home folder is no project"
    assert device.project(plain) == "", "no agent has worked there"
    assert device.project(plain, plain_folders=ANY_FOLDER) == "notes"


def test_a_folder_in_which_an_agent_has_worked_is_a_project_with_what_is_below_it(
    device: Device,
) -> None:
    notes, inner = device.home / "notes", device.home / "notes" / "2026"
    (inner / "may").mkdir(parents=True)
    (device.home / "notes-old").mkdir()
    assert device.project(notes, plain_folders=ANY_FOLDER) == "notes"
    for folder in (notes, inner, inner / "may"):
        assert device.project(folder) == "notes"
    assert device.project(device.home / "notes-old") == ""
    assert device.project(inner, plain_folders=ANY_FOLDER) == "notes", "a session changes nothing"
    assert device.project(device.home) == ""


def test_a_folder_in_a_plain_project_is_its_own_if_it_was_so_before_or_the_person_says_so(
    device: Device,
) -> None:
    wedding = device.home / "wedding"
    for name in ("photos/raw", "menus", "site"):
        (wedding / name).mkdir(parents=True)
    assert device.project(wedding / "photos", plain_folders=ANY_FOLDER) == "photos"
    assert device.project(wedding, plain_folders=ANY_FOLDER) == "wedding"
    assert device.project(wedding / "photos" / "raw") == "photos", "the nearest one counts"
    git(wedding / "site", "init", "-q")
    assert device.project(wedding / "site") == "site"
    assert device.project(wedding / "menus", plain_folders=ANY_FOLDER) == "wedding"
    device.settings = device.settings.but(projects={str(wedding / "menus"): "catering"})
    assert device.project(wedding / "menus", plain_folders=ANY_FOLDER) == "catering"


def test_a_bare_repository_in_the_home_folder_takes_in_no_plain_folder(device: Device) -> None:
    main = repository(device.home / "main")
    git(main, "clone", "-q", "--bare", ".", "../.dotfiles")
    git(device.home / ".dotfiles", "worktree", "add", "-q", "../config")
    assert device.project(device.home / "config") == device.home.name
    (device.home / "notes").mkdir()
    assert device.project(device.home / "notes", plain_folders=ANY_FOLDER) == "notes"


def test_two_folders_of_one_name_are_two_projects(device: Device) -> None:
    for above in ("a", "b"):
        (device.home / above / "notes").mkdir(parents=True)
    assert device.project(device.home / "a" / "notes", plain_folders=ANY_FOLDER) == "notes"
    assert device.project(device.home / "b" / "notes", plain_folders=ANY_FOLDER) == "b-notes"


def test_settings_name_the_projects_of_a_monorepo(device: Device) -> None:
    root = repository(device.home / "mono")
    (root / "services" / "billing" / "src").mkdir(parents=True)
    (root / "vendor").mkdir()
    git(root, "worktree", "add", "-q", "../mono-fix")
    (device.home / "mono-fix" / "services" / "billing").mkdir(parents=True)
    named = {str(root / "services" / "billing"): "billing", str(root / "vendor"): "none"}
    device.settings = device.settings.but(projects=named)
    assert device.project(root / "services" / "billing" / "src") == "billing"
    assert device.project(device.home / "mono-fix" / "services" / "billing") == "billing"
    assert device.project(root / "vendor") == ""
    assert device.project(root / "services") == "mono"


@pytest.mark.parametrize(
    ("setting", "given", "expected"),
    [
        ("auto", None, "api"),
        ("none", None, None),
        ("shared", None, "shared"),
        ("auto", "mine", "mine"),
        ("shared", "mine", "mine"),
        ("auto", "none", None),
    ],
)
def test_an_explicit_project_wins(
    device: Device, setting: str, given: str | None, expected: str | None
) -> None:
    root = repository(device.home / "api")
    chosen = device.settings.but(hook_project=setting)
    found = with_project(Context(project=given), chosen, str(root), device.environ)
    assert found.project == expected


def test_a_folder_cannot_claim_to_be_a_worktree_of_another_repository(device: Device) -> None:
    victim = repository(device.home / "payroll", ACME)
    git(victim, "worktree", "add", "-q", "../payroll-fix")
    for said in (
        f"gitdir: {victim}/.git/worktrees/payroll-fix\n",
        f"gitdir: {victim}/.git/worktrees/nowhere\n",
        f"gitdir: {victim}/.git\n",
    ):
        for name in ("evil", "payroll"):
            evil = device.home / "downloads" / name
            evil.mkdir(parents=True, exist_ok=True)
            (evil / ".git").write_text(said)
            assert device.project(victim) == "payroll"
            assert device.project(evil) in ("evil", "downloads-payroll")
    (evil / ".git").unlink()
    (evil / ".git").symlink_to(victim / ".git")
    assert device.project(evil) == "downloads-payroll"


@pytest.mark.parametrize("what", ["pipe", "device", "huge", "loop", "binary", "folder"])
def test_odd_files_of_git_are_read_in_no_time(device: Device, what: str) -> None:
    root = device.home / "odd"
    (root / ".git").mkdir(parents=True)
    config = root / ".git" / "config"
    if what == "pipe":
        os.mkfifo(config)
    elif what == "device":
        config.symlink_to("/dev/zero")
    elif what == "huge":
        config.write_bytes(b'[remote "origin"]\n' * 2_000_000)
    elif what == "loop":
        config.symlink_to(config)
    elif what == "binary":
        config.write_bytes(bytes(range(256)) * 100)
    else:
        config.mkdir()
    began = time.monotonic()
    assert device.project(root) == "odd"
    assert time.monotonic() - began < 5


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mark=st.binary(max_size=300), config=st.text(max_size=300))
def test_no_file_of_git_makes_it_fail_or_names_another_project(
    device: Device, mark: bytes, config: str
) -> None:
    odd = device.home / "x" / "odd"
    odd.mkdir(parents=True, exist_ok=True)
    (odd / ".git").write_bytes(b"gitdir: " + mark)
    assert device.project(odd) == "odd"
    root = device.home / "y" / "even"
    (root / ".git").mkdir(parents=True, exist_ok=True)
    (root / ".git" / "config").write_text(
        f'[remote "origin"]\nurl = {config}\n', "utf-8", "replace"
    )
    assert device.project(root) == "even"


def test_a_name_that_no_scope_can_have_is_replaced_or_left_out(device: Device) -> None:
    odd = device.home / "a\x07b"
    (odd / ".git").mkdir(parents=True)
    assert device.project(odd) == ""
    git(odd, "init", "-q")
    git(odd, "remote", "add", "origin", ACME)
    assert device.project(odd) == "acme-api"


def test_without_a_place_for_names_the_folder_s_name_is_taken(device: Device) -> None:
    root = repository(device.home / "api")
    (device.home / "state").write_text("not a folder")
    assert device.project(root) == "api"


def test_a_project_is_found_in_well_under_a_millisecond(device: Device) -> None:
    root = repository(device.home / "chess", ACME)
    git(root, "worktree", "add", "-q", "../chess-bishops")
    deep = device.home / "chess-bishops" / "a" / "b" / "c" / "d"
    deep.mkdir(parents=True)
    device.project(deep)

    def cost() -> float:
        began = time.process_time()
        for _ in range(100):
            device.project(deep)
        return (time.process_time() - began) / 100

    assert min(cost() for _ in range(5)) < 0.001


def test_the_folder_of_a_plugin_is_no_project(device: Device) -> None:
    root = repository(device.home / "plugins" / "commonplace")
    inside = root / "0.1.0"
    inside.mkdir()
    device.environ["PLUGIN_ROOT"] = str(root)
    assert device.project(root) == device.project(inside, plain_folders=ANY_FOLDER) == ""
    assert device.project(repository(device.home / "arena")) == "arena"
