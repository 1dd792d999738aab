"""The checkout of a folder: HEAD from git's files, and comparisons that are remembered.

What git has said about a HEAD is kept in the state folder, because a HEAD never has other
ancestors: a prompt asks git only about commits that it has not met with this HEAD.
"""

from __future__ import annotations

import os

from ...git_files import (
    HEADS,
    former_names,
    local_branches,
    present_name,
    read_head,
    read_ref,
    read_start,
    uses_files,
)
from ...model.checkout import HERE, OTHER, UNKNOWN, UNMERGED, GitHead, is_branch, is_commit
from ...model.identity import derived_id
from ...model.quick_json import parse_json, quote_json, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ...git_files import GitFolders
    from ...model.checkout import LearnedAt
    from ..common.git import Git

FOLDER = "checkouts"
"""Folder in the state folder with the answers, a file for each working tree."""
CLONES = "repositories.jsonl"
"""File in that folder with the root commit of every git folder that was seen."""
MOST_HEADS, MOST_ANSWERS, MOST_BYTES = 8, 5_000, 2_000_000
PATIENT_S = 1.0
"""From this limit on git is asked again about commits that it did not find before."""
ROOT_S = 3.0


class GitCheckout:
    """One working tree; `head` stands for another moment than now."""

    def __init__(self, folders: GitFolders, state: str, *, head: GitHead | None = None) -> None:
        self._folders = folders
        self._state = os.path.join(state, FOLDER)
        self._fixed = head
        self._answers: dict[str, dict[str, list[str]]] | None = None
        self._ordered: dict[tuple[str, str], bool] = {}
        self._seen: tuple[GitHead, tuple[object, ...]] | None = None
        """HEAD as it was read last, with the state of its files: an answer asks for it often."""

    def head(self) -> GitHead | None:
        """The commit and branch of HEAD; None before the first commit."""
        if self._fixed is not None:
            return self._fixed
        if self._seen is not None and self._head_stamp(self._seen[0].branch) == self._seen[1]:
            return self._seen[0]
        found = read_head(self._folders)
        if found is not None and found.branch:
            self._seen = found, self._head_stamp(found.branch)
            # Nobody has written it meanwhile, and the branch stands for no other one.
            if read_head(self._folders) != found or self._is_symbolic(found.branch):
                self._seen = None
        if found is not None or uses_files(self._folders):
            return found
        # Imported here and below, because most prompts do not ask git.
        from ..common.git import Git, GitUnavailable

        git = Git(self._folders.own, limit_s=PATIENT_S)
        try:
            commit = git.run("rev-parse", "--verify", "HEAD").strip()
            name = git.run("rev-parse", "--symbolic-full-name", "HEAD").strip()
        except GitUnavailable:
            return None
        branch = name.removeprefix("refs/heads/")
        named = branch != name and is_branch(branch)
        return GitHead(commit, branch if named else "") if is_commit(commit) else None

    def repository(self) -> str:
        """The root commit, by which all clones are one repository; empty if it is not known."""
        common, head = self._folders.common, self.head()
        if head is None or self._is_shallow(common):
            return ""
        if (known := self._roots().get(common)) is not None:
            return known
        from ..common.git import Git, GitUnavailable

        git = Git(common, limit_s=ROOT_S)
        try:
            # Merged histories may have several roots: the one of the first parents is the oldest.
            said = git.run("rev-list", "--first-parent", "--max-parents=0", head.commit).split()
        except GitUnavailable:
            return ""
        root = said[-1] if said and is_commit(said[-1]) else ""
        if root:
            self._write_root(common, root)
        return root

    def compare(self, learned: Collection[LearnedAt], *, limit_s: float) -> Mapping[str, str]:
        """How each commit stands to HEAD; what cannot be found or decided in time is unknown."""
        head = self.head()
        if head is None:
            return {str(one): UNKNOWN for one in learned}
        found = self._remembered(head, [str(one) for one in learned], limit_s)
        asked = [one for one in learned if str(one) not in found and is_commit(one.commit)]
        if asked:
            answers = self._ask(head, asked, limit_s)
            found |= answers
            stamp = self._stamp()
            self._known(head).update({name: [said, stamp] for name, said in answers.items()})
            self._write_answers(head)
        return {str(one): found.get(str(one)) or UNKNOWN for one in learned}

    def compared(self, places: Collection[str], *, limit_s: float) -> Mapping[str, str]:
        """How earlier comparisons found places to stand to HEAD."""
        head = self.head()
        return self._remembered(head, places, limit_s) if head else {}

    def _remembered(self, head: GitHead, places: Collection[str], limit_s: float) -> dict[str, str]:
        known, found = self._known(head), dict[str, str]()
        for one in places:
            verdict, when = known.get(one, ("", ""))
            if one.startswith(head.commit):
                verdict = HERE
            asked_now = verdict == UNKNOWN and limit_s < PATIENT_S and when == self._stamp()
            if asked_now or verdict not in ("", UNKNOWN):
                found[one] = verdict
        return found

    def unmerged(self) -> tuple[str, ...]:
        """The places that earlier comparisons with this HEAD found unmerged."""
        head = self.head()
        known = self._known(head) if head else {}
        return tuple(name for name, (verdict, _) in known.items() if verdict == UNMERGED)

    def precedes(self, commit: str, later: str, *, limit_s: float) -> bool:
        """Whether a commit is an ancestor of another one; False if that cannot be told."""
        if commit == later or not is_commit(commit) or not is_commit(later):
            return False
        if (commit, later) not in self._ordered:
            from ..common.git import Git, GitUnavailable

            git = Git(self._folders.common, limit_s=limit_s)
            try:
                # Commits that the one has and the other has not.
                alone = git.run("rev-list", "--stdin", "--max-count=1", lines=(commit, f"^{later}"))
            except GitUnavailable:
                return False
            self._ordered[commit, later] = not alone.strip()
        return self._ordered[commit, later]

    def branches(self) -> list[str]:
        """The names of the local branches; none where its files do not tell."""
        return local_branches(self._folders.common)

    def former_names(self, branch: str) -> tuple[str, ...]:
        """The names that a local branch had before it was renamed."""
        return tuple(former_names(self._folders.common, branch)) if is_branch(branch) else ()

    def present_name(self, branch: str, commit: str = "") -> str:
        """The name that a branch has now, which ended at `commit`; empty if it is gone."""
        if not uses_files(self._folders):
            return branch  # Its files do not tell.
        return present_name(self._folders.common, branch, commit)

    def renames(self, *, limit_s: float) -> list[tuple[str, str]]:
        """Old and new paths of files that HEAD's newest commits renamed, the oldest first."""
        from ..common.git import Git, GitUnavailable
        from .history import renamed_files

        head = self.head()
        try:
            return renamed_files(Git(self._folders.common, limit_s=limit_s), head) if head else []
        except GitUnavailable:
            return []

    def tip(self, branch: str) -> str:
        """The last commit of a local branch; empty if it has none."""
        return read_ref(self._folders.common, f"{HEADS}{branch}")

    def _ask(self, head: GitHead, learned: Collection[LearnedAt], limit_s: float) -> dict[str, str]:
        from ..common.git import Git, GitUnavailable
        from .history import compare_with_head

        common = self._folders.common
        git, shallow = Git(common, limit_s=limit_s), self._is_shallow(common)
        found: dict[LearnedAt, str] = {}
        try:
            found = compare_with_head(git, head, learned, (common,), shallow=shallow)
            missing = [one for one in learned if one.repository and one not in found]
            own = self.repository() if missing else ""
            if own:
                found |= {one: OTHER for one in missing if one.repository != own}
                missing = [one for one in missing if one.repository == own]
                found |= self._ask_with_clones(git, head, missing, own)
        except GitUnavailable:
            pass  # Unknown for now: such memories are shown, and marked.
        return {str(one): found.get(one, UNKNOWN) for one in learned}

    def _ask_with_clones(
        self, git: Git, head: GitHead, missing: Collection[LearnedAt], root: str
    ) -> dict[LearnedAt, str]:
        """Look for commits in the other clones of the repository on this device."""
        from .history import compare_with_head

        common = self._folders.common
        clones = [
            other
            for other, its_root in self._roots().items()
            if its_root == root and other != common and _is_plain(other)
        ]
        if not missing or not clones:
            return {}
        wider = git.with_objects(os.path.join(one, "objects") for one in clones)
        cut = any(map(self._is_shallow, clones))
        return compare_with_head(wider, head, missing, (common, *clones), shallow=cut)

    def _is_shallow(self, common: str) -> bool:
        return os.path.exists(os.path.join(common, "shallow"))

    # The files of the state folder

    def _known(self, head: GitHead) -> dict[str, list[str]]:
        if self._answers is None:
            self._answers = _read_answers(self._path)
        return self._answers.setdefault(f"{head.commit} {head.branch}", {})

    @property
    def _path(self) -> str:
        return os.path.join(self._state, f"{derived_id('c', self._folders.own)}.json")

    def _stamp(self) -> str:
        """Changes when objects come from elsewhere."""
        common = self._folders.common
        names = (os.path.join("objects", "pack"), "FETCH_HEAD")
        return " ".join(str(_modified(os.path.join(common, name))) for name in names)

    def _head_stamp(self, branch: str) -> tuple[object, ...]:
        """Changes when git writes HEAD or its branch, since git replaces files."""
        own, common = self._folders.own, self._folders.common
        paths = (f"{own}/HEAD", f"{common}/{HEADS}{branch}", f"{common}/packed-refs")
        return tuple(map(_state, paths))

    def _is_symbolic(self, branch: str) -> bool:
        return read_start(f"{self._folders.common}/{HEADS}{branch}", 4) == "ref:"

    def _write_answers(self, head: GitHead) -> None:
        answers = self._answers or {}
        key = f"{head.commit} {head.branch}"
        kept = [(one, answers[one]) for one in answers if one != key][1 - MOST_HEADS :]
        newest = dict(list(answers[key].items())[-MOST_ANSWERS:])
        self._answers = {**dict(kept), key: newest}
        _write(self._path, write_json(self._answers))

    def _roots(self) -> dict[str, str]:
        roots: dict[str, str] = {}
        for line in _read(os.path.join(self._state, CLONES)).splitlines():
            try:
                common, root = parse_json(line)
            except (ValueError, TypeError):
                continue  # Cut short by a full disk.
            if is_commit(str(root)) and os.path.isdir(str(common)):
                roots[str(common)] = str(root)
        return roots

    def _write_root(self, common: str, root: str) -> None:
        line = f"[{quote_json(common)}, {quote_json(root)}]\n"
        try:
            os.makedirs(self._state, mode=0o700, exist_ok=True)
            with open(os.path.join(self._state, CLONES), "a", encoding="ascii") as file:
                file.write(line)
        except (OSError, ValueError):
            return  # The next save asks again.


def _is_plain(path: str) -> bool:
    """Whether a path can stand in a list of paths."""
    return path.isprintable() and not any(c in f'{os.pathsep}"' for c in path)


def _modified(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MOST_BYTES)
    except (OSError, ValueError):
        return ""


def _read_answers(path: str) -> dict[str, dict[str, list[str]]]:
    text = _read(path)
    if not text:
        return {}
    try:
        said = parse_json(text)
        return {
            str(head): {str(name): [str(verdict), str(stamp)] for name, (verdict, stamp) in known}
            for head, known in ((head, answers.items()) for head, answers in said.items())
        }
    except (ValueError, TypeError, AttributeError):
        return {}


def _write(path: str, text: str) -> None:
    """Write a file in one piece; without it git is asked again."""
    partial = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(partial, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(partial, path)
    except (OSError, ValueError):
        return
