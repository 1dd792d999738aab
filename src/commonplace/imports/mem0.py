"""What mem0's `get_all()` returns, saved as JSON: one memory per result.

Its users and agents become scopes, so that what was apart stays apart.
"""

from __future__ import annotations

from ..errors import BadScope
from ..model import Draft
from ..results import LeftOut
from ..scope import Scope
from .fields import labels, mapping, one_line, time, words
from .parcel import damaged
from .streaming import elements, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .parcel import Parcel

_TEXT = ("memory", "data", "text")


def fits(first: Any) -> bool:
    """Whether a file that begins so is one of mem0's."""
    if isinstance(first, set):
        return first == {"results"}
    return "memory" in mapping(first)


def read(parcel: Parcel, name: str) -> Iterator[Draft | LeftOut]:
    """Every memory, in the scope of its user and agent."""
    by_line = name.lower().endswith((".jsonl", ".ndjson"))
    for one in lines(parcel, name) if by_line else elements(parcel, name, under=("results",)):
        said = mapping(one)
        if not said:
            raise damaged(parcel, name, "something in it is no memory of mem0")
        text = next((text for key in _TEXT if (text := words(said.get(key)))), "")
        yield _draft(text, said) if text else LeftOut("A memory without text.")


def _draft(text: str, said: dict[str, Any]) -> Draft:
    extra = mapping(said.get("metadata"))
    return Draft(
        text,
        scope=_scope(said),
        tags=labels(extra.get("categories") or said.get("categories")),
        topic=one_line(extra.get("topic") or extra.get("category")),
        created=time(said.get("created_at")),
        expires=time(said.get("expiration_date")),
        imported_id=one_line(said.get("id")),
    )


def _scope(said: dict[str, Any]) -> Scope | None:
    named = (("user", said.get("user_id")), ("agent", said.get("agent_id")))
    pairs = tuple((dimension, value) for dimension, one in named if (value := one_line(one)))
    if not pairs:
        return None
    try:
        return Scope(pairs)
    except BadScope:
        # A name with a slash in it; better apart under another name than together.
        safe = ((d, v.replace("/", "-").replace("\\", "-")[:100].strip(" .")) for d, v in pairs)
        return Scope(tuple((d, v or "unnamed") for d, v in safe))
