"""An adapter whose framework is not installed says so in one sentence, with the command to run."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from tests import ROOT

EXTRAS = {
    "anthropic_memory": ("anthropic", "anthropic"),
    "langgraph_store": ("langgraph", "langgraph"),
    "claude_sdk": ("claude_agent_sdk", "claude"),
    "copilot_sdk": ("copilot", "copilot"),
    "openai_agents": ("agents", "openai-agents"),
    "google_adk": ("google", "adk"),
}


@pytest.mark.parametrize("adapter", EXTRAS)
def test_a_missing_framework_is_named_with_the_command_that_installs_it(adapter: str) -> None:
    package, extra = EXTRAS[adapter]
    script = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from commonplace import CommonplaceError\n"
        f"try:\n    import commonplace.doors.adapters.{adapter}\n"
        "except CommonplaceError as error:\n    print(error)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    assert "which is not installed. Install it with" in told
    assert f"pip install 'commonplace-memory[{extra}]'" in told


@pytest.mark.parametrize("adapter", EXTRAS)
def test_every_adapter_its_extra_and_its_example_are_documented(adapter: str) -> None:
    told = (ROOT / "docs" / "adapters.md").read_text(encoding="utf-8")
    extra = EXTRAS[adapter][1]
    named = f"`commonplace.doors.adapters.{adapter}`"
    (row,) = [line for line in told.splitlines() if named in line]
    assert f"| `{extra}` |" in row
    assert "(../examples/adapters_" in row
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert extra in project["optional-dependencies"]
