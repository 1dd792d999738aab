"""Commands that change what the book says, all of which can be undone but one."""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from ...book import Commonplace
from ...model.errors import BadInput, CommonplaceError, Refused
from ...model.memory import Memory
from . import outcomes, text_format
from .call import Call
from .declare import ConfidenceOption, Ref, SensitivityOption, TopicOption, command
from .declare import group as make_group
from .save import content

_STANDARD_ERROR = 2


@contextmanager
def edited(
    text: str, *, name: str, environ: Mapping[str, str], instead: str = "pass --content"
) -> Generator[str]:
    """The text as it is when the editor closes.

    If what was typed cannot be saved, the file stays and the error says where: nobody types twice.
    """
    _require_terminal(instead)
    handle, path = tempfile.mkstemp(prefix=f"{name[:60]}-", suffix=".md")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    try:
        _open(path, environ, instead)
        yield _read(path)
    except BaseException as error:
        if _holds(path, text):
            os.unlink(path)
        elif isinstance(error, CommonplaceError):
            error.hint = f"{error.hint} Your text is kept in {path}.".strip()
        raise
    os.unlink(path)


def _require_terminal(instead: str) -> None:
    """Nobody can type where no terminal is, and an editor would wait for them for ever."""
    if not sys.stdin.isatty():
        raise BadInput(
            "An editor needs a terminal, and here is none.",
            hint=f"Use a terminal, or {instead}.",
        )


def _open(path: str, environ: Mapping[str, str], instead: str) -> None:
    fallback = "notepad" if sys.platform == "win32" else "vi"
    command = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or fallback)
    try:
        # What it draws is for the person, not for whoever reads the answer.
        screen = None if sys.stdout.isatty() else _STANDARD_ERROR
        subprocess.run([*command, path], check=True, stdout=screen)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(
            f"The editor {command[0]!r} did not finish its work.",
            hint=f"Set EDITOR to one that does, or {instead}.",
        ) from error


def _holds(path: str, text: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace").rstrip("\n") == text.rstrip("\n")
    except OSError:
        return False


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("The edited text is not UTF-8 text.", hint="Save it as UTF-8.") from error


# Commands that change what the book says, all of which can be undone but one.


PANEL = "Change"
group = make_group()


@command(group, panel=PANEL)
def correct(
    call: Call,
    wrong: Annotated[str, typer.Argument(help="The wrong memory: its name, or what it says.")],
    right: Annotated[str, typer.Argument(help="What it should say; - reads standard input.")],
) -> None:
    """Put a wrong memory right, everywhere it was repeated."""
    with call.book(wrong) as book:
        call.show(book.correct(wrong, content(right)), outcomes.corrected)


@command(group, panel=PANEL)
def edit(
    call: Call,
    ref: Ref,
    *,
    text: Annotated[
        str | None,
        typer.Option("--content", help="The new text; - reads standard input.", show_default=False),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(help="Its tags from now on; may be repeated.", show_default=False),
    ] = None,
    topic: TopicOption = None,
    sensitivity: SensitivityOption = None,
    confidence: ConfidenceOption = None,
    always_load: Annotated[
        bool | None,
        typer.Option(help="Give it to the agent without being asked.", show_default=False),
    ] = None,
) -> None:
    """Change a memory, in your editor unless options say what to change."""
    given: dict[str, Any] = {
        "content": content(text) if text is not None else None, "tags": tag, "topic": topic,
        "sensitivity": sensitivity, "confidence": confidence, "always_load": always_load,
    }  # fmt: skip
    changes = {name: one for name, one in given.items() if one is not None}
    with call.book(ref) as book:
        before = book.get(ref)
        new = book.edit(ref, **changes) if changes else _by_hand(book, before, call)
        call.show(new, lambda out, memory: outcomes.changed(out, memory, before))


@command(group, panel=PANEL)
def forget(call: Call, ref: Ref) -> None:
    """Stop recalling a memory; `restore` brings it back."""
    with call.book(ref) as book:
        call.show(book.forget(ref), outcomes.forgotten)


@command(group, panel=PANEL)
def restore(call: Call, ref: Ref) -> None:
    """Recall a forgotten or archived memory again."""
    with call.book(ref) as book:
        call.show(book.restore(ref), outcomes.restored)


@command(group, panel=PANEL)
def purge(
    call: Call,
    ref: Ref,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove a memory and its versions for good. This is the one change without undo."""
    with call.book(ref) as book:
        memory = book.get(ref)
        if not yes:
            _confirm(text_format.name(memory), call)
        call.show(book.purge(memory.id), outcomes.purged)


@command(group, panel=PANEL)
def promote(
    call: Call,
    ref: Ref,
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="SCOPE", help="A scope above its own, such as / or /org/acme."
        ),
    ],
) -> None:
    """Copy a memory to a broader scope, linked back to its origin."""
    with call.book(ref) as book:
        call.show(book.promote(ref, to), outcomes.promoted)


@command(group, panel=PANEL)
def rename(
    call: Call, ref: Ref, name: Annotated[str, typer.Argument(help="Its new name.")]
) -> None:
    """Give a memory a new name; links to it follow."""
    with call.book(ref) as book:
        call.show(book.rename(ref, name), outcomes.changed)


def _by_hand(book: Commonplace, memory: Memory, call: Call) -> Memory:
    with edited(memory.content, name=text_format.name(memory), environ=call.environ) as text:
        # What was read goes along: an agent's change in the meantime is not overwritten.
        return book.edit(memory.id, content=text, expect=memory)


def _confirm(name: str, call: Call) -> None:
    if call.json or not sys.stdin.isatty():
        raise BadInput(
            "Nothing was purged: a purge has to be confirmed.", hint="Add --yes to go ahead."
        )
    typer.echo(f"This removes {name} and all its versions for good.", err=True)
    if typer.prompt("Type its name to go ahead", err=True).strip() != name:
        raise Refused("That is not its name; nothing was purged.", hint="Copy it from `get`.")
