"""The documentation's site builds without a network, and every link on it leads somewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of a copy of the project."""
    return subprocess.run(
        [sys.executable, str(root / "scripts" / "site.py"), str(site)],
        env={"PATH": "/usr/bin:/bin", "http_proxy": "http://127.0.0.1:9", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The project's documents, to be changed."""
    root = tmp_path / "project"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", ".", ":!src", ":!tests"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    return root


def test_the_site_has_every_page_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = build(ROOT, site)
    assert done.returncode == 0, done.stdout + done.stderr
    for page in (ROOT / "docs").glob("*.md"):
        place = site / "index.html" if page.stem == "index" else site / page.stem / "index.html"
        html = place.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//[^"]*"', html)
    assert "Changelog" in (site / "files" / "CHANGELOG" / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    "link", ["[gone](nowhere.md)", "[gone](guide.md#no-such-heading)", "[gone](../NOWHERE.md)"]
)
def test_a_link_that_leads_nowhere_stops_the_build(copied: Path, tmp_path: Path, link: str) -> None:
    page = copied / "docs" / "faq.md"
    page.write_text(page.read_text("utf-8") + f"\n{link}\n", encoding="utf-8")
    done = build(copied, tmp_path / "site")
    assert done.returncode != 0, done.stdout
    assert not (tmp_path / "site").exists()


def test_every_page_is_in_the_navigation() -> None:
    named = re.findall(r'= "([\w./]+\.md)"', (ROOT / "zensical.toml").read_text("utf-8"))
    assert len(named) == len({*named})
    assert {page.name for page in (ROOT / "docs").glob("*.md")} <= {*named}
