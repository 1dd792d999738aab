"""Write what the product finds for the questions of the corpus, as rows for the ranker.

    python training/candidates.py VECTORS OUT --dialogues FILE [--alone] [--notes] [--small]

VECTORS is the folder that `embedder.py --held-out` made: each text with the vector of a model that
did not learn from its conversation. An embedder knows its own training questions too well, and a
ranker that saw those cosines would trust them too much.

Ten conversations together are one book, as sessions of it. With `--alone` each of our own is one
book, where speakers tell little, and the dialogues are left out. With `--notes` the same texts are
single notes that know nothing of each other.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "src"))

import commonplace
from commonplace.backends.neural import bundled
from commonplace.engine import search
from commonplace.rules.parameters import ScreeningPolicy
from commonplace.rules.ranking import features, fusion, score_parts
from commonplace.verbs import evaluate

DEVELOPMENT, FINAL, PARTS = 0, 1, 10
FOLDS = 4
TOGETHER = {"own": 10, "friends": 16, "molweni": 16}
"""Conversations in one book."""


def fold_of(conversation: str) -> int:
    """The fold whose embedder never saw a conversation."""
    return zlib.crc32(f"{conversation}/fold".encode()) % FOLDS


def conversations(dialogues: Path) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """Those of the training part, by source and fold."""
    found: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for path in sorted((HERE / "corpus").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if zlib.crc32(entry["id"].encode()) % PARTS not in (DEVELOPMENT, FINAL):
                found.setdefault(("own", fold_of(entry["id"])), []).append(entry)
    content = json.loads(gzip.decompress(dialogues.read_bytes()))
    asked: dict[str, list[dict[str, Any]]] = {}
    for question in content["questions"]:
        asked.setdefault(question["conversation"], []).append(
            {"text": question["question"], "evidence": question["evidence"]}
        )
    for id, turns in content["conversations"].items():
        entry = {
            "id": id,
            "turns": [{"n": at, "text": text} for at, text in enumerate(turns)],
            "questions": asked.get(id, []),
        }
        found.setdefault((id.split("/")[0], fold_of(id)), []).append(entry)
    return found


def write_set(
    folder: Path, source: str, entries: Sequence[dict[str, Any]], *, alone: bool = False
) -> None:
    """Write conversations in the format of `commonplace eval`."""
    folder.mkdir()
    mixed = sorted(entries, key=lambda entry: zlib.crc32(f"{entry['id']}g".encode()))
    with (
        gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as corpus,
        gzip.open(folder / "queries.jsonl.gz", "wt", encoding="utf-8") as queries,
    ):
        for number, entry in enumerate(mixed):
            book = f"{source}-{number if alone else number // TOGETHER[source]}"
            for row in _turns(entry, book):
                corpus.write(json.dumps(row) + "\n")
            for row in _questions(entry, book):
                queries.write(json.dumps(row) + "\n")


def _turns(entry: dict[str, Any], book: str) -> Iterator[dict[str, Any]]:
    for turn in entry["turns"]:
        session = f"{entry['id']}/{turn['time'][:10]}" if "time" in turn else entry["id"]
        given = {name: turn[name] for name in ("speaker", "time", "text") if turn.get(name)}
        yield {"id": f"{entry['id']}#{turn['n']}", "conversation": book, "session": session} | given


def _questions(entry: dict[str, Any], book: str) -> Iterator[dict[str, Any]]:
    for at, question in enumerate(entry["questions"]):
        if question["evidence"]:
            yield {
                "id": f"{entry['id']}?{at}",
                "conversation": book,
                "text": question["text"],
                "evidence": [f"{entry['id']}#{n}" for n in question["evidence"]],
            } | ({"time": question["asked"]} if "asked" in question else {})


class KnownVectors(bundled.BundledEmbedder):
    """Vectors from a table, and from the bundled model for the few texts that are not in it."""

    table: dict[str, bytes] = {}

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        """The vectors of the table."""
        missing = [text for text in texts if text not in self.table]
        self.table.update(zip(missing, super().embed(missing), strict=True))
        return [self.table[text] for text in texts]


class Collector:
    """Notes the rows of each recall, and asks on."""

    def __init__(self, *, notes: bool) -> None:
        self._notes = notes
        self.rows: list[np.ndarray] = []
        self.ids: list[list[str]] = []
        self._rank = fusion.rank

    def __call__(self, gathered: Any, question: Any, **options: Any) -> Any:
        """Rank as the product does."""
        ranked = self._rank(gathered, question, **options)
        if self._notes:
            found = [c for c in gathered.candidates if c.keyword > 0 or c.meaning is not None]
            for candidate in found:
                candidate.episode = candidate.position = candidate.speaker = None
            gathered = gathered.but(candidates=tuple(found))
        self._collect(gathered, question, options)
        return ranked

    def _collect(self, gathered: Any, question: Any, options: dict[str, Any]) -> None:
        if not gathered.candidates:
            self.rows.append(np.zeros((0, len(features.NAMES)), np.float32))
            self.ids.append([])
            return
        settings, now, unrelated = (options[name] for name in ("settings", "now", "unrelated"))
        parts = score_parts.measured_parts(gathered, question, settings, now, unrelated)
        weights = score_parts.score_factors(gathered.candidates, question, settings, now, None)
        scores = [sum(values) for values in zip(*parts.values(), strict=True)]
        for values in weights.values():
            scores = [score * value for score, value in zip(scores, values, strict=True)]
        best = sorted(range(len(scores)), key=lambda at: -scores[at])[: fusion.RANKED]
        rows = features.features(gathered, question, parts, best, unrelated)
        self.rows.append(np.array(rows, np.float32))
        self.ids.append([gathered.candidates[at].id for at in best])


def collect(folder: Path, room: Path, *, notes: bool) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The rows of each question of a set, and which of them are right."""
    collector = Collector(notes=notes)
    search.fusion.rank = collector  # pyright: ignore[reportAttributeAccessIssue]
    screening = ScreeningPolicy(credentials="redact", identity="redact")
    settings = commonplace.Settings(state=str(room / "state"), screening=screening)
    asked: list[str] = []
    ask = evaluate._ask

    def noted(book: Any, query: Any, limit: int, *, haystack: bool) -> Any:
        asked.append(query.id)
        return ask(book, query, limit, haystack=haystack)

    evaluate._ask = noted
    try:
        evaluate.evaluate(
            lambda: commonplace.open(f"sqlite:{room}/book.db", settings=settings), str(folder)
        )
    finally:
        evaluate._ask = ask
        search.fusion.rank = collector._rank
    answers = {query.id: set(query.evidence) for query in evaluate.read_queries(str(folder))}
    known = _imported_ids(f"sqlite:{room}/book.db", settings)
    for id, rows, ids in zip(asked, collector.rows, collector.ids, strict=True):
        right = np.array([known.get(one) in answers[id] for one in ids])
        if right.any():
            yield rows, right


def _imported_ids(url: str, settings: Any) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    with commonplace.open(url, settings=settings) as book:
        while page := book.list(limit=1000, offset=len(found), include_archive=True):
            found.update((memory.id, memory.imported_id) for memory in page)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--dialogues", type=Path, required=True)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--notes", action="store_true")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    bundled.BundledEmbedder = KnownVectors
    values: list[np.ndarray] = []
    right: list[np.ndarray] = []
    for (source, fold), entries in sorted(conversations(options.dialogues).items()):
        if (options.alone and source != "own") or (options.small and (source, fold) != ("own", 0)):
            continue
        with np.load(options.vectors / f"fold{fold}.npz") as file:
            pairs = zip(file["texts"].tolist(), file["vectors"], strict=True)
            KnownVectors.table = {text: vector.tobytes() for text, vector in pairs}
        with tempfile.TemporaryDirectory() as room:
            folder = Path(room) / "set"
            some = entries[:2] if options.small else entries
            write_set(folder, source, some, alone=options.alone)
            for rows, known in collect(folder, Path(room), notes=options.notes):
                values.append(rows)
                right.append(known)
        print(f"{source} {fold}: {len(values)} questions", flush=True)
    starts = np.cumsum([0, *map(len, values[:-1])])
    np.savez_compressed(
        options.out, values=np.concatenate(values), right=np.concatenate(right), starts=starts
    )


if __name__ == "__main__":
    main()
