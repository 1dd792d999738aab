"""Learn how much a word's shape and its neighbours tell that it is a secret.

    python training/secret_words.py OUT [--measure HAND ...]

Logistic regression over hashed features: from the labelled sentences of `secrets/`, and from turns,
notes and things of the other folders, which tell none. With --measure the hands that are named are
left out, one after the other, and what is found in their sentences is printed, by the rules alone
and with what was learned.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from commonplace.rules.screening import likely_secrets
from commonplace.rules.screening.likely_secrets import SCALE, SIZE, TextWords, words_in_question
from commonplace.rules.screening.screen import screen

HERE = Path(__file__).parent
SPEAKS_OF_ONE = ("pin", "code", "pass", "wifi", "key", "token", "secret", "lock", "login")
"""A note with such a word may tell one, so it is no example of a note that tells none."""
ORDINARY = 0.5
"""The share of ordinary notes that are learned from."""
EPOCHS, FIRST_KEPT = 8, 3
RATE, DECAY = 0.15, 2e-4


class Words:
    """The words in question of many texts: the places of their features, and which are secrets."""

    def __init__(self) -> None:
        self.places: list[np.ndarray] = []
        self.secret: list[bool] = []

    def add(self, text: str, secret: str | None) -> None:
        """Add the words of a text, and which of them are its secret."""
        said, start = TextWords(text), text.find(secret) if secret else -1
        for word in words_in_question(text):
            self.places.append(np.fromiter(said.places(*word), np.int64))
            inside = secret is not None and word[0] < start + len(secret) and start < word[1]
            self.secret.append(inside)


def sentences(hand: str) -> list[dict[str, Any]]:
    """The labelled sentences of a hand."""
    path = HERE / "secrets" / f"{hand}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def ordinary() -> Iterator[str]:
    """Turns, notes, facts and pages, without those that speak of something secret."""
    yield from (text for text in _all_ordinary() if not _speaks_of_one(text))


def _speaks_of_one(text: str) -> bool:
    return any(one in text.lower() for one in SPEAKS_OF_ONE)


def _all_ordinary() -> Iterator[str]:
    for path in sorted((HERE.parent / "docs").glob("*.md")):
        yield from path.read_text(encoding="utf-8").splitlines()
    for folder in ("corpus", "pairs", "things"):
        for path in sorted((HERE / folder).glob("*.jsonl")):
            for line in path.open(encoding="utf-8"):
                row = json.loads(line)
                found = [turn["text"] for turn in row.get("turns", ())]
                found += [row[name] for name in ("old", "new") if name in row]
                yield from found + row.get("facts", [])


def learn(words: Words, seed: int = 0) -> np.ndarray:
    """Weights by stochastic gradients, each at a rate of its own; the mean of the last rounds."""
    chance = np.random.default_rng(seed)
    weights, seen, kept = np.zeros(SIZE), np.full(SIZE, 1e-8), np.zeros(SIZE)
    for epoch in range(EPOCHS):
        for at in chance.permutation(len(words.places)):
            places = words.places[at]
            own = weights[places]
            step = 1 / (1 + np.exp(-own.sum())) - words.secret[at] + DECAY * own
            seen[places] += step * step
            weights[places] = own - RATE * step / np.sqrt(seen[places])
        if epoch >= FIRST_KEPT:
            kept += weights / (EPOCHS - FIRST_KEPT)
    return kept


def trained(hands: list[str], chance: np.random.Generator) -> np.ndarray:
    """The weights from these hands and from ordinary notes."""
    words = Words()
    for hand in hands:
        for row in sentences(hand):
            words.add(row["text"], row["secret"])
    for text in ordinary():
        if chance.random() < ORDINARY:
            words.add(text, None)
    print(f"{len(words.places)} words, {sum(words.secret)} of them secret", flush=True)
    return learn(words)


def measure(hand: str, weights: np.ndarray) -> None:
    """Print what is found in the sentences of a hand, and how many others are refused."""
    rows, limit = sentences(hand), likely_secrets.LIKELY
    # So that what is shipped, which may have learned from this hand, finds nothing.
    likely_secrets.LIKELY = np.inf
    tells = np.array([row["secret"] is not None for row in rows])
    by_rules, likely = np.zeros(len(rows), bool), np.full(len(rows), -99.0)
    for at, row in enumerate(rows):
        text = row["text"]
        start = text.find(row["secret"]) if row["secret"] else 0
        end = start + len(row["secret"] or text)
        found = [one for one in screen(text) if one.kind != "personal"]
        by_rules[at] = any(one.start < end and start < one.end for one in found)
        said = TextWords(text)
        for word in words_in_question(text):
            if word[0] < end and start < word[1]:
                likely[at] = max(likely[at], weights[[*said.places(*word)]].sum())
    likely_secrets.LIKELY = limit
    print(hand)
    for above in (np.inf, limit + 1, limit + 0.5, limit, limit - 0.5):
        both = by_rules | (likely > above)
        print(f"  above {above}: {both[tells].mean():.3f} found, {both[~tells].mean():.3f} wrongly")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--measure", nargs="*", default=[], metavar="HAND")
    options = parser.parse_args()
    hands = sorted(path.stem for path in (HERE / "secrets").glob("*.jsonl"))
    for hand in options.measure:
        others = [one for one in hands if one != hand]
        measure(hand, trained(others, np.random.default_rng(1)))
    if not options.measure:
        weights = trained(hands, np.random.default_rng(1))
        stored = np.clip(np.rint(weights * SCALE), -127, 127).astype(np.int8)
        options.out.write_bytes(stored.tobytes())
        print(f"{np.count_nonzero(stored)} weights, the largest {abs(weights).max():.2f}")


if __name__ == "__main__":
    main()
