"""Where in a repository somebody works, and where a memory was learned: plain values."""

from __future__ import annotations

from .value import Value

HERE, UNMERGED, REWRITTEN, UNKNOWN, OTHER = "here", "unmerged", "rewritten", "unknown", "other"
"""How a commit stands to HEAD: in its history or merged; not merged; once on this branch, which
was rewritten since; not to be found or decided here; another repository's."""


class GitHead(Value):
    """The commit that a working tree stands on."""

    commit: str
    branch: str = ""
    """Empty at a detached HEAD."""


class LearnedAt(Value):
    """The commit and the branch that a memory was learned on."""

    commit: str
    branch: str = ""
    repository: str = ""
    """The root commit of the repository; empty where it was not known."""

    def __str__(self) -> str:
        return f"{self.commit} {self.branch}"


def is_commit(text: str) -> bool:
    """Whether a text is the whole id of a commit."""
    return len(text) in (40, 64) and all(c in "0123456789abcdef" for c in text)


def is_branch(name: str) -> bool:
    """Whether a text may be the name of a branch, and is safe within a path."""
    if not 0 < len(name) <= 250 or not name.isprintable() or any(c in " ~^:?*[\\" for c in name):
        return False
    return ".." not in name and all(
        part and not part.startswith(".") and not part.endswith(".lock") for part in name.split("/")
    )
