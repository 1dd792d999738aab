"""Commands that measure recall, and explain one."""

import json
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import typer

from ... import settings
from ...assemble import open_book
from ...book import Commonplace
from ...errors import BadInput
from ...settings import Settings
from .bars import bars
from .call import Call
from .declare import command
from .declare import group as make_group
from .draw import evaluations

PANEL = "Look after the book"
group = make_group()

Store = Literal["sqlite", "vault"]


@command(group, "eval", panel=PANEL)
def evaluate(
    call: Call,
    folder: Annotated[
        str | None,
        typer.Argument(metavar="DIR", help="With corpus.jsonl.gz and queries.jsonl.gz."),
    ] = None,
    *,
    own: Annotated[bool, typer.Option("--own", help="Ask your own book about itself.")] = False,
    haystack: Annotated[
        bool, typer.Option("--haystack", help="Look only where the set says, for each question.")
    ] = False,
    store: Annotated[Store, typer.Option(help="What the sample book is kept in.")] = "sqlite",
    out: Annotated[
        str | None,
        typer.Option(help="Write the ids found for each question to this file.", metavar="FILE"),
    ] = None,
    limit_queries: Annotated[
        int | None, typer.Option(help="Ask only so many, for a quick look.", min=1)
    ] = None,
) -> None:
    """Measure how well recall finds what it should, on a set of questions or on your own book."""
    if own == (folder is not None):
        raise BadInput(
            "One thing is evaluated at a time: a folder, or your own book.",
            hint="Use `commonplace eval DIR` or `commonplace eval --own`.",
        )
    if folder is None:
        _evaluate_own(call)
    else:
        _evaluate_set(call, folder, haystack, store, out, limit_queries)


@command(group, panel="Find")
def why(
    call: Call,
    ref: Annotated[
        str,
        typer.Argument(
            metavar="RECALL", help="`last`, a recall's id, or a memory that was recalled."
        ),
    ] = "last",
) -> None:
    """Explain a recall: what was asked, and what put each memory where it was."""
    with call.book(ref) as book:
        call.show(book.why(ref), evaluations.explained)


def _evaluate_own(call: Call) -> None:
    with call.book() as book, bars() as progress:
        found = book.evaluate_own(progress=lambda done, of: progress("Asking", done, of))
    call.show(found, evaluations.own)


def _evaluate_set(
    call: Call, folder: str, haystack: bool, store: Store, out: str | None, most: int | None
) -> None:
    from ...verbs.evaluate import evaluate as measure

    if out is not None:
        _require_writable(out)
    chosen = settings.load(call.environ)
    with bars() as progress:
        found = measure(
            lambda: sample_book(chosen, store),
            os.path.expanduser(folder),
            haystack=haystack,
            most_queries=most,
            progress=progress,
        )
    if out is not None:
        with open(os.path.expanduser(out), "w", encoding="utf-8") as file:
            json.dump(found.run, file)
    told: dict[str, Any] = {
        "folder": folder,
        "haystack": haystack,
        "store": store,
        "strategy": chosen.ranking.strategy,
        **{name: value for name, value in found.__dict__.items() if name != "run"},
    }
    call.show(told, evaluations.measured)


@contextmanager
def sample_book(chosen: Settings, store: Store) -> Generator[Commonplace]:
    """A book of its own with the person's settings, gone afterwards with all it left behind."""
    room = tempfile.mkdtemp(prefix="commonplace-eval-")
    try:
        place = f"{store}:{os.path.join(room, 'book')}"
        apart = chosen.but(state=os.path.join(room, "state"), personal=None, retrieval_log=0)
        with open_book(place, settings=apart, background=False) as book:
            yield book
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _require_writable(path: str) -> None:
    """Find out before minutes of work, and not after."""
    path = os.path.expanduser(path)
    beside = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.access(path if os.path.exists(path) else beside, os.W_OK):
        raise BadInput(f"{path} cannot be written.", hint="Name a file in a folder that can be.")
