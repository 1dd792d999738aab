"""One call of a command: its shared options, the book it opens, and its output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ... import settings
from ...model.errors import CommonplaceError, NotFound
from ...model.value import Value
from ...projects import NONE, working_folder
from ..plain_data import to_json
from . import text_format
from .open_book import context_for, open_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from ...book import Commonplace


T = TypeVar("T")
Main = Callable[[Sequence[str], Mapping[str, str]], int]
PIPED_COLUMNS = 120


def _no_main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    raise NotImplementedError  # Only `app.run` hands a command line to its commands.


class Call(Value):
    """The shared options of one call, with the functions that open the book and print."""

    shared: Mapping[str, str | None]
    environ: Mapping[str, str]
    json: bool = False
    main: Main = _no_main
    """Runs another command line in this process, for the tour."""

    def in_project(self) -> Call:
        """The call, in the project of the working folder unless another is named."""
        chosen = settings.load(self.environ)
        context = context_for(self.shared, self.environ, chosen, in_project=True)
        shared = {**self.shared, "project": context.project or NONE}
        return self.but(shared=shared)

    @contextmanager
    def book(
        self,
        ref: str = "",
        *,
        create: bool = False,
        background: bool = False,
        in_inbox: bool = False,
    ) -> Generator[Commonplace]:
        """Open the book for a command on the memory `ref`, if one is given.

        A command works in its folder; a server, which runs in the background, in none. A name means
        the memory of the folder's project where others have it as well. If none is found, the error
        suggests similar names; with `in_inbox`, of entries of the inbox.
        """
        with open_for(
            self.shared,
            self.environ,
            create=create,
            background=background,
            folder="" if background else working_folder(),
            named_here=bool(ref),
        ) as book:
            try:
                yield book
            except NotFound as error:
                raise _with_similar_names(error, book, ref, in_inbox=in_inbox) from error

    def show(self, value: T, render: Callable[[Console, T], None]) -> None:
        """Print the value: as JSON with --json, else rendered for a person."""
        if self.json:
            sys.stdout.write(to_json(value) + "\n")
        else:
            render(console(), value)


def console(*, stderr: bool = False) -> Console:
    """A console for standard output or standard error.

    It wraps no line, since a path that is broken cannot be copied, and reads no markup or emoji
    codes in texts.
    """
    stream = sys.stderr if stderr else sys.stdout
    return Console(
        file=stream,
        width=None if stream.isatty() else PIPED_COLUMNS,
        color_system=color_system(),
        soft_wrap=True,
        markup=False,
        emoji=False,
        highlight=False,
    )


def color_system() -> Literal["auto"] | None:
    """None with NO_COLOR: rich itself would still print bold and dim text."""
    return None if os.environ.get("NO_COLOR") else "auto"


def _with_similar_names(
    error: NotFound, book: Commonplace, ref: str, *, in_inbox: bool
) -> NotFound:
    import difflib

    if error.branch or not ref:
        return error  # It names the branch, or nothing was asked for by name.
    try:
        known = [one.memory for one in book.inbox()] if in_inbox else book.list(limit=1_000)
    except CommonplaceError:
        return error  # The first failure is the one to report.
    names = [text_format.name(memory) for memory in known]
    wanted = ref.casefold()
    similar = [one for one in names if one.startswith(wanted)]
    similar += difflib.get_close_matches(wanted, names, n=3, cutoff=0.55)
    if not similar:
        hint = "See `commonplace inbox list`." if in_inbox else error.hint
        return NotFound(error.sentence, hint=hint)
    return NotFound(error.sentence, hint=f"Did you mean {' or '.join(dict.fromkeys(similar[:3]))}?")


@contextmanager
def bars() -> Generator[Callable[[str, int, int], None]]:
    """Progress bars on a terminal, one for each stage, removed at the end."""
    stderr = console(stderr=True)
    columns = (TextColumn("{task.description:9}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns,
        TimeRemainingColumn(),
        console=stderr,
        transient=True,
        disable=not stderr.is_terminal,
    ) as shown:
        stages: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = shown.add_task(stage, total=total)
            shown.update(stages[stage], completed=done, total=total)

        yield progress
