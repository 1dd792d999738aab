"""Train the reader: one trunk with three heads that understand short texts.

    python training/heads.py BASE OUT [--small]

- judge: how a newer note relates to an older one (replaces, same, adds, other);
- listener: what a user's turn is (correction, preference, instruction, fact, none);
- secrets: which pieces of a text are a secret.

Each step takes one batch of each. The vectors of pieces stay those of the base, so that the
embedder and the reader can share them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from functools import partial
from pathlib import Path
from typing import Any

import bert
import data
import jax
import jax.numpy as jnp
import numpy as np

RELATIONS = ("replaces", "same", "adds", "other")
LABELS = ("correction", "preference", "instruction", "fact", "none")
PIECES = {"judge": 128, "listener": 128, "secrets": 96}
BATCH = {"judge": 64, "listener": 64, "secrets": 64}
SMOOTHED = 0.05
"""The share of certainty that labels leave to other classes, so that chances are calibrated."""
SUSPICIOUS = r"(?i)passw|passphrase|passcode|\bpin\b|\bcode\b|login|credential|secret|token|\bkey\b"
"""Other texts with these words may tell a secret, so that they teach nothing here."""


def judge_rows(rows: list[dict[str, Any]]) -> list[tuple[tuple[str, str], int]]:
    return [((row["old"], row["new"]), RELATIONS.index(row["relation"])) for row in rows]


def listener_rows(rows: list[dict[str, Any]]) -> list[tuple[tuple[str, str], int]]:
    return [((row["before"] or "", row["turn"]), LABELS.index(row["label"])) for row in rows]


def secret_rows(rows: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    return [(row["text"], row["secret"]) for row in rows]


def plain_texts() -> dict[str, list[tuple[str, None]]]:
    """Ordinary turns and notes, which tell no secret, by split."""
    found: dict[str, list[tuple[str, None]]] = {}
    conversations = data.corpus()
    for split in ("train", "development"):
        texts = [turn for talk in conversations[split] for turn in talk.turns]
        texts += [row["new"] for row in data.blocks(data.HERE / "pairs")[split]]
        texts += [row["turn"] for row in data.blocks(data.HERE / "turns")[split]]
        found[split] = [(text, None) for text in texts if not re.search(SUSPICIOUS, text)]
    return found


def tagged(texts: list[tuple[str, str | None]]) -> tuple[np.ndarray, np.ndarray]:
    """The pieces of texts, and which of them are part of the secret."""
    length = PIECES["secrets"]
    ids = data.ids_of([text for text, _ in texts], length)
    tags = np.zeros_like(ids)
    for row, (text, secret) in zip(tags, texts, strict=True):
        if secret is None:
            continue
        at = text.find(secret)
        if at < 0:
            # Spelled in parts or disguised: all of the text is what must not be kept.
            row[1:] = 1
            continue
        first = len(data.read(text[:at], limit=10_000)) - 1
        last = len(data.read(text[: at + len(secret)], limit=10_000)) - 1
        row[first : max(last, first + 1)] = 1
    return ids, np.where(ids == 0, 0, tags)


# The network


def start_heads(params: bert.Params) -> bert.Params:
    """The base with heads at zero."""
    params = jax.tree.map(jnp.array, params)
    for name, classes in (("judge", len(RELATIONS)), ("listener", len(LABELS)), ("secrets", 1)):
        params[f"{name}.matrix"] = jnp.zeros((bert.WIDTH, classes))
        params[f"{name}.bias"] = jnp.zeros(classes)
    return params


def pair_logits(params: bert.Params, head: str, ids: Any, segments: Any, chance: Any = None) -> Any:
    """The classes of pairs of texts, from the state of the first piece."""
    hidden = bert.states(params, ids, segments, chance=chance)[:, 0]
    return hidden @ params[f"{head}.matrix"] + params[f"{head}.bias"]


def secret_logits(params: bert.Params, ids: Any, chance: Any = None) -> Any:
    """For every piece how likely it is part of a secret; the first piece stands for the text."""
    hidden = bert.states(params, ids, chance=chance)
    logits = (hidden @ params["secrets.matrix"] + params["secrets.bias"])[..., 0]
    return jnp.where(ids == bert.PAD, -30.0, logits)


@partial(jax.jit, static_argnames=("tasks",), donate_argnums=(0, 1))
def _step(
    params: bert.Params,
    state: bert.Params,
    fixed: bert.Params,
    batch: dict[str, Any],
    rate: Any,
    at: Any,
    chance: Any,
    tasks: tuple[str, ...],
) -> tuple[bert.Params, bert.Params, Any]:
    keys = jax.random.split(chance, 3)

    def loss(params: bert.Params) -> Any:
        whole = params | fixed
        value = 0.0
        for head, key in zip(("judge", "listener"), keys[:2], strict=True):
            if head in tasks:
                ids, segments, classes = batch[head]
                logits = pair_logits(whole, head, ids, segments, key)
                known = jax.nn.one_hot(classes, logits.shape[1])
                known = known * (1 - SMOOTHED) + SMOOTHED / logits.shape[1]
                value -= (jax.nn.log_softmax(logits) * known).sum(-1).mean()
        if "secrets" in tasks:
            ids, tags = batch["secrets"]
            logits = secret_logits(whole, ids, keys[2])
            # The first piece says whether the text tells a secret at all.
            tags = tags.at[:, 0].set(tags.max(1))
            each = jnp.logaddexp(0, jnp.where(tags > 0, -logits, logits))
            kept = ids != bert.PAD
            value += each[:, 0].mean() + 3 * (each * kept).sum() / kept.sum()
        return value

    value, grads = jax.value_and_grad(loss)(params)
    params, state = bert.adam_step(params, state, grads, rate, at)
    return params, state, value


class Feed:
    """Batches of one task, in a new order each time round."""

    def __init__(self, task: str, rows: list[Any], seed: int) -> None:
        self.task, self.rows, self.chance = task, rows, random.Random(seed)
        self.waiting: list[Any] = []

    def take(self, count: int) -> Any:
        """The next batch as arrays."""
        chosen = []
        while len(chosen) < count:
            if not self.waiting:
                self.waiting = self.rows[:]
                self.chance.shuffle(self.waiting)
            chosen.append(self.waiting.pop())
        if self.task == "secrets":
            return tagged(chosen)
        pairs = [pair for pair, _ in chosen]
        if self.task == "judge":
            # Sameness has no direction.
            pairs = [
                pair[::-1] if RELATIONS[kind] in ("same", "other") and self.chance.random() < 0.3
                else pair
                for pair, (_, kind) in zip(pairs, chosen, strict=True)
            ]  # fmt: skip
        ids, segments = data.pair_ids(pairs, PIECES[self.task])
        return ids, segments, np.array([kind for _, kind in chosen])


def train(
    base: bert.Params,
    rows: dict[str, list[Any]],
    *,
    steps: int,
    rate: float,
    seed: int = 0,
    batches: dict[str, int] = BATCH,
) -> bert.Params:
    """The trunk with the heads of these tasks."""
    params = start_heads(base)
    fixed = {"pieces": params.pop("pieces")}
    state, key = bert.adam_state(params), jax.random.key(seed)
    feeds = {task: Feed(task, given, seed) for task, given in rows.items()}
    losses = []
    for at in range(steps):
        key, drop = jax.random.split(key)
        batch = {task: feed.take(batches[task]) for task, feed in feeds.items()}
        params, state, value = _step(
            params, state, fixed, batch, bert.rate_at(at, steps, rate), at + 1, drop, tuple(rows)
        )
        losses.append(value)
        if (at + 1) % max(1, steps // 5) == 0:
            print(f"step {at + 1}: loss {np.mean(jax.device_get(losses)):.4f}", flush=True)
            losses = []
    return params | fixed


# Measuring


_pair_logits = jax.jit(pair_logits, static_argnames=("head",))
_secret_logits = jax.jit(secret_logits)


def _padded(rows: np.ndarray, count: int) -> np.ndarray:
    return np.concatenate([rows, np.repeat(rows[:1], count - len(rows), axis=0)])


def chances(
    params: bert.Params, head: str, pairs: list[tuple[str, str]], size: int = 256
) -> np.ndarray:
    """The probability of each class for pairs."""
    ids, segments = data.pair_ids(pairs, PIECES[head])
    made = []
    for start in range(0, len(ids), size):
        some = ids[start : start + size]
        logits = _pair_logits(
            params, head, _padded(some, size), _padded(segments[start : start + size], size)
        )
        made.append(np.asarray(jax.nn.softmax(logits))[: len(some)])
    return np.concatenate(made)


def secret_chances(params: bert.Params, texts: list[str], size: int = 256) -> np.ndarray:
    """How likely each text tells a secret, by the whole and by its likeliest piece."""
    ids = data.ids_of(texts, PIECES["secrets"])
    made = []
    for start in range(0, len(ids), size):
        some = ids[start : start + size]
        logits = np.asarray(_secret_logits(params, _padded(some, size)))[: len(some)]
        whole, best = logits[:, 0], logits[:, 1:].max(1)
        made.append(np.stack([whole, best], 1))
    return np.concatenate(made)


def area(right: np.ndarray, wrong: np.ndarray) -> float:
    """The area under the curve: how often a right one scores above a wrong one."""
    order = np.argsort(np.concatenate([wrong, right]), kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    above = ranks[len(wrong) :].sum() - len(right) * (len(right) + 1) / 2
    return float(above / len(right) / len(wrong))


def report(params: bert.Params, held: dict[str, list[Any]]) -> dict[str, Any]:
    """The figures of each head on texts that it has not seen."""
    found: dict[str, Any] = {}
    for head in ("judge", "listener"):
        if not held.get(head):
            continue
        given = np.array([kind for _, kind in held[head]])
        made = chances(params, head, [pair for pair, _ in held[head]])
        found[head] = {"accuracy": round(float((made.argmax(1) == given).mean()), 4)}
        names = RELATIONS if head == "judge" else LABELS
        for number, name in enumerate(names):
            ours = made[:, number]
            found[head][name] = {
                "auc": round(area(ours[given == number], ours[given != number]), 4),
                "found": round(float((made.argmax(1) == number)[given == number].mean()), 3),
                "wrongly": round(float((made.argmax(1) == number)[given != number].mean()), 3),
            }
        if head == "judge":
            ours = made[:, 0]
            found[head]["at .8"] = [
                round(float((ours > 0.8)[given == 0].mean()), 3),
                round(float((ours > 0.8)[given != 0].mean()), 3),
            ]
    for name, rows in held.items():
        if name.startswith("secrets") and rows:
            made = secret_chances(params, [text for text, _ in rows])
            is_secret = np.array([secret is not None for _, secret in rows])
            figures = {}
            for column, how in enumerate(("whole", "best piece")):
                ours = made[:, column]
                if is_secret.all() or not is_secret.any():
                    figures[how] = {"over 0": round(float((ours > 0).mean()), 4)}
                    continue
                limit = np.quantile(ours[~is_secret], 0.98)
                figures[how] = {
                    "auc": round(area(ours[is_secret], ours[~is_secret]), 4),
                    "caught at .02": round(float((ours[is_secret] > limit).mean()), 4),
                    "limit": round(float(limit), 2),
                    "at 0": [
                        round(float((ours[is_secret] > 0).mean()), 4),
                        round(float((ours[~is_secret] > 0).mean()), 4),
                    ],
                }
            found[name] = figures
    return found


def main() -> None:
    options = _options()
    began = time.monotonic()
    base = bert.load(options.base)
    folders = {name: data.blocks(data.HERE / name) for name in ("pairs", "turns", "secrets")}
    plain = plain_texts()
    made = {
        split: {
            "judge": judge_rows(folders["pairs"][split]),
            "listener": listener_rows(folders["turns"][split]),
            "secrets": secret_rows(folders["secrets"][split]),
        }
        for split in ("train", "development")
    }
    rows, held = made["train"], made["development"]
    rows["secrets"] += plain["train"]
    held["secrets, ordinary texts"] = plain["development"]
    for path in options.credentials:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        held[f"secrets, {path.stem}"] = secret_rows(lines)
    print({name: len(given) for name, given in rows.items()}, flush=True)
    steps, batches = options.steps, BATCH
    if options.small:
        base, steps, batches = bert.small(base), 2, dict.fromkeys(BATCH, 4)
        rows = {name: given[:20] for name, given in rows.items()}
        held = {name: given[:20] for name, given in held.items()}

    def told(name: str, params: bert.Params) -> None:
        figures = json.dumps(report(params, held))
        print(f"{time.monotonic() - began:4.0f} s {name}: {figures}", flush=True)

    params = train(base, rows, steps=steps, rate=options.rate, batches=batches)
    told("all", params)
    params.pop("pieces")
    bert.save(params, options.out)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--credentials", type=Path, nargs="*", default=[])
    parser.add_argument("--small", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
