"""Compare answers and times on SQLite, PostgreSQL, and SQLite with vectors in Milvus Lite.

    python benchmarks/quality/engines.py EVALS [--sets locomo lme] [--questions 300]

EVALS is a folder of sets, see `sets.py`. Prints a Markdown table for each set, and exits with 1 if
two engines are more than one point apart in all@10 or NDCG@10. Times are multiples of those of
SQLite in the same run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from sets import evaluate_set
from tests.backends.postgres import server

from commonplace import Settings

if TYPE_CHECKING:
    from commonplace.verbs.evaluate import Evaluation

POINT = 0.01
MEASURES = ("recall_all@10", "ndcg@10")


def main() -> None:
    options = _options()
    apart = 0.0
    for name in options.sets:
        with tempfile.TemporaryDirectory(prefix="commonplace-") as room:
            runs = {engine: run(engine, room, name, options) for engine in options.engines}
        show(name, runs)
        for measure in MEASURES:
            values = [one.scores.results["ALL"][measure] for one in runs.values()]
            apart = max(apart, max(values) - min(values))
    print(f"\nEngines are at most {100 * apart:.2f} points apart.")
    sys.exit(apart > POINT)


def run(engine: str, room: str, name: str, options: argparse.Namespace) -> Evaluation:
    """Save a set on an engine and ask its questions."""
    place = Path(room, f"{engine}-{name}")
    place.mkdir()
    settings = Settings(state=str(place / "state"), embedder=options.embedder)
    url = f"sqlite:{place}/book.db"
    if engine == "postgresql":
        url = server.made(place / "book")
    if engine == "milvus":
        settings = settings.but(index=f"milvus:{place}/index.db")
    found = evaluate_set(options.evals, name, url, settings, most_queries=options.questions)
    if engine == "postgresql":
        server.give_back(place / "book")
    return found


def show(name: str, runs: dict[str, Evaluation]) -> None:
    base = next(iter(runs.values()))
    print(f"\n{name}: {base.saved:,} memories, {len(base.run):,} questions, {base.embedder}\n")
    print("| engine | all@10 | NDCG@10 | saving | recall p50 | recall p95 |")
    print("|---|---|---|---|---|---|")
    for engine, one in runs.items():
        scores = one.scores.results["ALL"]
        print(
            f"| {engine} | {scores[MEASURES[0]]:.3f} | {scores[MEASURES[1]]:.3f}"
            f" | {one.saving_s / base.saving_s:.1f} × | {one.p50_ms / base.p50_ms:.1f} ×"
            f" | {one.p95_ms / base.p95_ms:.1f} × |",
            flush=True,
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("evals")
    parser.add_argument("--sets", nargs="+", default=["locomo", "lme"])
    parser.add_argument("--engines", nargs="+", default=["sqlite", "postgresql", "milvus"])
    parser.add_argument("--questions", type=int, default=300, help="at most so many of each set")
    parser.add_argument("--embedder", default="auto")
    return parser.parse_args()


if __name__ == "__main__":
    main()
