"""Backups: make one, see what there is, bring a book back."""

import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from ...book import Commonplace
from ...books.restore import check_backup, restore_backup
from ...model.codec import moment
from ...model.errors import BadInput, Refused
from ...model.memory import Problem
from ...model.scope import Tenant
from ...ports.backups import Snapshot
from ...settings import load
from ...verbs.backup import BackedUp
from ...verbs.erase import Erased, ErasureChecked
from ...verbs.restore import BackupChecked, RestoredBook
from ..hooks import session_files
from ..hooks.drain import erase as erase_waiting
from ..plain_data import to_json
from . import failures, text_format
from .call import Call, bars
from .declare import command
from .declare import group as make_group


def render_backed_up(console: Console, done: BackedUp) -> None:
    """A moment that is safe now."""
    one = done.moment
    told = f"Backed up {_memories(one.records)} and {_events(one.events)} to {done.where}."
    console.print(told, soft_wrap=True)
    freed = f", {decimal(done.freed)} of older ones let go" if done.freed else ""
    kept = text_format.counted(done.kept, "moment", "moments")
    console.print(Text(f"{decimal(one.written)} written; {kept} kept{freed}.", "dim"))


def render_moments(console: Console, found: Sequence[Snapshot]) -> None:
    """What is kept, newest first."""
    if not found:
        console.print("No backup yet. Make one: commonplace backup now FOLDER")
        return
    table = Table("Moment", "Memories", "Events", "Written", box=SIMPLE_HEAD)
    for one in found:
        table.add_row(
            text_format.clock(one.at), f"{one.records:,}", f"{one.events:,}", decimal(one.written)
        )
    console.print(table)
    console.print(Text("Bring one back: commonplace backup restore --at … --to URL", "dim"))


def render_checked(console: Console, one: BackupChecked) -> None:
    """Whether a backup is as it was written."""
    at = text_format.clock(one.moment.at)
    if one.sound:
        console.print(
            f"The backup of {at} is whole: {_memories(one.moment.records)} and"
            f" {_events(one.moment.events)} would be restored."
        )
    _problems(console, one.problems)


def render_brought_back(console: Console, one: RestoredBook) -> None:
    """A book that is there again."""
    are = "is" if one.records == 1 else "are"
    at = text_format.clock(one.moment.at)
    console.print(f"{_memories(one.records)} {are} back as of {at}: {one.url}", soft_wrap=True)
    then = f"For recall by meaning, too: commonplace sync --url {one.url}"
    console.print(Text(then, "dim"), soft_wrap=True)
    if one.left_out:
        console.print(f"Purged or erased since, and gone for good: {_memories(one.left_out)}.")
    if not one.asked:
        console.print(
            "The book they came from could not be asked: what was purged there after its last"
            " backup may be back."
        )
    for id in one.differences[:10]:
        console.print(Text(f"{id} does not read back as it was.", "red"))


def render_erased(console: Console, one: Erased) -> None:
    """What an erasure did, and what is left to look at."""
    console.print(
        f"Everything of {text_format.line(one.user)} is erased: {_memories(one.memories)}."
    )
    rest = (
        (one.copies, "of them a copy that was shared", "of them copies that were shared"),
        (one.sessions, "session", "sessions"),
        (one.events, "audit event without its words now", "audit events without their words now"),
        (one.tokens, "token revoked", "tokens revoked"),
        (one.keys, "key dropped", "keys dropped"),
    )
    for count, single, several in rest:
        if count:
            console.print(f"  {text_format.counted(count, single, several)}")
    if one.derived:
        console.print("These of others were derived from it; look at them:")
        for id in one.derived[:20]:
            console.print(f"  {id}")
    if not one.backups_told:
        console.print("The place of backups could not be told; the next backup will.")
    console.print(Text(f"Event {one.event}, hash {one.hash}", "dim"))


def render_erasure_checked(console: Console, one: ErasureChecked) -> None:
    """Whether a receipt holds."""
    if one.sound:
        told = f"{_memories(one.receipt.memories)} of {text_format.line(one.receipt.user)}"
        console.print(f"The receipt holds: nothing is left of the {told}.")
    _problems(console, one.problems)


def _memories(count: int) -> str:
    return text_format.counted(count, "memory", "memories")


def _events(count: int) -> str:
    return text_format.counted(count, "event", "events")


def _problems(console: Console, found: Sequence[Problem]) -> None:
    for one in found:
        style = "red" if one.severity == "error" else "yellow"
        console.print(Text(f"{one.where}: {one.what} {one.hint}", style))


# Backups: make one, see what there is, bring a book back.


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
    call.show(done, render_backed_up)


@command(group, "list")
def list_backups(call: Call, place: PlaceArgument = "") -> None:
    """List the moments that are kept, newest first."""
    with call.book() as book:
        call.show(book.backups(place), render_moments)


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
    call.show(done, render_brought_back)
    if done.differences:
        raise typer.Exit(failures.FOUND_PROBLEMS)


def _check(call: Call, place: str, at: str) -> None:
    checked = check_backup(_place(call, place), _moment(at))
    call.show(checked, render_checked)
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


# Erasing a user: everything, everywhere, with a receipt.


erase_group = make_group()


@command(erase_group, "erase-user", panel="Look after the book")
def erase_user(
    call: Call,
    name: Annotated[
        str, typer.Argument(metavar="USER", help="Whose memories go.", show_default=False)
    ] = "",
    receipt: Annotated[
        str, typer.Option(metavar="FILE", help="Write the receipt there.", show_default=False)
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    verify: Annotated[
        str,
        typer.Option(metavar="FILE", help="Check a receipt instead.", show_default=False),
    ] = "",
) -> None:
    """Remove everything of a user for good, of the org that --org names, and give a receipt."""
    with call.but(shared=_book_only(call)).book() as book:
        if verify:
            _verify(call, book, verify)
            return
        _confirm(call, name, yes=yes)
        erased = book.erase_user(name, org=call.shared.get("org"))
        tenant = Tenant(erased.org, erased.user)
        erase_waiting(load(call.environ), book.url, tenant, logs=session_files.roots(call.environ))
    if receipt:
        _keep(receipt, erased)
    call.show(erased, render_erased)


def _verify(call: Call, book: Commonplace, path: str) -> None:
    checked = book.verify_erasure(_read(path))
    call.show(checked, render_erasure_checked)
    if any(problem.severity == "error" for problem in checked.problems):
        raise typer.Exit(failures.FOUND_PROBLEMS)


def _book_only(call: Call) -> dict[str, str | None]:
    """The options name whose memories go here, not who is asking."""
    url = call.shared.get("url")
    return {"url": url} if url else {}


def _confirm(call: Call, user: str, *, yes: bool) -> None:
    if not user:
        raise BadInput("Nobody is named.", hint="Say whose memories are to be erased.")
    if yes:
        return
    if call.json or not sys.stdin.isatty():
        raise BadInput(
            "Nothing was erased: this has to be confirmed.", hint="Add --yes to go ahead."
        )
    typer.echo(f"This removes everything of {user} for good: nobody can undo it.", err=True)
    if typer.prompt("Type the user's name to go ahead", err=True).strip() != user:
        raise Refused("That is not the name; nothing was erased.", hint="Type it as it is.")


def _keep(path: str, erased: Erased) -> None:
    try:
        with open(os.path.expanduser(path), "x", encoding="utf-8") as file:
            file.write(to_json(erased) + "\n")
    except OSError as error:
        raise BadInput(
            f"The user is erased, but the receipt cannot be written to {path}.",
            hint=f"Keep this: event {erased.event}, hash {erased.hash}.",
        ) from error


def _read(path: str) -> Erased:
    try:
        with open(os.path.expanduser(path), encoding="utf-8") as file:
            fields: dict[str, Any] = json.load(file)
        fields |= {"at": moment(fields["at"]), "derived": tuple(fields.get("derived", ()))}
        return Erased(**fields)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadInput(
            f"{path} is no receipt of an erasure.", hint="Name the file that --receipt wrote."
        ) from error
