"""The worked example does what it says, as a process of its own."""

from __future__ import annotations

from pathlib import Path

from tests.examples import EXAMPLES, said_by


def test_example_agent_remembers_is_corrected_and_survives_a_kill(tmp_path: Path) -> None:
    lines = said_by("agent.py", tmp_path).splitlines()
    assert lines[0] == "[monday] agent: The staging database is db3. user: actually, db7."
    assert "[monday] learned at the end: The staging database is db7." in lines
    killed = lines.index("[tuesday] killed")
    assert lines[killed - 1] == "[tuesday] step 2: copy succeeded (host=db7, primary_key=keep)"
    assert lines[killed + 1].startswith("[wednesday] resumed: Move the shop's database")
    assert lines[killed + 2] == "[wednesday] step 3: copy succeeded (host=db7, primary_key=keep)"
    assert any("[wednesday] done: 1 finding kept" in line for line in lines)
    assert lines[-1] == "[book] Move the shop's database to the new cluster"


def test_every_example_is_run_by_a_test() -> None:
    # Those of the adapters are run by tests/doors/adapters/test_examples.py.
    names = {path.name for path in EXAMPLES.glob("*.py")}
    assert {name for name in names if not name.startswith("adapters_")} == {"agent.py"}
