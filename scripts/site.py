"""Build the documentation's site from docs/ and zensical.toml; a link that leads nowhere stops it.

Files outside docs/ that a page links to become part of the site, so that the same links work in
the repository and on the site.

python scripts/site.py [folder]
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
SITE = ROOT / "build" / "site"
LINK = re.compile(r"(?<=\]\()[^)#:\s]+(?=[)#])")
"""The path of a link to a file, without its anchor."""


def build(root: Path, site: Path) -> int:
    """Build the site of the documents under a root; the exit code of the builder."""
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        shutil.copytree(root / "docs", work / "docs")
        shutil.copy(root / "zensical.toml", work)
        _gather(root, work / "docs")
        command = [sys.executable, "-m", "zensical", "build", "--strict"]
        done = subprocess.run(command, cwd=work, check=False)  # noqa: S603
        if done.returncode == 0:
            shutil.rmtree(site, ignore_errors=True)
            shutil.copytree(work / "site", site)
    return done.returncode


def _gather(root: Path, docs: Path) -> None:
    """Copy what pages link to, and what those link to in turn; adapt their links."""
    waiting = [f"docs/{page.relative_to(docs)}" for page in docs.rglob("*.md")]
    seen = {*waiting}
    while waiting:
        place = waiting.pop()
        here = docs / _on_site(place)
        here.parent.mkdir(parents=True, exist_ok=True)
        if not place.endswith(".md"):
            shutil.copy(root / place, here)
            continue
        text = (root / place).read_text(encoding="utf-8")
        here.write_text(LINK.sub(lambda found, at=place: _relinked(at, found[0]), text), "utf-8")
        for link in LINK.findall(text):
            target = _target(place, link)
            if target not in seen and (root / target).is_file():
                seen.add(target)
                waiting.append(target)


def _relinked(place: str, link: str) -> str:
    folder = posixpath.dirname(_on_site(place)) or "."
    return posixpath.relpath(_on_site(_target(place, link)), folder)


def _target(place: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), link))


def _on_site(path: str) -> str:
    return path.removeprefix("docs/") if path.startswith("docs/") else f"files/{path}"


if __name__ == "__main__":
    sys.exit(build(ROOT, Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else SITE))
