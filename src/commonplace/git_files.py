"""Git's own files, read without running git: where its folders are, HEAD, branches and reflogs.

The files may be anybody's: each is read only up to a limit, and none may lead to the folder of a
repository that does not know the working tree.
"""

from __future__ import annotations

import os
import stat

from .model.checkout import GitHead, is_branch, is_commit
from .model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 64 * 1024
"""Bytes read of a file of git."""
MOST_PACKED_BYTES = 64 * 1024 * 1024
"""Bytes of `packed-refs` that are searched: about a million refs."""
MOST_LOG_BYTES = 1024 * 1024
"""Bytes read of the end of a reflog."""
MOST_STEPS = 5
"""References that lead to another reference, at most."""
MOST_WORKTREES = 100
MOST_LOOSE = 10_000
"""Objects in files of their own that are looked at; git packs them long before."""
MOST_BRANCHES = 1_000
"""Branches among which a renamed one is looked for."""
MOST_LOGS_BYTES = 16 * MOST_LOG_BYTES
"""Bytes read of all their reflogs."""
HEADS, REMOTES = "refs/heads/", "refs/remotes"
RENAMED = f"Branch: renamed {HEADS}"
"""Beginning of the line of a reflog that says which name a branch had."""


class GitFolders(Value):
    """The folders of one working tree."""

    top: str
    """Where the working tree begins."""
    own: str
    """The git folder of this working tree, with its HEAD."""
    common: str
    """The git folder that all worktrees share, with branches and objects."""


def git_mark(here: str, home: str) -> tuple[str, int]:
    """The nearest folder with a `.git` at a folder or above it, and the mode of that `.git`.

    A repository in the home folder or above holds settings, not a project; there the mode is 0.
    """
    top = here
    while not is_within(home, top) and top != os.path.dirname(top):
        try:
            return top, os.lstat(os.path.join(top, ".git")).st_mode
        except OSError:
            top = os.path.dirname(top)
    return here, 0


def git_folders(top: str, mode: int) -> GitFolders | None:
    """The git folders of a working tree; None if its `.git` leads nowhere that knows it."""
    mark = os.path.join(top, ".git")
    if stat.S_ISDIR(mode):
        return GitFolders(top, mark, mark)
    said = read_start(mark).strip() if stat.S_ISREG(mode) else ""
    if not said.startswith("gitdir:"):
        return None
    folder = real_path(top, said.removeprefix("gitdir:").strip())
    if written := read_start(os.path.join(folder, "commondir")).strip():
        common = real_path(folder, written)
        back = real_path(folder, read_start(os.path.join(folder, "gitdir")).strip())
        ours = os.path.dirname(folder) == os.path.join(common, "worktrees")
        return GitFolders(top, folder, common) if ours and back == mark else None
    # A submodule: a repository of its own, whose folder is elsewhere.
    tree = read_config(folder).get("core.worktree", "")
    return GitFolders(top, folder, folder) if tree and real_path(folder, tree) == top else None


def find_folders(folder: str, home: str) -> GitFolders | None:
    """The git folders around a folder; None outside of any repository."""
    here = real_path(folder) if folder else ""
    top, mode = git_mark(here, home) if here else ("", 0)
    return git_folders(top, mode) if mode else None


# HEAD, branches and reflogs


def read_head(folders: GitFolders) -> GitHead | None:
    """The commit and branch of HEAD; None before the first commit, or if git must be asked.

    While a branch is rebased HEAD is detached, and the branch is that one.
    """
    said = _first_line(os.path.join(folders.own, "HEAD"))
    if not said.startswith("ref:"):
        return GitHead(said, _rebased(folders.own)) if is_commit(said) else None
    name = said.removeprefix("ref:").strip()
    commit = read_ref(folders.common, name)
    branch = name.removeprefix(HEADS)
    return GitHead(commit, branch if is_branch(branch) else "") if commit else None


def is_clone(folder: str) -> bool:
    """Whether the oldest entry of HEAD's reflog says that `git clone` made the repository."""
    return "\tclone: from " in _first_line(os.path.join(folder, "logs", "HEAD"))


def uses_files(folders: GitFolders) -> bool:
    """Whether references are files; newer repositories may have a table instead."""
    return not os.path.isdir(os.path.join(folders.common, "reftable"))


def _rebased(own: str) -> str:
    for step in ("rebase-merge", "rebase-apply"):
        name = _first_line(os.path.join(own, step, "head-name")).removeprefix(HEADS)
        if is_branch(name):
            return name
    return ""


def read_ref(common: str, name: str) -> str:
    """The commit of a reference such as `refs/heads/main`; empty if it has none."""
    for _ in range(MOST_STEPS):
        if not name.startswith("refs/") or not is_branch(name.removeprefix("refs/")):
            return ""
        said = _first_line(os.path.join(common, name)) or _packed(common, name)
        if not said.startswith("ref:"):
            return said if is_commit(said) else ""
        name = said.removeprefix("ref:").strip()
    return ""


def _packed(common: str, name: str) -> str:
    """The commit of a reference in `packed-refs`, which may have a hundred thousand of them."""
    import mmap

    try:
        with open(os.path.join(common, "packed-refs"), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if not 0 < size <= MOST_PACKED_BYTES:
                return ""
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as packed:
                at = packed.find(f" {name}\n".encode())
                line = packed.rfind(b"\n", 0, at) + 1 if at >= 0 else 0
                return packed[line:at].decode("ascii", "replace") if at >= 0 else ""
    except (OSError, ValueError):
        return ""


def branch_tips(common: str, branch: str) -> list[str]:
    """The commits that a branch has here and at the remotes."""
    try:
        remotes = sorted(os.listdir(os.path.join(common, REMOTES)))[:MOST_STEPS]
    except OSError:
        remotes = []
    names = (f"{HEADS}{branch}", *(f"{REMOTES}/{one}/{branch}" for one in remotes))
    return [commit for name in names if (commit := read_ref(common, name))]


def branch_log(common: str, branch: str) -> list[tuple[str, str, str]] | None:
    """The moves of a branch, oldest first: from, to, and by what; None without a reflog."""
    path = os.path.join(common, "logs", HEADS, branch)
    return list(_log(path)) if os.path.isfile(path) else None


def former_names(common: str, branch: str) -> list[str]:
    """The names that a branch had before it was renamed and that no other branch has now."""
    found: dict[str, None] = {}
    for _, _, what in branch_log(common, branch) or ():
        name = what.removeprefix(RENAMED).partition(" to ")[0] if what.startswith(RENAMED) else ""
        if is_branch(name) and name != branch and not read_ref(common, f"{HEADS}{name}"):
            found[name] = None
    return list(found)


def present_name(common: str, branch: str, commit: str = "") -> str:
    """The name that a branch has now: its own, or the one to which it was renamed.

    Without a reflog of the renaming it is the only local branch that ends at `commit`. Empty if
    there is no such branch, here or at a remote.
    """
    if not is_branch(branch):
        return ""
    if read_ref(common, f"{HEADS}{branch}"):
        return branch
    for name in _logged_branches(common):
        if branch in former_names(common, name) and read_ref(common, f"{HEADS}{name}"):
            return name
    if branch_tips(common, branch):
        return branch
    ends = _branches_at(common, commit) if is_commit(commit) else ()
    return next(iter(ends)) if len(ends) == 1 else ""


def local_branches(common: str) -> list[str]:
    """The names of local branches, up to a limit."""
    names = [name for name, _ in _files_below(os.path.join(common, HEADS))]
    packed = read_start(os.path.join(common, "packed-refs"), MOST_LOG_BYTES)
    names += [ref for line in packed.splitlines() if (ref := line.partition(f" {HEADS}")[2])]
    return sorted(filter(is_branch, set(names[:MOST_BRANCHES])))


def _logged_branches(common: str) -> Iterator[str]:
    """Local branches that have a reflog, as far as the limits reach."""
    left = MOST_LOGS_BYTES
    for name, path in _files_below(os.path.join(common, "logs", HEADS)):
        try:
            left -= min(os.lstat(path).st_size, MOST_LOG_BYTES)
        except OSError:
            continue
        if left < 0:
            return
        yield name


def _branches_at(common: str, commit: str) -> set[str]:
    """Local branches that end at a commit."""
    names = [name for name, _ in _files_below(os.path.join(common, HEADS))]
    packed = read_start(os.path.join(common, "packed-refs"), MOST_LOG_BYTES)
    begin = f"{commit} {HEADS}"
    names += [line[len(begin) :] for line in packed.splitlines() if line.startswith(begin)]
    return {name for name in names if read_ref(common, f"{HEADS}{name}") == commit}


def _files_below(folder: str) -> Iterator[tuple[str, str]]:
    """Files in a folder and its folders, named by their paths from there, up to a limit."""
    found = 0
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            yield os.path.relpath(path, folder).replace(os.sep, "/"), path
            found += 1
            if found >= MOST_BRANCHES:
                return


def head_logs(common: str) -> list[list[tuple[str, str, str]]]:
    """The moves of HEAD, as in `branch_log`, for every worktree."""
    worktrees = os.path.join(common, "worktrees")
    try:
        names = sorted(os.listdir(worktrees))[:MOST_WORKTREES]
    except OSError:
        names = []
    folders = (common, *(os.path.join(worktrees, name) for name in names))
    return [list(_log(os.path.join(folder, "logs", "HEAD"))) for folder in folders]


def loose_objects(common: str) -> list[str]:
    """The ids of objects in files of their own, as the newest are; none if there are too many."""
    found: list[str] = []
    for number in range(256):
        try:
            names = os.listdir(os.path.join(common, "objects", f"{number:02x}"))
        except OSError:
            continue
        found += [id for name in names if is_commit(id := f"{number:02x}{name}")]
    return found if len(found) <= MOST_LOOSE else []


def _log(path: str) -> Iterator[tuple[str, str, str]]:
    for line in read_start(path, MOST_LOG_BYTES, from_end=True).splitlines():
        head, _, what = line.partition("\t")
        old, _, rest = head.partition(" ")
        new = rest.partition(" ")[0]
        if is_commit(old) and is_commit(new):
            yield old, new, what


def _first_line(path: str) -> str:
    return read_start(path, 1024).partition("\n")[0].strip()


# Files and paths


def read_config(folder: str) -> dict[str, str]:
    """The remotes' addresses and the working tree from a git configuration."""
    found: dict[str, str] = {}
    section = ""
    for line in read_start(os.path.join(folder, "config")).splitlines():
        text = line.strip()
        if text.startswith("["):
            name, _, label = text[1:].partition("]")[0].partition(" ")
            label = label.strip().strip('"')
            section = f"{name.lower()}.{label}" if label else name.lower()
            continue
        key, equals, value = text.partition("=")
        key = f"{section}.{key.strip().lower()}"
        wanted = key == "core.worktree" or (key.startswith("remote.") and key.endswith(".url"))
        if equals and wanted:
            found.setdefault(key, value.strip().strip('"'))
    return found


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def real_path(*parts: str) -> str:
    """The real path of joined parts; empty if no path can be written so."""
    try:
        return os.path.realpath(os.path.join(*parts))
    except ValueError:
        return ""


def read_start(path: str, most: int = MOST_BYTES, *, from_end: bool = False) -> str:
    """The beginning, or the end, of a plain file; nothing of a pipe or of a missing file."""
    try:
        # A pipe would keep this process waiting for a writer.
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return ""
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            return ""
        if from_end and found.st_size > most:
            os.lseek(file, -most, os.SEEK_END)
        return os.read(file, most).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(file)
