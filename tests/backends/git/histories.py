"""Random histories made with real git, beside a model that knows which work is on which branch.

A unit of work keeps its number however git writes it: as a commit, rebased, picked, amended, or
as part of a squash. The model says which units each branch has. With `reviewed`, branches also
change lines of one list near each other, and squashes have the changes of a review in them.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from commonplace.backends.git.checkout import GitCheckout
from commonplace.git_files import find_folders
from commonplace.model.checkout import UNMERGED, GitHead, LearnedAt

LINES = 120
NAMES = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
ENVIRON = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    **NAMES,
    **{name.replace("AUTHOR", "COMMITTER"): value for name, value in NAMES.items()},
}


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    """Run git as a person does, and return its output."""
    done = subprocess.run(
        ("git", *arguments), cwd=folder, env=ENVIRON, capture_output=True, text=True, check=False
    )
    if check and done.returncode:
        raise AssertionError(f"git {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout.strip() if not done.returncode else ""


@dataclass
class Lesson:
    """Something learned at a commit; `parts` are the units that a merge or squash consists of."""

    unit: int
    where: LearnedAt
    parts: frozenset[int] = frozenset()


@dataclass
class Question:
    """A lesson and a HEAD, and whether the lesson is to be seen there."""

    lesson: Lesson
    branch: str
    head: str
    expected: bool


@dataclass
class RandomHistory:
    """One repository that grows by random steps."""

    folder: Path
    seed: int
    reviewed: bool = False
    units: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    """The units of work that each branch has."""
    lessons: list[Lesson] = field(default_factory=list[Lesson])
    log: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._count = 0
        self._tips: dict[str, tuple[int, frozenset[int]]] = {}
        self._parts: dict[int, frozenset[int]] = {}
        self._worktrees: dict[str, Path] = {}
        self.main = self.folder / "main"
        self.main.mkdir(parents=True)
        git(self.main, "init", "-q", "-b", "main")
        if self.reviewed:
            self._lines = list(range(0, LINES, 2))
            self._random.shuffle(self._lines)
            (self.main / "list.txt").write_text("".join(f"line {n}\n" for n in range(LINES)))
            git(self.main, "add", ".")
        git(self.main, "commit", "-q", "--allow-empty", "-m", "root")
        self.units["main"] = set()
        self._commit("main")

    def grow(self, steps: int) -> None:
        """Take random steps; one that ends in a conflict is taken back."""
        kinds = {
            self._step_commit: 6, self._step_branch: 2, self._step_merge: 2, self._step_squash: 2,
            self._step_rebase: 2, self._step_pick: 1, self._step_delete: 1, self._step_amend: 1,
            self._step_worktree: 1,
        }  # fmt: skip
        if self.reviewed:
            kinds[self._step_reviewed_squash] = 2
        for _ in range(steps):
            self._random.choices(list(kinds), list(kinds.values()))[0]()

    def questions(self) -> list[Question]:
        """Every lesson at every branch whose answer is beyond doubt."""
        found: list[Question] = []
        for branch, units in self.units.items():
            head = git(self.main, "rev-parse", f"refs/heads/{branch}")
            for lesson in self.lessons:
                there = lesson.unit in units
                if there or not lesson.parts or not lesson.parts <= units:
                    found.append(Question(lesson, branch, head, there))
        return found

    # Steps

    def _step_commit(self) -> None:
        self._commit(self._any())

    def _step_branch(self) -> None:
        if len(self.units) > 5:
            return
        source, name = self._any(), f"topic/{self._count}-{len(self.log)}"
        git(self.main, "branch", name, source)
        self.units[name] = set(self.units[source])
        self._tips[name] = self._tips[source]
        self.log.append(f"branch {name} from {source}")
        if self._random.random() < 0.8:
            self._commit(name)

    def _step_merge(self) -> None:
        source, target = self._pair()
        how = self._random.choice(("--no-ff", "--ff"))
        before = self._head(target)
        if not self._try(target, ("merge", "-q", how, "--no-edit", source), "merge"):
            return
        both = self.units[target] | self.units[source]
        if self._head(target) == before:
            return
        self.units[target] = both
        if self._head(target) == self._head(source):
            self._tips[target] = self._tips[source]
        else:
            self._new_unit(target, self._plain(both))
        self._note(target, f"merge {how} {source} into {target}")

    def _step_reviewed_squash(self) -> None:
        self._step_squash(reviewed=True)

    def _step_squash(self, *, reviewed: bool = False) -> None:
        source, target = self._pair()
        place = self._at(target)
        if not self._try(target, ("merge", "-q", "--squash", source), "reset"):
            return
        if not git(place, "diff", "--cached", "--name-only"):
            git(place, "reset", "-q", "--hard")
            return
        if reviewed:
            self._change_in_review(place)
        git(place, "commit", "-q", "-m", f"squash of {source}")
        # A squash of what is there already, in other pieces, leaves no trace: beyond the model.
        had = self.units[target]
        new = frozenset(
            unit
            for unit in self.units[source] - had
            if not self._parts[unit] or not self._parts[unit] <= had
        )
        if reviewed:
            self._new_unit(target)
            new |= {self._count}
        self.units[target] |= new
        if len(new) == 1 and self._plain(new):
            self._tips[target] = (next(iter(new)), frozenset())
        else:
            self._new_unit(target, self._plain(new))
        self._note(target, f"squash {source} into {target}" + " reviewed" * reviewed)

    def _change_in_review(self, place: Path) -> None:
        """Add lines to a file that is about to be squashed, and perhaps a file."""
        staged = git(place, "diff", "--cached", "--name-only").split()
        with (place / self._random.choice(staged)).open("a") as file:
            file.write(f"reviewed {len(self.log)}\n")
        if self._random.random() < 0.3:
            (place / f"review-{len(self.log)}.txt").write_text("reviewed\n")
        git(place, "add", ".")

    def _step_rebase(self) -> None:
        source, target = self._pair()
        if source == "main" or not self._try(source, ("rebase", "-q", target), "rebase"):
            return
        self.units[source] |= self.units[target]
        if self._head(source) == self._head(target):
            self._tips[source] = self._tips[target]
        else:
            # Which of its units is the last one now depends on what was dropped.
            self._commit(source)
        self._note(source, f"rebase {source} onto {target}")

    def _step_pick(self) -> None:
        source, target = self._pair()
        unit, parts = self._tips[source]
        if parts or unit in self.units[target] or self._is_merge(source):
            return
        if self._try(target, ("cherry-pick", source), "cherry-pick"):
            self.units[target].add(unit)
            self._tips[target] = (unit, frozenset())
            self._note(target, f"pick {source} into {target}")

    def _step_amend(self) -> None:
        branch = self._any()
        unit, parts = self._tips[branch]
        shared = any(unit in units for name, units in self.units.items() if name != branch)
        if parts or shared or branch == "main":
            return
        place = self._at(branch)
        name = f"amended-{len(self.log)}"
        (place / name).write_text(f"amended {unit}\n")
        git(place, "add", ".")
        git(place, "commit", "-q", "--amend", "--no-edit")
        self._note(branch, f"amend {branch}")

    def _step_delete(self) -> None:
        name = self._any()
        if name != "main":
            if place := self._worktrees.pop(name, None):
                git(self.main, "worktree", "remove", "--force", str(place))
            git(self.main, "checkout", "-q", "--detach", "main")
            git(self.main, "checkout", "-q", "main")
            git(self.main, "branch", "-q", "-D", name)
            del self.units[name]
            self.log.append(f"delete {name}")

    def _step_worktree(self) -> None:
        name = self._any()
        if name == "main":
            return
        git(self.main, "checkout", "-q", "main")
        if place := self._worktrees.pop(name, None):
            git(self.main, "worktree", "remove", "--force", str(place))
        else:
            place = self.folder / f"worktree-{len(self.log)}"
            git(self.main, "worktree", "add", "-q", str(place), name)
            self._worktrees[name] = place
        self.log.append(f"worktree {name}")

    # What steps share

    def _any(self) -> str:
        return self._random.choice(list(self.units))

    def _pair(self) -> tuple[str, str]:
        source = self._any()
        others = [name for name in self.units if name != source]
        return source, self._random.choice(others or [source])

    def _at(self, branch: str) -> Path:
        """The working tree of a branch."""
        if branch in self._worktrees:
            return self._worktrees[branch]
        git(self.main, "checkout", "-q", branch)
        return self.main

    def _head(self, branch: str) -> str:
        return git(self.main, "rev-parse", f"refs/heads/{branch}")

    def _is_merge(self, branch: str) -> bool:
        return len(git(self.main, "rev-list", "--parents", "-1", branch).split()) > 2

    def _try(self, branch: str, command: tuple[str, ...], ends: str) -> bool:
        place = self._at(branch)
        before = self._head(branch)
        done = subprocess.run(
            ("git", *command), cwd=place, env=ENVIRON, capture_output=True, check=False
        )
        if done.returncode == 0:
            return True
        if ends != "reset":
            git(place, ends, "--abort", check=False)
        git(place, "reset", "-q", "--hard", before)
        git(place, "clean", "-qfd")
        return False

    def _plain(self, units: Iterable[int]) -> frozenset[int]:
        """The units that are not made of others."""
        return frozenset(unit for unit in units if not self._parts[unit])

    def _new_unit(self, branch: str, parts: frozenset[int] = frozenset()) -> None:
        self._count += 1
        self.units[branch].add(self._count)
        self._tips[branch] = (self._count, parts)
        self._parts[self._count] = parts

    def _commit(self, branch: str) -> None:
        place = self._at(branch)
        self._new_unit(branch)
        files = self._random.sample(["own", "shared", "also"], k=self._random.randint(1, 2))
        for name in files:
            if name == "shared":
                # Only this branch writes it, so that several commits change one file.
                path = place / f"{branch.replace('/', '-')}.txt"
                with path.open("a") as file:
                    file.write(f"{self._count} of {branch}\n")
            else:
                (place / f"{name}-{self._count}.txt").write_text(f"{name} {self._count}\n" * 3)
        if self.reviewed and self._lines and self._random.random() < 0.5:
            path, number = place / "list.txt", self._lines.pop()
            text = path.read_text()
            path.write_text(text.replace(f"line {number}\n", f"line {number} by {self._count}\n"))
        git(place, "add", ".")
        git(place, "commit", "-q", "-m", f"unit {self._count}")
        self._note(branch, f"commit {self._count} on {branch}")

    def _note(self, branch: str, what: str) -> None:
        self.log.append(what)
        if self._random.random() < 0.6:
            unit, parts = self._tips[branch]
            self.lessons.append(Lesson(unit, LearnedAt(self._head(branch), branch), parts))


def wrong_answers(history: RandomHistory, state: Path) -> list[Question]:
    """The questions that the checkout answers otherwise than the model."""
    folders = find_folders(str(history.main), "/nowhere")
    assert folders is not None
    wrong: list[Question] = []
    asked: dict[tuple[str, str], list[Question]] = {}
    for question in history.questions():
        asked.setdefault((question.branch, question.head), []).append(question)
    for (branch, head), questions in asked.items():
        checkout = GitCheckout(folders, str(state), head=GitHead(head, branch))
        learned = [question.lesson.where for question in questions]
        compared = checkout.compare(learned, limit_s=60.0)
        wrong += [
            question
            for question in questions
            if (compared[str(question.lesson.where)] != UNMERGED) != question.expected
        ]
    return wrong
