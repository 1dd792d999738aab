"""A minute's walk through a sample book, with the real commands."""

import io
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ...locations import PREFIX
from ...model.errors import BadInput
from ...model.value import Value
from . import failures, text_format
from .call import Call, Main, console
from .declare import command
from .declare import group as make_group
from .open_book import open_for

PANEL = "Begin"
PAUSE_S = 1.5
group = make_group()


class Step(Value):
    """A few words, then a command."""

    words: str
    command: tuple[str, ...]


class Walked(Value):
    """A step as it went."""

    words: str
    command: str
    output: str
    exit_code: int


PROJECT = "/project/mech-fighters"
WALK = (
    Step(
        "Tell the book something. It becomes a markdown note, filed under its project.",
        ("save", "We deploy from the branch master", "--title", "Deploy branch",
         "--scope", PROJECT, "--tag", "deploy"),
    ),
    Step(
        "Notes link to each other the way they do in Obsidian.",
        ("save", "Staging is refreshed every night from production, then [[Deploy branch]] "
         "is deployed to it", "--title", "Staging refresh", "--scope", PROJECT),
    ),
    Step(
        "A preference belongs to you and not to a project.",
        ("save", "Prefers short answers with the command first", "--kind", "preference",
         "--title", "Short answers"),
    ),
    Step(
        "Ask in your own words. Each answer can say why it is there.",
        ("recall", "which branch do we deploy?", "--why"),
    ),
    Step(
        "That was wrong. Name the wrong memory by what it says, and put it right.",
        ("correct", "We deploy from the branch master", "We deploy from the branch main"),
    ),
    Step("Now the right one is found.", ("recall", "which branch do we deploy?", "-n", "1")),
    Step("Nothing was lost: every version and every change is there.",
         ("history", "Deploy branch")),
    Step("Forget something.", ("forget", "Staging refresh")),
    Step("It is not recalled any more …", ("recall", "when is staging refreshed?")),
    Step("… until the last change to it is undone.", ("revert", "Staging refresh")),
    Step("There it is again.", ("recall", "when is staging refreshed?", "-n", "1")),
    Step("Follow the links into and out of a note.", ("links", "show", "Staging refresh")),
    Step("Facts are short answers under a key.", ("fact", "set", "python.version", "3.13")),
    Step("A new value takes the old one's place.", ("fact", "set", "python.version", "3.14")),
    Step("Ask for one by its key.", ("fact", "get", "python.version")),
    Step("And this is the whole book.", ("list",)),
)  # fmt: skip


@command(group, panel=PANEL)
def tour(
    call: Call,
    path: Annotated[
        str | None, typer.Argument(help="Keep the sample book in this new folder.")
    ] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Without pauses.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the sample book afterwards.")] = False,
) -> None:
    """Walk through a sample book in a minute. Your own book and settings stay untouched."""
    room = tempfile.mkdtemp(prefix="commonplace-tour-")
    notes = _empty_folder(path) if path else os.path.join(room, "notes")
    try:
        pause_s = PAUSE_S if sys.stdout.isatty() and not fast else 0.0
        world = _sample_world(call.environ, room, notes)
        guide = _Guide(call.main, console(), world, pause_s, call.json)
        walked = list(guide.walk(notes))
        call.show(walked, lambda out, _: _farewell(out, notes if path or keep else None))
    finally:
        if not keep:
            shutil.rmtree(room, ignore_errors=True)
    if any(step.exit_code for step in walked):
        raise typer.Exit(failures.FOUND_PROBLEMS)


class _Guide:
    """Says what comes, runs it, and waits a moment."""

    def __init__(
        self, main: Main, out: Console, environ: Mapping[str, str], pause_s: float, quiet: bool
    ) -> None:
        self._main = main
        self._out = out
        self._environ = environ
        self._pause_s = pause_s
        self._quiet = quiet

    def walk(self, notes: str) -> Iterator[Walked]:
        """Every step, and a look at the files after the first."""
        open_for({}, self._environ, create=True).close()
        if not self._quiet:
            self._say(f"A book is a folder of markdown notes. This sample is in {notes}.")
        for number, step in enumerate(WALK):
            yield self._take(step)
            if number == 0 and not self._quiet:
                self._look_at_files(notes)

    def _take(self, step: Step) -> Walked:
        written = shlex.join(("commonplace", *step.command))
        heard = io.StringIO()
        if not self._quiet:
            self._say(step.words)
            self._out.print(Text(f"$ {written}", style="bold cyan"), soft_wrap=True)
            time.sleep(self._pause_s)
        # What commands say on the side belongs in the same place on the page.
        with redirect_stdout(heard if self._quiet else sys.stdout), redirect_stderr(sys.stdout):
            code = self._main(step.command, self._environ)
        time.sleep(self._pause_s)
        return Walked(step.words, written, heard.getvalue(), code)

    def _say(self, words: str) -> None:
        self._out.print(Text(f"\n{words}", style="yellow"))

    def _look_at_files(self, notes: str) -> None:
        self._say("This is the note, a file you can open, edit, move and take away:")
        for folder, _, names in sorted(os.walk(notes)):
            for name in sorted(names):
                if name.startswith("deploy-branch"):
                    path = os.path.join(folder, name)
                    self._out.print(Text(path, style="bold"), soft_wrap=True)
                    with open(path, encoding="utf-8") as file:
                        self._out.print(
                            Text(text_format.clean(file.read()), style="dim"), soft_wrap=True
                        )
        time.sleep(self._pause_s)


def _sample_world(environ: Mapping[str, str], room: str, notes: str) -> dict[str, str]:
    """The environment without the person's own settings, and with the sample's."""
    outside = {name: value for name, value in environ.items() if not name.startswith(PREFIX)}
    return {
        **outside,
        f"{PREFIX}CONFIG": os.path.join(room, "config.yaml"),
        f"{PREFIX}STATE": os.path.join(room, "state"),
        # By words alone: a tour should say the same on every machine.
        f"{PREFIX}EMBEDDER": "none",
        f"{PREFIX}URL": f"vault:{notes}",
    }


def _empty_folder(path: str) -> str:
    folder = os.path.abspath(os.path.expanduser(path))
    if os.path.lexists(folder) and not (os.path.isdir(folder) and not os.listdir(folder)):
        raise BadInput(f"{folder} is not empty.", hint="Give the tour a new folder.")
    return folder


def _farewell(out: Console, kept: str | None) -> None:
    def say(words: str, commands: Sequence[str]) -> None:
        out.print(Text(f"\n{words}", style="yellow"))
        for one in commands:
            out.print(Text(f"  {one}", style="bold cyan"), soft_wrap=True)

    if kept:
        again = f"commonplace --url {shlex.quote(f'vault:{kept}')} list"
        say("The sample book stays where it is. Look at it, or open it in Obsidian:", [again])
    say(
        "That was the tour. Begin your own book:",
        ["commonplace init ~/notes", 'commonplace save "…"', "commonplace --help"],
    )
