"""An audit finds the faults of stores, whatever system made them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from commonplace.books.audits import audit_store
from commonplace.model.results import AuditExample, StoreAudit
from commonplace.settings import Settings

from .audited import planted
from .audited.planted import KINDS, NOW, Planted

LEAST_F1 = 0.9
ALL = 10_000


class Score:
    """How often a kind of fault was found, missed and seen where none is."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.lines: list[str] = []

    @property
    def f1(self) -> float:
        """1 where there was nothing to find and nothing was found."""
        right, wrong = self.counts["right"], self.counts["wrong"] + self.counts["missed"]
        return 2 * right / (2 * right + wrong) if right + wrong else 1.0

    def add(self, what: str, line: str) -> None:
        self.counts[what] += 1
        if what != "right":
            self.lines.append(f"{what}: {line}")


def same(shown: str, one: Planted) -> bool:
    """Whether a masked text is that of a planted statement."""
    parts = re.split(r"\[[\w .'’-]+ removed\]", shown)
    return re.fullmatch(".+?".join(map(re.escape, parts)), one.text, re.DOTALL) is not None


def found(example: AuditExample, statements: list[Planted]) -> Planted | None:
    return next((one for one in statements if same(example.text, one)), None)


def score(report: StoreAudit, statements: list[Planted], scores: dict[str, Score]) -> None:
    """Count what a report has right and wrong."""
    for fault, kind in KINDS.items():
        [part] = [one for one in report.faults if one.kind == kind]
        expected = {one.pair: one for one in statements if one.fault == fault}
        for example in part.examples:
            one = found(example, statements)
            other = example.other and next(s for s in statements if same(example.other, s))
            paired = not other or (one is not None and one.pair == other.pair)
            # Of a contradiction the outdated statement is the fault.
            outdated = one is not None and one.fault in (fault, "rival", "copy")
            if fault == "contradiction":
                outdated = one is not None and one.fault == "rival"
            right = one is not None and paired and outdated and expected.pop(one.pair, None)
            scores[kind].add("right" if right else "wrong", f"{report.store}: {example}")
        for missed in expected.values():
            scores[kind].add("missed", f"{report.store}: {missed.text}")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["first.txt", "second.txt", "fifth.txt"])
def test_every_kind_of_fault_is_found_in_six_formats(name: str, tmp_path: Path) -> None:
    (tmp_path / "invoices.csv").write_text("1;2")
    settings = Settings(state=str(tmp_path / "state"))
    scores = {kind: Score() for kind in KINDS.values()}
    for number, (system, statements) in enumerate(planted.stores(name, tmp_path).items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = planted.WRITERS[system](folder, statements)
        report = audit_store(str(path), settings=settings, now=NOW).report(system, examples=ALL)
        score(report, statements, scores)
    require_good(scores)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["third.txt", "fourth.txt"])
def test_every_kind_of_fault_is_found_in_folders_of_notes(name: str, tmp_path: Path) -> None:
    settings = Settings(state=str(tmp_path / "state"))
    scores = {kind: Score() for kind in KINDS.values()}
    files = planted.stores(name, tmp_path)
    for home, path in planted.notes_folders(tmp_path / "notes", files).items():
        statements = [one for file in files if file.split("/")[0] == home for one in files[file]]
        report = audit_store(str(path), settings=settings, now=NOW).report(home, examples=ALL)
        score(report, statements, scores)
    require_good(scores)


REACHED_IN_SIXTH = ("secrets", "personal data", "stale paths", "stale dates", "orders")
"""Of the sixth set; most of its duplicates are told in quite other words."""


@pytest.mark.slow
def test_what_the_audit_reaches_in_a_set_by_a_stranger(tmp_path: Path) -> None:
    settings = Settings(state=str(tmp_path / "state"))
    scores = {kind: Score() for kind in KINDS.values()}
    for number, (system, statements) in enumerate(planted.stores("sixth.txt", tmp_path).items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = planted.WRITERS[system](folder, statements)
        report = audit_store(str(path), settings=settings, now=NOW).report(system, examples=ALL)
        score(report, statements, scores)
    require_good({kind: scores[kind] for kind in REACHED_IN_SIXTH})


def require_good(scores: dict[str, Score]) -> None:
    for kind, one in scores.items():
        print(f"{kind:16} F1 {one.f1:.2f} {dict(one.counts)}", *one.lines, sep="\n    ")
    assert all(one.f1 >= LEAST_F1 for one in scores.values())
