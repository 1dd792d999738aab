"""Generated data: texts in made-up languages, books of them, and environments of programs.

Fixed seeds make every measurement repeatable.
"""

from __future__ import annotations

import os
import random
import sys
from itertools import accumulate, islice, product
from typing import TYPE_CHECKING, Any

import commonplace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SYLLABLES = ("ka", "ro", "mi", "te", "lu", "so", "ne", "va", "di", "po", "re", "tha", "gu", "li")
LONG_SYLLABLES = ("ka", "lo", "mi", "ren", "tos", "ve", "di", "pra", "shu", "bel", "on", "qui")
QUESTION = "which branch do we deploy the fighter service from?"
QUESTION_WORDS = ("branch", "deploy", "fighter", "service")
"""Words of the question; each is in about one note of twenty."""


class Language:
    """Random words with a natural distribution: the n-th most common has frequency 1/n."""

    def __init__(self, chance: random.Random, words: Sequence[str], *, first: int = 1) -> None:
        self.chance = chance
        self.words = words
        self._weights = list(accumulate(1 / n for n in range(first, first + len(words))))

    def text(self, shortest: int, longest: int | None = None) -> str:
        """A text of `shortest` to `longest` words."""
        length = shortest if longest is None else self.chance.randint(shortest, longest)
        return " ".join(self.chance.choices(self.words, cum_weights=self._weights, k=length))


def short_words(count: int, *, seed: int = 7) -> Language:
    """A language of short words, some of which have several meanings."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(count)]
    return Language(chance, words)


def long_words(count: int = 40_000, *, seed: int) -> Language:
    """A language of distinct long words, with a flatter distribution."""
    chance = random.Random(seed)
    names = map("".join, product(LONG_SYLLABLES, repeat=5))
    return Language(chance, chance.sample(list(islice(names, 200_000)), count), first=3)


def notes(count: int) -> Iterator[dict[str, Any]]:
    """Notes of about forty words in a handful of projects; some have words of the question."""
    language = short_words(6_000)
    for number in range(count):
        words = language.text(38).split()
        words += [word for word in QUESTION_WORDS if language.chance.random() < 0.05]
        yield {
            "content": " ".join(words),
            "scope": f"/project/arena-{number % 8}",
            "tags": [language.words[100 + number % 50]],
        }


def environment(room: str, **more: str) -> dict[str, str]:
    """The environment of a program: a vault in `room`, without the settings of this machine."""
    environ = {
        **os.environ,
        "COMMONPLACE_URL": f"vault:{room}/notes",
        "COMMONPLACE_STATE": f"{room}/state",
        "COMMONPLACE_CONFIG": f"{room}/config.yaml",
        "COMMONPLACE_EMBEDDER": "none",
        # The questions are about the whole book, wherever this is run.
        "COMMONPLACE_HOOK_PROJECT": "none",
        **more,
    }
    # Use compiled files, as an installed program does.
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return environ


def fill(environ: dict[str, str], count: int) -> None:
    """Save `count` notes in the book of an environment."""
    settings = commonplace.Settings(
        url=environ["COMMONPLACE_URL"],
        state=environ["COMMONPLACE_STATE"],
        embedder=environ["COMMONPLACE_EMBEDDER"],
    )
    with commonplace.open(settings=settings) as book:
        book.save_many(notes(count))


def program() -> list[str]:
    """The installed command, else the module."""
    script = os.path.join(os.path.dirname(sys.executable), "commonplace")
    return [script] if os.path.exists(script) else [sys.executable, "-m", "commonplace"]
