"""The release publishes what was built and tested, and nothing else may publish."""

from __future__ import annotations

from typing import Any

import pytest
from ruamel.yaml import YAML

from tests import ROOT


@pytest.fixture
def jobs() -> dict[str, Any]:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    return YAML(typ="safe", pure=True).load(text)["jobs"]


def steps(job: Any) -> str:
    return "\n".join(step.get("run") or step["uses"] for step in job["steps"])


def test_packages_are_checked_as_the_suite_checks_them(jobs: dict[str, Any]) -> None:
    for check in ("hatchling build", "twine check --strict", "check-wheel-contents"):
        assert check in steps(jobs["build"])


def test_the_wheel_is_tested_on_three_systems_before_it_is_published(jobs: dict[str, Any]) -> None:
    systems = jobs["test"]["strategy"]["matrix"]["os"]
    assert [one.partition("-")[0] for one in systems] == ["ubuntu", "macos", "windows"]
    assert "dist/*.whl" in steps(jobs["test"])
    assert "--editable" not in steps(jobs["test"])
    assert (jobs["test"]["needs"], jobs["publish"]["needs"]) == ("build", "test")


def test_publishing_needs_no_password_and_runs_no_code_of_ours(jobs: dict[str, Any]) -> None:
    [fetch, publish] = jobs["publish"]["steps"]
    assert fetch["uses"].startswith("actions/download-artifact@")
    assert publish["uses"].startswith("pypa/gh-action-pypi-publish@")
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert all("permissions" not in jobs[name] for name in ("build", "test"))
    assert "secrets." not in str(jobs)
