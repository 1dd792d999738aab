"""Compute vectors from the file of the package in plain numpy, as a reference for its tests.

    python training/reference.py

Writes tests/backends/neural/reference.json anew, with the texts that it has. The arithmetic of the
package (8-bit operands, tables instead of functions) has to come close to these floats.
"""

from __future__ import annotations

import base64
import json
import math
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "src"))

from commonplace.backends.neural import bundled
from commonplace.backends.neural.model_file import (
    HEAD,
    LAYERS,
    POSITIONS,
    WIDTH,
    ModelFile,
    Vocabulary,
)

REFERENCE = HERE.parent / "tests/backends/neural/reference.json"
_erf = np.vectorize(math.erf)


def main() -> None:
    model = ModelFile(bundled.FILE)
    reader = bundled.WordPieceTokenizer(Vocabulary(model).find)
    rows = json.loads(REFERENCE.read_text(encoding="utf-8"))
    for row in rows:
        vector = vector_of(model, reader.read(row["text"], limit=POSITIONS))
        signed = np.rint(127 * vector / np.abs(vector).max()).astype(np.int8)
        row["vector"] = base64.b64encode(signed.tobytes()).decode()
    text = json.dumps(rows, indent=1, ensure_ascii=False)
    REFERENCE.write_text(f"{text}\n", encoding="utf-8")


def vector_of(model: ModelFile, pieces: list[int]) -> np.ndarray:
    """The mean of the last layer's outputs."""
    states = _matrix(model, "pieces")[pieces]
    states = states + _floats(model, "positions").reshape(-1, WIDTH)[: len(pieces)]
    states = _normed(model, "norm", states)
    for layer in range(LAYERS):
        states = _layer(model, layer, states)
    return states.mean(0)


def _layer(model: ModelFile, layer: int, states: np.ndarray) -> np.ndarray:
    parts = np.split(_linear(model, f"{layer}.attend", states), 3, axis=1)
    query, key, value = (part.reshape(len(states), -1, HEAD).transpose(1, 0, 2) for part in parts)
    shares = np.exp(query @ key.transpose(0, 2, 1))
    shares /= shares.sum(-1, keepdims=True)
    found = (shares @ value).transpose(1, 0, 2).reshape(len(states), WIDTH)
    states = _normed(model, f"{layer}.merge.norm", states + _linear(model, f"{layer}.merge", found))
    risen = _linear(model, f"{layer}.rise", states)
    risen = risen * (0.5 + 0.5 * _erf(risen / math.sqrt(2)))
    return _normed(model, f"{layer}.fall.norm", states + _linear(model, f"{layer}.fall", risen))


def _linear(model: ModelFile, name: str, states: np.ndarray) -> np.ndarray:
    return states @ _matrix(model, name).T + _floats(model, f"{name}.bias")


def _normed(model: ModelFile, name: str, states: np.ndarray) -> np.ndarray:
    states = states - states.mean(1, keepdims=True)
    states = states / np.sqrt(np.square(states).mean(1, keepdims=True) + 1e-12)
    return states * _floats(model, f"{name}.scale") + _floats(model, f"{name}.bias")


def _matrix(model: ModelFile, name: str) -> np.ndarray:
    signed = np.asarray(model.signed(name), np.float32)
    return signed * _floats(model, f"{name}.scale")[:, None]


def _floats(model: ModelFile, name: str) -> np.ndarray:
    return np.asarray(model.floats(name), np.float32)


if __name__ == "__main__":
    main()
