"""What the documents say is so."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from commonplace import __version__
from commonplace.books.services import EMBEDDER_NAMES
from commonplace.model.scope import DIMENSIONS
from commonplace.model.value import Value
from commonplace.rules.handed_over.digest_settings import DigestSettings
from commonplace.rules.parameters import RankingWeights
from commonplace.rules.screening.credential_formats import FORMATS
from commonplace.settings import Settings
from tests import ROOT

DOCS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
RETRIEVAL = "docs/retrieval.md"
LONGEST_ENTRY = 280
"""Characters of a line of the changelog."""
GROUPS = {name: group for name, group in Settings.__defaults__.items() if isinstance(group, Value)}
"""Settings with settings inside."""
NESTED = {
    f"{group}.{name}": default
    for group, value in GROUPS.items()
    for name, default in value.__defaults__.items()
}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_readme_s_commands_are_targets_of_the_makefile() -> None:
    targets = re.findall(r"^([a-z]+):", read("Makefile"), re.M)
    asked = re.findall(r"^make (\w+)", read("README.md"), re.M)
    assert asked == ["serve", "test"]
    assert set(asked) <= set(targets)


def test_ci_runs_the_readme_s_test_command_and_then_the_slow_proofs() -> None:
    commands = [line for line in read(".ci/run").splitlines() if line.startswith("make ")]
    assert commands == ["make test", "make proofs"]
    assert "\nmake test " in read("README.md")


def test_the_readme_compares_as_the_page_with_the_sources_does() -> None:
    [table] = re.findall(r"^\| \| Commonplace \|.*?(?=\n\n)", read("README.md"), re.M | re.S)
    compared = read("docs/comparison.md")
    assert table in compared
    for project in re.findall(r"[\w-]+", table.splitlines()[0])[1:]:
        assert re.search(rf"^\| {project} \| `[0-9a-f]{{8}}`, 20\d\d-", compared, re.M), project


def test_the_readme_says_how_often_a_strong_answer_is_right_as_the_measurement_does() -> None:
    [measured] = re.findall(r"^\| read by the checker .*\| \.(\d+) \|$", read(RETRIEVAL), re.M)
    assert f"{measured} % of the answers called `strong` are right" in read("README.md")


def test_the_readme_s_share_of_questions_found_is_that_of_the_measurement() -> None:
    [row] = re.findall(r"^\| LoCoMo \|(.*)\|$", read(RETRIEVAL), re.M)
    words_alone, *_, ours = [round(100 * float(cell.split("/")[0])) for cell in row.split("|")]
    said = read("README.md")
    assert f"for {ours} % of the questions of LoCoMo" in said
    assert f"(BM25) reaches {words_alone} %" in said


def test_the_number_of_credential_formats_is_the_real_one() -> None:
    assert f"- {len(FORMATS)} published formats" in read("docs/privacy.md")


def in_the_guide(default: object) -> str:
    """A default as a table shows it."""
    if isinstance(default, Mapping):
        return ", ".join(f"{name} {number:g}" for name, number in default.items())
    if isinstance(default, str):
        return f"`{default}`" if default else "none"
    return str(default).lower() if isinstance(default, bool) else f"{default:g}"


@pytest.mark.parametrize("name", [name for name in Settings.__fields__ if name not in GROUPS])
def test_every_setting_is_in_the_guide(name: str) -> None:
    assert f"`{name}`" in read("docs/guide.md")


@pytest.mark.parametrize("name", NESTED)
def test_every_setting_inside_another_is_in_the_guide_with_its_default(name: str) -> None:
    assert f"| `{name}` | {in_the_guide(NESTED[name])} |" in read("docs/guide.md")


def test_the_guide_has_no_setting_that_is_gone() -> None:
    said = re.findall(rf"`((?:{'|'.join(GROUPS)})\.\w+)`", read("docs/guide.md"))
    assert {*said} == {*NESTED}


@pytest.mark.parametrize("name", DigestSettings.__fields__)
def test_every_setting_of_digests_is_in_their_page(name: str) -> None:
    assert re.search(rf"^ +{name}s?:", read("docs/digest.md"), re.M)


def test_contributing_shows_every_room_of_the_package_in_the_order_of_the_contract() -> None:
    shown = re.findall(r"(?<![\w/])(\w+)(?:/|\.py)\s", read("CONTRIBUTING.md").split("```")[1])
    rooms = {path.stem for path in (ROOT / "src/commonplace").glob("[!_]*")}
    assert rooms <= {*shown}
    [layered] = [
        one["layers"]
        for one in tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
        if one["type"] == "layers"
    ]
    contract = re.findall(r"commonplace\.(\w+)", " ".join(layered))
    assert [room for room in shown if room in contract] == contract


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.name)
def test_programs_that_a_document_names_are_there(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for named in re.findall(r"\b(?:benchmarks|examples|scripts|tests)/[\w/]+\.\w+", text):
        assert (ROOT / named).exists(), named


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.name)
def test_commands_that_a_document_names_are_there(document: Path) -> None:
    known = {*re.findall(r"^### `commonplace ([a-z-]+)", read("docs/commands.md"), re.M)}
    named = re.findall(r"`commonplace ([a-z][a-z-]*)[^`\n]*`", document.read_text("utf-8"))
    assert {*named} <= known


def test_every_embedder_and_strategy_is_documented() -> None:
    said = read("docs/retrieval.md")
    for name in (*EMBEDDER_NAMES, RankingWeights().strategy, "composite", "rrf", "semantic"):
        assert name.split(":")[0] in said


def test_the_scope_weights_in_the_guide_are_the_real_ones() -> None:
    weights = RankingWeights().scope_weights
    said = read("docs/guide.md")
    assert f"`/` {weights['book']}" in said
    assert f"agent {weights['agent']}" in said
    assert f"task {weights['task']}" in said
    assert all(dimension in said for dimension in DIMENSIONS)


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


def test_the_first_release_names_every_command_in_the_changelog() -> None:
    released = read("CHANGELOG.md").split("## 0.1.0")[1].split("\n## ")[0]
    commands = {*re.findall(r"^### `commonplace ([a-z-]+)", read("docs/commands.md"), re.M)}
    missing = [one for one in commands if not re.search(rf"`(?:commonplace )?{one}\b", released)]
    assert missing == []


def test_an_entry_of_the_changelog_is_one_short_line() -> None:
    entries = [line for line in read("CHANGELOG.md").splitlines() if line.startswith("- ")]
    assert [line for line in entries if len(line) > LONGEST_ENTRY] == []


def test_the_version_is_in_the_changelog() -> None:
    assert f"## {__version__}" in read("CHANGELOG.md")
    assert f'version = "{__version__}"' in read("pyproject.toml")
