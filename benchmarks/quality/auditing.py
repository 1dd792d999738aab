"""How well does `commonplace audit` find planted faults? By kind and by format of the store.

    .venv/bin/python -m benchmarks.quality.auditing [first.txt second.txt … | all] [--lines]

The sets are those of the tests (`tests/verbs/audited`): statements with known faults, near misses
beside them, written as stores of six systems, or as folders of notes. For each kind of fault and
each store this prints precision, recall and F1, and with `--lines` whatever was wrong or missed.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.verbs.audited import planted
from tests.verbs.audited.planted import KINDS, NOW, Planted
from tests.verbs.test_audit_store import ALL, Score, score

from commonplace.books.audits import audit_store
from commonplace.settings import Settings

if TYPE_CHECKING:
    from collections import Counter

SIX_FORMATS = ("first.txt", "second.txt", "fifth.txt", "sixth.txt")
FOLDERS = ("third.txt", "fourth.txt")


def stores_of(name: str, place: Path) -> dict[str, tuple[Path, list[Planted]]]:
    """The stores of a set as files, each with what was planted there."""
    (place / "invoices.csv").write_text("1;2")
    listed = planted.stores(name, place)
    if name in FOLDERS:
        homes = planted.notes_folders(place / "notes", listed)
        return {
            home: (
                path,
                [one for file in listed if file.startswith(f"{home}/") for one in listed[file]],
            )
            for home, path in homes.items()
        }
    made: dict[str, tuple[Path, list[Planted]]] = {}
    for number, (system, statements) in enumerate(listed.items()):
        (place / str(number)).mkdir()
        made[system] = planted.WRITERS[system](place / str(number), statements), statements
    return made


def line(label: str, counts: Counter[str]) -> str:
    """Precision, recall and F1 of what was counted, for a table."""
    right, wrong, missed = counts["right"], counts["wrong"], counts["missed"]
    if not right + wrong + missed:
        return f"{label:38}{'nothing planted, nothing found':>32}"
    precision = right / (right + wrong) if right + wrong else 0.0
    recall = right / (right + missed) if right + missed else 1.0
    f1 = 2 * right / (2 * right + wrong + missed)
    return f"{label:38}{right + missed:>8}{precision:>8.2f}{recall:>8.2f}{f1:>8.2f}"


def main() -> None:
    """Audit every store of the sets, and print how well."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="*", default=["all"])
    parser.add_argument("--lines", action="store_true", help="also what was wrong or missed")
    given = parser.parse_args()
    names = [*SIX_FORMATS, *FOLDERS] if given.sets == ["all"] else given.sets
    for name in names:
        total = {kind: Score() for kind in KINDS.values()}
        print(f"\n{name:38}{'planted':>8}{'prec.':>8}{'recall':>8}{'F1':>8}")
        with tempfile.TemporaryDirectory() as folder:
            settings = Settings(state=str(Path(folder) / "state"))
            for system, (path, statements) in stores_of(name, Path(folder)).items():
                found = audit_store(str(path), settings=settings, now=NOW)
                scores = {kind: Score() for kind in KINDS.values()}
                score(found.report(system, examples=ALL), statements, scores)
                for kind, one in scores.items():
                    total[kind].counts += one.counts
                    total[kind].lines += one.lines
                    if one.counts:
                        print(line(f"  {system}: {kind}", one.counts), flush=True)
        for kind, one in total.items():
            print(line(f"all: {kind}", one.counts))
            if given.lines:
                print(*(f"      {each}" for each in one.lines), sep="\n")


if __name__ == "__main__":
    main()
