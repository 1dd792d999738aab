"""Evaluation sets; importing this module also makes the tests' servers and data importable.

One folder holds all sets: a folder for each set of questions, with corpus.jsonl.gz and
queries.jsonl.gz, and `pairs/` with sts.jsonl.gz, sick.jsonl.gz and pii.jsonl.gz.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import commonplace
from commonplace.verbs.evaluate import evaluate

if TYPE_CHECKING:
    from commonplace import Settings
    from commonplace.verbs.evaluate import Evaluation

sys.path.insert(0, str(Path(__file__).parents[2]))


def evaluate_set(evals: str, name: str, url: str, settings: Settings, **how: Any) -> Evaluation:
    """Save a set in a book and ask its questions."""
    place = os.path.join(evals, name)
    return evaluate(lambda: commonplace.open(url, settings=settings), place, **how)


def lines(path: str) -> list[dict[str, Any]]:
    """The objects of a gzipped JSON Lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
