"""The command line: all commands, and the errors of wrong arguments."""

import difflib
import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any

import typer
from typer.main import get_command

from ... import __version__
from . import (
    anchors,
    audit,
    backups,
    change,
    connect,
    digest,
    evaluate,
    explain,
    failures,
    find,
    history,
    inbox,
    save,
    scopes,
    sealed,
    serve,
    setup,
    sources,
    torture,
    tour,
    transfer,
    upkeep,
    work,
)
from .call import Call, Main, color_system
from .declare import FIND, HISTORY, MAINTENANCE, REMEMBER, SERVER, WORK, callback

_LEAST_LIKENESS = 0.6
_ONE_AT_A_TIME = " Give one at a time, and a text of several words in quotes."


def _in_its_range(found: re.Match[str]) -> str:
    """Which end of its range a number has passed, of one that has both."""
    value, least, most = found.groups()
    below = float(value) < float(least)
    return f"it has to be {least} or more." if below else f"it has to be {most} or less."


_VALIDATOR_PHRASES = (
    (r"(?<=: ).* is not a valid int(?: range)?\.", "it has to be a whole number."),
    (r"(?<=: ).* is not a valid float(?: range)?\.", "it has to be a number."),
    (r"(\S+) is not in the range ([^\s<]+)<=x<=(\S+)\.", _in_its_range),
    (r"\S+ is not in the range x>=(\S+)\.", r"it has to be \1 or more."),
    (r"\(Possible options?: .*\)", ""),
    (r"Missing argument '([\w-]+(?:\|[\w-]+)+)'\.?", r"Say which one: \1."),
    (
        r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)",
        rf"Too much was given: \1.{_ONE_AT_A_TIME}",
    ),
)


def usage_message(error: typer.TyperException) -> str:
    """The error in plain words, with options similar to the one typed."""
    message = error.format_message().strip()
    for pattern, plain in _VALIDATOR_PHRASES:
        message = re.sub(pattern, plain, message, flags=re.DOTALL).strip()
    context = getattr(error, "ctx", None)
    if context and all(one.param_type_name == "option" for one in context.command.params):
        message = message.replace(_ONE_AT_A_TIME, " It takes options alone.")
    typed: str = getattr(error, "option_name", "").lstrip("-")
    # Compared without dashes, which all options have in common.
    known = [one.lstrip("-") for one in getattr(error, "possibilities", None) or ()]
    similar = difflib.get_close_matches(typed, known, cutoff=_LEAST_LIKENESS)
    if typed and similar:
        message = f"{message.rstrip('.')}. Did you mean {' or '.join(f'--{s}' for s in similar)}?"
    return message


app = typer.Typer(
    name="commonplace",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"commonplace {__version__}\n")
        raise typer.Exit


def _commonplace(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_print_version),
    ] = False,
) -> None:
    """A memory for AI agents, in Markdown notes that you can read and edit.

    Memories live in a book: a folder of notes, or a database. Without a command, `commonplace`
    shows your book, what is connected and what to do next. Start with `commonplace tour`.
    """


callback(app, _commonplace)
for part in (
    setup, tour, save, find, digest, explain, change, history, upkeep, anchors, evaluate, connect,
    serve, transfer, sealed, work, torture,
):  # fmt: skip
    app.add_typer(part.group)
app.add_typer(backups.erase_group)
for name, subcommands, panel in (
    ("backup", backups.group, MAINTENANCE),
    ("fact", save.fact_group, REMEMBER),
    ("personal", save.personal_group, REMEMBER),
    ("profile", save.profile_group, REMEMBER),
    ("links", history.links_group, FIND),
    ("sources", sources.group, FIND),
    ("task", work.task_group, WORK),
    ("session", work.session_group, WORK),
    ("scope", scopes.group, MAINTENANCE),
    ("inbox", inbox.group, MAINTENANCE),
    ("audit", audit.group, HISTORY),
    ("key", sealed.key_group, MAINTENANCE),
    ("token", serve.token_group, SERVER),
    ("postgres", setup.postgres_group, SERVER),
):
    app.add_typer(subcommands, name=name, rich_help_panel=panel)


@cache
def built() -> Any:
    """All commands, built once."""
    return get_command(app)


_COLOURS_HELP = ("NO_COLOR", "GITHUB_ACTIONS", "PY_COLORS")
"""Variables by which Typer's help is in colour, or bold and dim, where the commands are not."""


def _set_colour_of_help() -> None:
    """Print help in colour only where commands do."""
    if any(os.environ.get(name) for name in _COLOURS_HELP):
        from typer import rich_utils  # Imported here: it takes time, and few commands need it.

        rich_utils.COLOR_SYSTEM = color_system()
        rich_utils.FORCE_TERMINAL = None


def run(arguments: Sequence[str], environ: Mapping[str, str], main: Main) -> int:
    """Run a command and return its exit code."""
    _set_colour_of_help()
    try:
        result: object = built().main(
            args=list(arguments),
            prog_name="commonplace",
            standalone_mode=False,
            obj=Call(shared={}, environ=environ, main=main),
        )
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        hint = f"See `{context.command_path} --help`." if context else "See `commonplace --help`."
        failures.say("usage", usage_message(error), hint, as_json="--json" in arguments)
        return failures.USAGE
    except typer.Abort as error:
        sys.stderr.write("\n")  # Ends the line of the question.
        if isinstance(error.__context__, EOFError):
            failures.say_unanswered("nothing was changed", as_json="--json" in arguments)
        raise KeyboardInterrupt from error
    return result if isinstance(result, int) else 0
