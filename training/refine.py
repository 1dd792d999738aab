"""Let the judge that the package ships learn from newer hands, in half an hour without a GPU.

    python training/refine.py JUDGE OUT [--pieces EMBEDDER] [--rows 13000] [--rate 5e-5]

JUDGE is a packed file. It learns once from a sample: things of the hands that were written last,
fewer of the others, pairs, and what was said. The result is the mean of both, weighted two to one,
because the mean forgets less of what the judge had learned before. Its chances are set so that at
the limit of the rules as few pairs that hold together are retired as before.
"""

from __future__ import annotations

import argparse
import json
import random
from functools import partial
from pathlib import Path

import bert
import data
import jax.numpy as jnp
import numpy as np
import pack
import reader

from commonplace.rules.relations.verdict import REPLACES

LAST_HANDS = ("dogwood", "heather", "laurel", "mint", "nigella")
SHARE = 2 / 3
"""The share of what was learned in the mean with what was known."""
OTHER_HANDS, TOGETHER, PAIRS, SAID, SAID_TOGETHER = 0.25, 0.15, 0.45, 0.5, 0.12
"""How often rows come: of other hands, of what holds together, pairs, changes said, the others."""
WRONG_AT_LIMIT, WRONG_AT_HALF = 0.013, 0.097
"""Shares of pairs that are no change, at the rules' limit and at a chance of a half."""


def sample(count: int, seed: int) -> list[reader.Row]:
    """Rows to learn from, each once."""
    weighted: list[tuple[reader.Row, float]] = []
    for path in sorted((data.HERE / "things").glob("*.jsonl")):
        share = 1.0 if path.stem in LAST_HANDS else OTHER_HANDS
        for number, line in enumerate(path.open(encoding="utf-8")):
            if data.part_of(f"{path.stem}/{number}") != data.DEVELOPMENT:
                for row in reader.thing_rows(json.loads(line)):
                    often = row.weight * share * (TOGETHER if len(row.allowed) > 1 else 1)
                    weighted.append((row, often))
    for row in reader.judge_rows("train"):
        certain = len(row.allowed) == 1
        if row.source == "pairs":
            weighted.append((row, PAIRS / reader.PAIR_TIMES))
        elif row.source == "said" and certain:
            weighted.append((row, SAID))
        elif row.source in ("said", "notebooks") and not certain:
            weighted.append((row, row.weight * SAID_TOGETHER))
    chance = random.Random(seed)
    chosen = [row for row, often in weighted if chance.random() < often]
    chance.shuffle(chosen)
    for row in chosen[:count]:
        row.weight = 1.0
    return chosen[:count]


def calibration(network: bert.Params) -> np.ndarray:
    """Scale and shift of the chance that one note replaces another."""
    held = [row for row in reader.judge_rows("development") if row.source == "pairs"]
    found = reader.chances(network, reader.arrays("judge", held))
    others = found[:, 1:]
    margin = found[:, 0] - np.log(np.exp(others - others.max(1)[:, None]).sum(1)) - others.max(1)
    wrong = sorted(
        (one for one, row in zip(margin, held, strict=True) if row.allowed != ("replaces",)),
        reverse=True,
    )
    limit, half = (wrong[int(share * len(wrong))] for share in (WRONG_AT_LIMIT, WRONG_AT_HALF))
    scale = np.log(REPLACES / (1 - REPLACES)) / (limit - half)
    return np.array([scale, -scale * half], np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("judge", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pieces", type=Path, required=True, help="the embedder's packed file")
    parser.add_argument("--rows", type=int, default=13_000)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    # Without an accelerator half precision is emulated.
    bert.states = partial(bert.states, dtype=jnp.float32)
    known = pack.unpacked(options.judge)
    known["pieces"] = jnp.asarray(data.packed_pieces(options.pieces))
    rows = reader.arrays("judge", sample(options.rows, options.seed))
    learned = reader.train(known, rows, epochs=1, rate=options.rate, seed=options.seed)
    both = {name: SHARE * learned[name] + (1 - SHARE) * known[name] for name in known}
    both["calibration"] = calibration(both)
    bert.save({name: both[name] for name in both if name != "pieces"}, options.out)


if __name__ == "__main__":
    main()
