"""Measure the bundled model: a question from a cold start, and texts in bulk.

    python benchmarks/speed/embedding.py [--runs 20] [--texts 200]

Cold runs alternate with bare starts of Python, so that a busy machine slows both alike; the result
is the ratio of the medians. If onnxruntime and numpy are installed, they embed the same texts for
comparison.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile

from parts.making import QUESTION
from parts.timing import best, starts, timed

from commonplace.backends.neural import bundled

COLD = """
import sys
from commonplace.books.services import open_embedder
open_embedder("bundled", state=sys.argv[1], environ={}).embed([sys.argv[2]], query=True)
"""
SPOKEN = """
    the a of to and in we our release branch service deploy on every tuesday harbour lighthouse
    keeper wrote down tide table ferry morning because fighter arena turret salvo lobby replay
    shader socket remember meeting with anna about budget holiday in kyoto last may which cat
"""


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as state:
        first_s, embedder = timed(lambda: _opened(state))
        print(f"first use, with conversion {1000 * first_s:8.0f} ms, once")
        _cold(state, options.runs)
        question_s = best(lambda: embedder.embed([QUESTION], query=True), 40)
        print(f"a question, warm           {1000 * question_s:8.1f} ms")
        for name, words in (("sentences", 12), ("turns", 30), ("long notes", 180)):
            texts = _texts(options.texts if words < 100 else options.texts // 8, words)
            alone_s = best(lambda t=texts: [embedder.embed([text]) for text in t], 3)
            bulk_s = best(lambda t=texts: embedder.embed(t), 3)
            print(
                f"{name:10} of {words:3} words    {len(texts) / alone_s:8.0f} texts/s alone, "
                f"{len(texts) / bulk_s:.0f} in bulk{_onnxruntime(texts)}"
            )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--texts", type=int, default=200)
    return parser.parse_args()


def _opened(state: str) -> bundled.BundledEmbedder:
    embedder = bundled.BundledEmbedder(state)
    embedder.embed([QUESTION])
    return embedder


def _cold(state: str, runs: int) -> None:
    environ = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    commands = (
        [sys.executable, "-c", "pass"],
        [sys.executable, "-c", COLD, state, QUESTION],
    )
    bare_s, cold_s = starts(commands, environ, runs)
    print(f"bare python                {1000 * bare_s:8.1f} ms")
    print(f"a question, cold           {1000 * cold_s:8.1f} ms, ratio {cold_s / bare_s:.2f}")


def _texts(count: int, words: int) -> list[str]:
    chance = random.Random(7)
    spoken = SPOKEN.split()
    return [" ".join(chance.choices(spoken, k=words)) for _ in range(count)]


def _onnxruntime(texts: list[str]) -> str:
    """The same texts with onnxruntime on all cores, if installed."""
    try:
        import numpy  # pyright: ignore[reportMissingImports]
        import onnxruntime  # pyright: ignore[reportMissingImports]
    except ImportError:
        return ""
    from commonplace.backends.neural.bundled import WordPieceTokenizer
    from commonplace.backends.neural.model_file import VOCABULARY

    with open(VOCABULARY, "rb") as file:
        numbers = {piece: number for number, piece in enumerate(file.read().split())}
    reader = WordPieceTokenizer(lambda piece: numbers.get(piece, -1))
    weights = os.path.join(str(bundled._installed(bundled.WEIGHTS_PACKAGE)), "model.onnx")
    session = onnxruntime.InferenceSession(weights)

    def embed() -> None:
        for start in range(0, len(texts), 16):
            rows = [reader.read(text, limit=256) for text in texts[start : start + 16]]
            longest = max(map(len, rows))
            pieces = numpy.array([row + [0] * (longest - len(row)) for row in rows])
            session.run(
                None,
                {
                    "input_ids": pieces,
                    "attention_mask": (pieces > 0).astype(numpy.int64),
                    "token_type_ids": numpy.zeros_like(pieces),
                },
            )

    return f" (onnxruntime {len(texts) / best(embed, 3):.0f})"


if __name__ == "__main__":
    main()
