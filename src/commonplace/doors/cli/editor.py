"""A text, changed in the person's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...errors import BadInput, CommonplaceError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping


_STANDARD_ERROR = 2


@contextmanager
def edited(
    text: str, *, name: str, environ: Mapping[str, str], instead: str = "pass --content"
) -> Generator[str]:
    """The text as it is when the editor closes.

    If what was typed cannot be saved, the file stays and the error says where: nobody types twice.
    """
    _require_terminal(instead)
    handle, path = tempfile.mkstemp(prefix=f"{name[:60]}-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    try:
        _open(path, environ, instead)
        yield _read(path)
    except BaseException as error:
        if _holds(path, text):
            os.unlink(path)
        elif isinstance(error, CommonplaceError):
            error.hint = f"{error.hint} Your text is kept in {path}.".strip()
        raise
    os.unlink(path)


def _require_terminal(instead: str) -> None:
    """Nobody can type where no terminal is, and an editor would wait for them for ever."""
    if not sys.stdin.isatty():
        raise BadInput(
            "An editor needs a terminal, and here is none.",
            hint=f"Use a terminal, or {instead}.",
        )


def _open(path: str, environ: Mapping[str, str], instead: str) -> None:
    fallback = "notepad" if sys.platform == "win32" else "vi"
    command = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or fallback)
    try:
        # What it draws is for the person, not for whoever reads the answer.
        screen = None if sys.stdout.isatty() else _STANDARD_ERROR
        subprocess.run([*command, path], check=True, stdout=screen)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(
            f"The editor {command[0]!r} did not finish its work.",
            hint=f"Set EDITOR to one that does, or {instead}.",
        ) from error


def _holds(path: str, text: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace").rstrip("\n") == text.rstrip("\n")
    except OSError:
        return False


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("The edited text is not UTF-8 text.", hint="Save it as UTF-8.") from error
