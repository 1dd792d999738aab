"""Run git on a repository that nobody vouches for: nothing that it configures is executed.

Only plumbing commands are meant to be run, on a git folder that is named. The environment is made
anew, no configuration but the repository's own is read, and what that could start is overridden:
hooks, the file system monitor, pagers, external diffs, text conversion, signatures and transports.
"""

from __future__ import annotations

import os
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_OPTIONS = (
    "--no-pager", "--no-replace-objects", "--no-optional-locks", "--literal-pathspecs",
    "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}",
    "-c", "protocol.allow=never", "-c", "log.showSignature=false",
    # Larger files count as binary: their texts are not loaded to be compared.
    "-c", "core.bigFileThreshold=1m", "-c", "core.quotePath=true",
)  # fmt: skip
PATCH = (
    "-r", "--root", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color",
    "--diff-algorithm=myers", "--inter-hunk-context=0", "--full-index",
    "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=none",
)  # fmt: skip
"""Options of `diff-tree` by which a patch is the same whatever a repository configures."""


class GitUnavailable(Exception):
    """There is no git, or it failed, or it took too long."""


class Git:
    """Runs git on one git folder until a deadline."""

    def __init__(self, folder: str, *, limit_s: float, also_objects: Sequence[str] = ()) -> None:
        self._folder = folder
        self._deadline = monotonic() + limit_s
        self._also = tuple(also_objects)

    def with_objects(self, folders: Iterable[str]) -> Git:
        """The same git, with the objects of other clones beside its own."""
        also = Git(self._folder, limit_s=0.0, also_objects=tuple(folders))
        also._deadline = self._deadline
        return also

    def run(self, *arguments: str, lines: Iterable[str] = ()) -> str:
        """The output of a command that reads these lines; raises GitUnavailable."""
        left_s = self._deadline - monotonic()
        program = _program()
        if left_s <= 0 or not program:
            raise GitUnavailable
        # Imported here, because most commands and hooks start no process.
        import subprocess

        try:
            done = subprocess.run(  # noqa: S603 - our own arguments; ids of commits go to its input.
                (program, *_OPTIONS, f"--git-dir={self._folder}", *arguments),
                input="".join(f"{line}\n" for line in lines).encode("ascii"),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=left_s,
                cwd=self._folder,
                env=_environment(self._also),
                check=True,
            )
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise GitUnavailable from error
        return done.stdout.decode("utf-8", "replace")


def _environment(also_objects: Sequence[str]) -> dict[str, str]:
    made = {
        "PATH": os.pathsep.join(_search_path()),
        "HOME": os.devnull,
        "XDG_CONFIG_HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
    }
    if "SYSTEMROOT" in os.environ:  # Windows starts no program without it.
        made["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    if also_objects:
        made["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = os.pathsep.join(also_objects)
    return made


def _search_path() -> list[str]:
    """The absolute folders of PATH: a relative one could be the repository's."""
    return [one for one in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(one)]


def _program() -> str:
    """The path of git; empty if it is not installed."""
    name = "git.exe" if os.name == "nt" else "git"
    for folder in _search_path():
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return ""
