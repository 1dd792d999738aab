"""The texts that models are trained on and measured with, as the product would see them.

Splits are by conversation or by block of a hand, never by line: neighbours are variants of one
scene. The final tenth is read by `final=True` alone, when a figure is published.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import sys
import zlib
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "src"))

from commonplace.backends.neural.bundled import END, WordPieceTokenizer
from commonplace.language.passages import cut
from commonplace.rules.ranking.answers import spoken
from commonplace.rules.ranking.questions import read_question

DEVELOPMENT, FINAL, PARTS = 0, 1, 10
BLOCK = 40
"""Lines of one hand that stay together in a split."""
ELSEWHERE: set[str] = set()
"""Hands that nothing learns from: what a network makes of a stranger's text shows there alone."""


def hands(folder: Path, split: str, *, start: str = "") -> list[Path]:
    """The files of a folder that have lines of a split."""
    wanted = split == "elsewhere"
    paths = sorted(folder.glob(f"{start}*.jsonl"))
    return [path for path in paths if (path.stem in ELSEWHERE) == wanted]


@dataclass
class Asked:
    """A question, as the vector arm sees it, and the turns that answer it."""

    text: str
    answers: frozenset[int]
    kind: str = ""
    among: frozenset[int] | None = None
    """The turns searched, when they are not all."""


@dataclass
class Talk:
    """A conversation or a collection of notes, with the questions about it."""

    id: str
    turns: list[str]
    questions: list[Asked] = field(default_factory=list)


@lru_cache
def vocabulary() -> dict[bytes, int]:
    """The pieces of words and their ids."""
    path = HERE / "vocabulary.txt"
    return {piece: n for n, piece in enumerate(path.read_bytes().split())}


@lru_cache
def reader() -> WordPieceTokenizer:
    """The product's own tokenizer."""
    pieces = vocabulary()
    return WordPieceTokenizer(lambda piece: pieces.get(piece, -1))


_reader = reader()
read = _reader.read


def ids_of(texts: list[str], length: int) -> np.ndarray:
    """The piece ids of texts, one row each, padded with zeros."""
    rows = np.zeros((len(texts), length), np.int32)
    for row, text in zip(rows, texts, strict=True):
        pieces = _reader.read(text, limit=length)
        row[: len(pieces)] = pieces
    return rows


def pair_ids(pairs: list[tuple[str, str]], length: int) -> tuple[np.ndarray, np.ndarray]:
    """The piece ids of pairs of texts, and the segment of each piece.

    When both do not fit, the longer one is cut.
    """
    rows = np.zeros((len(pairs), length), np.int32)
    segments = np.zeros_like(rows)
    for row, segment, (one, two) in zip(rows, segments, pairs, strict=True):
        first, second = (_reader.read(text, limit=length) for text in (one, two))
        second = second[1:]
        while len(first) + len(second) > length:
            longer = first if len(first) > len(second) else second
            del longer[-2]
        row[: len(first) + len(second)] = first + second
        segment[len(first) : len(first) + len(second)] = 1
    assert (rows == END).sum() >= len(pairs)
    return rows, segments


def part_of(name: str) -> int:
    """The tenth that a conversation or a block belongs to."""
    return zlib.crc32(name.encode()) % PARTS


def corpus(folder: Path = HERE / "corpus", *, plain: bool = False) -> dict[str, list[Talk]]:
    """Our own conversations by split: train, development, final.

    Plain: questions as they were asked, and turns with who said them, for a reader of both.
    """
    found: dict[str, list[Talk]] = {"train": [], "development": [], "final": []}
    again = {} if plain else _asked_again()
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            part = {DEVELOPMENT: "development", FINAL: "final"}.get(part_of(entry["id"]), "train")
            if part == "train":
                entry["questions"] += again.get(entry["id"], [])
            found[part].append(_talk(entry, plain=plain))
    return found


def _asked_again() -> dict[str, list[dict[str, Any]]]:
    """More questions about conversations, each about one turn."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in hands(HERE / "near", "train"):
        for line in map(json.loads, path.open(encoding="utf-8")):
            id, _, number = line.get("id", "").rpartition("/")
            for text in line["again"] if id else ():
                asked = {"text": text, "evidence": [int(number)], "type": "again"}
                found.setdefault(id, []).append(asked)
    return found


def near_notes(folder: Path = HERE / "near") -> list[tuple[str, list[dict[str, Any]]]]:
    """Notes with questions that they answer, in blocks of neighbours."""
    found: list[tuple[str, list[dict[str, Any]]]] = []
    for path in hands(folder, "train"):
        rows = [line for line in map(json.loads, path.open(encoding="utf-8")) if "text" in line]
        found += [
            (f"near/{path.stem}/{start}", rows[start : start + BLOCK])
            for start in range(0, len(rows), BLOCK)
        ]
    return found


def _talk(entry: dict[str, Any], *, plain: bool) -> Talk:
    numbers = {turn["n"]: at for at, turn in enumerate(entry["turns"])}
    speakers = sorted({turn["speaker"] for turn in entry["turns"] if turn.get("speaker")})
    talk = Talk(
        entry["id"],
        [
            spoken(turn["text"], turn.get("speaker")) if plain else turn["text"]
            for turn in entry["turns"]
        ],
    )
    for question in entry["questions"]:
        talk.questions.append(
            Asked(
                question["text"] if plain else vector_text(question["text"], speakers),
                frozenset(numbers[n] for n in question["evidence"]),
                question["type"],
            )
        )
    return talk


def vector_text(question: str, speakers: list[str]) -> str:
    """A question as the product embeds it."""
    return read_question(
        question, now=datetime(2025, 1, 1, tzinfo=UTC), speakers=speakers
    ).vector_text


def word_weights(turns: list[str]) -> dict[str, float]:
    """How telling each word of a conversation is."""
    held = Counter(word for turn in turns for word in set(_words(turn)))
    return {word: math.log(1 + len(turns) / count) for word, count in held.items()}


def word_overlap(question: str, turn: str, weights: dict[str, float]) -> float:
    """The weight of the words that a turn shares with a question."""
    return sum(weights.get(word, 0.0) for word in set(_words(question)) & set(_words(turn)))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def dialogues(path: Path) -> list[Talk]:
    """FriendsQA and Molweni: questions about dialogues of several people."""
    content = json.loads(gzip.decompress(path.read_bytes()))
    talks = {id: Talk(id, turns) for id, turns in content["conversations"].items()}
    for question in content["questions"]:
        talks[question["conversation"]].questions.append(
            Asked(question["question"], frozenset(question["evidence"]), question["source"])
        )
    return list(talks.values())


def evaluation(folder: Path) -> list[Talk]:
    """A set that is measured with and never trained on: corpus.jsonl.gz and queries.jsonl.gz."""
    talks: dict[str, Talk] = {}
    places: dict[str, tuple[str, int]] = {}
    speakers: dict[str, set[str]] = {}
    sessions: dict[str, dict[str, list[int]]] = {}
    for turn in _lines(folder / "corpus.jsonl.gz"):
        talk = talks.setdefault(turn["conversation"], Talk(turn["conversation"], []))
        places[turn["id"]] = (talk.id, len(talk.turns))
        sessions.setdefault(talk.id, {}).setdefault(turn["session"], []).append(len(talk.turns))
        talk.turns.append(turn["text"])
        speakers.setdefault(talk.id, set()).add(turn["speaker"])
    for query in _lines(folder / "queries.jsonl.gz"):
        answers = frozenset(places[id][1] for id in query["evidence"] if id in places)
        if not answers:
            continue
        heard = sorted(speakers[query["conversation"]])
        among = None
        if query.get("haystack"):
            held = sessions[query["conversation"]]
            among = frozenset(at for one in query["haystack"] for at in held.get(one, ()))
        talks[query["conversation"]].questions.append(
            Asked(vector_text(query["text"], heard), answers, str(query["category"]), among)
        )
    return list(talks.values())


def _lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def passages(turn: str) -> list[str]:
    """The passages of a turn, each of which the product gives a vector."""
    return cut(turn, most=200)


@lru_cache
def marks() -> set[int]:
    """The pieces that are no words: signs of punctuation."""
    return {number for piece, number in vocabulary().items() if not piece[-1:].isalnum()}


def packed_pieces(path: Path) -> np.ndarray:
    """The vectors of pieces in a model file of the package."""
    from commonplace.backends.neural.model_file import ModelFile

    model = ModelFile(str(path))
    signed = np.asarray(model.signed("pieces"), np.float32)
    return signed * np.asarray(model.floats("pieces.scale"))[:, None]


def talks(split: str, folder: Path = HERE / "talks") -> list[dict[str, Any]]:
    """Notebooks with what was said later, by split; a notebook stays together."""
    found = [json.loads(line) for path in hands(folder, split) for line in path.open()]
    if split == "elsewhere":
        return found
    held = {talk["id"] for talk in found if part_of(talk["id"]) == DEVELOPMENT}
    return [talk for talk in found if (talk["id"] in held) == (split == "development")]


def things(split: str, folder: Path = HERE / "things") -> list[dict[str, Any]]:
    """Things with facts that hold together, and changes of one fact each, by split."""
    found: list[dict[str, Any]] = []
    for path in hands(folder, split):
        for number, line in enumerate(path.open()):
            held = part_of(f"{path.stem}/{number}") == DEVELOPMENT
            if split == "elsewhere" or held == (split == "development"):
                found.append(json.loads(line))
    return found


def near(folder: Path = HERE / "near", *, split: str = "train") -> list[tuple[str, str, bool]]:
    """Questions about turns of the training part, or notes: asked, the text, whether it answers."""
    turns: dict[str, str] = {}
    for path in sorted((HERE / "corpus").glob("*.jsonl")):
        for entry in map(json.loads, path.open(encoding="utf-8")):
            if part_of(entry["id"]) not in (DEVELOPMENT, FINAL):
                turns |= {
                    f"{entry['id']}/{turn['n']}": spoken(turn["text"], turn.get("speaker"))
                    for turn in entry["turns"]
                }
    found: list[tuple[str, str, bool]] = []
    for path in hands(folder, split):
        for line in map(json.loads, path.open(encoding="utf-8")):
            turn = line["text"] if "text" in line else turns[line["id"]]
            found += [(asked, turn, False) for asked in line["near"]]
            found += [(asked, turn, True) for asked in line["again"]]
    return found


def blocks(folder: Path, *, start: str = "") -> dict[str, list[dict[str, Any]]]:
    """The lines of a folder of hands by split, in blocks of neighbours."""
    found: dict[str, list[dict[str, Any]]] = {"train": [], "development": [], "elsewhere": []}
    for split in ("train", "elsewhere"):
        for path in hands(folder, split, start=start):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
                held_out = part_of(f"{path.stem}/{number // BLOCK}") == DEVELOPMENT
                part = "development" if held_out and split == "train" else split
                found[part].append(json.loads(line) | {"hand": path.stem})
    return found
