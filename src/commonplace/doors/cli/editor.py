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


@contextmanager
def edited(text: str, *, name: str, environ: Mapping[str, str]) -> Generator[str]:
    """The text as it is when the editor closes.

    If it then cannot be saved, the file stays and the error says where: nobody types twice.
    """
    handle, path = tempfile.mkstemp(prefix=f"{name[:60]}-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    try:
        _open(path, environ)
        yield _read(path)
    except CommonplaceError as error:
        error.hint = f"{error.hint} Your text is kept in {path}.".strip()
        raise
    os.unlink(path)


def _open(path: str, environ: Mapping[str, str]) -> None:
    fallback = "notepad" if sys.platform == "win32" else "vi"
    command = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or fallback)
    try:
        subprocess.run([*command, path], check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(
            f"The editor {command[0]!r} did not finish its work.",
            hint="Set EDITOR to one that does, or pass --content.",
        ) from error


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("The edited text is not UTF-8 text.", hint="Save it as UTF-8.") from error
