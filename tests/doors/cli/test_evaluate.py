"""`eval` and `why`, as a person uses them."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from commonplace.doors.cli.evaluate import render_sparkline
from commonplace.doors.cli.explain import WEIGHTS
from tests.doors.shell import Shell

TURN = {"conversation": "talk", "session": "s1", "time": "2026-03-01T10:00:00"}
CORPUS = [
    {**TURN, "id": "t1", "speaker": "Anna", "text": "I adopted a greyhound called Comet"},
    {**TURN, "id": "t2", "speaker": "Ben", "text": "My cat is called Ophelia"},
    {**TURN, "id": "t3", "speaker": "Ben", "text": "The regatta is in June", "session": "s2"},
]
ASKED = {"conversation": "talk", "time": "2026-05-01T10:00:00", "category": "pets"}
QUERIES = [
    {**ASKED, "id": "q1", "text": "What is the greyhound called?", "evidence": ["t1"]},
    {**ASKED, "id": "q2", "text": "What is Ben's cat called?", "evidence": ["t2"]},
    {**ASKED, "id": "q3", "text": "When is it?", "evidence": ["t3"], "haystack": ["s2"]},
]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A small set."""
    for name, rows in (("corpus", CORPUS), ("queries", QUERIES)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return str(tmp_path)


@pytest.fixture
def measuring(bare_shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A person without a book, whose temporary files are in a known place."""
    room = tmp_path / "temporary"
    room.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(room))
    bare_shell.environ["COMMONPLACE_EMBEDDER"] = "none"
    return bare_shell


@pytest.mark.parametrize("store", ["sqlite", "vault"])
def test_eval_prints_the_scores_and_what_they_were_measured_with(
    measuring: Shell, folder: str, store: str, tmp_path: Path
) -> None:
    out = tmp_path / "run.json"
    told = measuring.run("eval", folder, "--store", store, "--out", str(out)).out
    assert all(word in told for word in ("any@10", "all@10", "ndcg@10", "newest_first", "MACRO"))
    assert "3 questions scored" in told
    assert f"{store} store, embedder none, strategy learned" in told
    run: dict[str, list[str]] = json.loads(out.read_text())
    assert {query: ids[0] for query, ids in run.items() if query != "q3"} == {
        "q1": "t1", "q2": "t2",
    }  # fmt: skip
    assert list((tmp_path / "temporary").iterdir()) == [], "the sample book is gone"
    assert not (tmp_path / "state").exists(), "and the person's own state untouched"


def test_eval_tells_json_without_the_run(measuring: Shell, folder: str) -> None:
    told = measuring.ask("eval", folder, "--haystack", "--limit-queries", "2")
    assert told["scores"]["scored"] == 2
    assert told["scores"]["results"]["ALL"]["n"] == 2
    assert (told["haystack"], told["embedder"], told["saved"]) == (True, "none", 3)
    assert "run" not in told


def test_eval_with_haystack_looks_only_there(measuring: Shell, folder: str, tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    measuring.run("eval", folder, "--haystack", "--out", str(out))
    assert set(json.loads(out.read_text())["q3"]) <= {"t3"}


@pytest.mark.parametrize("arguments", [("eval",), ("eval", "somewhere", "--own")])
def test_eval_wants_one_thing_to_evaluate(measuring: Shell, arguments: tuple[str, ...]) -> None:
    failed = measuring.try_(*arguments)
    assert failed.code == 2
    assert "commonplace eval --own" in failed.err


def test_eval_says_what_is_wrong_before_it_begins(measuring: Shell, folder: str) -> None:
    assert "does not exist" in measuring.try_("eval", "/nowhere/at/all").err
    failed = measuring.try_("eval", folder, "--out", "/nowhere/at/all/run.json")
    assert (failed.code, "cannot be written" in failed.err) == (2, True)


NOTES = (
    "The staging server in Reykjavik is rebooted every Thursday by Halldora",
    "Ada prefers jasmine tea from the corner shop near the harbour",
    "Invoices above nine thousand crowns need Bertrand to countersign them",
    "Chess evenings moved to the basement because of the renovation",
    "Vaccination records of the dogs are in the green binder",
)


@pytest.fixture
def reader(shell: Shell) -> Shell:
    """A person with a few notes."""
    shell.environ["COMMONPLACE_EMBEDDER"] = "none"
    for note in NOTES:
        shell.run("save", note)
    return shell


def test_eval_own_reports_and_draws_a_trend(reader: Shell) -> None:
    first = reader.run("eval", "--own").out
    assert "Asked about 5 of 5 memories: 100.0% are found first" in first
    assert "since" not in first, "one check is no trend"
    assert "██" in reader.run("eval", "--own").out
    told: dict[str, Any] = reader.ask("eval", "--own")
    assert told["checked"]["first"] == 1.0
    assert len(told["trend"]) == 3


def test_eval_own_of_an_empty_book_says_so(shell: Shell) -> None:
    assert "Save some first" in shell.run("eval", "--own").out


def test_why_last_tells_the_question_and_the_parts_of_each_score(reader: Shell) -> None:
    reader.run("recall", "who reboots the staging server?")
    told = reader.run("why", "last").out
    assert "who reboots the staging server?" in told
    assert NOTES[0] in told
    assert "words" in told
    assert reader.run("why").out == told


def test_the_parts_that_why_tells_make_up_the_score(reader: Shell) -> None:
    reader.run("recall", "who reboots the staging server on Thursday?")
    for hit in reader.ask("why", "last")["hits"]:
        score = sum(share for part, share in hit["parts"].items() if part not in WEIGHTS)
        for part, share in hit["parts"].items():
            score *= share if part in WEIGHTS else 1.0
        assert score == pytest.approx(hit["score"], rel=0.01)


def test_why_takes_a_memory_or_a_recall(reader: Shell) -> None:
    reader.run("recall", "jasmine tea")
    reader.run("recall", "chess evenings")
    logged = {one["query"]: one for one in reader.ask("audit", "recalls")}
    tea = logged["jasmine tea"]
    assert reader.ask("why", tea["id"])["retrieval"]["query"] == "jasmine tea"
    assert reader.ask("why", tea["results"][0][0])["hits"][0]["place"] == 1
    assert reader.try_("why", "zebra").code == 4


def test_why_before_any_recall_says_what_to_do(shell: Shell) -> None:
    failed = shell.try_("why", "last")
    assert failed.code == 4
    assert "commonplace recall" in failed.err


def test_a_trend_that_hardly_moves_looks_flat() -> None:
    assert render_sparkline([0.95, 0.96, 0.95]) == "▇█▇"
    assert render_sparkline([0.2, 0.9]) == "▁█"
    assert render_sparkline([0.5]) == "█"
