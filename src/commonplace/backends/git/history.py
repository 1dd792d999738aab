"""Decide which commits are merged into HEAD: by ancestry, else by the patches they made.

A commit counts as merged if the history of HEAD has it, or has its patch (cherry-pick, rebase), or
has the patch of the whole branch up to it or beyond it (squash), also where lines near by differ
or a review added something. A branch that was amended or rebased goes on under another commit,
which its reflog names, or its author, moment and message.
"""

from __future__ import annotations

from collections import deque
from hashlib import sha256
from itertools import islice

from ...git_files import branch_log, branch_tips, head_logs, loose_objects
from ...model.checkout import HERE, REWRITTEN, UNKNOWN, UNMERGED, is_branch
from ..common.git import PATCH, GitUnavailable
from .adapted_patches import has_lines, read_hunks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from ...model.checkout import GitHead, LearnedAt
    from ..common.git import Git
    from .adapted_patches import Hunk

    Graph = Mapping[str, Sequence[str]]
    Move = tuple[str, str, str]
    Patch = Mapping[str, str]
    Hunks = Mapping[str, Sequence[Hunk]]

MOST_UPSTREAM = 2_000
"""Newest commits of HEAD whose patches are compared."""
MOST_OF_BRANCH = 300
"""Commits of a branch whose patches are compared; of a longer one only those asked for are."""
MOST_ALIKE = 500
"""Newest commits of HEAD that touch a file of a branch and whose patches are read."""
MOST_WHOLE = 50
"""Newest commits of branches up to which the whole branch is compared."""
MOST_ADAPTED, MOST_ADAPTED_FILES = 20, 100
"""Commits, and files of a branch, that are compared line by line if no patch is the same."""
MOST_TIPS = 20
"""Other branches that are searched for copies of a commit."""
MOST_ENDS = 200
"""Commits that the work may have gone on to, at most."""
FORWARD = ("commit", "merge", "cherry-pick", "revert")
"""Beginnings of the lines of a reflog that say that work went on from a commit."""
AMENDED = "commit (amend)"
REBASING = ("rebase", "pull")
REWRITING = (*FORWARD, *REBASING, "am")
"""The same for a branch, which a rebase moves to new commits with the same work."""
_RAW, _TEXT, _LINES = "--raw", "--unified=3", "--unified=0"
RENAMES = (
    "-r", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames=50%", "--diff-filter=R",
    "--name-status",
)  # fmt: skip
"""Options of `diff-tree` by which it lists the files that a commit renamed."""
MOST_RENAMING = 500
"""Newest commits of HEAD that are searched for renames."""


def compare_with_head(
    git: Git,
    head: GitHead,
    learned: Collection[LearnedAt],
    commons: Sequence[str],
    *,
    shallow: bool,
) -> dict[LearnedAt, str]:
    """How commits stand to HEAD; commits that are not to be found are left out.

    `commons` are the git folders of this repository, its own first. In a shallow clone nothing can
    be said to be unmerged. Raises GitUnavailable.
    """
    ends = {one: _ends(one, commons) for one in learned}
    asked = {one.commit for one in learned} | {end for found in ends.values() for end in found}
    there = _existing(git, asked)
    found = _by_ancestry(git, head, learned, there)
    rest = [one for one in learned if one.commit in there and one not in found]
    if shallow:
        return found | dict.fromkeys(rest, UNKNOWN)
    if rest:
        found |= _by_patches(git, head, {one: ends[one] & there for one in rest}, commons)
    lost = {one for one in rest if found[one] == UNMERGED and not _has_branch(one, commons)}
    if lost:
        # The last commits of a deleted branch have no name, but are not removed for weeks.
        loose = _existing(git, [id for common in commons for id in loose_objects(common)])
        found |= _by_patches(git, head, {one: ends[one] & there | loose for one in lost}, commons)
    left = {one: ends[one] & there for one in rest if found[one] == UNMERGED and one not in lost}
    return found | _by_other_branches(git, head, left, commons)


def _by_other_branches(
    git: Git, head: GitHead, ends: Mapping[LearnedAt, set[str]], commons: Sequence[str]
) -> dict[LearnedAt, str]:
    """Look for the same work on other branches, which may have been squashed into HEAD.

    If there is no time for that, the work counts as unmerged.
    """
    if not ends:
        return {}
    try:
        tips = git.run(
            "for-each-ref", f"--count={MOST_TIPS}", "--format=%(objectname)", "refs/heads"
        )
        others = {one for one in tips.split() if one != head.commit}
        wider = {one: found | others for one, found in ends.items()}
        return _by_patches(git, head, wider, commons) if others else {}
    except GitUnavailable:
        return {}


def _by_ancestry(
    git: Git, head: GitHead, learned: Collection[LearnedAt], there: Collection[str]
) -> dict[LearnedAt, str]:
    asked = sorted({one.commit for one in learned if one.commit in there})
    beyond = set(git.run("rev-list", "--stdin", lines=(*asked, f"^{head.commit}")).split())
    return {one: HERE for one in learned if one.commit in there and one.commit not in beyond}


def _by_patches(
    git: Git, head: GitHead, ends: Mapping[LearnedAt, Collection[str]], commons: Sequence[str]
) -> dict[LearnedAt, str]:
    starts = {one.commit for one in ends} | {end for found in ends.values() for end in found}
    branches = _graph(git, ("--stdin",), (*sorted(starts), f"^{head.commit}"))
    history = _Histories(git, head.commit, branches)
    history.read_patches(ends)
    found: dict[LearnedAt, str] = {}
    for one, further in ends.items():
        own = one.branch == head.branch != "" and _was_on_branch(one, commons)
        # A rebase may have dropped a commit of HEAD's own branch; an amended one goes on.
        instead = _amended(one, commons) if own else _rewritten(one, commons)
        work = one, further, instead
        try:
            merged = history.is_merged(*work) or history.is_adapted(*work)
        except GitUnavailable:
            found[one] = UNKNOWN  # No time to read lines: asked again later.
            continue
        found[one] = HERE if merged else REWRITTEN if own else UNMERGED
    rewritten = {one.commit for one, said in found.items() if said == REWRITTEN}
    copied = _copied(git, head, rewritten) if rewritten else set[str]()
    return found | {one: HERE for one in found if one.commit in copied}


def _copied(git: Git, head: GitHead, commits: Collection[str]) -> set[str]:
    """The commits that a rebase made anew, with other lines after a conflict.

    Git keeps the author, the moment and the message, so that a dropped commit is told from them.
    """
    newest = (f"--max-count={MOST_UPSTREAM}", head.commit)
    theirs = {said for _, said in _authored(git, newest)}
    own = _authored(git, ("--no-walk", "--stdin"), sorted(commits))
    return {commit for commit, said in own if said in theirs}


def _authored(git: Git, options: Sequence[str], lines: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Commits, with who made them when and what for."""
    said = git.run("rev-list", "--format=%an%x09%ae%x09%at%x09%s", *options, lines=lines)
    rows = iter(said.split("\n"))
    return [(one.removeprefix("commit "), next(rows)) for one in rows if one]


def _existing(git: Git, commits: Collection[str]) -> set[str]:
    said = git.run("cat-file", "--batch-check", lines=sorted(commits)).splitlines()
    return {words[0] for line in said if (words := line.split())[1:2] == ["commit"]}


def _graph(git: Git, options: Sequence[str], lines: Iterable[str] = ()) -> dict[str, list[str]]:
    """Commits with their parents, newest first."""
    said = git.run("rev-list", "--parents", *options, lines=lines)
    return {commit: parents for commit, *parents in map(str.split, said.splitlines())}


def renamed_files(git: Git, head: GitHead) -> list[tuple[str, str]]:
    """Old and new paths of files that the newest commits of HEAD renamed, the oldest first.

    Raises GitUnavailable.
    """
    commits = git.run("rev-list", f"--max-count={MOST_RENAMING}", head.commit).split()
    said = git.run("diff-tree", "--stdin", *RENAMES, lines=reversed(commits)).splitlines()
    parts = (line.split("\t") for line in said if line.startswith("R"))
    # A name in quotes has characters that no memory names.
    return [(part[1], part[2]) for part in parts if len(part) == 3 and '"' not in part[1] + part[2]]


# What became of a branch


def _ends(one: LearnedAt, commons: Sequence[str]) -> set[str]:
    """Commits that the work may have gone on to after a commit."""
    found = _rewritten(one, commons)
    for common in commons if is_branch(one.branch) else ():
        found |= set(branch_tips(common, one.branch))
    return found - {one.commit}


def _rewritten(one: LearnedAt, commons: Sequence[str]) -> set[str]:
    """Commits that followed a commit or took its place, as reflogs tell."""
    found = {one.commit}
    for common in commons:
        if is_branch(one.branch):
            found.add(_rewritten_to(branch_log(common, one.branch) or (), one.commit))
        found |= _went_on(head_logs(common), one.commit)
    return found - {one.commit, ""}


def _rewritten_to(moves: Iterable[Move], commit: str) -> str:
    """The last commit of a branch that had this one, if it was not set to something else since."""
    end = ""
    for old, new, what in moves:
        if end or old == commit:
            end = new if old == new or what.startswith(REWRITING) else ""
        if new == commit:
            end = commit
    return end


def _amended(one: LearnedAt, commons: Sequence[str]) -> set[str]:
    """Commits that took the place of a commit when somebody amended it on its branch."""
    found = {one.commit}
    for common in commons if is_branch(one.branch) else ():
        for old, new, what in branch_log(common, one.branch) or ():
            if old in found and what.startswith(AMENDED):
                found.add(new)
    return found - {one.commit}


def _went_on(logs: Sequence[Sequence[Move]], commit: str) -> set[str]:
    """Commits made from a commit, one after the other, as the reflogs of HEAD tell."""
    reached, before = {commit}, 0
    while before < len(reached) <= MOST_ENDS:
        before = len(reached)
        for moves in logs:
            rebasing = False
            for old, new, what in moves:
                if what.startswith(REBASING) and "(start)" in what:
                    rebasing = old in reached
                elif (what.startswith(REBASING) and "(finish)" in what and rebasing) or (
                    old in reached and what.startswith(FORWARD)
                ):
                    reached.add(new)
    return reached


def _has_branch(one: LearnedAt, commons: Sequence[str]) -> bool:
    return is_branch(one.branch) and any(branch_tips(common, one.branch) for common in commons)


def _was_on_branch(one: LearnedAt, commons: Sequence[str]) -> bool:
    """Whether the branch of this name had the commit; without a reflog nobody can tell."""
    logs = [branch_log(common, one.branch) for common in commons] if is_branch(one.branch) else []
    moves = [move for log in logs if log is not None for move in log]
    return not moves or any(one.commit in move[:2] for move in moves)


# Patches


class _Histories:
    """The commits of unmerged branches beside those of HEAD, and the patches of both.

    Patches are compared file by file: a squash may leave out a file that was picked before.
    """

    def __init__(self, git: Git, head: str, branches: Graph) -> None:
        self._git = git
        self._branches = branches
        """Commits that HEAD does not have, with their parents."""
        self._upstream = _graph(git, (f"--max-count={MOST_UPSTREAM}", head))
        self._own: dict[str, Patch] = {}
        self._whole: dict[str, Patch] = {}
        """Patches of commits, and of whole branches up to a commit."""
        self._bases: dict[str, str] = {}
        """The commits at which those branches left the others."""
        self._left: dict[str, Patch] = {}
        """The files that commits left behind, with their blobs."""
        self._states: dict[str, Patch] | None = None
        """The same for whole branches, once somebody asks."""
        self._ranges: dict[str, set[str]] = {}
        self._news: dict[str, set[str]] = {}
        self._since: dict[frozenset[str], list[str]] = {}
        """Commits of HEAD that came after those from which a branch began."""

    def read_patches(self, ends: Mapping[LearnedAt, Collection[str]]) -> None:
        """Read the patches of the branches, and of those commits of HEAD that touch their files."""
        asked = {one.commit for one in ends}
        further = {end for found in ends.values() for end in found if end in self._branches}
        short = [one for one in asked | further if len(self._range(one)) <= MOST_OF_BRANCH]
        ours = asked.union(*(self._range(one) for one in short))
        own = [one for one in ours if len(self._branches[one]) < 2]
        upstream = [one for one, parents in self._upstream.items() if len(parents) < 2]
        touched = self._left = self._diffs([*own, *upstream], _RAW)
        wanted = {file for one in own for file in touched.get(one, ())}
        alike = [one for one in upstream if not wanted.isdisjoint(touched.get(one, ()))]
        if alike:
            self._own = self._diffs([*own, *alike[:MOST_ALIKE]], _TEXT)
            # Newest first, because the last commits of a branch are those that are squashed.
            newest = [one for one in self._branches if one in ours][:MOST_WHOLE]
            self._bases = {one: base for one in (*asked, *newest) if (base := self._base(one))}
            self._whole = self._diffs(self._bases, _TEXT, self._bases)

    def is_merged(
        self, one: LearnedAt, further: Collection[str], rewritten: Collection[str]
    ) -> bool:
        """Whether HEAD has the patch of a commit, or of its branch up to there or further on."""
        commit = one.commit
        own = self._own.get(commit, {}).values()
        if own and self._theirs(commit).issuperset(own):
            return True
        if any(end in rewritten and end not in self._branches for end in further):
            return True  # HEAD has the commit that took the place of this one.
        works = self._same_work(commit, further, rewritten)
        return any(self._is_whole(end, later) for end, later in works)

    def is_adapted(
        self, one: LearnedAt, further: Collection[str], rewritten: Collection[str]
    ) -> bool:
        """Whether HEAD has the work with other lines near by, or as a review has changed it.

        Those commits of HEAD are read that change a file which is not found otherwise. Raises
        GitUnavailable if there is no time for that.
        """
        commit, most = one.commit, MOST_ADAPTED
        for end, later in self._same_work(commit, further, rewritten):
            _, files = self._compare_files(end, later)
            bases = {one: self._bases[one] for one in later if one in self._bases}
            every = ((one, other) for one in bases for other in self._touching(one, files))
            pairs = list(islice(every, most))
            if self._has_lines(pairs, bases, files):
                return True
            most -= len(pairs)
        parents = self._branches[commit]
        if len(parents) != 1 or self._bases.get(commit) == parents[0]:
            return False
        files = set(self._own.get(commit, ()))
        picks = [(commit, other) for other in self._touching(commit, files)]
        return self._has_lines(picks[:MOST_ADAPTED], {commit: parents[0]}, files, alone=True)

    def _same_work(
        self, commit: str, further: Collection[str], rewritten: Collection[str]
    ) -> Iterator[tuple[str, list[str]]]:
        """A commit, those that took its place and its copies, each with what was built on it."""
        ends = [one for one in self._branches if one == commit or one in further]
        among = set[str]().union(*map(self._range, ends))
        yield commit, [one for one in self._branches if one in among and commit in self._range(one)]
        copies: dict[str, None] = {}
        for end in ends:
            branch = self._range(end)
            if commit in branch:
                continue
            if end in rewritten:
                yield end, [end]
            elif own := self._own.get(commit):
                copies |= dict.fromkeys(one for one in branch if self._own.get(one) == own)
        for copy in copies:
            yield copy, [one for one in self._whole if copy in self._range(one)]

    def _is_whole(self, end: str, later: Collection[str]) -> bool:
        """Whether HEAD has all that a branch changed in each file: at once, or commit by commit."""
        found, lacking = self._compare_files(end, later)
        return bool(found) and not lacking

    def _compare_files(self, end: str, later: Collection[str]) -> tuple[set[str], set[str]]:
        """The files of a branch whose changes HEAD has, and those whose changes it lacks."""
        made = [one for one in self._range(end) if one in self._own]
        found: set[str] = set()
        lacking: set[str] = set()
        for file in {file for one in made for file in self._own[one]}:
            each = (one for one in made if file in self._own[one])
            if (
                any(self._has(self._whole, one, file) for one in later)
                or all(self._has(self._own, one, file) for one in each)
                or any(self._has_state(one, file) for one in later)
            ):
                found.add(file)
            # A branch that has merged HEAD does not differ from it in what came from there.
            elif not any(one in self._whole and file not in self._whole[one] for one in later):
                lacking.add(file)
        return found, lacking

    def _touching(self, commit: str, files: set[str]) -> list[str]:
        """The commits of HEAD, not known to a commit, that change any of these files.

        Those that change the most come first, because a squash most likely changes all. If no
        commit changes one of the files, HEAD lacks its work, and there are none.
        """
        if not 0 < len(files) <= MOST_ADAPTED_FILES or any('"' in file for file in files):
            return []
        upstream = self._upstream
        new = (one for one in self._new(commit) if one in self._own and len(upstream[one]) == 1)
        touched = {one: self._own[one].keys() & files for one in new}
        if set[str]().union(*touched.values()) != files:
            return []
        return sorted(filter(touched.get, touched), key=lambda one: -len(touched[one]))

    def _has_lines(
        self,
        pairs: Sequence[tuple[str, str]],
        bases: Mapping[str, str],
        files: Collection[str],
        *,
        alone: bool = False,
    ) -> bool:
        """Whether a commit of HEAD has what its pair on a branch changed since its base."""
        theirs = self._hunks({other for _, other in pairs}, files)
        for base in dict.fromkeys(bases[one] for one, _ in pairs):
            based = [pair for pair in pairs if bases[pair[0]] == base]
            parents = {other: self._upstream[other][0] for _, other in based}
            since = self._hunks({*parents.values(), *(one for one, _ in based)}, files, base)
            if any(
                has_lines(since[one], since[parents[other]], theirs[other], alone=alone)
                for one, other in based
            ):
                return True
        return False

    def _hunks(
        self, commits: Collection[str], files: Collection[str], base: str = ""
    ) -> dict[str, Hunks]:
        """The lines that commits changed in some files, since their parents or a base."""
        bases = dict.fromkeys(commits, base) if base else None
        said = self._read(commits, _LINES, bases, files)
        return {one: read_hunks(said.get(one, ())) for one in commits}

    def _has_state(self, commit: str, file: str) -> bool:
        """Whether a commit of HEAD left a file as a branch has it, by other steps than these."""
        if self._states is None:
            self._states = self._diffs(self._bases, _RAW, self._bases)
        blob = self._states.get(commit, {}).get(file)
        return blob is not None and any(
            self._left.get(one, {}).get(file) == blob for one in self._new(commit)
        )

    def _has(self, patches: Mapping[str, Patch], commit: str, file: str) -> bool:
        return patches.get(commit, {}).get(file, "") in self._theirs(commit)

    def _theirs(self, commit: str) -> set[str]:
        """The patches that HEAD has and that a commit was not based on."""
        if commit not in self._news:
            new = (one for one in self._new(commit) if one in self._own)
            self._news[commit] = {patch for one in new for patch in self._own[one].values()}
        return self._news[commit]

    def _new(self, commit: str) -> list[str]:
        """The commits of HEAD that a commit was not based on."""
        edge = frozenset(self._edge(commit))
        if edge not in self._since:
            passed = _reachable(self._upstream, edge)
            self._since[edge] = [one for one in self._upstream if one not in passed]
        return self._since[edge]

    def _range(self, end: str) -> set[str]:
        """The commits of a branch up to one of them."""
        if end not in self._ranges:
            self._ranges[end] = _reachable(self._branches, [end])
        return self._ranges[end]

    def _edge(self, commit: str) -> list[str]:
        """The commits of HEAD from which a branch began, or which it merged."""
        parents = (parent for one in self._range(commit) for parent in self._branches[one])
        return list(dict.fromkeys(one for one in parents if one not in self._branches))

    def _base(self, commit: str) -> str:
        """The newest commit of HEAD that a branch is based on; empty if it has its own root."""
        edge = self._edge(commit)
        if len(edge) < 2:
            return edge[0] if edge else ""
        older = set[str]().union(
            *(_reachable(self._upstream, self._upstream.get(one, ())) for one in edge)
        )
        return next((one for one in edge if one not in older), edge[0])

    def _diffs(
        self, commits: Iterable[str], style: str, bases: Mapping[str, str] | None = None
    ) -> dict[str, Patch]:
        """For each commit the changes of every file, compared with its parent or with a base."""
        read = _changed_files if style == _RAW else _patches
        return {one: read(part) for one, part in self._read(commits, style, bases).items()}

    def _read(
        self,
        commits: Iterable[str],
        style: str,
        bases: Mapping[str, str] | None,
        files: Collection[str] = (),
    ) -> dict[str, list[str]]:
        """The lines that git says of each commit, of some files if these are named."""
        lines = [f"{one} {bases[one]}" if bases else one for one in dict.fromkeys(commits)]
        if not lines:
            return {}
        heads = {line.split()[0] for line in lines}
        parts: dict[str, list[str]] = {}
        part: list[str] = []
        only = ("--", *map(_path, files)) if files else ()
        said = self._git.run("diff-tree", "--stdin", style, *PATCH, *only, lines=lines)
        for line in said.split("\n"):
            if line in heads:
                part = parts[line] = []
            elif line:
                part.append(line)
        return parts


def _path(file: str) -> str:
    """The path of a file that a patch names twice, without quotes."""
    names = file.removeprefix("diff --git ")
    return names[len(names) // 2 + 1 :].removeprefix("b/")


def _changed_files(lines: Iterable[str]) -> Patch:
    """The changed files, each with mode and blob as they are afterwards; named as in a patch."""
    found: dict[str, str] = {}
    for line in lines:
        facts, _, name = line.partition("\t")
        bare = name[1:-1] if name.startswith('"') else ""
        key = f'"a/{bare}" "b/{bare}"' if bare else f"a/{name} b/{name}"
        found[f"diff --git {key}"] = " ".join(facts.split()[1:4:2])
    return found


def _patches(lines: Iterable[str]) -> Patch:
    """A hash of the patch of each file: without places and white space, of binary files the ids."""
    found: dict[str, Any] = {}
    file, index = "", ""
    for line in lines:
        if line.startswith("diff --git "):
            file, found[line] = line, sha256(line.encode())
        elif line.startswith("index "):
            index = line
        elif file and not line.startswith("@@"):
            kept = index + line if line.startswith("Binary files") else line
            found[file].update("".join(kept.split()).encode())
    return {name: hashed.hexdigest() for name, hashed in found.items()}


def _reachable(graph: Graph, starts: Iterable[str]) -> set[str]:
    found = {one for one in starts if one in graph}
    waiting = deque(found)
    while waiting:
        for parent in graph[waiting.popleft()]:
            if parent in graph and parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found
