"""Which hosts are on this machine, and which of them are connected."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...errors import CommonplaceError
from ...model import Problem
from ...value import Value
from ..hooks import faults
from .hosts import HOSTS, Wanted, program
from .jsonc import find, read
from .pieces import NAME, Block, Handler, Member

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .hosts import Host
    from .pieces import Piece


class Connection(Value):
    """How one host stands."""

    host: str
    title: str
    present: bool
    """Whether the host has settings on this machine."""
    hooks: bool = False
    mcp: bool = False
    trouble: str = ""
    """What a person should look at."""


def connections(environ: Mapping[str, str]) -> list[Connection]:
    """Every host we know."""
    return [_connection(host, environ) for host in HOSTS.values()]


def problems(environ: Mapping[str, str]) -> list[Problem]:
    """What there is to say about the hosts on this machine."""
    found = [_problem(one) for one in connections(environ) if one.present]
    if last := faults.last(environ):
        found.append(
            Problem("hooks", f"last failed: {last}", f"See {faults.log_path(environ)}.", "notice")
        )
    return found


def _problem(one: Connection) -> Problem:
    if one.trouble:
        return Problem(one.title, one.trouble, f"Run `commonplace install {one.host}`.", "warning")
    ways = [way for way, there in (("hooks", one.hooks), ("MCP", one.mcp)) if there]
    if ways:
        return Problem(one.title, f"is connected by {' and '.join(ways)}", severity="notice")
    return Problem(
        one.title, "is not connected", f"Run `commonplace install {one.host}`.", "notice"
    )


def _connection(host: Host, environ: Mapping[str, str]) -> Connection:
    made = Connection(host.name, host.title, os.path.isdir(host.home(environ)))
    try:
        wants = host.wants(environ, Wanted(program()))
        handlers = [_standing(piece) for piece in wants if isinstance(piece, Handler)]
        servers = [_standing(piece) for piece in wants if isinstance(piece, Member | Block)]
    except (CommonplaceError, OSError, UnicodeDecodeError) as error:
        return made.but(trouble=f"has settings that cannot be read: {error}")
    trouble = ""
    if any(handlers) and not all(one == "current" for one in handlers):
        trouble = "runs other hooks than this version would set up"
    return made.but(hooks=any(handlers), mcp=any(servers), trouble=trouble)


def _standing(piece: Piece) -> str:
    """current, other, or nothing when it is not there."""
    try:
        with open(piece.file, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return ""
    if isinstance(piece, Member):
        return "current" if find(read(text), (*piece.path, NAME)) else ""
    if piece.put(text) == text:
        return "current"
    return "other" if piece.taken(text) != text else ""
