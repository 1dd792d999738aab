"""A running server, and the tokens that let callers in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from .. import legible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from ...server.running import Serving
    from ...server.tokens import Issued, Token, TokensOff


def serving(console: Console, one: Serving) -> None:
    """Where it listens, who may ask, and how to connect."""
    console.print(Text(f"Commonplace serves {one.book}", style="bold"))
    if one.panel:
        console.print(f"  Panel   {one.url}/")
    for name, path in (("MCP", "/mcp"), ("REST", "/v1/openapi.json"), ("Health", "/health")):
        console.print(f"  {name:<7} {one.url}{path}")
    if one.processes > 1:
        console.print(f"  {one.processes} processes answer; SIGHUP renews them one by one.")
    if one.open:
        console.print("  Single-user: whoever is on this machine asks as the owner.")
        console.print("  Others need tokens: commonplace token create --user NAME")
    else:
        console.print("  Every caller needs a token: commonplace token list")
    if one.everywhere:
        called = ", ".join(one.names) or "a name that is given with --allow-host"
        told = f"  Other machines reach it by an address of this one, or by {called}."
        console.print(legible.line(told), markup=False)
    shown = "" if one.open else " --header 'Authorization: Bearer TOKEN'"
    add = f"claude mcp add --transport http commonplace {one.url}/mcp{shown}"
    console.print(Text(f"  Claude Code: {add}", "dim"), soft_wrap=True)
    console.print(Text("  Ctrl-C stops it.", style="dim"))
    console.file.flush()


def issued(console: Console, made: Issued) -> None:
    """A new token, this once."""
    console.print(Text(made.secret, style="bold"), soft_wrap=True)
    whose = legible.line(str(made.token.context.scope))
    console.print(f"For {whose}, {made.token.context.role}, {_until(made.token)}.")
    console.print(Text("It is shown this once. From now on every caller needs one.", "dim"))
    console.print(Text(f"Revoke: commonplace token revoke {made.token.id}", style="dim"))


def tokens(console: Console, found: Sequence[Token], required: bool) -> None:
    """One line for each token."""
    if not found and not required:
        console.print("There are no tokens. Make one: commonplace token create --user NAME")
        return
    if not found:
        _nobody(console)
        return
    table = Table("Id", "Name", "Whose", "Role", "May also write", "Until", box=SIMPLE_HEAD)
    for token in found:
        table.add_row(
            token.id,
            legible.line(token.name),
            legible.line(str(token.context.scope)),
            token.context.role,
            legible.line(", ".join(sorted(token.context.grants))),
            _until(token),
        )
    console.print(table)


def revoked(console: Console, token: Token, *, left: int) -> None:
    """A token that lets nobody in any more."""
    console.print(f"Revoked {token.id}, for {legible.line(str(token.context.scope))}.")
    if not left:
        _nobody(console)


def off(console: Console, done: TokensOff) -> None:
    """A book without tokens again."""
    count = legible.counted(done.revoked, "token", "tokens")
    told = (
        "whoever is on this machine asks as the owner."
        if done.single_user
        else "a server lets nobody in until there is one."
    )
    console.print(f"Revoked {count}. There are none now: {told}")


def _nobody(console: Console) -> None:
    console.print("No token is left, and the book still needs one: a server lets nobody in.")
    console.print(Text("Make one: commonplace token create --user NAME", "dim"))
    console.print(Text("Do without, as the only user: commonplace token off", "dim"))


def _until(token: Token) -> str:
    if token.expires is None:
        return "without end"
    day = token.expires.date().isoformat()
    return f"until {day}" if token.live(datetime.now(UTC)) else f"expired on {day}"
