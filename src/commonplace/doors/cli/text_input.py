"""Texts that a person gives to a command: as an argument, on standard input or in an editor."""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from ...model.errors import BadInput, CommonplaceError

_STANDARD_ERROR = 2


def read_content(text: str) -> str:
    """The text itself, or standard input if the text is a dash."""
    if text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig").rstrip("\n")
    except UnicodeDecodeError as error:
        raise BadInput(
            "Standard input is not UTF-8 text.", hint="Convert it first, for example with iconv."
        ) from error


@contextmanager
def edited(
    text: str, *, name: str, environ: Mapping[str, str], alternative: str = "pass --content"
) -> Generator[str]:
    """Open the person's editor and yield the text as it is when the editor closes.

    If the new text cannot be saved, its file stays and the error says where.
    """
    if not sys.stdin.isatty():  # The editor would wait for ever.
        raise BadInput("The editor needs a terminal.", hint=f"Use a terminal, or {alternative}.")
    handle, path = tempfile.mkstemp(prefix=f"{name[:60]}-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    try:
        _open_editor(path, environ, alternative)
        yield _read_edited(path)
    except BaseException as error:
        if _is_unchanged(path, text):
            os.unlink(path)
        elif isinstance(error, CommonplaceError):
            error.hint = f"{error.hint} Your text is kept in {path}.".strip()
        raise
    os.unlink(path)


def _open_editor(path: str, environ: Mapping[str, str], alternative: str) -> None:
    fallback = "notepad" if sys.platform == "win32" else "vi"
    command = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or fallback)
    try:
        # The editor draws for the person; standard output may belong to a program.
        screen = None if sys.stdout.isatty() else _STANDARD_ERROR
        subprocess.run([*command, path], check=True, stdout=screen)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(
            f"The editor {command[0]!r} failed.",
            hint=f"Set EDITOR to another one, or {alternative}.",
        ) from error


def _is_unchanged(path: str, text: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace").rstrip("\n") == text.rstrip("\n")
    except OSError:
        return False


def _read_edited(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("The edited text is not UTF-8 text.", hint="Save it as UTF-8.") from error
