"""Compare Commonplace with other memories on the same data, each in an environment of its own.

    make peers            or: python -m benchmarks.peers [--systems mem0,chroma] [--set FOLDER]

Installs each system from pinned versions (PyPI and npm), in build/peers or the folder you name,
and writes results.json and the tables of README.md and docs/comparison.md. A run with `--systems`,
`--set` or `--notes` is an experiment: it prints its table and changes no page. What is measured so
far is in last.json, beside the environments. adapters/ says how each system is used, and what it
cannot do. Expect half an hour and 3 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from commonplace.model.errors import CommonplaceError

from .data import Questions, changes, final_tenth, labelled_set, look_alikes, notes
from .environments import AS_OF, COMMONPLACE, REPOSITORY, SYSTEMS, NotInstalled, System, make
from .process import AdapterProcess, Vectors
from .table import RESULTS, table, write_pages
from .trials import measured

NOTES = 500


def main() -> None:
    options = _options()
    systems = _systems(options.systems)
    if options.notes < 1:
        sys.exit(f"A store of {options.notes} notes cannot be timed. Name 1 or more.")
    try:
        asked = labelled_set(options.set) if options.set else final_tenth()
    except CommonplaceError as error:
        sys.exit(str(error))
    stored = notes(options.notes)
    vectors = Vectors()
    _embed(vectors, asked, stored)
    results: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "versions_as_of": AS_OF,
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        "cores": os.cpu_count() or 1,
        "load": 0.0,
        "python": platform.python_version(),
        "set": {"name": asked.name, "turns": len(asked.items), "questions": len(asked.queries)},
        "facts": {"changes": len(changes()), "look_alikes": 2 * len(look_alikes())},
        "notes": len(stored.items),
        "systems": [],
    }
    for system in systems:
        results["load"] = max(results["load"], round(os.getloadavg()[0], 1))
        results["systems"].append(_row(system, options, vectors, asked, stored))
        # A run that is interrupted leaves what it had.
        _write(options.folder / "last.json", results)
    print(table(results))
    if systems == list(SYSTEMS) and not options.set and options.notes == NOTES:
        _write(RESULTS, results)
        write_pages(results)


def _write(path: Path, results: dict[str, Any]) -> None:
    path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _row(
    system: System,
    options: argparse.Namespace,
    vectors: Vectors,
    asked: Questions,
    stored: Questions,
) -> dict[str, Any]:
    """A system's figures, or the reason why there are none."""
    began = time.perf_counter()

    def progress(what: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{system.name}: {what}", end="", file=sys.stderr, flush=True)

    progress("installing")
    try:
        environment = make(system, options.folder)
    except NotInstalled as reason:
        print(f"\r{system.name}: not installed: {reason}", file=sys.stderr)
        return {"name": system.name, "version": system.version, "not_installed": str(reason)}
    room = Path(tempfile.mkdtemp(prefix="peers-", dir=options.stores))
    try:
        figures, failed = measured(
            lambda folder: AdapterProcess(environment, folder, vectors),
            room,
            asked,
            stored,
            progress,
        )
    finally:
        shutil.rmtree(room, ignore_errors=True)
    took_s = time.perf_counter() - began
    print(f"\r\033[K{system.name} {environment.version}: {took_s:.0f} s", file=sys.stderr)
    for trial, reason in failed.items():
        print(f"  {trial}: {reason}", file=sys.stderr)
    figures["install_mb"] = environment.size_mb
    return {
        "name": system.name,
        "version": environment.version,
        "measured": {name: _rounded(value) for name, value in figures.items()},
        "failed": failed,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _embed(vectors: Vectors, asked: Questions, stored: Questions) -> None:
    """Compute every vector before the first system starts, so that none waits for one."""
    made = [text for row in (*changes(), *look_alikes()) for text in row.values()]
    texts = [item["text"] for one in (asked, stored) for item in one.items]
    questions = [query.text for one in (asked, stored) for query in one.queries]
    every = [*made, *texts, *questions]
    for start in range(0, len(every), 256):
        print(f"\r\033[Kvectors: {start} of {len(every)}", end="", file=sys.stderr, flush=True)
        vectors.of(every[start : start + 256])
    print(f"\r\033[Kvectors: {len(every)}", file=sys.stderr)


def _systems(wanted: str | None) -> list[System]:
    if not wanted:
        return list(SYSTEMS)
    names = {name.strip() for name in wanted.split(",")}
    if unknown := names - {system.adapter for system in SYSTEMS}:
        known = ", ".join(system.adapter for system in SYSTEMS)
        sys.exit(f"There is no adapter {', '.join(sorted(unknown))}. Known: {known}.")
    # Ratios are to Commonplace in the same run.
    return [one for one in SYSTEMS if one.adapter in names or one.name == COMMONPLACE]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--systems", help="adapters to run, with commas; all by default")
    parser.add_argument("--set", help="folder of a labelled set, as `commonplace eval` reads it")
    parser.add_argument("--notes", type=int, default=NOTES, help="notes in the store that is timed")
    parser.add_argument(
        "--folder",
        type=Path,
        default=REPOSITORY / "build" / "peers",
        help="where the systems are installed",
    )
    parser.add_argument("--stores", help="where their stores are made; a temporary folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
