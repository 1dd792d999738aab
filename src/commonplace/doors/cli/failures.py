"""Print errors, and return their exit codes.

Every error class has its own code and exit code; only this module prints them.
"""

from __future__ import annotations

import errno
import json
import os
import sys

from ...model.errors import CommonplaceError
from .text_format import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

FOUND_PROBLEMS = 1
OUTPUT_FAILED = 1
USAGE = 2
INTERRUPTED = 130

_UNWRITTEN = (errno.ENOSPC, errno.EFBIG, errno.EIO, errno.EBADF)
"""Errors of a write without a file's name, which is one to the output: stores say their own."""

_RED, _DIM, _PLAIN = "\x1b[31m", "\x1b[2m", "\x1b[0m"


def ended_by(error: CommonplaceError | KeyboardInterrupt | OSError, *, as_json: bool) -> int:
    """Print the error that ended a command, and return the exit code.

    An OSError that is none of the output's is raised again.
    """
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, CommonplaceError):
        try:
            return report(error, as_json=as_json)
        except OSError as unwritten:
            return _unwritten(unwritten)
    return _unwritten(error)


def _unwritten(error: OSError) -> int:
    """Say that the output cannot be written, except to a reader who closed the pipe."""
    closed = isinstance(error, BrokenPipeError)  # As in `commonplace list | head`.
    if not closed and (error.errno not in _UNWRITTEN or error.filename is not None):
        raise error
    for stream in (sys.stdout, sys.stderr):
        _drop_unwritten(stream)
    if not closed:
        sentence = f"The output cannot be written: {error.strerror}."
        say("output", sentence, "Make room, or send the output elsewhere.", as_json=False)
    return OUTPUT_FAILED


def _drop_unwritten(stream: TextIO) -> None:
    """Drop text that cannot go out, so that Python's last flush does not fail on it again."""
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def report(error: CommonplaceError, *, as_json: bool) -> int:
    """Print an error, and return the exit code of its class."""
    say(error.code, error.sentence, error.hint, as_json=as_json)
    return error.exit_code


def say(code: str, sentence: str, hint: str = "", *, as_json: bool) -> None:
    """Print a sentence and a hint for a person, or a JSON object for a program."""
    if as_json:
        error = {"error": {"code": code, "message": sentence, "hint": hint}}
        sys.stdout.write(json.dumps(error, ensure_ascii=False, indent=2) + "\n")
        sys.stdout.flush()
        return
    red, dim, plain = (_RED, _DIM, _PLAIN) if _has_colour() else ("", "", "")
    sys.stderr.write(f"{red}{clean(sentence)}{plain}\n")
    if hint:
        sys.stderr.write(f"{dim}{clean(hint)}{plain}\n")


def say_unanswered(outcome: str, *, as_json: bool) -> None:
    """Say what the end of the input at a question means, which is no answer and never a yes."""
    sentence = f"The question was not answered, so {outcome}."
    say("interrupted", sentence, "Run the command again, and answer it.", as_json=as_json)


def classes(root: type[CommonplaceError] = CommonplaceError) -> Iterator[type[CommonplaceError]]:
    """All error classes with a code of their own, parents first."""
    if "code" in vars(root):
        yield root
    for child in root.__subclasses__():
        yield from classes(child)


def _has_colour() -> bool:
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")
