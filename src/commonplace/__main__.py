"""Where `commonplace` and `python -m commonplace` begin."""

from __future__ import annotations

import os
import sys

from .doors.cli import failures, hot
from .errors import CommonplaceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    _print_anything(sys.stdout)
    _print_anything(sys.stderr)
    try:
        code = _dispatch(arguments, os.environ if environ is None else environ)
        sys.stdout.flush()
    except CommonplaceError as error:
        return failures.report(error, as_json="--json" in arguments)
    except KeyboardInterrupt:
        return failures.INTERRUPTED
    except BrokenPipeError:
        # The reader has gone, as in `commonplace list | head`; Python's own last flush must not
        # find the same pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return failures.PIPE_CLOSED
    return code


def _dispatch(arguments: list[str], environ: Mapping[str, str]) -> int:
    question = hot.parse(arguments) if "_COMMONPLACE_COMPLETE" not in environ else None
    if question is not None:
        return hot.answer(question, environ)
    # Importing typer and rich costs several bare starts of Python: only those who need them pay.
    from .doors.cli.app import run

    return run(arguments, environ)


def _print_anything(stream: object) -> None:
    """A terminal that cannot show a character gets an escape in its place, never a crash."""
    if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
        reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
