"""The whole command line, assembled."""

import difflib
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any

import typer
from typer.main import get_command

from ... import __version__
from . import (
    backups,
    change,
    connect,
    digest,
    evaluate,
    failures,
    find,
    history,
    save,
    sealed,
    serve,
    setup,
    tour,
    transfer,
    upkeep,
    work,
)
from .call import Call, Main
from .declare import callback

_LIKE = 0.6
_AS_A_VALIDATOR_SAYS_IT = (
    (r"Value error, ", ""),
    (r"Input should be a valid integer\b.*", "it has to be a whole number."),
    (r"Input should be a valid number\b.*", "it has to be a number."),
    (r"Input should be less than or equal to (\S+)", r"it has to be \1 or less."),
    (r"Input should be greater than or equal to (\S+)", r"it has to be \1 or more."),
    (r"\(Possible options?: .*\)", ""),
)


def in_words(error: typer.TyperException) -> str:
    """One sentence without a validator's vocabulary; an option like the one typed is named."""
    told = error.format_message().strip()
    for theirs, ours in _AS_A_VALIDATOR_SAYS_IT:
        told = re.sub(theirs, ours, told, flags=re.DOTALL).strip()
    wanted: str = getattr(error, "option_name", "").lstrip("-")
    possible: list[str] = list(getattr(error, "possibilities", None) or ())
    # Two dashes and a few letters are no likeness.
    likely = difflib.get_close_matches(wanted, [one.lstrip("-") for one in possible], cutoff=_LIKE)
    if wanted and likely:
        told = f"{told.rstrip('.')}. Did you mean {' or '.join(f'--{one}' for one in likely)}?"
    return told


app = typer.Typer(
    name="commonplace",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"commonplace {__version__}\n")
        raise typer.Exit


def _commonplace(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_version),
    ] = False,
) -> None:
    """A memory for AI agents, in plain markdown that its person can read and edit."""


callback(app, _commonplace)
for part in (setup, tour, save, find, digest, change, history, upkeep, evaluate, serve):
    app.add_typer(part.group)
app.add_typer(connect.group)
app.add_typer(sealed.group)
app.add_typer(transfer.group)
app.add_typer(backups.erase_group)
app.add_typer(backups.group, name="backup", rich_help_panel="Look after the book")
app.add_typer(save.fact_group, name="fact", rich_help_panel="Remember")
app.add_typer(save.personal_group, name="personal", rich_help_panel="Remember")
app.add_typer(work.profile_group, name="profile", rich_help_panel="Remember")
app.add_typer(history.links_group, name="links", rich_help_panel="Find")
app.add_typer(work.sources_group, name="sources", rich_help_panel="Find")
app.add_typer(work.report_group)
app.add_typer(work.task_group, name="task", rich_help_panel="Work")
app.add_typer(work.session_group, name="session", rich_help_panel="Work")
app.add_typer(upkeep.tidy_group)
app.add_typer(upkeep.inbox_group, name="inbox", rich_help_panel="Look after the book")
app.add_typer(history.audit_group, name="audit", rich_help_panel="Look back and undo")
app.add_typer(sealed.key_group, name="key", rich_help_panel="Look after the book")
app.add_typer(serve.token_group, name="token", rich_help_panel="Serve")
app.add_typer(setup.postgres_group, name="postgres", rich_help_panel="Serve")


@cache
def built() -> Any:
    """The app as commands, built once."""
    return get_command(app)


def run(arguments: Sequence[str], environ: Mapping[str, str], main: Main) -> int:
    """Run a command and return its exit code."""
    try:
        result: object = built().main(
            args=list(arguments),
            prog_name="commonplace",
            standalone_mode=False,
            obj=Call(shared={}, environ=environ, main=main),
        )
    except typer.TyperException as error:
        told = in_words(error)
        context = getattr(error, "ctx", None)
        hint = f"See `{context.command_path} --help`." if context else "See `commonplace --help`."
        failures.say("usage", told, hint, as_json="--json" in arguments)
        return failures.USAGE
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    return result if isinstance(result, int) else 0
