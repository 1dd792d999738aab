"""The protocol's own conformance suite and inspector, against both real doors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.mcp.bridge import bridged
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
        "server-initialize", "ping", "logging-set-level", "tools-list", "resources-list",
        "prompts-list", "dns-rebinding-protection",
    },
}  # fmt: skip
"""The scenarios that ask for no tools, prompts or resources of the suite's own invention."""
ABOUT_HTTP = {"http-header-validation", "dns-rebinding-protection"}
"""Scenarios that a pipe knows nothing of."""
NEEDS_ITS_OWN_TOOL = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
}
"""Checks of those scenarios that call a tool which only the suite's example server has."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not SUITE.exists():
        pytest.fail("The conformance suite is not installed: run `make mcp-suite`.")
    return tmp_path_factory.mktemp("conformance")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with book_in(folder) as book, serving(book) as one:
        book.save("The deploy branch is main")
        yield one


@pytest.fixture(scope="module")
def environ(folder: Path, served: Served) -> dict[str, str]:
    """The same book, for a process that opens it."""
    return {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "COMMONPLACE_URL": served.book.url,
        "COMMONPLACE_STATE": str(folder / "state"),
        "COMMONPLACE_EMBEDDER": "none",
        "COMMONPLACE_PROJECT": "none",
    }


@pytest.mark.parametrize("version", REQUIRED)
def test_the_conformance_suite_has_nothing_to_say(
    served: Served, version: str, tmp_path: Path
) -> None:
    check_with_suite(f"{served.url}/mcp", version, REQUIRED[version], tmp_path)


@pytest.mark.parametrize("version", REQUIRED)
def test_the_conformance_suite_has_nothing_to_say_of_the_pipe(
    environ: dict[str, str], version: str, tmp_path: Path
) -> None:
    with bridged(environ) as url:
        check_with_suite(url, version, REQUIRED[version] - ABOUT_HTTP, tmp_path, http=False)


def check_with_suite(
    url: str, version: str, scenarios: set[str], results: Path, *, http: bool = True
) -> None:
    """Run the suite; without `http`, checks of headers and statuses do not count."""
    command = [NODE, SUITE, "server", "--url", url, "--suite", "all"]
    subprocess.run(
        [*command, "--spec-version", version, "-o", results],
        capture_output=True,
        timeout=120,
        check=False,
    )
    done = {
        path.parent.name: json.loads(path.read_text()) for path in results.glob("*/checks.json")
    }
    for scenario in scenarios:
        (checks,) = [one for name, one in done.items() if name.startswith(f"server-{scenario}-20")]
        passed = [one["id"] for one in checks if one["status"] == "SUCCESS"]
        failed = {
            one["id"]: one.get("errorMessage") for one in checks if one["status"] == "FAILURE"
        }
        assert passed, scenario
        left = {one for one in failed.keys() - NEEDS_ITS_OWN_TOOL if http or "-http-" not in one}
        assert not left, (scenario, failed)


def inspect(target: list[str], method: str, *more: str, environ: dict[str, str]) -> Any:
    program = json.loads((INSPECTOR / "package.json").read_text())["bin"]["mcp-inspector"]
    done = subprocess.run(
        [NODE, INSPECTOR / program, "--cli", *target, "--method", method, *more],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environ,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("way", ["http", "pipe"])
def test_the_inspector_lists_every_tool_and_calls_each(
    served: Served, environ: dict[str, str], way: str
) -> None:
    target = [f"{served.url}/mcp", "--transport", "http"]
    if way == "pipe":
        named = [f"-e{name}={value}" for name, value in environ.items()]
        target = [*named, "--transport", "stdio", sys.executable, "-m", "commonplace", "mcp"]
    tools = {one["name"]: one for one in inspect(target, "tools/list", environ=environ)["tools"]}
    assert all(one["annotations"]["openWorldHint"] is False for one in tools.values())
    id = served.book.save("A wrong idea").id
    given = {
        "memory_search": "query=deploy branch",
        "memory_recall": "query=deploy branch",
        "memory_append": "content=Ada drinks tea",
        "memory_forget": f"ref={id}",
        "memory_forget_about": "description=the Oslo trip",
        "memory_profile": "replace=false",
    }
    assert tools.keys() == given.keys()
    for name, argument in given.items():
        given_to = ("--tool-name", name, "--tool-arg", argument)
        told = inspect(target, "tools/call", *given_to, environ=environ)
        assert not told.get("isError")
        assert told["structuredContent"]
    assert [one.content for one in served.book.list()] == [
        "Ada drinks tea",
        "The deploy branch is main",
    ]
