"""Entry point of `commonplace` and `python -m commonplace`."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def main(argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> int:
    """Run one command and return its exit code; a plain `recall` ends its process at once."""
    try:
        return _main(argv, environ)
    except KeyboardInterrupt:  # While the command was still being imported.
        return 130


def _main(argv: Sequence[str] | None, environ: Mapping[str, str] | None) -> int:
    arguments = sys.argv[1:] if argv is None else list(argv)
    environ = os.environ if environ is None else environ
    place = _place_of_command(arguments)
    command = arguments[place] if argv is None and place < len(arguments) else ""
    if command == "hook" and (host_arguments := _hook_arguments(arguments, place)) is not None:
        if "drain" not in host_arguments:
            _load_datetime()
        from .doors.hooks.entrypoint import run

        os._exit(run(host_arguments, environ))
    completing = "_COMMONPLACE_COMPLETE" in environ
    if command == "mcp" and not completing:
        from .doors.mcp import stdio

        if (served := stdio.parse(arguments)) is not None:
            return _run(lambda: stdio.serve_stdio(served[0], environ, tools=served[1]), arguments)
    alone = argv is None and arguments[:1] == ["recall"]
    if alone:
        _prepare_fast_exit(environ)
    from .doors.cli import fast_recall

    question = None if completing else fast_recall.parse(arguments)
    if question is None:
        gc.enable()
        return _run(lambda: _full_command_line(arguments, environ), arguments)
    if argv is not None:
        gc.enable()
        return _run(lambda: fast_recall.answer(question, environ), arguments)
    code = _run(lambda: fast_recall.answer(question, environ, alone=True), arguments)
    sys.stderr.flush()
    os._exit(code)


def _place_of_command(arguments: Sequence[str]) -> int:
    """The place of the command's name, after the options that may stand before it."""
    place = 0
    while arguments[place : place + 1] and arguments[place].startswith("-"):
        alone = "=" in arguments[place] or arguments[place] == "--json"
        place += 1 if alone else 2
    return place


def _hook_arguments(arguments: Sequence[str], place: int) -> list[str] | None:
    """The arguments of a `hook` call from a host; None for a person, who gets the help text.

    A host's call goes to the entrypoint that never fails, because a failure may block its prompt.
    """
    rest = [*arguments[:place], *arguments[place + 1 :]]
    person = sys.stdin is not None and sys.stdin.isatty()
    if person or "--help" in rest or ("--json" in rest and "drain" in rest):
        return None
    return rest


def _prepare_fast_exit(environ: Mapping[str, str]) -> None:
    """Prepare a process that ends after one answer: no garbage collection, early prefetch."""
    gc.disable()
    _load_datetime()
    if url := environ.get("COMMONPLACE_URL"):
        from .locations import state_root
        from .registry import start_prefetch

        start_prefetch(url, state_root(environ))


def _load_datetime() -> None:
    """Load `datetime` as later versions do: 3.11 defines all of it in Python first."""
    if sys.version_info < (3, 12):
        import _datetime  # pyright: ignore[reportMissingImports]

        sys.modules.setdefault("datetime", _datetime)


def _run(act: Callable[[], int], arguments: Sequence[str]) -> int:
    """Run a command; an error that ends it is printed, and becomes the exit code."""
    from .model.errors import CommonplaceError

    _replace_closed_streams()
    _print_anything(sys.stdout)
    _print_anything(sys.stderr)
    try:
        code = act()
        sys.stdout.flush()
    except (CommonplaceError, KeyboardInterrupt, OSError) as error:
        from .doors.cli.failures import ended_by

        return ended_by(error, as_json="--json" in arguments)
    return code


def _full_command_line(arguments: list[str], environ: Mapping[str, str]) -> int:
    if not arguments or arguments[0].startswith("-"):
        from .doors.cli import greet

        asked = greet.parse(arguments) if "_COMMONPLACE_COMPLETE" not in environ else None
        if asked is not None:
            return greet.run(asked, environ)
    # Importing typer and rich costs several bare starts of Python.
    from .doors.cli.app import run

    return run(arguments, environ, main)


def _replace_closed_streams() -> None:
    """Print to nowhere for a caller who closed standard output or standard error."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _print_anything(stream: object) -> None:
    """Print an escape for each character that the terminal cannot show."""
    if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
        reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
