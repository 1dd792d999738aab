"""Each adapter's example runs as it is, as a process of its own, without network or key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples import EXAMPLES, said_by

TOLD = {
    "adapters_anthropic.py": "asked later: Deploys: Thursdays, from the release branch",
    "adapters_langgraph.py": "  Ada's printer is on the third floor",
    "adapters_openai_agents.py": "I have read 3 items",
    "adapters_google_adk.py": "ada finds: The heron only eats",
    "adapters_claude_sdk.py": "staging database is db7",
    "adapters_copilot_sdk.py": "Kept of it: ",
}


@pytest.mark.parametrize("name", TOLD)
def test_example_of_an_adapter_runs_as_it_is(name: str, tmp_path: Path) -> None:
    assert TOLD[name] in said_by(name, tmp_path)


def test_every_adapters_example_is_run_by_a_test() -> None:
    assert {path.name for path in EXAMPLES.glob("adapters_*.py")} == set(TOLD)
