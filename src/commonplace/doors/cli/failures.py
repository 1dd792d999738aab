"""Print errors, and return their exit codes.

Every error class has its own code and exit code; only this module prints them.
"""

from __future__ import annotations

import json
import os
import sys

from ...model.errors import CommonplaceError
from .text_format import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOUND_PROBLEMS = 1
PIPE_CLOSED = 1
USAGE = 2
INTERRUPTED = 130

_RED, _DIM, _PLAIN = "\x1b[31m", "\x1b[2m", "\x1b[0m"


def ended_by(
    error: CommonplaceError | KeyboardInterrupt | BrokenPipeError, *, as_json: bool
) -> int:
    """Print the error that ended a command, and return the exit code."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, CommonplaceError):
        try:
            return report(error, as_json=as_json)
        except BrokenPipeError:
            pass
    # The reader has closed the pipe, as in `commonplace list | head`; Python's last flush must not
    # fail on it again.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())
    return PIPE_CLOSED


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
