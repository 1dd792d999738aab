"""Entry point of `commonplace` and `python -m commonplace`."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .doors.cli import fast_recall


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run one command and return its exit code; a plain `recall` ends its process at once."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    environ = os.environ if environ is None else environ
    if (
        argv is None
        and "hook" in arguments
        and (host_arguments := _hook_arguments(arguments)) is not None
    ):
        from .doors.hooks.entrypoint import run

        os._exit(run(host_arguments, environ))
    alone = argv is None and arguments[:1] == ["recall"]
    if alone:
        _prepare_fast_exit(environ)
    from .doors.cli import fast_recall

    question = fast_recall.parse(arguments) if "_COMMONPLACE_COMPLETE" not in environ else None
    if question is None or argv is not None:
        gc.enable()
        return _run(question, arguments, environ, alone=False)
    code = _run(question, arguments, environ, alone=True)
    sys.stderr.flush()
    os._exit(code)


def _hook_arguments(arguments: Sequence[str]) -> list[str] | None:
    """The arguments of a `hook` call from a host; None for a person, who gets the help text.

    A host's call goes to the entrypoint that never fails, because a failure may block its prompt.
    """
    before = 0
    while arguments[before : before + 1] and arguments[before].startswith("-"):
        alone = "=" in arguments[before] or arguments[before] == "--json"
        before += 1 if alone else 2
    if list(arguments[before : before + 1]) != ["hook"]:
        return None
    rest = [*arguments[:before], *arguments[before + 1 :]]
    person = sys.stdin is not None and sys.stdin.isatty()
    if person or "--help" in rest or ("--json" in rest and "drain" in rest):
        return None
    return rest


def _prepare_fast_exit(environ: Mapping[str, str]) -> None:
    """Prepare a process that ends after one answer: no garbage collection, early prefetch."""
    gc.disable()
    if url := environ.get("COMMONPLACE_URL"):
        from .registry import start_prefetch

        start_prefetch(url)


def _run(
    question: fast_recall.RecallCommand | None,
    arguments: list[str],
    environ: Mapping[str, str],
    *,
    alone: bool,
) -> int:
    from .model.errors import CommonplaceError

    _print_anything(sys.stdout)
    _print_anything(sys.stderr)
    try:
        code = _dispatch(question, arguments, environ, alone=alone)
        sys.stdout.flush()
    except (CommonplaceError, KeyboardInterrupt, BrokenPipeError) as error:
        from .doors.cli.failures import ended_by

        return ended_by(error, as_json="--json" in arguments)
    return code


def _dispatch(
    question: fast_recall.RecallCommand | None,
    arguments: list[str],
    environ: Mapping[str, str],
    *,
    alone: bool,
) -> int:
    if question is not None:
        from .doors.cli import fast_recall

        return fast_recall.answer(question, environ, alone=alone)
    # Importing typer and rich costs several bare starts of Python.
    from .doors.cli.app import run

    return run(arguments, environ, main)


def _print_anything(stream: object) -> None:
    """Print an escape for each character that the terminal cannot show."""
    if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
        reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
