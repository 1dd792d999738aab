"""Without the packages of any extra, everything but `serve` works, MCP included."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.mcp.pipe import Pipe
from tests.doors.shell import Shell

ABSENT = """
from importlib.machinery import PathFinder

ABSENT = {
    "fastapi", "fastmcp", "fastmcp_slim", "mcp", "mcp_types",
    "prometheus_client", "starlette", "uvicorn", "anyio", "httpx", "opentelemetry", "nicegui",
    "pydantic_ai", "cryptography", "keyring", "pypdf", "redis", "psycopg", "pymilvus", "anthropic",
}

found = PathFinder.find_spec

def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] in ABSENT else found(name, path, target)

PathFinder.find_spec = find_spec
"""
"""Python runs a module of this name at its start."""


@pytest.fixture
def base(vault_shell: Shell, tmp_path: Path) -> Shell:
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "sitecustomize.py").write_text(ABSENT, encoding="utf-8")
    vault_shell.environ |= {"PYTHONPATH": str(packages), "COMMONPLACE_EMBEDDER": "none"}
    return vault_shell


def test_commands_work(base: Shell) -> None:
    probe = [sys.executable, "-c", "import fastmcp"]
    absent = subprocess.run(probe, env=base.environ, capture_output=True, check=False)
    assert b"No module named 'fastmcp'" in absent.stderr
    for command in (
        ["save", "The deploy branch is main"],
        ["recall", "deploy branch"],
        ["list"],
        ["token", "list"],
        ["install", "--help"],
        ["mcp", "--help"],
    ):
        done = base.process(*command)
        assert (done.returncode, done.stderr) == (0, ""), command


def test_mcp_starts_lists_and_answers(base: Shell) -> None:
    with Pipe(base.environ, "--project", "none") as pipe:
        assert pipe.initialize()["serverInfo"]["name"] == "commonplace"
        assert pipe.ask("tools/list")["result"]["tools"]
        saved = pipe.call("memory_append", content="Robots fight in pairs")
        assert not saved["isError"], saved
        found = pipe.call("memory_search", query="how do robots fight?")
        assert "Robots fight in pairs" in found["content"][0]["text"]
        assert pipe.end() == (0, "")


def test_serve_says_what_to_install(base: Shell) -> None:
    for options, extra in ((), "[panel]"), (("--no-panel",), "[server]"):
        done = base.process("serve", *options)
        assert done.returncode == 9
        assert "is not installed" in done.stderr
        assert extra in done.stderr
