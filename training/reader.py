"""Train the reader: the judge of two notes, the listener to a user, the checker of answers.

    python training/reader.py judge BASE OUT [--seeds 4] [--small]
    python training/reader.py listener BASE OUT ...
    python training/reader.py checker BASE OUT --dialogues FILE ...
    python training/reader.py judge LARGE TOLD --teach
    python training/reader.py judge BASE OUT --told TOLD [--start TRAINED]

- judge: how a newer note, or what a user just said, relates to an older note;
- listener: what a user's turn is, and which of its words are worth keeping;
- checker: whether a turn or a note answers a question, or only sounds as if it did.

Several networks learn from the labels, each in another order. One more learns from all of them:
from what they say together of labelled pairs, and of pairs that nobody labelled. Better still, a
network that is too large to ship teaches them: `--teach` trains it and writes down what it says,
`--told` learns from that. The vectors of pieces stay those of the base, so that the embedder and
the reader share them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import bert
import data
import jax
import jax.numpy as jnp
import numpy as np

from commonplace.backends.neural.reader_input import (
    ANSWERS,
    RELATIONS,
    SEGMENTS,
    TURNS,
    read_texts,
)

CLASSES = {"judge": RELATIONS, "listener": TURNS, "checker": ANSWERS}
PIECES = {"judge": 160, "listener": 192, "checker": 128}
BATCH = 64
SMOOTHED = 0.05
"""The share of certainty that labels leave to other classes, so that chances are calibrated."""
TAUGHT = 0.7
"""The share of the teachers in what the last network learns; the labels have the rest."""
NEAR = 6
"""Lines of one hand in which a note meets others that nobody compared it with."""
PAIR_TIMES = 3
"""How often an epoch shows a labelled pair; the things would outweigh them, and tell no `same`."""
REVERSED = 0.15
"""How often a pair is shown the other way round, each time it is shown, but for `adds`."""
THINGS = 0.3
"""How often an epoch shows two facts of a thing that hold together, of the times it could."""
NEAR_TIMES = 3
"""How often an epoch shows a question that a turn only seems to answer; they are few."""
MET = 8
"""Notes nearest to each note that the teacher is asked about, though nobody compared the two."""
PLAIN, IS_PLAIN = 0.1, 0.06
"""How often an epoch shows texts that nobody labelled if the teacher sees no change in them, …"""
TOLD = 0.5
"""… and how often the others."""
Texts = tuple[str, ...]


class Row:
    """Texts, the chance of each class as far as it is known, and the words to keep."""

    def __init__(
        self,
        texts: Texts,
        allowed: tuple[str, ...],
        kept: str = "",
        weight: float = 1,
        source: str = "pairs",
    ):
        self.texts, self.allowed, self.kept, self.weight = texts, allowed, kept, weight
        self.source = source

    def target(self, classes: tuple[str, ...]) -> np.ndarray:
        """Labelled: certain but for a little. Of several allowed classes each is as likely."""
        found = np.array([name in self.allowed for name in classes], np.float32)
        return found / found.sum() * (1 - SMOOTHED) + SMOOTHED / len(classes)


# The texts


def judge_rows(split: str) -> list[Row]:
    """Pairs, corrections with what they correct, and notebooks with what was said later."""
    rows = [
        Row((row["old"], row["new"]), (row["relation"],))
        for row in data.blocks(data.HERE / "pairs")[split]
    ] * (PAIR_TIMES if split == "train" else 1)
    if split == "train":
        rows += [
            Row(row.texts[::-1], row.allowed, weight=REVERSED)
            for row in rows
            if row.allowed in (("same",), ("other",), ("replaces",))
        ]
    rows += [
        Row((row["corrects"], row["turn"], row["before"] or ""), ("replaces",), source="said")
        for row in data.blocks(data.HERE / "turns")[split]
        if row["label"] == "correction" and row["corrects"] and row["kept"]
    ]
    for talk in data.talks(split):
        rows += _talk_rows(talk)
    for thing in data.things(split):
        rows += _thing_rows(thing)
    return rows


def _thing_rows(thing: dict[str, Any]) -> list[Row]:
    """Facts that hold together, in both orders, changes, each of which ends one of them, and the
    same in other words.
    """
    facts = thing["facts"]
    pairs = itertools.permutations(facts, 2)
    both, one_only = ("adds", "other"), ("replaces",)
    rows = [Row(pair, both, weight=0.2 * THINGS, source="things") for pair in pairs]
    for change in thing["changes"]:
        for at, fact in enumerate(facts):
            replaced = at == change["of"]
            allowed, weight = (one_only, 0.6) if replaced else (both, 0.3 * THINGS)
            rows.append(Row((fact, change["new"]), allowed, weight=weight, source="things"))
            if replaced:
                # Neither text says which is older; a value that returns replaces as well.
                rows.append(Row((change["new"], fact), one_only, weight=0.2, source="things"))
    for again in thing.get("same", ()):
        for at, fact in enumerate(facts):
            alike = at == again["of"]
            allowed, weight = (("same",), 0.8) if alike else (both, 0.1 * THINGS)
            rows.append(Row((fact, again["text"]), allowed, weight=weight, source="things"))
            if alike:
                rows.append(Row((again["text"], fact), allowed, weight=0.4, source="things"))
    for one, two in itertools.permutations(thing["changes"], 2):
        alike = one["of"] == two["of"]
        allowed, weight = (one_only, 0.3) if alike else (both, 0.1 * THINGS)
        rows.append(Row((one["new"], two["new"]), allowed, weight=weight, source="things"))
    return rows


def _talk_rows(talk: dict[str, Any]) -> list[Row]:
    """Each turn with each note, and each note with the others, which all hold together."""
    rows: list[Row] = []
    for turn in talk["turns"]:
        for at, memory in enumerate(talk["memories"]):
            allowed = ("adds", "other")
            if at in turn["replaces"]:
                allowed = ("replaces",)
            elif at in turn["same"]:
                allowed = ("same", "adds")
            plain = len(allowed) > 1
            weight = 0.3 if plain else 1
            said = (memory, turn["turn"], turn["before"])
            rows.append(Row(said, allowed, weight=weight, source="said"))
            if turn["kept"] and not turn["same"] and (not plain or len(turn["replaces"])):
                kept = (memory, " ".join(turn["kept"]))
                rows.append(Row(kept, allowed, weight=0.5, source="notebooks"))
    pairs = itertools.combinations(talk["memories"], 2)
    both = ("adds", "other")
    return rows + [Row(pair, both, weight=0.2, source="notebooks") for pair in pairs]


def listener_rows(split: str) -> list[Row]:
    """What users said, as what, and what of it is worth keeping."""
    turns = data.blocks(data.HERE / "turns")[split]
    for talk in data.talks(split):
        turns += [turn | {"kept": " ".join(turn["kept"])} for turn in talk["turns"]]
    return [
        Row(
            (row["turn"], row["before"] or ""),
            ("fact" if row["label"] == "decision" else row["label"],),
            row["kept"] if isinstance(row["kept"], str) else " ".join(row["kept"] or ()),
        )
        for row in turns
    ]


def checker_rows(split: str, dialogues: Path | None) -> list[Row]:
    """Questions, each with the turns that answer it and with the likeliest of those that do not."""
    if split == "elsewhere":
        return [
            Row((asked, text), ("answers" if answers else "other",))
            for asked, text, answers in data.near(split=split)
        ]
    talks = data.corpus(plain=True)[split]
    if dialogues and split == "train":
        talks = talks + data.dialogues(dialogues)
    rows: list[Row] = []
    chance = random.Random(11)
    for talk in talks:
        own = talk.id.count("/") == 0 or split != "train"
        near, some = (6, 2) if own else (3, 1)
        common = data.word_weights(talk.turns)
        for asked in talk.questions:
            others = [at for at in range(len(talk.turns)) if at not in asked.answers]
            others.sort(key=lambda at: -data.word_overlap(asked.text, talk.turns[at], common))
            chosen = others[:near] + chance.sample(others[near:], min(some, len(others[near:])))
            right = chance.sample(sorted(asked.answers), min(3, len(asked.answers)))
            weight = 1.0 if own else 0.5
            rows += [Row((asked.text, talk.turns[at]), ("answers",), weight=weight) for at in right]
            rows += [
                Row((asked.text, talk.turns[at]), ("other",), weight=0.7 * weight) for at in chosen
            ]
    if split == "train":
        for asked_, turn, answers in data.near():
            rows += [Row((asked_, turn), ("answers" if answers else "other",))] * NEAR_TIMES
    return rows


def unlabelled(task: str) -> list[Row]:
    """Texts that nobody labelled, for the teachers to judge."""
    rows: list[Row] = []
    if task == "judge":
        pairs = data.blocks(data.HERE / "pairs")["train"]
        chance = random.Random(7)
        for at, row in enumerate(pairs):
            near = pairs[max(0, at - NEAR) : at + NEAR + 1]
            other = chance.choice([one for one in near if one["hand"] == row["hand"]])
            if other is not row and row["old"] != other["new"]:
                rows.append(Row((row["old"], other["new"]), RELATIONS))
    elif task == "listener":
        for talk in data.corpus()["train"]:
            for before, turn in itertools.pairwise(["", *talk.turns]):
                rows.append(Row((turn, before), TURNS))
    else:
        chance = random.Random(13)
        for talk in data.corpus(plain=True)["train"]:
            for asked in talk.questions:
                others = chance.sample(talk.turns, min(2, len(talk.turns)))
                rows += [Row((asked.text, turn), ANSWERS) for turn in others]
    return rows


def met(base: bert.Params, most: int | None = None) -> list[Row]:
    """Notes with those nearest to them, and turns with the notes nearest to what is kept of them.

    So the product meets them: what is saved is compared with its neighbours.
    """
    notes = [row[name] for row in data.blocks(data.HERE / "pairs")["train"] for name in _BOTH]
    for thing in data.things("train"):
        notes += thing["facts"] + [one["new"] for one in thing["changes"]]
    for talk in data.talks("train"):
        notes += talk["memories"]
    turns = [row for row in data.blocks(data.HERE / "turns")["train"] if row["kept"]]
    notes += [row[name] for row in turns for name in ("kept", "corrects") if row.get(name)]
    notes, turns = list(dict.fromkeys(notes))[:most], turns[:most]
    known = {row.texts for row in judge_rows("train")}
    chance = random.Random(17)
    rows: list[Row] = []
    for note, others in zip(notes, nearest(base, notes, notes, MET + 1), strict=True):
        for other in others:
            pair = (note, other) if chance.random() < 0.5 else (other, note)
            if note != other and pair not in known:
                known |= {pair, pair[::-1]}
                rows.append(Row(pair, RELATIONS))
    kept = [row["kept"] for row in turns]
    for row, others in zip(turns, nearest(base, kept, notes, MET), strict=True):
        said = (row["turn"], row["before"] or "")
        rows += [Row((other, *said), RELATIONS) for other in others]
    return rows


_BOTH = ("old", "new")


def nearest(
    base: bert.Params, texts: list[str], others: list[str], count: int
) -> Iterator[list[str]]:
    """The other texts that are nearest to each text by meaning."""
    places = _vectors(base, others)
    for start_ in range(0, len(texts), 1_024):
        found = jnp.asarray(_vectors(base, texts[start_ : start_ + 1_024])) @ places.T
        _, best = jax.lax.top_k(found, min(count, len(others)))
        for row in np.asarray(best):
            yield [others[at] for at in row]


def _vectors(base: bert.Params, texts: list[str]) -> np.ndarray:
    made = []
    for start_ in range(0, len(texts), 1_024):
        some = texts[start_ : start_ + 1_024]
        ids = np.pad(data.ids_of(some, 64), ((0, 1_024 - len(some)), (0, 0)))
        ids[:, 0] = bert.START
        made.append(np.asarray(_one_vector(base, ids))[: len(some)])
    return np.concatenate(made)


_one_vector = jax.jit(bert.vectors)


def arrays(task: str, rows: list[Row]) -> dict[str, np.ndarray]:
    """Rows as arrays: pieces, segments, targets, which words are kept, weights."""
    length = PIECES[task]
    ids = np.zeros((len(rows), length), np.int32)
    segments = np.zeros_like(ids)
    kept = np.full(ids.shape, -1, np.int8)
    for at, row in enumerate(rows):
        pieces, kinds = read_texts(data.reader(), row.texts, limit=length)
        ids[at, : len(pieces)], segments[at, : len(pieces)] = pieces, kinds
        if task == "listener" and row.allowed != TURNS:
            wanted = set(data.read(row.kept, limit=1_000)[1:-1]) - data.marks()
            end = pieces.index(data.END)
            kept[at, 1:end] = [piece in wanted for piece in pieces[1:end]]
    classes = CLASSES[task]
    return {
        "ids": ids,
        "segments": segments,
        "target": np.stack([row.target(classes) for row in rows]),
        "kept": kept,
        "weight": np.array([row.weight for row in rows], np.float32),
    }


# The network


def start(base: bert.Params, task: str) -> bert.Params:
    """The base with more kinds of segments, and heads at zero."""
    params = jax.tree.map(jnp.array, base)
    first, second = params["segments"]
    params["segments"] = jnp.stack([first, first, *[second] * (SEGMENTS - 2)])
    params["head.matrix"] = jnp.zeros((len(first), len(CLASSES[task])))
    params["head.bias"] = jnp.zeros(len(CLASSES[task]))
    if task == "listener":
        params["kept.matrix"], params["kept.bias"] = jnp.zeros((len(first), 1)), jnp.zeros(1)
    return params


def logits(params: bert.Params, ids: Any, segments: Any, chance: Any = None) -> tuple[Any, Any]:
    """The classes of texts, from the state of the first piece; and which pieces are kept."""
    hidden = bert.states(params, ids, segments, chance=chance)
    kept = None
    if "kept.matrix" in params:
        kept = (hidden @ params["kept.matrix"] + params["kept.bias"])[..., 0]
    return hidden[:, 0] @ params["head.matrix"] + params["head.bias"], kept


def _step_of_one(
    params: bert.Params,
    state: bert.Params,
    fixed: bert.Params,
    batch: dict[str, Any],
    rate: Any,
    at: Any,
    chance: Any,
) -> tuple[bert.Params, bert.Params, Any]:
    def loss(params: bert.Params) -> Any:
        found, kept = logits(params | fixed, batch["ids"], batch["segments"], chance)
        value = -(jax.nn.log_softmax(found) * batch["target"]).sum(-1).mean()
        if kept is not None:
            told = batch["kept"]
            wrong = jnp.logaddexp(0, jnp.where(told > 0, -kept, kept)) * (told >= 0)
            value += 0.5 * wrong.sum() / jnp.maximum((told >= 0).sum(), 1)
        return value

    value, grads = jax.value_and_grad(loss)(params)
    params, state = bert.adam_step(params, state, grads, rate, at)
    return params, state, value


@partial(jax.jit, donate_argnums=(0, 1, 2))
def _step(
    params: bert.Params,
    state: bert.Params,
    mean: bert.Params,
    fixed: bert.Params,
    batch: dict[str, Any],
    rate: Any,
    at: Any,
    chance: Any,
) -> tuple[bert.Params, bert.Params, bert.Params, Any]:
    """One step of several networks at once, and of the mean over the last steps of each."""
    each = jax.vmap(_step_of_one, in_axes=(0, 0, None, 0, None, None, 0))
    params, state, value = each(params, state, fixed, batch, rate, at, chance)
    share = 1 - jnp.minimum(0.995, at / (at + 9))
    mean = jax.tree.map(lambda old, new: old + share * (new - old), mean, params)
    return params, state, mean, value


def train(
    params: bert.Params,
    rows: dict[str, np.ndarray],
    *,
    epochs: float,
    rate: float,
    seeds: int,
    size: int = BATCH,
) -> list[bert.Params]:
    """Train as many networks as there are seeds, side by side, each in an order of its own.

    One network alone leaves the accelerator waiting.
    """
    fixed = {"pieces": params["pieces"]}
    own = {name: jnp.stack([values] * seeds) for name, values in params.items() if name != "pieces"}
    state, key = bert.adam_state(own), jax.random.key(seeds)
    batches = _batches(rows, epochs, seeds, size)
    # The mean over the last steps errs less than the last step, and is less sure of itself.
    mean = jax.tree.map(jnp.copy, own)
    losses: list[Any] = []
    for at, chosen in enumerate(batches):
        key, drop = jax.random.split(key)
        drops = jax.random.split(drop, seeds)
        length = _length(rows["ids"][chosen])
        batch = {name: values[chosen] for name, values in rows.items() if name != "weight"}
        batch |= {name: batch[name][..., :length] for name in ("ids", "segments", "kept")}
        rate_now = np.float32(bert.rate_at(at, len(batches), rate))
        own, state, mean, value = _step(
            own, state, mean, fixed, batch, rate_now, np.float32(at + 1), drops
        )
        losses.append(value)
        if (at + 1) % max(1, len(batches) // 4) == 0:
            print(f"  step {at + 1}: loss {np.mean(jax.device_get(losses)):.4f}", flush=True)
            losses = []
    return [{name: mean[name][at] for name in mean} | fixed for at in range(seeds)]


def _length(ids: np.ndarray) -> int:
    """The pieces of the longest row, as one of a few lengths: each is compiled once."""
    longest, most = int((ids != bert.PAD).sum(-1).max()), ids.shape[-1]
    return next((length for length in (48, 80) if longest <= length < most), most)


def _batches(rows: dict[str, np.ndarray], epochs: float, seeds: int, size: int) -> list[np.ndarray]:
    """The rows of each step, for each seed; those of one step are about equally long."""
    lengths = (rows["ids"] != bert.PAD).sum(1)
    chances_ = [np.random.default_rng(seed) for seed in range(seeds)]
    shared = np.random.default_rng(seeds)
    made: list[np.ndarray] = []
    for _ in range(int(np.ceil(epochs))):
        each = [_epoch(rows["weight"], lengths, chance, size) for chance in chances_]
        order = shared.permutation(min(map(len, each)))
        made += [np.stack([batches[at] for batches in each]) for at in order]
    return made[: max(1, int(len(made) * epochs / np.ceil(epochs)))]


def _epoch(
    weight: np.ndarray, lengths: np.ndarray, chance: np.random.Generator, size: int
) -> list[np.ndarray]:
    """The batches of one epoch, short ones first.

    A light row comes as often as its weight says, and counts fully when it comes.
    """
    order = np.flatnonzero(chance.random(len(weight)) < weight)
    chance.shuffle(order)
    made = []
    for start_ in range(0, len(order), size * 16):
        pool = order[start_ : start_ + size * 16]
        sized = pool[np.argsort(lengths[pool], kind="stable")]
        made += [sized[at : at + size] for at in range(0, len(sized) - size + 1, size)]
    return sorted(made, key=lambda batch: int(lengths[batch].max()))


_logits = jax.jit(logits)


def chances(params: bert.Params, rows: dict[str, np.ndarray], size: int = 256) -> np.ndarray:
    """The logits of each class for rows."""
    made = []
    for start_ in range(0, len(rows["ids"]), size):
        some = slice(start_, start_ + size)
        ids, segments = rows["ids"][some], rows["segments"][some]
        length, left = _length(ids), size - len(ids)
        ids, segments = (np.pad(one[:, :length], ((0, left), (0, 0))) for one in (ids, segments))
        ids[len(ids) - left :, 0] = 1
        made.append(np.asarray(_logits(params, ids, segments)[0])[: size - left])
    return np.concatenate(made)


# Measuring


def report(task: str, found: np.ndarray, rows: list[Row], names: list[str]) -> dict[str, Any]:
    """The figures on texts that the network has not seen."""
    shares = np.exp(found - found.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    classes = CLASSES[task]
    made: dict[str, Any] = {}
    for name in dict.fromkeys(names):
        here = [at for at, one in enumerate(names) if one == name]
        certain = [at for at in here if len(rows[at].allowed) == 1]
        best = shares.argmax(1)
        right = [classes[best[at]] in rows[at].allowed for at in here]
        first = np.array([rows[at].allowed[0] for at in here])
        figures: dict[str, Any] = {"count": len(here), "right": round(float(np.mean(right)), 4)}
        if certain:
            sure = [classes[best[at]] in rows[at].allowed for at in certain]
            figures["right where labelled"] = round(float(np.mean(sure)), 4)
        score = 1 - shares[here, classes.index("none")] if task == "listener" else shares[here, 0]
        is_it = first != "none" if task == "listener" else first == classes[0]
        figures |= _curve(score, is_it)
        made[name] = figures
    return made


def _curve(score: np.ndarray, is_it: np.ndarray) -> dict[str, Any]:
    """What is found at a precision, and what share of the others is taken wrongly at a recall."""
    order = np.argsort(-score)
    hits = np.cumsum(is_it[order])
    precision = hits / np.arange(1, len(order) + 1)
    found: dict[str, Any] = {}
    for wanted in (0.97, 0.95, 0.9):
        good = np.flatnonzero(precision >= wanted)
        at = int(good[-1]) if len(good) else -1
        recall = float(hits[at] / max(1, is_it.sum())) if at >= 0 else 0.0
        limit = float(score[order[at]]) if at >= 0 else 1.0
        found[f"found at {wanted}"] = [round(recall, 3), round(limit, 3)]
    for limit in (0.5, 0.8, 0.9):
        found[f"over {limit}"] = [
            round(float((score[is_it] > limit).mean()), 3),
            round(float((score[~is_it] > limit).mean()), 3),
        ]
    return found


def calibration(task: str, found: np.ndarray, rows: list[Row]) -> np.ndarray:
    """Scale and shift that make the first class, or the listener's `none`, as likely as it says."""
    at = CLASSES[task].index("none") if task == "listener" else 0
    others = np.delete(found, at, 1)
    margin = found[:, at] - np.log(np.exp(others - others.max(1)[:, None]).sum(1)) - others.max(1)
    known = np.array([float(CLASSES[task][at] in row.allowed) for row in rows])
    # Where every class is labelled; elsewhere only the changes are, and would look too likely.
    here = np.array([len(row.allowed) == 1 and row.source == "pairs" for row in rows])
    margin, known = margin[here], known[here]
    values = np.array([1.0, 0.0])
    for _ in range(5_000):
        chance = 1 / (1 + np.exp(-(values[0] * margin + values[1])))
        wrong = chance - known
        values = values - 0.05 * np.array([(wrong * margin).mean(), wrong.mean()])
    return values.astype(np.float32)


def main() -> None:
    options = _options()
    task, began = options.task, time.monotonic()
    base = bert.load(options.base)
    if options.pieces:
        base["pieces"] = data.packed_pieces(options.pieces)
    base = _smaller(base, options)
    make = {
        "judge": judge_rows,
        "listener": listener_rows,
        "checker": partial(checker_rows, dialogues=options.dialogues),
    }[task]
    data.ELSEWHERE.update(options.elsewhere)
    few = 64 if options.small else None
    held, names = _held_out(make, few, elsewhere=bool(options.elsewhere))
    tested, more = arrays(task, held), list[Row]()
    if options.told:
        given = dict(np.load(options.told))
    else:
        more = [] if options.labelled else unlabelled(task)[:few]
        more += met(base, few) if options.teach and task == "judge" else []
        given = arrays(task, make("train")[: few and 2 * few])
    count = f"{len(given['ids'])} to learn from, {len(held)} held out, {len(more)} unlabelled"
    print(f"{time.monotonic() - began:4.0f} s {count}", flush=True)

    def figures(name: str, found: np.ndarray) -> None:
        told = json.dumps(report(task, found, held, names))
        print(f"{time.monotonic() - began:4.0f} s {name}: {told}", flush=True)

    def written(name: str, network: bert.Params, path: Path) -> None:
        found = chances(network, tested)
        figures(name, found)
        fitted = calibration(task, found, held)
        print(f"calibration {fitted}", flush=True)
        own = {name: values for name, values in network.items() if name != "pieces"}
        bert.save(own | {"calibration": fitted}, path)

    first = start(base, task)
    if options.start:
        trained = bert.load(options.start)
        first |= {name: trained[name] for name in first if name in trained}
        figures("before", chances(first, tested))
    networks = train(
        first,
        given,
        epochs=options.epochs,
        rate=options.rate,
        seeds=options.seeds,
        size=options.batch,
    )
    # Networks that began as one can be averaged; the mean is better than each of them.
    params = jax.tree.map(lambda *each: sum(each) / len(each), *networks)
    if options.teach:
        figures("teacher", chances(params, tested))
        plain = slice(0, 2) if task == "judge" else None
        told = _told([params], given, arrays(task, more), plain=plain)
        kinds = ("ids", "segments", "target", "kept", "weight")
        np.savez(options.out, **{name: told[name] for name in kinds}, allow_pickle=False)
        return
    figures("one of them", chances(networks[0], tested))
    figures("together", np.mean([chances(one, tested) for one in networks], axis=0))
    written("mean", params, options.out)
    if more:
        both = _told(networks, given, arrays(task, more))
        taught = train(params, both, epochs=3, rate=options.rate / 3, seeds=1, size=options.batch)
        written("mean, taught", taught[0], options.out.with_suffix(".taught"))


def _held_out(
    make: Callable[[str], list[Row]], few: int | None, *, elsewhere: bool
) -> tuple[list[Row], list[str]]:
    """Rows that nothing learns from, and the name under which each is counted."""
    held = make("development")
    names = [row.source for row in held]
    if elsewhere:
        others = make("elsewhere")
        held, names = held + others, names + [f"{row.source} elsewhere" for row in others]
    return held[:few], names[:few]


def _smaller(params: bert.Params, options: argparse.Namespace) -> bert.Params:
    return bert.small(params) if options.small else params


def _told(
    teachers: list[bert.Params],
    given: dict[str, np.ndarray],
    extra: dict[str, np.ndarray],
    *,
    plain: slice | None = None,
) -> dict[str, np.ndarray]:
    """Labelled rows with what all teachers say together of them, and unlabelled ones likewise.

    Where no class of `plain` is likely, a row comes seldom: there are many, and they teach little.
    """

    def votes(rows_: dict[str, np.ndarray]) -> np.ndarray:
        found = np.mean([chances(one, rows_) for one in teachers], axis=0)
        return np.asarray(jax.nn.softmax(jnp.asarray(found)))

    given = given | {"target": TAUGHT * votes(given) + (1 - TAUGHT) * given["target"]}
    shares = votes(extra)
    seldom = shares[:, plain].sum(1) < IS_PLAIN if plain else np.zeros(len(shares), bool)
    print(f"{len(shares)} told by the teachers, {seldom.sum()} of them plain", flush=True)
    extra |= {"target": shares, "weight": np.where(seldom, PLAIN, TOLD).astype(np.float32)}
    return {name: np.concatenate([given[name], extra[name]]) for name in given}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=tuple(CLASSES))
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pieces", type=Path, help="a model file with the vectors of pieces")
    parser.add_argument("--dialogues", type=Path, help="FriendsQA and Molweni, for the checker")
    parser.add_argument("--teach", action="store_true", help="write down what the network says")
    parser.add_argument("--told", type=Path, help="what a larger network said")
    parser.add_argument("--start", type=Path, help="a trained reader to go on from")
    parser.add_argument("--labelled", action="store_true", help="learn from labels alone")
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--elsewhere", nargs="*", default=[], help="hands to measure with alone")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--epochs", type=float, default=6)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--small", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
