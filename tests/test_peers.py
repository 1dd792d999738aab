"""The comparison with other memories says what its last run measured."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.peers import trials
from benchmarks.peers.data import changes, final_tenth, labelled_set, look_alikes, notes
from benchmarks.peers.environments import COMMONPLACE, HERE, SYSTEMS, Environment, System
from benchmarks.peers.process import AdapterProcess, Failed, Vectors
from benchmarks.peers.table import COLUMNS, PAGES, RESULTS, table, with_table

from tests import ROOT

LAST = json.loads(RESULTS.read_text(encoding="utf-8"))
FTS5 = next(system for system in SYSTEMS if system.adapter == "fts5")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_tables_of_the_pages_are_those_of_the_last_run(page: Path) -> None:
    name, make = PAGES[page]
    text = page.read_text(encoding="utf-8")
    assert with_table(text, name, make(LAST)) == text, "run `python -m benchmarks.peers.table`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_figures_of_other_systems_stand_in_the_tables_of_the_run_alone(page: Path) -> None:
    others = "|".join(re.escape(one.name) for one in SYSTEMS if one.name != COMMONPLACE)
    text = re.sub(r"<!-- peers: .*?<!-- /peers -->", "", page.read_text("utf-8"), flags=re.S)
    for line in text.splitlines():
        if re.search(others, line):
            assert not re.search(r"\d+ (?:ms|s|of \d+)\b|×\d|[^\d]\.\d{2,3}\b", line), line


def test_the_last_run_measured_the_pinned_versions_of_every_system() -> None:
    measured = {row["name"]: row["version"] for row in LAST["systems"]}
    assert list(measured) == [system.name for system in SYSTEMS]
    for system in SYSTEMS:
        assert measured[system.name] == (system.version or measured[system.name])
    assert LAST["facts"] == {"changes": len(changes()), "look_alikes": 2 * len(look_alikes())}
    asked = final_tenth()
    assert LAST["set"]["questions"] == len(asked.queries)
    assert LAST["set"]["turns"] == len(asked.items)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.adapter)
def test_every_adapter_says_its_mode_and_what_it_cannot_do(system: System) -> None:
    text = (HERE / "adapters" / f"{system.adapter}_adapter.py").read_text(encoding="utf-8")
    header = text.split('"""')[1]
    assert "Mode: " in header
    assert "Cannot" in header


def test_a_missing_figure_is_a_dash_and_a_cost_a_multiple_of_ours() -> None:
    ours = {"name": "Commonplace", "version": "1", "measured": {"warm_ms": 4.0, "all@10": 0.5}}
    other = {"name": "Other", "version": "2", "measured": {"warm_ms": 10.0}}
    absent = {"name": "Absent", "version": "3", "not_installed": "It has no wheel."}
    made = table({"systems": [ours, other, absent]}, ("all@10", "warm search"))
    assert made.splitlines()[2:] == [
        "| Commonplace 1 | .500 | 4.0 ms |",
        "| Other 2 | — | 10 ms (×2.5) |",
        "| Absent 3 | — | — |",
    ]
    busy = {"load": 9.0, "cores": 2, "systems": [ours, other]}
    assert "ms" not in table(busy, ("all@10", "warm search"))
    assert len(COLUMNS) == 12


def test_a_system_runs_through_every_trial(tmp_path: Path) -> None:
    environment = Environment(FTS5, Path(sys.executable), "", "3", None)
    vectors = Vectors()

    def start(folder: Path) -> AdapterProcess:
        return AdapterProcess(environment, folder, vectors)

    figures, failed = trials.measured(start, tmp_path, final_tenth(), notes(50), lambda what: None)
    assert not failed
    assert figures.keys() == LAST["systems"][0]["measured"].keys() - {"install_mb"}
    assert figures["look_alikes_lost"] == figures["lost_by_kills"] == 0
    assert (figures["saved_before_kills"] or 0) > 4
    assert 0.3 < (figures["all@10"] or 0) < 1


def test_an_adapter_that_fails_says_why_and_ends(tmp_path: Path) -> None:
    environment = Environment(FTS5, Path(sys.executable), "", "3", None)
    with (
        pytest.raises(Failed, match="search: "),
        AdapterProcess(environment, tmp_path / "store", Vectors()) as system,
    ):
        system.ask("search", text="x")
    assert system.cpu_s is not None


def test_a_labelled_set_is_read_as_the_command_eval_reads_it(tmp_path: Path) -> None:
    turn = {
        "id": "D1:3",
        "conversation": "a b",
        "session": "1",
        "text": "It rains.",
        "speaker": "Ida",
    }
    asked = {"id": "q", "text": "Does it rain?", "conversation": "a b", "evidence": ["D1:3"]}
    for name, row in (("corpus", turn), ("queries", asked)):
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    read = labelled_set(str(tmp_path))
    [item], [query] = read.items, read.queries
    assert item["text"] == "Ida: It rains."
    assert (item["said"], item["scope"]) == ("It rains.", query.conversation)
    assert query.evidence == (item["id"],)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--systems", "mem1"], "There is no adapter mem1. Known: commonplace, mem0, "),
        (["--set", "/nowhere"], "/nowhere/corpus.jsonl.gz does not exist. Name a folder "),
        (["--notes", "0"], "A store of 0 notes cannot be timed. Name 1 or more."),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(given: list[str], said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.peers", *given],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1
