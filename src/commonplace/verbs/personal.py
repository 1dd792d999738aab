"""Write into the person's own space: only by this separate, explicit call."""

from __future__ import annotations

from ..errors import NotAllowed
from ..rules.drafts import checked_content
from .screen import screened_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .engine import Engine


def save_personal(engine: Engine, name: str, content: str) -> str:
    """Write one new note outside the book and return its path."""
    if engine.context.role != "owner":
        raise NotAllowed("Only the book's owner has a personal space.", hint="Use `save` instead.")
    kept = screened_fields(engine, {"name": name, "content": checked_content(content)})
    return engine.store.write_personal(kept["name"], kept["content"])
