"""Train the embedder: questions near the turns that answer them.

    python training/embedder.py LARGE TOLD --dialogues FILE --teach
    python training/embedder.py BASE OUT --dialogues FILE [--told TOLD] [--evals FOLDER] [--small]
    python training/embedder.py BASE FOLDER --dialogues FILE [--told TOLD] --held-out [--fold 0]

Contrastive: each question against the passage that answers it, hard negatives of the same
conversation and all others of the batch. The negatives are mined again in each epoch with the model
as it is then. The weights of several seeds are averaged.

A network that is too large to ship learns in the same way and teaches: `--teach` writes its vectors
of all texts, `--told` has the small one tell the passages of a batch apart as the large one does,
and notes that nobody asked about as well.

With `--held-out`, a fourth of the conversations is left out of each of four trainings, and the
vectors of its texts are written: `candidates.py` needs vectors of a model that never saw them.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import bert
import data
import jax
import jax.numpy as jnp
import numpy as np
from candidates import FOLDS, fold_of

from commonplace.backends.neural.model_file import POSITIONS

QUESTION_PIECES, TURN_PIECES = 48, 96
BATCH, SMALL_BATCH, SMALL_NOTES = 64, 4, 40
CHUNK = 1024
TAUGHT = 0.6
"""The share of the teacher in what a batch should look like; the labels have the rest."""
NOTES, NOTE_PIECES, NEAREST, GROUPS = 128, 64, 30, 8
"""Notes that nobody asked about: in a batch, pieces of each, its neighbours that are known, and
around how many notes those of a batch lie."""


@dataclass(frozen=True)
class Recipe:
    """The numbers of one training."""

    epochs: int = 4
    rate: float = 3e-5
    negatives: int = 15
    skipped: int = 1
    """The nearest wrong turns, which may be answers that nobody labelled."""
    reach: int = 40
    temperature: float = 0.03
    seed: int = 0


class Corpus:
    """All passages of some conversations, and the questions with the passages that answer."""

    def __init__(self, talks: list[data.Talk]) -> None:
        self.texts: list[str] = []
        self.turn_of: list[int] = []
        self.questions: list[str] = []
        self.kinds: list[str] = []
        self.answers: list[frozenset[int]] = []
        self.spans: list[tuple[int, int]] = []
        self.among: list[frozenset[int] | None] = []
        turns = 0
        for talk in talks:
            first = len(self.texts)
            for at, turn in enumerate(talk.turns):
                for passage in data.passages(turn):
                    self.texts.append(passage)
                    self.turn_of.append(turns + at)
            for asked in talk.questions:
                if not asked.answers:
                    continue
                self.questions.append(asked.text)
                self.kinds.append(asked.kind)
                self.answers.append(frozenset(turns + at for at in asked.answers))
                self.spans.append((first, len(self.texts)))
                among = asked.among and frozenset(turns + at for at in asked.among)
                self.among.append(among)
            turns += len(talk.turns)
        self.turn_of_text = np.array(self.turn_of)
        self.ids = data.ids_of(self.texts, TURN_PIECES)
        self.question_ids = data.ids_of(self.questions, QUESTION_PIECES)


class Told:
    """The vectors that the teacher gave to texts, and the nearest neighbours of notes."""

    def __init__(self, path: Path) -> None:
        stored = np.load(path)
        self._row_of = {text: row for row, text in enumerate(stored["texts"].tolist())}
        self.vectors = jnp.asarray(stored["vectors"], jnp.bfloat16)
        self.notes: np.ndarray = stored["notes"]
        self._nearest: np.ndarray = stored["nearest"]
        self._ids = data.ids_of(stored["texts"][self.notes].tolist(), NOTE_PIECES)

    def rows(self, texts: list[str]) -> np.ndarray:
        """Where the vectors of texts are."""
        return np.array([self._row_of[text] for text in texts], np.int32)

    def some_notes(self, chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Groups of notes near to each other: their pieces, and where their vectors are."""
        groups = min(GROUPS, len(self.notes))
        first = chance.integers(len(self.notes), size=groups)
        width = min(NOTES // GROUPS - 1, self._nearest.shape[1])
        others = [chance.permutation(self._nearest[one])[:width] for one in first]
        chosen = np.concatenate([first, *others])
        return self._ids[chosen], self.notes[chosen].astype(np.int32)


_embed = jax.jit(bert.vectors)


def embed(params: bert.Params, ids: np.ndarray) -> np.ndarray:
    """Vectors of many texts, in chunks of one shape."""
    made = []
    size = min(CHUNK, len(ids))
    for start in range(0, len(ids), size):
        chunk = ids[start : start + size]
        padded = np.zeros((size, ids.shape[1]), np.int32)
        padded[: len(chunk)] = chunk
        padded[len(chunk) :, 0] = 1
        made.append(np.asarray(_embed(params, padded))[: len(chunk)])
    return np.concatenate(made)


def ranked_turns(
    corpus: Corpus, at: int, texts: np.ndarray, vector: np.ndarray
) -> list[tuple[int, int]]:
    """The turns of a question's conversation, best first, each with its best passage."""
    first, last = corpus.spans[at]
    best: dict[int, int] = {}
    for place in np.argsort(-(texts[first:last] @ vector)) + first:
        best.setdefault(int(corpus.turn_of_text[place]), int(place))
    return list(best.items())


def measure(params: bert.Params, corpus: Corpus) -> dict[str, float]:
    """any@10, all@10 and NDCG@10 of the vectors alone."""
    questions, texts = embed(params, corpus.question_ids), embed(params, corpus.ids)
    sums = np.zeros(3)
    for at, vector in enumerate(questions):
        turns = [turn for turn, _ in ranked_turns(corpus, at, texts, vector)]
        if corpus.among[at] is not None:
            turns = [turn for turn in turns if turn in corpus.among[at]]
        hits = [turn in corpus.answers[at] for turn in turns[:10]]
        gain = sum(hit / np.log2(place + 2) for place, hit in enumerate(hits))
        ideal = sum(1 / np.log2(place + 2) for place in range(min(10, len(corpus.answers[at]))))
        sums += [any(hits), sum(hits) == min(len(corpus.answers[at]), 10), gain / ideal]
    any_, all_, ndcg = (sums / len(questions)).round(4).tolist()
    return {"any@10": any_, "all@10": all_, "ndcg@10": ndcg}


# Examples


@dataclass
class Examples:
    """One epoch: each question with one answer and hard negatives, as passages."""

    questions: np.ndarray
    lists: np.ndarray
    """Row by row the passage that answers, then the negatives."""


def mine(params: bert.Params, corpus: Corpus, recipe: Recipe, chance: random.Random) -> Examples:
    """Choose answers and negatives with the model as it is."""
    vectors, texts = embed(params, corpus.question_ids), embed(params, corpus.ids)
    rows, questions = [], []
    for at, vector in enumerate(vectors):
        ranked = ranked_turns(corpus, at, texts, vector)
        answers = [place for turn, place in ranked if turn in corpus.answers[at]]
        others = [place for turn, place in ranked if turn not in corpus.answers[at]]
        near = others[recipe.skipped : recipe.skipped + recipe.reach]
        if len(near) < recipe.negatives:
            near += chance.sample(range(len(corpus.texts)), recipe.negatives)
        rows.append([chance.choice(answers), *chance.sample(near, recipe.negatives)])
        questions.append(at)
    return Examples(np.array(questions), np.array(rows))


# The embedder


@partial(jax.jit, donate_argnums=(0, 1))
def _step(
    params: bert.Params,
    state: bert.Params,
    fixed: bert.Params,
    questions: Any,
    turns: Any,
    excluded: Any,
    rate: Any,
    at: Any,
    chance: Any,
    temperature: float,
    taught: Any,
) -> tuple[bert.Params, bert.Params, Any]:
    one, two, three = jax.random.split(chance, 3)
    count, width, length = turns.shape
    wanted = jax.nn.one_hot(jnp.arange(count) * width, count * width)
    if taught is not None:
        near, alike = (taught[name] / temperature for name in ("questions", "notes"))
        near = jax.nn.softmax(jnp.where(excluded, -1e9, near))
        wanted = (1 - TAUGHT) * wanted + TAUGHT * near

    def loss(params: bert.Params) -> Any:
        whole = params | fixed
        asked = bert.vectors(whole, questions, chance=one)
        passages = bert.vectors(whole, turns.reshape(-1, length), chance=two)
        logits = asked @ passages.T / temperature
        found = _differs(jnp.where(excluded, -1e9, logits), wanted)
        if taught is None:
            return found
        notes = bert.vectors(whole, taught["ids"], chance=three)
        self_ = jnp.eye(len(notes), dtype=bool)
        between = jnp.where(self_, -1e9, notes @ notes.T / temperature)
        return found + TAUGHT * _differs(between, jax.nn.softmax(jnp.where(self_, -1e9, alike)))

    value, grads = jax.value_and_grad(loss)(params)
    params, state = bert.adam_step(params, state, grads, rate, at)
    return params, state, value


def _differs(logits: Any, wanted: Any) -> Any:
    return -(wanted * jax.nn.log_softmax(logits)).sum(-1).mean()


@jax.jit
def _taught(vectors: Any, questions: Any, passages: Any, ids: Any, notes: Any) -> dict[str, Any]:
    """How near passages are to questions, and notes to each other, as the teacher has it."""
    asked, told, noted = (
        vectors[rows].astype(jnp.float32) for rows in (questions, passages, notes)
    )
    return {"questions": asked @ told.T, "notes": noted @ noted.T, "ids": ids}


def train_embedder(
    base: bert.Params, corpus: Corpus, recipe: Recipe, batch: int, told: Told | None = None
) -> bert.Params:
    """The embedder after all epochs; the vectors of pieces stay, so that models can share them."""
    chance, key = random.Random(recipe.seed), jax.random.key(recipe.seed)
    drawn = np.random.default_rng(recipe.seed)
    asked_rows = told.rows(corpus.questions) if told else None
    text_rows = told.rows(corpus.texts) if told else None
    params = jax.tree.map(jnp.array, base)
    fixed = {"pieces": params.pop("pieces")}
    state = bert.adam_state(params)
    steps, at = recipe.epochs * (len(corpus.questions) // batch), 0
    for epoch in range(recipe.epochs):
        examples = mine(params | fixed, corpus, recipe, chance)
        order = np.random.default_rng(recipe.seed * 100 + epoch).permutation(len(examples.lists))
        losses = []
        for start in range(0, len(order) - batch + 1, batch):
            chosen = order[start : start + batch]
            lists = examples.lists[chosen]
            key, drop = jax.random.split(key)
            rate = bert.rate_at(at, steps, recipe.rate)
            taught = told and _taught(
                told.vectors,
                asked_rows[examples.questions[chosen]],
                text_rows[lists.reshape(-1)],
                *told.some_notes(drawn),
            )
            at += 1
            params, state, value = _step(
                params,
                state,
                fixed,
                corpus.question_ids[examples.questions[chosen]],
                corpus.ids[lists],
                _excluded(corpus, examples.questions[chosen], lists),
                rate,
                at,
                drop,
                recipe.temperature,
                taught,
            )
            losses.append(value)
        print(f"embedder epoch {epoch + 1}: loss {np.mean(jax.device_get(losses)):.4f}", flush=True)
    return params | fixed


def _excluded(corpus: Corpus, questions: np.ndarray, lists: np.ndarray) -> np.ndarray:
    """Where a passage of the batch answers a question that it is not the answer chosen for."""
    turns = corpus.turn_of_text[lists.reshape(-1)]
    found = np.zeros((len(questions), len(turns)), bool)
    width = lists.shape[1]
    for row, question in enumerate(questions):
        found[row] = np.isin(turns, list(corpus.answers[question]))
        found[row, row * width] = False
    return found


def paraphrases(folder: Path) -> list[data.Talk]:
    """Notes that say the same, each among the notes of its block: what said is like what."""
    talks = []
    for start, rows in _by_block(folder):
        talk = data.Talk(start, [row["old"] for row in rows])
        for at, row in enumerate(rows):
            if row["relation"] == "same":
                same = {i for i, other in enumerate(rows) if other["old"] == row["old"]}
                talk.questions.append(data.Asked(row["new"], frozenset(same | {at}), "same"))
        talks.append(talk)
    return talks


def _by_block(folder: Path) -> list[tuple[str, list[dict[str, Any]]]]:
    rows = data.blocks(folder)["train"]
    return [(f"pairs/{start}", rows[start : start + 40]) for start in range(0, len(rows), 40)]


def asked_notes() -> list[data.Talk]:
    """Short notes with questions that they answer, each among the notes of its block."""
    talks = []
    for start, rows in data.near_notes():
        talk = data.Talk(start, [row["text"] for row in rows])
        for at, row in enumerate(rows):
            talk.questions += [data.Asked(text, frozenset({at}), "note") for text in row["again"]]
        talks.append(talk)
    return talks


def notes() -> list[str]:
    """Notes of all kinds, whether or not anybody asked about them."""
    found = {
        row[side] for row in data.blocks(data.HERE / "pairs")["train"] for side in ("old", "new")
    }
    for thing in data.things("train"):
        found |= {*thing["facts"], *(change["new"] for change in thing["changes"])}
    for talk in data.talks("train"):
        found |= {*talk["memories"], *(kept for turn in talk["turns"] for kept in turn["kept"])}
    return sorted(found)


def write_told(params: list[bert.Params], corpus: Corpus, noted: list[str], path: Path) -> None:
    """Write the vectors of all texts, and the nearest neighbours of the notes."""
    texts = sorted({*corpus.questions, *corpus.texts, *noted})
    ids = data.ids_of(texts, TURN_PIECES)
    vectors = np.concatenate([embed(one, ids).astype(np.float16) for one in params], axis=1)
    vectors /= np.sqrt(len(params)).astype(np.float16)
    place = {text: row for row, text in enumerate(texts)}
    rows = np.array([place[text] for text in noted])
    among = jnp.asarray(vectors[rows], jnp.bfloat16)
    nearest = jax.jit(lambda some: jax.lax.top_k(some @ among.T, min(NEAREST + 1, len(rows)))[1])
    near = [np.asarray(nearest(among[at : at + CHUNK]))[:, 1:] for at in range(0, len(rows), CHUNK)]
    np.savez(path, texts=texts, vectors=vectors, notes=rows, nearest=np.concatenate(near))


def average(many: list[bert.Params]) -> bert.Params:
    """The mean of several models that began alike."""
    return {name: sum(one[name] for one in many) / len(many) for name in many[0]}


def write_held_out(base: bert.Params, options: argparse.Namespace) -> None:
    """Write the vectors of each fold's texts, by a model that was trained without the fold."""
    options.out.mkdir(parents=True, exist_ok=True)
    talks = [*data.corpus()["train"], *data.dialogues(options.dialogues)]
    same = paraphrases(data.HERE / "pairs") + asked_notes()
    told = options.told and Told(options.told)
    folds, batch, seeds = range(FOLDS), BATCH, options.seeds
    if options.fold is not None:
        folds = [options.fold]
    if options.small:
        base, same, folds, batch, seeds = bert.small(base), [], range(1), SMALL_BATCH, 1
        talks = [talk for fold in (0, 1) for talk in _small(_of_fold(talks, fold))]
    for fold in folds:
        held = _of_fold(talks, fold)
        corpus = Corpus([talk for talk in talks if fold_of(talk.id) != fold] + same)
        many = [
            train_embedder(base, corpus, recipe_of(options, seed), batch, told)
            for seed in range(seeds)
        ]
        texts = {passage for talk in held for turn in talk.turns for passage in data.passages(turn)}
        texts |= {asked.text for talk in held for asked in talk.questions}
        ordered = sorted(texts)
        vectors = embed(average(many), data.ids_of(ordered, POSITIONS))
        signed = np.rint(127 * vectors / np.abs(vectors).max(1, keepdims=True)).astype(np.int8)
        np.savez_compressed(options.out / f"fold{fold}.npz", texts=ordered, vectors=signed)
        print(f"fold {fold}: {json.dumps(measure(average(many), Corpus(held)))}", flush=True)


def _of_fold(talks: list[data.Talk], fold: int) -> list[data.Talk]:
    return [talk for talk in talks if fold_of(talk.id) == fold]


def _small(talks: list[data.Talk]) -> list[data.Talk]:
    """A handful of questions, to see that everything runs."""
    few = talks[:2]
    for talk in few:
        talk.questions = talk.questions[:3]
    return few


def recipe_of(options: argparse.Namespace, seed: int) -> Recipe:
    """The numbers that were asked for."""
    return Recipe(
        epochs=options.epochs,
        rate=options.rate,
        negatives=options.negatives,
        temperature=options.temperature,
        seed=seed,
    )


def main() -> None:
    options = _options()
    began = time.monotonic()
    base = bert.load(options.base)
    data.ELSEWHERE.update(options.elsewhere)
    if options.held_out:
        write_held_out(base, options)
        return
    split = data.corpus()
    talks = [*split["train"], *data.dialogues(options.dialogues)]
    talks += paraphrases(data.HERE / "pairs") + asked_notes()
    measured = {"corpus": Corpus(split["development"])}
    for folder in sorted(options.evals.glob("l*")) if options.evals else ():
        measured[folder.name] = Corpus(data.evaluation(folder))
    if options.small:
        base, talks, batch = bert.small(base), _small(talks), SMALL_BATCH
        measured = {"corpus": Corpus(split["development"][:1])}
    else:
        batch = BATCH
    corpus = Corpus(talks)
    told = options.told and Told(options.told)

    def report(name: str, params: bert.Params) -> None:
        figures = {set_: measure(params, one) for set_, one in measured.items()}
        print(f"{time.monotonic() - began:4.0f} s {name}: {json.dumps(figures)}", flush=True)

    print(f"{len(corpus.questions)} questions, {len(corpus.texts)} passages", flush=True)
    report("base", base)
    many = []
    for seed in range(options.seeds):
        many.append(train_embedder(base, corpus, recipe_of(options, seed), batch, told))
        report(f"seed {seed}", many[-1])
    if options.teach:
        write_told(many, corpus, notes()[: SMALL_NOTES if options.small else None], options.out)
        return
    made = average(many)
    report("mean of seeds", made)
    made.pop("pieces")
    bert.save(made, options.out)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--dialogues", type=Path, required=True)
    parser.add_argument("--evals", type=Path)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rate", type=float, default=Recipe.rate)
    parser.add_argument("--negatives", type=int, default=Recipe.negatives)
    parser.add_argument("--temperature", type=float, default=Recipe.temperature)
    parser.add_argument("--teach", action="store_true", help="write what the teacher says to OUT")
    parser.add_argument("--told", type=Path, help="what a teacher said")
    parser.add_argument("--elsewhere", nargs="*", default=["lovage"], help="hands to leave out")
    parser.add_argument("--fold", type=int, help="one of the folds alone")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--held-out", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
