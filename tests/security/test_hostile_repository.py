"""A repository may be anybody's: nothing that it brings is run, and none of it makes us wait."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from commonplace import Settings
from commonplace.backends.git.checkout import GitCheckout
from commonplace.books.open import open_book
from commonplace.git_files import find_folders
from commonplace.model.checkout import UNKNOWN, UNMERGED, LearnedAt
from tests.backends.git.histories import git

HOOKS = ("post-checkout", "pre-commit", "post-index-change", "reference-transaction", "fsmonitor")
REFS = 100_000


class Trap:
    """A repository that runs a program wherever git can be made to run one."""

    def __init__(self, folder: Path) -> None:
        self.sprung = folder / "sprung"
        self.program = folder / "program"
        self.program.write_text(f"#!/bin/sh\ntouch {self.sprung}\ncat\n")
        self.program.chmod(0o755)
        self.folder = folder / "work" / "line\nbreak" / "api"
        self.folder.mkdir(parents=True)
        git(self.folder, "init", "-q", "-b", "main")
        self.commit("begin")
        git(self.folder, "checkout", "-q", "-b", "feature")
        self.feature = self.commit("exporter")
        git(self.folder, "checkout", "-q", "main")
        self.commit("exporter.bin")

    def commit(self, name: str) -> str:
        (self.folder / name).write_text(f"{name}\n")
        git(self.folder, "add", ".")
        git(self.folder, "commit", "-q", "-m", name)
        return git(self.folder, "rev-parse", "HEAD")

    def arm(self) -> None:
        """Set the traps, once the history is made."""
        dot_git, run = self.folder / ".git", str(self.program)
        for hook in HOOKS:
            (dot_git / "hooks" / hook).write_text(self.program.read_text())
            (dot_git / "hooks" / hook).chmod(0o755)
        (dot_git / "info" / "attributes").write_text("* diff=trap filter=trap\n")
        (self.folder / ".gitattributes").write_text("* diff=trap filter=trap\n")
        (self.folder / "git").symlink_to(self.program)
        (dot_git / "git").symlink_to(self.program)
        included = dot_git / "included"
        included.write_text(
            f'[diff "trap"]\n\ttextconv = {run}\n\tcommand = {run}\n'
            f'[filter "trap"]\n\tclean = {run}\n\tsmudge = {run}\n\tprocess = {run}\n'
        )
        with (dot_git / "config").open("a") as config:
            config.write(
                f'[core]\n\tfsmonitor = {run}\n\tpager = {run}\n\teditor = {run}\n'
                f"\tsshCommand = {run}\n\tgitProxy = {run}\n\taskPass = {run}\n"
                f"\talternateRefsCommand = {run}\n\thooksPath = .git/hooks\n"
                f'[alias]\n\trev-list = "!{run}"\n\tcat-file = "!{run}"\n\tdiff-tree = "!{run}"\n'
                f"[pager]\n\trev-list = {run}\n\tdiff-tree = {run}\n"
                f"[diff]\n\texternal = {run}\n\torderFile = {run}\n"
                f"[gpg]\n\tprogram = {run}\n[log]\n\tshowSignature = true\n"
                f"[credential]\n\thelper = {run}\n"
                f'[remote "origin"]\n\turl = ext::{run}\n\tpromisor = true\n\tvcs = trap\n'
                f"\tuploadpack = {run}\n\tpartialCloneFilter = blob:none\n"
                f"[extensions]\n\tpartialClone = origin\n"
                f"[include]\n\tpath = included\n"
                f'[includeIf "gitdir:**"]\n\tpath = included\n'
            )  # fmt: skip


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    made = Trap(tmp_path)
    made.arm()
    return made


def checkout(folder: Path, state: Path) -> GitCheckout:
    folders = find_folders(str(folder), "/nowhere")
    assert folders is not None
    return GitCheckout(folders, str(state))


def test_the_traps_of_a_repository_are_real(trap: Trap) -> None:
    git(trap.folder, "status", check=False)
    git(trap.folder, "log", "-p", "--all", check=False)
    assert trap.sprung.exists()


def test_nothing_of_a_repository_is_run(
    trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", os.environ["PATH"])))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(trap.program))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(trap.program))
    monkeypatch.chdir(trap.folder)
    here = checkout(trap.folder, tmp_path / "state")
    assert here.repository() == git(trap.folder, "rev-list", "--max-parents=0", trap.feature)
    trap.sprung.unlink(missing_ok=True)
    gone = LearnedAt("1" * 40, "feature", here.repository())
    feature = LearnedAt(trap.feature, "feature", here.repository())
    answers = here.compare([feature, gone], limit_s=30.0)
    assert answers == {str(feature): UNMERGED, str(gone): UNKNOWN}
    assert not trap.sprung.exists()


def test_a_book_is_used_in_a_repository_without_running_any_of_it(
    trap: Trap, tmp_path: Path
) -> None:
    settings = Settings(state=str(tmp_path / "state"), embedder="none")
    url, project = f"vault:{tmp_path / 'notes'}", {"project": "api"}
    with open_book(url, settings=settings, context=project, folder=str(trap.folder)) as book:
        saved = book.save("The exporter writes semicolons.").memory
        assert saved.branch == "main"
        assert [hit.memory.id for hit in book.recall("exporter semicolons")] == [saved.id]
        assert saved.id in book.prompt("what does the exporter write, semicolons?").ids
    assert not trap.sprung.exists()


@pytest.mark.parametrize(
    "said",
    [
        "ref: refs/heads/../../../../etc/passwd",
        "ref: /etc/passwd",
        "ref: refs/heads/evil\x1b[31m",
        "ref: refs/heads/.invalid",
        "not a commit",
        "--help",
        "",
    ],
)
def test_a_head_that_leads_elsewhere_is_none(tmp_path: Path, said: str) -> None:
    trap = Trap(tmp_path)
    (trap.folder / ".git" / "HEAD").write_text(said)
    here = checkout(trap.folder, tmp_path / "state")
    assert here.head() is None
    assert here.repository() == ""
    where = LearnedAt(trap.feature, "../../feature")
    assert here.compare([where], limit_s=5.0) == {str(where): UNKNOWN}


def test_a_hundred_thousand_references_cost_no_prompt_its_time(tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    head = git(trap.folder, "rev-parse", "HEAD")
    lines = [f"{head} refs/heads/many/{number:06}\n" for number in range(REFS)]
    lines += [f"{trap.feature} refs/heads/feature\n", f"{head} refs/heads/main\n"]
    packed = "# pack-refs with: peeled fully-peeled sorted \n" + "".join(sorted(lines, key=_name))
    (trap.folder / ".git" / "packed-refs").write_text(packed)
    for loose in ("feature", "main"):
        (trap.folder / ".git" / "refs" / "heads" / loose).unlink()
    here = checkout(trap.folder, tmp_path / "state")
    where = LearnedAt(trap.feature, "feature")
    began = time.perf_counter()
    answers = here.compare([where], limit_s=2.0)
    took_s = time.perf_counter() - began
    assert answers == {str(where): UNMERGED}
    assert took_s < 2.0
    again = time.perf_counter()
    assert here.compare([where], limit_s=0.1) == answers
    assert time.perf_counter() - again < 0.1


def _name(line: str) -> str:
    return line.partition(" ")[2]


def test_a_repository_that_is_too_slow_shows_its_memories(
    trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 30\n")
    (slow / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(slow) + os.pathsep + os.environ["PATH"])
    here = checkout(trap.folder, tmp_path / "state")
    where = LearnedAt(trap.feature, "feature")
    began = time.perf_counter()
    assert here.compare([where], limit_s=0.1) == {str(where): UNKNOWN}
    assert here.compare([where], limit_s=0.1) == {str(where): UNKNOWN}
    assert time.perf_counter() - began < 1.5
