"""Commands for sealed (encrypted) memories and their keys."""

from typing import Annotated

import typer
from rich.console import Console

from ...books.services import make_key
from ...model.results import Revealed, Rotated
from ...ports.cipher import Keys
from . import text_format
from .call import Call, console
from .declare import FIND, Ref, command
from .declare import group as make_group
from .render import aside, say

group = make_group()
key_group = make_group("Keys of sealed memories.")


@command(group, panel=FIND)
def reveal(call: Call, ref: Ref) -> None:
    """Show the text of a sealed memory. The audit log records it."""
    with call.book(ref) as book:
        call.show(book.reveal(ref), render_revealed)


def render_revealed(console: Console, done: Revealed) -> None:
    """The text alone, for scripts."""
    say(console, done.text)


@command(key_group, "new")
def new_key(
    call: Call,
    print_it: Annotated[
        bool,
        typer.Option("--print", help="Print a new key for COMMONPLACE_KEY, and store it nowhere."),
    ] = False,
) -> None:
    """Create a key in the system's keyring; new memories are sealed with it."""
    if print_it:
        call.show({"key": make_key()}, lambda out, made: say(out, made["key"]))
        return
    with call.book() as book:
        book.new_key()
        call.show(book.keys(), render_key_created)


def render_key_created(console: Console, found: Keys) -> None:
    """The new key's id, and a warning."""
    say(console, f"Created the key {found.ids[0]}.")
    render_keys(console, found)
    aside(console, "Keep a copy of the key: without it nobody can read the sealed memories.")


@command(key_group, "rotate")
def rotate_key(call: Call) -> None:
    """Seal all sealed memories with a new key, then delete the old key. Safe to repeat."""
    with call.book() as book, console(stderr=True).status("Resealing…") as spinner:
        rotated = book.rotate_key(
            progress=lambda count: spinner.update(f"Resealed {count:,} memories…")
        )
    call.show(rotated, render_rotated)


def render_rotated(console: Console, done: Rotated) -> None:
    """The number of resealed memories, and old keys that are left."""
    count = text_format.counted(done.resealed, "memory", "memories")
    say(console, f"Sealed {count} with the key {done.key}.")
    if done.still_kept:
        say(console, f"Old keys that are still there: {', '.join(done.still_kept)}.")


@command(key_group, "show-where")
def show_where(call: Call) -> None:
    """Show where the keys are stored, and their ids. A key itself is never shown."""
    with call.book() as book:
        call.show(book.keys(), render_keys)


def render_keys(console: Console, found: Keys) -> None:
    """The place of the keys and their ids, or how to create one."""
    say(console, f"Keys are stored in {found.where}.")
    if not found.ids:
        say(console, "There is no key yet. Create one: commonplace key new")
    for number, id in enumerate(found.ids):
        say(console, f"  {id}  {'opens older memories' if number else 'seals new memories'}")
