"""Paths below /memories, as a model may write them: nothing that could mean another place."""

from __future__ import annotations

import re
import unicodedata

from ...errors import BadLocator

ROOT = "/memories"
MOST_CHARACTERS = 200
_ENCODED = re.compile(r"%(?:2e|2f|5c|00|25)", re.IGNORECASE)
"""A dot, a slash, a backslash or NUL in disguise, or a percent sign that would disguise one."""

Parts = tuple[str, ...]


def parts_of(path: str) -> Parts:
    """The names on the way down from /memories; none of them for the folder itself."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise BadLocator(f"Path must start with {ROOT}, got: {path}")
    # Some letters turn into dots and slashes when a system simplifies them.
    plain = unicodedata.normalize("NFKC", path)
    names = [name for name in plain[len(ROOT) :].split("/") if name]
    if ".." in names:
        raise BadLocator(f"Path {path} would escape {ROOT} directory")
    strange = any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in path)
    if strange or "\\" in plain or _ENCODED.search(plain):
        raise BadLocator(
            f"Path {path!r} has a character that no path may have.",
            hint="Use plain names, with a slash between them.",
        )
    if any(name.startswith(".") or name != name.strip() for name in names):
        raise BadLocator(
            f"Path {path!r} has a hidden name, or one with a space at its end.",
            hint="Begin each name with a letter or a digit.",
        )
    if len(path) > MOST_CHARACTERS:
        raise BadLocator(
            f"The path has {len(path)} characters; it may have {MOST_CHARACTERS}.",
            hint="Choose shorter names.",
        )
    return tuple(name for name in path[len(ROOT) :].split("/") if name)


def written(parts: Parts) -> str:
    """The one way to write the path of these names."""
    return "/".join((ROOT, *parts))
