"""Commands that create a book: `init`, and `postgres init` for a shared database."""

import shlex
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ...books.postgres import PreparedDatabase, prepare_postgres
from ...registry import canonical_url
from ..default_book import FOLDER, CreatedBook, create_book
from . import text_format
from .call import Call
from .declare import START, command
from .declare import group as make_group
from .render import FIRST_SAVE, aside, say

group = make_group()
postgres_group = make_group("PostgreSQL, for a book that many machines share.")


@command(group, panel=START)
def init(
    call: Call,
    where: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH|URL",
            help=f"A folder, or a URL such as sqlite:memory.db. Default: ~/{FOLDER}.",
        ),
    ] = None,
    *,
    default: Annotated[
        bool, typer.Option("--default", help="Make it the default book in place of another.")
    ] = False,
) -> None:
    """Create a book, and make it the default if there is none yet."""
    made = create_book(where, call.environ, call.shared, make_default=default)
    call.show(made, render_created)


def render_created(console: Console, made: CreatedBook) -> None:
    """The URL of the book, which book commands use, and the first commands to try."""
    count = text_format.counted(made.memories, "memory", "memories")
    state = f"Your book is here, with {count}" if made.memories else "Your book is ready"
    console.print(Text(f"{state}: ").append(made.url, style="bold"))
    if not made.default:
        aside(console, f"Your default book is still {text_format.line(made.named)}.")
        aside(console, f"Switch: commonplace init {shlex.quote(made.url)} --default")
    if canonical_url(made.used) not in {canonical_url(made.url), canonical_url(made.named)}:
        aside(console, f"In this shell COMMONPLACE_URL names another: {made.used}")
    say(console, "\nNext:")
    for line in (
        f"{FIRST_SAVE} --tag deploy",
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
