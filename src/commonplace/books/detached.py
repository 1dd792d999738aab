"""Start a process of ours that outlives this one."""

from __future__ import annotations

import os
import sys

from ..locations import PREFIX, config_path
from ..registry import absolute_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from subprocess import Popen

    from ..settings import Settings

_STARTED: list[Popen[bytes]] = []
"""Processes that may still run; kept so that Python raises no ResourceWarning."""


def start_detached(
    module: str, arguments: Sequence[str], chosen: Settings, environ: Mapping[str, str]
) -> None:
    """Run a module on the book of these settings, in a process that nobody waits for.

    The process works in the state folder: in the caller's folder, Python might import a package
    called commonplace (-P prevents that, too), and the folder could not be removed meanwhile.
    """
    import subprocess

    named = {
        "URL": absolute_url(chosen.url or ""),
        "STATE": os.path.abspath(chosen.state),
        "CONFIG": os.path.abspath(config_path(environ)),
        **({"INDEX": chosen.index} if chosen.index else {}),
    }
    null = subprocess.DEVNULL
    process = subprocess.Popen(  # noqa: S603 (our own modules)
        [sys.executable, "-P", "-m", module, *arguments],
        env={**environ, **{f"{PREFIX}{name}": value for name, value in named.items()}},
        cwd=chosen.state,
        stdin=null,
        stdout=null,
        stderr=null,
        start_new_session=True,
    )
    # Asking a process that has ended removes it from the system's list.
    _STARTED[:] = [process, *(one for one in _STARTED if one.poll() is None)]
