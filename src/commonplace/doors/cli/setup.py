"""Make a book, and remember where it is."""

import json
import os
from collections.abc import Mapping
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ... import settings
from ...books.postgres import PreparedDatabase, prepare_postgres
from ...locations import PREFIX, config_path
from ...model.errors import BadInput
from . import outcomes
from .call import Call
from .declare import command
from .declare import group as make_group

PANEL = "Begin"
DEFAULT = "~/commonplace"
group = make_group()


@command(group, panel=PANEL)
def init(
    call: Call,
    where: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH|URL",
            help=f"A folder, or a URL such as sqlite:memory.db. Default: {DEFAULT}.",
        ),
    ] = None,
) -> None:
    """Make a book and remember where it is."""
    url = where or call.shared.get("url") or settings.load(call.environ).url or DEFAULT
    with call.but(shared={**call.shared, "url": url}).book(create=True) as book:
        status = book.status()
    made = {"url": status.url, "memories": status.memories, **_remember(status.url, call.environ)}
    call.show(made, outcomes.begun)


def _remember(url: str, environ: Mapping[str, str]) -> dict[str, object]:
    """Write the URL into the settings file, unless that names a book already."""
    path = config_path(environ)
    unset = {name: value for name, value in environ.items() if name != f"{PREFIX}URL"}
    if (known := settings.load(unset).url) is not None:
        return {"settings": path, "default": known == url}
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # Added at the end, so that whatever a person wrote there stays as it is.
        with open(path, "a+", encoding="utf-8") as file:
            file.seek(0)
            before = file.read()
            if any(line.startswith("url:") for line in before.splitlines()):
                return {"settings": path, "default": False}  # Left empty on purpose.
            gap = "\n" if before and not before.endswith("\n") else ""
            file.write(f"{gap}url: {json.dumps(url, ensure_ascii=False)}\n")
    except OSError as error:
        raise BadInput(
            f"The book is made, but {path} cannot be written.",
            hint=f"Set COMMONPLACE_URL to {url}.",
        ) from error
    return {"settings": path, "default": True}


# A database that was set up, for a person.


def render_set_up(console: Console, done: PreparedDatabase) -> None:
    """What is there now, and the URL to open the book with."""
    console.print(f"The tables of the book {done.book} are there and current.")
    if not done.vectors:
        console.print(
            "The server has no pgvector: recall goes by words. Install it, then run this again."
        )
    console.print(Text(f"Open the book with: {done.url}", style="bold"), soft_wrap=True)
    console.print(Text(f"Give {done.role} a password: ALTER ROLE {done.role} PASSWORD …", "dim"))


# Databases on a server: their tables, and the role that the book is served with.


postgres_group = make_group("Set up PostgreSQL for a book that many machines share.")


@command(postgres_group, "init")
def init_postgres(
    call: Call,
    owner_url: Annotated[
        str, typer.Argument(help="The database as the role that is to own the tables.")
    ],
    server_role: Annotated[
        str, typer.Option(help="The role that books are opened with; made if there is none.")
    ] = "commonplace_server",
) -> None:
    """Make or update a book's tables, and let the server's role use them and no more."""
    call.show(prepare_postgres(owner_url, server_role), render_set_up)
