"""Where `commonplace` and `python -m commonplace` begin."""

from __future__ import annotations

import gc
import os
import sys

from .doors.cli import hot
from .errors import CommonplaceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run one command and return its exit code; a plain `recall` ends its process at once."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    environ = os.environ if environ is None else environ
    question = hot.parse(arguments) if "_COMMONPLACE_COMPLETE" not in environ else None
    if question is None or argv is not None:
        return _run(question, arguments, environ)
    # This process answers one question and is over: it neither stops to collect garbage nor
    # takes the interpreter apart when done, which together is a tenth of its time.
    gc.disable()
    code = _run(question, arguments, environ)
    sys.stderr.flush()
    os._exit(code)


def _run(question: hot.Question | None, arguments: list[str], environ: Mapping[str, str]) -> int:
    _print_anything(sys.stdout)
    _print_anything(sys.stderr)
    try:
        code = _dispatch(question, arguments, environ)
        sys.stdout.flush()
    except (CommonplaceError, KeyboardInterrupt, BrokenPipeError) as error:
        from .doors.cli.failures import ended_by

        return ended_by(error, as_json="--json" in arguments)
    return code


def _dispatch(
    question: hot.Question | None, arguments: list[str], environ: Mapping[str, str]
) -> int:
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
