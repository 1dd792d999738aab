"""The tour: real commands on a sample book, in about a minute."""

import io
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, nullcontext, redirect_stderr, redirect_stdout
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ...distribution import NAME, installer
from ...locations import PREFIX
from ...model.errors import BadInput
from ...model.value import Value
from ...projects import NONE, working_folder
from . import failures, text_format
from .call import Call, Main, console
from .declare import START, command
from .declare import group as make_group
from .open_book import open_for

PAUSE_S = 1.5
group = make_group()


class TourStep(Value):
    """A command, and a sentence about it."""

    words: str
    command: tuple[str, ...]


class TourStepRun(Value):
    """A step that was run, with its output."""

    words: str
    command: str
    output: str
    exit_code: int


PROJECT = "/project/mech-fighters"
STEPS = (
    TourStep(
        "Save a memory. It becomes a Markdown note in the folder of its project.",
        ("save", "We deploy from the branch master", "--title", "Deploy branch",
         "--scope", PROJECT, "--tag", "deploy"),
    ),
    TourStep(
        "Notes link to each other, as in Obsidian.",
        ("save", "Staging is refreshed every night from production, then [[Deploy branch]] "
         "is deployed to it", "--title", "Staging refresh", "--scope", PROJECT),
    ),
    TourStep(
        "A preference is about you, not about a project.",
        ("save", "Prefers short answers with the command first", "--kind", "preference",
         "--title", "Short answers"),
    ),
    TourStep(
        "Ask in your own words. --why explains each answer.",
        ("recall", "which branch do we deploy?", "--why"),
    ),
    TourStep(
        "That was wrong. Correct it: the wrong text first, then the right one.",
        ("correct", "We deploy from the branch master", "We deploy from the branch main"),
    ),
    TourStep("Now the right branch is found.", ("recall", "which branch do we deploy?", "-n", "1")),
    TourStep("Nothing is lost: every version and every change is kept.",
         ("history", "Deploy branch")),
    TourStep("Forget a memory.", ("forget", "Staging refresh")),
    TourStep("It is no longer recalled …", ("recall", "when is staging refreshed?")),
    TourStep("… until you undo the last change to it.", ("revert", "Staging refresh")),
    TourStep("It is recalled again.", ("recall", "when is staging refreshed?", "-n", "1")),
    TourStep("Show the links from and to a note.", ("links", "show", "Staging refresh")),
    TourStep("A fact is a short value under a key.", ("fact", "set", "python.version", "3.13")),
    TourStep("A new value replaces the old one.", ("fact", "set", "python.version", "3.14")),
    TourStep("Get a fact by its key.", ("fact", "get", "python.version")),
    TourStep("And this is the whole book.", ("list",)),
)  # fmt: skip


@command(group, panel=START)
def tour(
    call: Call,
    path: Annotated[
        str | None, typer.Argument(help="Keep the sample book in this new folder.")
    ] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Run without pauses.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the sample book afterwards.")] = False,
) -> None:
    """Try the main commands on a sample book, in a minute. Your own book is not touched."""
    room = tempfile.mkdtemp(prefix="commonplace-tour-")
    notes = _empty_folder(path) if path else os.path.join(room, "notes")
    try:
        pause_s = PAUSE_S if sys.stdout.isatty() and not fast else 0.0
        environ = _sample_environ(call.environ, room, notes)
        guide = _Guide(call.main, console(), environ, pause_s, call.json)
        # Elsewhere, since a branch and the files of the working folder are of no concern to a tour.
        with chdir(room) if working_folder() else nullcontext():
            run_steps = list(guide.run(notes))
        call.show(run_steps, lambda out, _: _farewell(out, notes if path or keep else None))
    finally:
        if not keep:
            shutil.rmtree(room, ignore_errors=True)
    if any(step.exit_code for step in run_steps):
        raise typer.Exit(failures.FOUND_PROBLEMS)


class _Guide:
    """Prints a sentence, runs a command, and pauses."""

    def __init__(
        self, main: Main, out: Console, environ: Mapping[str, str], pause_s: float, quiet: bool
    ) -> None:
        self._main = main
        self._out = out
        self._environ = environ
        self._pause_s = pause_s
        self._quiet = quiet

    def run(self, notes: str) -> Iterator[TourStepRun]:
        """Run every step; after the first, show its file."""
        open_for({}, self._environ, create=True).close()
        if not self._quiet:
            self._say(f"A book is a folder of markdown notes. This sample is in {notes}")
        for number, step in enumerate(STEPS):
            yield self._run_step(step)
            if number == 0 and not self._quiet:
                self._show_note(notes)

    def _run_step(self, step: TourStep) -> TourStepRun:
        written = shlex.join(("commonplace", *step.command))
        output = io.StringIO()
        if not self._quiet:
            self._say(step.words)
            self._out.print(Text(f"$ {written}", style="bold cyan"))
            time.sleep(self._pause_s)
        # Messages on standard error belong between the lines of standard output.
        with redirect_stdout(output if self._quiet else sys.stdout), redirect_stderr(sys.stdout):
            code = self._main(step.command, self._environ)
        time.sleep(self._pause_s)
        return TourStepRun(step.words, written, output.getvalue(), code)

    def _say(self, words: str) -> None:
        self._out.print(Text(f"\n{words}", style="yellow"))

    def _show_note(self, notes: str) -> None:
        self._say("This is its note, a file that you can open, edit and move:")
        for folder, _, names in sorted(os.walk(notes)):
            for name in sorted(names):
                if name.startswith("deploy-branch"):
                    path = os.path.join(folder, name)
                    self._out.print(Text(path, style="bold"))
                    with open(path, encoding="utf-8") as file:
                        self._out.print(Text(text_format.clean(file.read()), style="dim"))
        time.sleep(self._pause_s)


def _sample_environ(environ: Mapping[str, str], room: str, notes: str) -> dict[str, str]:
    """The environment with the sample's settings instead of the person's own."""
    outside = {name: value for name, value in environ.items() if not name.startswith(PREFIX)}
    return {
        **outside,
        f"{PREFIX}CONFIG": os.path.join(room, "config.yaml"),
        f"{PREFIX}STATE": os.path.join(room, "state"),
        # Without an embedder, the tour prints the same on every machine.
        f"{PREFIX}EMBEDDER": "none",
        f"{PREFIX}URL": f"vault:{notes}",
        # The steps speak of one project; that of the working folder would hide it.
        f"{PREFIX}PROJECT": NONE,
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
            out.print(Text(f"  {one}", style="bold cyan"))

    if kept:
        again = f"commonplace --url {shlex.quote(f'vault:{kept}')} list"
        say("The sample book is kept. List it, or open it in Obsidian:", [again])
    first = {"uvx": f"uv tool install {NAME}", "pipx run": f"pipx install {NAME}"}
    stay = [first[installer()]] if installer() in first else []
    say(
        "That was the tour. " + ("Install it to stay:" if stay else "Create your own book:"),
        [*stay, "commonplace init", 'commonplace save "…"', "commonplace --help"],
    )
