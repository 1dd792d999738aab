"""Claude Code itself, as its SDK brings it along, with our hooks and plugin and a model of our own.

What it says and accepts is not guessed here: it runs.
"""

from __future__ import annotations

import importlib.util
import shlex
import subprocess
from pathlib import Path

import pytest

from commonplace.doors.install.records import problems
from tests import ROOT

from .machine import ASKED, Machine
from .model import Model, model


def program() -> Path:
    """The command that comes inside the SDK's package."""
    found = importlib.util.find_spec("claude_agent_sdk")
    assert found is not None
    assert found.origin is not None
    bundled = Path(found.origin).parent / "_bundled" / "claude"
    if not bundled.exists():
        pytest.skip("the SDK for this platform does not bring Claude Code along")
    return bundled


def claude(machine: Machine, *arguments: str, url: str = "") -> str:
    """Run Claude Code in a home of its own, with nobody to call but the model given."""
    folder = machine.home / "mech-fighters"
    folder.mkdir(exist_ok=True)
    environ = {
        **machine.environ,
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": url or "http://127.0.0.1:9",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
    }
    done = subprocess.run(
        [str(program()), *arguments],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done
    return done.stdout


def install(machine: Machine) -> None:
    from commonplace.doors.install.install import install

    install("claude", machine.environ, mcp=False)


def ask(machine: Machine, one: Model, *options: str) -> str:
    return claude(machine, *options, "-p", ASKED, url=one.url).strip()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    with made.book() as book:
        book.save("We deploy from the branch main")
        book.fact_store("arena.name", "Colosseum")
    return made


def test_memories_reach_the_model_and_turns_reach_the_book(machine: Machine) -> None:
    install(machine)
    with model("From main, then.") as one:
        assert ask(machine, one) == "From main, then."
    assert "arena.name: Colosseum" in one.said_to_it
    assert "We deploy from the branch main" in one.said_to_it
    machine.drain()
    assert machine.waiting() == []
    with machine.book() as book:
        [summary] = book.list(kinds=["session-summary"])
    assert ASKED in summary.content.casefold()
    assert "From main, then." in summary.content
    assert machine.log == []


def test_plugin_is_valid_and_works_beside_the_installed_hooks(machine: Machine) -> None:
    for folder in (ROOT / "plugins" / "commonplace", ROOT):
        claude(machine, "plugin", "validate", str(folder), "--strict")
    install(machine)
    # The real uvx, with an index, starts the same lines in tests/test_packages.py.
    uvx = machine.home / "bin" / "uvx"
    uvx.parent.mkdir()
    uvx.write_text(
        f'#!/bin/sh\n[ "$1 $2 $3" = "--from commonplace-memory commonplace" ] || exit 64\n'
        f'shift 3\nexec {shlex.quote(installed())} "$@"\n'
    )
    uvx.chmod(0o755)
    machine.environ["PATH"] = f"{uvx.parent}:{machine.environ['PATH']}"
    with model("From main.") as one:
        plugin = str(ROOT / "plugins" / "commonplace")
        ask(machine, one, "--plugin-dir", plugin, "--strict-mcp-config")
    [request] = [told for told in one.heard if ASKED in str(told)][:1]
    assert str(request).count("We deploy from the branch main") == 1
    machine.drain()
    with machine.book() as book:
        [summary] = book.list(kinds=["session-summary"])
    assert summary.content.casefold().count(ASKED) == 1


def test_the_plugin_that_claude_code_installs_is_known_to_doctor(machine: Machine) -> None:
    claude(machine, "plugin", "marketplace", "add", str(ROOT))
    claude(machine, "plugin", "install", "commonplace@commonplace")
    assert connection(machine) == "is connected by its plugin"
    claude(machine, "plugin", "disable", "commonplace@commonplace")
    assert connection(machine) == "is not connected"


def connection(machine: Machine) -> str:
    [found] = [one for one in problems(machine.environ) if one.where == "Claude Code"]
    return found.what


def installed() -> str:
    from commonplace.doors.install.program import program

    return program()[0]


def test_the_first_request_offers_the_tools_of_memory(machine: Machine) -> None:
    from commonplace.doors.install.install import install

    install("claude", machine.environ)
    with model("From main, then.") as one:
        ask(machine, one)
    [request] = [told for told in one.heard if ASKED in str(told)][:1]
    assert "mcp__commonplace__memory_search" in str(request)
