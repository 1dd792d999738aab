"""Erasing a user: everything, everywhere, with a receipt."""

import json
import os
import sys
from typing import Annotated, Any

import typer

from ...book import Commonplace
from ...errors import BadInput, Refused
from ...rules.codec import moment
from ...scope import Tenant
from ...settings import load
from ...verbs.erase import Erased
from ..hooks import faults
from ..hooks.erasing import erase as erase_waiting
from ..plain import to_json
from . import failures
from .call import Call
from .declare import command
from .declare import group as make_group
from .draw import backups

group = make_group()


@command(group, "erase-user", panel="Look after the book")
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
        erase_waiting(load(call.environ), book.url, tenant, logs=faults.roots(call.environ))
    if receipt:
        _keep(receipt, erased)
    call.show(erased, backups.erased)


def _verify(call: Call, book: Commonplace, path: str) -> None:
    checked = book.verify_erasure(_read(path))
    call.show(checked, backups.erasure_checked)
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
