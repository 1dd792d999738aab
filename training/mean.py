"""The mean of several trained judges, and how sure it may be.

    python training/mean.py OUT TRAINED TRAINED ... --pieces EMBEDDER [--small]

Networks that began as one can be averaged; the mean of several trainings errs less than each. It
is also less sure of itself, so that its chances are set anew by the development part: those that
the product asks about or retires at are reached by as many look-alikes as its limits allow.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import bert
import data
import jax
import numpy as np
import reader

LIMITS = ((0.5, 0.05), (0.925, 0.010))
"""A chance, and the share of the look-alikes in the pairs that may reach it."""


def mean(paths: list[Path]) -> bert.Params:
    """The mean of networks that began as one."""
    each = [bert.load(path) for path in paths]
    return jax.tree.map(lambda *values: sum(values) / len(values), *each)


def calibration(margins: np.ndarray) -> np.ndarray:
    """Scale and shift that give the margins of look-alikes the chances that they may have."""
    ordered = np.sort(margins)
    first, second = (ordered[int(np.ceil((1 - share) * (len(ordered) - 1)))] for _, share in LIMITS)
    odds_one, odds_two = (np.log(chance / (1 - chance)) for chance, _ in LIMITS)
    scale = (odds_two - odds_one) / max(second - first, 1e-6)
    return np.array([scale, odds_one - scale * first], np.float32)


def margins(params: bert.Params, rows: list[reader.Row]) -> np.ndarray:
    """How much more a change is likely than anything else, as a logarithm."""
    found = reader.chances(params, reader.arrays("judge", rows))
    others = found[:, 1:]
    most = others.max(1)
    return found[:, 0] - np.log(np.exp(others - most[:, None]).sum(1)) - most


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("trained", type=Path, nargs="+")
    parser.add_argument("--pieces", type=Path, required=True, help="the embedder's file")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    params = mean(options.trained)
    pieces = data.packed_pieces(options.pieces)
    rows = [row for row in reader.judge_rows("development") if row.source == "pairs"]
    alike = [row for row in rows if row.allowed != ("replaces",)]
    given = alike[:64] if options.small else alike
    params["calibration"] = calibration(margins(params | {"pieces": pieces}, given))
    sys.stdout.write(f"{len(given)} look-alikes, calibration {params['calibration']}\n")
    bert.save(params, options.out)


if __name__ == "__main__":
    main()
