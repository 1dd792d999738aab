"""How fast the search index is, against a bare Python start on the same machine.

Run it with `python benchmarks/index_speed.py [memories]`; 100,000 memories by default.
"""

from __future__ import annotations

import itertools
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta

from commonplace.indexes.sqlite import SqliteIndex
from commonplace.model import LIVE, Memory
from commonplace.ports.records import Changes, Document
from commonplace.ports.searching import Where
from commonplace.rules import words
from commonplace.scope import EVERYTHING, Scope, Visible

BATCH = 500
VOCABULARY = 40_000
START = datetime(2024, 1, 1, tzinfo=UTC)
MINE = ("/", "/user/42", "/user/42/project/atlas", "/project/atlas", "/agent/coding")
VISIBLE = Visible(
    scopes=frozenset({*MINE, "/project/atlas/agent/coding", "/user/42/agent/coding"}),
    task_parents=frozenset({"/user/42", "/user/42/project/atlas", "/project/atlas"}),
)
COLD = """
import sys, time
start = time.perf_counter()
from commonplace.indexes.sqlite import SqliteIndex
from commonplace.ports.searching import Where
from commonplace.rules import words
from commonplace.scope import Visible
imported = time.perf_counter()
index = SqliteIndex(sys.argv[1])
found = index.gather(words.query(sys.argv[2]), None,
                     visible=Visible(scopes=frozenset(sys.argv[3:])),
                     where=Where(statuses=("active", "review", "stale")), pool=50)
print(imported - start, time.perf_counter() - imported, len(found.candidates))
"""


class Language:
    """Words as often as words are: the n-th most common one about 1/n of the time."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        syllables = ["ka", "lo", "mi", "ren", "tos", "ve", "di", "pra", "shu", "bel", "on", "qui"]
        names = ("".join(parts) for parts in itertools.product(syllables, repeat=5))
        self._words = self._chance.sample(list(itertools.islice(names, 200_000)), VOCABULARY)
        self._weights = list(itertools.accumulate(1 / (n + 3) for n in range(VOCABULARY)))

    def text(self, shortest: int, longest: int) -> str:
        """Some words."""
        length = self._chance.randint(shortest, longest)
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=length))

    def scope(self) -> str:
        """A scope of the caller's for 5 % of the memories, else one of many others."""
        if self._chance.random() < 0.05:
            return self._chance.choice(MINE)
        return f"/user/{self._chance.randint(1000, 3000)}"


def memories(count: int) -> list[Memory]:
    language = Language(7)
    return [
        Memory(
            id=f"{number:026d}",
            content=language.text(15, 90),
            created=START + timedelta(minutes=number),
            updated=START + timedelta(minutes=number),
            scope=Scope.parse(language.scope()),
            slug=f"note-{number}",
            tags=("ops", "team") if number % 3 else (),
        )
        for number in range(count)
    ]


def documents(found: list[Memory]) -> list[Document]:
    return [Document(f"users/memory/insight/{m.slug}.md", (m,)) for m in found]


def filled(path: str, count: int) -> tuple[SqliteIndex, float]:
    index = SqliteIndex(path)
    everything = documents(memories(count))
    start = time.perf_counter()
    for at in range(0, count, BATCH):
        index.apply(Changes(at + BATCH, tuple(everything[at : at + BATCH])))
    return index, time.perf_counter() - start


def median_ms(action, times: int = 21) -> float:
    taken: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1000


def bare_python_ms() -> float:
    return median_ms(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 11)


def cold(path: str, question: str) -> tuple[float, float]:
    runs: list[tuple[float, float]] = []
    for _ in range(9):
        done = subprocess.run(
            [sys.executable, "-c", COLD, path, question, *VISIBLE.scopes],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        imported, searched, _ = map(float, done.stdout.split())
        runs.append((imported * 1000, searched * 1000))
    return statistics.median(r[0] for r in runs), statistics.median(r[1] for r in runs)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    language = Language(7)
    questions = itertools.cycle([language.text(25, 25) for _ in range(50)])
    live = Where(statuses=LIVE)
    bare = bare_python_ms()
    rows: list[tuple[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        index, took = filled(os.path.join(folder, "large.db"), count)
        print(f"{count:,} memories applied in {took:.1f} s ({took / count * 1e6:.0f} µs each)")
        print(f"file: {os.path.getsize(index.location) / 1e6:.0f} MB")
        for name, visible in (("5 % visible", VISIBLE), ("everything", EVERYTHING)):

            def ask(visible: Visible = visible) -> None:
                index.gather(
                    words.query(next(questions)), None, visible=visible, where=live, pool=50
                )

            rows.append((f"25-word question, {name}", median_ms(ask, 50)))
        numbers = itertools.count(count)
        extra = iter(documents(memories(400)))

        def save() -> None:
            number = next(numbers)
            document = next(extra)
            memory = document.memories[0].but(id=f"{number:026d}")
            index.apply(Changes(number, (Document(f"more/{number}.md", (memory,)),)))

        rows.append(("apply of one memory", median_ms(save, 300)))
        rows.append(
            (
                "newest 20 of 5 %",
                median_ms(lambda: index.select(live, visible=VISIBLE, limit=20)),
            )
        )
        index.close()
        small, _ = filled(os.path.join(folder, "small.db"), 10_000)
        small.close()
        imported, searched = cold(small.location, next(questions))
        rows += [("cold: import", imported), ("cold: open and ask, 10,000 memories", searched)]
    print(f"bare `python -c pass`: {bare:.1f} ms")
    for name, taken in rows:
        print(f"{name:40} {taken:8.2f} ms  {taken / bare:6.2f} × bare python")


if __name__ == "__main__":
    main()
