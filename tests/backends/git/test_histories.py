"""Which commits are merged into HEAD, in histories made with real git."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace.backends.git.checkout import GitCheckout
from commonplace.git_files import find_folders
from commonplace.model.checkout import (
    HERE,
    OTHER,
    REWRITTEN,
    UNKNOWN,
    UNMERGED,
    GitHead,
    LearnedAt,
)

from .histories import RandomHistory, git, wrong_answers

HISTORIES, REVIEWED, STEPS, LONG = 24, 12, 14, 25


class Repository:
    """A repository with a branch `topic` of several commits beside `main`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        git(folder, "init", "-q", "-b", "main")
        self.commit("begin", f"{folder}\n")
        git(folder, "checkout", "-q", "-b", "topic")

    def commit(self, name: str, text: str = "", why: str = "") -> str:
        (self.folder / name).write_text(text or f"{name}\n")
        git(self.folder, "add", ".")
        git(self.folder, "commit", "-q", "-m", why or name)
        return self.head

    @property
    def head(self) -> str:
        return git(self.folder, "rev-parse", "HEAD")

    def __call__(self, *arguments: str) -> str:
        return git(self.folder, *arguments)


def checkout(folder: Path, state: Path, head: GitHead | None = None) -> GitCheckout:
    folders = find_folders(str(folder), "/nowhere")
    assert folders is not None
    return GitCheckout(folders, str(state), head=head)


def compared(folder: Path, state: Path, *learned: LearnedAt) -> list[str]:
    answers = checkout(folder, state).compare(learned, limit_s=30.0)
    return [answers[str(one)] for one in learned]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "work" / "api")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_random_histories_show_what_is_merged_and_nothing_else(tmp_path: Path, seed: int) -> None:
    history = RandomHistory(tmp_path / "repositories", seed)
    history.grow(STEPS)
    assert wrong_answers(history, tmp_path / "state") == [], "\n".join(history.log)


@pytest.mark.parametrize("seed", range(REVIEWED))
def test_reviewed_squashes_and_lines_near_each_other_are_told_apart(
    tmp_path: Path, seed: int
) -> None:
    history = RandomHistory(tmp_path / "repositories", seed, reviewed=True)
    history.grow(STEPS)
    assert wrong_answers(history, tmp_path / "state") == [], "\n".join(history.log)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [70, 584, 753, 929])
def test_work_that_came_by_other_steps_is_found(tmp_path: Path, seed: int) -> None:
    """A file that HEAD has in other pieces, a branch that merged HEAD, a copy that was squashed."""
    history = RandomHistory(tmp_path / "repositories", seed)
    history.grow(LONG)
    assert wrong_answers(history, tmp_path / "state") == [], "\n".join(history.log)


def numbered(**changed: str) -> str:
    """A file of forty lines, some of which are changed."""
    return "".join(f"{changed.get(f'l{n}', n)}\n" for n in range(40))


def squash(repository: Repository, review: str = "", name: str = "list") -> None:
    """Squash `topic` into `main`, with a line that the review adds to a file."""
    repository("merge", "-q", "--squash", "topic")
    if review:
        with (repository.folder / name).open("a") as file:
            file.write(review)
        repository("add", ".")
    repository("commit", "-q", "-m", "topic (#9)")


def test_a_squash_is_found_though_main_has_changed_a_line_near_by(
    repository: Repository, state: Path
) -> None:
    repository("checkout", "-q", "main")
    repository.commit("list", numbered())
    repository("checkout", "-q", "-B", "topic")
    learned = LearnedAt(repository.commit("list", numbered(l30="thirty")), "topic")
    repository("checkout", "-q", "main")
    repository.commit("list", "new\n" + numbered(l28="twentyeight"))
    assert compared(repository.folder, state, learned) == [UNMERGED]
    squash(repository)
    assert compared(repository.folder, state, learned) == [HERE]
    repository.commit("list", "rewritten since\n")
    assert compared(repository.folder, state, learned) == [HERE]


def test_a_pick_is_found_though_a_line_near_by_differs(repository: Repository, state: Path) -> None:
    repository("checkout", "-q", "main")
    repository.commit("list", numbered())
    repository("checkout", "-q", "-B", "topic")
    other = LearnedAt(repository.commit("other"), "topic")
    learned = LearnedAt(repository.commit("list", numbered(l30="thirty")), "topic")
    repository("checkout", "-q", "main")
    repository.commit("list", numbered(l28="twentyeight"))
    repository("cherry-pick", "topic")
    assert compared(repository.folder, state, learned, other) == [HERE, UNMERGED]


def test_a_squash_with_the_changes_of_a_review_is_found(
    repository: Repository, state: Path
) -> None:
    first = LearnedAt(repository.commit("list", "one\ntwo\nthree\n"), "topic")
    last = LearnedAt(repository.commit("also", "a\nb\n"), "topic")
    repository("checkout", "-q", "main")
    squash(repository, "as the review asked\n")
    assert compared(repository.folder, state, first, last) == [HERE, HERE]


def test_a_reviewed_squash_is_found_though_main_had_some_of_its_lines(
    repository: Repository, state: Path
) -> None:
    repository("checkout", "-q", "main")
    repository.commit("list", numbered())
    repository("checkout", "-q", "-B", "topic")
    repository.commit("list", numbered(l10="ten"))
    repository("checkout", "-q", "main")
    squash(repository)
    repository("checkout", "-q", "topic")
    second = LearnedAt(repository.commit("list", numbered(l10="ten") + "forty\n"), "topic")
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, second) == [UNMERGED]
    squash(repository, "as the review asked\n")
    repository("checkout", "-q", "topic")
    third = LearnedAt(repository.commit("list", numbered(l10="ten", l20="") + "forty\n"), "topic")
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, second, third) == [HERE, UNMERGED]


def test_a_branch_of_which_main_has_some_lines_is_not_merged(
    repository: Repository, state: Path
) -> None:
    repository("checkout", "-q", "main")
    repository.commit("list", numbered())
    repository("checkout", "-q", "-B", "topic")
    repository.commit("list", numbered(l10="ten"))
    repository.commit("also")
    learned = LearnedAt(repository.commit("list", numbered(l10="ten", l30="thirty")), "topic")
    repository("checkout", "-q", "main")
    repository.commit("also", "also\nwith more\n")
    repository.commit("list", numbered(l10="ten", l20="twenty"))
    repository.commit("list", numbered(l10="ten", l20="twenty", l30="another"))
    assert compared(repository.folder, state, learned) == [UNMERGED]


def test_a_branch_is_found_that_came_by_two_reviewed_squashes(
    repository: Repository, state: Path
) -> None:
    repository("checkout", "-q", "main")
    repository.commit("list", numbered())
    repository("checkout", "-q", "-B", "topic")
    first = LearnedAt(repository.commit("list", numbered(l10="ten")), "topic")
    repository("checkout", "-q", "main")
    squash(repository, "as the review asked\n")
    repository("checkout", "-q", "topic")
    second = LearnedAt(repository.commit("also"), "topic")
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, first, second) == [HERE, UNMERGED]
    squash(repository, "as the next review asked\n", "also")
    assert compared(repository.folder, state, first, second) == [HERE, HERE]


def test_a_pick_is_found_if_the_branch_it_came_from_was_squashed_after_a_review(
    repository: Repository, state: Path
) -> None:
    repository.commit("list", "one\ntwo\n")
    repository("checkout", "-q", "-b", "other", "main")
    apart = LearnedAt(repository.commit("apart"), "other")
    repository("cherry-pick", "topic")
    picked = LearnedAt(repository.head, "other")
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, apart, picked) == [UNMERGED, UNMERGED]
    squash(repository, "as the review asked\n")
    assert compared(repository.folder, state, apart, picked) == [UNMERGED, HERE]


def test_an_amended_commit_is_followed_into_a_reviewed_squash(
    repository: Repository, state: Path
) -> None:
    before = LearnedAt(repository.commit("list", "one\n"), "topic")
    (repository.folder / "list").write_text("amended\n")
    repository("commit", "-q", "-a", "--amend", "--no-edit")
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, before) == [UNMERGED]
    squash(repository, "as the review asked\n")
    repository("checkout", "-q", "topic")
    later = LearnedAt(repository.commit("also"), "topic")
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, before, later) == [HERE, UNMERGED]


def test_work_that_went_on_after_a_reviewed_squash_is_not_merged(
    repository: Repository, state: Path
) -> None:
    text = "".join(f"line {n}\n" for n in range(50))
    first = LearnedAt(repository.commit("list", text), "topic")
    repository("checkout", "-q", "main")
    squash(repository, "as the review asked\n")
    repository("checkout", "-q", "topic")
    # One line in fifty, and one that the squash has elsewhere.
    later = LearnedAt(repository.commit("list", f"line 7\n{text}"), "topic")
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, first, later) == [HERE, UNMERGED]


def test_the_same_line_at_another_place_is_not_the_branchs(
    repository: Repository, state: Path
) -> None:
    repository("checkout", "-q", "main")
    repository.commit("list", numbered())
    repository("checkout", "-q", "-B", "topic")
    added = LearnedAt(repository.commit("list", numbered(l30="30\nreturn None")), "topic")
    removed = LearnedAt(repository.commit("list", numbered(l20="")), "topic")
    repository("checkout", "-q", "main")
    repository.commit("list", numbered(l10="10\nreturn None", l5="five"))
    repository.commit("list", "written anew\n")
    assert compared(repository.folder, state, added, removed) == [UNMERGED, UNMERGED]


def test_a_squash_is_found_from_the_middle_of_a_branch_that_is_gone(
    repository: Repository, state: Path
) -> None:
    middle = LearnedAt(repository.commit("one", "first\n"), "topic")
    repository.commit("one", "first\nsecond\n")
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, middle) == [UNMERGED]
    repository("merge", "-q", "--squash", "topic")
    repository("commit", "-q", "-m", "all at once")
    repository("branch", "-q", "-D", "topic")
    (repository.folder / ".git" / "logs" / "HEAD").unlink()
    assert compared(repository.folder, state, middle) == [HERE]


def test_an_amended_commit_is_followed_into_the_branch_it_was_merged_to(
    repository: Repository, state: Path
) -> None:
    before = LearnedAt(repository.commit("one"), "topic")
    (repository.folder / "one").write_text("amended\n")
    repository("add", ".")
    repository("commit", "-q", "--amend", "--no-edit")
    assert compared(repository.folder, state, before) == [HERE]
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, before) == [UNMERGED]
    repository("merge", "-q", "--no-ff", "--no-edit", "topic")
    assert compared(repository.folder, state, before) == [HERE]


def test_a_branch_that_was_begun_anew_under_its_name_does_not_have_the_old_work(
    repository: Repository, state: Path
) -> None:
    old = LearnedAt(repository.commit("one"), "topic")
    repository("checkout", "-q", "main")
    repository("branch", "-q", "-D", "topic")
    repository("checkout", "-q", "-b", "topic")
    assert compared(repository.folder, state, old) == [UNMERGED]


def test_a_branch_that_was_reset_does_not_count_as_merged(
    repository: Repository, state: Path
) -> None:
    dropped = LearnedAt(repository.commit("one"), "topic")
    repository("reset", "-q", "--hard", "main")
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, dropped) == [UNMERGED]


def test_a_rebase_in_progress_is_still_on_its_branch(repository: Repository, state: Path) -> None:
    learned = LearnedAt(repository.commit("begin", "ours\n", "our way"), "topic")
    repository("checkout", "-q", "main")
    repository.commit("begin", "theirs\n", "their way")
    git(repository.folder, "rebase", "-q", "main", "topic", check=False)
    head = checkout(repository.folder, state).head()
    assert head is not None
    assert head.branch == "topic"
    assert compared(repository.folder, state, learned) == [REWRITTEN]


def test_a_commit_with_a_conflict_is_still_there_after_the_rebase_and_a_dropped_one_is_not(
    repository: Repository, state: Path
) -> None:
    solved = LearnedAt(repository.commit("begin", "ours\n", "our way"), "topic")
    dropped = LearnedAt(repository.commit("more", "ours\n", "more of it"), "topic")
    repository("checkout", "-q", "main")
    repository.commit("begin", "theirs\n", "their way")
    repository("checkout", "-q", "topic")
    git(repository.folder, "rebase", "-q", "main", check=False)
    (repository.folder / "begin").write_text("ours and theirs\n")
    repository("add", ".")
    repository("-c", "core.editor=true", "rebase", "--continue")
    repository("reset", "-q", "--hard", "HEAD~1")
    assert compared(repository.folder, state, solved, dropped) == [HERE, REWRITTEN]


def test_clones_and_worktrees_share_what_is_merged_and_keep_apart_what_is_not(
    repository: Repository, state: Path, tmp_path: Path
) -> None:
    root = checkout(repository.folder, state).repository()
    repository("checkout", "-q", "main")
    clone, worktree = tmp_path / "work" / "clone", tmp_path / "work" / "tree"
    git(tmp_path, "clone", "-q", str(repository.folder), str(clone))
    repository("checkout", "-q", "topic")
    merged = LearnedAt(git(clone, "rev-parse", "HEAD"), "main", root)
    apart = LearnedAt(repository.commit("one"), "topic", root)
    repository("worktree", "add", "-q", str(worktree), "main")
    for other in (clone, worktree):
        assert compared(other, state, merged, apart) == [HERE, UNMERGED]
    git(worktree, "cherry-pick", apart.commit)
    git(clone, "pull", "-q")
    for other in (clone, worktree):
        assert compared(other, state, apart) == [HERE]


def test_a_commit_that_is_nowhere_on_this_device_is_unknown(
    repository: Repository, state: Path
) -> None:
    root = checkout(repository.folder, state).repository()
    assert compared(
        repository.folder,
        state,
        LearnedAt("1" * 40, "topic", root),
        LearnedAt("2" * 40, "topic"),
        LearnedAt("3" * 40, "topic", "4" * 40),
    ) == [UNKNOWN, UNKNOWN, OTHER]


def test_a_shallow_clone_hides_nothing(repository: Repository, state: Path, tmp_path: Path) -> None:
    apart = LearnedAt(repository.commit("one"), "topic")
    shallow = tmp_path / "shallow"
    source = repository.folder.as_uri()
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", source, str(shallow))
    git(shallow, "checkout", "-q", "main")
    assert compared(shallow, state, apart) == [UNKNOWN]
    assert checkout(shallow, state).repository() == ""


def test_orphan_branches_of_one_repository_are_apart(repository: Repository, state: Path) -> None:
    repository("checkout", "-q", "--orphan", "pages")
    pages = LearnedAt(repository.commit("index.html"), "pages", "f" * 40)
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, pages) == [UNMERGED]
    repository("merge", "-q", "--no-edit", "--allow-unrelated-histories", "pages")
    assert compared(repository.folder, state, pages) == [HERE]


def test_without_git_nothing_is_hidden(
    repository: Repository, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = LearnedAt(repository.commit("one"), "topic")
    here = LearnedAt(repository.commit("two"), "topic")
    repository("checkout", "-q", "--detach", "topic")
    monkeypatch.setenv("PATH", "")
    assert checkout(repository.folder, state).repository() == ""
    assert compared(repository.folder, state, here, apart) == [HERE, UNKNOWN]


def test_git_is_asked_once_for_each_head(
    repository: Repository, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = LearnedAt(repository.commit("one"), "topic")
    repository("checkout", "-q", "main")
    assert compared(repository.folder, state, apart) == [UNMERGED]
    monkeypatch.setenv("PATH", "")
    assert compared(repository.folder, state, apart) == [UNMERGED]
    assert checkout(repository.folder, state).unmerged() == (str(apart),)


def test_a_submodule_is_a_repository_of_its_own(
    repository: Repository, state: Path, tmp_path: Path
) -> None:
    outer = Repository(tmp_path / "work" / "outer")
    always = ("-c", "protocol.file.allow=always")
    outer(*always, "submodule", "-q", "add", str(repository.folder), "in")
    inner = outer.folder / "in"
    assert git(inner, "rev-parse", "--is-inside-work-tree") == "true"
    head = checkout(inner, state).head()
    assert head is not None
    assert head.commit == git(inner, "rev-parse", "HEAD")
    learned = LearnedAt(outer.commit("one"), "topic", checkout(outer.folder, state).repository())
    assert compared(inner, state, learned) == [OTHER]


def test_head_is_read_from_packed_references(repository: Repository, state: Path) -> None:
    repository("pack-refs", "--all")
    head = checkout(repository.folder, state).head()
    assert head == GitHead(repository.head, "topic")


def test_before_the_first_commit_there_is_no_head(tmp_path: Path, state: Path) -> None:
    git(tmp_path, "init", "-q", "new")
    assert checkout(tmp_path / "new", state).head() is None


def test_an_open_checkout_sees_every_move_of_head(repository: Repository, state: Path) -> None:
    opened = checkout(repository.folder, state)

    def is_seen() -> bool:
        head = opened.head()
        commit, name = git(repository.folder, "rev-parse", "HEAD", "--abbrev-ref", "HEAD").split()
        branch = "" if name == "HEAD" else name
        return head is not None and (head.commit, head.branch) == (commit, branch)

    assert is_seen()
    repository.commit("one")
    assert is_seen()
    for command in (
        ("checkout", "-q", "-b", "other"), ("pack-refs", "--all"),
        ("commit", "-q", "--allow-empty", "-m", "two"), ("pack-refs", "--all"),
        ("reset", "-q", "--hard", "HEAD~1"), ("branch", "-q", "-m", "third"),
        ("symbolic-ref", "refs/heads/alias", "refs/heads/third"), ("checkout", "-q", "--detach"),
        ("symbolic-ref", "HEAD", "refs/heads/third"),
        ("commit", "-q", "--allow-empty", "-m", "three"),
    ):  # fmt: skip
        git(repository.folder, *command)
        assert is_seen(), command
