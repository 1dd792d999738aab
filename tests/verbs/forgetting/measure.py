"""Fill a book with described notes, near misses and filler, and compare sets with what is meant."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from commonplace import Refused
from tests import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from commonplace import Commonplace

HERE = Path(__file__).parent
PARTS = ("go", "perhaps", "stay")
LEAST_CHARACTERS, MOST_CHARACTERS = 30, 400


class Described(NamedTuple):
    """A description, and the texts of its notes."""

    about: str
    go: frozenset[str]
    perhaps: frozenset[str]
    stay: frozenset[str]


class Measured(NamedTuple):
    """What a description meant, and what it should have meant."""

    about: str
    wrongly: frozenset[str]
    """Texts that would be forgotten and should stay."""
    left: frozenset[str]
    """Texts that should be forgotten and would stay."""
    offered: int
    """How many of those that are perhaps meant, or left, are listed as near."""
    unlisted: frozenset[str]

    @property
    def exact(self) -> bool:
        """Whether the set is the one that is meant."""
        return not self.wrongly and not self.left


def read_rows(name: str) -> list[dict[str, Any]]:
    """The lines of one of the two files."""
    return [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text().splitlines()]


def drafts(row: dict[str, Any], parts: Sequence[str] = PARTS) -> list[dict[str, Any]]:
    """The notes of a line as drafts."""
    given = [one for part in parts for one in row[part]]
    made = [{"content": one} if isinstance(one, str) else dict(one) for one in given]
    for one in made:
        if "key" in one:
            one["content"] = f"{one['key']}: {one['value']}"
    return made


def described(row: dict[str, Any]) -> Described:
    """A line with the texts of its notes."""
    texts = [frozenset(one["content"] for one in drafts(row, [part])) for part in PARTS]
    return Described(row["about"], *texts)


def filler() -> Iterator[dict[str, Any]]:
    """What people said in the conversations of the training corpus, as turns."""
    seen: set[str] = set()
    for file in sorted((ROOT / "training/corpus").glob("*.jsonl")):
        for line in file.read_text().splitlines():
            conversation = json.loads(line)
            for turn in conversation.get("turns", ()):
                text = turn["text"]
                if LEAST_CHARACTERS <= len(text) <= MOST_CHARACTERS and text not in seen:
                    seen.add(text)
                    yield {
                        "content": text, "episode": conversation["id"], "position": turn["n"],
                        "speaker": turn["speaker"],
                    }  # fmt: skip


def fill(book: Commonplace, rows: Sequence[dict[str, Any]], *, notes: int = 0) -> int:
    """Save the notes of all lines, and filler up to so many notes; returns how many there are."""
    planted = [one for row in rows for one in drafts(row)]
    spare = list(islice(filler(), max(0, notes - len(planted))))
    # The planted notes lie between the others, as in a book that grew.
    step = max(1, len(spare) // len(planted))
    mixed: list[dict[str, Any]] = []
    for at, one in enumerate(planted):
        mixed += [*spare[at * step : (at + 1) * step], one]
    mixed += spare[len(planted) * step :]
    try:
        return len(book.save_many(mixed))
    except Refused as error:
        # A few turns of the corpus hold what looks like a credential.
        kept = [one for at, one in enumerate(mixed) if at not in error.places or one in planted]
        return len(book.save_many(kept))


def measure(book: Commonplace, one: Described) -> Measured:
    """Preview a description, and compare the set with the planted notes."""
    seen = book.about(one.about)
    going = frozenset(memory.content for memory in seen.going)
    near = frozenset(miss.memory.content for miss in seen.near)
    wanted = one.perhaps | (one.go - going)
    return Measured(
        one.about,
        wrongly=going - one.go,
        left=one.go - going,
        offered=len(wanted & near),
        unlisted=wanted - near,
    )
