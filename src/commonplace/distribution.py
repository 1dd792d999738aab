"""The distribution that people install, and the commands for this installation of it.

The import and the command are `commonplace`; on the package index that name is another project's.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NAME = "commonplace-memory"
CACHE_MARK = "CACHEDIR.TAG"
"""File that marks a folder as a cache; uv and pipx put it into theirs."""


def release() -> str:
    """The three numbers of the installed version; zeros for sources that are not installed."""
    import re
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = re.match(r"\d+\.\d+\.\d+", version(NAME))
    except PackageNotFoundError:
        found = None
    return found[0] if found else "0.0.0"


def install_command(extra: str) -> str:
    """The shell command that adds an extra to this installation."""
    whole = requirement(extra)
    return {
        "uv tool": f"uv tool install '{whole}'",
        "uvx": f"uvx --from '{whole}' commonplace",
        "uv": f"uv pip install '{NAME}[{extra}]'",
        "pipx": f"pipx install --force '{whole}'",
        "pipx run": f"pipx run --spec '{whole}' commonplace",
        "pip": f"pip install '{NAME}[{extra}]'",
    }[installer()]


def reinstall_command() -> str:
    """The shell command that writes the files of this installation again."""
    return {
        "uv tool": f"uv tool upgrade --reinstall {NAME}",
        "uvx": f"uv cache clean {NAME}",
        "uv": f"uv pip install --force-reinstall --no-deps {NAME}",
        "pipx": f"pipx reinstall {NAME}",
        "pipx run": f"pipx run --no-cache {NAME}",
        "pip": f"pip install --force-reinstall --no-deps {NAME}",
    }[installer()]


def installer() -> str:
    """The program that made this installation, by the files that it left."""
    folder = sys.prefix
    if os.path.exists(os.path.join(folder, "uv-receipt.toml")):
        return "uv tool"
    if os.path.exists(os.path.join(folder, "pipx_metadata.json")):
        return "pipx" if os.path.basename(os.path.dirname(folder)) == "venvs" else "pipx run"
    if cache_around(folder):
        return "uvx"
    return "uv" if _made_by_uv(folder) else "pip"


def cache_around(folder: str) -> str:
    """The cache that a folder lies in, or empty; an environment's own mark does not count."""
    above = os.path.dirname(os.path.realpath(folder))
    while above != os.path.dirname(above):
        if os.path.exists(os.path.join(above, CACHE_MARK)):
            return above
        above = os.path.dirname(above)
    return ""


def requirement(*more: str) -> str:
    """The distribution with the extras that are installed here, and `more` of them."""
    extras = sorted({*_extras(), *more})
    return f"{NAME}[{','.join(extras)}]" if extras else NAME


def source() -> str:
    """The URL of the file or repository that was installed; empty if it came from an index."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        recorded = distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        return ""
    found: dict[str, Any] = json.loads(recorded) if recorded else {}
    version_control = found.get("vcs_info", {}).get("vcs")
    return f"{version_control}+{found['url']}" if version_control else found.get("url", "")


def _extras() -> Iterator[str]:
    """The extras of which every package is installed."""
    from importlib.metadata import PackageNotFoundError, distribution, metadata

    try:
        about = metadata(NAME)
    except PackageNotFoundError:
        return
    needs: dict[str, list[str]] = {}
    for one in about.get_all("Requires-Dist") or ():
        package, marked, extra = one.partition("extra == ")
        if marked:
            needs.setdefault(extra.strip(" '\""), []).append(_package(package))
    for extra, packages in needs.items():
        try:
            for package in packages:
                distribution(package)
        except PackageNotFoundError:
            continue
        yield extra


def _package(requirement: str) -> str:
    """The name at the beginning of a requirement."""
    end = next((n for n, sign in enumerate(requirement) if sign in " ;[<>=!~("), None)
    return requirement[:end]


def _made_by_uv(folder: str) -> bool:
    try:
        with open(os.path.join(folder, "pyvenv.cfg"), encoding="utf-8") as file:
            return any(line.startswith("uv = ") for line in file)
    except OSError:
        return False
