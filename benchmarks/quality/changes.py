"""Measure the judge and the listener: changes noticed, look-alikes left alone, lessons kept.

    python benchmarks/quality/changes.py pairs training/final/pairs-*.jsonl
    python benchmarks/quality/changes.py turns training/final/turns-*.jsonl
    python benchmarks/quality/changes.py facts stream.json

- pairs: `old`, `new` and their `relation`; what the reasoner would retire, ask about or leave.
- turns: `before`, `turn` and its `label`; which turns become a lesson.
- facts: a stream of facts that change, and questions for the newest value.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import commonplace
from commonplace.books.services import rules_reasoner
from commonplace.model.errors import CommonplaceError
from commonplace.ports.reasoner import Turn
from commonplace.rules.parameters import GateThresholds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("pairs", "turns", "facts"))
    parser.add_argument("files", nargs="+", type=Path)
    given = parser.parse_args()
    if given.what == "facts":
        for path in given.files:
            facts(json.loads(path.read_text(encoding="utf-8")))
        return
    rows = [json.loads(line) for path in given.files for line in path.open(encoding="utf-8")]
    (pairs if given.what == "pairs" else turns)(rows)


def pairs(rows: list[dict[str, Any]]) -> None:
    """Of changes and of look-alikes: retired, asked about, left."""
    reasoner, enough = rules_reasoner(), GateThresholds().sure
    found: dict[str, Counter[str]] = {}
    for row in rows:
        judged = reasoner.judge(row["new"], row["old"])
        outcome = judged.relation
        if outcome == "contradicts":
            outcome = "retired" if judged.sure >= enough else "asked"
        found.setdefault(row["relation"], Counter())[outcome] += 1
    for relation, outcomes in found.items():
        total = outcomes.total()
        told = ", ".join(f"{name} {count / total:.3f}" for name, count in outcomes.most_common())
        print(f"{relation} ({total}): {told}")
    retired = sum(outcomes["retired"] for outcomes in found.values())
    print(f"precision of what is retired: {found['replaces']['retired'] / max(1, retired):.3f}")


def turns(rows: list[dict[str, Any]]) -> None:
    """The share of lessons kept, and of turns that teach nothing and are kept all the same."""
    reasoner = rules_reasoner()
    found: Counter[str] = Counter()
    for row in rows:
        said = [Turn("assistant", row["before"] or ""), Turn("user", row["turn"])]
        kept = any(lesson.sure >= 1.0 for lesson in reasoner.lessons(said))
        teaches = row["label"] != "none"
        found["lessons" if teaches else "others"] += 1
        found["kept" if teaches else "false"] += kept
    print(f"{found['lessons']} lessons: {found['kept'] / found['lessons']:.3f} kept")
    print(f"{found['others']} other turns: {found['false'] / found['others']:.3f} kept")


def facts(stream: dict[str, Any]) -> None:
    """How often the newest value is in the first answer, and what became of each save."""
    outcomes: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        commonplace.open(f"sqlite://{folder}/book.db") as book,
    ):
        for fact in stream["facts"]:
            try:
                outcomes[book.save(fact).action] += 1
            except CommonplaceError as error:
                outcomes[type(error).__name__] += 1
        first = 0
        for asked in stream["questions"]:
            hits = book.recall(asked["question"], limit=1)
            first += bool(hits) and any(one in hits[0].memory.content for one in asked["newest"])
        print(f"{outcomes.total()} facts: {dict(outcomes)}")
        print(f"newest value first: {first} of {len(stream['questions'])}")


if __name__ == "__main__":
    sys.exit(main())
