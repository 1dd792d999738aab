"""The pages of the panel; importing this package declares them."""

from . import (
    browse,
    graph,
    health,
    inbox,
    memory,
    not_found,
    profile,
    repository,
    timeline,
    transfer,
    try_recall,
)

__all__ = [
    "browse", "graph", "health", "inbox", "memory", "not_found", "profile", "repository",
    "timeline", "transfer", "try_recall",
]  # fmt: skip
