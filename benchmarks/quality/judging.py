"""Measure how well contradictions are detected: precision, recall and each mistake.

    python benchmarks/quality/judging.py pairs/sick.jsonl.gz pairs/sts.jsonl.gz

A file has one pair per line: `a`, `b`, and either `label` (contradiction, entailment, neutral) or
`score` (0 to 5: how much the two mean the same; nothing above 4 is a contradiction).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable

from sets import lines

from commonplace.books.services import rules_reasoner
from commonplace.ports.reasoner import Judged
from commonplace.rules.relations import contradiction

Judge = Callable[[str, str], Judged]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--rules", action="store_true", help="rules alone, without the judge")
    parser.add_argument("--shown", type=int, default=20, help="false positives printed per file")
    given = parser.parse_args()
    judge = contradiction.judge if given.rules else rules_reasoner().judge
    for path in given.files:
        pairs = lines(path)
        (labelled if "label" in pairs[0] else scored)(judge, path, pairs, given.shown)


def labelled(judge: Judge, path: str, pairs: list[dict[str, str]], shown: int) -> None:
    """Precision and recall where somebody said which pairs contradict each other."""
    judged = [(pair, judge(pair["b"], pair["a"])) for pair in pairs]
    called = [pair for pair, verdict in judged if verdict.relation == "contradicts"]
    right = [pair for pair in called if pair["label"] == "contradiction"]
    known = sum(pair["label"] == "contradiction" for pair in pairs)
    print(f"{path}: {len(pairs)} pairs, {known} contradictions")
    print(f"  precision {len(right) / max(1, len(called)):.3f}  recall {len(right) / known:.3f}")
    same = [pair for pair, verdict in judged if verdict.relation == "same"]
    print(f"  called the same: {Counter(pair['label'] for pair in same)}")
    wrong = [pair for pair in called if pair["label"] != "contradiction"]
    for pair in wrong[:shown]:
        print(f"  false: {pair['label']}: {pair['a']} | {pair['b']}")


def scored(judge: Judge, path: str, pairs: list[dict[str, float | str]], shown: int) -> None:
    """False alarms among pairs that mean the same, since only their likeness is known."""
    called = [
        pair for pair in pairs if judge(str(pair["b"]), str(pair["a"])).relation == "contradicts"
    ]
    alike = [pair for pair in pairs if float(pair["score"]) > 4]
    wrong = [pair for pair in called if float(pair["score"]) > 4]
    print(f"{path}: {len(pairs)} pairs, {len(alike)} that mean the same")
    print(f"  called contradictions: {len(called)}; false alarms among the same: {len(wrong)}")
    for pair in wrong[:shown]:
        print(f"  false: {pair['score']}: {pair['a']} | {pair['b']}")


if __name__ == "__main__":
    sys.exit(main())
