"""Backups: make one, see what there is, bring a book back."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from ...assemble import check_backup, restore_backup
from ...errors import BadInput
from ...settings import load
from . import failures
from .bars import bars
from .call import Call
from .declare import command
from .declare import group as make_group
from .draw import backups

group = make_group("Back the book up, and bring it back.")
_PLACE = "The folder of the backups; if left out, the one that is set as backup.place."
PlaceArgument = Annotated[str, typer.Argument(metavar="FOLDER", help=_PLACE, show_default=False)]
FromOption = Annotated[
    str, typer.Option("--from", metavar="FOLDER", help=_PLACE, show_default=False)
]
AtOption = Annotated[
    str,
    typer.Option(
        "--at",
        metavar="TIME",
        help="The last backup up to then, such as 2026-05-01 or 2026-05-01T14:00.",
        show_default=False,
    ),
]


@command(group)
def now(call: Call, place: PlaceArgument = "") -> None:
    """Back up this very moment while others go on writing; what did not change is kept once."""
    with call.book() as book, bars() as progress:
        done = book.backup(place, progress=lambda count: progress("Reading", count, count))
    call.show(done, backups.backed_up)


@command(group, "list")
def list_backups(call: Call, place: PlaceArgument = "") -> None:
    """List the moments that are kept, newest first."""
    with call.book() as book:
        call.show(book.backups(place), backups.moments)


@command(group)
def restore(
    call: Call,
    place: FromOption = "",
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="URL",
            help="A new place, such as vault:~/restored.",
            show_default=False,
        ),
    ] = "",
    at: AtOption = "",
    check: Annotated[
        bool, typer.Option("--check", help="Only compare every hash; nothing is written.")
    ] = False,
) -> None:
    """Bring a book back as it was. What was purged or erased since stays gone."""
    if check:
        _check(call, place, at)
        return
    if not to:
        raise BadInput("Nothing says where to.", hint="Add --to, such as --to vault:~/restored.")
    with bars() as progress:
        done = restore_backup(
            _place(call, place),
            to,
            at=_moment(at),
            settings=load(call.environ),
            progress=lambda count: progress("Writing", count, count),
        )
    call.show(done, backups.brought_back)
    if done.differences:
        raise typer.Exit(failures.FOUND_PROBLEMS)


def _check(call: Call, place: str, at: str) -> None:
    checked = check_backup(_place(call, place), _moment(at))
    call.show(checked, backups.checked)
    if not checked.sound:
        raise typer.Exit(failures.FOUND_PROBLEMS)


def _place(call: Call, given: str) -> str:
    if found := given or load(call.environ).backup.place:
        return found
    raise BadInput("Nothing says where the backups are.", hint="Add --from FOLDER.")


def _moment(text: str) -> datetime | None:
    """A time as people write it; a day stands for its end."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise BadInput(
            f"{text[:40]!r} is no time.", hint="Write it like 2026-05-01 or 2026-05-01T14:00."
        ) from error
    if len(text.strip()) == len("2026-05-01"):
        found += timedelta(days=1)
    return found.astimezone(UTC)
