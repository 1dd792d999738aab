"""Tokens: who else may ask the book, through the server."""

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from ...errors import BadInput
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
        tokens = Tokens(book.desk)
        required = tokens.required()
        call.show(tokens.list(), lambda out, found: servers.tokens(out, found, required))


@command(group)
def revoke(call: Call, id: Annotated[str, typer.Argument(help="From `token list`.")]) -> None:
    """Let nobody in with a token any more, at once."""
    with _whole(call).book() as book:
        tokens = Tokens(book.desk)
        gone = tokens.revoke(id)
        call.show(gone, lambda out, one: servers.revoked(out, one, left=_live(tokens)))


@command(group)
def off(
    call: Call, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
) -> None:
    """Revoke every token and need none: whoever is on this machine is the owner again."""
    with _whole(call).book() as book:
        tokens = Tokens(book.desk)
        if not yes and (count := _live(tokens)):
            _confirm(count, call)
        call.show(tokens.off(), servers.off)


def _live(tokens: Tokens) -> int:
    now = datetime.now(UTC)
    return sum(token.live(now) for token in tokens.list())


def _confirm(count: int, call: Call) -> None:
    let_in = "1 token lets" if count == 1 else f"{count} tokens let"
    if call.json or not sys.stdin.isatty():
        raise BadInput(
            f"Nothing was revoked: {let_in} callers in.", hint="Add --yes to revoke them all."
        )
    typer.confirm(f"{let_in} callers in; revoke them all?", abort=True, err=True)


def _whole(call: Call) -> Call:
    """The options name the token's caller here, not who is asking."""
    url = call.shared.get("url")
    return call.but(shared={"url": url} if url else {})
