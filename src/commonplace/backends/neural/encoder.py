"""The forward pass of the bundled models, from word pieces to states, without numpy.

The texts of a batch are concatenated, so that each matrix is applied once; attention is computed
per text. Matrices and their operands are signed bytes with one scale per row; all intermediate
values are 4-byte floats.
"""

from __future__ import annotations

import math
import os
from array import array
from itertools import pairwise

from ..common.arithmetic import numkong
from .model_file import HEAD, INNER, LAYERS, POSITIONS, WIDTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .model_file import ModelFile

nk = numkong()

HEADS = WIDTH // HEAD
TINY = 1e-12
ARM = hasattr(os, "uname") and os.uname().machine in ("aarch64", "arm64")
HALVINGS = 8
"""exp(x) is computed as exp(x / 256) squared eight times: numkong has no exponential."""
CACHED_WEIGHTS = 128 * 1024
"""Attention weights computed at once: as many as fit the processor's caches."""
STEPS = 30
"""Steps per unit in the table of the normal distribution; it reaches to 127 / 30 = 4.2."""

_NORMAL = bytes(
    round(255 * (0.5 + 0.5 * math.erf(signed / STEPS / math.sqrt(2))))
    for signed in (*range(128), *range(-128, 0))
)
_DIAGONAL = nk.diagonal(POSITIONS).astype("bfloat16")


class Encoder:
    """The model's matrices, packed for this processor; `pieces` is the file with their vectors."""

    def __init__(self, model: ModelFile, pieces: ModelFile | None = None) -> None:
        shared = pieces or model
        self._pieces = shared.signed("pieces").cast("B").cast("b")
        self._scales = shared.floats("pieces.scale")
        self._positions = model.floats("positions")
        self._segments = model.floats("segments") if model.has("segments") else None
        self._norm = _Norm(model, "norm")
        self._layers = [_Layer(model, str(number)) for number in range(LAYERS)]

    def encode(self, texts: Sequence[Sequence[int]]) -> list[bytes]:
        """One vector of signed bytes for each text, given as its piece ids."""
        bounds = [0]
        for pieces in texts:
            bounds.append(bounds[-1] + len(pieces))
        spans = list(pairwise(bounds))
        states = self._applied(self._embedded(texts, bounds[-1]), spans)
        return [_mean_vector(states[start:end]) for start, end in spans]

    def states(self, pieces: Sequence[int], segments: Sequence[int]) -> Any:
        """The state of each piece of texts that are read together."""
        return self._applied(self._read_together(pieces, segments), [(0, len(pieces))])

    def first_state(self, pieces: Sequence[int], segments: Sequence[int]) -> Any:
        """The state of the first piece alone, which the last layer computes for less."""
        states = self._read_together(pieces, segments)
        for layer in self._layers[:-1]:
            states = layer.apply(states, [(0, len(pieces))])
        return self._layers[-1].apply_to_first(states)[0]

    def _read_together(self, pieces: Sequence[int], segments: Sequence[int]) -> Any:
        states = nk.empty((len(pieces), WIDTH))
        self._embed(pieces, iter(states))
        assert self._segments is not None
        for segment, row in zip(segments, states, strict=True):
            kind = self._segments[segment * WIDTH : (segment + 1) * WIDTH]
            nk.blend(row, kind, alpha=1.0, beta=1.0, out=row)
        return self._norm.apply(states)

    def _applied(self, states: Any, spans: Sequence[tuple[int, int]]) -> Any:
        for layer in self._layers:
            states = layer.apply(states, spans)
        return states

    def _embedded(self, texts: Sequence[Sequence[int]], count: int) -> Any:
        states = nk.empty((count, WIDTH))
        rows = iter(states)
        for pieces in texts:
            self._embed(pieces, rows)
        return self._norm.apply(states)

    def _embed(self, pieces: Sequence[int], rows: Iterator[Any]) -> None:
        # Pieces first, because zip then stops without consuming a row of the next text.
        for position, (piece, row) in enumerate(zip(pieces, rows, strict=False)):
            place = self._positions[position * WIDTH : (position + 1) * WIDTH]
            nk.astype(self._pieces[piece * WIDTH : (piece + 1) * WIDTH], "float32", out=row)
            nk.blend(row, place, alpha=self._scales[piece], beta=1.0, out=row)


class _Layer:
    """One transformer layer: attention, then two linear steps with GELU between them."""

    def __init__(self, model: ModelFile, name: str) -> None:
        self._attend = _Linear(model, f"{name}.attend")
        self._merge = _Linear(model, f"{name}.merge")
        self._merge_norm = _Norm(model, f"{name}.merge.norm")
        self._rise = _Linear(model, f"{name}.rise")
        self._fall = _Linear(model, f"{name}.fall")
        self._fall_norm = _Norm(model, f"{name}.fall.norm")

    def apply(self, states: Any, spans: Sequence[tuple[int, int]]) -> Any:
        projected = self._attend.apply(states).astype("bfloat16")
        attended = nk.empty((len(states), WIDTH))
        for start, end in spans:
            _attend(projected[start:end], attended[start:end])
        return self._transform(states, attended)

    def apply_to_first(self, states: Any) -> Any:
        """The new state of one text's first piece, which attends to all of its pieces."""
        attended = nk.empty((1, WIDTH))
        _attend(self._attend.apply(states).astype("bfloat16"), attended)
        return self._transform(states[:1], attended)

    def _transform(self, states: Any, attended: Any) -> Any:
        states = self._merge_norm.apply(nk.add(states, self._merge.apply(attended)))
        inner = _gelu(self._rise.apply(states))
        return self._fall_norm.apply(nk.add(states, self._fall.apply(inner)))


class _Linear:
    """A matrix of signed bytes with a scale and a bias per output."""

    def __init__(self, model: ModelFile, name: str) -> None:
        self._packed = nk.dots_pack(model.signed(name))
        self._scale = model.floats(f"{name}.scale")
        self._bias = model.floats(f"{name}.bias")

    def apply(self, states: Any) -> Any:
        rounded = nk.empty(states.shape)
        steps: list[float] = []
        for row, out in zip(states, rounded, strict=True):
            low, _, high, _ = nk.minmax(row)
            step = max(-low, high, TINY) / 127
            nk.scale(row, alpha=1 / step, out=out)
            steps.append(step)
        sums = nk.dots_packed(rounded.astype("int8"), self._packed)
        result = _floats(sums)
        for row, step in zip(result, steps, strict=True):
            nk.fma(row, self._scale, self._bias, alpha=step, beta=1.0, out=row)
        return result


def _floats(sums: Any) -> Any:
    """Integers as 4-byte floats, in the way that is fast on this processor; both give the same."""
    if ARM:
        return sums.astype("float32")
    return sums.astype("float64").astype("float32")


class _Norm:
    """Layer normalisation: each row to mean 0 and variance 1, then scaled and shifted."""

    def __init__(self, model: ModelFile, name: str) -> None:
        self._scale = model.floats(f"{name}.scale")
        self._bias = model.floats(f"{name}.bias")

    def apply(self, states: Any) -> Any:
        for row in states:
            total, squares = nk.moments(row)
            mean = total / WIDTH
            factor = 1 / math.sqrt(max(squares / WIDTH - mean * mean, 0) + TINY)
            nk.fma(row, self._scale, self._bias, alpha=factor, beta=1.0, out=row)
            nk.blend(row, self._scale, alpha=1.0, beta=-mean * factor, out=row)
        return states


def _attend(projected: Any, out: Any) -> None:
    """Self-attention of one text: softmax(queries · keys) · values, by head, into `out`.

    `out` has a row for each piece, or for the first ones only.
    """
    count, asked = len(projected), len(out)
    queries = projected[:asked]
    # Computed transposed, so that the part of each head is a run of whole rows.
    mixed = nk.empty((WIDTH, asked))
    together = max(1, CACHED_WEIGHTS // (asked * count))
    for first in range(0, HEADS, together):
        heads = range(first, min(first + together, HEADS))
        weights = nk.empty((len(heads) * asked, count))
        for head, at in zip(heads, range(0, len(weights), asked), strict=True):
            keys = nk.dots_pack(_head_columns(projected, HEADS + head))
            nk.dots_packed(_head_columns(queries, head), keys, out=weights[at : at + asked])
        shares = _softmax(weights).astype("bfloat16")
        for head, at in zip(heads, range(0, len(weights), asked), strict=True):
            values = _transposed_matrix(_head_columns(projected, 2 * HEADS + head)).astype(
                "bfloat16"
            )
            share = nk.dots_pack(shares[at : at + asked])
            nk.dots_packed(values, share, out=mixed[head * HEAD : (head + 1) * HEAD])
    _transposed_matrix(mixed.astype("bfloat16"), out=out)


def _head_columns(projected: Any, number: int) -> Any:
    """The columns of one head in the queries, keys and values, which follow each other."""
    return projected[:, number * HEAD : (number + 1) * HEAD]


def _softmax(rows: Any) -> Any:
    """Each row's exponentials, divided by their sum."""
    part = 1 / 2**HALVINGS
    highest = _repeated_column(nk.max(rows, axis=1, keepdims=True), rows.shape[1])
    flat = rows.flatten()
    # With u = 1 + y, the first terms 1 + y + y²/2 of exp(y) are (u² + 1) / 2.
    nk.blend(flat, highest, alpha=part, beta=-part, out=flat)
    nk.scale(flat, beta=1.0, out=flat)
    nk.multiply(flat, flat, out=flat)
    nk.scale(flat, alpha=0.5, beta=0.5, out=flat)
    for _ in range(HALVINGS):
        nk.multiply(flat, flat, out=flat)
    sums = memoryview(nk.sum(flat.reshape(rows.shape), axis=1))
    inverse = _tensor(array("f", [1 / total for total in sums]), len(sums), 1)
    return nk.multiply(flat, _repeated_column(inverse, rows.shape[1])).reshape(rows.shape)


def _repeated_column(column: Any, width: int) -> Any:
    """A column repeated `width` times as a flat array; numkong has no repeat."""
    ones = nk.dots_pack(nk.ones((width, 1), dtype="bfloat16"))
    return nk.dots_packed(column.astype("bfloat16"), ones).flatten()


def _transposed_matrix(matrix: Any, out: Any = None) -> Any:
    """The transposed matrix by multiplication with the identity, faster than numkong's own."""
    width = matrix.shape[1]
    return nk.dots_packed(_DIAGONAL[:width, :width], nk.dots_pack(matrix), out=out)


def _gelu(states: Any) -> Any:
    """GELU, x · Φ(x), with Φ from a table: a saturating cast to bytes, and one translation."""
    flat = states.flatten()
    signed = nk.scale(flat, alpha=float(STEPS)).astype("int8")
    chances = nk.astype(memoryview(bytes(memoryview(signed)).translate(_NORMAL)), "float32")
    nk.scale(chances, alpha=1 / 255, out=chances)
    return nk.multiply(flat, chances).reshape((len(states), INNER))


def _mean_vector(states: Any) -> bytes:
    """The direction of the mean of a text's rows as signed bytes; the sum has the same one."""
    total = nk.sum(states, axis=0).astype("float32")
    low, _, high, _ = nk.minmax(total)
    return bytes(nk.scale(total, alpha=127 / max(-low, high, TINY)).astype("int8"))


def _tensor(values: array[float], rows: int, columns: int) -> Any:
    return nk.Tensor(memoryview(values).cast("B").cast("f", [rows, columns]))
