"""Commands that create a book: `init`, and `postgres init` for a shared database."""

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
from . import text_format
from .call import Call
from .declare import START, command
from .declare import group as make_group
from .render import aside, say

DEFAULT = "~/commonplace"
group = make_group()
postgres_group = make_group("PostgreSQL, for a book that many machines share.")


@command(group, panel=START)
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
    """Create a book, and make it the default if there is none yet."""
    url = where or call.shared.get("url") or settings.load(call.environ).url or DEFAULT
    with call.but(shared={**call.shared, "url": url}).book(create=True) as book:
        status = book.status()
    default = _write_default(status.url, call.environ)
    call.show({"url": status.url, "memories": status.memories, **default}, render_created)


def _write_default(url: str, environ: Mapping[str, str]) -> dict[str, object]:
    """Write the URL into the settings file, unless the file names a book already."""
    path = config_path(environ)
    unset = {name: value for name, value in environ.items() if name != f"{PREFIX}URL"}
    if (known := settings.load(unset).url) is not None:
        return {"settings": path, "default": known == url}
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # Appended, so that a person's own lines stay as they are.
        with open(path, "a+", encoding="utf-8") as file:
            file.seek(0)
            before = file.read()
            if any(line.startswith("url:") for line in before.splitlines()):
                return {"settings": path, "default": False}  # Left empty on purpose.
            gap = "\n" if before and not before.endswith("\n") else ""
            file.write(f"{gap}url: {json.dumps(url, ensure_ascii=False)}\n")
    except OSError as error:
        raise BadInput(
            f"The book is created, but {path} cannot be written.",
            hint=f"Set COMMONPLACE_URL to {url}.",
        ) from error
    return {"settings": path, "default": True}


def render_created(console: Console, made: Mapping[str, object]) -> None:
    """The URL of the book, and the first commands to try."""
    count = text_format.counted(int(str(made["memories"])), "memory", "memories")
    state = f"Your book is here, with {count}" if made["memories"] else "Your book is ready"
    console.print(Text(f"{state}: ").append(str(made["url"]), style="bold"))
    if not made["default"]:
        aside(console, f"Your default book is another one; use --url, or edit {made['settings']}")
    say(console, "\nNext:")
    for line in (
        'commonplace save "We deploy from the branch main" --tag deploy',
        "commonplace recall which branch do we deploy from",
    ):
        say(console, f"  {line}", "cyan")


@command(postgres_group, "init")
def init_postgres(
    call: Call,
    owner_url: Annotated[
        str, typer.Argument(help="URL of the database, with the role that owns the tables.")
    ],
    server_role: Annotated[
        str, typer.Option(help="Role that opens the book; created if missing.")
    ] = "commonplace_server",
) -> None:
    """Create or update a book's tables, and let the server's role use them and nothing else."""
    call.show(prepare_postgres(owner_url, server_role), render_prepared)


def render_prepared(console: Console, done: PreparedDatabase) -> None:
    """The state of the tables, and the URL of the book."""
    say(console, f"The tables of the book {done.book} are up to date.")
    if not done.vectors:
        say(
            console,
            "The server has no pgvector, so recall searches by words only."
            " Install pgvector, then run this again.",
        )
    say(console, f"Open the book with: {done.url}", "bold")
    aside(console, f"Give {done.role} a password: ALTER ROLE {done.role} PASSWORD …")
