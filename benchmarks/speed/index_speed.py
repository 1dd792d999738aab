"""Measure writes and questions of the search index, in multiples of a bare start of Python.

    python benchmarks/speed/index_speed.py [--memories 100000]

The index alone, without vectors, through its port; `warm_recall.py` measures a whole recall.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from parts.making import long_words
from parts.timing import median, seconds

from commonplace.backends.sql.sqlite.index import SqliteIndex
from commonplace.language import words
from commonplace.model.memory import LIVE, Memory
from commonplace.model.scope import EVERYTHING, Scope, Visible
from commonplace.ports.record_store import Changes, Document
from commonplace.ports.search_index import Where

if TYPE_CHECKING:
    from parts.making import Language

BATCH = 500
START = datetime(2024, 1, 1, tzinfo=UTC)
MINE = ("/", "/user/42", "/user/42/project/atlas", "/project/atlas", "/agent/coding")
VISIBLE = Visible(
    scopes=frozenset({*MINE, "/project/atlas/agent/coding", "/user/42/agent/coding"}),
    task_parents=frozenset({"/user/42", "/user/42/project/atlas", "/project/atlas"}),
)


def main() -> None:
    options = _options()
    bare = median(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 11)
    with tempfile.TemporaryDirectory(prefix="commonplace-benchmark-") as folder:
        index = SqliteIndex(os.path.join(folder, "index.db"))
        made = documents(memories(options.memories))
        took = seconds(lambda: fill(index, made))
        each = took / options.memories * 1e6
        print(f"{options.memories:,} memories applied in {took:.1f} s ({each:.0f} µs each)")
        print(f"file: {os.path.getsize(index.location) / 1e6:.0f} MB")
        rows = measured(index, options.memories)
        index.close()
    print(f"bare `python -c pass`: {1000 * bare:.1f} ms")
    for name, spent in rows.items():
        print(f"{name:40} {1000 * spent:8.2f} ms  {spent / bare:6.2f} × bare python")


def measured(index: SqliteIndex, count: int) -> dict[str, float]:
    """The median seconds of each operation."""
    language = long_words(seed=7)
    questions = itertools.cycle([language.text(25, 25) for _ in range(50)])
    live = Where(statuses=LIVE)
    more = zip(itertools.count(count), documents(memories(400)), strict=False)

    def ask(visible: Visible) -> None:
        index.gather(words.query_terms(next(questions)), None, visible=visible, where=live, pool=50)

    def save() -> None:
        number, document = next(more)
        memory = document.memories[0].but(id=f"{number:026d}")
        index.apply(Changes(number, (Document(f"more/{number}.md", (memory,)),)))

    return {
        "25-word question, 5 % visible": median(lambda: ask(VISIBLE), 50),
        "25-word question, everything": median(lambda: ask(EVERYTHING), 50),
        "apply of one memory": median(save, 300),
        "newest 20 of 5 %": median(lambda: index.select(live, visible=VISIBLE, limit=20), 21),
    }


def fill(index: SqliteIndex, made: list[Document]) -> None:
    for at in range(0, len(made), BATCH):
        index.apply(Changes(at + BATCH, tuple(made[at : at + BATCH])))


def documents(found: list[Memory]) -> list[Document]:
    return [Document(f"users/memory/insight/{m.slug}.md", (m,)) for m in found]


def memories(count: int) -> list[Memory]:
    language = long_words(seed=7)
    return [
        Memory(
            id=f"{number:026d}",
            content=language.text(15, 90),
            created=START + timedelta(minutes=number),
            updated=START + timedelta(minutes=number),
            scope=Scope.parse(scope(language)),
            slug=f"note-{number}",
            tags=("ops", "team") if number % 3 else (),
        )
        for number in range(count)
    ]


def scope(language: Language) -> str:
    """A scope of the caller for 5 % of the memories, else one of many others."""
    if language.chance.random() < 0.05:
        return language.chance.choice(MINE)
    return f"/user/{language.chance.randint(1000, 3000)}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    return parser.parse_args()


if __name__ == "__main__":
    main()
