"""Commands that back up and restore a book, and that erase a user."""

import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from shlex import quote
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.filesize import decimal

from ...book import Commonplace
from ...books.restore import check_backup, restore_backup
from ...model.codec import moment
from ...model.errors import BadInput, Refused
from ...model.memory import Problem
from ...ports.backups import Snapshot
from ...settings import load
from ...verbs.backup import BackedUp
from ...verbs.erase import Erased, ErasureChecked
from ...verbs.restore import BackupChecked, RestoredBook
from ...verbs.waiting_turns import remove_hook_logs
from ..hooks import session_files
from ..plain_data import to_json
from . import failures, text_format
from .call import Call, bars
from .declare import MAINTENANCE, command
from .declare import group as make_group
from .render import aside, say, table

group = make_group("Back up the book, and restore it.")
erase_group = make_group()

_PLACE = "Folder of the backups; default: the setting backup.place."
PlaceArgument = Annotated[
    str | None, typer.Argument(metavar="FOLDER", help=_PLACE, show_default=False)
]
FromOption = Annotated[
    str | None, typer.Option("--from", metavar="FOLDER", help=_PLACE, show_default=False)
]
AtOption = Annotated[
    str,
    typer.Option(
        "--at",
        metavar="TIME",
        help="Use the last backup up to then, such as 2026-05-01 or 2026-05-01T14:00.",
        show_default=False,
    ),
]


@command(group)
def now(call: Call, place: PlaceArgument = None) -> None:
    """Back up the book now. Others may go on writing; only what changed takes space."""
    folder = _given_folder(place)
    with call.book() as book, bars() as progress:
        done = book.backup(folder, progress=lambda count: progress("Reading", count, count))
    call.show(done, render_backed_up)


def render_backed_up(console: Console, done: BackedUp) -> None:
    """The contents and place of a new backup."""
    one = done.moment
    say(console, f"Backed up {_memories(one.records)} and {_events(one.events)} to {done.where}")
    freed = f", {decimal(done.freed)} of older ones removed" if done.freed else ""
    kept = text_format.counted(done.kept, "backup", "backups")
    aside(console, f"{decimal(one.written)} written; {kept} kept{freed}.")


@command(group, "list")
def list_backups(call: Call, place: PlaceArgument = None) -> None:
    """List backups, newest first."""
    folder = _given_folder(place)
    with call.book() as book:
        found = book.backups(folder)
        call.show(found, lambda console, found: render_backups(console, found, folder))


def _given_folder(place: str | None) -> str:
    """The folder that was named, or empty for that of the settings."""
    if place is not None and not place.strip():
        raise BadInput("This names no folder.", hint="Name one, or leave it for the default one.")
    return place or ""


def render_backups(console: Console, found: Sequence[Snapshot], place: str = "") -> None:
    """One row for each backup."""
    if not found:
        folder = text_format.line(quote(place)) if place else "FOLDER"
        say(console, f"No backup yet. Make one: commonplace backup now {folder}")
        return
    rows = (
        (text_format.clock(one.at), f"{one.records:,}", f"{one.events:,}", decimal(one.written))
        for one in found
    )
    table(console, ("Time", "Memories", "Events", "Written"), rows)
    named = f" --from {text_format.line(quote(place))}" if place else ""
    aside(console, f"Restore one: commonplace backup restore{named} --at … --to URL")


@command(group)
def restore(
    call: Call,
    place: FromOption = None,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="URL",
            help="URL of the restored book, such as vault:~/restored.",
            show_default=False,
        ),
    ] = "",
    at: AtOption = "",
    check: Annotated[
        bool, typer.Option("--check", help="Only compare every hash; nothing is written.")
    ] = False,
) -> None:
    """Restore a book from a backup. Memories purged or erased since are not restored."""
    folder = _given_folder(place)
    if check:
        _check(call, folder, at)
        return
    if not to:
        raise BadInput("--to is missing.", hint="Add --to, such as --to vault:~/restored.")
    with bars() as progress:
        done = restore_backup(
            _require_place(call, folder),
            to,
            at=_parse_time(at),
            settings=load(call.environ),
            progress=lambda count: progress("Writing", count, count),
        )
    call.show(done, render_restored_book)
    if done.differences:
        raise typer.Exit(failures.FOUND_PROBLEMS)


def _check(call: Call, place: str, at: str) -> None:
    checked = check_backup(_require_place(call, place), _parse_time(at))
    call.show(checked, render_checked)
    if not checked.sound:
        raise typer.Exit(failures.FOUND_PROBLEMS)


def _require_place(call: Call, place: str) -> str:
    if found := place or load(call.environ).backup.place:
        return found
    raise BadInput("The folder of the backups is missing.", hint="Add --from FOLDER.")


def _parse_time(text: str) -> datetime | None:
    """A local time; a date stands for the end of that day."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise BadInput(
            f"{text[:40]!r} is not a time.", hint="Write it like 2026-05-01 or 2026-05-01T14:00."
        ) from error
    if len(text.strip()) == len("2026-05-01"):
        found += timedelta(days=1)
    return found.astimezone(UTC)


def render_checked(console: Console, one: BackupChecked) -> None:
    """Whether a backup is intact."""
    if one.sound:
        say(
            console,
            f"The backup of {text_format.clock(one.moment.at)} is intact:"
            f" {_memories(one.moment.records)} and {_events(one.moment.events)}.",
        )
    _render_findings(console, one.problems)


def render_restored_book(console: Console, one: RestoredBook) -> None:
    """The restored book, and memories that were left out or differ."""
    at = text_format.clock(one.moment.at)
    say(console, f"Restored {_memories(one.records)} as of {at}: {one.url}")
    aside(console, f"Enable recall by meaning: commonplace sync --url {quote(one.url)}")
    if one.left_out:
        say(console, f"Purged or erased since, so not restored: {_memories(one.left_out)}.")
    if not one.asked:
        say(
            console,
            "The original book could not be opened: memories purged there after the last backup"
            " may be in the restored book.",
        )
    for id in one.differences[:10]:
        say(console, f"{id} differs from the backup.", "red")


@command(erase_group, "erase-user", panel=MAINTENANCE)
def erase_user(
    call: Call,
    name: Annotated[
        str, typer.Argument(metavar="USER", help="User to erase.", show_default=False)
    ] = "",
    receipt: Annotated[
        str, typer.Option(metavar="FILE", help="Write the receipt to FILE.", show_default=False)
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    verify: Annotated[
        str,
        typer.Option(metavar="FILE", help="Check a receipt instead.", show_default=False),
    ] = "",
) -> None:
    """Delete everything of a user of --org for good, and give a receipt."""
    with call.but(shared=_url_only(call)).book() as book:
        if verify:
            _verify(call, book, verify)
            return
        _confirm(call, name, yes=yes)
        erased = book.erase_user(name, org=call.shared.get("org"))
    # The book erases the log in its own state folder; early faults are logged in another one.
    for folder in session_files.log_folders(call.environ):
        remove_hook_logs(folder)
    if receipt:
        _write_receipt(receipt, erased)
    call.show(erased, render_erased)


def _url_only(call: Call) -> dict[str, str | None]:
    """Options such as --org name the user to erase here, not the caller."""
    url = call.shared.get("url")
    return {"url": url} if url else {}


def _confirm(call: Call, user: str, *, yes: bool) -> None:
    if not user:
        raise BadInput("No user is named.", hint="Name the user to erase.")
    if yes:
        return
    if call.json or not sys.stdin.isatty():
        raise BadInput(
            "Nothing was erased: this has to be confirmed.", hint="Add --yes to go ahead."
        )
    typer.echo(f"This deletes everything of {user} for good. It cannot be undone.", err=True)
    if typer.prompt("Type the user's name to go ahead", err=True).strip() != user:
        raise Refused("That is not the name; nothing was erased.", hint="Type it as it is.")


def _write_receipt(path: str, erased: Erased) -> None:
    try:
        with open(os.path.expanduser(path), "x", encoding="utf-8") as file:
            file.write(to_json(erased) + "\n")
    except OSError as error:
        raise BadInput(
            f"The user is erased, but the receipt cannot be written to {path}.",
            hint=f"Keep this: event {erased.event}, hash {erased.hash}.",
        ) from error


def render_erased(console: Console, one: Erased) -> None:
    """The number of things erased, and memories of others to check."""
    say(
        console, f"Everything of {text_format.line(one.user)} is erased: {_memories(one.memories)}."
    )
    details = (
        (one.copies, "of them a shared copy", "of them shared copies"),
        (one.sessions, "conversation", "conversations"),
        (one.events, "audit event without its text now", "audit events without their texts now"),
        (one.tokens, "token revoked", "tokens revoked"),
        (one.keys, "key dropped", "keys dropped"),
    )
    for count, single, several in details:
        if count:
            say(console, f"  {text_format.counted(count, single, several)}")
    if one.derived:
        say(console, "Memories of others derived from them; please check:")
        for id in one.derived[:20]:
            say(console, f"  {id}")
    if not one.backups_told:
        say(console, "The folder of the backups is not informed yet; the next backup does it.")
    aside(console, f"Event {one.event}, hash {one.hash}")


def _verify(call: Call, book: Commonplace, path: str) -> None:
    checked = book.verify_erasure(_read_receipt(path))
    call.show(checked, render_erasure_checked)
    if any(problem.severity == "error" for problem in checked.problems):
        raise typer.Exit(failures.FOUND_PROBLEMS)


def _read_receipt(path: str) -> Erased:
    try:
        with open(os.path.expanduser(path), encoding="utf-8") as file:
            fields: dict[str, Any] = json.load(file)
        fields |= {"at": moment(fields["at"]), "derived": tuple(fields.get("derived", ()))}
        return Erased(**fields)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadInput(
            f"{path} is not a receipt of an erasure.", hint="Name the file that --receipt wrote."
        ) from error


def render_erasure_checked(console: Console, one: ErasureChecked) -> None:
    """Whether everything on the receipt is gone."""
    if one.sound:
        erased = f"{_memories(one.receipt.memories)} of {text_format.line(one.receipt.user)}"
        say(console, f"The receipt is right: nothing is left of the {erased}.")
    _render_findings(console, one.problems)


def _render_findings(console: Console, found: Sequence[Problem]) -> None:
    for one in found:
        style = "red" if one.severity == "error" else "yellow"
        say(console, f"{one.where}: {one.what} {one.hint}", style)


def _memories(count: int) -> str:
    return text_format.counted(count, "memory", "memories")


def _events(count: int) -> str:
    return text_format.counted(count, "event", "events")
