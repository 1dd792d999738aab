"""The project of a folder: the name of its git repository, read from git's own files.

Git is not run, since that takes longer than a question and runs what a repository configures. The
files may be anybody's: each is read only up to a limit, and none may name another project. Several
worktrees, and several clones, of one repository are one project.
"""

from __future__ import annotations

import os
import stat
import zlib

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
CLAIMS_FILE = "projects.jsonl"
"""File in the state folder with the repositories that have a name, so that no two share one."""
MOST_BYTES = 64 * 1024
"""Bytes read of a file of git."""
MOST_CLAIM_BYTES = 1024 * 1024
OURS, TAKEN, FREE = "ours", "taken", "free"
_TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/dev/shm")  # noqa: S108


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
    plain_folders: bool = False,
) -> Context:
    """The context, with the project of a folder unless it has one or the settings say otherwise.

    With `plain_folders`, a folder outside of any repository is a project, too.
    """
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
    folder: str, chosen: Settings, environ: Mapping[str, str], *, plain_folders: bool = False
) -> str:
    """The name of a folder's project; empty if it has none."""
    here = _real(folder) if folder else ""
    if not here or not os.path.isdir(here):
        return ""
    found, top = _repository(here, home_of(environ))
    inside = os.path.join(found.root, os.path.relpath(here, top)) if found else here
    named = _named_folder(chosen.projects, here) or _named_folder(chosen.projects, inside)
    if named:
        return "" if named == NONE else named
    if found is None and plain_folders and not _is_no_project(here, environ):
        found = Repository(here, os.path.basename(here))
    return claimed_name(found, chosen.state) if found else ""


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
        path = _real(os.path.expanduser(str(written)))
        if len(path) > len(best[0]) and is_within(folder, path):
            best = (path, str(name))
    return best[1]


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _is_no_project(folder: str, environ: Mapping[str, str]) -> bool:
    """Whether a folder is the home folder, one above it, or the one for temporary files."""
    temporary = (*_TEMPORARY, os.path.realpath(environ.get("TMPDIR") or _TEMPORARY[0]))
    return is_within(home_of(environ), folder) or folder in temporary


# Git's files


def _repository(here: str, home: str) -> tuple[Repository | None, str]:
    """The repository around a folder, and the top of its working tree.

    A repository in the home folder or above holds settings, not a project.
    """
    top = here
    while not is_within(home, top) and top != os.path.dirname(top):
        mark = os.path.join(top, ".git")
        try:
            kind = os.lstat(mark).st_mode
        except OSError:
            top = os.path.dirname(top)
            continue
        if stat.S_ISDIR(kind):
            return Repository(top, os.path.basename(top), _remote(mark, top)), top
        linked = _linked(mark, top) if stat.S_ISREG(kind) else None
        return linked or Repository(top, os.path.basename(top)), top
    return None, here


def _linked(mark: str, top: str) -> Repository | None:
    """The repository that a `.git` file leads to, if that one knows this folder."""
    said = _read(mark).strip()
    if not said.startswith("gitdir:"):
        return None
    folder = _real(top, said.removeprefix("gitdir:").strip())
    if written := _read(os.path.join(folder, "commondir")).strip():
        common = _real(folder, written)
        back = _real(folder, _read(os.path.join(folder, "gitdir")).strip())
        ours = os.path.dirname(folder) == os.path.join(common, "worktrees")
        return _main_repository(common) if ours and back == mark else None
    # A submodule: a repository of its own, whose folder is elsewhere.
    tree = _config(folder).get("core.worktree", "")
    if tree and _real(folder, tree) == top:
        return Repository(top, os.path.basename(top), _remote(folder, top))
    return None


def _main_repository(common: str) -> Repository:
    """The repository of a worktree, by its common folder: chess/.git, chess/.bare, chess.git."""
    name = os.path.basename(common)
    root = os.path.dirname(common) if name.startswith(".") else common
    name = os.path.basename(root).removesuffix("" if name.startswith(".") else ".git")
    return Repository(root, name, _remote(common, root))


def _remote(folder: str, root: str) -> str:
    """Host and path of `origin`, or of the first remote."""
    config = _config(folder)
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
        host, path = "", _real(root, local) if local else ""
    path = path.strip("/").removesuffix(".git")
    return f"{host}/{path}".casefold() if path else ""


def _real(*parts: str) -> str:
    """The real path of joined parts; empty if no path can be written so."""
    try:
        return os.path.realpath(os.path.join(*parts))
    except ValueError:
        return ""


def _config(folder: str) -> dict[str, str]:
    """The remotes' addresses and the working tree from a git configuration."""
    found: dict[str, str] = {}
    section = ""
    for line in _read(os.path.join(folder, "config")).splitlines():
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


def _read(path: str, most: int = MOST_BYTES) -> str:
    """The beginning of a plain file; nothing of a pipe, a device or a file that is missing."""
    try:
        # A pipe would keep this process waiting for a writer.
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return ""
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return ""
        return os.read(file, most).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(file)


# Names, of which each belongs to one repository


def claimed_name(found: Repository, state: str) -> str:
    """The name of a project: its folder's, unless another repository has that name already."""
    for name in _names(found):
        if _holder(name, found, state) == FREE:
            _claim(name, found, state)
        # Of two claims at once the first one counts. In a read-only folder the name stays free.
        if _holder(name, found, state) != TAKEN:
            return name
    return ""


def known_roots(state: str) -> dict[str, str]:
    """Folders of the projects that were seen on this device, with their names."""
    return {one.root: one.name for one in _claims(state)}


def _names(found: Repository) -> Iterator[str]:
    """Names for a project, the best first; only those that a scope can have."""
    above = found.remote.split("/")[-2:] if found.remote else found.root.split(os.sep)[-2:]
    checksum = zlib.crc32((found.remote or found.root).encode("utf-8", "surrogateescape"))
    for name in (found.name, "-".join(above), f"{found.name}-{checksum:08x}"):
        try:
            yield checked_value("project", name)
        except BadScope:
            continue


def _holder(name: str, found: Repository, state: str) -> str:
    """Whether a name is this repository's, another one's, or free: the first living claim holds."""
    for one in _claims(state):
        if one.name != name:
            continue
        if one.root == found.root or (one.remote and one.remote == found.remote):
            return OURS
        if _lives(one):
            return TAKEN
    return FREE


def _lives(claim: Repository) -> bool:
    """Whether a claim holds: that of a folder without a remote ends with the folder."""
    return bool(claim.remote) or os.path.isdir(claim.root)


def _claims(state: str) -> list[Repository]:
    found: list[Repository] = []
    for line in _read(os.path.join(state, CLAIMS_FILE), MOST_CLAIM_BYTES).splitlines():
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
