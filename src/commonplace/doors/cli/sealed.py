"""Sealed memories and the keys they are sealed with."""

from typing import Annotated

import typer

from ...assemble import make_key
from .call import Call, console
from .declare import Ref, command
from .declare import group as make_group
from .draw import sealed

group = make_group()
keys = make_group("Look after the keys of sealed memories.")


@command(group, panel="Find")
def reveal(call: Call, ref: Ref) -> None:
    """Show the text of a sealed memory; the audit log says that it was shown."""
    with call.book(ref) as book:
        call.show(book.reveal(ref), sealed.revealed)


@command(keys, "new")
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
        call.show(book.keys(), sealed.key_made)


@command(keys, "rotate")
def rotate_key(call: Call) -> None:
    """Seal every sealed memory with a new key, then forget the old one. Safe to run again."""
    with call.book() as book, console(stderr=True).status("Sealing again…") as progress:
        rotated = book.rotate_key(
            progress=lambda count: progress.update(f"Sealed {count:,} memories again…")
        )
    call.show(rotated, sealed.rotated)


@command(keys, "show-where")
def show_where(call: Call) -> None:
    """Say where the keys are kept and what they are called. A key itself is never shown."""
    with call.book() as book:
        call.show(book.keys(), sealed.keys)
