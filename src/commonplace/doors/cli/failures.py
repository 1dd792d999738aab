"""What a failure looks like at the command line, and the exit code it ends with.

Every error class carries its own code and exit code; this is the one place that turns them into
what a person or a program sees.
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
    """Say what there is to say about the end of a command, and return its exit code."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, CommonplaceError):
        try:
            return report(error, as_json=as_json)
        except BrokenPipeError:
            pass
    # The reader has gone, as in `commonplace list | head`; Python's own last flush must not find
    # the same pipe again.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())
    return PIPE_CLOSED


def report(error: CommonplaceError, *, as_json: bool) -> int:
    """Say what went wrong and return the exit code of its class."""
    say(error.code, error.sentence, error.hint, as_json=as_json)
    return error.exit_code


def say(code: str, sentence: str, hint: str = "", *, as_json: bool) -> None:
    """One sentence and one hint for a person, or one JSON object for a program."""
    if as_json:
        told = {"error": {"code": code, "message": sentence, "hint": hint}}
        sys.stdout.write(json.dumps(told, ensure_ascii=False, indent=2) + "\n")
        sys.stdout.flush()
        return
    red, dim, plain = (_RED, _DIM, _PLAIN) if _coloured() else ("", "", "")
    sys.stderr.write(f"{red}{clean(sentence)}{plain}\n")
    if hint:
        sys.stderr.write(f"{dim}{clean(hint)}{plain}\n")


def classes(root: type[CommonplaceError] = CommonplaceError) -> Iterator[type[CommonplaceError]]:
    """Every kind of failure there is, parents first."""
    yield root
    for child in root.__subclasses__():
        yield from classes(child)


def _coloured() -> bool:
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")
