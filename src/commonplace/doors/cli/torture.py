"""The command that tortures a book of its own, and prints a receipt."""

import errno
import os
import random
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from ... import registry
from ...model.errors import BadInput, Unavailable
from ..torture.faults import FAULTS
from ..torture.run import Limits, Tortured, faults_of
from ..torture.run import torture as run_torture
from . import failures, text_format
from .call import Call
from .call import console as make_console
from .declare import MAINTENANCE, command, one_of
from .declare import group as make_group
from .render import aside, say, table

DEFAULT_MINUTES = 1.0
group = make_group()

Store = Literal["vault", "sqlite"]


@command(group, panel=MAINTENANCE)
def torture(
    call: Call,
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="A new or empty folder on the disk to try.")
    ],
    *,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="N", help="Go on for so long; default: 1.", min=0.01, show_default=False
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(metavar="N", help="Or so many rounds.", min=1, show_default=False),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="S", help="Repeat the plan of a receipt.", show_default=False),
    ] = None,
    store: Annotated[Store, typer.Option(help="Store of the tortured book.")] = "vault",
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Only this fault; may be repeated.", **one_of(tuple(FAULTS))),
    ] = None,
    copy_of: Annotated[
        str | None,
        typer.Option(
            metavar="VAULT", help="Begin with a copy of this vault; it is only read.",
            show_default=False,
        ),
    ] = None,
) -> None:  # fmt: skip
    """Kill writers, cut the power, fill the disk, shuffle devices, and look for what is lost.

    All of it happens to a book in FOLDER, never to yours. Exit 1 if anything was lost.
    """
    if os.name != "posix":
        raise Unavailable("Torture needs a POSIX system.", hint="Use Linux, macOS or WSL.")
    if minutes is not None and rounds is not None:
        raise BadInput("Give either --minutes or --rounds.", hint="Leave one of them out.")
    if only and not {*only} <= {*faults_of(store)}:
        raise BadInput(
            f"A book in {store} does not meet that fault.", hint="Leave out --store or --only."
        )
    source = _vault_to_copy(copy_of, store) if copy_of is not None else None
    place = _empty_folder(folder, source)
    limits = Limits(rounds, None if rounds else 60 * (minutes or DEFAULT_MINUTES))
    with _bar(limits) as progress:
        total = limits.rounds or limits.seconds
        task = progress.add_task("", total=total)
        done = run_torture(
            place, limits=limits, store=store, copy_of=source, only=only or (),
            seed=random.SystemRandom().randrange(1_000_000) if seed is None else seed,
            progress=lambda fault, rounds, seconds: progress.update(
                task, description=fault, completed=rounds if limits.rounds else seconds
            ),
        )  # fmt: skip
    call.show(done, render_tortured)
    if done.lost:
        raise typer.Exit(failures.FOUND_PROBLEMS)


def _vault_to_copy(named: str, store: str) -> str:
    """The folder of the vault to copy."""
    if store != "vault":
        raise BadInput("--copy-of copies a vault.", hint="Leave out --store.")
    path = os.path.realpath(registry.local_path(named.removeprefix("vault:")))
    if not os.path.isfile(os.path.join(path, "_meta", "vault.json")):
        raise BadInput(
            f"There is no vault at {path}.", hint="`commonplace status` names your book's address."
        )
    return path


def _empty_folder(named: str, source: str | None) -> str:
    """Make the folder, unless something is in it already."""
    place = os.path.realpath(os.path.expanduser(named))
    if source and f"{place}{os.sep}".startswith(f"{source}{os.sep}"):
        raise BadInput(
            f"{named} lies in the vault that is only read.", hint="Name a folder outside of it."
        )
    try:
        os.makedirs(place, exist_ok=True)
        if os.listdir(place):
            raise BadInput(
                f"{named} is not empty.", hint="Name a new folder: books in it are destroyed."
            )
        if not os.access(place, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise BadInput(
            f"{named} cannot be used: {error.strerror}.", hint="Name a folder that you may write."
        ) from error
    return place


def _bar(limits: Limits) -> Progress:
    stderr = make_console(stderr=True)
    return Progress(
        TextColumn("{task.description:16}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(), console=stderr, transient=True, disable=not stderr.is_terminal,
    )  # fmt: skip


def render_tortured(console: Console, done: Tortured) -> None:
    """The receipt: what was tried, how often, and what was lost."""
    rows = [
        (one.fault, f"{one.rounds:,}", f"{one.kills:,}", f"{one.acknowledged:,}",
         f"{one.refused:,}", f"{one.lost:,}")
        for one in done.tried
    ]  # fmt: skip
    table(console, ("Tried", "Rounds", "Kills", "Acknowledged", "Refused", "Lost"), rows)
    took = f"{done.rounds:,} rounds, {done.seconds / 60:.1f} minutes"
    counted = text_format.counted(done.acknowledged, "acknowledged write", "acknowledged writes")
    say(console, f"{counted}, lost: {done.lost:,}  ({took})", "red" if done.lost else "green")
    for sentence in done.broken:
        say(console, f"  {sentence}", "yellow")
    if done.lost:
        aside(console, f"The book is kept as it was found: {done.folder}")
    aside(console, f"The same plan again: --seed {done.seed} --rounds {done.rounds}")
