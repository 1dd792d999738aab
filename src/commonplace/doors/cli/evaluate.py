"""Commands that measure recall, and explain one."""

import json
import os
import shutil
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import typer
from rich.console import Console
from rich.text import Text

from ... import settings
from ...book import Commonplace
from ...books.open import open_book
from ...model.errors import BadInput
from ...notes.display import named
from ...rules.ranking.measures import Scores
from ...settings import Settings
from ...verbs.recall import ExplainedRecall, PlacedHit
from ...verbs.self_test import OwnEvaluation, SelfTestCheck
from . import text_format
from .call import Call, bars
from .declare import command
from .declare import group as make_group

SHOWN = (
    *(f"recall_{kind}@{cutoff}" for kind in ("any", "all") for cutoff in (1, 5, 10, 20)),
    "ndcg@10", "mrr", "newest_first",
)  # fmt: skip
WEIGHTS = frozenset({
    "scope", "trust", "confidence", "age", "stale", "future", "role", "topic",
})  # fmt: skip
"""Parts that multiply a score; all others add to it."""
_SURE = {"strong": "green", "weak": "yellow", "none": "red"}
_STEPS = "▁▂▃▄▅▆▇█"
_NARROW = 0.1
"""A trend is drawn at least this tall, so that chance does not look like change."""


def render_measured(console: Console, told: Mapping[str, Any]) -> None:
    """The table of scores, and what they were measured with."""
    scores: Scores = told["scores"]
    widest = max(map(text_format.width, scores.results))
    heads = ("n", *(name.removeprefix("recall_") for name in SHOWN))
    # Lines run over on a narrow terminal, because half a number is worse than a broken line.
    console.print(Text(_row("category", heads, widest), style="dim"), soft_wrap=True)
    for category, means in scores.results.items():
        numbers = (f"{means[name]:.3f}" if name in means else "-" for name in SHOWN)
        row = _row(text_format.line(category), (f"{means['n']:.0f}", *numbers), widest)
        console.print(Text(row, style="bold" if category == "ALL" else ""), soft_wrap=True)
    for line in _conditions(told, scores):
        console.print(Text(line, style="dim"), soft_wrap=True)


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
        f"95 %: {', '.join(intervals) or 'nothing to tell'}"
    )
    yield (
        f"{told['saved']:,} turns saved in {told['saving_s']:.1f} s; "
        f"{told['p50_ms']:.1f} ms a question (p50), {told['p95_ms']:.1f} ms (p95)"
    )
    yield (
        f"{told['store']} store, embedder {told['embedder']}, strategy {told['strategy']}"
        f"{', within each haystack' if told['haystack'] else ''}"
    )


def render_own(console: Console, found: OwnEvaluation) -> None:
    """How well the book knows itself."""
    checked = found.checked
    if not checked.asked:
        console.print("There is too little in the book to ask about. Save something first.")
        return
    for line in _findings(checked):
        console.print(line)
    if found.worst:
        console.print(Text("\nHardest to find:", style="bold"))
    for one in found.worst:
        place = "not found" if one.place is None else f"place {one.place}"
        console.print(
            Text.assemble(
                (f"  {place:9}  ", "yellow" if one.place else "red"),
                text_format.line(one.name or one.id),
                (f"  asked: {text_format.line(one.question)}", "dim"),
            ),
            soft_wrap=True,
        )
    if len(found.trend) > 1:
        console.print(_trend(found.trend))
    if not found.kept:
        console.print(Text("This check could not be written down for the trend.", style="yellow"))


def _findings(checked: SelfTestCheck) -> Iterator[Text]:
    yield Text.assemble(
        f"Asked about {checked.asked:,} of {checked.memories:,} memories: ",
        (f"{checked.first:.1%}", "bold"), " come back first, ",
        (f"{checked.top10:.1%}", "bold"), " among the first ten.",
    )  # fmt: skip
    yield Text.assemble("Sure of them:       ", *_sureness(checked.sure))
    if sum(checked.strangers.values()):
        yield Text.assemble("Sure of strangers:  ", *_sureness(checked.strangers))
    if checked.strong_right is not None:
        yield Text(f"{checked.strong_right:.1%} of what it calls strong is right.")
    yield Text(f"{checked.p50_ms:.1f} ms a question (p50), {checked.p95_ms:.1f} ms (p95)", "dim")


def _sureness(counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    total = sum(counts.values()) or 1
    for name, count in counts.items():
        yield f"{name} {count / total:.0%}  ", _SURE.get(name, "")


def _trend(checks: Sequence[Mapping[str, Any]]) -> Text:
    rates = [float(check["first"]) for check in checks]
    since = str(checks[0]["at"])[:10]
    return Text.assemble(
        ("\nBack first since ", "dim"), (since, "dim"), "  ", (render_sparkline(rates), "cyan"),
        f"  {rates[0]:.1%} → {rates[-1]:.1%}",
    )  # fmt: skip


def render_sparkline(values: Sequence[float]) -> str:
    """Values as a row of bars, the lowest one low and the highest one high."""
    low, high = min(values), max(values)
    low = min(low, high - _NARROW)
    return "".join(
        _STEPS[round((value - low) / (high - low) * (len(_STEPS) - 1))] for value in values
    )


def render_explained(console: Console, found: ExplainedRecall) -> None:
    """A recall as it was logged: the question, then each memory with the parts of its score."""
    asked = found.retrieval
    console.print(Text(text_format.line(asked.query) or "(nothing was asked)", style="bold"))
    said = [
        text_format.ago(asked.at, datetime.now(UTC)),
        f"asked from {text_format.line(asked.scope)}",
    ]
    said += [f"sure: {found.sure}"] if found.sure else []
    said += [
        f"{name}: {text_format.line(str(value))}"
        for name, value in found.details.items()
        if isinstance(value, str | int | float)
    ]
    console.print(Text(f"{' · '.join(said)} · {asked.id}", style="dim"), soft_wrap=True)
    if not found.hits:
        console.print("Nothing came back.")
    for hit in found.hits:
        console.print(_hit(hit), soft_wrap=True)


def _hit(hit: PlacedHit) -> Text:
    memory = hit.memory
    text = text_format.fit(text_format.line(named(memory)), 200) if memory else "(gone since)"
    name = text_format.name(memory) if memory else hit.id
    added = [f"{part} {share:.2f}" for part, share in hit.parts.items() if part not in WEIGHTS]
    weighed = [f"{part} ×{share:.2f}" for part, share in hit.parts.items() if part in WEIGHTS]
    sums = " + ".join(added) or "no reasons were logged"
    return Text.assemble(
        f"\n{hit.place:>2}  ", (text, "bold"), "\n    ", (name, "dim"),
        f"\n    {hit.score:.3f} = {sums}", (f"   {'  '.join(weighed)}" if weighed else "", "dim"),
    )  # fmt: skip


# Commands that measure recall, and explain one.


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
        call.show(book.why(ref), render_explained)


def _evaluate_own(call: Call) -> None:
    with call.book() as book, bars() as progress:
        found = book.evaluate_own(progress=lambda done, of: progress("Asking", done, of))
    call.show(found, render_own)


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
    call.show(told, render_measured)


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
