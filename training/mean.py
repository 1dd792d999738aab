"""The weighted mean of readers that began as one and learned from different texts.

    python training/mean.py OUT judge.bin=1 newer.bin=2

Networks that began as one can be averaged: the mean knows what each of them learned, and errs less
often than either.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
import pack

from commonplace.backends.neural.model_file import ModelFile, write_model_file

ROUNDED = ("attend", "merge", "rise", "fall")
"""The matrices that are stored as signed bytes with scales."""


def values(path: str) -> dict[str, np.ndarray]:
    """The arrays of a reader's file, its matrices as the numbers they stand for."""
    model = ModelFile(path)
    found: dict[str, np.ndarray] = {}
    for name, shape in model.shapes().items():
        if name.split(".")[-1] in ROUNDED:
            signed = np.asarray(model.signed(name), np.float32)
            found[name] = signed * np.asarray(model.floats(f"{name}.scale"))[:, None]
        elif not _is_scale(name):
            found[name] = np.asarray(model.floats(name), np.float32).reshape(shape)
    return found


def _is_scale(name: str) -> bool:
    """Whether an array is the scales of a matrix."""
    first, _, last = name.rpartition(".")
    return last == "scale" and first.split(".")[-1] in ROUNDED


def arrays(given: dict[str, np.ndarray]) -> Iterator[pack.Array]:
    """The arrays as a file has them."""
    for name, one in given.items():
        if name.split(".")[-1] in ROUNDED:
            yield from pack.bytes_and_scales(name, one)
        else:
            yield pack.floats(name, one)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("files", nargs="+", metavar="FILE=WEIGHT")
    options = parser.parse_args()
    pairs = [one.rpartition("=") for one in options.files]
    weights = np.array([float(weight) for _, _, weight in pairs])
    read = [values(path) for path, _, _ in pairs]
    mean = {
        name: np.average([one[name] for one in read], axis=0, weights=weights) for name in read[0]
    }
    write_model_file(options.out, arrays(mean))


if __name__ == "__main__":
    main()
