"""Commonplace: a memory for AI agents, in plain markdown.

    import commonplace

    with commonplace.open("vault:~/notes") as book:
        book.save("The deploy branch is main", scope="/project/mech-fighters")
        for hit in book.recall("which branch do we deploy?"):
            print(hit.memory.content)

Names are imported when first used, so that `import commonplace` costs next to nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .book import Commonplace
    from .books.open import open_book as open  # noqa: A004
    from .model.errors import (
        BackendMissing,
        BadInput,
        BadLocator,
        BadScope,
        Busy,
        CommonplaceError,
        Conflict,
        Damaged,
        EmbedderUnavailable,
        IndexUnavailable,
        LedgerUnavailable,
        NoBook,
        NotAllowed,
        NotFound,
        Proposed,
        Refused,
        StoreUnavailable,
        Unavailable,
    )
    from .model.memory import Draft, Hit, Memory, Recalled
    from .model.results import Saved
    from .model.scope import Context, Scope
    from .ports.reasoner import Turn
    from .rules.handed_over.digest import Budget, Limit
    from .settings import Settings

_HOMES = {
    "books.open": {"open": "open_book"},
    "book": {"Commonplace": "Commonplace"},
    "model.memory": {name: name for name in ("Draft", "Hit", "Memory", "Recalled")},
    "model.results": {"Saved": "Saved"},
    "model.scope": {name: name for name in ("Context", "Scope")},
    "ports.reasoner": {"Turn": "Turn"},
    "rules.handed_over.digest": {name: name for name in ("Budget", "Limit")},
    "settings": {"Settings": "Settings"},
    "model.errors": {
        name: name
        for name in (
            "BackendMissing",
            "BadInput",
            "BadLocator",
            "BadScope",
            "Busy",
            "CommonplaceError",
            "Conflict",
            "Damaged",
            "EmbedderUnavailable",
            "IndexUnavailable",
            "LedgerUnavailable",
            "NoBook",
            "NotAllowed",
            "NotFound",
            "Proposed",
            "Refused",
            "StoreUnavailable",
            "Unavailable",
        )
    },
}

__all__ = [
    "BackendMissing",
    "BadInput",
    "BadLocator",
    "BadScope",
    "Budget",
    "Busy",
    "Commonplace",
    "CommonplaceError",
    "Conflict",
    "Context",
    "Damaged",
    "Draft",
    "EmbedderUnavailable",
    "Hit",
    "IndexUnavailable",
    "LedgerUnavailable",
    "Limit",
    "Memory",
    "NoBook",
    "NotAllowed",
    "NotFound",
    "Proposed",
    "Recalled",
    "Refused",
    "Saved",
    "Scope",
    "Settings",
    "StoreUnavailable",
    "Turn",
    "Unavailable",
    "open",
]


def __getattr__(name: str) -> object:
    import importlib

    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f".{home}", __name__), names[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
