"""Turn trained parameters into the file of 8-bit arrays that the package ships.

    python training/pack.py TRAINED OUT --pieces BASE
    python training/pack.py TRAINED OUT [--surer FACTOR]

An embedder has the vectors of pieces from its base; a judge or a listener uses the embedder's.
Every matrix becomes signed bytes with one scale per output; what the scales cost is printed.
`--surer` multiplies the logarithm of the odds of a reader's chances: one that keeps less than the
reader before it, at the limits that the product has, is brought to the same share.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path

import bert
import data
import numpy as np

from commonplace.backends.neural.model_file import HEAD, POSITIONS, write_model_file

Array = tuple[str, tuple[int, ...], bytes]


def arrays(params: bert.Params) -> Iterator[Array]:
    """All arrays of the file, in the order of their use."""
    given = {name: np.asarray(values, np.float32) for name, values in params.items()}
    yield from _bytes_and_scales("pieces", given["pieces"])
    # A text is always the first of BERT's two segments, so that vector is added here.
    positions = given["positions"][:POSITIONS] + given["segments"][0]
    yield _floats("positions", positions)
    yield _floats("norm.scale", given["norm.scale"])
    yield _floats("norm.bias", given["norm.bias"])
    yield from _vocabulary()
    for layer in range(len(given["layer.merge.bias"])):
        yield from _layer(given, layer)


def reader_arrays(params: bert.Params) -> Iterator[Array]:
    """The arrays of a judge or a listener, which has kinds of segments and heads."""
    given = {name: np.asarray(values, np.float32) for name, values in params.items()}
    yield _floats("positions", given["positions"][:POSITIONS])
    for name in ("segments", "norm.scale", "norm.bias", "calibration"):
        yield _floats(name, given[name])
    for name in sorted(given):
        if name.startswith(("head.", "kept.")):
            # One output after the other, as they are used.
            yield _floats(name, given[name].T if name.endswith("matrix") else given[name])
    for layer in range(len(given["layer.merge.bias"])):
        yield from _layer(given, layer)


def _layer(given: dict[str, np.ndarray], layer: int) -> Iterator[Array]:
    # Attention divides by the root of a head's width; dividing the queries here is the same.
    root = HEAD**-0.5
    parts = [given[f"layer.{name}.matrix"][layer].T for name in ("query", "key", "value")]
    biases = [given[f"layer.{name}.bias"][layer] for name in ("query", "key", "value")]
    parts[0], biases[0] = parts[0] * root, biases[0] * root
    yield from _bytes_and_scales(f"{layer}.attend", np.concatenate(parts))
    yield _floats(f"{layer}.attend.bias", np.concatenate(biases))
    for name in ("merge", "rise", "fall"):
        yield from _bytes_and_scales(f"{layer}.{name}", given[f"layer.{name}.matrix"][layer].T)
        yield _floats(f"{layer}.{name}.bias", given[f"layer.{name}.bias"][layer])
    for name in ("merge.norm", "fall.norm"):
        for part in ("scale", "bias"):
            yield _floats(f"{layer}.{name}.{part}", given[f"layer.{name}.{part}"][layer])


def _bytes_and_scales(name: str, matrix: np.ndarray) -> Iterator[Array]:
    scales = np.maximum(np.abs(matrix).max(1), 1e-12) / 127
    signed = np.rint(matrix / scales[:, None]).astype(np.int8)
    lost = np.square(matrix - signed * scales[:, None]).mean() / np.square(matrix).mean()
    sys.stdout.write(f"{name}: {lost:.1e} of its energy lost\n")
    yield name, matrix.shape, signed.tobytes()
    yield _floats(f"{name}.scale", scales)


def _floats(name: str, values: np.ndarray) -> Array:
    return name, values.shape, values.astype("<f4").tobytes()


def _vocabulary() -> Iterator[Array]:
    pieces = sorted(data.vocabulary().items())
    text = b"".join(piece for piece, _ in pieces)
    ends = array("I", [0])
    for piece, _ in pieces:
        ends.append(ends[-1] + len(piece))
    yield "vocabulary.text", (len(text),), text
    yield "vocabulary.ends", (len(ends),), ends.tobytes()
    yield "vocabulary.ids", (len(pieces),), array("I", [n for _, n in pieces]).tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trained", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pieces", type=Path)
    parser.add_argument("--surer", type=float, default=1.0)
    options = parser.parse_args()
    params = bert.load(options.trained)
    if options.pieces:
        params["pieces"] = bert.load(options.pieces)["pieces"]
        write_model_file(str(options.out), arrays(params))
    else:
        params["calibration"] = params["calibration"] * options.surer
        write_model_file(str(options.out), reader_arrays(params))


if __name__ == "__main__":
    main()
