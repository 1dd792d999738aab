"""Scopes from names in foreign files."""

from __future__ import annotations

from ...model.errors import BadScope
from ...model.scope import Scope
from .json_reader import as_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def safe_scope(*named: tuple[str, Any]) -> Scope | None:
    """The scope of these values; None without any."""
    pairs = tuple((dimension, value) for dimension, one in named if (value := as_line(one)))
    if not pairs:
        return None
    try:
        return Scope(pairs)
    except BadScope:
        # A name with a slash: replaced, so that users stay apart.
        safe = ((d, v.replace("/", "-").replace("\\", "-")[:100].strip(" .")) for d, v in pairs)
        return Scope(tuple((d, v or "unnamed") for d, v in safe))
