"""The command that measures recall."""

import json
import os
import shutil
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.text import Text

from ... import settings
from ...book import Commonplace
from ...books.open import open_book
from ...model.errors import BadInput
from ...rules.parameters import ScreeningPolicy
from ...rules.ranking.measures import Scores
from ...settings import Settings
from ...verbs.self_test import OwnEvaluation, SelfTestCheck
from . import text_format
from .call import Call, bars
from .declare import MAINTENANCE, command
from .declare import group as make_group
from .render import aside, say

PER_QUESTION = ("run", "sureness")
SHOWN = (
    *(f"recall_{kind}@{cutoff}" for kind in ("any", "all") for cutoff in (1, 5, 10, 20)),
    "ndcg@10", "mrr", "newest_first",
)  # fmt: skip
_SURE = {"strong": "green", "weak": "yellow", "none": "red"}
_STEPS = "▁▂▃▄▅▆▇█"
_LEAST_RANGE = 0.1
"""Smallest range of a sparkline, so that noise does not look like change."""
REDACTING = ScreeningPolicy(credentials="redact", identity="redact")
"""A set is measured whole: a turn with a password in it is saved without the password."""
group = make_group()

Store = Literal["sqlite", "vault"]


@command(group, "eval", panel=MAINTENANCE)
def evaluate(
    call: Call,
    folder: Annotated[
        str | None,
        typer.Argument(metavar="DIR", help="Folder with corpus.jsonl.gz and queries.jsonl.gz."),
    ] = None,
    *,
    own: Annotated[
        bool,
        typer.Option("--own", help="Test your own book with questions made from its memories."),
    ] = False,
    haystack: Annotated[
        bool,
        typer.Option("--haystack", help="For each question, search only its own haystack."),
    ] = False,
    store: Annotated[Store, typer.Option(help="Store of the test book.")] = "sqlite",
    out: Annotated[
        str | None,
        typer.Option(help="Write the ids found for each question to this file.", metavar="FILE"),
    ] = None,
    limit_queries: Annotated[
        int | None, typer.Option(help="Ask only the first N questions.", min=1)
    ] = None,
) -> None:
    """Measure recall on a set of questions or on your own book."""
    if own == (folder is not None):
        raise BadInput(
            "Give either a folder or --own.",
            hint="Use `commonplace eval DIR` or `commonplace eval --own`.",
        )
    if folder is None:
        _evaluate_own(call)
    else:
        _evaluate_set(call, folder, haystack, store, out, limit_queries)


def _evaluate_own(call: Call) -> None:
    with call.book() as book, bars() as progress:
        found = book.evaluate_own(progress=lambda done, total: progress("Asking", done, total))
    call.show(found, render_own)


def render_own(console: Console, found: OwnEvaluation) -> None:
    """How well recall finds the book's own memories."""
    checked = found.checked
    if not checked.asked:
        say(console, "There are too few memories to test. Save some first.")
        return
    for line in _findings(checked):
        console.print(line)
    if found.worst:
        say(console, "\nHardest to find:", "bold")
    for one in found.worst:
        place = "not found" if one.place is None else f"place {one.place}"
        console.print(
            Text.assemble(
                (f"  {place:9}  ", "yellow" if one.place else "red"),
                text_format.line(one.name or one.id),
                (f"  asked: {text_format.line(one.question)}", "dim"),
            )
        )
    if len(found.trend) > 1:
        console.print(_trend(found.trend))
    if not found.kept:
        say(console, "This result could not be stored for the trend.", "yellow")


def _findings(checked: SelfTestCheck) -> Iterator[Text]:
    yield Text.assemble(
        f"Asked about {checked.asked:,} of {checked.memories:,} memories: ",
        (f"{checked.first:.1%}", "bold"), " are found first, ",
        (f"{checked.top10:.1%}", "bold"), " among the first ten.",
    )  # fmt: skip
    yield Text.assemble("Certainty, known:   ", *_sureness(checked.sure))
    if sum(checked.strangers.values()):
        yield Text.assemble("Certainty, unknown: ", *_sureness(checked.strangers))
    if checked.strong_right is not None:
        yield Text(f"{checked.strong_right:.1%} of the answers called strong are right.")
    yield Text(f"{checked.p50_ms:.1f} ms a question (p50), {checked.p95_ms:.1f} ms (p95)", "dim")


def _sureness(counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    total = sum(counts.values()) or 1
    for name, count in counts.items():
        yield f"{name} {count / total:.0%}  ", _SURE.get(name, "")


def _trend(checks: Sequence[Mapping[str, Any]]) -> Text:
    rates = [float(check["first"]) for check in checks]
    since = str(checks[0]["at"])[:10]
    return Text.assemble(
        ("\nFound first since ", "dim"), (since, "dim"), "  ", (render_sparkline(rates), "cyan"),
        f"  {rates[0]:.1%} → {rates[-1]:.1%}",
    )  # fmt: skip


def render_sparkline(values: Sequence[float]) -> str:
    """Values as a row of bars."""
    low, high = min(values), max(values)
    low = min(low, high - _LEAST_RANGE)
    return "".join(
        _STEPS[round((value - low) / (high - low) * (len(_STEPS) - 1))] for value in values
    )


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
        **{name: value for name, value in found.__dict__.items() if name not in PER_QUESTION},
    }
    call.show(told, render_measured)


@contextmanager
def sample_book(chosen: Settings, store: Store) -> Generator[Commonplace]:
    """A temporary book with the person's settings."""
    room = tempfile.mkdtemp(prefix="commonplace-eval-")
    try:
        place = f"{store}:{os.path.join(room, 'book')}"
        apart = chosen.but(
            state=os.path.join(room, "state"), personal=None, retrieval_log=0, screening=REDACTING
        )
        with open_book(place, settings=apart, background=False) as book:
            yield book
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _require_writable(path: str) -> None:
    """Raise before minutes of work, not after."""
    path = os.path.expanduser(path)
    beside = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.access(path if os.path.exists(path) else beside, os.W_OK):
        raise BadInput(f"{path} cannot be written.", hint="Name a file in a writable folder.")


def render_measured(console: Console, told: Mapping[str, Any]) -> None:
    """The scores, and the conditions of the measurement."""
    scores: Scores = told["scores"]
    widest = max(map(text_format.width, scores.results))
    heads = ("n", *(name.removeprefix("recall_") for name in SHOWN))
    aside(console, _row("category", heads, widest))
    for category, means in scores.results.items():
        numbers = (f"{means[name]:.3f}" if name in means else "-" for name in SHOWN)
        row = _row(text_format.line(category), (f"{means['n']:.0f}", *numbers), widest)
        say(console, row, "bold" if category == "ALL" else "")
    for line in _conditions(told, scores):
        aside(console, line)


def _row(name: str, cells: Iterable[str], widest: int) -> str:
    widths = (4, *(max(6, len(shown.removeprefix("recall_"))) for shown in SHOWN))
    numbers = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return f"{name.ljust(widest)} {' '.join(numbers)}"


def _conditions(told: Mapping[str, Any], scores: Scores) -> Iterator[str]:
    intervals = (
        f"{name} {low:.3f} to {high:.3f}" for name, (low, high) in scores.intervals.items()
    )
    yield (
        f"{scores.scored:,} questions scored, {scores.skipped:,} without an answer left out; "
        f"95 %: {', '.join(intervals) or 'too few questions'}"
    )
    if scores.told_apart is not None:
        yield (
            f"Answerable questions told from the {scores.skipped:,} others: "
            f"{scores.told_apart:.3f} (1 always, .5 by chance)"
        )
    yield (
        f"{told['saved']:,} turns saved in {told['saving_s']:.1f} s; "
        f"{told['p50_ms']:.1f} ms a question (p50), {told['p95_ms']:.1f} ms (p95)"
    )
    yield (
        f"{told['store']} store, embedder {told['embedder']}, strategy {told['strategy']}"
        f"{', within each haystack' if told['haystack'] else ''}"
    )
