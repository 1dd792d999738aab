"""Start a process of ours that outlives this one."""

from __future__ import annotations

import os
import sys

from ..locations import PREFIX, config_path
from ..registry import absolute_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..settings import Settings

_RUN_IN_FOLDER = (
    "import os, runpy, sys; os.chdir(sys.argv.pop(1));"
    " runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)
_STARTED: list[int] = []
"""Processes that may still run."""
_UNWATCHED: list[object] = []
"""Processes of systems without `posix_spawn`; kept so that Python raises no ResourceWarning."""


def start_detached(
    module: str, arguments: Sequence[str], chosen: Settings, environ: Mapping[str, str]
) -> None:
    """Run a module on the book of these settings, in a process that nobody waits for.

    The process works in the state folder: in the caller's folder, Python might import a package
    called commonplace (-P prevents that, too), and the folder could not be removed meanwhile.
    """
    named = {
        "URL": absolute_url(chosen.url or ""),
        "STATE": os.path.abspath(chosen.state),
        "CONFIG": os.path.abspath(config_path(environ)),
        **({"INDEX": chosen.index} if chosen.index else {}),
    }
    program = (sys.executable, "-P", "-c", _RUN_IN_FOLDER, named["STATE"], module, *arguments)
    _start(program, {**environ, **{f"{PREFIX}{name}": value for name, value in named.items()}})


def _start(program: tuple[str, ...], environ: Mapping[str, str]) -> None:
    """Start a program without the files of this process, in a session of its own.

    Importing `subprocess` takes longer than a bare start of Python, and most hooks need it for
    nothing else.
    """
    try:
        null = [(os.POSIX_SPAWN_OPEN, file, os.devnull, os.O_RDWR, 0) for file in range(3)]
        closed = [(os.POSIX_SPAWN_CLOSE, file) for file in _inheritable_files()]
        actions = (*null, *closed)
        process = os.posix_spawn(program[0], program, environ, file_actions=actions, setsid=True)
    except (AttributeError, NotImplementedError):  # Windows and older systems.
        _start_without_spawn(program, environ)
        return
    # Asking for a process that has ended removes it from the system's list.
    _STARTED[:] = [process, *filter(_runs, _STARTED)]


def _inheritable_files() -> list[int]:
    """The open files, beside the standard ones, that a new process would keep open.

    Python's own are not among them, but a host may have left some, and wait until they are closed.
    """
    found: list[int] = []
    for file in map(int, os.listdir("/dev/fd") if os.path.isdir("/dev/fd") else ()):
        try:
            if file > 2 and os.get_inheritable(file):
                found.append(file)
        except OSError:
            continue  # Closed meanwhile, as is the list itself.
    return found


def _runs(process: int) -> bool:
    try:
        return os.waitpid(process, os.WNOHANG)[0] == 0
    except ChildProcessError:
        return False


def _start_without_spawn(program: tuple[str, ...], environ: Mapping[str, str]) -> None:
    import subprocess

    null = subprocess.DEVNULL
    _UNWATCHED.append(
        subprocess.Popen(  # noqa: S603 (our own modules)
            program, env=environ, stdin=null, stdout=null, stderr=null, start_new_session=True
        )
    )
