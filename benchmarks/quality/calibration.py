"""Measure the similarity limits for "same" and "merge", and the errors of the gate with them.

    python benchmarks/quality/calibration.py sts.jsonl.gz sick.jsonl.gz [--embedder bundled]

Each line of a file is a pair: `a`, `b`, and `score` (0 to 5, as in STS) or `relatedness` (1 to 5)
with `label` (entailment, neutral or contradiction, as in SICK). Prints, for words and for the
embedder's cosines, the quality of the pairs above each limit; then the decisions of the whole gate
and each of its errors.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from sets import lines

from commonplace.backends.common.arithmetic import cosines
from commonplace.rules.relations import differences, duplicates
from commonplace.rules.relations.duplicates import signatures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from commonplace.ports.embedder import Embedder
    from commonplace.rules.relations.duplicates import Compared, CosineScale

LIMITS = (0.70, 0.75, 0.80, 0.85, 0.90, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98)
SAME, RELATED, UNRELATED = 4.5, 4.0, 3.0


class Pair(NamedTuple):
    """Two sentences with the similarity that people gave them and that of their vectors."""

    a: str
    b: str
    score: float
    label: str
    cosine: float | None


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as room:
        embedder = _embedder(options.embedder, room)
        for path in options.files:
            pairs = _read(path, embedder)
            print(f"\n# {os.path.basename(path)}: {len(pairs):,} pairs")
            _table("words in common", pairs, lambda pair: duplicates.telling_share(pair.a, pair.b))
            _decide("the gate by words alone", pairs, None, options.list)
            if embedder is not None:
                scale = duplicates.scale_for_model(embedder.model)
                _table(f"cosine of {embedder.model}", pairs, lambda pair: pair.cosine or 0.0)
                _decide(f"the gate with {embedder.model} {scale}", pairs, scale, options.list)


def _table(name: str, pairs: Sequence[Pair], measure: Callable[[Pair], float]) -> None:
    """Print the pairs above each limit, without those that differ in a distinctive word."""
    print(f"\n{name:28} pairs  same≥{SAME}  ≥{RELATED}   ≥{UNRELATED}  contradictions")
    kept = [
        (measure(pair), pair) for pair in pairs if not differences.find_difference(pair.a, pair.b)
    ]
    for limit in LIMITS:
        above = [pair for value, pair in kept if value >= limit]
        shares = "  ".join(f"{_share(above, least):6.2f}" for least in (SAME, RELATED, UNRELATED))
        wrong = sum(pair.label == "contradiction" for pair in above)
        print(f"{limit:28.2f} {len(above):6} {shares} {wrong:8}")


def _decide(name: str, pairs: Sequence[Pair], scale: CosineScale | None, most: int) -> None:
    """Print the decision of the gate for every pair, and where people disagree."""
    decided = [(_compared(pair, scale), pair) for pair in pairs]
    print(f"\n{name}")
    for verdict in ("same", "merge"):
        chosen = [pair for found, pair in decided if found.verdict == verdict]
        alike = sum(pair.score >= SAME for pair in pairs)
        reached = sum(pair.score >= SAME for pair in chosen) / alike
        shares = ", ".join(
            f"{_share(chosen, least):.1%} ≥{least}" for least in (SAME, RELATED, UNRELATED)
        )
        signed = sum(bool(_shared_signature(pair)) for pair in chosen) / (len(chosen) or 1)
        print(f"  {verdict:6} {len(chosen):5} pairs: {shares}; finds {reached:.1%} of ≥{SAME};")
        print(f"         {signed:.1%} would be found by signature")
    apart = Counter(found.difference for found, _ in decided if found.difference)
    print(f"  kept apart although alike: {dict(apart.most_common())}")
    wrong = [
        (found, pair)
        for found, pair in decided
        if (found.verdict == "same" and pair.score < RELATED)
        or (found.verdict == "merge" and (pair.score < UNRELATED or pair.label == "contradiction"))
    ]
    print(f"  wrong: {len(wrong)}")
    for found, pair in wrong[:most]:
        print(f"    {found.verdict:5} {pair.score:.1f} {pair.label:13} {pair.a} | {pair.b}")


def _compared(pair: Pair, scale: CosineScale | None) -> Compared:
    if scale is None:
        return duplicates.compare_texts(pair.a, pair.b)
    return duplicates.compare_texts(pair.a, pair.b, cosine=pair.cosine, by=scale)


def _share(pairs: Sequence[Pair], least: float) -> float:
    return sum(pair.score >= least for pair in pairs) / (len(pairs) or 1)


def _shared_signature(pair: Pair) -> set[int]:
    return set(signatures(pair.a)) & set(signatures(pair.b))


def _read(path: str, embedder: Embedder | None) -> list[Pair]:
    rows = lines(path)
    texts = list(dict.fromkeys(text for row in rows for text in (row["a"], row["b"])))
    vectors: dict[str, bytes] = {}
    if embedder is not None:
        for start in range(0, len(texts), 64):
            batch = texts[start : start + 64]
            vectors.update(zip(batch, embedder.embed(batch), strict=True))
    return [
        Pair(
            row["a"],
            row["b"],
            float(row["score"] if "score" in row else row["relatedness"]),
            row.get("label", ""),
            cosines(vectors[row["a"]], vectors[row["b"]])[0] if vectors else None,
        )
        for row in rows
    ]


def _embedder(name: str, room: str) -> Embedder | None:
    if name == "none":
        return None
    from commonplace.books.services import open_embedder

    return open_embedder(name, environ=os.environ)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", help="pairs, one JSON object a line, gzipped")
    parser.add_argument("--embedder", default="bundled", help="as in the settings; none for words")
    parser.add_argument("--list", type=int, default=40, help="how many wrong pairs to show")
    return parser.parse_args()


if __name__ == "__main__":
    main()
