"""The bundled ranker: the trees of its file, whatever the rows, and none where the file is bad."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.backends.neural import ranker
from commonplace.backends.neural.model_file import ModelFile
from commonplace.backends.neural.ranker import BundledRanker, bundled_ranker
from commonplace.books.services import ranker_finder
from commonplace.rules.ranking.features import NAMES

ROW = st.lists(st.floats(-2, 20, width=32), min_size=len(NAMES), max_size=len(NAMES))


def one_by_one(row: list[float]) -> float:
    """The factor of one row, by walking down each tree."""
    file = ModelFile(ranker.FILE)
    depth, _ = file.counts("shape")
    ends, limits = file.counts("limits.ends"), file.floats("limits")
    splits, leaves = file.counts("splits"), file.floats("leaves")
    total = 0.0
    for tree in range(len(leaves) >> depth):
        place = 0
        for level in range(depth):
            column, limit = (
                splits[2 * (tree * depth + level)],
                splits[2 * (tree * depth + level) + 1],
            )
            first = ends[column - 1] if column else 0
            place = 2 * place + (row[column] > limits[first + limit])
        total += leaves[(tree << depth) + place]
    return math.exp(total)


@given(st.lists(ROW, min_size=1, max_size=4))
def test_all_rows_at_once_are_the_trees_walked_one_by_one(rows: list[list[float]]) -> None:
    trees = BundledRanker(columns=len(NAMES))
    assert trees.factors(rows) == pytest.approx([one_by_one(row) for row in rows])


@given(st.lists(ROW, min_size=2, max_size=60))
def test_a_row_does_not_depend_on_the_others(rows: list[list[float]]) -> None:
    trees = BundledRanker(columns=len(NAMES))
    assert trees.factors(rows)[::-1] == trees.factors(rows[::-1])
    assert all(0.1 < factor < 10 for factor in trees.factors(rows))


@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "flipped"])
def test_without_a_whole_file_there_is_no_ranker(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path(ranker.FILE).read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    path = tmp_path / "ranker.bin"
    if damage != "gone":
        path.write_bytes({"empty": b"", "cut": whole[:-64], "flipped": flipped}[damage])
    monkeypatch.setattr(BundledRanker.__init__, "__defaults__", (str(path),))
    assert bundled_ranker(len(NAMES)) is None


def test_a_table_for_other_numbers_is_not_used() -> None:
    assert bundled_ranker(len(NAMES)) is not None
    assert bundled_ranker(len(NAMES) + 1) is None


def test_the_ranker_is_for_the_embedder_that_it_learned_from() -> None:
    find = ranker_finder()
    assert find(ranker.MODEL) is find(ranker.MODEL) is not None
    assert find("hash-1") is None
