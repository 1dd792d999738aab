"""Tokens: who else may ask the book, through the server."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from ...scope import DIMENSIONS, Context
from ..server.tokens import ROLES, Tokens
from .call import Call
from .declare import command, one_of
from .declare import group as make_group
from .draw import servers

group = make_group("Say who else may ask the book, through the server.")


@command(group)
def create(
    call: Call,
    *,
    role: Annotated[
        str, typer.Option(help="An admin also writes what all users share.", **one_of(ROLES))
    ] = "member",
    grant: Annotated[
        list[str] | None,
        typer.Option(metavar="SCOPE", help="A shared scope it may write; may be repeated."),
    ] = None,
    days: Annotated[
        float | None, typer.Option(help="How long it lasts; without end if left out.")
    ] = None,
    name: Annotated[str, typer.Option(help="What you call it, such as ada's laptop.")] = "",
) -> None:
    """Make a token for the user that --org and --user name. It is shown this once."""
    named = {d: value for d in DIMENSIONS if (value := call.shared.get(d)) is not None}
    context = Context.of({**named, "role": role, "grants": frozenset(grant or ())})
    with _whole(call).book() as book:
        made = Tokens(book.desk).create(context, now=datetime.now(UTC), days=days, name=name)
    call.show(made, servers.issued)


@command(group, "list")
def list_tokens(call: Call) -> None:
    """List every token: whose it is, and until when."""
    with _whole(call).book() as book:
        call.show(Tokens(book.desk).list(), servers.tokens)


@command(group)
def revoke(call: Call, id: Annotated[str, typer.Argument(help="From `token list`.")]) -> None:
    """Let nobody in with a token any more, at once."""
    with _whole(call).book() as book:
        call.show(Tokens(book.desk).revoke(id), servers.revoked)


def _whole(call: Call) -> Call:
    """The options name the token's caller here, not who is asking."""
    url = call.shared.get("url")
    return call.but(shared={"url": url} if url else {})
