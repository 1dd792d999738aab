"""The driver of SQLite is loaded without what only one of its checks needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

FIRST = "from commonplace.backends.common import sqlite; "
CHECKED = (
    "import sys; print('collections' in sys.modules); import collections, collections.abc;"
    " print(collections.abc.Mapping.__name__); db = sqlite.in_memory();"
    " print(db.execute('SELECT :a', collections.ChainMap({'a': 7})).get)"
)


@pytest.mark.parametrize(
    ("before", "loaded"),
    [("", "False"), ("import collections; ", "True")],
    ids=["a cold start", "a process that has them"],
)
def test_a_cold_start_spares_collections_and_leaves_them_whole(before: str, loaded: str) -> None:
    program = [sys.executable, "-c", before + FIRST + CHECKED]
    done = subprocess.run(program, capture_output=True, check=True, text=True)
    assert done.stdout.split() == [loaded, "Mapping", "7"]
