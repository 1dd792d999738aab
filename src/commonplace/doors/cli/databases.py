"""Databases on a server: their tables, and the role that the book is served with."""

from typing import Annotated

import typer

from ...assemble import set_up_postgres
from .call import Call
from .declare import command
from .declare import group as make_group
from .draw import databases

group = make_group("Set up PostgreSQL for a book that many machines share.")


@command(group)
def init(
    call: Call,
    owner_url: Annotated[
        str, typer.Argument(help="The database as the role that is to own the tables.")
    ],
    server_role: Annotated[
        str, typer.Option(help="The role that books are opened with; made if there is none.")
    ] = "commonplace_server",
) -> None:
    """Make or update a book's tables, and let the server's role use them and no more."""
    call.show(set_up_postgres(owner_url, server_role), databases.set_up)
