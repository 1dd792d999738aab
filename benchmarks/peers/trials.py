"""What is measured of each system; every trial has a folder and processes of its own."""

from __future__ import annotations

import random
import statistics
import time
from typing import TYPE_CHECKING, Any

from commonplace.rules.ranking.measures import score_rankings

from .data import FACTS, NOTES, Questions, changes, fact, look_alikes
from .environments import megabytes
from .process import AdapterProcess, Failed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[[Path], AdapterProcess]
    Progress = Callable[[str], object]

DEPTH = 10
OLD, NEW = "2026-01-12T09:00:00", "2026-09-21T09:00:00"
COLD_RUNS = 3
SAVES = 60
KILLS, SAVES_BEFORE_KILL = 4, 30

Measured = dict[str, float | None]


def retrieval(start: Start, folder: Path, given: Questions, progress: Progress) -> Measured:
    """Whether the turns that answer are found, and how high they stand."""
    run: dict[str, list[str]] = {}
    with start(folder) as system:
        progress(f"saving {len(given.items)} turns")
        system.ask("fill", items=given.items)
        system.ask("settle")
        for number, query in enumerate(given.queries):
            if number % 50 == 0:
                progress(f"question {number} of {len(given.queries)}")
            asked = query.time.isoformat() if query.time else None
            run[query.id] = _search(system, query.text, query.conversation, asked)
    means = score_rankings(given.queries, run).results["ALL"]
    return {"all@10": means["recall_all@10"], "ndcg@10": means["ndcg@10"]}


def newest_first(start: Start, folder: Path, progress: Progress) -> Measured:
    """Whether the newest value of a changed fact stands above the old one.

    The caller does not say that a fact changed, as an agent seldom knows.
    """
    rows = changes()
    with start(folder) as system:
        for age, time_ in (("old", OLD), ("new", NEW)):
            progress(f"saving {len(rows)} {age} facts")
            for number, row in enumerate(rows):
                system.ask("save", item=fact(f"{age}-{number}", row[age], time_))
        system.ask("settle")
        first = 0
        for number, row in enumerate(rows):
            found = _search(system, row["question"], FACTS)
            pair = [id for id in found if id in (f"old-{number}", f"new-{number}")]
            first += pair[:1] == [f"new-{number}"]
    return {"newest_first": first / len(rows)}


def look_alikes_lost(start: Start, folder: Path, progress: Progress) -> Measured:
    """How many of the facts that look like another and hold cannot be found as they were."""
    rows = look_alikes()
    progress(f"saving {len(rows)} pairs")
    with start(folder) as system:
        for number, row in enumerate(rows):
            for side in ("one", "other"):
                system.ask("save", item=fact(f"{side}-{number}", row[side], OLD))
        system.ask("settle")
        kept = set(system.ask("kept", scope=FACTS))
    saved = {f"{side}-{number}" for number in range(len(rows)) for side in ("one", "other")}
    return {"look_alikes_lost": len(saved - kept)}


def costs(start: Start, folder: Path, given: Questions, progress: Progress) -> Measured:
    """Time, memory and disk with a store of notes."""
    with start(folder) as system:
        progress(f"saving {len(given.items)} notes")
        system.ask("fill", items=given.items)
        system.ask("settle")
    disk_mb = megabytes(folder)
    cold_cpu_s, cold_wall_s = _cold(start, folder, given, progress)
    with start(folder) as system:
        progress("searching")
        took_s = [
            system.timed("search", text=query.text, scope=NOTES, limit=DEPTH, asked=None)[1]
            for query in given.queries
        ]
        progress("saving one by one")
        texts = [row[side] for row in look_alikes() for side in ("one", "other")][:SAVES]
        saves_s = [
            system.timed("save", item=fact(f"single-{number}", text, NEW))[1]
            for number, text in enumerate(texts)
        ]
        peak_mb = system.peak_mb()
    return {
        "cold_cpu_ms": 1e3 * cold_cpu_s,
        "cold_wall_ms": 1e3 * cold_wall_s,
        "warm_ms": 1e3 * statistics.median(took_s[len(took_s) // 5 :]),
        "save_ms": 1e3 * statistics.median(saves_s[5:]),
        "peak_mb": peak_mb,
        "disk_mb": disk_mb,
    }


def _cold(start: Start, folder: Path, given: Questions, progress: Progress) -> tuple[float, float]:
    """Processor time of a process that searches once, and seconds until its answer: medians."""
    cpu_s: list[float] = []
    wall_s: list[float] = []
    for run in range(COLD_RUNS + 1):
        progress(f"cold search {run} of {COLD_RUNS}")
        with start(folder) as system:
            _search(system, given.queries[run].text, NOTES)
            wall_s.append(time.perf_counter() - system.began)
        assert system.cpu_s is not None
        cpu_s.append(system.cpu_s)
    # The first one fills the system's and the disk's caches.
    return statistics.median(cpu_s[1:]), statistics.median(wall_s[1:])


def lost_by_kills(start: Start, folder: Path, progress: Progress) -> Measured:
    """Saves that were acknowledged and are gone after several `kill -9` of one store's process."""
    chance = random.Random(17)
    acknowledged: set[str] = set()
    for kill in range(KILLS):
        progress(f"kill {kill + 1} of {KILLS}")
        system = start(folder)
        took_s = 0.01
        for number in range(chance.randrange(5, SAVES_BEFORE_KILL)):
            id = f"kill-{kill}-{number}"
            text = f"Crate {number} of delivery {kill} holds {chance.randrange(10**6)} screws."
            _, took_s = system.timed("save", item=fact(id, text, NEW))
            acknowledged.add(id)
        # Every other kill comes in the middle of a save, the others right after one.
        if kill % 2:
            text = f"The last crate of delivery {kill} holds nuts."
            system.send("save", item=fact(f"kill-{kill}-open", text, NEW))
            time.sleep(chance.random() * took_s)
        system.kill()
    with start(folder) as system:
        system.ask("settle")
        kept = set(system.ask("kept", scope=FACTS))
    return {"lost_by_kills": len(acknowledged - kept), "saved_before_kills": len(acknowledged)}


def _search(system: AdapterProcess, text: str, scope: str, asked: str | None = None) -> list[str]:
    return system.ask("search", text=text, scope=scope, limit=DEPTH, asked=asked)


def measured(
    start: Start, folder: Path, asked: Questions, stored: Questions, progress: Progress
) -> tuple[Measured, dict[str, str]]:
    """All figures of a system, and why some are missing."""
    trials: dict[str, Callable[[Path], Measured]] = {
        "retrieval": lambda place: retrieval(start, place, asked, progress),
        "newest first": lambda place: newest_first(start, place, progress),
        "look-alikes": lambda place: look_alikes_lost(start, place, progress),
        "costs": lambda place: costs(start, place, stored, progress),
        "kills": lambda place: lost_by_kills(start, place, progress),
    }
    figures: dict[str, Any] = {}
    failed: dict[str, str] = {}
    for name, trial in trials.items():
        try:
            figures |= trial(folder / name.replace(" ", "-"))
        except (Failed, OSError) as error:
            failed[name] = str(error).split("\n")[0][:300]
    return figures, failed
