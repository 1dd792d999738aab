"""The project of a folder: the name of its git repository, read from git's own files.

Git is not run, since that takes longer than a question and runs what a repository configures. The
files may be anybody's: each is read only up to a limit, and none may name another project. Several
worktrees, and several clones, of one repository are one project.
"""

from __future__ import annotations

import os
import zlib

from .git_files import (
    git_folders,
    git_mark,
    is_clone,
    is_within,
    read_config,
    read_start,
    real_path,
)
from .model.errors import BadScope
from .model.quick_json import parse_json, quote_json
from .model.scope import checked_value
from .model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .model.scope import Context
    from .settings import Settings

AUTO, NONE = "auto", "none"
"""Values of the setting `hook_project`: the folder's project, or none."""
ONLY_GIT, KNOWN_FOLDERS, ANY_FOLDER = "only git", "known folders", "any folder"
"""Which folders outside of any repository are projects: none, those in which an agent has worked
and what is below them, or these and any other folder by itself."""
CLAIMS_FILE = "projects.jsonl"
"""File in the state folder with the repositories that have a name, so that no two share one."""
MOST_CLAIM_BYTES = 1024 * 1024
OURS, JOINED, TAKEN, FREE = "ours", "joined", "taken", "free"
TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/dev/shm")  # noqa: S108
"""Folders for temporary files, unless the environment names one."""


class Repository(Value):
    """A git repository, or a folder that stands for itself."""

    root: str
    """The main folder, which is the same for all worktrees."""
    name: str
    remote: str = ""
    """Host and path of the remote, without user and password."""


def with_project(
    given: Context,
    chosen: Settings,
    folder: str,
    environ: Mapping[str, str],
    *,
    plain_folders: str = KNOWN_FOLDERS,
) -> Context:
    """The context, with the project of a folder unless it has one or the settings say otherwise."""
    if given.project == NONE:
        return given.but(project=None)
    wanted = str(chosen.hook_project)
    if given.project is not None or wanted in (NONE, str(False)):
        return given
    if wanted != AUTO:
        return given.but(project=wanted)
    project = project_of(folder, chosen, environ, plain_folders=plain_folders)
    return given.but(project=project) if project else given


def project_of(
    folder: str, chosen: Settings, environ: Mapping[str, str], *, plain_folders: str = KNOWN_FOLDERS
) -> str:
    """The name of a folder's project; empty if it has none."""
    here = real_path(folder) if folder else ""
    if not here or not os.path.isdir(here) or _is_of_plugin(here, environ):
        return ""
    found, top = _repository(here, home_of(environ))
    inside = os.path.join(found.root, os.path.relpath(here, top)) if found else here
    named = _named_folder(chosen.projects, here) or _named_folder(chosen.projects, inside)
    if named:
        return "" if named == NONE else named
    if found is None and plain_folders != ONLY_GIT and not _is_no_project(here, environ):
        found = _known_above(here, chosen.state, environ)
        if found is None and plain_folders == ANY_FOLDER:
            found = Repository(here, os.path.basename(here))
    return claimed_name(found, chosen.state) if found else ""


def work_tree_top(folder: str, state: str, environ: Mapping[str, str]) -> str:
    """The top of the work tree around a folder: git's, a known project's, or the folder itself."""
    here = real_path(folder) if folder else ""
    if not here or not os.path.isdir(here) or _is_of_plugin(here, environ):
        return ""
    found, top = _repository(here, home_of(environ))
    if found is not None:
        return top
    if _is_no_project(here, environ):
        return ""
    known = _known_above(here, state, environ)
    return known.root if known else here


def home_of(environ: Mapping[str, str]) -> str:
    """The real path of the home folder."""
    return os.path.realpath(environ.get("HOME") or os.path.expanduser("~"))


def working_folder() -> str:
    """The folder this process works in; empty if it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _named_folder(named: Mapping[str, object], folder: str) -> str:
    """The name that the settings give to a folder, or to the nearest one above it."""
    best = ("", "")
    for written, name in named.items():
        path = real_path(os.path.expanduser(str(written)))
        if len(path) > len(best[0]) and is_within(folder, path):
            best = (path, str(name))
    return best[1]


def _is_no_project(folder: str, environ: Mapping[str, str]) -> bool:
    """Whether a folder is the home folder, one above it, or the one for temporary files."""
    temporary = (*TEMPORARY, os.path.realpath(environ.get("TMPDIR") or TEMPORARY[0]))
    return is_within(home_of(environ), folder) or folder in temporary


def _is_of_plugin(folder: str, environ: Mapping[str, str]) -> bool:
    """Whether a folder belongs to a plugin: hosts of Agent Plugins start servers in its root."""
    root = environ.get("PLUGIN_ROOT")
    return bool(root) and is_within(folder, real_path(root))


# Git's files


def _repository(here: str, home: str) -> tuple[Repository | None, str]:
    """The repository around a folder, and the top of its working tree."""
    top, mode = git_mark(here, home)
    if not mode:
        return None, here
    found = git_folders(top, mode)
    if found is None:
        return Repository(top, os.path.basename(top)), top
    if found.own != found.common:
        return _main_repository(found.common), top
    return Repository(top, os.path.basename(top), _remote(found.own, top)), top


def _main_repository(common: str) -> Repository:
    """The repository of a worktree, by its common folder: chess/.git, chess/.bare, chess.git."""
    name = os.path.basename(common)
    root = os.path.dirname(common) if name.startswith(".") else common
    name = os.path.basename(root).removesuffix("" if name.startswith(".") else ".git")
    return Repository(root, name, _remote(common, root))


def _remote(folder: str, root: str) -> str:
    """Host and path of `origin`, or of the first remote."""
    config = read_config(folder)
    urls = [url for key, url in config.items() if key.startswith("remote.")]
    url = config.get("remote.origin.url") or (urls[0] if urls else "")
    return _plain_remote(url, root)


def _plain_remote(url: str, root: str) -> str:
    """A remote in one spelling, whether it is git@host:owner/name.git or https://host/owner/name."""
    scheme, separator, rest = url.partition("://")
    if separator and scheme.lower() != "file":
        server, _, path = rest.partition("/")
        host = server.rpartition("@")[2].partition(":")[0]
    elif not separator and ":" in url.partition("/")[0]:
        server, _, path = url.partition(":")
        host = server.rpartition("@")[2]
    else:
        local = rest if separator else url
        host, path = "", real_path(root, local) if local else ""
    path = path.strip("/").removesuffix(".git")
    return f"{host}/{path}".casefold() if path else ""


# Names, of which each belongs to one repository


def claimed_name(found: Repository, state: str) -> str:
    """The name of a project: its folder's, unless another repository has that name already."""
    for name in _names(found, state):
        if _holder(name, found, state) in (FREE, JOINED):
            _claim(name, found, state)
        # If two claim a name at once, the first one counts. In a read-only folder it stays free.
        if _holder(name, found, state) != TAKEN:
            return name
    return ""


def _known_above(here: str, state: str, environ: Mapping[str, str]) -> Repository | None:
    """The nearest project that was seen on this device at a folder or above it."""
    # The main folder of a bare repository such as ~/.dotfiles is the home folder.
    above = [
        one
        for one in _claims(state)
        if is_within(here, one.root) and not _is_no_project(one.root, environ)
    ]
    return max(above, key=lambda one: len(one.root), default=None)


def known_roots(state: str) -> dict[str, str]:
    """Folders of the projects that were seen on this device, with their names."""
    return {one.root: one.name for one in _claims(state)}


def _names(found: Repository, state: str) -> Iterator[str]:
    """Names for a project, the best first; only those that a scope can have."""
    yield from _valid(found.name)
    # A remote would make another name; the project has the one that it got without it.
    yield from [one.name for one in _claims(state) if _came_late(one, found)]
    above = found.remote.split("/")[-2:] if found.remote else found.root.split(os.sep)[-2:]
    checksum = zlib.crc32((found.remote or found.root).encode("utf-8", "surrogateescape"))
    yield from _valid("-".join(above), f"{found.name}-{checksum:08x}")


def _valid(*names: str) -> Iterator[str]:
    for name in names:
        try:
            yield checked_value("project", name)
        except BadScope:
            continue


def _holder(name: str, found: Repository, state: str) -> str:
    """Whether a name is this repository's, another one's, or free: the first living claim holds."""
    claims = [one for one in _claims(state) if one.name == name]
    for one in claims:
        if one.root == found.root or (one.remote and one.remote == found.remote):
            return OURS
        if _came_late(one, found):
            known = any(other.remote == found.remote for other in claims)
            return OURS if known else JOINED
        if _lives(one):
            return TAKEN
    return FREE


def _came_late(claim: Repository, found: Repository) -> bool:
    """Whether this repository has a remote by now, and had none when a name was claimed for it.

    The claim is for its own folder, or for one of that name which has the same remote today.
    """
    if claim.remote or not found.remote:
        return False
    if claim.root != found.root:
        there, _ = _repository(claim.root, home="")
        if there != Repository(claim.root, found.name, found.remote):
            return False
    # A clone has its remote from the start: it came to the folder of the one that had none.
    return not is_clone(os.path.join(claim.root, ".git"))


def _lives(claim: Repository) -> bool:
    """Whether a claim holds: that of a folder without a remote ends with the folder."""
    return bool(claim.remote) or os.path.isdir(claim.root)


def _claims(state: str) -> list[Repository]:
    found: list[Repository] = []
    for line in read_start(os.path.join(state, CLAIMS_FILE), MOST_CLAIM_BYTES).splitlines():
        try:
            name, root, remote = parse_json(line)
            found.append(Repository(str(root), str(name), str(remote)))
        except (ValueError, TypeError):
            continue  # Cut short by a full disk.
    return found


def _claim(name: str, found: Repository, state: str) -> None:
    line = ", ".join(quote_json(text) for text in (name, found.root, found.remote))
    try:
        os.makedirs(state, mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        file = os.open(os.path.join(state, CLAIMS_FILE), flags, 0o600)
    except OSError:
        return
    try:
        os.write(file, f"[{line}]\n".encode("ascii"))
    except OSError:
        return  # The disk is full: the next session claims it.
    finally:
        os.close(file)
