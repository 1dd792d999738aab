"""Measure how well a recall knows that it does not know, on our own conversations.

    python benchmarks/quality/sureness.py [--final]

Each conversation of the corpus's development tenth (or the final one) is a book. Its questions are
asked, also those that sound as if they could be answered and cannot.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import commonplace
from commonplace.rules.parameters import ScreeningPolicy
from commonplace.rules.ranking.measures import Query, told_apart
from commonplace.verbs import evaluate

if TYPE_CHECKING:
    from commonplace.model.memory import Recalled

CORPUS = Path(__file__).parents[2] / "training" / "corpus"
DEVELOPMENT, FINAL, PARTS = 0, 1, 10
BEST = 3
BINS = ((0.0, 0.5), (0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 1.0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--final", action="store_true", help="the tenth kept for published figures")
    part = FINAL if parser.parse_args().final else DEVELOPMENT
    asked: list[tuple[Query, Recalled]] = []
    ask = evaluate._ask

    def noted(book: Any, query: Query, limit: int, *, haystack: bool) -> Recalled:
        asked.append((query, ask(book, query, limit, haystack=haystack)))
        return asked[-1][1]

    evaluate._ask = noted
    with tempfile.TemporaryDirectory() as room:
        write_set(Path(room), part)
        settings = commonplace.Settings(
            state=f"{room}/state",
            screening=ScreeningPolicy(credentials="redact", identity="redact"),
        )
        found = evaluate.evaluate(
            lambda: commonplace.open(f"sqlite:{room}/book.db", settings=settings), room
        )
    report(asked, found.sureness)


def write_set(folder: Path, part: int) -> None:
    """The conversations of one tenth, in the format of `commonplace eval`."""
    with (
        gzip.open(folder / "corpus.jsonl.gz", "wt", encoding="utf-8") as corpus,
        gzip.open(folder / "queries.jsonl.gz", "wt", encoding="utf-8") as queries,
    ):
        for path in sorted(CORPUS.glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                if zlib.crc32(entry["id"].encode()) % PARTS == part:
                    _write(entry, corpus, queries)


def _write(entry: dict[str, Any], corpus: Any, queries: Any) -> None:
    id = entry["id"]
    for turn in entry["turns"]:
        named = {name: turn[name] for name in ("speaker", "time", "text") if turn.get(name)}
        place = {"conversation": id, "session": f"{id}/{turn['time'][:10]}"}
        corpus.write(json.dumps({"id": f"{id}#{turn['n']}", **place, **named}) + "\n")
    for at, question in enumerate(entry["questions"]):
        evidence = [f"{id}#{n}" for n in question["evidence"]]
        row = {"id": f"{id}?{at}", "conversation": id, "text": question["text"]}
        queries.write(json.dumps(row | {"time": question["asked"], "evidence": evidence}) + "\n")


def report(asked: list[tuple[Query, Recalled]], sureness: dict[str, float] | Any) -> None:
    """What each word and each likelihood was worth."""
    known = [pair for pair in asked if pair[0].evidence]
    unknown = [pair for pair in asked if not pair[0].evidence]
    print(f"{len(known)} questions that can be answered, {len(unknown)} that cannot")
    for word in ("strong", "weak", "none"):
        here = [pair for pair in asked if pair[1].sure == word]
        shares = [
            sum(found.sure == word for _, found in some) / len(some) for some in (known, unknown)
        ]
        print(
            f"{word}: {shares[0]:.2f} of those that can, {shares[1]:.2f} of those that cannot; "
            f"right {_right(here):.2f}"
        )
    print("stated, observed, questions:")
    for low, high in BINS:
        here = [pair for pair in asked if low <= (pair[1].sureness or -1) < high]
        if here:
            stated = sum(found.sureness or 0 for _, found in here) / len(here)
            print(f"  {stated:.2f} {_right(here):.2f} {len(here)}")
    values = [[sureness[query.id] for query, _ in some] for some in (known, unknown)]
    print(f"told apart: {told_apart(*values)}")


def _right(pairs: list[tuple[Query, Recalled]]) -> float:
    """How often one of the best hits answers."""
    hits = [
        any(hit.memory.imported_id in query.evidence for hit in found[:BEST])
        for query, found in pairs
    ]
    return sum(hits) / max(1, len(hits))


if __name__ == "__main__":
    main()
