"""Sealed memories and the keys they are sealed with."""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ...books.services import make_key
from ...model.results import Revealed, Rotated
from ...ports.cipher import Keys
from . import text_format
from .call import Call, console
from .declare import Ref, command
from .declare import group as make_group


def render_revealed(console: Console, done: Revealed) -> None:
    """The text alone, so that it can be piped on."""
    console.print(Text(text_format.clean(done.text)), soft_wrap=True)


def render_keys(console: Console, found: Keys) -> None:
    """Where keys are, and which; or how to get one."""
    console.print(Text(f"Keys are kept in {found.where}."), soft_wrap=True)
    if not found.ids:
        console.print("There is none yet. Make one: commonplace key new")
    for number, id in enumerate(found.ids):
        console.print(f"  {id}  {'seals what is saved now' if not number else 'opens older texts'}")


def render_key_made(console: Console, found: Keys) -> None:
    """The new key, and a word of warning."""
    console.print(f"Made the key {found.ids[0]}.")
    render_keys(console, found)
    console.print(
        Text("Keep a copy: without its key nobody can read a sealed memory.", style="dim")
    )


def render_rotated(console: Console, done: Rotated) -> None:
    """What is sealed with the new key, and which old ones are left."""
    count = text_format.counted(done.resealed, "memory", "memories")
    console.print(f"Sealed {count} with the key {done.key}.")
    if done.still_kept:
        console.print(f"Old keys are still there: {', '.join(done.still_kept)}.")


# Sealed memories and the keys they are sealed with.


group = make_group()
key_group = make_group("Look after the keys of sealed memories.")


@command(group, panel="Find")
def reveal(call: Call, ref: Ref) -> None:
    """Show the text of a sealed memory; the audit log says that it was shown."""
    with call.book(ref) as book:
        call.show(book.reveal(ref), render_revealed)


@command(key_group, "new")
def new_key(
    call: Call,
    print_it: Annotated[
        bool,
        typer.Option("--print", help="Only print a new key, for COMMONPLACE_KEY; keep it nowhere."),
    ] = False,
) -> None:
    """Make a key in the system's keyring, and seal with it from now on."""
    if print_it:
        call.show({"key": make_key()}, lambda out, made: out.print(made["key"], soft_wrap=True))
        return
    with call.book() as book:
        book.new_key()
        call.show(book.keys(), render_key_made)


@command(key_group, "rotate")
def rotate_key(call: Call) -> None:
    """Seal every sealed memory with a new key, then forget the old one. Safe to run again."""
    with call.book() as book, console(stderr=True).status("Sealing again…") as progress:
        rotated = book.rotate_key(
            progress=lambda count: progress.update(f"Sealed {count:,} memories again…")
        )
    call.show(rotated, render_rotated)


@command(key_group, "show-where")
def show_where(call: Call) -> None:
    """Say where the keys are kept and what they are called. A key itself is never shown."""
    with call.book() as book:
        call.show(book.keys(), render_keys)
