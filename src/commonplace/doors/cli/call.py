"""One command as it was called: where the book is, who asks, and how to answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ...model.errors import CommonplaceError, NotFound
from ...model.value import Value
from ..plain_data import to_json
from . import text_format
from .open_book import open_for

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
    """The options that every command shares, and the two things done with them."""

    shared: Mapping[str, str | None]
    environ: Mapping[str, str]
    json: bool = False
    main: Main = _no_main
    """Runs another command line in this process; the tour does."""

    @contextmanager
    def book(
        self, ref: str = "", *, create: bool = False, background: bool = False
    ) -> Generator[Commonplace]:
        """The open book; a `ref` that it does not know is answered with names like it."""
        with open_for(self.shared, self.environ, create=create, background=background) as book:
            try:
                yield book
            except NotFound as error:
                raise _with_likely_names(error, book, ref) from error

    def show(self, value: T, draw: Callable[[Console, T], None]) -> None:
        """Answer with the value: as JSON if that was asked for, else drawn for a person."""
        if self.json:
            sys.stdout.write(to_json(value) + "\n")
        else:
            draw(console(), value)


def console(*, stderr: bool = False) -> Console:
    """Where to draw. Text of memories is data: it is never read as markup or emoji codes."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPED_COLUMNS
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


def _with_likely_names(error: NotFound, book: Commonplace, ref: str) -> NotFound:
    import difflib

    try:
        names = [text_format.name(memory) for memory in book.list(limit=1_000)] if ref else []
    except CommonplaceError:
        return error  # The first failure is the one to tell.
    wanted = ref.casefold()
    likely = [one for one in names if one.startswith(wanted)]
    likely += difflib.get_close_matches(wanted, names, n=3, cutoff=0.55)
    if not likely:
        return error
    return NotFound(error.sentence, hint=f"Did you mean {' or '.join(dict.fromkeys(likely[:3]))}?")


# How far slow work is, on a terminal.


@contextmanager
def bars() -> Generator[Callable[[str, int, int], None]]:
    """A bar for each stage, on a terminal, gone when the numbers come."""
    where = console(stderr=True)
    columns = (TextColumn("{task.description:9}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns,
        TimeRemainingColumn(),
        console=where,
        transient=True,
        disable=not where.is_terminal,
    ) as shown:
        stages: dict[str, Any] = {}

        def progress(stage: str, done: int, of: int) -> None:
            if stage not in stages:
                stages[stage] = shown.add_task(stage, total=of)
            shown.update(stages[stage], completed=done, total=of)

        yield progress
