"""Measure ranking without each of its parts in turn, on the same evaluation sets.

    python benchmarks/quality/ablation.py EVALS [--sets locomo lme]

EVALS is a folder of sets, see `sets.py`. Prints a Markdown table of all@10 / NDCG@10, and the share
of newest memories ranked first where the set has such questions.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from typing import TYPE_CHECKING

from sets import evaluate_set

from commonplace import Settings
from commonplace.rules.parameters import RankingWeights

if TYPE_CHECKING:
    from commonplace.rules.ranking.measures import Scores

VARIANTS: dict[str, RankingWeights] = {
    "everything": RankingWeights(),
    "without meaning": RankingWeights(meaning=0),
    "without words": RankingWeights(keyword=0),
    "without neighbours": RankingWeights(
        neighbours=dict.fromkeys(RankingWeights().neighbours, 0.0)
    ),
    "without damping of long neighbours": RankingWeights(neighbour_words=1e9),
    "without answers after questions": RankingWeights(answer=0),
    "without whose turn it is": RankingWeights(other_role_factor=1),
    "without who is named": RankingWeights(speaker=0),
    "without when": RankingWeights(time=0),
    "without the answer's shape": RankingWeights(shape=0),
    "without newest first": RankingWeights(newest=0),
    "composite strategy": RankingWeights(strategy="composite"),
    "reciprocal rank strategy": RankingWeights(strategy="rrf"),
    "semantic strategy": RankingWeights(strategy="semantic"),
}


def main() -> None:
    options = _options()
    runs = [(name, haystack) for name in options.sets for haystack in (False, True)]
    runs = [(n, h) for n, h in runs if not h or n in options.haystack]
    heads = [f"{name}{' haystack' if haystack else ''}" for name, haystack in runs]
    print(f"| | {' | '.join(heads)} |")
    print(f"|---|{'---|' * len(heads)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="commonplace-") as room:
        for label, ranking in VARIANTS.items():
            cells = [_cell(options.evals, room, *run, ranking, "auto") for run in runs]
            print(f"| {label} | {' | '.join(cells)} |", flush=True)
        cells = [_cell(options.evals, room, *run, RankingWeights(), "none") for run in runs]
        print(f"| no embedder | {' | '.join(cells)} |")


def _cell(
    evals: str, room: str, name: str, haystack: bool, ranking: RankingWeights, embedder: str
) -> str:
    # Saving a set again changes nothing in a book that has it, so only the first time is slow.
    settings = Settings(state=os.path.join(room, "state"), ranking=ranking, embedder=embedder)
    done = evaluate_set(evals, name, f"sqlite:{room}/{name}.db", settings, haystack=haystack)
    return _said(done.scores)


def _said(scores: Scores) -> str:
    all_of_it = scores.results["ALL"]
    said = f"{all_of_it['recall_all@10']:.3f} / {all_of_it['ndcg@10']:.3f}"
    newest = all_of_it.get("newest_first")
    return said if newest is None else f"{said} / {newest:.2f}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("evals")
    parser.add_argument("--sets", nargs="+", default=["locomo", "lme"])
    parser.add_argument("--haystack", nargs="*", default=["lme"], help="sets that have haystacks")
    return parser.parse_args()


if __name__ == "__main__":
    main()
