"""How good recall is, and why one came out as it did."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ....rules.notes.namespaces import named
from .. import legible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.console import Console

    from ....rules.ranking.measures import Scores
    from ....verbs.evaluate.own import Checked, OwnEvaluation
    from ....verbs.why import Explained, Placed

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


def measured(console: Console, told: Mapping[str, Any]) -> None:
    """The table of scores, and what they were measured with."""
    scores: Scores = told["scores"]
    widest = max(map(legible.width, scores.results))
    heads = ("n", *(name.removeprefix("recall_") for name in SHOWN))
    # Lines run over on a narrow terminal, because half a number is worse than a broken line.
    console.print(Text(_row("category", heads, widest), style="dim"), soft_wrap=True)
    for category, means in scores.results.items():
        numbers = (f"{means[name]:.3f}" if name in means else "-" for name in SHOWN)
        row = _row(legible.line(category), (f"{means['n']:.0f}", *numbers), widest)
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


def own(console: Console, found: OwnEvaluation) -> None:
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
                legible.line(one.name or one.id),
                (f"  asked: {legible.line(one.question)}", "dim"),
            ),
            soft_wrap=True,
        )
    if len(found.trend) > 1:
        console.print(_trend(found.trend))
    if not found.kept:
        console.print(Text("This check could not be written down for the trend.", style="yellow"))


def _findings(checked: Checked) -> Iterator[Text]:
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
        ("\nBack first since ", "dim"), (since, "dim"), "  ", (sparkline(rates), "cyan"),
        f"  {rates[0]:.1%} → {rates[-1]:.1%}",
    )  # fmt: skip


def sparkline(values: Sequence[float]) -> str:
    """Values as a row of bars, the lowest one low and the highest one high."""
    low, high = min(values), max(values)
    low = min(low, high - _NARROW)
    return "".join(
        _STEPS[round((value - low) / (high - low) * (len(_STEPS) - 1))] for value in values
    )


def explained(console: Console, found: Explained) -> None:
    """A recall as it was logged: the question, then each memory with the parts of its score."""
    asked = found.retrieval
    console.print(Text(legible.line(asked.query) or "(nothing was asked)", style="bold"))
    said = [legible.ago(asked.at, datetime.now(UTC)), f"asked from {legible.line(asked.scope)}"]
    said += [f"sure: {found.sure}"] if found.sure else []
    said += [
        f"{name}: {legible.line(str(value))}"
        for name, value in found.details.items()
        if isinstance(value, str | int | float)
    ]
    console.print(Text(f"{' · '.join(said)} · {asked.id}", style="dim"), soft_wrap=True)
    if not found.hits:
        console.print("Nothing came back.")
    for hit in found.hits:
        console.print(_hit(hit), soft_wrap=True)


def _hit(hit: Placed) -> Text:
    memory = hit.memory
    text = legible.fit(legible.line(named(memory)), 200) if memory else "(gone since)"
    name = legible.name(memory) if memory else hit.id
    added = [f"{part} {share:.2f}" for part, share in hit.parts.items() if part not in WEIGHTS]
    weighed = [f"{part} ×{share:.2f}" for part, share in hit.parts.items() if part in WEIGHTS]
    sums = " + ".join(added) or "no reasons were logged"
    return Text.assemble(
        f"\n{hit.place:>2}  ", (text, "bold"), "\n    ", (name, "dim"),
        f"\n    {hit.score:.3f} = {sums}", (f"   {'  '.join(weighed)}" if weighed else "", "dim"),
    )  # fmt: skip
