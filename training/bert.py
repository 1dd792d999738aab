"""The network of all our models, a BERT of six layers, and how it is trained, in plain JAX.

Parameters are a dictionary of arrays; those of the layers are stacked, so that one compiled step
serves all six. The names are those of the model file that the package ships (see pack.py). An
MPNet, which is too large to ship, is read in the same form: it teaches the small ones.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

HEADS = 12
PAD, UNKNOWN, START, END = 0, 100, 101, 102
EPSILON = 1e-12
Params = dict[str, Any]

_NAMES = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "merge": "attention.output.dense", "rise": "intermediate.dense", "fall": "output.dense",
}  # fmt: skip
_NORMS = {"merge.norm": "attention.output.LayerNorm", "fall.norm": "output.LayerNorm"}
_MPNET = {
    "attention.self.query": "attention.attn.q", "attention.self.key": "attention.attn.k",
    "attention.self.value": "attention.attn.v", "attention.output.dense": "attention.attn.o",
    "attention.output.LayerNorm": "attention.LayerNorm",
}  # fmt: skip
_NEARNESS = "encoder.relative_attention_bias.weight"
FARTHEST = 128
"""Pieces that stand farther apart than this are equally near to an MPNet."""


def load(path: Path) -> Params:
    """The parameters in a safetensors file of a BERT, or in a file written by `save`."""
    stored = _safetensors(path)
    if "layer.merge.bias" in stored:
        return {name: jnp.asarray(values) for name, values in stored.items()}
    stored = {name.removeprefix("bert."): values for name, values in stored.items()}
    if _NEARNESS in stored:
        stored = _as_bert(stored)
    params = {
        "pieces": stored["embeddings.word_embeddings.weight"],
        "positions": stored["embeddings.position_embeddings.weight"],
        "segments": stored["embeddings.token_type_embeddings.weight"],
        "norm.scale": stored["embeddings.LayerNorm.weight"],
        "norm.bias": stored["embeddings.LayerNorm.bias"],
    }
    if _NEARNESS in stored:
        params["nearness"] = stored[_NEARNESS]
    count = len([name for name in stored if name.endswith("intermediate.dense.bias")])
    for kind, ours_theirs in (("matrix", _NAMES), ("scale", _NORMS)):
        for ours, theirs in ours_theirs.items():
            names = [f"encoder.layer.{layer}.{theirs}" for layer in range(count)]
            weights = np.stack([stored[f"{name}.weight"] for name in names])
            # A linear layer is stored with its outputs first.
            params[f"layer.{ours}.{kind}"] = (
                weights.transpose(0, 2, 1) if kind == "matrix" else weights
            )
            params[f"layer.{ours}.bias"] = np.stack([stored[f"{name}.bias"] for name in names])
    return {name: jnp.asarray(values, jnp.float32) for name, values in params.items()}


def _as_bert(stored: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The parameters of an MPNet by the names, and for the pieces, of a BERT.

    It has the same pieces, after four signs of its own, and no kinds of segments.
    """
    theirs = {new: old for old, new in _MPNET.items()}
    renamed: dict[str, np.ndarray] = {}
    for name, values in stored.items():
        layer, _, part = name.partition(".attention.")
        own = f"attention.{part}".rpartition(".") if part else ("", "", "")
        old = theirs.get(own[0])
        renamed[f"{layer}.{old}.{own[2]}" if old else name] = values
    pieces = stored["embeddings.word_embeddings.weight"]
    own_pieces = pieces[4 : 4 + 30_522].copy()
    own_pieces[[START, PAD, END, UNKNOWN]] = pieces[:4]
    positions = stored["embeddings.position_embeddings.weight"]
    return renamed | {
        "embeddings.word_embeddings.weight": own_pieces,
        "embeddings.position_embeddings.weight": positions[2:],
        "embeddings.token_type_embeddings.weight": np.zeros((2, pieces.shape[1]), np.float32),
    }


def save(params: Params, path: Path, *, half: bool = True) -> None:
    """Write parameters as safetensors, in half precision unless told otherwise."""
    kind, dtype = ("F16", np.float16) if half else ("F32", np.float32)
    table: dict[str, Any] = {}
    content = b""
    for name in sorted(params):
        values = np.asarray(params[name], dtype)
        data = values.tobytes()
        offsets = [len(content), len(content) + len(data)]
        table[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": offsets}
        content += data
    head = json.dumps(table).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(len(head).to_bytes(8, "little") + head + content)


def _safetensors(path: Path) -> dict[str, np.ndarray]:
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    found: dict[str, np.ndarray] = {}
    for name, entry in json.loads(content[8:start]).items():
        if name == "__metadata__" or entry["dtype"] not in ("F16", "F32"):
            continue
        first, last = entry["data_offsets"]
        dtype = np.float16 if entry["dtype"] == "F16" else np.float32
        values = np.frombuffer(content[start + first : start + last], dtype)
        found[name] = values.reshape(entry["shape"]).astype(np.float32)
    return found


def small(params: Params, *, pieces: int = 30_522) -> Params:
    """The same network with its first layer alone, for trials on a small machine."""
    return {
        name: values[:1] if name.startswith("layer.") else values for name, values in params.items()
    }


# The forward pass


def states(
    params: Params,
    ids: Any,
    segments: Any = None,
    *,
    chance: Any = None,
    dropout: float = 0.1,
    dtype: Any = jnp.bfloat16,
) -> Any:
    """The last layer's state of every piece; `chance` is a random key, in training."""
    kept = ids != PAD
    embedded = params["pieces"][ids] + params["positions"][: ids.shape[1]]
    embedded += params["segments"][0] if segments is None else params["segments"][segments]
    hidden = _norm(embedded, params["norm.scale"], params["norm.bias"])
    bias = jnp.where(kept, 0.0, -1e9)[:, None, None, :]
    if "nearness" in params:
        near = params["nearness"][_nearness(ids.shape[1], params["nearness"].shape[0])]
        bias = bias + near.transpose(2, 0, 1)[None]
    layers = {name: values for name, values in params.items() if name.startswith("layer.")}
    count = layers["layer.merge.bias"].shape[0]
    keys = None if chance is None else jax.random.split(chance, count)

    def step(hidden: Any, given: Any) -> tuple[Any, None]:
        layer, key = given
        return _layer(layer, hidden, bias, key, dropout, dtype), None

    hidden, _ = jax.lax.scan(jax.checkpoint(step), hidden, (layers, keys))
    return hidden


def _nearness(length: int, kinds: int) -> np.ndarray:
    """How near each piece is to each other one, before or after it, as one of a few kinds."""
    apart = np.arange(length)[None] - np.arange(length)[:, None]
    half, distance = kinds // 2, np.abs(apart)
    exact = half // 2
    scaled = np.log(np.maximum(distance, 1) / exact) / np.log(FARTHEST / exact) * (half - exact)
    far = np.minimum(exact + scaled.astype(int), half - 1)
    return np.where(distance < exact, distance, far) + (apart > 0) * half


def _layer(layer: Params, hidden: Any, bias: Any, key: Any, dropout: float, dtype: Any) -> Any:
    one, two = (None, None) if key is None else jax.random.split(key)
    low = hidden.astype(dtype)
    query, keys, values = (
        _split(_linear(layer, name, low, dtype)) for name in ("query", "key", "value")
    )
    weights = jnp.einsum("bqhd,bkhd->bhqk", query, keys).astype(jnp.float32)
    shares = jax.nn.softmax(weights * query.shape[-1] ** -0.5 + bias).astype(dtype)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", shares, values)
    mixed = mixed.reshape(*hidden.shape)
    merged = _dropped(_linear(layer, "merge", mixed, dtype), one, dropout)
    hidden = _norm(hidden + merged, layer["layer.merge.norm.scale"], layer["layer.merge.norm.bias"])
    inner = jax.nn.gelu(_linear(layer, "rise", hidden.astype(dtype), dtype), approximate=False)
    fallen = _dropped(_linear(layer, "fall", inner, dtype), two, dropout)
    return _norm(hidden + fallen, layer["layer.fall.norm.scale"], layer["layer.fall.norm.bias"])


def _linear(layer: Params, name: str, given: Any, dtype: Any) -> Any:
    return given @ layer[f"layer.{name}.matrix"].astype(dtype) + layer[f"layer.{name}.bias"].astype(
        dtype
    )


def _split(values: Any) -> Any:
    return values.reshape(*values.shape[:2], HEADS, -1)


def _norm(values: Any, scale: Any, bias: Any) -> Any:
    values = values.astype(jnp.float32)
    mean = values.mean(-1, keepdims=True)
    spread = jnp.square(values - mean).mean(-1, keepdims=True)
    return (values - mean) * jax.lax.rsqrt(spread + EPSILON) * scale + bias


def _dropped(values: Any, key: Any, share: float) -> Any:
    if key is None or share == 0:
        return values
    kept = jax.random.bernoulli(key, 1 - share, values.shape)
    return jnp.where(kept, values / (1 - share), 0)


def vectors(params: Params, ids: Any, **how: Any) -> Any:
    """A unit vector per text: the direction of the mean of its states."""
    hidden = states(params, ids, **how)
    total = jnp.where((ids != PAD)[..., None], hidden, 0).sum(1)
    return total / jnp.linalg.norm(total, axis=-1, keepdims=True)


# Training


def adam_state(params: Params) -> Params:
    """The two running means of AdamW, at zero."""
    return {
        "first": jax.tree.map(jnp.zeros_like, params),
        "second": jax.tree.map(jnp.zeros_like, params),
    }


def adam_step(
    params: Params, state: Params, grads: Params, rate: Any, at: Any, *, decay: float = 0.01
) -> tuple[Params, Params]:
    """One step of AdamW, with the gradient clipped to length 1."""
    length = jnp.sqrt(sum(jnp.square(one).sum() for one in jax.tree.leaves(grads)))
    grads = jax.tree.map(lambda one: one / jnp.maximum(length, 1.0), grads)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["first"], grads)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, state["second"], grads)

    def moved(param: Any, m: Any, v: Any) -> Any:
        step = (m / (1 - 0.9**at)) / (jnp.sqrt(v / (1 - 0.999**at)) + 1e-8)
        return param - rate * (step + decay * param)

    return jax.tree.map(moved, params, first, second), {"first": first, "second": second}


def rate_at(step: int, steps: int, highest: float, *, warm_up: float = 0.1) -> float:
    """The learning rate of a step: up to the highest, then down to nothing."""
    rising = max(1, int(steps * warm_up))
    if step < rising:
        return highest * (step + 1) / rising
    return highest * (steps - step) / max(1, steps - rising)
