"""How far slow work is, on a terminal."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .call import console

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


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
