"""The whole command line, assembled."""

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any

import typer
from typer.main import get_command

from ... import __version__
from . import (
    backups,
    care,
    change,
    connecting,
    databases,
    erasing,
    evaluation,
    facts,
    failures,
    find,
    handing,
    links,
    moving,
    past,
    profile,
    remember,
    report,
    sealed,
    serving,
    session,
    setting_up,
    sources,
    task,
    tidying,
    tokens,
    tour,
    usage,
)
from .call import Call
from .declare import callback

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
for part in (setting_up, tour, remember, find, handing, change, past, care, evaluation, serving):
    app.add_typer(part.group)
app.add_typer(connecting.group)
app.add_typer(sealed.group)
app.add_typer(moving.group)
app.add_typer(erasing.group)
app.add_typer(backups.group, name="backup", rich_help_panel="Look after the book")
app.add_typer(facts.group, name="fact", rich_help_panel="Remember")
app.add_typer(remember.personal, name="personal", rich_help_panel="Remember")
app.add_typer(profile.group, name="profile", rich_help_panel="Remember")
app.add_typer(links.group, name="links", rich_help_panel="Find")
app.add_typer(sources.group, name="sources", rich_help_panel="Find")
app.add_typer(report.group)
app.add_typer(task.group, name="task", rich_help_panel="Work")
app.add_typer(session.group, name="session", rich_help_panel="Work")
app.add_typer(tidying.group)
app.add_typer(tidying.inbox, name="inbox", rich_help_panel="Look after the book")
app.add_typer(past.audit, name="audit", rich_help_panel="Look back and undo")
app.add_typer(sealed.keys, name="key", rich_help_panel="Look after the book")
app.add_typer(tokens.group, name="token", rich_help_panel="Serve")
app.add_typer(databases.group, name="postgres", rich_help_panel="Serve")


@cache
def built() -> Any:
    """The app as commands, built once."""
    return get_command(app)


def run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run a command and return its exit code."""
    try:
        result: object = built().main(
            args=list(arguments),
            prog_name="commonplace",
            standalone_mode=False,
            obj=Call(shared={}, environ=environ),
        )
    except typer.TyperException as error:
        told = usage.in_words(error)
        context = getattr(error, "ctx", None)
        hint = f"See `{context.command_path} --help`." if context else "See `commonplace --help`."
        failures.say("usage", told, hint, as_json="--json" in arguments)
        return failures.USAGE
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    return result if isinstance(result, int) else 0
