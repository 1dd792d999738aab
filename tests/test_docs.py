"""What the documents say is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commonplace import __version__, errors
from commonplace.embedders.opening import NAMES
from commonplace.rules.ranking import Ranking
from commonplace.scope import DIMENSIONS
from commonplace.settings import Settings

ROOT = Path(__file__).parent.parent
DOCS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_readme_s_commands_are_targets_of_the_makefile() -> None:
    targets = re.findall(r"^([a-z]+):", read("Makefile"), re.M)
    asked = re.findall(r"^make (\w+)", read("README.md"), re.M)
    assert asked == ["serve", "test"]
    assert set(asked) <= set(targets)


def test_ci_runs_the_readme_s_test_command() -> None:
    assert read(".ci/run").strip().endswith("exec make test")


@pytest.mark.parametrize("name", Settings.__fields__)
def test_every_setting_is_in_the_guide(name: str) -> None:
    assert f"`{name}" in read("docs/guide.md")


def test_every_embedder_and_strategy_is_documented() -> None:
    said = read("docs/retrieval.md")
    for name in (*NAMES, Ranking().strategy, "composite", "rrf", "semantic"):
        assert name.split(":")[0] in said


def test_the_scope_weights_in_the_guide_are_the_real_ones() -> None:
    weights = Ranking().scope_weights
    said = read("docs/guide.md")
    assert f"`/` {weights['book']}" in said
    assert f"agent {weights['agent']}" in said
    assert f"task {weights['task']}" in said
    assert all(dimension in said for dimension in DIMENSIONS)


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


def test_the_version_is_in_the_changelog() -> None:
    assert f"## {__version__}" in read("CHANGELOG.md")
    assert f'version = "{__version__}"' in read("pyproject.toml")
    assert errors.CommonplaceError.__doc__
