"""Live through a year of changing facts, and ask for the newest value of each at its end.

    python benchmarks/quality/year.py benchmarks/quality/years/*.jsonl [--shown]

A file is a year in one hand: notes that are saved, what a person says to an assistant, and at the
end a question for each thing, with words of its newest value and of outdated ones. The book is
looked after every night. A person saves and says it all, so that nothing waits for a decision
about whose word counts.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commonplace.books.open import open_book
from commonplace.model.errors import Refused
from commonplace.model.memory import LIVE, Memory
from commonplace.ports.reasoner import Turn
from commonplace.settings import Settings

if TYPE_CHECKING:
    from commonplace.book import Commonplace

LOOKED_AT = 5
"""Hits of an answer that somebody reads."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--shown", action="store_true", help="print every mistake")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    for path in given.files:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        total += Year(rows, given.shown).lived()
    report(total)


class Year:
    """The lines of one hand, and the book that hears them."""

    def __init__(self, rows: list[dict[str, Any]], shown: bool) -> None:
        self._told = [row for row in rows if row["how"] != "ask"]
        self._asked = [row for row in rows if row["how"] == "ask"]
        self._shown = shown
        self._now = datetime(2025, 1, 1, tzinfo=UTC)
        self._held: dict[str, list[str]] = {}
        """The memories that were made of each thing's lines."""
        self._refused: set[str] = set()

    def lived(self) -> Counter[str]:
        """The counts at the end of the year."""
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings(state=f"{folder}/state")
            book = open_book(f"{folder}/vault", settings=settings, now=self._clock, source="cli")
            with book:
                for day, rows in groupby(self._told, key=lambda row: row["day"]):
                    self._now = datetime.fromisoformat(f"{day}T08:00:00+00:00")
                    for row in rows:
                        self._tell(book, row)
                    self._now = datetime.fromisoformat(f"{day}T23:00:00+00:00")
                    book.maintain()
                found = self._looked_at(book)
                found["years"] = 1
                found["undone"] = not book.undo_automatic(self._now.replace(year=2024)).left_alone
                return found

    def _clock(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now

    def _tell(self, book: Commonplace, row: dict[str, Any]) -> None:
        self._now += timedelta(minutes=3)
        if row["how"] == "save":
            try:
                made = [book.save(row["text"]).id]
            except Refused:  # A code of a door: no book takes it, and none can be asked for it.
                self._refused.add(row["thing"])
                return
        else:
            said = [Turn("assistant", row.get("before") or "Go on."), Turn("user", row["text"])]
            ended = book.session(f"day-{self._now:%m%d%H%M}").end(said)
            made = [one.id for one in ended.added]
            made += [one.memory.id for one in ended.corrected]
        self._held.setdefault(row["thing"], []).extend(made)

    def _looked_at(self, book: Commonplace) -> Counter[str]:
        found: Counter[str] = Counter()
        changed = Counter(row["thing"] for row in self._told)
        live = list(every(book))
        asked = [row for row in self._asked if row["thing"] not in self._refused]
        for row in asked:
            steady = not row["outdated"]
            sort = "steady" if steady else "changing"
            found[sort] += 1
            found["changes"] += changed[row["thing"]] - 1
            hits = [hit.memory for hit in book.recall(row["question"], limit=LOOKED_AT)]
            first = next((one for one in hits if has(one, row["newest"] + row["outdated"])), None)
            right = first is not None and has(first, row["newest"])
            found[f"{sort} right"] += right
            found[f"{sort} first"] += bool(hits) and has(hits[0], row["newest"])
            own = self._held.get(row["thing"], ())
            stale = [one for one in live if one.id in own and not has(one, row["newest"])]
            found["outdated in use"] += len(stale)
            found["newest lost"] += not any(has(one, row["newest"]) for one in live)
            if self._shown and (not right or stale):
                print(f"{'' if right else 'WRONG '}{row['question']} {row['newest']}")
                for one in hits:
                    print(f"    hit: {one.content}")
                for one in stale:
                    print(f"    outdated, in use: {one.content}")
        found["decoys"] = sum(row["thing"] == "" for row in self._told)
        return found


def every(book: Commonplace) -> list[Memory]:
    """The memories in use."""
    found: list[Memory] = []
    while page := book.list(statuses=LIVE, limit=1_000, offset=len(found)):
        found += page
    return found


def has(memory: Memory, words: list[str]) -> bool:
    """Whether a memory's text has one of the words."""
    text = f"{memory.content} {memory.value or ''}".casefold()
    return any(word.casefold() in text for word in words)


def report(total: Counter[str]) -> None:
    """What the years came to."""
    changing, steady, undone = total["changing"], total["steady"], total["undone"]
    print(
        f"{changing} things that changed {total['changes']} times, {steady} that did not, "
        f"{total['decoys']} lines that change nothing"
    )
    print(
        f"  newest before outdated: {total['changing right'] / changing:.3f}, "
        f"first of all hits {total['changing first'] / changing:.3f}"
    )
    print(
        f"  things that never changed: {total['steady right'] / steady:.3f}, "
        f"first of all hits {total['steady first'] / steady:.3f}"
    )
    print(f"  outdated lines still in use: {total['outdated in use']} of {total['changes']}")
    print(f"  newest values in no memory in use: {total['newest lost']}")
    print(f"  years of which every automatic change could be undone: {undone} of {total['years']}")


if __name__ == "__main__":
    sys.exit(main())
