"""What shelves take from us: plugins, marketplaces, registry, bundle, image; each by its validator.

Claude Code's own validator is in tests/hosts; tests/test_packages.py starts what the files name.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace import __version__
from commonplace.distribution import NAME as DISTRIBUTION
from commonplace.doors.cli.app import built
from tests import ROOT
from tests.doors.server.mcp_suite.install import NODE, PLACE

BIN = Path(sys.executable).parent
PLUGIN = ROOT / "plugins" / "commonplace"
BUNDLE = ROOT / "plugins" / "mcpb"
MANIFESTS = {
    "Agent Plugins": PLUGIN / "plugin.json",
    "Claude Code": PLUGIN / ".claude-plugin" / "plugin.json",
    "MCP registry": ROOT / "server.json",
    "MCP bundle": BUNDLE / "manifest.json",
}
SHELVES = ("agent-plugin", "codex-marketplace", "marketplace", "mcp-registry")
"""Kinds of files that the linter must recognize, or it checked nothing."""


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def change(path: Path, how: Callable[[Any], object]) -> None:
    content = read(path)
    how(content)
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.fixture
def shelves(tmp_path: Path) -> Path:
    """A copy of the files for shelves alone."""
    for name in ("plugins", ".agents", ".claude-plugin"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("server.json", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check every file against the published schemas, which the linter has with it."""
    return subprocess.run(
        [str(BIN / "skillsaw"), "lint", str(folder)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("shelf", MANIFESTS)
def test_every_manifest_names_this_version(shelf: str) -> None:
    assert read(MANIFESTS[shelf])["version"] == __version__


def test_plugins_marketplaces_and_registry_keep_to_their_published_schemas(shelves: Path) -> None:
    done = lint(shelves)
    assert done.returncode == 0, done.stdout
    [kinds] = re.findall(r"Repo type: (.*)", done.stdout)
    assert {*SHELVES} <= {*kinds.split(", ")}
    assert re.search(r"Errors: +0\b", done.stdout)


@pytest.mark.parametrize(
    ("file", "how"),
    [
        ("plugins/commonplace/plugin.json", lambda it: it.update(name="Common Place")),
        ("plugins/commonplace/mcp.json", lambda it: it["mcpServers"]["commonplace"].pop("type")),
        (".agents/plugins/marketplace.json", lambda it: it["plugins"][0].pop("source")),
        (".claude-plugin/marketplace.json", lambda it: it.pop("owner")),
        ("server.json", lambda it: it["packages"][0].pop("transport")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_breaks_its_schema_would_be_noticed(
    shelves: Path, file: str, how: Callable[[Any], object]
) -> None:
    change(shelves / file, how)
    done = lint(shelves)
    assert done.returncode != 0, done.stdout


def test_the_registry_can_tell_that_the_package_is_ours() -> None:
    server = read(ROOT / "server.json")
    [package] = server["packages"]
    assert (package["identifier"], package["version"]) == (DISTRIBUTION, __version__)
    assert f"<!-- mcp-name: {server['name']} -->" in (ROOT / "README.md").read_text("utf-8")
    label = f"io.modelcontextprotocol.server.name={server['name']}"
    assert label in (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
    [argument] = package["packageArguments"]
    assert argument["value"] in built().commands


def test_the_bundle_installs_this_version_of_the_package() -> None:
    about = tomllib.loads((BUNDLE / "pyproject.toml").read_text("utf-8"))["project"]
    assert about["dependencies"] == [f"{DISTRIBUTION}=={__version__}"]
    assert (BUNDLE / read(BUNDLE / "manifest.json")["server"]["entry_point"]).exists()


def test_both_plugins_start_the_same_server_and_only_claude_code_its_hooks() -> None:
    claude = read(PLUGIN / ".claude-plugin" / "plugin.json")
    assert claude["mcpServers"] == "./mcp.json"
    assert (PLUGIN / claude["hooks"]).exists()
    # Other hosts look here, and would run hooks that are made for Claude Code.
    assert not any((PLUGIN / name).exists() for name in ("hooks.json", "hooks/hooks.json"))


def test_the_container_file_passes_its_linter() -> None:
    done = subprocess.run(
        [str(BIN / "hadolint"), "--no-color", str(ROOT / "deploy" / "Dockerfile")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def validator(name: str, *arguments: str) -> str:
    """Run a validator that npm brought."""
    program = PLACE / "node_modules" / ".bin" / name
    if not program.exists():
        pytest.fail("The validators are not installed: run `make mcp-suite`.")
    done = subprocess.run(
        [str(NODE), str(program.resolve()), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_bundle_is_valid_and_can_be_packed(tmp_path: Path) -> None:
    validator("mcpb", "validate", str(BUNDLE / "manifest.json"))
    packed = tmp_path / "commonplace.mcpb"
    validator("mcpb", "pack", str(BUNDLE), str(packed))
    assert packed.stat().st_size < 10_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder", ["plugins/commonplace/skills", "src/commonplace/doors/install/skills"]
)
def test_the_skill_is_valid(folder: str) -> None:
    assert "Valid skill" in validator("skills-ref", "validate", str(ROOT / folder / "commonplace"))
