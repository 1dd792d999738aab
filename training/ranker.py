"""Train the ranker: boosted trees that multiply the score of a candidate.

    python training/ranker.py ROWS OUT [--also ROWS] [--trees 150]

ROWS come from `candidates.py`. The trees begin with the hand-set score and learn what to change in
it (LambdaMART: pairs of a right and a wrong candidate, weighted by what swapping them does to
NDCG). All splits of one level of a tree are the same, which makes them quick to evaluate in plain
Python and slow to learn a data set by heart.
"""

from __future__ import annotations

import argparse
import sys
import time
from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "src"))

from commonplace.backends.neural.model_file import write_model_file
from commonplace.rules.ranking.features import NAMES

BINS = 64
BASE = NAMES.index("base")


@dataclass(frozen=True)
class Recipe:
    """The numbers of one training."""

    trees: int = 150
    depth: int = 5
    rate: float = 0.08
    smoothing: float = 30.0
    """Pulls leaves with little evidence to zero."""
    columns: float = 0.3
    rows: float = 0.6
    """Shares of columns and questions that one tree sees."""
    trust: float = 4.0
    """How much the hand-set score counts: its logarithm is taken so many times."""
    places: int = 15
    """Pairs count if one of them is among the first so many."""
    seed: int = 0


@dataclass
class Rows:
    """Candidates of many questions, in the order of the questions."""

    values: np.ndarray
    right: np.ndarray
    starts: np.ndarray

    @classmethod
    def load(cls, path: Path) -> Rows:
        """Read what `candidates.py` wrote."""
        with np.load(path) as file:
            return cls(file["values"], file["right"], file["starts"])

    def joined_with(self, more: Rows) -> Rows:
        """These, and then more."""
        return Rows(
            np.concatenate([self.values, more.values]),
            np.concatenate([self.right, more.right]),
            np.concatenate([self.starts, more.starts + len(self.right)]),
        )


@dataclass
class Tree:
    """Columns and bins of its levels, and the values of its leaves."""

    splits: list[tuple[int, int]]
    leaves: np.ndarray


def limits_of(values: np.ndarray) -> list[np.ndarray]:
    """Up to 63 limits for each column, at equal shares of the rows."""
    shares = np.linspace(0, 1, BINS + 1)[1:-1]
    return [np.unique(np.quantile(column, shares).astype(np.float32)) for column in values.T]


def binned(values: np.ndarray, limits: list[np.ndarray]) -> np.ndarray:
    """For each column the number of limits below each value."""
    return np.stack(
        [
            np.searchsorted(limit, column, side="left").astype(np.uint8)
            for limit, column in zip(limits, values.T, strict=True)
        ]
    )


def train(rows: Rows, recipe: Recipe) -> tuple[list[Tree], list[np.ndarray]]:
    """The trees, and the limits of the columns."""
    chance = np.random.default_rng(recipe.seed)
    limits = limits_of(rows.values)
    bins = binned(rows.values, limits)
    ends = np.append(rows.starts[1:], len(rows.right))
    question = np.repeat(np.arange(len(rows.starts)), ends - rows.starts)
    scores = recipe.trust * np.log(np.maximum(rows.values[:, BASE], 1e-3)).astype(np.float64)
    pairs = _Pairs(rows, ends)
    trees = []
    began = time.monotonic()
    for number in range(1, recipe.trees + 1):
        slopes, bends = pairs.slopes(scores, recipe.places)
        seen = np.where((chance.random(len(ends)) < recipe.rows)[question])[0]
        columns = chance.permutation(len(limits))[: max(8, int(len(limits) * recipe.columns))]
        tree = _grow(bins, slopes, bends, seen, columns, limits, recipe)
        scores += tree.leaves[_places(tree, bins)]
        trees.append(tree)
        if number % 25 == 0:
            print(f"{time.monotonic() - began:4.0f} s: {number} trees", flush=True)
    return trees, limits


class _Pairs:
    """Every right candidate with every wrong one of its question, for all questions at once."""

    def __init__(self, rows: Rows, ends: np.ndarray) -> None:
        sizes = ends - rows.starts
        self._shape = (len(sizes), int(sizes.max()))
        self._cell = np.concatenate(
            [np.arange(n) + at * self._shape[1] for at, n in enumerate(sizes)]
        )
        good, bad, question, best = [], [], [], []
        for at, (start, end) in enumerate(zip(rows.starts, ends, strict=True)):
            right = rows.right[start:end]
            mine, theirs = np.where(right)[0] + start, np.where(~right)[0] + start
            good.append(np.repeat(mine, len(theirs)))
            bad.append(np.tile(theirs, len(mine)))
            question.append(np.full(len(mine) * len(theirs), at))
            best.append((1 / np.log2(np.arange(min(len(mine), 10)) + 2)).sum() or 1.0)
        self._good, self._bad = np.concatenate(good), np.concatenate(bad)
        self._question, self._best = np.concatenate(question), np.array(best)

    def slopes(self, scores: np.ndarray, places: int) -> tuple[np.ndarray, np.ndarray]:
        """Gradient and curvature of every score."""
        table = np.full(self._shape, -np.inf)
        table.flat[self._cell] = scores
        place = table.argsort(axis=1)[:, ::-1].argsort(axis=1).flat[self._cell]
        worth = 1 / np.log2(place + 2.0)
        good, bad, question = self._good, self._bad, self._question
        near = (place[good] < places) | (place[bad] < places)
        weight = np.abs(worth[good] - worth[bad]) / self._best[question] * near
        wrong = 1 / (1 + np.exp(scores[good] - scores[bad]))
        push, bend = wrong * weight, wrong * (1 - wrong) * weight
        total = np.bincount(question, push, len(self._best))
        # Questions with many wrong pairs would drown the others.
        scale = (np.log2(1 + total) / np.maximum(total, 1e-12))[question]
        push, bend, size = push * scale, bend * scale, len(scores)
        slopes = np.bincount(bad, push, size) - np.bincount(good, push, size)
        return slopes, np.bincount(good, bend, size) + np.bincount(bad, bend, size) + 1e-6


def _grow(
    bins: np.ndarray,
    slopes: np.ndarray,
    bends: np.ndarray,
    seen: np.ndarray,
    columns: np.ndarray,
    limits: list[np.ndarray],
    recipe: Recipe,
) -> Tree:
    slope, bend, own = slopes[seen], bends[seen], bins[columns][:, seen]
    place = np.zeros(len(seen), np.int64)
    splits: list[tuple[int, int]] = []
    for level in range(recipe.depth):
        best, chosen = -1.0, (0, 0)
        start, size = place * BINS, BINS << level
        for column, values in zip(columns, own, strict=True):
            key = start + values
            low = np.bincount(key, slope, size).reshape(-1, BINS).cumsum(1)
            bent = np.bincount(key, bend, size).reshape(-1, BINS).cumsum(1)
            high, rest = low[:, -1:] - low, bent[:, -1:] - bent
            gain = low**2 / (bent + recipe.smoothing) + high**2 / (rest + recipe.smoothing)
            gain = gain.sum(0)[: len(limits[column])]
            if len(gain) and gain.max() > best:
                best, chosen = float(gain.max()), (int(column), int(gain.argmax()))
        splits.append(chosen)
        place = place * 2 + (bins[chosen[0]][seen] > chosen[1])
    size = 1 << recipe.depth
    total, bent = np.bincount(place, slope, size), np.bincount(place, bend, size)
    return Tree(splits, -recipe.rate * total / (bent + recipe.smoothing))


def _places(tree: Tree, bins: np.ndarray) -> np.ndarray:
    """The leaf of every row."""
    place = np.zeros(bins.shape[1], np.int64)
    for column, limit in tree.splits:
        place = place * 2 + (bins[column] > limit)
    return place


def save(trees: list[Tree], limits: list[np.ndarray], recipe: Recipe, path: Path) -> None:
    """Write the file of the package. Leaves are divided by `trust`, to multiply the score itself.

    Only the limits that a split uses are written.
    """
    used: list[list[int]] = [
        sorted({limit for tree in trees for at, limit in tree.splits if at == column})
        for column in range(len(limits))
    ]
    values = array("f", [float(limits[at][n]) for at, ns in enumerate(used) for n in ns])
    ends = array("I", np.cumsum([len(one) for one in used]).tolist())
    splits = array(
        "I", [n for tree in trees for at, limit in tree.splits for n in (at, used[at].index(limit))]
    )
    leaves = array("f", [float(v) / recipe.trust for tree in trees for v in tree.leaves])
    arrays = [
        ("shape", (2,), array("I", [recipe.depth, len(limits)]).tobytes()),
        ("limits", (len(values),), values.tobytes()),
        ("limits.ends", (len(ends),), ends.tobytes()),
        ("splits", (len(splits),), splits.tobytes()),
        ("leaves", (len(leaves),), leaves.tobytes()),
    ]
    write_model_file(str(path.absolute()), arrays)


def factors(
    trees: list[Tree], limits: list[np.ndarray], recipe: Recipe, values: np.ndarray
) -> np.ndarray:
    """What the ranker multiplies the score of each row with."""
    bins = binned(values, limits)
    sums = sum(tree.leaves[_places(tree, bins)] for tree in trees)
    return np.exp(sums / recipe.trust)


def measure(rows: Rows, scores: np.ndarray) -> dict[str, float]:
    """all@10 and NDCG@10 of the candidates; answers that are no candidates do not count."""
    ends = np.append(rows.starts[1:], len(rows.right))
    sums = np.zeros(2)
    for start, end in zip(rows.starts, ends, strict=True):
        right = rows.right[start:end]
        order = np.argsort(-scores[start:end], kind="stable")[:10]
        hits = right[order]
        ideal = (1 / np.log2(np.arange(min(int(right.sum()), 10)) + 2)).sum()
        sums += [
            hits.sum() >= min(right.sum(), 10),
            (hits / np.log2(np.arange(len(hits)) + 2)).sum() / ideal,
        ]
    whole, gain = (sums / len(rows.starts)).round(4).tolist()
    return {"all@10": whole, "ndcg@10": gain}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--also", type=Path, help="More rows to learn from.")
    parser.add_argument("--development", type=Path, help="Rows to measure with.")
    parser.add_argument("--trees", type=int, default=Recipe.trees)
    options = parser.parse_args()
    recipe = Recipe(trees=options.trees)
    rows = Rows.load(options.rows)
    if options.also:
        rows = rows.joined_with(Rows.load(options.also))
    print(f"{len(rows.starts)} questions, {len(rows.right)} candidates", flush=True)
    trees, limits = train(rows, recipe)
    save(trees, limits, recipe, options.out)
    for name, path in (("training", options.rows), ("development", options.development)):
        if path is not None:
            measured = Rows.load(path)
            base = measured.values[:, BASE]
            made = base * factors(trees, limits, recipe, measured.values)
            print(f"{name}: {measure(measured, base)} → {measure(measured, made)}")


if __name__ == "__main__":
    main()
