"""Paths of the settings file, the state folder, and the files that hooks keep in it."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "COMMONPLACE_"
HOOKS = "hooks"
TURNS, EVENTS, PIECE = ".jsonl", ".events", "+"
"""Suffixes of a session's files of turns and events, and the mark before the number of a piece."""
LATE = ".late"
"""Suffix of the file with an answer that came too late, for the next prompt."""
TAKEN = ".taken"
"""Suffix of a file of turns while a process drains it."""
LOG_NAME = "hooks.log"
BISECTIONS, DIGEST = "bisections", ".digest"
"""The folder of bisections in a book's state, and the suffix of the text that a command reads."""
LARGE = "large"
"""Empty file in a book's state that marks it as large: its files are not listed beforehand."""


def state_root(environ: Mapping[str, str]) -> str:
    """The state folder, unless the settings file names another."""
    return os.path.expanduser(environ.get(f"{PREFIX}STATE") or _state_root(environ))


def config_path(environ: Mapping[str, str]) -> str:
    """Path of the settings file."""
    if named := environ.get(f"{PREFIX}CONFIG"):
        return os.path.expanduser(named)
    root = environ.get("XDG_CONFIG_HOME") or os.path.join(_home(environ), ".config")
    if sys.platform == "win32":
        root = environ.get("APPDATA", root)
    return os.path.join(root, "commonplace", "config.yaml")


def _state_root(environ: Mapping[str, str]) -> str:
    if sys.platform == "darwin":
        root = os.path.join(_home(environ), "Library", "Application Support")
    elif sys.platform == "win32":
        root = environ.get("LOCALAPPDATA") or _home(environ)
    else:
        root = environ.get("XDG_STATE_HOME") or os.path.join(_home(environ), ".local", "state")
    return os.path.join(root, "commonplace")


def _home(environ: Mapping[str, str]) -> str:
    return environ.get("HOME") or os.path.expanduser("~")


def hook_folder(state: str, url: str) -> str:
    """The folder of a book's session files, by one spelling of the book's URL."""
    import zlib

    checksum = zlib.crc32(url.encode("utf-8", "surrogatepass"))
    return os.path.join(state, HOOKS, f"{checksum:08x}")


def place_suffix(path: str) -> str:
    """The end of the name of the state folder of a book at a path, after the book's id.

    Two copies of a vault share its id; the path keeps their indexes and devices apart.
    """
    import zlib

    return f"-{zlib.crc32(os.path.realpath(path).encode('utf-8', 'surrogateescape')):08x}"


def is_marked_large(state: str, path: str) -> bool:
    """Whether this device marked the book at a path as large, when it last looked at every file."""
    try:
        names = os.listdir(state)
    except OSError:
        return False
    suffix = place_suffix(path)
    own = (name for name in names if name.endswith(suffix))
    return any(os.path.exists(os.path.join(state, name, LARGE)) for name in own)
