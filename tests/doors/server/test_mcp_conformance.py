"""The protocol's own conformance suite and inspector, against the real server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.server.mcp_suite.install import NODE, PLACE
from tests.doors.serving import Served, book_in, serving

SUITE = PLACE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
INSPECTOR = PLACE / "node_modules" / "@modelcontextprotocol" / "inspector"
REQUIRED = {
    "2026-07-28": {
        "server-stateless", "tools-list", "resources-list", "prompts-list", "caching",
        "http-header-validation", "sep-2164-resource-not-found", "dns-rebinding-protection",
        "input-required-result-unsupported-methods",
    },
    "2025-11-25": {
        "server-initialize", "ping", "tools-list", "resources-list", "prompts-list",
        "dns-rebinding-protection",
    },
}  # fmt: skip
"""The scenarios that ask for no tools, prompts or resources of the suite's own invention."""
NEEDS_ITS_OWN_TOOL = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
}
"""Checks of those scenarios that call a tool which only the suite's example server has."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if not SUITE.exists():
        pytest.fail("The conformance suite is not installed: run `make mcp-suite`.")
    with book_in(tmp_path_factory.mktemp("conformance")) as book, serving(book) as one:
        book.save("The deploy branch is main")
        yield one


@pytest.mark.parametrize("version", REQUIRED)
def test_the_conformance_suite_has_nothing_to_say(
    served: Served, version: str, tmp_path: Path
) -> None:
    command = [NODE, SUITE, "server", "--url", f"{served.url}/mcp", "--suite", "all"]
    subprocess.run(
        [*command, "--spec-version", version, "-o", tmp_path],
        capture_output=True,
        timeout=120,
        check=False,
    )
    done = {
        path.parent.name: json.loads(path.read_text()) for path in tmp_path.glob("*/checks.json")
    }
    for scenario in REQUIRED[version]:
        (checks,) = [one for name, one in done.items() if name.startswith(f"server-{scenario}-20")]
        passed = [one["id"] for one in checks if one["status"] == "SUCCESS"]
        failed = {
            one["id"]: one.get("errorMessage") for one in checks if one["status"] == "FAILURE"
        }
        assert passed, scenario
        assert not failed.keys() - NEEDS_ITS_OWN_TOOL, (scenario, failed)


def inspect(served: Served, method: str, *more: str) -> Any:
    program = json.loads((INSPECTOR / "package.json").read_text())["bin"]["mcp-inspector"]
    command = [NODE, INSPECTOR / program, "--cli", f"{served.url}/mcp", "--transport", "http"]
    done = subprocess.run(
        [*command, "--method", method, *more],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_inspector_lists_every_tool_and_calls_each(served: Served) -> None:
    tools = {one["name"]: one for one in inspect(served, "tools/list")["tools"]}
    assert all(one["annotations"]["openWorldHint"] is False for one in tools.values())
    id = served.book.save("A wrong idea").id
    given = {
        "memory_search": "query=deploy branch",
        "memory_recall": "query=deploy branch",
        "memory_append": "content=Ada drinks tea",
        "memory_forget": f"ref={id}",
        "memory_profile": "replace=false",
    }
    assert tools.keys() == given.keys()
    for name, argument in given.items():
        told = inspect(served, "tools/call", "--tool-name", name, "--tool-arg", argument)
        assert not told.get("isError")
        assert told["structuredContent"]
    assert [one.content for one in served.book.list()] == [
        "Ada drinks tea",
        "The deploy branch is main",
    ]
